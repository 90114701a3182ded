//! MessagePack reader.

use rmpv::Value as Packed;
use serde_json::{Map, Number, Value};

/// Maximum nesting depth.
const MAX_DEPTH: usize = 200;

/// Parses a value.
pub(super) fn read(mut bytes: &[u8]) -> Result<Value, String> {
    let whole = bytes.len();
    match rmpv::decode::read_value_with_max_depth(&mut bytes, MAX_DEPTH) {
        Ok(value) => Ok(plain(value)),
        Err(error) => {
            let at = whole - bytes.len();
            Err(format!("invalid MessagePack at byte {at}: {error}"))
        }
    }
}

/// Value as JSON: bytes become text, extension types null.
fn plain(value: Packed) -> Value {
    match value {
        Packed::Nil | Packed::Ext(..) => Value::Null,
        Packed::Boolean(b) => Value::Bool(b),
        Packed::Integer(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::from(n),
            (None, Some(n)) => Value::from(n),
            (None, None) => Value::Null,
        },
        Packed::F32(f) => Number::from_f64(f64::from(f)).map_or(Value::Null, Value::Number),
        Packed::F64(f) => Number::from_f64(f).map_or(Value::Null, Value::Number),
        Packed::String(text) => {
            Value::String(String::from_utf8_lossy(text.as_bytes()).into_owned())
        }
        Packed::Binary(bytes) => Value::String(String::from_utf8_lossy(&bytes).into_owned()),
        Packed::Array(list) => Value::Array(list.into_iter().map(plain).collect()),
        Packed::Map(pairs) => {
            let named = |(name, value)| (super::rows::name_of(plain(name)), plain(value));
            Value::Object(pairs.into_iter().map(named).collect::<Map<String, Value>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_values_are_read() {
        let bytes = b"\x83\xa1a\x93\x01\xc0\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xa1b\xc4\x02\xff\x41\x07\xc3";
        let value = read(bytes).unwrap();
        assert_eq!(
            value.to_string(),
            "{\"a\":[1,null,1.5],\"b\":\"\u{fffd}A\",\"7\":true}"
        );
        assert!(read(b"\x83\xa1a").is_err());
        assert!(read(b"").is_err());
        let deep = vec![0x91; 100_000];
        assert!(read(&deep).is_err(), "lists in lists");
    }
}
