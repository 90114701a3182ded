//! Rounds of the fixpoint: events are evidence for groups, then groups give values to events. Both
//! steps read only the state at the start of the round, so the order of joins, segments and rows
//! does not matter.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE, element_range};

use crate::compiled_join::CompiledJoin;
use crate::derived_values::{GroupColumns, GroupDerivations, JoinIndex, VirtualKeys};
use crate::doubt::Doubt;
use crate::left_tuples::{CellPosition, GroupFinder, GroupLookup, LeftTuples};
use crate::spec::Receivers;
use crate::table::{JoinTable, MAX_LEFT_KEYS, TableChange, Tuple};

/// Input of all rounds.
#[derive(Debug)]
pub(crate) struct RoundInput<'a> {
    /// Snapshot whose events are joined.
    pub(crate) snapshot: &'a Snapshot,
    /// Records whose path does not decide their owner.
    pub(crate) doubt: &'a Doubt,
    /// Keys that exist only inside joins.
    pub(crate) virtual_keys: &'a VirtualKeys,
    /// Compiled joins.
    pub(crate) joins: &'a [CompiledJoin],
    /// Records that an earlier run of widetui joined and exported, if any.
    pub(crate) exported_records: Option<&'a Selection>,
    /// Cancels the computation.
    pub(crate) cancel: &'a Cancel,
}

impl RoundInput<'_> {
    /// Rows of a segment that may not receive values from a join, if any.
    pub(crate) fn excluded_rows(&self, join: &CompiledJoin, segment: usize) -> Option<&Bits> {
        let joined = self
            .exported_records
            .filter(|_| join.receivers == Receivers::NotExported)?;
        joined.segment(segment).filter(|rows| rows.any())
    }
}

/// Cells (event and key) of a segment for which joins derive different values; they stay empty.
pub(crate) type BlockedCells = FxHashMap<(EventId, KeyId), [(Code, JoinIndex); 2]>;

/// Evidence: an event states a value of a right key for a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// Index of the join.
    pub(crate) join: JoinIndex,
    /// Index of the right key.
    pub(crate) right: usize,
    /// Group, as values of the left keys.
    pub(crate) tuple: Tuple,
    /// Code of the stated value.
    pub(crate) code: Code,
    /// Event that states the value.
    pub(crate) event: EventId,
}

/// Position of a round in an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// First round: all evidence is read.
    First,
    /// Later round: only evidence from keys that the previous round changed.
    Later,
}

/// Adds the evidence of events to the tables: all in the first round, later that of changed keys.
/// Returns for each join whether its table changed, and whether there is a new conflict.
pub(crate) fn gather_evidence(
    input: &RoundInput<'_>,
    work: &[Vec<GroupDerivations>],
    tables: &mut [JoinTable],
    round: Round,
) -> (Vec<bool>, bool) {
    let mut changed = vec![false; tables.len()];
    let mut conflict = false;
    let indices: Vec<usize> = (0..work.len()).collect();
    // Evidence is large, and what the tables know already is left out.
    for batch in indices.chunks(rayon::current_num_threads()) {
        if input.cancel.is_cancelled() {
            break;
        }
        let known = &*tables;
        let found: Vec<Vec<Vec<Evidence>>> = batch
            .par_iter()
            .map(|segment| segment_evidence(input, *segment, &work[*segment], known, round))
            .collect();
        // Each table adds its evidence in the order of segments, so that results are reproducible.
        let places = tables.par_iter_mut().zip(&mut changed).enumerate();
        let new_conflicts = places.map(|(join, (table, changed))| {
            let mut conflict = false;
            for e in found.iter().flat_map(|of_segment| &of_segment[join]) {
                match table.add(&e.tuple, e.right, e.code, e.event) {
                    TableChange::None => {}
                    TableChange::First => *changed = true,
                    TableChange::Conflict => {
                        *changed = true;
                        // Conflicts between values stated by records need no restart, since no value was
                        // derived before, unless groups depend on them.
                        conflict |= round == Round::Later || input.joins[join].is_open;
                    }
                }
            }
            conflict
        });
        conflict |= new_conflicts.reduce(|| false, |a, b| a | b);
    }
    (changed, conflict)
}

/// Evidence in a segment, by join.
fn segment_evidence(
    input: &RoundInput<'_>,
    segment: usize,
    work: &[GroupDerivations],
    tables: &[JoinTable],
    round: Round,
) -> Vec<Vec<Evidence>> {
    let mut out = vec![Vec::new(); tables.len()];
    let view = SegmentView::new(input.snapshot, segment, &input.doubt.rows[segment]);
    let base = input.snapshot.bases[segment];
    for (at, group) in work.iter().enumerate() {
        let is_concerned = |j: &&CompiledJoin| {
            round == Round::First
                || j.is_concerned_by(group, |j, k| j.is_by(k) || j.right_keys.contains(&k))
        };
        let mut key_columns = GroupColumns::new(view.group(at), segment, group, input.virtual_keys);
        for join in input.joins.iter().filter(is_concerned) {
            if !join.build_left(&mut key_columns) {
                continue;
            }
            // `count` and not `any`: the columns of all right keys must be built.
            let present = join
                .right_keys
                .iter()
                .filter(|key| key_columns.build(**key))
                .count();
            if present == 0 {
                continue;
            }
            let index = usize::from(join.index);
            group_evidence(join, &key_columns, segment, base, tables, &mut out[index]);
        }
    }
    out
}

/// Adds the evidence in a group of rows; equal evidence of consecutive rows is added once.
fn group_evidence(
    join: &CompiledJoin,
    key_columns: &GroupColumns<'_>,
    segment: usize,
    base: u32,
    tables: &[JoinTable],
    out: &mut Vec<Evidence>,
) {
    let table = &tables[usize::from(join.index)];
    let Some(left) = LeftTuples::new(join, tables, key_columns) else {
        return;
    };
    let view = key_columns.view();
    let only = join.participating_rows(segment);
    let witnesses = join.evidence.as_ref().and_then(|s| s.segment(segment));
    let mut collector = EvidenceCollector {
        join,
        table,
        left: &left,
        right_columns: right_columns(join, key_columns),
        finder: left.finder(table),
        last: [None; MAX_LEFT_KEYS],
        rows: &view.group.rows,
        base,
        out,
    };
    let is_open = only.is_none() && witnesses.is_none();
    let rows = match is_open && collector.is_constant() {
        true => 1,
        false => view.group.rows.len(),
    };
    let listed = left.has_lists();
    let ends = view.ends;
    for row in 0..rows {
        if !is_open {
            let segment_row = usize::from(view.group.rows[row]);
            let is_out = |bits: &Bits| !bits.get(segment_row);
            if only.is_some_and(is_out) || witnesses.is_some_and(is_out) {
                continue;
            }
        }
        if listed {
            for place in element_range(ends, row) {
                let place = Some(place);
                collector.add_at(CellPosition {
                    row,
                    element: place,
                    ends,
                });
            }
        } else {
            let place = None;
            collector.add_at(CellPosition {
                row,
                element: place,
                ends,
            });
        }
    }
}

/// Right keys of a join that occur in a group, with their index and column.
fn right_columns<'l>(
    join: &CompiledJoin,
    key_columns: &'l GroupColumns<'_>,
) -> Vec<(usize, &'l KeyColumn)> {
    let key_columns = join
        .right_keys
        .iter()
        .map(|key| key_columns.get(*key))
        .enumerate();
    key_columns
        .filter(|(_, key_column)| !key_column.is_absent())
        .collect()
}

/// Collector of the evidence that rows of a group hold for one join.
struct EvidenceCollector<'a> {
    join: &'a CompiledJoin,
    table: &'a JoinTable,
    left: &'a LeftTuples<'a>,
    right_columns: Vec<(usize, &'a KeyColumn)>,
    finder: GroupFinder<'a, 'a>,
    /// Last evidence added, by right key.
    last: [Option<(Tuple, Code)>; MAX_LEFT_KEYS],
    rows: &'a [u16],
    /// Id of the first event of the segment.
    base: u32,
    out: &'a mut Vec<Evidence>,
}

impl EvidenceCollector<'_> {
    /// True if all rows hold the same evidence.
    fn is_constant(&self) -> bool {
        let is_const =
            |(_, key_column): &(usize, &KeyColumn)| matches!(key_column, KeyColumn::Const(_));
        self.left.constant().is_some() && self.right_columns.iter().all(is_const)
    }

    /// Adds the evidence at a position unless the table contains it.
    #[inline]
    fn add_at(&mut self, at: CellPosition<'_>) {
        let mut place = None;
        for (right, key_column) in &self.right_columns {
            // Read the right key first, since most rows have no value for it and this is cheaper.
            let code = key_column.row(at.row, at.ends);
            if code == NONE || code == UNUSABLE {
                continue;
            }
            match *place.get_or_insert_with(|| self.finder.find(at)) {
                GroupLookup::Incomplete => return,
                GroupLookup::Group(group) if self.table.knows(group, *right, code) => continue,
                GroupLookup::Group(_) | GroupLookup::Unknown => {}
            }
            let Some(tuple) = self.left.tuple(at) else {
                return;
            };
            if let Some(last) = self.last.get_mut(*right) {
                if *last == Some((tuple, code)) {
                    continue;
                }
                *last = Some((tuple, code));
            }
            self.out.push(Evidence {
                join: self.join.index,
                right: *right,
                tuple,
                code,
                event: EventId(self.base + u32::from(self.rows[at.row])),
            });
        }
    }
}
