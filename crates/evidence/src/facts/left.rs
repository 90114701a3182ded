//! Instances that left the course of their class.

use rustc_hash::{FxHashMap, FxHashSet};

use super::courses::{Course, last_of};
use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, RecordIndex, Records};
use crate::data::Word;

/// Finds instances that left the course of their class.
pub(super) fn find(records: &Records, courses: &[Course]) -> Vec<Fact> {
    let mut out = Vec::new();
    for course in courses {
        none_went_on(records, course, &mut out);
        left(records, course, &mut out);
    }
    out
}

fn last(records: &Records, i: InstanceIndex) -> RecordIndex {
    last_of(records, i).unwrap_or_default()
}

/// Most frequent last step, with its number.
fn usual_end(records: &Records, course: &Course) -> Option<(u32, u32)> {
    let mut ends: FxHashMap<u32, u32> = FxHashMap::default();
    for m in &course.members {
        *ends
            .entry(records.record(last(records, *m)).template)
            .or_default() += 1;
    }
    ends.into_iter().max_by_key(|(t, n)| (*n, *t))
}

/// All stopped at one step that is no end, long before the end of the records.
fn none_went_on(records: &Records, course: &Course, out: &mut Vec<Fact>) {
    let of = course.members.len() as u32;
    let Some((template, n)) = usual_end(records, course) else {
        return;
    };
    let at: Vec<RecordIndex> = course.members.iter().map(|m| last(records, *m)).collect();
    let at: Vec<RecordIndex> = at
        .into_iter()
        .filter(|r| records.record(*r).template == template)
        .collect();
    let Some(newest) = at
        .iter()
        .filter_map(|r| records.record(*r).seconds())
        .reduce(f64::max)
    else {
        return;
    };
    let (first, end) = records.range();
    let known = course
        .members
        .first()
        .is_some_and(|m| records.instance(*m).known.is_some());
    let is_end = records.record(at[0]).meanings.is_good();
    let seconds = end - newest;
    if !known || 5 * n < 4 * of || is_end || seconds < (0.5 * (end - first)).max(5.0) {
        return;
    }
    let fact = Fact::new(Statement::NoneWentOn { of, seconds }, 0.6);
    out.push(
        fact.about(course.members.iter().take(10).copied())
            .shown_by(at.into_iter().take(2))
            .bad(),
    );
}

/// True for processes and threads, which need not do the same.
fn is_process(records: &Records, course: &Course) -> bool {
    let class = records.text(course.class);
    class == "pid" || class.contains("thread")
}

fn left(records: &Records, course: &Course, out: &mut Vec<Fact>) {
    let of = course.members.len() as u32;
    let common: FxHashSet<u32> = course
        .taken
        .iter()
        .filter(|(_, n)| **n >= (of / 2).max(2) && **n < of)
        .map(|(t, _)| *t)
        .collect();
    if common.is_empty() {
        return;
    }
    // Mean place of each step in the courses that have it, from 0 to 1.
    let mut place: FxHashMap<u32, (f64, u32)> = FxHashMap::default();
    for m in &course.members {
        let own = records.of(*m);
        let mut seen = FxHashSet::default();
        for (at, r) in own.iter().enumerate() {
            let t = records.record(*r).template;
            if common.contains(&t) && seen.insert(t) {
                let p = place.entry(t).or_default();
                p.0 += at as f64 / own.len() as f64;
                p.1 += 1;
            }
        }
    }
    let place = |t: u32| place.get(&t).map_or(0.0, |p| p.0 / f64::from(p.1.max(1)));
    let is_trouble = |t: u32| {
        let r = records.list.iter().find(|r| r.template == t);
        r.is_some_and(|r| r.meanings.is_trouble() && !r.meanings.has(Word::Good))
    };
    let common: Vec<u32> = common.into_iter().filter(|t| !is_trouble(*t)).collect();
    let mut groups: FxHashMap<u32, Vec<(InstanceIndex, u32)>> = FxHashMap::default();
    let mut leavers: FxHashSet<InstanceIndex> = FxHashSet::default();
    for m in &course.members {
        let missing = common
            .iter()
            .filter(|t| !course.steps[m].contains(t))
            .copied();
        let mut missing: Vec<u32> = missing.collect();
        missing.sort_by(|a, b| place(*a).total_cmp(&place(*b)).then(a.cmp(b)));
        let (Some(first), Some(final_)) = (missing.first(), missing.last()) else {
            continue;
        };
        let missed = match 5 * course.taken_by(*first) < 4 * of {
            true => *final_,
            false => *first,
        };
        leavers.insert(*m);
        let end = records.record(last(records, *m)).template;
        groups.entry(end).or_default().push((*m, missed));
    }
    let mut groups: Vec<(u32, Vec<(InstanceIndex, u32)>)> = groups.into_iter().collect();
    groups.sort_unstable();
    for (end, group) in groups {
        let (first, missing) = group[0];
        let n = group.len() as u32;
        let reached = course.taken_by(missing);
        let few = (of / 5).max(1);
        let mut rare = group
            .iter()
            .flat_map(|(m, _)| records.of(*m))
            .copied()
            .filter(|r| {
                let r = records.record(*r);
                course.taken_by(r.template) <= few && r.level <= widetui_core::level::Level::Warning
            });
        let rare = rare.next_back();
        let is_rare_end = course.taken_by(end) <= n.max(of / 4) && rare.is_some();
        let r = last(records, first);
        if is_end(records, course, end, r) {
            continue;
        }
        let is_in_flight = is_in_flight(records, course, &leavers, (end, r));
        let mut strength = f64::from(reached) / f64::from(of)
            * (1.0 - f64::from(n) / f64::from(of + 1))
            * (f64::from(of) / 5.0).min(1.0);
        strength *= match (is_rare_end, is_in_flight) {
            (true, _) => 1.0,
            (_, true) => 0.3,
            _ => 0.75,
        };
        if is_process(records, course) {
            strength *= 0.4;
        }
        let last_meanings = records.record(r).meanings;
        if place(missing) < 0.4 && !is_rare_end {
            strength *= 0.4;
        }
        if !is_rare_end && last_meanings.is_good() {
            // A good end counts less where nearly all of many go on.
            strength *= if of >= 8 && 10 * reached >= 8 * of {
                0.8
            } else {
                0.35
            };
        }
        let telling = rare.filter(|_| is_rare_end).unwrap_or(r);
        let has = |m: &&InstanceIndex| course.steps[*m].contains(&missing);
        let example = course.members.iter().find(has).and_then(|m| {
            records
                .of(*m)
                .iter()
                .find(|r| records.record(**r).template == missing)
        });
        let statement = Statement::LeftCourse {
            missing,
            reached,
            of,
        };
        let mut fact = Fact::new(statement, strength)
            .about(group.iter().map(|g| g.0))
            .shown_by([telling, r].into_iter().chain(example.copied()))
            .bad();
        fact.count = n;
        fact.time = records.record(r).seconds();
        out.push(fact);
    }
}

/// True if several end with a step that is no wait or trouble, and nobody goes on after it: an end as good as the others'.
fn is_end(records: &Records, course: &Course, step: u32, at: RecordIndex) -> bool {
    let meanings = records.record(at).meanings;
    if meanings.has(Word::Wait) || meanings.is_trouble() {
        return false;
    }
    let all = { course.members.iter() }.filter(|m| course.steps[*m].contains(&step));
    let ends: FxHashSet<RecordIndex> = all.map(|m| last(records, *m)).collect();
    // A record that names two of them is the end of one.
    ends.len() > (course.members.len() / 5).max(1)
        && ends.iter().all(|r| records.record(*r).template == step)
}

/// True if the time since the last record is what others took for the step at most.
fn is_in_flight(
    records: &Records,
    course: &Course,
    leavers: &FxHashSet<InstanceIndex>,
    (end, at): (u32, RecordIndex),
) -> bool {
    let mut longest: Option<f64> = None;
    for m in course
        .members
        .iter()
        .filter(|m| !leavers.contains(m))
        .take(1000)
    {
        for w in records.of(*m).windows(2) {
            let (a, b) = (records.record(w[0]), records.record(w[1]));
            if a.template == end
                && let (Some(from), Some(to)) = (a.seconds(), b.seconds())
            {
                longest = Some(longest.unwrap_or(0.0).max(to - from));
            }
        }
    }
    let age = records
        .record(at)
        .seconds()
        .map_or(0.0, |t| records.range().1 - t);
    longest.is_some_and(|longest| age <= 1.5 * longest)
}

#[cfg(test)]
mod tests {
    use super::super::courses::courses;
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn one_that_stops_where_others_go_on_left_its_course() {
        let mut text = String::new();
        for i in 0..6 {
            text += &format!("{i} a.log INFO tile {i}: loaded\n");
            if i != 4 {
                text += &format!("{}.5 a.log INFO tile {i}: written\n", i);
            } else {
                text += &format!("{}.5 a.log INFO tile {i}: not square, left out\n", i);
            }
        }
        text += "60 a.log INFO mosaic made";
        let records = made(&text);
        let facts = find(&records, &courses(&records));
        let left = facts
            .iter()
            .filter(|f| matches!(f.statement, Statement::LeftCourse { .. }));
        let left = left
            .max_by(|a, b| a.strength.total_cmp(&b.strength))
            .unwrap();
        assert_eq!(name(&records, left.subject.unwrap()), "tile 4");
        assert!(left.strength > 0.5, "{left:?}");
        let telling = records.record(left.records[0]);
        assert_eq!(
            records.text(telling.template),
            "tile {}: not square, left out"
        );
    }

    #[test]
    fn those_that_end_are_not_accused_where_most_hang() {
        let mut text = String::new();
        for i in 0..6 {
            let rest = if i < 2 { "complete" } else { "waits for lock" };
            text += &format!("{i} a.log INFO job {i} begins\n{i}.5 a.log INFO job {i} {rest}\n");
        }
        let records = made(&text);
        for fact in find(&records, &courses(&records)) {
            let accused = fact.instances.iter().map(|i| name(&records, *i));
            let accused: Vec<String> = accused.collect();
            assert!(!accused.contains(&"job 1".to_owned()), "{fact:?}");
        }
    }

    #[test]
    fn a_class_that_goes_on_has_no_leavers() {
        let mut text = String::new();
        for i in 0..6 {
            text +=
                &format!("{i} a.log INFO tile {i}: loaded\n{i}.5 a.log INFO tile {i}: written\n");
        }
        let records = made(&text);
        assert!(find(&records, &courses(&records)).is_empty());
    }
}
