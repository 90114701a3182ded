//! Helpers for short byte strings, inlined: most are 2 to 40 bytes long, where a call to `memcmp` costs more than the
//! comparison.

/// Compares two byte strings, last bytes first: values in logs often share a prefix.
#[inline(always)]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(x), Some(y)) = (a.last_chunk::<16>(), b.last_chunk::<16>()) {
        return u128::from_ne_bytes(*x) == u128::from_ne_bytes(*y)
            && match (a.first_chunk::<16>(), b.first_chunk::<16>()) {
                // Two overlapping chunks cover up to 32 bytes.
                (Some(x), Some(y)) if a.len() <= 32 => {
                    u128::from_ne_bytes(*x) == u128::from_ne_bytes(*y)
                }
                _ => a == b,
            };
    }
    match (ends::<8>(a, b), ends::<4>(a, b)) {
        (Some([x, p, y, q]), _) => {
            (u64::from_ne_bytes(x) ^ u64::from_ne_bytes(y))
                | (u64::from_ne_bytes(p) ^ u64::from_ne_bytes(q))
                == 0
        }
        (None, Some([x, p, y, q])) => {
            (u32::from_ne_bytes(x) ^ u32::from_ne_bytes(y))
                | (u32::from_ne_bytes(p) ^ u32::from_ne_bytes(q))
                == 0
        }
        _ => a.iter().zip(b).all(|(x, y)| x == y),
    }
}

/// Returns the first and last `N` bytes of both strings; `None` if either is shorter than `N`.
#[inline(always)]
fn ends<const N: usize>(a: &[u8], b: &[u8]) -> Option<[[u8; N]; 4]> {
    Some([
        *a.first_chunk()?,
        *a.last_chunk()?,
        *b.first_chunk()?,
        *b.last_chunk()?,
    ])
}

/// UTF-8 byte order mark. Some programs write it at the start of a file; it is not part of the text.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Strips a leading byte order mark.
pub fn strip_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// Counts the NUL bytes at the start of a text: the hole left by a log truncated while open, or by a node that crashed.
#[inline]
pub fn leading_nuls(text: &[u8]) -> usize {
    match text.first() {
        Some(0) => text.iter().position(|b| *b != 0).unwrap_or(text.len()),
        _ => 0,
    }
}

/// Length of the characters without a meaning at the start of a line: form feed and vertical tab of printers, record
/// separator (RFC 7464), byte order mark in the middle of a file that was joined, zero-width space of copied text.
#[inline]
pub fn leading_separators(line: &[u8]) -> usize {
    match line.first() {
        Some(0x0b | 0x0c | 0x1e | 0xe2 | 0xef) => separators(line),
        _ => 0,
    }
}

#[cold]
fn separators(line: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match line.get(at..).unwrap_or_default() {
            [0x0b | 0x0c | 0x1e, ..] => 1,
            [0xef, 0xbb, 0xbf, ..] | [0xe2, 0x80, 0x8b, ..] => 3,
            _ => return at,
        };
    }
}

/// Strips trailing NUL bytes.
pub fn without_trailing_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    text.get(..end).unwrap_or(text)
}

/// Whether `text` starts with `head`.
#[inline(always)]
pub fn starts(text: &[u8], head: &[u8]) -> bool {
    let start = text.get(..head.len());
    start.is_some_and(|start| equal(start, head))
}

/// Length of the common prefix of two byte strings.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "`len` is the shorter length, and `at` counts bytes of chunks within it"
)]
pub fn shared(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let chunks = a.as_chunks::<32>().0.iter().zip(b.as_chunks::<32>().0);
    let mut at = 32 * chunks.take_while(|(x, y)| x == y).count();
    for (x, y) in a[at..].as_chunks().0.iter().zip(b[at..].as_chunks().0) {
        let other = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if other != 0 {
            return at + other.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..]
        .iter()
        .zip(&b[at..])
        .take_while(|(x, y)| x == y)
        .count()
}

/// Splits a text at line feeds, like `split`: the text after the last line feed is a line as well, possibly empty.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    ends.scan(0, move |start, end| {
        let line = text.get(*start..end);
        *start = end + 1;
        line
    })
}

/// True if a colon is the first of a clock with seconds: `10:00:00`.
#[must_use]
pub fn is_clock(line: &[u8], colon: usize) -> bool {
    let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
    colon > 0
        && is_digit(colon - 1)
        && is_digit(colon + 1)
        && is_digit(colon + 2)
        && line.get(colon + 3) == Some(&b':')
        && is_digit(colon + 4)
}

/// True if a line may have a time: a clock with seconds, or seconds since the epoch at its start.
#[must_use]
pub fn may_have_time(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    digits >= EPOCH_DIGITS || memchr::memchr_iter(b':', line).any(|colon| is_clock(line, colon))
}

/// Number of digits of the seconds since the epoch, from 2001 on.
const EPOCH_DIGITS: usize = 10;

/// Whether a byte is a blank, tab, carriage return or line feed.
#[must_use]
pub fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_what_is_split_at_line_ends(text in "[a\n]{0,20}") {
            let split: Vec<&[u8]> = text.as_bytes().split(|b| *b == b'\n').collect();
            let lines: Vec<&[u8]> = super::lines(text.as_bytes()).collect();
            prop_assert_eq!(lines, split);
        }

        #[test]
        fn as_the_standard_library(a in "[ab]{0,80}", b in "[ab]{0,40}", at in 0..80_usize) {
            prop_assert_eq!(super::equal(a.as_bytes(), b.as_bytes()), a == b);
            prop_assert!(super::equal(a.as_bytes(), a.clone().as_bytes()));
            // A difference at any position is found.
            let mut other = a.clone().into_bytes();
            if let Some(byte) = other.get_mut(at) {
                *byte = b'c';
                prop_assert!(!super::equal(a.as_bytes(), &other));
            }
            prop_assert_eq!(super::shared(a.as_bytes(), &other), if at < a.len() { at } else { a.len() });
            let alike = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
            prop_assert_eq!(super::shared(a.as_bytes(), b.as_bytes()), alike);
            prop_assert_eq!(super::starts(a.as_bytes(), b.as_bytes()), a.starts_with(&b));
        }
    }
}
