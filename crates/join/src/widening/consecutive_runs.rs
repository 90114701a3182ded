//! Runs that follow each other in the same logs. A scheduler, or an endpoint, that is started again goes on writing where the
//! one before stopped, and numbers its things anew; so do those who work for it, each in a log of its own. Only whoever was
//! started says so: from that moment on all logs of the run are about another one.
//!
//! [`crate::file_sections`] cuts a file where the file itself says so; here one file cuts others, by the clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::folders;
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::keys::Key;
use widetui_query::{self as query, Selection};
use widetui_store::lanes::{SegmentView, Usual};
use widetui_store::source::Source;
use widetui_store::{Nature, Snapshot};
use widetui_time::time::NO_TIME;

use crate::spec::{AgainRule, Join, JoinRule, Receivers};
use crate::widening::Widening;
use crate::widening::brackets::is_about;
use crate::work::{CellList, GroupWork, JoinIndex, WorkCells, WorkColumn};

/// What is written of one start lies within so much time, ns: in several records, and in several logs.
const ONE_START: i64 = 1_000_000_000;

/// What the logs of runs that follow each other are about.
#[derive(Debug)]
pub(crate) struct ConsecutiveRuns<'j> {
    /// Whose rule it is.
    pub join: &'j Join,
    /// What tells the runs apart.
    pub said: RunsInLogs,
}

/// Of which run a record is, by its source and its time.
#[derive(Debug)]
pub(crate) struct RunsInLogs {
    /// Number of the join, once it has one.
    pub index: usize,
    /// The key that names the run.
    pub key: KeyId,
    turns: FxHashMap<SourceId, Arc<Turns>>,
}

/// Runs after each other.
#[derive(Debug, PartialEq, Eq)]
struct Turns {
    /// When all but the first began, UTC ns, ascending.
    cuts: Vec<i64>,
    /// What they are called: the first by its path, if `NONE`.
    names: Vec<Code>,
}

impl RunsInLogs {
    /// How many runs there are.
    pub fn runs(&self) -> usize {
        let mut all: Vec<Code> = self.turns.values().flat_map(|t| t.names.clone()).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}

/// All rules among some joins that say something here. Names that are made are put into the run's tables: those who look at
/// what is said need a newer copy of the catalog. `None` when cancelled.
pub(crate) fn again<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    cancel: &Cancel,
) -> Option<Vec<ConsecutiveRuns<'j>>> {
    let mut out = Vec::new();
    for join in joins {
        let JoinRule::Again(rule) = &join.rule else {
            continue;
        };
        let opens = query::select(snapshot, &rule.open, cancel)?;
        let known = snapshot.catalog.keys.find(&rule.gives[0]);
        let mut turns = FxHashMap::default();
        let mut made: Option<Arc<Key>> = None;
        for (name, sources) in groups(snapshot, (rule, join), known) {
            let cuts = cuts(openings(snapshot, &opens, (rule, join), &sources));
            if cuts.is_empty() {
                continue;
            }
            let key = made.get_or_insert(snapshot.tables.keys.get(&rule.gives[0])?);
            let names = names(
                snapshot,
                key,
                (name, join.system.as_deref()),
                (&sources, cuts.len()),
            );
            let all = Arc::new(Turns { cuts, names });
            turns.extend(sources.iter().map(|source| (source.id, all.clone())));
        }
        out.extend(made.map(|key| ConsecutiveRuns {
            join,
            said: RunsInLogs {
                index: 0,
                key: key.id,
                turns,
            },
        }));
    }
    Some(out)
}

/// Logs of one run, as far as their paths tell.
type Group<'s> = Vec<&'s Source>;

/// The logs of each run, by what their paths call it. Runs without names are those of one system; others also have logs of
/// other systems in their folders.
fn groups<'s>(
    snapshot: &'s Snapshot,
    (rule, join): (&AgainRule, &Join),
    key: Option<KeyId>,
) -> BTreeMap<Option<Code>, Group<'s>> {
    let mut out: BTreeMap<Option<Code>, Group<'s>> = BTreeMap::new();
    for source in snapshot.sources.iter() {
        let name = source.consts.iter().find(|(k, _)| Some(*k) == key);
        let name = name.map(|(_, code)| *code);
        let is_of = match rule.is_unnamed {
            true => source.system == join.system,
            false => name.is_some(),
        };
        let receives = join.receivers == Receivers::All || !source.is(Nature::Joined);
        if is_of && receives && !source.is(Nature::Facts) {
            out.entry(name).or_default().push(source);
        }
    }
    out
}

/// A start, as a log tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Opening {
    /// When, UTC ns.
    time: i64,
    /// In which log.
    source: SourceId,
    /// Time of the last record of that log, UTC ns.
    until: i64,
}

/// The starts of which the logs of a run tell, in time order.
fn openings(
    snapshot: &Snapshot,
    opens: &Selection,
    (rule, join): (&AgainRule, &Join),
    group: &Group<'_>,
) -> Vec<Opening> {
    let mut out: Vec<Opening> = Vec::new();
    for id in opens.ids() {
        let Some(event) = snapshot.event(id) else {
            continue;
        };
        let source = event.source();
        let is_own = group.iter().any(|own| own.id == source.id);
        if !is_own || !is_about(snapshot, source.id, join, &rule.kinds) {
            continue;
        }
        if let (Some(time), None) = (event.time(), snapshot.copies.of(id.0)) {
            let until = source.last().unwrap_or(time).max(time);
            let source = source.id;
            out.push(Opening {
                time,
                source,
                until,
            });
        }
    }
    out.sort_unstable();
    out
}

/// When another run began: at a second start in one log, or at a start in another log when all before it are over. Two that
/// run at the same time, with a log each, are not told apart by the clock.
fn cuts(openings: Vec<Opening>) -> Vec<i64> {
    let mut latest: FxHashMap<SourceId, Opening> = FxHashMap::default();
    let mut out: Vec<i64> = Vec::new();
    for opening in openings {
        let is_over = |other: &Opening| other.until < opening.time;
        let is_next = match latest.get(&opening.source) {
            Some(before) => opening.time - before.time > ONE_START,
            None => !latest.is_empty() && latest.values().all(is_over),
        };
        latest.insert(opening.source, opening);
        if is_next && out.last().is_none_or(|cut| opening.time - cut > ONE_START) {
            out.push(opening.time);
        }
    }
    out
}

/// What the runs of a group are called: by its path, else by its folder, all but the first with a number.
fn names(
    snapshot: &Snapshot,
    key: &Key,
    (name, system): (Option<Code>, Option<&str>),
    (sources, cuts): (&Group<'_>, usize),
) -> Vec<Code> {
    let base = match name {
        Some(code) => Usual::new(snapshot, [&key.id].into_iter()).text(snapshot, key.id, code),
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
    let later = (2..cuts + 2).map(|number| key.code(&format!("{base}#{number}")));
    std::iter::once(first).chain(later).collect()
}

impl Widening<'_> {
    /// Gives the records of a group the run that they are of by their time.
    pub(crate) fn again_in(
        &self,
        view: &SegmentView<'_>,
        at: usize,
        said: &RunsInLogs,
        work: &mut GroupWork,
    ) {
        let parts = &view.segment.parts;
        if !parts.iter().any(|p| said.turns.contains_key(&p.source)) {
            return;
        }
        let own = self.said_by_records(view, at, said.key);
        let group = &view.segment.groups[at];
        let ends = view.group(at).ends;
        let mut list = CellList::unknown(group.rows.len());
        for (place, row) in group.rows.iter().enumerate() {
            let row = usize::from(*row);
            let source = view.segment.part(row).source;
            let Some(turns) = said.turns.get(&source) else {
                continue;
            };
            let time = match self.snapshot.source(source) {
                Some(source) => view.segment.utc(source, row),
                None => NO_TIME,
            };
            let number = match time {
                NO_TIME => 0,
                time => turns.cuts.partition_point(|cut| *cut <= time),
            };
            let name = turns.names.get(number).copied().unwrap_or(NONE);
            if name != NONE && own.row(place, ends) == NONE {
                list.set(place, (name, said.index as JoinIndex));
            }
        }
        if list.codes.iter().any(|code| *code != NONE) {
            let cells = WorkCells::Rows(list);
            let key = said.key;
            work.columns.push(WorkColumn { key, cells });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    /// Second, number of the log, second of its last record.
    fn cut(openings: &[(i64, u32, i64)]) -> Vec<i64> {
        let opening = |(time, source, until): &(i64, u32, i64)| Opening {
            time: time * S,
            source: SourceId(*source),
            until: until * S,
        };
        let cuts = cuts(openings.iter().map(opening).collect());
        cuts.into_iter().map(|t| t / S).collect()
    }

    #[test]
    fn a_second_start_in_a_log_begins_another_run() {
        assert!(cut(&[(1, 0, 90)]).is_empty());
        assert_eq!(cut(&[(1, 0, 90), (50, 0, 90)]), [50]);
        assert_eq!(
            cut(&[(1, 0, 90), (2, 0, 90), (50, 0, 90)]),
            [50],
            "told in two records"
        );
    }

    #[test]
    fn a_log_begins_another_run_when_all_before_are_over() {
        assert_eq!(cut(&[(1, 0, 40), (50, 1, 90)]), [50], "a log for each");
        assert!(cut(&[(1, 0, 60), (50, 1, 90)]).is_empty(), "both live");
        let copied = [(1, 0, 90), (1, 1, 90), (50, 0, 90), (50, 1, 90)];
        assert_eq!(cut(&copied), [50], "two logs tell of both starts");
    }
}
