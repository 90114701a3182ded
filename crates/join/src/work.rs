//! Derived values during computation, and the key columns of a group with them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::column::Column;
use widetui_store::derived::{DerivedColumn, DerivedSegment};
use widetui_store::lanes::{GroupView, Lane, Overlay, Usual, places};
use widetui_store::segment::{Group, Segment};

/// Number of a join of a run.
pub type JoinIndex = u8;

/// Nobody gave it.
pub const NOBODY: JoinIndex = JoinIndex::MAX;

/// Derived values of a key in a group.
#[derive(Clone, Debug)]
pub struct WorkColumn {
    /// The key.
    pub key: KeyId,
    /// The values.
    pub cells: WorkCells,
}

/// Canonical codes, and which join gave each.
#[derive(Clone, Debug)]
pub enum WorkCells {
    /// All rows have the same from the same join: what is known of whole files.
    All(Code, JoinIndex),
    /// One value for each row.
    Rows(CellList),
    /// One for each place of the group's lists.
    Slots(CellList),
}

/// One value after the other.
#[derive(Clone, Debug)]
pub struct CellList {
    /// The values.
    pub codes: Vec<Code>,
    /// Who gave them.
    pub joins: Vec<JoinIndex>,
}

impl CellList {
    /// So many, of which nothing is known.
    pub fn unknown(cells: usize) -> CellList {
        CellList {
            codes: vec![NONE; cells],
            joins: vec![NOBODY; cells],
        }
    }

    /// A value and who gave it.
    #[inline]
    pub fn get(&self, cell: usize) -> (Code, JoinIndex) {
        (self.codes[cell], self.joins[cell])
    }

    /// Notes a value.
    #[inline]
    pub fn set(&mut self, cell: usize, (code, join): (Code, JoinIndex)) {
        (self.codes[cell], self.joins[cell]) = (code, join);
    }
}

impl WorkCells {
    /// Whether they are of places.
    pub fn is_slots(&self) -> bool {
        matches!(self, WorkCells::Slots(_))
    }

    /// The value of a row, or of a place of its list, and who gave it.
    #[inline]
    pub fn get(&self, row: usize, place: Option<usize>) -> (Code, JoinIndex) {
        match (self, place) {
            (WorkCells::All(code, join), _) => (*code, *join),
            (WorkCells::Rows(list), _) => list.get(row),
            (WorkCells::Slots(list), Some(place)) => list.get(place),
            (WorkCells::Slots(_), None) => (NONE, NOBODY),
        }
    }

    /// One value after the other: of the places of lists that end there, else of so many rows.
    pub fn into_list(self, rows: usize, ends: Option<&[u32]>) -> CellList {
        let cells = ends.map_or(rows, |ends| ends.last().map_or(0, |e| *e as usize));
        match (self, ends) {
            (WorkCells::All(code, join), _) => CellList {
                codes: vec![code; cells],
                joins: vec![join; cells],
            },
            (WorkCells::Rows(list), Some(ends)) => {
                let mut wide = CellList::unknown(cells);
                for row in 0..ends.len().min(list.codes.len()) {
                    places(Some(ends), row).for_each(|place| wide.set(place, list.get(row)));
                }
                wide
            }
            (WorkCells::Rows(list) | WorkCells::Slots(list), _) => list,
        }
    }

    /// Of a list: see `into_list`.
    pub fn of_list(list: CellList, ends: Option<&[u32]>) -> WorkCells {
        match ends {
            Some(_) => WorkCells::Slots(list),
            None => WorkCells::Rows(list),
        }
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

    /// Takes over what a round derived, where nothing was known; the group has so many rows.
    pub fn apply(&mut self, new: Vec<WorkColumn>, rows: usize, ends: Option<&[u32]>) {
        self.changed.clear();
        for column in new {
            let key = column.key;
            let Some(old) = self.columns.iter_mut().find(|c| c.key == key) else {
                match &column.cells {
                    WorkCells::All(_, join) => self.changed.push((key, *join)),
                    WorkCells::Rows(list) | WorkCells::Slots(list) => {
                        let mut noted = NOBODY;
                        for join in &list.joins {
                            note(&mut self.changed, (key, *join), &mut noted);
                        }
                    }
                }
                self.columns.push(column);
                continue;
            };
            if matches!(old.cells, WorkCells::All(..)) {
                continue;
            }
            let ends = ends.filter(|_| old.cells.is_slots() || column.cells.is_slots());
            let new = column.cells.into_list(rows, ends);
            let nothing = WorkCells::Rows(CellList::unknown(0));
            let mut list = std::mem::replace(&mut old.cells, nothing).into_list(rows, ends);
            let mut noted = NOBODY;
            for (cell, (code, join)) in new.codes.iter().zip(&new.joins).enumerate() {
                if *code != NONE && list.codes[cell] == NONE {
                    list.set(cell, (*code, *join));
                    note(&mut self.changed, (key, *join), &mut noted);
                }
            }
            old.cells = WorkCells::of_list(list, ends);
        }
    }
}

/// Remembers that a join gave a value of a key; `noted` is the one that was remembered last.
#[inline]
fn note(changed: &mut Vec<(KeyId, JoinIndex)>, given: (KeyId, JoinIndex), noted: &mut JoinIndex) {
    if given.1 != *noted && given.1 != NOBODY {
        *noted = given.1;
        if !changed.contains(&given) {
            changed.push(given);
        }
    }
}

/// Keys that only joins know (the number of a bracket, of a life): by segment that has some, the lanes of its groups.
pub type Pseudo = FxHashMap<KeyId, Vec<Vec<Lane>>>;

/// The lanes of the groups of a segment, of one code for each of its rows.
pub fn lanes_of_groups(segment: &Segment, codes: &[Code]) -> Vec<Lane> {
    let lane = |group: &Group| {
        let codes = || group.rows.iter().map(|row| codes[usize::from(*row)]);
        match codes().all(|code| code == NONE) {
            true => Lane::Absent,
            false => Lane::Rows(codes().collect()),
        }
    };
    segment.groups.iter().map(lane).collect()
}

/// The lanes of a group, each made once.
#[derive(Debug)]
pub struct GroupLanes<'a> {
    view: GroupView<'a>,
    segment: usize,
    work: &'a GroupWork,
    pseudo: &'a Pseudo,
    made: Vec<(KeyId, Cow<'a, Lane>)>,
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
            made: Vec::new(),
        }
    }

    /// Makes the lane of a key; whether some row has it.
    pub fn make(&mut self, key: KeyId) -> bool {
        if let Some((_, lane)) = self.made.iter().find(|(k, _)| *k == key) {
            return !lane.is_absent();
        }
        let lane = match self.pseudo.get(&key) {
            Some(segments) => {
                let groups = segments.get(self.segment);
                let lane = groups.and_then(|groups| groups.get(self.view.index));
                Cow::Borrowed(lane.unwrap_or(&Lane::Absent))
            }
            None => {
                let overlay = self.work.column(key).map(|c| match &c.cells {
                    WorkCells::All(code, _) => Overlay::All(*code),
                    WorkCells::Rows(list) => Overlay::Rows(&list.codes),
                    WorkCells::Slots(list) => Overlay::Slots(&list.codes),
                });
                Cow::Owned(self.view.lane_with(key, overlay))
            }
        };
        let present = !lane.is_absent();
        self.made.push((key, lane));
        present
    }

    /// A lane that was made.
    pub fn get(&self, key: KeyId) -> &Lane {
        let made = self.made.iter().find(|(k, _)| *k == key);
        made.map_or(&Lane::Absent, |(_, lane)| lane)
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
        let of = |column: WorkColumn| {
            let key = column.key;
            let ends = ends.as_ref().filter(|_| column.cells.is_slots());
            let mut list = match column.cells {
                WorkCells::All(code, join) => {
                    let mut code = [code];
                    usual.spell(key, &mut code);
                    return Some(DerivedColumn {
                        key,
                        cells: Column::Const(code[0]),
                        joins: Column::Const(Code::from(join)),
                    });
                }
                WorkCells::Rows(list) | WorkCells::Slots(list) => list,
            };
            usual.spell(key, &mut list.codes);
            if list.codes.iter().all(|c| *c == NONE) {
                return None;
            }
            let code = |join: &JoinIndex| match *join {
                NOBODY => NONE,
                join => Code::from(join),
            };
            let joins: Vec<Code> = match ends {
                Some(ends) => (0..ends.len())
                    .map(|row| {
                        let mut known = places(Some(ends), row).map(|p| list.joins[p]);
                        known.find(|j| *j != NOBODY).as_ref().map_or(NONE, code)
                    })
                    .collect(),
                None => list.joins.iter().map(code).collect(),
            };
            let cells = match ends {
                Some(ends) => Column::Lists {
                    ends: ends.clone(),
                    codes: list.codes.into(),
                },
                None => Column::pack(&list.codes),
            };
            Some(DerivedColumn {
                key,
                cells,
                joins: Column::pack(&joins),
            })
        };
        group.columns.into_iter().filter_map(of).collect()
    });
    DerivedSegment::new(groups.collect())
}
