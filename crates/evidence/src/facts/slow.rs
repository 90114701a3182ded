//! Steps that take longer for one instance, or at one place, than elsewhere.

use rustc_hash::FxHashMap;

use super::courses::Course;
use super::fact::{Fact, Statement};
use crate::actors::{Form, InstanceIndex, RecordIndex, Records};

/// Least ratio to the usual duration.
const RATIO: f64 = 3.0;
/// Least difference from the usual duration, s.
const DIFFERENCE: f64 = 0.2;

/// Step of a member between two records.
#[derive(Clone, Copy)]
struct Step {
    seconds: f64,
    member: InstanceIndex,
    from: RecordIndex,
    to: RecordIndex,
}

/// Slow steps at one place.
struct Group {
    strength: f64,
    place: InstanceIndex,
    steps: Vec<Step>,
    usual: f64,
    others: u32,
}

/// Finds slow steps. The strength grows with the ratio to the usual duration, less the spread of the others, and with the
/// number of steps.
pub(super) fn find(records: &Records, courses: &[Course]) -> Vec<Fact> {
    let mut best: FxHashMap<(RecordIndex, usize), Group> = FxHashMap::default();
    for course in courses {
        let mut pairs: FxHashMap<(u32, u32), Vec<Step>> = FxHashMap::default();
        for m in &course.members {
            for w in records.of(*m).windows(2) {
                let (a, b) = (records.record(w[0]), records.record(w[1]));
                let (Some(from), Some(to)) = (a.seconds(), b.seconds()) else {
                    continue;
                };
                if a.template != b.template && a.source == b.source {
                    let step = Step {
                        seconds: to - from,
                        member: *m,
                        from: w[0],
                        to: w[1],
                    };
                    pairs
                        .entry((a.template, b.template))
                        .or_default()
                        .push(step);
                }
            }
        }
        for steps in pairs.into_values().filter(|s| s.len() >= 5) {
            for group in groups(records, steps) {
                let key = (group.steps[0].to, group.steps.len());
                let is_better = best.get(&key).is_none_or(|b| b.strength < group.strength);
                if is_better {
                    best.insert(key, group);
                }
            }
        }
    }
    let mut groups: Vec<Group> = best.into_values().collect();
    groups.sort_by(|a, b| {
        b.strength
            .total_cmp(&a.strength)
            .then(a.place.cmp(&b.place))
    });
    let mut taken: Vec<RecordIndex> = Vec::new();
    let mut out = Vec::new();
    for g in groups {
        if out.len() >= 6 || g.steps.iter().any(|s| taken.contains(&s.to)) {
            continue;
        }
        taken.extend(g.steps.iter().map(|s| s.to));
        let seconds = g.steps[g.steps.len() / 2].seconds;
        let times = g.steps.len() as u32;
        let statement = Statement::Slow {
            seconds,
            usual: g.usual,
            times,
            others: g.others,
        };
        let slowest = g.steps[0];
        let mut fact = Fact::new(statement, g.strength)
            .about(
                [g.place]
                    .into_iter()
                    .chain(g.steps.iter().map(|s| s.member)),
            )
            .shown_by([slowest.to, slowest.from]);
        fact.count = times;
        fact.time = records.record(slowest.from).seconds();
        out.push(fact);
    }
    out
}

/// Places all of whose steps are slow.
fn groups(records: &Records, mut steps: Vec<Step>) -> Vec<Group> {
    steps.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.to.cmp(&b.to)));
    let median = steps[steps.len() / 2].seconds;
    let is_slow =
        |s: &Step| s.seconds >= RATIO * median.max(1e-3) && s.seconds - median >= DIFFERENCE;
    let slow = steps.iter().take_while(|s| is_slow(s)).count();
    if slow == 0 || 2 * slow > steps.len() {
        return Vec::new();
    }
    let places = |s: &Step| {
        let (a, b) = (records.record(s.from), records.record(s.to));
        let named = records.named(a).iter().chain(records.named(b)).copied();
        let named = named.filter(|i| {
            !matches!(records.instance(*i).form, Form::Hex | Form::Address)
                && records.class(*i) != "name"
        });
        let mut all: Vec<InstanceIndex> = named.chain([s.member]).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut count: FxHashMap<InstanceIndex, (u32, Vec<usize>)> = FxHashMap::default();
    for (at, step) in steps.iter().enumerate() {
        for place in places(step) {
            let c = count.entry(place).or_default();
            c.0 += 1;
            if at < slow {
                c.1.push(at);
            }
        }
    }
    let mut out = Vec::new();
    for (place, (all, at)) in count {
        if at.is_empty() || 10 * at.len() < 9 * all as usize {
            continue;
        }
        let own: Vec<Step> = at.iter().map(|i| steps[*i]).collect();
        let others: Vec<f64> = (0..steps.len())
            .filter(|i| at.binary_search(i).is_err())
            .map(|i| steps[i].seconds)
            .collect();
        let usual = others[others.len() / 2].max(1e-3);
        // Other places may be slow, too: the spread of nine tenths of them.
        let spread = (others[others.len() / 10].max(1e-3) / usual).max(1.0);
        let ratio = own[own.len() / 2].seconds / usual / spread;
        if ratio < 2.0 {
            continue;
        }
        let n = own.len().min(others.len()).min(9) as f64;
        let mut strength = 1.0 - (-0.5 * ratio.ln() * n.sqrt()).exp();
        // Once may be chance, however long it took.
        strength *= if own.len() == 1 { 0.75 } else { 1.0 };
        // A place that many of a kind share is a better subject than one log or process.
        let class = records.class(place);
        strength -= if class == "log" || class == "pid" {
            0.02
        } else {
            0.0
        };
        out.push(Group {
            strength,
            place,
            others: others.len() as u32,
            usual,
            steps: own,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::courses::courses;
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn a_slow_place_is_found_by_all_of_its_steps() {
        let mut text = String::new();
        for i in 0..12 {
            let block = i % 3;
            let seconds = if block == 1 { 7.0 } else { 0.4 };
            text += &format!("{}.0 a.log INFO task {i} sent to block {block}\n", 10 * i);
            text += &format!(
                "{} a.log INFO task {i} done\n",
                10.0 * f64::from(i) + seconds
            );
        }
        let records = made(&text);
        let facts = find(&records, &courses(&records));
        assert_eq!(name(&records, facts[0].subject.unwrap()), "block 1");
        assert!(facts[0].strength > 0.8);
    }

    #[test]
    fn equal_steps_are_not_slow() {
        let mut text = String::new();
        for i in 0..12 {
            text += &format!(
                "{i}.0 a.log INFO task {i} sent\n{i}.{} a.log INFO task {i} done\n",
                3 + i % 3
            );
        }
        let records = made(&text);
        assert!(find(&records, &courses(&records)).is_empty());
    }
}
