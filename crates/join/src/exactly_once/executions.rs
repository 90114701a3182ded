//! Executions under an exactly-once constraint: which resource did what and when, reports of it elsewhere, and groups that are
//! still unassigned.

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

/// What each bearer does once.
#[derive(Debug)]
pub struct Once {
    /// The join whose groups are chosen.
    pub join: usize,
    /// Keys that name what is done.
    pub by: Vec<KeyId>,
    /// The events that say it.
    pub only: Selection,
    /// Keys of which all who tell of it tell the same.
    pub alike: Vec<KeyId>,
    /// What is done has a name: the key under which it is told elsewhere, and its own.
    pub named: Option<(KeyId, KeyId)>,
    /// The one of `by` that goes up from each time to the next on one thread.
    pub ascending: Option<KeyId>,
    /// The number with which each bearer begins, where it leaves none out.
    pub counted: Option<i64>,
    /// Events of the same deed that come before it.
    pub after: Option<Selection>,
    /// Whether it never happens without one of these.
    pub needed: bool,
    /// Where it is the first that is told of it: the sources that go by one clock.
    pub tellers: FxHashSet<SourceId>,
}

impl Once {
    /// Whether each group is about one deed, of which more is known than in which group it was done.
    pub fn is_of_one_deed(&self) -> bool {
        !self.alike.is_empty() || self.ascending.is_some() || !self.tellers.is_empty()
    }
}

/// How many of the last doings of a group may be the same as the next: those of the copies of a record.
const NEAR: usize = 64;

/// Who did what: a bearer, and the values of the keys that name it.
pub type Deed = (Code, Tuple);

/// A deed, as a record of a group says it.
#[derive(Clone, Debug)]
pub struct Execution {
    pub deed: Tuple,
    /// When, UTC ns.
    pub time: i64,
    /// On which thread, and where among those in a row.
    pub turn: Option<Turn>,
    /// What is told besides, for each of `Once::alike`.
    pub alike: Vec<Code>,
    /// Its name, if it has one: a code of its own key.
    pub name: Code,
}

/// The thread, and the number of what was done on it.
pub type Turn = (u32, i64);

/// What is told elsewhere of a deed.
#[derive(Clone, Debug)]
pub struct ReportedElsewhere {
    /// Since when, UTC ns; `i64::MAX` where nobody says.
    pub since: i64,
    /// For each of `Once::alike` what is told.
    pub alike: Vec<Vec<Code>>,
    /// Under which names it is told: codes of the key that tells them, and then of its own.
    pub names: Vec<Code>,
}

/// What is known of who did what.
#[derive(Default)]
pub struct Exclusion {
    /// Who did what, in which group of the join; `None` when in several.
    pub done: FxHashMap<Deed, Option<Tuple>>,
    /// When each bearer did what has this number on a thread.
    pub turns: FxHashMap<(Code, u32), BTreeMap<i64, i64>>,
    /// What is told of each deed.
    pub told: FxHashMap<Deed, ReportedElsewhere>,
    /// What each deed is called by those who may have done it.
    pub names: FxHashMap<Tuple, Vec<Code>>,
    /// When what comes before each deed was done first, UTC ns.
    pub before: FxHashMap<Deed, i64>,
    /// Of what it came before, and nobody knows who did that.
    pub unowned: FxHashSet<Tuple>,
    /// What the records of each undecided group say was done.
    pub open: BTreeMap<Tuple, Undecided>,
}

/// A group of which nobody knows whose it is.
#[derive(Default)]
pub struct Undecided {
    /// What its records say was done.
    pub doings: Vec<Execution>,
    /// Whose it may be.
    pub candidates: Vec<Code>,
    /// One of its records.
    pub event: Option<EventId>,
}

impl Exclusion {
    /// That a bearer did something, in a group.
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

    /// What is told of a deed.
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

    /// What a deed is called.
    fn is_called(&mut self, doing: &Execution) {
        if doing.name != NONE {
            let names = self.names.entry(doing.deed).or_default();
            if !names.contains(&doing.name) {
                names.push(doing.name);
            }
        }
    }

    /// Names of one key become those of another that are spelled alike; those that are not are none.
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

/// The names of one key that are spelled as names of another.
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

/// Reads what the records say.
pub struct Reading<'a, 'f> {
    /// What all rounds read.
    pub ground: &'a RoundInput<'a>,
    /// What bearers do once.
    pub once: &'a Once,
    /// The join whose groups are chosen.
    pub join: &'a CompiledJoin,
    /// The key of the bearer.
    pub key: KeyId,
    /// What was found.
    pub found: &'f mut Exclusion,
}

impl Reading<'_, '_> {
    /// Reads a segment.
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

    /// What records whose bearer is known tell of deeds.
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
            // A record may be about several deeds.
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

    /// When what comes before a deed was done.
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

    /// What was done in which group, and by whom if that is known.
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
        // The same record in several sources says the same thing.
        let is_known = |known: &Execution| known.deed == doing.deed && known.time == doing.time;
        let looks = self.once.is_of_one_deed();
        // Copies follow each other; a long group is not searched for each of its records.
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
        // Lists say nothing here.
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
