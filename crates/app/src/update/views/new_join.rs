//! View that builds a join.

use super::*;
use crate::update::{join_builder, reading};

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "new join",
    opens: Opens::Chosen,
    detail: Detail::Draft,
    covers: Covers::Run,
    focus: Focus {
        keys: &[KeyScope::NewJoin, KeyScope::Table],
        hints: commands! { Open ApplyJoin SaveJoin Search Back Palette Help },
        labels: &[(Command::Open, "same, get, or neither")],
    },
    question: |_| Some(TableRequest::JoinKeys),
    command_line: super::joins::VIEW.command_line,
    extraction: reading::key_of_row,
    note: |m| Note::Only(m.joins.draft.summary()),
    open: join_builder::turn,
    ..TABLE
};
