//! View of the selected records: the list with the overview above it.

use super::*;
use crate::model::Pane;
use crate::update::command_line::{brushed, filter, selected, within};
use crate::update::primitives::{followed_value, scrolling};
use crate::update::{popups, reading, rows};
use widetui_query::Expr;
use widetui_session::context_lines::ContextScope;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "events",
    shown_by: Some(Command::ViewEvents),
    body: Body::Records,
    detail: Detail::Record,
    focus: Focus {
        keys: &[KeyScope::Events],
        hints: commands! {
            Pivot Open ViewHung ViewDiagnose Search Filter NextError Undo Context TimeDisplay
            GotoTime Note ViewSources Palette Help
        },
        labels: &[],
    },
    pivot_title: "same as this record",
    command_line: |m| {
        let mut parts = vec![selected(m)];
        parts.extend(brushed(m).map(|window| within(&window)));
        let more = [filter(m, &Expr::all_of(parts)), unique(m), context(m)];
        subcommand(&["events"], more.concat())
    },
    copied: |m| Some(m.text(&m.current()?)?.text.clone()),
    record: Model::current,
    instance: under_cursor::instance_of_record,
    followed: |_| None,
    source: |m| m.current().map(|e| e.source()),
    template: |m| Some(m.current()?.template()?.text.to_string()),
    extraction: reading::of_record,
    open,
    undo,
    ..TABLE
};

/// Options for the context lines on the screen.
fn context(model: &Model) -> Vec<String> {
    let shown = model.events.context.filter(|_| !model.selection.is_all());
    // The command line lists a time selection without context lines.
    let Some(context) = shown.filter(|_| model.events.time_selection.is_none()) else {
        return Vec::new();
    };
    let mut words = vec!["--context".to_owned(), context.lines.to_string()];
    if context.of == ContextScope::Source {
        words.push("--same-source".to_owned());
    }
    words
}

/// Selects the time selection, or focuses the record; in the record pane, opens the key under the cursor.
fn open(model: &mut Model) -> Vec<Effect> {
    if model.events.time_selection.is_some() && model.pane == Pane::List {
        return time::take(model);
    }
    if model.pane == Pane::Record {
        return popups::open_pivot(model);
    }
    if !model.is_empty() {
        model.pane = Pane::Record;
        scrolling::settle(model);
    }
    Vec::new()
}

/// Undoes the time selection, the context lines, the highlight or the search, in this order.
fn undo(model: &mut Model) -> Option<Vec<Effect>> {
    if model.events.time_selection.take().is_some() {
        return Some(Vec::new());
    }
    if model.events.context.is_some() {
        return Some(rows::show_context(model, None));
    }
    if model.events.highlight.is_some() {
        return Some(followed_value::stop(model));
    }
    let search = std::mem::take(&mut model.search);
    (!search.line.is_empty()).then(Vec::new)
}
