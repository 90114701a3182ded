//! Lines of rows in the record list: wrapped messages and records shown in full.

use crate::rect::Rect;

use crate::model::{Model, TimeDisplay};
use widetui_session::record_texts::{Place, Record};
use widetui_store::EventRef;
use widetui_tables::list::List;
use widetui_tables::text::{sanitise, width, wrap};

use crate::times::TimeColumn;

/// Width of the column of time steps.
pub const STEP: u16 = 9;
/// Minimum width of a message next to the note about further lines.
const MESSAGE_KEEPS: usize = 24;
/// Maximum length of a line that is measured for scrolling, in bytes.
const MAX_SCROLLED_BYTES: usize = 1 << 16;
/// Width of a list from which on time steps are shown, in columns.
const WITH_STEP: u16 = 60;

/// First column of each part of a list row.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Time.
    pub time: u16,
    /// Time since the previous row; `None` in narrow lists.
    pub step: Option<u16>,
    /// Name of the source.
    pub tag: u16,
    /// Letter of the level.
    pub level: u16,
    /// Message.
    pub message: u16,
    /// End of the message; column of the scrollbar.
    pub end: u16,
}

impl Columns {
    /// Columns of a list of `width` columns, relative to its left edge.
    pub fn new(model: &Model, time: TimeColumn, width: u16) -> Columns {
        let after = 2 + if time.width > 0 { time.width + 1 } else { 0 };
        let step = (width >= WITH_STEP || model.time == TimeDisplay::SameKey).then_some(after);
        let tag = after + if step.is_some() { STEP + 2 } else { 0 };
        let level = tag
            + match model.source_names.tag_columns(width) {
                0 => 0,
                columns => columns + 2,
            };
        Columns {
            time: 2,
            step,
            tag,
            level,
            message: level + 2,
            end: width.saturating_sub(1),
        }
    }
}

/// Whether every row is one line high.
fn are_rows_single_lines(model: &Model) -> bool {
    !model.events.wrap && model.events.expanded.is_empty()
}

/// Whether the record is shown with all its lines.
pub(crate) fn is_expanded(model: &Model, event: &EventRef<'_>) -> bool {
    let open = &model.events.expanded;
    !open.is_empty() && open.contains(&Place::from_event(event))
}

/// Note about the number of hidden lines of a record; empty if there are none.
pub(crate) fn hidden_lines_note(record: &Record) -> String {
    match record.more_lines {
        0 => String::new(),
        1 => "(+1 line)".to_owned(),
        n => format!("(+{n} lines)"),
    }
}

/// Note about the number of hidden lines, shortened to leave room for the message.
pub fn short_hidden_lines_note(record: &Record, room: u16) -> String {
    let long = hidden_lines_note(record);
    if long.is_empty() {
        return long;
    }
    let message = width(scrollable_prefix(&record.message)).min(MESSAGE_KEEPS) + 1;
    let left = usize::from(room).saturating_sub(message);
    let short = format!("+{}", record.more_lines);
    let all = [long, short].into_iter();
    all.into_iter()
        .find(|text| text.len() <= left)
        .unwrap_or_default()
}

/// Width of messages in a list, in columns.
pub(crate) fn message_width(model: &Model, area: Rect) -> usize {
    let columns = Columns::new(model, TimeColumn::new(model, area.width), area.width);
    usize::from(columns.end.saturating_sub(columns.message))
}

/// Number of columns by which messages must be scrolled to show the end of the longest one on the
/// screen.
pub(crate) fn max_scroll(model: &Model, area: Rect) -> usize {
    let room = message_width(model, area);
    let rows = model.events.list.top..model.events.list.top + visible_rows(model, area);
    let hidden = |row: usize| {
        let event = model.event(row)?;
        let record = model.text(&event)?;
        // The note about hidden lines takes room from the message.
        let beside = match is_expanded(model, &event) {
            true => 0,
            false => {
                short_hidden_lines_note(record, room as u16).len()
                    + crate::subject::behind(&event, area)
            }
        };
        let pieces = message_lines(model, &event, room);
        let widest = pieces.iter().map(|p| width(scrollable_prefix(p))).max()?;
        Some((widest + beside + 1).saturating_sub(room))
    };
    rows.filter_map(hidden).max().unwrap_or(0)
}

/// Beginning of a line, as far as scrolling reaches: measuring a line of 1 MB is too slow.
fn scrollable_prefix(line: &str) -> &str {
    let end = line.len().min(MAX_SCROLLED_BYTES);
    let end = (0..=end).rev().find(|at| line.is_char_boundary(*at));
    &line[..end.unwrap_or(0)]
}

/// Message split into lines of `room` columns; the first one stands in the row itself.
pub fn message_lines(model: &Model, event: &EventRef<'_>, room: usize) -> Vec<String> {
    let Some(record) = model.text(event).filter(|r| r.problem.is_none()) else {
        return Vec::new();
    };
    let expanded = is_expanded(model, event);
    let mut out = Vec::new();
    let mut add = |line: &str| {
        let clean = sanitise(line);
        if model.events.wrap {
            out.extend(wrap(&clean, room));
        } else {
            out.push(clean.into_owned());
        }
    };
    if expanded {
        add(&record.message);
        record.more.iter().for_each(|line| add(line));
        let hidden = record.more_lines.saturating_sub(record.more.len());
        if hidden > 0 {
            add(&format!("… {hidden} lines more"));
        }
    } else if model.events.wrap && record.more_lines > 0 {
        add(&format!("{} {}", record.message, hidden_lines_note(record)));
    } else {
        add(&record.message);
    }
    out
}

/// Height of a row in lines: at least one, at most the height of the list.
pub fn row_height(model: &Model, row: usize, area: Rect) -> u16 {
    if are_rows_single_lines(model) {
        return 1;
    }
    let Some(event) = model.event(row) else {
        return 1;
    };
    if !model.events.wrap && !is_expanded(model, &event) {
        return 1;
    }
    let columns = Columns::new(model, TimeColumn::new(model, area.width), area.width);
    let room = columns.end.saturating_sub(columns.message);
    let lines = message_lines(model, &event, usize::from(room)).len();
    (lines.clamp(1, usize::from(area.height.max(1)))) as u16
}

/// Number of rows on the screen, at least one.
pub fn visible_rows(model: &Model, area: Rect) -> usize {
    if are_rows_single_lines(model) {
        return usize::from(area.height.max(1));
    }
    let mut left = area.height;
    let mut rows = 0;
    while left > 0 && model.events.list.top + rows < model.len() {
        left = left.saturating_sub(row_height(model, model.events.list.top + rows, area));
        rows += 1;
    }
    rows.max(1)
}

/// First row on the screen after scrolling down until the row under the cursor is visible in full.
pub(crate) fn revealing_top(model: &Model, area: Rect) -> usize {
    let List { cursor, top } = model.events.list;
    if are_rows_single_lines(model) {
        return top;
    }
    let mut lines = 0;
    let mut first = cursor;
    // Upwards from the cursor while rows fit.
    loop {
        lines += row_height(model, first, area);
        if lines > area.height && first < cursor {
            first += 1;
            break;
        }
        if first == 0 || lines >= area.height {
            break;
        }
        first -= 1;
    }
    top.max(first).min(cursor)
}
