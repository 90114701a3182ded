//! Instances that another source reports as ended, and that never write again.

use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, Record, RecordIndex, Records};
use crate::data::Word;
use widetui_core::level::Level;

/// Longest time between the last record of a process and the report of its end, s.
const LONGEST: f64 = 600.0;
/// Time after the report of its end in which a process may still write, s.
const MOMENT: f64 = 1.5;

/// Finds instances that were ended from outside.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    let mut out = Vec::new();
    for (at, r) in (0..).zip(&records.list) {
        let (Some(time), true) = (r.seconds(), r.meanings.has(Word::Kill)) else {
            continue;
        };
        if r.level == Level::Debug || r.meanings.has(Word::Interrupt) {
            continue;
        }
        for i in records.named(r).iter().copied() {
            if records.is_place(i) || records.class(i) == "log" || i == r.actor {
                continue;
            }
            if let Some(last) = last_own(records, i, r.source, time) {
                let fact = fact(records, at, i, last);
                // A program that ends its parts as it ends itself says so, too.
                if fact.strength > 0.35 || r.level >= Level::Warning {
                    out.push(fact);
                }
                break;
            }
        }
    }
    out
}

/// Last record that an instance wrote in another source, if it wrote none after this time.
fn last_own(records: &Records, i: InstanceIndex, source: u32, time: f64) -> Option<RecordIndex> {
    let value = records.instance(i).value;
    let others: Vec<RecordIndex> = records
        .of(i)
        .iter()
        .copied()
        .filter(|r| records.record(*r).source != source)
        .collect();
    // All by one writer: the writer is the instance.
    let actor = records.record(*others.first()?).actor;
    let is_writer = others.len() >= 2 && others.iter().all(|r| records.record(*r).actor == actor);
    let is_own = |r: &RecordIndex| {
        let r = records.record(*r);
        r.actor == i || r.pid == Some(value) || is_writer
    };
    let own: Vec<RecordIndex> = others.into_iter().filter(is_own).collect();
    let last = *own.last()?;
    let r = records.record(last);
    let until = r.seconds()?;
    // The process that wrote it goes on under another name.
    let is_of_process = |later: &&Record| match r.pid {
        Some(pid) => later.pid == Some(pid),
        None => later.actor == r.actor,
    };
    let of_log = records.of_source.get(r.source as usize)?.iter().rev();
    let goes_on = { of_log.map(|at| records.record(*at)) }
        .find(is_of_process)
        .and_then(Record::seconds)
        .is_some_and(|later| later > time + MOMENT);
    if goes_on {
        return None;
    }
    let is_near = until <= time + MOMENT && time - until <= LONGEST;
    (is_near && !r.meanings.has(Word::Well)).then_some(last)
}

fn fact(records: &Records, at: RecordIndex, i: InstanceIndex, last: RecordIndex) -> Fact {
    let (r, own) = (records.record(at), records.record(last));
    let text = records.text(r.template).to_lowercase();
    let is_hard = ["kill", "oom", "evict", "preempt", "sigterm", "signal"]
        .iter()
        .any(|w| text.contains(w));
    let often = f64::from(records.count(r.template)).max(2.0) - 1.0;
    let strength = if is_hard { 0.92 } else { 0.3 } / often.sqrt();
    let doing = records
        .named(own)
        .iter()
        .copied()
        .filter(|x| *x != i && !records.is_place(*x));
    let doing: Vec<InstanceIndex> = doing.filter(|x| records.class(*x) != "pid").collect();
    let mut fact = Fact::new(Statement::Killed, strength)
        .about([i].into_iter().chain(doing.iter().copied()))
        .affecting(doing)
        .shown_by([at, last]);
    fact.is_bad = is_hard && !own.meanings.is_good();
    fact.time = r
        .seconds()
        .into_iter()
        .chain(own.seconds())
        .reduce(f64::min);
    fact
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn a_guard_names_whom_it_killed() {
        let records = made(
            "1 worker-16494.log INFO [16494] granule 1
             2 worker-16496.log INFO [16496] granule 7
             3 memguard.log INFO rss 911 MB of 16496, sent SIGKILL
             4 worker-16494.log INFO [16494] granule 2",
        );
        let facts = find(&records);
        assert_eq!(facts.len(), 1);
        assert_eq!(name(&records, facts[0].subject.unwrap()), "worker 16496");
        assert_eq!(name(&records, facts[0].affected[0]), "granule 7");
    }

    #[test]
    fn a_process_that_goes_on_under_another_name_was_not_killed() {
        let records = made(
            "1 pool.log INFO [16494] runner 3 up
             3 memguard.log INFO sent SIGKILL to runner 3
             9 pool.log INFO [16494] heartbeat",
        );
        assert!(find(&records).is_empty());
    }

    #[test]
    fn who_writes_on_was_not_killed() {
        let records = made(
            "1 worker-16494.log INFO [16494] granule 1
             1 worker-16496.log INFO [16496] granule 7
             3 memguard.log INFO rss 911 MB of 16496, sent SIGKILL
             9 worker-16496.log INFO [16496] granule 8",
        );
        assert!(find(&records).is_empty());
    }
}
