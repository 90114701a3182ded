//! Findings of interrupts by the user (Ctrl-C, `SIGINT`).

use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Exception of a Python program that was interrupted.
pub(crate) const EXCEPTION: &str = "KeyboardInterrupt";
/// Signal of an interrupt, as in the `raises` of hints.
pub(crate) const SIGNAL: &str = "SIGINT";

/// Finding of the tracebacks of an interrupt.
pub(crate) fn finding(look: &Context<'_>, events: &[EventId], place: &str) -> Finding {
    let at = match place {
        "" => String::new(),
        place => format!(" at {place}"),
    };
    Finding {
        text: format!(
            "Ctrl-C, or another {SIGNAL}, stopped the program that wrote {}{at}.",
            look.tag(events[0])
        ),
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        events: events.to_vec(),
        count: 1,
        first: look.time(events[0]),
        next: "If nobody pressed Ctrl-C: which script, notebook or batch system sends SIGINT?"
            .to_owned(),
        ..Finding::new(
            FindingKind::Interrupted,
            Severity::Warning,
            format!("Interrupted by the user ({EXCEPTION})"),
        )
    }
}
