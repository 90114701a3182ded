//! Renaming of values by source: two runs named `000` get different values once both are known.

use std::sync::Arc;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::catalog::encode::DEFER;

use super::column::{Cell, Column};
use super::segment::Segment;
use super::snapshot::Snapshot;
use super::source::Source;

/// Mapping of values to new ones, by source and key.
pub trait ValueRenaming {
    /// Whether values of the key may change.
    fn may_rename(&self, key: KeyId) -> bool;

    /// Additional key and value for the path of a source, if any.
    fn extra_path_value(&self, _source: &Source) -> Option<(KeyId, Code)> {
        None
    }

    /// New code of a value in a source; most values are unchanged.
    fn renamed_code(&self, source: SourceId, key: KeyId, code: Code) -> Code;
}

impl Snapshot {
    /// Returns the snapshot with renamed values. Records, ids and time order are unchanged.
    #[must_use]
    pub fn renamed(self, names: &impl ValueRenaming) -> Snapshot {
        let sources = self.sources.iter().map(|s| source(s, names));
        let segments = self.segments.iter().map(|s| segment(s, names));
        Snapshot {
            sources: sources.collect(),
            segments: segments.collect(),
            catalog: self.tables.freeze(),
            ..self
        }
    }
}

/// Returns a source with renamed values in its path; the same one if no value changes.
pub fn source(source: &Arc<Source>, names: &impl ValueRenaming) -> Arc<Source> {
    let name = |(key, code): &(KeyId, Code)| (*key, names.renamed_code(source.id, *key, *code));
    let mut consts: Vec<(KeyId, Code)> = source.consts.iter().map(name).collect();
    let also = names.extra_path_value(source);
    consts.extend(also.filter(|(key, _)| !source.consts.iter().any(|c| c.0 == *key)));
    let consts: Arc<[(KeyId, Code)]> = consts.into();
    if consts == source.consts {
        return source.clone();
    }
    Arc::new(Source {
        consts,
        ..(**source).clone()
    })
}

/// Returns a segment with renamed values of its records; the same one if no value changes.
pub fn segment(segment: &Arc<Segment>, names: &impl ValueRenaming) -> Arc<Segment> {
    let mut changed: Vec<(usize, usize, Column)> = Vec::new();
    for (g, group) in segment.groups.iter().enumerate() {
        for (c, (key, column)) in group.columns.iter().enumerate() {
            if !names.may_rename(*key) {
                continue;
            }
            let name = |row: usize, code| {
                let row = group.rows.get(row).map_or(0, |r| usize::from(*r));
                names.renamed_code(segment.part(row).source, *key, code)
            };
            let named = renamed(column, group.rows.len(), name);
            if named != *column {
                changed.push((g, c, named));
            }
        }
    }
    if changed.is_empty() {
        return segment.clone();
    }
    let mut segment = (**segment).clone();
    for (group, column, named) in changed {
        segment.groups[group].columns[column].1 = named;
    }
    Arc::new(segment)
}

/// Returns a column with each value mapped by `name`, from the row of the group and the value.
fn renamed(column: &Column, rows: usize, name: impl Fn(usize, Code) -> Code) -> Column {
    let name = |row, code| match code {
        NONE | DEFER => code,
        code => name(row, code),
    };
    if let Column::Lists { ends, codes } = column {
        let row = |at: usize| ends.partition_point(|end| *end as usize <= at);
        let named = codes.iter().enumerate().map(|(at, c)| name(row(at), *c));
        return Column::Lists {
            ends: ends.clone(),
            codes: named.collect(),
        };
    }
    let code = |row| match column.cell(row) {
        Cell::Absent | Cell::Many(_) => NONE,
        Cell::Deferred => DEFER,
        Cell::One(code) => name(row, code),
    };
    Column::pack(&(0..rows).map(code).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Test renaming: in odd rows, codes below 50 grow by 100.
    fn odd(row: usize, code: Code) -> Code {
        if row % 2 == 1 && code < 50 {
            code + 100
        } else {
            code
        }
    }

    proptest! {
        #[test]
        fn every_cell_is_renamed_by_its_own_row(
            cells in proptest::collection::vec(proptest::collection::vec(0u32..100, 0..3), 0..200),
            flat in proptest::collection::vec(prop_oneof![0u32..100, Just(NONE), Just(DEFER)], 0..400),
        ) {
            let mut end = 0;
            let ends = cells.iter().map(|c| { end += c.len() as u32; end }).collect();
            let lists = Column::Lists { ends, codes: cells.concat().into() };
            let named: Vec<Code> = cells.iter().enumerate().flat_map(|(row, c)| c.iter().map(move |c| odd(row, *c))).collect();
            let Column::Lists { codes, ends } = renamed(&lists, cells.len(), odd) else { panic!("no longer lists") };
            prop_assert_eq!(&*codes, &*named);
            prop_assert_eq!(ends.len(), cells.len());

            let column = Column::pack(&flat);
            let named = renamed(&column, flat.len(), odd);
            for (row, code) in flat.iter().enumerate() {
                let wanted = if [NONE, DEFER].contains(code) { *code } else { odd(row, *code) };
                let wanted = Column::pack(&[wanted]);
                prop_assert_eq!(named.cell(row), wanted.cell(0));
            }
        }
    }
}
