//! Sorting of messages by time.

use crate::flow::FlowMessage;

/// Sorts messages by time, stable. Messages are large, so each is moved only once.
pub(super) fn sort_by_time(messages: &mut [FlowMessage]) {
    let times = messages.iter().map(FlowMessage::time);
    let mut order: Vec<(i64, u32)> = times.zip(0..).collect();
    order.sort_unstable();
    let mut places = vec![0u32; order.len()];
    for ((_, at), place) in order.into_iter().zip(0..) {
        places[at as usize] = place;
    }
    for at in 0..places.len() {
        while places[at] as usize != at {
            let place = places[at] as usize;
            messages.swap(at, place);
            places.swap(at, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{FlowMark, MessageStatus};
    use proptest::prelude::*;
    use widetui_core::ids::EventId;

    proptest! {
        /// The result equals that of a stable sort.
        #[test]
        fn messages_are_sorted_by_time(times in prop::collection::vec(prop_oneof![Just(None), (0i64..9).prop_map(Some)], 0..40)) {
            let message = |(time, at): (&Option<i64>, u32)| FlowMessage {
                kind: 0,
                id: (&[at][..]).into(),
                sender: None,
                receiver: None,
                label: None,
                sent: time.map(|time| FlowMark { time, event: EventId(at) }),
                received: None,
                replied: None,
                answered: None,
                status: MessageStatus::Sent,
            };
            let mut messages: Vec<FlowMessage> = times.iter().zip(0..).map(message).collect();
            let mut want = messages.clone();
            want.sort_by_key(FlowMessage::time);
            sort_by_time(&mut messages);
            prop_assert_eq!(messages, want);
        }
    }
}
