//! Left tuples of the rows of a group, and the join groups that they identify.

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::lanes::{Lane, UNUSABLE};

use crate::table::{GroupIndex, JoinTable, MAX_LEFT, Tuple};
use crate::work::GroupLanes;

/// The place of the lists, or the row, that a value of a lane is asked for.
#[derive(Clone, Copy)]
pub struct LaneAt<'e> {
    /// The row.
    pub row: usize,
    /// The place of its list.
    pub place: Option<usize>,
    /// Where the lists of the rows end.
    pub ends: Option<&'e [u32]>,
}

/// The value of a lane there.
#[inline]
pub fn code_at(lane: &Lane, at: LaneAt<'_>) -> Code {
    match (lane, at.place) {
        (Lane::Rows(codes), _) => codes[at.row],
        (Lane::Slots(codes), Some(place)) => codes.get(place).copied().unwrap_or(NONE),
        (lane, _) => lane.row(at.row, at.ends),
    }
}

/// The left tuples of the rows of a group.
pub struct Left<'l> {
    /// The values that all rows have.
    fixed: Tuple,
    /// The others, with their places in the tuple.
    varying: Vec<(usize, &'l Lane)>,
}

impl<'l> Left<'l> {
    /// `None`: no row has all values.
    pub fn new(by: &[KeyId], lanes: &'l GroupLanes<'_>) -> Option<Left<'l>> {
        let mut left = Left {
            fixed: [NONE; MAX_LEFT],
            varying: Vec::new(),
        };
        for (at, key) in by.iter().enumerate() {
            match lanes.get(*key) {
                Lane::Absent | Lane::Const(NONE | UNUSABLE) => return None,
                Lane::Const(code) => left.fixed[at] = *code,
                lane => left.varying.push((at, lane)),
            }
        }
        Some(left)
    }

    /// Whether a row may have several tuples.
    pub fn is_listed(&self) -> bool {
        self.varying.iter().any(|l| matches!(l.1, Lane::Slots(_)))
    }

    /// The tuple that all rows have, if they have the same.
    pub fn same(&self) -> Option<&Tuple> {
        self.varying.is_empty().then_some(&self.fixed)
    }

    /// That of a row, unless a value is missing.
    pub fn tuple(&self, at: LaneAt<'_>) -> Option<Tuple> {
        let mut tuple = self.fixed;
        for (slot, lane) in &self.varying {
            let code = code_at(lane, at);
            if code == NONE || code == UNUSABLE {
                return None;
            }
            tuple[*slot] = code;
        }
        Some(tuple)
    }

    /// For finding the groups of many rows.
    pub fn finder<'t>(&self, table: &'t JoinTable) -> GroupFinder<'l, 't> {
        let is_inner = |(slot, _): &&(usize, &Lane)| *slot == table.inner();
        let inner = self.varying.iter().find(is_inner).map(|(_, lane)| *lane);
        let others = self.varying.iter().filter(|v| !is_inner(v));
        GroupFinder {
            inner: (inner, self.fixed[table.inner()]),
            others: others.copied().collect(),
            tuple: self.fixed,
            is_level_known: false,
            level: None,
            table,
        }
    }
}

/// What the table knows of the tuple of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupLookup {
    /// A value of the row is missing: it is of no group.
    Nowhere,
    /// Nothing is known of its group.
    New,
    /// It is of this group.
    Group(u32),
}

/// Finds the groups of rows: where neighbours differ only in the key that varies most, that is a look into a vector.
pub struct GroupFinder<'l, 't> {
    /// The key that varies most: its lane, or the value that all rows have.
    inner: (Option<&'l Lane>, Code),
    others: Vec<(usize, &'l Lane)>,
    /// That of the last row.
    tuple: Tuple,
    is_level_known: bool,
    level: Option<&'t GroupIndex>,
    table: &'t JoinTable,
}

impl GroupFinder<'_, '_> {
    /// Where a row belongs.
    #[inline]
    pub fn find(&mut self, at: LaneAt<'_>) -> GroupLookup {
        let inner = match self.inner {
            (Some(lane), _) => code_at(lane, at),
            (None, code) => code,
        };
        if inner == NONE || inner == UNUSABLE {
            return GroupLookup::Nowhere;
        }
        for (slot, lane) in &self.others {
            let code = code_at(lane, at);
            if code == NONE || code == UNUSABLE {
                return GroupLookup::Nowhere;
            }
            if self.tuple[*slot] != code {
                self.tuple[*slot] = code;
                self.is_level_known = false;
            }
        }
        if !self.is_level_known {
            self.level = self.table.level(&self.tuple);
            self.is_level_known = true;
        }
        match self.level.and_then(|level| level.get(inner)) {
            Some(group) => GroupLookup::Group(group),
            None => GroupLookup::New,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_core::ids::EventId;

    fn codes() -> impl Strategy<Value = Vec<Code>> {
        let code = prop_oneof![8 => 0u32..4, 1 => Just(NONE), 1 => Just(UNUSABLE)];
        prop::collection::vec(code, 12)
    }

    proptest! {
        /// A finder gives, row after row, what the table says of the row's tuple.
        #[test]
        fn a_finder_finds_what_the_table_holds(
            lanes in prop::collection::vec(codes(), 3), fixed in 0u32..4, inner in 0usize..4,
            known in prop::collection::vec(prop::collection::vec(0u32..4, 4), 0..60),
        ) {
            let mut table = JoinTable::new(inner, 1, false);
            for codes in known {
                let mut tuple = [NONE; MAX_LEFT];
                tuple[..4].copy_from_slice(&codes);
                table.add(&tuple, 0, 7, EventId(0));
            }
            let lanes: Vec<Lane> = lanes.into_iter().map(Lane::Rows).collect();
            let mut left = Left { fixed: [NONE; MAX_LEFT], varying: Vec::new() };
            left.fixed[0] = fixed;
            left.varying = lanes.iter().enumerate().map(|(at, lane)| (at + 1, lane)).collect();
            let mut finder = left.finder(&table);
            for row in 0..12 {
                let at = LaneAt { row, place: None, ends: None };
                let want = match left.tuple(at) {
                    None => GroupLookup::Nowhere,
                    Some(tuple) => table.group(&tuple).map_or(GroupLookup::New, GroupLookup::Group),
                };
                prop_assert_eq!(finder.find(at), want);
            }
        }
    }
}
