//! Numbering of the ids of the cells of a group.

use widetui_core::dict::{Code, NONE};

use crate::entity::ids::{Ids, NOBODY};
use crate::entity::shared_columns::{Codes, usable};

/// Assigns id numbers to the cells of `own` that have none yet, by the key columns of one
/// alternative id.
pub(super) fn number(ids: &mut Ids, alternative: u32, codes: &[Codes<'_>], own: &mut [u32]) {
    let Some((last, inner)) = codes.split_last() else {
        return;
    };
    // Number of the id's beginning so far: one for all cells, or one for each.
    let mut one = alternative;
    let mut each: Option<Vec<u32>> = None;
    for codes in inner {
        match (&mut each, codes) {
            (_, Codes::Absent) => return,
            (None, Codes::Const(code)) => one = ids.inner(one, *code),
            (None, codes) => {
                let all = (0..own.len()).map(|cell| inner_step(ids, one, codes.get(cell)));
                each = Some(all.collect());
            }
            (Some(each), codes) => {
                for (cell, at) in each.iter_mut().enumerate() {
                    *at = inner_step(ids, *at, codes.get(cell));
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
        // Most ids have a shared beginning and one value per cell; matching on the column once is
        // faster.
        (None, Codes::Each(codes)) => {
            for (own, code) in own.iter_mut().zip(codes.iter()) {
                if *own == NOBODY {
                    *own = whole_step(ids, one, usable(*code));
                }
            }
        }
        (each, codes) => {
            for (cell, own) in own.iter_mut().enumerate() {
                if *own == NOBODY {
                    let from = each.as_ref().map_or(one, |each| each[cell]);
                    *own = whole_step(ids, from, codes.get(cell));
                }
            }
        }
    }
}

/// Inner number reached from another one by a value; `NOBODY` if a value is missing.
#[inline]
fn inner_step(ids: &mut Ids, from: u32, code: Code) -> u32 {
    match from == NOBODY || code == NONE {
        true => NOBODY,
        false => ids.inner(from, code),
    }
}

/// Number of a whole id, given the inner number of its beginning; `NOBODY` if a value is missing.
#[inline]
fn whole_step(ids: &mut Ids, from: u32, code: Code) -> u32 {
    match from == NOBODY || code == NONE {
        true => NOBODY,
        false => ids.whole(from, code),
    }
}
