//! logfmt: a record is a line of `key=value` pairs, with values that contain blanks in quotes (`msg="task submitted"
//! task_id=0`).
//!
//! Written by structured loggers of Go and Python (structlog's LogfmtRenderer, logfmter, logrus, slog). There is no
//! specification; this module reads the output of those programs. Fields are then treated like those of JSON records.

use crate::text::json_scan::Raw;

/// Calls `f` with each key and value of a logfmt line. `None` for other lines: a word without `=` before the first
/// pair, an unclosed quote, or fewer than two pairs. A bare word after a pair is a key with the value true.
pub(crate) fn walk<'a>(line: &'a [u8], mut f: impl FnMut(&[u8], Raw<'a>)) -> Option<()> {
    let mut pos = 0;
    let mut pairs = 0;
    loop {
        while matches!(line.get(pos), Some(b' ' | b'\t' | b'\r')) {
            pos += 1;
        }
        if pos >= line.len() {
            return (pairs >= 2).then_some(());
        }
        let rest = line.get(pos..)?;
        let key = rest.get(..rest.iter().take_while(|b| is_key_byte(**b)).count())?;
        pos += key.len();
        if key.is_empty() {
            return None;
        }
        match line.get(pos) {
            Some(b'=') => pos += 1,
            None | Some(b' ' | b'\t' | b'\r') if pairs > 0 => {
                f(key, Raw::Bare(b"true"));
                continue;
            }
            _ => return None,
        }
        let (raw, end) = value(line, pos)?;
        f(key, raw);
        pairs += 1;
        pos = end;
    }
}

fn is_key_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || matches!(
            b,
            b'_' | b'.' | b'-' | b'/' | b'@' | b':' | b'(' | b')' | b'[' | b']' | b'%'
        )
}

fn value(line: &[u8], pos: usize) -> Option<(Raw<'_>, usize)> {
    if line.get(pos) != Some(&b'"') {
        let rest = line.get(pos..)?;
        let bytes = rest.split(|b| matches!(b, b' ' | b'\t' | b'\r')).next()?;
        let raw = if bytes.is_empty() {
            Raw::Null
        } else {
            Raw::Text {
                bytes,
                escaped: false,
            }
        };
        return Some((raw, pos + bytes.len()));
    }
    let start = pos + 1;
    let mut at = start;
    let mut escaped = false;
    loop {
        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
        if line.get(at) == Some(&b'"') {
            break;
        }
        escaped = true;
        at += 2;
    }
    let bytes = line.get(start..at)?;
    Some((Raw::Text { bytes, escaped }, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_read_only_if_all_of_it_is_pairs() {
        let mut got = Vec::new();
        let line = br#"at=INFO msg="task \"7\" done" job(s)=0 note="" flag host=n1"#;
        walk(line, |k, v| {
            got.push(format!("{}={v:?}", String::from_utf8_lossy(k)))
        })
        .unwrap();
        assert_eq!(got.len(), 6);
        assert!(
            got[1].contains("escaped: true") && got[4] == format!("flag={:?}", Raw::Bare(b"true"))
        );
        for other in [
            "Task 7 done",
            "x=1",
            "2026-11-21 a=1 b=2",
            "a=1 b=\"open",
            "a=1 = b",
            "",
        ] {
            assert!(walk(other.as_bytes(), |_, _| {}).is_none(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_do(line in proptest::collection::vec(prop_oneof![Just(b'='), Just(b'"'), Just(b'\\'), Just(b' '), Just(b'a'), any::<u8>()], 0..50)) {
            let _ = walk(&line, |_, _| {});
        }
    }
}
