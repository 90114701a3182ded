//! One round of the fixpoint: what events say of the groups, then what the groups say of the events. Both read the state
//! at the start of the round only, so that no order of joins, segments or rows matters.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::query::Selection;
use crate::store::Snapshot;
use crate::store::lanes::{Lane, SegmentView, UNUSABLE, places};

use super::copied::Candidates;
use super::table::{CONFLICT, Change, MAX_LEFT, Table, Tuple};
use super::work::{GroupWork, JoinIndex, Lanes, NOBODY, Pseudo, WorkColumn};

/// A join whose names are known in the run.
#[derive(Debug)]
pub struct Compiled {
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
}

impl Compiled {
    fn rows(&self, segment: usize) -> Option<&crate::query::bits::Bits> {
        self.only.as_ref().and_then(|s| s.segment(segment))
    }

    fn concerns(&self, group: &GroupWork, keys: impl Fn(&Compiled, KeyId) -> bool) -> bool {
        group
            .changed
            .iter()
            .any(|(key, join)| *join != self.index && keys(self, *key))
    }
}

/// What all rounds read.
#[derive(Debug)]
pub struct Ground<'a> {
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// Rows that stand in several sources, by segment.
    pub copied: &'a [Vec<u32>],
    /// Keys that only joins know.
    pub pseudo: &'a Pseudo,
    /// The joins.
    pub joins: &'a [Compiled],
    /// Stops everything.
    pub cancel: &'a Cancel,
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

/// Segments looked at before their evidence is added to the tables: bounds what waits.
const BATCH: usize = 16;

/// Adds what events say to the tables. In the first round everything, later what the last round changed. Gives for each
/// join whether its table changed, and whether there is a new conflict.
pub fn gather(
    ground: &Ground<'_>,
    work: &[Vec<GroupWork>],
    tables: &mut [Table],
    is_first: bool,
) -> (Vec<bool>, bool) {
    let mut changed = vec![false; tables.len()];
    let mut conflict = false;
    let indices: Vec<usize> = (0..work.len()).collect();
    for batch in indices.chunks(BATCH) {
        if ground.cancel.is_cancelled() {
            break;
        }
        let known = &*tables;
        let found: Vec<Vec<Evidence>> = batch
            .par_iter()
            .map(|segment| evidence(ground, *segment, &work[*segment], known, is_first))
            .collect();
        for e in found.into_iter().flatten() {
            let join = usize::from(e.join);
            match tables[join].add(&e.tuple, e.right, e.code, e.event) {
                Change::None => {}
                Change::First => changed[join] = true,
                Change::Conflict => {
                    changed[join] = true;
                    conflict = true;
                }
            }
        }
    }
    (changed, conflict)
}

fn evidence(
    ground: &Ground<'_>,
    segment: usize,
    work: &[GroupWork],
    tables: &[Table],
    is_first: bool,
) -> Vec<Evidence> {
    let mut out = Vec::new();
    let view = SegmentView::new(ground.snapshot, segment, &ground.copied[segment]);
    let base = ground.snapshot.bases[segment];
    for (at, group) in work.iter().enumerate() {
        let concerned = |j: &&Compiled| {
            is_first || j.concerns(group, |j, k| j.by.contains(&k) || j.gives.contains(&k))
        };
        let mut lanes = Lanes::new(view.group(at), segment, group, ground.pseudo);
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
            let table = &tables[usize::from(join.index)];
            of_group(join, &lanes, segment, base, table, &mut out);
        }
    }
    out
}

/// The place of the lists, or the row, that a value of a lane is asked for.
#[derive(Clone, Copy)]
struct At<'e> {
    row: usize,
    place: Option<usize>,
    ends: Option<&'e [u32]>,
}

#[inline]
fn code_at(lane: &Lane, at: At<'_>) -> Code {
    match (lane, at.place) {
        (Lane::Slots(codes), Some(place)) => codes.get(place).copied().unwrap_or(NONE),
        (lane, _) => lane.row(at.row, at.ends),
    }
}

/// The left tuples of the rows of a group.
struct Left<'l> {
    /// The values that all rows have.
    fixed: Tuple,
    /// The others, with their places in the tuple.
    varying: Vec<(usize, &'l Lane)>,
}

impl<'l> Left<'l> {
    /// `None`: no row has all values.
    fn new(by: &[KeyId], lanes: &'l Lanes<'_>) -> Option<Left<'l>> {
        let mut left = Left {
            fixed: [NONE; MAX_LEFT],
            varying: Vec::new(),
        };
        for (at, key) in by.iter().enumerate() {
            match lanes.get(*key) {
                Lane::Absent | Lane::Const(NONE | UNUSABLE) => return None,
                Lane::Const(code) => left.fixed[at] = *code,
                lane => left.varying.push((at, lane)),
            }
        }
        Some(left)
    }

    fn is_listed(&self) -> bool {
        self.varying.iter().any(|l| matches!(l.1, Lane::Slots(_)))
    }

    /// That of a row, unless a value is missing.
    #[inline]
    fn tuple(&self, at: At<'_>) -> Option<Tuple> {
        let mut tuple = self.fixed;
        for (slot, lane) in &self.varying {
            let code = code_at(lane, at);
            if code == NONE || code == UNUSABLE {
                return None;
            }
            tuple[*slot] = code;
        }
        Some(tuple)
    }
}

fn of_group(
    join: &Compiled,
    lanes: &Lanes<'_>,
    segment: usize,
    base: u32,
    table: &Table,
    out: &mut Vec<Evidence>,
) {
    let view = lanes.view();
    let Some(left) = Left::new(&join.by, lanes) else {
        return;
    };
    let gives: Vec<(usize, &Lane)> = join
        .gives
        .iter()
        .map(|k| lanes.get(*k))
        .enumerate()
        .filter(|(_, lane)| !lane.is_absent())
        .collect();
    let listed = left.is_listed();
    let only = join.rows(segment);
    let witnesses = join.evidence.as_ref().and_then(|s| s.segment(segment));
    let same = only.is_none()
        && witnesses.is_none()
        && left.varying.is_empty()
        && gives.iter().all(|g| matches!(g.1, Lane::Const(_)));
    let rows = if same { 1 } else { view.group.rows.len() };
    let mut last: [Option<(Tuple, Code)>; MAX_LEFT] = [None; MAX_LEFT];
    let mut lookup = table.lookup();
    let mut say = |at: At<'_>| {
        let mut tuple = None;
        for (right, lane) in &gives {
            // Cheaper first: most rows of a group that could say something say nothing.
            let code = lane.row(at.row, at.ends);
            if code == NONE || code == UNUSABLE {
                continue;
            }
            let Some(tuple) = *tuple.get_or_insert_with(|| left.tuple(at)) else {
                return;
            };
            if let Some(last) = last.get_mut(*right) {
                if *last == Some((tuple, code)) {
                    continue;
                }
                *last = Some((tuple, code));
            }
            let known = lookup.group(&tuple).map(|g| table.value(g, *right));
            if known != Some(code) {
                out.push(Evidence {
                    join: join.index,
                    right: *right,
                    tuple,
                    code,
                    event: EventId(base + u32::from(view.group.rows[at.row])),
                });
            }
        }
    };
    let ends = view.ends;
    for row in 0..rows {
        if only.is_some() || witnesses.is_some() {
            let here = usize::from(view.group.rows[row]);
            let is_out = |bits: &crate::query::bits::Bits| !bits.get(here);
            if only.is_some_and(is_out) || witnesses.is_some_and(is_out) {
                continue;
            }
        }
        if listed {
            for place in places(ends, row) {
                let place = Some(place);
                say(At { row, place, ends });
            }
        } else {
            let place = None;
            say(At { row, place, ends });
        }
    }
}

/// What a round derived in a segment: new columns by group, and cells about which joins disagree.
pub type Derivation = (Vec<Vec<WorkColumn>>, Vec<(EventId, KeyId)>);

/// What the groups say of the events of all segments. `changed` tells which tables say something new.
pub fn derive(
    ground: &Ground<'_>,
    work: &[Vec<GroupWork>],
    tables: &[Table],
    changed: &[bool],
    blocked: &BlockedCells,
) -> Vec<Derivation> {
    work.par_iter()
        .enumerate()
        .map(|(segment, groups)| {
            if ground.cancel.is_cancelled() {
                return Derivation::default();
            }
            let view = SegmentView::new(ground.snapshot, segment, &ground.copied[segment]);
            let mut columns = Vec::with_capacity(groups.len());
            let mut disagreed = Vec::new();
            for (at, group) in groups.iter().enumerate() {
                let concerned = |j: &&Compiled| {
                    changed[usize::from(j.index)] || j.concerns(group, |j, k| j.by.contains(&k))
                };
                let mut receiver = Receiver {
                    lanes: Lanes::new(view.group(at), segment, group, ground.pseudo),
                    work: group,
                    base: ground.snapshot.bases[segment],
                    blocked,
                    new: Vec::new(),
                    disagreed: Vec::new(),
                };
                for join in ground.joins.iter().filter(concerned) {
                    receiver.join(ground, join, &tables[usize::from(join.index)], segment);
                }
                columns.push(receiver.new);
                disagreed.append(&mut receiver.disagreed);
            }
            (columns, disagreed)
        })
        .collect()
}

/// A group that receives values.
struct Receiver<'a> {
    lanes: Lanes<'a>,
    work: &'a GroupWork,
    base: u32,
    blocked: &'a BlockedCells,
    new: Vec<WorkColumn>,
    disagreed: Vec<(EventId, KeyId)>,
}

impl Receiver<'_> {
    fn join(&mut self, ground: &Ground<'_>, join: &Compiled, table: &Table, segment: usize) {
        if join.among_copies && ground.copied[segment].is_empty() {
            return;
        }
        if join.by.is_empty() || !join.by.iter().all(|key| self.lanes.make(*key)) {
            return;
        }
        for (right, key) in join.gives.iter().enumerate() {
            self.lanes.make(*key);
            let derived = self.work.column(*key);
            // All rows say it themselves.
            if derived.is_none() && matches!(self.lanes.get(*key), Lane::Const(_)) {
                continue;
            }
            self.key(ground, join, table, segment, right, *key);
        }
    }

    fn key(
        &mut self,
        ground: &Ground<'_>,
        join: &Compiled,
        table: &Table,
        segment: usize,
        right: usize,
        key: KeyId,
    ) {
        let view = *self.lanes.view();
        let Some(left) = Left::new(&join.by, &self.lanes) else {
            return;
        };
        let own = self.lanes.get(key);
        let listed = left.is_listed();
        let only = join.rows(segment);
        let derived = self.work.column(key);
        let rows = view.group.rows.len();
        let cells = match view.ends {
            Some(ends) if listed => ends.last().map_or(0, |e| *e as usize),
            _ => rows,
        };
        // All rows say it themselves.
        if derived.is_none() && own.is_everywhere() {
            return;
        }
        let mut lookup = table.lookup();
        // All rows are of one group, of which nothing is known: the usual case of what is known by the path.
        if !join.among_copies && derived.is_none() && left.varying.is_empty() {
            let group = lookup.group(&left.fixed);
            let value = group.map_or(NONE, |g| table.value(g, right));
            if value == NONE || value == CONFLICT {
                return;
            }
        }
        let mut found: Option<WorkColumn> = None;
        for row in 0..rows {
            let here = usize::from(view.group.rows[row]);
            if only.is_some_and(|bits| !bits.get(here)) {
                continue;
            }
            let event = EventId(self.base + here as u32);
            let range = if listed {
                places(view.ends, row)
            } else {
                row..row + 1
            };
            for cell in range {
                let at = At {
                    row,
                    place: listed.then_some(cell),
                    ends: view.ends,
                };
                let before = derived.map_or((NONE, NOBODY), |c| match (c.is_slots, listed) {
                    (true, false) => (NONE, NOBODY),
                    (false, true) => (c.codes[row], c.joins[row]),
                    _ => (c.codes[cell], c.joins[cell]),
                });
                let said = code_at(own, at);
                if said != NONE && before.0 == NONE {
                    continue;
                }
                let Some(group) = left.tuple(at).and_then(|t| lookup.group(&t)) else {
                    continue;
                };
                let code = if join.among_copies {
                    let Some(candidates) = Candidates::of(ground.snapshot, event, key) else {
                        continue;
                    };
                    candidates.only_one_in(&table.set(group, right))
                } else {
                    table.value(group, right)
                };
                let is_value = code != NONE && code != CONFLICT;
                if before.0 != NONE {
                    let took_back = !is_value && before.1 == join.index;
                    if took_back || (is_value && before.0 != code) {
                        self.disagreed.push((event, key));
                    }
                    continue;
                }
                if !is_value || (!self.blocked.is_empty() && self.blocked.contains(&(event, key))) {
                    continue;
                }
                let column = found.get_or_insert_with(|| WorkColumn::new(key, listed, cells));
                column.codes[cell] = code;
                column.joins[cell] = join.index;
            }
        }
        if let Some(column) = found {
            self.keep(column);
        }
    }

    /// Puts what a join gives beside what others give in the same round.
    fn keep(&mut self, mut column: WorkColumn) {
        let view = *self.lanes.view();
        let Some(other) = self.new.iter_mut().find(|c| c.key == column.key) else {
            self.new.push(column);
            return;
        };
        if let Some(ends) = view.ends.filter(|_| other.is_slots != column.is_slots) {
            other.spread(ends);
            column.spread(ends);
        }
        let ends = view.ends.filter(|_| other.is_slots);
        for row in 0..view.group.rows.len() {
            for cell in places(ends, row) {
                match (other.codes[cell], column.codes[cell]) {
                    (_, NONE) => {}
                    (NONE, code) => {
                        other.codes[cell] = code;
                        other.joins[cell] = column.joins[cell];
                    }
                    (a, b) if a == b => {}
                    _ => {
                        let event = EventId(self.base + u32::from(view.group.rows[row]));
                        self.disagreed.push((event, column.key));
                    }
                }
            }
        }
    }
}
