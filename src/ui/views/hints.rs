//! The line at the bottom: what can be pressed here, or what the program says, or the line being written.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::action::{Action, hints};
use crate::ui::hit::{HitMap, Target};
use crate::ui::keymap::Scope;
use crate::ui::model::{Model, View};
use crate::ui::popups::{Popup, Prompt, PromptKind};
use crate::ui::text::{glyph, put, put_from, put_right, width};
use crate::ui::theme::Role;
use crate::ui::update::why_not;

/// What is done in pictures over time.
const OVER_TIME: [Action; 5] = [
    Action::Right,
    Action::ZoomIn,
    Action::ZoomAll,
    Action::BrushStart,
    Action::BrushEnd,
];

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    if let Some(Popup::Prompt(prompt)) = &model.popup {
        return draw_prompt(model, prompt, area, buf);
    }
    let end = draw_place(model, area, buf);
    if let Some(message) = &model.message {
        let role = if message.is_alert {
            Role::Alert
        } else {
            Role::Message
        };
        let room = end.saturating_sub(area.x + 2);
        put(
            buf,
            area.x + 1,
            area.y,
            room,
            &message.text,
            model.theme.style(role),
        );
        return;
    }
    let scopes = model.scopes();
    let writes = scopes[0] == Scope::Picker;
    let mut x = area.x + 1;
    let brushed: &[Action] = match model.events.brush {
        Some(_) if scopes[0] == Scope::Events => &[Action::Open, Action::Back, Action::ZoomIn],
        _ => &[],
    };
    // The same keys serve all that is worked out; without a picture over time those about time are of no use.
    let is_of_use = |a: &&Action| match scopes[0] {
        Scope::Plot if !model.view.is_over_time() => !OVER_TIME.contains(a),
        _ => !brushed.contains(a),
    };
    let others = hints(scopes[0]).iter().filter(is_of_use);
    for action in brushed.iter().chain(others) {
        // Where a line is written, letters are text.
        let is_key = |keys: &String| !writes || keys.chars().count() > 1 || !keys.is_ascii();
        let keys = model.keymap.all_keys_of(&scopes, *action);
        let Some(keys) = keys.into_iter().find(is_key) else {
            continue;
        };
        let what = match (brushed.is_empty(), action) {
            (false, Action::Open) => "only the brush",
            (false, Action::Back) => "drop it",
            _ => meaning(scopes[0], *action),
        };
        let needed = (width(&keys) + 1 + width(what)) as u16;
        if x + needed >= end {
            break;
        }
        let from = x;
        // What would do nothing now is there, but does not call.
        let (key_role, role) = match why_not(model, *action) {
            None => (Role::HintKey, Role::Hint),
            Some(_) => (Role::Faint, Role::Faint),
        };
        x = put(buf, x, area.y, needed, &keys, model.theme.style(key_role));
        x = put(buf, x + 1, area.y, needed, what, model.theme.style(role));
        hits.add(Rect::new(from, area.y, x - from, 1), Target::Hint(*action));
        x += 2;
    }
}

/// What an action does here, in a word.
fn meaning(scope: Scope, action: Action) -> &'static str {
    match (scope, action) {
        (Scope::Plot | Scope::Timeline, Action::Right) => "later",
        (Scope::Record, Action::Back) => "back",
        (Scope::Record, Action::Down) => "keys",
        (Scope::Trail, Action::Open) => "edit",
        (Scope::Trail, Action::Back) => "back",
        (Scope::Sources, Action::Open) => "describe",
        (Scope::Table, Action::Open) => "into it",
        (Scope::Things | Scope::Hung, Action::Open) => "its events",
        (Scope::Runs, Action::Open) => "only this run",
        (Scope::Diagnose, Action::Open) => "its records",
        (Scope::Diagnose, Action::NextPane) => "next finding",
        (Scope::Diagnose, Action::Unfold) => "fold",
        (Scope::NewJoin, Action::Open) => "same, get, or not",
        (Scope::Joins, Action::Open) => "conflicts",
        (Scope::Flow, Action::Open) => "its records",
        (Scope::Flow, Action::NextPane) => "kinds, messages",
        (Scope::Sources | Scope::Table | Scope::Runs | Scope::Flow, Action::Search) => "find rows",
        (Scope::Pivot, Action::Open) => "only these",
        (Scope::Picker, Action::Open) => "run",
        _ => action.row().hint,
    }
}

/// To the right: where in the list the cursor is. Gives the column where it begins.
fn draw_place(model: &Model, area: Rect, buf: &mut Buffer) -> u16 {
    let (at, len) = match model.view {
        View::Events => (model.list.cursor, model.len()),
        View::Hung | View::Diagnose => (0, 0),
        _ => model.table().map_or((0, 0), |t| (t.list.cursor, t.len())),
    };
    if len == 0 || area.width < 30 {
        return area.right();
    }
    let share = if len == 1 { 100 } else { at * 100 / (len - 1) };
    let hits = match &model.search.hits {
        Some(hits) if !model.search.line.is_empty() && model.view == View::Events => format!(
            "{} {} · ",
            hits.len(),
            if hits.len() == 1 { "hit" } else { "hits" }
        ),
        _ => String::new(),
    };
    let text = format!("{hits}{share} %");
    let style = model.theme.style(Role::Muted);
    put_right(buf, area.x, area.right() - 1, area.y, &text, style).saturating_sub(2)
}

fn sign(prompt: &Prompt) -> &'static str {
    match prompt.kind {
        PromptKind::Filter => "filter ",
        PromptKind::Goto => "go to ",
        PromptKind::Search => "/",
        PromptKind::Rows => "rows with ",
        PromptKind::Shift(_) => "seconds to add to its times ",
        PromptKind::Note(_) => "note ",
        PromptKind::Export => "write to ",
    }
}

/// Columns of the line that are scrolled out so that its cursor is seen.
fn skipped(prompt: &Prompt, room: u16) -> usize {
    let before = width(&prompt.line.text[..prompt.line.at]);
    (before + 1).saturating_sub(usize::from(room))
}

fn draw_prompt(model: &Model, prompt: &Prompt, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let sign = sign(prompt);
    let x = put(
        buf,
        area.x + 1,
        area.y,
        area.width,
        sign,
        theme.style(Role::HintKey),
    );
    let room = area.right().saturating_sub(x + 1);
    let skip = skipped(prompt, room);
    let text = &prompt.line.text;
    let end = put_from(buf, x, area.y, room, text, skip, theme.style(Role::Prompt));
    let Some(problem) = &prompt.problem else {
        let keys = |action| {
            model
                .keymap
                .keys_of(&model.scopes(), action)
                .unwrap_or_default()
        };
        let mut hint = format!("{} takes it", keys(Action::Open));
        if !prompt.offers.items.is_empty() {
            hint.push_str(&format!("  {} completes", keys(Action::NextPane)));
        }
        hint.push_str(&format!("  {} leaves", keys(Action::Back)));
        if usize::from(area.right().saturating_sub(end)) > width(&hint) + 4 {
            put_right(
                buf,
                end + 3,
                area.right() - 1,
                area.y,
                &hint,
                theme.style(Role::Muted),
            );
        }
        return;
    };
    // The line above says what is wrong, right below it stands where.
    if area.y == 0 {
        return;
    }
    let at = problem.at.min(text.len());
    let at = (0..=at)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0);
    let column = x + width(&text[..at]).saturating_sub(skip) as u16;
    let y = area.y - 1;
    for column in area.left()..area.right() {
        glyph(buf, column, y, " ", Style::reset());
    }
    let help = problem.suggestion.as_ref();
    let help = help.map_or(String::new(), |s| format!("; did you mean {s}?"));
    let words = format!("▼ {}{help}", problem.text);
    let columns = (width(&words) as u16).min(area.width);
    let start = column.min(area.right().saturating_sub(1));
    let alert = theme.style(Role::Alert);
    // A text too long for either side stands where more of it is seen.
    if start + columns <= area.right() || start < area.width / 2 {
        let columns = columns.min(area.right().saturating_sub(start));
        put(buf, start, y, columns, &words, alert);
    } else {
        let words = format!("{}{help} ▼", problem.text);
        put_right(buf, area.x, start + 1, y, &words, alert);
    }
}

/// Column of the text that an offer would replace.
pub(super) fn column_of_offers(model: &Model, prompt: &Prompt) -> u16 {
    let start = 1 + width(sign(prompt)) as u16;
    let room = model.size.0.saturating_sub(start + 1);
    let from = prompt.offers.items.first().map_or(0, |c| c.replace.start);
    let before = prompt.line.text.get(..from).map_or(0, width);
    start + before.saturating_sub(skipped(prompt, room)) as u16
}

/// Column and row of the cursor of a line.
pub(super) fn cursor(model: &Model, prompt: &Prompt) -> (u16, u16) {
    let (columns, rows) = model.size;
    let start = 1 + width(sign(prompt)) as u16;
    let room = columns.saturating_sub(start + 1);
    let before = width(&prompt.line.text[..prompt.line.at]) - skipped(prompt, room);
    let x = start + before as u16;
    (x.min(columns.saturating_sub(1)), rows.saturating_sub(1))
}
