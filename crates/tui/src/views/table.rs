//! Drawing of tables: headings, visible rows and cursor, independent of the content.

use crate::views::Scene;
use crate::views::events::level_style;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{area_of, bar, glyph, put, put_right};
use crate::plots::{MemberStyles, spread};
use widetui_app::command::Command;
use widetui_app::hit::{HitMap, Target};
use widetui_app::model::view::Covers;
use widetui_app::table_columns::{MARGIN, curves, margin, placed};
use widetui_report::figure::tones;
use widetui_tables::drawing::{Drawing, height};
use widetui_tables::role::Role;
use widetui_tables::table::{Align, Cell, Column, Cut, PlacedColumn, Row, TableState};
use widetui_tables::text::{cut_apart, cut_middle, cut_start, cut_words, grouped, sanitise, wrap};

use widetui_app::times::Stamp;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let area = area.intersection(area_of(buf));
    let Some(state) = model.table().filter(|_| !area.is_empty()) else {
        return;
    };
    hits.add(area, Target::List);
    let placed = placed(model, state, area);
    heading(model, state, &placed, area, buf, hits);
    let stamp = Stamp::new(model);
    let rows = usize::from(area.height.saturating_sub(1));
    let texts: Vec<Vec<String>> = placed.iter().map(|p| texts_apart(state, p, rows)).collect();
    let mut last = area.y;
    for (y, row) in (area.y + 1..area.bottom()).zip(state.list.top..state.len()) {
        let Some(content) = state.row(row) else {
            break;
        };
        let line = Rect::new(area.x, y, area.width, 1);
        hits.add(line, Target::TableRow(row));
        if (model.view.is_marked)(model, &content.name) {
            // Next to the cursor bar on the current row.
            let x = line.x + u16::from(row == state.list.cursor);
            glyph(buf, x, y, "●", model.theme.style(Role::Mark));
        }
        for (p, texts) in placed.iter().zip(&texts) {
            let column = state.table.columns.get(p.column);
            let (Some(column), Some(cell)) = (column, content.cells.get(p.column)) else {
                continue;
            };
            let text = texts.get(row - state.list.top).cloned();
            let own = match (cell, text) {
                (Cell::Text(_), Some(text)) => Some(Cell::Text(text)),
                (Cell::Styled(_, role), Some(text)) => Some(Cell::Styled(text, *role)),
                _ => None,
            };
            let cell = own.as_ref().unwrap_or(cell);
            let at = Rect::new(line.x + margin(state) + p.x, line.y, p.width, 1).intersection(line);
            let role = if content.is_faint {
                Role::Faint
            } else {
                column.role
            };
            let style = model.theme.style(role);
            draw_cell(model, stamp, column, cell, style, at, buf);
        }
        if row == state.list.cursor {
            super::mark_cursor(model, line, buf);
        }
        let has_hit = state.search.match_number(row).is_some();
        for p in placed.iter().filter(|_| has_hit) {
            let is_searched = |cell: &Cell| cell.search_text().is_some();
            if content.cells.get(p.column).is_some_and(is_searched) {
                let at = Rect::new(line.x + margin(state) + p.x, line.y, p.width, 1);
                let at = at.intersection(line);
                super::search_hits::mark(model, state.search.matcher.as_ref(), at, buf);
            }
        }
        // After the style of the current row: if that is reversed, the colour of the curve would be
        // lost.
        draw_curve_symbol(model, state, content, (line.x + MARGIN, y), buf);
        last = y;
    }
    if state.is_empty() && last + 1 < area.bottom() {
        let text = match (state.is_known, state.is_pending) {
            (true, _) if !state.filter.is_empty() => "no row has these words",
            (true, _) if needs_records(model) => "no record is selected",
            (true, _) => state.table.empty_text,
            (false, true) => "computing …",
            (false, false) => "",
        };
        let style = model.theme.style(Role::Muted);
        let room = usize::from(area.width.saturating_sub(2 * MARGIN));
        let mut lines = wrap(text, room);
        if state.is_known && state.filter.is_empty() {
            let more = selection_note(model).map_or(Vec::new(), |text| wrap(&text, room));
            lines.extend(more);
        }
        for (y, text) in (last + 1..area.bottom()).zip(&lines) {
            put(buf, area.x + MARGIN, y, area.width, text, style);
        }
    }
}

/// Texts of a column that are cut in the middle, of the visible rows: cut so that different ones stay different.
fn texts_apart(state: &TableState, placed: &PlacedColumn, rows: usize) -> Vec<String> {
    let column = state.table.columns.get(placed.column);
    if column.is_none_or(|column| column.cut != Cut::Middle) {
        return Vec::new();
    }
    let visible = (state.list.top..state.len()).take(rows);
    let text = |row| {
        let cell = state.row(row).and_then(|row| row.cells.get(placed.column));
        cell.map_or(String::new(), |cell| sanitise(&cell.text()).into_owned())
    };
    let texts: Vec<String> = visible.map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    cut_apart(&texts, usize::from(placed.width), cut_middle)
}

/// Note that the table covers only selected records, which may be why it is empty, and how to clear
/// the selection.
fn selection_note(model: &Scene<'_>) -> Option<String> {
    if model.selection.is_all() || model.view.covers == Covers::Run {
        return None;
    }
    let scopes = model.scopes();
    let key = |command| model.keymap.keys_of(&scopes, command);
    let mut text = format!(
        "{} of {} records are selected",
        grouped(model.len() as u64),
        grouped((model.snapshot.len() - model.snapshot.duplicates.len()) as u64)
    );
    if let Some(all) = key(Command::Clear) {
        text += &format!("; {all} selects all again");
    }
    if let Some(undo) = key(Command::Undo).filter(|_| model.selection.can_undo()) {
        text += &format!(", {undo} undoes one change");
    }
    Some(text)
}

/// Whether the table is empty because no records are selected.
fn needs_records(model: &Scene<'_>) -> bool {
    let is_of_run = model.view.covers == Covers::Run;
    model.is_empty() && !model.selection.is_all() && !is_of_run
}

/// Draws the symbol of the row's curve in the plot above.
fn draw_curve_symbol(
    model: &Scene<'_>,
    state: &TableState,
    row: &Row,
    (x, y): (u16, u16),
    buf: &mut Buffer,
) {
    let curves = curves(state);
    if let Some(member) = curves.iter().position(|c| c.name == row.name) {
        let styles = MemberStyles::new(model.theme, model.screen.drawing());
        let tones = tones(curves);
        let style = styles.style(member, tones[member]);
        glyph(buf, x, y, styles.sign_for_tones(&tones, member), style);
    }
}

fn heading(
    model: &Scene<'_>,
    state: &TableState,
    placed: &[PlacedColumn],
    area: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    for p in placed {
        let Some(column) = state.table.columns.get(p.column) else {
            continue;
        };
        let sort = state.sort.or(state.table.order);
        let sort = sort.filter(|s| s.column == p.column);
        let role = match sort {
            Some(_) => Role::Strong,
            None => Role::Muted,
        };
        let title = column.heading(p.is_short);
        let title = match sort {
            Some(sort) if sort.is_descending => format!("{title}↓"),
            Some(_) => format!("{title}↑"),
            None => title.to_owned(),
        };
        let x = area.x + margin(state) + p.x;
        let style = model.theme.style(role);
        match column.align {
            Align::Left => put(buf, x, area.y, p.width, &title, style),
            Align::Right => put_right(buf, x, x + p.width, area.y, &title, style),
        };
        let head = Rect::new(x, area.y, p.width, 1);
        hits.add(head, Target::TableHead(p.column));
    }
}

fn draw_cell(
    model: &Scene<'_>,
    stamp: Stamp,
    column: &Column,
    cell: &Cell,
    style: Style,
    at: Rect,
    buf: &mut Buffer,
) {
    if at.is_empty() {
        return;
    }
    let theme = model.theme;
    match cell {
        Cell::Empty | Cell::NonZero(0, _) => {}
        Cell::Unknown => text(column, "–", theme.style(Role::Faint), at, buf),
        Cell::Styled(shown, role) | Cell::Formatted(_, shown, role) => {
            text(column, shown, theme.style(*role), at, buf)
        }
        Cell::NonZero(n, role) => {
            let shown = Cell::Count(*n).text();
            text(column, &shown, theme.style(*role), at, buf);
        }
        Cell::Source(id, name) => {
            let source = model.snapshot.source(*id).filter(|s| s.is_log);
            let style = source.map_or(theme.style(Role::Faint), |s| {
                theme.tag(model.source_names.kind_of(s))
            });
            text(column, name, style, at, buf);
        }
        Cell::Pieces(pieces) => {
            let mut x = at.x;
            for (shown, role) in pieces {
                let room = at.right().saturating_sub(x);
                if room == 0 {
                    break;
                }
                let shown = sanitise(shown);
                let shown = cut_words(&shown, room.into());
                x = put(buf, x, at.y, room, &shown, theme.style(*role));
            }
        }
        Cell::Level(level) => {
            let letter = level.letter().to_string();
            text(column, &letter, level_style(theme, *level), at, buf);
        }
        Cell::Time(time) => text(column, &stamp.text(model, *time), style, at, buf),
        Cell::Spread(shares) => {
            spread::draw(*shares, style, theme.style(Role::Faint), at, buf);
        }
        Cell::Bar(share) => {
            let drawing = match model.screen.ascii {
                true => Drawing::Ascii,
                false => Drawing::Braille,
            };
            bar(buf, at, *share, drawing, style);
        }
        Cell::Spark(counts) => draw_spark(counts, style, theme.style(Role::Faint), at, buf),
        other => text(column, &other.text(), style, at, buf),
    }
}

fn text(column: &Column, shown: &str, style: Style, at: Rect, buf: &mut Buffer) {
    let room = usize::from(at.width);
    match (column.align, column.cut) {
        (Align::Right, _) => {
            put_right(buf, at.x, at.right(), at.y, shown, style);
        }
        (Align::Left, Cut::End) => {
            let shown = sanitise(shown);
            put(buf, at.x, at.y, at.width, &cut_words(&shown, room), style);
        }
        (Align::Left, Cut::Middle) => {
            put(buf, at.x, at.y, at.width, &cut_middle(shown, room), style);
        }
        (Align::Left, Cut::Start) => {
            put(buf, at.x, at.y, at.width, &cut_start(shown, room), style);
        }
    }
}

/// Draws counts over time, on a square root scale relative to the maximum, so that small counts
/// remain visible.
fn draw_spark(counts: &[u32], style: Style, none: Style, at: Rect, buf: &mut Buffer) {
    let (bins, width) = (counts.len(), usize::from(at.width));
    if bins == 0 {
        return;
    }
    let share = |x: usize| -> u32 {
        let from = x * bins / width;
        let to = ((x + 1) * bins / width).max(from + 1).min(bins);
        counts[from..to].iter().copied().max().unwrap_or(0)
    };
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    for x in 0..width {
        let n = share(x);
        let column = at.x + x as u16;
        if n == 0 {
            glyph(buf, column, at.y, "·", none);
        } else {
            let share = (f64::from(n) / f64::from(most)).sqrt();
            glyph(buf, column, at.y, height(share), style);
        }
    }
}
