//! Finds the instances of an entity: one pass over the columns, segment by segment, then what the segments found is put
//! together.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::KeyId;
use crate::base::time::NO_TIME;
use crate::query::{self, Expr, Selection};
use crate::store::Snapshot;
use crate::store::lanes::{GroupView, Lane, SegmentView, UNUSABLE, copied_rows, places};

use super::{Entity, Instances};

/// Which alternative, and the values.
pub(super) type Id = (u8, Box<[Code]>);

/// The event that names something: its time, its number, the value.
pub(super) type Named = Option<(i64, u32, Code)>;

/// Finds all instances of an entity; `None` when cancelled.
pub fn scan(snapshot: &Snapshot, entity: &Arc<Entity>, cancel: &Cancel) -> Option<Instances> {
    let plan = Plan::new(snapshot, entity, cancel)?;
    let copied = copied_rows(snapshot);
    let mut found: Vec<Found> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| match cancel.is_cancelled() {
            true => Found::default(),
            false => of_segment(snapshot, &plan, index, &copied[index]),
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    plan.keep_longest(&mut found);
    Some(super::assemble::assemble(snapshot, entity, plan, found))
}

/// Keys and conditions of an entity in a snapshot.
pub(super) struct Plan {
    pub ids: Vec<Vec<KeyId>>,
    /// Which of the entity's alternatives each of `ids` is.
    pub alternatives: Vec<u8>,
    pub last: Vec<KeyId>,
    pub labels: Vec<KeyId>,
    pub state: Option<KeyId>,
    pub transitions: Vec<(Selection, String)>,
    pub start: Option<Selection>,
    pub end: Option<Selection>,
    pub lost: Option<Selection>,
    pub waits: Option<(KeyId, FxHashMap<String, Code>)>,
    pub places: Vec<KeyId>,
}

impl Plan {
    fn new(snapshot: &Snapshot, entity: &Entity, cancel: &Cancel) -> Option<Plan> {
        let find = |name: &String| snapshot.catalog.keys.find(name);
        let events = |expr: &Expr| query::select(snapshot, expr, cancel);
        let optional = |expr: &Option<Expr>| match expr {
            None => Some(None),
            Some(expr) => events(expr).map(Some),
        };
        let mut plan = Plan {
            ids: Vec::new(),
            alternatives: Vec::new(),
            last: Vec::new(),
            labels: entity.label.iter().filter_map(find).collect(),
            state: entity.state.as_ref().and_then(find),
            transitions: Vec::new(),
            start: optional(&entity.start)?,
            end: optional(&entity.end)?,
            lost: optional(&entity.lost)?,
            waits: None,
            places: entity.runs_in.iter().filter_map(find).collect(),
        };
        for (at, id) in entity.id.iter().enumerate() {
            let keys: Option<Vec<KeyId>> = id.iter().map(find).collect();
            if let Some(keys) = keys.filter(|k| !k.is_empty()) {
                plan.last
                    .extend(keys.last().filter(|k| !plan.last.contains(k)));
                plan.ids.push(keys);
                plan.alternatives.push(at as u8);
            }
        }
        for (expr, state) in &entity.transitions {
            plan.transitions.push((events(expr)?, state.clone()));
        }
        if let Some(key) = entity.waits_for.as_ref().and_then(find)
            && let Some(own) = plan.last.first()
        {
            plan.waits = Some((key, spellings(snapshot, *own, key)));
        }
        Some(plan)
    }

    /// Keys whose values are shown.
    pub fn named(&self) -> impl Iterator<Item = &KeyId> {
        let ids = self.ids.iter().flatten();
        let others = self.labels.iter().chain(&self.places);
        ids.chain(others).chain(&self.state)
    }

    /// An id that is only part of a longer one says nothing where the longer one is known.
    fn keep_longest(&self, found: &mut [Found]) {
        for (at, keys) in self.ids.iter().enumerate() {
            let is_part = |(other, of): (usize, &Vec<KeyId>)| {
                other < at && of.len() > keys.len() && keys.iter().all(|k| of.contains(k))
            };
            let mut longer = self
                .ids
                .iter()
                .enumerate()
                .filter(|(o, of)| is_part((*o, of)));
            let used = |other: usize| {
                let has = |f: &Found| f.ids.iter().any(|id| usize::from(id.0) == other);
                found.iter().any(has)
            };
            if longer.any(|(other, _)| used(other)) {
                found.iter_mut().for_each(|f| f.drop_alternative(at as u8));
            }
        }
    }
}

/// Codes of one key by the canonical spelling, for the values of another; only where the codes themselves differ.
fn spellings(snapshot: &Snapshot, own: KeyId, other: KeyId) -> FxHashMap<String, Code> {
    let (Some(own), Some(other)) = (
        snapshot.catalog.keys.get(own),
        snapshot.catalog.keys.get(other),
    ) else {
        return FxHashMap::default();
    };
    if other.dict.is_empty() {
        return FxHashMap::default();
    }
    let form = |text: &str| {
        own.key
            .kind
            .canonical(text)
            .unwrap_or_else(|| text.to_owned())
    };
    own.dict
        .iter()
        .map(|(code, text)| (form(text), own.dict.canonical(code)))
        .collect()
}

/// What is worth remembering of an event of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    State(Code),
    Transition(u16),
    Start,
    End,
    Lost,
    Waits(Code),
}

/// What a segment holds.
#[derive(Default)]
pub(super) struct Found {
    pub ids: Vec<Id>,
    pub known: FxHashMap<Id, u32>,
    /// Local instance and event.
    pub members: Vec<(u32, u32)>,
    pub marks: Vec<(u32, u32, Mark)>,
    /// By local instance: the first event that names each label, the last that names each place.
    pub labels: Vec<Box<[Named]>>,
    pub places: Vec<Box<[Named]>>,
    pub undecided: u64,
    pub dropped: Vec<u8>,
}

impl Found {
    fn instance(&mut self, alternative: u8, id: &[Code], plan: &Plan) -> u32 {
        let id: Id = (alternative, id.into());
        if let Some(at) = self.known.get(&id) {
            return *at;
        }
        let at = self.ids.len() as u32;
        self.known.insert(id.clone(), at);
        self.ids.push(id);
        self.labels.push(vec![None; plan.labels.len()].into());
        self.places.push(vec![None; plan.places.len()].into());
        at
    }

    fn drop_alternative(&mut self, alternative: u8) {
        let gone = |local: &u32| self.ids[*local as usize].0 == alternative;
        let lost: rustc_hash::FxHashSet<u32> = self
            .members
            .iter()
            .filter(|(l, _)| gone(l))
            .map(|(_, e)| *e)
            .collect();
        self.undecided += lost.len() as u64;
        self.dropped.push(alternative);
    }
}

fn of_segment(snapshot: &Snapshot, plan: &Plan, index: usize, copied: &[u32]) -> Found {
    let view = SegmentView::new(snapshot, index, copied);
    let base = snapshot.bases[index];
    let mut found = Found::default();
    for at in 0..view.segment.groups.len() {
        let group = view.group(at);
        let ids: Vec<Vec<Lane>> = plan
            .ids
            .iter()
            .map(|keys| keys.iter().map(|k| group.lane(*k)).collect())
            .collect();
        if ids.iter().all(|lanes| lanes.iter().any(Lane::is_absent)) {
            count_undecided(snapshot, plan, &group, base, &mut found);
            continue;
        }
        let lanes = |keys: &[KeyId]| -> Vec<Lane> { keys.iter().map(|k| group.lane(*k)).collect() };
        let rows = Rows {
            snapshot,
            plan,
            group,
            segment: index,
            base,
            ids,
            labels: lanes(&plan.labels),
            places: lanes(&plan.places),
            state: plan.state.map_or(Lane::Absent, |k| group.lane(k)),
            waits: plan
                .waits
                .as_ref()
                .map_or(Lane::Absent, |(k, _)| group.lane(*k)),
        };
        rows.scan(&view, &mut found);
    }
    found
}

fn count_undecided(
    snapshot: &Snapshot,
    plan: &Plan,
    group: &GroupView<'_>,
    base: u32,
    found: &mut Found,
) {
    let Some(lane) = plan
        .last
        .iter()
        .map(|k| group.lane(*k))
        .find(|l| !l.is_absent())
    else {
        return;
    };
    let is = |(place, row): (usize, &u16)| {
        let event = base + u32::from(*row);
        lane.row(place, group.ends) != NONE && snapshot.copies.of(event).is_none()
    };
    let rows = group.group.rows.iter().enumerate();
    found.undecided += rows.filter(|r| is(*r)).count() as u64;
}

/// The rows of a group, and their lanes.
struct Rows<'a> {
    snapshot: &'a Snapshot,
    plan: &'a Plan,
    group: GroupView<'a>,
    segment: usize,
    base: u32,
    ids: Vec<Vec<Lane>>,
    labels: Vec<Lane>,
    places: Vec<Lane>,
    state: Lane,
    waits: Lane,
}

impl Rows<'_> {
    fn scan(&self, view: &SegmentView<'_>, found: &mut Found) {
        let mut last: Option<(u8, Vec<Code>, u32)> = None;
        let mut id: Vec<Code> = Vec::new();
        for (row, here) in self.group.group.rows.iter().enumerate() {
            let here = usize::from(*here);
            let event = self.base + here as u32;
            if self.snapshot.copies.of(event).is_some() {
                continue;
            }
            let source = &self.snapshot.sources[view.segment.part(here).source.index()];
            let time = source.utc(view.segment.times.get(here));
            let mut any = false;
            for slot in self.slots(row) {
                let Some(alternative) = self.id(row, slot, &mut id) else {
                    continue;
                };
                any = true;
                let local = match &last {
                    Some((a, known, local)) if *a == alternative && *known == id => *local,
                    _ => {
                        let local = found.instance(alternative, &id, self.plan);
                        last = Some((alternative, id.clone(), local));
                        local
                    }
                };
                if found.members.last() != Some(&(local, event)) {
                    found.members.push((local, event));
                }
                self.look(row, slot, here, local, (time, event), found);
            }
            let named = |lanes: &Vec<Lane>| {
                lanes
                    .last()
                    .is_some_and(|l| l.row(row, self.group.ends) != NONE)
            };
            if !any && self.ids.iter().any(named) {
                found.undecided += 1;
            }
        }
    }

    /// The places of the row's list, if one of the ids is a list; else the row alone.
    fn slots(&self, row: usize) -> std::ops::Range<usize> {
        let listed = self
            .ids
            .iter()
            .flatten()
            .any(|l| matches!(l, Lane::Slots(_)));
        match listed {
            true => places(self.group.ends, row),
            false => row..row + 1,
        }
    }

    fn code(&self, lane: &Lane, row: usize, slot: usize) -> Code {
        match lane {
            Lane::Slots(codes) => codes.get(slot).copied().unwrap_or(NONE),
            lane => lane.row(row, self.group.ends),
        }
    }

    fn id(&self, row: usize, slot: usize, id: &mut Vec<Code>) -> Option<u8> {
        for (at, lanes) in self.ids.iter().enumerate() {
            id.clear();
            for lane in lanes {
                let code = self.code(lane, row, slot);
                if code == NONE || code == UNUSABLE {
                    break;
                }
                id.push(code);
            }
            if id.len() == lanes.len() {
                return Some(at as u8);
            }
        }
        None
    }

    fn look(
        &self,
        row: usize,
        slot: usize,
        here: usize,
        local: u32,
        (time, event): (i64, u32),
        found: &mut Found,
    ) {
        let at = if time == NO_TIME { i64::MAX } else { time };
        for (lane, known) in self.labels.iter().zip(&mut found.labels[local as usize]) {
            let code = self.code(lane, row, slot);
            let is_earlier = known.is_none_or(|k| (at, event) < (k.0, k.1));
            if code != NONE && code != UNUSABLE && is_earlier {
                *known = Some((at, event, code));
            }
        }
        for (lane, known) in self.places.iter().zip(&mut found.places[local as usize]) {
            let code = self.code(lane, row, slot);
            let is_later = known.is_none_or(|k| (time, event) >= (k.0, k.1));
            if code != NONE && code != UNUSABLE && is_later {
                *known = Some((time, event, code));
            }
        }
        let mut mark = |mark: Mark| found.marks.push((local, event, mark));
        let state = self.code(&self.state, row, slot);
        if state != NONE && state != UNUSABLE {
            mark(Mark::State(state));
        }
        let fits = |s: &Selection| s.segment(self.segment).is_some_and(|b| b.get(here));
        for (number, (events, _)) in self.plan.transitions.iter().enumerate() {
            if fits(events) {
                mark(Mark::Transition(number as u16));
            }
        }
        let conditions = [
            (&self.plan.start, Mark::Start),
            (&self.plan.end, Mark::End),
            (&self.plan.lost, Mark::Lost),
        ];
        for (events, kind) in conditions {
            if events.as_ref().is_some_and(fits) {
                mark(kind);
            }
        }
        match &self.waits {
            Lane::Absent => {}
            Lane::Slots(codes) => {
                for place in places(self.group.ends, row) {
                    if let Some(code) = codes.get(place).filter(|c| **c != NONE) {
                        mark(Mark::Waits(*code));
                    }
                }
            }
            lane => match lane.row(row, self.group.ends) {
                NONE | UNUSABLE => {}
                code => mark(Mark::Waits(code)),
            },
        }
    }
}
