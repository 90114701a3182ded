//! Derived values: an overlay of columns that joins add to the columns of records. The records themselves never change;
//! without its overlay a snapshot holds exactly what the logs state.

use std::sync::Arc;

use widetui_core::ids::KeyId;

use super::column::{Cell, Column};
use super::segment::Segment;

/// Derived values of one key in one group of a segment. Rows whose records state the key have no derived value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedColumn {
    /// Key of the values.
    pub key: KeyId,
    /// Values, one cell per row of the group; a list is aligned with its source list, with `NONE` for unknown elements.
    pub cells: Column,
    /// Join that derived the value of each row, as an index into `Derived::joins`.
    pub joins: Column,
}

/// Derived columns of a segment, by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivedSegment {
    groups: Box<[Box<[DerivedColumn]>]>,
    doubtful: Box<[u32]>,
}

impl DerivedSegment {
    /// Builds the columns of a segment from the columns of each group. The paths of the rows `doubtful` (ascending) do not
    /// decide to which instance they belong.
    pub fn new(groups: Vec<Vec<DerivedColumn>>, doubtful: Vec<u32>) -> DerivedSegment {
        DerivedSegment {
            doubtful: doubtful.into(),
            groups: groups.into_iter().map(Vec::into_boxed_slice).collect(),
        }
    }

    /// Rows whose path does not decide to which instance they belong, ascending.
    pub fn doubtful(&self) -> &[u32] {
        &self.doubtful
    }

    /// Derived columns of a group.
    pub(crate) fn group(&self, index: usize) -> &[DerivedColumn] {
        self.groups.get(index).map_or(&[], |g| g)
    }

    /// Heap size, bytes.
    pub fn bytes(&self) -> usize {
        let column =
            |c: &DerivedColumn| size_of::<DerivedColumn>() + c.cells.bytes() + c.joins.bytes();
        let columns: usize = self.groups.iter().flatten().map(column).sum();
        columns + size_of_val(&*self.doubtful)
    }
}

/// Kind of join, by the way it derives values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Keys imply keys.
    Keys,
    /// Records between two messages of a thread.
    Bracket,
    /// First record of the file.
    FirstRecord,
    /// Time of the record: from this time on, the log belongs to the next run.
    ConsecutiveRuns,
    /// Extraction from the record itself.
    Extraction,
}

/// Join that derived values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivingJoin {
    /// Name of the join.
    pub name: Box<str>,
    /// Kind of the join.
    pub kind: JoinKind,
    /// Left keys of the join.
    pub by: Box<[KeyId]>,
    /// True if the join gives scopes to the values of its left key, and one of these occurs in several.
    pub is_split: bool,
}

/// Overlay of one snapshot: the joins that derived values, and the values by segment.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// Joins that derived values.
    pub joins: Arc<[DerivingJoin]>,
    /// Derived columns by segment; shorter than the list of segments while joins have not been applied to the last
    /// ones.
    pub segments: Vec<Arc<DerivedSegment>>,
}

impl Derived {
    /// True if the path of a row does not decide to which instance the record belongs.
    pub(crate) fn is_doubtful(&self, segment: usize, row: usize) -> bool {
        let derived = self.segments.get(segment);
        derived.is_some_and(|derived| derived.doubtful().binary_search(&(row as u32)).is_ok())
    }

    /// Returns the part of the overlay that still holds after segments were added or replaced: the values of unchanged
    /// segments.
    pub fn carried(&self, before: &[Arc<Segment>], after: &[Arc<Segment>]) -> Derived {
        let same = before.iter().zip(after);
        let same = same.map(|(a, b)| Arc::ptr_eq(a, b));
        let kept = self.segments.iter().zip(same);
        let kept = kept.map(|(derived, same)| match same {
            true => derived.clone(),
            false => Arc::default(),
        });
        Derived {
            joins: self.joins.clone(),
            segments: kept.collect(),
        }
    }

    /// Replaces segments by equal ones of an earlier overlay, so that both share them and answers about them stay valid.
    pub fn share_with(&mut self, earlier: &Derived) {
        if self.joins != earlier.joins {
            return;
        }
        for (own, known) in self.segments.iter_mut().zip(&earlier.segments) {
            if own == known {
                *own = known.clone();
            }
        }
    }

    /// Derived columns of a group of a segment.
    #[inline]
    pub fn columns(&self, segment: usize, group: usize) -> &[DerivedColumn] {
        self.segments.get(segment).map_or(&[], |s| s.group(group))
    }

    /// Number of derived cells and their heap size, bytes.
    pub fn size(&self) -> (usize, usize) {
        let bytes = self.segments.iter().map(|s| s.bytes()).sum();
        let mut cells = 0;
        for column in self.segments.iter().flat_map(|s| s.groups.iter().flatten()) {
            cells += count(&column.joins, column.cells.rows());
        }
        (cells, bytes)
    }
}

fn count(joins: &Column, rows: Option<usize>) -> usize {
    match (joins.rows().or(rows), joins) {
        (Some(rows), _) => (0..rows)
            .filter(|row| matches!(joins.cell(*row), Cell::One(_)))
            .count(),
        (None, _) => 0,
    }
}
