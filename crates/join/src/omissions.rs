//! Joins, or parts of joins, that are not computed, with the reason.

use widetui_definition::semantics::MAX_BY;

/// Maximum number of joins; others are omitted and reported.
pub(crate) const MAX_JOINS: usize = 200;

/// Maximum length of the listed join names, in characters.
pub(crate) const MAX_NAMES_LEN: usize = 120;

/// Reason why a join, or a part of it, is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omission {
    /// The run has more than `MAX_JOINS` joins.
    TooManyJoins,
    /// The join has more than [`MAX_BY`] left keys.
    TooManyKeys,
    /// A log may lack its beginning, or records contradict the order: in a scope nothing is paired.
    OrderNotProven,
    /// Some values of the join's keys are not stored, only in the text; records with these values
    /// take no part.
    ValuesNotStored,
}

impl Omission {
    /// Message for the user about joins with this omission.
    pub(crate) fn message(self, names: &str) -> String {
        match self {
            Omission::TooManyJoins => format!(
                "only the first {MAX_JOINS} joins by name are computed; omitted: {names} (--no-join NAME omits others instead)"
            ),
            Omission::TooManyKeys => {
                format!("joins with more than {MAX_BY} left keys are omitted: {names}")
            }
            Omission::OrderNotProven => format!(
                "joins by order that assign nothing in a run, as logs lack their beginning or contradict the order: {names}"
            ),
            Omission::ValuesNotStored => format!(
                "joins that ignore records whose key values are too long, or too many, to be stored: {names} \
                 (a definition with the join stores them: widetui systems draft)"
            ),
        }
    }
}
