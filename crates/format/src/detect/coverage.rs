//! How much of a sample is read in some way: by a kind of source, by layouts that are known, by guessed ones.

use std::sync::Arc;

use crate::definitions::kinds::{Compiled, MESSAGE, SourceKind};
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::pattern::Spans;
use crate::record_form::RecordForm;
use crate::sample::{Sample, SampleForm};
use crate::text::colours::is_coloured;
use crate::text::json_scan::walk;

impl Compiled {
    /// How many records of a sample have the header fields that a kind wants.
    pub(crate) fn share(&self, kind: &SourceKind, sample: &Sample<'_>, form: SampleForm) -> usize {
        match form {
            SampleForm::Json => share_in(kind, &kind.json, sample),
            SampleForm::Lines => share_of(kind, &self.layouts_of(kind).layouts, sample),
        }
    }
}

impl Compiled {
    /// Whether half of the lines with a terminal's colours, read as they are, have some in their messages, or are no records.
    #[must_use]
    pub fn leaves_colours(&self, path: &str, sample: &Sample<'_>) -> bool {
        let layouts = match self.choose(path, sample).look {
            RecordForm::Lines(layouts) => layouts,
            RecordForm::Json(_) => return false,
        };
        let mut spans = Spans::new();
        let mut message = |line: &[u8]| {
            let mut found = layouts.iter().filter_map(|l| l.matches(line, &mut spans));
            found.next().map(|header| header.message)
        };
        let lines = sample.lines().iter().filter(|line| is_coloured(line));
        let (mut all, mut left) = (0, 0);
        for line in lines {
            all += 1;
            let is_read = message(line).is_some_and(|at| !is_coloured(&line[at..]));
            left += usize::from(!is_read);
        }
        left * 2 >= all
    }
}

/// The same of records in some layouts.
pub(crate) fn share_of(kind: &SourceKind, layouts: &[Arc<Layout>], sample: &Sample<'_>) -> usize {
    let mut spans = Spans::new();
    let fits = |line: &&&[u8]| {
        layouts.iter().any(|layout| {
            let Some(header) = layout.matches(line, &mut spans) else {
                return false;
            };
            kind.fits(|name| {
                let text = match name {
                    MESSAGE => &line[header.message..],
                    _ => &line[spans[layout.pattern.field(name)?].clone()],
                };
                std::str::from_utf8(text).ok()
            })
        })
    };
    sample.lines().iter().filter(fits).count()
}

/// The same of records in some dialects.
pub(crate) fn share_in(
    kind: &SourceKind,
    dialects: &[Arc<JsonSpec>],
    sample: &Sample<'_>,
) -> usize {
    let fits = |line: &&&[u8]| {
        dialects.iter().any(|spec| {
            let mut fields: Vec<(String, String)> = Vec::new();
            let mut scratch = Vec::new();
            let walked = walk(line, |key, raw| {
                let key = String::from_utf8_lossy(key).into_owned();
                let name = spec.rename.get(&key).cloned().unwrap_or(key);
                if kind.records.iter().any(|r| r.0 == name) {
                    let value = crate::text::json_scan::text(raw, &mut scratch);
                    fields.push((name, String::from_utf8_lossy(value).into_owned()));
                }
            });
            walked.is_some()
                && kind.fits(|name| fields.iter().find(|f| f.0 == name).map(|f| f.1.as_str()))
        })
    };
    sample.lines().iter().filter(fits).count()
}

/// Whether the first of some guessed layouts says more than known ones do of all lines that they read.
pub(crate) fn is_finer(guessed: &[Layout], known: &[Arc<Layout>], sample: &Sample<'_>) -> bool {
    let named = |layout: &Layout| {
        let fields = layout.pattern.fields.iter();
        fields.filter(|f| !f.name.is_empty()).count()
    };
    let read = covered(known, sample);
    let most = known.iter().map(|l| named(l)).max().unwrap_or(0);
    let first = guessed.first();
    read >= FEW && first.is_some_and(|fine| named(fine) > most && sample.count(fine) >= read)
}

/// Fewer lines tell nothing that a known layout does not.
const FEW: usize = 4;

/// How many lines are the first of a record in any of some layouts.
pub(crate) fn covered(layouts: &[Arc<Layout>], sample: &Sample<'_>) -> usize {
    let mut spans = Spans::new();
    let lines = sample.lines().iter();
    let is_first = |line: &&&[u8]| layouts.iter().any(|l| l.is_header(line, &mut spans));
    lines.filter(is_first).count()
}

/// One of so many lines of a file that may hold anything must be a record of a kind, for it to be one of that kind.
pub(crate) const SUCH: usize = 8;

/// How many lines of a source are those of a kind that is listed and not read; nothing when they are too few.
pub(crate) fn of_lines(kind: &SourceKind, sample: &Sample<'_>) -> usize {
    let fits = |line: &&&[u8]| {
        let text = String::from_utf8_lossy(line.trim_ascii());
        kind.fits(|_| Some(&text))
    };
    let count = sample.lines().iter().filter(fits).count();
    match count * SUCH >= sample.lines().len() {
        true => count,
        false => 0,
    }
}
