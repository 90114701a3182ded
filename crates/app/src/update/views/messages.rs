//! View of the number and latency of messages, by type.

use super::*;
use widetui_session::plots::FlowBy;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "messages",
    opens: Opens::Chosen,
    question: |m| plot(m, PlotKind::Flow(FlowBy::Kind)),
    ..MESSAGES
};
