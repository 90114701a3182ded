//! Copying: a record, a value, a line of JSON, the command line that prints what is shown.

use crate::base::level::Level;
use crate::query::{Expr, Field, Op};
use crate::ui::action::Action;
use crate::ui::model::{Model, View};
use crate::ui::msg::Effect;
use crate::ui::popups::Popup;
use crate::ui::text;
use crate::workspace::jobs::Question;

use super::{alert, ask, say, select, table};

/// Bytes that all terminals take: more than 100,000 characters of base64 are dropped by some without a word.
pub const MOST: usize = 74_994;

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::CopyValue => value(model),
        Action::CopyJson => json(model),
        Action::CopyCommand => match command(model) {
            Ok(line) => whole(model, line, "the command"),
            Err(reason) => {
                alert(model, format!("no command line prints this: {reason}"));
                Vec::new()
            }
        },
        _ => record(model),
    }
}

/// The value under the cursor of the pivot list; else the record's text, or the source's path.
fn record(model: &mut Model) -> Vec<Effect> {
    if let Some(Popup::Pivot(_)) = &model.popup {
        return value(model);
    }
    let text = match model.view {
        View::Sources => model.current_source().map(|s| s.path.clone()),
        View::Events => model
            .current()
            .and_then(|e| model.text(&e).map(|r| r.text.clone())),
        View::Hung => Some(crate::ui::views::hung::text(model)),
        View::Diagnose => Some(crate::ui::views::diagnose::text(model)),
        View::States | View::Series => crate::ui::views::plots::text(model),
        _ => table::row_text(model),
    };
    let Some(text) = text else {
        alert(model, "nothing to copy here".to_owned());
        return Vec::new();
    };
    if text.len() <= MOST {
        let what = match model.view {
            View::Events => "the record",
            View::Hung | View::Diagnose => "all of it",
            _ => "the row",
        };
        return whole(model, text, what);
    }
    // The start of a long record is of use; that of a command would not be.
    let mut end = MOST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (part, all) = (text::size(end as u64), text::size(text.len() as u64));
    alert(
        model,
        format!("copied the first {part} of {all}: terminals take no more"),
    );
    vec![Effect::Copy(text[..end].to_owned())]
}

fn value(model: &mut Model) -> Vec<Effect> {
    match &model.popup {
        Some(Popup::Pivot(pivot)) => {
            let row = pivot.rows.get(pivot.cursor);
            let Some((key, value)) = row.map(|r| (r.key.clone(), r.value.clone())) else {
                return Vec::new();
            };
            model.popup = None;
            whole(model, value, &key)
        }
        _ if model.view.is_table() => record(model),
        _ => {
            let effects = select::open_pivot(model);
            let key = model.keymap.keys_of(&model.scopes(), Action::Copy);
            let key = key.unwrap_or_else(|| "copy".to_owned());
            say(model, format!("{key} copies the value under the cursor"));
            effects
        }
    }
}

fn json(model: &mut Model) -> Vec<Effect> {
    let id = model
        .current()
        .filter(|_| model.view == View::Events)
        .map(|e| e.id);
    match id {
        Some(id) => vec![ask(model, Question::Line(id))],
        None => {
            alert(model, "there is no record to copy".to_owned());
            Vec::new()
        }
    }
}

/// The record was read and written as JSON.
pub(super) fn line(model: &mut Model, line: Option<String>) -> Vec<Effect> {
    match line {
        Some(line) => whole(model, line, "a line of JSON"),
        None => Vec::new(),
    }
}

/// Copies a text that is of no use in part.
fn whole(model: &mut Model, text: String, what: &str) -> Vec<Effect> {
    let bytes = text::size(text.len() as u64);
    if text.len() > MOST {
        let most = text::size(MOST as u64);
        alert(
            model,
            format!("{what} has {bytes}: terminals take at most {most}"),
        );
        return Vec::new();
    }
    let shown: String = text
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(60)
        .collect();
    let shown = text::sanitise(&shown).into_owned();
    say(
        model,
        format!("copied {what}, {bytes}, if the terminal allows it: {shown}"),
    );
    vec![Effect::Copy(text)]
}

/// The command line that prints what is shown.
fn command(model: &Model) -> Result<String, &'static str> {
    let opened = &model.kept.opened;
    if let Some(reason) = opened.why_not {
        return Err(reason);
    }
    let mut words = vec!["widetui".to_owned()];
    match model.view {
        View::Sources => words.push("sources".to_owned()),
        View::States
        | View::Timeline
        | View::Latency
        | View::Slowest
        | View::Spans
        | View::Series => return Err("it can be copied as text"),
        View::Templates => return Err("templates are in the explorer alone"),
        View::Keys if model.selection.is_all() => words.push("keys".to_owned()),
        View::Keys => return Err("`widetui keys` counts the whole run, not a selection"),
        View::Values => {
            let field = model.frequency.as_ref().ok_or("no key was chosen")?;
            let name = quoted(field.field.name());
            words.extend(["keys".to_owned(), "--key".to_owned(), name]);
            words.extend(selected(model));
        }
        View::Hung => words.push("hung".to_owned()),
        View::Diagnose => words.push("diagnose".to_owned()),
        View::Runs => words.push("runs".to_owned()),
        View::Flow | View::Messages => {
            words.push("flow".to_owned());
            words.extend(where_option(model));
        }
        View::Contrast => {
            let steps = model.selection.steps().iter().map(|s| s.expr.clone());
            let expr = match Expr::all_of(steps) {
                Expr::All => Expr::compare(Field::Level, Op::Ge, Level::Error.name()),
                expr => expr,
            };
            words.extend(["contrast".to_owned(), quoted(&expr.to_string())]);
        }
        View::Compare => {
            let both = model.things.compared.as_ref();
            let [a, b] = &**both.ok_or("no two runs were chosen")?;
            words.push("compare".to_owned());
            for (side, run) in [("--a", a), ("--b", b)] {
                words.extend([side.to_owned(), quoted(&run.expr().to_string())]);
            }
        }
        View::Joins | View::Conflicts | View::NewJoin => words.push("joins".to_owned()),
        View::Entities => words.push("entities".to_owned()),
        View::Instances => {
            let entity = model.things.entity.as_deref();
            let entity = entity.ok_or("no kind of thing was chosen")?;
            words.extend(["entities".to_owned(), "--of".to_owned(), quoted(entity)]);
        }
        View::Trace => {
            let (thing, _) = model.things.trace.as_ref().ok_or("no thing was chosen")?;
            let pairs: Vec<String> = thing.id.iter().map(|(k, v)| format!("{k}={v}")).collect();
            words.extend(["trace".to_owned(), quoted(&pairs.join(","))]);
        }
        View::Events => {
            words.push("events".to_owned());
            words.extend(selected(model));
        }
    }
    words.extend(opened.options.iter().map(|o| quoted(o)));
    for path in &opened.paths {
        let path = quoted(path);
        // A path that looks like an option.
        words.push(if path.starts_with('-') {
            format!("./{path}")
        } else {
            path
        });
    }
    Ok(words.join(" "))
}

/// The options of the selection.
fn selected(model: &Model) -> Vec<String> {
    let mut words = where_option(model);
    // The list shows once what stands in several sources.
    if model.rows.folded(&model.snapshot) > 0 {
        words.push("--unique".to_owned());
    }
    words
}

/// What is selected, as an option.
fn where_option(model: &Model) -> Vec<String> {
    let steps = model.selection.steps().iter().map(|s| s.expr.clone());
    let expr = Expr::all_of(steps);
    match expr.is_all() {
        true => Vec::new(),
        false => vec!["--where".to_owned(), quoted(&expr.to_string())],
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("runs/a.log"), "runs/a.log");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("a b$x"), "'a b$x'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
