//! Silences of the whole run, and clocks that step.

use widetui_core::level::Level;

use super::fact::{Fact, Statement};
use crate::actors::{RecordIndex, Records};

/// Shortest silence, s.
const SHORTEST: f64 = 30.0;
/// Longest silence within a run, s: longer ones lie between two runs.
const LONGEST: f64 = 20.0 * 86_400.0;
/// Smallest step of a clock, s.
const STEP: f64 = 1.0;

/// Finds the longest silence, and steps of clocks.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    silence(records).into_iter().chain(steps(records)).collect()
}

fn silence(records: &Records) -> Option<Fact> {
    let dated: Vec<(f64, RecordIndex)> = (0..records.list.len() as u32)
        .filter_map(|r| Some((records.record(r).seconds()?, r)))
        .collect();
    let mut gaps: Vec<(f64, RecordIndex, RecordIndex)> = dated
        .windows(2)
        .map(|w| (w[1].0 - w[0].0, w[0].1, w[1].1))
        .collect();
    if gaps.len() < 4 {
        return None;
    }
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let ((seconds, before, after), next) = (gaps[0], gaps[1].0.max(1.0));
    if !(SHORTEST..LONGEST).contains(&seconds) || seconds < 8.0 * next {
        return None;
    }
    let strength = (0.3 + 0.1 * (seconds / next).ln()).min(0.75);
    let r = records.record(before);
    let named = records
        .named(r)
        .iter()
        .copied()
        .filter(|i| !records.is_place(*i))
        .take(2);
    let mut fact = Fact::new(Statement::Silence { seconds }, strength)
        .about(named)
        .shown_by([before, after]);
    fact.time = r.seconds();
    Some(fact)
}

/// Sources whose times step back in the order of the file.
fn steps(records: &Records) -> Vec<Fact> {
    let mut out = Vec::new();
    for all in &records.of_source {
        let mut own: Vec<RecordIndex> = all.clone();
        own.sort_by_key(|r| records.record(*r).event);
        let timed: Vec<(f64, RecordIndex)> = own
            .into_iter()
            .filter_map(|at| Some((records.record(at).seconds()?, at)))
            .collect();
        // One record that is late is written late: with a clock that is set back the next is, too.
        let back = timed.windows(3).filter_map(|of| match of {
            [before, at, next] if before.0 - at.0 >= STEP && next.0 < before.0 => {
                Some((before.0 - at.0, at.1, before.1))
            }
            _ => None,
        });
        let back: Vec<(f64, RecordIndex, RecordIndex)> = back.collect();
        let n = back.len();
        let worst = back
            .into_iter()
            .reduce(|worst, next| if next.0 > worst.0 { next } else { worst });
        // Many steps back are threads or another order, not a clock.
        if let Some((seconds, at, before)) = worst.filter(|w| n <= 3 && w.0 >= 2.0) {
            let r = records.record(at);
            if r.level >= Level::Error {
                continue;
            }
            let mut fact = Fact::new(Statement::ClockStep { seconds: -seconds }, 0.7)
                .about([r.actor])
                .shown_by([at, before]);
            fact.time = r.seconds();
            out.push(fact);
        }
    }
    out.truncate(5);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::made;

    #[test]
    fn a_clock_that_is_set_back_is_found() {
        let facts = find(&made(
            "1 a.log INFO a\n20 a.log INFO b\n9 a.log INFO c\n10 a.log INFO d\n21 a.log INFO e",
        ));
        assert!(
            facts
                .iter()
                .any(|f| matches!(f.statement, Statement::ClockStep { .. }))
        );
    }

    #[test]
    fn records_in_the_order_of_their_ends_are_no_step() {
        let facts = find(&made(
            "5 a.log INFO a\n9 a.log INFO b\n2 a.log INFO c\n11 a.log INFO d\n12 a.log INFO e",
        ));
        assert!(facts.is_empty());
    }

    #[test]
    fn a_long_silence_is_found() {
        let facts = find(&made(
            "1 a.log INFO a\n2 a.log INFO b\n3 a.log INFO c\n400 a.log INFO d\n401 a.log INFO e\n402 a.log INFO f",
        ));
        assert!(matches!(facts[0].statement, Statement::Silence { seconds } if seconds == 397.0));
    }
}
