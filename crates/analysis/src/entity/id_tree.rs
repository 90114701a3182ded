//! Map from (number, value) to numbers that count up: the edges of a tree of ids.
//!
//! ```text
//! rows    first edge by start number, which is the only one for most (the try of a task)
//! tables  further edges, in pages by value: values mostly count up (the tasks of a run, of which a worker has every tenth)
//! hashed  edges whose value is so far from the others that a table would be mostly empty
//! ```
//!
//! Since start numbers count up, too, nearly all lookups need no hash.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;

/// Marks an empty slot.
const EMPTY: u32 = u32::MAX;

/// Number of low bits of a value that index into its page; a page fits into a cache line.
const PAGE_BITS: u32 = 4;
/// Number of values per page.
const PAGE_LEN: usize = 1 << PAGE_BITS;

/// Maximum number of page slots of a table, and of further slots for each page that it has.
const MIN_SLOTS: usize = 64;
/// Further slots of a table for each of its pages.
const SLOTS_PER_PAGE: usize = 64;

/// Edges that start at one number.
#[derive(Clone, Copy, Debug)]
struct FirstEdge {
    /// Value and target of the first edge.
    code: Code,
    to: u32,
    /// Table of the other edges, if there are any.
    table: u32,
}

/// Start number without edges.
const NO_EDGES: FirstEdge = FirstEdge {
    code: EMPTY,
    to: EMPTY,
    table: EMPTY,
};

/// Pages of the edges that start at one number, by value.
#[derive(Clone, Debug, Default)]
struct PageTable {
    /// Number of the first page with a slot.
    first_page: u32,
    /// Index into `EdgeMap::pages` for each page.
    slots: Vec<u32>,
    page_count: usize,
}

impl PageTable {
    /// Page of a value, if the table has one.
    #[inline]
    fn page(&self, code: Code) -> Option<u32> {
        let page = self
            .slots
            .get((code >> PAGE_BITS).wrapping_sub(self.first_page) as usize);
        page.copied().filter(|page| *page != EMPTY)
    }

    /// Slot for the page of a value, unless it is too far from all others.
    fn slot_mut(&mut self, code: Code) -> Option<&mut u32> {
        let page = code >> PAGE_BITS;
        if self.slots.is_empty() {
            self.first_page = page;
        }
        let before = self.first_page.saturating_sub(page) as usize;
        let after = page.saturating_sub(self.first_page) as usize + 1;
        let len = (before + self.slots.len()).max(after);
        if len > MIN_SLOTS + SLOTS_PER_PAGE * self.page_count {
            return None;
        }
        if before > 0 {
            // Reserve slots for smaller values, which may follow.
            let room = before
                .max(self.slots.len() / 2)
                .min(self.first_page as usize);
            self.slots.splice(0..0, std::iter::repeat_n(EMPTY, room));
            self.first_page -= room as u32;
        }
        let place = (page - self.first_page) as usize;
        if place >= self.slots.len() {
            self.slots.resize(place + 1, EMPTY);
        }
        self.slots.get_mut(place)
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.page_count = 0;
    }
}

/// Map from (number, value) to numbers, see the module.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeMap {
    rows: Vec<FirstEdge>,
    tables: Vec<PageTable>,
    /// Number of tables in use; the others are kept for their memory.
    used_tables: usize,
    pages: Vec<[u32; PAGE_LEN]>,
    hashed: FxHashMap<(u32, Code), u32>,
}

impl EdgeMap {
    /// Target of an edge; a new edge leads to `next`.
    #[inline]
    pub(crate) fn get_or_insert(&mut self, from: u32, code: Code, next: u32) -> u32 {
        match self.find_near(from, code) {
            Some(to) => to,
            None => self.insert(from, code, next),
        }
    }

    /// Target of an edge, if it exists.
    pub(crate) fn find(&self, from: u32, code: Code) -> Option<u32> {
        let far = || self.hashed.get(&(from, code)).copied();
        self.find_near(from, code).or_else(far)
    }

    /// Same as `find`, without the hashed edges.
    #[inline]
    fn find_near(&self, from: u32, code: Code) -> Option<u32> {
        let row = self.rows.get(from as usize)?;
        if row.code == code && row.to != EMPTY {
            return Some(row.to);
        }
        let page = self.tables.get(row.table as usize)?.page(code)?;
        let to = self.pages[page as usize][code as usize % PAGE_LEN];
        (to != EMPTY).then_some(to)
    }

    /// Inserts an edge that `find_near` does not have; returns the target of a hashed edge if there
    /// is one.
    fn insert(&mut self, from: u32, code: Code, next: u32) -> u32 {
        if let Some(to) = self.hashed.get(&(from, code)) {
            return *to;
        }
        let at = from as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, NO_EDGES);
        }
        let row = &mut self.rows[at];
        if row.to == EMPTY {
            (row.code, row.to) = (code, next);
            return next;
        }
        if row.table == EMPTY {
            row.table = self.used_tables as u32;
            self.used_tables += 1;
            if self.tables.len() < self.used_tables {
                self.tables.push(PageTable::default());
            }
        }
        let table = &mut self.tables[row.table as usize];
        let Some(place) = table.slot_mut(code) else {
            self.hashed.insert((from, code), next);
            return next;
        };
        let is_new = *place == EMPTY;
        if is_new {
            *place = self.pages.len() as u32;
            self.pages.push([EMPTY; PAGE_LEN]);
        }
        self.pages[*place as usize][code as usize % PAGE_LEN] = next;
        table.page_count += usize::from(is_new);
        next
    }

    /// Removes all edges and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.hashed.clear();
        self.pages.clear();
        self.tables[..self.used_tables]
            .iter_mut()
            .for_each(PageTable::clear);
        self.used_tables = 0;
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
            is_reused in any::<bool>(),
        ) {
            let mut steps = EdgeMap::default();
            if is_reused {
                for code in 0..20 {
                    steps.get_or_insert(1, code, code);
                }
                steps.clear();
            }
            let mut oracle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (from, code) in &pairs {
                prop_assert_eq!(steps.find(*from, *code), oracle.get(&(*from, *code)).copied());
                let next = oracle.len() as u32;
                let known = *oracle.entry((*from, *code)).or_insert(next);
                prop_assert_eq!(steps.get_or_insert(*from, *code, next), known);
            }
            for ((from, code), number) in &oracle {
                prop_assert_eq!(steps.find(*from, *code), Some(*number));
            }
        }
    }

    #[test]
    fn descending_values_use_a_dense_table() {
        let mut steps = EdgeMap::default();
        for code in (1_000..2_000).rev().step_by(10) {
            steps.get_or_insert(0, code, code);
        }
        assert!(steps.hashed.is_empty());
        assert!(steps.tables[0].slots.len() < 2_000 / PAGE_LEN);
    }
}
