//! JSON text from a stream, byte by byte, in bounded memory: values are copied without blanks, not parsed into trees.

use std::io::{self, Read};

use widetui_core::bytes::BOM;

/// Maximum nesting depth of objects and arrays.
const MAX_DEPTH: usize = 500;

/// Reason why reading stopped.
#[derive(Debug)]
pub(crate) enum StreamStop {
    /// The stream failed.
    Failed(io::Error),
    /// The stream ended inside a value.
    Ends,
    /// The text at this offset is not JSON.
    NoJson(u64),
}

impl StreamStop {
    /// Message for the user.
    pub(crate) fn text(&self) -> String {
        match self {
            StreamStop::Failed(error) => error.to_string(),
            StreamStop::Ends => "the file ends inside a JSON value; read up to there".to_owned(),
            StreamStop::NoJson(at) => format!("invalid JSON at byte {at}; read up to there"),
        }
    }
}

/// JSON text of a stream.
pub(crate) struct JsonText<R> {
    input: R,
    buffer: Vec<u8>,
    pos: usize,
    filled: usize,
    /// Offset of the buffer in the stream, bytes.
    before: u64,
}

impl<R: Read> JsonText<R> {
    /// JSON text of a stream; a byte order mark is skipped.
    pub(crate) fn new(input: R) -> JsonText<R> {
        JsonText {
            input,
            buffer: vec![0; 64 * 1024],
            pos: 0,
            filled: 0,
            before: 0,
        }
    }

    /// Number of bytes read so far.
    pub(crate) fn offset(&self) -> u64 {
        self.before + self.pos as u64
    }

    /// Error: the text here is not JSON.
    pub(crate) fn no_json<T>(&self) -> Result<T, StreamStop> {
        Err(StreamStop::NoJson(self.offset()))
    }

    /// Next byte without consuming it; `None` at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, StreamStop> {
        if self.pos == self.filled {
            self.before += self.filled as u64;
            self.pos = 0;
            self.filled = 0;
            self.filled = loop {
                match self.input.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other.map_err(StreamStop::Failed)?,
                }
            };
            let filled = self.buffer.get(..self.filled).unwrap_or_default();
            if self.before == 0 && filled.starts_with(BOM) {
                self.pos = BOM.len();
            }
            if self.pos == self.filled {
                return Ok(None);
            }
        }
        Ok(self.buffer.get(self.pos).copied())
    }

    /// Consumes the next byte.
    pub(crate) fn next(&mut self) -> Result<u8, StreamStop> {
        let byte = self.peek()?.ok_or(StreamStop::Ends)?;
        self.pos += 1;
        Ok(byte)
    }

    /// Next byte that is not a blank, without consuming it. The record separator of JSON text sequences (RFC 7464)
    /// counts as a blank.
    pub(crate) fn peek_word(&mut self) -> Result<Option<u8>, StreamStop> {
        while matches!(
            self.peek()?,
            Some(b' ' | b'\t' | b'\r' | b'\n' | 0x1e | 0x0c)
        ) {
            self.pos += 1;
        }
        self.peek()
    }

    /// Copies a string with its quotes, as far as there is room; line ends in it are escaped.
    fn string(&mut self, out: &mut Copy<'_>) -> Result<(), StreamStop> {
        if self.next()? != b'"' {
            return self.no_json();
        }
        out.push(b'"');
        loop {
            match self.next()? {
                b'"' => {
                    out.push(b'"');
                    return Ok(());
                }
                b'\\' => {
                    out.push(b'\\');
                    let escape = self.next()?;
                    out.push(escape);
                }
                b'\n' => out.extend(b"\\n"),
                b'\r' => out.extend(b"\\r"),
                byte => out.push(byte),
            }
        }
    }

    /// String at the current position, with its quotes.
    pub(crate) fn name(&mut self) -> Result<Vec<u8>, StreamStop> {
        let mut name = Vec::new();
        self.string(&mut Copy::new(&mut name, 4096))?;
        if name.len() >= 4096 {
            return self.no_json();
        }
        Ok(name)
    }

    /// Copies the value at the current position without blanks; returns whether all of it had room. `opened` contains
    /// brackets that were read already.
    pub(crate) fn value(
        &mut self,
        opened: &[u8],
        out: &mut Vec<u8>,
        most: usize,
    ) -> Result<bool, StreamStop> {
        let mut out = Copy::new(out, most);
        let mut open: Vec<u8> = opened.to_vec();
        out.extend(opened);
        loop {
            let Some(byte) = self.peek_word()? else {
                return Err(StreamStop::Ends);
            };
            match byte {
                b'"' => self.string(&mut out)?,
                b'{' | b'[' if open.len() < MAX_DEPTH => {
                    open.push(byte);
                    out.push(self.next()?);
                    continue;
                }
                b'}' | b']' => {
                    // In ASCII, a closing bracket is two positions after the opening one.
                    if open.pop().map(|b| b + 2) != Some(byte) {
                        return self.no_json();
                    }
                    out.push(self.next()?);
                }
                b',' | b':' if !open.is_empty() => {
                    out.push(self.next()?);
                    continue;
                }
                b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                    while let Some(
                        byte @ (b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'),
                    ) = self.peek()?
                    {
                        out.push(byte);
                        self.pos += 1;
                    }
                }
                _ => return self.no_json(),
            }
            if open.is_empty() {
                return Ok(out.whole);
            }
        }
    }
}

/// Byte buffer with a maximum size.
struct Copy<'a> {
    out: &'a mut Vec<u8>,
    end: usize,
    whole: bool,
}

impl<'a> Copy<'a> {
    fn new(out: &'a mut Vec<u8>, most: usize) -> Self {
        let end = out.len() + most;
        Copy {
            out,
            end,
            whole: true,
        }
    }

    fn push(&mut self, byte: u8) {
        if self.out.len() < self.end {
            self.out.push(byte);
        } else {
            self.whole = false;
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.push(*byte);
        }
    }
}
