//! Picker that shows the message log.

use crate::message_log::MessageEntry;
use crate::model::Model;
use crate::msg::Effect;
use crate::popups::{Item, ItemAction, Picker, PickerKind};
use widetui_time::time::format_clock;

use super::primitives::notices::say;

pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let lines = model.message_log.lines();
    if lines.is_empty() {
        return say(model, "no notifications so far");
    }
    let items: Vec<Item> = lines.iter().map(|said| item(model, said)).collect();
    let mut picker = Picker::new(PickerKind::Messages, items);
    picker.cursor = picker.shown.len().saturating_sub(1);
    model.popup = Some(picker.into());
    Vec::new()
}

/// Item for an entry of the message log: time, alert sign, text and number of repetitions.
fn item(model: &Model, said: &MessageEntry) -> Item {
    let time = said.time.map_or_else(String::new, |t| {
        format_clock(t, model.zone.offset_at_utc(t), 0)
    });
    let sign = if said.notice.is_alert { "!" } else { " " };
    let action = ItemAction::Copy(said.notice.text.clone());
    let times = match said.times {
        0 | 1 => String::new(),
        n => format!("×{n}"),
    };
    Item {
        keys: times,
        topic: "messages",
        ..Item::choice(format!("{time} {sign}"), &said.notice.text, action)
    }
}
