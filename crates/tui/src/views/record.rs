//! Record pane: keys of the record under the cursor with their origins, then the text.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::canvas::{put, put_from, restyle};
use widetui_app::hit::{HitMap, Target};
use widetui_app::model::Pane;
use widetui_app::record::key_layout::{KeyLayout, names};
use widetui_app::record::{KeyRow, ORIGIN, TIME, key_rows, text_lines};
use widetui_app::rect::Rect;
use widetui_tables::role::Role;
use widetui_tables::text::{cut_start, width};

use super::Scene;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    hits.add(area, Target::Record);
    let Some(event) = model.current() else { return };
    let key_rows = key_rows(model, &event);
    let text = text_lines(model, &event, area.width);
    let laid = KeyLayout::new(model, &event, &key_rows, &text);
    let head = laid.head.len();
    let keys_end = head + laid.rows;
    for y in 0..area.height {
        let line = model.record_top() + usize::from(y);
        let at = Rect::new(area.x, area.y + y, area.width, 1);
        if let Some(text) = laid.head.get(line) {
            draw_text(model, text, at, buf);
        } else if line < keys_end {
            draw_keys(model, &key_rows, &laid, line - head, at, buf);
        } else if line > keys_end
            && let Some(text) = text.get(line - keys_end - 1)
        {
            draw_text(model, text, at, buf);
        }
    }
}

/// Draws the keys, column by column.
fn draw_keys(
    model: &Scene<'_>,
    key_rows: &[KeyRow],
    laid: &KeyLayout,
    line: usize,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = model.theme;
    let mut left = area.x;
    for (column, (of_column, columns)) in key_rows
        .chunks(laid.rows.max(1))
        .zip(&laid.widths)
        .enumerate()
    {
        let from = left;
        left += columns;
        let Some(pair) = of_column.get(line) else {
            continue;
        };
        // A long name leaves at least 3/5 of a narrow column to the value.
        let names = names(of_column).min(columns * 2 / 5);
        let (x, end) = (from + 1, left.min(area.right()));
        let room = |x: u16| end.saturating_sub(x + 1);
        let (columns, style) = (names.min(room(x)), theme.style(Role::Key));
        put(buf, x, area.y, columns, &pair.name, style);
        let x = x + names + 2;
        // The value has priority; instance and origin get the remaining room.
        let all = room(x);
        let wanted = width(&pair.value).min(usize::from(u16::MAX)) as u16;
        let origin = width(&pair.origin) as u16 + 3;
        let keep = match all.saturating_sub(wanted) {
            _ if pair.origin.is_empty() => 0,
            _ if origin <= ORIGIN => origin,
            // The beginning of a long origin is not informative.
            left if left <= ORIGIN => 0,
            left => origin.min(left),
        };
        let shown = all.saturating_sub(keep);
        let value = match pair.is_cut_in_front {
            true if pair.name == TIME => shorter_time(&pair.value, usize::from(shown)),
            true => cut_start(&pair.value, usize::from(shown)),
            false => pair.value.clone(),
        };
        let is_cursor =
            model.has_focus(Pane::Record) && model.events.key == column * laid.rows + line;
        if is_cursor {
            put(buf, from, area.y, 1, "▸", theme.style(Role::Bar));
        }
        let own = theme.style(Role::Value);
        let look = match is_cursor {
            true => own.patch(theme.style(Role::Cursor)),
            false => own,
        };
        let x = put(buf, x, area.y, shown, &value, look);
        let is = format!(" {}", pair.is);
        let has_room = usize::from(room(x).saturating_sub(keep)) >= width(&is);
        let x = match pair.is.is_empty() || !has_room {
            true => x,
            false => put(buf, x, area.y, room(x), &is, theme.style(Role::Muted)),
        };
        if keep > 0 {
            let text = format!(" ⟵ {}", pair.origin);
            put(buf, x, area.y, room(x), &text, theme.style(Role::Origin));
        }
    }
}

/// Time in at most `columns` columns, without the date if needed, then without the zone.
fn shorter_time(text: &str, columns: usize) -> String {
    let of_day = text.split_once(' ').map_or(text, |(_, rest)| rest);
    let clock = of_day.split_once(' ').map_or(of_day, |(clock, _)| clock);
    let fits = |t: &&&str| width(t) <= columns;
    let shown = [text, of_day, clock];
    let shown = shown.iter().find(fits);
    shown.map_or_else(|| cut_start(clock, columns), |t| (*t).to_owned())
}

fn draw_text(model: &Scene<'_>, text: &str, area: Rect, buf: &mut Buffer) {
    let style: Style = model.theme.style(Role::Text);
    let skip = if model.record.wrap {
        0
    } else {
        model.events.left
    };
    let x = area.x + 1;
    let room = area.width.saturating_sub(2);
    let end = put_from(buf, x, area.y, room, text, skip, style);
    let look = model.theme.style(Role::Match);
    for hit in super::hits_in(model, text, skip, room) {
        for column in hit.filter(|column| x + column < end) {
            restyle(buf, x + column, area.y, look);
        }
    }
}
