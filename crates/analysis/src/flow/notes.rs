//! Notes about messages for the command and the explorer.

use widetui_time::time::format_delta;

use crate::flow::{Flow, FlowMessage};

/// Records without any message: what definitions would have to say.
pub const NO_FLOW: &str = "no definition says which of these records are messages: a [[flow]] names the keys that identify a message, its sender and its receiver, and the records of sending, receiving and answering (widetui systems)";

/// There are messages, but elsewhere.
pub const NONE_HERE: &str = "no record of a message is among those selected";

/// That messages arrive before they are sent, when some do.
pub fn disorder(found: &Flow) -> Option<String> {
    let early = early(found)?;
    Some(format!(
        "Some messages {early}: clocks differ, or a program writes that it sends after it has."
    ))
}

/// The same in few words, of what is counted beside it.
pub fn early(found: &Flow) -> Option<String> {
    let worst = found.messages.iter().filter_map(FlowMessage::latency).min();
    let worst = worst.filter(|w| *w < 0)?;
    let by = format_delta(worst.saturating_neg());
    let by = by.trim_start_matches('+');
    Some(format!("arrive up to {by} before they are sent"))
}
