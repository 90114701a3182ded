//! Pairs of keys of which one may determine the other, found in a sample of events.
//!
//! A pair is dropped at its first contradiction, and only the number of events that would receive a
//! value is kept for it, so memory does not depend on the number of pairs, and the time is bounded.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::KeyId;

use crate::suggest::MIN_GROUPS;
use crate::suggest::sample::{KeySample, Sample, SampledValue};

/// Maximum number of values compared for all pairs together: about one second.
pub(crate) const COMPARISON_BUDGET: usize = 200_000_000;

/// Maximum number of pairs kept: far more than are verified.
const MAX_PAIRS: usize = 4_096;

/// Pair of keys without contradiction in the sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgreeingPair {
    /// Key of the path used as a second left key, if any.
    pub(crate) outer: Option<KeyId>,
    /// Left key.
    pub(crate) left: KeyId,
    /// Right key.
    pub(crate) right: KeyId,
    /// Number of events that have the left keys and lack the right key.
    missing: usize,
}

impl AgreeingPair {
    /// Sort key: pairs that would give values to most events first.
    pub(crate) fn rank(&self) -> (std::cmp::Reverse<usize>, u16, u16, Option<u16>) {
        let missing = std::cmp::Reverse(self.missing);
        let outer = self.outer.map(|k| k.0);
        (missing, self.left.0, self.right.0, outer)
    }
}

/// Values of the left keys in the sample, numbered.
struct LeftValues {
    key: KeyId,
    /// Events, each with the number of its value.
    cells: Vec<SampledValue>,
    /// Code of each value, by number.
    codes: Vec<Code>,
}

impl LeftValues {
    /// Numbers the values of a column, combined with the values `outer` of a path key per event, if
    /// given.
    fn new(key: KeyId, column: &KeySample, outer: Option<&[Code]>) -> LeftValues {
        let mut numbers: FxHashMap<(Code, Code), u32> = FxHashMap::default();
        let (mut cells, mut codes) = (Vec::new(), Vec::new());
        for (event, code) in &column.stated {
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
        LeftValues { key, cells, codes }
    }

    /// Whether the left keys have enough groups, and groups of several events, of which some could
    /// receive a value.
    fn is_promising(&self, column: &KeySample, sample: &Sample) -> bool {
        let is_unique = self.codes.len() == self.cells.len();
        let has_no_target = is_unique && sample.is_complete && !column.has_lists;
        self.codes.len() >= MIN_GROUPS && !has_no_target
    }
}

/// Returns the pairs without contradiction, best first, except those in `alone`. With `outer`,
/// values are compared only within the same value of that path key. `None` when cancelled. The cost
/// is subtracted from `budget`; at 0 the remaining pairs are skipped.
pub(crate) fn find_pairs(
    sample: &Sample,
    outer: Option<KeyId>,
    determined_alone: &FxHashSet<(KeyId, KeyId)>,
    budget: &mut usize,
    cancel: &Cancel,
) -> Option<Vec<AgreeingPair>> {
    let outer_codes = outer.map(|key| {
        let mut codes = vec![NONE; sample.events];
        write_codes(&mut codes, &sample.column(key).outer);
        codes
    });
    let lefts = sample.keys().iter().map(|key| {
        let column = sample.column(*key);
        (
            column,
            LeftValues::new(*key, column, outer_codes.as_deref()),
        )
    });
    let lefts = lefts.filter(|(column, left)| left.is_promising(column, sample));
    let lefts: Vec<LeftValues> = lefts.map(|(_, left)| left).collect();
    let most = lefts.iter().map(|l| l.codes.len()).max().unwrap_or(0);
    let mut seen = vec![NONE; most];
    let mut codes = vec![NONE; sample.events];
    let mut out: Vec<AgreeingPair> = Vec::new();
    for right in sample.keys() {
        if cancel.is_cancelled() {
            return None;
        }
        let column = sample.column(*right);
        let count = column.stated.len() + column.path.len();
        let Some(first) = column.first_event() else {
            continue;
        };
        // A key that all events have cannot be derived for any.
        if Some(*right) == outer || count < MIN_GROUPS || count == sample.events {
            continue;
        }
        write_codes(&mut codes, &column.stated);
        write_codes(&mut codes, &column.path);
        for left in lefts.iter().filter(|l| l.key != *right) {
            if determined_alone.contains(&(left.key, *right)) {
                continue;
            }
            let (cost, missing) = compare_pair(left, first, &codes, &mut seen);
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
                    return Some(keep_best(out));
                }
            }
        }
        if out.len() > 2 * MAX_PAIRS {
            out = keep_best(out);
        }
        for (event, _) in column.stated.iter().chain(&column.path) {
            codes[*event as usize] = NONE;
        }
    }
    Some(keep_best(out))
}

/// Writes sampled values into a vector indexed by event.
fn write_codes(codes: &mut [Code], cells: &[SampledValue]) {
    for (event, code) in cells {
        codes[*event as usize] = *code;
    }
}

/// Keeps the [`MAX_PAIRS`] pairs with the best rank.
fn keep_best(mut found: Vec<AgreeingPair>) -> Vec<AgreeingPair> {
    found.sort_by_key(AgreeingPair::rank);
    found.truncate(MAX_PAIRS);
    found
}

/// Counts the values compared and, if each left value occurs with one right value only and the pair
/// is useful, the events that would receive a value. Starts at event `first`, the first with a
/// right value. `seen` must be all `NONE`, and is so on return.
fn compare_pair(
    left: &LeftValues,
    first: u32,
    right: &[Code],
    seen: &mut [Code],
) -> (usize, Option<usize>) {
    let start = left.cells.partition_point(|c| c.0 < first);
    let cells = &left.cells[start..];
    let (mut groups, mut missing) = (0, 0);
    // `is_other`: some right value differs from its left value, so the keys are not equal.
    // `differs`: the right value is not constant.
    let (mut is_other, mut differs) = (false, false);
    let mut only = NONE;
    let mut compared = 0;
    let mut holds = true;
    for (event, number) in cells {
        compared += 1;
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
        // Codes from `ENTRY` are entries of a dictionary per key, so they are not comparable
        // between keys.
        is_other |= code >= ENTRY || code != left.codes[*number as usize];
        differs |= only != NONE && only != code;
        only = code;
    }
    for (_, number) in &cells[..compared] {
        seen[*number as usize] = NONE;
    }
    let is_promising = holds && differs && is_other && missing > 0 && groups >= MIN_GROUPS;
    (compared, is_promising.then_some(missing))
}
