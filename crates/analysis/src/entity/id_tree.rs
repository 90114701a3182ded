//! Map from (number, value) to numbers that count up: the edges of a tree of ids.
//!
//! ```text
//! rows    by number: its first step, which is the only one of most (the try of a task)
//! tables  of numbers with more, by value: the pages that have them. Values are mostly counted up (the tasks of a run, every tenth of
//!         which one worker has)
//! far     what lies so far from the others that a table would be empty between them
//! ```
//!
//! Since start numbers count up, too, nearly all lookups need no hash.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;

/// Marks an empty slot.
const EMPTY: u32 = u32::MAX;

/// Number of low bits of a value that index into its page; a page fits into a cache line.
const BITS: u32 = 4;
const PAGE: usize = 1 << BITS;

/// Maximum number of page slots of a table, and of further slots for each page that it has.
const PLACES: usize = 64;
const PLACES_A_PAGE: usize = 64;

/// Edges that start at one number.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Value and target of the first edge.
    code: Code,
    to: u32,
    /// Table of the other edges, if there are any.
    table: u32,
}

const NO_STEPS: Row = Row {
    code: EMPTY,
    to: EMPTY,
    table: EMPTY,
};

/// Pages of the edges that start at one number, by value.
#[derive(Clone, Debug, Default)]
struct Table {
    /// Number of the first page with a slot.
    least: u32,
    /// Index into `StepMap::pages` for each page.
    places: Vec<u32>,
    pages: usize,
}

impl Table {
    #[inline]
    fn page(&self, code: Code) -> Option<u32> {
        let page = self
            .places
            .get((code >> BITS).wrapping_sub(self.least) as usize);
        page.copied().filter(|page| *page != EMPTY)
    }

    /// Slot for the page of a value, unless it is too far from all others.
    fn place(&mut self, code: Code) -> Option<&mut u32> {
        let page = code >> BITS;
        if self.places.is_empty() {
            self.least = page;
        }
        let before = self.least.saturating_sub(page) as usize;
        let behind = page.saturating_sub(self.least) as usize + 1;
        let len = (before + self.places.len()).max(behind);
        if len > PLACES + PLACES_A_PAGE * self.pages {
            return None;
        }
        if before > 0 {
            // Reserve slots for smaller values, which may follow.
            let room = before.max(self.places.len() / 2).min(self.least as usize);
            self.places.splice(0..0, std::iter::repeat_n(EMPTY, room));
            self.least -= room as u32;
        }
        let place = (page - self.least) as usize;
        if place >= self.places.len() {
            self.places.resize(place + 1, EMPTY);
        }
        self.places.get_mut(place)
    }

    fn clear(&mut self) {
        self.places.clear();
        self.pages = 0;
    }
}

/// Map from (number, value) to numbers, see the module.
#[derive(Clone, Debug, Default)]
pub(super) struct StepMap {
    rows: Vec<Row>,
    tables: Vec<Table>,
    /// Number of tables in use; the others are kept for their memory.
    used: usize,
    pages: Vec<[u32; PAGE]>,
    far: FxHashMap<(u32, Code), u32>,
}

impl StepMap {
    /// Target of an edge; a new edge leads to `next`.
    #[inline]
    pub fn number(&mut self, from: u32, code: Code, next: u32) -> u32 {
        match self.near(from, code) {
            Some(to) => to,
            None => self.add(from, code, next),
        }
    }

    /// Target of an edge, if it exists.
    pub fn find(&self, from: u32, code: Code) -> Option<u32> {
        let far = || self.far.get(&(from, code)).copied();
        self.near(from, code).or_else(far)
    }

    /// Same as `find`, without the hashed edges.
    #[inline]
    fn near(&self, from: u32, code: Code) -> Option<u32> {
        let row = self.rows.get(from as usize)?;
        if row.code == code && row.to != EMPTY {
            return Some(row.to);
        }
        let page = self.tables.get(row.table as usize)?.page(code)?;
        let to = self.pages[page as usize][code as usize % PAGE];
        (to != EMPTY).then_some(to)
    }

    fn add(&mut self, from: u32, code: Code, next: u32) -> u32 {
        if let Some(to) = self.far.get(&(from, code)) {
            return *to;
        }
        let at = from as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, NO_STEPS);
        }
        let row = &mut self.rows[at];
        if row.to == EMPTY {
            (row.code, row.to) = (code, next);
            return next;
        }
        if row.table == EMPTY {
            row.table = self.used as u32;
            self.used += 1;
            if self.tables.len() < self.used {
                self.tables.push(Table::default());
            }
        }
        let table = &mut self.tables[row.table as usize];
        let Some(place) = table.place(code) else {
            self.far.insert((from, code), next);
            return next;
        };
        let is_new = *place == EMPTY;
        if is_new {
            *place = self.pages.len() as u32;
            self.pages.push([EMPTY; PAGE]);
        }
        self.pages[*place as usize][code as usize % PAGE] = next;
        table.pages += usize::from(is_new);
        next
    }

    /// Removes all edges and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.far.clear();
        self.pages.clear();
        self.tables[..self.used].iter_mut().for_each(Table::clear);
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Edges by near and distant values keep their first target.
        #[test]
        fn steps_are_a_map(
            pairs in prop::collection::vec(
                (0u32..5, prop_oneof![0u32..9, any::<u32>(), 500u32..900, (u32::MAX - 300..=u32::MAX)]), 0..200),
            again in any::<bool>(),
        ) {
            let mut steps = StepMap::default();
            if again {
                for code in 0..20 {
                    steps.number(1, code, code);
                }
                steps.clear();
            }
            let mut oracle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (from, code) in &pairs {
                prop_assert_eq!(steps.find(*from, *code), oracle.get(&(*from, *code)).copied());
                let next = oracle.len() as u32;
                let known = *oracle.entry((*from, *code)).or_insert(next);
                prop_assert_eq!(steps.number(*from, *code, next), known);
            }
            for ((from, code), number) in &oracle {
                prop_assert_eq!(steps.find(*from, *code), Some(*number));
            }
        }
    }

    #[test]
    fn values_that_are_counted_down_lie_in_a_table() {
        let mut steps = StepMap::default();
        for code in (1_000..2_000).rev().step_by(10) {
            steps.number(0, code, code);
        }
        assert!(steps.far.is_empty());
        assert!(steps.tables[0].places.len() < 2_000 / PAGE);
    }
}
