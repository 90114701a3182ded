//! What of joins is not computed, and why: told wherever joins are.

use super::{MAX_BY, MAX_JOINS, Report};
use widetui_core::words::cut;

/// Characters of the names that are spelled out.
const NAMES: usize = 120;

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
    fn told(self, names: &str) -> String {
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

/// What was left out, in a sentence for each reason.
pub fn left_out(reports: &[Report]) -> Vec<String> {
    let reasons = [
        LeftOut::Many,
        LeftOut::Keys,
        LeftOut::Once,
        LeftOut::NotStored,
    ]
    .into_iter();
    let told = reasons.filter_map(|reason| {
        let of = reports.iter().filter(|r| r.left_out == Some(reason));
        let names: Vec<&str> = of.map(|r| r.join.as_str()).collect();
        (!names.is_empty()).then(|| reason.told(&cut(&names.join(", "), NAMES)))
    });
    told.collect()
}
