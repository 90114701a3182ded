//! Exceptions inside a value as JSON: lists of events with their attributes.

use serde_json::Value;

/// Last exception in a JSON value: `ValueError: no`. `None` if there is none.
pub(crate) fn exception(text: &str) -> Option<String> {
    if !text.trim_start().starts_with(['[', '{']) {
        return None;
    }
    let mut last = None;
    find(&serde_json::from_str(text).ok()?, &mut last);
    last
}

fn find(value: &Value, last: &mut Option<String>) {
    let (name, message) = (
        member(value, "exception.type"),
        member(value, "exception.message"),
    );
    let told = match (name, message) {
        (Some(name), Some(message)) if !message.is_empty() => Some(format!("{name}: {message}")),
        (Some(one), _) | (None, Some(one)) => Some(one),
        (None, None) => None,
    };
    if let Some(told) = told {
        let words: Vec<&str> = told.split_whitespace().collect();
        *last = Some(words.join(" "));
        return;
    }
    match value {
        Value::Array(list) => list.iter().for_each(|one| find(one, last)),
        Value::Object(map) => map.values().for_each(|one| find(one, last)),
        _ => {}
    }
}

/// Member of an object, or of a list of keys and values: `[{"key": "a", "value": {"stringValue": "b"}}]`.
fn member(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Object(map) => map.get(name)?.as_str().map(str::to_owned),
        Value::Array(list) => {
            let pair = list
                .iter()
                .find(|p| p.get("key").and_then(Value::as_str) == Some(name))?;
            let value = pair.get("value")?;
            let value = value
                .as_str()
                .or_else(|| value.get("stringValue")?.as_str());
            value.map(str::to_owned)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_found_in_both_forms() {
        let plain = r#"[{"name":"a"},{"name":"exception","attributes":{"exception.type":"ValueError","exception.message":"no\n dt=3"}}]"#;
        assert_eq!(exception(plain).as_deref(), Some("ValueError: no dt=3"));
        let pairs = r#"[{"name":"exception","attributes":[{"key":"exception.type","value":{"stringValue":"OSError"}},
                        {"key":"exception.message","value":{"stringValue":"gone"}}]}]"#;
        assert_eq!(exception(pairs).as_deref(), Some("OSError: gone"));
        assert_eq!(exception("[1, 2]"), None);
        assert_eq!(exception("ValueError: no"), None);
        assert_eq!(exception("[cut"), None);
    }
}
