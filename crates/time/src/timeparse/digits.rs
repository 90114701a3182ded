//! SWAR parsing of decimal digits, eight bytes at a time.
//!
//! Times consist mostly of digits, and parsing them one by one costs a branch per byte. One load, one mask and three
//! multiplications parse up to eight digits here.

/// Powers of ten up to 10^9.
const POW10: [u32; 10] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// Power of ten with a number of digits, 0 to 9, as exponent.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "words have at most 8 digits and fractions at most 9"
)]
pub(super) const fn pow10(digits: usize) -> u32 {
    POW10[digits]
}

/// Loads eight bytes from `at` in little-endian order; bytes beyond the end read as NUL, which is not a digit.
#[inline(always)]
fn load8(b: &[u8], at: usize) -> u64 {
    let Some(rest) = b.get(at..) else { return 0 };
    if let Some(chunk) = rest.first_chunk::<8>() {
        return u64::from_le_bytes(*chunk);
    }
    rest.iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Value and number (0 to 8) of the digits at `at`; reads at most eight bytes.
#[inline(always)]
fn up_to_8(b: &[u8], at: usize) -> (u32, usize) {
    let digits = load8(b, at) ^ 0x3030_3030_3030_3030;
    // The high bit of each byte is set if the byte was not '0'..='9'. No carry crosses bytes (0x7f + 0x76 < 0x100).
    let other = (((digits & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | digits)
        & 0x8080_8080_8080_8080;
    let count = (other.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Shifts the digits to the end of the word: the zero bytes before them act as leading zeros.
    let word = digits << (64 - 8 * count);
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
    let value = (pairs & 0x0000_00ff_0000_00ff)
        .wrapping_mul(0x000f_4240_0000_0064)
        .wrapping_add(((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001))
        >> 32;
    (value as u32, count)
}

/// Parses the run of digits at `at`; returns value and end. `None` without a digit or above 2^64.
#[inline(always)]
pub(super) fn integer(b: &[u8], at: usize) -> Option<(u64, usize)> {
    let (first, mut count) = up_to_8(b, at);
    if count == 0 {
        return None;
    }
    let mut value = u64::from(first);
    let mut end = at + count;
    while count == 8 {
        let more;
        (more, count) = up_to_8(b, end);
        value = value
            .checked_mul(u64::from(pow10(count)))?
            .checked_add(u64::from(more))?;
        end += count;
    }
    Some((value, end))
}

/// Decimal fraction as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    /// Value in billionths; digits after the ninth are dropped.
    pub(super) billionths: u32,
    /// Number of significant digits, 1 to 9: the resolution of the writer.
    pub(super) digits: usize,
    /// Offset of the byte after the last digit.
    pub(super) end: usize,
}

/// Parses any number of digits after the decimal point as a fraction.
#[inline(always)]
pub(super) fn fraction(b: &[u8], at: usize) -> Option<Fraction> {
    let (value, count) = up_to_8(b, at);
    if count == 0 {
        return None;
    }
    if count < 8 {
        return Some(Fraction {
            billionths: value * pow10(9 - count),
            digits: count,
            end: at + count,
        });
    }
    let mut fraction = Fraction {
        billionths: value * 10,
        digits: 8,
        end: at + 8,
    };
    if let Some(ninth) = digit(b, fraction.end) {
        fraction.billionths += ninth;
        fraction.digits = 9;
        fraction.end += 1;
        while digit(b, fraction.end).is_some() {
            fraction.end += 1;
        }
    }
    Some(fraction)
}

/// Parses a fraction of at most `max` (1 to 9) digits and leaves further digits unread.
#[inline]
pub(super) fn fraction_at_most(b: &[u8], at: usize, max: usize) -> Option<Fraction> {
    let limit = b.len().min(at.saturating_add(max));
    fraction(b.get(..limit)?, at)
}

/// Value of the digit at `at`.
#[inline(always)]
pub(super) fn digit(b: &[u8], at: usize) -> Option<u32> {
    let d = b.get(at)?.wrapping_sub(b'0');
    (d <= 9).then_some(u32::from(d))
}

/// Parses exactly `width` digits at `at`; another digit may follow.
#[inline(always)]
pub(super) fn exactly(b: &[u8], at: usize, width: usize) -> Option<u32> {
    let mut value = 0;
    for i in at..at + width {
        value = value * 10 + digit(b, i)?;
    }
    Some(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_stop_at_the_first_other_byte() {
        assert_eq!(integer(b"1795225387.115450", 0), Some((1_795_225_387, 10)));
        assert_eq!(integer(b"x12/", 1), Some((12, 3)));
        assert_eq!(integer(b"/:\xb0\xb9", 0), None);
        assert_eq!(integer(b"", 0), None);
        assert_eq!(integer(b"1", 5), None);
        assert_eq!(integer(b"99999999999999999999", 0), None);
        assert_eq!(
            fraction(b"12345678901x", 0).unwrap().billionths,
            123_456_789
        );
        assert_eq!(fraction(b"12345678901x", 0).unwrap().end, 11);
        assert_eq!(fraction_at_most(b"12345", 0, 3).unwrap().end, 3);
    }

    proptest! {
        #[test]
        fn any_number_is_read_as_str_parse_does(n in any::<u64>(), zeros in 0_usize..12, tail in "[^0-9][0-9]*|") {
            let head = format!("{}{n}", "0".repeat(zeros));
            let text = format!("{head}{tail}");
            prop_assert_eq!(integer(text.as_bytes(), 0), Some((n, head.len())));
        }

        #[test]
        fn a_fraction_is_its_first_nine_digits(digits in "[0-9]{1,20}", tail in "[^0-9].*|") {
            let text = format!("{digits}{tail}");
            let read = fraction(text.as_bytes(), 0).unwrap();
            let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
            prop_assert_eq!(read.billionths, nine.parse::<u32>().unwrap());
            prop_assert_eq!(read.end, digits.len());
            prop_assert_eq!(read.digits, digits.len().min(9));
        }
    }
}
