//! Records as blocks of `NAME=value` lines, an empty line between: what journals export, and what some commands print. A value
//! that is no line of text stands as its length and its bytes behind a line with its name alone.

use std::io::{self, BufRead, BufReader, Read};

use super::RowLines;
use super::made::Made;
use crate::base::jsontext::{ObjectLine, push_string};
use crate::source::head::{Extent, Head, Unmarked};

/// A value has at most this many bytes; what is more is cut.
const VALUE: u64 = 256 * 1024;

/// A record has at most this many fields.
const FIELDS: usize = 4096;

/// A record has at least this many fields, where it is to be told that there are records.
const FEW: usize = 3;

/// Blocks that are looked at.
const LOOK: usize = 20;

/// Whether the first bytes of a file are such records: two at least, all beginning with the same name.
pub fn look(head: Head<'_>) -> bool {
    let (head, extent) = (head.bytes(), head.extent());
    // Most files end here.
    if !head.iter().take(64).any(|b| *b == b'=') {
        return false;
    }
    let mut blocks = Blocks::new(head);
    let mut first: Option<Vec<u8>> = None;
    let mut seen = 0;
    while seen < LOOK {
        let Ok(more) = blocks.next() else {
            return false;
        };
        if !more || blocks.strange > 0 || blocks.cut > 0 {
            break;
        }
        let fields = &blocks.fields;
        let is_alike = match (&first, fields.first()) {
            (Some(first), Some(field)) => *first == field.0,
            (None, Some(field)) => {
                first = Some(field.0.clone());
                fields.len() >= FEW
            }
            (_, None) => false,
        };
        if !is_alike {
            return false;
        }
        seen += 1;
    }
    // The last one may be cut in a head that goes on.
    let is_broken = blocks.strange > 0 || blocks.cut > 0;
    seen > 1 && (!is_broken || extent == Extent::Cut && blocks.ended)
}

/// Records of a stream, one at a time.
struct Blocks<R> {
    input: BufReader<Unmarked<R>>,
    /// Names and values of the record.
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// Lines that are no field.
    strange: u64,
    /// Values that are too long, or end with the file.
    cut: u64,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    fn new(input: R) -> Blocks<R> {
        Blocks {
            input: BufReader::with_capacity(64 * 1024, Unmarked::new(input)),
            fields: Vec::new(),
            strange: 0,
            cut: 0,
            ended: false,
        }
    }

    /// Reads the next record; false at the end.
    fn next(&mut self) -> io::Result<bool> {
        self.fields.clear();
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
            match memchr::memchr(b'=', &line) {
                Some(at) if is_name(&line[..at]) => {
                    self.push(line[..at].to_vec(), line[at + 1..].to_vec());
                }
                None if is_name(&line) => {
                    let value = self.bytes()?;
                    self.push(line, value);
                }
                _ => self.strange += 1,
            }
        }
    }

    fn push(&mut self, name: Vec<u8>, value: Vec<u8>) {
        if self.fields.len() < FIELDS {
            self.fields.push((name, value));
        }
    }

    /// A line without its end; what is too long is read over.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        until_line_end(&mut self.input, VALUE, &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() as u64 == VALUE {
            self.cut += 1;
            let mut rest = Vec::new();
            while until_line_end(&mut self.input, VALUE, &mut rest)? && rest.last() != Some(&b'\n')
            {
                rest.clear();
            }
        }
        Ok(Some(line))
    }

    /// A value that is written as its length, 8 bytes with the lowest first, and its bytes.
    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut length = Vec::new();
        (&mut self.input).take(8).read_to_end(&mut length)?;
        let Ok(length) = <[u8; 8]>::try_from(length.as_slice()) else {
            self.cut += 1;
            return Ok(Vec::new());
        };
        let length = u64::from_le_bytes(length);
        let mut value = Vec::new();
        let most = length.min(VALUE);
        (&mut self.input).take(most).read_to_end(&mut value)?;
        if (value.len() as u64) < length {
            self.cut += 1;
            let mut left = length - value.len() as u64;
            let mut sink = Vec::new();
            while left > 0 {
                sink.clear();
                let part = left.min(VALUE);
                if (&mut self.input).take(part).read_to_end(&mut sink)? == 0 {
                    break;
                }
                left -= (sink.len() as u64).min(left);
            }
        }
        // The end of its line.
        let mut end = Vec::new();
        until_line_end(&mut self.input, 1, &mut end)?;
        Ok(value)
    }
}

/// Adds to `line` up to the end of a line, at most so many bytes; false when there is nothing more.
fn until_line_end(input: &mut impl BufRead, most: u64, line: &mut Vec<u8>) -> io::Result<bool> {
    let room = most.saturating_sub(line.len() as u64);
    Ok(input.take(room).read_until(b'\n', line)? > 0)
}

/// Whether it names a field: capital letters, digits and `_`.
fn is_name(name: &[u8]) -> bool {
    (1..=64).contains(&name.len())
        && !name[0].is_ascii_digit()
        && (name.iter()).all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Such records as lines of JSON.
pub struct BlockLines<R> {
    blocks: Blocks<R>,
    made: Made,
}

impl<R: Read> BlockLines<R> {
    /// The records of a stream.
    pub fn new(input: R) -> BlockLines<R> {
        BlockLines {
            blocks: Blocks::new(input),
            made: Made::default(),
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.made.clear();
        while self.made.has_room() {
            if self.blocks.next()? {
                write(&mut self.made.lines, &self.blocks.fields);
            } else {
                self.made.end();
            }
        }
        Ok(())
    }
}

/// One object: a name that stands several times has the list of its values.
fn write(out: &mut Vec<u8>, fields: &[(Vec<u8>, Vec<u8>)]) {
    let mut out = ObjectLine::new(out, 3 * VALUE as usize);
    for (at, (name, value)) in fields.iter().enumerate() {
        let same = |f: &&(Vec<u8>, Vec<u8>)| f.0 == *name;
        if fields[..at].iter().any(|f| f.0 == *name) {
            continue;
        }
        let called = String::from_utf8_lossy(name);
        let values: Vec<&(Vec<u8>, Vec<u8>)> = fields[at..].iter().filter(same).collect();
        if values.len() == 1 {
            out.text(&called, value);
            continue;
        }
        let mut list = vec![b'['];
        for (at, (_, value)) in values.into_iter().enumerate() {
            if at > 0 {
                list.push(b',');
            }
            push_string(&mut list, &value[..value.len().min(4096)]);
        }
        list.push(b']');
        out.bare(&called, &String::from_utf8_lossy(&list));
    }
    out.end();
}

impl<R: Read> Read for BlockLines<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.made.is_read() {
            self.fill()?;
        }
        Ok(self.made.give(buf))
    }
}

impl<R: Read> RowLines for BlockLines<R> {
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.blocks.strange > 0 {
            problems.push(format!(
                "{} line(s) are no NAME=value and left out",
                self.blocks.strange
            ));
        }
        if self.blocks.cut > 0 {
            problems.push(format!(
                "{} value(s) are too long, or end with the file, and are cut",
                self.blocks.cut
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
        assert!(look(Head::whole(TWO)));
        let want = json!([
            {"__CURSOR": "a=1;b=2", "PRIORITY": "6", "MESSAGE": "hello = there", "TAG": ["x", "y"]},
            {"__CURSOR": "b", "PRIORITY": "3", "MESSAGE": "one\ntwo", "LAST": ""},
        ]);
        assert_eq!(read(TWO), (want.as_array().unwrap().clone(), vec![]));
    }

    #[test]
    fn cut_and_strange_ones_are_told() {
        for end in 20..TWO.len() {
            let (rows, _) = read(&TWO[..end]);
            assert!(!rows.is_empty() && rows.len() <= 2);
        }
        let (rows, problems) = read(b"A=1\nsomething else\nB\n\xff\xff\xff\xff\xff\xff\xff\x7fabc");
        assert_eq!(rows, [json!({"A": "1", "B": "abc"})]);
        assert_eq!(problems.len(), 2);
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
            assert!(!look(Head::whole(text.as_bytes())), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_do(text in prop::collection::vec(prop_oneof![Just(b'A'), Just(b'='), Just(b'\n'), Just(0), any::<u8>()], 0..200)) {
            look(Head::whole(&text));
            read(&text);
        }
    }
}
