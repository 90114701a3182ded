//! Headers of the lines of a sample. Detection asks for the same ones again and again: for each kind that has a layout, for each
//! layout of a kind, and for the lines that are left.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::layout::{HeaderSpans, Layout};
use crate::pattern::Spans;

/// Line that is the first of a record in a layout.
#[derive(Debug)]
pub(crate) struct Header {
    /// Times and message.
    pub(crate) parts: HeaderSpans,
    /// Fields of the pattern.
    pub(crate) spans: Spans,
}

/// Headers by layout and line, each found once.
#[derive(Debug, Default)]
pub(crate) struct Headers(RefCell<FxHashMap<usize, OfLayout>>);

/// Headers in a layout, by the addresses of the lines.
#[derive(Debug)]
struct OfLayout {
    /// Holder of the address by which the layout is found.
    layout: Arc<Layout>,
    lines: FxHashMap<usize, Option<Rc<Header>>>,
}

impl Headers {
    /// Header of a line of the sample in a layout; `None` if it has none.
    pub(crate) fn get(&self, layout: &Arc<Layout>, line: &[u8]) -> Option<Rc<Header>> {
        if layout.rejects(line) {
            return None;
        }
        let mut all = self.0.borrow_mut();
        let known = all
            .entry(Arc::as_ptr(layout) as usize)
            .or_insert_with(|| OfLayout {
                layout: layout.clone(),
                lines: FxHashMap::default(),
            });
        let OfLayout { layout, lines } = known;
        let found = lines.entry(line.as_ptr() as usize).or_insert_with(|| {
            let mut spans = Spans::new();
            let parts = layout.matches(line, &mut spans)?;
            Some(Rc::new(Header { parts, spans }))
        });
        found.clone()
    }
}
