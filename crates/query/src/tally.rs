//! Values of all keys, counted in a selection and outside it in one pass over the packed columns. (Counting key by key
//! would examine every row once per key.)

use std::cell::OnceCell;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_format::catalog::encode::DEFER;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::segment::{Group, Segment};

use crate::bits::Bits;
use crate::code_counts::{CodeCounts, SideCounts};
use crate::selection::Selection;

/// Counts the values of every key, indexed by key number, among the records of `among` (`None`: all); duplicate records
/// do not count. `None` if cancelled.
pub fn tally(
    snapshot: &Snapshot,
    inside: &Selection,
    among: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Vec<CodeCounts>> {
    let keys = snapshot.catalog.keys.len();
    let none = || vec![CodeCounts::default(); keys];
    let segments = snapshot.segments.len();
    // Few partial sums, as each may be large, but enough to keep all threads busy.
    let each = segments.div_ceil(2 * rayon::current_num_threads()).max(1);
    let parts = (0..segments).into_par_iter().with_min_len(each);
    let sum = parts
        .fold(none, |mut counts, index| {
            if !cancel.is_cancelled() {
                of_segment(snapshot, index, (inside, among), &mut counts);
            }
            counts
        })
        .reduce(none, |mut a, mut b| {
            for (a, b) in a.iter_mut().zip(&mut b) {
                if a.added < b.added {
                    std::mem::swap(a, b);
                }
                a.absorb(b);
            }
            a
        });
    (!cancel.is_cancelled()).then_some(sum)
}

/// Side of a row that is not counted (0: outside the selection, 1: inside).
const NOT_COUNTED: u8 = 2;

/// Where a group stores the values of a key.
enum Origin<'a> {
    Column(&'a Column),
    Const(Code),
}

/// A group that is being counted.
struct Rows<'a> {
    snapshot: &'a Snapshot,
    segment: &'a Segment,
    group: &'a Group,
    /// Side of each row of the group, an index into a [`SideCounts`]; [`NOT_COUNTED`] if the row is not counted.
    sides: Vec<u8>,
    /// Number of rows on each side.
    all: SideCounts,
    /// Keys that occur in paths, ascending.
    paths: &'a [KeyId],
    /// Runs of rows of one part, or of one context, with the number of rows on each side.
    parts: OnceCell<Vec<(usize, SideCounts)>>,
    contexts: OnceCell<Vec<(Code, SideCounts)>>,
}

fn of_segment(
    snapshot: &Snapshot,
    index: usize,
    (inside, among): (&Selection, Option<&Selection>),
    counts: &mut [CodeCounts],
) {
    let segment = &*snapshot.segments[index];
    let base = snapshot.bases[index];
    let chosen = inside.segment(index);
    let of_all = among.map(|a| a.segment(index));
    let mut copies: Option<Bits> = None;
    for copy in snapshot.duplicates.among(base, base + segment.len() as u32) {
        let bits = copies.get_or_insert_with(|| Bits::none(segment.len()));
        bits.set((copy - base) as usize);
    }
    let mut paths: Vec<KeyId> = segment
        .parts
        .iter()
        .filter_map(|part| snapshot.source(part.source))
        .flat_map(|source| source.consts.iter().map(|c| c.0))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    for (number, group) in segment.groups.iter().enumerate() {
        let side = |row: &u16| {
            let row = usize::from(*row);
            let is_other = of_all.is_some_and(|a| a.is_none_or(|bits| !bits.get(row)));
            match is_other || copies.as_ref().is_some_and(|c| c.get(row)) {
                true => NOT_COUNTED,
                false => u8::from(chosen.is_some_and(|c| c.get(row))),
            }
        };
        let side: Vec<u8> = group.rows.iter().map(side).collect();
        let count = |of: u8| side.iter().filter(|s| **s == of).count() as u32;
        let rows = Rows {
            snapshot,
            segment,
            group,
            all: [count(0), count(1)],
            sides: side,
            paths: &paths,
            parts: OnceCell::new(),
            contexts: OnceCell::new(),
        };
        let mut origins: Vec<(KeyId, Origin<'_>)> = Vec::new();
        let own = group.columns.iter();
        origins.extend(own.map(|(key, column)| (*key, Origin::Column(column))));
        if let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) {
            let consts = shape.consts.iter();
            origins.extend(consts.map(|(key, code)| (*key, Origin::Const(*code))));
        }
        let derived = snapshot.derived.columns(index, number).iter();
        origins.extend(derived.map(|c| (c.key, Origin::Column(&c.cells))));
        let contexts = snapshot.catalog.context_keys.iter().copied();
        let named = origins.iter().map(|o| o.0);
        let mut keys: Vec<KeyId> = named.chain(contexts).chain(paths.iter().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let own = origins.iter().filter(|o| o.0 == key).map(|o| &o.1);
            let own: Vec<&Origin<'_>> = own.collect();
            if let Some(counts) = counts.get_mut(key.index()) {
                rows.key(key, &own, counts);
            }
        }
    }
}

impl Rows<'_> {
    fn key(&self, key: KeyId, own: &[&Origin<'_>], counts: &mut CodeCounts) {
        counts.added += self.sides.len();
        let in_context = self.snapshot.catalog.context_keys.contains(&key);
        let in_path = self.paths.binary_search(&key).is_ok();
        let simple = match own {
            [Origin::Const(code)] if !in_context => self.constant(*code, counts),
            [Origin::Column(column)] if !in_context => self.column(column, in_path, counts),
            [] if !(in_context && in_path) => {
                self.shared(key, in_context, counts);
                true
            }
            _ => false,
        };
        if !simple {
            self.each(key, own, in_context, counts);
        }
    }

    /// Counts values that all rows of a context or of a part share.
    fn shared(&self, key: KeyId, in_context: bool, counts: &mut CodeCounts) {
        let catalog = &self.snapshot.catalog;
        let dict = catalog.keys.get(key).map(|k| &k.dict);
        let mut codes: Vec<Code> = Vec::new();
        let mut take = |values: Option<&[(KeyId, Code)]>, pair: SideCounts| {
            if pair == [0, 0] {
                return;
            }
            codes.clear();
            codes.extend(among(values.unwrap_or_default(), key));
            counts.add_all(&mut codes, dict, pair);
        };
        if in_context {
            for (context, pair) in self.contexts() {
                let values = catalog.contexts.get(*context as usize);
                take(values.map(|values| &**values), *pair);
            }
        } else {
            for (part, pair) in self.parts() {
                let source = self.snapshot.source(self.segment.parts[*part].source);
                take(source.map(|source| &*source.consts), *pair);
            }
        }
    }

    fn parts(&self) -> &[(usize, SideCounts)] {
        self.parts.get_or_init(|| match &*self.segment.parts {
            [_] => vec![(0, self.all)],
            _ => self.runs(|row| Some(self.segment.part_index(row))),
        })
    }

    /// Contexts of the rows with their counts, each context once.
    fn contexts(&self) -> &[(Code, SideCounts)] {
        self.contexts.get_or_init(|| {
            let mut runs = self.runs(|row| self.segment.context(row).map(|context| context.0));
            runs.sort_unstable_by_key(|(context, _)| *context);
            runs.dedup_by(|next, sum| {
                let is_same = next.0 == sum.0;
                if is_same {
                    sum.1 = [sum.1[0] + next.1[0], sum.1[1] + next.1[1]];
                }
                is_same
            });
            runs
        })
    }

    /// Runs of consecutive rows with an equal property.
    fn runs<T: PartialEq>(&self, of: impl Fn(usize) -> Option<T>) -> Vec<(T, SideCounts)> {
        let mut out: Vec<(T, SideCounts)> = Vec::new();
        for (row, side) in self.group.rows.iter().zip(&self.sides) {
            let Some(one) = of(usize::from(*row)) else {
                continue;
            };
            if out.last().is_none_or(|(last, _)| *last != one) {
                out.push((one, [0, 0]));
            }
            if let Some((_, pair)) = out.last_mut()
                && let Some(n) = pair.get_mut(usize::from(*side))
            {
                *n += 1;
            }
        }
        out
    }

    fn constant(&self, code: Code, counts: &mut CodeCounts) -> bool {
        match code {
            NONE => return false,
            DEFER => counts.defer(self.all),
            code => counts.add(code, self.all),
        }
        true
    }

    /// Counts a column in its packed form. Returns `false` for columns that must be counted row by row: lists, and
    /// columns with absent values if the path may have a value.
    fn column(&self, column: &Column, in_path: bool, counts: &mut CodeCounts) -> bool {
        let is_there = |code: Code| code != NONE && code != DEFER;
        let fits = |codes: &[Code]| !in_path || !codes.contains(&NONE);
        match column {
            Column::Const(code) => return self.constant(*code, counts),
            Column::Dict { codes, index } if fits(codes) => {
                let sums = self.histogram(index);
                for (code, pair) in codes.iter().zip(sums) {
                    match *code {
                        NONE => {}
                        DEFER => counts.defer(pair),
                        code => counts.add(code, pair),
                    }
                }
            }
            Column::Byte { base, offsets } if is_there(base.saturating_add(255)) => {
                let sums = self.histogram(offsets);
                for (code, pair) in (*base..).zip(sums).filter(|(_, p)| *p != [0, 0]) {
                    counts.add(code, pair);
                }
            }
            Column::Short { base, offsets } if is_there(base.saturating_add(0xffff)) => {
                for (offset, side) in offsets.iter().zip(&self.sides) {
                    if let Some(n) = counts
                        .slot(base + Code::from(*offset))
                        .get_mut(usize::from(*side))
                    {
                        *n += 1;
                    }
                }
            }
            Column::Wide(codes) if fits(codes) => {
                for (code, side) in codes.iter().zip(&self.sides) {
                    let pair = match *code {
                        NONE => continue,
                        DEFER => &mut counts.deferred,
                        code => counts.slot(code),
                    };
                    if let Some(n) = pair.get_mut(usize::from(*side)) {
                        *n += 1;
                    }
                }
            }
            _ => return false,
        }
        true
    }

    fn histogram(&self, bytes: &[u8]) -> [SideCounts; 256] {
        let mut sums = [[0; 3]; 256];
        for (byte, side) in bytes.iter().zip(&self.sides) {
            sums[usize::from(*byte)][usize::from((*side).min(NOT_COUNTED))] += 1;
        }
        sums.map(|[outside, inside, _]| [outside, inside])
    }

    /// Counts row by row: the distinct values of each record, or those of its path if the record has none.
    fn each(&self, key: KeyId, own: &[&Origin<'_>], in_context: bool, counts: &mut CodeCounts) {
        let catalog = &self.snapshot.catalog;
        let dict = catalog.keys.get(key).map(|k| &k.dict);
        let mut part = (usize::MAX, Vec::new());
        let mut context = (NONE, Vec::new());
        let mut codes: Vec<Code> = Vec::new();
        for (place, row) in self.group.rows.iter().enumerate() {
            let row = usize::from(*row);
            let side = usize::from(self.sides[place]);
            if side == usize::from(NOT_COUNTED) {
                continue;
            }
            codes.clear();
            for origin in own {
                match origin {
                    Origin::Const(code) => codes.push(*code),
                    Origin::Column(column) => match column.cell(place) {
                        Cell::Absent => {}
                        Cell::One(code) => codes.push(code),
                        Cell::Many(all) => codes.extend_from_slice(all),
                        Cell::Deferred => codes.push(DEFER),
                    },
                }
            }
            if in_context && let Some(at) = self.segment.context(row) {
                if context.0 != at.0 {
                    context = (at.0, Vec::new());
                    if let Some(values) = catalog.contexts.get(at.index()) {
                        context.1.extend(among(values, key));
                    }
                }
                codes.extend_from_slice(&context.1);
            }
            codes.retain(|code| *code != NONE);
            if codes.is_empty() {
                let at = self.segment.part_index(row);
                if part.0 != at {
                    part = (at, Vec::new());
                    if let Some(source) = self.snapshot.source(self.segment.parts[at].source) {
                        part.1.extend(among(&source.consts, key));
                    }
                }
                codes.extend_from_slice(&part.1);
            }
            let mut one = [0, 0];
            one[side] = 1;
            counts.add_all(&mut codes, dict, one);
        }
    }
}

/// Returns the codes of a key in a list of (key, code) pairs.
fn among(values: &[(KeyId, Code)], key: KeyId) -> impl Iterator<Item = Code> + '_ {
    let own = values.iter().filter(move |(k, _)| *k == key);
    own.map(|(_, code)| *code).filter(|code| *code != NONE)
}
