//! Joins, or parts of joins, that are not computed, with the reason.

use widetui_definition::meaning::MAX_BY;

/// Maximum number of joins; others are omitted and reported.
pub const MAX_JOINS: usize = 200;

/// Maximum length of the listed join names, in characters.
pub(crate) const MAX_NAMES_LEN: usize = 120;

/// Reason why a join, or a part of it, is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omission {
    /// The run has more than [`MAX_JOINS`] joins.
    TooManyJoins,
    /// The join has more than [`MAX_BY`] left keys.
    TooManyKeys,
    /// The exactly-once constraint of the join has too many keys and is ignored.
    TooManyOperationKeys,
    /// Some values of the join's keys are not stored, only in the text; records with these values
    /// take no part.
    NotStored,
}

impl Omission {
    pub(crate) fn message(self, names: &str) -> String {
        match self {
            Omission::TooManyJoins => format!(
                "no more than {MAX_JOINS} joins are computed, by name; left out: {names} (--no-join NAME leaves out others)"
            ),
            Omission::TooManyKeys => {
                format!("no more than {MAX_BY} keys can be joined by; joins left out: {names}")
            }
            Omission::TooManyOperationKeys => format!(
                "no more than {MAX_BY} keys can name what is done once; computed without 'once': {names}"
            ),
            Omission::NotStored => format!(
                "values of their keys are too long, or too many, to be stored, and records with those take no part: {names} \
                 (a definition with the join stores them: widetui systems draft)"
            ),
        }
    }
}
