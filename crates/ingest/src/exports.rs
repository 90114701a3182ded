//! Exports (`format::exported`): records are grouped by source, put in their original order, and read as separate
//! sources with the properties that the export states.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use rayon::Scope;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_definition::syntax::JOIN_SEPARATOR;
use widetui_format::exports::{self, ExportedRecord, JoinedKeys, LineOwner, SourceNote};
use widetui_format::load::lines::MAX_LINE;
use widetui_source::text::{Text, TextStream, read_range};
use widetui_store::SourceTrait;

use crate::fact_tables;
use crate::line_spool::SpooledLines;
use crate::load_context::LoadContext;
use crate::source_entries::{attach, not_kept};
use crate::stream_source::read_text;
use crate::table_source::Holder;

/// Record of a part: `at` is its position in the original source, `start` the byte of its line in the part's text.
struct RecordPosition {
    at: u64,
    start: u64,
}

/// Records of one source within an export.
struct Part {
    note: Option<SourceNote>,
    lines: SpooledLines,
    /// Positions of the records, in the order of the export.
    places: Vec<RecordPosition>,
}

impl Part {
    fn new(shared: &LoadContext) -> Part {
        Part {
            note: None,
            lines: SpooledLines::new(&shared.spool),
            places: Vec::new(),
        }
    }

    fn without_records(shared: &LoadContext, note: SourceNote) -> Part {
        Part {
            note: Some(note),
            ..Part::new(shared)
        }
    }

    /// Whether the export contains all records of the source.
    fn is_whole(&self) -> bool {
        let stated = self.note.as_ref().map(|note| note.records);
        stated.is_none_or(|stated| stated == Some(self.places.len() as u64))
    }
}

/// Syntax of the lines of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportSyntax<'c> {
    /// JSON lines.
    Lines,
    /// Rows of a typed table as JSON lines, of a whole run or of a part.
    // Builds without Parquet read no such table.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Columns {
        /// True if the table holds all records of the run.
        is_whole: bool,
        /// Keys by the names of their columns.
        keys: &'c BTreeMap<String, String>,
    },
}

/// Preparation of the rows of a typed table, before they are grouped by source.
#[derive(Clone, Copy)]
struct RowForm<'c> {
    keys: &'c BTreeMap<String, String>,
    given: JoinedKeys<'c>,
}

/// Reads an export and returns its problems.
pub(super) fn read<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    syntax: ExportSyntax<'_>,
    stream: impl Read,
) -> Vec<String> {
    // Values joined at export time are dropped, as the joins in force recompute them. Incomplete exports keep them.
    let join_names = shared.detector.join_names();
    // Exports of earlier versions have the names without the systems.
    let own_names: FxHashSet<&str> = { join_names.iter() }
        .filter_map(|name| Some(name.split_once(JOIN_SEPARATOR)?.1))
        .collect();
    let is_known = |join: &str| {
        join_names.contains(join) || own_names.contains(join) || fact_tables::is_name(join)
    };
    let given = |is_whole: bool| match is_whole {
        true => JoinedKeys::Remove(&is_known),
        false => JoinedKeys::Keep,
    };
    let of_rows = match syntax {
        ExportSyntax::Lines => None,
        ExportSyntax::Columns { is_whole, keys } => Some(RowForm {
            keys,
            given: given(is_whole),
        }),
    };
    let (mut parts, problems) = sorted(shared, of_rows, stream);
    let notes = parts.iter_mut().filter_map(|part| part.note.as_mut());
    let empty_parts = notes.flat_map(|note| std::mem::take(&mut note.empty_sources));
    let empty_parts: Vec<Part> = empty_parts
        .map(|note| Part::without_records(shared, note))
        .collect();
    parts.extend(empty_parts);
    parts.iter_mut().for_each(|part| part.lines.end());
    // Sources keep their original order of numbers, which decides the order of simultaneous records.
    parts.sort_by_key(|part| part.note.as_ref().map_or(u32::MAX, |note| note.number));
    attach(shared, holder.id, "export (its sources are listed)");
    let given = match of_rows {
        Some(form) => form.given,
        None => given(parts.iter().all(Part::is_whole)),
    };
    for part in parts {
        if shared.cancel.is_cancelled() {
            break;
        }
        read_part(scope, shared, holder, (part, syntax), given);
    }
    problems
}

/// Groups the lines of an export by source. `of_rows` is given for the rows of a typed table, which are stripped at once.
fn sorted(
    shared: &LoadContext,
    of_rows: Option<RowForm<'_>>,
    stream: impl Read,
) -> (Vec<Part>, Vec<String>) {
    let mut lines = BufReader::with_capacity(1 << 16, stream);
    let mut parts: Vec<Part> = Vec::new();
    let mut known: FxHashMap<Option<u32>, usize> = FxHashMap::default();
    let (mut line, mut stripped) = (Vec::new(), Vec::new());
    let mut problems = Vec::new();
    // A line that is no record belongs to the source of the previous record.
    let mut last = None;
    while !shared.cancel.is_cancelled() {
        line.clear();
        let read = (&mut lines).take(MAX_LINE as u64);
        match { read }.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                problems.push(format!("breaks off, read up to there: {error}"));
                break;
            }
        }
        line.pop_if(|last| *last == b'\n');
        line.pop_if(|last| *last == b'\r');
        if line.is_empty() {
            continue;
        }
        let mut record = ExportedRecord::parse(&line);
        if let (Some(form), Some(record)) = (of_rows, &mut record) {
            record.restore(form.keys);
        }
        let owner = record.as_ref().map(ExportedRecord::owner);
        let (number, note) = match owner {
            Some(LineOwner::Noted(note)) => (Some(note.number), Some(*note)),
            Some(LineOwner::Numbered(number)) => (Some(number), None),
            Some(LineOwner::Unknown) => (None, None),
            None => (last.unwrap_or_default(), None),
        };
        last = Some(number);
        // A second description of the same number starts another source: the file contains two exports.
        let is_new = |at: &usize| {
            let has_note = parts[*at].note.is_some();
            has_note && note.is_some()
        };
        let at = known.get(&number).copied().filter(|at| !is_new(at));
        let at = at.unwrap_or_else(|| {
            parts.push(Part::new(shared));
            known.insert(number, parts.len() - 1);
            parts.len() - 1
        });
        let part = &mut parts[at];
        if note.is_some() {
            part.note = note;
        }
        let before = part.places.last().map_or(0, |place| place.at);
        part.places.push(RecordPosition {
            at: record
                .as_ref()
                .and_then(ExportedRecord::place)
                .unwrap_or(before),
            start: part.lines.len(),
        });
        if let (Some(form), Some(record), Some(note)) = (of_rows, &mut record, &part.note) {
            record.strip(note, form.given);
            stripped.clear();
            record.write(&mut stripped);
            part.lines.push(&stripped);
        } else {
            part.lines.push(&line);
        }
        part.lines.push(b"\n");
    }
    (parts, problems)
}

/// Records of a source in their original order, without the properties of the source that the export repeats in each
/// record.
fn stripped(
    shared: &LoadContext,
    (part, syntax): (Part, ExportSyntax<'_>),
    note: &SourceNote,
    given: JoinedKeys<'_>,
) -> SpooledLines {
    let Part {
        mut places, lines, ..
    } = part;
    let is_stripped = syntax != ExportSyntax::Lines;
    if is_stripped && places.is_sorted_by_key(|place| place.at) {
        return lines;
    }
    let mut out = SpooledLines::new(&shared.spool);
    let mut stripped = Vec::new();
    let mut push = |line: &[u8]| {
        let record = (!is_stripped).then(|| ExportedRecord::parse(line));
        if let Some(mut record) = record.flatten() {
            record.strip(note, given);
            stripped.clear();
            record.write(&mut stripped);
            out.push(&stripped);
        } else {
            out.push(line);
        }
        out.push(b"\n");
    };
    let text: Arc<dyn Text> = lines.text.clone();
    if places.is_sorted_by_key(|place| place.at) {
        let mut lines = BufReader::with_capacity(1 << 16, TextStream::new(&*text, 0));
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
            line.pop_if(|last| *last == b'\n');
            push(&line);
            line.clear();
        }
    } else {
        let ends = places.iter().skip(1).map(|place| place.start);
        let ends: Vec<u64> = ends.chain([lines.len()]).collect();
        let ends: FxHashMap<u64, u64> = places.iter().map(|p| p.start).zip(ends).collect();
        places.sort_by_key(|place| place.at);
        for place in places {
            let end = ends.get(&place.start).map_or(place.start, |end| end - 1);
            let len = usize::try_from(end - place.start).unwrap_or(0);
            if let Ok(line) = read_range(&*text, place.start, len) {
                push(&line);
            }
        }
    }
    out.lost += lines.lost;
    out.end();
    out
}

fn read_part<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    (mut part, syntax): (Part, ExportSyntax<'_>),
    given: JoinedKeys<'_>,
) {
    let (id, mut note, lines) = match part.note.take() {
        Some(note) => {
            let path = note.path.trim_start_matches(['/', '.']).to_owned();
            let (id, _) = holder.exported(shared, &path);
            let lines = stripped(shared, (part, syntax), &note, given);
            (id, Some(note), lines)
        }
        None => {
            let (id, _) = holder.table(shared, "records");
            (id, None, part.lines)
        }
    };
    if let Some(note) = note.take_if(|note| note.is(exports::ATTACHED)) {
        return set_noted_properties(shared, id, note, given);
    }
    let lost = lines.lost;
    read_text(scope, shared, id, lines.text, |first| {
        let (detector, modified) = (&shared.detector, holder.modified);
        let exported = note.as_ref();
        let exported =
            exported.and_then(|note| detector.detect_exported(note, first.head(), modified));
        exported.unwrap_or_else(|| detector.detect_lines(holder.name, first.head(), modified))
    });
    if let Some(note) = note {
        set_noted_properties(shared, id, note, given);
    }
    not_kept(shared, id, lost);
}

/// Sets the properties of a source that the export states.
fn set_noted_properties(
    shared: &LoadContext,
    id: SourceId,
    note: SourceNote,
    given: JoinedKeys<'_>,
) {
    shared.change(id, |source| {
        let is = |what: &str| note.is(what);
        let stated = [
            (SourceTrait::Table, is(exports::TABLE)),
            (SourceTrait::Dump, is(exports::DUMP)),
            (SourceTrait::Synthetic, is(exports::MADE)),
            (
                SourceTrait::Facts,
                source.has_trait(SourceTrait::Facts) || is(exports::FACTS),
            ),
            (SourceTrait::UntimedLines, is(exports::UNTIMED_LINES)),
            (SourceTrait::Exported, matches!(given, JoinedKeys::Keep)),
        ];
        for (source_trait, is_so) in stated {
            source.traits.set(source_trait, is_so);
        }
        source.coarse = is(exports::COARSE);
        source.modified = note.modified;
        source.tag = note.tag;
        if !note.layout.is_empty() {
            source.layout = note.layout;
        }
        let problems = note.problems.into_iter().map(|p| Diagnostic {
            severity: match p.severity.as_str() {
                "error" => Severity::Error,
                "warning" => Severity::Warning,
                _ => Severity::Note,
            },
            path: source.path.clone(),
            offset: p.at,
            text: p.text,
            lines: p.lines,
        });
        source.problems = problems.collect();
    });
}
