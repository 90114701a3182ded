//! Records that stand in several sources: which of their paths is theirs.
//!
//! Two kernels in one process write each other's records into both logs. A path alone says nothing about such a record, but
//! it is of one of these paths. A join among copies chooses, from evidence, and by exclusion: what a bearer does once, and
//! did on another thread, it did not do here.

use rustc_hash::FxHashMap;

use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::query::Selection;
use crate::store::Snapshot;
use crate::store::lanes::{Lane, SegmentView, UNUSABLE};

use super::rounds::{CompiledJoin, Evidence, RoundInput};
use super::table::{JoinTable, MAX_LEFT, Tuple};
use super::work::{GroupLanes, GroupWork};

/// The values that the paths of a record have for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    codes: Vec<Code>,
}

impl Candidates {
    /// Of an event; `None` when it stands in one source only.
    pub fn of(snapshot: &Snapshot, event: EventId, key: KeyId) -> Option<Candidates> {
        let copies = &snapshot.copies;
        if copies.of(event.0).is_none() && copies.copies_of(event.0).next().is_none() {
            return None;
        }
        let dict = &snapshot.catalog.keys.get(key)?.dict;
        let mut codes: Vec<Code> = copies
            .group(event.0)
            .filter_map(|id| {
                let source = snapshot.event(EventId(id))?.source();
                let found = source.consts.iter().find(|(k, _)| *k == key)?;
                Some(dict.canonical(found.1))
            })
            .collect();
        codes.sort_unstable();
        codes.dedup();
        Some(Candidates { codes })
    }

    /// The candidate that is in a set, if exactly one is; else `NONE`.
    pub fn only_one_in(&self, set: &[Code]) -> Code {
        let mut inside = self.codes.iter().filter(|c| set.contains(c));
        match (inside.next(), inside.next()) {
            (Some(one), None) => *one,
            _ => NONE,
        }
    }
}

/// What each bearer does once.
#[derive(Debug)]
pub struct Once {
    /// The join whose groups are chosen.
    pub join: usize,
    /// Keys that name what is done.
    pub by: Vec<KeyId>,
    /// The events that say it.
    pub only: Selection,
}

type Deed = (Code, Tuple);

#[derive(Default)]
struct Exclusion {
    /// Who did what, in which group of the join; `None` when in several.
    done: FxHashMap<Deed, Option<Tuple>>,
    /// What the records of each undecided group say was done.
    open: FxHashMap<Tuple, Undecided>,
}

#[derive(Default)]
struct Undecided {
    deeds: Vec<Tuple>,
    candidates: Vec<Code>,
    event: Option<EventId>,
}

/// Groups of a join whose bearer is the only candidate that is not excluded, as evidence for the join.
pub fn exclude(
    ground: &RoundInput<'_>,
    once: &Once,
    work: &[Vec<GroupWork>],
    table: &JoinTable,
) -> Vec<Evidence> {
    let Some(join) = ground.joins.get(once.join) else {
        return Vec::new();
    };
    let Some(key) = join.gives.first().copied() else {
        return Vec::new();
    };
    let mut found = Exclusion::default();
    for (segment, groups) in work.iter().enumerate() {
        if ground.cancel.is_cancelled() {
            return Vec::new();
        }
        of_segment(ground, once, join, key, (segment, groups), &mut found);
    }
    let mut out = Vec::new();
    for (tuple, undecided) in &found.open {
        let known = table.group(tuple).map(|g| table.set(g, 0));
        if known.is_some_and(|set| !set.is_empty()) {
            continue;
        }
        let is_excluded = |candidate: &Code| {
            let elsewhere = |deed: &Tuple| {
                let done = found.done.get(&(*candidate, *deed));
                done.is_some_and(|group| group.is_some_and(|g| g != *tuple))
            };
            undecided.deeds.iter().any(elsewhere)
        };
        let left: Vec<Code> = undecided
            .candidates
            .iter()
            .copied()
            .filter(|c| !is_excluded(c))
            .collect();
        if let ([code], Some(event), true) =
            (&left[..], undecided.event, undecided.candidates.len() > 1)
        {
            out.push(Evidence {
                join: join.index,
                right: 0,
                tuple: *tuple,
                code: *code,
                event,
            });
        }
    }
    out.sort_unstable_by_key(|e| (e.tuple, e.code));
    out
}

fn of_segment(
    ground: &RoundInput<'_>,
    once: &Once,
    join: &CompiledJoin,
    key: KeyId,
    (segment, groups): (usize, &Vec<GroupWork>),
    found: &mut Exclusion,
) {
    let Some(chosen) = once.only.segment(segment) else {
        return;
    };
    let view = SegmentView::new(ground.snapshot, segment, &ground.copied[segment]);
    for (at, group) in groups.iter().enumerate() {
        let rows = &view.segment.groups[at].rows;
        if !rows.iter().any(|row| chosen.get(usize::from(*row))) {
            continue;
        }
        let mut lanes = GroupLanes::new(view.group(at), segment, group, ground.pseudo);
        let mut needed = join.by.iter().chain(&once.by);
        if !needed.all(|key| lanes.make(*key)) {
            continue;
        }
        lanes.make(key);
        for (place, row) in rows.iter().enumerate() {
            if !chosen.get(usize::from(*row)) {
                continue;
            }
            let read = |keys: &[KeyId]| tuple_of(keys.iter().map(|k| lanes.get(*k)), place);
            let (Some(tuple), Some(deed)) = (read(&join.by), read(&once.by)) else {
                continue;
            };
            match lanes.get(key).row(place, lanes.view().ends) {
                UNUSABLE => {}
                NONE => {
                    let event = EventId(ground.snapshot.bases[segment] + u32::from(*row));
                    let Some(candidates) = Candidates::of(ground.snapshot, event, key) else {
                        continue;
                    };
                    let undecided = found.open.entry(tuple).or_default();
                    undecided.deeds.push(deed);
                    undecided.event.get_or_insert(event);
                    for code in candidates.codes {
                        if !undecided.candidates.contains(&code) {
                            undecided.candidates.push(code);
                        }
                    }
                }
                bearer => {
                    let group = found.done.entry((bearer, deed)).or_insert(Some(tuple));
                    if *group != Some(tuple) {
                        *group = None;
                    }
                }
            }
        }
    }
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
