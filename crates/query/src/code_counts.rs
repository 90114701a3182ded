//! Counts of each value of a key, outside and inside a selection.

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, ENTRY, Frozen};
use widetui_format::catalog::encode::DEFER;

/// Number of records outside and inside the selection.
pub type SideCounts = [u32; 2];

/// Number of records for each code of a key.
#[derive(Clone, Debug, Default)]
pub struct CodeCounts {
    /// By code for directly coded integers; by entry number for values in the dictionary.
    dense: [Vec<SideCounts>; 2],
    sparse: FxHashMap<Code, SideCounts>,
    /// Number of records counted so far, which bounds the length of the dense vectors.
    pub(super) added: usize,
    /// Number of records whose values are in the text only.
    pub deferred: SideCounts,
}

/// Codes below this are always in the dense vector.
const SMALL: usize = 1 << 12;

impl CodeCounts {
    #[inline]
    pub(super) fn slot(&mut self, code: Code) -> &mut SideCounts {
        let (list, at) = match code < ENTRY {
            true => (&mut self.dense[0], code as usize),
            false => (&mut self.dense[1], (code & !ENTRY) as usize),
        };
        if at >= list.len() {
            if at >= SMALL.max(4 * self.added) {
                return self.sparse.entry(code).or_default();
            }
            list.resize((at + 1).next_power_of_two(), [0, 0]);
        }
        &mut list[at]
    }

    #[inline]
    pub(super) fn add(&mut self, code: Code, pair: SideCounts) {
        let slot = self.slot(code);
        slot[0] += pair[0];
        slot[1] += pair[1];
    }

    /// Counts records whose value is in the text only.
    pub(super) fn defer(&mut self, pair: SideCounts) {
        self.deferred[0] += pair[0];
        self.deferred[1] += pair[1];
    }

    /// Counts records that have all of these values; equal values count once.
    pub(super) fn add_all(
        &mut self,
        codes: &mut Vec<Code>,
        dict: Option<&Frozen>,
        pair: SideCounts,
    ) {
        if codes.contains(&DEFER) {
            return self.defer(pair);
        }
        if codes.len() > 1
            && let Some(dict) = dict
        {
            let mut seen: Vec<Code> = Vec::with_capacity(codes.len());
            codes.retain(|code| {
                let canonical = dict.canonical(*code);
                let is_new = !seen.contains(&canonical);
                seen.push(canonical);
                is_new
            });
        }
        for code in codes {
            self.add(*code, pair);
        }
    }

    pub(super) fn absorb(&mut self, other: &CodeCounts) {
        self.added += other.added;
        for (code, pair) in other.iter() {
            self.add(code, pair);
        }
        self.defer(other.deferred);
    }

    /// Iterates over the codes that occur and their counts. A code may come twice, with a part of its count each time.
    pub fn iter(&self) -> impl Iterator<Item = (Code, SideCounts)> + '_ {
        let of = |at: usize, mark: Code| {
            let list = self.dense[at].iter().zip(0..);
            list.map(move |(pair, code): (&SideCounts, Code)| (code | mark, *pair))
        };
        let dense = of(0, 0).chain(of(1, ENTRY)).filter(|(_, p)| *p != [0, 0]);
        dense.chain(self.sparse.iter().map(|(code, pair)| (*code, *pair)))
    }
}
