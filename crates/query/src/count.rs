//! Count of matching events, where it needs no list of them.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_store::segment::Segment;

use crate::columns::{answer, columns_of, each_state, shape_state, source_state};
use crate::expr::Expr;
use crate::program::{KeyLeaf, Leaf, Node, Program};
use crate::select::select;
use crate::value::state::{DEFERRED, YES};

/// The number of events for which an expression holds; `None` when cancelled. The same as the length of what
/// [`select`] gives.
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
                (!answers.whole.is_open()).then(|| answers.whole.yes.count())
            })
        })
        .sum();
    match counted {
        Some(count) if !cancel.is_cancelled() => Some(count),
        // Some of them are told by their text alone.
        _ => Some(select(snapshot, expr, cancel)?.len()),
    }
}

/// By whole groups and columns; nothing where rows must be looked at one by one.
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

/// Where each row has the key at one place at most.
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
