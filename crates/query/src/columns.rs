//! Evaluates the leaves of a query for the rows of a segment from columns alone.

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_format::reader::Syntax;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::segment::{Group, Part, Segment};
use widetui_time::time::NO_TIME;

use crate::bits::Bits;
use crate::expr::Op;
use crate::program::{KeyLeaf, Leaf, Node, Program};
use crate::value::state;

/// Result from columns: rows that match, and rows that may match. The difference must be decided from the text.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(crate) yes: Bits,
    /// Rows that may match, including those of `yes`; `None`, the usual case, if both sets are equal.
    may: Option<Bits>,
}

impl Answer {
    fn exact(yes: Bits) -> Answer {
        Answer { yes, may: None }
    }

    fn open(yes: Bits, may: Bits) -> Answer {
        let may = Some(may).filter(|may| *may != yes);
        Answer { yes, may }
    }

    /// Rows that match or may match.
    pub(crate) fn candidates(&self) -> &Bits {
        self.may.as_ref().unwrap_or(&self.yes)
    }

    /// Whether there are rows that only the text can decide.
    pub(crate) fn is_undecided(&self) -> bool {
        self.may.as_ref().is_some_and(|may| *may != self.yes)
    }

    fn inverted(self) -> Answer {
        let inverse = |mut bits: Bits| {
            bits.invert();
            bits
        };
        match self.may {
            None => Answer::exact(inverse(self.yes)),
            Some(may) => Answer::open(inverse(may), inverse(self.yes)),
        }
    }

    /// Combines both sets with those of another answer.
    fn combine(&mut self, other: &Answer, join: impl Fn(&mut Bits, &Bits)) {
        if self.may.is_some() || other.may.is_some() {
            let may = self.may.get_or_insert_with(|| self.yes.clone());
            join(may, other.candidates());
        }
        join(&mut self.yes, &other.yes);
    }
}

/// Answers of the leaves and of the whole expression.
#[derive(Debug)]
pub(super) struct Answers {
    /// By leaf number; empty if columns decide all rows.
    pub(crate) leaves: Vec<Answer>,
    pub(crate) whole: Answer,
}

impl Answers {
    /// Answer for a segment of `rows` rows that is not examined: no row matches; leaves are not evaluated.
    pub(crate) fn no_match(rows: usize) -> Answers {
        Answers {
            leaves: Vec::new(),
            whole: Answer::exact(Bits::none(rows)),
        }
    }
}

/// Evaluates a program on the segment with this index.
pub(super) fn answer(snapshot: &Snapshot, segment: usize, program: &Program) -> Answers {
    let whole = node(snapshot, segment, program, &program.root);
    // The answers of the leaves are needed only if records must be read.
    let leaves = program.leaves.iter().filter(|_| whole.is_undecided());
    let leaves = leaves.map(|l| leaf(snapshot, segment, l)).collect();
    Answers { leaves, whole }
}

fn node(snapshot: &Snapshot, segment: usize, program: &Program, at: &Node) -> Answer {
    let rows = snapshot.segments[segment].len();
    let ask = |at| node(snapshot, segment, program, at);
    match at {
        Node::Leaf(index) => leaf(snapshot, segment, &program.leaves[*index]),
        Node::Not(inner) => ask(inner).inverted(),
        Node::And(parts) => {
            let Some((first, others)) = parts.split_first() else {
                return Answer::exact(Bits::all(rows));
            };
            let mut all = ask(first);
            for part in others {
                if !all.candidates().any() {
                    break;
                }
                all.combine(&ask(part), Bits::and);
            }
            all
        }
        Node::Or(parts) => {
            let Some((first, others)) = parts.split_first() else {
                return Answer::exact(Bits::none(rows));
            };
            let mut any = ask(first);
            for part in others {
                if any.yes.count() == rows {
                    break;
                }
                any.combine(&ask(part), Bits::or);
            }
            any
        }
    }
}

fn leaf(snapshot: &Snapshot, index: usize, leaf: &Leaf) -> Answer {
    let segment = &*snapshot.segments[index];
    let len = segment.len();
    match leaf {
        Leaf::Const(true) => Answer::exact(Bits::all(len)),
        Leaf::Const(false) => Answer::exact(Bits::none(len)),
        Leaf::Shape(shapes) => Answer::exact(rows_of_shapes(segment, shapes)),
        Leaf::Source(sources) => {
            let mut bits = Bits::none(len);
            for part in &segment.parts {
                if sources.get(part.source.index()) == Some(&true) {
                    let first = part.first_row as usize;
                    bits.set_range(first, first + part.rows as usize);
                }
            }
            Answer::exact(bits)
        }
        Leaf::HasTime => Answer::exact(times(snapshot, segment, |_| true)),
        Leaf::Time(op, wanted) => Answer::exact(times(snapshot, segment, |t| {
            wanted.iter().any(|w| match op {
                Op::Lt => t < *w,
                Op::Le => t <= *w,
                Op::Gt => t > *w,
                Op::Ge => t >= *w,
                _ => t == *w,
            })
        })),
        Leaf::Key(key) if is_in_groups(segment, key) => rows_from_groups(snapshot, index, key),
        Leaf::Key(key) => match states(snapshot, index, key) {
            None => Answer::exact(Bits::none(len)),
            Some(states) => {
                let yes = Bits::from_flags(&states, state::YES);
                let all = states.iter().fold(0, |all, s| all | s);
                if all & state::DEFERRED == 0 {
                    return Answer::exact(yes);
                }
                let mut can = Bits::from_flags(&states, state::DEFERRED);
                can.or(&yes);
                Answer::open(yes, can)
            }
        },
        Leaf::Text(text) => {
            let yes = rows_of_shapes(segment, &text.certain);
            let mut can = rows_to_read(snapshot, segment, &text.never);
            can.or(&yes);
            Answer::open(yes, can)
        }
    }
}

/// Whether the key is absent from the contexts and from the paths of the segment's sources.
fn is_in_groups(segment: &Segment, leaf: &KeyLeaf) -> bool {
    let in_path = |p: &Part| source_state(leaf, p.source.index()) != 0;
    leaf.contexts.is_empty() && !segment.parts.iter().any(in_path)
}

/// Returns the rows that match by their groups, without a state per row: matches are usually few.
fn rows_from_groups(snapshot: &Snapshot, index: usize, leaf: &KeyLeaf) -> Answer {
    let segment = &*snapshot.segments[index];
    let mut yes = Bits::none(segment.len());
    let mut deferred: Option<Bits> = None;
    for (at, group) in segment.groups.iter().enumerate() {
        let mut take = |row: u16, state: u8| {
            if state & state::YES != 0 {
                yes.set(usize::from(row));
            }
            if state & state::DEFERRED != 0 {
                let deferred = deferred.get_or_insert_with(|| Bits::none(segment.len()));
                deferred.set(usize::from(row));
            }
        };
        let own = shape_state(leaf, group.shape.index());
        if own & (state::YES | state::DEFERRED) != 0 {
            group.rows.iter().for_each(|row| take(*row, own));
        }
        let derived = snapshot.derived.columns(index, at).iter();
        let derived = derived.filter(|c| c.key == leaf.key).map(|c| &c.cells);
        let columns = columns_of(&group.columns, leaf.key).chain(derived);
        for column in columns.filter(|column| !excludes_all_cells(column, leaf)) {
            each_state(column, group.rows.len(), leaf, |place, state| {
                if let Some(row) = group.rows.get(place) {
                    take(*row, state);
                }
            });
        }
    }
    match deferred {
        None => Answer::exact(yes),
        Some(mut can) => {
            can.or(&yes);
            Answer::open(yes, can)
        }
    }
}

/// Whether the dictionary of a column alone shows that no cell matches.
fn excludes_all_cells(column: &Column, leaf: &KeyLeaf) -> bool {
    let is_nothing = |code: &Code| leaf.test.state(*code) & (state::YES | state::DEFERRED) == 0;
    match column {
        Column::Const(code) => is_nothing(code),
        Column::Dict { codes, .. } => codes.iter().all(is_nothing),
        _ => false,
    }
}

fn rows_of_shapes(segment: &Segment, shapes: &[bool]) -> Bits {
    let mut bits = Bits::none(segment.len());
    for group in &segment.groups {
        if shapes.get(group.shape.index()) == Some(&true) {
            group.rows.iter().for_each(|row| bits.set(*row as usize));
        }
    }
    bits
}

/// Returns the rows whose text must be read, as their shape does not exclude a match. `never` holds the shapes of which
/// no one-line record matches.
fn rows_to_read(snapshot: &Snapshot, segment: &Segment, never: &[bool]) -> Bits {
    let is_never = |group: &&Group| never.get(group.shape.index()) == Some(&true);
    if !segment.groups.iter().any(|group| is_never(&group)) {
        return Bits::all(segment.len());
    }
    let mut bits = Bits::none(segment.len());
    for group in segment.groups.iter().filter(|group| !is_never(group)) {
        group.rows.iter().for_each(|row| bits.set(*row as usize));
    }
    for row in segment.continued_rows.iter() {
        bits.set(usize::from(*row));
    }
    for part in segment.parts.iter().filter(|part| part.rows > 0) {
        let (first, end) = (
            part.first_row as usize,
            (part.first_row + part.rows) as usize,
        );
        let source = snapshot.source(part.source);
        let reader = source.and_then(|s| s.reader.as_ref());
        match reader.map(|r| &r.syntax) {
            Some(Syntax::Lines(_)) => bits.set(end - 1),
            // Messages of structured records are not built from the literals of their shapes.
            _ => bits.set_range(first, end),
        }
    }
    bits
}

fn times(snapshot: &Snapshot, segment: &Segment, wanted: impl Fn(i64) -> bool) -> Bits {
    let mut bits = Bits::none(segment.len());
    for part in &segment.parts {
        let Some(source) = snapshot.source(part.source) else {
            continue;
        };
        for row in part.first_row as usize..(part.first_row + part.rows) as usize {
            let time = segment.utc(source, row);
            if time != NO_TIME && wanted(time) {
                bits.set(row);
            }
        }
    }
    bits
}

/// Returns the state of every row of a segment; `None` if no row has the key.
pub(super) fn states(snapshot: &Snapshot, index: usize, leaf: &KeyLeaf) -> Option<Vec<u8>> {
    let segment = &*snapshot.segments[index];
    let derived = |group: usize| {
        let columns = snapshot.derived.columns(index, group).iter();
        columns.filter(|c| c.key == leaf.key)
    };
    let in_group = |(at, g): (usize, &widetui_store::segment::Group)| {
        g.columns.iter().any(|(k, _)| *k == leaf.key)
            || shape_state(leaf, g.shape.index()) != 0
            || derived(at).next().is_some()
    };
    let in_path = |p: &widetui_store::segment::Part| source_state(leaf, p.source.index()) != 0;
    let relevant = !leaf.contexts.is_empty()
        || segment.groups.iter().enumerate().any(in_group)
        || segment.parts.iter().any(in_path);
    if !relevant {
        return None;
    }
    let mut states = vec![0u8; segment.len()];
    for (at, group) in segment.groups.iter().enumerate() {
        let own = shape_state(leaf, group.shape.index());
        if own != 0 {
            group
                .rows
                .iter()
                .for_each(|row| states[*row as usize] |= own);
        }
        for column in columns_of(&group.columns, leaf.key) {
            column_states(column, &group.rows, leaf, &mut states);
        }
        for column in derived(at) {
            column_states(&column.cells, &group.rows, leaf, &mut states);
        }
    }
    if !leaf.contexts.is_empty() {
        for (row, slot) in states.iter_mut().enumerate() {
            if let Some(context) = segment.context(row) {
                *slot |= leaf.contexts.get(context.index()).copied().unwrap_or(0);
            }
        }
    }
    // A record's own value takes precedence over the value in its path.
    for part in &segment.parts {
        let path = source_state(leaf, part.source.index());
        if path != 0 {
            let first = part.first_row as usize;
            for state in &mut states[first..first + part.rows as usize] {
                *state = if *state == 0 { path } else { *state };
            }
        }
    }
    Some(states)
}

pub(super) fn shape_state(leaf: &KeyLeaf, shape: usize) -> u8 {
    leaf.shapes.get(shape).copied().unwrap_or(0)
}

pub(super) fn source_state(leaf: &KeyLeaf, source: usize) -> u8 {
    leaf.sources.get(source).copied().unwrap_or(0)
}

/// Returns the columns of a key; several if a message contains it more than once.
pub(super) fn columns_of(
    columns: &[(KeyId, Column)],
    key: KeyId,
) -> impl Iterator<Item = &Column> + '_ {
    columns
        .iter()
        .filter(move |(k, _)| *k == key)
        .map(|(_, c)| c)
}

/// Merges the states of a column's cells into those of its rows.
fn column_states(column: &Column, rows: &[u16], leaf: &KeyLeaf, states: &mut [u8]) {
    each_state(column, rows.len(), leaf, |place, state| {
        if let Some(row) = rows.get(place) {
            states[*row as usize] |= state;
        }
    });
}

/// Number of rows from which a table of the states of all 256 byte values is worthwhile.
const TABLE_FROM: usize = 1 << 9;

/// Calls `f` with the state of each cell of a column of `rows` rows.
#[inline]
pub(super) fn each_state(
    column: &Column,
    rows: usize,
    leaf: &KeyLeaf,
    mut f: impl FnMut(usize, u8),
) {
    let test = |code: Code| leaf.test.state(code);
    match column {
        Column::Const(code) => {
            let own = test(*code);
            (0..rows).for_each(|place| f(place, own));
        }
        Column::Byte { base, offsets } if rows >= TABLE_FROM => {
            // One table look-up per row; codes beyond the end of the table do not occur.
            let table: [u8; 256] = std::array::from_fn(|o| test(base.saturating_add(o as u32)));
            for (place, offset) in offsets.iter().enumerate() {
                f(place, table[usize::from(*offset)]);
            }
        }
        Column::Byte { base, offsets } => {
            for (place, offset) in offsets.iter().enumerate() {
                f(place, test(base + u32::from(*offset)));
            }
        }
        Column::Dict { codes, index } => {
            let of = |at: usize| codes.get(at).map_or(0, |c| test(*c));
            let table: [u8; 256] = std::array::from_fn(of);
            for (place, at) in index.iter().enumerate() {
                f(place, table[usize::from(*at)]);
            }
        }
        Column::Short { base, offsets } => {
            for (place, offset) in offsets.iter().enumerate() {
                f(place, test(base + u32::from(*offset)));
            }
        }
        Column::Wide(codes) => {
            for (place, code) in codes.iter().enumerate() {
                f(place, test(*code));
            }
        }
        Column::Lists { .. } => {
            for place in 0..rows {
                let state = match column.cell(place) {
                    Cell::Absent => 0,
                    Cell::One(code) => test(code),
                    Cell::Many(codes) => codes.iter().fold(0, |s, c| s | test(*c)),
                    Cell::Deferred => test(widetui_format::catalog::encode::DEFER),
                };
                f(place, state);
            }
        }
    }
}
