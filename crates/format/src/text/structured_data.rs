//! Syslog structured data (RFC 5424, 6.3): `[id name="value" name="value"][id ...]`, or `-` if empty.

use std::borrow::Cow;

use crate::text::reserved::RESERVED;

/// End of structured data at the start of `text`; `None` if there is none.
pub(crate) fn end(text: &[u8]) -> Option<usize> {
    if text.first() == Some(&b'-') {
        return Some(1);
    }
    let mut pos = 0;
    while text.get(pos) == Some(&b'[') {
        pos = element(text, pos, &mut |_, _| {})?;
    }
    (pos > 0).then_some(pos)
}

/// Names and values in structured data, the first of each name; names of fields that every event has become `log.NAME`.
pub(crate) fn pairs(data: &[u8]) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut pos = 0;
    while data.get(pos) == Some(&b'[') {
        let next = element(data, pos, &mut |name, value| {
            let name = String::from_utf8_lossy(name);
            let name = if RESERVED.contains(&&*name) {
                format!("log.{name}")
            } else {
                name.into_owned()
            };
            if out.iter().all(|(n, _)| *n != name) {
                let value = String::from_utf8_lossy(&unescaped(value)).into_owned();
                out.push((name, value));
            }
        });
        let Some(next) = next else { break };
        pos = next;
    }
    out
}

fn element(b: &[u8], start: usize, f: &mut impl FnMut(&[u8], &[u8])) -> Option<usize> {
    let word = |from: usize| {
        let ends = |c: &u8| matches!(c, b' ' | b']' | b'=' | b'"' | b'\n');
        let len = b.get(from..)?.iter().position(ends)?;
        (len > 0).then_some(from + len)
    };
    let mut pos = word(start + 1)?;
    loop {
        match b.get(pos)? {
            b']' => return Some(pos + 1),
            b' ' => pos += 1,
            _ => return None,
        }
        if b.get(pos) == Some(&b']') {
            continue;
        }
        let name_end = word(pos)?;
        if b.get(name_end..name_end + 2) != Some(b"=\"") {
            return None;
        }
        let value = name_end + 2;
        let mut at = value;
        loop {
            at += memchr::memchr2(b'"', b'\\', b.get(at..)?)?;
            if b.get(at) == Some(&b'"') {
                break;
            }
            at += 2;
        }
        f(b.get(pos..name_end)?, b.get(value..at)?);
        pos = at + 1;
    }
}

/// A backslash is an escape only before `"`, `\` and `]`.
fn unescaped(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\\') {
        return Cow::Borrowed(value);
    }
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [b'\\', byte @ (b'"' | b'\\' | b']'), after @ ..] | [byte, after @ ..] = rest {
        out.push(*byte);
        rest = after;
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn elements_and_their_pairs() {
        let text = br#"[task@32473 tid="74" note="a \"b\" \] \x"][meta sequenceId="3" level="x"] done [1]"#;
        let end = end(text).unwrap();
        assert_eq!(&text[end..], b" done [1]");
        let pairs = pairs(&text[..end]);
        let wanted = [
            ("tid", "74"),
            ("note", r#"a "b" ] \x"#),
            ("sequenceId", "3"),
            ("log.level", "x"),
        ];
        assert_eq!(pairs, wanted.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(super::end(b"- x"), Some(1));
        assert_eq!(super::end(b"[id] x"), Some(4));
        for bad in ["[", "[]", "[a b]", "[a b=c]", "[a b=\"c]", "x", ""] {
            assert_eq!(super::end(bad.as_bytes()), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_do(text in "[\\[\\]\"\\\\ab= -]{0,40}") {
            if let Some(end) = end(text.as_bytes()) {
                let _ = pairs(&text.as_bytes()[..end]);
            }
        }
    }
}
