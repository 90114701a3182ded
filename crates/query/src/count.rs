//! Count of matching records without a selection where possible.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_store::segment::Segment;

use crate::columns::{answer, columns_of, each_state, shape_state, source_state};
use crate::expr::Expr;
use crate::program::{KeyLeaf, Leaf, Node, Program};
use crate::select::select;
use crate::value::state::{DEFERRED, YES};

/// Number of records for which an expression holds, equal to the length of the result of [`select`]; `None` if
/// cancelled.
#[must_use]
pub fn count(snapshot: &Snapshot, expr: &Expr, cancel: &Cancel) -> Option<usize> {
    let program = Program::new(snapshot, expr);
    let segments = 0..snapshot.segments.len();
    let counted: Option<usize> = segments
        .into_par_iter()
        .map(|index| {
            if cancel.is_cancelled() {
                return None;
            }
            let quick = node(snapshot, index, &program, &program.root);
            quick.or_else(|| {
                let answers = answer(snapshot, index, &program);
                (!answers.whole.is_undecided()).then(|| answers.whole.yes.count())
            })
        })
        .sum();
    match counted {
        Some(count) if !cancel.is_cancelled() => Some(count),
        // Some rows can be decided by their text only.
        _ => Some(select(snapshot, expr, cancel)?.len()),
    }
}

/// Counts by whole groups, parts and columns; `None` if rows must be examined one by one.
fn node(snapshot: &Snapshot, index: usize, program: &Program, at: &Node) -> Option<usize> {
    let segment = &*snapshot.segments[index];
    match at {
        Node::Leaf(leaf) => match &program.leaves[*leaf] {
            Leaf::Const(true) => Some(segment.len()),
            Leaf::Const(false) => Some(0),
            Leaf::Shape(shapes) => {
                let groups = segment.groups.iter();
                let fits = groups.filter(|g| shapes.get(g.shape.index()) == Some(&true));
                Some(fits.map(|g| g.rows.len()).sum())
            }
            Leaf::Source(sources) => {
                let parts = segment.parts.iter();
                let fits = parts.filter(|p| sources.get(p.source.index()) == Some(&true));
                Some(fits.map(|p| p.rows as usize).sum())
            }
            Leaf::Key(key) => by_key(snapshot, index, segment, key),
            Leaf::HasTime | Leaf::Time(..) | Leaf::Text(_) => None,
        },
        Node::Not(inner) => Some(segment.len() - node(snapshot, index, program, inner)?),
        Node::And(_) | Node::Or(_) => None,
    }
}

/// Counts the matches of a key test, provided that each row has the key in at most one place; else `None`.
fn by_key(snapshot: &Snapshot, index: usize, segment: &Segment, leaf: &KeyLeaf) -> Option<usize> {
    if !leaf.contexts.is_empty() {
        return None;
    }
    let (mut count, mut all, mut in_records) = (0, 0, false);
    for (number, group) in segment.groups.iter().enumerate() {
        let own = shape_state(leaf, group.shape.index());
        let derived = snapshot.derived.columns(index, number).iter();
        let derived = derived.filter(|c| c.key == leaf.key).map(|c| &c.cells);
        let mut columns = columns_of(&group.columns, leaf.key).chain(derived);
        let column = columns.next();
        if columns.next().is_some() || (own != 0 && column.is_some()) {
            return None;
        }
        in_records |= own != 0 || column.is_some();
        all |= own;
        if own & YES != 0 {
            count += group.rows.len();
        }
        if let Some(column) = column {
            each_state(column, group.rows.len(), leaf, |_, state| {
                count += usize::from(state & YES != 0);
                all |= state;
            });
        }
    }
    for part in &segment.parts {
        let path = source_state(leaf, part.source.index());
        if path != 0 && in_records {
            return None;
        }
        all |= path;
        if path & YES != 0 {
            count += part.rows as usize;
        }
    }
    (all & DEFERRED == 0).then_some(count)
}
