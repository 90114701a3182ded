//! Events as JSON lines: one flat object per event, which can be read back.

use serde_json::{Map, Number, Value as Json};

use widetui_definition::key_type::KeyType;
use widetui_store::Value;
use widetui_store::texts::MAX_RECORD;

use super::event::FullEvent;

/// Largest integer that every reader of JSON represents exactly.
const SAFE: u64 = 1 << 53;

/// Value of a key as JSON: a number or boolean by the type of the key, else a string in its original spelling.
pub fn json_value(kind: KeyType, text: &str) -> Json {
    let string = || Json::String(text.to_owned());
    match kind {
        KeyType::Text | KeyType::Uuid | KeyType::Hex | KeyType::Bytes | KeyType::Tuple => string(),
        KeyType::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Json::Bool(true),
            "false" | "no" | "0" => Json::Bool(false),
            _ => string(),
        },
        KeyType::Auto | KeyType::Int | KeyType::Float => {
            if let Ok(n) = text.parse::<i64>() {
                let plain = n.to_string() == text && n.unsigned_abs() <= SAFE;
                return if plain {
                    Json::Number(n.into())
                } else {
                    string()
                };
            }
            if kind == KeyType::Auto && matches!(text, "true" | "false") {
                return Json::Bool(text == "true");
            }
            // A number with another spelling would lose digits when read back.
            match text.parse::<f64>().ok().and_then(Number::from_f64) {
                Some(number) if number.to_string() == text => Json::Number(number),
                _ => string(),
            }
        }
    }
}

/// Values of a key as JSON.
pub(crate) fn json_values(kind: KeyType, value: &Value) -> Json {
    match value {
        Value::One(text) => json_value(kind, text),
        Value::Many(list) => Json::Array(list.iter().map(|t| json_value(kind, t)).collect()),
    }
}

/// Event as a JSON object.
pub fn event_object(event: &FullEvent) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert(
        "time".into(),
        event.time.clone().map_or(Json::Null, Json::String),
    );
    object.insert("source".into(), event.source.clone().into());
    object.insert("level".into(), event.level.into());
    object.insert("message".into(), event.message.clone().into());
    object.insert("template".into(), event.template.clone().into());
    for (name, kind, value) in &event.keys {
        object.insert(name.clone(), json_values(*kind, value));
    }
    if event.message.len() + event.template.len() > LONG {
        shorten(&mut object, event);
    }
    object
}

/// Size of message and template together above which a line may be too long, bytes.
const LONG: usize = 128 << 10;

/// Maximum size of a line that is read back as a whole, with room for additions, bytes.
const READABLE: usize = MAX_RECORD - (64 << 10);

/// Size to which the template of a too long event is cut, bytes.
const SHORT_TEMPLATE: usize = 4 << 10;

/// Cuts an event that is too long to be read back: first the template, which the message contains, then the end of the message.
fn shorten(object: &mut Map<String, Json>, event: &FullEvent) {
    let too_long = |object: &Map<String, Json>| {
        let line = line(&Json::Object(object.clone()));
        line.len().checked_sub(READABLE).filter(|over| *over > 0)
    };
    if too_long(object).is_none() {
        return;
    }
    let end = char_boundary(&event.template, SHORT_TEMPLATE);
    if end < event.template.len() {
        let template = format!("{}…", &event.template[..end]);
        object.insert("template".into(), template.into());
    }
    if let Some(over) = too_long(object) {
        let note = format!("… (cut: {} bytes were read)", event.message.len());
        let end = event.message.len().saturating_sub(over + note.len());
        let end = char_boundary(&event.message, end);
        let message = format!("{}{note}", &event.message[..end]);
        object.insert("message".into(), message.into());
    }
}

/// Largest offset up to `at` between two characters.
fn char_boundary(text: &str, at: usize) -> usize {
    let offsets = (0..=at.min(text.len())).rev();
    let mut boundaries = offsets.filter(|at| text.is_char_boundary(*at));
    boundaries.next().unwrap_or(0)
}

/// Event as one line of JSON, without the line end.
pub fn event_line(event: &FullEvent) -> String {
    line(&Json::Object(event_object(event)))
}

/// Value as one line of JSON without control characters. The characters that JSON permits (DEL, and the C1 set that some
/// terminals obey) are escaped too, because the line may be shown on a terminal.
pub fn line(value: &Json) -> String {
    let text = value.to_string();
    let control = |c: char| ('\u{7f}'..='\u{9f}').contains(&c);
    if !text.contains(control) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if control(c) {
            out.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let text = Json::from("a\u{1b}\u{7f}\u{9b}é");
        let written = line(&text);
        assert_eq!(written, r#""a\u001b\u007f\u009bé""#);
        assert_eq!(serde_json::from_str::<Json>(&written).unwrap(), text);
    }

    #[test]
    fn values_keep_their_spelling() {
        let j = |kind, text| json_value(kind, text).to_string();
        assert_eq!(j(KeyType::Auto, "12"), "12");
        assert_eq!(j(KeyType::Auto, "012"), "\"012\"");
        assert_eq!(j(KeyType::Auto, "1.5"), "1.5");
        assert_eq!(j(KeyType::Auto, "1.50"), "\"1.50\"");
        assert_eq!(j(KeyType::Text, "12"), "\"12\"");
        assert_eq!(j(KeyType::Int, "9007199254740993"), "\"9007199254740993\"");
        let least = i64::MIN.to_string();
        assert_eq!(j(KeyType::Int, &least), format!("\"{least}\""));
        assert_eq!(j(KeyType::Bool, "True"), "true");
    }
}
