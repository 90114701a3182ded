//! Numbering of the ids of the cells of a group.

use widetui_core::dict::{Code, NONE};

use crate::entity::ids::{Ids, NO_INSTANCE};
use crate::entity::shared_columns::{CellCodes, usable_or_none};

/// Assigns id numbers to the cells of `numbers` that have none yet, by the key columns of one
/// alternative id.
pub(super) fn number_cells(
    ids: &mut Ids,
    alternative: u32,
    codes: &[CellCodes<'_>],
    numbers: &mut [u32],
) {
    let Some((last, inner)) = codes.split_last() else {
        return;
    };
    // Number of the id's beginning so far: one for all cells, or one for each.
    let mut one = alternative;
    let mut each: Option<Vec<u32>> = None;
    for codes in inner {
        match (&mut each, codes) {
            (_, CellCodes::Absent) => return,
            (None, CellCodes::Const(code)) => one = ids.inner_number(one, *code),
            (None, codes) => {
                let all = (0..numbers.len()).map(|cell| inner_number(ids, one, codes.get(cell)));
                each = Some(all.collect());
            }
            (Some(each), codes) => {
                for (cell, at) in each.iter_mut().enumerate() {
                    *at = inner_number(ids, *at, codes.get(cell));
                }
            }
        }
    }
    match (&each, last) {
        (_, CellCodes::Absent) => {}
        (None, CellCodes::Const(code)) => {
            let number = ids.whole_number(one, *code);
            let free = numbers.iter_mut().filter(|slot| **slot == NO_INSTANCE);
            free.for_each(|slot| *slot = number);
        }
        // Most ids have a shared beginning and one value per cell; matching on the column once is
        // faster.
        (None, CellCodes::Each(codes)) => {
            for (slot, code) in numbers.iter_mut().zip(codes.iter()) {
                if *slot == NO_INSTANCE {
                    *slot = whole_number(ids, one, usable_or_none(*code));
                }
            }
        }
        (each, codes) => {
            for (cell, slot) in numbers.iter_mut().enumerate() {
                if *slot == NO_INSTANCE {
                    let from = each.as_ref().map_or(one, |each| each[cell]);
                    *slot = whole_number(ids, from, codes.get(cell));
                }
            }
        }
    }
}

/// Inner number reached from another one by a value; `NO_INSTANCE` if a value is missing.
#[inline]
fn inner_number(ids: &mut Ids, from: u32, code: Code) -> u32 {
    match from == NO_INSTANCE || code == NONE {
        true => NO_INSTANCE,
        false => ids.inner_number(from, code),
    }
}

/// Number of a whole id, given the inner number of its beginning; `NO_INSTANCE` if a value is missing.
#[inline]
fn whole_number(ids: &mut Ids, from: u32, code: Code) -> u32 {
    match from == NO_INSTANCE || code == NONE {
        true => NO_INSTANCE,
        false => ids.whole_number(from, code),
    }
}
