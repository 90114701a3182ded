//! Numbers for the ids of the cells of a group.

use super::ground::{Codes, usable};
use super::ids::{Ids, NOBODY};
use super::lately::LastSteps;

/// Numbers the ids of the cells that have none yet.
pub(super) fn number(
    (ids, steps): (&mut Ids, &mut LastSteps),
    alternative: u32,
    codes: &[Codes<'_>],
    own: &mut [u32],
) {
    let Some((last, inner)) = codes.split_last() else {
        return;
    };
    let (mut inner_steps, mut whole_steps) = (steps.inner.open(), steps.whole.open());
    // The number so far: of all cells, or of each.
    let mut one = alternative;
    let mut each: Option<Vec<u32>> = None;
    for codes in inner {
        match (&mut each, codes) {
            (_, Codes::Absent) => return,
            (None, Codes::Const(code)) => one = ids.inner(one, *code),
            (None, codes) => {
                let mut next = |cell: usize| {
                    let next = |a, b| ids.inner(a, b);
                    inner_steps.get(one, codes.get(cell), next)
                };
                each = Some((0..own.len()).map(&mut next).collect());
            }
            (Some(each), codes) => {
                for (cell, at) in each.iter_mut().enumerate() {
                    let next = |a, b| ids.inner(a, b);
                    *at = inner_steps.get(*at, codes.get(cell), next);
                }
            }
        }
    }
    match (&each, last) {
        (_, Codes::Absent) => {}
        (None, Codes::Const(code)) => {
            let number = ids.whole(one, *code);
            let free = own.iter_mut().filter(|own| **own == NOBODY);
            free.for_each(|own| *own = number);
        }
        // One number for all and a value for each is what most ids are: what kind of values those are is asked once.
        (None, Codes::Each(codes)) => {
            for (own, code) in own.iter_mut().zip(codes.iter()) {
                if *own == NOBODY {
                    let next = |a, b| ids.whole(a, b);
                    *own = whole_steps.get(one, usable(*code), next);
                }
            }
        }
        (each, codes) => {
            for (cell, own) in own.iter_mut().enumerate() {
                if *own == NOBODY {
                    let from = each.as_ref().map_or(one, |each| each[cell]);
                    let next = |a, b| ids.whole(a, b);
                    *own = whole_steps.get(from, codes.get(cell), next);
                }
            }
        }
    }
}
