//! JSON writer. Rows of tables become lines of JSON, so that one parser handles all records with named fields.

/// Writer of one JSON object on one line, field by field, with a size limit in bytes.
#[derive(Debug)]
pub struct ObjectLine<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    most: usize,
    /// Size limit of a single value in bytes.
    value_limit: usize,
    first: bool,
    cut: bool,
}

/// Bytes of every field reserved for its name, quotes and truncation mark.
const ROOM: usize = 96;

/// Bytes that an object may exceed its limit by, for names and truncation marks.
const SPARE: usize = 64 * 1024;

/// Size limit of a single value in bytes.
const VALUE: usize = 256 * 1024;

impl<'a> ObjectLine<'a> {
    /// Begins an object at the end of `out` and truncates values so that the object has about `most` bytes at most.
    pub fn new(out: &'a mut Vec<u8>, most: usize) -> Self {
        let start = out.len();
        out.push(b'{');
        ObjectLine {
            out,
            start,
            most,
            value_limit: VALUE,
            first: true,
            cut: false,
        }
    }

    /// Gives a single value all the room of the object.
    #[must_use]
    pub fn with_long_values(self) -> Self {
        ObjectLine {
            value_limit: self.most,
            ..self
        }
    }

    /// Begins a field; returns false if there is no room for another field.
    fn name(&mut self, name: &str) -> bool {
        let used = self.out.len() - self.start;
        if used + name.len() > self.most.saturating_add(SPARE) {
            self.cut = true;
            return false;
        }
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        push_string(self.out, name.as_bytes());
        self.out.push(b':');
        true
    }

    /// Writes a field with a short value that is valid JSON: a number, `true`, `null`.
    pub fn bare(&mut self, name: &str, json: &str) {
        if self.name(name) {
            self.out.extend_from_slice(json.as_bytes());
        }
    }

    /// Writes a text field; replaces invalid UTF-8 and truncates long text.
    pub fn text(&mut self, name: &str, text: &[u8]) {
        if self.name(name) {
            self.value(text);
        }
    }

    /// Writes a field with a list of texts; the last element counts the texts that were left out for lack of room.
    pub fn texts<'t>(&mut self, name: &str, texts: impl ExactSizeIterator<Item = &'t [u8]>) {
        if !self.name(name) {
            return;
        }
        let count = texts.len();
        for (at, text) in texts.enumerate() {
            self.out.push(if at == 0 { b'[' } else { b',' });
            if self.out.len() - self.start > self.most {
                self.cut = true;
                push_string(self.out, format!("… ({} more)", count - at).as_bytes());
                break;
            }
            self.value(text);
        }
        self.out
            .extend_from_slice(if count == 0 { b"[]" } else { b"]" });
    }

    fn value(&mut self, text: &[u8]) {
        let used = self.out.len() - self.start;
        let room = self
            .most
            .saturating_sub(used)
            .min(self.value_limit.max(ROOM))
            .max(ROOM);
        let end = fitting(text, room);
        if end == text.len() {
            return push_string(self.out, text);
        }
        self.cut = true;
        let shown = String::from_utf8_lossy(text.get(..end).unwrap_or(text));
        let text = format!("{shown}… ({} bytes more)", text.len() - end);
        push_string(self.out, text.as_bytes());
    }

    /// Ends the object and its line; returns whether anything was truncated.
    pub fn end(self) -> bool {
        self.out.extend_from_slice(b"}\n");
        self.cut
    }
}

/// Maximum number of bytes that one byte of text takes in a JSON string (`\u001f`).
const LONGEST: usize = 6;

/// Length in bytes of the longest prefix of `text` that takes at most `room` bytes in a JSON string, ending at a
/// character boundary.
fn fitting(text: &[u8], room: usize) -> usize {
    if text.len() <= room / LONGEST {
        return text.len();
    }
    let (mut end, mut used) = (0, 0);
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            used += match c {
                '"' | '\\' | '\n' | '\r' | '\t' => 2,
                '\0'..' ' => LONGEST,
                c => c.len_utf8(),
            };
            if used > room {
                return end;
            }
            end += c.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            used += char::REPLACEMENT_CHARACTER.len_utf8();
            if used > room {
                return end;
            }
            end += chunk.invalid().len();
        }
    }
    end
}

/// Appends a quoted JSON string and replaces invalid UTF-8.
pub fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for byte in String::from_utf8_lossy(text).bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Whether a text is a number in JSON's grammar.
pub fn is_number(text: &[u8]) -> bool {
    after_number(text).is_some_and(<[u8]>::is_empty)
}

/// Rest of a text after the number at its start.
fn after_number(text: &[u8]) -> Option<&[u8]> {
    let mut rest = match text.strip_prefix(b"-").unwrap_or(text) {
        [b'0', rest @ ..] => rest,
        unsigned => after_digits(unsigned)?,
    };
    if let [b'.', fraction @ ..] = rest {
        rest = after_digits(fraction)?;
    }
    if let [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] = rest {
        rest = after_digits(exponent)?;
    }
    Some(rest)
}

/// Rest of a text after the digits at its start, at least one.
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    text.get(len..).filter(|_| len > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_has_no_room_is_left_out_and_told() {
        let mut out = Vec::new();
        let mut line = ObjectLine::new(&mut out, 1000);
        let long = "n".repeat(SPARE);
        for at in 0..5 {
            line.bare(&format!("{long}{at}"), "1");
        }
        line.text("control", &[1; 900]);
        assert!(line.end());
        assert!(out.len() < 2 * SPARE + 1000);
        serde_json::from_slice::<serde_json::Value>(&out).unwrap();
    }

    proptest! {
        #[test]
        fn strings_are_read_back(text in any::<String>()) {
            let mut out = Vec::new();
            push_string(&mut out, text.as_bytes());
            prop_assert!(!out.contains(&b'\n'));
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }

        #[test]
        fn numbers_are_those_of_json(text in "-?[0-9.eE+-]{0,8}") {
            let json = serde_json::from_str::<serde_json::Number>(&text).is_ok();
            // serde_json refuses exponents outside the range of a float.
            prop_assert!(is_number(text.as_bytes()) == json || text.contains(['e', 'E']));
        }

        #[test]
        fn objects_keep_their_bounds(values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..40), most in 0usize..4000) {
            let mut out = Vec::new();
            let mut line = ObjectLine::new(&mut out, most);
            line.text("first", &values.concat());
            line.texts("list", values.iter().map(Vec::as_slice));
            line.text("last", b"x");
            let cut = line.end();
            let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
            // Each of the three fields may exceed the limit by a few bytes and a truncation mark.
            prop_assert!(out.len() < most + 600);
            let list = read["list"].as_array().unwrap();
            prop_assert!(list.len() == values.len() || cut && list.last().unwrap().as_str().unwrap().contains("more"));
        }

        #[test]
        fn long_objects_stay_objects(values in prop::collection::vec("[aü\"]{0,300}", 0..20), most in 0usize..2000) {
            let mut out = Vec::new();
            let mut line = ObjectLine::new(&mut out, most);
            for (i, value) in values.iter().enumerate() {
                line.text(&format!("k{i}"), value.as_bytes());
            }
            let cut = line.end();
            let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
            for (i, value) in values.iter().enumerate() {
                let got = read[format!("k{i}")].as_str().unwrap();
                prop_assert!(got == value || cut && got.contains("bytes more"));
            }
        }
    }
}
