//! Places in words.

/// The last part of each key and its value, from the inside out (`worker 1, manager 3619e747ac56, block 0`), from pairs as
/// [`crate::entity::Instances::places`] gives them.
pub fn in_words(pairs: &[(String, String)]) -> String {
    let one = |(key, value): &(String, String)| {
        let name = key.rsplit('.').next().unwrap_or(key).replace('_', " ");
        format!("{name} {value}")
    };
    let parts: Vec<String> = pairs.iter().rev().map(one).collect();
    parts.join(", ")
}
