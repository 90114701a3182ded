//! Instances that the failed of a class share and the others do not have: a host, a version, an input.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_core::level::Level;

use super::courses::{Course, last_of};
use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, RecordIndex, Records};
use crate::data::Data;

/// Least strength of a contrast.
const LEAST: f64 = 0.6;

/// Finds what distinguishes the failed.
pub(super) fn find(records: &Records, courses: &[Course]) -> Vec<Fact> {
    courses
        .iter()
        .filter_map(|course| contrast(records, course))
        .collect()
}

fn contrast(records: &Records, course: &Course) -> Option<Fact> {
    let is_specific = !matches!(
        records.text(course.class),
        "pid" | "thread" | "log" | "file" | "host"
    );
    if course.members.len() < 5 || !is_specific {
        return None;
    }
    let fails = |r: &RecordIndex| {
        let r = records.record(*r);
        r.level >= Level::Error || r.meanings.is_trouble() && r.level != Level::Debug
    };
    let has_failed = |m: &&InstanceIndex| {
        let ends_well = last_of(records, **m).is_some_and(|r| records.record(r).meanings.is_good());
        !ends_well && records.of(**m).iter().any(fails)
    };
    let (bad, good): (Vec<InstanceIndex>, Vec<InstanceIndex>) =
        course.members.iter().copied().partition(|m| has_failed(&m));
    if bad.len() < 2 || good.len() < 3 || 5 * bad.len() > 3 * course.members.len() {
        return None;
    }
    let shared = |members: &[InstanceIndex]| {
        let mut count: FxHashMap<InstanceIndex, u32> = FxHashMap::default();
        for m in members {
            // What the failure itself names is no contrast.
            let own = records.of(*m).iter().filter(|r| !fails(r));
            let named: FxHashSet<InstanceIndex> = own
                .flat_map(|r| records.named(records.record(*r)).iter().copied())
                .collect();
            for i in named
                .into_iter()
                .filter(|i| records.instance(*i).class != course.class)
            {
                *count.entry(i).or_default() += 1;
            }
        }
        count
    };
    let (of_bad, of_good) = (shared(&bad), shared(&good));
    let n = bad.len() as f64;
    let strength = |i: InstanceIndex| {
        let bad = f64::from(of_bad.get(&i).copied().unwrap_or(0)) / n;
        let good = f64::from(of_good.get(&i).copied().unwrap_or(0)) / good.len() as f64;
        bad * (1.0 - good) * (1.0 - 0.5f64.powf(n - 1.0))
    };
    // Truth values and web pages are properties of the message.
    let is_name = |value: &str| !matches!(value, "true" | "false") && !value.contains("://");
    let is_cause = |i: &InstanceIndex| {
        let class = records.class(*i);
        let last = class.rsplit(['.', '_']).next().unwrap_or(class);
        of_bad[i] >= 2
            && is_name(&records.value(*i).to_lowercase())
            && !class.contains("thread")
            && class != "pid"
            && !Data::get().lists("states", last)
    };
    let mut all: Vec<InstanceIndex> = of_bad.keys().copied().filter(is_cause).collect();
    // Of equal ones a place or a setting, not a log.
    all.sort_by(|a, b| {
        strength(*b)
            .total_cmp(&strength(*a))
            .then((records.class(*a) == "log").cmp(&(records.class(*b) == "log")))
            .then(a.cmp(b))
    });
    let best = *all.first()?;
    let s = strength(best);
    if s < LEAST {
        return None;
    }
    let also = all.iter().copied().filter(|i| strength(*i) == s).take(4);
    let with = of_bad[&best];
    let shown = records
        .of(best)
        .iter()
        .copied()
        .filter(|r| !fails(r))
        .take(1);
    let statement = Statement::Contrast {
        failed: with,
        of: bad.len() as u32,
        others: of_good.get(&best).copied().unwrap_or(0),
    };
    let mut fact = Fact::new(statement, s)
        .about(also)
        .affecting(bad.iter().copied())
        .shown_by(shown.chain(bad.iter().filter_map(|m| last_of(records, *m)).take(2)));
    fact.time = fact
        .records
        .first()
        .and_then(|r| records.record(*r).seconds());
    Some(fact)
}

#[cfg(test)]
mod tests {
    use super::super::courses::courses;
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn the_host_of_the_failed_is_found() {
        let mut text = String::new();
        for i in 0..15 {
            let host = i % 5;
            let end = if host == 4 {
                "ERROR unit {i} failed: checksum differs"
            } else {
                "INFO unit {i} done"
            };
            text += &format!(
                "{i}.0 f.log INFO unit {i} on host h{host}, solver 3.1.{}\n",
                if host == 4 { 4 } else { 2 }
            );
            text += &format!("{i}.5 f.log {}\n", end.replace("{i}", &i.to_string()));
        }
        let records = made(&text);
        let facts = find(&records, &courses(&records));
        let names: Vec<String> = facts[0]
            .instances
            .iter()
            .map(|i| name(&records, *i))
            .collect();
        assert!(
            names.iter().any(|n| n.ends_with("h4")) && names.iter().any(|n| n.ends_with("3.1.4")),
            "{names:?}"
        );
    }
}
