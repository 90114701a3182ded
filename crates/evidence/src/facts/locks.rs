//! Resources that instances take in turns, and the one that was not given back.

use rustc_hash::{FxHashMap, FxHashSet};

use super::courses::{Course, last_of};
use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, RecordIndex, Records};
use crate::data::{Data, Word};

/// A wait of an instance for the holder of a resource.
pub(super) type Wants = FxHashMap<InstanceIndex, InstanceIndex>;

/// Resource: the instances that a record names besides the one that takes it.
type Resource = Vec<InstanceIndex>;

/// Finds holders. Returns also who waits for whom.
pub(super) fn find(records: &Records, courses: &[Course]) -> (Vec<Fact>, Wants) {
    let (mut out, mut wants) = (Vec::new(), Wants::default());
    for course in courses {
        for (take, give) in pairs(records, course) {
            holders(records, course, (take, give), &mut out, &mut wants);
        }
    }
    let mut holders = FxHashSet::default();
    out.retain(|f| holders.insert(f.subject));
    (out, wants)
}

/// Words of a template that may name a resource.
/// Most different words of a sentence about a lock.
const SENTENCE: usize = 20;

fn words(text: &str) -> FxHashSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let words = words.filter(|w| w.len() >= 3).map(str::to_lowercase);
    words.filter(|w| !Data::get().lists("stop", w)).collect()
}

/// Templates that follow each other for several members, with words of locks and a common noun.
fn pairs(records: &Records, course: &Course) -> Vec<(u32, u32)> {
    let all = course.members.iter().flat_map(|m| records.of(*m));
    let locks = all.map(|at| records.record(*at));
    let locks = locks.filter(|record| record.meanings.has(Word::Lock));
    let locks: FxHashSet<u32> = locks.map(|record| record.template).collect();
    if locks.is_empty() {
        return Vec::new();
    }
    let mut count: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for m in &course.members {
        let own = records.of(*m);
        for (i, a) in own.iter().enumerate() {
            let a = records.record(*a).template;
            for b in own.iter().skip(i + 1).take(4) {
                let b = records.record(*b).template;
                if a == b {
                    break;
                }
                if locks.contains(&a) || locks.contains(&b) {
                    *count.entry((a, b)).or_default() += 1;
                }
            }
        }
    }
    let mut all: Vec<((u32, u32), u32)> = count.into_iter().filter(|(_, n)| *n >= 3).collect();
    all.sort_by_key(|(pair, n)| (std::cmp::Reverse(*n), *pair));
    all.truncate(80);
    let class = records.text(course.class);
    all.retain(|((a, b), _)| {
        let (a, b) = (words(records.text(*a)), words(records.text(*b)));
        // A dump of a structure is no sentence about a lock.
        a.len().max(b.len()) <= SENTENCE && a.intersection(&b).any(|w| w != class)
    });
    all.into_iter().map(|(pair, _)| pair).collect()
}

fn holders(
    records: &Records,
    course: &Course,
    (take, give): (u32, u32),
    out: &mut Vec<Fact>,
    wants: &mut Wants,
) {
    let members: FxHashSet<InstanceIndex> = course.members.iter().copied().collect();
    let class = records.text(course.class);
    let (a, b) = (words(records.text(take)), words(records.text(give)));
    let mut shared: FxHashSet<String> = a.intersection(&b).cloned().collect();
    shared.remove(class);
    let resource = |at: RecordIndex| -> Resource {
        let r = records.record(at);
        let named = records.named(r).iter().copied();
        named
            .filter(|i| shared.contains(records.class(*i)) || records.class(*i) == "item")
            .collect()
    };
    // Who waits at its end, for what, in words of the resource.
    let waits = |m: InstanceIndex| {
        let at = last_of(records, m)?;
        let r = records.record(at);
        let is_other = r.template != take && r.template != give;
        let text = words(records.text(r.template));
        (is_other && shared.iter().any(|w| text.contains(w))).then_some((at, r))
    };
    let mut turns: FxHashMap<Resource, Vec<(RecordIndex, InstanceIndex, bool)>> =
        FxHashMap::default();
    for m in &course.members {
        for at in records.of(*m) {
            let r = records.record(*at);
            // A record that names several members is of its writer.
            let is_own = r.actor == *m || !members.contains(&r.actor);
            if (r.template == take || r.template == give) && is_own {
                turns
                    .entry(resource(*at))
                    .or_default()
                    .push((*at, *m, r.template == take));
            }
        }
    }
    let (mut ended, mut wrong) = (0u32, 0u32);
    let mut open: Vec<(Resource, RecordIndex, InstanceIndex)> = Vec::new();
    for (resource, mut all) in turns {
        all.sort_unstable();
        // Clocks of whole seconds do not tell the order between logs.
        let is_coarse = all.iter().all(|t| {
            records
                .record(t.0)
                .time
                .is_none_or(|t| t % 1_000_000_000 == 0)
        });
        // Who reports that a resource was taken reports its return, too.
        let mut held: FxHashMap<(InstanceIndex, u32), RecordIndex> = FxHashMap::default();
        for (at, m, takes) in all {
            let turn = (m, records.record(at).source);
            if takes {
                held.insert(turn, at);
                wrong += u32::from(held.len() > 1 && !(is_coarse && held.len() == 2));
            } else if held.remove(&turn).is_some() {
                ended += 1;
            } else {
                wrong += 1;
            }
        }
        if held.len() == 1
            && let Some(((m, _), at)) = held.into_iter().next()
        {
            open.push((resource, at, m));
        }
    }
    if ended < 2 || f64::from(wrong) > 0.15 * f64::from(ended) {
        return;
    }
    open.sort();
    // A resource has a name, or at least a noun: the token.
    let is_noun = |w: &String| Data::get().meanings(w).has(Word::Lock);
    open.retain(|(held, ..)| !held.is_empty() || shared.iter().any(is_noun));
    for (held, at, holder) in open {
        let waiting: Vec<(RecordIndex, InstanceIndex)> = course
            .members
            .iter()
            .filter(|m| **m != holder)
            .filter_map(|m| {
                let (last, r) = waits(*m)?;
                let is_wait =
                    r.meanings.has(Word::Wait) || precedes(records, course, r.template, take);
                (is_wait && resource(last) == held).then_some((last, *m))
            })
            .collect();
        if waiting.is_empty() {
            continue;
        }
        wants.extend(waiting.iter().map(|w| (w.1, holder)));
        let own = records.of(holder).iter().copied().filter(|r| *r > at);
        let own: Vec<RecordIndex> = own.take(2).collect();
        let records_ = [at]
            .into_iter()
            .chain(own)
            .chain(waiting.iter().map(|w| w.0).take(2));
        let mut fact = Fact::new(Statement::Holds { turns: ended }, 0.95)
            .about([holder].into_iter().chain(held))
            .affecting(waiting.iter().map(|w| w.1))
            .shown_by(records_)
            .bad();
        fact.time = records.record(at).seconds();
        out.push(fact);
    }
}

/// True if a template precedes another directly for at least two members.
fn precedes(records: &Records, course: &Course, before: u32, template: u32) -> bool {
    let mut n = 0;
    for m in &course.members {
        n += records
            .of(*m)
            .windows(2)
            .filter(|w| {
                records.record(w[0]).template == before && records.record(w[1]).template == template
            })
            .count();
    }
    n >= 2
}

#[cfg(test)]
mod tests {
    use super::super::courses::courses;
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn records_with_a_word_in_common_take_no_resource() {
        let mut text = String::new();
        for i in 0..5 {
            text += &format!(
                "{i}.1 w.log DEBUG app {i} callback for a task returned\n{i}.2 w.log DEBUG app {i} output for a task stored\n"
            );
        }
        text += "6.1 w.log DEBUG app 5 callback for a task returned\n";
        text += "7.1 w.log DEBUG app 6 waits for a task\n";
        let records = made(&text);
        assert!(find(&records, &courses(&records)).0.is_empty());
    }

    #[test]
    fn who_never_gave_back_holds() {
        let mut text = String::new();
        for i in 0..5 {
            text += &format!(
                "{i}.1 w.log DEBUG worker {i} wants the token\n{i}.2 w.log DEBUG worker {i} has the token\n{i}.3 w.log DEBUG worker {i} gave the token back\n"
            );
        }
        text += "6.1 w.log DEBUG worker 5 wants the token\n6.2 w.log DEBUG worker 5 has the token\n6.4 w.log INFO worker 5 left\n";
        text +=
            "7.1 w.log DEBUG worker 6 wants the token\n7.2 w.log DEBUG worker 7 wants the token\n";
        let records = made(&text);
        let (facts, wants) = find(&records, &courses(&records));
        assert_eq!(facts.len(), 1);
        assert_eq!(name(&records, facts[0].subject.unwrap()), "worker 5");
        assert_eq!((facts[0].affected.len(), wants.len()), (2, 2));
    }
}
