//! Steps from number to number that were made lately: a look-up less for most rows.

use crate::base::dict::{Code, NONE};

use super::ids::NOBODY;

/// Steps of both kinds that were made lately.
#[derive(Default)]
pub(super) struct LastSteps {
    /// From an inner number to the next.
    pub inner: RecentSteps,
    /// From an inner number to a whole id.
    pub whole: RecentSteps,
}

impl LastSteps {
    /// Forgets all of them.
    pub fn forget(&mut self) {
        self.inner.0.clear();
        self.whole.0.clear();
    }
}

/// Steps that were made lately: rows near each other often make the same ones.
#[derive(Default)]
pub(super) struct RecentSteps(Vec<Step>);

/// From a number, by a value, to the next.
#[derive(Clone, Copy)]
struct Step {
    from: u32,
    code: Code,
    to: u32,
}

/// Steps that are remembered, each in its place: few enough to stay near at hand, and as many as there are tasks at a time.
const STEPS: u32 = 2048;

impl RecentSteps {
    /// The number after another one, by a value; `next` finds it where it is not remembered.
    #[inline]
    pub fn get(&mut self, from: u32, code: Code, next: impl FnOnce(u32, Code) -> u32) -> u32 {
        if from == NOBODY || code == NONE {
            return NOBODY;
        }
        if self.0.is_empty() {
            let none = Step {
                from: NOBODY,
                code: NONE,
                to: NOBODY,
            };
            self.0.resize(STEPS as usize, none);
        }
        let place = code.wrapping_add(from.wrapping_mul(37)) % STEPS;
        let step = &mut self.0[place as usize];
        if (step.from, step.code) != (from, code) {
            let to = next(from, code);
            *step = Step { from, code, to };
        }
        step.to
    }
}
