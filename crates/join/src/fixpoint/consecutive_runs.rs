//! Consecutive runs in the same logs. A scheduler or endpoint that is restarted appends to its logs
//! and restarts its numbering, and so do the processes that work for it, each in a log of its own.
//! Only the restarted process logs the start: from that time on all logs of the run concern another
//! run.
//!
//! [`crate::file_sections`] splits a file by its own records; here records of one file split other
//! files by time.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::folders;
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::catalog::keys::Key;
use widetui_query::{self as query, Selection};
use widetui_store::key_column::{SegmentView, UsualSpellings};
use widetui_store::source::Source;
use widetui_store::{Snapshot, SourceTrait};
use widetui_time::time::{NO_TIME, NS_PER_SECOND};

use crate::applicable::applies_to;
use crate::derived_values::{
    CellValues, DerivedCells, DerivedKeyColumn, GroupDerivations, JoinIndex,
};
use crate::fixpoint::Fixpoint;
use crate::row_walk::for_each_row_with;
use crate::spec::identity::PROCESS_ID;
use crate::spec::{ConsecutiveRunsRule, Join, JoinRule, Receivers};

/// Maximum distance of records that report the same start, ns: a start can be reported in several
/// records and in several logs.
const START_TOLERANCE: i64 = 1_000_000_000;

/// Consecutive runs found by one join rule.
#[derive(Debug)]
pub(crate) struct ConsecutiveRuns<'j> {
    /// Join that contains the rule.
    pub join: &'j Join,
    /// Runs of each log.
    pub(crate) runs: RunsInLogs,
}

/// Run of a record by source and time.
#[derive(Debug)]
pub(crate) struct RunsInLogs {
    /// Index of the join, set when it is compiled.
    pub(crate) join_index: usize,
    /// Key that holds the name of the run.
    pub key: KeyId,
    by_source: FxHashMap<SourceId, Arc<RunSequence>>,
}

/// Start times and names of consecutive runs.
#[derive(Debug, PartialEq, Eq)]
struct RunSequence {
    /// Start times of all runs but the first, UTC ns, ascending.
    further_starts: Vec<i64>,
    /// Names of all runs; `NONE` for the first if its path names it.
    names: Vec<Code>,
}

impl RunsInLogs {
    /// Number of distinct run names.
    pub(crate) fn run_count(&self) -> usize {
        let mut all: Vec<Code> = self
            .by_source
            .values()
            .flat_map(|t| t.names.clone())
            .collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}

/// Finds consecutive runs by the rules among `joins`. New names are added to the tables of the run,
/// so the caller needs a new copy of the catalog. `None` when cancelled.
pub(crate) fn find_consecutive_runs<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    cancel: &Cancel,
) -> Option<Vec<ConsecutiveRuns<'j>>> {
    let mut out = Vec::new();
    for join in joins {
        let JoinRule::ConsecutiveRuns(rule) = &join.rule else {
            continue;
        };
        let opens = query::select(snapshot, &rule.start, cancel)?;
        let known = snapshot.catalog.keys.find(&rule.run_key[0]);
        let mut sequence = FxHashMap::default();
        let mut new_key: Option<Arc<Key>> = None;
        for (name, sources) in group_logs(snapshot, (rule, join), known) {
            let mut reported = reported_starts(snapshot, &opens, (rule, join), &sources);
            if reported.is_empty() {
                continue;
            }
            let lives = match reported.iter().any(|start| start.process.is_some()) {
                true => ProcessLives::in_logs(snapshot, &sources),
                false => ProcessLives(FxHashMap::default()),
            };
            lives.extend_starts(&mut reported);
            // Where starts name their process, so does each record of the log.
            let are_of_processes = reported.iter().all(|start| start.process.is_some());
            if are_of_processes {
                let reports = |source| applies_to(snapshot, source, join, &rule.source_kinds);
                lives.add_lost_starts(&mut reported, reports);
            }
            let mut starts = further_starts(&reported);
            // The start of the run that precedes may be cut off.
            let is_further =
                |first: &&RunStart| are_of_processes && lives.are_replaced_at(first.time);
            let first = reported.first().filter(is_further);
            starts.splice(0..0, first.map(|first| first.time));
            if starts.is_empty() {
                continue;
            }
            let key = new_key.get_or_insert(snapshot.tables.keys.get(&rule.run_key[0])?);
            let names = run_names(
                snapshot,
                key,
                (name, join.system.as_deref()),
                (&sources, starts.len()),
            );
            let all = Arc::new(RunSequence {
                further_starts: starts,
                names,
            });
            sequence.extend(sources.iter().map(|source| (source.id, all.clone())));
        }
        out.extend(new_key.map(|key| ConsecutiveRuns {
            join,
            runs: RunsInLogs {
                join_index: 0,
                key: key.id,
                by_source: sequence,
            },
        }));
    }
    Some(out)
}

/// Logs that belong to one run by their paths.
type LogGroup<'s> = Vec<&'s Source>;

/// Logs of each run, by its name in their paths. A run without a name has the logs of one system; a
/// named run also has logs of other systems in its folders.
fn group_logs<'s>(
    snapshot: &'s Snapshot,
    (rule, join): (&ConsecutiveRunsRule, &Join),
    key: Option<KeyId>,
) -> BTreeMap<Option<Code>, LogGroup<'s>> {
    let mut out: BTreeMap<Option<Code>, LogGroup<'s>> = BTreeMap::new();
    for source in snapshot.sources.iter() {
        let name = source.consts.iter().find(|(k, _)| Some(*k) == key);
        let name = name.map(|(_, code)| *code);
        let belongs = match rule.is_unnamed {
            true => source.system == join.system,
            false => name.is_some(),
        };
        let receives = join.receivers == Receivers::All || !source.has_trait(SourceTrait::Exported);
        if belongs && receives && !source.has_trait(SourceTrait::Facts) {
            out.entry(name).or_default().push(source);
        }
    }
    out
}

/// Start of a run as reported by a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RunStart {
    /// Time of the start, UTC ns.
    time: i64,
    /// Log that reports the start.
    source: SourceId,
    /// Process id of the record that reports it.
    process: Option<Code>,
    /// Time of the last record of that log, UTC ns.
    last_record: i64,
}

/// Starts reported by the logs of a run, in time order.
fn reported_starts(
    snapshot: &Snapshot,
    opens: &Selection,
    (rule, join): (&ConsecutiveRunsRule, &Join),
    group: &LogGroup<'_>,
) -> Vec<RunStart> {
    let pid = snapshot.catalog.keys.find(PROCESS_ID);
    let mut out: Vec<RunStart> = Vec::new();
    for id in opens.ids() {
        let Some(event) = snapshot.event(id) else {
            continue;
        };
        let source = event.source();
        let is_own = group.iter().any(|own| own.id == source.id);
        if !is_own || !applies_to(snapshot, source.id, join, &rule.source_kinds) {
            continue;
        }
        if let (Some(time), None) = (event.time(), snapshot.duplicates.original_of(id.0)) {
            let until = source.last().unwrap_or(time).max(time);
            let source = source.id;
            let mut process = None;
            event.for_each_code(|key, codes, _| {
                if let ([code], true) = (codes, Some(key) == pid) {
                    process = Some(*code);
                }
            });
            out.push(RunStart {
                time,
                source,
                process,
                last_record: until,
            });
        }
    }
    out.sort_unstable();
    out
}

/// Times (UTC ns) of the first and the last record of each process in each log.
struct ProcessLives(FxHashMap<(SourceId, Code), (i64, i64)>);

impl ProcessLives {
    fn in_logs(snapshot: &Snapshot, group: &LogGroup<'_>) -> ProcessLives {
        let mut lives = FxHashMap::default();
        let group: FxHashSet<SourceId> = group.iter().map(|source| source.id).collect();
        if let Some(pid) = snapshot.catalog.keys.find(PROCESS_ID) {
            let none = vec![Vec::new(); snapshot.segments.len()];
            for_each_row_with(snapshot, &none, &[pid], |segment, row, tuple, time| {
                let source = snapshot.segments[segment].part(row).source;
                if time != NO_TIME && group.contains(&source) {
                    let (first, last) = lives.entry((source, tuple[0])).or_insert((time, time));
                    (*first, *last) = (time.min(*first), time.max(*last));
                }
            });
        }
        ProcessLives(lives)
    }

    /// Moves starts back to the first record of their process in the log, unless it wrote there before the start that
    /// precedes.
    fn extend_starts(&self, starts: &mut [RunStart]) {
        // Time of the last start in each log, as stated and as extended.
        let mut last: FxHashMap<SourceId, (i64, i64)> = FxHashMap::default();
        for start in starts.iter_mut() {
            let stated = start.time;
            let process = start
                .process
                .and_then(|pid| self.0.get(&(start.source, pid)));
            let begun = process.map(|life| life.0);
            let before = last.get(&start.source);
            start.time = match (before, begun) {
                (Some((before, extended)), _) if stated - before <= START_TOLERANCE => *extended,
                (Some((before, _)), Some(begun)) if begun <= *before => stated,
                (_, begun) => begun.unwrap_or(stated),
            };
            last.insert(start.source, (stated, start.time));
        }
        starts.sort_unstable();
    }

    /// Adds the first records of processes that lived when no other one did, in logs that report starts: their start is cut off.
    fn add_lost_starts(&self, starts: &mut Vec<RunStart>, reports: impl Fn(SourceId) -> bool) {
        let mut lives: Vec<_> = self
            .0
            .iter()
            .filter(|((source, _), _)| reports(*source))
            .collect();
        lives.sort_unstable_by_key(|((source, pid), life)| (life.0, life.1, *source, *pid));
        let mut covered: Option<i64> = None;
        for ((source, pid), (first, last)) in lives {
            let has_start = starts.iter().any(|start| start.process == Some(*pid));
            if !has_start && covered.is_none_or(|until| until < *first) {
                // Processes that it started may have written before what is left of it.
                let is_between =
                    |time: &i64| covered.is_some_and(|until| until < *time) && time < first;
                let begun = self.0.values().map(|life| life.0).filter(is_between).min();
                starts.push(RunStart {
                    time: begun.unwrap_or(*first),
                    source: *source,
                    process: Some(*pid),
                    last_record: *last,
                });
            }
            covered = covered.max(Some(*last));
        }
        starts.sort_unstable();
    }

    /// True if a process of a log ended before `start` (UTC ns), and another one followed it there.
    fn are_replaced_at(&self, start: i64) -> bool {
        let ended = self.0.iter().filter(|(_, life)| life.1 < start);
        let ended: FxHashSet<SourceId> = ended.map(|((source, _), _)| *source).collect();
        let mut followed = self.0.iter().filter(|(_, life)| life.0 >= start);
        followed.any(|((source, _), _)| ended.contains(source))
    }
}

/// Start times of further runs, UTC ns: a second start in one log, or a start in another log after
/// all previous logs have ended. Two runs at the same time, each with its own log, are not
/// separated by time.
fn further_starts(openings: &[RunStart]) -> Vec<i64> {
    let mut latest: FxHashMap<SourceId, RunStart> = FxHashMap::default();
    let mut out: Vec<i64> = Vec::new();
    for opening in openings {
        let is_ended = |other: &RunStart| other.last_record < opening.time;
        let is_next = match latest.get(&opening.source) {
            Some(before) => opening.time - before.time > START_TOLERANCE,
            None => !latest.is_empty() && latest.values().all(is_ended),
        };
        latest.insert(opening.source, *opening);
        if is_next
            && out
                .last()
                .is_none_or(|start| opening.time - start > START_TOLERANCE)
        {
            out.push(opening.time);
        }
    }
    out
}

/// Time in the name of a file, UTC ns: seconds since 1970, as programs append them to the names of what they start.
fn time_in_name(path: &str) -> Option<i64> {
    const DIGITS: usize = 10;
    let name = path.rsplit('/').next()?;
    let mut numbers = name.split(|c: char| !c.is_ascii_digit());
    let seconds: i64 = numbers.find(|n| n.len() == DIGITS)?.parse().ok()?;
    seconds.checked_mul(NS_PER_SECOND)
}

/// Names of the runs of a group: the name in the path or else that of the folder, followed by a
/// number for all but the first.
fn run_names(
    snapshot: &Snapshot,
    key: &Key,
    (name, system): (Option<Code>, Option<&str>),
    (sources, starts): (&LogGroup<'_>, usize),
) -> Vec<Code> {
    let base = match name {
        Some(code) => {
            UsualSpellings::new(snapshot, [&key.id].into_iter()).text(snapshot, key.id, code)
        }
        None => {
            let paths = sources.iter().map(|s| folders::folder(&s.path));
            let common = paths.reduce(folders::common).unwrap_or_default();
            let last = common.rsplit('/').next().unwrap_or_default();
            let is_name = !matches!(last, "" | "." | "..");
            let last = Some(last).filter(|_| is_name);
            last.or(system).unwrap_or("run").to_owned()
        }
    };
    let first = match name {
        Some(_) => NONE,
        None => key.code(&base),
    };
    let later = (2..starts + 2).map(|number| key.code(&format!("{base}#{number}")));
    std::iter::once(first).chain(later).collect()
}

impl Fixpoint<'_> {
    /// Derives the run of the records of a group by their time.
    pub(crate) fn assign_consecutive_runs(
        &self,
        view: &SegmentView<'_>,
        at: usize,
        runs: &RunsInLogs,
        work: &mut GroupDerivations,
    ) {
        let parts = &view.segment.parts;
        if !parts.iter().any(|p| runs.by_source.contains_key(&p.source)) {
            return;
        }
        let own = self.record_column(view, at, runs.key);
        let group = &view.segment.groups[at];
        let ends = view.group(at).ends;
        let mut list = CellValues::empty(group.rows.len());
        for (place, row) in group.rows.iter().enumerate() {
            let row = usize::from(*row);
            let source = view.segment.part(row).source;
            let Some(sequence) = runs.by_source.get(&source) else {
                continue;
            };
            let time = match self.snapshot.source(source) {
                Some(source) => match view.segment.utc(source, row) {
                    NO_TIME => time_in_name(&source.path).unwrap_or(NO_TIME),
                    time => time,
                },
                None => NO_TIME,
            };
            let starts = &sequence.further_starts;
            let number = starts.partition_point(|start| *start <= time);
            let name = sequence.names.get(number).copied().unwrap_or(NONE);
            if name != NONE && own.row(place, ends) == NONE {
                list.set(place, (name, runs.join_index as JoinIndex));
            }
        }
        if list.codes.iter().any(|code| *code != NONE) {
            let cells = DerivedCells::Rows(list);
            let key = runs.key;
            work.columns.push(DerivedKeyColumn { key, cells });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    /// Start times of further runs for (second, log, second of the log's last record).
    fn cut(openings: &[(i64, u32, i64)]) -> Vec<i64> {
        let opening = |(time, source, until): &(i64, u32, i64)| RunStart {
            time: time * S,
            source: SourceId(*source),
            process: None,
            last_record: until * S,
        };
        let openings: Vec<RunStart> = openings.iter().map(opening).collect();
        let starts = further_starts(&openings);
        starts.into_iter().map(|t| t / S).collect()
    }

    #[test]
    fn a_second_start_in_a_log_begins_another_run() {
        assert!(cut(&[(1, 0, 90)]).is_empty());
        assert_eq!(cut(&[(1, 0, 90), (50, 0, 90)]), [50]);
        assert_eq!(
            cut(&[(1, 0, 90), (2, 0, 90), (50, 0, 90)]),
            [50],
            "reported in two records"
        );
    }

    #[test]
    fn a_start_in_another_log_begins_a_run_after_all_previous_logs_ended() {
        assert_eq!(cut(&[(1, 0, 40), (50, 1, 90)]), [50], "a log for each");
        assert!(cut(&[(1, 0, 60), (50, 1, 90)]).is_empty(), "both live");
        let in_two_logs = [(1, 0, 90), (1, 1, 90), (50, 0, 90), (50, 1, 90)];
        assert_eq!(cut(&in_two_logs), [50], "both starts in two logs");
    }
}
