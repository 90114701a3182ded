//! Copies a text to the clipboard.

use crate::clipboard_text::ClipboardText;
use crate::model::Model;
use crate::msg::Effect;
use widetui_tables::text;

use super::notices::{alert, say};

/// Maximum size of a copied text, in bytes. Some terminals silently drop more than 100,000 characters
/// of base64.
pub(crate) const MOST: usize = 74_994;

/// Copies a text in full, or alerts that it exceeds [`MOST`] bytes.
pub(in crate::update) fn whole(model: &mut Model, text: String, what: &str) -> Vec<Effect> {
    let text = ClipboardText::new(&text);
    let bytes = text::size(text.len() as u64);
    if text.len() > MOST {
        let most = text::size(MOST as u64);
        return alert(
            model,
            format!("{what} has {bytes}: terminals take at most {most}"),
        );
    }
    let shown: String = text
        .as_str()
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(60)
        .collect();
    let shown = text::sanitise(&shown).into_owned();
    say(
        model,
        format!("copied {what}, {bytes}, if the terminal allows it: {shown}"),
    );
    vec![Effect::Copy(text)]
}
