//! JSON lines: one object per row, of which the first has the version of the fields; events as flat objects, which can be
//! read back.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value as Json};

use widetui_core::words::is_format_control;
use widetui_definition::key_type::KeyType;
use widetui_format::exports::SCHEMA;
use widetui_store::Value;
use widetui_store::texts::MAX_RECORD;

use super::event::FullEvent;

/// Version of the fields of JSON lines, and of the names and types of columns in the metadata of Arrow and Parquet. It is
/// increased when a field is renamed or removed or gets another type or meaning; new fields leave it as it is.
pub const SCHEMA_VERSION: u32 = 1;

/// Writer of objects as JSON lines. The first object has the version of the fields as `_schema`.
#[derive(Debug, Default)]
pub struct JsonLines {
    is_started: bool,
}

impl JsonLines {
    /// Writes an object as a line.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&mut self, mut object: Map<String, Json>, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_started {
            self.is_started = true;
            object.insert(SCHEMA.into(), SCHEMA_VERSION.into());
        }
        writeln!(out, "{}", line(&Json::Object(object)))
    }
}

/// Largest integer that every reader of JSON represents exactly.
const SAFE: u64 = 1 << 53;

/// Text of a value, written as a number or boolean by the type of its key, else as a string in its original spelling.
#[derive(Clone, Copy, Debug)]
struct TypedText<'t> {
    kind: KeyType,
    text: &'t str,
}

impl Serialize for TypedText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = self.text;
        match self.kind {
            KeyType::Text
            | KeyType::Uuid
            | KeyType::Hex
            | KeyType::Bytes
            | KeyType::Tuple
            | KeyType::Host
            | KeyType::Path => to.serialize_str(text),
            KeyType::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => to.serialize_bool(true),
                "false" | "no" | "0" => to.serialize_bool(false),
                _ => to.serialize_str(text),
            },
            KeyType::Auto if text == "true" => to.serialize_bool(true),
            KeyType::Auto if text == "false" => to.serialize_bool(false),
            KeyType::Auto | KeyType::Int | KeyType::Float | KeyType::Job => {
                match plain_number(text) {
                    Some(number) => number.serialize(to),
                    None => to.serialize_str(text),
                }
            }
        }
    }
}

/// Value of a key as JSON: a number or boolean by the type of the key, else a string in its original spelling.
pub fn json_value(kind: KeyType, text: &str) -> Json {
    serde_json::to_value(TypedText { kind, text }).unwrap_or_default()
}

/// Number with this spelling. A number with another spelling would lose digits when read back.
fn plain_number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let first = digits.bytes().next().filter(u8::is_ascii_digit)?;
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        let is_plain = first != b'0' || text == "0";
        let number = text.parse::<i64>().ok().filter(|_| is_plain)?;
        return (number.unsigned_abs() <= SAFE).then(|| number.into());
    }
    let number = Number::from_f64(text.parse().ok()?)?;
    (number.to_string() == text).then_some(number)
}

/// Values of a key as JSON: one value, or an array of several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypedValue<'v> {
    /// Type of the key.
    pub kind: KeyType,
    /// Values.
    pub value: &'v Value,
}

impl TypedValue<'_> {
    /// JSON text.
    pub fn json(self) -> String {
        let mut out = Vec::new();
        put(&mut out, &self);
        String::from_utf8_lossy(&out).into_owned()
    }
}

impl Serialize for TypedValue<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let typed = |text| TypedText {
            kind: self.kind,
            text,
        };
        match self.value {
            Value::One(text) => typed(text).serialize(to),
            Value::Many(list) => to.collect_seq(list.iter().map(|text| typed(text))),
        }
    }
}

/// Value of a field of an event.
#[derive(Clone, Copy, Debug)]
enum FieldValue<'e> {
    Null,
    Text(&'e str),
    Key(TypedValue<'e>),
}

impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            FieldValue::Null => to.serialize_unit(),
            FieldValue::Text(text) => to.serialize_str(text),
            FieldValue::Key(value) => value.serialize(to),
        }
    }
}

/// Fields of an event in the order of writing.
fn fields<'e>(event: &'e FullEvent<'_>) -> impl Iterator<Item = (&'e str, FieldValue<'e>)> {
    let time = event.time.as_deref();
    let own = [
        ("time", time.map_or(FieldValue::Null, FieldValue::Text)),
        ("source", FieldValue::Text(&event.source)),
        ("level", FieldValue::Text(event.level)),
        ("message", FieldValue::Text(&event.message)),
        ("template", FieldValue::Text(&event.template)),
    ];
    let keys = event.keys.iter().map(|key| {
        let (kind, value) = (key.kind, &key.value);
        (key.name, FieldValue::Key(TypedValue { kind, value }))
    });
    own.into_iter().chain(keys)
}

/// Event as a JSON object.
pub fn event_object(event: &FullEvent<'_>) -> Map<String, Json> {
    let event = readable(event);
    let fields = fields(&event);
    let json = |value| serde_json::to_value(value).unwrap_or_default();
    fields
        .map(|(name, value)| (name.to_owned(), json(value)))
        .collect()
}

/// Size of message and template together above which a line may be too long, bytes.
const LONG: usize = 128 << 10;

/// Maximum size of a line that is read back as a whole, with room for additions, bytes.
const READABLE: usize = MAX_RECORD - (64 << 10);

/// Size to which the template of a too long event is cut, bytes.
const SHORT_TEMPLATE: usize = 4 << 10;

/// Event that is not too long to be read back: one that is loses the end of its template, which the message contains,
/// then the end of its message.
fn readable<'e, 's>(event: &'e FullEvent<'s>) -> Cow<'e, FullEvent<'s>> {
    if event.message.len() + event.template.len() <= LONG {
        return Cow::Borrowed(event);
    }
    let excess = |event: &FullEvent<'_>| {
        let mut out = Vec::new();
        let mut line = ObjectLine::new(&mut out);
        fields(event).for_each(|(name, value)| line.field(name, &value));
        line.end();
        out.len().checked_sub(READABLE).filter(|excess| *excess > 0)
    };
    if excess(event).is_none() {
        return Cow::Borrowed(event);
    }
    let mut short = event.clone();
    let end = char_boundary(&event.template, SHORT_TEMPLATE);
    if end < event.template.len() {
        short.template = format!("{}…", &event.template[..end]).into();
    }
    if let Some(excess) = excess(&short) {
        let note = format!("… (cut: {} bytes were read)", event.message.len());
        let end = event.message.len().saturating_sub(excess + note.len());
        let end = char_boundary(&event.message, end);
        short.message = format!("{}{note}", &event.message[..end]);
    }
    Cow::Owned(short)
}

/// Largest offset up to `at` between two characters.
fn char_boundary(text: &str, at: usize) -> usize {
    let offsets = (0..=at.min(text.len())).rev();
    let mut boundaries = offsets.filter(|at| text.is_char_boundary(*at));
    boundaries.next().unwrap_or(0)
}

/// JSON object, written field by field as one line without control characters.
#[derive(Debug)]
pub struct ObjectLine<'o> {
    out: &'o mut Vec<u8>,
    /// Offset of the line in the output.
    start: usize,
}

impl<'o> ObjectLine<'o> {
    /// Starts an object at the end of `out`.
    pub fn new(out: &'o mut Vec<u8>) -> ObjectLine<'o> {
        let start = out.len();
        out.push(b'{');
        ObjectLine { out, start }
    }

    /// Adds a field.
    pub fn field(&mut self, name: &str, value: &impl Serialize) {
        if self.out.len() > self.start + 1 {
            self.out.push(b',');
        }
        put(self.out, name);
        self.out.push(b':');
        put(self.out, value);
    }

    /// Adds the fields of an event.
    pub fn event(&mut self, event: &FullEvent<'_>) {
        fields(&readable(event)).for_each(|(name, value)| self.field(name, &value));
    }

    /// Adds the version of the fields, in the first line of an output.
    pub fn version(&mut self) {
        self.field(SCHEMA, &SCHEMA_VERSION);
    }

    /// Ends the object and the line.
    pub fn end(self) {
        self.out.push(b'}');
        escape_controls(self.out, self.start);
        self.out.push(b'\n');
    }
}

/// Appends a value as JSON, or null if it cannot be serialized.
fn put(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Event as one line of JSON, without the line end.
pub fn event_line(event: &FullEvent<'_>) -> String {
    let mut out = Vec::new();
    let mut line = ObjectLine::new(&mut out);
    line.event(event);
    line.end();
    out.pop();
    String::from_utf8_lossy(&out).into_owned()
}

/// Value as one line of JSON without control characters.
pub fn line(value: &Json) -> String {
    let mut out = Vec::new();
    put(&mut out, value);
    escape_controls(&mut out, 0);
    String::from_utf8_lossy(&out).into_owned()
}

/// Escapes the characters that JSON permits and that a terminal obeys or that reorder or hide text, from this offset on: a
/// line may be shown on a terminal, and its values are exact nevertheless.
fn escape_controls(out: &mut Vec<u8>, start: usize) {
    const DEL: u8 = 0x7f;
    let Some(first) = out[start..].iter().position(|byte| *byte >= DEL) else {
        return;
    };
    let rest = out.split_off(start + first);
    for c in String::from_utf8_lossy(&rest).chars() {
        if c == char::from(DEL) || is_format_control(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let text = Json::from("a\u{1b}\u{7f}\u{9b}é\u{61c}\u{202e}日\u{2066}\u{e0041}");
        let written = line(&text);
        let escaped = r#""a\u001b\u007f\u009bé\u061c\u202e日\u2066\udb40\udc41""#;
        assert_eq!(written, escaped);
        assert_eq!(serde_json::from_str::<Json>(&written).unwrap(), text);
    }

    #[test]
    fn values_keep_their_spelling() {
        let j = |kind, text| serde_json::to_string(&TypedText { kind, text }).unwrap();
        assert_eq!(j(KeyType::Auto, "12"), "12");
        assert_eq!(j(KeyType::Auto, "012"), "\"012\"");
        assert_eq!(j(KeyType::Auto, "0"), "0");
        assert_eq!(j(KeyType::Auto, "-0"), "\"-0\"");
        assert_eq!(j(KeyType::Auto, "+1"), "\"+1\"");
        assert_eq!(j(KeyType::Auto, "-7"), "-7");
        assert_eq!(j(KeyType::Float, "nan"), "\"nan\"");
        assert_eq!(j(KeyType::Auto, "1.5"), "1.5");
        assert_eq!(j(KeyType::Auto, "1.50"), "\"1.50\"");
        assert_eq!(j(KeyType::Text, "12"), "\"12\"");
        assert_eq!(j(KeyType::Int, "9007199254740993"), "\"9007199254740993\"");
        let least = i64::MIN.to_string();
        assert_eq!(j(KeyType::Int, &least), format!("\"{least}\""));
        assert_eq!(j(KeyType::Bool, "True"), "true");
    }
}
