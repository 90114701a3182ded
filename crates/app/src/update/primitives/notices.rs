//! Notifications: shown in the last line of the screen and kept in the message log.

use crate::message_log::Notice;
use crate::model::Model;
use crate::msg::Effect;

/// Notifies the user. There are no effects, so that a command may end with the notification.
pub(in crate::update) fn say(model: &mut Model, text: impl Into<String>) -> Vec<Effect> {
    tell(
        model,
        Notice {
            text: text.into(),
            is_alert: false,
        },
    )
}

/// Alerts the user. There are no effects, so that a command may end with the alert.
pub(in crate::update) fn alert(model: &mut Model, text: impl Into<String>) -> Vec<Effect> {
    tell(
        model,
        Notice {
            text: text.into(),
            is_alert: true,
        },
    )
}

/// Shows a notification in the last line of the screen and adds it to the message log.
fn tell(model: &mut Model, notice: Notice) -> Vec<Effect> {
    model.message_log.add(notice.clone());
    model.message = Some(notice);
    Vec::new()
}
