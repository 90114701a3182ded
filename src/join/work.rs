//! Derived values while they are computed, and the lanes of a group with them.

use rustc_hash::FxHashMap;

use crate::base::dict::{Code, NONE};
use crate::base::ids::KeyId;
use crate::store::Snapshot;
use crate::store::column::Column;
use crate::store::derived::{DerivedColumn, DerivedSegment};
use crate::store::lanes::{GroupView, Lane, Overlay, Usual, places};

/// Number of a join of a run.
pub type JoinIndex = u8;

/// Nobody gave it.
pub const NOBODY: JoinIndex = JoinIndex::MAX;

/// Derived values of a key in a group.
#[derive(Clone, Debug)]
pub struct WorkColumn {
    /// The key.
    pub key: KeyId,
    /// One code for each place of the group's lists, else one for each row.
    pub is_slots: bool,
    /// Canonical codes.
    pub codes: Vec<Code>,
    /// Which join gave each.
    pub joins: Vec<JoinIndex>,
}

impl WorkColumn {
    /// Nothing derived yet.
    pub fn new(key: KeyId, is_slots: bool, cells: usize) -> WorkColumn {
        WorkColumn {
            key,
            is_slots,
            codes: vec![NONE; cells],
            joins: vec![NOBODY; cells],
        }
    }

    /// One code for each place of the lists instead of one for each row.
    pub fn spread(&mut self, ends: &[u32]) {
        if self.is_slots {
            return;
        }
        let cells = ends.last().map_or(0, |e| *e as usize);
        let mut wide = WorkColumn::new(self.key, true, cells);
        for row in 0..ends.len().min(self.codes.len()) {
            for place in places(Some(ends), row) {
                wide.codes[place] = self.codes[row];
                wide.joins[place] = self.joins[row];
            }
        }
        *self = wide;
    }
}

/// Derived values of a group.
#[derive(Clone, Debug, Default)]
pub struct GroupWork {
    /// By key.
    pub columns: Vec<WorkColumn>,
    /// Keys that the last round changed, and by which join.
    pub changed: Vec<(KeyId, JoinIndex)>,
}

impl GroupWork {
    /// The column of a key.
    pub fn column(&self, key: KeyId) -> Option<&WorkColumn> {
        self.columns.iter().find(|c| c.key == key)
    }

    /// Takes over what a round derived, where nothing was known.
    pub fn apply(&mut self, new: Vec<WorkColumn>, ends: Option<&[u32]>) {
        self.changed.clear();
        for mut column in new {
            let Some(old) = self.columns.iter_mut().find(|c| c.key == column.key) else {
                note(&mut self.changed, &column, |_| true);
                self.columns.push(column);
                continue;
            };
            if let Some(ends) = ends.filter(|_| old.is_slots != column.is_slots) {
                old.spread(ends);
                column.spread(ends);
            }
            note(&mut self.changed, &column, |at| old.codes[at] == NONE);
            let cells = old.codes.iter_mut().zip(&mut old.joins);
            for ((code, join), (c, j)) in cells.zip(column.codes.iter().zip(&column.joins)) {
                if *code == NONE {
                    (*code, *join) = (*c, *j);
                }
            }
        }
    }
}

fn note(
    changed: &mut Vec<(KeyId, JoinIndex)>,
    column: &WorkColumn,
    is_new: impl Fn(usize) -> bool,
) {
    let mut last = NOBODY;
    for (at, join) in column.joins.iter().enumerate() {
        if *join == NOBODY || *join == last || !is_new(at) {
            continue;
        }
        last = *join;
        if !changed.contains(&(column.key, *join)) {
            changed.push((column.key, *join));
        }
    }
}

/// Keys that only joins know (the number of a bracket, of a life): one code a row of each segment that has some.
pub type Pseudo = FxHashMap<KeyId, Vec<Option<Box<[Code]>>>>;

/// The lanes of a group, each made once.
#[derive(Debug)]
pub struct GroupLanes<'a> {
    view: GroupView<'a>,
    segment: usize,
    work: &'a GroupWork,
    pseudo: &'a Pseudo,
    made: FxHashMap<KeyId, Lane>,
}

impl<'a> GroupLanes<'a> {
    /// Of a group.
    pub fn new(
        view: GroupView<'a>,
        segment: usize,
        work: &'a GroupWork,
        pseudo: &'a Pseudo,
    ) -> GroupLanes<'a> {
        GroupLanes {
            view,
            segment,
            work,
            pseudo,
            made: FxHashMap::default(),
        }
    }

    /// Makes the lane of a key; whether some row has it.
    pub fn make(&mut self, key: KeyId) -> bool {
        if let Some(lane) = self.made.get(&key) {
            return !lane.is_absent();
        }
        let lane = match self.pseudo.get(&key) {
            Some(segments) => match segments.get(self.segment).and_then(Option::as_ref) {
                None => Lane::Absent,
                Some(codes) => {
                    let rows = self.view.group.rows.iter();
                    let lane: Vec<Code> = rows.map(|row| codes[*row as usize]).collect();
                    if lane.iter().all(|c| *c == NONE) {
                        Lane::Absent
                    } else {
                        Lane::Rows(lane)
                    }
                }
            },
            None => {
                let overlay = self.work.column(key).map(|c| match c.is_slots {
                    true => Overlay::Slots(&c.codes),
                    false => Overlay::Rows(&c.codes),
                });
                self.view.lane_with(key, overlay)
            }
        };
        let present = !lane.is_absent();
        self.made.insert(key, lane);
        present
    }

    /// A lane that was made.
    pub fn get(&self, key: KeyId) -> &Lane {
        self.made.get(&key).unwrap_or(&Lane::Absent)
    }

    /// The group.
    pub fn view(&self) -> &GroupView<'a> {
        &self.view
    }
}

/// Packs what was derived in a segment.
pub fn seal(
    snapshot: &Snapshot,
    segment: usize,
    work: Vec<GroupWork>,
    usual: &Usual,
) -> DerivedSegment {
    let groups = work.into_iter().enumerate().map(|(at, group)| {
        let list = |c: &Column| match c {
            Column::Lists { ends, .. } => Some(ends.clone()),
            _ => None,
        };
        let columns = &snapshot.segments[segment].groups[at].columns;
        let ends = columns.iter().find_map(|(_, c)| list(c));
        let of = |mut column: WorkColumn| {
            usual.spell(column.key, &mut column.codes);
            if column.codes.iter().all(|c| *c == NONE) {
                return None;
            }
            let code = |join: &JoinIndex| match *join {
                NOBODY => NONE,
                join => Code::from(join),
            };
            let joins: Vec<Code> = match &ends {
                Some(ends) if column.is_slots => (0..ends.len())
                    .map(|row| {
                        let mut known = places(Some(ends), row).map(|p| column.joins[p]);
                        known.find(|j| *j != NOBODY).as_ref().map_or(NONE, code)
                    })
                    .collect(),
                _ => column.joins.iter().map(code).collect(),
            };
            let cells = match &ends {
                Some(ends) if column.is_slots => Column::Lists {
                    ends: ends.clone(),
                    codes: column.codes.into(),
                },
                _ => Column::pack(&column.codes),
            };
            Some(DerivedColumn {
                key: column.key,
                cells,
                joins: Column::pack(&joins),
            })
        };
        group.columns.into_iter().filter_map(of).collect()
    });
    DerivedSegment::new(groups.collect())
}
