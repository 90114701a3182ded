//! Compressed streams. Only this module uses the compression crates.
//!
//! All of them are pure Rust, so that a static build needs no C compiler: flate2 on zlib-rs, ruzstd, lzma-rust2, bzip2
//! on libbz2-rs.

use std::io::{self, BufRead, BufReader, Read, Write};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::utf16::{ByteOrder, UnitWidth, Utf16Decoder, detect_order, detect_wide_order};

/// Compression or encoding of a stream; compressed streams may be concatenations of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
    /// xz with LZMA2.
    Xz,
    /// bzip2.
    Bzip2,
    /// Uncompressed UTF-16.
    Utf16(ByteOrder),
    /// Uncompressed UTF-32.
    Utf32(ByteOrder),
}

/// Bytes read from the compressed side at once.
const BUFFER: usize = 128 * 1024;

/// Memory limit of an xz decoder in KiB (`xz -9` needs 64 MiB).
const XZ_MEMORY: u32 = 256 * 1024;

/// Bytes per zstd frame when writing.
const FRAME: usize = 4 << 20;

impl Codec {
    /// Detects the codec from the first bytes of a stream.
    pub fn of(head: &[u8]) -> Option<Codec> {
        let starts = |magic: &[u8]| head.starts_with(magic);
        let skippable = matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
        if starts(&[0x1f, 0x8b, 8]) {
            Some(Codec::Gzip)
        } else if starts(&[0x28, 0xb5, 0x2f, 0xfd]) || skippable {
            Some(Codec::Zstd)
        } else if starts(b"\xfd7zXZ\0") {
            Some(Codec::Xz)
        } else if starts(b"BZh")
            && matches!(head.get(3), Some(b'1'..=b'9'))
            && matches!(
                head.get(4..10),
                Some(b"\x31\x41\x59\x26\x53\x59" | b"\x17\x72\x45\x38\x50\x90")
            )
        {
            Some(Codec::Bzip2)
        } else {
            let wide = detect_wide_order(head).map(Codec::Utf32);
            wide.or_else(|| detect_order(head).map(Codec::Utf16))
        }
    }

    /// Name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Zstd => "zstd",
            Codec::Xz => "xz",
            Codec::Bzip2 => "bzip2",
            Codec::Utf16(_) => "UTF-16",
            Codec::Utf32(_) => "UTF-32",
        }
    }

    /// File name ending of the format; empty for UTF-16 and UTF-32.
    pub fn ending(self) -> &'static str {
        match self {
            Codec::Gzip => ".gz",
            Codec::Zstd => ".zst",
            Codec::Xz => ".xz",
            Codec::Bzip2 => ".bz2",
            Codec::Utf16(_) | Codec::Utf32(_) => "",
        }
    }

    /// Decompresses all concatenated streams in `packed`.
    pub fn inflate<'a>(self, packed: impl Read + 'a) -> Box<dyn Read + 'a> {
        let packed = BufReader::with_capacity(BUFFER, packed);
        match self {
            Codec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
            Codec::Zstd => Box::new(ZstdFrames::new(packed)),
            Codec::Xz => Box::new(SmallReads(lzma_rust2::XzReader::new_mem_limit(
                packed, true, XZ_MEMORY,
            ))),
            Codec::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
            Codec::Utf16(order) => Box::new(Utf16Decoder::new(packed, order, UnitWidth::Two)),
            Codec::Utf32(order) => Box::new(Utf16Decoder::new(packed, order, UnitWidth::Four)),
        }
    }
}

/// Strips the ending of a compressed file from a name; returns names without one, or with nothing else, unchanged.
pub fn without_ending(name: &str) -> &str {
    [Codec::Gzip, Codec::Zstd, Codec::Xz, Codec::Bzip2]
        .into_iter()
        .find_map(|c| name.strip_suffix(c.ending()))
        .filter(|n| !n.is_empty() && !n.ends_with('/'))
        .unwrap_or(name)
}

/// Decompresses a member of a zip archive by its method number (APPNOTE 4.4.5); `None` if the method is not supported.
pub(crate) fn inflate_member<'a>(
    method: u16,
    size: u64,
    packed: impl Read + 'a,
) -> Option<Box<dyn Read + 'a>> {
    let packed = BufReader::with_capacity(BUFFER, packed);
    Some(match method {
        0 => Box::new(packed),
        8 => Box::new(flate2::bufread::DeflateDecoder::new(packed)),
        9 => Box::new(deflate64::Deflate64Decoder::with_buffer(packed)),
        12 => Codec::Bzip2.inflate(packed),
        14 => Box::new(Lzma::Start(Some(packed), size)),
        93 => Codec::Zstd.inflate(packed),
        95 => Codec::Xz.inflate(packed),
        _ => return None,
    })
}

/// Name of an unsupported zip method.
pub(crate) fn zip_method_name(method: u16) -> &'static str {
    match method {
        1 => "shrink",
        2..=5 => "reduce",
        6 => "implode",
        96 => "JPEG",
        97 => "WavPack",
        98 => "PPMd",
        99 => "AES encryption",
        _ => "unknown",
    }
}

/// Reader that requests small amounts, since lzma-rust2 discards what a call has read if that call ends with an error.
struct SmallReads<R>(R);

impl<R: Read> Read for SmallReads<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.by_ref().take(8 * 1024).read(buf)
    }
}

/// LZMA within zip: a header of its own (APPNOTE 5.8), followed by the raw stream.
enum Lzma<R: Read> {
    Start(Option<R>, u64),
    Open(Box<SmallReads<lzma_rust2::LzmaReader<R>>>),
}

impl<R: Read> Read for Lzma<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Lzma::Start(packed, size) = self {
            let Some(mut packed) = packed.take() else {
                return Ok(0);
            };
            // Version (2 bytes), size of the properties (2), properties (1 + 4).
            let mut head = [0; 9];
            packed.read_exact(&mut head)?;
            let dictionary = u32::from_le_bytes([head[5], head[6], head[7], head[8]]);
            let need = lzma_rust2::lzma_get_memory_usage_by_props(dictionary, head[4])?;
            if need > XZ_MEMORY {
                return Err(io::Error::other("needs too much memory"));
            }
            let size = if *size == 0 { u64::MAX } else { *size };
            let reader =
                lzma_rust2::LzmaReader::new_with_props(packed, size, head[4], dictionary, None)?;
            *self = Lzma::Open(Box::new(SmallReads(reader)));
        }
        match self {
            Lzma::Open(reader) => reader.read(buf),
            Lzma::Start(..) => Ok(0),
        }
    }
}

/// Concatenated zstd frames, including skippable ones.
struct ZstdFrames<R> {
    packed: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    fn new(packed: R) -> Self {
        ZstdFrames {
            packed,
            decoder: FrameDecoder::new(),
            inside: false,
        }
    }

    /// Begins the next frame; returns false at the end.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.packed.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.packed).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside {
                if !self.next_frame()? {
                    return Ok(0);
                }
                self.inside = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|e| io::Error::other(e.to_string()))?;
            }
            let n = self.decoder.read(buf)?;
            if n > 0 {
                return Ok(n);
            }
            self.inside = false;
            let told = self.decoder.get_checksum_from_data();
            if told.is_some() && told != self.decoder.get_calculated_checksum() {
                return Err(io::Error::other("the checksum does not match"));
            }
        }
    }
}

/// Writer of a file, compressed or not. The file is complete only after `finish`.
pub enum Packer<W: Write> {
    /// No compression.
    Plain(W),
    /// gzip.
    Gzip(flate2::write::GzEncoder<W>),
    /// zstd, in frames of `FRAME` bytes.
    Zstd {
        /// Underlying writer.
        out: W,
        /// Bytes of the current frame, not compressed yet.
        frame: Vec<u8>,
    },
}

impl<W: Write> Packer<W> {
    /// Splits a compression ending (`.gz`, `.zst`) from a name.
    pub fn of_name(name: &str) -> (&str, Option<Codec>) {
        [Codec::Gzip, Codec::Zstd]
            .into_iter()
            .find_map(|c| Some((name.strip_suffix(c.ending())?, Some(c))))
            .unwrap_or((name, None))
    }

    /// Creates a writer that compresses with gzip or zstd; other codecs write uncompressed.
    pub fn new(out: W, codec: Option<Codec>) -> Packer<W> {
        match codec {
            Some(Codec::Gzip) => Packer::Gzip(flate2::write::GzEncoder::new(
                out,
                flate2::Compression::default(),
            )),
            Some(Codec::Zstd) => Packer::Zstd {
                out,
                frame: Vec::with_capacity(FRAME),
            },
            _ => Packer::Plain(out),
        }
    }

    /// Completes the file and returns the underlying writer.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn finish(self) -> io::Result<W> {
        let mut out = match self {
            Packer::Plain(out) => out,
            Packer::Gzip(out) => out.finish()?,
            Packer::Zstd { mut out, frame } => {
                out.write_all(&zstd_frame(&frame))?;
                out
            }
        };
        out.flush()?;
        Ok(out)
    }
}

fn zstd_frame(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(out) => out.write(buf),
            Packer::Gzip(out) => out.write(buf),
            Packer::Zstd { out, frame } => {
                let part = buf.get(..FRAME - frame.len()).unwrap_or(buf);
                frame.extend_from_slice(part);
                if frame.len() == FRAME {
                    out.write_all(&zstd_frame(frame))?;
                    frame.clear();
                }
                Ok(part.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(out) => out.flush(),
            Packer::Gzip(out) => out.flush(),
            Packer::Zstd { out, .. } => out.flush(),
        }
    }
}
