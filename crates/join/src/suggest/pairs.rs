//! Pairs of keys of which one may determine the other.
//!
//! A pair is given up at its first contradiction, and nothing is kept of it but how many events it would tell something:
//! so the memory does not depend on the number of pairs, and the time has a limit.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::KeyId;

use crate::suggest::GROUPS;
use crate::suggest::sample::{KeySample, Sample, SampledValue};

/// Values that are looked at for all pairs together: about a second.
pub(crate) const BUDGET: usize = 200_000_000;

/// Pairs that are kept: far more than are tried.
const KEPT: usize = 4_096;

/// A pair that agrees wherever both occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgreeingPair {
    /// The key of the path that must be the same, too.
    pub outer: Option<KeyId>,
    pub left: KeyId,
    pub right: KeyId,
    /// Events with the left keys and without the right one.
    missing: usize,
}

impl AgreeingPair {
    /// Those first that would tell most.
    pub fn rank(&self) -> (std::cmp::Reverse<usize>, u16, u16, Option<u16>) {
        let missing = std::cmp::Reverse(self.missing);
        let outer = self.outer.map(|k| k.0);
        (missing, self.left.0, self.right.0, outer)
    }
}

/// The values of the left keys, numbered.
struct Left {
    key: KeyId,
    /// Events with the number of their value.
    cells: Vec<SampledValue>,
    /// By number: the code.
    codes: Vec<Code>,
}

impl Left {
    /// `outer` is by event what the path says, where that counts.
    fn new(key: KeyId, column: &KeySample, outer: Option<&[Code]>) -> Left {
        let mut numbers: FxHashMap<(Code, Code), u32> = FxHashMap::default();
        let (mut cells, mut codes) = (Vec::new(), Vec::new());
        for (event, code) in &column.own {
            let outer = match outer.map(|codes| codes[*event as usize]) {
                Some(NONE) => continue,
                Some(outer) => outer,
                None => 0,
            };
            let number = *numbers.entry((outer, *code)).or_insert_with(|| {
                codes.push(*code);
                codes.len() as u32 - 1
            });
            cells.push((*event, number));
        }
        Left { key, cells, codes }
    }

    /// Whether it has groups enough, and some of several events where events lack what others say.
    fn can_tell(&self, column: &KeySample, sample: &Sample) -> bool {
        let is_unique = self.codes.len() == self.cells.len();
        let says_nothing = is_unique && sample.is_whole && !column.has_lists;
        self.codes.len() >= GROUPS && !says_nothing
    }
}

/// Pairs that agree, the best first; those of `alone` are not looked at again. With `outer` only within the same value of that
/// key of the path. `None` when cancelled. What it costs is taken from the budget; when that is gone, the rest is left out.
pub(crate) fn look(
    sample: &Sample,
    outer: Option<KeyId>,
    alone: &FxHashSet<(KeyId, KeyId)>,
    budget: &mut usize,
    cancel: &Cancel,
) -> Option<Vec<AgreeingPair>> {
    let outer_codes = outer.map(|key| {
        let mut codes = vec![NONE; sample.events];
        put(&mut codes, &sample.column(key).outer);
        codes
    });
    let lefts = sample.keys().iter().map(|key| {
        let column = sample.column(*key);
        (column, Left::new(*key, column, outer_codes.as_deref()))
    });
    let lefts = lefts.filter(|(column, left)| left.can_tell(column, sample));
    let lefts: Vec<Left> = lefts.map(|(_, left)| left).collect();
    let most = lefts.iter().map(|l| l.codes.len()).max().unwrap_or(0);
    let mut seen = vec![NONE; most];
    let mut codes = vec![NONE; sample.events];
    let mut out: Vec<AgreeingPair> = Vec::new();
    for right in sample.keys() {
        if cancel.is_cancelled() {
            return None;
        }
        let column = sample.column(*right);
        let count = column.own.len() + column.path.len();
        let Some(first) = column.first() else {
            continue;
        };
        // Who has it everywhere needs nobody to say it.
        if Some(*right) == outer || count < GROUPS || count == sample.events {
            continue;
        }
        put(&mut codes, &column.own);
        put(&mut codes, &column.path);
        for left in lefts.iter().filter(|l| l.key != *right) {
            if alone.contains(&(left.key, *right)) {
                continue;
            }
            let (cost, missing) = agrees(left, first, &codes, &mut seen);
            out.extend(missing.map(|missing| AgreeingPair {
                outer,
                left: left.key,
                right: *right,
                missing,
            }));
            match budget.checked_sub(cost + 1) {
                Some(rest) => *budget = rest,
                None => {
                    *budget = 0;
                    return Some(best(out));
                }
            }
        }
        if out.len() > 2 * KEPT {
            out = best(out);
        }
        for (event, _) in column.own.iter().chain(&column.path) {
            codes[*event as usize] = NONE;
        }
    }
    Some(best(out))
}

fn put(codes: &mut [Code], cells: &[SampledValue]) {
    for (event, code) in cells {
        codes[*event as usize] = *code;
    }
}

fn best(mut found: Vec<AgreeingPair>) -> Vec<AgreeingPair> {
    found.sort_by_key(AgreeingPair::rank);
    found.truncate(KEPT);
    found
}

/// Whether each left value goes with one right value, and would tell it to some events from the first on that has one: then
/// to how many. Gives also how many values were looked at. `seen` is empty, and is so again.
fn agrees(left: &Left, first: u32, right: &[Code], seen: &mut [Code]) -> (usize, Option<usize>) {
    let start = left.cells.partition_point(|c| c.0 < first);
    let cells = &left.cells[start..];
    let (mut groups, mut missing) = (0, 0);
    // Whether some right value is another number than its left one: else they say the same. Whether not all are the same.
    let (mut is_other, mut differs) = (false, false);
    let mut only = NONE;
    let mut looked_at = 0;
    let mut holds = true;
    for (event, number) in cells {
        looked_at += 1;
        let code = right[*event as usize];
        if code == NONE {
            missing += 1;
            continue;
        }
        let before = &mut seen[*number as usize];
        if *before == NONE {
            *before = code;
            groups += 1;
        } else if *before != code {
            holds = false;
            break;
        }
        // Codes above stand for other texts in each key.
        is_other |= code >= ENTRY || code != left.codes[*number as usize];
        differs |= only != NONE && only != code;
        only = code;
    }
    for (_, number) in &cells[..looked_at] {
        seen[*number as usize] = NONE;
    }
    let is_promising = holds && differs && is_other && missing > 0 && groups >= GROUPS;
    (looked_at, is_promising.then_some(missing))
}
