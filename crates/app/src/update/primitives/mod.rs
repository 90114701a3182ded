//! Changes of the model that many commands share. No module here runs a command.

pub(in crate::update) mod carried_rows;
pub(in crate::update) mod completion;
pub(in crate::update) mod copy;
pub(in crate::update) mod findings_cursor;
pub(in crate::update) mod followed_value;
pub(in crate::update) mod marked_rows;
pub(in crate::update) mod moment;
pub(in crate::update) mod navigation;
pub(in crate::update) mod notices;
pub(in crate::update) mod overview;
pub(in crate::update) mod plotting;
pub(in crate::update) mod prompts;
pub(in crate::update) mod questions;
pub(in crate::update) mod record_cursor;
pub(in crate::update) mod scrolling;
pub(in crate::update) mod selected_rows;
pub(in crate::update) mod selection;
pub(in crate::update) mod split_focus;
pub(in crate::update) mod tables;
