//! How much of a sample is read by a kind of source, by known layouts, and by guessed ones.

use std::sync::Arc;

use crate::definitions::kinds::{Compiled, MESSAGE, SourceKind};
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::pattern::{Spans, field_text};
use crate::record_form::RecordForm;
use crate::sample::{Sample, SampleForm};
use crate::text::colours::is_coloured;
use crate::text::json_scan::walk;

impl Compiled {
    /// Number of records in the sample whose header fields match the conditions of a kind.
    pub(crate) fn share(&self, kind: &SourceKind, sample: &Sample<'_>, form: SampleForm) -> usize {
        match form {
            SampleForm::Json => share_in_dialects(kind, &kind.json, sample),
            SampleForm::Lines => share_in_layouts(kind, &self.layouts_of(kind).layouts, sample),
        }
    }
}

impl Compiled {
    /// Whether, for at least half of the lines with terminal colours, reading them with their colours leaves colours in
    /// the message or finds no record.
    #[must_use]
    pub fn leaves_colours(&self, path: &str, sample: &Sample<'_>) -> bool {
        let layouts = match self.choose(path, sample).record_form {
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
            let is_read =
                message(line).is_some_and(|at| !is_coloured(line.get(at..).unwrap_or_default()));
            left += usize::from(!is_read);
        }
        left * 2 >= all
    }
}

/// As [`share`](Compiled::share), for records in some layouts.
pub(crate) fn share_in_layouts(
    kind: &SourceKind,
    layouts: &[Arc<Layout>],
    sample: &Sample<'_>,
) -> usize {
    let fits = |line: &&&[u8]| {
        layouts.iter().any(|layout| {
            let Some(header) = sample.header(layout, line) else {
                return false;
            };
            kind.fits(|name| {
                let text = match name {
                    MESSAGE => header.parts.message_of(line),
                    _ => field_text(line, &header.spans, layout.pattern.field(name)?),
                };
                std::str::from_utf8(text).ok()
            })
        })
    };
    sample.lines().iter().filter(fits).count()
}

/// As [`share`](Compiled::share), for records in some dialects.
pub(crate) fn share_in_dialects(
    kind: &SourceKind,
    dialects: &[Arc<JsonSpec>],
    sample: &Sample<'_>,
) -> usize {
    let fits = |line: &&&[u8]| {
        dialects.iter().any(|spec| {
            let mut fields: Vec<(String, String)> = Vec::new();
            let mut scratch = Vec::new();
            let walked = walk(line, |key, raw| {
                let name = spec.renamed(&String::from_utf8_lossy(key)).to_owned();
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

/// Whether the first guessed layout has more named fields than every known layout and reads at least as many lines.
pub(crate) fn is_finer(guessed: &[Layout], known: &[Arc<Layout>], sample: &Sample<'_>) -> bool {
    let named = |layout: &Layout| {
        let fields = layout.pattern.fields.iter();
        fields.filter(|f| !f.name.is_empty()).count()
    };
    let read = covered_lines(known, sample);
    let most = known.iter().map(|l| named(l)).max().unwrap_or(0);
    let first = guessed.first();
    read >= MIN_LINES && first.is_some_and(|fine| named(fine) > most && sample.count(fine) >= read)
}

/// Minimum number of lines read by a known layout before a guessed one can be preferred.
const MIN_LINES: usize = 4;

/// Number of lines that are the first of a record in any of some layouts.
pub(crate) fn covered_lines(layouts: &[Arc<Layout>], sample: &Sample<'_>) -> usize {
    let lines = sample.lines().iter();
    let is_first = |line: &&&[u8]| layouts.iter().any(|l| sample.header(l, line).is_some());
    lines.filter(is_first).count()
}

/// A file with arbitrary content is of a kind if at least one in this many lines is a record of it.
pub(crate) const MIN_SHARE: usize = 8;

/// Number of lines that match a kind that is listed but not read; 0 if they are too few.
pub(crate) fn attachment_lines(kind: &SourceKind, sample: &Sample<'_>) -> usize {
    let fits = |line: &&&[u8]| {
        let text = String::from_utf8_lossy(line.trim_ascii());
        kind.fits(|_| Some(&text))
    };
    let count = sample.lines().iter().filter(fits).count();
    match count * MIN_SHARE >= sample.lines().len() {
        true => count,
        false => 0,
    }
}
