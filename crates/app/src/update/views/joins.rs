//! View of the joins and their effects.

use super::*;
use widetui_tables::table::RowAction;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "joins",
    detail: Detail::Row,
    covers: Covers::Run,
    focus: Focus {
        keys: &[KeyScope::Joins, KeyScope::Table],
        hints: commands! {
            Switch Open NewJoin TypeRename TypeImply TypeConstant TypeBracket SaveJoin Undo Search
            SortNext ViewEvents Palette Help
        },
        labels: &[(Command::Open, "conflicts")],
    },
    question: |m| Some(table_of_joins(m, None)),
    command_line: |_| subcommand(&["joins"], Vec::new()),
    // Without conflicts nothing opens.
    open_label: |m| match under_cursor::row(m)?.action {
        RowAction::Switch(_) => Some(""),
        _ => None,
    },
    ..TABLE
};

/// Query of the table of joins, or of the conflicts of one of them.
pub(super) fn table_of_joins(model: &Model, conflicts_of: Option<String>) -> TableRequest {
    let (known, chosen) = (&model.meaning.joins, model.selection.joins());
    TableRequest::Joins(model.joins.table(known, chosen, conflicts_of))
}
