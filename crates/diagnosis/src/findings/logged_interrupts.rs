//! Interrupts by the user that programs report in records of any level: `Received SIGINT, shutting down`.

use std::collections::BTreeMap;

use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;

use crate::findings::causes;
use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::interrupts;

/// Maximum number of records about interrupts that are read.
const READ: usize = 2_000;

/// Adds records that report an interrupt to the finding of the same interrupt, or as a new one. `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut Vec<Finding>) -> Option<()> {
    let snapshot = look.snapshot;
    let words = &snapshot.catalog.words;
    // The number of the signal is a variable of the template.
    let may_report = |template: &str| reports(words, &template.replace("{}", NUMBER));
    let mut records = look.records_with(|_, template| may_report(template))?;
    records.sort_by_key(|id| (look.time(*id), *id));
    let mut of_run: BTreeMap<Option<usize>, Vec<EventId>> = BTreeMap::new();
    for id in records.into_iter().take(READ) {
        let is_free = !look.claimed.contains(&id.0);
        let event = snapshot
            .event(id)
            .filter(|e| is_free && !look.is_after_end(e));
        if let Some(event) = event
            && reports(words, &look.line(id))
        {
            of_run.entry(look.run_of(&event)).or_default().push(id);
        }
    }
    for (run, events) in of_run {
        look.claimed.extend(events.iter().map(|id| id.0));
        let is_same = |f: &&mut Finding| {
            f.kind == FindingKind::Interrupted && causes::interrupts::runs(look, f).contains(&run)
        };
        match findings.iter_mut().find(is_same) {
            Some(known) => known.events.extend(events),
            None => findings.push(of_records(look, &events)),
        }
    }
    Some(())
}

/// Number of `SIGINT`.
const NUMBER: &str = "2";

/// True if a message reports that its program was interrupted.
fn reports(words: &WordsDef, text: &str) -> bool {
    let lower = text.to_lowercase();
    words.interrupts.iter().any(|word| {
        let mut found = lower.match_indices(word.as_str());
        found.any(|(at, _)| !lower[at + word.len()..].starts_with(char::is_alphanumeric))
    })
}

/// Finding of records that report an interrupt.
fn of_records(look: &mut Context<'_>, events: &[EventId]) -> Finding {
    let line = look.line(events[0]);
    Finding {
        // Services may be stopped so when all is done.
        severity: Severity::Info,
        title: format!("Interrupted by the user: {line}"),
        ..interrupts::finding(look, events, "")
    }
}

#[cfg(test)]
mod tests {
    use super::reports;
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn an_offer_of_an_interrupt_is_none() {
        let words = Systems::builtin().words();
        for text in [
            "Received SIGINT, shutting down gracefully. Send again to force",
            "Caught signal 2, ending",
            "SIGINT received",
            "shutdown on SIGINT",
            "Keyboard interrupt received, exiting.",
            "Ctrl-C pressed",
        ] {
            assert!(reports(&words, text), "{text}");
        }
        for text in [
            "Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
            "Quit the server with CONTROL-C.",
            "installed the handler of SIGINT",
            "received signal 25",
            "received signal 15",
        ] {
            assert!(!reports(&words, text), "{text}");
        }
    }
}
