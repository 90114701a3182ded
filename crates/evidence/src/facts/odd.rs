//! One of many alike that differs: in a number, in its log, in a setting.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_core::level::Level;

use super::courses::Course;
use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, RecordIndex, Records};

/// Least number of instances that are compared.
const LEAST: usize = 5;
/// Most facts of one kind.
const MOST: usize = 8;

/// Value of one instance.
#[derive(Clone, Copy)]
struct Point {
    value: f64,
    at: RecordIndex,
    instance: InstanceIndex,
    /// True if the number is that of an instance which the record names.
    is_id: bool,
}

/// Finds odd ones.
pub(super) fn find(records: &Records, courses: &[Course]) -> Vec<Fact> {
    let mut out = numbers(records);
    out.truncate(MOST);
    out.extend(missing_logs(records));
    out.extend(versions(records));
    out.extend(repeats(records, courses));
    out
}

/// Numbers at one place of a template, each of another instance.
fn numbers(records: &Records) -> Vec<Fact> {
    let mut slots: FxHashMap<(u32, u32, u16, u32), Vec<Point>> = FxHashMap::default();
    for (at, r) in (0..).zip(&records.list) {
        if r.level >= Level::Error {
            continue;
        }
        let own = records
            .named(r)
            .iter()
            .copied()
            .find(|i| !records.is_place(*i) && records.class(*i) != "pid");
        let instance = match own {
            Some(i) => i,
            None => r.actor,
        };
        let group = records
            .group_of_source
            .get(r.source as usize)
            .copied()
            .unwrap_or_default();
        for m in records.measures(r).iter().filter(|m| !m.is_limit) {
            let is_named = |i: &InstanceIndex| records.value(*i).parse() == Ok(m.value);
            let point = Point {
                is_id: records.named(r).iter().any(is_named),
                value: m.value,
                at,
                instance,
            };
            slots
                .entry((group, r.template, m.slot, m.class))
                .or_default()
                .push(point);
        }
    }
    let mut slots: Vec<_> = slots
        .into_iter()
        .filter(|(_, p)| p.len() >= LEAST)
        .collect();
    slots.sort_by_key(|(key, _)| *key);
    let mut facts: Vec<Fact> = slots
        .into_iter()
        .filter_map(|(_, points)| odd(records, points))
        .collect();
    facts.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    facts
}

fn odd(records: &Records, mut points: Vec<Point>) -> Option<Fact> {
    let instances: FxHashSet<InstanceIndex> = points.iter().map(|p| p.instance).collect();
    let ids = points.iter().filter(|p| p.is_id).count();
    if instances.len() < LEAST || ids * 2 > points.len() {
        return None;
    }
    points.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.at.cmp(&b.at)));
    let n = points.len();
    let (low, next, before, high) = (points[0], points[1], points[n - 2], points[n - 1]);
    let all_but = |v: f64| points.iter().filter(|p| p.value == v).count() == n - 1;
    let (odd, others, strength) = if all_but(low.value) && high.value > low.value {
        (high, (low.value, low.value), 0.65 * (1.0 - 1.0 / n as f64))
    } else if all_but(high.value) && low.value < high.value {
        (low, (high.value, high.value), 0.65 * (1.0 - 1.0 / n as f64))
    } else if n >= 6 && low.value == 0.0 && next.value > 5.0 && high.value < 20.0 * next.value {
        (low, (next.value, high.value), 0.7)
    } else if n >= 6
        && next.value > 0.0
        && low.value >= 0.0
        && 5.0 * low.value < next.value
        && high.value < 4.0 * next.value
    {
        (low, (next.value, high.value), 0.65)
    } else if n >= 8
        && low.value > 0.0
        && before.value < 4.0 * low.value
        && high.value > 8.0 * before.value
    {
        (high, (low.value, before.value), 0.65)
    } else {
        return None;
    };
    let statement = Statement::Odd {
        value: odd.value,
        others,
        of: n as u32 - 1,
    };
    let r = records.record(odd.at);
    let example = points.iter().find(|p| p.at != odd.at).map(|p| p.at);
    let named = records
        .named(r)
        .iter()
        .copied()
        .filter(|i| !records.is_place(*i))
        .take(3);
    let mut fact = Fact::new(statement, strength)
        .about([odd.instance].into_iter().chain(named))
        .shown_by([odd.at].into_iter().chain(example));
    fact.time = r.seconds();
    Some(fact)
}

/// Instances without a log where all others of their class have one.
fn missing_logs(records: &Records) -> Vec<Fact> {
    let mut out = Vec::new();
    let mut classes: Vec<(&u32, &Vec<InstanceIndex>)> = records.classes.iter().collect();
    classes.sort_unstable();
    for (class, all) in classes {
        let (own, without): (Vec<InstanceIndex>, Vec<InstanceIndex>) = all
            .iter()
            .partition(|i| records.instance(**i).source.is_some());
        if records.text(*class) == "log"
            || own.len() < 3
            || without.is_empty()
            || without.len() * 3 > own.len()
        {
            continue;
        }
        let shown = records.of(without[0]).iter().copied().take(2);
        let n = own.len() as f64;
        let statement = Statement::Absent {
            of: own.len() as u32,
        };
        let mut fact = Fact::new(statement, 0.75 * (1.0 - 1.0 / n))
            .about(without.iter().copied())
            .shown_by(shown);
        fact.time = fact
            .records
            .first()
            .and_then(|r| records.record(*r).seconds());
        out.push(fact);
    }
    out
}

/// Two sides that name another version in the same words.
fn versions(records: &Records) -> Vec<Fact> {
    let mut of: FxHashMap<u32, FxHashMap<u64, Vec<RecordIndex>>> = FxHashMap::default();
    for (at, r) in (0..).zip(&records.list) {
        for m in records.measures(r) {
            let word = records.text(m.class);
            if matches!(
                word,
                "version"
                    | "protocol"
                    | "schema"
                    | "format"
                    | "api"
                    | "release"
                    | "revision"
                    | "abi"
            ) {
                of.entry(m.class)
                    .or_default()
                    .entry(m.value.to_bits())
                    .or_default()
                    .push(at);
            }
        }
    }
    let mut out = Vec::new();
    for values in of.into_values().filter(|v| v.len() == 2) {
        let mut sides = values.into_values();
        let (Some(a), Some(b)) = (sides.next(), sides.next()) else {
            continue;
        };
        let sources = |all: &[RecordIndex]| {
            all.iter()
                .map(|r| records.record(*r).source)
                .collect::<FxHashSet<_>>()
        };
        if !sources(&a).is_disjoint(&sources(&b)) {
            continue;
        }
        let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let actor = records.record(few[0]).actor;
        out.push(
            Fact::new(Statement::Differs, 0.65)
                .about([actor])
                .shown_by([few[0], many[0]]),
        );
    }
    out
}

/// One that takes a step again and again where others take it once.
fn repeats(records: &Records, courses: &[Course]) -> Vec<Fact> {
    let mut out = Vec::new();
    let is_named = |c: &&Course| {
        !matches!(
            records.text(c.class),
            "pid" | "id" | "file" | "name" | "log" | "address"
        )
    };
    let courses = courses
        .iter()
        .filter(|c| c.members.len() >= 4 && c.members.len() <= 5_000);
    for course in courses.filter(is_named) {
        let mut count: FxHashMap<u32, Vec<(u32, InstanceIndex)>> = FxHashMap::default();
        for m in &course.members {
            let mut own: FxHashMap<u32, u32> = FxHashMap::default();
            let is_first = |r: &&u32| {
                let named = records.named(records.record(**r)).iter();
                named
                    .copied()
                    .find(|i| records.instance(*i).class == course.class)
                    == Some(*m)
            };
            for r in records.of(*m).iter().filter(is_first) {
                *own.entry(records.record(*r).template).or_default() += 1;
            }
            own.into_iter()
                .for_each(|(t, n)| count.entry(t).or_default().push((n, *m)));
        }
        let mut count: Vec<_> = count.into_iter().collect();
        count.sort_by_key(|(t, _)| *t);
        for (template, mut all) in count {
            all.sort_unstable();
            let Some(((times, odd), rest)) = all.split_last() else {
                continue;
            };
            let usual = rest.last().map_or(0, |r| r.0);
            if *times < 5 || *times < 5 * usual.max(1) || rest.len() * 2 < course.members.len() {
                continue;
            }
            let at = records
                .of(*odd)
                .iter()
                .copied()
                .filter(|r| records.record(*r).template == template);
            let at: Vec<RecordIndex> = at.collect();
            let statement = Statement::Restarts { times: *times };
            let mut fact = Fact::new(statement, 0.5)
                .about([*odd])
                .shown_by(at.iter().copied().take(2));
            fact.time = at.first().and_then(|r| records.record(*r).seconds());
            fact.count = *times;
            out.push(fact);
        }
    }
    out.truncate(MOST);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};

    fn shards(odd: usize, value: u32) -> Records {
        let lines: Vec<String> = (0..8)
            .map(|i| {
                format!(
                    "{i} shard-{i}.log INFO wrote {} bytes",
                    if i == odd {
                        value
                    } else {
                        8900 + 10 * i as u32
                    }
                )
            })
            .collect();
        made(&lines.join("\n"))
    }

    #[test]
    fn nothing_where_others_have_thousands_is_odd() {
        let records = shards(5, 0);
        let facts = find(&records, &[]);
        assert_eq!(facts.len(), 1);
        assert_eq!(name(&records, facts[0].subject.unwrap()), "shard 5");
        assert!(matches!(
            facts[0].statement,
            Statement::Odd { value: 0.0, .. }
        ));
    }

    #[test]
    fn values_alike_are_not_odd() {
        assert!(find(&shards(5, 8800), &[]).is_empty());
    }

    #[test]
    fn the_number_of_a_task_is_no_measure() {
        let text: String = (0..10)
            .map(|i| {
                let n = if i == 3 { 20 } else { 184 + i };
                format!(
                    "{i} dfk.log INFO Task {n} submitted, waiting on task {}\n",
                    n - 1
                )
            })
            .collect();
        assert!(find(&made(&text), &[]).is_empty());
    }

    #[test]
    fn who_has_no_log_is_odd() {
        let mut text: String = (0..6)
            .filter(|i| *i != 3)
            .map(|i| format!("2 worker-{i}.log INFO up\n"))
            .collect();
        text += &(0..6)
            .map(|i| format!("1 pool.log INFO starting worker {i}\n"))
            .collect::<String>();
        let records = made(&text);
        let facts = find(&records, &[]);
        let absent = facts
            .iter()
            .find(|f| matches!(f.statement, Statement::Absent { .. }))
            .unwrap();
        assert_eq!(name(&records, absent.subject.unwrap()), "worker 3");
    }
}
