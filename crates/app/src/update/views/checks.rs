//! View of the rules of the definitions, with the records that violate them.

use super::*;
use widetui_session::check_table::Rules;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "check",
    shown_by: Some(Command::ViewChecks),
    question: |m| Some(TableRequest::Checks(Rules(m.meaning.clone()))),
    command_line: |m| subcommand(&["check"], chosen(m)),
    ..TABLE
};
