//! Drawing of the screen: a pure function of the model and a theme. Views do not call each other;
//! shared state is in the model.

use std::ops::Deref;

mod breadcrumb;
mod events;
mod hints;
mod messages;
mod overview;
mod page;
mod plots;
mod record;
mod rule;
mod scrollbar;
mod search_hits;
mod source;
mod story;
mod table;

mod popup_completions;
mod popup_letters;
mod popup_list;
mod prompt;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Modifier, Style};
use widetui_app::model::view::{Body, Detail, RowLook};
use widetui_app::rect::Rect;

use crate::canvas::{area_of, ascii_symbol, glyph, put, put_right, restyle, to_ratatui};
use crate::theme::Theme;
use widetui_app::frame::Frame;
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::Areas;
use widetui_app::model::{Model, Pane};
use widetui_app::popups::Popup;
use widetui_app::shown_view::ShownView;
use widetui_tables::role::Role;
use widetui_tables::text::{byte_of_column, width};

/// View with its area, and the theme.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    shown: ShownView<'a>,
    /// Theme.
    pub(crate) theme: &'a Theme,
}

impl<'a> Scene<'a> {
    /// Scene of the view that has the keyboard focus.
    fn new(model: &'a Model, theme: &'a Theme) -> Scene<'a> {
        let shown = model.shown();
        Scene { shown, theme }
    }
}

impl<'a> Deref for Scene<'a> {
    type Target = ShownView<'a>;

    fn deref(&self) -> &ShownView<'a> {
        &self.shown
    }
}

/// Draws the model; returns the mouse targets. The size is that of the model, clipped to the
/// buffer.
pub fn draw(model: &Model, theme: &Theme, buf: &mut Buffer) -> HitMap {
    let mut hits = HitMap::default();
    let frame = Frame::new(model);
    let scene = Scene::new(model, theme);
    buf.set_style(buf.area, theme.style(Role::Screen));
    breadcrumb::draw(&scene, frame.breadcrumb, buf, &mut hits);
    match model.beside() {
        None => {
            view(&scene, buf, &mut hits);
            if !frame.story.is_empty() {
                story::draw(&scene, frame.story, buf);
                rule::between(&scene, frame.between, buf);
            }
        }
        Some(shown) => {
            hits.add_other(half(&Scene { shown, theme }, buf));
            hits.add_all(half(&scene, buf));
            if frame.between.width == 1 {
                rule::between(&scene, frame.between, buf);
            }
            hits.add(frame.between, Target::SplitLine);
        }
    }
    let body = frame.body();
    match &model.popup {
        Some(Popup::Pivot(pivot)) => popup_letters::draw_pivot(&scene, pivot, body, buf, &mut hits),
        Some(Popup::Cells(cells)) => popup_letters::draw_cells(&scene, cells, body, buf, &mut hits),
        Some(Popup::Picker(picker)) => popup_list::draw(&scene, picker, body, buf, &mut hits),
        Some(Popup::Prompt(prompt)) => {
            let column = prompt::column_of_completions(&scene, prompt);
            popup_completions::draw(&scene, prompt, column, body, buf, &mut hits);
        }
        None => {}
    }
    popup_list::draw_pending(&scene, body, buf, &mut hits);
    hints::draw(&scene, frame.hints, buf, &mut hits);
    if model.screen.ascii {
        only_ascii(buf);
    }
    hits
}

/// Draws one view of a split into a buffer of its own, so that it cannot overlap the other one.
fn half(model: &Scene<'_>, buf: &mut Buffer) -> HitMap {
    let mut hits = HitMap::default();
    let area = model.area.intersection(area_of(buf));
    let mut own = Buffer::empty(to_ratatui(area));
    own.set_style(own.area, model.theme.style(Role::Screen));
    view(model, &mut own, &mut hits);
    for at in to_ratatui(area).positions() {
        if let (Some(to), Some(from)) = (buf.cell_mut(at), own.cell_mut(at)) {
            std::mem::swap(to, from);
        }
    }
    hits
}

/// Draws a view within its area.
fn view(model: &Scene<'_>, buf: &mut Buffer, hits: &mut HitMap) {
    let areas = Areas::at(model);
    match model.view.body {
        Body::Records => {
            rule::name(model, areas.title, buf);
            overview::draw(model, areas.overview, buf, hits);
            rule::list(model, &areas, buf);
            events::draw(model, areas.list, buf, hits);
            scrollbar::draw(model, areas.list, buf, hits);
            rule::record(model, &areas, buf);
            record::draw(model, areas.record, buf, hits);
        }
        Body::Page(page) => {
            rule::list(model, &areas, buf);
            page::draw(model, page, areas.list, buf, hits);
        }
        Body::Table(RowLook::Bars) => {
            rule::list(model, &areas, buf);
            plots::timeline::draw(model, areas.list, buf, hits);
        }
        Body::Table(RowLook::Arrows) => {
            rule::list(model, &areas, buf);
            messages::draw(model, areas.list, buf, hits);
        }
        Body::Table(RowLook::Cells) => {
            plots::draw(model, &areas, buf, hits);
            rule::list(model, &areas, buf);
            plots::marker(model, &areas, buf);
            table::draw(model, areas.list, buf, hits);
            rule::record(model, &areas, buf);
            match model.view.detail {
                Detail::Source => source::draw(model, areas.record, buf, hits),
                Detail::Record => record::draw(model, areas.record, buf, hits),
                Detail::Draft | Detail::Row => source::draw_details(model, areas.record, buf),
                Detail::Nothing => {}
            }
        }
    }
    if model.view.has_detail() {
        hits.add(areas.record_rule, Target::RecordLine);
    }
}

/// Column and row of the text cursor, while a prompt or a search line is open.
pub(crate) fn text_cursor(model: &Model) -> Option<(u16, u16)> {
    match &model.popup {
        Some(Popup::Prompt(prompt)) => Some(prompt::cursor(model, prompt)),
        Some(Popup::Picker(picker)) => popup_list::cursor(model, picker),
        _ => None,
    }
}

/// Columns of the separator in `a · b`, which ASCII must not replace by a full stop: it could be
/// read as part of a number.
fn separators(buf: &Buffer) -> Vec<usize> {
    let columns = usize::from(buf.area.width).max(1);
    let blank = |cell: &Cell| cell.symbol() == " ";
    let rows = buf.content.chunks(columns).enumerate();
    rows.flat_map(|(row, cells)| {
        let parts = cells.windows(5).enumerate().filter(move |(_, near)| {
            let [a, b, c, d, e] = near else { return false };
            c.symbol() == "·" && blank(b) && blank(d) && !blank(a) && !blank(e)
        });
        parts.map(move |(at, _)| row * columns + at + 2)
    })
    .collect()
}

/// Replaces non-ASCII characters: on other terminals even bytes of a letter could act as control
/// characters.
fn only_ascii(buf: &mut Buffer) {
    for at in separators(buf) {
        buf.content[at].set_symbol("|");
    }
    for cell in &mut buf.content {
        if !cell.symbol().is_ascii() {
            let symbol = ascii_symbol(cell.symbol());
            cell.set_symbol(symbol);
        }
    }
}

/// Columns of the search hits in a visible text; empty without a search. The first `skip` columns
/// are scrolled out and `room` columns are visible; a line of 1 MB is searched only as far as it is
/// visible.
fn hits_in(model: &Model, text: &str, skip: usize, room: u16) -> Vec<std::ops::Range<u16>> {
    let Some(matcher) = &model.search.matcher else {
        return Vec::new();
    };
    if room == 0 {
        return Vec::new();
    }
    let room = usize::from(room);
    let seen = byte_of_column(text, skip + room);
    // A hit may begin on the screen and end beyond it.
    let upto = text.len().min(seen + 1024);
    let upto = (seen..=upto).rev().find(|at| text.is_char_boundary(*at));
    let text = &text[..upto.unwrap_or(seen)];
    let (mut at, mut column) = (0, 0);
    let mut out = Vec::new();
    for hit in matcher.ranges(text) {
        column += width(&text[at..hit.start]);
        let end = column + width(&text[hit.clone()]);
        let on_screen = |column: usize| column.saturating_sub(skip).min(room) as u16;
        if column >= skip + room {
            break;
        }
        out.push(on_screen(column)..on_screen(end));
        (at, column) = (hit.end, end);
    }
    out
}

/// Role of the row under the cursor of the list.
fn cursor_role(model: &Scene<'_>) -> Role {
    match model.has_focus(Pane::List) {
        true => Role::Cursor,
        false => Role::CursorIdle,
    }
}

/// Marks the row under the cursor, with the bar at its left.
fn mark_cursor(model: &Scene<'_>, line: Rect, buf: &mut Buffer) {
    let cursor = model.theme.style(cursor_role(model));
    mark_row(buf, line, cursor);
    let bar = cursor.patch(model.theme.style(Role::Bar));
    glyph(buf, line.x, line.y, "▌", bar);
}

/// Applies the style of the current row. A reversed row drops its other colours, which would be
/// illegible.
fn mark_row(buf: &mut Buffer, area: Rect, look: Style) {
    let area = area.intersection(area_of(buf));
    if look.add_modifier.contains(Modifier::REVERSED) {
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                restyle(buf, x, y, Style::reset());
            }
        }
    }
    buf.set_style(to_ratatui(area), look);
}

/// Draws the frame of a popup with a title and clears its inside; returns the inner area.
fn frame(model: &Scene<'_>, area: Rect, title: &str, note: &str, buf: &mut Buffer) -> Rect {
    let area = area.intersection(area_of(buf));
    if area.width < 4 || area.height < 3 {
        return Rect::default();
    }
    let ground = model.theme.style(Role::Popup);
    let line = model.theme.style(Role::PopupFrame);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            glyph(buf, x, y, " ", Style::reset());
        }
    }
    buf.set_style(to_ratatui(area), ground);
    let (left, right) = (area.left(), area.right() - 1);
    let (top, bottom) = (area.top(), area.bottom() - 1);
    for x in left + 1..right {
        glyph(buf, x, top, "─", line);
        glyph(buf, x, bottom, "─", line);
    }
    for y in top + 1..bottom {
        glyph(buf, left, y, "│", line);
        glyph(buf, right, y, "│", line);
    }
    for (x, y, corner) in [
        (left, top, "╭"),
        (right, top, "╮"),
        (left, bottom, "╰"),
        (right, bottom, "╯"),
    ] {
        glyph(buf, x, y, corner, line);
    }
    let room = area.width.saturating_sub(4);
    let strong = ground.patch(model.theme.style(Role::TitleFocus));
    put(buf, left + 2, top, room, &format!(" {title} "), strong);
    if !note.is_empty() {
        let muted = ground.patch(model.theme.style(Role::Muted));
        let note = format!(" {note} ");
        put_right(buf, left + 2, right - 1, bottom, &note, muted);
    }
    Rect::new(left + 1, top + 1, area.width - 2, area.height - 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_app::keymap::Keymap;
    use widetui_query::Matcher;

    #[test]
    fn of_a_very_long_line_only_what_is_seen_is_looked_through() {
        let mut model = Model::new("", Keymap::standard(), "dark");
        model.search.matcher = Matcher::pattern("日本").ok();
        let text = "xy 日本 ".repeat(100_000);
        assert_eq!(hits_in(&model, &text, 0, 20), [3..7, 11..15, 19..20]);
        // Half of a hit is scrolled out.
        assert_eq!(hits_in(&model, &text, 5, 12), [0..2, 6..10]);
        assert_eq!(hits_in(&model, &text, 5, 0), []);
    }

    #[test]
    fn parts_of_a_line_are_not_parted_by_full_stops() {
        let area = ratatui::layout::Rect::new(0, 0, 20, 1);
        let mut buf = Buffer::empty(area);
        let text = "2 m 36 s · 37   ·  x";
        put(&mut buf, 0, 0, 20, text, Style::default());
        only_ascii(&mut buf);
        let text: String = buf.content.iter().map(|c| c.symbol()).collect();
        assert_eq!(text, "2 m 36 s | 37   .  x");
    }
}
