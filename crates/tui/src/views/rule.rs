//! Lines between panes with their titles; the one below the overview also marks the visible part.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{area_of, glyph, put, put_right};
use widetui_app::join_details;
use widetui_app::layout::{Areas, margins};
use widetui_app::model::view::{Body, Detail, Note, RowLook};
use widetui_app::model::{Pane, TimeDisplay};
use widetui_app::shown_view::Keys;
use widetui_session::context_lines::ContextScope;
use widetui_tables::role::Role;
use widetui_tables::text::{cut_start, fitting_parts, grouped};

use widetui_app::lines;

pub(super) fn line(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let style = model.theme.style(Role::Rule);
    for x in area.left()..area.right() {
        glyph(buf, x, area.y, "─", style);
    }
}

/// Draws the title of a pane at the left of its line; returns the column after it. In a split, the
/// focused view has the cursor bar before its title.
pub(super) fn title(
    model: &Scene<'_>,
    area: Rect,
    title: &str,
    role: Role,
    buf: &mut Buffer,
) -> u16 {
    let theme = model.theme;
    let is_first = area.y == model.area.y && model.is_in_split();
    let has_focus = model.keys == Keys::Here;
    let role = match is_first && has_focus {
        true => Role::TitleFocus,
        false if model.keys == Keys::Elsewhere => Role::Title,
        false => role,
    };
    let room = area.width.saturating_sub(1);
    let (text, style) = (format!(" {title} "), theme.style(role));
    let x = put(buf, area.x + 1, area.y, room, &text, style);
    if is_first && has_focus && area.width > 1 {
        glyph(buf, area.x + 1, area.y, "▌", theme.style(Role::Bar));
    }
    x
}

/// Draws the title line of a view that has no other first line.
pub(super) fn name(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(area_of(buf));
    if !area.is_empty() {
        line(model, area, buf);
        title(model, area, model.view.title, Role::Title, buf);
    }
}

/// Draws the vertical line between two views, with the junctions of horizontal lines.
pub(super) fn between(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(area_of(buf));
    let style = model.theme.style(Role::Rule);
    let is_line = |buf: &Buffer, x: u16, y: u16| {
        buf.cell((x, y))
            .is_some_and(|c| matches!(c.symbol(), "─" | "━"))
    };
    for y in area.top()..area.bottom() {
        let left = area.x > 0 && is_line(buf, area.x - 1, y);
        let right = is_line(buf, area.right(), y);
        let symbol = match (left, right) {
            (true, true) if y == area.y => "┬",
            (true, true) => "┼",
            (true, false) => "┤",
            (false, true) => "├",
            (false, false) => "│",
        };
        glyph(buf, area.x, y, symbol, style);
    }
}

/// Draws the line above the list.
pub(super) fn list(model: &Scene<'_>, areas: &Areas, buf: &mut Buffer) {
    let area = areas.list_rule.intersection(area_of(buf));
    if area.is_empty() {
        return;
    }
    line(model, area, buf);
    match model.view.body {
        Body::Records => {
            list_options(model, area, buf);
            if areas.overview.height == 0 {
                return;
            }
            let Some((first, cursor, last)) = on_screen(model, areas.list.height) else {
                return;
            };
            let view = model.theme.style(Role::View);
            for x in first..=last.min(area.right().saturating_sub(1)) {
                glyph(buf, x, area.y, "━", view);
            }
            let shows = |overview: &widetui_session::overview::OverviewHistogram| {
                let time = model.current().and_then(|e| e.time());
                time.is_some_and(|t| overview.shows(t))
            };
            if cursor < area.right() && model.overview.as_ref().is_some_and(shows) {
                let marker = model.theme.style(Role::Marker);
                glyph(buf, cursor, area.y, "▲", marker);
            }
        }
        Body::Page(of) => page(model, (of.heading)(model), area, buf),
        Body::Table(_) => table(model, area, buf),
    }
}

/// Draws the line above a page: summary, and a note on the right.
fn page(model: &Scene<'_>, (name, note): (String, String), area: Rect, buf: &mut Buffer) {
    let x = title(model, area, &name, Role::TitleFocus, buf);
    remark(model, area, x, &[note], buf);
}

/// Draws as many parts of a remark as have room, right-aligned in a line after column `x`.
fn remark(model: &Scene<'_>, area: Rect, x: u16, parts: &[String], buf: &mut Buffer) {
    let room = usize::from(area.right().saturating_sub(x + 6));
    let text = fitting_parts(parts, room);
    if !text.is_empty() {
        let style = model.theme.style(Role::Title);
        let text = format!(" {text} ");
        put_right(buf, x, area.right() - 1, area.y, &text, style);
    }
}

/// Draws the line above a table: title, number of rows, order and filters.
fn table(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let view = model.view;
    let Some(state) = model.table() else {
        title(model, area, view.title, Role::Title, buf);
        return;
    };
    let role = match model.pane {
        Pane::List => Role::TitleFocus,
        Pane::Record | Pane::Breadcrumb => Role::Title,
    };
    let name = state.table.title.as_deref().unwrap_or(view.title);
    let name = format!("{name}{}", (view.title_suffix)(model));
    let x = title(model, area, &name, role, buf);
    let rows = grouped(state.table.rows.len() as u64);
    let mut parts = match (state.filter.as_str(), state.table.rows.len()) {
        // A resource may have several rows of bars: the remark of the table counts resources.
        ("", _) if matches!(view.body, Body::Table(RowLook::Bars)) => Vec::new(),
        ("", 1) => vec!["1 row".to_owned()],
        ("", _) => vec![format!("{rows} rows")],
        (filter, _) => {
            let shown = grouped(state.len() as u64);
            vec![format!("{shown} of {rows} with “{filter}”")]
        }
    };
    if !state.table.note.is_empty() {
        parts.push(state.table.note.clone());
    }
    match (view.note)(model) {
        Note::Usual => {}
        Note::After(text) => parts.insert(0, text),
        Note::Only(text) => parts = vec![text],
    }
    if !state.is_known {
        parts.clear();
    }
    if state.is_pending {
        parts.push("computing …".to_owned());
    } else if state.epoch != model.epoch {
        parts.push("of an older state".to_owned());
    } else if model.joins.is_running() && (view.is_plotted() || view.is_flow()) {
        // Until derived values are known, one instance may be counted under several ids.
        parts.push("joins are being worked out …".to_owned());
    }
    remark(model, area, x, &parts, buf);
}

/// Draws the followed key and the number of context lines next to the overview.
fn list_options(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let style = model.theme.style(Role::Title);
    if model.time == TimeDisplay::SameKey
        && let Some(same) = &model.events.same
    {
        let room = margins(area.width).0.saturating_sub(1);
        let text = format!("Δ {} ", same.label);
        put(buf, area.x + 1, area.y, room, &text, style);
    }
    if let Some(context) = model.events.context {
        let whose = match context.of {
            ContextScope::Source => "same source",
            ContextScope::All => "all sources",
        };
        let text = match context.lines {
            1 => format!(" 1 neighbour, {whose} "),
            n => format!(" {n} neighbours, {whose} "),
        };
        put_right(buf, area.x + 12, area.right() - 1, area.y, &text, style);
    }
}

/// Draws the line between list and record pane.
pub(super) fn record(model: &Scene<'_>, areas: &Areas, buf: &mut Buffer) {
    let area = areas.record_rule.intersection(area_of(buf));
    if area.is_empty() {
        return;
    }
    if areas.is_beside() {
        let style = model.theme.style(Role::Rule);
        for y in area.top()..area.bottom() {
            glyph(buf, area.x, y, "│", style);
        }
        if areas.list_rule.height > 0 && area.y > 0 {
            glyph(buf, area.x, area.y - 1, "┬", style);
            if model.view.detail == Detail::Row {
                let rule = Rect::new(area.x + 1, area.y - 1, areas.record.width, 1);
                line(model, rule, buf);
                let about = format!("about {}", row_name(model));
                title(model, rule, &about, Role::Title, buf);
            }
        }
        return;
    }
    line(model, area, buf);
    let (title, note) = match model.view.detail {
        Detail::Record => ("record".to_owned(), location(model)),
        Detail::Draft => join_details::heading(model),
        Detail::Source => ("source".to_owned(), String::new()),
        Detail::Row => (format!("about {}", row_name(model)), String::new()),
        Detail::Nothing => return,
    };
    let focused = model.has_focus(Pane::Record);
    let role = if focused {
        Role::TitleFocus
    } else {
        Role::Title
    };
    let room = area.width.saturating_sub(2);
    let title = format!(" {title} ");
    let style = model.theme.style(role);
    let x = put(buf, area.x + 1, area.y, room, &title, style);
    if !note.is_empty() {
        let room = usize::from(area.right().saturating_sub(x + 6));
        let note = format!(" {} ", cut_start(&note, room));
        let style = model.theme.style(Role::Title);
        put_right(buf, x, area.right() - 1, area.y, &note, style);
    }
}

/// Name of the row under the cursor.
fn row_name<'a>(model: &'a Scene<'_>) -> &'a str {
    let row = model.table().and_then(|state| state.current());
    row.map_or("", |row| &row.name)
}

fn location(model: &Scene<'_>) -> String {
    let Some(event) = model.current() else {
        return String::new();
    };
    format!("{} byte {}", event.source().path, grouped(event.span().0))
}

/// Columns of the overview that the visible rows cover (first, last), and the column of the cursor.
fn on_screen(model: &Scene<'_>, height: u16) -> Option<(u16, u16, u16)> {
    let overview = model.overview.as_ref().filter(|s| !s.events.is_empty())?;
    let at = |row: usize| {
        let time = model.event(row)?.time()?;
        Some(model.area.x + margins(model.area.width).0 + overview.bin_of(time) as u16)
    };
    let cursor = at(model.events.list.cursor)?;
    let area = Rect::new(0, 0, Areas::at(model).list.width, height);
    let last = (model.events.list.top + lines::visible_rows(model, area))
        .min(model.len())
        .saturating_sub(1);
    let first = at(model.events.list.top).unwrap_or(cursor);
    let last = at(last).unwrap_or(cursor);
    Some((first.min(cursor), cursor, last.max(cursor)))
}
