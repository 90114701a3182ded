//! Quantities: numbers with a unit, as programs write them: `5.76 GiB`, `512MB`, `95 %`, `250 ms`, `1m30s`, `12.5 MB/s`.

use crate::durations;

/// Dimension of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Number of bytes.
    Size,
    /// Bytes per second.
    SizeRate,
    /// Duration, s.
    Time,
    /// Percentage.
    Percent,
}

impl Dimension {
    /// Symbol of the base unit.
    pub fn unit(self) -> &'static str {
        match self {
            Dimension::Size => "B",
            Dimension::SizeRate => "B/s",
            Dimension::Time => "s",
            Dimension::Percent => "%",
        }
    }
}

/// Number with a unit, or without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Number in the base unit: bytes, bytes per second, seconds, percent.
    pub value: f64,
    /// Dimension; `None` for a number without a unit.
    pub dimension: Option<Dimension>,
}

/// Units of sizes in bytes. A decimal prefix of `B` is a power of 1000 (SI), one with `i` a power of 1024 (IEC 80000-13).
const SIZES: [(&str, f64); 15] = [
    ("B", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("PB", 1e15),
    ("kiB", 1024.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("PiB", 1_125_899_906_842_624.0),
];

/// Units of durations in seconds, besides those of [`durations`].
const TIMES: [(&str, f64); 19] = [
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ns", 1e-9),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("msec", 1e-3),
    ("milliseconds", 1e-3),
    ("microseconds", 1e-6),
    ("min", 60.0),
    ("minutes", 60.0),
    ("hour", 3600.0),
    ("hours", 3600.0),
    ("day", 86_400.0),
    ("days", 86_400.0),
];

/// Longest unit, bytes.
const MAX_UNIT: usize = 16;

/// Dimension of a unit, and its length in the base unit.
fn unit(word: &str) -> Option<(Dimension, f64)> {
    let named = |units: &[(&str, f64)], word: &str| {
        let found = units.iter().find(|(unit, _)| *unit == word);
        found.map(|(_, factor)| *factor)
    };
    if word == "%" {
        return Some((Dimension::Percent, 1.0));
    }
    if let Some(bytes) = word.strip_suffix("/s").or(word.strip_suffix("/sec")) {
        return Some((Dimension::SizeRate, named(&SIZES, bytes)?));
    }
    let size = named(&SIZES, word).map(|factor| (Dimension::Size, factor));
    size.or_else(|| Some((Dimension::Time, named(&TIMES, word)?)))
}

/// Parses a number, with or without a unit; `None` for other text. The words `nan` and `inf` are no numbers.
pub fn parse(text: &str) -> Option<Quantity> {
    let text = text.trim();
    let signed = text.trim_start_matches(['+', '-']);
    if !signed.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let is_plain = text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    if is_plain && let Ok(value) = text.parse::<f64>() {
        let plain = Quantity {
            value,
            dimension: None,
        };
        return value.is_finite().then_some(plain);
    }
    let end = text.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
    let known = unit(text[end..].trim_start());
    if let Some((dimension, factor)) = known
        && let Ok(number) = text[..end].parse::<f64>()
    {
        return Some(Quantity {
            value: number * factor,
            dimension: Some(dimension),
        });
    }
    durations::parse_seconds(text).map(|value| Quantity {
        value,
        dimension: Some(Dimension::Time),
    })
}

/// Number that a text states, in its base unit: bytes, bytes per second, seconds, percent.
pub fn number(text: &str) -> Option<f64> {
    parse(text).map(|quantity| quantity.value)
}

/// Length of the unit at the start of the text after a number, with the blank before it; 0 without a unit.
pub fn unit_len(after: &[u8]) -> usize {
    let text = after.strip_prefix(b" ").unwrap_or(after);
    let is_inside =
        |b: &&u8| b.is_ascii_alphanumeric() || **b >= 0x80 || matches!(**b, b'%' | b'/' | b'_');
    let word = text.iter().take(MAX_UNIT + 1).take_while(is_inside);
    let len = word.count();
    let word = text
        .get(..len)
        .and_then(|word| std::str::from_utf8(word).ok());
    match word.and_then(unit) {
        Some(_) => after.len() - text.len() + len,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units_are_in_base_units() {
        use Dimension::{Percent, Size, SizeRate, Time};
        for (text, value, dimension) in [
            ("5", 5.0, None),
            ("-1.5e3", -1500.0, None),
            ("2 KiB", 2048.0, Some(Size)),
            ("512MB", 512e6, Some(Size)),
            ("1.5 GiB", 1_610_612_736.0, Some(Size)),
            ("95 %", 95.0, Some(Percent)),
            ("95%", 95.0, Some(Percent)),
            ("250 ms", 0.25, Some(Time)),
            ("1m30s", 90.0, Some(Time)),
            ("2 hours", 7200.0, Some(Time)),
            ("12.5 MB/s", 12.5e6, Some(SizeRate)),
        ] {
            assert_eq!(parse(text), Some(Quantity { value, dimension }), "{text}");
        }
        for text in [
            "",
            "GiB",
            "5 apples",
            "nan",
            "inf",
            "1.2.3",
            "a5",
            "5 GiB free",
            "0x1F",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_unit_is_a_whole_word_after_a_number() {
        for (after, len) in [
            (" GiB -- limit", 4),
            ("MB, sent", 2),
            (" %", 2),
            (" s for task", 2),
            (" MB/s", 5),
            (" samples", 0),
            (" s_max", 0),
            ("  s", 0),
            ("", 0),
        ] {
            assert_eq!(unit_len(after.as_bytes()), len, "{after:?}");
        }
    }
}
