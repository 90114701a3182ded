//! Programs that had stood still before a stop from outside: the interrupt of a program that hangs is no cause.

use widetui_core::ids::EventId;
use widetui_core::words::cut;
use widetui_time::time::{NS_PER_SECOND, format_span};

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Shortest stall, ns.
const SHORTEST: i64 = 10 * NS_PER_SECOND;
/// Minimum factor between a stall and the longest pause before it.
const TIMES: i64 = 2;
/// Time before an interrupt in which its program may report it, ns.
const AT_ONCE: i64 = NS_PER_SECOND;
/// Maximum number of records before an interrupt that are read.
const READ: u32 = 2_000;
/// Maximum length of the last line, characters.
const LINE: usize = 120;

/// Adds to interrupts how long the interrupted program had written nothing.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) {
    let interrupts = findings
        .iter_mut()
        .filter(|f| f.kind == FindingKind::Interrupted);
    for finding in interrupts {
        let first = finding.evidence.first().copied();
        let Some((last, stall)) = first.and_then(|first| before(look, first)) else {
            continue;
        };
        finding.is_after_stall = true;
        finding.text += &format!(
            " It had written nothing for {} before, since \"{}\": it may have been interrupted because it hung.",
            format_span(stall),
            cut(&look.line(last), LINE)
        );
        finding.next = "What did it wait for after its last record: the warnings before, the logs of the processes that it waits for?"
            .to_owned();
        finding.evidence.push(last);
        finding.events.push(last);
    }
}

/// Last record of a program before its interrupt, and the time from it to the interrupt, ns, if that is much longer than the
/// pauses before.
fn before(look: &Context<'_>, interrupt: EventId) -> Option<(EventId, i64)> {
    let snapshot = look.snapshot;
    let own = snapshot.event(interrupt)?;
    let (source, end) = (own.source().id, own.time()?);
    let times = (1..=READ).map_while(|far| {
        let id = EventId(interrupt.0.checked_sub(far)?);
        let event = snapshot.event(id).filter(|e| e.source().id == source)?;
        Some((id, event.time()))
    });
    let times = times.filter_map(|(id, time)| Some((id, time?)));
    let times: Vec<(EventId, i64)> = times
        .filter(|(_, time)| *time < end.saturating_sub(AT_ONCE))
        .collect();
    let (last, time) = *times.first()?;
    let stall = end.saturating_sub(time);
    let pauses = times
        .windows(2)
        .map(|pair| pair[0].1.saturating_sub(pair[1].1));
    let longest = pauses.max().unwrap_or(0);
    (stall >= SHORTEST && stall >= longest.saturating_mul(TIMES)).then_some((last, stall))
}
