//! What a file is, by its first bytes: an archive, a compressed stream, something that is no text.

use super::codec::Codec;
use super::{tarball, zipped};

/// What the first bytes of a file say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sniffed {
    /// Probably text.
    Text,
    /// Nothing in it.
    Empty,
    /// A compressed stream.
    Packed(Codec),
    /// An uncompressed tar archive.
    Tar,
    /// A zip archive.
    Zip,
    /// A SQLite database.
    Sqlite,
    /// No text; what it seems to be.
    Binary(&'static str),
}

/// So many bytes are enough for `sniff`.
const SNIFF_LEN: usize = 4096;

/// Looks at the first bytes of a file.
pub fn sniff(head: &[u8]) -> Sniffed {
    let starts = |magic: &[u8]| head.starts_with(magic);
    if head.is_empty() {
        return Sniffed::Empty;
    }
    if let Some(codec) = Codec::of(head) {
        return Sniffed::Packed(codec);
    }
    if tarball::is_tar(head) {
        return Sniffed::Tar;
    }
    if zipped::is_zip(head) {
        return Sniffed::Zip;
    }
    if starts(b"SQLite format 3\0") {
        return Sniffed::Sqlite;
    }
    let known = [
        (&b"\x04\x22\x4d\x18"[..], "lz4 stream (unpack it with lz4)"),
        (b"\x1f\x9d", "compress stream (unpack it with gzip)"),
        (b"7z\xbc\xaf\x27\x1c", "7z archive (unpack it with 7z)"),
        (b"Rar!\x1a\x07", "rar archive (unpack it with unrar)"),
        (b"\x89PNG", "PNG picture"),
        (b"\x7fELF", "ELF program"),
        (b"%PDF", "PDF document"),
        (b"PAR1", "Parquet table"),
        (b"REDIS0", "Redis dump"),
    ];
    if let Some((_, what)) = known.iter().find(|(magic, _)| starts(magic)) {
        return Sniffed::Binary(what);
    }
    // Pickle protocols 2 to 5; older ones look like text and are known by their names.
    if head.len() > 2 && head[0] == 0x80 && (2..=5).contains(&head[1]) {
        return Sniffed::Binary("Python pickle");
    }
    let sample = &head[..head.len().min(SNIFF_LEN)];
    if starts(&[0xff, 0xfe]) || starts(&[0xfe, 0xff]) {
        return Sniffed::Binary("UTF-16 text (convert it with iconv)");
    }
    let zero = sample.iter().filter(|b| **b == 0).count();
    let control = sample
        .iter()
        .filter(|b| **b < 32 && !matches!(**b, b'\n' | b'\r' | b'\t' | 0x0c | 0x1b | 0x08))
        .count();
    // A log may hold a stray NUL (a file that was preallocated, a crash); a binary file is full of them.
    if zero * 10 > sample.len() || (control + zero) * 5 > sample.len() {
        return Sniffed::Binary("binary data");
    }
    Sniffed::Text
}

#[cfg(test)]
mod tests {
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
        // Text that begins as some archives do.
        assert_eq!(sniff(b"BZh9 is how bzip2 starts\n"), Sniffed::Text);
        assert_eq!(sniff(b"PK is how zip starts\n"), Sniffed::Text);
    }
}
