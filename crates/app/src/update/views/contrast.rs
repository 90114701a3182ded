//! View of the keys and values that distinguish the selected records from all others.

use super::*;
use crate::update::command_line::selected;
use widetui_query::Expr;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "contrast",
    shown_by: Some(Command::ViewContrast),
    opens: Opens::Chosen,
    question: |m| {
        let steps = m.selection.steps().iter();
        let steps = steps.map(|s| s.expr.clone()).collect();
        Some(TableRequest::Contrast(steps))
    },
    command_line: |m| {
        let expr = match selected(m) {
            // Default condition, which the table uses when nothing is selected.
            Expr::All => {
                let usual = m.table().and_then(|t| t.table.default_condition.clone());
                usual.ok_or("it is not known yet what is compared")?
            }
            expr => expr,
        };
        subcommand(&["contrast", &typed(m, &expr)], Vec::new())
    },
    note: |m| match m.selection.is_all() {
        true => Note::After(selection_help(m)),
        false => Note::Usual,
    },
    ..TABLE
};

/// Note that nothing is selected, with the keys to select.
fn selection_help(model: &Model) -> String {
    let key = |command| model.key_of(command);
    let (filter, pivot) = (key(Command::Filter), key(Command::Pivot));
    format!("nothing selected: {filter} or {pivot} chooses")
}
