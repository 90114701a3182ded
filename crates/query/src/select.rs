//! Evaluation of a query on all records: first on columns, with all segments in parallel; then, for rows that only the
//! text can decide, by reading these records, with all sources in parallel and each in file order.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_format::fields::Fields;
use widetui_format::reader::Reader;
use widetui_store::{Snapshot, Source};

use crate::bits::Bits;
use crate::bulk_search::FileOrderRows;
use crate::columns::{Answers, answer};
use crate::expr::Expr;
use crate::program::{Leaf, Node, Program};
use crate::scan::{
    Block, RecordSpan, SourceParts, blocks, candidates, parts_by_source, prefilters, readable,
};
use crate::selection::Selection;

/// Number of segment parts per unit of work, so that several threads can share a long source.
const PARTS_AT_ONCE: usize = 4;

/// If at least one row in this many is undecided, the whole part is scanned instead of single records.
const DENSE: usize = 4;

/// Selects the records for which an expression holds; `None` if cancelled. A record that cannot be read has an empty
/// message and no values; its source is then listed in [`Snapshot::read_failures`].
#[must_use]
pub fn select(snapshot: &Snapshot, expr: &Expr, cancel: &Cancel) -> Option<Selection> {
    select_among(snapshot, expr, None, cancel)
}

/// As [`select`], limited to the records of `among` (all if `None`): the result is valid for these records only.
#[must_use]
pub fn select_among(
    snapshot: &Snapshot,
    expr: &Expr,
    among: Option<&[u32]>,
    cancel: &Cancel,
) -> Option<Selection> {
    let program = Program::new(snapshot, expr);
    let asked = among.and_then(|ids| segments_of(snapshot, ids));
    let answers: Vec<Option<Answers>> = snapshot
        .segments
        .par_iter()
        .enumerate()
        .map(|(segment, _)| {
            if cancel.is_cancelled() {
                return None;
            }
            if asked.as_ref().is_some_and(|asked| !asked[segment]) {
                return Some(Answers::no_match(snapshot.segments[segment].len()));
            }
            Some(answer(snapshot, segment, &program))
        })
        .collect();
    let answers: Vec<Answers> = answers.into_iter().collect::<Option<_>>()?;
    let mut open: Vec<Option<Bits>> = answers.iter().map(undecided_rows).collect();
    if let Some(ids) = among.filter(|_| open.iter().any(Option::is_some)) {
        let among = Selection::from_events(snapshot, ids.iter().copied().map(EventId));
        for (index, rows) in open.iter_mut().enumerate() {
            if let (Some(rows), Some(among)) = (rows, among.segment(index)) {
                rows.and(among);
            }
        }
    }
    let is_open = |segment: usize, first, end| {
        open[segment]
            .as_ref()
            .is_some_and(|rows| rows.any_in(first, end))
    };
    // A long source is shared between threads.
    let sources: Vec<SourceParts> = parts_by_source(&snapshot.segments, is_open)
        .into_iter()
        .flat_map(|s| s.in_pieces(PARTS_AT_ONCE))
        .collect();
    let text = TextPass {
        snapshot,
        program: &program,
        answers: &answers,
        open: &open,
        cancel,
    };
    let found: Vec<Vec<RecordSpan>> = sources.par_iter().map(|s| text.source(s)).collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut rows: Vec<Bits> = answers.into_iter().map(|a| a.whole.yes).collect();
    for place in found.into_iter().flatten() {
        rows[place.segment as usize].set(place.row as usize);
    }
    Some(Selection::new(rows))
}

/// Maximum number of records for which finding their segments is worthwhile.
const FEW: usize = 1 << 17;

/// Marks the segments that hold any of these records; `None` for many records, as all segments would be marked.
fn segments_of(snapshot: &Snapshot, ids: &[u32]) -> Option<Vec<bool>> {
    if ids.len() > FEW {
        return None;
    }
    let mut ends = Vec::with_capacity(snapshot.segments.len());
    let mut end = 0;
    for segment in snapshot.segments.iter() {
        end += segment.len() as u32;
        ends.push(end);
    }
    let mut asked = vec![false; ends.len()];
    for id in ids {
        if let Some(slot) = asked.get_mut(ends.partition_point(|end| end <= id)) {
            *slot = true;
        }
    }
    Some(asked)
}

/// Returns the rows that only the text can decide; `None` if there are none.
fn undecided_rows(answers: &Answers) -> Option<Bits> {
    answers.whole.is_undecided().then(|| {
        let mut open = answers.whole.candidates().clone();
        open.and_not(&answers.whole.yes);
        open
    })
}

struct TextPass<'a> {
    snapshot: &'a Snapshot,
    program: &'a Program,
    answers: &'a [Answers],
    open: &'a [Option<Bits>],
    cancel: &'a Cancel,
}

impl TextPass<'_> {
    /// Returns the undecided rows of a source that match.
    fn source(&self, parts: &SourceParts) -> Vec<RecordSpan> {
        let mut found = Vec::new();
        let Some((source, reader)) = readable(self.snapshot, parts.source) else {
            return found;
        };
        let text = self.program.required_text();
        let text = text.and_then(|(leaf, text)| Some((leaf, prefilters(reader, text)?)));
        let mut others = Vec::new();
        for part in &parts.parts {
            let whole = || self.dense(source, *part);
            match text.as_ref().and_then(|text| Some((text, whole()?))) {
                Some(((leaf, patterns), rows)) => {
                    rows.for_each_match(patterns, self.cancel, |hits, bytes, start| {
                        self.evaluate_matches(
                            *leaf,
                            part.0,
                            hits,
                            (bytes, start),
                            reader,
                            &mut found,
                        );
                    })
                }
                None => others.push(*part),
            }
        }
        let places = others.iter().flat_map(|&(index, first, end)| {
            self.open[index]
                .iter()
                .flat_map(move |rows| rows.ones_in(first, end))
                .map(move |row| RecordSpan::of(self.snapshot, index, row))
        });
        blocks(self.snapshot, source, places, self.cancel, |block| {
            let hits = vec![None; self.program.leaves.len()];
            self.block(block, reader, hits, &mut found);
        });
        found
    }

    /// Returns the rows of a part from the first to the last undecided one, if most are undecided.
    fn dense<'s>(
        &'s self,
        source: &'s Source,
        (index, first, end): (usize, usize, usize),
    ) -> Option<FileOrderRows<'s>> {
        let open = self.open[index].as_ref()?;
        let first = open.ones_in(first, end).next()?;
        let end = open.last_in(first, end)? + 1;
        let is_dense = open.count_in(first, end) * DENSE >= end - first;
        is_dense.then(|| FileOrderRows::new(self.snapshot, source, index, first..end))?
    }

    /// Evaluates the records in whose bytes the required text was found.
    fn evaluate_matches(
        &self,
        leaf: usize,
        index: usize,
        hits: &[RecordSpan],
        (bytes, start): (&[u8], u64),
        reader: &Reader,
        found: &mut Vec<RecordSpan>,
    ) {
        let is_open = |place: &&RecordSpan| {
            let open = self.open[index].as_ref();
            open.is_some_and(|rows| rows.get(place.row as usize))
        };
        let places: Vec<RecordSpan> = hits.iter().filter(is_open).copied().collect();
        let block = Block {
            places: &places,
            start,
            bytes,
        };
        let mut known = vec![None; self.program.leaves.len()];
        known[leaf] = Some(vec![true; places.len()]);
        self.block(&block, reader, known, found);
    }

    /// Evaluates the records of a block; `hits` holds the leaves that are already evaluated.
    fn block(
        &self,
        block: &Block<'_>,
        reader: &Reader,
        mut hits: Vec<Option<Vec<bool>>>,
        found: &mut Vec<RecordSpan>,
    ) {
        for (index, place) in block.places.iter().enumerate() {
            let mut row = Row {
                pass: self,
                block,
                reader,
                index,
                place: *place,
                hits: &mut hits,
                message: None,
                fields: None,
            };
            if row.holds(&self.program.root) {
                found.push(*place);
            }
        }
    }
}

/// One record under evaluation; its message and fields are read once and shared by all leaves.
struct Row<'a> {
    pass: &'a TextPass<'a>,
    block: &'a Block<'a>,
    reader: &'a Reader,
    index: usize,
    place: RecordSpan,
    /// By leaf number: which records of the block pass the leaf's prefilter.
    hits: &'a mut [Option<Vec<bool>>],
    message: Option<String>,
    fields: Option<Fields>,
}

impl Row<'_> {
    fn holds(&mut self, node: &Node) -> bool {
        match node {
            Node::Leaf(leaf) => self.leaf(*leaf),
            Node::Not(inner) => !self.holds(inner),
            Node::And(parts) => parts.iter().all(|part| self.holds(part)),
            Node::Or(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }

    fn leaf(&mut self, leaf: usize) -> bool {
        let row = self.place.row as usize;
        let answers = &self.pass.answers[self.place.segment as usize];
        if let Some(answer) = answers.leaves.get(leaf) {
            if answer.yes.get(row) {
                return true;
            }
            if !answer.candidates().get(row) {
                return false;
            }
        }
        let record = self.block.record(self.index);
        let (snapshot, reader) = (self.pass.snapshot, self.reader);
        match &self.pass.program.leaves[leaf] {
            Leaf::Text(text) => {
                let (block, index) = (self.block, self.index);
                let hits = self.hits[leaf].get_or_insert_with(|| candidates(block, reader, text));
                hits[index]
                    && text.is_in(self.message.get_or_insert_with(|| reader.message(record)))
            }
            Leaf::Key(key) => {
                let fields = self
                    .fields
                    .get_or_insert_with(|| reader.fields(record, &snapshot.tables));
                fields
                    .pairs
                    .iter()
                    .filter(|(k, _)| k.id == key.key)
                    .any(|(_, values)| values.iter().any(|v| key.test.accepts_text(v)))
            }
            // All other leaves are decided by columns.
            _ => false,
        }
    }
}
