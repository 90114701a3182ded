//! Derived values while the joins are computed, and the key columns of a group that include them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::column::Column;
use widetui_store::derived::{DerivedColumn, DerivedSegment};
use widetui_store::key_column::{GroupView, KeyColumn, Overlay, UsualSpellings, element_range};
use widetui_store::segment::{Group, Segment};

/// Index of a join among the joins of a run.
pub(crate) type JoinIndex = u8;

/// Marks a cell without a derived value.
pub(crate) const NO_JOIN: JoinIndex = JoinIndex::MAX;

/// Derived values of one key for the rows of a group.
#[derive(Clone, Debug)]
pub(crate) struct DerivedKeyColumn {
    /// Key of the column.
    pub key: KeyId,
    /// Values and the joins that derived them.
    pub(crate) cells: DerivedCells,
}

/// Canonical codes of derived values, each with the join that derived it.
#[derive(Clone, Debug)]
pub(crate) enum DerivedCells {
    /// All rows have the same value from the same join, as for values that hold for whole files.
    Uniform(Code, JoinIndex),
    /// One derived value per row.
    Rows(CellValues),
    /// One value per element of the lists of the group.
    Slots(CellValues),
}

/// List of derived values, parallel to rows or list elements.
#[derive(Clone, Debug)]
pub(crate) struct CellValues {
    /// Codes of the values; `NONE` where none was derived.
    pub(crate) codes: Vec<Code>,
    /// Join that derived each value; `NO_JOIN` where none did.
    pub(crate) joins: Vec<JoinIndex>,
}

impl CellValues {
    /// List of `cells` empty cells.
    pub(crate) fn empty(cells: usize) -> CellValues {
        CellValues {
            codes: vec![NONE; cells],
            joins: vec![NO_JOIN; cells],
        }
    }

    /// Code of a cell and the join that derived it.
    #[inline]
    pub fn get(&self, cell: usize) -> (Code, JoinIndex) {
        (self.codes[cell], self.joins[cell])
    }

    /// Sets the value of a cell and the join that derived it.
    #[inline]
    pub(crate) fn set(&mut self, cell: usize, (code, join): (Code, JoinIndex)) {
        (self.codes[cell], self.joins[cell]) = (code, join);
    }
}

impl DerivedCells {
    /// Whether the cells belong to elements of lists.
    pub(crate) fn is_per_element(&self) -> bool {
        matches!(self, DerivedCells::Slots(_))
    }

    /// Value of a row, or of the list element `place`, and the join that derived it.
    #[inline]
    pub fn get(&self, row: usize, place: Option<usize>) -> (Code, JoinIndex) {
        match (self, place) {
            (DerivedCells::Uniform(code, join), _) => (*code, *join),
            (DerivedCells::Rows(list), _) => list.get(row),
            (DerivedCells::Slots(list), Some(place)) => list.get(place),
            (DerivedCells::Slots(_), None) => (NONE, NO_JOIN),
        }
    }

    /// Converts to a list with one cell per element of the lists that end at `ends`, or per row
    /// without lists.
    pub(crate) fn into_list(self, rows: usize, ends: Option<&[u32]>) -> CellValues {
        let cells = ends.map_or(rows, |ends| ends.last().map_or(0, |e| *e as usize));
        match (self, ends) {
            (DerivedCells::Uniform(code, join), _) => CellValues {
                codes: vec![code; cells],
                joins: vec![join; cells],
            },
            (DerivedCells::Rows(list), Some(ends)) => {
                let mut wide = CellValues::empty(cells);
                for row in 0..ends.len().min(list.codes.len()) {
                    element_range(Some(ends), row).for_each(|place| wide.set(place, list.get(row)));
                }
                wide
            }
            (DerivedCells::Rows(list) | DerivedCells::Slots(list), _) => list,
        }
    }

    /// Inverse of `into_list`: `ends` decides between cells of rows and of list elements.
    pub(crate) fn from_list(list: CellValues, ends: Option<&[u32]>) -> DerivedCells {
        match ends {
            Some(_) => DerivedCells::Slots(list),
            None => DerivedCells::Rows(list),
        }
    }
}

/// Derived values of all keys in a group of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupDerivations {
    /// Columns, one per key with derived values.
    pub(crate) columns: Vec<DerivedKeyColumn>,
    /// Keys that the last round changed, each with the join that changed it.
    pub(crate) changed: Vec<(KeyId, JoinIndex)>,
}

impl GroupDerivations {
    /// Column of a key, if it has derived values.
    pub(crate) fn column(&self, key: KeyId) -> Option<&DerivedKeyColumn> {
        self.columns.iter().find(|c| c.key == key)
    }

    /// Merges the values that a round derived into empty cells. `rows` is the number of rows,
    /// `ends` the ends of their lists.
    pub(crate) fn merge(&mut self, new: Vec<DerivedKeyColumn>, rows: usize, ends: Option<&[u32]>) {
        self.changed.clear();
        for column in new {
            let key = column.key;
            let Some(old) = self.columns.iter_mut().find(|c| c.key == key) else {
                match &column.cells {
                    DerivedCells::Uniform(_, join) => self.changed.push((key, *join)),
                    DerivedCells::Rows(list) | DerivedCells::Slots(list) => {
                        let mut noted = NO_JOIN;
                        for join in &list.joins {
                            record_change(&mut self.changed, (key, *join), &mut noted);
                        }
                    }
                }
                self.columns.push(column);
                continue;
            };
            if matches!(old.cells, DerivedCells::Uniform(..)) {
                continue;
            }
            let ends = ends.filter(|_| old.cells.is_per_element() || column.cells.is_per_element());
            let new = column.cells.into_list(rows, ends);
            let nothing = DerivedCells::Rows(CellValues::empty(0));
            let mut list = std::mem::replace(&mut old.cells, nothing).into_list(rows, ends);
            let mut noted = NO_JOIN;
            for (cell, (code, join)) in new.codes.iter().zip(&new.joins).enumerate() {
                if *code != NONE && list.codes[cell] == NONE {
                    list.set(cell, (*code, *join));
                    record_change(&mut self.changed, (key, *join), &mut noted);
                }
            }
            old.cells = DerivedCells::from_list(list, ends);
        }
    }
}

/// Records that a join changed a key; `noted` is the join recorded last, and saves searching the
/// list.
#[inline]
fn record_change(
    changed: &mut Vec<(KeyId, JoinIndex)>,
    given: (KeyId, JoinIndex),
    noted: &mut JoinIndex,
) {
    if given.1 != *noted && given.1 != NO_JOIN {
        *noted = given.1;
        if !changed.contains(&given) {
            changed.push(given);
        }
    }
}

/// Key columns that exist only inside joins (number of a bracket, of a lifetime): by key and
/// segment, a column for each group.
pub(crate) type VirtualKeys = FxHashMap<KeyId, Vec<Vec<KeyColumn>>>;

/// Splits the codes of the rows of a segment into one key column per group.
pub(crate) fn split_by_group(segment: &Segment, codes: &[Code]) -> Vec<KeyColumn> {
    let key_column = |group: &Group| {
        let codes = || group.rows.iter().map(|row| codes[usize::from(*row)]);
        match codes().all(|code| code == NONE) {
            true => KeyColumn::Absent,
            false => KeyColumn::Rows(codes().collect()),
        }
    };
    segment.groups.iter().map(key_column).collect()
}

/// Key columns of a group with derived values included, each built once.
#[derive(Debug)]
pub(crate) struct GroupColumns<'a> {
    view: GroupView<'a>,
    segment: usize,
    derived: &'a GroupDerivations,
    virtual_keys: &'a VirtualKeys,
    built: Vec<(KeyId, Cow<'a, KeyColumn>)>,
}

impl<'a> GroupColumns<'a> {
    /// Columns of a group; none is built yet.
    pub fn new(
        view: GroupView<'a>,
        segment: usize,
        work: &'a GroupDerivations,
        pseudo: &'a VirtualKeys,
    ) -> GroupColumns<'a> {
        GroupColumns {
            view,
            segment,
            derived: work,
            virtual_keys: pseudo,
            built: Vec::new(),
        }
    }

    /// Builds the column of a key. Returns whether any row has the key.
    pub(crate) fn build(&mut self, key: KeyId) -> bool {
        if let Some((_, key_column)) = self.built.iter().find(|(k, _)| *k == key) {
            return !key_column.is_absent();
        }
        let key_column = match self.virtual_keys.get(&key) {
            Some(segments) => {
                let groups = segments.get(self.segment);
                let key_column = groups.and_then(|groups| groups.get(self.view.index));
                Cow::Borrowed(key_column.unwrap_or(&KeyColumn::Absent))
            }
            None => {
                let overlay = self.derived.column(key).map(|c| match &c.cells {
                    DerivedCells::Uniform(code, _) => Overlay::All(*code),
                    DerivedCells::Rows(list) => Overlay::Rows(&list.codes),
                    DerivedCells::Slots(list) => Overlay::Elements(&list.codes),
                });
                Cow::Owned(self.view.key_column_with(key, overlay))
            }
        };
        let present = !key_column.is_absent();
        self.built.push((key, key_column));
        present
    }

    /// Column of a key; absent if `build` was not called for the key.
    pub fn get(&self, key: KeyId) -> &KeyColumn {
        let made = self.built.iter().find(|(k, _)| *k == key);
        made.map_or(&KeyColumn::Absent, |(_, key_column)| key_column)
    }

    /// Group of the columns.
    pub(crate) fn view(&self) -> &GroupView<'a> {
        &self.view
    }
}

/// Compresses the derived values and the doubtful rows of a segment into the form of the overlay.
pub(crate) fn pack_segment(
    snapshot: &Snapshot,
    segment: usize,
    (work, doubtful): (Vec<GroupDerivations>, Vec<u32>),
    usual: &UsualSpellings,
) -> DerivedSegment {
    let groups = work.into_iter().enumerate().map(|(at, group)| {
        let list = |c: &Column| match c {
            Column::Lists { ends, .. } => Some(ends.clone()),
            _ => None,
        };
        let columns = &snapshot.segments[segment].groups[at].columns;
        let ends = columns.iter().find_map(|(_, c)| list(c));
        let of = |column: DerivedKeyColumn| {
            let key = column.key;
            let ends = ends.as_ref().filter(|_| column.cells.is_per_element());
            let mut list = match column.cells {
                DerivedCells::Uniform(code, join) => {
                    let mut code = [code];
                    usual.spell(key, &mut code);
                    return Some(DerivedColumn {
                        key,
                        cells: Column::Const(code[0]),
                        joins: Column::Const(Code::from(join)),
                    });
                }
                DerivedCells::Rows(list) | DerivedCells::Slots(list) => list,
            };
            usual.spell(key, &mut list.codes);
            if list.codes.iter().all(|c| *c == NONE) {
                return None;
            }
            let code = |join: &JoinIndex| match *join {
                NO_JOIN => NONE,
                join => Code::from(join),
            };
            let joins: Vec<Code> = match ends {
                Some(ends) => (0..ends.len())
                    .map(|row| {
                        let mut known = element_range(Some(ends), row).map(|p| list.joins[p]);
                        known.find(|j| *j != NO_JOIN).as_ref().map_or(NONE, code)
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
    DerivedSegment::new(groups.collect(), doubtful)
}
