//! Who did what when: the things of a kind as bars, in rows by who carries them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::analysis::columns::{By, Labels};
use crate::analysis::entity::{End, Instance};
use crate::analysis::scope::Scope;
use crate::analysis::{Entity, Instances};
use crate::base::cancel::Cancel;
use crate::base::time::NO_TIME;
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;

/// Rows at most; what has none is counted.
const MOST: usize = 20_000;

/// By what things are put into rows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Grouping {
    /// By what carries them, the innermost of which anything is known.
    #[default]
    Innermost,
    /// By an entity (dotted name) that carries them.
    Carrier(String),
    /// Each in a row of its own.
    Each,
}

/// A bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Start, UTC ns.
    pub start: i64,
    /// End, UTC ns.
    pub end: i64,
    /// Whether it has no end in the data: `end` is then the end of the data.
    pub is_open: bool,
    /// Whether its owner saw that it was lost.
    pub is_lost: bool,
    /// Index into `Instances::list`.
    pub instance: u32,
    /// Index into `Timeline::colours`; `None` when nothing is known.
    pub colour: Option<u32>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Whose it is: keys and values, empty when that is not known.
    pub of: Vec<(String, String)>,
    /// Bars by start; they do not overlap.
    pub bars: Vec<Bar>,
    /// Whether it only holds what had no room in the row above.
    pub is_more: bool,
    /// Time that bars take of the row, ns.
    pub busy: i64,
}

/// See the module's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The entity by which rows are made, for people; `None`: each its own.
    pub by: Option<String>,
    /// All entities by which rows could be made: dotted names.
    pub choices: Vec<String>,
    /// The one that was taken.
    pub chosen: Option<String>,
    /// Rows in the order of their first bar.
    pub lanes: Vec<Lane>,
    /// What colours stand for, the most frequent first, and how many bars have it.
    pub colours: Vec<(String, u64)>,
    /// First start and last end, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Bars.
    pub bars: u64,
    /// Things without a start.
    pub unstarted: u64,
    /// Bars that had no room.
    pub left_out: u64,
}

/// Carriers of which the instances know something: dotted name, title, keys; the innermost first.
fn carriers(
    snapshot: &Snapshot,
    instances: &Instances,
    entities: &[Arc<Entity>],
) -> Vec<(String, String, Vec<usize>)> {
    let names: Vec<&str> = instances
        .place_keys
        .iter()
        .map(|k| snapshot.catalog.keys.name(*k))
        .collect();
    let mut out: Vec<(String, String, Vec<usize>)> = Vec::new();
    for entity in entities {
        if entity.role != EntityRole::Carrier || entity.name == instances.entity.name {
            continue;
        }
        // The run need not be told apart: that is above the rows.
        let places = |id: &Vec<String>| -> Option<Vec<usize>> {
            let last = id.last()?;
            names.iter().position(|n| n == last)?;
            Some(
                id.iter()
                    .filter_map(|key| names.iter().position(|n| n == key))
                    .collect(),
            )
        };
        if let Some(keys) = entity.id.iter().find_map(places) {
            out.push((entity.name.clone(), entity.title.clone(), keys));
        }
    }
    // The further in, the later its last key stands.
    out.sort_by_key(|c| std::cmp::Reverse(c.2.last().copied()));
    out
}

/// See the module's text. `None` when cancelled.
pub(super) fn timeline(
    snapshot: &Snapshot,
    instances: &Instances,
    entities: &[Arc<Entity>],
    scope: &Scope,
    (grouping, colour): (&Grouping, Option<&str>),
    cancel: &Cancel,
) -> Option<Timeline> {
    let carriers = carriers(snapshot, instances, entities);
    let chosen = match grouping {
        Grouping::Each => None,
        Grouping::Innermost => carriers.first(),
        Grouping::Carrier(name) => carriers.iter().find(|c| c.0 == *name),
    };
    let mut out = Timeline {
        by: chosen.map(|c| c.1.clone()),
        choices: carriers.iter().map(|c| c.0.clone()).collect(),
        chosen: chosen.map(|c| c.0.clone()),
        ..Timeline::default()
    };
    let by = match colour.and_then(|key| By::named(snapshot, key)) {
        Some(by) => Some(Labels::of(snapshot, &by, cancel)?),
        None => None,
    };
    let names = |instance: &Instance| match &by {
        Some(labels) => {
            let code = labels.first(instances.events(instance));
            Some(labels.text(snapshot, code)).filter(|t| !t.is_empty())
        }
        None => instances.label(snapshot, instance),
    };
    let kept = scope.instances(instances);
    let data_end = snapshot.range().map_or(0, |r| r.1);
    let mut colours: FxHashMap<String, (u32, u64)> = FxHashMap::default();
    let mut rows: FxHashMap<Vec<u32>, Vec<Bar>> = FxHashMap::default();
    let mut order: Vec<Vec<u32>> = Vec::new();
    for (at, instance) in instances.list.iter().enumerate() {
        if at % 1024 == 0 && cancel.is_cancelled() {
            return None;
        }
        if !kept[at] {
            continue;
        }
        let standing = instances.standing(snapshot, instance);
        let Some(start) = standing.start.filter(|t| *t != NO_TIME) else {
            out.unstarted += 1;
            continue;
        };
        let end = standing.end.time().unwrap_or(data_end).max(start);
        if !scope.window.touches(start, end) {
            continue;
        }
        let next = colours.len() as u32;
        let colour = names(instance).map(|name| {
            let known = colours.entry(name).or_insert((next, 0));
            known.1 += 1;
            known.0
        });
        let key: Vec<u32> = match chosen {
            Some((_, _, places)) => places
                .iter()
                .map(|p| instance.places.get(*p).copied().unwrap_or_default())
                .collect(),
            None => vec![at as u32],
        };
        let row = rows.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        row.push(Bar {
            start,
            end,
            is_open: standing.end == End::Open,
            is_lost: matches!(standing.end, End::Lost(_)),
            instance: at as u32,
            colour,
        });
        let range = out.range.get_or_insert((start, end));
        *range = (range.0.min(start), range.1.max(end));
        out.bars += 1;
    }
    for key in order {
        let bars = rows.remove(&key).unwrap_or_default();
        let of = match (chosen, bars.first()) {
            (Some((_, _, places)), Some(bar)) => {
                let instance = &instances.list[bar.instance as usize];
                let known = instances.places(snapshot, instance);
                let name = |p: &usize| snapshot.catalog.keys.name(instances.place_keys[*p]);
                places
                    .iter()
                    .filter_map(|p| known.iter().find(|(key, _)| key == name(p)).cloned())
                    .collect()
            }
            (None, Some(bar)) => instances.id(snapshot, &instances.list[bar.instance as usize]),
            _ => Vec::new(),
        };
        stack(&mut out, of, bars);
    }
    number_colours(&mut out, colours);
    Some(out)
}

/// Puts the bars of one carrier into as few rows as it takes for them not to overlap.
fn stack(out: &mut Timeline, of: Vec<(String, String)>, mut bars: Vec<Bar>) {
    bars.sort_by_key(|b| (b.start, b.end, b.instance));
    let first = out.lanes.len();
    for bar in bars {
        let free = out.lanes[first..]
            .iter()
            .position(|l| l.bars.last().is_none_or(|b| b.end <= bar.start));
        let at = match free {
            Some(at) => first + at,
            None if out.lanes.len() >= MOST => {
                out.left_out += 1;
                continue;
            }
            None => {
                out.lanes.push(Lane {
                    of: of.clone(),
                    bars: Vec::new(),
                    is_more: out.lanes.len() > first,
                    busy: 0,
                });
                out.lanes.len() - 1
            }
        };
        let lane = &mut out.lanes[at];
        lane.busy = lane.busy.saturating_add(bar.end.saturating_sub(bar.start));
        lane.bars.push(bar);
    }
}

/// Numbers the colours by how frequent they are.
fn number_colours(out: &mut Timeline, colours: FxHashMap<String, (u32, u64)>) {
    let mut list: Vec<(String, u32, u64)> = colours
        .into_iter()
        .map(|(name, (number, count))| (name, number, count))
        .collect();
    list.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let mut place = vec![0u32; list.len()];
    for (at, (_, number, _)) in list.iter().enumerate() {
        place[*number as usize] = at as u32;
    }
    for bar in out.lanes.iter_mut().flat_map(|l| &mut l.bars) {
        bar.colour = bar.colour.map(|number| place[number as usize]);
    }
    out.colours = list.into_iter().map(|(name, _, n)| (name, n)).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bars_of_a_row_do_not_overlap_and_none_is_lost(list in proptest::collection::vec((0i64..50, 0i64..20), 0..40)) {
            let bars: Vec<Bar> = list.iter().enumerate().map(|(at, (start, length))| Bar {
                start: *start, end: start + length, is_open: false, is_lost: false, instance: at as u32, colour: None,
            }).collect();
            let mut out = Timeline::default();
            stack(&mut out, Vec::new(), bars);
            prop_assert_eq!(out.lanes.iter().map(|l| l.bars.len()).sum::<usize>(), list.len());
            for lane in &out.lanes {
                prop_assert!(lane.bars.windows(2).all(|w| w[0].end <= w[1].start));
            }
            // As few rows as there are bars at once (bars without a length take none).
            let at_once = (0..80).map(|t| list.iter().filter(|(s, l)| *s <= t && t < s + l).count()).max().unwrap_or(0);
            if list.iter().all(|(_, l)| *l > 0) {
                prop_assert_eq!(out.lanes.len(), at_once);
            }
            prop_assert!(out.lanes.iter().skip(1).all(|l| l.is_more));
        }
    }
}
