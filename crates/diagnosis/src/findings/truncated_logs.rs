//! Findings of truncated logs and archives: the reader must know first which events are missing.

use crate::unfinished::model::Cut;
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// A finding for each truncated source that holds logs.
pub(crate) fn look(look: &Context<'_>) -> Vec<Finding> {
    let cuts = look.hung.cuts.iter().filter(|cut| !cut.logs.is_empty());
    cuts.map(|cut| finding(look, cut)).collect()
}

fn finding(look: &Context<'_>, cut: &Cut) -> Finding {
    let ends = cut.ends(&look.hung.runs, &look.clock).unwrap_or_default();
    let is_alone = cut.logs.iter().all(|log| log.source == cut.source);
    let behind = match is_alone {
        true => "",
        false => " Logs that stand behind it in the archive are missing.",
    };
    let logs = cut.logs.iter();
    let is_run = |run: &widetui_analysis::runs::Run| {
        let own = run.main_source.map(|own| own.0);
        cut.logs.iter().any(|log| Some(log.source) == own)
    };
    // Without the main log of a run the result of its work is unknown.
    let severity = match look
        .hung
        .runs
        .iter()
        .any(|r| is_run(r) && r.work_items.1 > 0)
    {
        true => Severity::Error,
        false => Severity::Warning,
    };
    Finding {
        text: format!(
            "It says: {}. What these logs would tell of later is not known, so that something has no end in them does not mean \
             that it did not end.{behind}",
            cut.problem
        ),
        evidence: logs.clone().filter_map(|log| log.last_event).collect(),
        events: Vec::new(),
        count: 1,
        first: logs.filter_map(|log| log.last).min(),
        next: format!(
            "Fetch {} once more, and compare its size with that of the original.",
            cut.path
        ),
        ..Finding::new(
            FindingKind::Cut,
            severity,
            format!("{}: {ends}", cut.title()),
        )
    }
}
