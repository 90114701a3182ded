//! Second half of a round: events receive the values of their join groups.

use rayon::prelude::*;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_store::lanes::{Lane, SegmentView, places};

use crate::left_tuples::{GroupLookup, LaneAt, Left, code_at};
use crate::replica_paths::Candidates;
use crate::rounds::{BlockedCells, CompiledJoin, RoundInput};
use crate::table::{CONFLICT, JoinTable};
use crate::work::{CellList, GroupLanes, GroupWork, JoinIndex, NOBODY, WorkCells, WorkColumn};

/// Values derived by a round in a segment: new columns by group, and cells for which joins derive
/// different values.
pub type Derivation = (Vec<Vec<WorkColumn>>, Vec<(EventId, KeyId)>);

/// Derives values for the events of all segments from the join tables. `changed` states which
/// tables changed since the last round.
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

/// Group of rows that receives values from joins.
struct Receiver<'a> {
    lanes: GroupLanes<'a>,
    work: &'a GroupWork,
    base: u32,
    blocked: &'a BlockedCells,
    new: Vec<WorkColumn>,
    disagreed: Vec<(EventId, KeyId)>,
}

/// Right key of a join in a group that receives values.
struct Right<'a> {
    /// Index among the right keys of the join.
    at: usize,
    key: KeyId,
    /// Values stated by the records.
    own: &'a Lane,
    /// Values derived in earlier rounds.
    derived: Option<&'a WorkColumn>,
    /// Values that the join derives now.
    found: Option<CellList>,
}

impl Right<'_> {
    /// Value derived in earlier rounds, and the join that derived it.
    #[inline]
    fn before(&self, at: LaneAt<'_>) -> (Code, JoinIndex) {
        match self.derived {
            Some(column) => column.cells.get(at.row, at.place),
            None => (NONE, NOBODY),
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

    /// Columns that a join derives, ordered by right key.
    fn given(
        &mut self,
        ground: &RoundInput<'_>,
        join: &CompiledJoin,
        table: &JoinTable,
        segment: usize,
    ) -> Vec<WorkColumn> {
        let Some(left) = Left::new(&join.by, &self.lanes) else {
            return Vec::new();
        };
        let passed_over = ground.passed_over(join, segment);
        let takes_all = join.only.is_none() && passed_over.is_none() && self.blocked.is_empty();
        // All rows belong to one group: the usual case for keys of the path.
        let same = left.same().map(|tuple| table.group(tuple));
        if matches!(same, Some(None)) {
            return Vec::new();
        }
        let said = |right: usize| Some(table.value(same??, right));
        let rights = join.gives.iter().enumerate().map(|(at, key)| Right {
            at,
            key: *key,
            own: self.lanes.get(*key),
            derived: self.work.column(*key),
            found: None,
        });
        let mut given: Vec<(usize, WorkColumn)> = Vec::new();
        let mut open: Vec<Right<'_>> = Vec::new();
        for right in rights {
            let said = said(right.at).filter(|_| !join.among_copies);
            let is_value = said.is_some_and(|code| code != NONE && code != CONFLICT);
            match (said, right.derived.map(|column| &column.cells)) {
                (Some(_), None) if !is_value => {}
                (Some(code), Some(WorkCells::All(before, by)))
                    if is_value && before == &code || !is_value && *by != join.index => {}
                (Some(code), None) if takes_all && right.own.is_absent() => {
                    let (key, cells) = (right.key, WorkCells::All(code, join.index));
                    given.push((right.at, WorkColumn { key, cells }));
                }
                (_, None) if right.own.is_everywhere() => {}
                _ => open.push(right),
            }
        }
        if !open.is_empty() {
            let disagreed = self.each(ground, join, table, (segment, &left), &mut open);
            let ends = self.lanes.view().ends.filter(|_| left.is_listed());
            given.extend(open.into_iter().filter_map(|right| {
                let (key, cells) = (right.key, WorkCells::of_list(right.found?, ends));
                Some((right.at, WorkColumn { key, cells }))
            }));
            self.disagreed.extend(disagreed);
        }
        given.sort_unstable_by_key(|(at, _)| *at);
        given.into_iter().map(|(_, column)| column).collect()
    }

    /// Derives the values of a join row by row. Returns the cells for which joins derive different
    /// values.
    fn each<'l>(
        &self,
        ground: &RoundInput<'_>,
        join: &CompiledJoin,
        table: &JoinTable,
        (segment, left): (usize, &Left<'l>),
        open: &mut [Right<'l>],
    ) -> Vec<(EventId, KeyId)> {
        let mut disagreed = Vec::new();
        let view = *self.lanes.view();
        let only = join.rows(segment);
        let passed_over = ground.passed_over(join, segment);
        let listed = left.is_listed();
        let rows = view.group.rows.len();
        let cells = match view.ends {
            Some(ends) if listed => ends.last().map_or(0, |e| *e as usize),
            _ => rows,
        };
        let mut finder = left.finder(table);
        for row in 0..rows {
            let here = usize::from(view.group.rows[row]);
            if only.is_some_and(|bits| !bits.get(here))
                || passed_over.is_some_and(|bits| bits.get(here))
            {
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
                for right in &mut *open {
                    let before = right.before(at);
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
                            disagreed.push((event, right.key));
                        }
                        continue;
                    }
                    if !is_value
                        || (!self.blocked.is_empty() && self.blocked.contains(&(event, right.key)))
                    {
                        continue;
                    }
                    let found = right.found.get_or_insert_with(|| CellList::unknown(cells));
                    found.set(cell, (code, join.index));
                }
            }
        }
        disagreed
    }

    /// Merges a column into those that other joins derived in the same round.
    fn keep(&mut self, column: WorkColumn) {
        let view = *self.lanes.view();
        let key = column.key;
        let Some(other) = self.new.iter_mut().find(|c| c.key == key) else {
            self.new.push(column);
            return;
        };
        if let (WorkCells::All(a, _), WorkCells::All(b, _)) = (&other.cells, &column.cells)
            && a == b
        {
            return;
        }
        let rows = view.group.rows.len();
        let is_slots = other.cells.is_slots() || column.cells.is_slots();
        let ends = view.ends.filter(|_| is_slots);
        let new = column.cells.into_list(rows, ends);
        let nothing = WorkCells::Rows(CellList::unknown(0));
        let mut list = std::mem::replace(&mut other.cells, nothing).into_list(rows, ends);
        for row in 0..rows {
            for cell in places(ends, row) {
                match (list.codes[cell], new.codes[cell]) {
                    (_, NONE) => {}
                    (NONE, _) => list.set(cell, new.get(cell)),
                    (a, b) if a == b => {}
                    _ => {
                        let event = EventId(self.base + u32::from(view.group.rows[row]));
                        self.disagreed.push((event, key));
                    }
                }
            }
        }
        other.cells = WorkCells::of_list(list, ends);
    }
}
