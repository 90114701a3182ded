//! The order in which layouts are tried on a source that no path claims, computed from the samples of definitions.
//!
//! A layout that also fits samples written for another one is the vaguer of the two and is tried later, so that nobody
//! keeps priorities by hand.

use std::sync::Arc;

use super::kinds::Compiled;
use super::layout::Layout;
use super::pattern::Spans;
use super::reader::first_line;

/// Numbers of the layouts that can be known by content, those that fit least first.
pub(super) fn order(compiled: &Compiled) -> Vec<usize> {
    let mut candidates: Vec<usize> = Vec::new();
    for (_, slot) in compiled.content_slots() {
        for layout in &slot.layouts {
            if !candidates.contains(layout) {
                candidates.push(*layout);
            }
        }
    }
    let layouts: Vec<(usize, Arc<Layout>)> = candidates
        .into_iter()
        .filter_map(|n| Some((n, compiled.layout(n)?)))
        .collect();
    let fits = fit_table(compiled, &layouts);
    let foreign = |i: usize| (0..layouts.len()).filter(|j| fits[i][*j]).count();
    let before = |i: usize, j: usize| fits[j][i] && !fits[i][j];
    let mut left: Vec<usize> = (0..layouts.len()).collect();
    left.sort_by_key(|i| (foreign(*i), *i));
    let mut out = Vec::new();
    while !left.is_empty() {
        // The first that nothing left must precede; in a circle of three or more, the first of all.
        let next = left
            .iter()
            .position(|i| !left.iter().any(|j| before(*j, *i)))
            .unwrap_or(0);
        out.push(layouts[left.remove(next)].0);
    }
    out
}

/// `[i][j]`: layout i fits a sample that was written for layout j.
fn fit_table(compiled: &Compiled, layouts: &[(usize, Arc<Layout>)]) -> Vec<Vec<bool>> {
    let mut fits = vec![vec![false; layouts.len()]; layouts.len()];
    let mut spans = Spans::new();
    for (s, system) in compiled.systems.iter().enumerate() {
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
