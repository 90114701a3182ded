//! Detection of the file type from the first bytes: archive, compressed stream, text or binary data.

use super::codec::Codec;
use super::{tar_archive, zip_archive};

/// File type detected from the first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sniffed {
    /// Probably text.
    Text,
    /// Empty file.
    Empty,
    /// Compressed stream.
    Packed(Codec),
    /// Uncompressed tar archive.
    Tar,
    /// Zip archive.
    Zip,
    /// SQLite database.
    Sqlite,
    /// Parquet file.
    Parquet,
    /// Binary data, with its type.
    Binary(&'static str),
}

/// Number of bytes that suffice for `sniff`.
const SNIFF_LEN: usize = 4096;
/// Minimum length of a run of NUL bytes that counts as a hole in a text.
const HOLE: usize = 16;

/// Detects the type of a file from its first bytes.
pub fn sniff(head: &[u8]) -> Sniffed {
    let starts = |magic: &[u8]| head.starts_with(magic);
    if head.is_empty() {
        return Sniffed::Empty;
    }
    if let Some(codec) = Codec::of(head) {
        return Sniffed::Packed(codec);
    }
    if tar_archive::is_tar(head) {
        return Sniffed::Tar;
    }
    if zip_archive::is_zip(head) {
        return Sniffed::Zip;
    }
    if starts(b"SQLite format 3\0") {
        return Sniffed::Sqlite;
    }
    // A file with an encrypted footer has another magic number.
    if starts(b"PAR1") || starts(b"PARE") {
        return Sniffed::Parquet;
    }
    let known = [
        (&b"\x04\x22\x4d\x18"[..], "lz4 stream (unpack it with lz4)"),
        (b"\x1f\x9d", "compress stream (unpack it with gzip)"),
        (b"7z\xbc\xaf\x27\x1c", "7z archive (unpack it with 7z)"),
        (b"Rar!\x1a\x07", "rar archive (unpack it with unrar)"),
        (b"\x89PNG", "PNG picture"),
        (b"\x7fELF", "ELF program"),
        (b"%PDF", "PDF document"),
        (b"REDIS0", "Redis dump"),
        (b"\x89HDF\r\n\x1a\n", "HDF5 data"),
        (b"\x93NUMPY", "NumPy array"),
        (b"ARROW1\0", "Arrow table"),
        (b"Obj\x01", "Avro data"),
        (b"\xff\xd8\xff", "JPEG picture"),
        (b"GIF8", "GIF picture"),
    ];
    if let Some((_, what)) = known.iter().find(|(magic, _)| starts(magic)) {
        return Sniffed::Binary(what);
    }
    // Pickle protocols 2 to 5; older ones look like text and are recognised by file name.
    if matches!(head, [0x80, 2..=5, _, ..]) {
        return Sniffed::Binary("Python pickle");
    }
    // A log that was truncated while open has NUL bytes up to the writer's next position; a log of a crashed node has
    // them in place of the blocks that were never written.
    let is_hole = |run: &[u8]| run.starts_with(&[0]) && run.len() >= HOLE;
    let runs = head.chunk_by(|a, b| (*a == 0) == (*b == 0));
    let sample: Vec<u8> = runs
        .filter(|run| !is_hole(run))
        .flatten()
        .copied()
        .take(SNIFF_LEN)
        .collect();
    // Binary records of fixed length, such as those of lastlog, are padded with as many, but have no lines.
    let is_padded = sample.len() < head.len().min(SNIFF_LEN) && !sample.contains(&b'\n');
    match sample.is_empty() || is_padded || is_binary(&sample) && !has_text(head) {
        true => Sniffed::Binary("binary data"),
        false => Sniffed::Text,
    }
}

/// Minimum number of lines of text with which a log with a block of other bytes begins; headings of binary formats are
/// shorter.
const TEXT_LINES: usize = 4;

/// Whether a head begins with several lines of text, and lines of text are a considerable part of it: a log into which
/// arbitrary bytes were written.
fn has_text(head: &[u8]) -> bool {
    let is_text = |line: &&[u8]| {
        let is_plain = |b: &u8| matches!(b, b'\t' | b'\r' | 0x1b) || !b.is_ascii_control();
        line.iter().all(is_plain) && std::str::from_utf8(line).is_ok()
    };
    let lines = || {
        head.split_inclusive(|b| *b == b'\n')
            .map(|l| l.strip_suffix(b"\n").unwrap_or(l))
    };
    let first = lines().take_while(is_text).filter(|l| !l.is_empty());
    let all: usize = lines().filter(is_text).map(<[u8]>::len).sum();
    first.count() >= TEXT_LINES && all * 8 >= head.len()
}

/// Whether bytes are neither UTF-8 nor text in a single-byte encoding. Logs may contain a few NUL or invalid bytes
/// (preallocation, crashes); binary data has many.
fn is_binary(sample: &[u8]) -> bool {
    let is_control =
        |b: u8| b == 0x7f || b < 32 && !matches!(b, b'\n' | b'\r' | b'\t' | 0x0c | 0x1b | 0x08);
    let zero = sample.iter().filter(|b| **b == 0).count();
    let control = sample.iter().filter(|b| is_control(**b)).count();
    let invalid: usize = sample.utf8_chunks().map(|c| c.invalid().len()).sum();
    let more_than = |count: usize, share: usize| count * share > sample.len();
    more_than(zero, 10)
        || more_than(control, 5)
        // Random bytes, as in compressed or encrypted data; text in single-byte encodings has no control characters.
        || more_than(invalid, 4) && more_than(control, 20)
}

#[cfg(test)]
mod tests {
    use super::super::utf16::ByteOrder;
    use super::*;

    #[test]
    fn tells_text_from_the_rest() {
        assert_eq!(sniff(b""), Sniffed::Empty);
        assert_eq!(sniff(b"2026-11-21 hello\n"), Sniffed::Text);
        assert_eq!(sniff("Überraschung: 5 °C\n".as_bytes()), Sniffed::Text);
        assert_eq!(sniff(b"\x1b[31mred\x1b[0m\n"), Sniffed::Text);
        assert_eq!(sniff(b"\x80\x05\x95\x10"), Sniffed::Binary("Python pickle"));
        assert_eq!(sniff(b"SQLite format 3\0..."), Sniffed::Sqlite);
        assert_eq!(sniff(&[0u8; 100]), Sniffed::Binary("binary data"));
        assert_eq!(sniff(&[0x1f, 0x8b, 8, 0]), Sniffed::Packed(Codec::Gzip));
        assert_eq!(sniff(b"PK\x03\x04\x14\0"), Sniffed::Zip);
        assert_eq!(sniff(b"PAR1\x15\x04"), Sniffed::Parquet);
        // Text that begins like some archives.
        assert_eq!(sniff(b"BZh9 is how bzip2 starts\n"), Sniffed::Text);
        assert_eq!(sniff(b"PK is how zip starts\n"), Sniffed::Text);
    }

    /// Deterministic random bytes.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 7u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn bytes_by_chance_are_no_text_but_text_with_some_of_them_is() {
        let binary = Sniffed::Binary("binary data");
        for len in [64, 500, 4096, 100_000] {
            assert_eq!(sniff(&noise(len)), binary, "{len}");
        }
        // Also after a heading of text.
        let mut headed = b"format 1\n".to_vec();
        headed.extend(noise(4000));
        assert_eq!(sniff(&headed), binary);
        // Log that was truncated while its writer kept its position.
        let line = b"2026-11-21 12:00:00 INFO worker 7 took task 12 of block 3\n";
        let holed = |rest: &[u8]| [&[0; 5000][..], rest].concat();
        assert_eq!(sniff(&holed(&line.repeat(50))), Sniffed::Text);
        assert_eq!(sniff(&holed(&noise(4000))), binary);
        assert_eq!(sniff(&holed(b"")), binary);
        // Log into which a block of arbitrary bytes was written.
        let mut broken = line.repeat(5);
        broken.extend((0..=255).cycle().take(800));
        broken.extend(line.repeat(2));
        assert_eq!(sniff(&broken), Sniffed::Text);
        // Records of lastlog: seconds, terminal and host in fields that are padded.
        let login = [
            &[0xb0, 0xc5, 0xd7, 0x5a][..],
            b"pts/0",
            &[0; 27],
            b"10.0.0.7",
            &[0; 248],
        ]
        .concat();
        assert_eq!(sniff(&[vec![0; 292_000], login].concat()), binary);
        // Log with corrupted bytes.
        let line = b"2026-11-21 12:00:00 INFO worker 7 took task 12 of block 3\n";
        let mut damaged = line.repeat(50);
        damaged.splice(1000..1000, noise(900));
        assert_eq!(sniff(&damaged), Sniffed::Text);
        // Latin-1, and Cyrillic in a single-byte encoding: invalid UTF-8.
        assert_eq!(sniff(b"St\xf6rung: \xdcberlauf, 5 \xb0C\n"), Sniffed::Text);
        let cyrillic: Vec<u8> = (0..2000u32).map(|n| 0xc0 + (n % 61) as u8).collect();
        assert_eq!(sniff(&cyrillic), Sniffed::Text);
    }

    #[test]
    fn letters_of_two_bytes_are_text_to_be_unpacked() {
        let text = "2026-11-21 12:00:00 INFO up\n".encode_utf16();
        let little: Vec<u8> = text.clone().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.flat_map(u16::to_be_bytes).collect();
        let wide = |order| Sniffed::Packed(Codec::Utf16(order));
        assert_eq!(sniff(&little), wide(ByteOrder::Little));
        assert_eq!(sniff(&big), wide(ByteOrder::Big));
    }
}
