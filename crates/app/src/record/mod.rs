//! Record pane: the keys of the record under the cursor with their origins, then its text.

use rustc_hash::FxHashMap;

use crate::command::Command;
use crate::layout::Areas;
use crate::model::Model;
use crate::shown_view::ShownView;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::several;
use widetui_core::words::shown_lines;
use widetui_definition::syntax::JOIN_SEPARATOR;
use widetui_session::record_texts::Place;
use widetui_store::derived::JoinKind;
use widetui_store::{EventRef, ValueOrigin};
use widetui_tables::key_rank::{self, Rank, RankedKey};
use widetui_tables::text::{grouped, sanitise, wrap};
use widetui_time::time::format_datetime;

use crate::times;

pub mod key_layout;

use key_layout::KeyLayout;

/// Width that is always reserved for a short origin (`path`, `copy`, with its arrow); a longer
/// origin gets the columns that the value leaves.
pub const ORIGIN: u16 = 7;
/// Maximum width of a key name, in columns.
const NAME: usize = 26;
/// Maximum number of text lines; longer records should be opened in another program.
const MAX_LINES: usize = 10_000;

/// Name of the time of a record among its keys.
pub const TIME: &str = "time";

/// Key and value in the record pane.
pub struct KeyRow {
    /// Name of the key.
    pub name: String,
    /// Value, as displayed.
    pub value: String,
    /// Origin of the value; empty if it is in the record itself.
    pub origin: String,
    /// Instance that the value identifies, such as `task, 14 events`.
    pub is: String,
    /// Whether a long value is cut at the start because its end is more specific.
    pub is_cut_in_front: bool,
}

/// Number of lines of the record under the cursor, for scrolling.
pub(crate) fn length(model: &ShownView<'_>) -> usize {
    let area = Areas::at(model).record;
    match model.current() {
        Some(event) if area.width > 0 => {
            let key_rows = key_rows(model, &event);
            let text = text_lines(model, &event, area.width);
            let laid = KeyLayout::new(model, &event, &key_rows, &text);
            laid.head.len() + laid.rows + 1 + text.len()
        }
        _ => 0,
    }
}

/// Key under the cursor, and its value.
pub(crate) fn key_under_cursor(model: &Model) -> Option<(String, String)> {
    let mut key_rows = key_rows(model, &model.current()?);
    let at = model.events.key;
    (at < key_rows.len())
        .then(|| key_rows.swap_remove(at))
        .map(|p| (p.name, p.value))
}

/// Keys of a record, the most specific first; the source and process come last.
pub fn key_rows(model: &Model, event: &EventRef<'_>) -> Vec<KeyRow> {
    let pair = |name: &str, value: String, origin: &str| KeyRow {
        name: name.to_owned(),
        value,
        origin: origin.to_owned(),
        is: String::new(),
        is_cut_in_front: matches!(name, "source" | TIME),
    };
    let stored = key_rank::ranked_keys(event);
    let named = named(model, event);
    let by_origin = |key: &RankedKey| match key.origin {
        ValueOrigin::Record => pair(&key.name, key.value.to_string(), ""),
        ValueOrigin::Join(join) => {
            let name = event.snapshot.derived.joins.get(usize::from(join));
            // The key names the system, too, unless a join of another one gives it.
            let system = key.name.split_once('.').map_or("", |(system, _)| system);
            let short = |name: &str| {
                let own = name.strip_prefix(system);
                let own = own.and_then(|rest| rest.strip_prefix(JOIN_SEPARATOR));
                own.unwrap_or(name).to_owned()
            };
            let origin = name.map_or("join".to_owned(), |giver| match giver.kind {
                JoinKind::Keys => format!("join {}", short(&giver.name)),
                JoinKind::Bracket => format!("bracket {}", short(&giver.name)),
                JoinKind::FirstRecord => "first of file".to_owned(),
                JoinKind::ConsecutiveRuns => "by the clock".to_owned(),
                JoinKind::Extraction => format!("reading {}", short(&giver.name)),
            });
            pair(&key.name, key.value.to_string(), &origin)
        }
        ValueOrigin::Path => pair(&key.name, key.value.to_string(), "path"),
    };
    let shown = |key: &RankedKey| KeyRow {
        is: named.get(&key.id).cloned().unwrap_or_default(),
        ..by_origin(key)
    };
    let about = stored.iter().filter(|k| k.rank < Rank::Writer);
    let note = model.user_data.notes.get(&Place::from_event(event));
    let mut out: Vec<KeyRow> = note
        .map(|n| pair("note", n.clone(), ""))
        .into_iter()
        .collect();
    out.extend(about.map(shown));
    let open = open_paths(event, &stored).into_iter();
    out.extend(open.map(|(key, values)| pair(&key, values, "path")));
    // Values without a key column are in the text only.
    let text = model.text(event);
    let mut in_text: Vec<KeyRow> = text
        .iter()
        .flat_map(|record| &record.pairs)
        .filter(|(name, _)| stored.iter().all(|k| k.name != *name))
        .map(|(name, values)| pair(name, values.join(", "), ""))
        .collect();
    in_text.sort_by_key(|p| key_rank::writer_index(&p.name));
    let last = in_text.partition_point(|p| key_rank::writer_index(&p.name).is_none());
    let of_writer = in_text.split_off(last);
    out.extend(in_text);
    let time = event.time().map_or("–".to_owned(), |t| {
        // As many digits as the time or other times of the run need.
        let digits = [0, 3, 6].into_iter().find(|d| t % 10_i64.pow(9 - d) == 0);
        let digits = digits
            .map_or(9, |d| d as usize)
            .max(model.source_names.digits);
        let text = format_datetime(t, times::offset(model, t), digits);
        format!("{text} {}", model.zone)
    });
    out.push(pair(TIME, time, ""));
    let level = event.level().name();
    if !level.is_empty() {
        out.push(pair("level", level.to_owned(), ""));
    }
    out.extend(stored.iter().filter(|k| k.rank == Rank::Writer).map(shown));
    out.extend(of_writer);
    out.push(pair("source", event.source().path.clone(), ""));
    let others = event.snapshot.duplicates.group(event.id.0).map(EventId);
    for copy in others.filter_map(|id| event.snapshot.event(id)) {
        if copy.id != event.id {
            out.push(pair("source", copy.source().path.clone(), "copy"));
        }
    }
    out
}

/// Description of the instance that each key of an event identifies: for each instance, the key
/// that is unique within its entity.
fn named(model: &Model, event: &EventRef<'_>) -> FxHashMap<KeyId, String> {
    let mut out = FxHashMap::default();
    for (seen, at) in model.instances.about(event) {
        if let Some((all, one)) = seen.get(at)
            && let Some(key) = all.id_keys(one).last()
        {
            let events = several(all.event_count(one), "event");
            out.entry(*key)
                .or_insert_with(|| format!("{}, {events}", all.entity.title));
        }
    }
    out
}

/// Rows for the keys of the paths of a record that these do not decide: values of all logs that contain the record, and
/// of a log that may have lost it.
fn open_paths(event: &EventRef<'_>, stored: &[RankedKey]) -> Vec<(String, String)> {
    if !event.is_doubtful() {
        return Vec::new();
    }
    let keys = &event.snapshot.catalog.keys;
    let consts = event.source().consts.iter();
    let open = consts.filter(|(key, _)| stored.iter().all(|known| known.id != *key));
    let row = |(key, _): &(KeyId, Code)| {
        let mut values: Vec<String> = Vec::new();
        let group = event.snapshot.duplicates.group(event.id.0).map(EventId);
        for member in group.filter_map(|id| event.snapshot.event(id)) {
            let own = member.source().consts.iter().find(|(id, _)| id == key);
            let value = own.and_then(|(_, code)| keys.get(*key)?.spelling(*code));
            values.extend(value.filter(|value| !values.contains(value)));
        }
        if values.len() == 1 {
            values.push("another".to_owned());
        }
        (keys.name(*key).to_owned(), values.join(" or "))
    };
    open.map(row).collect()
}

/// Lines of the text of a record, optionally wrapped to `columns`.
pub fn text_lines(model: &Model, event: &EventRef<'_>, columns: u16) -> Vec<String> {
    let Some(record) = model.text(event) else {
        return vec!["reading …".to_owned()];
    };
    if let Some(problem) = &record.problem {
        return vec![format!("its text cannot be read again: {problem}")];
    }
    let room = usize::from(columns.saturating_sub(2));
    let mut out: Vec<String> = Vec::new();
    for line in shown_lines(&record.text).take(MAX_LINES) {
        let clean = sanitise(line);
        if model.record.wrap {
            out.extend(wrap(&clean, room));
        } else {
            out.push(clean.into_owned());
        }
    }
    if record.left_out > 0 {
        out.push(format!(
            "… and {} bytes more",
            grouped(record.left_out as u64)
        ));
    }
    out
}

/// Cursor of the record pane: index of a key, and first line on the screen.
pub(crate) struct KeyPosition {
    pub(crate) key: usize,
    pub(crate) top: usize,
}

/// Position after a command that moves among the keys; `None` at the last or first key, where the
/// text scrolls instead.
pub(crate) fn position_after(model: &Model, command: Command) -> Option<KeyPosition> {
    let area = Areas::new(model).record;
    let event = model.current()?;
    let key_rows = key_rows(model, &event);
    let text = text_lines(model, &event, area.width);
    let laid = KeyLayout::new(&model.shown(), &event, &key_rows, &text);
    let (count, rows) = (key_rows.len(), laid.rows.max(1));
    let at = model.events.key;
    let next = match command {
        // Scrolled lines come back before the cursor moves.
        Command::Up if model.record.top > laid.head.len() + at % rows => None,
        Command::Up => at.checked_sub(1),
        Command::Down => Some(at + 1).filter(|next| *next < count),
        Command::Left => at.checked_sub(rows),
        Command::Right => Some(at + rows).filter(|next| *next < count),
        _ => None,
    };
    let key = next?;
    let line = laid.head.len() + key % rows;
    let height = usize::from(area.height.max(1));
    let top = model.record.top;
    Some(KeyPosition {
        key,
        top: top.clamp((line + 1).saturating_sub(height), line),
    })
}
