//! Lives of processes: a process id names one process from its first record until a process with the same id starts.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::SegmentView;
use widetui_time::time::NO_TIME;

use crate::derived_values::VirtualKeys;
use crate::row_walk::{for_each_row_with, for_each_row_with_virtual};

/// Maximum difference of the clocks of two logs of one host, ns: a record about a process may precede its first one by
/// that much.
const CLOCK_DIFFERENCE: i64 = 1_000_000_000;

/// Life of a process in one of its logs, UTC ns.
#[derive(Clone, Copy)]
struct Life {
    first: i64,
    last: i64,
    /// Time of the record that ends the instance, which the process may outlive.
    end: Option<i64>,
}

/// Lives under one process id.
#[derive(Default)]
struct Lives {
    /// Times of the process in each of its logs.
    logs: BTreeMap<SourceId, Life>,
    /// Starts of the lives, ascending, UTC ns. Logs that overlap are of one life, or of processes on several hosts.
    starts: Vec<i64>,
}

impl Lives {
    fn find_starts(&mut self) {
        let mut logs: Vec<Life> = self.logs.values().copied().collect();
        logs.sort_unstable_by_key(|life| (life.first, life.last));
        let mut end = i64::MIN;
        for life in logs {
            if life.first > end {
                self.starts.push(life.first);
            }
            end = end.max(life.last);
        }
    }

    /// True if a process may have been alive at the time of a record about it.
    fn has_begun(&self, time: i64) -> bool {
        self.at(time.saturating_add(CLOCK_DIFFERENCE)) > 0
    }

    /// Number of the life, from 1, at a time; 0 before the first.
    fn at(&self, time: i64) -> Code {
        self.starts.partition_point(|start| *start <= time) as Code
    }

    /// Number of the life at the time of a record about the process; 0 before the first, and after the end of all instances
    /// that began in it.
    fn about(&self, time: i64) -> Code {
        let number = self.at(time.saturating_add(CLOCK_DIFFERENCE));
        let own = self
            .logs
            .values()
            .filter(|life| self.at(life.first) == number);
        // Of several processes the next one may have begun before its first record that is left.
        let is_only = self.starts.len() == 1;
        let is_open = |life: &Life| {
            let end = life.end.or((!is_only).then_some(life.last));
            end.is_none_or(|end| time <= end.saturating_add(CLOCK_DIFFERENCE))
        };
        match { own }.any(is_open) {
            true => number,
            false => 0,
        }
    }
}

/// Processes of the instances of an entity, by the records that they write.
pub(crate) struct Processes<'a> {
    /// Records that the processes write about their instances.
    pub(crate) own: &'a Selection,
    /// Records of the entity's system. Those that are not `own` may be by any process of the system, also by one that runs
    /// several instances: their writer is none of these processes.
    pub(crate) of_system: &'a Selection,
    /// Records that end an instance, which its process may outlive.
    pub(crate) ends: Option<&'a Selection>,
    /// True if the run has one host: a process id is that of one process at a time.
    pub(crate) are_all_on_one_host: bool,
    /// True if the join is also by the host.
    pub(crate) is_by_host: bool,
}

impl Processes<'_> {
    /// True if any record besides those of the processes names a process. `id_keys` are keys of process ids, that of the
    /// writer first.
    pub(crate) fn are_named(&self, snapshot: &Snapshot, id_keys: &[KeyId]) -> bool {
        (0..snapshot.segments.len()).any(|index| {
            let view = SegmentView::new(snapshot, index, &[]);
            let of_system = self.of_system.segment(index);
            let is_of_system = of_system.is_some_and(|bits| bits.count() == bits.len());
            let has_any = |at: usize, (number, key): (usize, &KeyId)| {
                let column = view.group(at).key_column_with(*key, None);
                let ends = view.group(at).ends;
                let mut rows = view.segment.groups[at].rows.iter().enumerate();
                let excluded = if number == 0 {
                    self.of_system
                } else {
                    self.own
                };
                !(number == 0 && is_of_system || column.is_absent())
                    && rows.any(|(place, row)| {
                        !has(Some(excluded), index, usize::from(*row))
                            && column.row(place, ends) != NONE
                    })
            };
            let mut groups = 0..view.segment.groups.len();
            groups.any(|at| id_keys.iter().enumerate().any(|key| has_any(at, key)))
        })
    }

    /// Numbers the lives of the processes: for each row about one, its id and the number of the life that it is in. `id_keys`
    /// are keys of process ids, that of the writer first.
    pub(crate) fn lives(
        &self,
        snapshot: &Snapshot,
        duplicated_rows: &[Vec<u32>],
        (id_keys, virtual_keys): (&[KeyId], &VirtualKeys),
    ) -> (RowCodes, RowCodes) {
        let source = |segment: usize, row: usize| snapshot.segments[segment].part(row).source;
        let mut lives: FxHashMap<Code, Lives> = FxHashMap::default();
        let writer_key = id_keys.get(..1).unwrap_or_default();
        for_each_row_with(
            snapshot,
            duplicated_rows,
            writer_key,
            |segment, row, tuple, time| {
                if time == NO_TIME || !has(Some(self.own), segment, row) {
                    return;
                }
                let log = lives
                    .entry(tuple[0])
                    .or_default()
                    .logs
                    .entry(source(segment, row));
                let life = log.or_insert(Life {
                    first: time,
                    last: time,
                    end: None,
                });
                (life.first, life.last) = (time.min(life.first), time.max(life.last));
                if has(self.ends, segment, row) {
                    life.end = life.end.max(Some(time));
                }
            },
        );
        lives.values_mut().for_each(Lives::find_starts);
        let mut ids: RowCodes = vec![None; snapshot.segments.len()];
        let mut out = ids.clone();
        for (number, key) in id_keys.iter().enumerate() {
            for_each_row_with_virtual(
                snapshot,
                duplicated_rows,
                (std::slice::from_ref(key), virtual_keys),
                |segment, row, tuple, time| {
                    let is_own = has(Some(self.own), segment, row);
                    let is_of_system = has(Some(self.of_system), segment, row);
                    let is_other = number == 0 && is_of_system && !is_own;
                    let Some(lives) = lives.get(&tuple[0]).filter(|_| !is_other) else {
                        return;
                    };
                    // Of several hosts each may have a process with this id, also at other times.
                    let is_shared = !self.are_all_on_one_host && lives.logs.len() > 1;
                    if is_shared && !is_own && !self.is_by_host {
                        return;
                    }
                    let own_log = is_own
                        .then(|| lives.logs.get(&source(segment, row)))
                        .flatten();
                    let life = match own_log {
                        Some(life) if !is_shared => lives.at(life.first),
                        Some(_) => 1,
                        None if time == NO_TIME => 0,
                        None if !is_shared => lives.about(time),
                        None => Code::from(lives.has_begun(time)),
                    };
                    if life > 0 {
                        let rows = snapshot.segments[segment].len();
                        let none = || -> Box<[Code]> { vec![NONE; rows].into() };
                        let own = &mut out[segment].get_or_insert_with(none)[row];
                        if *own == NONE {
                            *own = life;
                            ids[segment].get_or_insert_with(none)[row] = tuple[0];
                        }
                    }
                },
            );
        }
        (ids, out)
    }
}

/// Codes of the rows of each segment that has any.
type RowCodes = Vec<Option<Box<[Code]>>>;

/// True if a selection has a row of a segment.
fn has(selection: Option<&Selection>, segment: usize, row: usize) -> bool {
    let bits = selection.and_then(|selection| selection.segment(segment));
    bits.is_some_and(|bits| bits.get(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    /// Lives under one process id of logs with (first, last, end) records at these seconds.
    fn lives(logs: &[(i64, i64, Option<i64>)]) -> Lives {
        let mut lives = Lives::default();
        for (number, (first, last, end)) in logs.iter().enumerate() {
            let life = Life {
                first: first * S,
                last: last * S,
                end: end.map(|end| end * S),
            };
            lives.logs.insert(SourceId(number as u32), life);
        }
        lives.find_starts();
        lives
    }

    #[test]
    fn a_process_is_dead_before_its_start_and_may_be_killed_after_its_last_record() {
        let one = lives(&[(10, 20, None)]);
        assert_eq!([5, 9, 15, 90].map(|t| one.about(t * S)), [0, 1, 1, 1]);
    }

    #[test]
    fn a_process_id_that_returns_is_another_process() {
        let two = lives(&[(10, 20, None), (50, 60, None)]);
        assert_eq!([15, 55].map(|t| two.about(t * S)), [1, 2]);
        assert_eq!(
            two.about(40 * S),
            0,
            "of either: the second log may lack its beginning"
        );
        let overlapping = lives(&[(10, 30, None), (20, 60, None)]);
        assert_eq!(overlapping.starts.len(), 1, "two logs of one process");
    }

    #[test]
    fn a_process_may_outlive_what_it_runs() {
        let ended = lives(&[(10, 20, Some(20))]);
        assert_eq!([15, 21, 30].map(|t| ended.about(t * S)), [1, 1, 0]);
    }
}
