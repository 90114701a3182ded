//! Interrupts by the user.

use widetui_core::level::Level;

use super::fact::{Fact, Statement};
use crate::actors::{RecordIndex, Records};
use crate::data::Word;

/// Finds the interrupt of a run.
pub(super) fn find(records: &Records) -> Option<Fact> {
    let is_hit = |at: &RecordIndex| {
        let r = records.record(*at);
        let raised = r.exception.as_ref().is_some_and(|e| e.is_interrupt);
        raised || r.meanings.has(Word::Interrupt) && r.level != Level::Debug
    };
    let hits: Vec<RecordIndex> = (0..records.list.len() as u32).filter(is_hit).collect();
    let first = *hits.first()?;
    let r = records.record(first);
    let raised = hits
        .iter()
        .copied()
        .find(|h| records.record(*h).exception.is_some());
    let mut fact = Fact::new(Statement::Interrupt, 0.85)
        .about(
            records
                .named(r)
                .iter()
                .copied()
                .filter(|i| !records.is_place(*i))
                .take(2),
        )
        .shown_by(
            [first]
                .into_iter()
                .chain(raised)
                .chain(hits.iter().copied().take(3)),
        );
    fact.subject = None;
    fact.time = hits.iter().find_map(|h| records.record(*h).seconds());
    fact.count = hits.len() as u32;
    Some(fact)
}

/// Weakens interrupts and ends from outside that came after a failure, and those of a run in which nothing failed.
pub(super) fn weaken(facts: &mut [Fact]) {
    let is_interrupt = |f: &Fact| matches!(f.statement, Statement::Interrupt | Statement::Killed);
    let is_strong =
        |f: &&Fact| f.is_bad && f.recovered < 0.5 && f.strength >= 0.6 && !is_interrupt(f);
    let first = facts
        .iter()
        .filter(is_strong)
        .filter_map(|f| f.time)
        .reduce(f64::min);
    for fact in facts.iter_mut().filter(|f| is_interrupt(f)) {
        if fact
            .time
            .zip(first)
            .is_some_and(|(at, first)| first < at - 0.5)
        {
            fact.strength *= 0.3;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::made;

    #[test]
    fn an_interrupt_after_a_failure_is_a_consequence() {
        let records = made("1 a.log INFO step 1\n9 a.log INFO received SIGINT, stopping");
        let interrupt = find(&records).unwrap();
        let mut before = Fact::new(Statement::Error, 0.9).bad();
        before.time = Some(1.0);
        let mut all = [before, interrupt.clone()];
        weaken(&mut all);
        assert!(all[1].strength < interrupt.strength);
    }
}
