//! Limits that are named, and durations and sizes that exceed them.

use rustc_hash::FxHashSet;
use widetui_core::level::Level;
use widetui_core::quantity::Dimension;

use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, Measure, Record, RecordIndex, Records};
use crate::data::Word;

/// Least and greatest ratio of a need to its limit.
const RATIO: std::ops::Range<f64> = 1.02..50.0;

/// Greatest strength of a limit that no record says was exceeded.
pub const UNRELATED_LIMIT: f64 = 0.55;

/// Most limits whose needs are sought in all records.
const SCANS: usize = 30;

/// Finds limits below what is needed.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    let late: Vec<RecordIndex> = (0..)
        .zip(&records.list)
        .filter(|(_, r)| r.meanings.has(Word::Late))
        .filter(|(_, r)| {
            r.level >= Level::Warning || r.level == Level::Unknown || r.meanings.is_trouble()
        })
        .map(|(at, _)| at)
        .collect();
    let mut done: FxHashSet<(u32, u64)> = FxHashSet::default();
    let (mut out, mut scans) = (Vec::new(), 0);
    for (at, r) in (0..).zip(&records.list) {
        let limits = records
            .measures(r)
            .iter()
            .filter(|m| m.is_limit && m.value > 0.0);
        for limit in limits {
            let key = (r.template, limit.value.to_bits());
            if limit.dimension == Some(Dimension::Percent) || !done.insert(key) {
                continue;
            }
            out.extend(same_record(records, at, limit));
            scans += 1;
            // A command line names many numbers.
            let is_setting = records.measures(r).len() <= 4;
            if limit.dimension.is_some() && is_setting && !late.is_empty() && scans <= SCANS {
                out.extend(elsewhere(records, at, limit, &late));
            }
        }
        if out.len() > 20 {
            break;
        }
    }
    out
}

fn exceeds(need: f64, limit: f64) -> bool {
    RATIO.contains(&(need / limit))
}

/// Limit and need in one record.
fn same_record(records: &Records, at: RecordIndex, limit: &Measure) -> Option<Fact> {
    let r = records.record(at);
    let tells = r.level >= Level::Warning || r.meanings.has(Word::Kill) || r.meanings.is_trouble();
    let need = records
        .measures(r)
        .iter()
        .find(|m| m.dimension == limit.dimension && !m.is_limit && exceeds(m.value, limit.value))?;
    if !tells
        || records.measures(r).len() > 6
        || limit.dimension.is_none()
            && (!r.meanings.has(Word::Late) || records.measures(r).len() > 3)
    {
        return None;
    }
    let statement = Statement::Limit {
        dimension: limit.dimension,
        limit: limit.value,
        need: need.value,
        times: records.count(r.template),
    };
    let strength = if limit.dimension.is_some() { 0.8 } else { 0.6 };
    let mut fact = Fact::new(statement, strength)
        .about(records.named(r).iter().copied())
        .shown_by([at])
        .bad();
    fact.time = r.seconds();
    Some(fact)
}

/// Need in other records, and records in which something came too late or was too much.
fn elsewhere(
    records: &Records,
    at: RecordIndex,
    limit: &Measure,
    late: &[RecordIndex],
) -> Option<Fact> {
    let r = records.record(at);
    // A record of an excess names the need itself: other needs are those of its source or its instances.
    let own = records.measures(r).iter();
    let is_excess = own.filter(|m| m.dimension == limit.dimension).count() > 1;
    let is_near = move |q: &Record| {
        let shared = |i: &InstanceIndex| !records.is_place(*i) && records.named(r).contains(i);
        q.source == r.source || records.named(q).iter().any(shared)
    };
    let needs = |over: bool| {
        let others = (0u32..).zip(&records.list);
        let others = others.filter(move |(_, q)| !is_excess || is_near(q));
        others.filter_map(move |(i, q)| {
            let mut measures = records.measures(q).iter();
            let m = measures.find(|m| {
                m.dimension == limit.dimension
                    && !m.is_limit
                    && m.value > 0.0
                    && q.template != r.template
            })?;
            let is_over = exceeds(m.value, limit.value);
            (is_over == over && (over || m.value <= limit.value)).then_some((i, m.value))
        })
    };
    let (worst, need) = needs(true).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let template = records.record(worst).template;
    let same = |i: &(u32, f64)| records.record(i.0).template == template;
    let times = needs(true).filter(same).count();
    let below = needs(false).filter(same).count();
    let is_time = limit.dimension == Some(Dimension::Time);
    let is_related = |l: &RecordIndex| is_near(records.record(*l));
    let hit = late
        .iter()
        .copied()
        .filter(|l| !is_time || *l != at)
        .find(is_related);
    let known =
        0.35 + 0.2 * f64::from(u8::from(below > 0)) + 0.1 * f64::from(u8::from(times < below));
    // Without a record of an excess two numbers may have nothing to do with each other.
    let strength = match hit {
        Some(_) => known + 0.3,
        None => known.min(UNRELATED_LIMIT),
    };
    let statement = Statement::Limit {
        dimension: limit.dimension,
        limit: limit.value,
        need,
        times: times as u32,
    };
    let worst_named = records.named(records.record(worst)).iter().take(3).copied();
    let named = records.named(r).iter().take(3).copied();
    let mut fact = Fact::new(statement, strength)
        .about(named.chain(worst_named))
        .shown_by([at, worst].into_iter().chain(hit));
    fact.subject = None;
    fact.count = times as u32;
    fact.time = r.seconds();
    Some(fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::made;

    #[test]
    fn a_time_out_below_what_is_needed_is_found() {
        let records = made(
            "1 client.log INFO request timeout 2 s
             2 server.log INFO rows=100 answered in 0.4 s
             3 server.log INFO rows=120 answered in 0.5 s
             9 server.log INFO rows=1300 answered in 3.2 s
             5 client.log ERROR no answer, giving up",
        );
        let facts = find(&records);
        assert_eq!(facts.len(), 1);
        assert!(
            matches!(facts[0].statement, Statement::Limit { limit, need, times: 1, .. } if limit == 2.0 && need == 3.2)
        );
    }

    #[test]
    fn a_record_of_an_excess_has_no_need_elsewhere() {
        let records = made(
            "1 worker.log task 9 went over its time limit: 3.1 s > 3.1 s
             2 manager.log done in 6.1 s
             3 worker.log task 9 killed, took too long",
        );
        assert!(find(&records).is_empty());
    }

    #[test]
    fn a_limit_that_holds_is_none() {
        let records =
            made("1 c.log INFO timeout 5 s\n2 c.log INFO answered in 3 s\n3 c.log ERROR refused");
        assert!(find(&records).is_empty());
    }
}
