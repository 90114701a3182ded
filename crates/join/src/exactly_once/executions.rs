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

use crate::left_tuples::{LaneAt, code_at};
use crate::replica_paths::Candidates;
use crate::rounds::{CompiledJoin, RoundInput};
use crate::table::{MAX_LEFT, Tuple};
use crate::work::{GroupLanes, GroupWork};

/// Exactly-once constraint compiled for one snapshot: an operation that each owner executes once.
#[derive(Debug)]
pub struct Once {
    /// Index of the join whose groups receive owners.
    pub join: usize,
    /// Keys that identify the operation.
    pub by: Vec<KeyId>,
    /// Events that report the execution of the operation.
    pub only: Selection,
    /// Keys whose values are equal in all records about the same operation of one owner.
    pub alike: Vec<KeyId>,
    /// Keys that hold the name of the operation: in reports elsewhere, and in its own record.
    pub named: Option<(KeyId, KeyId)>,
    /// Key among `by` whose number increases with each execution on one thread.
    pub ascending: Option<KeyId>,
    /// First number of each owner, if its numbers have no gaps.
    pub counted: Option<i64>,
    /// Events of the same operation that precede its execution.
    pub after: Option<Selection>,
    /// Whether the operation is never executed without an event of `after`.
    pub needed: bool,
    /// Sources with comparable clocks, if no record about the operation is older than its
    /// execution; otherwise empty.
    pub tellers: FxHashSet<SourceId>,
}

impl Once {
    /// Whether each group concerns one operation about which other records carry information.
    pub fn is_of_one_deed(&self) -> bool {
        !self.alike.is_empty() || self.ascending.is_some() || !self.tellers.is_empty()
    }
}

/// Number of the latest executions of a group that are compared with a new one: duplicates of a
/// record follow each other.
const NEAR: usize = 64;

/// Owner and the values of the keys that identify an operation.
pub type Deed = (Code, Tuple);

/// Execution of an operation as reported by a record of a group.
#[derive(Clone, Debug)]
pub struct Execution {
    pub deed: Tuple,
    /// Time of the execution, UTC ns.
    pub time: i64,
    /// Thread and number of the execution, if it has both.
    pub turn: Option<Turn>,
    /// Values of `Once::alike`; `NONE` where the record has none.
    pub alike: Vec<Code>,
    /// Code of the operation's name under its own key; `NONE` without a name.
    pub name: Code,
}

/// Thread and the number of an execution on it.
pub type Turn = (u32, i64);

/// Reports about an operation in records other than that of its execution.
#[derive(Clone, Debug)]
pub struct ReportedElsewhere {
    /// Time of the first report, UTC ns; `i64::MAX` if unknown.
    pub since: i64,
    /// Reported values of each of `Once::alike`.
    pub alike: Vec<Vec<Code>>,
    /// Reported names: codes of the reporting key, after `translate` codes of the operation's own
    /// key.
    pub names: Vec<Code>,
}

/// Known executions, reports and unassigned groups of a constraint.
#[derive(Default)]
pub struct Exclusion {
    /// Group of the join of each known execution; `None` for executions in several groups.
    pub done: FxHashMap<Deed, Option<Tuple>>,
    /// Times (UTC ns) of the numbered executions of each owner and thread.
    pub turns: FxHashMap<(Code, u32), BTreeMap<i64, i64>>,
    /// Reports about the operations of each owner.
    pub told: FxHashMap<Deed, ReportedElsewhere>,
    /// Names of each operation in the records of its execution.
    pub names: FxHashMap<Tuple, Vec<Code>>,
    /// Time of the first preceding event of each operation, UTC ns.
    pub before: FxHashMap<Deed, i64>,
    /// Operations with a preceding event whose owner is unknown.
    pub unowned: FxHashSet<Tuple>,
    /// Unassigned groups of the join.
    pub open: BTreeMap<Tuple, Undecided>,
}

/// Unassigned group with its candidate owners.
#[derive(Default)]
pub struct Undecided {
    /// Executions that its records report.
    pub doings: Vec<Execution>,
    /// Candidate owners.
    pub candidates: Vec<Code>,
    /// Any event of the group.
    pub event: Option<EventId>,
}

impl Exclusion {
    /// Adds an execution with a known owner, in group `tuple`.
    pub fn does(&mut self, bearer: Code, tuple: Tuple, doing: &Execution) {
        let group = { self.done.entry((bearer, doing.deed)) }.or_insert(Some(tuple));
        if *group != Some(tuple) {
            *group = None;
        }
        if let Some((writer, number)) = doing.turn {
            let turns = self.turns.entry((bearer, writer)).or_default();
            turns.entry(number).or_insert(doing.time);
        }
    }

    /// Adds a report about an operation.
    fn is_told(&mut self, deed: Deed, since: i64, alike: &[Code], name: Code) {
        let told = self.told.entry(deed).or_insert_with(|| ReportedElsewhere {
            since: i64::MAX,
            alike: vec![Vec::new(); alike.len()],
            names: Vec::new(),
        });
        told.since = told.since.min(since);
        if name != NONE && name != UNUSABLE && !told.names.contains(&name) {
            told.names.push(name);
        }
        for (known, code) in told.alike.iter_mut().zip(alike) {
            if *code != NONE && *code != UNUSABLE && !known.contains(code) {
                known.push(*code);
            }
        }
    }

    /// Adds the name of an operation.
    fn is_called(&mut self, doing: &Execution) {
        if doing.name != NONE {
            let names = self.names.entry(doing.deed).or_default();
            if !names.contains(&doing.name) {
                names.push(doing.name);
            }
        }
    }

    /// Replaces reported names by the names of the operation's own key; names without a counterpart
    /// are dropped.
    pub fn translate(&mut self, names: &FxHashMap<Code, Code>) {
        for told in self.told.values_mut() {
            let own = told
                .names
                .iter()
                .filter_map(|name| names.get(name).copied());
            told.names = own.collect();
        }
    }
}

/// Maps the reported names to the names of the operations' own key with the same spelling.
pub fn spelled_alike(
    snapshot: &Snapshot,
    (told, own): (KeyId, KeyId),
    found: &Exclusion,
) -> FxHashMap<Code, Code> {
    let keys = &snapshot.catalog.keys;
    let spelling = |key: KeyId, code: Code| keys.get(key)?.spelling(code);
    let mut owns: FxHashMap<String, Code> = FxHashMap::default();
    for code in found.names.values().flatten() {
        owns.extend(spelling(own, *code).map(|text| (text, *code)));
    }
    let tolds: FxHashSet<Code> = { found.told.values() }
        .flat_map(|t| t.names.iter().copied())
        .collect();
    let alike = |code: Code| Some((code, *owns.get(&spelling(told, code)?)?));
    tolds.into_iter().filter_map(alike).collect()
}

/// Reader of executions, reports and preceding events from records.
pub struct Reading<'a, 'f> {
    /// Input of the rounds.
    pub ground: &'a RoundInput<'a>,
    /// Exactly-once constraint.
    pub once: &'a Once,
    /// Join whose groups receive owners.
    pub join: &'a CompiledJoin,
    /// Key of the owner.
    pub key: KeyId,
    /// Executions, reports and unassigned groups found so far.
    pub found: &'f mut Exclusion,
}

impl Reading<'_, '_> {
    /// Reads the records of a segment.
    pub fn segment(&mut self, segment: usize, groups: &[GroupWork]) {
        let (ground, once) = (self.ground, self.once);
        let Some(chosen) = once.only.segment(segment) else {
            return;
        };
        let tells = once.is_of_one_deed();
        let earlier = once.after.as_ref().and_then(|s| s.segment(segment));
        let view = SegmentView::new(ground.snapshot, segment, &ground.copied[segment]);
        for (at, group) in groups.iter().enumerate() {
            let rows = &view.segment.groups[at].rows;
            let has = |bits: &Bits| rows.iter().any(|row| bits.get(usize::from(*row)));
            let is_chosen = has(chosen);
            let earlier = earlier.filter(|bits| has(bits));
            if !is_chosen && !tells && earlier.is_none() {
                continue;
            }
            let mut lanes = GroupLanes::new(view.group(at), segment, group, ground.pseudo);
            if !once.by.iter().all(|key| lanes.make(*key)) {
                continue;
            }
            once.alike.iter().for_each(|key| {
                lanes.make(*key);
            });
            if let Some((told, own)) = once.named {
                lanes.make(told);
                lanes.make(own);
            }
            lanes.make(self.key);
            if tells {
                self.hear(&view, &lanes);
            }
            if let Some(rows) = earlier {
                self.come_before(&view, &lanes, rows);
            }
            if is_chosen && self.join.by.iter().all(|key| lanes.make(*key)) {
                self.read(&view, &lanes);
            }
        }
    }

    /// Adds the reports about operations in records with a known owner.
    fn hear(&mut self, view: &SegmentView<'_>, lanes: &GroupLanes<'_>) {
        let bearers = lanes.get(self.key);
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
            let since = match self.ground.snapshot.source(source) {
                Some(own) if self.once.tellers.contains(&source) => view.segment.utc(own, row),
                _ => i64::MAX,
            };
            let since = match since {
                NO_TIME => i64::MAX,
                since => since,
            };
            let alike = self.alike(lanes, place);
            let name = self.name(lanes, place, self.once.named.map(|n| n.0));
            // A record may concern several operations.
            let ends = lanes.view().ends;
            let mut last = None;
            for at in places(ends, place) {
                let at = LaneAt {
                    row: place,
                    place: Some(at),
                    ends,
                };
                let deed = deed_of(self.once.by.iter().map(|k| lanes.get(*k)), at);
                if let Some(deed) = deed.filter(|deed| last != Some(*deed)) {
                    self.found.is_told((bearer, deed), since, &alike, name);
                    last = Some(deed);
                }
            }
        }
    }

    /// Adds the events that precede operations.
    fn come_before(&mut self, view: &SegmentView<'_>, lanes: &GroupLanes<'_>, rows: &Bits) {
        let bearers = lanes.get(self.key);
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !rows.get(row) {
                continue;
            }
            let deed = tuple_of(self.once.by.iter().map(|k| lanes.get(*k)), place);
            let bearer = bearers.row(place, lanes.view().ends);
            if bearer == NONE || bearer == UNUSABLE {
                self.found.unowned.extend(deed);
                continue;
            }
            let source = self.ground.snapshot.source(view.segment.part(row).source);
            let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
            if let Some(deed) = deed.filter(|_| time != NO_TIME) {
                let first = self.found.before.entry((bearer, deed)).or_insert(time);
                *first = time.min(*first);
            }
        }
    }

    /// Adds the executions of each group, with their owners if known.
    fn read(&mut self, view: &SegmentView<'_>, lanes: &GroupLanes<'_>) {
        let (ground, once) = (self.ground, self.once);
        let Some(chosen) = once.only.segment(view.index) else {
            return;
        };
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !chosen.get(row) {
                continue;
            }
            let read = |keys: &[KeyId]| tuple_of(keys.iter().map(|k| lanes.get(*k)), place);
            let (Some(tuple), Some(deed)) = (read(&self.join.by), read(&once.by)) else {
                continue;
            };
            let event = EventId(ground.snapshot.bases[view.index] + row as u32);
            let doing = self.doing(view, lanes, (place, row), deed);
            self.found.is_called(&doing);
            match lanes.get(self.key).row(place, lanes.view().ends) {
                UNUSABLE => {}
                NONE => self.is_open(event, tuple, doing),
                bearer => self.found.does(bearer, tuple, &doing),
            }
        }
    }

    fn doing(
        &self,
        view: &SegmentView<'_>,
        lanes: &GroupLanes<'_>,
        (place, row): (usize, usize),
        deed: Tuple,
    ) -> Execution {
        let snapshot = self.ground.snapshot;
        let source = snapshot.source(view.segment.part(row).source);
        let number = self.once.ascending.and_then(|key| {
            let at = self.once.by.iter().position(|by| *by == key)?;
            let text = snapshot.catalog.keys.get(key)?.spelling(deed[at])?;
            text.parse::<i64>().ok()
        });
        let writers = self.ground.writers.and_then(|all| all.get(view.index));
        let writer = writers.and_then(|rows| rows.get(row)).copied();
        let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
        Execution {
            deed,
            time,
            turn: writer.zip(number).filter(|_| time != NO_TIME),
            alike: self.alike(lanes, place),
            name: self.name(lanes, place, self.once.named.map(|n| n.1)),
        }
    }

    fn name(&self, lanes: &GroupLanes<'_>, place: usize, key: Option<KeyId>) -> Code {
        let code = key.map_or(NONE, |key| lanes.get(key).row(place, lanes.view().ends));
        if code == UNUSABLE { NONE } else { code }
    }

    fn alike(&self, lanes: &GroupLanes<'_>, place: usize) -> Vec<Code> {
        let keys = self.once.alike.iter();
        let codes = keys.map(|key| lanes.get(*key).row(place, lanes.view().ends));
        codes
            .map(|code| if code == UNUSABLE { NONE } else { code })
            .collect()
    }

    fn is_open(&mut self, event: EventId, tuple: Tuple, doing: Execution) {
        let Some(candidates) = Candidates::of(self.ground.snapshot, event, self.key) else {
            return;
        };
        let undecided = self.found.open.entry(tuple).or_default();
        // Duplicates of a record report the same execution.
        let is_known = |known: &Execution| known.deed == doing.deed && known.time == doing.time;
        let looks = self.once.is_of_one_deed();
        // Duplicates follow each other; searching a long group for each record would be quadratic.
        let late = undecided.doings.iter().rev().take(NEAR);
        if !looks || !{ late }.any(is_known) {
            undecided.doings.push(doing);
        }
        undecided.event.get_or_insert(event);
        for code in candidates.codes {
            if !undecided.candidates.contains(&code) {
                undecided.candidates.push(code);
            }
        }
    }
}

fn deed_of<'l>(lanes: impl Iterator<Item = &'l Lane>, at: LaneAt<'_>) -> Option<Tuple> {
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

fn tuple_of<'l>(lanes: impl Iterator<Item = &'l Lane>, row: usize) -> Option<Tuple> {
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
