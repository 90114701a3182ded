//! Text of the places of an instance.

/// Formats key-value pairs of [`crate::entity::Instances::places`], innermost first: `worker 1,
/// manager 3619e747ac56, block 0`.
pub fn format_places(pairs: &[(String, String)]) -> String {
    let one = |(key, value): &(String, String)| {
        let name = key.rsplit('.').next().unwrap_or(key).replace('_', " ");
        format!("{name} {value}")
    };
    let parts: Vec<String> = pairs.iter().rev().map(one).collect();
    parts.join(", ")
}
