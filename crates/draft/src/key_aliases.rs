//! Unification of keys named after their values with keys that other messages name explicitly: `node01: running
//! sim_012` beside `task sim_012: finished`.

use std::collections::BTreeSet;

use widetui_definition::words::WordsDef;

use crate::message::DraftMessage;
use crate::variables::PatternPiece;
use crate::word_lists::is_work_item;

/// Minimum number of common values.
const SAME: usize = 4;

/// Renames keys named after their values to the work-item key with the same values.
pub(crate) fn unify_aliases(words: &WordsDef, messages: &mut [DraftMessage]) {
    let guessed: BTreeSet<String> = messages
        .iter()
        .flat_map(|m| m.guessed_keys.clone())
        .collect();
    for key in guessed {
        if let Some(better) = explicit_key(words, messages, &key) {
            let aliases = messages
                .iter_mut()
                .filter(|m| m.guessed_keys.contains(&key));
            aliases.for_each(|m| rename(m, &key, &better));
        }
    }
}

/// Work-item key with the values of a key named after its values, if any.
fn explicit_key(words: &WordsDef, messages: &[DraftMessage], key: &str) -> Option<String> {
    let named = messages.iter().flat_map(|m| m.fields().map(|f| f.0));
    let mut named: BTreeSet<&str> = named.collect();
    let both = |other: &str| {
        let has = |m: &DraftMessage, key: &str| m.keys().any(|k| k == key);
        messages.iter().any(|m| has(m, key) && has(m, other))
    };
    named.retain(|k| *k != key && is_work_item(words, k) && !both(k));
    let values = |key: &str| -> BTreeSet<&str> {
        let of_one = |m| DraftMessage::values(m, key);
        messages.iter().flat_map(of_one).collect()
    };
    let own = values(key);
    let is_same = |other: &&str| {
        let other_values = values(other);
        let same = own.intersection(&other_values).count();
        same >= SAME && same * 5 >= own.len().min(other_values.len()) * 4
    };
    { named.into_iter() }.find(is_same).map(str::to_owned)
}

fn rename(message: &mut DraftMessage, from: &str, to: &str) {
    for piece in &mut message.pieces {
        if let PatternPiece::Field { key: Some(key), .. } = piece
            && key == from
        {
            to.clone_into(key);
        }
    }
    let known = message.guessed_keys.iter_mut().filter(|key| *key == from);
    known.for_each(|key| to.clone_into(key));
}
