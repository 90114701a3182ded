//! Walks a JSON object without allocating: keys and values are slices of the line.

use std::ops::Range;

/// Value as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw<'a> {
    /// String.
    Text {
        /// Bytes between the quotes.
        bytes: &'a [u8],
        /// Whether they contain a backslash.
        escaped: bool,
    },
    /// Number, `true` or `false`.
    Bare(&'a [u8]),
    /// `null`.
    Null,
    /// Array with its brackets.
    Array(&'a [u8]),
    /// Array of numbers that are the bytes of a text.
    Bytes(&'a [u8]),
    /// Empty object, or one nested too deeply to walk.
    Object(&'a [u8]),
}

/// Number of 8-byte words in which the end of a string is looked for before a search is set up; most strings are short.
const SCANNED_WORDS: usize = 2;

/// Maximum depth to which objects are walked; deeper ones are single values.
const MAX_DEPTH: usize = 6;

/// Calls `f` with each key (raw bytes between the quotes; dotted path for nested objects) and value of the object in
/// `line`. `None` if the line is not exactly one JSON object; `f` may have been called before that.
pub(crate) fn walk<'a>(line: &'a [u8], mut f: impl FnMut(&[u8], Raw<'a>)) -> Option<()> {
    walk_at(line, |key, raw, _| f(key, raw))
}

/// As [`walk`]; `f` also receives the byte range of each value.
pub(crate) fn walk_at<'a>(
    line: &'a [u8],
    mut f: impl FnMut(&[u8], Raw<'a>, Range<usize>),
) -> Option<()> {
    let pos = skip_blank(line, 0);
    let mut walk = Walk {
        bytes: line,
        prefix: Vec::new(),
    };
    let end = walk.object(pos, 0, &mut f)?;
    (skip_blank(line, end) == line.len()).then_some(())
}

struct Walk<'a> {
    bytes: &'a [u8],
    /// Names of the objects that are being walked, dotted.
    prefix: Vec<u8>,
}

/// Offset of the first byte at or after `pos` that is not a blank.
#[inline]
pub(crate) fn skip_blank(b: &[u8], mut pos: usize) -> usize {
    while matches!(b.get(pos), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        pos += 1;
    }
    pos
}

impl<'a> Walk<'a> {
    fn object(
        &mut self,
        start: usize,
        depth: usize,
        f: &mut impl FnMut(&[u8], Raw<'a>, Range<usize>),
    ) -> Option<usize> {
        let b = self.bytes;
        if b.get(start) != Some(&b'{') {
            return None;
        }
        let mut pos = skip_blank(b, start + 1);
        if b.get(pos) == Some(&b'}') {
            if depth > 0 {
                f(
                    &self.prefix,
                    Raw::Object(b.get(start..=pos)?),
                    start..pos + 1,
                );
            }
            return Some(pos + 1);
        }
        loop {
            let (key, _, after) = string(b, pos)?;
            pos = skip_blank(b, after);
            if b.get(pos) != Some(&b':') {
                return None;
            }
            pos = skip_blank(b, pos + 1);
            if b.get(pos) == Some(&b'{') && depth < MAX_DEPTH {
                let len = self.enter(key);
                pos = self.object(pos, depth + 1, f)?;
                self.prefix.truncate(len);
            } else {
                let (raw, after) = value(b, pos)?;
                if self.prefix.is_empty() {
                    f(key, raw, pos..after);
                } else {
                    let len = self.enter(key);
                    f(&self.prefix, raw, pos..after);
                    self.prefix.truncate(len);
                }
                pos = after;
            }
            pos = skip_blank(b, pos);
            match b.get(pos) {
                Some(b',') => pos = skip_blank(b, pos + 1),
                Some(b'}') => return Some(pos + 1),
                _ => return None,
            }
        }
    }

    /// Appends a name to the prefix; returns the length to truncate it to afterwards.
    fn enter(&mut self, key: &[u8]) -> usize {
        let len = self.prefix.len();
        if len > 0 {
            self.prefix.push(b'.');
        }
        self.prefix.extend_from_slice(key);
        len
    }
}

/// Number of bytes of a word (first byte lowest) before a quote or backslash: 8 if there is none.
#[inline(always)]
fn before_special(word: u64) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // Sets the high bit of the lowest byte that is zero, and of no lower one.
    let zeros = |x: u64| x.wrapping_sub(ONES) & !x;
    let found = zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
    (found & (ONES << 7)).trailing_zeros() as usize / 8
}

/// String at `pos`: bytes between the quotes, whether it has escapes, and its end.
#[inline(always)]
pub(crate) fn string(b: &[u8], pos: usize) -> Option<(&[u8], bool, usize)> {
    if b.get(pos) != Some(&b'"') {
        return None;
    }
    string_from(b, pos + 1, pos + 1)
}

/// String whose opening quote is at `pos`, with neither a quote nor a backslash before `from`.
#[inline(always)]
pub(crate) fn text_from(b: &[u8], pos: usize, from: usize) -> Option<(Raw<'_>, usize)> {
    string_from(b, pos + 1, from).map(|(bytes, escaped, end)| (Raw::Text { bytes, escaped }, end))
}

/// String that starts at `start`, searched from `at` on.
#[inline(always)]
fn string_from(b: &[u8], start: usize, mut at: usize) -> Option<(&[u8], bool, usize)> {
    for word in b.get(at..)?.as_chunks().0.iter().take(SCANNED_WORDS) {
        let near = before_special(u64::from_le_bytes(*word));
        at += near;
        if near < 8 {
            if b.get(at) == Some(&b'"') {
                return Some((b.get(start..at)?, false, at + 1));
            }
            break;
        }
    }
    let mut escaped = false;
    loop {
        at += memchr::memchr2(b'"', b'\\', b.get(at..)?)?;
        if b.get(at) == Some(&b'"') {
            return Some((b.get(start..at)?, escaped, at + 1));
        }
        escaped = true;
        at += 2;
    }
}

/// True if a byte ends a number or word.
#[inline(always)]
fn ends_word(b: &u8) -> bool {
    matches!(
        b,
        b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' | b'"' | b':' | b'{' | b'['
    )
}

/// Value at `pos` and its end.
#[inline(always)]
pub(crate) fn value(b: &[u8], pos: usize) -> Option<(Raw<'_>, usize)> {
    match b.get(pos)? {
        b'"' => string(b, pos).map(|(bytes, escaped, end)| (Raw::Text { bytes, escaped }, end)),
        b'[' => nested(b, pos).and_then(|end| Some((Raw::Array(b.get(pos..end)?), end))),
        b'{' => nested(b, pos).and_then(|end| Some((Raw::Object(b.get(pos..end)?), end))),
        first => {
            let rest = b.get(pos..)?;
            let len = rest.iter().position(ends_word);
            let word = rest.get(..len.unwrap_or(rest.len()))?;
            let raw = match (first, word) {
                (b'-' | b'0'..=b'9', _) => Raw::Bare(word),
                (_, b"null") => Raw::Null,
                (_, b"true" | b"false" | b"NaN" | b"Infinity") => Raw::Bare(word),
                _ => return None,
            };
            Some((raw, pos + word.len()))
        }
    }
}

/// End of the array or object at `pos`.
pub(crate) fn nested(b: &[u8], pos: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = pos;
    loop {
        match b.get(at)? {
            b'"' => {
                at = string(b, at)?.2;
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Elements of an array without nested arrays and objects; `None` for others.
pub(crate) fn elements(array: &[u8]) -> Option<Vec<Raw<'_>>> {
    let mut out = Vec::new();
    let mut pos = skip_blank(array, 1);
    if array.get(pos) == Some(&b']') {
        return Some(out);
    }
    loop {
        let (raw, after) = value(array, pos)?;
        if matches!(raw, Raw::Array(_) | Raw::Object(_)) {
            return None;
        }
        out.push(raw);
        pos = skip_blank(array, after);
        match array.get(pos)? {
            b',' => pos = skip_blank(array, pos + 1),
            b']' => return Some(out),
            _ => return None,
        }
    }
}

/// Element of an array, counted from 0, or from -1 at its end; may be an array or object itself.
pub(crate) fn element(array: &[u8], index: isize) -> Option<Raw<'_>> {
    let mut met = Vec::new();
    let mut pos = skip_blank(array, 1);
    while array.get(pos) != Some(&b']') {
        let (raw, after) = value(array, pos)?;
        if index >= 0 && met.len() == index.unsigned_abs() {
            return Some(raw);
        }
        met.push(raw);
        pos = skip_blank(array, after);
        if array.get(pos) == Some(&b',') {
            pos = skip_blank(array, pos + 1);
        }
    }
    let from_end = usize::try_from(index.checked_neg()?).ok()?;
    met.get(met.len().checked_sub(from_end)?).copied()
}

/// Whether an array consists of at least one number, all from 0 to 255.
pub(crate) fn is_bytes(array: &[u8]) -> bool {
    matches!(elements(array), Some(list) if !list.is_empty() && list.iter().all(|r| byte(*r).is_some()))
}

/// Appends the bytes that the numbers of an array stand for.
pub(crate) fn bytes_of(array: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(elements(array).into_iter().flatten().filter_map(byte));
}

fn byte(raw: Raw<'_>) -> Option<u8> {
    let Raw::Bare(digits) = raw else { return None };
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Appends a string's bytes without escapes. Lone surrogates and invalid escapes become the replacement character.
pub(crate) fn unescape(bytes: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut pos = 0;
    while let Some(rest) = bytes.get(pos..)
        && let Some((plain, _)) =
            memchr::memchr(b'\\', rest).and_then(|at| rest.split_at_checked(at))
    {
        out.extend_from_slice(plain);
        pos += plain.len() + 1;
        let Some(&escape) = bytes.get(pos) else {
            return;
        };
        pos += 1;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => {
                let unit = |at: usize| {
                    let digits = bytes.get(at..at + 4)?;
                    let digits = std::str::from_utf8(digits).ok()?;
                    // Parsing would allow a sign.
                    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
                    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
                };
                let mut c = None;
                if let Some(high) = unit(pos) {
                    pos += 4;
                    c = char::from_u32(high);
                    let pair =
                        (0xd800..0xdc00).contains(&high) && bytes.get(pos..pos + 2) == Some(b"\\u");
                    if pair && let Some(low @ 0xdc00..0xe000) = unit(pos + 2) {
                        pos += 6;
                        c = char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                    }
                }
                let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.push(other),
        }
    }
    out.extend_from_slice(bytes.get(pos..).unwrap_or_default());
}

/// Value of a field by its index; null if the record has fewer fields.
#[inline]
pub(crate) fn nth<'a>(values: &[Raw<'a>], at: usize) -> Raw<'a> {
    values.get(at).copied().unwrap_or(Raw::Null)
}

/// Bytes of a value without quotes and escapes.
pub(crate) fn text<'a>(raw: Raw<'a>, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    match raw {
        Raw::Text {
            bytes,
            escaped: false,
        }
        | Raw::Bare(bytes)
        | Raw::Array(bytes)
        | Raw::Object(bytes) => bytes,
        Raw::Text { bytes, .. } => {
            unescape(bytes, scratch);
            scratch
        }
        Raw::Bytes(array) => {
            bytes_of(array, scratch);
            scratch
        }
        Raw::Null => b"",
    }
}

/// Name of a field without JSON escapes.
pub(crate) fn field_name(field: &[u8]) -> String {
    let mut scratch = Vec::new();
    let raw = Raw::Text {
        bytes: field,
        escaped: field.contains(&b'\\'),
    };
    String::from_utf8_lossy(text(raw, &mut scratch)).into_owned()
}

/// Length of the object at the start of a line, with the blanks after it, if another object follows it.
pub(crate) fn first_object(line: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    (line.first() == Some(&b'{')).then_some(())?;
    while let Some(b) = line.get(at) {
        match b {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                at += 1;
                while !matches!(line.get(at)?, b'"') {
                    at += 1 + usize::from(line.get(at) == Some(&b'\\'));
                }
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            let is_between = |b: &&u8| matches!(**b, b' ' | b'\t');
            let (object, after) = line.split_at_checked(at)?;
            let end = at + after.iter().take_while(is_between).count();
            return (line.get(end) == Some(&b'{') && walk(object, |_, _| {}).is_some())
                .then_some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(line: &str) -> Option<Vec<(String, String)>> {
        let mut out = Vec::new();
        let done = walk(line.as_bytes(), |k, v| {
            out.push((String::from_utf8_lossy(k).into_owned(), format!("{v:?}")));
        });
        done.map(|()| out)
    }

    #[test]
    fn nested_keys_are_dotted() {
        let line = r#" {"a": 1, "b": {"c": "x", "d": {"e": null}}, "l": [1, "2"], "o": {}} "#;
        let keys: Vec<_> = pairs(line).unwrap().into_iter().map(|p| p.0).collect();
        assert_eq!(keys, ["a", "b.c", "b.d.e", "l", "o"]);
        assert_eq!(elements(br#"[1, "2"]"#).unwrap().len(), 2);
        for bad in [
            "",
            "{",
            r#"{"a" 1}"#,
            r#"{"a": 1"#,
            r#"{"a": 1} x"#,
            r#"{"a": x}"#,
            r#"{"a": "b}"#,
        ] {
            assert!(pairs(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn invalid_escapes_become_the_replacement_character() {
        let mut out = Vec::new();
        unescape(br"\u0041 \u+041 \ud800 \u12", &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "A \u{fffd}+041 \u{fffd} \u{fffd}12");
    }

    proptest! {
        #[test]
        fn strings_end_at_the_first_quote_that_is_not_escaped(text in "[a\"\\\\\u{e9}!#]{0,50}") {
            let b = format!("\"{text}").into_bytes();
            let mut escape = false;
            let end = b.iter().skip(1).position(|c| {
                let ends = *c == b'"' && !escape;
                escape = *c == b'\\' && !escape;
                ends
            });
            let found = string(&b, 0);
            prop_assert_eq!(found.map(|f| f.2), end.map(|e| e + 2));
            let Some((bytes, escaped, _)) = found else { return Ok(()) };
            prop_assert_eq!(bytes, &b[1..=end.unwrap()]);
            prop_assert_eq!(escaped, bytes.contains(&b'\\'));
        }

        #[test]
        fn unescaping_agrees_with_serde(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            let mut out = Vec::new();
            unescape(&json.as_bytes()[1..json.len() - 1], &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), text);
        }

        #[test]
        fn walking_agrees_with_serde(map in proptest::collection::btree_map("[a-z\"\\\\]{0,5}", any::<Option<f64>>(), 0..6)) {
            let map: std::collections::BTreeMap<_, _> = map.into_iter().filter(|(_, v)| v.is_none_or(f64::is_finite)).collect();
            let json = serde_json::to_string(&map).unwrap();
            prop_assert_eq!(pairs(&json).unwrap().len(), map.len());
        }

        #[test]
        fn any_bytes_do(line in proptest::collection::vec(prop_oneof![Just(b'{'), Just(b'"'), Just(b':'), Just(b'\\'), Just(b'['), Just(b']'), Just(b'}'), Just(b','), any::<u8>()], 0..60)) {
            let _ = walk(&line, |_, _| {});
            let mut out = Vec::new();
            unescape(&line, &mut out);
            let _ = elements(&line);
        }
    }
}
