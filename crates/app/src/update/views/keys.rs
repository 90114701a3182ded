//! View of the keys of the records.

use super::*;
use crate::update::reading;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "keys",
    shown_by: Some(Command::ViewKeys),
    pivot_title: "most frequent values of this key",
    question: |_| Some(TableRequest::Keys),
    command_line: |m| subcommand(&["keys"], chosen(m)),
    extraction: reading::key_of_row,
    ..TABLE
};
