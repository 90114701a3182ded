//! Derived values while the joins are computed, and the key columns of a group that include them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::column::Column;
use widetui_store::derived::{DerivedColumn, DerivedSegment};
use widetui_store::lanes::{GroupView, Lane, Overlay, Usual, places};
use widetui_store::segment::{Group, Segment};

/// Index of a join among the joins of a run.
pub type JoinIndex = u8;

/// Marks a cell without a derived value.
pub const NOBODY: JoinIndex = JoinIndex::MAX;

/// Derived values of one key for the rows of a group.
#[derive(Clone, Debug)]
pub struct WorkColumn {
    /// Key of the column.
    pub key: KeyId,
    /// Values and the joins that derived them.
    pub cells: WorkCells,
}

/// Canonical codes of derived values, each with the join that derived it.
#[derive(Clone, Debug)]
pub enum WorkCells {
    /// All rows have the same value from the same join, as for values that hold for whole files.
    All(Code, JoinIndex),
    /// One value per row.
    Rows(CellList),
    /// One value per element of the lists of the group.
    Slots(CellList),
}

/// List of derived values, parallel to rows or list elements.
#[derive(Clone, Debug)]
pub struct CellList {
    /// Codes of the values; `NONE` where none was derived.
    pub codes: Vec<Code>,
    /// Join that derived each value; `NOBODY` where none did.
    pub joins: Vec<JoinIndex>,
}

impl CellList {
    /// List of `cells` empty cells.
    pub fn unknown(cells: usize) -> CellList {
        CellList {
            codes: vec![NONE; cells],
            joins: vec![NOBODY; cells],
        }
    }

    /// Code of a cell and the join that derived it.
    #[inline]
    pub fn get(&self, cell: usize) -> (Code, JoinIndex) {
        (self.codes[cell], self.joins[cell])
    }

    /// Sets the value of a cell and the join that derived it.
    #[inline]
    pub fn set(&mut self, cell: usize, (code, join): (Code, JoinIndex)) {
        (self.codes[cell], self.joins[cell]) = (code, join);
    }
}

impl WorkCells {
    /// Whether the cells belong to elements of lists.
    pub fn is_slots(&self) -> bool {
        matches!(self, WorkCells::Slots(_))
    }

    /// Value of a row, or of the list element `place`, and the join that derived it.
    #[inline]
    pub fn get(&self, row: usize, place: Option<usize>) -> (Code, JoinIndex) {
        match (self, place) {
            (WorkCells::All(code, join), _) => (*code, *join),
            (WorkCells::Rows(list), _) => list.get(row),
            (WorkCells::Slots(list), Some(place)) => list.get(place),
            (WorkCells::Slots(_), None) => (NONE, NOBODY),
        }
    }

    /// Converts to a list with one cell per element of the lists that end at `ends`, or per row
    /// without lists.
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

    /// Inverse of `into_list`: `ends` decides between cells of rows and of list elements.
    pub fn of_list(list: CellList, ends: Option<&[u32]>) -> WorkCells {
        match ends {
            Some(_) => WorkCells::Slots(list),
            None => WorkCells::Rows(list),
        }
    }
}

/// Derived values of all keys in a group of rows.
#[derive(Clone, Debug, Default)]
pub struct GroupWork {
    /// Columns, one per key with derived values.
    pub columns: Vec<WorkColumn>,
    /// Keys that the last round changed, each with the join that changed it.
    pub changed: Vec<(KeyId, JoinIndex)>,
}

impl GroupWork {
    /// Column of a key, if it has derived values.
    pub fn column(&self, key: KeyId) -> Option<&WorkColumn> {
        self.columns.iter().find(|c| c.key == key)
    }

    /// Merges the values that a round derived into empty cells. `rows` is the number of rows,
    /// `ends` the ends of their lists.
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

/// Records that a join changed a key; `noted` is the join recorded last, and saves searching the
/// list.
#[inline]
fn note(changed: &mut Vec<(KeyId, JoinIndex)>, given: (KeyId, JoinIndex), noted: &mut JoinIndex) {
    if given.1 != *noted && given.1 != NOBODY {
        *noted = given.1;
        if !changed.contains(&given) {
            changed.push(given);
        }
    }
}

/// Key columns that exist only inside joins (number of a bracket, of a lifetime): by key and
/// segment, a column for each group.
pub type Pseudo = FxHashMap<KeyId, Vec<Vec<Lane>>>;

/// Splits the codes of the rows of a segment into one key column per group.
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

/// Key columns of a group with derived values included, each built once.
#[derive(Debug)]
pub struct GroupLanes<'a> {
    view: GroupView<'a>,
    segment: usize,
    work: &'a GroupWork,
    pseudo: &'a Pseudo,
    made: Vec<(KeyId, Cow<'a, Lane>)>,
}

impl<'a> GroupLanes<'a> {
    /// Columns of a group; none is built yet.
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

    /// Builds the column of a key. Returns whether any row has the key.
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

    /// Column of a key; absent if `make` was not called for the key.
    pub fn get(&self, key: KeyId) -> &Lane {
        let made = self.made.iter().find(|(k, _)| *k == key);
        made.map_or(&Lane::Absent, |(_, lane)| lane)
    }

    /// Group of the columns.
    pub fn view(&self) -> &GroupView<'a> {
        &self.view
    }
}

/// Compresses the derived values of a segment into the form of the overlay.
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
