//! Numeric keys offered for plots: first guessed from definitions and the first values, then determined from all records.

use crate::keys_in_run;
use crate::model::Model;
use widetui_core::dict::ENTRY;
use widetui_core::quantity;
use widetui_core::words::{last_part, several};
use widetui_definition::key_type::KeyType;
use widetui_format::catalog::keys::KeyView;
use widetui_session::plots::plottable_keys;
use widetui_tables::key_rank;
use widetui_tables::table::number;

/// Description of a numeric key: label, range of values and number of records.
pub(crate) fn described(model: &Model, key: &str) -> String {
    let known = model.number_keys.iter().flat_map(|keys| keys.iter());
    let known = known.clone().find(|k| k.key == key);
    let mut parts = vec![keys_in_run::label(model, key)];
    let mut series = model.meaning.series().iter();
    let by = series
        .find(|s| s.key == key)
        .and_then(|s| s.split_keys.first());
    let of_each = by.map_or_else(String::new, |by| format!(" of each {}", last_part(by)));
    if let Some(known) = known {
        parts.push(match known.numbers {
            Some(n) if n.min == n.max => format!("always {}", number(n.min)),
            Some(n) => format!("{} to {}{of_each}", number(n.min), number(n.max)),
            None => "only in the text".to_owned(),
        });
        parts.push(several(known.events as usize, "record"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Names of the numeric keys (of candidates while the numeric keys are not determined), in the order of the picker.
pub(crate) fn names(model: &Model) -> Vec<String> {
    let occurring = keys_in_run::names(model);
    let known = plottable_keys(&model.snapshot);
    let keys = &model.snapshot.catalog.keys;
    let may_be = |name: &String| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(|k| !k.key.identifier && holds_numbers(k))
    };
    let mut out: Vec<String> = match &model.number_keys {
        Some(known) => known.iter().map(|k| k.key.clone()).collect(),
        None => occurring.into_iter().filter(may_be).collect(),
    };
    // The order puts measurements declared by a definition first, then other keys. Constants and code positions (line
    // numbers) come last: their plots tell nothing.
    let is_constant = |key: &String| {
        let told = model.number_keys.iter().flat_map(|keys| keys.iter());
        let told = told.filter(|k| k.key == *key).find_map(|k| k.numbers);
        told.is_some_and(|n| n.min == n.max)
    };
    let is_series = |key: &String| model.meaning.series().iter().any(|s| s.key == *key);
    out.sort_by_cached_key(|key| {
        (
            key_rank::writer_index(key).is_some(),
            is_constant(key),
            !is_series(key),
            !known.contains(key),
        )
    });
    out
}

/// Number of values of a key that are checked for being numeric.
const SAMPLED_VALUES: u32 = 24;

/// Returns whether a key is numeric according to its type, or to the spelling of its first values if the type is automatic.
fn holds_numbers(key: &KeyView) -> bool {
    match key.key.kind {
        KeyType::Int | KeyType::Float => true,
        KeyType::Auto => {
            // Integers are not dictionary entries; of other values the first ones are parsed.
            let entries = (0..SAMPLED_VALUES).filter_map(|at| key.dict.entry(ENTRY + at));
            let mut entries = entries.peekable();
            entries.peek().is_none() || entries.all(|text| quantity::number(text).is_some())
        }
        _ => false,
    }
}
