//! UTF-16 and UTF-32 text, converted to UTF-8: written by some Windows programs, and by PowerShell redirections.

use std::io::{self, Read};

/// Byte order of UTF-16 text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Width of the code units of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitWidth {
    /// UTF-16.
    Two,
    /// UTF-32.
    Four,
}

/// Bytes read at once.
const CHUNK: usize = 16 * 1024;
/// Number of bytes examined to detect UTF-16.
const LOOK: usize = 4096;

impl ByteOrder {
    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            ByteOrder::Little => u16::from_le_bytes(bytes),
            ByteOrder::Big => u16::from_be_bytes(bytes),
        }
    }

    fn wide_unit(self, bytes: [u8; 4]) -> u32 {
        match self {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        }
    }
}

/// Detects the byte order of UTF-32 text; `None` if it is none. All of its units are characters, most of them ASCII.
#[must_use]
pub(crate) fn detect_wide_order(head: &[u8]) -> Option<ByteOrder> {
    let sample = head.get(..LOOK).unwrap_or(head);
    let order = match sample {
        [0xff, 0xfe, 0, 0, ..] => ByteOrder::Little,
        [0, 0, 0xfe, 0xff, ..] => ByteOrder::Big,
        [_, 0, 0, 0, ..] => ByteOrder::Little,
        [0, 0, 0, _, ..] => ByteOrder::Big,
        _ => return None,
    };
    let (units, _) = sample.as_chunks();
    let letters = units.iter().map(|unit| {
        let letter = char::from_u32(order.wide_unit(*unit));
        letter.filter(|c| !c.is_control() || c.is_ascii_whitespace())
    });
    let letters: Vec<Option<char>> = letters.collect();
    let plain = letters.iter().flatten().filter(|c| c.is_ascii()).count();
    let is_text = letters.len() >= MIN_UNITS && letters.iter().all(Option::is_some);
    (is_text && plain * 10 >= letters.len()).then_some(order)
}

/// Minimum number of units of UTF-32 text; fewer may be numbers.
const MIN_UNITS: usize = 8;

/// Detects the byte order of a text; `None` if it is no UTF-16. Recognised by a byte order mark, or by every other byte
/// being NUL.
#[must_use]
pub(crate) fn detect_order(head: &[u8]) -> Option<ByteOrder> {
    let sample = head.get(..LOOK).unwrap_or(head);
    let (order, text) = match sample {
        [0xff, 0xfe, text @ ..] => (ByteOrder::Little, text),
        [0xfe, 0xff, text @ ..] => (ByteOrder::Big, text),
        _ => (order_without_bom(sample)?, sample),
    };
    let (units, _) = text.as_chunks();
    let units = units.iter().map(|unit| order.unit(*unit));
    let letters: Vec<Result<char, _>> = char::decode_utf16(units).collect();
    let strange = |l: &Result<char, std::char::DecodeUtf16Error>| match l {
        Ok(c) => c.is_control() && !c.is_ascii_whitespace() && *c != '\u{1b}',
        Err(_) => true,
    };
    // The last character may be incomplete. Digits, blanks and punctuation are ASCII in all languages.
    let wrong = letters.iter().filter(|l| strange(l)).count();
    let plain = letters.iter().flatten().filter(|c| c.is_ascii()).count();
    (wrong * 20 <= letters.len() + 20 && plain * 10 >= letters.len()).then_some(order)
}

/// Detects Latin text without a mark: every other byte is NUL, and the ones between are not.
fn order_without_bom(sample: &[u8]) -> Option<ByteOrder> {
    let half = sample.len() / 2;
    let zeros = |from: usize| sample.iter().skip(from).step_by(2).filter(|b| **b == 0);
    let (even, odd) = (zeros(0).count(), zeros(1).count());
    if half < 4 {
        None
    } else if odd * 10 > half * 9 && even == 0 {
        Some(ByteOrder::Little)
    } else if even * 10 > half * 9 && odd == 0 {
        Some(ByteOrder::Big)
    } else {
        None
    }
}

/// Minimum length of a line in ASCII, bytes: a few units of other scripts may look like ASCII.
const MIN_ASCII: usize = 12;

/// Line of printable ASCII at the start of a text: another program appended to the file in its own encoding.
fn ascii_line(text: &[u8]) -> Option<&str> {
    let len = memchr::memchr(b'\n', text)? + 1;
    let is_plain = |b: &u8| matches!(b, b'\t' | b'\r' | b'\n' | 0x1b | b' '..=b'~');
    let line = text.get(..len)?;
    let is_ascii = len >= MIN_ASCII && line.iter().all(is_plain);
    is_ascii.then(|| std::str::from_utf8(line).ok())?
}

/// Decoder from UTF-16 or UTF-32 to UTF-8, with replacement characters for invalid units.
pub(crate) struct Utf16Decoder<R> {
    wide: R,
    order: ByteOrder,
    width: UnitWidth,
    /// Pending high surrogate.
    high: Option<u16>,
    /// First bytes of a pending unit.
    unit: [u8; 4],
    /// Number of these bytes.
    len: usize,
    at_start: bool,
    text: String,
    given: usize,
}

impl<R: Read> Utf16Decoder<R> {
    /// Creates a decoder for the given byte order and width.
    pub(crate) fn new(wide: R, order: ByteOrder, width: UnitWidth) -> Utf16Decoder<R> {
        Utf16Decoder {
            wide,
            order,
            width,
            high: None,
            unit: [0; 4],
            len: 0,
            at_start: true,
            text: String::new(),
            given: 0,
        }
    }

    /// Decodes more text; returns false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.given = 0;
        let mut bytes = [0; CHUNK];
        let n = loop {
            match self.wide.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if n == 0 {
            let cut = self.high.take().is_some() | (std::mem::take(&mut self.len) > 0);
            if cut {
                self.text.push(char::REPLACEMENT_CHARACTER);
            }
            return Ok(cut);
        }
        let mut at = 0;
        while let Some(rest @ [byte, ..]) = bytes.get(at..n) {
            let is_line_start = self.len == 0 && self.text.ends_with('\n');
            if is_line_start && let Some(line) = ascii_line(rest) {
                self.text.push_str(line);
                at += line.len();
                continue;
            }
            if let Some(place) = self.unit.get_mut(self.len) {
                *place = *byte;
            }
            self.len += 1;
            match (self.width, self.len) {
                (UnitWidth::Two, 2) => {
                    self.push(self.order.unit([self.unit[0], self.unit[1]]));
                    self.len = 0;
                }
                (UnitWidth::Four, 4) => {
                    self.push_wide(self.order.wide_unit(self.unit));
                    self.len = 0;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(true)
    }

    fn push_wide(&mut self, unit: u32) {
        let at_start = std::mem::replace(&mut self.at_start, false);
        if !at_start || unit != 0xfeff {
            let letter = char::from_u32(unit);
            self.text
                .push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn push(&mut self, unit: u16) {
        let at_start = std::mem::replace(&mut self.at_start, false);
        if at_start && unit == 0xfeff {
            return;
        }
        let is_high = (0xd800..0xdc00).contains(&unit);
        let pending = self.high.take().into_iter();
        if is_high {
            self.text
                .extend(pending.map(|_| char::REPLACEMENT_CHARACTER));
            self.high = Some(unit);
            return;
        }
        let letters = char::decode_utf16(pending.chain([unit]));
        self.text
            .extend(letters.map(|l| l.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
}

impl<R: Read> Read for Utf16Decoder<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        while self.given == self.text.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let mut left = self.text.as_bytes().get(self.given..).unwrap_or_default();
        let n = left.read(buf)?;
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(text: &str, order: ByteOrder) -> Vec<u8> {
        let units = text.encode_utf16();
        match order {
            ByteOrder::Little => units.flat_map(u16::to_le_bytes).collect(),
            ByteOrder::Big => units.flat_map(u16::to_be_bytes).collect(),
        }
    }

    fn narrow(bytes: &[u8], order: ByteOrder) -> String {
        let mut out = String::new();
        Utf16Decoder::new(bytes, order, UnitWidth::Two)
            .read_to_string(&mut out)
            .unwrap();
        out
    }

    #[test]
    fn what_is_cut_or_wrong_is_marked() {
        let bytes = wide("a\u{1f600}b", ByteOrder::Little);
        assert_eq!(narrow(&bytes[..5], ByteOrder::Little), "a\u{fffd}");
        assert_eq!(narrow(&bytes[..4], ByteOrder::Little), "a\u{fffd}");
        assert_eq!(
            narrow(b"\xfe\xff\0h\xd8\0\0i", ByteOrder::Big),
            "h\u{fffd}i"
        );
        assert_eq!(narrow(b"", ByteOrder::Big), "");
    }

    #[test]
    fn units_of_four_bytes_are_characters() {
        for (order, mark) in [
            (ByteOrder::Little, "\u{feff}"),
            (ByteOrder::Big, "\u{feff}"),
            (ByteOrder::Little, ""),
            (ByteOrder::Big, ""),
        ] {
            let text = "2026-11-21 gr\u{f6}\u{df}er \u{1f600}\n";
            let units = mark.chars().chain(text.chars()).map(u32::from);
            let bytes: Vec<u8> = units
                .flat_map(|unit| match order {
                    ByteOrder::Little => unit.to_le_bytes(),
                    ByteOrder::Big => unit.to_be_bytes(),
                })
                .collect();
            assert_eq!(detect_wide_order(&bytes), Some(order));
            let mut read = String::new();
            let cut = &bytes[..bytes.len() - 1];
            for (bytes, end) in [(&bytes[..], "\n"), (cut, "\u{fffd}")] {
                read.clear();
                Utf16Decoder::new(bytes, order, UnitWidth::Four)
                    .read_to_string(&mut read)
                    .unwrap();
                assert_eq!(read, text.trim_end().to_owned() + end);
            }
        }
        let numbers: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(detect_wide_order(&numbers), None);
        assert_eq!(detect_wide_order(&[0; 64]), None);
    }

    #[test]
    fn other_bytes_are_no_wide_text() {
        for bytes in [
            &b"2026-11-21 hello\n"[..],
            &[0; 64],
            b"",
            b"\xff\xd8\xff\xe0\0\x10JFIF",
        ] {
            assert_eq!(detect_order(bytes), None, "{bytes:?}");
        }
        let noise: Vec<u8> = (0..4000u32).map(|n| (n * n % 257 + n / 31) as u8).collect();
        assert_eq!(detect_order(&[b"\xff\xfe", &noise[..]].concat()), None);
    }

    proptest! {
        #[test]
        fn text_comes_out_as_it_was(text in "\\PC{0,60}", big: bool) {
            let order = if big { ByteOrder::Big } else { ByteOrder::Little };
            let bytes = wide(&format!("\u{feff}{text}"), order);
            prop_assert_eq!(narrow(&bytes, order), text);
            let line = wide("\u{feff}12:30 \u{6771}\u{4eac}: ", order);
            prop_assert_eq!(detect_order(&line), Some(order));
        }
    }

    #[test]
    fn lines_appended_in_ascii_are_read() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let wide = "2026-11-21 12:00:00 INFO a 漢字 1\r\n".encode_utf16();
            let mut bytes: Vec<u8> = wide
                .flat_map(|unit| match order {
                    ByteOrder::Little => unit.to_le_bytes(),
                    ByteOrder::Big => unit.to_be_bytes(),
                })
                .collect();
            bytes.extend(b"2026-11-21 12:00:01 INFO b\r\n");
            bytes.extend(b"2026-11-21 12:00:02 INFO c\n");
            let mut text = String::new();
            Utf16Decoder::new(&bytes[..], order, UnitWidth::Two)
                .read_to_string(&mut text)
                .unwrap();
            assert!(
                text.ends_with(
                    "漢字 1\r\n2026-11-21 12:00:01 INFO b\r\n2026-11-21 12:00:02 INFO c\n"
                ),
                "{text}"
            );
        }
    }
}
