//! Order in which layouts are tried on a source that no path claims, computed from the samples of definitions.
//!
//! A layout that also matches samples of another layout is the looser of the two and is tried later. Thus definitions need
//! no priorities.

use std::sync::Arc;

use crate::definitions::kinds::{Compiled, KindLayouts, SourceKind};
use crate::definitions::try_order::TryOrder;
use crate::fields::first_line;
use crate::layout::Layout;
use crate::pattern::Spans;

impl Compiled {
    /// Layouts that a kind of source declares.
    #[expect(clippy::indexing_slicing, reason = "a kind has the index of its entry")]
    pub(crate) fn layouts_of(&self, kind: &SourceKind) -> &KindLayouts {
        let slot = &self.slots[kind.slot];
        slot.order.get_or_init(|| {
            let order = among(self, &slot.layouts);
            let layouts = order.numbers.iter().filter_map(|l| self.layout(*l));
            KindLayouts {
                layouts: layouts.collect(),
                before: order.before,
            }
        })
    }
}

/// Order of the layouts that are recognised by content.
pub(crate) fn order(compiled: &Compiled) -> TryOrder {
    among(compiled, &compiled.content_layouts())
}

/// Order of some layouts, computed from the samples written for them.
#[expect(
    clippy::indexing_slicing,
    reason = "the table has a row and a column for each layout"
)]
pub(crate) fn among(compiled: &Compiled, candidates: &[usize]) -> TryOrder {
    let layouts: Vec<(usize, Arc<Layout>)> = candidates
        .iter()
        .filter_map(|n| Some((*n, compiled.layout(*n)?)))
        .collect();
    let fits = if layouts.len() > 1 {
        fit_table(compiled, &layouts)
    } else {
        vec![vec![false; layouts.len()]; layouts.len()]
    };
    let foreign = |i: usize| (0..layouts.len()).filter(|j| fits[i][*j]).count();
    let before = |i: usize, j: usize| fits[j][i] && !fits[i][j];
    let mut left: Vec<usize> = (0..layouts.len()).collect();
    left.sort_by_key(|i| (foreign(*i), *i));
    let mut out: Vec<usize> = Vec::new();
    while !left.is_empty() {
        // The first layout that no remaining layout must precede; in a cycle of three or more, the first of all.
        let next = left
            .iter()
            .position(|i| !left.iter().any(|j| before(*j, *i)))
            .unwrap_or(0);
        out.push(left.remove(next));
    }
    let place = |i: usize| out.iter().position(|o| *o == i);
    TryOrder {
        before: out
            .iter()
            .map(|i| {
                let narrower = (0..layouts.len()).filter(|j| before(*j, *i));
                narrower.filter_map(place).collect()
            })
            .collect(),
        numbers: out.iter().map(|i| layouts[*i].0).collect(),
    }
}

/// Chosen layouts, each preceded by the layouts that must be tried before it (if `keep` accepts their index).
pub(crate) fn chain(
    all: &[Arc<Layout>],
    before: &[Vec<usize>],
    chosen: &[Arc<Layout>],
    keep: impl Fn(usize) -> bool,
) -> Vec<Arc<Layout>> {
    let place = |layout: &Arc<Layout>| all.iter().position(|l| Arc::ptr_eq(l, layout));
    let mut out: Vec<usize> = Vec::new();
    for layout in chosen.iter().filter_map(place) {
        // All layouts that it has to wait for, farthest last; each is inserted once, before the first layout that needs
        // it.
        let mut waits = vec![layout];
        let mut next = 0;
        while let Some(at) = waits.get(next).copied() {
            next += 1;
            for narrower in before.get(at).into_iter().flatten() {
                if !waits.contains(narrower) && keep(*narrower) {
                    waits.push(*narrower);
                }
            }
        }
        // Indices ascend from narrow to loose.
        let mut waits = waits.split_off(1);
        waits.sort_unstable();
        let front = out.iter().position(|o| *o == layout);
        let mut at = front.unwrap_or(out.len());
        for narrower in &waits {
            match out.iter().position(|o| o == narrower) {
                Some(there) if there < at => {}
                Some(there) => {
                    out.remove(there);
                    out.insert(at, *narrower);
                    at += 1;
                }
                None => {
                    out.insert(at, *narrower);
                    at += 1;
                }
            }
        }
        if front.is_none() {
            out.push(layout);
        }
    }
    let layouts = out.into_iter().filter_map(|at| all.get(at));
    layouts.cloned().collect()
}

/// Matrix of matches: `[i][j]` is set if layout i matches a sample written for layout j.
#[expect(
    clippy::indexing_slicing,
    reason = "the table has a row and a column for each layout"
)]
fn fit_table(compiled: &Compiled, layouts: &[(usize, Arc<Layout>)]) -> Vec<Vec<bool>> {
    let mut fits = vec![vec![false; layouts.len()]; layouts.len()];
    let mut spans = Spans::new();
    for (s, system) in compiled.systems.iter().enumerate() {
        // The samples of a system were written for its own layouts.
        if !layouts.iter().any(|l| compiled.is_layout_of(l.0, s)) {
            continue;
        }
        for sample in &system.def.sample {
            let (line, _) = first_line(sample.line.get_ref().as_bytes());
            let named = sample
                .layout
                .as_ref()
                .and_then(|n| compiled.layout_named(s, n.get_ref()));
            let own = match named {
                Some(number) => layouts.iter().position(|l| l.0 == number),
                None => layouts.iter().position(|(number, layout)| {
                    compiled.is_layout_of(*number, s) && layout.is_header(line, &mut spans)
                }),
            };
            let Some(own) = own else { continue };
            for (i, (_, layout)) in layouts.iter().enumerate() {
                if i != own && layout.is_header(line, &mut spans) {
                    fits[i][own] = true;
                }
            }
        }
    }
    fits
}
