//! Batches of instances: the rows and times of their events.

use crate::Instances;
use crate::entity::Instance;
use crate::scope::AnalysisScope;
use widetui_time::time::NO_TIME;

use crate::latency::MOST;
use crate::latency::step_keys::Kinds;

/// What of an event counts: where it stands, its row, and its offset.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub instance: u32,
    pub row: u32,
    pub offset: i64,
}

/// Instances that are gone through in one go.
pub(super) const PORTION: usize = 2048;

/// What the events of some instances come to.
#[derive(Default)]
pub(super) struct Portion {
    pub rows: Rows,
    pub cells: Vec<Cell>,
    pub instances: u64,
    pub left_out: u64,
}

impl Portion {
    /// Counts some of all instances, the first of which has number `first`.
    pub fn count(
        &mut self,
        (all, some, first): (&Instances, &[Instance], usize),
        kept: &[bool],
        (times, kinds): (&[i64], &Kinds),
        scope: &AnalysisScope,
    ) {
        // Of each kind: the instance that was here last, and how often it was.
        let mut seen: Vec<(u32, u32)> = vec![(u32::MAX, 0); kinds.len()];
        for (at, instance) in some.iter().enumerate().filter(|(at, _)| kept[*at]) {
            let number = (first + at) as u32;
            let mut first: Option<i64> = None;
            let mut counts = false;
            for event in all.events(instance) {
                let time = times.get(*event as usize).copied().unwrap_or(NO_TIME);
                if time == NO_TIME {
                    continue;
                }
                let first = *first.get_or_insert(time);
                let kind = kinds.of[*event as usize];
                let known = &mut seen[kind as usize];
                if known.0 != number {
                    *known = (number, 0);
                }
                known.1 += 1;
                if !scope.window.contains(time) {
                    continue;
                }
                counts = true;
                if known.1 > MOST {
                    self.left_out += 1;
                    continue;
                }
                self.cells.push(Cell {
                    instance: number,
                    row: self.rows.number(kind, known.1),
                    offset: time.saturating_sub(first),
                });
            }
            self.instances += u64::from(counts);
        }
    }
}

/// Rows as they are met.
#[derive(Default)]
pub(super) struct Rows {
    of: Vec<Vec<u32>>,
    pub keys: Vec<(u32, u32)>,
}

impl Rows {
    /// The row of the n-th (from 1) event of a kind. Those before it were asked for first, or lie before the window.
    pub fn number(&mut self, kind: u32, n: u32) -> u32 {
        let kind_at = kind as usize;
        if self.of.len() <= kind_at {
            self.of.resize(kind_at + 1, Vec::new());
        }
        let known = &mut self.of[kind_at];
        let at = n as usize - 1;
        if known.len() <= at {
            known.resize(at + 1, u32::MAX);
        }
        if known[at] == u32::MAX {
            known[at] = self.keys.len() as u32;
            self.keys.push((kind, n));
        }
        known[at]
    }
}
