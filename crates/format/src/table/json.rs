//! Files that are JSON as a whole: arrays of objects, a sequence of objects over several lines, or one object with
//! arrays of objects. Each object becomes a line.

use std::io::{self, Read};

use widetui_core::words::several;
use widetui_source::head::{Extent, SourceHead};

use super::RowLines;
use super::inner::{InnerList, InnerRows};
use super::json_stream::{JsonText, StreamStop};

/// Maximum size of an object, bytes; longer ones are dropped and counted.
const MAX_OBJECT: usize = 768 * 1024;

/// Maximum depth at which arrays of objects are looked for; deeper arrays are values.
const MAX_DEPTH: usize = 3;

/// Structure of a JSON file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonForm {
    /// Array of objects, and any that follow it.
    Array,
    /// Sequence of objects, or of arrays of objects.
    Sequence,
    /// One object with arrays of objects.
    Object,
}

impl JsonForm {
    /// Structure of a file, detected by its first bytes; `None` if it is not JSON, or has one object per line.
    pub fn detect(head: SourceHead<'_>) -> Option<JsonForm> {
        let text = head.bytes().trim_ascii_start();
        match text {
            [b'[', inner @ ..] => {
                let inner = inner.trim_ascii_start();
                let name = inner.strip_prefix(b"{")?.trim_ascii_start();
                matches!(name.first(), Some(b'"' | b'}')).then_some(JsonForm::Array)
            }
            [b'{', inner @ ..] => JsonForm::of_object(text, inner, head.extent()),
            _ => None,
        }
    }

    fn of_object(text: &[u8], inner: &[u8], extent: Extent) -> Option<JsonForm> {
        let mut arrays = JsonArrays::new(text);
        let has_array = arrays.next_array().is_some();
        let mut first = JsonText::new(text);
        let used = match first.value(b"", &mut Vec::new(), 0) {
            Ok(_) => usize::try_from(first.offset()).ok()?,
            Err(StreamStop::Ends) => text.len(),
            Err(_) => return None,
        };
        let (object, rest) = text.split_at_checked(used)?;
        let rest = rest.trim_ascii_start();
        let one_line = memchr::memchr(b'\n', object.trim_ascii_end()).is_none();
        // Requires the start of a name, because a line of text may begin with a brace.
        if !inner.trim_ascii_start().starts_with(b"\"") {
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

/// Position of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// In the fields of an object.
    Fields,
    /// In an array of objects inside it.
    Elements,
    /// In a sequence of objects and arrays of objects.
    Sequence,
    /// At the end, or at an error.
    End,
}

/// Object around the current position.
struct Level {
    /// Its name with quotes.
    name: Vec<u8>,
    /// Whether its start was written to the remainder.
    begun: bool,
}

/// Reader of the arrays of objects in a stream, one after the other, and of the remainder of the object that contains
/// them.
pub struct JsonArrays<R> {
    text: JsonText<R>,
    at: At,
    levels: Vec<Level>,
    rest: Vec<u8>,
    /// Number of values in the object so far.
    values: u64,
    left_out: usize,
    stopped: Option<StreamStop>,
    buffer: Vec<u8>,
    used: usize,
    inner: Vec<InnerRows>,
}

impl<R: Read> JsonArrays<R> {
    /// Reader of a stream that consists of one object.
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

    /// Lists inside the objects of the current array whose elements are to be kept as rows of their own.
    pub fn keep_inner(&mut self, lists: impl Iterator<Item = InnerList>) {
        self.inner = lists.map(InnerRows::of).collect();
    }

    /// Rows of these lists, once the array has been read.
    pub fn inner(&mut self) -> Vec<InnerRows> {
        std::mem::take(&mut self.inner)
    }

    /// Reader of a stream with this structure. The objects of an array or a sequence can be read from it at once.
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

    /// Moves to the next array of objects inside the object and returns its dotted name; `None` if there are no more.
    /// The lines of the array can then be read from `self` to their end.
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

    /// Remainder of the object without its arrays of objects, as a line; empty if there is nothing else.
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
                        // Counts an empty object, too, so that a further object is an error.
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

    /// Reads the value of a field, or enters it; returns its dotted name if it is an array of objects.
    fn field(&mut self, name: Vec<u8>) -> Result<Option<String>, StreamStop> {
        self.values += 1;
        match self.text.peek_word()?.ok_or(StreamStop::Ends)? {
            b'{' if self.levels.len() < MAX_DEPTH => {
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

    /// Copies a value to the remainder.
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
        let room = MAX_OBJECT.saturating_sub(self.rest.len());
        let done = self.text.value(opened, &mut self.rest, room);
        if !matches!(done, Ok(true)) {
            self.rest.truncate(before.0);
            for level in self.levels.iter_mut().skip(before.1) {
                level.begun = false;
            }
            self.left_out += usize::from(done.is_ok());
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
                    if !self.levels.is_empty() {
                        self.at = At::Fields;
                        return Ok(());
                    }
                    // A program that is started again, or writes in batches, appends another array.
                    self.at = At::Sequence;
                }
                Some(b'[') if self.at == At::Sequence => {
                    self.text.next()?;
                    self.at = At::Elements;
                }
                None if self.at == At::Sequence => {
                    self.at = At::End;
                    return Ok(());
                }
                None => return Err(StreamStop::Ends),
                Some(byte) if self.at == At::Sequence && byte != b'{' => {
                    return self.text.no_json();
                }
                Some(byte) => {
                    let start = self.buffer.len();
                    if byte != b'{' {
                        self.buffer.extend_from_slice(b"{\"value\":");
                    }
                    match self.text.value(b"", &mut self.buffer, MAX_OBJECT) {
                        Ok(true) => {
                            if byte != b'{' {
                                self.buffer.push(b'}');
                            }
                            for inner in &mut self.inner {
                                inner.take(self.buffer.get(start..).unwrap_or_default());
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

/// JSON lines of the current array or sequence.
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
        let mut left = self.buffer.get(self.used..).unwrap_or_default();
        let n = left.read(buf)?;
        self.used += n;
        Ok(n)
    }
}

impl<R: Read> RowLines for JsonArrays<R> {
    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.stopped.iter().map(StreamStop::text).collect();
        if self.left_out > 0 {
            problems.push(format!(
                "{}: larger than {} KiB, skipped",
                several(self.left_out, "value"),
                MAX_OBJECT / 1024
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

/// Name without quotes and escapes.
fn plain(name: &[u8]) -> String {
    let inner = name.get(1..name.len().saturating_sub(1));
    crate::text::json_scan::field_name(inner.unwrap_or_default())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
