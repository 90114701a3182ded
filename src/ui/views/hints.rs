//! The line at the bottom: what can be pressed here, or what the program says, or the line being written.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::words::several;
use crate::ui::action::{Action, hints};
use crate::ui::hit::{HitMap, Target};
use crate::ui::keymap::KeyScope;
use crate::ui::model::{Model, Pane, View};
use crate::ui::popups::{PickerKind, Popup, Prompt, PromptKind};
use crate::ui::table::RowGoal;
use crate::ui::text::{cut, glyph, put, put_from, put_right, sanitise, width};
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
            model.screen.theme.style(role),
        );
        return;
    }
    let scopes = model.scopes();
    let brushed: &[Action] = match model.events.brush {
        Some(_) if scopes[0] == KeyScope::Events || model.view.is_over_time() => {
            &[Action::Open, Action::Back, Action::ZoomIn]
        }
        _ => &[],
    };
    // The same keys serve all that is worked out; without a picture over time those about time are of no use.
    let is_of_use = |a: &&Action| match scopes[0] {
        KeyScope::Plot if !model.view.is_over_time() => !OVER_TIME.contains(a),
        _ => !brushed.contains(a),
    };
    let others = hints(scopes[0]).iter().filter(is_of_use);
    // With two views on the screen the way to the other one is next to what is done in this one.
    let (other, others): (&[Action], Vec<&Action>) = match model.beside() {
        Some(_) if model.popup.is_none() && model.pane != Pane::Trail => (
            &[Action::NextPane],
            others.filter(|a| **a != Action::NextPane).collect(),
        ),
        _ => (&[], others.collect()),
    };
    let (first, rest) = others.split_at(others.len().min(2));
    let offers: Vec<Offer> = brushed
        .iter()
        .chain(first.iter().copied())
        .chain(other)
        .chain(rest.iter().copied())
        .filter_map(|action| offer(model, &scopes, *action, !brushed.is_empty()))
        .collect();
    // The way to everything else always stands at the end, whatever has to give way to it.
    let is_way_on = |o: &Offer| matches!(o.target, Target::Hint(Action::Palette | Action::Help));
    let (mut tail, mut offers): (Vec<Offer>, Vec<Offer>) = offers.into_iter().partition(is_way_on);
    if !tail.is_empty() {
        tail.splice(0..0, menu(model, &scopes));
    }
    match area.width {
        ..40 => tail.clear(),
        40..100 => tail.retain(|o| o.target != Target::Hint(Action::Palette)),
        _ => {}
    }
    let room =
        |tail: &[Offer]| usize::from(end.saturating_sub(area.x + 1)).saturating_sub(all(tail));
    // What would do nothing now is there where there is room for it, but does not call.
    while all(&offers) > room(&tail)
        && let Some(at) = offers.iter().rposition(|o| !o.is_of_use)
    {
        offers.remove(at);
    }
    while all(&offers) > room(&tail) && offers.len() > 1 {
        offers.pop();
    }
    if all(&offers) > room(&tail) {
        tail.clear();
    }
    put_offers(model, area.x + 1, area.y, end, &offers, buf, hits);
    let at = end.saturating_sub(all(&tail) as u16);
    put_offers(model, at, area.y, end, &tail, buf, hits);
}

/// A key and what it does here.
struct Offer {
    keys: String,
    what: String,
    target: Target,
    is_of_use: bool,
}

/// Columns of some of them, with the gap behind each.
fn all(offers: &[Offer]) -> usize {
    offers
        .iter()
        .map(|o| width(&o.keys) + width(&o.what) + 3)
        .sum()
}

fn offer(model: &Model, scopes: &[KeyScope], action: Action, is_brushed: bool) -> Option<Offer> {
    // Where a line is written, letters are text.
    let writes = scopes[0] == KeyScope::Picker;
    let is_key = |keys: &String| !writes || keys.chars().count() > 1 || !keys.is_ascii();
    let keys = model.keymap.all_keys_of(scopes, action);
    // What never does anything in this list, or does what another key says.
    let is_other = match action {
        Action::Forget => why_not(model, action).is_some(),
        Action::Open if scopes[0] == KeyScope::Joins => {
            let row = model.table().and_then(|t| t.current());
            row.is_some_and(|r| matches!(r.goal, RowGoal::Switch(_)))
        }
        _ => false,
    };
    if is_other {
        return None;
    }
    let goes_over = action == Action::NextPane && model.beside().is_some();
    let what = match (is_brushed, action) {
        _ if goes_over => "other pane",
        (true, Action::Open) => "only the brush",
        (true, Action::Back) => "drop it",
        (_, Action::Open) => enters(model).unwrap_or_else(|| meaning(scopes[0], action)),
        _ => meaning(scopes[0], action),
    };
    Some(Offer {
        keys: keys.into_iter().find(is_key)?,
        what: what.to_owned(),
        target: Target::Hint(action),
        is_of_use: why_not(model, action).is_none(),
    })
}

/// The key behind which the keymap has the views, with what it is called there: all of them are found behind it.
fn menu(model: &Model, scopes: &[KeyScope]) -> Option<Offer> {
    let prefix = model.keymap.prefix_of(scopes, Action::ViewTemplates)?;
    let name = model.keymap.group(scopes, &[prefix]);
    Some(Offer {
        keys: prefix.to_string(),
        what: name
            .and_then(|n| n.split_whitespace().next())
            .unwrap_or("views")
            .to_owned(),
        target: Target::Press(prefix),
        is_of_use: true,
    })
}

fn put_offers(
    model: &Model,
    mut x: u16,
    y: u16,
    end: u16,
    offers: &[Offer],
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    for offer in offers {
        let from = x;
        let (key_role, role) = match offer.is_of_use {
            true => (Role::HintKey, Role::Hint),
            false => (Role::Faint, Role::Faint),
        };
        let room = |x: u16| end.saturating_sub(x);
        x = put(
            buf,
            x,
            y,
            room(x),
            &offer.keys,
            model.screen.theme.style(key_role),
        );
        x = put(
            buf,
            x + 1,
            y,
            room(x + 1),
            &offer.what,
            model.screen.theme.style(role),
        );
        hits.add(Rect::new(from, y, x.saturating_sub(from), 1), offer.target);
        x += 2;
    }
}

/// What looking closer does, where that is more than one thing in the same scope.
fn enters(model: &Model) -> Option<&'static str> {
    match (&model.popup, model.view, model.pane) {
        (Some(Popup::Cells(_)), ..) => Some("copy"),
        (Some(Popup::Picker(p)), ..) if p.kind == PickerKind::Compare => Some("compare"),
        (None, View::Sources, Pane::Record) => {
            let source = model.current_source()?;
            let has_place = source.problems.iter().any(|p| p.offset.is_some());
            Some(if has_place {
                "the first of it"
            } else {
                "its records"
            })
        }
        _ => None,
    }
}

/// What an action does here, in a word.
fn meaning(scope: KeyScope, action: Action) -> &'static str {
    match (scope, action) {
        (KeyScope::Plot | KeyScope::Timeline, Action::Right) => "later",
        (KeyScope::Record, Action::Back) => "back",
        (KeyScope::Record, Action::Down) => "keys",
        (KeyScope::Trail, Action::Open) => "edit",
        (KeyScope::Trail, Action::Back) => "back",
        (KeyScope::Sources, Action::Open) => "describe",
        (KeyScope::Table, Action::Open) => "into it",
        (KeyScope::Things | KeyScope::Hung, Action::Open) => "its events",
        (KeyScope::Runs, Action::Open) => "only this run",
        (KeyScope::Diagnose, Action::Open) => "its records",
        (KeyScope::Diagnose, Action::NextPane) => "next finding",
        (KeyScope::Diagnose, Action::Unfold) => "fold",
        (KeyScope::NewJoin, Action::Open) => "same, get, or neither",
        (KeyScope::Joins, Action::Open) => "conflicts",
        (KeyScope::Flow, Action::Open) => "its records",
        (KeyScope::Flow, Action::ViewFlow) => "kinds, messages",
        (KeyScope::Sources | KeyScope::Table | KeyScope::Runs | KeyScope::Flow, Action::Search) => {
            "find rows"
        }
        (KeyScope::Pivot, Action::Open) => "only these",
        (KeyScope::Picker, Action::Open) => "run",
        _ => action.row().hint,
    }
}

/// To the right: where in the list the cursor is. Gives the column where it begins.
fn draw_place(model: &Model, area: Rect, buf: &mut Buffer) -> u16 {
    let (at, len) = match model.view {
        View::Events => (model.events.list.cursor, model.len()),
        View::Hung | View::Diagnose => (0, 0),
        _ => model.table().map_or((0, 0), |t| (t.list.cursor, t.len())),
    };
    if len == 0 || area.width < 30 {
        return area.right();
    }
    let share = if len == 1 { 100 } else { at * 100 / (len - 1) };
    let hits = match &model.search.hits {
        Some(hits) if !model.search.line.is_empty() && model.view == View::Events => {
            format!("{} · ", several(hits.len(), "hit"))
        }
        _ => String::new(),
    };
    // The hints beside it stay where they are while it grows from 0 to 100.
    let text = format!("{hits}{share:>3} %");
    let style = model.screen.theme.style(Role::Muted);
    put_right(buf, area.x, area.right() - 1, area.y, &text, style).saturating_sub(2)
}

fn sign(prompt: &Prompt) -> &'static str {
    match prompt.kind {
        PromptKind::Filter => "filter ",
        PromptKind::Compare => "compare with ",
        PromptKind::Goto => "go to ",
        PromptKind::Search => "/",
        PromptKind::Rows => "rows with ",
        PromptKind::Shift(_) => "seconds to add to its times ",
        PromptKind::Note(_) => "note ",
        PromptKind::Export => "write to ",
        PromptKind::Reading => "names ",
    }
}

/// What can be written, shown while nothing is.
fn example(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Filter | PromptKind::Compare => "level >= warning and message ~ timeout",
        PromptKind::Goto => "18:03:20 · +5s · -2m · 50% of the rows",
        PromptKind::Search => "words or a pattern",
        PromptKind::Shift(_) => "3600 · -0.25",
        PromptKind::Reading => "mysim.phase = warmup",
        PromptKind::Rows | PromptKind::Note(_) | PromptKind::Export => "",
    }
}

/// Columns of the line that are scrolled out so that its cursor is seen.
fn skipped(prompt: &Prompt, room: u16) -> usize {
    let before = width(&prompt.line.text[..prompt.line.at]);
    (before + 1).saturating_sub(usize::from(room))
}

fn draw_prompt(model: &Model, prompt: &Prompt, area: Rect, buf: &mut Buffer) {
    let theme = &model.screen.theme;
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
    let end = match text.is_empty() {
        true => {
            let example = example(prompt.kind);
            put(
                buf,
                end + 1,
                area.y,
                room,
                example,
                theme.style(Role::Faint),
            )
        }
        false => end,
    };
    let Some(problem) = &prompt.problem else {
        let keys = |action| {
            model
                .keymap
                .keys_of(&model.scopes(), action)
                .unwrap_or_default()
        };
        let takes = match prompt.kind {
            // What is in the files is seen by their endings.
            PromptKind::Export
                if model.view == View::Events
                    || model.view == View::Flow
                    || model.view.is_plotted() =>
            {
                "writes it, .svg and .csv"
            }
            PromptKind::Export => "writes it, .csv",
            PromptKind::Filter => "keeps only these",
            PromptKind::Compare => "shows both",
            PromptKind::Goto => "goes there",
            PromptKind::Search => "searches",
            PromptKind::Rows => "shows only these rows",
            PromptKind::Shift(_) => "moves them",
            PromptKind::Note(_) => "keeps it",
            PromptKind::Reading => "reads them",
        };
        let mut hint = format!("{} {takes}", keys(Action::Open));
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
        return draw_trial(model, prompt, area, buf);
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

/// The line above says what would become of what is written.
fn draw_trial(model: &Model, prompt: &Prompt, area: Rect, buf: &mut Buffer) {
    let draft = model.joins.reading.as_ref();
    let Some(draft) = draft.filter(|_| prompt.kind == PromptKind::Reading && area.y > 0) else {
        return;
    };
    let y = area.y - 1;
    for column in area.left()..area.right() {
        glyph(buf, column, y, " ", Style::reset());
    }
    let told = match &draft.trial {
        Some(_) => draft.told(),
        None => draft.subject.asks().to_owned(),
    };
    let room = area.width.saturating_sub(2);
    let text = sanitise(&told);
    let text = cut(&text, room.into());
    put(
        buf,
        area.x + 1,
        y,
        room,
        &text,
        model.screen.theme.style(Role::Message),
    );
}

/// Column of the text that an offer would replace.
pub(super) fn column_of_offers(model: &Model, prompt: &Prompt) -> u16 {
    let start = 1 + width(sign(prompt)) as u16;
    let room = model.screen.size.0.saturating_sub(start + 1);
    let from = prompt.offers.items.first().map_or(0, |c| c.replace.start);
    let before = prompt.line.text.get(..from).map_or(0, width);
    start + before.saturating_sub(skipped(prompt, room)) as u16
}

/// Column and row of the cursor of a line.
pub(super) fn cursor(model: &Model, prompt: &Prompt) -> (u16, u16) {
    let (columns, rows) = model.screen.size;
    let start = 1 + width(sign(prompt)) as u16;
    let room = columns.saturating_sub(start + 1);
    let before = width(&prompt.line.text[..prompt.line.at]) - skipped(prompt, room);
    let x = start + before as u16;
    (x.min(columns.saturating_sub(1)), rows.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::keymap::Keymap;
    use crate::ui::theme::Theme;

    fn drawn(view: View, columns: u16) -> String {
        let theme = Theme::named("dark", crate::ui::colour::Depth::True).unwrap();
        let mut model = Model::new("", Keymap::standard(), theme);
        model.view = view;
        let area = Rect::new(0, 0, columns, 1);
        let mut buf = Buffer::empty(area);
        draw(&model, area, &mut buf, &mut HitMap::default());
        (0..columns)
            .map(|x| buf.cell((x, 0)).unwrap().symbol())
            .collect()
    }

    #[test]
    fn the_way_to_everything_else_is_never_cut_off() {
        let views = [
            View::Events,
            View::Hung,
            View::Diagnose,
            View::States,
            View::Timeline,
            View::Joins,
            View::Sources,
        ];
        for view in views {
            for columns in 40..200 {
                let text = drawn(view, columns);
                assert!(
                    text.trim_end().ends_with("v views  ? help")
                        || text.trim_end().ends_with("v views  : commands  ? help"),
                    "{columns} {text:?}"
                );
                assert_eq!(text.contains(": commands"), columns >= 100, "{text:?}");
            }
        }
        assert!(drawn(View::Events, 30).starts_with(" Enter open"));
        drawn(View::Events, 1);
    }

    #[test]
    fn what_would_do_nothing_gives_way() {
        // Nothing was changed yet, so there is nothing to undo.
        assert!(!drawn(View::Events, 100).contains("undo"));
        assert!(drawn(View::Events, 190).contains("u undo"));
    }
}
