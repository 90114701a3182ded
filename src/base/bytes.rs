//! Short byte strings: comparing them without leaving the loop: most are 2 to 40 bytes long, where a call costs more than
//! the comparison.

/// Whether two byte strings are equal.
#[inline(always)]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(x), Some(y)) => {
            if u64::from_ne_bytes(*x) != u64::from_ne_bytes(*y) {
                return false;
            }
            let (chunks_a, _) = a.as_chunks::<8>();
            let (chunks_b, _) = b.as_chunks::<8>();
            let mut same = true;
            for (x, y) in chunks_a.iter().zip(chunks_b) {
                same &= u64::from_ne_bytes(*x) == u64::from_ne_bytes(*y);
            }
            same
        }
        _ => {
            let mut same = true;
            for (x, y) in a.iter().zip(b) {
                same &= x == y;
            }
            same
        }
    }
}

/// What some programs put before a text to say that it is UTF-8 (a byte order mark). It is no part of the text.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// A text without the mark that may stand before it.
pub fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Whether `text` starts with `head`.
#[inline(always)]
pub fn starts(text: &[u8], head: &[u8]) -> bool {
    text.len() >= head.len() && equal(&text[..head.len()], head)
}

/// Whether a byte is a blank, a tab or the end of a line.
#[must_use]
pub fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_the_standard_library(a in "[ab]{0,20}", b in "[ab]{0,20}") {
            prop_assert_eq!(super::equal(a.as_bytes(), b.as_bytes()), a == b);
            prop_assert!(super::equal(a.as_bytes(), a.clone().as_bytes()));
            prop_assert_eq!(super::starts(a.as_bytes(), b.as_bytes()), a.starts_with(&b));
        }
    }
}
