//! Remarks that always come together: at several times, records of one finding directly behind those of another one.

use widetui_core::ids::EventId;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Longest time between a cause and its effect, ns: many logs have times in whole seconds.
const AT_ONCE: i64 = NS_PER_SECOND;
/// Minimum number of separate times: one may be chance.
const TIMES: usize = 2;

/// True if records of `own` follow records of `that` at once whenever one of both occurs, at several times with a pause
/// between.
pub(crate) fn follows(look: &Context<'_>, own: &Finding, that: &Finding) -> bool {
    // A message that a definition explains says more than any other.
    if own.kind == FindingKind::Hint {
        return false;
    }
    let (own, that) = (occurrences(look, own), occurrences(look, that));
    own.len() >= TIMES && own.len() == that.len() && { that.iter().zip(&own) }
        .all(|(cause, effect)| cause < effect && effect.0 - cause.0 <= AT_ONCE)
}

/// First records, with their times (UTC ns), of the groups of records without a pause within.
fn occurrences(look: &Context<'_>, finding: &Finding) -> Vec<(i64, EventId)> {
    let events = finding.events.iter();
    let mut all: Vec<(i64, EventId)> = events
        .filter_map(|id| Some((look.time(*id)?, *id)))
        .collect();
    all.sort_unstable();
    let mut last = None;
    all.retain(|(time, _)| {
        let is_first = last.is_none_or(|last| time - last > 2 * AT_ONCE);
        last = Some(*time);
        is_first
    });
    all
}
