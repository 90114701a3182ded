//! What the groups of a round say of the events: second half of a round.

use rayon::prelude::*;

use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::store::lanes::{Lane, SegmentView, places};

use super::copied::Candidates;
use super::left::{GroupLookup, LaneAt, Left, code_at};
use super::rounds::{BlockedCells, CompiledJoin, RoundInput};
use super::table::{CONFLICT, JoinTable};
use super::work::{GroupLanes, GroupWork, JoinIndex, NOBODY, WorkColumn};

/// What a round derived in a segment: new columns by group, and cells about which joins disagree.
pub type Derivation = (Vec<Vec<WorkColumn>>, Vec<(EventId, KeyId)>);

/// What the groups say of the events of all segments. `changed` tells which tables say something new.
pub fn derive(
    ground: &RoundInput<'_>,
    work: &[Vec<GroupWork>],
    tables: &[JoinTable],
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
                let concerned = |j: &&CompiledJoin| {
                    changed[usize::from(j.index)] || j.concerns(group, |j, k| j.by.contains(&k))
                };
                let mut receiver = Receiver {
                    lanes: GroupLanes::new(view.group(at), segment, group, ground.pseudo),
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
    lanes: GroupLanes<'a>,
    work: &'a GroupWork,
    base: u32,
    blocked: &'a BlockedCells,
    new: Vec<WorkColumn>,
    disagreed: Vec<(EventId, KeyId)>,
}

/// A right key of a join, in a group that receives.
struct Right<'a> {
    /// Its place among the right keys.
    at: usize,
    key: KeyId,
    /// What the records say themselves.
    own: &'a Lane,
    /// What was derived before.
    derived: Option<&'a WorkColumn>,
    /// What the join gives.
    found: Option<WorkColumn>,
}

impl Right<'_> {
    /// What was derived before, and by which join.
    #[inline]
    fn before(&self, at: LaneAt<'_>, cell: usize) -> (Code, JoinIndex) {
        let Some(column) = self.derived else {
            return (NONE, NOBODY);
        };
        match (column.is_slots, at.place.is_some()) {
            (true, false) => (NONE, NOBODY),
            (false, true) => (column.codes[at.row], column.joins[at.row]),
            _ => (column.codes[cell], column.joins[cell]),
        }
    }
}

impl Receiver<'_> {
    fn join(
        &mut self,
        ground: &RoundInput<'_>,
        join: &CompiledJoin,
        table: &JoinTable,
        segment: usize,
    ) {
        if join.among_copies && ground.copied[segment].is_empty() {
            return;
        }
        if join.by.is_empty() || !join.by.iter().all(|key| self.lanes.make(*key)) {
            return;
        }
        for key in &join.gives {
            self.lanes.make(*key);
        }
        for column in self.given(ground, join, table, segment) {
            self.keep(column);
        }
    }

    /// What a join gives, by right key.
    fn given(
        &mut self,
        ground: &RoundInput<'_>,
        join: &CompiledJoin,
        table: &JoinTable,
        segment: usize,
    ) -> Vec<WorkColumn> {
        let view = *self.lanes.view();
        let Some(left) = Left::new(&join.by, &self.lanes) else {
            return Vec::new();
        };
        // All rows are of one group, of which nothing is known: the usual case of what is known by the path.
        let same = left.same().map(|tuple| table.group(tuple));
        let says_nothing = |right: usize| match same {
            None => false,
            Some(None) => true,
            Some(Some(group)) => matches!(table.value(group, right), NONE | CONFLICT),
        };
        let rights = join.gives.iter().enumerate().map(|(at, key)| Right {
            at,
            key: *key,
            own: self.lanes.get(*key),
            derived: self.work.column(*key),
            found: None,
        });
        let is_open = |right: &Right<'_>| {
            let is_quiet = || !join.among_copies && says_nothing(right.at);
            right.derived.is_some() || !(right.own.is_everywhere() || is_quiet())
        };
        let mut rights: Vec<Right<'_>> = rights.filter(is_open).collect();
        if rights.is_empty() {
            return Vec::new();
        }
        let listed = left.is_listed();
        let only = join.rows(segment);
        let rows = view.group.rows.len();
        let cells = match view.ends {
            Some(ends) if listed => ends.last().map_or(0, |e| *e as usize),
            _ => rows,
        };
        let mut finder = left.finder(table);
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
                let at = LaneAt {
                    row,
                    place: listed.then_some(cell),
                    ends: view.ends,
                };
                let mut place = None;
                for right in &mut rights {
                    let before = right.before(at, cell);
                    if before.0 == NONE && code_at(right.own, at) != NONE {
                        continue;
                    }
                    let GroupLookup::Group(group) = *place.get_or_insert_with(|| finder.find(at))
                    else {
                        break;
                    };
                    let code = if join.among_copies {
                        let Some(candidates) = Candidates::of(ground.snapshot, event, right.key)
                        else {
                            continue;
                        };
                        candidates.only_one_in(&table.set(group, right.at))
                    } else {
                        table.value(group, right.at)
                    };
                    let is_value = code != NONE && code != CONFLICT;
                    if before.0 != NONE {
                        let took_back = !is_value && before.1 == join.index;
                        if took_back || (is_value && before.0 != code) {
                            self.disagreed.push((event, right.key));
                        }
                        continue;
                    }
                    if !is_value
                        || (!self.blocked.is_empty() && self.blocked.contains(&(event, right.key)))
                    {
                        continue;
                    }
                    let key = right.key;
                    let new = || WorkColumn::new(key, listed, cells);
                    let column = right.found.get_or_insert_with(new);
                    column.codes[cell] = code;
                    column.joins[cell] = join.index;
                }
            }
        }
        rights.into_iter().filter_map(|right| right.found).collect()
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
