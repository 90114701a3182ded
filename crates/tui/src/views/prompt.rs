//! Text prompt in the last line, and above it the preview of its effect or the error.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, put_from, put_right};
use widetui_app::command::Command;
use widetui_app::model::Model;
use widetui_app::popups::{Prompt, PromptKind};
use widetui_query::QueryError;
use widetui_tables::role::Role;
use widetui_tables::text::{cut, sanitise, width, wrap};

/// Number of columns by which the line is scrolled so that its cursor is visible.
fn skipped(prompt: &Prompt, room: u16) -> usize {
    let before = width(prompt.line.before());
    (before + 1).saturating_sub(usize::from(room))
}

/// Width as a coordinate, saturating: pasted text may be wider than 65535 columns.
fn columns_of(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
}

/// Effect of Enter.
fn effect(kind: PromptKind) -> String {
    match kind {
        // File name extensions determine the formats.
        PromptKind::Export(endings) => format!("writes {}", endings.short()),
        _ => kind.info().effect.to_owned(),
    }
}

/// Draws the prompt, and above it the preview of its effect or the error.
pub(super) fn draw(model: &Scene<'_>, prompt: &Prompt, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let style = theme.style(Role::HintKey);
    let sign = prompt.kind.info().sign;
    let x = put(buf, area.x + 1, area.y, area.width, sign, style);
    let room = area.right().saturating_sub(x + 1);
    let skip = skipped(prompt, room);
    let text = &prompt.line.text;
    let style = theme.style(Role::Prompt);
    let mut end = put_from(buf, x, area.y, room, text, skip, style);
    if text.is_empty() {
        let style = theme.style(Role::Faint);
        let example = prompt.kind.info().example;
        end = put(buf, end + 1, area.y, room, example, style);
    }
    if let Some(problem) = &prompt.problem {
        return draw_problem(model, problem, (text, x, skip), area, buf);
    }
    draw_keys(model, prompt, end, area, buf);
    draw_trial(model, prompt, area, buf);
}

/// Draws the keys that end the prompt after the line, if there is room.
fn draw_keys(model: &Scene<'_>, prompt: &Prompt, from: u16, area: Rect, buf: &mut Buffer) {
    let keys = |command| model.key_of(command);
    let mut hint = format!("{} {}", keys(Command::Open), effect(prompt.kind));
    if !prompt.offers.items.is_empty() {
        hint.push_str(&format!("  {} completes", keys(Command::NextPane)));
    }
    hint.push_str(&format!("  {} leaves", keys(Command::Back)));
    if usize::from(area.right().saturating_sub(from)) > width(&hint) + 4 {
        let style = model.theme.style(Role::Muted);
        put_right(buf, from + 3, area.right() - 1, area.y, &hint, style);
    }
}

/// Draws the error in the line above, pointing at its position in the text, which starts at a
/// column and is scrolled by some columns.
fn draw_problem(
    model: &Scene<'_>,
    problem: &QueryError,
    (text, x, skip): (&str, u16, usize),
    area: Rect,
    buf: &mut Buffer,
) {
    if area.y == 0 {
        return;
    }
    let at = problem.at.min(text.len());
    let at = (0..=at).rev().find(|i| text.is_char_boundary(*i));
    let before = width(&text[..at.unwrap_or(0)]).saturating_sub(skip);
    let column = x.saturating_add(columns_of(before));
    let y = area.y - 1;
    clear(area, y, buf);
    let help = problem.suggestion.as_ref();
    let help = help.map_or(String::new(), |s| format!("; did you mean {s}?"));
    let words = format!("▼ {}{help}", problem.text);
    let columns = (width(&words) as u16).min(area.width);
    let start = column.min(area.right().saturating_sub(1));
    let alert = model.theme.style(Role::Alert);
    if start + columns <= area.right() {
        put(buf, start, y, columns, &words, alert);
    } else if columns <= start + 1 - area.x {
        let words = format!("{}{help} ▼", problem.text);
        put_right(buf, area.x, start + 1, y, &words, alert);
    } else {
        // The advice is at the end of the message: use several lines if needed to show all of it.
        let words = format!("{}{help}", problem.text);
        let room = area.width.saturating_sub(2);
        let lines = wrap(&sanitise(&words), usize::from(room));
        let most = usize::from(area.y / 3).max(1);
        let shown = lines.len().min(most);
        put(buf, start, y, 1, "▼", alert);
        for (line, above) in lines.iter().take(shown).zip((1..=shown).rev()) {
            let y = y.saturating_sub(above as u16);
            clear(area, y, buf);
            put(buf, area.x + 1, y, room, line, alert);
        }
    }
}

fn clear(area: Rect, y: u16, buf: &mut Buffer) {
    for column in area.left()..area.right() {
        glyph(buf, column, y, " ", Style::reset());
    }
}

/// Draws the preview of the input's effect in the line above.
fn draw_trial(model: &Scene<'_>, prompt: &Prompt, area: Rect, buf: &mut Buffer) {
    let draft = model.joins.reading.as_ref();
    let Some(draft) = draft.filter(|_| prompt.kind.is_extraction() && area.y > 0) else {
        return;
    };
    let y = area.y - 1;
    clear(area, y, buf);
    let summary = match draft.summary() {
        text if text.is_empty() => draft.subject.prompt().to_owned(),
        text => text,
    };
    let room = area.width.saturating_sub(2);
    let text = sanitise(&summary);
    let text = cut(&text, room.into());
    let style = model.theme.style(Role::Message);
    put(buf, area.x + 1, y, room, &text, style);
}

/// Column of the text that a completion would replace.
pub(super) fn column_of_completions(model: &Scene<'_>, prompt: &Prompt) -> u16 {
    let start = 1 + width(prompt.kind.info().sign) as u16;
    let room = model.screen.size.0.saturating_sub(start + 1);
    let from = prompt.offers.items.first().map_or(0, |c| c.replace.start);
    let before = prompt.line.text.get(..from).map_or(0, width);
    start.saturating_add(columns_of(before.saturating_sub(skipped(prompt, room))))
}

/// Column and row of the text cursor.
pub(super) fn cursor(model: &Model, prompt: &Prompt) -> (u16, u16) {
    let (columns, rows) = model.screen.size;
    let start = 1 + width(prompt.kind.info().sign) as u16;
    let room = columns.saturating_sub(start + 1);
    let before = width(prompt.line.before()).saturating_sub(skipped(prompt, room));
    let x = start.saturating_add(columns_of(before));
    (x.min(columns.saturating_sub(1)), rows.saturating_sub(1))
}
