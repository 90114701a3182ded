//! Values that joins gave to events: an overlay of columns beside those that were read. What was read is never changed;
//! without its overlay a snapshot is what the logs say.

use std::sync::Arc;

use widetui_core::ids::KeyId;

use super::column::{Cell, Column};
use super::segment::Segment;

/// Derived values of one key in one group of a segment. Rows whose own records name the key have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedColumn {
    /// The key.
    pub key: KeyId,
    /// The values, one cell a row of the group; a list is aligned with the list it was derived from, `NONE` where one is
    /// not known.
    pub cells: Column,
    /// Which join gave the value of each row: index into `Derived::joins`.
    pub joins: Column,
}

/// Derived columns of a segment, by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivedSegment {
    groups: Box<[Box<[DerivedColumn]>]>,
}

impl DerivedSegment {
    /// From the columns of each group.
    pub fn new(groups: Vec<Vec<DerivedColumn>>) -> DerivedSegment {
        DerivedSegment {
            groups: groups.into_iter().map(Vec::into_boxed_slice).collect(),
        }
    }

    /// The columns of a group.
    pub(crate) fn group(&self, index: usize) -> &[DerivedColumn] {
        self.groups.get(index).map_or(&[], |g| g)
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        let column =
            |c: &DerivedColumn| size_of::<DerivedColumn>() + c.cells.bytes() + c.joins.bytes();
        self.groups.iter().flatten().map(column).sum()
    }
}

/// How a join gives values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiverKind {
    /// Keys imply keys.
    Join,
    /// Records between two messages of a thread.
    Bracket,
    /// The first record of the file.
    First,
    /// The time of the record: from some moment on its log is about another run.
    Again,
    /// The record itself, read once more.
    Reading,
}

/// A join that gave values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Giver {
    /// Its name.
    pub name: Box<str>,
    /// How it gives values.
    pub kind: GiverKind,
    /// Its left keys.
    pub by: Box<[KeyId]>,
}

/// The overlay of one snapshot: which joins gave values, and those values by segment.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// The joins.
    pub joins: Arc<[Giver]>,
    /// By segment; shorter than the list of segments when later ones were not widened yet.
    pub segments: Vec<Arc<DerivedSegment>>,
}

impl Derived {
    /// What of it still holds when segments came to a run or were replaced: the values of those that stayed.
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

    /// The columns of a group of a segment.
    #[inline]
    pub fn columns(&self, segment: usize, group: usize) -> &[DerivedColumn] {
        self.segments.get(segment).map_or(&[], |s| s.group(group))
    }

    /// Number of derived cells, and the heap bytes that they take.
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
