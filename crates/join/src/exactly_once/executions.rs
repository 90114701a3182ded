//! Executions under an exactly-once constraint: the owner and time of each operation, reports of it
//! elsewhere, and groups that are still unassigned.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE, element_range};
use widetui_time::time::NO_TIME;

use crate::derived_values::{GroupColumns, GroupDerivations};
use crate::left_tuples::{CellPosition, code_at};
use crate::replica_paths::Candidates;
use crate::rounds::{CompiledJoin, RoundInput};
use crate::table::{MAX_LEFT_KEYS, Tuple};

/// Exactly-once constraint compiled for one snapshot: an operation that each owner executes once.
#[derive(Debug)]
pub(crate) struct ExactlyOnce {
    /// Index of the join whose groups receive owners.
    pub(crate) join: usize,
    /// Keys that identify the operation.
    pub(crate) operation_keys: Vec<KeyId>,
    /// Events that report the execution of the operation.
    pub(crate) executions: Selection,
    /// Keys whose values are equal in all records about the same operation of one owner.
    pub(crate) shared_keys: Vec<KeyId>,
    /// Keys that hold the name of the operation: in reports elsewhere, and in its own record.
    pub(crate) name_keys: Option<(KeyId, KeyId)>,
    /// Key among `operation_keys` whose number increases with each execution on one thread.
    pub(crate) sequence_key: Option<KeyId>,
    /// Events of the same operation that precede its execution.
    pub(crate) preceding: Option<Selection>,
    /// Whether the operation is never executed without an event of `preceding`.
    pub(crate) requires_preceding: bool,
    /// Sources with comparable clocks, if no record about the operation is older than its
    /// execution; otherwise empty.
    pub(crate) reporters: FxHashSet<SourceId>,
}

impl ExactlyOnce {
    /// Whether each group concerns one operation about which other records carry information.
    pub(crate) fn has_one_operation_per_group(&self) -> bool {
        !self.shared_keys.is_empty() || self.sequence_key.is_some() || !self.reporters.is_empty()
    }
}

/// Number of the latest executions of a group that are compared with a new one: duplicates of a
/// record follow each other.
const MAX_RECENT_EXECUTIONS: usize = 64;

/// Owner and the values of the keys that identify an operation.
pub(crate) type OwnerOperation = (Code, Tuple);

/// Execution of an operation as reported by a record of a group.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    /// Values of the keys that identify the operation.
    pub(crate) operation: Tuple,
    /// Time of the execution, UTC ns.
    pub(crate) time: i64,
    /// Thread and number of the execution, if it has both.
    pub(crate) position: Option<SequencePosition>,
    /// Values of `ExactlyOnce::shared_keys`; `NONE` where the record has none.
    pub(crate) shared_values: Vec<Code>,
    /// Code of the operation's name under its own key; `NONE` without a name.
    pub(crate) name: Code,
}

/// Thread and the number of an execution on it.
pub(crate) type SequencePosition = (u32, i64);

/// Reports about an operation in records other than that of its execution.
#[derive(Clone, Debug)]
pub(crate) struct ReportedElsewhere {
    /// Time of the first report, UTC ns; `i64::MAX` if unknown.
    pub(crate) first_time: i64,
    /// Reported values of each of `ExactlyOnce::shared_keys`.
    pub(crate) shared_values: Vec<Vec<Code>>,
    /// Reported names: codes of the reporting key, after `translate_names` codes of the operation's own
    /// key.
    pub(crate) names: Vec<Code>,
}

/// Known executions, reports and unassigned groups of a constraint.
#[derive(Default)]
pub(crate) struct ExecutionFacts {
    /// Group of the join of each known execution; `None` for executions in several groups.
    pub(crate) executed_in: FxHashMap<OwnerOperation, Option<Tuple>>,
    /// Times (UTC ns) of the numbered executions of each owner and thread.
    pub(crate) sequences: FxHashMap<(Code, u32), BTreeMap<i64, i64>>,
    /// Reports about the operations of each owner.
    pub(crate) reports: FxHashMap<OwnerOperation, ReportedElsewhere>,
    /// Names of each operation in the records of its execution.
    pub(crate) operation_names: FxHashMap<Tuple, Vec<Code>>,
    /// Time of the first preceding event of each operation, UTC ns.
    pub(crate) preceding: FxHashMap<OwnerOperation, i64>,
    /// Operations with a preceding event whose owner is unknown.
    pub(crate) ownerless_preceding: FxHashSet<Tuple>,
    /// Unassigned groups of the join.
    pub(crate) unassigned: BTreeMap<Tuple, UnassignedGroup>,
}

/// Unassigned group with its candidate owners.
#[derive(Default)]
pub(crate) struct UnassignedGroup {
    /// Executions that its records report.
    pub(crate) executions: Vec<Execution>,
    /// Codes of the candidate owners.
    pub(crate) candidates: Vec<Code>,
    /// Any event of the group.
    pub(crate) event: Option<EventId>,
}

impl ExecutionFacts {
    /// Adds an execution with a known owner, in group `tuple`.
    pub(crate) fn add_execution(&mut self, owner: Code, tuple: Tuple, execution: &Execution) {
        let group = { self.executed_in.entry((owner, execution.operation)) }.or_insert(Some(tuple));
        if *group != Some(tuple) {
            *group = None;
        }
        if let Some((writer, number)) = execution.position {
            let sequence = self.sequences.entry((owner, writer)).or_default();
            sequence.entry(number).or_insert(execution.time);
        }
    }

    /// Adds a report about an operation.
    fn add_report(
        &mut self,
        operation: OwnerOperation,
        first_time: i64,
        shared_values: &[Code],
        name: Code,
    ) {
        let report = self
            .reports
            .entry(operation)
            .or_insert_with(|| ReportedElsewhere {
                first_time: i64::MAX,
                shared_values: vec![Vec::new(); shared_values.len()],
                names: Vec::new(),
            });
        report.first_time = report.first_time.min(first_time);
        if name != NONE && name != UNUSABLE && !report.names.contains(&name) {
            report.names.push(name);
        }
        for (known, code) in report.shared_values.iter_mut().zip(shared_values) {
            if *code != NONE && *code != UNUSABLE && !known.contains(code) {
                known.push(*code);
            }
        }
    }

    /// Adds the name of an operation.
    fn add_name(&mut self, execution: &Execution) {
        if execution.name != NONE {
            let names = self.operation_names.entry(execution.operation).or_default();
            if !names.contains(&execution.name) {
                names.push(execution.name);
            }
        }
    }

    /// Replaces reported names by the names of the operation's own key; names without a counterpart
    /// are dropped.
    pub(crate) fn translate_names(&mut self, names: &FxHashMap<Code, Code>) {
        for report in self.reports.values_mut() {
            let own = report
                .names
                .iter()
                .filter_map(|name| names.get(name).copied());
            report.names = own.collect();
        }
    }
}

/// Maps the reported names to the names of the operations' own key with the same spelling.
pub(crate) fn match_names(
    snapshot: &Snapshot,
    (report, own): (KeyId, KeyId),
    found: &ExecutionFacts,
) -> FxHashMap<Code, Code> {
    let keys = &snapshot.catalog.keys;
    let spelling = |key: KeyId, code: Code| keys.get(key)?.spelling(code);
    let mut own_codes: FxHashMap<String, Code> = FxHashMap::default();
    for code in found.operation_names.values().flatten() {
        own_codes.extend(spelling(own, *code).map(|text| (text, *code)));
    }
    let reported_codes: FxHashSet<Code> = { found.reports.values() }
        .flat_map(|t| t.names.iter().copied())
        .collect();
    let name_pair = |code: Code| Some((code, *own_codes.get(&spelling(report, code)?)?));
    reported_codes.into_iter().filter_map(name_pair).collect()
}

/// Reader of executions, reports and preceding events from records.
pub(crate) struct ExecutionReader<'a, 'f> {
    /// Input of the rounds: snapshot, joins and writers.
    pub(crate) input: &'a RoundInput<'a>,
    /// Exactly-once constraint that is evaluated.
    pub(crate) once: &'a ExactlyOnce,
    /// Join whose groups receive owners.
    pub(crate) join: &'a CompiledJoin,
    /// Right key of the join, which holds the owner.
    pub(crate) owner_key: KeyId,
    /// Executions, reports and unassigned groups found so far.
    pub(crate) facts: &'f mut ExecutionFacts,
}

impl ExecutionReader<'_, '_> {
    /// Reads the records of a segment.
    pub(crate) fn read_segment(&mut self, segment: usize, groups: &[GroupDerivations]) {
        let (input, once) = (self.input, self.once);
        let Some(chosen) = once.executions.segment(segment) else {
            return;
        };
        let has_reports = once.has_one_operation_per_group();
        let earlier = once.preceding.as_ref().and_then(|s| s.segment(segment));
        let view = SegmentView::new(input.snapshot, segment, &input.duplicated_rows[segment]);
        for (at, group) in groups.iter().enumerate() {
            let rows = &view.segment.groups[at].rows;
            let has = |bits: &Bits| rows.iter().any(|row| bits.get(usize::from(*row)));
            let is_chosen = has(chosen);
            let earlier = earlier.filter(|bits| has(bits));
            if !is_chosen && !has_reports && earlier.is_none() {
                continue;
            }
            let mut key_columns =
                GroupColumns::new(view.group(at), segment, group, input.virtual_keys);
            if !once
                .operation_keys
                .iter()
                .all(|key| key_columns.build(*key))
            {
                continue;
            }
            once.shared_keys.iter().for_each(|key| {
                key_columns.build(*key);
            });
            if let Some((report, own)) = once.name_keys {
                key_columns.build(report);
                key_columns.build(own);
            }
            key_columns.build(self.owner_key);
            if has_reports {
                self.read_reports(&view, &key_columns);
            }
            if let Some(rows) = earlier {
                self.read_preceding(&view, &key_columns, rows);
            }
            if is_chosen
                && self
                    .join
                    .left_keys
                    .iter()
                    .all(|key| key_columns.build(*key))
            {
                self.read_executions(&view, &key_columns);
            }
        }
    }

    /// Adds the reports about operations in records with a known owner.
    fn read_reports(&mut self, view: &SegmentView<'_>, key_columns: &GroupColumns<'_>) {
        let owner_column = key_columns.get(self.owner_key);
        if owner_column.is_absent() {
            return;
        }
        for (place, row) in key_columns.view().group.rows.iter().enumerate() {
            let owner = owner_column.row(place, key_columns.view().ends);
            if owner == NONE || owner == UNUSABLE {
                continue;
            }
            let row = usize::from(*row);
            let source = view.segment.part(row).source;
            let first_time = match self.input.snapshot.source(source) {
                Some(own) if self.once.reporters.contains(&source) => view.segment.utc(own, row),
                _ => i64::MAX,
            };
            let first_time = match first_time {
                NO_TIME => i64::MAX,
                first_time => first_time,
            };
            let shared_values = self.shared_values(key_columns, place);
            let name = self.name_code(key_columns, place, self.once.name_keys.map(|n| n.0));
            // A record may concern several operations.
            let ends = key_columns.view().ends;
            let mut last = None;
            for at in element_range(ends, place) {
                let at = CellPosition {
                    row: place,
                    element: Some(at),
                    ends,
                };
                let operation = operation_at(
                    self.once.operation_keys.iter().map(|k| key_columns.get(*k)),
                    at,
                );
                if let Some(operation) = operation.filter(|operation| last != Some(*operation)) {
                    self.facts
                        .add_report((owner, operation), first_time, &shared_values, name);
                    last = Some(operation);
                }
            }
        }
    }

    /// Adds the events that precede operations.
    fn read_preceding(
        &mut self,
        view: &SegmentView<'_>,
        key_columns: &GroupColumns<'_>,
        rows: &Bits,
    ) {
        let owner_column = key_columns.get(self.owner_key);
        for (place, row) in key_columns.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !rows.get(row) {
                continue;
            }
            let operation = row_tuple(
                self.once.operation_keys.iter().map(|k| key_columns.get(*k)),
                place,
            );
            let owner = owner_column.row(place, key_columns.view().ends);
            if owner == NONE || owner == UNUSABLE {
                self.facts.ownerless_preceding.extend(operation);
                continue;
            }
            let source = self.input.snapshot.source(view.segment.part(row).source);
            let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
            if let Some(operation) = operation.filter(|_| time != NO_TIME) {
                let first = self
                    .facts
                    .preceding
                    .entry((owner, operation))
                    .or_insert(time);
                *first = time.min(*first);
            }
        }
    }

    /// Adds the executions of each group, with their owners if known.
    fn read_executions(&mut self, view: &SegmentView<'_>, key_columns: &GroupColumns<'_>) {
        let (input, once) = (self.input, self.once);
        let Some(chosen) = once.executions.segment(view.index) else {
            return;
        };
        for (place, row) in key_columns.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !chosen.get(row) {
                continue;
            }
            let read = |keys: &[KeyId]| row_tuple(keys.iter().map(|k| key_columns.get(*k)), place);
            let (Some(tuple), Some(operation)) =
                (read(&self.join.left_keys), read(&once.operation_keys))
            else {
                continue;
            };
            let event = EventId(input.snapshot.bases[view.index] + row as u32);
            let execution = self.execution(view, key_columns, (place, row), operation);
            self.facts.add_name(&execution);
            match key_columns
                .get(self.owner_key)
                .row(place, key_columns.view().ends)
            {
                UNUSABLE => {}
                NONE => self.add_unassigned(event, tuple, execution),
                owner => self.facts.add_execution(owner, tuple, &execution),
            }
        }
    }

    /// Builds an execution from a row.
    fn execution(
        &self,
        view: &SegmentView<'_>,
        key_columns: &GroupColumns<'_>,
        (place, row): (usize, usize),
        operation: Tuple,
    ) -> Execution {
        let snapshot = self.input.snapshot;
        let source = snapshot.source(view.segment.part(row).source);
        let number = self.once.sequence_key.and_then(|key| {
            let at = self.once.operation_keys.iter().position(|by| *by == key)?;
            let text = snapshot.catalog.keys.get(key)?.spelling(operation[at])?;
            text.parse::<i64>().ok()
        });
        let writers = self.input.writers.and_then(|all| all.get(view.index));
        let writer = writers.and_then(|rows| rows.get(row)).copied();
        let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
        Execution {
            operation,
            time,
            position: writer.zip(number).filter(|_| time != NO_TIME),
            shared_values: self.shared_values(key_columns, place),
            name: self.name_code(key_columns, place, self.once.name_keys.map(|n| n.1)),
        }
    }

    /// Code of a name key in a row; `NONE` without a usable value.
    fn name_code(&self, key_columns: &GroupColumns<'_>, place: usize, key: Option<KeyId>) -> Code {
        let code = key.map_or(NONE, |key| {
            key_columns.get(key).row(place, key_columns.view().ends)
        });
        if code == UNUSABLE { NONE } else { code }
    }

    /// Codes of `ExactlyOnce::shared_keys` in a row; `NONE` without a usable value.
    fn shared_values(&self, key_columns: &GroupColumns<'_>, place: usize) -> Vec<Code> {
        let keys = self.once.shared_keys.iter();
        let codes = keys.map(|key| key_columns.get(*key).row(place, key_columns.view().ends));
        codes
            .map(|code| if code == UNUSABLE { NONE } else { code })
            .collect()
    }

    /// Adds an execution without a known owner to its unassigned group, with the candidates of the
    /// event.
    fn add_unassigned(&mut self, event: EventId, tuple: Tuple, execution: Execution) {
        let Some(candidates) = Candidates::for_event(self.input.snapshot, event, self.owner_key)
        else {
            return;
        };
        let undecided = self.facts.unassigned.entry(tuple).or_default();
        // Duplicates of a record report the same execution.
        let is_known = |known: &Execution| {
            known.operation == execution.operation && known.time == execution.time
        };
        let is_deduplicated = self.once.has_one_operation_per_group();
        // Duplicates follow each other; searching a long group for each record would be quadratic.
        let recent = undecided
            .executions
            .iter()
            .rev()
            .take(MAX_RECENT_EXECUTIONS);
        if !is_deduplicated || !{ recent }.any(is_known) {
            undecided.executions.push(execution);
        }
        undecided.event.get_or_insert(event);
        for code in candidates.codes {
            if !undecided.candidates.contains(&code) {
                undecided.candidates.push(code);
            }
        }
    }
}

/// Values of the operation keys at a position; `None` if one is missing.
fn operation_at<'l>(
    key_columns: impl Iterator<Item = &'l KeyColumn>,
    at: CellPosition<'_>,
) -> Option<Tuple> {
    let mut tuple = [NONE; MAX_LEFT_KEYS];
    for (slot, key_column) in tuple.iter_mut().zip(key_columns) {
        let code = code_at(key_column, at);
        if code == NONE || code == UNUSABLE {
            return None;
        }
        *slot = code;
    }
    Some(tuple)
}

/// Values of a row in some key columns; `None` if one is missing or a list.
fn row_tuple<'l>(key_columns: impl Iterator<Item = &'l KeyColumn>, row: usize) -> Option<Tuple> {
    let mut tuple = [NONE; MAX_LEFT_KEYS];
    for (slot, key_column) in tuple.iter_mut().zip(key_columns) {
        // Lists are ambiguous here.
        let code = match key_column {
            KeyColumn::Elements(_) => UNUSABLE,
            key_column => key_column.row(row, None),
        };
        if code == NONE || code == UNUSABLE {
            return None;
        }
        *slot = code;
    }
    Some(tuple)
}
