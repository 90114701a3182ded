//! View of the state transitions and records of one instance.

use super::*;
use widetui_core::words::id_words;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "about",
    opens: Opens::Chosen,
    covers: Covers::Run,
    pivot_title: "same as this record",
    question: |m| m.traced().cloned().map(TableRequest::Trace),
    command_line: |m| {
        let instance = m.traced().ok_or("no instance was chosen")?;
        subcommand(&["trace", &id_words(&instance.id, ",")], Vec::new())
    },
    // All records are about the traced instance.
    instance: under_cursor::instance_of_row,
    ..TABLE
};
