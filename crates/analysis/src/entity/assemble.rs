//! Assembly of the instances of an entity from those of its segments: ordered by first event, with
//! state changes in time order.
//!
//! Only events with marks (state changes, starts, ends) are sorted; for all others only the first,
//! the last and the instance are kept (see `membership`).

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;
use widetui_store::lanes::Usual;
use widetui_time::time::NO_TIME;

use crate::entity::extent::{Extent, Extents, times};
use crate::entity::ids::{IdIndex, Ids, NOBODY};
use crate::entity::marks::{Mark, Marks};
use crate::entity::membership::{Membership, Share};
use crate::entity::named_values::{NamedSoFar, Which};
use crate::entity::plan::{Detail, EntityPlan};
use crate::entity::segment_instances::{InstanceMark, SegmentInstances};
use crate::entity::state_counts::Census;
use crate::entity::state_names::Numbering;
use crate::entity::time_range::{EventPlaces, event_of, place};
use crate::entity::transition_order::chained;
use crate::entity::waits::{awaited, own_code};
use crate::entity::{Entity, Instance, Instances, StateChange};

/// Data of all instances during the assembly, indexed by the number of their ids.
struct Building {
    ids: Ids,
    extents: Extents,
    labels: NamedSoFar,
    places: NamedSoFar,
    marks: Marks,
    undecided: u64,
}

impl Building {
    /// Merges the segments; also returns the instances of the rows of each segment.
    fn new(
        snapshot: &Snapshot,
        plan: &EntityPlan,
        mut found: Vec<SegmentInstances>,
        places: &EventPlaces,
    ) -> (Building, Vec<Share>) {
        let alternatives: Vec<Vec<u8>> = found.iter().map(|f| f.ids.alternatives()).collect();
        let mut occurs = vec![false; plan.ids.len()];
        for at in alternatives.iter().flatten() {
            occurs[usize::from(*at)] = true;
        }
        let counts = plan.counting(&occurs);
        let all_count = counts.iter().all(|counts| *counts);
        let mut ids = Ids::new(plan.ids.len());
        let to = found
            .iter()
            .zip(&alternatives)
            .map(|(found, alternatives)| {
                let is_kept = |at: u32| all_count || counts[usize::from(alternatives[at as usize])];
                ids.merge(&found.ids, is_kept)
            });
        let to: Vec<Vec<u32>> = to.collect();
        let mut out = Building {
            extents: Extents::nothing(plan, ids.len()),
            labels: NamedSoFar::nothing(ids.len(), plan.labels.len(), Which::First),
            places: NamedSoFar::nothing(ids.len(), plan.places.len(), Which::Last),
            marks: Marks::of(&mut found, &to, ids.len(), places),
            undecided: 0,
            ids,
        };
        let mut shares = Vec::with_capacity(found.len());
        for ((index, found), to) in found.into_iter().enumerate().zip(to) {
            let base = snapshot.bases[index];
            out.labels.merge(&found.labels, &found.extents.all, &to);
            out.places.merge(&found.places, &found.extents.all, &to);
            out.extents.merge(&found.extents, base, &to);
            let share = Share {
                base,
                len: snapshot.segments[index].len() as u32,
                rows: found.rows,
                to,
            };
            out.undecided += found.undecided;
            if share.to.contains(&NOBODY) {
                let is_undecided = |one: &u32| share.to[*one as usize] == NOBODY;
                share.each(|_, list| out.undecided += u64::from(list.iter().any(is_undecided)));
            }
            shares.push(share);
        }
        (out, shares)
    }

    /// Numbers of the instances in the order of their first event.
    fn ranked(&self, plan: &EntityPlan) -> Vec<u32> {
        let is_begun = |at: u32| plan.begun.is_none() || self.marks.begun[at as usize];
        let is_one = |(e, at): &(&Extent, u32)| e.events > 0 && is_begun(*at);
        let extents = self.extents.all.iter().zip(0..).filter(is_one);
        let mut ranked: Vec<((u32, u32), u32)> = extents.map(|(e, at)| (e.first, at)).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, at)| at).collect()
    }
}

/// Assembles the instances of an entity from what the segments found.
pub(super) fn assemble(
    snapshot: &Snapshot,
    entity: &Arc<Entity>,
    plan: &EntityPlan,
    found: Vec<SegmentInstances>,
    places: &EventPlaces,
) -> Instances {
    let (mut building, shares) = Building::new(snapshot, plan, found, places);
    let ranked = building.ranked(plan);
    building.marks.sort();
    let mut list: Vec<Instance> = ranked
        .par_iter()
        .map(|at| building.instance(snapshot, plan, *at))
        .collect();
    let mut places = vec![NOBODY; building.ids.len()];
    for (place, at) in ranked.iter().enumerate() {
        places[*at as usize] = place as u32;
    }
    let mut out = Instances {
        entity: entity.clone(),
        list: Vec::new(),
        states: entity.states.clone(),
        other_states: 0,
        recorders: entity.recorders.clone(),
        place_keys: plan.places.clone(),
        place_codes: building.places.all(),
        undecided: building.undecided,
        absent: 0,
        usual: Usual::new(snapshot, plan.named()),
        keys: plan.ids.clone(),
        membership: Arc::new(Membership::new(
            shares,
            building.extents.all.iter().map(|e| e.events).collect(),
            snapshot.order.clone(),
        )),
        changes: Vec::new(),
        waits: Vec::new(),
        regained: Vec::new(),
        given: FxHashMap::default(),
        index: IdIndex::new(building.ids, places),
        telling: OnceLock::new(),
        said: OnceLock::new(),
    };
    let mut names = Names::new(&out, Census::read(snapshot, plan));
    let own = |at: u32| building.marks.own(at);
    let marked = list.iter().zip(&ranked).map(|(one, at)| (one, own(*at)));
    let marked: Vec<(&Instance, &[Mark])> = match plan.awaited {
        Some(_) => marked.collect(),
        None => Vec::new(),
    };
    let awaited = awaited(snapshot, plan, &marked, &out.index);
    let mut told = Vec::with_capacity(list.len());
    for (number, (instance, at)) in list.iter_mut().zip(&ranked).enumerate() {
        told.push(names.note(snapshot, plan, own(*at), instance, &mut out));
        if let Some(others) = awaited.waiters.get(&number) {
            out.waits.extend(others);
            instance.waits.1 = out.waits.len() as u32;
        }
    }
    second_hand(&mut list, &told);
    out.list = list;
    out.absent = awaited.absent;
    out.other_states = names.state_numbers.others;
    out
}

/// Start and end of an instance as stated by the alternative conditions `start_else` and
/// `end_else`.
type ToldElse = [Option<EventId>; 2];

/// Applies alternative starts and ends to instances of runs without any regular start or end, so
/// that times of two reporters are not mixed.
fn second_hand(list: &mut [Instance], told: &[ToldElse]) {
    let run = |one: &Instance| match &*one.id {
        [run, _, ..] => Some((one.alternative, *run)),
        _ => None,
    };
    let tells = |one: &&Instance| one.start.is_some() || one.end.is_some();
    let tell: FxHashSet<Option<(u8, Code)>> = list.iter().filter(tells).map(run).collect();
    for (one, [start, end]) in list.iter_mut().zip(told) {
        if !tell.contains(&run(one)) {
            (one.start, one.end) = (*start, *end);
        }
    }
}

impl Building {
    fn instance(&self, snapshot: &Snapshot, plan: &EntityPlan, at: u32) -> Instance {
        let number = at as usize;
        let (alternative, id) = self.ids.id(at);
        let extent = &self.extents.all[number];
        let order = |place: u32| snapshot.order.get(place as usize).map(|id| EventId(*id));
        // The first event usually has a time; then no lookup is needed.
        let event = |extent: &Extent| match extent.timed[0] {
            timed if place(timed) == extent.first.0 => event_of(timed),
            _ => order(extent.first.0),
        };
        let mut labels = self.labels.of(number).iter().zip(&plan.labels);
        let times = |spots| match plan.detail {
            Detail::Events => None,
            Detail::Course | Detail::Whole => times(snapshot, spots),
        };
        Instance {
            id,
            alternative,
            range: times(extent.timed),
            label: labels
                .find(|(code, _)| **code != NONE)
                .map(|(code, key)| (*key, *code)),
            own: times(self.extents.own(number)),
            start: None,
            end: None,
            lost: None,
            over: None,
            number: at,
            first: event(extent),
            changes: (0, 0),
            waits: (0, 0),
        }
    }
}

/// Maximum number of distinct states of an entity. A key with more values is free text rather than
/// a state.
const STATES: u16 = 1_000;

/// Maximum number of distinct reporters.
const RECORDERS: u16 = u16::MAX - 1;

/// Interner of the names of states and reporters.
struct Names {
    state_numbers: Numbering,
    recorder_numbers: Numbering,
    states: FxHashMap<Code, u16>,
    /// State of each transition, by index of the transition.
    transitions: FxHashMap<u16, u16>,
    /// Reporter of each source, by index of the source; `None` if not met yet.
    recorders: Vec<Option<u16>>,
    /// Ranks of the state changes of the current instance; the buffer is reused.
    ranks: Vec<u16>,
    census: Census,
}

impl Names {
    fn new(instances: &Instances, census: Census) -> Names {
        Names {
            state_numbers: Numbering::new(&instances.states, STATES),
            recorder_numbers: Numbering::new(&instances.recorders, RECORDERS),
            states: FxHashMap::default(),
            transitions: FxHashMap::default(),
            recorders: Vec::new(),
            ranks: Vec::new(),
            census,
        }
    }

    fn note(
        &mut self,
        snapshot: &Snapshot,
        plan: &EntityPlan,
        marks: &[Mark],
        instance: &mut Instance,
        out: &mut Instances,
    ) -> ToldElse {
        let changes = out.changes.len() as u32;
        let waits = out.waits.len() as u32;
        // A state dated before its record precedes all others of that time, in the order of the
        // definition.
        let mut ranks = std::mem::take(&mut self.ranks);
        ranks.clear();
        let mut is_late = false;
        let mut named: Option<EventId> = None;
        let mut told_else: ToldElse = [None; 2];
        for Mark { event, what, .. } in marks {
            let event = EventId(*event);
            match what {
                InstanceMark::Start => instance.start = instance.start.or(Some(event)),
                InstanceMark::End => instance.end = instance.end.or(Some(event)),
                InstanceMark::StartElse => told_else[0] = told_else[0].or(Some(event)),
                InstanceMark::EndElse => told_else[1] = told_else[1].or(Some(event)),
                InstanceMark::Lost => instance.lost = instance.lost.or(Some(event)),
                InstanceMark::Over => instance.over = instance.over.or(Some(event)),
                InstanceMark::Back => {
                    let lost = instance.lost.take();
                    out.regained
                        .extend(lost.map(|lost| (instance.number, lost)));
                }
                InstanceMark::Waits(by, code) => {
                    let key = plan.waits.get(usize::from(*by));
                    out.waits.extend(own_code(snapshot, key, *code));
                }
                InstanceMark::Begun | InstanceMark::Awaited(_) | InstanceMark::Since => {}
                InstanceMark::State(code) => {
                    let state = *self.states.entry(*code).or_insert_with(|| {
                        let name = plan.state.map(|key| out.usual.text(snapshot, key, *code));
                        let name = name.unwrap_or_default();
                        self.state_numbers.number(&mut out.states, name)
                    });
                    self.change(snapshot, event, state, 0, out);
                    ranks.push(u16::MAX);
                    named = Some(event);
                }
                InstanceMark::Transition(at) => {
                    let turn = &plan.transitions[usize::from(*at)];
                    // A state named by the event itself is not the previous state.
                    let known = out.changes.get(changes as usize..).unwrap_or_default();
                    let before = known.iter().rfind(|c| c.event != event);
                    let before = before.map(|c| &out.states[usize::from(c.state)]);
                    if turn.from.is_empty() || before.is_some_and(|b| turn.from.contains(b)) {
                        let state = *self.transitions.entry(*at).or_insert_with(|| {
                            let name = turn.state.clone();
                            self.state_numbers.number(&mut out.states, name)
                        });
                        // The transition overrides the state named by the same record.
                        let is_at_once = turn.after.is_none() && turn.before.is_none();
                        if is_at_once && named.take_if(|named| *named == event).is_some() {
                            out.changes.pop();
                            ranks.pop();
                        }
                        let span = |key: Option<KeyId>| key.map_or(0, |k| late(snapshot, event, k));
                        let late = span(turn.after).saturating_sub(span(turn.before));
                        is_late |= late != 0 || turn.before.is_some();
                        self.change(snapshot, event, state, late, out);
                        ranks.push(turn.before.map_or(u16::MAX, |_| *at));
                    }
                }
            }
        }
        if is_late {
            let own = &mut out.changes[changes as usize..];
            let mut ranked: Vec<(i64, u16, StateChange)> = own
                .iter()
                .zip(&ranks)
                .map(|(change, rank)| (change.time, *rank, *change))
                .collect();
            ranked.sort_by_key(|(time, rank, _)| (*time, *rank));
            for (slot, (.., change)) in own.iter_mut().zip(ranked) {
                *slot = change;
            }
        }
        self.ranks = ranks;
        if let Some(key) = plan.left {
            let states = &out.states;
            let number = |name: &str| states.iter().position(|s| s == name).map(|at| at as u16);
            let left = |event| value(snapshot, event, key, number).flatten();
            chained(&mut out.changes[changes as usize..], left);
        }
        self.count(plan, instance, changes as usize, out);
        instance.changes = (changes, out.changes.len() as u32);
        instance.waits = (waits, out.waits.len() as u32);
        told_else
    }

    /// Adds a final state to an instance that was last reported in a state of which its owner later
    /// reports that no instance is left.
    fn count(&mut self, plan: &EntityPlan, instance: &Instance, from: usize, out: &mut Instances) {
        let Some((.., then)) = &plan.census else {
            return;
        };
        let own = out.changes.get(from..).unwrap_or_default();
        // A reported final state takes precedence.
        let is_final = |c: &StateChange| {
            let name = out.states.get(usize::from(c.state));
            name.is_some_and(|name| out.entity.is_final(name))
        };
        if own.iter().any(is_final) {
            return;
        }
        let left = own.iter().enumerate().rev().find_map(|(at, change)| {
            let is_last = own[at + 1..].iter().all(|c| c.recorder != change.recorder);
            let state = out.states.get(usize::from(change.state))?;
            let left = self.census.left(instance, state, change.time)?;
            let kind = out.recorders.get(usize::from(change.recorder));
            (is_last && kind == Some(&left.kind)).then_some((change.recorder, left))
        });
        let Some((recorder, left)) = left else {
            return;
        };
        let at = own.partition_point(|change| change.time <= left.time);
        let (time, event) = (left.time, left.event);
        let state = self.state_numbers.number(&mut out.states, then.clone());
        let change = StateChange {
            time,
            event,
            state,
            recorder,
        };
        out.changes.insert(from + at, change);
    }

    /// Adds a state change, `late` ns after the time of the event.
    fn change(
        &mut self,
        snapshot: &Snapshot,
        event: EventId,
        state: u16,
        late: i64,
        out: &mut Instances,
    ) {
        let Some(e) = snapshot.event(event) else {
            return;
        };
        let source = e.source();
        let at = source.id.index();
        if self.recorders.len() <= at {
            self.recorders.resize(at + 1, None);
        }
        let recorder = *self.recorders[at].get_or_insert_with(|| {
            let name = match source.kind.as_str() {
                "" => source.tag.clone(),
                kind => kind.to_owned(),
            };
            self.recorder_numbers.number(&mut out.recorders, name)
        });
        out.changes.push(StateChange {
            time: e.time().map_or(NO_TIME, |t| t.saturating_add(late)),
            event,
            state,
            recorder,
        });
    }
}

/// Seconds in the value of a key of an event, as ns; 0 without a positive number.
fn late(snapshot: &Snapshot, event: EventId, key: KeyId) -> i64 {
    let seconds = value(snapshot, event, key, |text| text.trim().parse::<f64>().ok());
    let seconds = seconds.flatten().filter(|s| s.is_finite() && *s > 0.0);
    // The cast saturates.
    seconds.map_or(0, |s| (s * 1e9) as i64)
}

/// Result of `f` for the value of a key in an event; `None` if the event has no value or several.
fn value<T>(
    snapshot: &Snapshot,
    event: EventId,
    key: KeyId,
    f: impl FnOnce(&str) -> T,
) -> Option<T> {
    let mut code = NONE;
    if let Some(e) = snapshot.event(event) {
        e.for_each_code(|k, codes, _| match codes {
            [one] if k == key && code == NONE => code = *one,
            _ => {}
        });
    }
    let view = snapshot.catalog.keys.get(key)?;
    view.spelling(code).map(|text| f(&text))
}
