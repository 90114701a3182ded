//! Assembly of the instances of an entity from those of its segments: ordered by first event, with
//! state changes in time order.
//!
//! Only events with marks (state changes, starts, ends) are sorted; for all others only the first,
//! the last and the instance are kept (see `membership`).

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;
use widetui_time::time::NO_TIME;

use crate::entity::duration_key::{FoundDurationKey, with_value};
use crate::entity::extent::{EventExtent, Extents, times_of};
use crate::entity::ids::{IdIndex, Ids, NO_INSTANCE};
use crate::entity::marks::{Mark, Marks};
use crate::entity::membership::{Membership, SegmentMembership};
use crate::entity::named_values::NamedValues;
use crate::entity::plan::{EntityPlan, InstanceMark};
use crate::entity::segment_instances::SegmentInstances;
use crate::entity::shared_columns::EventPositions;
use crate::entity::state_counts::StateCounts;
use crate::entity::state_names::NameInterner;
use crate::entity::transition_order::order_by_previous_state;
use crate::entity::waits::{find_dependencies, id_code};
use crate::entity::{Entity, Instance, Instances, StateChange};

/// Data of all instances during the assembly, indexed by the number of their ids.
struct InstanceBuilder {
    ids: Ids,
    extents: Extents,
    labels: NamedValues,
    place_values: NamedValues,
    marks: Marks,
    undecided: u64,
}

impl InstanceBuilder {
    /// Merges the segments; also returns the instances of the rows of each segment.
    fn new(
        snapshot: &Snapshot,
        plan: &EntityPlan,
        mut found: Vec<SegmentInstances>,
        positions: &EventPositions,
    ) -> (InstanceBuilder, Vec<SegmentMembership>) {
        let alternatives: Vec<Vec<u8>> = found.iter().map(|f| f.ids.alternatives()).collect();
        let mut occurs = vec![false; plan.ids.len()];
        for at in alternatives.iter().flatten() {
            occurs[usize::from(*at)] = true;
        }
        let counts = plan.counted_alternatives(&occurs);
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
        let mut out = InstanceBuilder {
            extents: Extents::empty(plan, ids.len()),
            labels: NamedValues::empty(ids.len(), plan.labels.len()),
            place_values: NamedValues::empty(ids.len(), plan.places.len()),
            marks: Marks::collect(&mut found, &to, ids.len(), positions),
            undecided: 0,
            ids,
        };
        let mut shares = Vec::with_capacity(found.len());
        for ((index, found), to) in found.into_iter().enumerate().zip(to) {
            let base = snapshot.bases[index];
            out.labels.merge(&found.labels, &to);
            out.place_values.merge(&found.places, &to);
            out.extents.merge(&found.extents, &to);
            let share = SegmentMembership {
                base,
                len: snapshot.segments[index].len() as u32,
                rows: found.rows,
                run_numbers: to,
            };
            out.undecided += found.undecided;
            if share.run_numbers.contains(&NO_INSTANCE) {
                let is_undecided = |one: &u32| share.run_numbers[*one as usize] == NO_INSTANCE;
                share.for_each(|_, list| out.undecided += u64::from(list.iter().any(is_undecided)));
            }
            shares.push(share);
        }
        (out, shares)
    }

    /// Numbers of the instances in the order of their first event.
    fn by_first_event(&self, plan: &EntityPlan) -> Vec<u32> {
        let mut moments = plan.moments.iter();
        let are_announced = moments.any(|(mark, _)| *mark == InstanceMark::Begun);
        let is_begun = |at: u32| !are_announced || self.marks.begun[at as usize];
        let is_one = |(e, at): &(&EventExtent, u32)| e.events > 0 && is_begun(*at);
        let extents = self.extents.all.iter().zip(0..).filter(is_one);
        let mut by_first_event: Vec<((u32, u32), u32)> =
            extents.map(|(e, at)| (e.first, at)).collect();
        by_first_event.sort_unstable();
        by_first_event.into_iter().map(|(_, at)| at).collect()
    }
}

/// Assembles the instances of an entity from what the segments found.
pub(super) fn assemble(
    snapshot: &Snapshot,
    entity: &Arc<Entity>,
    plan: &EntityPlan,
    found: Vec<SegmentInstances>,
    positions: &EventPositions,
) -> Instances {
    let (mut building, shares) = InstanceBuilder::new(snapshot, plan, found, positions);
    let by_first_event = building.by_first_event(plan);
    building.marks.sort();
    let mut list: Vec<Instance> = by_first_event
        .par_iter()
        .map(|at| building.instance(snapshot, plan, *at))
        .collect();
    let mut list_places = vec![NO_INSTANCE; building.ids.len()];
    for (place, at) in by_first_event.iter().enumerate() {
        list_places[*at as usize] = place as u32;
    }
    let mut out = Instances {
        entity: entity.clone(),
        states: entity.states.clone(),
        reporters: entity.reporters.clone(),
        place_keys: plan.places.clone(),
        place_codes: building.place_values.into_codes(),
        undecided_events: building.undecided,
        usual: UsualSpellings::new(snapshot, plan.shown_keys()),
        keys: plan.ids.clone(),
        membership: Arc::new(Membership::new(
            shares,
            building.extents.all.iter().map(|e| e.events).collect(),
            snapshot.order.clone(),
        )),
        index: IdIndex::new(building.ids, list_places),
        ..Instances::default()
    };
    let mut names = StateInterner::new(&out, StateCounts::read(snapshot, plan));
    let own = |at: u32| building.marks.of_instance(at);
    let marked = list
        .iter()
        .zip(&by_first_event)
        .map(|(one, at)| (one, own(*at)));
    let marked: Vec<(&Instance, &[Mark])> = match plan.awaited_by {
        Some(_) => marked.collect(),
        None => Vec::new(),
    };
    let awaited = find_dependencies(snapshot, plan, &marked, &out.index);
    let mut alternative_ends = Vec::with_capacity(list.len());
    for (number, (instance, at)) in list.iter_mut().zip(&by_first_event).enumerate() {
        alternative_ends.push(names.apply_marks(snapshot, plan, own(*at), instance, &mut out));
        if let Some(others) = awaited.waiters.get(&number) {
            out.dependency_codes.extend(others);
            instance.dependencies.1 = out.dependency_codes.len() as u32;
        }
    }
    apply_alternative_ends(&out, &mut list, &alternative_ends);
    out.list = list;
    out.absent_dependents = awaited.absent;
    out.other_states = names.state_numbers.other_count;
    out
}

/// Start and end of an instance as stated by the alternative conditions `alternative_start` and
/// `alternative_end`.
type AlternativeEnds = [Option<EventId>; 2];

/// Applies alternative starts and ends to instances of runs and outermost places without any regular
/// start or end, so that times of two reporters are not mixed.
fn apply_alternative_ends(
    instances: &Instances,
    list: &mut [Instance],
    alternative_ends: &[AlternativeEnds],
) {
    let run = |one: &Instance| match &*one.id {
        [run, _, ..] => Some((one.alternative, *run)),
        _ => None,
    };
    let place = |one: &Instance| {
        let places = instances.place_codes(one);
        places.first().copied().filter(|code| *code != NONE)
    };
    let has_ends = |one: &&Instance| one.start.is_some() || one.end.is_some();
    let with_ends = || list.iter().filter(has_ends);
    let runs: FxHashSet<_> = with_ends().map(run).collect();
    let places: FxHashSet<_> = with_ends().map(|one| (run(one), place(one))).collect();
    for (one, [start, end]) in list.iter_mut().zip(alternative_ends) {
        let is_reported = match place(one) {
            Some(place) => places.contains(&(run(one), Some(place))),
            None => runs.contains(&run(one)),
        };
        if !is_reported {
            (one.start, one.end) = (*start, *end);
        }
    }
}

impl InstanceBuilder {
    /// Builds the instance with this number, without its marks.
    fn instance(&self, snapshot: &Snapshot, plan: &EntityPlan, at: u32) -> Instance {
        let number = at as usize;
        let (alternative, id) = self.ids.id(at);
        let extent = &self.extents.all[number];
        let first = snapshot.order.get(extent.first.0 as usize);
        let mut labels = self.labels.of_instance(number).zip(&plan.labels);
        Instance {
            id,
            alternative,
            range: times_of(snapshot, extent.timed),
            label: labels
                .find(|(code, _)| *code != NONE)
                .map(|(code, key)| (*key, code)),
            stated_range: times_of(snapshot, self.extents.stated(number)),
            start: None,
            end: None,
            lost: None,
            obsolete: None,
            number: at,
            first: first.map(|id| EventId(*id)),
            changes: (0, 0),
            dependencies: (0, 0),
        }
    }
}

/// Maximum number of distinct states of an entity. A key with more values is free text rather than
/// a state.
const MAX_STATES: u16 = 1_000;

/// Maximum number of distinct reporters.
const MAX_REPORTERS: u16 = u16::MAX - 1;

/// Interner of the names of states and reporters.
struct StateInterner {
    state_numbers: NameInterner,
    reporter_numbers: NameInterner,
    states: FxHashMap<Code, u16>,
    /// State of each transition, by index of the transition.
    transitions: FxHashMap<u16, u16>,
    /// Reporter of each source, by index of the source; `None` if not met yet.
    reporters: Vec<Option<u16>>,
    /// Ranks of the state changes of the current instance; the buffer is reused.
    ranks: Vec<u16>,
    state_counts: StateCounts,
}

impl StateInterner {
    fn new(instances: &Instances, state_counts: StateCounts) -> StateInterner {
        StateInterner {
            state_numbers: NameInterner::new(&instances.states, MAX_STATES),
            reporter_numbers: NameInterner::new(&instances.reporters, MAX_REPORTERS),
            states: FxHashMap::default(),
            transitions: FxHashMap::default(),
            reporters: Vec::new(),
            ranks: Vec::new(),
            state_counts,
        }
    }

    /// Applies the marks of an instance: start, end, states and dependencies. Returns start and end
    /// by the alternative conditions.
    fn apply_marks(
        &mut self,
        snapshot: &Snapshot,
        plan: &EntityPlan,
        marks: &[Mark],
        instance: &mut Instance,
        out: &mut Instances,
    ) -> AlternativeEnds {
        let changes = out.changes.len() as u32;
        let waits = out.dependency_codes.len() as u32;
        // A state dated before its record precedes all others of that time, in the order of the
        // definition.
        let mut ranks = std::mem::take(&mut self.ranks);
        ranks.clear();
        let mut is_late = false;
        let mut named_state: Option<EventId> = None;
        let mut alternative: AlternativeEnds = [None; 2];
        for Mark {
            event, kind: what, ..
        } in marks
        {
            let event = EventId(*event);
            match what {
                InstanceMark::Start => instance.start = instance.start.or(Some(event)),
                InstanceMark::End => instance.end = instance.end.or(Some(event)),
                InstanceMark::AlternativeStart => alternative[0] = alternative[0].or(Some(event)),
                InstanceMark::AlternativeEnd => alternative[1] = alternative[1].or(Some(event)),
                InstanceMark::Lost => instance.lost = instance.lost.or(Some(event)),
                InstanceMark::Obsolete => instance.obsolete = instance.obsolete.or(Some(event)),
                InstanceMark::Returned => {
                    let lost = instance.lost.take();
                    out.returned_losses
                        .extend(lost.map(|lost| (instance.number, lost)));
                }
                InstanceMark::DependsOn(by, code) => {
                    let key = plan.dependencies.get(usize::from(*by));
                    out.dependency_codes.extend(id_code(snapshot, key, *code));
                }
                InstanceMark::Begun | InstanceMark::AwaitedBy(_) => {}
                InstanceMark::State(code) => {
                    let state = *self.states.entry(*code).or_insert_with(|| {
                        let name = plan.state.map(|key| out.usual.text(snapshot, key, *code));
                        let name = name.unwrap_or_default();
                        self.state_numbers.intern(&mut out.states, name)
                    });
                    self.push_change(snapshot, event, state, 0, out);
                    ranks.push(u16::MAX);
                    named_state = Some(event);
                }
                InstanceMark::Transition(at) => {
                    let transition = &plan.transitions[usize::from(*at)];
                    // A state named by the event itself is not the previous state.
                    let known = out.changes.get(changes as usize..).unwrap_or_default();
                    let before = known.iter().rfind(|c| c.event != event);
                    let before = before.map(|c| &out.states[usize::from(c.state)]);
                    if transition.previous_states.is_empty()
                        || before.is_some_and(|b| transition.previous_states.contains(b))
                    {
                        let state = *self.transitions.entry(*at).or_insert_with(|| {
                            let name = transition.state.clone();
                            self.state_numbers.intern(&mut out.states, name)
                        });
                        // The transition overrides the state named by the same record.
                        let is_at_once =
                            transition.delay_key.is_none() && transition.lead_key.is_none();
                        if is_at_once
                            && named_state
                                .take_if(|named_state| *named_state == event)
                                .is_some()
                        {
                            out.changes.pop();
                            ranks.pop();
                        }
                        let span = |key: Option<FoundDurationKey>| {
                            key.and_then(|key| key.duration(snapshot, event))
                                .unwrap_or(0)
                        };
                        let delay =
                            span(transition.delay_key).saturating_sub(span(transition.lead_key));
                        is_late |= delay != 0 || transition.lead_key.is_some();
                        self.push_change(snapshot, event, state, delay, out);
                        ranks.push(transition.lead_key.map_or(u16::MAX, |_| *at));
                    }
                }
            }
        }
        if is_late {
            let own = &mut out.changes[changes as usize..];
            let mut ranked_changes: Vec<(i64, u16, StateChange)> = own
                .iter()
                .zip(&ranks)
                .map(|(change, rank)| (change.time, *rank, *change))
                .collect();
            ranked_changes.sort_by_key(|(time, rank, _)| (*time, *rank));
            for (slot, (.., change)) in own.iter_mut().zip(ranked_changes) {
                *slot = change;
            }
        }
        self.ranks = ranks;
        if let Some(key) = plan.previous_state {
            let states = &out.states;
            let number = |name: &str| states.iter().position(|s| s == name).map(|at| at as u16);
            let left = |event| with_value(snapshot, event, key, number).flatten();
            order_by_previous_state(&mut out.changes[changes as usize..], left);
        }
        self.apply_state_count(plan, instance, changes as usize, out);
        instance.changes = (changes, out.changes.len() as u32);
        instance.dependencies = (waits, out.dependency_codes.len() as u32);
        alternative
    }

    /// Adds a final state to an instance that was last reported in a state of which its owner later
    /// reports that no instance is left.
    fn apply_state_count(
        &mut self,
        plan: &EntityPlan,
        instance: &Instance,
        from: usize,
        out: &mut Instances,
    ) {
        let Some((.., then)) = &plan.state_counts else {
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
            let is_last = own[at + 1..].iter().all(|c| c.reporter != change.reporter);
            let state = out.states.get(usize::from(change.state))?;
            let left = self
                .state_counts
                .first_empty(instance, state, change.time)?;
            let kind = out.reporters.get(usize::from(change.reporter));
            (is_last && kind == Some(&left.kind)).then_some((change.reporter, left))
        });
        let Some((recorder, left)) = left else {
            return;
        };
        let at = own.partition_point(|change| change.time <= left.time);
        let (time, event) = (left.time, left.event);
        let state = self.state_numbers.intern(&mut out.states, then.clone());
        let change = StateChange {
            time,
            event,
            state,
            reporter: recorder,
        };
        out.changes.insert(from + at, change);
    }

    /// Adds a state change, `delay` ns after the time of the event.
    fn push_change(
        &mut self,
        snapshot: &Snapshot,
        event: EventId,
        state: u16,
        delay: i64,
        out: &mut Instances,
    ) {
        let Some(e) = snapshot.event(event) else {
            return;
        };
        let source = e.source();
        let at = source.id.index();
        if self.reporters.len() <= at {
            self.reporters.resize(at + 1, None);
        }
        let recorder = *self.reporters[at].get_or_insert_with(|| {
            let name = match source.kind.as_str() {
                "" => source.tag.clone(),
                kind => kind.to_owned(),
            };
            self.reporter_numbers.intern(&mut out.reporters, name)
        });
        out.changes.push(StateChange {
            time: e.time().map_or(NO_TIME, |t| t.saturating_add(delay)),
            event,
            state,
            reporter: recorder,
        });
    }
}
