//! Files that are JSON as a whole: an array of objects, objects one after the other over many lines, or one object that
//! holds arrays of objects. Each object becomes a line.

use std::io::{self, Read};

use widetui_core::words::several;
use widetui_source::head::{Extent, SourceHead};

use super::RowLines;
use super::inner::{InnerList, InnerRows};
use super::json_stream::{JsonText, StreamStop};

/// An object has at most this many bytes; longer ones are left out and counted.
const OBJECT: usize = 768 * 1024;

/// Arrays of objects are looked for down to this depth; deeper ones are values.
const DEPTH: usize = 3;

/// How the objects of a file stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonForm {
    /// One array.
    Array,
    /// One after the other.
    Sequence,
    /// One object; what is of interest are the arrays in it.
    Object,
}

impl JsonForm {
    /// What the first bytes of a file look like; `None` when they are no JSON, or one object per line.
    pub fn look(head: SourceHead<'_>) -> Option<JsonForm> {
        let text = head.bytes().trim_ascii_start();
        match text.first()? {
            b'[' => {
                let inner = text[1..].trim_ascii_start();
                let name = inner.strip_prefix(b"{")?.trim_ascii_start();
                matches!(name.first(), Some(b'"' | b'}')).then_some(JsonForm::Array)
            }
            b'{' => JsonForm::of_object(text, head.extent()),
            _ => None,
        }
    }

    fn of_object(text: &[u8], extent: Extent) -> Option<JsonForm> {
        let mut arrays = JsonArrays::new(text);
        let has_array = arrays.next_array().is_some();
        let mut first = JsonText::new(text);
        let used = match first.value(b"", &mut Vec::new(), 0) {
            Ok(_) => first.offset() as usize,
            Err(StreamStop::Ends) => text.len(),
            Err(_) => return None,
        };
        let rest = text.get(used..)?.trim_ascii_start();
        let one_line = memchr::memchr(b'\n', text[..used].trim_ascii_end()).is_none();
        // A name and a value at least, so that a line which begins with a brace is no JSON.
        if !text[1..].trim_ascii_start().starts_with(b"\"") {
            return None;
        }
        match (one_line, rest.first()) {
            (true, None) => has_array.then_some(JsonForm::Object),
            (true, Some(_)) => None,
            (false, None) => (used < text.len() || extent == Extent::Whole || arrays.values > 0)
                .then_some(JsonForm::Object),
            (false, Some(b'{' | 0x1e | b',')) => Some(JsonForm::Sequence),
            (false, Some(_)) => None,
        }
    }
}

/// Where a stream stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Among the fields of an object.
    Fields,
    /// Among the elements of an array of objects inside it.
    Elements,
    /// Among objects that stand one after the other.
    Sequence,
    /// At the end, or where it cannot be read.
    End,
}

/// An object around the place where the stream stands.
struct Level {
    /// Its name with quotes.
    name: Vec<u8>,
    /// It was begun in what is left.
    begun: bool,
}

/// The arrays of objects in a stream, one after the other, and what is left of the object that holds them.
pub struct JsonArrays<R> {
    text: JsonText<R>,
    at: At,
    levels: Vec<Level>,
    rest: Vec<u8>,
    /// Values met in the object.
    values: u64,
    left_out: u64,
    stopped: Option<StreamStop>,
    buffer: Vec<u8>,
    used: usize,
    inner: Vec<InnerRows>,
}

impl<R: Read> JsonArrays<R> {
    /// A stream that is one object.
    pub(crate) fn new(input: R) -> JsonArrays<R> {
        JsonArrays {
            text: JsonText::new(input),
            at: At::Fields,
            levels: Vec::new(),
            rest: Vec::new(),
            values: 0,
            left_out: 0,
            stopped: None,
            buffer: Vec::new(),
            used: 0,
            inner: Vec::new(),
        }
    }

    /// Lists in the objects of the array at which the stream stands, whose elements are to be kept as rows of their own.
    pub fn keep_inner(&mut self, lists: impl Iterator<Item = InnerList>) {
        self.inner = lists.map(InnerRows::of).collect();
    }

    /// The rows of such lists, once the array was read.
    pub fn inner(&mut self) -> Vec<InnerRows> {
        std::mem::take(&mut self.inner)
    }

    /// A stream of this form. The objects of an array or a sequence are read at once from it.
    pub fn of(input: R, form: JsonForm) -> JsonArrays<R> {
        let mut arrays = JsonArrays::new(input);
        match form {
            JsonForm::Object => {}
            JsonForm::Sequence => arrays.at = At::Sequence,
            JsonForm::Array => {
                arrays.at = At::Elements;
                let begin = arrays.text.peek_word().and_then(|_| arrays.text.next());
                if let Err(stop) = begin {
                    arrays.stop(stop);
                }
            }
        }
        arrays
    }

    /// Goes to the next array of objects inside the object and gives its dotted name; `None` when there are no more. The
    /// lines of the array are then read from `self`, to their end.
    pub fn next_array(&mut self) -> Option<String> {
        if self.at != At::Fields {
            return None;
        }
        match self.find_array() {
            Ok(found) => found,
            Err(stop) => {
                self.stop(stop);
                None
            }
        }
    }

    /// What is in the object besides arrays of objects, as a line; empty when nothing is.
    pub fn rest(&mut self) -> Vec<u8> {
        for level in self.levels.iter().filter(|l| l.begun) {
            debug_assert!(!level.name.is_empty() || level.begun);
            self.rest.push(b'}');
        }
        self.levels.clear();
        if !self.rest.is_empty() {
            self.rest.push(b'\n');
        }
        std::mem::take(&mut self.rest)
    }

    fn stop(&mut self, stop: StreamStop) {
        self.at = At::End;
        self.stopped = Some(stop);
    }

    fn find_array(&mut self) -> Result<Option<String>, StreamStop> {
        loop {
            let byte = self.text.peek_word()?;
            if self.levels.is_empty() {
                match byte {
                    Some(b'{') if self.values == 0 => {
                        self.text.next()?;
                        self.levels.push(Level {
                            name: Vec::new(),
                            begun: false,
                        });
                        continue;
                    }
                    None => {
                        self.at = At::End;
                        return Ok(None);
                    }
                    _ => return self.text.no_json(),
                }
            }
            match byte.ok_or(StreamStop::Ends)? {
                b',' => {
                    self.text.next()?;
                }
                b'}' => {
                    self.text.next()?;
                    if self.levels.pop().is_some_and(|l| l.begun) {
                        self.rest.push(b'}');
                    }
                    if self.levels.is_empty() {
                        // So that a second object is none.
                        self.values += 1;
                    }
                }
                b'"' => {
                    let name = self.text.name()?;
                    if self.text.peek_word()? != Some(b':') {
                        return self.text.no_json();
                    }
                    self.text.next()?;
                    if let Some(array) = self.field(name)? {
                        self.at = At::Elements;
                        return Ok(Some(array));
                    }
                }
                _ => return self.text.no_json(),
            }
        }
    }

    /// Reads the value of a field, or goes into it; gives its dotted name when it is an array of objects.
    fn field(&mut self, name: Vec<u8>) -> Result<Option<String>, StreamStop> {
        self.values += 1;
        match self.text.peek_word()?.ok_or(StreamStop::Ends)? {
            b'{' if self.levels.len() < DEPTH => {
                self.text.next()?;
                self.levels.push(Level { name, begun: false });
                Ok(None)
            }
            b'[' => {
                self.text.next()?;
                if self.text.peek_word()? == Some(b'{') {
                    let names = self.levels.iter().skip(1).map(|l| &l.name);
                    let names: Vec<String> = names
                        .chain(std::iter::once(&name))
                        .map(|n| plain(n))
                        .collect();
                    return Ok(Some(names.join(".")));
                }
                self.keep(&name, b"[")?;
                Ok(None)
            }
            _ => {
                self.keep(&name, b"")?;
                Ok(None)
            }
        }
    }

    /// Copies a value to what is left.
    fn keep(&mut self, name: &[u8], opened: &[u8]) -> Result<(), StreamStop> {
        let before = (
            self.rest.len(),
            self.levels.iter().filter(|l| l.begun).count(),
        );
        for level in &mut self.levels {
            if !level.begun {
                level.begun = true;
                if !level.name.is_empty() {
                    separate(&mut self.rest);
                    self.rest.extend_from_slice(&level.name);
                    self.rest.push(b':');
                }
                self.rest.push(b'{');
            }
        }
        separate(&mut self.rest);
        self.rest.extend_from_slice(name);
        self.rest.push(b':');
        let room = OBJECT.saturating_sub(self.rest.len());
        let done = self.text.value(opened, &mut self.rest, room);
        if !matches!(done, Ok(true)) {
            self.rest.truncate(before.0);
            for level in self.levels.iter_mut().skip(before.1) {
                level.begun = false;
            }
            self.left_out += u64::from(done.is_ok());
        }
        done.map(|_| ())
    }

    fn fill(&mut self) -> Result<(), StreamStop> {
        self.buffer.clear();
        self.used = 0;
        while self.buffer.len() < 64 * 1024 {
            match self.text.peek_word()? {
                Some(b',') => {
                    self.text.next()?;
                    continue;
                }
                Some(b']') if self.at == At::Elements => {
                    self.text.next()?;
                    self.at = if self.levels.is_empty() {
                        At::End
                    } else {
                        At::Fields
                    };
                    return Ok(());
                }
                None if self.at == At::Sequence => {
                    self.at = At::End;
                    return Ok(());
                }
                None => return Err(StreamStop::Ends),
                Some(byte) => {
                    let start = self.buffer.len();
                    if byte != b'{' {
                        self.buffer.extend_from_slice(b"{\"value\":");
                    }
                    match self.text.value(b"", &mut self.buffer, OBJECT) {
                        Ok(true) => {
                            if byte != b'{' {
                                self.buffer.push(b'}');
                            }
                            for inner in &mut self.inner {
                                inner.take(&self.buffer[start..]);
                            }
                            self.buffer.push(b'\n');
                        }
                        Ok(false) => {
                            self.buffer.truncate(start);
                            self.left_out += 1;
                        }
                        Err(stop) => {
                            self.buffer.truncate(start);
                            return Err(stop);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The lines of the array, or of the sequence, at which the stream stands.
impl<R: Read> Read for JsonArrays<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.used == self.buffer.len() {
            if !matches!(self.at, At::Elements | At::Sequence) {
                return Ok(0);
            }
            if let Err(stop) = self.fill() {
                self.stop(stop);
            }
        }
        let n = buf.len().min(self.buffer.len() - self.used);
        buf[..n].copy_from_slice(&self.buffer[self.used..self.used + n]);
        self.used += n;
        Ok(n)
    }
}

impl<R: Read> RowLines for JsonArrays<R> {
    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.stopped.iter().map(StreamStop::text).collect();
        if self.left_out > 0 {
            problems.push(format!(
                "{}: more than {} KiB, left out",
                several(self.left_out as usize, "value"),
                OBJECT / 1024
            ));
        }
        problems
    }
}

fn separate(out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'{')) {
        out.push(b',');
    }
}

/// A name without quotes and escapes.
fn plain(name: &[u8]) -> String {
    let inner = name.get(1..name.len().saturating_sub(1));
    crate::text::json_scan::field_name(inner.unwrap_or_default())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
