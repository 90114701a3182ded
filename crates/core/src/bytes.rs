//! Short byte strings: comparing them without leaving the loop. Most are 2 to 40 bytes long, where a call costs more than
//! the comparison.

/// Whether two byte strings are equal. The ends are compared first: what stands in logs often begins alike.
#[inline(always)]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(x), Some(y)) = (a.last_chunk::<16>(), b.last_chunk::<16>()) {
        return u128::from_ne_bytes(*x) == u128::from_ne_bytes(*y)
            && match (a.first_chunk::<16>(), b.first_chunk::<16>()) {
                // Two chunks that overlap are all of up to 32 bytes.
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

/// First and last `N` bytes of both.
#[inline(always)]
fn ends<const N: usize>(a: &[u8], b: &[u8]) -> Option<[[u8; N]; 4]> {
    Some([
        *a.first_chunk()?,
        *a.last_chunk()?,
        *b.first_chunk()?,
        *b.last_chunk()?,
    ])
}

/// What some programs put before a text to say that it is UTF-8 (a byte order mark). It is no part of the text.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// A text without the mark that may stand before it.
pub fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Number of NUL bytes that a text starts with: a hole in a log that was cut while it was written to, or whose node crashed.
#[inline]
pub fn leading_nuls(text: &[u8]) -> usize {
    match text.first() {
        Some(0) => text.iter().position(|b| *b != 0).unwrap_or(text.len()),
        _ => 0,
    }
}

/// Text without the NUL bytes that it ends with.
pub fn without_trailing_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    &text[..end]
}

/// Whether `text` starts with `head`.
#[inline(always)]
pub fn starts(text: &[u8], head: &[u8]) -> bool {
    text.len() >= head.len() && equal(&text[..head.len()], head)
}

/// How many bytes two byte strings have alike at their starts.
#[inline]
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

/// The lines of a text, as `split` at line ends gives them: what follows the last end is one more, perhaps an empty one.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    ends.scan(0, move |start, end| {
        let line = &text[*start..end];
        *start = end + 1;
        Some(line)
    })
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
        fn lines_are_what_is_split_at_line_ends(text in "[a\n]{0,20}") {
            let split: Vec<&[u8]> = text.as_bytes().split(|b| *b == b'\n').collect();
            let lines: Vec<&[u8]> = super::lines(text.as_bytes()).collect();
            prop_assert_eq!(lines, split);
        }

        #[test]
        fn as_the_standard_library(a in "[ab]{0,80}", b in "[ab]{0,40}", at in 0..80_usize) {
            prop_assert_eq!(super::equal(a.as_bytes(), b.as_bytes()), a == b);
            prop_assert!(super::equal(a.as_bytes(), a.clone().as_bytes()));
            // One byte differs, wherever it stands.
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
