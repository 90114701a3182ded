//! Derivation of values: rounds of all joins until no value is new, restarted after a conflict.

pub(crate) mod bracket_start;
pub(crate) mod brackets;
pub(crate) mod compile;
pub(crate) mod consecutive_runs;
pub(crate) mod first_records;
pub(crate) mod overlay;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_query::bits::Bits;
use widetui_query::{self as query, Expr, Selection};

use widetui_store::lanes::{SegmentView, copied_rows};
use widetui_store::{Nature, Snapshot};

use crate::cardinality::varieties;
use crate::condition_cache::ConditionCache;
use crate::exactly_once::executions::Once;
use crate::reading::{SecondReading, tell};
use crate::table::JoinTable;
use consecutive_runs::{ConsecutiveRuns, RunsInLogs, again};
use first_records::{FirstRecords, SplitFiles, begun};
use rounds::{BlockedCells, CompiledJoin, Evidence, Round, RoundInput};
use work::{GroupWork, Pseudo, WorkColumn};

use crate::applicable;
use crate::omissions::{MAX_JOINS, Omission};
use crate::receive;
use crate::report::Widened;
use crate::spec::Join;
use crate::{exactly_once, rounds, work};

/// Maximum number of restarts because of conflicts; after that only one round is done, which
/// derives no value from derived values.
const MAX_EPOCHS: usize = 40;

/// Derives values for the events of a snapshot by joins; `None` when cancelled. Ignores the
/// snapshot's own overlay.
pub fn widen(snapshot: &Snapshot, joins: &[Join], cancel: &Cancel) -> Option<Widened> {
    let mut bare = snapshot.bare();
    let (told, begun) = rayon::join(
        || tell(&bare, joins, cancel),
        || begun(&bare, joins, cancel),
    );
    let beforehand = Prepared {
        told: told?,
        begun: begun?,
        again: again(&bare, joins, cancel)?,
    };
    let catalog = (!beforehand.is_empty()).then(|| bare.tables.freeze());
    if let Some(catalog) = &catalog {
        bare.catalog = catalog.clone();
    }
    let widened = Widening::new(&bare, joins, beforehand, cancel)?.run()?;
    Some(Widened { catalog, ..widened })
}

/// Records of the snapshot that an earlier run of widetui joined and exported; `None` if there are
/// none.
fn joined(snapshot: &Snapshot) -> Option<Selection> {
    snapshot
        .sources
        .iter()
        .find(|source| source.is(Nature::Joined))?;
    let of = |id| {
        snapshot
            .source(id)
            .is_some_and(|source| source.is(Nature::Joined))
    };
    let segments = snapshot.segments.iter().map(|segment| {
        let mut bits = Bits::none(segment.len());
        for part in segment.parts.iter().filter(|part| of(part.source)) {
            let first = part.first_row as usize;
            bits.set_range(first, first + part.rows as usize);
        }
        bits
    });
    Some(Selection::new(segments.collect()))
}

/// Results of rules that need no join: extraction, sections of files, and consecutive runs.
#[derive(Debug)]
struct Prepared<'a> {
    /// Extracted values.
    told: Vec<SecondReading<'a>>,
    /// Files with several sections.
    begun: Vec<SplitFiles<'a>>,
    /// Consecutive runs in the same logs.
    again: Vec<ConsecutiveRuns<'a>>,
}

impl<'a> Prepared<'a> {
    fn is_empty(&self) -> bool {
        self.told.is_empty() && self.begun.is_empty() && self.again.is_empty()
    }

    fn told_of(&mut self, join: &Join) -> Option<SecondReading<'a>> {
        let at = self.told.iter().position(|t| std::ptr::eq(t.join, join))?;
        Some(self.told.swap_remove(at))
    }

    fn begun_of(&mut self, join: &Join) -> Option<SplitFiles<'a>> {
        let at = self.begun.iter().position(|b| std::ptr::eq(b.join, join))?;
        Some(self.begun.swap_remove(at))
    }

    fn again_of(&mut self, join: &Join) -> Option<RunsInLogs> {
        let at = self.again.iter().position(|a| std::ptr::eq(a.join, join))?;
        Some(self.again.swap_remove(at).said)
    }
}

/// Outcome of an epoch: the rounds between two restarts.
enum Epoch {
    /// No value is new; contains the derived values by segment and group.
    Settled(Vec<Vec<GroupWork>>),
    /// A new conflict requires a restart without the blocked values.
    Conflict,
    /// The computation was cancelled.
    Cancelled,
}

/// Number of rounds of an epoch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounds {
    /// Rounds until no value is new.
    All,
    /// One round, after [`MAX_EPOCHS`] restarts.
    One,
}

struct Widening<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    joins: Vec<&'a Join>,
    copied: Vec<Vec<u32>>,
    asked: ConditionCache<'a>,
    compiled: Vec<CompiledJoin>,
    once: Vec<Once>,
    pseudo: Pseudo,
    first: Vec<FirstRecords>,
    again: Vec<RunsInLogs>,
    /// Extracted values, each with the index of its join.
    told: Vec<(usize, SecondReading<'a>)>,
    /// Writer of each row by segment, computed for the first bracket.
    writers: Option<Vec<Vec<u32>>>,
    /// Number of values of each key, computed on first use.
    varieties: Option<Vec<usize>>,
    /// Records that an earlier run of widetui joined and exported, if any.
    joined: Option<Selection>,
    /// Joins that are not computed, or only in part, with the reason.
    left_out: Vec<(&'a Join, Omission)>,
}

impl<'a> Widening<'a> {
    fn new(
        snapshot: &'a Snapshot,
        joins: &'a [Join],
        mut beforehand: Prepared<'a>,
        cancel: &'a Cancel,
    ) -> Option<Widening<'a>> {
        // The names of consecutive runs occur in no record, so `applicable` would reject these
        // joins.
        let tells = |join: &&Join| beforehand.again.iter().any(|a| std::ptr::eq(a.join, *join));
        let (again, others): (Vec<&Join>, Vec<&Join>) = joins.iter().partition(tells);
        let mut sorted = applicable::possible(snapshot, others);
        sorted.extend(again);
        sorted.sort_by(|a, b| (&a.name, &a.system).cmp(&(&b.name, &b.system)));
        let asked = ConditionCache::of(snapshot, &sorted[..sorted.len().min(MAX_JOINS)], cancel)?;
        let mut widening = Widening {
            snapshot,
            cancel,
            joins: Vec::new(),
            copied: copied_rows(snapshot),
            asked,
            compiled: Vec::new(),
            once: Vec::new(),
            pseudo: Pseudo::default(),
            first: Vec::new(),
            again: Vec::new(),
            told: Vec::new(),
            writers: None,
            varieties: None,
            joined: joined(snapshot),
            left_out: Vec::new(),
        };
        for join in sorted {
            let (told, begun) = (beforehand.told_of(join), beforehand.begun_of(join));
            let again = beforehand.again_of(join);
            if widening.joins.len() >= MAX_JOINS {
                widening.left_out.push((join, Omission::Many));
            } else {
                widening.add(join, told, begun, again)?;
            }
        }
        (!cancel.is_cancelled()).then_some(widening)
    }

    fn key(&self, name: &str) -> Option<KeyId> {
        self.snapshot.catalog.keys.find(name)
    }

    fn keys(&self, names: &[String]) -> Option<Vec<KeyId>> {
        names.iter().map(|n| self.key(n)).collect()
    }

    fn events(&self, expr: &Expr) -> Option<Selection> {
        query::select(self.snapshot, expr, self.cancel)
    }

    /// Same as `events`, but uses the cache of conditions.
    fn events_asked(&mut self, expr: &Expr) -> Option<Selection> {
        let asked = self.asked.take(expr);
        asked.or_else(|| self.events(expr))
    }

    /// Upper bound of the distinct values of a key.
    fn variety(&mut self, key: KeyId) -> usize {
        let snapshot = self.snapshot;
        let varieties = { &mut self.varieties }.get_or_insert_with(|| varieties(snapshot));
        varieties.get(key.index()).copied().unwrap_or_default()
    }

    /// Creates a key that exists only inside joins, from codes for all rows of each segment that
    /// has any.
    fn make_key(&mut self, codes: Vec<Option<Box<[u32]>>>) -> KeyId {
        let next = self.snapshot.catalog.keys.len() + self.pseudo.len();
        let key = KeyId(u16::try_from(next).unwrap_or(u16::MAX));
        let segments = self.snapshot.segments.par_iter().zip(codes);
        let lanes = segments.map(|(segment, codes)| match codes {
            Some(codes) => work::lanes_of_groups(segment, &codes),
            None => Vec::new(),
        });
        self.pseudo.insert(key, lanes.collect());
        key
    }

    fn run(self) -> Option<Widened> {
        let ground = RoundInput {
            snapshot: self.snapshot,
            copied: &self.copied,
            pseudo: &self.pseudo,
            joins: &self.compiled,
            joined: self.joined.as_ref(),
            writers: self.writers.as_deref(),
            cancel: self.cancel,
        };
        let keeps_sets = |j: &CompiledJoin| j.among_copies;
        let table = |j: &CompiledJoin| JoinTable::new(j.inner, j.gives.len(), keeps_sets(j));
        let mut tables: Vec<JoinTable> = self.compiled.iter().map(table).collect();
        let mut blocked = BlockedCells::default();
        let mut chosen: Vec<Evidence> = Vec::new();
        let mut epoch = 0;
        let work = loop {
            epoch += 1;
            let rounds = match epoch < MAX_EPOCHS {
                true => Rounds::All,
                false => Rounds::One,
            };
            match self.epoch(&ground, &mut tables, &mut blocked, &mut chosen, rounds) {
                Epoch::Settled(work) => break work,
                Epoch::Conflict => tables.iter_mut().for_each(JoinTable::restart),
                Epoch::Cancelled => return None,
            }
        };
        Some(self.seal(work, &tables))
    }

    /// Derives values in rounds until none is new.
    fn epoch(
        &self,
        ground: &RoundInput<'_>,
        tables: &mut [JoinTable],
        blocked: &mut BlockedCells,
        chosen: &mut Vec<Evidence>,
        rounds: Rounds,
    ) -> Epoch {
        let mut work = self.start();
        self.facts(tables);
        let mut round = Round::First;
        loop {
            for e in chosen.iter() {
                tables[usize::from(e.join)].add(&e.tuple, e.right, e.code, e.event);
            }
            let (mut changed, conflict) = rounds::gather(ground, &work, tables, round);
            if self.cancel.is_cancelled() {
                return Epoch::Cancelled;
            }
            // Conflicts between values stated by records need no restart, since no value was
            // derived before.
            if conflict && round == Round::Later {
                return Epoch::Conflict;
            }
            if round == Round::First || !chosen.is_empty() {
                changed.iter_mut().for_each(|c| *c = true);
            }
            round = Round::Later;
            let derived = receive::derive(ground, &work, tables, &changed, blocked);
            if self.cancel.is_cancelled() {
                return Epoch::Cancelled;
            }
            let before = blocked.len();
            let mut any = false;
            for (segment, (columns, disagreed)) in derived.into_iter().enumerate() {
                blocked.extend(disagreed);
                any |= self.apply(segment, &mut work[segment], columns);
            }
            if blocked.len() > before {
                return Epoch::Conflict;
            }
            if rounds == Rounds::One {
                return Epoch::Settled(work);
            }
            if any {
                continue;
            }
            let known = chosen.len();
            for once in &self.once {
                let table = &tables[once.join];
                chosen.extend(exactly_once::exclude(ground, once, &work, table));
            }
            if chosen.len() == known {
                return Epoch::Settled(work);
            }
        }
    }

    fn apply(&self, segment: usize, work: &mut [GroupWork], new: Vec<Vec<WorkColumn>>) -> bool {
        let view = SegmentView::new(self.snapshot, segment, &self.copied[segment]);
        let mut any = false;
        for (at, (group, columns)) in work.iter_mut().zip(new).enumerate() {
            let view = view.group(at);
            group.apply(columns, view.group.rows.len(), view.ends);
            any |= !group.changed.is_empty();
        }
        any
    }

    /// Initial state: values from the first record of each file, and consecutive runs by time.
    fn start(&self) -> Vec<Vec<GroupWork>> {
        let segments = (0..self.snapshot.segments.len()).into_par_iter();
        segments
            .map(|index| {
                let view = SegmentView::new(self.snapshot, index, &self.copied[index]);
                let mut groups = vec![GroupWork::default(); view.segment.groups.len()];
                for first in &self.first {
                    for (at, group) in groups.iter_mut().enumerate() {
                        self.first_in(&view, at, first, group);
                    }
                }
                for again in &self.again {
                    for (at, group) in groups.iter_mut().enumerate() {
                        self.again_in(&view, at, again, group);
                    }
                }
                groups
            })
            .collect()
    }
}
