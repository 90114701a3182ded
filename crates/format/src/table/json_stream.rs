//! JSON text from a stream, byte by byte, in bounded memory: values are copied without blanks, never built.

use std::io::{self, Read};

use widetui_core::bytes::MARK;

/// Objects and arrays may lie in each other so deep.
const DEPTH: usize = 500;

/// Why no more can be read.
#[derive(Debug)]
pub(crate) enum StreamStop {
    /// The stream fails.
    Failed(io::Error),
    /// It ends inside a value.
    Ends,
    /// What stands at this byte is no JSON.
    NoJson(u64),
}

impl StreamStop {
    /// For people.
    pub(crate) fn text(&self) -> String {
        match self {
            StreamStop::Failed(error) => error.to_string(),
            StreamStop::Ends => "the file ends inside a JSON value; read up to there".to_owned(),
            StreamStop::NoJson(at) => format!("is no JSON from byte {at} on; read up to there"),
        }
    }
}

/// A stream of JSON text.
pub(crate) struct JsonText<R> {
    input: R,
    buffer: Vec<u8>,
    pos: usize,
    filled: usize,
    /// Bytes of the stream before the buffer.
    before: u64,
}

impl<R: Read> JsonText<R> {
    /// The text of a stream; the mark that some programs put first is read over.
    pub(crate) fn new(input: R) -> JsonText<R> {
        JsonText {
            input,
            buffer: vec![0; 64 * 1024],
            pos: 0,
            filled: 0,
            before: 0,
        }
    }

    /// Bytes read so far.
    pub(crate) fn offset(&self) -> u64 {
        self.before + self.pos as u64
    }

    /// What stands here is no JSON.
    pub(crate) fn no_json<T>(&self) -> Result<T, StreamStop> {
        Err(StreamStop::NoJson(self.offset()))
    }

    /// The next byte, without going on; `None` at the end.
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
            if self.before == 0 && self.buffer[..self.filled].starts_with(MARK) {
                self.pos = MARK.len();
            }
            if self.pos == self.filled {
                return Ok(None);
            }
        }
        Ok(Some(self.buffer[self.pos]))
    }

    /// The next byte.
    pub(crate) fn next(&mut self) -> Result<u8, StreamStop> {
        let byte = self.peek()?.ok_or(StreamStop::Ends)?;
        self.pos += 1;
        Ok(byte)
    }

    /// The next byte that is no blank, without going on; the mark that stands before records of a sequence is a blank.
    pub(crate) fn peek_word(&mut self) -> Result<Option<u8>, StreamStop> {
        while matches!(
            self.peek()?,
            Some(b' ' | b'\t' | b'\r' | b'\n' | 0x1e | 0x0c)
        ) {
            self.pos += 1;
        }
        self.peek()
    }

    /// Copies a string, quotes and all; line ends in it are escaped. Only as many bytes as there is room for.
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

    /// The string that stands here, quotes and all.
    pub(crate) fn name(&mut self) -> Result<Vec<u8>, StreamStop> {
        let mut name = Vec::new();
        self.string(&mut Copy::new(&mut name, 4096))?;
        if name.len() >= 4096 {
            return self.no_json();
        }
        Ok(name)
    }

    /// Copies the value that stands here without blanks; says whether all of it had room. `opened` are brackets before it
    /// that were read already.
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
                b'{' | b'[' if open.len() < DEPTH => {
                    open.push(byte);
                    out.push(self.next()?);
                    continue;
                }
                b'}' | b']' => {
                    // The closing brackets come two places behind the opening ones.
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

/// Takes bytes as long as there is room.
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
