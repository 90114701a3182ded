//! YAML reader for data: maps, lists, texts, numbers. Tags are ignored.

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// Maximum nesting depth.
const MAX_DEPTH: usize = 200;

/// Maximum number of values; each use of an anchor counts again.
const MAX_VALUES: usize = 20_000_000;

/// List or map that has not been read to its end.
enum Open {
    List(Vec<Value>),
    /// Map, and the name whose value comes next.
    Map(Map<String, Value>, Option<String>),
}

struct Reading {
    open: Vec<(Open, usize)>,
    anchors: FxHashMap<usize, Value>,
    values: usize,
    done: Option<Value>,
}

/// Parses the first document of a text.
pub(super) fn read(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("is no text: {e}"))?;
    let mut reading = Reading {
        open: Vec::new(),
        anchors: FxHashMap::default(),
        values: 0,
        done: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|e| format!("is no YAML: {e}"))?;
        reading.take(event)?;
        if let Some(done) = reading.done.take() {
            return Ok(done);
        }
    }
    Err("is an empty YAML document".to_owned())
}

impl Reading {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let value = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => Value::String(text.into_owned()),
                };
                self.add(value, anchor)
            }
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor).cloned().unwrap_or(Value::Null);
                self.values += count(&known);
                self.add(known, 0)
            }
            Event::SequenceStart(anchor, _) => self.begin(Open::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.begin(Open::Map(Map::new(), None), anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((Open::List(list), anchor)) => self.add(Value::Array(list), anchor),
                Some((Open::Map(map, _), anchor)) => self.add(Value::Object(map), anchor),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open, anchor: usize) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("values are nested more than {MAX_DEPTH} deep"));
        }
        self.open.push((open, anchor));
        Ok(())
    }

    /// Adds a value: an element, a name, the value of a name, or the whole document.
    fn add(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(format!("has more than {MAX_VALUES} values"));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some((Open::List(list), _)) => list.push(value),
            Some((Open::Map(map, name), _)) => match name.take() {
                None => *name = Some(super::rows::name_of(value)),
                Some(name) => {
                    map.insert(name, value);
                }
            },
        }
        Ok(())
    }
}

/// Number of values in a value.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// Meaning of an unquoted text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if is_number {
        if let Ok(number) = text.parse::<i64>() {
            return Value::from(number);
        }
        if let Ok(number) = text.parse::<f64>() {
            return Number::from_f64(number).map_or(Value::Null, Value::Number);
        }
    }
    Value::String(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lists_texts_and_numbers_are_read() {
        let text =
            "a: &x\n- - inc-1\n  - 1.5\n  - {b: null}\n- '7'\nc: *x\n? [tup, 1]\n: 'été ''x'''\n";
        let value = read(text.as_bytes()).unwrap();
        let a = r#"[["inc-1",1.5,{"b":null}],"7"]"#;
        let all = format!("{{\"a\":{a},\"c\":{a},\"[\\\"tup\\\", 1]\":\"été 'x'\"}}");
        assert_eq!(value.to_string(), all);
    }

    #[test]
    fn invalid_and_endless_documents_are_refused() {
        assert!(read(b"a: [1, 2").is_err());
        assert!(read(b"\xff\xfe").is_err());
        assert!(read(b"").is_err());
        let deep = "[".repeat(10_000);
        assert!(read(deep.as_bytes()).is_err());
        // Each is ten times as large as the one before.
        let mut text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
        for n in 1..12 {
            let ten = vec![format!("*a{}", n - 1); 10].join(",");
            text.push_str(&format!("a{n}: &a{n} [{ten}]\n"));
        }
        assert!(read(text.as_bytes()).is_err());
    }
}
