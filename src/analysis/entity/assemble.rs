//! Puts what the segments found of an entity together: instances in the order of their first event, with their events
//! and changes of state in time order.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::dict::{Code, NONE};
use crate::base::ids::EventId;
use crate::base::time::NO_TIME;
use crate::store::Snapshot;
use crate::store::lanes::Usual;

use super::scan::{Found, Id, Mark, Named, Plan};
use super::{Change, Entity, Instance, Instances};

/// Puts what the segments found together.
pub(super) fn assemble(
    snapshot: &Snapshot,
    entity: &Arc<Entity>,
    plan: Plan,
    found: Vec<Found>,
) -> Instances {
    let mut of_id: FxHashMap<Id, u32> = FxHashMap::default();
    let mut list: Vec<Building> = Vec::new();
    let mut undecided = 0;
    let mut members: Vec<(u32, u32)> = Vec::new();
    let mut marks: Vec<(u32, u32, Mark)> = Vec::new();
    for segment in found {
        undecided += segment.undecided;
        let is_kept = |id: &Id| !segment.dropped.contains(&id.0);
        let mut global: Vec<Option<u32>> = Vec::with_capacity(segment.ids.len());
        for (local, id) in segment.ids.iter().enumerate() {
            if !is_kept(id) {
                global.push(None);
                continue;
            }
            let at = *of_id.entry(id.clone()).or_insert_with(|| {
                list.push(Building::new(id.clone(), &plan));
                list.len() as u32 - 1
            });
            list[at as usize].take(&segment.labels[local], &segment.places[local]);
            global.push(Some(at));
        }
        let kept = |local: u32| global[local as usize];
        members.extend(
            segment
                .members
                .iter()
                .filter_map(|(l, e)| Some((kept(*l)?, *e))),
        );
        marks.extend(
            segment
                .marks
                .iter()
                .filter_map(|(l, e, m)| Some((kept(*l)?, *e, *m))),
        );
    }
    let order = Order::new(snapshot);
    // The order of instances: by their first event.
    let mut first: Vec<(u32, u32)> = vec![(u32::MAX, 0); list.len()];
    for (at, f) in first.iter_mut().enumerate() {
        f.1 = at as u32;
    }
    for (at, event) in &members {
        let place = order.place(*event);
        let f = &mut first[*at as usize];
        f.0 = f.0.min(place);
    }
    first.sort_unstable();
    let mut rank = vec![0u32; list.len()];
    for (number, (_, at)) in first.iter().enumerate() {
        rank[*at as usize] = number as u32;
    }
    members.par_sort_unstable_by_key(|(at, event)| (rank[*at as usize], order.place(*event)));
    marks.par_sort_unstable_by_key(|(at, event, mark)| {
        let is_wait = matches!(mark, Mark::Waits(_));
        (rank[*at as usize], is_wait, order.place(*event))
    });
    let mut out = Instances {
        entity: entity.clone(),
        list: Vec::with_capacity(list.len()),
        states: entity.states.clone(),
        recorders: entity.recorders.clone(),
        place_keys: plan.places.clone(),
        undecided,
        usual: Usual::new(snapshot, plan.named()),
        keys: plan.ids.clone(),
        events: members.iter().map(|(_, event)| *event).collect(),
        changes: Vec::new(),
        waits: Vec::new(),
    };
    let mut names = Names::default();
    let (mut member, mut mark) = (0, 0);
    let mut list: Vec<Option<Building>> = list.into_iter().map(Some).collect();
    for (_, at) in &first {
        let Some(building) = list[*at as usize].take() else {
            continue;
        };
        let from = member;
        while member < members.len() && members[member].0 == *at {
            member += 1;
        }
        let marks_from = mark;
        while mark < marks.len() && marks[mark].0 == *at {
            mark += 1;
        }
        let mut instance = building.finish(&plan);
        instance.events = (from as u32, member as u32);
        instance.range = range(snapshot, &out.events[from..member]);
        names.note(
            snapshot,
            &plan,
            &marks[marks_from..mark],
            &mut instance,
            &mut out,
        );
        out.list.push(instance);
    }
    out
}

fn range(snapshot: &Snapshot, events: &[u32]) -> Option<(i64, i64)> {
    let time = |id: &u32| snapshot.event(EventId(*id)).and_then(|e| e.time());
    let first = events.iter().find_map(time)?;
    let last = events.iter().rev().find_map(time)?;
    Some((first.min(last), first.max(last)))
}

/// Places of events in time order.
struct Order(Vec<u32>);

impl Order {
    fn new(snapshot: &Snapshot) -> Order {
        let mut places = vec![0u32; snapshot.len()];
        for (place, event) in snapshot.order.iter().enumerate() {
            if let Some(slot) = places.get_mut(*event as usize) {
                *slot = place as u32;
            }
        }
        Order(places)
    }

    fn place(&self, event: u32) -> u32 {
        self.0.get(event as usize).copied().unwrap_or(u32::MAX)
    }
}

struct Building {
    id: Id,
    labels: Box<[Named]>,
    places: Box<[Named]>,
}

impl Building {
    fn new(id: Id, plan: &Plan) -> Building {
        Building {
            id,
            labels: vec![None; plan.labels.len()].into(),
            places: vec![None; plan.places.len()].into(),
        }
    }

    fn take(&mut self, labels: &[Named], places: &[Named]) {
        for (known, new) in self.labels.iter_mut().zip(labels) {
            if let Some(new) = new
                && known.is_none_or(|k| (new.0, new.1) < (k.0, k.1))
            {
                *known = Some(*new);
            }
        }
        for (known, new) in self.places.iter_mut().zip(places) {
            if let Some(new) = new
                && known.is_none_or(|k| (new.0, new.1) >= (k.0, k.1))
            {
                *known = Some(*new);
            }
        }
    }

    fn finish(self, plan: &Plan) -> Instance {
        let label = self.labels.iter().zip(&plan.labels);
        let mut known = label.filter_map(|(l, key)| l.map(|l| (*key, l.2)));
        Instance {
            alternative: self.id.0,
            id: self.id.1,
            range: None,
            label: known.next(),
            places: self
                .places
                .iter()
                .map(|p| p.map_or(NONE, |p| p.2))
                .collect(),
            start: None,
            end: None,
            lost: None,
            events: (0, 0),
            changes: (0, 0),
            waits: (0, 0),
        }
    }
}

/// Numbers of states and recorders.
#[derive(Default)]
struct Names {
    states: FxHashMap<Code, u16>,
    recorders: FxHashMap<u32, u16>,
}

impl Names {
    fn note(
        &mut self,
        snapshot: &Snapshot,
        plan: &Plan,
        marks: &[(u32, u32, Mark)],
        instance: &mut Instance,
        out: &mut Instances,
    ) {
        let changes = out.changes.len() as u32;
        let waits = out.waits.len() as u32;
        for (_, event, mark) in marks {
            let event = EventId(*event);
            match mark {
                Mark::Start => instance.start = instance.start.or(Some(event)),
                Mark::End => instance.end = instance.end.or(Some(event)),
                Mark::Lost => instance.lost = instance.lost.or(Some(event)),
                Mark::Waits(code) => out.waits.extend(own_code(snapshot, plan, *code)),
                Mark::State(code) => {
                    let state = *self.states.entry(*code).or_insert_with(|| {
                        let name = plan.state.map(|key| out.usual.text(snapshot, key, *code));
                        number(&mut out.states, name.unwrap_or_default())
                    });
                    self.change(snapshot, event, state, out);
                }
                Mark::Transition(at) => {
                    let name = plan.transitions[usize::from(*at)].1.clone();
                    let state = number(&mut out.states, name);
                    self.change(snapshot, event, state, out);
                }
            }
        }
        instance.changes = (changes, out.changes.len() as u32);
        instance.waits = (waits, out.waits.len() as u32);
    }

    fn change(&mut self, snapshot: &Snapshot, event: EventId, state: u16, out: &mut Instances) {
        let Some(e) = snapshot.event(event) else {
            return;
        };
        let source = e.source();
        let recorder = *self.recorders.entry(source.id.0).or_insert_with(|| {
            let name = match source.kind.as_str() {
                "" => source.tag.clone(),
                kind => kind.to_owned(),
            };
            number(&mut out.recorders, name)
        });
        out.changes.push(Change {
            time: e.time().unwrap_or(NO_TIME),
            event,
            state,
            recorder,
        });
    }
}

fn number(names: &mut Vec<String>, name: String) -> u16 {
    let at = names.iter().position(|n| *n == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    at as u16
}

/// The code of the id's last key for a value of the key that names what is waited for.
fn own_code(snapshot: &Snapshot, plan: &Plan, code: Code) -> Option<Code> {
    let (key, spellings) = plan.waits.as_ref()?;
    if code < crate::base::dict::ENTRY {
        return Some(code);
    }
    let view = snapshot.catalog.keys.get(*key)?;
    spellings.get(&view.spelling(code)?).copied()
}
