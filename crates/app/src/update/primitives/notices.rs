//! Notifications: shown in the last line of the screen and kept in the message log.

use crate::message_log::Notice;
use crate::model::Model;

/// Notifies the user.
pub(in crate::update) fn say(model: &mut Model, text: String) {
    tell(
        model,
        Notice {
            text,
            is_alert: false,
        },
    );
}

/// Alerts the user.
pub(in crate::update) fn alert(model: &mut Model, text: String) {
    tell(
        model,
        Notice {
            text,
            is_alert: true,
        },
    );
}

/// Shows a notification in the last line of the screen and adds it to the message log.
fn tell(model: &mut Model, notice: Notice) {
    model.message_log.add(notice.clone());
    model.message = Some(notice);
}
