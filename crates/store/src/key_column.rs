//! Values of a key for all rows of a group, from all origins, as comparable codes.
//!
//! ```text
//! own columns, constants of the shape, the context   stated by the record            first
//! derived columns                                    derived by joins                second
//! constants of the path                              stated by the path of the file  last
//! ```
//!
//! A duplicate record has several paths, and none of them counts as evidence.

use std::ops::Range;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, ENTRY, Frozen, NONE};
use widetui_core::ids::KeyId;
use widetui_definition::key_type::KeyType;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;

pub use super::disputed::disputed_rows;

use super::column::Column;
use super::context_values::context_values;
use super::segment::{Group, Segment};
use super::snapshot::Snapshot;

/// Code of a value that cannot be compared: several values, or a value that must be read from the text.
pub const UNUSABLE: Code = DEFER;

/// Values of one key for the rows of a group, as canonical codes, `NONE` and `UNUSABLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyColumn {
    /// No row has the key.
    Absent,
    /// One value for all rows.
    Const(Code),
    /// One value per row.
    Rows(Vec<Code>),
    /// One value per element of the group's lists (see `GroupView::ends`).
    Elements(Vec<Code>),
}

impl KeyColumn {
    /// Value of a row; for a list, the value shared by all its elements.
    #[inline]
    pub fn row(&self, row: usize, ends: Option<&[u32]>) -> Code {
        match self {
            KeyColumn::Absent => NONE,
            KeyColumn::Const(code) => *code,
            KeyColumn::Rows(codes) => codes[row],
            KeyColumn::Elements(codes) => {
                let places = element_range(ends, row);
                match codes.get(places) {
                    None | Some([]) => NONE,
                    Some([first, rest @ ..]) if rest.iter().all(|c| c == first) => *first,
                    Some(_) => UNUSABLE,
                }
            }
        }
    }

    /// Value of a cell: of an element of the row's list if the column has lists, else of the row.
    #[inline]
    pub fn at(&self, cell: CellPosition<'_>) -> Code {
        match (self, cell.element) {
            (KeyColumn::Rows(codes), _) => codes[cell.row],
            (KeyColumn::Elements(codes), Some(element)) => {
                codes.get(element).copied().unwrap_or(NONE)
            }
            (column, _) => column.row(cell.row, cell.ends),
        }
    }

    /// Whether every row certainly has the key; unknown for lists.
    pub fn is_everywhere(&self) -> bool {
        match self {
            KeyColumn::Absent | KeyColumn::Elements(_) => false,
            KeyColumn::Const(code) => *code != NONE,
            KeyColumn::Rows(codes) => !codes.contains(&NONE),
        }
    }

    /// Whether no row has the key.
    pub fn is_absent(&self) -> bool {
        matches!(self, KeyColumn::Absent)
    }
}

/// Range of the elements of a row's list.
pub fn element_range(ends: Option<&[u32]>, row: usize) -> Range<usize> {
    let Some(ends) = ends else {
        return row..row + 1;
    };
    let start = if row == 0 { 0 } else { ends[row - 1] as usize };
    start..ends.get(row).map_or(start, |e| *e as usize)
}

/// Position in the columns of a group: a row, or one element of the row's list.
#[derive(Clone, Copy, Debug)]
pub struct CellPosition<'e> {
    /// Row of the group.
    pub row: usize,
    /// Element among all list elements of the group; `None` for the whole row.
    pub element: Option<usize>,
    /// Ends of the lists of the rows, if the group has lists.
    pub ends: Option<&'e [u32]>,
}

/// Cells of a row of a group, as numbers: the row, or the elements of its list.
#[inline]
pub fn cells_of_row(row: usize, ends: Option<&[u32]>, is_listed: bool) -> Range<usize> {
    match is_listed {
        true => element_range(ends, row),
        false => row..row + 1,
    }
}

/// Cells of the rows of a group: its rows, or the elements of their lists.
pub fn cells(
    rows: usize,
    ends: Option<&[u32]>,
    is_listed: bool,
) -> impl Iterator<Item = CellPosition<'_>> {
    let listed = ends.filter(|_| is_listed);
    let count = listed.map_or(rows, |ends| ends.last().map_or(0, |end| *end as usize));
    let mut row = 0;
    (0..count).map(move |cell| {
        match listed {
            Some(ends) => {
                row += ends[row..]
                    .iter()
                    .take_while(|e| **e as usize <= cell)
                    .count()
            }
            None => row = cell,
        }
        CellPosition {
            row,
            element: listed.map(|_| cell),
            ends,
        }
    })
}

/// Code of a value that can be compared.
#[inline]
pub fn usable(code: Code) -> Option<Code> {
    (code != NONE && code != UNUSABLE).then_some(code)
}

/// Derived values of one key in one group: from a snapshot, or from a join that is being computed.
#[derive(Clone, Copy, Debug)]
pub enum Overlay<'a> {
    /// Packed column.
    Column(&'a Column),
    /// One value for all rows.
    All(Code),
    /// One code per row.
    Rows(&'a [Code]),
    /// One code per element of the lists.
    Elements(&'a [Code]),
}

/// View of a segment with its rows' shared properties, which are looked up once.
#[derive(Debug)]
pub struct SegmentView<'a> {
    /// Snapshot of the segment.
    pub snapshot: &'a Snapshot,
    /// Number of the segment.
    pub index: usize,
    /// The segment.
    pub segment: &'a Segment,
    /// Rows of duplicate records, ascending.
    pub disputed: &'a [u32],
    paths: FxHashMap<KeyId, Path>,
}

#[derive(Debug)]
enum Path {
    All(Code),
    Parts(Vec<Code>),
}

impl<'a> SegmentView<'a> {
    /// View of a segment; `copied` as returned by `copied_rows`.
    pub fn new(snapshot: &'a Snapshot, index: usize, copied: &'a [u32]) -> SegmentView<'a> {
        let segment = &*snapshot.segments[index];
        let mut paths: FxHashMap<KeyId, Path> = FxHashMap::default();
        for (at, part) in segment.parts.iter().enumerate() {
            let Some(source) = snapshot.source(part.source) else {
                continue;
            };
            for (key, code) in source.consts.iter() {
                let canonical = snapshot
                    .catalog
                    .keys
                    .get(*key)
                    .map_or(*code, |k| k.dict.canonical(*code));
                let path = paths
                    .entry(*key)
                    .or_insert_with(|| Path::Parts(vec![NONE; segment.parts.len()]));
                if let Path::Parts(codes) = path {
                    codes[at] = canonical;
                }
            }
        }
        for path in paths.values_mut() {
            if let Path::Parts(codes) = path
                && let Some(first) = codes.first()
                && codes.iter().all(|c| c == first)
            {
                *path = Path::All(*first);
            }
        }
        SegmentView {
            snapshot,
            index,
            segment,
            disputed: copied,
            paths,
        }
    }

    /// Whether a row is a duplicate record and its path states a key, so that the right value is unknown.
    pub fn is_disputed(&self, key: KeyId, row: u16) -> bool {
        let row = u32::from(row);
        let code = match self.paths.get(&key) {
            None => return false,
            Some(Path::All(code)) => *code,
            Some(Path::Parts(codes)) => {
                let parts = &self.segment.parts;
                let after = parts.partition_point(|part| part.first_row <= row);
                codes[after.saturating_sub(1)]
            }
        };
        code != NONE && self.disputed.binary_search(&row).is_ok()
    }

    /// View of a group of the segment.
    pub fn group(&self, index: usize) -> GroupView<'_> {
        let group = &self.segment.groups[index];
        let ends = group.columns.iter().find_map(|(_, c)| match c {
            Column::Lists { ends, .. } => Some(&**ends),
            _ => None,
        });
        GroupView {
            view: self,
            index,
            group,
            ends,
        }
    }
}

/// View of a group of a segment, for reading key columns.
#[derive(Clone, Copy, Debug)]
pub struct GroupView<'a> {
    view: &'a SegmentView<'a>,
    /// Number of the group.
    pub index: usize,
    /// The group.
    pub group: &'a Group,
    /// End of each row's list, if records of the group hold lists.
    pub ends: Option<&'a [u32]>,
}

impl<'a> GroupView<'a> {
    /// Column of a key, with the derived values of the snapshot.
    pub fn key_column(&self, key: KeyId) -> KeyColumn {
        let derived = self
            .view
            .snapshot
            .derived
            .columns(self.view.index, self.index);
        let overlay = derived.iter().find(|c| c.key == key);
        self.key_column_with(key, overlay.map(|c| Overlay::Column(&c.cells)))
    }

    /// Column of a key, with other derived values.
    pub fn key_column_with(&self, key: KeyId, overlay: Option<Overlay<'_>>) -> KeyColumn {
        let catalog = &self.view.snapshot.catalog;
        let dict = catalog.keys.get(key).map(|k| &k.dict);
        let canonical = |code: Code| canonical(dict, code);
        let rows = self.group.rows.len();
        let mut key_column = KeyColumn::Absent;
        for (_, column) in self.group.columns.iter().filter(|(k, _)| *k == key) {
            let own = self.own(column, rows, dict);
            key_column = combine_stated(key_column, own, rows, self.ends);
        }
        if let Some(shape) = catalog.shapes.get(self.group.shape.index()) {
            for (_, code) in shape.consts.iter().filter(|(k, _)| *k == key) {
                key_column = combine_stated(
                    key_column,
                    KeyColumn::Const(canonical(*code)),
                    rows,
                    self.ends,
                );
            }
        }
        if catalog.context_keys.contains(&key) {
            key_column = combine_stated(key_column, self.contexts(key, dict), rows, self.ends);
        }
        match overlay {
            None => {}
            Some(Overlay::Column(column)) => {
                key_column = fill_absent(key_column, self.own(column, rows, dict), rows, self.ends);
            }
            Some(Overlay::All(code)) => {
                key_column = fill_absent(key_column, KeyColumn::Const(code), rows, self.ends);
            }
            Some(Overlay::Rows(codes)) => {
                key_column =
                    fill_absent(key_column, KeyColumn::Rows(codes.to_vec()), rows, self.ends);
            }
            Some(Overlay::Elements(codes)) => {
                key_column = fill_absent(
                    key_column,
                    KeyColumn::Elements(codes.to_vec()),
                    rows,
                    self.ends,
                );
            }
        }
        fill_absent(key_column, self.path(key), rows, self.ends)
    }

    fn own(&self, column: &Column, rows: usize, dict: Option<&Frozen>) -> KeyColumn {
        match column {
            Column::Const(NONE) => KeyColumn::Absent,
            Column::Const(code) => KeyColumn::Const(canonical(dict, *code)),
            Column::Lists { ends, codes } if self.ends.is_some_and(|e| *e == **ends) => {
                KeyColumn::Elements(codes.iter().map(|c| canonical(dict, *c)).collect())
            }
            Column::Dict { codes, index } => {
                let table: Vec<Code> = codes.iter().map(|c| canonical(dict, *c)).collect();
                KeyColumn::Rows(index.iter().map(|i| table[*i as usize]).collect())
            }
            Column::Lists { .. } => KeyColumn::Rows(
                (0..rows)
                    .map(|row| match column.cell(row) {
                        super::column::Cell::Absent => NONE,
                        super::column::Cell::One(code) => canonical(dict, code),
                        _ => UNUSABLE,
                    })
                    .collect(),
            ),
            Column::Byte { base, offsets } => {
                KeyColumn::Rows(canonical_sums(dict, *base, offsets, u8::MAX))
            }
            Column::Short { base, offsets } => {
                KeyColumn::Rows(canonical_sums(dict, *base, offsets, u16::MAX))
            }
            Column::Wide(codes) => {
                KeyColumn::Rows(codes.iter().map(|c| canonical(dict, *c)).collect())
            }
        }
    }

    /// Column of the values in the contexts of the records.
    fn contexts(&self, key: KeyId, dict: Option<&Frozen>) -> KeyColumn {
        let contexts = &self.view.snapshot.catalog.contexts;
        let value = |context: Code| {
            let values = contexts.get(context as usize);
            let found = values.and_then(|c| c.iter().find(|(k, _)| *k == key));
            found.map_or(NONE, |f| canonical(dict, f.1))
        };
        let found = context_values(&self.view.segment.contexts, &self.group.rows, value);
        found.map_or(KeyColumn::Absent, KeyColumn::Rows)
    }

    fn path(&self, key: KeyId) -> KeyColumn {
        let copied = self.view.disputed;
        let rows = &self.group.rows;
        let is_copied = |row: u16| copied.binary_search(&u32::from(row)).is_ok();
        match self.view.paths.get(&key) {
            None | Some(Path::All(NONE)) => KeyColumn::Absent,
            Some(Path::All(code)) if copied.is_empty() => KeyColumn::Const(*code),
            Some(Path::All(code)) => KeyColumn::Rows(
                rows.iter()
                    .map(|row| if is_copied(*row) { NONE } else { *code })
                    .collect(),
            ),
            Some(Path::Parts(codes)) => {
                let parts = &self.view.segment.parts;
                let mut at = 0;
                let value = |row: &u16| {
                    let inside = |p: &super::segment::Part| u32::from(*row) < p.first_row + p.rows;
                    while at + 1 < parts.len() && !inside(&parts[at]) {
                        at += 1;
                    }
                    match codes[at] {
                        NONE => NONE,
                        _ if !copied.is_empty() && is_copied(*row) => NONE,
                        code => code,
                    }
                };
                KeyColumn::Rows(rows.iter().map(value).collect())
            }
        }
    }
}

fn canonical(dict: Option<&Frozen>, code: Code) -> Code {
    match dict {
        Some(dict) if code != DEFER => dict.canonical(code),
        _ => code,
    }
}

/// Canonical codes of `base` plus each offset. Integers coded as themselves, the usual case, need no dictionary
/// look-up.
fn canonical_sums<O: Copy + Into<Code>>(
    dict: Option<&Frozen>,
    base: Code,
    offsets: &[O],
    most: O,
) -> Vec<Code> {
    let codes = offsets.iter().map(|offset| base + (*offset).into());
    match base.checked_add(most.into()) {
        Some(last) if last < ENTRY => codes.collect(),
        _ => codes.map(|code| canonical(dict, code)).collect(),
    }
}

/// Combines two columns that records state: two different values count as several.
fn combine_stated(a: KeyColumn, b: KeyColumn, rows: usize, ends: Option<&[u32]>) -> KeyColumn {
    let pair = |pair: (Code, Code)| match pair {
        (NONE, code) | (code, NONE) => code,
        (a, b) if a == b => a,
        _ => UNUSABLE,
    };
    match (a, b) {
        (KeyColumn::Absent, key_column) | (key_column, KeyColumn::Absent) => key_column,
        (KeyColumn::Const(a), KeyColumn::Const(b)) if a == b => KeyColumn::Const(a),
        (KeyColumn::Elements(a), KeyColumn::Elements(b)) => {
            KeyColumn::Elements(a.into_iter().zip(b).map(pair).collect())
        }
        (KeyColumn::Elements(codes), other) | (other, KeyColumn::Elements(codes)) => {
            let list = KeyColumn::Elements(codes.clone());
            let mut codes = codes;
            for row in 0..rows {
                let places = codes.get_mut(element_range(ends, row)).unwrap_or_default();
                let (listed, stated) = (list.row(row, ends), other.row(row, ends));
                // A list of different values is no evidence, whatever the other column states.
                if places.iter().all(|c| *c == listed) {
                    places.fill(pair((listed, stated)));
                }
            }
            KeyColumn::Elements(codes)
        }
        (a, b) => {
            let codes = (0..rows).map(|row| pair((a.row(row, ends), b.row(row, ends))));
            KeyColumn::Rows(codes.collect())
        }
    }
}

/// Combines two columns; values of the second count where the first has none.
fn fill_absent(a: KeyColumn, b: KeyColumn, rows: usize, ends: Option<&[u32]>) -> KeyColumn {
    match (a, b) {
        (KeyColumn::Absent, key_column) | (key_column, KeyColumn::Absent) => key_column,
        (KeyColumn::Const(code), _) => KeyColumn::Const(code),
        (KeyColumn::Rows(mut codes), other) if !matches!(other, KeyColumn::Elements(_)) => {
            for (row, code) in codes.iter_mut().enumerate() {
                if *code == NONE {
                    *code = other.row(row, ends);
                }
            }
            KeyColumn::Rows(codes)
        }
        (KeyColumn::Elements(mut codes), other) => {
            for row in 0..rows {
                for place in element_range(ends, row) {
                    if let Some(code) = codes.get_mut(place).filter(|c| **c == NONE) {
                        *code = match &other {
                            KeyColumn::Elements(other) => other.get(place).copied().unwrap_or(NONE),
                            other => other.row(row, ends),
                        };
                    }
                }
            }
            KeyColumn::Elements(codes)
        }
        (a, b) => KeyColumn::Rows(
            (0..rows)
                .map(|row| match a.row(row, ends) {
                    NONE => b.row(row, ends),
                    code => code,
                })
                .collect(),
        ),
    }
}

/// Usual spellings of values, by canonical code.
#[derive(Clone, Debug, Default)]
pub struct UsualSpellings {
    keys: FxHashMap<KeyId, FxHashMap<Code, Code>>,
}

impl UsualSpellings {
    /// Computes the usual spellings of some keys.
    pub fn new<'k>(snapshot: &Snapshot, keys: impl Iterator<Item = &'k KeyId>) -> UsualSpellings {
        let mut usual = UsualSpellings::default();
        for key in keys {
            let view = snapshot.catalog.keys.get(*key);
            // Numbers and bytes are shown in canonical form.
            let is_spelled = |v: &&KeyView| {
                use KeyType::{Auto, Host, Job, Tuple, Uuid};
                matches!(v.key.kind, Auto | Uuid | Tuple | Host | Job)
            };
            let view = view.filter(is_spelled);
            let of = || view.map(|v| v.dict.usual()).unwrap_or_default();
            usual.keys.entry(*key).or_insert_with(of);
        }
        usual
    }

    /// Text of a value in its usual spelling.
    pub fn text(&self, snapshot: &Snapshot, key: KeyId, code: Code) -> String {
        let view = snapshot.catalog.keys.get(key);
        view.and_then(|v| v.spelling(self.of(key, code)))
            .unwrap_or_default()
    }

    /// Code of the usual spelling of a value.
    pub fn of(&self, key: KeyId, code: Code) -> Code {
        let usual = self.keys.get(&key).and_then(|u| u.get(&code));
        usual.copied().unwrap_or(code)
    }

    /// Replaces codes by the codes of their usual spellings.
    pub fn spell(&self, key: KeyId, codes: &mut [Code]) {
        let Some(usual) = self.keys.get(&key).filter(|u| !u.is_empty()) else {
            return;
        };
        // Adjacent rows mostly have the same value.
        let mut last = (NONE, NONE);
        for code in codes.iter_mut().filter(|c| **c != NONE) {
            if *code != last.0 {
                last = (*code, usual.get(code).copied().unwrap_or(*code));
            }
            *code = last.1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_elements_combine_with_other_stated_values() {
        // Lists: one element, one element, two different ones, two equal ones, none.
        let ends = Some(&[1, 2, 4, 6, 6][..]);
        let list = || KeyColumn::Elements(vec![30, 30, 30, 31, 7, 7]);
        let stated = || KeyColumn::Rows(vec![30, 31, 30, 8, 5]);
        for key_column in [
            combine_stated(list(), stated(), 5, ends),
            combine_stated(stated(), list(), 5, ends),
        ] {
            let rows = (0..5).map(|row| key_column.row(row, ends));
            let rows: Vec<Code> = rows.collect();
            // An empty list has no element for the value of the other column.
            assert_eq!(rows, [30, UNUSABLE, UNUSABLE, UNUSABLE, NONE]);
            let KeyColumn::Elements(codes) = key_column else {
                panic!("no list any more");
            };
            assert_eq!(codes[2..4], [30, 31], "each of them names it");
        }
        let other = KeyColumn::Elements(vec![30, NONE, 30, 32, NONE, 7]);
        let both = combine_stated(list(), other, 5, ends);
        assert_eq!(both, KeyColumn::Elements(vec![30, 30, 30, UNUSABLE, 7, 7]));
        let none = KeyColumn::Rows(vec![NONE; 5]);
        assert_eq!(combine_stated(list(), none, 5, ends), list());
    }
}
