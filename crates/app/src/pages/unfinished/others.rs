//! Sections of idle resources, silent sources and the summary, for the page of unfinished work.

use crate::model::Model;
use widetui_analysis::entity::Id;
use widetui_core::ids::EventId;
use widetui_core::words::{last_part, listed, plural, several};
use widetui_diagnosis::unfinished::words::{last_error_title, pause, silence, words};
use widetui_diagnosis::unfinished::{IdleResources, SilenceReason, Silent, UnfinishedWork};
use widetui_session::instances::InstanceHandle;
use widetui_session::notable_work::{Notability, NotableWork};
use widetui_session::unfinished_details::UnfinishedDetails;
use widetui_store::{Source, SourceTrait};
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, width};
use widetui_time::time::{NS_PER_SECOND, format_span};

use super::{MAX_LISTED, StuckLine, StuckLink, line, plain, title};
use crate::times::clock;

/// Maximum number of names in a list.
const NAMED: usize = 8;

/// Appends the section of idle resources, if there are any.
pub(super) fn idle(model: &Model, hung: &UnfinishedWork, out: &mut Vec<StuckLine>) {
    if hung.idle.is_empty() {
        return;
    }
    out.push(title("idle"));
    for IdleResources {
        title,
        alive,
        idle,
        since,
        whose,
        ..
    } in &hung.idle
    {
        let mut text = match (idle.len(), *alive) {
            (0, 1) => format!("the only {title}{whose} is at work"),
            (0, 2) => format!("both {}{whose} are at work", plural(title)),
            (0, all) => format!("all {}{whose} are at work", several(all, title)),
            (1, 1) => format!("the only {title}{whose} has nothing to do"),
            (n, all) if n == all => format!("all of {}{whose}", several(all, title)),
            (n, all) => format!(
                "{} of {} {}{whose}",
                grouped(n as u64),
                grouped(all as u64),
                plural(title)
            ),
        };
        if let Some(since) = since.filter(|_| !idle.is_empty()) {
            text += &format!(" since {}", clock(model).text(since));
        }
        let names = names_by_place(idle);
        if !names.is_empty() {
            text += &format!(": {names}");
        }
        out.push(plain(text, Role::Text));
    }
}

/// Idle resources of one place: a manager, a node.
struct IdlePlace<'a> {
    /// Key and value of the place, from the outermost; empty if the resources have none.
    id: &'a [(String, String)],
    names: Vec<&'a str>,
}

impl IdlePlace<'_> {
    /// The first names, and the place: `0, 1 of manager 789b90401ce5`.
    fn text(mut self) -> String {
        // Shorter names first, so that 9 precedes 10.
        self.names.sort_by_key(|name| (name.len(), *name));
        let more = if self.names.len() > NAMED {
            ", …"
        } else {
            ""
        };
        self.names.truncate(NAMED);
        let names = format!("{}{more}", self.names.join(", "));
        match self.id.last() {
            Some((key, value)) => format!("{names} of {} {value}", last_part(key)),
            None => names,
        }
    }
}

/// Names of idle resources, those of one place together.
fn names_by_place(idle: &[(Id, Option<i64>)]) -> String {
    let mut places: Vec<IdlePlace<'_>> = Vec::new();
    for (id, _) in idle {
        let Some(((_, name), place)) = id.split_last() else {
            continue;
        };
        match places.iter_mut().find(|known| known.id == place) {
            Some(known) => known.names.push(name),
            None => places.push(IdlePlace {
                id: place,
                names: vec![name],
            }),
        }
    }
    let more = places.len() > NAMED;
    let texts = places.into_iter().take(NAMED).map(IdlePlace::text);
    let texts: Vec<String> = texts.chain(more.then(|| "…".to_owned())).collect();
    texts.join("; ")
}

/// Summary in prose, without the silent sources that have a section of their own.
pub(super) fn in_words(model: &Model, hung: &UnfinishedWork) -> String {
    let is_listed = |silent: &Silent| silent.is_told && silent.why == SilenceReason::Unknown;
    if hung.unexplained().next().is_none() && hung.pauses.is_empty() {
        return words(&model.snapshot, hung, &clock(model));
    }
    let mut rest = hung.clone();
    rest.silent.retain(|silent| !is_listed(silent));
    rest.pauses.clear();
    let text = words(&model.snapshot, &rest, &clock(model));
    // "No unfinished work." would contradict the listed silent sources.
    text.trim_end_matches("No unfinished work.")
        .trim_end()
        .to_owned()
}

/// Appends the section that states which logs were examined, for a run without unfinished work.
pub(super) fn looked_at(model: &Model, out: &mut Vec<StuckLine>) {
    out.push(title("looked at"));
    let snapshot = &model.snapshot;
    let logs = snapshot.sources.iter().filter(|s| s.is_log);
    let last = logs.clone().max_by_key(|s| s.last());
    let last = last.and_then(|s| Some((s, s.last()?)));
    let mut text = format!(
        "{} of {}",
        several(snapshot.len() - snapshot.duplicates.len(), "record"),
        several(logs.count(), "log")
    );
    if let Some((source, time)) = last {
        let time = clock(model).text(time);
        text += &format!(", the last at {time} ({})", source.tag);
    }
    out.push(plain(text, Role::Text));
    match wrote_last(model) {
        ended if ended.is_empty() => {
            let text = "no source stopped writing while others continued";
            out.push(plain(text, Role::Text));
        }
        ended => {
            for (time, event, tags) in ended.into_iter().take(NAMED) {
                let time = clock(model).text(time);
                let text = format!("wrote last at {time}, while others continued: {tags}");
                out.push(line(vec![(text, Role::Text)], event.map(StuckLink::Event)));
            }
        }
    }
}

/// Share of the run, from its end, in which the last record of a source that writes on lies.
const LAST_PART: i64 = 10;

/// Sources that stopped writing while others continued, those of one second together: time, last record, names.
fn wrote_last(model: &Model) -> Vec<(i64, Option<EventId>, String)> {
    let snapshot = &model.snapshot;
    let (first, last) = snapshot.range().unwrap_or_default();
    let limit = last.saturating_sub(last.saturating_sub(first) / LAST_PART);
    let logs = snapshot.sources.iter().filter(|s| {
        s.is_log && !s.has_trait(SourceTrait::Table) && !s.has_trait(SourceTrait::Dump)
    });
    let ended = logs.filter_map(|s| Some((s.last().filter(|t| *t < limit)?, s)));
    let mut ended: Vec<(i64, &Source)> = ended.map(|(time, s)| (time, &**s)).collect();
    ended.sort_by_key(|(time, source)| (*time, source.id.0));
    let groups = ended.chunk_by(|a, b| a.0 / NS_PER_SECOND == b.0 / NS_PER_SECOND);
    let group = |group: &[(i64, &Source)]| {
        let names = group
            .iter()
            .map(|(_, s)| model.source_names.name_of(s).to_owned());
        let names: Vec<String> = names.collect();
        let (time, source) = group.last().copied()?;
        let event = snapshot
            .last_events
            .get(source.id.index())
            .copied()
            .map(EventId);
        let event = event.filter(|event| snapshot.event(*event).is_some());
        Some((time, event, listed(&names, NAMED)))
    };
    groups.filter_map(group).collect()
}

/// Appends the sections of notable work items.
pub(super) fn notable(model: &Model, work: &NotableWork, out: &mut Vec<StuckLine>) {
    let names = work.items.iter().map(|item| width(&item.instance.name));
    let columns = names.max().unwrap_or(0);
    let mut before = None;
    for (at, item) in work.items.iter().enumerate() {
        if before.replace(item.why) != Some(item.why) {
            out.push(title(match item.why {
                Notability::Failed => "failed".to_owned(),
                Notability::OpenAgain => format!("open again: {}", work.again.join(", ")),
                Notability::Slowest => "slowest".to_owned(),
            }));
        }
        let InstanceHandle { name, label, .. } = &item.instance;
        let blanks = " ".repeat(columns.saturating_sub(width(name)));
        let state = item.state.clone().unwrap_or_default();
        let (how, role) = match (item.why, item.since, item.took) {
            (Notability::OpenAgain, Some(since), _) => (
                format!("{state} since {}", clock(model).text(since)),
                Role::WarningText,
            ),
            (Notability::Slowest, _, Some(took)) => (format_span(took), Role::Muted),
            (_, Some(since), _) => (
                format!("{state} at {}", clock(model).text(since)),
                Role::ErrorText,
            ),
            _ => (state, Role::Muted),
        };
        let pieces = vec![
            (format!("{name}{blanks}"), Role::Strong),
            (
                format!("  {}", label.clone().unwrap_or_default()),
                Role::Text,
            ),
            (format!("   {how}"), role),
        ];
        out.push(line(pieces, Some(StuckLink::Notable(at))));
    }
}

/// Appends the sections of silent sources and of the last error.
pub(super) fn silent(model: &Model, known: &UnfinishedDetails, out: &mut Vec<StuckLine>) {
    let hung = &known.hung;
    let silent: Vec<&Silent> = hung.unexplained().collect();
    if !silent.is_empty() {
        out.push(title("silent"));
    }
    for one in silent.iter().take(MAX_LISTED / 4) {
        let text = silence(one, &clock(model));
        out.push(line(
            vec![(text, Role::Text)],
            Some(StuckLink::Event(one.last_event)),
        ));
    }
    if silent.len() > MAX_LISTED / 4 {
        let more = grouped((silent.len() - MAX_LISTED / 4) as u64);
        out.push(plain(format!("and {more} more"), Role::Muted));
    }
    if silent.is_empty() && !hung.pauses.is_empty() {
        out.push(title("silent"));
    }
    for one in &hung.pauses {
        let text = pause(one, &clock(model));
        out.push(line(
            vec![(text, Role::Text)],
            Some(StuckLink::Event(one.before)),
        ));
    }
    if let Some(id) = hung.last_error.filter(|_| !hung.is_clear())
        && let Some((source, text)) = known.words.get(&id.0)
    {
        out.push(title(last_error_title(hung)));
        let time = model.snapshot.event(id).and_then(|e| e.time());
        let time = time.map_or(String::new(), |t| clock(model).text(t));
        let pieces = vec![
            (time, Role::Time),
            (format!("  {source}  "), Role::Muted),
            (text.clone(), Role::ErrorText),
        ];
        out.push(line(pieces, Some(StuckLink::Event(id))));
    }
}
