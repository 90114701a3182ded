//! The list of events: one row a record, in time order over all sources.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::level::Level;
use crate::base::time::NS_PER_SECOND;
use crate::store::{EventRef, Origin};
use crate::ui::hit::{HitMap, Target};
use crate::ui::model::{Loading, Model, Pane};
use crate::ui::telling::{self, Rank, Telling};
use crate::ui::text::{cut, cut_middle, glyph, put, put_from, put_right, restyle, sanitise, width};
use crate::ui::theme::{Role, Theme};
use crate::workspace::fetch::Place;

use super::times::{self, TimeColumn};

/// Columns of the step to the row before.
const STEP: u16 = 8;
/// A step from this on is shown so that it is seen, ns.
const LONG_STEP: i64 = NS_PER_SECOND;
/// From this width on a row ends with what it is about.
const WITH_SUBJECT: u16 = 100;
/// Fewer columns are of no use for a note.
const NOTE: u16 = 12;
/// Columns that a message keeps before anything else is shown behind it.
const MESSAGE_KEEPS: u16 = 40;

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    hits.add(area, Target::List);
    if area.is_empty() {
        return;
    }
    if model.is_empty() {
        return draw_empty(model, area, buf);
    }
    let time = TimeColumn::of(model, area.width);
    let mut before = model
        .list
        .top
        .checked_sub(1)
        .and_then(|row| model.event(row)?.time());
    for y in 0..area.height {
        let row = model.list.top + usize::from(y);
        let Some(event) = model.event(row) else { break };
        let line = Rect::new(area.x, area.y + y, area.width, 1);
        hits.add(line, Target::Row(row));
        draw_row(model, &event, row, before, time, line, buf);
        before = event.time();
    }
}

fn draw_row(
    model: &Model,
    event: &EventRef<'_>,
    row: usize,
    before: Option<i64>,
    time: TimeColumn,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    let (y, end) = (area.y, area.right());
    let room = |x: u16| end.saturating_sub(x);
    let is_cursor = row == model.list.cursor;
    let place = Place::of(event);
    let note = model.kept.notes.get(&place);
    if note.is_some() || model.marks.contains(&place) {
        let sign = if note.is_some() { "✎" } else { "◆" };
        put(buf, area.x + 1, y, 1, sign, theme.style(Role::Mark));
    }
    let mut x = area.x + 2;
    if event.order_time() == i64::MAX {
        // Its source has no times at all; these stand last.
        if is_first_timeless(model, row) {
            let columns = time.width + if area.width >= 60 { STEP + 1 } else { 0 };
            draw_no_time(theme, x, y, columns.min(room(x)), buf);
        }
        x += if time.width > 0 { time.width + 1 } else { 0 };
    } else if time.width > 0 {
        let text = time.text(model, event.time());
        put(
            buf,
            x,
            y,
            time.width.min(room(x)),
            &text,
            theme.style(Role::Time),
        );
        x += time.width + 1;
    }
    if area.width >= 60 {
        if let Some((step, text)) = times::step(before, event.time()) {
            let role = if step >= LONG_STEP {
                Role::DeltaLong
            } else {
                Role::Delta
            };
            put_right(buf, x, (x + STEP).min(end), y, &text, theme.style(role));
        }
        x += STEP + 2;
    }
    let source = event.source();
    let tag = theme.tag(model.kind_of(source));
    let in_others = model.snapshot.copies.group(event.id.0).nth(1).is_some();
    let tag_columns = model.tag_columns(area.width);
    let columns = tag_columns.min(room(x));
    let sign = if in_others { "+" } else { "" };
    let own = usize::from(columns).saturating_sub(sign.len());
    let name = format!("{}{sign}", cut_middle(model.name_of(source), own));
    put(buf, x, y, columns, &name, tag);
    x += tag_columns + 2;
    let level = event.level();
    let letter = level.letter().to_string();
    put(
        buf,
        x,
        y,
        room(x).min(1),
        &letter,
        level_style(theme, level),
    );
    x += 2;
    let mut message_end = end;
    if let Some(note) = note {
        // What was written to it is more telling than what it is about, and shares the room with the message.
        let text = format!("✎ {note}");
        let most = room(x) / 2;
        if most >= NOTE {
            let text = cut(&text, usize::from(most)).into_owned();
            message_end = put_right(buf, x, end - 1, y, &text, theme.style(Role::Mark)) - 1;
        }
    } else if area.width >= WITH_SUBJECT
        && let Some(subject) = subject(event)
    {
        let wanted = (width(&subject) as u16).min(28);
        if room(x) > wanted + MESSAGE_KEEPS {
            let style = theme.style(Role::Delta);
            let text = cut(&sanitise(&subject), usize::from(wanted)).into_owned();
            message_end = put_right(buf, x, end - 1, y, &text, style) - 1;
        }
    }
    let last = draw_message(model, event, x, message_end, y, buf);
    if is_cursor {
        let idle = model.pane != Pane::List;
        let look = theme.style(if idle { Role::CursorIdle } else { Role::Cursor });
        super::mark_row(buf, area, look);
        let bar = look.patch(theme.style(Role::Bar));
        put(buf, area.x, y, 1, "▌", bar);
    }
    // Last, so that hits are seen on the row under the cursor too.
    if let Some(record) = model.text(event) {
        highlight(model, &record.message, x, last, y, buf);
    }
}

/// Whether records of sources without times begin at a row, or above the screen.
fn is_first_timeless(model: &Model, row: usize) -> bool {
    let before = row.checked_sub(1).filter(|_| row > model.list.top);
    let before = before.and_then(|row| model.event(row));
    before.is_none_or(|e| e.order_time() != i64::MAX)
}

/// A rule with a title where the times would stand.
fn draw_no_time(theme: &Theme, x: u16, y: u16, columns: u16, buf: &mut Buffer) {
    for x in x..x + columns {
        glyph(buf, x, y, "─", theme.style(Role::Rule));
    }
    put(
        buf,
        x + 1,
        y,
        columns.saturating_sub(1),
        " no time ",
        theme.style(Role::Title),
    );
}

/// Draws the message and how much follows; gives the column behind the message.
fn draw_message(
    model: &Model,
    event: &EventRef<'_>,
    x: u16,
    end: u16,
    y: u16,
    buf: &mut Buffer,
) -> u16 {
    let theme = &model.theme;
    let room = end.saturating_sub(x);
    let Some(record) = model.text(event).filter(|r| r.problem.is_none()) else {
        // Not read yet, or lost: its template says most of it.
        if let Some(template) = event.template() {
            let text = template.text.replace("{}", "…");
            put_from(buf, x, y, room, &text, model.left, theme.style(Role::Faint));
        }
        return x;
    };
    let style = message_style(theme, event.level());
    let more = match record.more_lines {
        0 => String::new(),
        1 => "(+1 line)".to_owned(),
        n => format!("(+{n} lines)"),
    };
    let more_width = width(&more) as u16;
    let keep = if more.is_empty() { 0 } else { more_width + 1 };
    let last = put_from(
        buf,
        x,
        y,
        room.saturating_sub(keep),
        &record.message,
        model.left,
        style,
    );
    if !more.is_empty() {
        put(
            buf,
            last + 1,
            y,
            end.saturating_sub(last + 1),
            &more,
            theme.style(Role::Delta),
        );
    }
    last
}

/// Marks the hits of the search within a message that was drawn from column `x` to `last`.
fn highlight(model: &Model, message: &str, x: u16, last: u16, y: u16, buf: &mut Buffer) {
    let style = model.theme.style(Role::Match);
    for hit in super::hits_in(model, message) {
        let before = width(&message[..hit.start]);
        let through = width(&message[..hit.end]);
        for column in before..through {
            let Some(shown) = column.checked_sub(model.left) else {
                continue;
            };
            let at = x.saturating_add(u16::try_from(shown).unwrap_or(u16::MAX));
            if at < last {
                restyle(buf, at, y, style);
            }
        }
    }
}

/// What a record is about: the first value of its own that identifies something.
fn subject(event: &EventRef<'_>) -> Option<String> {
    let keys = telling::keys(event);
    let about = |k: &&Telling| k.rank == Rank::Identity && k.origin == Origin::Record;
    let key = keys.iter().find(about)?;
    Some(format!("{} {}", key.label, key.value))
}

/// The look of a level's letter.
pub(super) fn level_style(theme: &Theme, level: Level) -> Style {
    theme.style(match level {
        Level::Unknown | Level::Trace => Role::Trace,
        Level::Debug => Role::Debug,
        Level::Info | Level::Notice => Role::Info,
        Level::Warning => Role::Warning,
        Level::Error => Role::Error,
        Level::Critical => Role::Critical,
    })
}

fn message_style(theme: &Theme, level: Level) -> Style {
    theme.style(match level {
        Level::Trace | Level::Debug => Role::DebugText,
        Level::Warning => Role::WarningText,
        Level::Error | Level::Critical => Role::ErrorText,
        _ => Role::Text,
    })
}

/// What stands where there are no rows: why, and what to do.
fn draw_empty(model: &Model, area: Rect, buf: &mut Buffer) {
    let (title, advice) = match &model.loading {
        Loading::Failed(reason) => (reason.clone(), "q leaves".to_owned()),
        Loading::Running { phase, .. } => (format!("{phase} …"), String::new()),
        Loading::Done if model.snapshot.is_empty() => (
            "no log records were found".to_owned(),
            "9 shows what was looked at, and why it is no log".to_owned(),
        ),
        Loading::Done => (
            "no record fits the selection".to_owned(),
            "u undoes the last step, Esc drops it".to_owned(),
        ),
    };
    let y = area.y + area.height / 3;
    for (line, text, role) in [(0, title, Role::Strong), (1, advice, Role::Muted)] {
        let columns = (width(&text) as u16).min(area.width);
        let x = area.x + (area.width - columns) / 2;
        put(buf, x, y + line, columns, &text, model.theme.style(role));
    }
}
