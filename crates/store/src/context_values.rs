//! Values of a key from the contexts of records, row by row.

use widetui_core::dict::{Code, NONE};

use super::column::{Cell, Column};

/// Returns the value of each row's context, or `None` if no context of these rows has a value. `value` maps a context
/// to its value; `contexts` is the context column of a segment.
pub(super) fn context_values(
    contexts: &Column,
    rows: &[u16],
    mut value: impl FnMut(Code) -> Code,
) -> Option<Vec<Code>> {
    // A segment has few contexts, so each is looked up once; and most keys are in none.
    let table: Vec<Code> = match contexts {
        Column::Const(context) => vec![value(*context)],
        Column::Dict { codes, .. } => codes.iter().map(|context| value(*context)).collect(),
        Column::Byte { base, .. } => {
            let all = (0..=Code::from(u8::MAX)).map(|offset| base.saturating_add(offset));
            all.map(value).collect()
        }
        others => {
            let mut last = (NONE, NONE);
            let of = |row: &u16| {
                let Cell::One(context) = others.cell(usize::from(*row)) else {
                    return NONE;
                };
                if last.0 != context {
                    last = (context, value(context));
                }
                last.1
            };
            return some(rows.iter().map(of).collect());
        }
    };
    if table.iter().all(|code| *code == NONE) {
        return None;
    }
    let of = |row: &u16| match contexts {
        Column::Dict { index, .. } => table[usize::from(index[usize::from(*row)])],
        Column::Byte { offsets, .. } => table[usize::from(offsets[usize::from(*row)])],
        _ => table[0],
    };
    some(rows.iter().map(of).collect())
}

fn some(codes: Vec<Code>) -> Option<Vec<Code>> {
    codes.iter().any(|code| *code != NONE).then_some(codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Law: each row has the value of its context, in every packing of the context column.
        #[test]
        fn each_row_has_the_value_of_its_context(
            contexts in prop_oneof![
                prop::collection::vec(Just(3u32), 1..20), prop::collection::vec(prop_oneof![Just(NONE), 0u32..5], 1..60),
                prop::collection::vec(0u32..90, 1..60), prop::collection::vec(prop_oneof![0u32..4, 70_000u32..70_400], 1..600),
            ],
            few in any::<bool>(),
        ) {
            let has = |context: u32| if context != NONE && (!few || context == 70_001) { context / 2 + 7 } else { NONE };
            let rows: Vec<u16> = (0..contexts.len() as u16).step_by(2).collect();
            let want: Vec<Code> = rows.iter().map(|row| has(contexts[usize::from(*row)])).collect();
            let found = context_values(&Column::pack(&contexts), &rows, has);
            prop_assert_eq!(found, want.iter().any(|code| *code != NONE).then_some(want));
        }
    }
}
