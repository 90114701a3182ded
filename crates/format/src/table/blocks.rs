//! Records as blocks of `NAME=value` lines, separated by empty lines: journal export format, and the output of some
//! commands. A binary value is written as its length and its bytes, after a line with the name only.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

use super::RowLines;
use super::derived_lines::DerivedLines;
use widetui_core::jsontext::ObjectLine;
use widetui_core::words::several;
use widetui_source::head::{BomStripper, Extent, SourceHead};

/// Maximum size of a value, bytes; longer values are truncated.
const MAX_VALUE: usize = 256 * 1024;

/// Approximate maximum size of a record, bytes; further fields are dropped.
const MAX_RECORD: usize = 3 * MAX_VALUE;

/// Maximum number of fields of a record.
const MAX_FIELDS: usize = 4096;

/// Minimum number of fields of a record for detection.
const MIN_FIELDS: usize = 3;

/// Maximum number of blocks examined.
const MAX_BLOCKS: usize = 20;

/// Whether the first bytes of a file are such records: at least two, all starting with the same name.
pub(crate) fn detect(head: SourceHead<'_>) -> bool {
    let (head, extent) = (head.bytes(), head.extent());
    // Rejects most files.
    if !head.iter().take(64).any(|b| *b == b'=') {
        return false;
    }
    let mut blocks = Blocks::new(head);
    let mut first: Option<Vec<u8>> = None;
    let mut seen = 0;
    while seen < MAX_BLOCKS {
        let Ok(more) = blocks.next() else {
            return false;
        };
        if !more || blocks.invalid > 0 || blocks.truncated > 0 {
            break;
        }
        let fields = &blocks.fields;
        let is_alike = match (&first, fields.first()) {
            (Some(first), Some(field)) => *first == field.0,
            (None, Some(field)) => {
                first = Some(field.0.clone());
                fields.len() >= MIN_FIELDS
            }
            (_, None) => false,
        };
        if !is_alike {
            return false;
        }
        seen += 1;
    }
    // The last record may be truncated if the file goes on.
    let is_broken = blocks.invalid > 0 || blocks.truncated > 0;
    seen > 1 && (!is_broken || extent == Extent::Cut && blocks.ended)
}

/// Reader of the records of a stream, one at a time.
struct Blocks<R> {
    input: BufReader<BomStripper<R>>,
    /// Names and values of the current record.
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// Total size of its fields, bytes.
    bytes: usize,
    /// Number of lines that are not a field.
    invalid: usize,
    /// Number of values that were dropped, truncated, or cut off by the end of the file.
    truncated: usize,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    fn new(input: R) -> Blocks<R> {
        Blocks {
            input: BufReader::with_capacity(64 * 1024, BomStripper::new(input)),
            fields: Vec::new(),
            bytes: 0,
            invalid: 0,
            truncated: 0,
            ended: false,
        }
    }

    /// Reads the next record; false at the end of the stream.
    fn next(&mut self) -> io::Result<bool> {
        self.fields.clear();
        self.bytes = 0;
        loop {
            let Some(line) = self.line()? else {
                self.ended = true;
                return Ok(!self.fields.is_empty());
            };
            if line.is_empty() {
                if self.fields.is_empty() {
                    continue;
                }
                return Ok(true);
            }
            let mut parts = line.splitn(2, |b| *b == b'=');
            match (parts.next().unwrap_or_default(), parts.next()) {
                (name, Some(value)) if is_name(name) => {
                    self.push(name.to_vec(), value.to_vec());
                }
                (name, None) if is_name(name) => {
                    let value = self.bytes()?;
                    self.push(name.to_vec(), value);
                }
                _ => self.invalid += 1,
            }
        }
    }

    fn push(&mut self, name: Vec<u8>, value: Vec<u8>) {
        if self.fields.len() < MAX_FIELDS && self.bytes < MAX_RECORD {
            self.bytes += name.len() + value.len();
            self.fields.push((name, value));
        } else {
            self.truncated += 1;
        }
    }

    /// Next line without its end; the part beyond the maximum size is skipped.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        until_line_end(&mut self.input, MAX_VALUE, &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() == MAX_VALUE {
            self.truncated += 1;
            let mut rest = Vec::new();
            while until_line_end(&mut self.input, MAX_VALUE, &mut rest)?
                && rest.last() != Some(&b'\n')
            {
                rest.clear();
            }
        }
        Ok(Some(line))
    }

    /// Binary value: its length (8 bytes, little-endian) and its bytes.
    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut length = Vec::new();
        (&mut self.input).take(8).read_to_end(&mut length)?;
        let Ok(length) = <[u8; 8]>::try_from(length.as_slice()) else {
            self.truncated += 1;
            return Ok(Vec::new());
        };
        let length = u64::from_le_bytes(length);
        let mut value = Vec::new();
        let most = length.min(MAX_VALUE as u64);
        (&mut self.input).take(most).read_to_end(&mut value)?;
        if (value.len() as u64) < length {
            self.truncated += 1;
            let mut left = length - value.len() as u64;
            let mut sink = Vec::new();
            while left > 0 {
                sink.clear();
                let part = left.min(MAX_VALUE as u64);
                if (&mut self.input).take(part).read_to_end(&mut sink)? == 0 {
                    break;
                }
                left -= (sink.len() as u64).min(left);
            }
        }
        // Line end after the value.
        let mut end = Vec::new();
        until_line_end(&mut self.input, 1, &mut end)?;
        Ok(value)
    }
}

/// Appends the text up to the next line end to `line`, at most `most` bytes; false at the end of the stream.
fn until_line_end(input: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    let room = most.saturating_sub(line.len());
    Ok(input.take(room as u64).read_until(b'\n', line)? > 0)
}

/// Whether it is a field name: capital letters, digits and `_`.
fn is_name(name: &[u8]) -> bool {
    (1..=64).contains(&name.len())
        && !name.first().is_some_and(u8::is_ascii_digit)
        && (name.iter()).all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Blocks converted to JSON lines.
pub struct BlockLines<R> {
    blocks: Blocks<R>,
    derived: DerivedLines,
}

impl<R: Read> BlockLines<R> {
    /// JSON lines of the records of a stream.
    pub fn new(input: R) -> BlockLines<R> {
        BlockLines {
            blocks: Blocks::new(input),
            derived: DerivedLines::default(),
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.derived.clear();
        while self.derived.has_room() {
            if self.blocks.next()? {
                let is_cut = write(&mut self.derived.lines, &self.blocks.fields);
                self.blocks.truncated += usize::from(is_cut);
            } else {
                self.derived.end();
            }
        }
        Ok(())
    }
}

/// Writes one object; a name with several values becomes a list. Returns whether anything was dropped.
fn write(out: &mut Vec<u8>, fields: &[(Vec<u8>, Vec<u8>)]) -> bool {
    let mut out = ObjectLine::new(out, MAX_RECORD);
    let mut values: HashMap<&[u8], Vec<(usize, &[u8])>> = HashMap::new();
    for (at, (name, value)) in fields.iter().enumerate() {
        values.entry(name).or_default().push((at, value));
    }
    for (at, (name, value)) in fields.iter().enumerate() {
        let called = String::from_utf8_lossy(name);
        match values.get(name.as_slice()).map(Vec::as_slice) {
            Some(all @ [(first, _), _, ..]) if *first == at => {
                out.texts(&called, all.iter().map(|(_, value)| *value));
            }
            Some([_, _, ..]) => {}
            _ => out.text(&called, value),
        }
    }
    out.end()
}

impl<R: Read> Read for BlockLines<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.derived.is_read() {
            self.fill()?;
        }
        self.derived.copy_to(buf)
    }
}

impl<R: Read> RowLines for BlockLines<R> {
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.blocks.invalid > 0 {
            problems.push(format!(
                "{}: not NAME=value, skipped",
                several(self.blocks.invalid, "line")
            ));
        }
        if self.blocks.truncated > 0 {
            problems.push(format!(
                "{}: too long, too many, or incomplete at the end of the file; truncated or dropped",
                several(self.blocks.truncated, "value")
            ));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn read(bytes: &[u8]) -> (Vec<Value>, Vec<String>) {
        let mut lines = BlockLines::new(bytes);
        let mut out = String::new();
        lines.read_to_string(&mut out).unwrap();
        let rows = out.lines().map(|l| serde_json::from_str(l).unwrap());
        (rows.collect(), lines.problems())
    }

    const TWO: &[u8] = b"__CURSOR=a=1;b=2\nPRIORITY=6\nMESSAGE=hello = there\nTAG=x\nTAG=y\n\n__CURSOR=b\nPRIORITY=3\nMESSAGE\n\x07\0\0\0\0\0\0\0one\ntwo\nLAST=\n\n";

    #[test]
    fn blocks_become_objects() {
        assert!(detect(SourceHead::whole(TWO)));
        let want = json!([
            {"__CURSOR": "a=1;b=2", "PRIORITY": "6", "MESSAGE": "hello = there", "TAG": ["x", "y"]},
            {"__CURSOR": "b", "PRIORITY": "3", "MESSAGE": "one\ntwo", "LAST": ""},
        ]);
        assert_eq!(read(TWO), (want.as_array().unwrap().clone(), vec![]));
    }

    #[test]
    fn truncated_and_invalid_fields_are_reported() {
        for end in 20..TWO.len() {
            let (rows, _) = read(&TWO[..end]);
            assert!(!rows.is_empty() && rows.len() <= 2);
        }
        let (rows, problems) = read(b"A=1\nsomething else\nB\n\xff\xff\xff\xff\xff\xff\xff\x7fabc");
        assert_eq!(rows, [json!({"A": "1", "B": "abc"})]);
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn repeated_values_are_kept_as_others_are() {
        let long = "v".repeat(10_000);
        let text = format!("A=1\nTAG={long}\nTAG=y\n\n");
        let want = json!({"A": "1", "TAG": [long, "y"]});
        assert_eq!(read(text.as_bytes()), (vec![want], vec![]));
        // A megabyte of them is truncated, and the result is still an object.
        let field = format!("TAG={}\n", "\u{1}".repeat(1000));
        let text = format!("A=1\n{}B=2\n\nA=2\n\n", field.repeat(1000));
        let mut lines = Vec::new();
        BlockLines::new(text.as_bytes())
            .read_to_end(&mut lines)
            .unwrap();
        assert!(lines.len() < 1 << 20);
        let (rows, problems) = read(text.as_bytes());
        let tags = rows[0]["TAG"].as_array().unwrap();
        assert!(tags.last().unwrap().as_str().unwrap().contains("more"));
        assert_eq!((rows.len(), problems.len()), (2, 1));
    }

    #[test]
    fn other_files_are_none() {
        for text in [
            "",
            "A=1\nB=2\nC=3\n",
            "A=1\nB=2\nC=3\n\nD=1\nE=2\n",
            "a=1\nb=2\nc=3\n\na=1\nb=2\nc=3\n",
            "A=1\nB=2\nC=3\n\nA=1\nthis is a log\nC=3\n",
        ] {
            assert!(!detect(SourceHead::whole(text.as_bytes())), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_do(text in prop::collection::vec(prop_oneof![Just(b'A'), Just(b'='), Just(b'\n'), Just(0), any::<u8>()], 0..200)) {
            detect(SourceHead::whole(&text));
            read(&text);
        }
    }
}
