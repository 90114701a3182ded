//! Story pane: the records of the instance under the cursor in time order, and the text of the chosen one.

use ratatui::buffer::Buffer;
use widetui_app::lines::Columns;
use widetui_app::record::text_lines;
use widetui_app::rect::Rect;
use widetui_app::times::TimeColumn;
use widetui_store::EventRef;
use widetui_tables::role::Role;
use widetui_tables::text::cut_middle;

use super::{Scene, events, mark_row, rule};
use crate::canvas::{area_of, put};

/// Least number of lines for the records, before the text gets lines.
const RECORDS: u16 = 6;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(area_of(buf));
    if area.height < 2 {
        return;
    }
    let line = Rect { height: 1, ..area };
    rule::line(model, line, buf);
    let Some(story) = model.story() else {
        let faint = model.theme.style(Role::Faint);
        let (room, none) = (area.width.saturating_sub(2), "no record of this row");
        put(buf, area.x + 2, area.y + 1, room, none, faint);
        return;
    };
    rule::title(model, line, &story.title, Role::Title, buf);
    let chosen = &story.records[story.chosen];
    let text = text_lines(model, chosen, area.width);
    let room = area.height - 1;
    // The text has at most half of the pane, or all that the records do not need.
    let free = room.saturating_sub(story.records.len() as u16);
    let lines = (text.len() as u16 + 1).min(free.max(room / 2));
    let lines = if room >= RECORDS + lines { lines } else { 0 };
    let rows = usize::from(room - lines);
    // The chosen record stays visible.
    let top = (story.chosen + 1).saturating_sub(rows.max(1));
    let shown = story.records.iter().enumerate().skip(top).take(rows);
    for ((at, event), y) in shown.zip(area.y + 1..) {
        let row = Rect::new(area.x, y, area.width, 1);
        record(model, event, row, buf);
        if at == story.chosen {
            mark_row(buf, row, model.theme.style(Role::CursorIdle));
        }
    }
    if lines < 2 {
        return;
    }
    let y = area.bottom() - lines;
    rule::line(model, Rect::new(area.x, y, area.width, 1), buf);
    for (text, y) in text.iter().zip(y + 1..area.bottom()) {
        let style = model.theme.style(Role::Text);
        let room = area.width.saturating_sub(2);
        put(buf, area.x + 1, y, room, text, style);
    }
}

/// Draws a record in one line: time, source, level, message.
fn record(model: &Scene<'_>, event: &EventRef<'_>, row: Rect, buf: &mut Buffer) {
    let time = TimeColumn::new(model, row.width);
    let columns = Columns::new(model, time, row.width);
    let end = row.x + columns.end;
    let text = time.text(model, event.time());
    let style = model.theme.style(Role::Time);
    put(buf, row.x + columns.time, row.y, time.width, &text, style);
    let source = event.source();
    let width = model.source_names.tag_columns(row.width);
    let name = cut_middle(model.source_names.name_of(source), usize::from(width));
    let tag = model.theme.tag(model.source_names.kind_of(source));
    // Steps between records of other instances would say nothing.
    let x = row.x + columns.step.unwrap_or(columns.tag);
    put(buf, x, row.y, width, &name, tag);
    let x = x + width + 2;
    let level = event.level();
    let style = events::level_style(model.theme, level);
    put(buf, x, row.y, 1, &level.letter().to_string(), style);
    events::draw_message(model, event, x + 2, end, row.y, buf);
}
