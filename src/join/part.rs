//! Keys whose values are parts of the values of others.

use rustc_hash::FxHashMap;

use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::store::Snapshot;

use super::spec::PartRule;
use super::table::{MAX_LEFT, Table, Tuple};

/// Which value of the one key each value of the other holds, as canonical codes. Only what a record names can be held.
pub(super) fn parts(
    snapshot: &Snapshot,
    (of, key): (KeyId, KeyId),
    rule: &PartRule,
) -> Vec<(Code, Code)> {
    let keys = &snapshot.catalog.keys;
    let (Some(of), Some(key)) = (keys.get(of), keys.get(key)) else {
        return Vec::new();
    };
    let known: FxHashMap<&str, Code> = key.dict.iter().map(|(code, text)| (text, code)).collect();
    let held = of.dict.iter().filter_map(|(code, text)| {
        let value = known.get(part(text, rule)?)?;
        Some((of.dict.canonical(code), key.dict.canonical(*value)))
    });
    held.collect()
}

/// The part of a value.
fn part<'t>(text: &'t str, rule: &PartRule) -> Option<&'t str> {
    let rest = text.strip_prefix(&*rule.around.0)?;
    match &*rule.around.1 {
        "" => Some(rest),
        behind => rest.rsplit_once(behind).map(|(part, _)| part),
    }
}

/// What is known before any record says it.
pub(super) fn known(parts: &[(Code, Code)], table: &mut Table) {
    for (left, right) in parts {
        let mut tuple: Tuple = [NONE; MAX_LEFT];
        if let Some(slot) = tuple.first_mut() {
            *slot = *left;
        }
        table.add(&tuple, 0, *right, EventId(u32::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_pool_may_hold_what_stands_behind_it() {
        let rule = PartRule {
            of: "thread".to_owned(),
            key: "pool".to_owned(),
            around: ("Pool-".to_owned(), "_".to_owned()),
            only: None,
        };
        assert_eq!(part("Pool-my_own_3", &rule), Some("my_own"));
        assert_eq!(part("Pool-own", &rule), None);
        assert_eq!(part("Other-own_3", &rule), None);
    }
}
