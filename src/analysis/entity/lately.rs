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
        self.inner.forget();
        self.whole.forget();
    }
}

/// Steps that were made lately: rows near each other often make the same ones.
#[derive(Default)]
pub(super) struct RecentSteps {
    steps: Option<Box<Kept>>,
    /// Whether one was made since all were forgotten.
    is_used: bool,
}

/// From a number, by a value, to the next.
#[derive(Clone, Copy)]
struct Step {
    from: u32,
    code: Code,
    to: u32,
}

/// No step.
const NONE_YET: Step = Step {
    from: NOBODY,
    code: NONE,
    to: NOBODY,
};

/// Steps that are remembered, each in its place: few enough to stay near at hand, and as many as there are tasks at a time.
const STEPS: usize = 2048;

type Kept = [Step; STEPS];

impl RecentSteps {
    fn forget(&mut self) {
        if let Some(steps) = self.steps.as_mut().filter(|_| self.is_used) {
            steps.fill(NONE_YET);
        }
        self.is_used = false;
    }

    /// To look many steps up.
    pub fn open(&mut self) -> OpenSteps<'_> {
        self.is_used = true;
        OpenSteps(
            self.steps
                .get_or_insert_with(|| Box::new([NONE_YET; STEPS])),
        )
    }
}

/// Steps that were made lately, and those that are made now.
pub(super) struct OpenSteps<'s>(&'s mut Kept);

impl OpenSteps<'_> {
    /// The number after another one, by a value; `next` finds it where it is not remembered.
    #[inline]
    pub fn get(&mut self, from: u32, code: Code, next: impl FnOnce(u32, Code) -> u32) -> u32 {
        if from == NOBODY || code == NONE {
            return NOBODY;
        }
        let place = code.wrapping_add(from.wrapping_mul(37)) as usize % STEPS;
        let step = &mut self.0[place];
        if (step.from, step.code) != (from, code) {
            let to = next(from, code);
            *step = Step { from, code, to };
        }
        step.to
    }
}
