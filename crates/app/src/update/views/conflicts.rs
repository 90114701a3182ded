//! View of the conflicts of one join.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "conflicts",
    opens: Opens::Chosen,
    covers: Covers::Run,
    question: |m| match m.subjects.get(&View::CONFLICTS) {
        Some(ViewSubject::Join(join)) => Some(super::joins::table_of_joins(m, Some(join.clone()))),
        _ => Some(super::joins::table_of_joins(m, None)),
    },
    command_line: super::joins::VIEW.command_line,
    ..TABLE
};
