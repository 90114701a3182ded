//! Pairing by order: the `n`th instance of a key within a scope has the number `n` in another system, if that is proven.

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_query::Selection;
use widetui_store::key_column::{SegmentView, UNUSABLE};
use widetui_time::time::NO_TIME;

use crate::compiled_join::CompiledJoin;
use crate::derived_values::{GroupColumns, GroupDerivations};
use crate::rounds::{Evidence, RoundInput};
use crate::table::{JoinTable, MAX_LEFT_KEYS, Tuple};

/// Maximum time by which a record may seem to precede its cause in another log of the same host, ns.
const CLOCK_TOLERANCE: i64 = 10_000_000;

/// Pairing by order, compiled for one of its two joins.
#[derive(Debug)]
pub(crate) struct Order {
    /// Index of the join.
    pub(crate) join: usize,
    /// Keys within whose values the numbers begin at 1.
    pub(crate) scope_keys: Vec<KeyId>,
    /// Key whose instances are counted.
    pub(crate) counted_key: KeyId,
    /// Key of the numbers.
    pub(crate) number_key: KeyId,
    /// Records that are counted: of the first alternative that a scope has.
    pub(crate) counted: Vec<Counted>,
}

/// Records that are counted, and those that prove that none is missing.
#[derive(Debug)]
pub(crate) struct Counted {
    /// Records, one for each instance.
    pub(crate) records: Selection,
    /// Records that end an instance, if records do.
    pub(crate) end: Option<Selection>,
    /// Records that begin a scope, if records do.
    pub(crate) begin: Option<Selection>,
}

/// Instance that is counted.
#[derive(Default)]
struct Instance {
    /// Time (UTC ns) and id of the record that is counted.
    counted: Option<(i64, EventId)>,
    /// Time of the record that ends the instance, UTC ns.
    ended: Option<i64>,
}

/// Instances of one scope as one alternative counts them.
#[derive(Default)]
struct Count {
    instances: FxHashMap<Code, Instance>,
    /// True if a record begins the scope.
    has_begin: bool,
}

/// Instances and numbers of one scope.
#[derive(Default)]
struct Scope {
    /// Instances by alternative.
    counts: Vec<Count>,
    /// Time of the first record with each number, UTC ns.
    numbers: FxHashMap<Code, i64>,
}

/// Instance and its number.
struct Pair {
    instance: Code,
    number: Code,
    /// Record that is counted.
    event: EventId,
}

impl Scope {
    /// Alternative that counts instances of the scope.
    fn count<'o>(&self, order: &'o Order) -> Option<(&Count, &'o Counted)> {
        let mut counts = self.counts.iter().zip(&order.counted);
        counts.find(|(count, _)| count.instances.values().any(|i| i.counted.is_some()))
    }

    /// Pairs of the scope; `None` if they are not proven.
    fn pairs(&self, order: &Order) -> Option<Vec<Pair>> {
        let (count, counted) = self.count(order)?;
        let lacks_count = |i: &Instance| i.counted.is_none() && i.ended.is_some();
        let is_cut = counted.begin.is_some() && !count.has_begin;
        if is_cut || count.instances.values().any(lacks_count) || self.numbers.contains_key(&0) {
            return None;
        }
        let instances = count.instances.iter();
        let counted = instances.filter_map(|(code, i)| Some((i.counted?, *code, i.ended)));
        let mut counted: Vec<((i64, EventId), Code, Option<i64>)> = counted.collect();
        counted.sort_unstable_by_key(|(at, code, _)| (*at, *code));
        let last = self.numbers.keys().copied().max().unwrap_or_default();
        if last as usize > counted.len() {
            return None;
        }
        let mut pairs = Vec::with_capacity(self.numbers.len());
        for (number, ((time, event), instance, ended)) in (1..).zip(counted) {
            let Some(first) = self.numbers.get(&number) else {
                continue;
            };
            let is_late = ended.is_some_and(|end| *first > end + CLOCK_TOLERANCE);
            if *first + CLOCK_TOLERANCE < time || is_late {
                return None;
            }
            pairs.push(Pair {
                instance,
                number,
                event,
            });
        }
        Some(pairs)
    }
}

impl Order {
    /// Evidence of the pairs that the join does not have yet.
    pub(crate) fn evidence(
        &self,
        input: &RoundInput<'_>,
        work: &[Vec<GroupDerivations>],
        table: &JoinTable,
    ) -> Vec<Evidence> {
        let Some(join) = input.joins.get(self.join) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for (scope, found) in self.scopes(input, work) {
            for pair in found.pairs(self).into_iter().flatten() {
                let tuple = self.tuple(join, &scope, &pair);
                let known = table.group(&tuple).map(|group| table.values_of(group, 0));
                if known.is_none_or(|values| values.is_empty()) {
                    let gives_number = join.right_keys.first() == Some(&self.number_key);
                    out.push(Evidence {
                        join: join.index,
                        right: 0,
                        tuple,
                        code: match gives_number {
                            true => pair.number,
                            false => pair.instance,
                        },
                        event: pair.event,
                    });
                }
            }
        }
        out.sort_unstable_by_key(|e| (e.tuple, e.code));
        out
    }

    /// True if a scope has numbers and instances whose pairs are not proven.
    pub(crate) fn is_unproven(
        &self,
        input: &RoundInput<'_>,
        work: &[Vec<GroupDerivations>],
    ) -> bool {
        let scopes = self.scopes(input, work);
        let mut concerned = { scopes.values() }
            .filter(|scope| !scope.numbers.is_empty() && scope.count(self).is_some());
        concerned.any(|scope| scope.pairs(self).is_none())
    }

    /// Left tuple of a pair in a join.
    fn tuple(&self, join: &CompiledJoin, scope: &Tuple, pair: &Pair) -> Tuple {
        let mut tuple: Tuple = [NONE; MAX_LEFT_KEYS];
        for (slot, key) in tuple.iter_mut().zip(&join.left_keys) {
            let mut scopes = self.scope_keys.iter().zip(scope);
            *slot = match *key {
                key if key == self.counted_key => pair.instance,
                key if key == self.number_key => pair.number,
                key => scopes
                    .find(|(k, _)| **k == key)
                    .map_or(NONE, |(_, code)| *code),
            };
        }
        tuple
    }

    /// Instances and numbers in the values derived so far, by scope.
    fn scopes(
        &self,
        input: &RoundInput<'_>,
        work: &[Vec<GroupDerivations>],
    ) -> FxHashMap<Tuple, Scope> {
        let mut out: FxHashMap<Tuple, Scope> = FxHashMap::default();
        let has_begin = self.counted.iter().any(|counted| counted.begin.is_some());
        for (segment, groups) in work.iter().enumerate() {
            let view = SegmentView::new(input.snapshot, segment, &input.doubt.rows[segment]);
            let base = input.snapshot.bases[segment];
            let has = |selection: Option<&Selection>, row: usize| {
                let bits = selection.and_then(|selection| selection.segment(segment));
                bits.is_some_and(|bits| bits.get(row))
            };
            for (at, group) in groups.iter().enumerate() {
                let mut columns =
                    GroupColumns::new(view.group(at), segment, group, input.virtual_keys);
                let all = self.scope_keys.iter().all(|key| columns.build(*key));
                let has_counted = all && columns.build(self.counted_key);
                // Stated numbers alone: those that pairs give to other records of the instance prove nothing.
                let numbers = view.group(at).key_column_with(self.number_key, None);
                let has_numbers = all && !numbers.is_absent();
                if !all || !has_counted && !has_numbers && !has_begin {
                    continue;
                }
                let ends = columns.view().ends;
                let value = |key: KeyId, place: usize| {
                    let code = columns.get(key).row(place, ends);
                    Some(code).filter(|code| *code != NONE && *code != UNUSABLE)
                };
                for (place, row) in view.segment.groups[at].rows.iter().enumerate() {
                    let row = usize::from(*row);
                    let source = &input.snapshot.sources[view.segment.part(row).source.index()];
                    let time = view.segment.utc(source, row);
                    let mut scope: Tuple = [NONE; MAX_LEFT_KEYS];
                    let mut slots = scope.iter_mut().zip(&self.scope_keys);
                    let is_known = slots
                        .all(|(slot, key)| value(*key, place).map(|code| *slot = code).is_some());
                    if !is_known || time == NO_TIME {
                        continue;
                    }
                    let number = Some(numbers.row(place, ends)).filter(|code| code & ENTRY == 0);
                    let instance = value(self.counted_key, place);
                    let begins = |counted: &Counted| has(counted.begin.as_ref(), row);
                    if number.is_none() && instance.is_none() && !self.counted.iter().any(begins) {
                        continue;
                    }
                    let scope = out.entry(scope).or_default();
                    if let Some(number) = number {
                        let first = scope.numbers.entry(number).or_insert(time);
                        *first = time.min(*first);
                    }
                    scope.counts.resize_with(self.counted.len(), Count::default);
                    for (count, counted) in scope.counts.iter_mut().zip(&self.counted) {
                        count.has_begin |= begins(counted);
                        let is_counted = has(Some(&counted.records), row);
                        let is_end = has(counted.end.as_ref(), row);
                        let Some(instance) = instance.filter(|_| is_counted || is_end) else {
                            continue;
                        };
                        let instance = count.instances.entry(instance).or_default();
                        if is_counted {
                            let here = (time, EventId(base + row as u32));
                            let first = instance.counted.get_or_insert(here);
                            *first = here.min(*first);
                        }
                        if is_end {
                            let last = instance.ended.get_or_insert(time);
                            *last = time.max(*last);
                        }
                    }
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        Order {
            join: 0,
            scope_keys: Vec::new(),
            counted_key: KeyId(0),
            number_key: KeyId(1),
            counted: vec![Counted {
                records: Selection::new(Vec::new()),
                end: None,
                begin: None,
            }],
        }
    }

    /// Numbers of the instances 100, 101 ... that were handed over at `started` and ended at `ended` seconds, where numbers
    /// 1, 2 ... first occur at `numbers`.
    fn paired(
        started: &[Option<i64>],
        ended: &[Option<i64>],
        numbers: &[(u32, i64)],
    ) -> Option<Vec<(u32, u32)>> {
        const S: i64 = 1_000_000_000;
        let mut scope = Scope::default();
        let mut count = Count::default();
        for (at, (started, ended)) in started.iter().zip(ended).enumerate() {
            let instance = Instance {
                counted: started.map(|time| (time * S, EventId(at as u32))),
                ended: ended.map(|time| time * S),
            };
            count.instances.insert(100 + at as u32, instance);
        }
        scope.counts = vec![count];
        scope.numbers = numbers.iter().map(|(n, time)| (*n, time * S)).collect();
        let pairs = scope.pairs(&order())?;
        Some(pairs.iter().map(|p| (p.instance, p.number)).collect())
    }

    #[test]
    fn instances_have_numbers_in_their_order() {
        let started = [Some(1), Some(3), Some(5)];
        let pairs = paired(&started, &[Some(9), None, None], &[(1, 2), (2, 4)]);
        assert_eq!(
            pairs,
            Some(vec![(100, 1), (101, 2)]),
            "the third is not there yet"
        );
        let later = paired(&started, &[None; 3], &[(2, 4), (3, 6)]);
        assert_eq!(
            later,
            Some(vec![(101, 2), (102, 3)]),
            "records of the first number are lost"
        );
    }

    #[test]
    fn nothing_is_paired_without_proof() {
        let none = [None; 3];
        let started = [Some(1), Some(3), Some(5)];
        assert_eq!(
            paired(&started, &none, &[(4, 9)]),
            None,
            "more numbers than instances"
        );
        assert_eq!(
            paired(&started, &none, &[(1, 2), (2, 2)]),
            None,
            "before its instance"
        );
        assert_eq!(
            paired(&started, &[Some(2), None, None], &[(1, 7)]),
            None,
            "after its end"
        );
        assert_eq!(
            paired(&[None, Some(3), Some(5)], &[Some(4), None, None], &[(1, 6)]),
            None,
            "begun before"
        );
        assert_eq!(paired(&started, &none, &[(0, 2)]), None, "numbers from 0");
    }
}
