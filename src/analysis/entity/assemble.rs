//! Puts what the segments found of an entity together: instances in the order of their first event, with their events
//! and changes of state in time order.
//!
//! Nothing is sorted but the few events of an instance that are remembered: events are walked in time order once, and each
//! goes behind those that its instance has already.

use std::mem::take;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::dict::{Code, NONE};
use crate::base::ids::EventId;
use crate::base::time::NO_TIME;
use crate::store::Snapshot;
use crate::store::lanes::Usual;

use super::found::{Found, Mark};
use super::ids::{IdIndex, Ids, NOBODY};
use super::named::{Named, Which, merge};
use super::plan::{Other, Plan};
use super::whose::{Number, Whose};
use super::{Change, Entity, Instance, Instances};

/// Places of events in time order, found when somebody asks first.
#[derive(Debug, Default)]
pub(super) struct Order(OnceLock<Vec<u32>>);

impl Order {
    fn places(&self, snapshot: &Snapshot) -> &[u32] {
        self.0.get_or_init(|| {
            let mut places = vec![u32::MAX; snapshot.len()];
            for (place, event) in snapshot.order.iter().enumerate() {
                if let Some(slot) = places.get_mut(*event as usize) {
                    *slot = place as u32;
                }
            }
            places
        })
    }
}

/// What is known of all instances while segments are put together, by the number of their ids.
struct Building {
    ids: Ids,
    /// By segment: what each of its instances has for a number here.
    to: Vec<Vec<u32>>,
    /// By instance: number of its events.
    sizes: Vec<u32>,
    labels: Vec<Named>,
    places: Vec<Named>,
    marks: Vec<(u32, u32, Mark)>,
    undecided: u64,
}

impl Building {
    fn new(snapshot: &Snapshot, plan: &Plan, found: &mut [Found], order: &Order) -> Building {
        let alternatives: Vec<Vec<u8>> = found.iter().map(|f| f.ids.alternatives()).collect();
        let mut occurs = vec![false; plan.ids.len()];
        for at in alternatives.iter().flatten() {
            occurs[usize::from(*at)] = true;
        }
        let counts = plan.counting(&occurs);
        let mut ids = Ids::new(plan.ids.len());
        let to = found
            .iter()
            .zip(&alternatives)
            .map(|(found, alternatives)| {
                let is_kept = |at: u32| counts[usize::from(alternatives[at as usize])];
                ids.merge(&found.ids, is_kept)
            });
        let to: Vec<Vec<u32>> = to.collect();
        let (labels, places) = (plan.labels.len(), plan.places.len());
        let mut out = Building {
            sizes: vec![0; ids.len()],
            labels: vec![Named::NOTHING; ids.len() * labels],
            places: vec![Named::NOTHING; ids.len() * places],
            marks: Vec::new(),
            undecided: 0,
            ids,
            to,
        };
        let all = order.places(snapshot);
        for ((index, found), to) in found.iter_mut().enumerate().zip(&out.to) {
            let base = snapshot.bases[index] as usize;
            let rows = &all[base..base + snapshot.segments[index].len()];
            let (first, last) = (take(&mut found.labels), take(&mut found.places));
            merge(&mut out.labels, &first, labels, Which::First, to, rows);
            merge(&mut out.places, &last, places, Which::Last, to, rows);
            let kept = take(&mut found.marks).into_iter();
            let kept = kept.map(|(e, own, m)| (to[own as usize], e, m));
            out.marks.extend(kept.filter(|m| m.0 != NOBODY));
            out.undecided += found.undecided;
        }
        out
    }

    /// The events of each instance in time order, where they begin by instance, and the instances in the order of their
    /// first event.
    fn walk(&mut self, snapshot: &Snapshot, found: &[Found]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let several: usize = found.iter().map(Found::several).sum();
        // Small numbers: less memory to go through, in an order that is not its own.
        match self.ids.len() + several + 1 {
            0..=0x100 => self.walk_by::<u8>(snapshot, found),
            0x101..=0x1_0000 => self.walk_by::<u16>(snapshot, found),
            _ => self.walk_by::<u32>(snapshot, found),
        }
    }

    fn walk_by<N: Number>(
        &mut self,
        snapshot: &Snapshot,
        found: &[Found],
    ) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let mut whose: Whose<N> = Whose {
            of_event: vec![N::default(); snapshot.len()],
            several: Vec::new(),
        };
        for (index, (found, to)) in found.iter().zip(&self.to).enumerate() {
            let base = snapshot.bases[index] as usize;
            let rows = base..base + snapshot.segments[index].len();
            let (sizes, undecided) = (&mut self.sizes, &mut self.undecided);
            whose.take(rows, found, to, sizes, undecided);
        }
        whose.walk(snapshot, &self.sizes)
    }

    /// What is remembered, by instance, and where that of each begins: waits last, else in time order.
    fn sorted(&mut self, snapshot: &Snapshot, order: &Order) -> (Vec<(u32, Mark)>, Vec<u32>) {
        let mut starts = vec![0u32; self.sizes.len() + 1];
        for (at, ..) in &self.marks {
            starts[*at as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut out = vec![(0, Mark::Start); self.marks.len()];
        for (at, event, mark) in take(&mut self.marks) {
            let next = &mut next[at as usize];
            out[*next as usize] = (event, mark);
            *next += 1;
        }
        if !out.is_empty() {
            let places = order.places(snapshot);
            for range in starts.windows(2).filter(|w| w[1] > w[0] + 1) {
                out[range[0] as usize..range[1] as usize].sort_unstable_by_key(|(event, mark)| {
                    let is_wait = matches!(mark, Mark::Waits(..) | Mark::Awaited(_));
                    (is_wait, places[*event as usize], *mark)
                });
            }
        }
        (out, starts)
    }
}

/// Puts what the segments found together.
pub(super) fn assemble(
    snapshot: &Snapshot,
    entity: &Arc<Entity>,
    plan: &Plan,
    mut found: Vec<Found>,
    order: &Order,
) -> Instances {
    let mut building = Building::new(snapshot, plan, &mut found, order);
    let (events, from, ranked) = building.walk(snapshot, &found);
    drop(found);
    let (marks, marks_from) = building.sorted(snapshot, order);
    let mut list: Vec<Instance> = ranked
        .par_iter()
        .map(|at| building.instance(snapshot, plan, &events, &from, *at))
        .collect();
    let mut places = vec![NOBODY; building.ids.len()];
    for (place, at) in ranked.iter().enumerate() {
        places[*at as usize] = place as u32;
    }
    let mut out = Instances {
        entity: entity.clone(),
        list: Vec::new(),
        states: entity.states.clone(),
        recorders: entity.recorders.clone(),
        place_keys: plan.places.clone(),
        undecided: building.undecided,
        usual: Usual::new(snapshot, plan.named()),
        keys: plan.ids.clone(),
        events,
        changes: Vec::new(),
        waits: Vec::new(),
        index: IdIndex::new(building.ids, places),
    };
    let mut names = Names::default();
    let own = |at: u32| {
        let at = at as usize;
        &marks[marks_from[at] as usize..marks_from[at + 1] as usize]
    };
    let marked = list.iter().zip(&ranked).map(|(one, at)| (one, own(*at)));
    let marked: Vec<(&Instance, &[(u32, Mark)])> = match plan.awaited {
        Some(_) => marked.collect(),
        None => Vec::new(),
    };
    let awaited = awaited(snapshot, plan, &marked, &out.index);
    for (number, (instance, at)) in list.iter_mut().zip(&ranked).enumerate() {
        names.note(snapshot, plan, own(*at), instance, &mut out);
        if let Some(others) = awaited.get(&number) {
            out.waits.extend(others);
            instance.waits.1 = out.waits.len() as u32;
        }
    }
    out.list = list;
    out
}

impl Building {
    fn instance(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        events: &[u32],
        from: &[u32],
        at: u32,
    ) -> Instance {
        let number = at as usize;
        let (alternative, id) = self.ids.id(at);
        let (first, end) = (from[number], from[number] + self.sizes[number]);
        let of = |keys: usize| number * keys..(number + 1) * keys;
        let labels = self.labels[of(plan.labels.len())].iter();
        let mut labels = labels.zip(&plan.labels);
        let places = self.places[of(plan.places.len())].iter();
        Instance {
            id,
            alternative,
            range: range(snapshot, &events[first as usize..end as usize]),
            label: labels.find_map(|(named, key)| Some((*key, named.code()?))),
            places: places.map(|p| p.code().unwrap_or(NONE)).collect(),
            start: None,
            end: None,
            lost: None,
            events: (first, end),
            changes: (0, 0),
            waits: (0, 0),
        }
    }
}

fn range(snapshot: &Snapshot, events: &[u32]) -> Option<(i64, i64)> {
    let time = |id: &u32| snapshot.event(EventId(*id)).and_then(|e| e.time());
    let first = events.iter().find_map(time)?;
    let last = events.iter().rev().find_map(time)?;
    Some((first.min(last), first.max(last)))
}

/// Numbers of states and recorders.
#[derive(Default)]
struct Names {
    states: FxHashMap<Code, u16>,
    /// By number of the transition.
    transitions: FxHashMap<u16, u16>,
    recorders: FxHashMap<u32, u16>,
}

impl Names {
    fn note(
        &mut self,
        snapshot: &Snapshot,
        plan: &Plan,
        marks: &[(u32, Mark)],
        instance: &mut Instance,
        out: &mut Instances,
    ) {
        let changes = out.changes.len() as u32;
        let waits = out.waits.len() as u32;
        for (event, mark) in marks {
            let event = EventId(*event);
            match mark {
                Mark::Start => instance.start = instance.start.or(Some(event)),
                Mark::End => instance.end = instance.end.or(Some(event)),
                Mark::Lost => instance.lost = instance.lost.or(Some(event)),
                Mark::Waits(by, code) => {
                    let key = plan.waits.get(usize::from(*by));
                    out.waits.extend(own_code(snapshot, key, *code));
                }
                Mark::Awaited(_) | Mark::Since => {}
                Mark::State(code) => {
                    let state = *self.states.entry(*code).or_insert_with(|| {
                        let name = plan.state.map(|key| out.usual.text(snapshot, key, *code));
                        number(&mut out.states, name.unwrap_or_default())
                    });
                    self.change(snapshot, event, state, out);
                }
                Mark::Transition(at) => {
                    let (_, name, from) = &plan.transitions[usize::from(*at)];
                    let before = out.changes.get(changes as usize..).and_then(<[_]>::last);
                    let before = before.map(|c| &out.states[usize::from(c.state)]);
                    if from.is_empty() || before.is_some_and(|b| from.contains(b)) {
                        let state = *self
                            .transitions
                            .entry(*at)
                            .or_insert_with(|| number(&mut out.states, name.clone()));
                        self.change(snapshot, event, state, out);
                    }
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

/// By number of an instance that waits: the last codes of the ids of those that say that it waits for them.
fn awaited(
    snapshot: &Snapshot,
    plan: &Plan,
    marked: &[(&Instance, &[(u32, Mark)])],
    index: &IdIndex,
) -> FxHashMap<usize, Vec<Code>> {
    let mut out: FxHashMap<usize, Vec<Code>> = FxHashMap::default();
    // From when on a waiting one can wait for what begins.
    let since = |waiter: usize| {
        let (_, marks) = marked.get(waiter)?;
        let last = marks.iter().rfind(|m| m.1 == Mark::Since)?.0;
        snapshot.event(EventId(last))?.time()
    };
    for (instance, marks) in marked {
        for (_, mark) in *marks {
            let Mark::Awaited(code) = mark else { continue };
            let mut id = instance.id.to_vec();
            let (Some(last), Some(code)) = (
                id.last_mut(),
                own_code(snapshot, plan.awaited.as_ref(), *code),
            ) else {
                continue;
            };
            let own = std::mem::replace(last, code);
            let waiter = index.get(instance.alternative, &id);
            let Some(waiter) = waiter.filter(|_| own != code) else {
                continue;
            };
            let is_before = plan.awaited_since.is_some()
                && since(waiter).is_none_or(|t| instance.range.is_none_or(|r| r.0 < t));
            let known = out.entry(waiter).or_default();
            if !is_before && known.last() != Some(&own) {
                known.push(own);
            }
        }
    }
    out
}

/// The code of the id's last key for a value of a key that names another one.
fn own_code(snapshot: &Snapshot, other: Option<&Other>, code: Code) -> Option<Code> {
    let (key, spellings) = other?;
    if code < crate::base::dict::ENTRY {
        return Some(code);
    }
    let view = snapshot.catalog.keys.get(*key)?;
    spellings.get(&view.spelling(code)?).copied()
}
