//! View of the message templates.

use super::*;
use crate::update::{reading, span_marks};

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "templates",
    shown_by: Some(Command::ViewTemplates),
    question: |_| Some(TableRequest::Templates),
    command_line: |m| subcommand(&["keys", "--key", "template"], chosen(m)),
    template: span_marks::template_of_row,
    extraction: reading::template_of_row,
    ..TABLE
};
