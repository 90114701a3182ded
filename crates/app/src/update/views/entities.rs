//! View of the entities of the run.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "entities",
    detail: Detail::Row,
    shown_by: Some(Command::ViewEntities),
    question: |m| Some(TableRequest::Entities(m.meaning.instance_cache.clone())),
    focus: Focus {
        hints: commands! { Open Search SortNext SortTurn Filter ViewEvents Palette Help },
        ..TABLE.focus
    },
    command_line: |m| subcommand(&["entities"], chosen(m)),
    ..TABLE
};
