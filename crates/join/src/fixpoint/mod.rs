//! Derivation of values: rounds of all joins until no value is new, restarted after a conflict.

pub(crate) mod bracket_start;
pub(crate) mod brackets;
pub(crate) mod compile;
pub(crate) mod consecutive_runs;
pub(crate) mod first_records;
pub(crate) mod order;
pub(crate) mod overlay;
pub(crate) mod processes;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::bits::Bits;
use widetui_query::{self as query, Expr, Selection};

use widetui_store::key_column::SegmentView;
use widetui_store::{Snapshot, SourceTrait};

use crate::cardinality::distinct_value_bounds;
use crate::compiled_join::CompiledJoin;
use crate::condition_cache::ConditionCache;
use crate::derived_values::{DerivedKeyColumn, GroupDerivations, JoinIndex, VirtualKeys};
use crate::doubt::Doubt;
use crate::extraction::{ExtractionGroups, ExtractionJoin, extract_all};
use crate::refutation::IdentifiedRecord;
use crate::row_walk::for_each_row_with;
use crate::table::JoinTable;
use consecutive_runs::{ConsecutiveRuns, RunsInLogs, find_consecutive_runs};
use first_records::{FirstRecords, SplitFiles, find_split_files};
use order::Order;
use rounds::{BlockedCells, Evidence, Round, RoundInput};

use crate::applicable;
use crate::omissions::{MAX_JOINS, Omission};
use crate::report::JoinResults;
use crate::spec::{Join, JoinRule, ProcessRule};
use crate::value_assignment;
use crate::{derived_values, refutation, rounds};

/// Maximum number of restarts because of conflicts; after that only one round is done, which
/// derives no value from derived values.
const MAX_EPOCHS: usize = 40;

/// Derives values for the events of a snapshot by joins; `None` when cancelled. Ignores the
/// snapshot's own overlay.
pub fn apply_joins(snapshot: &Snapshot, joins: &[Join], cancel: &Cancel) -> Option<JoinResults> {
    let mut bare = snapshot.without_derived();
    let doubt = Doubt::find(&bare, joins, cancel)?;
    let (extractions, split_files) = rayon::join(
        || extract_all(&bare, joins, cancel),
        || find_split_files(&bare, joins, &doubt, cancel),
    );
    let prepared = Prepared {
        extractions: extractions?,
        split_files: split_files?,
        consecutive_runs: find_consecutive_runs(&bare, joins, cancel)?,
    };
    let catalog = (!prepared.is_empty()).then(|| bare.tables.freeze());
    if let Some(catalog) = &catalog {
        bare.catalog = catalog.clone();
    }
    let results = Fixpoint::new(&bare, joins, (prepared, doubt), cancel)?.run()?;
    Some(JoinResults { catalog, ..results })
}

/// Records of the snapshot that an earlier run of widetui joined and exported; `None` if there are
/// none.
fn exported_records(snapshot: &Snapshot) -> Option<Selection> {
    snapshot
        .sources
        .iter()
        .find(|source| source.has_trait(SourceTrait::Exported))?;
    let of = |id| {
        snapshot
            .source(id)
            .is_some_and(|source| source.has_trait(SourceTrait::Exported))
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
    /// Results of the extraction rules.
    extractions: Vec<ExtractionJoin<'a>>,
    /// Files with several sections.
    split_files: Vec<SplitFiles<'a>>,
    /// Consecutive runs in the same logs.
    consecutive_runs: Vec<ConsecutiveRuns<'a>>,
}

impl<'a> Prepared<'a> {
    fn is_empty(&self) -> bool {
        self.extractions.is_empty()
            && self.split_files.is_empty()
            && self.consecutive_runs.is_empty()
    }

    /// Keys that readings extract.
    fn extracted_keys(&self) -> FxHashSet<KeyId> {
        let is_reading = |extraction: &&ExtractionJoin<'_>| match &extraction.join.rule {
            JoinRule::Extraction(rule) => rule.space.is_none(),
            _ => false,
        };
        let readings = self.extractions.iter().filter(is_reading);
        readings
            .flat_map(|extraction| extraction.extracted_keys.iter().copied())
            .collect()
    }

    /// Keys with values that no record states.
    fn numbered_keys(&self) -> FxHashSet<KeyId> {
        let runs = self.consecutive_runs.iter().map(|found| found.runs.key);
        let sections = self.split_files.iter().filter_map(SplitFiles::path_key);
        runs.chain(sections).collect()
    }

    /// Process ids that readings extract from messages or from values of other keys, by segment and row; `None` if there are
    /// none, or no process to compare them with.
    fn extracted_process_ids(
        &self,
        snapshot: &Snapshot,
        processes: &ProcessRule,
    ) -> Option<Vec<Option<Box<[Code]>>>> {
        let is_id = |key: &KeyId| {
            let name = snapshot.catalog.keys.name(*key);
            processes.id_keys.iter().any(|id_key| id_key == name)
        };
        let mut out = None;
        for extraction in &self.extractions {
            let at = extraction.extracted_keys.iter().position(is_id);
            let Some(at) = at else { continue };
            let id_of = { extraction.groups.iter() }.map(|(group, codes)| (*group, codes[at]));
            let id_of: FxHashMap<Code, Code> = id_of.collect();
            let mut add = |segment: usize, row: usize, group: Code| {
                let Some(id) = id_of.get(&group) else { return };
                let all = snapshot.segments.iter();
                let out = out.get_or_insert_with(|| vec![None; all.len()]);
                let rows = snapshot.segments[segment].len();
                let own: &mut Box<[Code]> =
                    out[segment].get_or_insert_with(|| vec![NONE; rows].into());
                if own[row] == NONE {
                    own[row] = *id;
                }
            };
            match &extraction.groups_by {
                ExtractionGroups::ByRow(rows) => {
                    for (segment, groups) in rows.iter().enumerate() {
                        let groups = groups.iter().flat_map(|groups| groups.iter());
                        groups
                            .enumerate()
                            .for_each(|(row, group)| add(segment, row, *group));
                    }
                }
                // Values of keys of ids are known without the reading.
                ExtractionGroups::ByValue(key) if is_id(key) => {}
                ExtractionGroups::ByValue(key) => {
                    let none = vec![Vec::new(); snapshot.segments.len()];
                    let takes_part = |segment: usize, row: usize| {
                        let participants = extraction.participants.as_ref();
                        participants.is_none_or(|some| {
                            some.segment(segment).is_some_and(|bits| bits.get(row))
                        })
                    };
                    for_each_row_with(snapshot, &none, &[*key], |segment, row, tuple, _| {
                        if takes_part(segment, row) {
                            add(segment, row, tuple[0]);
                        }
                    });
                }
            }
        }
        out
    }

    /// Removes and returns the extracted values of a join.
    fn take_extraction(&mut self, join: &Join) -> Option<ExtractionJoin<'a>> {
        let at = self
            .extractions
            .iter()
            .position(|t| std::ptr::eq(t.join, join))?;
        Some(self.extractions.swap_remove(at))
    }

    /// Removes and returns the files with several sections of a join.
    fn take_split_files(&mut self, join: &Join) -> Option<SplitFiles<'a>> {
        let at = self
            .split_files
            .iter()
            .position(|b| std::ptr::eq(b.join, join))?;
        Some(self.split_files.swap_remove(at))
    }

    /// Removes and returns the consecutive runs of a join.
    fn take_consecutive_runs(&mut self, join: &Join) -> Option<RunsInLogs> {
        let at = self
            .consecutive_runs
            .iter()
            .position(|a| std::ptr::eq(a.join, join))?;
        Some(self.consecutive_runs.swap_remove(at).runs)
    }
}

/// Outcome of an epoch: the rounds between two restarts.
enum Epoch {
    /// No value is new; contains the derived values by segment and group.
    Settled(Vec<Vec<GroupDerivations>>),
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

/// State that epochs share.
struct EpochState {
    tables: Vec<JoinTable>,
    /// Values of the tables by what records state alone; empty before the first round.
    stated: Vec<Vec<Code>>,
    /// Blocked cells by segment.
    blocked: Vec<BlockedCells>,
    /// Evidence chosen where records leave a choice.
    chosen: Vec<Evidence>,
}

/// Compiled joins of a snapshot, and the state of their computation.
struct Fixpoint<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    joins: Vec<&'a Join>,
    doubt: Doubt,
    condition_cache: ConditionCache<'a>,
    /// Keys that have values in records, paths, or by joins.
    known_keys: FxHashSet<KeyId>,
    compiled: Vec<CompiledJoin>,
    /// Joins whose left keys identify a record.
    identified_records: Vec<IdentifiedRecord>,
    /// Pairings by order.
    orders: Vec<Order>,
    /// Keys with values that no record states: those of later runs and sections in the same files.
    numbered_keys: FxHashSet<KeyId>,
    virtual_keys: VirtualKeys,
    /// Virtual key of the process ids that readings extract from messages.
    extracted_process_ids: Option<KeyId>,
    /// Keys of process ids that occur in the run, that of the writer first.
    process_id_keys: Vec<KeyId>,
    first_records: Vec<FirstRecords>,
    /// Keys of paths that name the instance of a log, with the join whose rule says so.
    owner_keys: Vec<(JoinIndex, KeyId)>,
    consecutive_runs: Vec<RunsInLogs>,
    /// Extracted values, each with the index of its join.
    extractions: Vec<(usize, ExtractionJoin<'a>)>,
    /// Writer of each row by segment, computed for the first bracket.
    writers: Option<Vec<Vec<u32>>>,
    /// Number of values of each key, computed on first use.
    distinct_values: Option<Vec<usize>>,
    /// Records that an earlier run of widetui joined and exported, if any.
    exported_records: Option<Selection>,
    /// Joins that are not computed, or only in part, with the reason.
    omissions: Vec<(&'a Join, Omission)>,
}

impl<'a> Fixpoint<'a> {
    /// Compiles the applicable joins; `None` when cancelled.
    fn new(
        snapshot: &'a Snapshot,
        joins: &'a [Join],
        (mut prepared, doubt): (Prepared<'a>, Doubt),
        cancel: &'a Cancel,
    ) -> Option<Fixpoint<'a>> {
        // The names of consecutive runs occur in no record, so `applicable` would reject these
        // joins.
        let is_consecutive = |join: &&Join| {
            prepared
                .consecutive_runs
                .iter()
                .any(|a| std::ptr::eq(a.join, *join))
        };
        let (consecutive_runs, others): (Vec<&Join>, Vec<&Join>) =
            joins.iter().partition(is_consecutive);
        let (mut sorted, mut known_keys) =
            applicable::applicable_joins(snapshot, others, &prepared.extracted_keys());
        let given = consecutive_runs.iter().flat_map(|join| join.right_keys());
        known_keys.extend(given.filter_map(|name| snapshot.catalog.keys.find(name)));
        sorted.extend(consecutive_runs);
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        let cached =
            ConditionCache::evaluate(snapshot, &sorted[..sorted.len().min(MAX_JOINS)], cancel)?;
        let mut widening = Fixpoint {
            snapshot,
            cancel,
            joins: Vec::new(),
            doubt,
            condition_cache: cached,
            known_keys,
            compiled: Vec::new(),
            identified_records: Vec::new(),
            orders: Vec::new(),
            numbered_keys: prepared.numbered_keys(),
            virtual_keys: VirtualKeys::default(),
            extracted_process_ids: None,
            process_id_keys: Vec::new(),
            first_records: Vec::new(),
            owner_keys: Vec::new(),
            consecutive_runs: Vec::new(),
            extractions: Vec::new(),
            writers: None,
            distinct_values: None,
            exported_records: exported_records(snapshot),
            omissions: Vec::new(),
        };
        let processes = { sorted.iter() }.find_map(|join| match &join.rule {
            JoinRule::Keys(rule) => rule.processes.as_deref(),
            _ => None,
        });
        if let Some(processes) = processes {
            let process_ids = prepared.extracted_process_ids(snapshot, processes);
            widening.extracted_process_ids = process_ids.map(|ids| widening.add_virtual_key(ids));
            let id_keys = processes
                .id_keys
                .iter()
                .filter_map(|name| snapshot.catalog.keys.find(name));
            let id_keys = id_keys.filter(|key| {
                snapshot
                    .catalog
                    .keys
                    .get(*key)
                    .is_some_and(|view| view.key.is_present())
            });
            widening.process_id_keys = id_keys.chain(widening.extracted_process_ids).collect();
        }
        for join in sorted {
            let (extractions, split_files) = (
                prepared.take_extraction(join),
                prepared.take_split_files(join),
            );
            let consecutive_runs = prepared.take_consecutive_runs(join);
            if widening.joins.len() >= MAX_JOINS {
                widening.omissions.push((join, Omission::TooManyJoins));
            } else {
                widening.compile_join(join, extractions, split_files, consecutive_runs)?;
            }
        }
        widening.resolve_scopes();
        (!cancel.is_cancelled()).then_some(widening)
    }

    fn key(&self, name: &str) -> Option<KeyId> {
        self.snapshot.catalog.keys.find(name)
    }

    fn keys(&self, names: &[String]) -> Option<Vec<KeyId>> {
        names.iter().map(|n| self.key(n)).collect()
    }

    /// Evaluates a condition; `None` when cancelled.
    fn events(&self, expr: &Expr) -> Option<Selection> {
        query::select(self.snapshot, expr, self.cancel)
    }

    /// Same as `events`, but uses the cache of conditions.
    fn cached_events(&mut self, expr: &Expr) -> Option<Selection> {
        let cached = self.condition_cache.take(expr);
        cached.or_else(|| self.events(expr))
    }

    /// Upper bound of the distinct values of a key.
    fn distinct_value_bound(&mut self, key: KeyId) -> usize {
        let snapshot = self.snapshot;
        let varieties =
            { &mut self.distinct_values }.get_or_insert_with(|| distinct_value_bounds(snapshot));
        varieties.get(key.index()).copied().unwrap_or_default()
    }

    /// Creates a key that exists only inside joins, from codes for all rows of each segment that
    /// has any.
    fn add_virtual_key(&mut self, codes: Vec<Option<Box<[u32]>>>) -> KeyId {
        let next = self.snapshot.catalog.keys.len() + self.virtual_keys.len();
        let key = KeyId(u16::try_from(next).unwrap_or(u16::MAX));
        let segments = self.snapshot.segments.par_iter().zip(codes);
        let key_columns = segments.map(|(segment, codes)| match codes {
            Some(codes) => derived_values::split_by_group(segment, &codes),
            None => Vec::new(),
        });
        self.virtual_keys.insert(key, key_columns.collect());
        key
    }

    /// Runs epochs until the joins settle; `None` when cancelled.
    fn run(mut self) -> Option<JoinResults> {
        let input = RoundInput {
            snapshot: self.snapshot,
            doubt: &self.doubt,
            virtual_keys: &self.virtual_keys,
            joins: &self.compiled,
            exported_records: self.exported_records.as_ref(),
            cancel: self.cancel,
        };
        let keeps_sets = |j: &CompiledJoin| j.only_duplicates;
        let new_table = |j: &CompiledJoin| {
            let mut table = JoinTable::new(j.inner, j.right_keys.len(), keeps_sets(j));
            table.is_whole = j.is_whole;
            table.last_key = j.is_reduced.then(|| j.left_keys.len().saturating_sub(1));
            table
        };
        let mut state = EpochState {
            tables: self.compiled.iter().map(new_table).collect(),
            stated: Vec::new(),
            blocked: vec![BlockedCells::default(); self.snapshot.segments.len()],
            chosen: Vec::new(),
        };
        let mut scopes: Vec<usize> = { self.compiled.iter() }
            .filter_map(|join| Some(join.scope.as_ref()?.join))
            .collect();
        scopes.sort_unstable();
        scopes.dedup();
        let known = |tables: &[JoinTable]| {
            scopes
                .iter()
                .map(|at| tables[*at].conflict_count())
                .sum::<usize>()
        };
        let mut epoch = 0;
        let work = loop {
            epoch += 1;
            let rounds = match epoch < MAX_EPOCHS {
                true => Rounds::All,
                false => Rounds::One,
            };
            let before = known(&state.tables);
            match self.run_epoch(&input, &mut state, rounds) {
                Epoch::Settled(work) => break work,
                Epoch::Conflict => {
                    // Groups that lacked a scope were of several instances: nothing that they had holds.
                    if known(&state.tables) > before {
                        for (at, table) in { state.tables.iter_mut().enumerate() }
                            .filter(|(at, _)| !scopes.contains(at))
                        {
                            *table = new_table(&self.compiled[at]);
                        }
                        state.blocked.iter_mut().for_each(BlockedCells::clear);
                        state.stated.clear();
                    }
                    for (at, table) in state.tables.iter_mut().enumerate() {
                        table.reset(state.stated.get(at).map_or(&[], Vec::as_slice));
                    }
                    state.chosen.clear();
                }
                Epoch::Cancelled => return None,
            }
        };
        let unproven = { self.orders.iter() }.filter(|order| order.is_unproven(&input, &work));
        let unproven = unproven.filter_map(|order| self.joins.get(order.join));
        let unproven = unproven.map(|join| (*join, Omission::OrderNotProven));
        self.omissions.extend(unproven);
        Some(self.finish(work, &state))
    }

    /// Derives values in rounds until none is new.
    fn run_epoch(&self, input: &RoundInput<'_>, state: &mut EpochState, rounds: Rounds) -> Epoch {
        let EpochState {
            tables,
            stated,
            blocked,
            chosen,
        } = state;
        let mut work = self.initial_values();
        let mut round = Round::First;
        if stated.is_empty() {
            self.add_initial_evidence(tables);
        }
        loop {
            for e in chosen.iter() {
                tables[usize::from(e.join)].add(&e.tuple, e.right, e.code, e.event);
            }
            let (mut changed, conflict) = match round == Round::First && !stated.is_empty() {
                true => (vec![true; tables.len()], false),
                false => rounds::gather_evidence(input, &work, tables, round),
            };
            if self.cancel.is_cancelled() {
                return Epoch::Cancelled;
            }
            if stated.is_empty() {
                stated.extend(tables.iter().map(|table| table.values.clone()));
            }
            if conflict {
                return Epoch::Conflict;
            }
            if round == Round::First || !chosen.is_empty() {
                changed.iter_mut().for_each(|c| *c = true);
            }
            round = Round::Later;
            let derived = value_assignment::derive_values(input, &work, tables, &changed, blocked);
            if self.cancel.is_cancelled() {
                return Epoch::Cancelled;
            }
            let (mut any, mut is_blocked) = (false, false);
            for (segment, (columns, disagreed)) in derived.into_iter().enumerate() {
                let before = blocked[segment].len();
                blocked[segment].extend(disagreed);
                is_blocked |= blocked[segment].len() > before;
                any |= self.apply_columns(segment, &mut work[segment], columns);
            }
            if is_blocked {
                return Epoch::Conflict;
            }
            if rounds == Rounds::One {
                return Epoch::Settled(work);
            }
            if any {
                continue;
            }
            let mut decided = refutation::decide(input, &self.identified_records, &work, tables);
            for order in &self.orders {
                decided.extend(order.evidence(input, &work, &tables[order.join]));
            }
            if decided.is_empty() {
                return Epoch::Settled(work);
            }
            chosen.extend(decided);
        }
    }

    /// Merges new columns into the groups of a segment. Returns whether any value is new.
    fn apply_columns(
        &self,
        segment: usize,
        work: &mut [GroupDerivations],
        new: Vec<Vec<DerivedKeyColumn>>,
    ) -> bool {
        let view = SegmentView::new(self.snapshot, segment, &self.doubt.rows[segment]);
        let mut any = false;
        for (at, (group, columns)) in work.iter_mut().zip(new).enumerate() {
            let view = view.group(at);
            group.merge(columns, view.group.rows.len(), view.ends);
            any |= !group.changed.is_empty();
        }
        any
    }

    /// Initial state: values from the first record of each file, and consecutive runs by time.
    fn initial_values(&self) -> Vec<Vec<GroupDerivations>> {
        let segments = (0..self.snapshot.segments.len()).into_par_iter();
        segments
            .map(|index| {
                let view = SegmentView::new(self.snapshot, index, &self.doubt.rows[index]);
                let mut groups = vec![GroupDerivations::default(); view.segment.groups.len()];
                for (at, group) in groups.iter_mut().enumerate() {
                    for first in &self.first_records {
                        self.assign_first_values(&view, at, first, group);
                    }
                    for owner_key in &self.owner_keys {
                        self.assign_single_candidates(&view, at, *owner_key, group);
                    }
                    for consecutive_runs in &self.consecutive_runs {
                        self.assign_consecutive_runs(&view, at, consecutive_runs, group);
                    }
                }
                groups
            })
            .collect()
    }
}
