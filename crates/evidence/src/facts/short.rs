//! Counts that stay below their total: `7 of 8 arrived`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::courses::last_of;
use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, RecordIndex, Records};
use crate::data::Word;

/// Finds counts that stay short at the end of their source, and who is missing.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    let mut last: FxHashMap<(u32, u32), RecordIndex> = FxHashMap::default();
    for (at, r) in (0..).zip(&records.list) {
        if r.counter.is_some() {
            last.insert((r.template, r.source), at);
        }
    }
    let mut last: Vec<((u32, u32), RecordIndex)> = last.into_iter().collect();
    last.sort_unstable();
    let facts = last.into_iter().filter_map(|((template, source), at)| {
        let r = records.record(at);
        let (count, total) = r.counter?;
        if count >= total || total >= 10_000 || r.meanings.has(Word::Retry) {
            return None;
        }
        let after = records.of_source.get(source as usize)?;
        let after = after.iter().filter(|x| **x > at);
        let (n, good) = after.fold((0, false), |(n, good), x| {
            (n + 1, good || records.record(*x).meanings.is_good())
        });
        if n > 3 && good {
            return None;
        }
        let (missing, absent) = missing(records, template, total);
        let is_known = !missing.is_empty() || absent.is_some();
        let statement = Statement::Short {
            count,
            total,
            absent,
        };
        let shown = missing.iter().filter_map(|m| last_of(records, *m)).take(2);
        let mut fact = Fact::new(statement, if is_known { 0.75 } else { 0.35 })
            .about(
                missing
                    .iter()
                    .copied()
                    .take(5)
                    .chain(missing.is_empty().then_some(r.actor)),
            )
            .shown_by(shown.chain([at]))
            .bad();
        fact.time = r.seconds();
        Some(fact)
    });
    facts.collect()
}

/// Instances that did not take a step that all of their class should take; else the number that no instance of a class of
/// this size has.
fn missing(
    records: &Records,
    template: u32,
    total: u64,
) -> (Vec<InstanceIndex>, Option<(u32, u64)>) {
    if !records.has_all(template) {
        return (Vec::new(), None);
    }
    let at = records.list.iter().filter(|r| r.template == template);
    let came: FxHashSet<InstanceIndex> =
        at.flat_map(|r| records.named(r).iter().copied()).collect();
    let classes: FxHashSet<u32> = came.iter().map(|i| records.instance(*i).class).collect();
    let mut classes: Vec<u32> = classes.into_iter().collect();
    classes.sort_unstable();
    for class in classes {
        let all = records.classes.get(&class).map_or(&[][..], |all| all);
        let away: Vec<InstanceIndex> = all.iter().filter(|i| !came.contains(i)).copied().collect();
        if all.len() as u64 == total && !away.is_empty() && 2 * away.len() < all.len() {
            return (away, None);
        }
    }
    let mut all: Vec<(&u32, &Vec<InstanceIndex>)> = records.classes.iter().collect();
    all.sort_unstable();
    for (class, all) in all {
        let numbers = all.iter().map(|i| records.value(*i).parse::<u64>().ok());
        let Some(numbers) = numbers.collect::<Option<FxHashSet<u64>>>() else {
            continue;
        };
        if numbers.len() < 2 || numbers.len() as u64 + 1 != total {
            continue;
        }
        let from = u64::from(!numbers.contains(&0));
        let row = from..from + total;
        if let Some(n) = row.clone().find(|n| !numbers.contains(n))
            && numbers.iter().all(|n| row.contains(n))
        {
            return (Vec::new(), Some((*class, n)));
        }
    }
    (Vec::new(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn who_did_not_arrive_is_named() {
        let mut text = String::new();
        for i in 0..4 {
            text += &format!("1 r.log INFO rank {i} up\n");
        }
        for i in [0, 1, 3] {
            text += &format!(
                "2 r.log INFO rank {i} at the barrier, {} of 4\n",
                if i == 3 { 3 } else { i + 1 }
            );
        }
        let records = made(&text);
        let facts = find(&records);
        assert_eq!(facts.len(), 1);
        assert_eq!(name(&records, facts[0].subject.unwrap()), "rank 2");
    }
}
