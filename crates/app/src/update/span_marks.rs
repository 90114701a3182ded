//! Commands that mark the start and the end of spans, by template or by filter.

use crate::command::Command;
use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_query::{Expr, Field, parse};
use widetui_session::plots::{Mark, PairBy};
use widetui_tables::text::cut;

use super::primitives::navigation::turn_to;
use super::primitives::notices::{alert, say};
use super::primitives::plotting;

/// Maximum width of the label of a mark, in columns.
const LABEL: usize = 48;

/// Marks the start or the end of spans by the template of the record or row under the cursor.
pub(super) fn mark_here(model: &mut Model, command: Command) -> Vec<Effect> {
    match (model.view.template)(model) {
        Some(text) => {
            let expr = Expr::equals(Field::Template, text.as_str());
            mark(model, command, Mark { label: text, expr })
        }
        None => say(
            model,
            "mark where spans start and end on a record, or in the table of templates (v t)",
        ),
    }
}

/// Returns the template under the cursor of a table.
pub(super) fn template_of_row(model: &Model) -> Option<String> {
    let same = &model.table()?.current()?.pivots;
    let text = same.iter().find(|same| same.field == Field::Template);
    text.map(|same| same.value.clone())
}

/// Marks the start or the end of spans by a filter, the argument of the command.
pub(super) fn tell(model: &mut Model, command: Command, text: &str) -> Vec<Effect> {
    model.popup = None;
    let keys = &model.snapshot.catalog.keys;
    match parse(text, Some(keys), &model.time_context()) {
        Ok(expr) => {
            let label = unquoted(text.trim()).to_owned();
            mark(model, command, Mark { label, expr })
        }
        Err(error) => alert(model, error.to_string()),
    }
}

/// Removes the quotes of a filter that is a single quoted text: labels are quoted when they are displayed.
fn unquoted(text: &str) -> &str {
    let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inside.filter(|t| !t.contains('"')).unwrap_or(text)
}

/// Stores a mark; shows the spans once both ends are marked.
fn mark(model: &mut Model, command: Command, mark: Mark) -> Vec<Effect> {
    let label = cut(mark.label.trim(), LABEL).into_owned();
    let marks = &mut model.plots.marks;
    let (place, word, other) = match command {
        Command::SpanStart => (&mut marks.start, "start", Command::SpanEnd),
        _ => (&mut marks.end, "end", Command::SpanStart),
    };
    *place = Some(Mark {
        label: label.clone(),
        ..mark
    });
    model.plots.choices.pairing = PairBy::Best;
    model.plots.choices.spans_by = None;
    if model.plots.marks.both().is_some() {
        turn_to(model, View::SPANS);
        return plotting::recompute_plots(model);
    }
    let key = model.key_of(other);
    let missing = match other {
        Command::SpanEnd => "where they end",
        _ => "where they start",
    };
    say(
        model,
        format!("spans {word} at “{label}” · {key} on a record {missing}"),
    )
}
