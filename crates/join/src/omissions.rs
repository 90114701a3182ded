//! What of joins is not computed, and why: told wherever joins are.

use crate::table::MAX_LEFT;

/// At most this many left keys may a join have; one with more is left out.
pub const MAX_BY: usize = MAX_LEFT - 1;

/// At most this many joins are computed; more are left out, and said so.
pub const MAX_JOINS: usize = 200;

/// Characters of the names that are spelled out.
pub(crate) const NAMES: usize = 120;

/// Why a join, or a part of it, is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// There are too many joins.
    Many,
    /// It has too many left keys.
    Keys,
    /// What its bearers do once is named by too many keys: it is computed without that.
    Once,
    /// Values of its keys are in the text only: records with these take no part.
    NotStored,
}

impl LeftOut {
    pub(crate) fn told(self, names: &str) -> String {
        match self {
            LeftOut::Many => format!(
                "no more than {MAX_JOINS} joins are computed, by name; left out: {names} (--no-join NAME leaves out others)"
            ),
            LeftOut::Keys => {
                format!("no more than {MAX_BY} keys can be joined by; joins left out: {names}")
            }
            LeftOut::Once => format!(
                "no more than {MAX_BY} keys can name what is done once; computed without 'once': {names}"
            ),
            LeftOut::NotStored => format!(
                "values of their keys are too long, or too many, to be stored, and records with those take no part: {names} \
                 (a definition with the join stores them: widetui systems draft)"
            ),
        }
    }
}
