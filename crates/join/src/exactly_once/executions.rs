//! Executions under an exactly-once constraint: the owner and time of each operation, reports of it
//! elsewhere, and groups that are still unassigned.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::lanes::{Lane, SegmentView, UNUSABLE, places};
use widetui_time::time::NO_TIME;

use crate::left_tuples::{CellPosition, code_at};
use crate::replica_paths::Candidates;
use crate::rounds::{CompiledJoin, RoundInput};
use crate::table::{MAX_LEFT, Tuple};
use crate::work::{GroupColumns, GroupDerivations};

/// Exactly-once constraint compiled for one snapshot: an operation that each owner executes once.
#[derive(Debug)]
pub struct ExactlyOnce {
    /// Index of the join whose groups receive owners.
    pub join: usize,
    /// Keys that identify the operation.
    pub operation_keys: Vec<KeyId>,
    /// Events that report the execution of the operation.
    pub executions: Selection,
    /// Keys whose values are equal in all records about the same operation of one owner.
    pub shared_keys: Vec<KeyId>,
    /// Keys that hold the name of the operation: in reports elsewhere, and in its own record.
    pub name_keys: Option<(KeyId, KeyId)>,
    /// Key among `by` whose number increases with each execution on one thread.
    pub sequence_key: Option<KeyId>,
    /// First number of each owner, if its numbers have no gaps.
    pub first_number: Option<i64>,
    /// Events of the same operation that precede its execution.
    pub preceding: Option<Selection>,
    /// Whether the operation is never executed without an event of `after`.
    pub requires_preceding: bool,
    /// Sources with comparable clocks, if no record about the operation is older than its
    /// execution; otherwise empty.
    pub reporters: FxHashSet<SourceId>,
}

impl ExactlyOnce {
    /// Whether each group concerns one operation about which other records carry information.
    pub fn has_one_operation_per_group(&self) -> bool {
        !self.shared_keys.is_empty() || self.sequence_key.is_some() || !self.reporters.is_empty()
    }
}

/// Number of the latest executions of a group that are compared with a new one: duplicates of a
/// record follow each other.
const RECENT: usize = 64;

/// Owner and the values of the keys that identify an operation.
pub type OwnerOperation = (Code, Tuple);

/// Execution of an operation as reported by a record of a group.
#[derive(Clone, Debug)]
pub struct Execution {
    pub operation: Tuple,
    /// Time of the execution, UTC ns.
    pub time: i64,
    /// Thread and number of the execution, if it has both.
    pub position: Option<SequencePosition>,
    /// Values of `ExactlyOnce::shared_keys`; `NONE` where the record has none.
    pub shared_values: Vec<Code>,
    /// Code of the operation's name under its own key; `NONE` without a name.
    pub name: Code,
}

/// Thread and the number of an execution on it.
pub type SequencePosition = (u32, i64);

/// Reports about an operation in records other than that of its execution.
#[derive(Clone, Debug)]
pub struct ReportedElsewhere {
    /// Time of the first report, UTC ns; `i64::MAX` if unknown.
    pub first_time: i64,
    /// Reported values of each of `ExactlyOnce::shared_keys`.
    pub shared_values: Vec<Vec<Code>>,
    /// Reported names: codes of the reporting key, after `translate` codes of the operation's own
    /// key.
    pub names: Vec<Code>,
}

/// Known executions, reports and unassigned groups of a constraint.
#[derive(Default)]
pub struct ExecutionFacts {
    /// Group of the join of each known execution; `None` for executions in several groups.
    pub executed_in: FxHashMap<OwnerOperation, Option<Tuple>>,
    /// Times (UTC ns) of the numbered executions of each owner and thread.
    pub sequences: FxHashMap<(Code, u32), BTreeMap<i64, i64>>,
    /// Reports about the operations of each owner.
    pub reports: FxHashMap<OwnerOperation, ReportedElsewhere>,
    /// Names of each operation in the records of its execution.
    pub operation_names: FxHashMap<Tuple, Vec<Code>>,
    /// Time of the first preceding event of each operation, UTC ns.
    pub preceding: FxHashMap<OwnerOperation, i64>,
    /// Operations with a preceding event whose owner is unknown.
    pub ownerless_preceding: FxHashSet<Tuple>,
    /// Unassigned groups of the join.
    pub unassigned: BTreeMap<Tuple, UnassignedGroup>,
}

/// Unassigned group with its candidate owners.
#[derive(Default)]
pub struct UnassignedGroup {
    /// Executions that its records report.
    pub executions: Vec<Execution>,
    /// Candidate owners.
    pub candidates: Vec<Code>,
    /// Any event of the group.
    pub event: Option<EventId>,
}

impl ExecutionFacts {
    /// Adds an execution with a known owner, in group `tuple`.
    pub fn add_execution(&mut self, bearer: Code, tuple: Tuple, doing: &Execution) {
        let group = { self.executed_in.entry((bearer, doing.operation)) }.or_insert(Some(tuple));
        if *group != Some(tuple) {
            *group = None;
        }
        if let Some((writer, number)) = doing.position {
            let turns = self.sequences.entry((bearer, writer)).or_default();
            turns.entry(number).or_insert(doing.time);
        }
    }

    /// Adds a report about an operation.
    fn add_report(&mut self, deed: OwnerOperation, since: i64, alike: &[Code], name: Code) {
        let told = self
            .reports
            .entry(deed)
            .or_insert_with(|| ReportedElsewhere {
                first_time: i64::MAX,
                shared_values: vec![Vec::new(); alike.len()],
                names: Vec::new(),
            });
        told.first_time = told.first_time.min(since);
        if name != NONE && name != UNUSABLE && !told.names.contains(&name) {
            told.names.push(name);
        }
        for (known, code) in told.shared_values.iter_mut().zip(alike) {
            if *code != NONE && *code != UNUSABLE && !known.contains(code) {
                known.push(*code);
            }
        }
    }

    /// Adds the name of an operation.
    fn add_name(&mut self, doing: &Execution) {
        if doing.name != NONE {
            let names = self.operation_names.entry(doing.operation).or_default();
            if !names.contains(&doing.name) {
                names.push(doing.name);
            }
        }
    }

    /// Replaces reported names by the names of the operation's own key; names without a counterpart
    /// are dropped.
    pub fn translate_names(&mut self, names: &FxHashMap<Code, Code>) {
        for told in self.reports.values_mut() {
            let own = told
                .names
                .iter()
                .filter_map(|name| names.get(name).copied());
            told.names = own.collect();
        }
    }
}

/// Maps the reported names to the names of the operations' own key with the same spelling.
pub fn match_names(
    snapshot: &Snapshot,
    (told, own): (KeyId, KeyId),
    found: &ExecutionFacts,
) -> FxHashMap<Code, Code> {
    let keys = &snapshot.catalog.keys;
    let spelling = |key: KeyId, code: Code| keys.get(key)?.spelling(code);
    let mut owns: FxHashMap<String, Code> = FxHashMap::default();
    for code in found.operation_names.values().flatten() {
        owns.extend(spelling(own, *code).map(|text| (text, *code)));
    }
    let tolds: FxHashSet<Code> = { found.reports.values() }
        .flat_map(|t| t.names.iter().copied())
        .collect();
    let alike = |code: Code| Some((code, *owns.get(&spelling(told, code)?)?));
    tolds.into_iter().filter_map(alike).collect()
}

/// Reader of executions, reports and preceding events from records.
pub struct ExecutionReader<'a, 'f> {
    /// Input of the rounds.
    pub input: &'a RoundInput<'a>,
    /// Exactly-once constraint.
    pub once: &'a ExactlyOnce,
    /// Join whose groups receive owners.
    pub join: &'a CompiledJoin,
    /// Key of the owner.
    pub owner_key: KeyId,
    /// Executions, reports and unassigned groups found so far.
    pub facts: &'f mut ExecutionFacts,
}

impl ExecutionReader<'_, '_> {
    /// Reads the records of a segment.
    pub fn read_segment(&mut self, segment: usize, groups: &[GroupDerivations]) {
        let (ground, once) = (self.input, self.once);
        let Some(chosen) = once.executions.segment(segment) else {
            return;
        };
        let tells = once.has_one_operation_per_group();
        let earlier = once.preceding.as_ref().and_then(|s| s.segment(segment));
        let view = SegmentView::new(ground.snapshot, segment, &ground.duplicated_rows[segment]);
        for (at, group) in groups.iter().enumerate() {
            let rows = &view.segment.groups[at].rows;
            let has = |bits: &Bits| rows.iter().any(|row| bits.get(usize::from(*row)));
            let is_chosen = has(chosen);
            let earlier = earlier.filter(|bits| has(bits));
            if !is_chosen && !tells && earlier.is_none() {
                continue;
            }
            let mut lanes = GroupColumns::new(view.group(at), segment, group, ground.virtual_keys);
            if !once.operation_keys.iter().all(|key| lanes.build(*key)) {
                continue;
            }
            once.shared_keys.iter().for_each(|key| {
                lanes.build(*key);
            });
            if let Some((told, own)) = once.name_keys {
                lanes.build(told);
                lanes.build(own);
            }
            lanes.build(self.owner_key);
            if tells {
                self.read_reports(&view, &lanes);
            }
            if let Some(rows) = earlier {
                self.read_preceding(&view, &lanes, rows);
            }
            if is_chosen && self.join.left_keys.iter().all(|key| lanes.build(*key)) {
                self.read_executions(&view, &lanes);
            }
        }
    }

    /// Adds the reports about operations in records with a known owner.
    fn read_reports(&mut self, view: &SegmentView<'_>, lanes: &GroupColumns<'_>) {
        let bearers = lanes.get(self.owner_key);
        if bearers.is_absent() {
            return;
        }
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let bearer = bearers.row(place, lanes.view().ends);
            if bearer == NONE || bearer == UNUSABLE {
                continue;
            }
            let row = usize::from(*row);
            let source = view.segment.part(row).source;
            let since = match self.input.snapshot.source(source) {
                Some(own) if self.once.reporters.contains(&source) => view.segment.utc(own, row),
                _ => i64::MAX,
            };
            let since = match since {
                NO_TIME => i64::MAX,
                since => since,
            };
            let alike = self.shared_values(lanes, place);
            let name = self.name_code(lanes, place, self.once.name_keys.map(|n| n.0));
            // A record may concern several operations.
            let ends = lanes.view().ends;
            let mut last = None;
            for at in places(ends, place) {
                let at = CellPosition {
                    row: place,
                    element: Some(at),
                    ends,
                };
                let deed = operation_at(self.once.operation_keys.iter().map(|k| lanes.get(*k)), at);
                if let Some(deed) = deed.filter(|deed| last != Some(*deed)) {
                    self.facts.add_report((bearer, deed), since, &alike, name);
                    last = Some(deed);
                }
            }
        }
    }

    /// Adds the events that precede operations.
    fn read_preceding(&mut self, view: &SegmentView<'_>, lanes: &GroupColumns<'_>, rows: &Bits) {
        let bearers = lanes.get(self.owner_key);
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !rows.get(row) {
                continue;
            }
            let deed = row_tuple(
                self.once.operation_keys.iter().map(|k| lanes.get(*k)),
                place,
            );
            let bearer = bearers.row(place, lanes.view().ends);
            if bearer == NONE || bearer == UNUSABLE {
                self.facts.ownerless_preceding.extend(deed);
                continue;
            }
            let source = self.input.snapshot.source(view.segment.part(row).source);
            let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
            if let Some(deed) = deed.filter(|_| time != NO_TIME) {
                let first = self.facts.preceding.entry((bearer, deed)).or_insert(time);
                *first = time.min(*first);
            }
        }
    }

    /// Adds the executions of each group, with their owners if known.
    fn read_executions(&mut self, view: &SegmentView<'_>, lanes: &GroupColumns<'_>) {
        let (ground, once) = (self.input, self.once);
        let Some(chosen) = once.executions.segment(view.index) else {
            return;
        };
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !chosen.get(row) {
                continue;
            }
            let read = |keys: &[KeyId]| row_tuple(keys.iter().map(|k| lanes.get(*k)), place);
            let (Some(tuple), Some(deed)) =
                (read(&self.join.left_keys), read(&once.operation_keys))
            else {
                continue;
            };
            let event = EventId(ground.snapshot.bases[view.index] + row as u32);
            let doing = self.execution(view, lanes, (place, row), deed);
            self.facts.add_name(&doing);
            match lanes.get(self.owner_key).row(place, lanes.view().ends) {
                UNUSABLE => {}
                NONE => self.add_unassigned(event, tuple, doing),
                bearer => self.facts.add_execution(bearer, tuple, &doing),
            }
        }
    }

    fn execution(
        &self,
        view: &SegmentView<'_>,
        lanes: &GroupColumns<'_>,
        (place, row): (usize, usize),
        deed: Tuple,
    ) -> Execution {
        let snapshot = self.input.snapshot;
        let source = snapshot.source(view.segment.part(row).source);
        let number = self.once.sequence_key.and_then(|key| {
            let at = self.once.operation_keys.iter().position(|by| *by == key)?;
            let text = snapshot.catalog.keys.get(key)?.spelling(deed[at])?;
            text.parse::<i64>().ok()
        });
        let writers = self.input.writers.and_then(|all| all.get(view.index));
        let writer = writers.and_then(|rows| rows.get(row)).copied();
        let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
        Execution {
            operation: deed,
            time,
            position: writer.zip(number).filter(|_| time != NO_TIME),
            shared_values: self.shared_values(lanes, place),
            name: self.name_code(lanes, place, self.once.name_keys.map(|n| n.1)),
        }
    }

    fn name_code(&self, lanes: &GroupColumns<'_>, place: usize, key: Option<KeyId>) -> Code {
        let code = key.map_or(NONE, |key| lanes.get(key).row(place, lanes.view().ends));
        if code == UNUSABLE { NONE } else { code }
    }

    fn shared_values(&self, lanes: &GroupColumns<'_>, place: usize) -> Vec<Code> {
        let keys = self.once.shared_keys.iter();
        let codes = keys.map(|key| lanes.get(*key).row(place, lanes.view().ends));
        codes
            .map(|code| if code == UNUSABLE { NONE } else { code })
            .collect()
    }

    fn add_unassigned(&mut self, event: EventId, tuple: Tuple, doing: Execution) {
        let Some(candidates) = Candidates::for_event(self.input.snapshot, event, self.owner_key)
        else {
            return;
        };
        let undecided = self.facts.unassigned.entry(tuple).or_default();
        // Duplicates of a record report the same execution.
        let is_known =
            |known: &Execution| known.operation == doing.operation && known.time == doing.time;
        let looks = self.once.has_one_operation_per_group();
        // Duplicates follow each other; searching a long group for each record would be quadratic.
        let late = undecided.executions.iter().rev().take(RECENT);
        if !looks || !{ late }.any(is_known) {
            undecided.executions.push(doing);
        }
        undecided.event.get_or_insert(event);
        for code in candidates.codes {
            if !undecided.candidates.contains(&code) {
                undecided.candidates.push(code);
            }
        }
    }
}

fn operation_at<'l>(lanes: impl Iterator<Item = &'l Lane>, at: CellPosition<'_>) -> Option<Tuple> {
    let mut tuple = [NONE; MAX_LEFT];
    for (slot, lane) in tuple.iter_mut().zip(lanes) {
        let code = code_at(lane, at);
        if code == NONE || code == UNUSABLE {
            return None;
        }
        *slot = code;
    }
    Some(tuple)
}

fn row_tuple<'l>(lanes: impl Iterator<Item = &'l Lane>, row: usize) -> Option<Tuple> {
    let mut tuple = [NONE; MAX_LEFT];
    for (slot, lane) in tuple.iter_mut().zip(lanes) {
        // Lists are ambiguous here.
        let code = match lane {
            Lane::Slots(_) => UNUSABLE,
            lane => lane.row(row, None),
        };
        if code == NONE || code == UNUSABLE {
            return None;
        }
        *slot = code;
    }
    Some(tuple)
}
