//! View of messages between actors as a sequence diagram.

use super::*;
use widetui_session::plots::FlowBy;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "flow",
    body: Body::Table(RowLook::Arrows),
    question: |m| plot(m, PlotKind::Flow(FlowBy::Each)),
    record: under_cursor::message_record,
    instance: under_cursor::instance_of_record,
    followed: under_cursor::message_record,
    ..MESSAGES
};
