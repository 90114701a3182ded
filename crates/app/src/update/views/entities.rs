//! View of the entities of the run.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "entities",
    shown_by: Some(Command::ViewEntities),
    question: |m| Some(TableRequest::Entities(m.meaning.instance_cache.clone())),
    command_line: |m| subcommand(&["entities"], chosen(m)),
    ..TABLE
};
