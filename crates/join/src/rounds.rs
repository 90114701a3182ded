//! One round of the fixpoint: what events say of the groups, then what the groups say of the events. Both read the state
//! at the start of the round only, so that no order of joins, segments or rows matters.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::lanes::{Lane, SegmentView, UNUSABLE, places};

use crate::left_tuples::{GroupFinder, GroupLookup, LaneAt, Left};
use crate::spec::Receivers;
use crate::table::{JoinTable, MAX_LEFT, TableChange, Tuple};
use crate::work::{GroupLanes, GroupWork, JoinIndex, Pseudo};

/// A join whose names are known in the run.
#[derive(Debug)]
pub struct CompiledJoin {
    /// Its number: its place in the order of names.
    pub index: JoinIndex,
    /// Left keys.
    pub by: Vec<KeyId>,
    /// Which of them varies most.
    pub inner: usize,
    /// Right keys.
    pub gives: Vec<KeyId>,
    /// Only these events take part.
    pub only: Option<Selection>,
    /// Only these events say something.
    pub evidence: Option<Selection>,
    /// Only records that stand in several sources receive.
    pub among_copies: bool,
    /// Who receives besides.
    pub receivers: Receivers,
}

impl CompiledJoin {
    /// The rows of a segment that take part, when not all do.
    pub fn rows(&self, segment: usize) -> Option<&Bits> {
        self.only.as_ref().and_then(|s| s.segment(segment))
    }

    /// Whether what another join changed in a group in the last round concerns it.
    pub fn concerns(&self, group: &GroupWork, keys: impl Fn(&CompiledJoin, KeyId) -> bool) -> bool {
        group
            .changed
            .iter()
            .any(|(key, join)| *join != self.index && keys(self, *key))
    }
}

/// What all rounds read.
#[derive(Debug)]
pub struct RoundInput<'a> {
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// Rows that stand in several sources, by segment.
    pub copied: &'a [Vec<u32>],
    /// Keys that only joins know.
    pub pseudo: &'a Pseudo,
    /// The joins.
    pub joins: &'a [CompiledJoin],
    /// Records that were joined before, where there are some.
    pub joined: Option<&'a Selection>,
    /// Who wrote each row, by segment; where there are brackets.
    pub writers: Option<&'a [Vec<u32>]>,
    /// Stops everything.
    pub cancel: &'a Cancel,
}

impl RoundInput<'_> {
    /// The rows of a segment to which a join gives nothing, where there are some.
    pub fn passed_over(&self, join: &CompiledJoin, segment: usize) -> Option<&Bits> {
        let joined = self
            .joined
            .filter(|_| join.receivers == Receivers::Unjoined)?;
        joined.segment(segment).filter(|rows| rows.any())
    }
}

/// Cells for which joins disagree: nothing is derived for them.
pub type BlockedCells = FxHashSet<(EventId, KeyId)>;

/// One thing that an event says of a group.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The join.
    pub join: JoinIndex,
    /// Which right key.
    pub right: usize,
    /// The group.
    pub tuple: Tuple,
    /// The value.
    pub code: Code,
    /// The event.
    pub event: EventId,
}

/// Which round of an epoch it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Everything is asked for.
    First,
    /// Only what the round before changed.
    Later,
}

/// Segments looked at before their evidence is added to the tables: bounds what waits.
const BATCH: usize = 16;

/// Adds what events say to the tables. In the first round everything, later what the last round changed. Gives for each
/// join whether its table changed, and whether there is a new conflict.
pub fn gather(
    ground: &RoundInput<'_>,
    work: &[Vec<GroupWork>],
    tables: &mut [JoinTable],
    round: Round,
) -> (Vec<bool>, bool) {
    let mut changed = vec![false; tables.len()];
    let mut conflict = false;
    let indices: Vec<usize> = (0..work.len()).collect();
    for batch in indices.chunks(BATCH) {
        if ground.cancel.is_cancelled() {
            break;
        }
        let known = &*tables;
        let found: Vec<Vec<Vec<Evidence>>> = batch
            .par_iter()
            .map(|segment| evidence(ground, *segment, &work[*segment], known, round))
            .collect();
        // Each table takes what is for it in the order of the segments.
        let places = tables.par_iter_mut().zip(&mut changed).enumerate();
        let new_conflicts = places.map(|(join, (table, changed))| {
            let mut conflict = false;
            for e in found.iter().flat_map(|of_segment| &of_segment[join]) {
                match table.add(&e.tuple, e.right, e.code, e.event) {
                    TableChange::None => {}
                    TableChange::First => *changed = true,
                    TableChange::Conflict => {
                        *changed = true;
                        conflict = true;
                    }
                }
            }
            conflict
        });
        conflict |= new_conflicts.reduce(|| false, |a, b| a | b);
    }
    (changed, conflict)
}

/// What the events of a segment say, by join.
fn evidence(
    ground: &RoundInput<'_>,
    segment: usize,
    work: &[GroupWork],
    tables: &[JoinTable],
    round: Round,
) -> Vec<Vec<Evidence>> {
    let mut out = vec![Vec::new(); tables.len()];
    let view = SegmentView::new(ground.snapshot, segment, &ground.copied[segment]);
    let base = ground.snapshot.bases[segment];
    for (at, group) in work.iter().enumerate() {
        let concerned = |j: &&CompiledJoin| {
            round == Round::First
                || j.concerns(group, |j, k| j.by.contains(&k) || j.gives.contains(&k))
        };
        let mut lanes = GroupLanes::new(view.group(at), segment, group, ground.pseudo);
        for join in ground.joins.iter().filter(concerned) {
            let all = !join.by.is_empty() && join.by.iter().all(|key| lanes.make(*key));
            if !all {
                continue;
            }
            // All of them are needed, not only the first that is there.
            let present = join.gives.iter().filter(|key| lanes.make(**key)).count();
            if present == 0 {
                continue;
            }
            let index = usize::from(join.index);
            let (table, out) = (&tables[index], &mut out[index]);
            of_group(join, &lanes, segment, base, table, out);
        }
    }
    out
}

/// What the events of a group say, each thing of neighbouring rows once.
fn of_group(
    join: &CompiledJoin,
    lanes: &GroupLanes<'_>,
    segment: usize,
    base: u32,
    table: &JoinTable,
    out: &mut Vec<Evidence>,
) {
    let Some(left) = Left::new(&join.by, lanes) else {
        return;
    };
    let view = lanes.view();
    let only = join.rows(segment);
    let witnesses = join.evidence.as_ref().and_then(|s| s.segment(segment));
    let mut said = GroupSays {
        join,
        table,
        left: &left,
        rights: rights(join, lanes),
        finder: left.finder(table),
        last: [None; MAX_LEFT],
        rows: &view.group.rows,
        base,
        out,
    };
    let is_open = only.is_none() && witnesses.is_none();
    let rows = match is_open && said.is_same() {
        true => 1,
        false => view.group.rows.len(),
    };
    let listed = left.is_listed();
    let ends = view.ends;
    for row in 0..rows {
        if !is_open {
            let here = usize::from(view.group.rows[row]);
            let is_out = |bits: &Bits| !bits.get(here);
            if only.is_some_and(is_out) || witnesses.is_some_and(is_out) {
                continue;
            }
        }
        if listed {
            for place in places(ends, row) {
                let place = Some(place);
                said.at(LaneAt { row, place, ends });
            }
        } else {
            let place = None;
            said.at(LaneAt { row, place, ends });
        }
    }
}

/// The right keys of a join that events of a group have, each with its number.
fn rights<'l>(join: &CompiledJoin, lanes: &'l GroupLanes<'_>) -> Vec<(usize, &'l Lane)> {
    let lanes = join.gives.iter().map(|key| lanes.get(*key)).enumerate();
    lanes.filter(|(_, lane)| !lane.is_absent()).collect()
}

/// Collects what the rows of a group say of the groups of a join.
struct GroupSays<'a> {
    join: &'a CompiledJoin,
    table: &'a JoinTable,
    left: &'a Left<'a>,
    rights: Vec<(usize, &'a Lane)>,
    finder: GroupFinder<'a, 'a>,
    /// What was said last, by right key.
    last: [Option<(Tuple, Code)>; MAX_LEFT],
    rows: &'a [u16],
    /// Number of the segment's first event.
    base: u32,
    out: &'a mut Vec<Evidence>,
}

impl GroupSays<'_> {
    /// Whether all rows say the same.
    fn is_same(&self) -> bool {
        let is_const = |(_, lane): &(usize, &Lane)| matches!(lane, Lane::Const(_));
        self.left.same().is_some() && self.rights.iter().all(is_const)
    }

    /// Adds what a row says, where it is not known yet.
    #[inline]
    fn at(&mut self, at: LaneAt<'_>) {
        let mut place = None;
        for (right, lane) in &self.rights {
            // Cheaper first: most rows of a group that could say something say nothing.
            let code = lane.row(at.row, at.ends);
            if code == NONE || code == UNUSABLE {
                continue;
            }
            match *place.get_or_insert_with(|| self.finder.find(at)) {
                GroupLookup::Nowhere => return,
                GroupLookup::Group(group) if self.table.value(group, *right) == code => continue,
                GroupLookup::Group(_) | GroupLookup::New => {}
            }
            let Some(tuple) = self.left.tuple(at) else {
                return;
            };
            if let Some(last) = self.last.get_mut(*right) {
                if *last == Some((tuple, code)) {
                    continue;
                }
                *last = Some((tuple, code));
            }
            self.out.push(Evidence {
                join: self.join.index,
                right: *right,
                tuple,
                code,
                event: EventId(self.base + u32::from(self.rows[at.row])),
            });
        }
    }
}
