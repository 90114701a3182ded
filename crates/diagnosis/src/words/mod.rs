//! Words of findings: the only place that makes sentences of facts.

mod advice;
mod explained;
mod sentences;
mod summary;

use widetui_core::words::several;
use widetui_definition::semantics::Severity;
use widetui_store::EventRef;
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

use crate::finding::Finding;

pub(crate) use sentences::Writer;
pub(crate) use summary::{summary, unknown};

/// Heading of the suggested next step.
pub const NEXT: &str = "Next:";
/// Heading of the address of documentation.
pub const MORE: &str = "More:";
/// Heading of informational findings.
pub const WORTH_KNOWING: &str = "worth knowing";
/// Heading of the limits of the data.
pub const UNKNOWN: &str = "not known from these logs";

/// Number of occurrences; empty for one.
pub fn times(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        n => format!("{n} times"),
    }
}

/// Title of a finding with the number of records, unless the title contains a count of its own.
pub fn counted(finding: &Finding) -> String {
    let title = &finding.title;
    match times(finding.count) {
        times if !times.is_empty() && !finding.counts_itself() => format!("{title} ({times})"),
        _ => title.clone(),
    }
}

/// First line of a message that is not blank.
pub fn first_line(message: &str) -> &str {
    let line = message.lines().map(str::trim).find(|l| !l.is_empty());
    line.unwrap_or_default()
}

/// Date and time of an event at the resolution of its source.
pub fn moment(event: &EventRef<'_>, zone: &Zone) -> Option<String> {
    let digits = if event.source().coarse { 0 } else { 3 };
    let time = event.time()?;
    Some(format_datetime(time, zone.offset_at_utc(time), digits))
}

/// Number of findings by severity: `2 errors, 1 warning`.
pub fn heading(findings: &[Finding]) -> String {
    let of = |severity| findings.iter().filter(|f| f.severity == severity).count();
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => "no error, no warning".to_owned(),
        (0, n) => several(n, "warning"),
        (n, 0) => several(n, "error"),
        (n, m) => format!("{}, {}", several(n, "error"), several(m, "warning")),
    }
}
