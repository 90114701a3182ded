//! Bearers that count what they do, each by itself and leaving no number out: whose turn it was, from how far each can have counted.
//!
//! A number is done by the one who comes to it. Where two come to the same number at once it may have been either, and both ways
//! are followed, until one of them leads to a number that nobody comes to. What is the same in all ways that lead to the end is
//! decided.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;

/// At most this many ways are followed at a time.
const MAX_WAYS: usize = 256;

/// At most this many counts are kept until ways meet again.
const MAX_KEPT: usize = 1 << 21;

/// The number that each bearer comes to next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Count(pub Vec<i64>);

/// A number that was done.
#[derive(Debug)]
pub struct Step {
    /// When, UTC ns.
    pub time: i64,
    /// It.
    pub number: i64,
    /// What it is called where nobody knows who did it.
    pub open: Option<usize>,
    /// The places of those who may have done it.
    pub may: Vec<usize>,
}

/// Numbers done by some bearers, in the order of time.
#[derive(Debug)]
pub struct Counted {
    /// How far each had counted before.
    pub begin: Count,
    /// What was done.
    pub steps: Vec<Step>,
    /// Their codes.
    pub bearers: Vec<Code>,
}

/// The counts that are possible before a step, and from which of those before it each follows, by whom.
type Layer = FxHashMap<Count, Vec<(Count, usize)>>;

impl Counted {
    /// What each open step is called whose bearer is the same in all ways, and that bearer. Nothing where no way leads to the end:
    /// then something is missing, or they do not count so.
    pub fn decided(&self) -> Vec<(usize, Code)> {
        let mut out = Vec::new();
        let mut begin = self.begin.clone();
        let mut layers: Vec<Layer> = Vec::new();
        let mut from = 0;
        let mut kept = 0;
        for (at, step) in self.steps.iter().enumerate() {
            let layer = match layers.last() {
                None => follow([&begin].into_iter(), step),
                Some(last) => follow(last.keys(), step),
            };
            kept += layer.len();
            if layer.is_empty() || layer.len() > MAX_WAYS || kept > MAX_KEPT {
                return Vec::new();
            }
            let met = (layer.len() == 1).then(|| layer.keys().next().cloned());
            layers.push(layer);
            if let Some(Some(count)) = met {
                self.settle(&mut layers, from, &mut out);
                (begin, from, kept) = (count, at + 1, 0);
            }
        }
        self.settle(&mut layers, from, &mut out);
        out
    }

    /// Goes back from the end of some layers, the first of which is of the step `from`, and forgets them.
    fn settle(&self, layers: &mut Vec<Layer>, from: usize, out: &mut Vec<(usize, Code)>) {
        let Some(last) = layers.last() else { return };
        let mut alive: Vec<Count> = last.keys().cloned().collect();
        for (at, layer) in layers.drain(..).enumerate().rev() {
            let ways = alive.iter().filter_map(|count| layer.get(count)).flatten();
            let mut by: Vec<usize> = Vec::new();
            let mut before: Vec<Count> = Vec::new();
            for (count, bearer) in ways {
                by.push(*bearer);
                before.push(count.clone());
            }
            by.sort_unstable();
            by.dedup();
            before.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            before.dedup();
            alive = before;
            if let (Some(open), [bearer]) = (self.steps[from + at].open, &by[..]) {
                out.push((open, self.bearers[*bearer]));
            }
        }
    }
}

/// The counts after a step.
fn follow<'c>(counts: impl Iterator<Item = &'c Count>, step: &Step) -> Layer {
    let mut layer = Layer::default();
    for count in counts {
        for bearer in &step.may {
            if count.0[*bearer] == step.number {
                let mut next = count.clone();
                next.0[*bearer] = step.number.saturating_add(1);
                layer
                    .entry(next)
                    .or_default()
                    .push((count.clone(), *bearer));
            }
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::{Count, Counted, Step};

    /// Two bearers that both may have done each of these numbers, but for those that are known.
    fn decided(numbers: &[(i64, Option<usize>)]) -> Vec<(usize, u32)> {
        let step = |(at, (number, known)): (usize, &(i64, Option<usize>))| Step {
            time: at as i64,
            number: *number,
            open: known.is_none().then_some(at),
            may: known.map_or(vec![0, 1], |known| vec![known]),
        };
        let counted = Counted {
            begin: Count(vec![0, 0]),
            steps: numbers.iter().enumerate().map(step).collect(),
            bearers: vec![70, 71],
        };
        let mut found = counted.decided();
        found.sort_unstable();
        found
    }

    #[test]
    fn one_known_number_decides_all_until_both_are_at_the_same() {
        let open = |numbers: &[i64]| numbers.iter().map(|n| (*n, None)).collect::<Vec<_>>();
        assert_eq!(decided(&open(&[0, 0, 1, 1])), []);
        assert_eq!(decided(&open(&[0, 1, 2, 0])), []);
        // The third is known: so are those before it, and who is left with the last.
        let known = [(0, None), (1, None), (2, Some(1)), (0, None)];
        assert_eq!(decided(&known), [(0, 71), (1, 71), (3, 70)]);
        // They meet at 1: what comes then is told by nothing before it.
        let met = [(0, Some(0)), (0, None), (1, None), (1, None), (2, None)];
        assert_eq!(decided(&met), [(1, 71)]);
    }

    #[test]
    fn what_leaves_a_number_out_decides_nothing() {
        assert_eq!(decided(&[(0, Some(0)), (2, None), (0, None)]), []);
        assert_eq!(decided(&[]), []);
    }
}
