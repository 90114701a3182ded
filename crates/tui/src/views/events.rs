//! List of events: one row per record, in time order over all sources.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, put_from, put_right, restyle};
use crate::theme::Theme;
use widetui_app::hit::{HitMap, Target};
use widetui_app::loading::Loading;
use widetui_app::model::TimeDisplay;
use widetui_core::level::Level;
use widetui_session::record_texts::Place;
use widetui_store::EventRef;
use widetui_tables::role::Role;
use widetui_tables::text::{cut, cut_middle, sanitise, width};
use widetui_time::time::NS_PER_SECOND;

use widetui_app::lines::{self, Columns};
use widetui_app::subject::{SUBJECT, WITH_SUBJECT, subject};
use widetui_app::times::{self, TimeColumn};

/// Minimum time step that is highlighted, ns.
const LONG_STEP: i64 = NS_PER_SECOND;
/// Minimum width of a note, in columns.
const NOTE: u16 = 12;
/// Minimum width of a message before anything is shown after it, in columns.
const MESSAGE_KEEPS: u16 = 40;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    hits.add(area, Target::List);
    if area.is_empty() {
        return;
    }
    if model.is_empty() {
        return draw_empty(model, area, buf);
    }
    let time = TimeColumn::new(model, area.width);
    let columns = Columns::new(model, time, area.width);
    let mut before = model
        .events
        .list
        .top
        .checked_sub(1)
        .and_then(|row| model.event(row)?.time());
    let mut row = model.events.list.top;
    let mut y = 0;
    while y < area.height {
        let Some(event) = model.event(row) else { break };
        let height = lines::row_height(model, row, area).min(area.height - y);
        let place = Rect::new(area.x, area.y + y, area.width, height);
        hits.add(place, Target::Row(row));
        let shown = Row {
            model,
            event,
            row,
            before,
            time,
            columns,
        };
        shown.draw(place, buf);
        before = event.time();
        row += 1;
        y += height;
    }
}

/// Row of the list.
struct Row<'a> {
    model: &'a Scene<'a>,
    event: EventRef<'a>,
    row: usize,
    /// Time of the previous row.
    before: Option<i64>,
    time: TimeColumn,
    columns: Columns,
}

impl Row<'_> {
    fn draw(&self, area: Rect, buf: &mut Buffer) {
        let (model, theme) = (self.model, &self.model.theme);
        let end = area.x + self.columns.end;
        let y = area.y;
        self.draw_sign(area, buf);
        self.draw_times(area, buf);
        self.draw_writer(area, buf);
        let x = area.x + self.columns.message;
        let room = usize::from(end.saturating_sub(x));
        let pieces = match area.height {
            1 => Vec::new(),
            _ => lines::message_lines(model, &self.event, room),
        };
        let style = message_style(theme, self.event.level());
        let last = if pieces.len() > 1 {
            for (piece, y) in pieces.iter().zip(area.top()..area.bottom()) {
                put_from(buf, x, y, room as u16, piece, model.events.left, style);
            }
            end
        } else {
            let message_end = self.draw_subject(area, buf);
            draw_message(model, &self.event, x, message_end, y, buf)
        };
        let is_context_line = model.rows.is_context_line(self.row);
        if is_context_line {
            let faint = theme.style(Role::Faint);
            for (x, y) in area.positions().map(|p| (p.x, p.y)) {
                restyle(buf, x, y, faint);
            }
            glyph(buf, area.x + 1, y, "┆", faint);
        }
        if self.row == model.events.list.cursor {
            super::mark_cursor(model, Rect { height: 1, ..area }, buf);
            for y in area.top() + 1..area.bottom() {
                put(buf, area.x, y, 1, "▌", theme.style(Role::Bar));
            }
        }
        // After the cursor mark, so that search hits remain visible on the current row.
        if pieces.len() > 1 {
            for (piece, y) in pieces.iter().zip(area.top()..area.bottom()) {
                highlight(model, piece, x, end, y, buf);
            }
        } else if let Some(record) = model.text(&self.event) {
            highlight(model, &record.message, x, last, y, buf);
        }
    }

    /// Draws the sign of the row: note, mark, or highlighted value.
    fn draw_sign(&self, area: Rect, buf: &mut Buffer) {
        let (model, theme) = (self.model, &self.model.theme);
        let fits = model
            .events
            .highlight
            .as_ref()
            .and_then(|h| h.fits.as_ref());
        let place = Place::from_event(&self.event);
        if model.user_data.notes.contains_key(&place) {
            put(buf, area.x + 1, area.y, 1, "✎", theme.style(Role::Mark));
        } else if model.marks.contains(&place) {
            put(buf, area.x + 1, area.y, 1, "◆", theme.style(Role::Mark));
        } else if fits.is_some_and(|(fits, _)| fits.contains(self.event.id)) {
            put(buf, area.x + 1, area.y, 1, "●", theme.style(Role::Marker));
        }
    }

    fn draw_times(&self, area: Rect, buf: &mut Buffer) {
        let (model, theme, event) = (self.model, &self.model.theme, &self.event);
        let (y, x) = (area.y, area.x + self.columns.time);
        let room = (area.x + self.columns.end).saturating_sub(x);
        if event.order_time() == i64::MAX {
            // Sources without timestamps come last.
            if is_first_timeless(model, self.row) {
                let step = self.columns.step.map_or(0, |_| lines::STEP + 1);
                draw_no_time(theme, x, y, (self.time.width + step).min(room), buf);
            }
            return;
        }
        if self.time.width > 0 {
            let text = self.time.text(model, event.time());
            let columns = self.time.width.min(room);
            put(buf, x, y, columns, &text, theme.style(Role::Time));
        }
        let Some(x) = self.columns.step.map(|x| area.x + x) else {
            return;
        };
        let Some((step, text)) = self.step() else {
            return;
        };
        let role = match step {
            LONG_STEP.. => Role::DeltaLong,
            _ => Role::Delta,
        };
        let end = (x + lines::STEP).min(area.x + self.columns.end);
        put_right(buf, x, end, y, &text, theme.style(role));
    }

    /// Time since the previous record, or the previous one with the same value, in ns and as text.
    fn step(&self) -> Option<(i64, String)> {
        if self.model.time != TimeDisplay::SameKey {
            return times::step(self.before, self.event.time(), lines::STEP);
        }
        let known = &self.model.events.steps.known;
        match known.get(&Place::from_event(&self.event))? {
            Some(step) => times::step(Some(0), Some(*step), lines::STEP),
            None => Some((0, "first".to_owned())),
        }
    }

    /// Draws the source and the level.
    fn draw_writer(&self, area: Rect, buf: &mut Buffer) {
        let (model, event) = (self.model, &self.event);
        let end = area.x + self.columns.end;
        let source = event.source();
        let x = area.x + self.columns.tag;
        let columns = model
            .source_names
            .tag_columns(area.width)
            .min(end.saturating_sub(x));
        let in_others = model.snapshot.duplicates.group(event.id.0).nth(1).is_some();
        let sign = if in_others { "+" } else { "" };
        let own = usize::from(columns).saturating_sub(sign.len());
        let name = format!(
            "{}{sign}",
            cut_middle(model.source_names.name_of(source), own)
        );
        let tag = model.theme.tag(model.source_names.kind_of(source));
        put(buf, x, area.y, columns, &name, tag);
        let level = event.level();
        let letter = level.letter().to_string();
        let style = level_style(model.theme, level);
        let x = area.x + self.columns.level;
        put(buf, x, area.y, end.saturating_sub(x).min(1), &letter, style);
    }

    /// Draws the note or the subject at the end of the row; returns the column after the room for
    /// the message.
    fn draw_subject(&self, area: Rect, buf: &mut Buffer) -> u16 {
        let end = area.x + self.columns.end;
        let x = area.x + self.columns.message;
        if let Some(note) = self
            .model
            .user_data
            .notes
            .get(&Place::from_event(&self.event))
        {
            // A note is more important than the subject, so it may take half of the room of the
            // message.
            let most = end.saturating_sub(x) / 2;
            if most < NOTE {
                return end;
            }
            let text = cut(&format!("✎ {note}"), usize::from(most)).into_owned();
            let style = self.model.theme.style(Role::Mark);
            return put_right(buf, x, end - 1, area.y, &text, style) - 1;
        }
        if area.width < WITH_SUBJECT {
            return end;
        }
        let Some(subject) = subject(&self.event) else {
            return end;
        };
        let wanted = width(&subject).min(SUBJECT) as u16;
        if end.saturating_sub(x) <= wanted + MESSAGE_KEEPS {
            return end;
        }
        let style = self.model.theme.style(Role::Delta);
        let text = cut(&sanitise(&subject), usize::from(wanted)).into_owned();
        put_right(buf, x, end - 1, area.y, &text, style) - 1
    }
}

/// Whether the records of sources without timestamps begin at `row`, or begin above the screen.
fn is_first_timeless(model: &Scene<'_>, row: usize) -> bool {
    let before = row.checked_sub(1).filter(|_| row > model.events.list.top);
    let before = before.and_then(|row| model.event(row));
    before.is_none_or(|e| e.order_time() != i64::MAX)
}

/// Draws a titled line in the time column.
fn draw_no_time(theme: &Theme, x: u16, y: u16, columns: u16, buf: &mut Buffer) {
    for x in x..x + columns {
        glyph(buf, x, y, "─", theme.style(Role::Rule));
    }
    let (room, style) = (columns.saturating_sub(1), theme.style(Role::Title));
    put(buf, x + 1, y, room, " no time ", style);
}

/// Draws the message and the number of hidden lines; returns the column after the message.
pub(super) fn draw_message(
    model: &Scene<'_>,
    event: &EventRef<'_>,
    x: u16,
    end: u16,
    y: u16,
    buf: &mut Buffer,
) -> u16 {
    let theme = model.theme;
    let room = end.saturating_sub(x);
    let Some(record) = model.text(event).filter(|r| r.problem.is_none()) else {
        // The text is not read yet, or was lost: the template contains most of it.
        if let Some(template) = event.template() {
            let text = template.text.replace("{}", "…");
            let (skip, faint) = (model.events.left, theme.style(Role::Faint));
            put_from(buf, x, y, room, &text, skip, faint);
        }
        return x;
    };
    let style = message_style(theme, event.level());
    let more = lines::short_hidden_lines_note(record, room);
    let more_width = width(&more) as u16;
    let keep = if more.is_empty() { 0 } else { more_width + 1 };
    let (columns, skip) = (room.saturating_sub(keep), model.events.left);
    let last = put_from(buf, x, y, columns, &record.message, skip, style);
    if model.events.left > 0 && !record.message.is_empty() {
        // `‹` marks a message whose start is scrolled out, as `…` marks a cut end.
        put(buf, x, y, room.min(1), "‹", theme.style(Role::Delta));
    }
    if !more.is_empty() {
        let (room, style) = (end.saturating_sub(last + 1), theme.style(Role::Delta));
        put(buf, last + 1, y, room, &more, style);
    }
    last
}

/// Highlights the search hits in a message drawn from column `x` to `last`.
fn highlight(model: &Scene<'_>, message: &str, x: u16, last: u16, y: u16, buf: &mut Buffer) {
    let style = model.theme.style(Role::Match);
    let room = last.saturating_sub(x);
    for hit in super::hits_in(model, message, model.events.left, room) {
        for column in hit {
            restyle(buf, x + column, y, style);
        }
    }
}

/// Style of the letter of a level.
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

/// Draws the reason why the list is empty, and what the user can do.
fn draw_empty(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let (title, advice) = match &model.load_state.loading {
        Loading::Failed(reason) => (reason.clone(), "q leaves".to_owned()),
        Loading::Running { phase, .. } => (format!("{phase} …"), String::new()),
        Loading::Done if model.snapshot.is_empty() => (
            "no log records were found".to_owned(),
            "9 shows what was looked at, and why it is no log".to_owned(),
        ),
        Loading::Done if model.events.is_partial => ("looking …".to_owned(), String::new()),
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
