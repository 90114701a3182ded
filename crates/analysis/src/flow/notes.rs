//! Notes about messages, shown by the command and the explorer.

use widetui_time::time::format_delta;

use crate::flow::{Flow, FlowMessage};

/// Note for data without messages: how a definition declares them.
pub const NO_FLOW: &str = "no definition identifies the messages in these records: a [[flow]] names the keys that identify a message, its sender and its receiver, and the records of sending, receiving and answering (widetui systems)";

/// Note for a selection without messages.
pub const NO_MESSAGE_SELECTED: &str = "the selected records contain no message";

/// Note that messages arrive or are answered before they are sent, so that durations are negative; `None` if none are.
pub fn disorder_note(found: &Flow) -> Option<String> {
    let early = early_arrival_text(found)?;
    Some(format!(
        "Some messages {early}, hence negative durations: clocks differ, or a program logs the sending late."
    ))
}

/// Short form of [`disorder_note`], for a line that names the messages.
pub fn early_arrival_text(found: &Flow) -> Option<String> {
    let early = |verb: &str, took: fn(&FlowMessage) -> Option<i64>| {
        let worst = found.messages.iter().filter_map(took).min();
        let worst = worst.filter(|w| *w < 0)?;
        let by = format_delta(worst.saturating_neg());
        let by = by.trim_start_matches('+');
        Some(format!("{verb} up to {by} before they are sent"))
    };
    early("arrive", FlowMessage::latency).or_else(|| early("are answered", FlowMessage::round_trip))
}
