//! Titles and texts of messages that definitions explain.

use widetui_core::words::{cut, truncate_middle};
use widetui_store::EventRef;
use widetui_store::texts::TextReader;

/// `text` with `{key}` replaced by the values of an event; `?` for a missing key.
pub(super) fn filled(text: &str, event: &EventRef<'_>, texts: &mut TextReader) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let values = event.stored();
    let keys = &event.snapshot.catalog.keys;
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let value = values.iter().find(|(key, ..)| keys.name(*key) == name);
        let text = match value {
            Some(value) => Some(value.1.to_string()),
            // Long values are not in the columns.
            None => { keys.find(name) }
                .and_then(|key| texts.value(event, key))
                .map(|long| cut(&long, 160)),
        };
        match text {
            Some(text) => out.push_str(&text),
            // The reason is unknown: `Results were lost: {reason}`.
            None if out.ends_with(": ") => out.truncate(out.len() - ": ".len()),
            None => out.push('?'),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Line with the last component of each long path, at most `room` characters.
pub(super) fn shortened(line: &str, room: usize) -> String {
    truncate_middle(&without_folders(line), room)
}

/// Line with the last component of each long path.
fn without_folders(line: &str) -> String {
    let words = line.split(' ').map(|word| match word.rsplit_once('/') {
        Some((folders, name)) if folders.matches('/').count() > 1 && !folders.contains(':') => {
            let quote = folders.find('/').map_or("", |start| &folders[..start]);
            format!("{quote}{name}")
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<String>>().join(" ")
}
