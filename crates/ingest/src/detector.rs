//! Detection: classifies each source as an attachment, or as a log with a reader.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashSet;

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::lock;
use widetui_definition::json_dialect::Grammar;
use widetui_format::catalog::Catalog;
use widetui_format::definitions::kinds::{Compiled, RunsRule};
use widetui_format::definitions::systems::is_full_name;
use widetui_format::detect::choose::ReaderChoice;
use widetui_format::exports::{self, SourceNote};
use widetui_format::framing::Framing;
use widetui_format::json::dialect::JsonSpec;
use widetui_format::json::reader::JsonReader;
use widetui_format::layout::Layout;
use widetui_format::messages::scope::Scope;
use widetui_format::reader::{Reader, Syntax};
use widetui_format::record_form::RecordForm;
use widetui_format::sample::{DateGap, Sample, StampGaps};
use widetui_format::table::document::{self, DOCUMENT};
use widetui_format::table::inner::InnerList;
use widetui_format::table::json::JsonForm;
use widetui_format::table::tree::{self, DocumentSpec};
use widetui_format::table::{Dialect, TableSyntax};
use widetui_source::head::SourceHead;
use widetui_time::time::NS_PER_SECOND;
use widetui_time::timeparse::{StampZone, detect_within, meanings};
use widetui_time::zone::Zone;

use crate::options::STDIN;

/// Classification of a source.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// Attachment with its description: listed, not read.
    Attachment(String),
    /// Log with its reader.
    Log(Log),
    /// Table or document: its records are no lines.
    Rows(TableSyntax),
}

/// Owner of the records of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RecordOwner {
    /// The run.
    #[default]
    Run,
    /// Facts of the user: column names are keys.
    Facts,
}

/// Part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentPart {
    /// Array of objects.
    Array,
    /// Fields besides the arrays.
    Rest,
}

/// Whether a definition describes how rows are read.
fn is_described(choice: &ReaderChoice) -> bool {
    matches!(&choice.record_form, RecordForm::Json(spec) if is_full_name(&spec.name) || choice.kind.is_some())
}

/// Log with its reader and properties.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// Reader of its records.
    pub(crate) reader: Arc<Reader>,
    /// Name of the layout, for users.
    pub(crate) layout: String,
    /// System that claims it.
    pub(crate) system: Option<String>,
    /// Kind within the system.
    pub(crate) kind: String,
    /// Short name; empty without a definition.
    pub(crate) tag: String,
    /// Keys that the path states.
    pub(crate) consts: Vec<(KeyId, Code)>,
    /// Parts of times that its timestamps leave out.
    pub(crate) clock: StampGaps,
    /// Offsets of the local zone from UTC, s, that the texts of its records state, each with a time (UTC ns).
    pub(crate) zones: Vec<(i64, i32)>,
    /// Offset from UTC that its timestamps state, s.
    pub(crate) stated_offset: Option<i32>,
    /// Assumptions about its timestamps, for the user.
    pub(crate) notes: Vec<String>,
    /// Whether it is a snapshot of the past, written at once.
    pub(crate) is_dump: bool,
}

impl Log {
    /// True if records are read in the same way.
    pub(crate) fn reads_like(&self, other: &Log) -> bool {
        let is_same_syntax = match (&self.reader.syntax, &other.reader.syntax) {
            (Syntax::Lines(a), Syntax::Lines(b)) => addresses(a).eq(addresses(b)),
            (Syntax::Json(a), Syntax::Json(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let clock = |log: &Log| (log.clock.local, log.clock.coarse, log.clock.untimed_lines);
        is_same_syntax
            && self.reader.scope.id == other.reader.scope.id
            && (&self.kind, &self.system, &self.tag, &self.consts)
                == (&other.kind, &other.system, &other.tag, &other.consts)
            && clock(self) == clock(other)
    }
}

/// Note about an abbreviation of a zone with several meanings in the times of a log.
fn ambiguous_zone(layouts: &[Arc<Layout>], sample: &Sample<'_>) -> Option<String> {
    let times = sample.times_with_zones(layouts, "%Z");
    times.into_iter().find_map(|time| {
        let text = String::from_utf8_lossy(time).into_owned();
        let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
        words.find_map(|word| {
            let meanings = meanings(word)?;
            Some(format!(
                "the zone {word} of its times is read as {meanings}"
            ))
        })
    })
}

/// Maximum distance of the time from the start of a record, bytes.
const HEADER: usize = 64;

/// Readers in use, by their parts.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ReaderKey {
    scope: u32,
    /// Addresses of the layouts or the dialect, and of the layouts of stray lines.
    forms: Vec<usize>,
    clock: ReaderClock,
}

/// Completion of times that leave out parts; see [`Reader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ReaderClock {
    reference: i64,
    local: bool,
    local_offset: Option<i64>,
}

/// Addresses of layouts, which the readers keep alive.
fn addresses(layouts: &[Arc<Layout>]) -> impl Iterator<Item = usize> {
    layouts.iter().map(|layout| Arc::as_ptr(layout) as usize)
}

/// Note about the zone of the times that state none among times that do.
fn mixed_zones(offset: i64) -> String {
    let zone = Zone::Fixed((offset / NS_PER_SECOND) as i32);
    format!(
        "its times without a zone are read as UTC{zone}, by those beside them that state theirs"
    )
}

/// Detector: holds the definitions, and classifies sources by path and first bytes. Shared by all loader
/// threads.
#[derive(Debug)]
pub(crate) struct Detector {
    tables: Arc<Catalog>,
    compiled: Compiled,
    /// Paths that the user named explicitly: read whatever they contain.
    user_paths: Vec<String>,
    readers: Mutex<HashMap<ReaderKey, Arc<Reader>>>,
    json: Mutex<HashMap<usize, Arc<JsonReader>>>,
}

impl Detector {
    /// Detector with these definitions, for these paths of the user.
    pub(crate) fn new(
        tables: Arc<Catalog>,
        compiled: Compiled,
        user_paths: Vec<String>,
    ) -> Detector {
        Detector {
            tables,
            compiled,
            user_paths,
            readers: Mutex::default(),
            json: Mutex::default(),
        }
    }

    /// Rules that identify runs of systems that do not name them.
    pub(crate) fn runs_rules(&self) -> Vec<RunsRule> {
        self.compiled.runs_rules()
    }

    /// Nested lists in the rows of an array whose elements become rows.
    pub(crate) fn inner_lists(&self, array: &str) -> impl Iterator<Item = InnerList> + '_ {
        self.compiled.inner_lists(array)
    }

    /// Tree documents of the definitions.
    pub(crate) fn documents(&self) -> Vec<DocumentSpec> {
        self.compiled.documents().collect()
    }

    /// Names of the joins of the definitions in force.
    pub(crate) fn join_names(&self) -> FxHashSet<String> {
        self.compiled.join_names().collect()
    }

    /// Keys that alone identify a run.
    pub(crate) fn run_keys(&self) -> Vec<KeyId> {
        self.compiled.run_keys()
    }

    /// Keys by which records name a later run of their file, each with the key of paths for earlier ones.
    pub(crate) fn later_keys(&self) -> Vec<(KeyId, KeyId)> {
        self.compiled.later_run_keys()
    }

    /// Compiled definitions.
    pub(crate) fn definitions(&self) -> &Compiled {
        &self.compiled
    }

    /// Classifies a source by its path and first bytes. `modified` is the time of its last change, ns: times without a year or
    /// a date are placed near it.
    pub(crate) fn detect(&self, path: &str, head: SourceHead<'_>, modified: i64) -> Verdict {
        let sample = Sample::new(head).without_interleaved(&self.compiled.interleaved());
        if exports::is_export(sample.lines()) {
            return Verdict::Rows(TableSyntax::Exported);
        }
        if let Some(dialect) = Dialect::own(head) {
            return Verdict::Rows(TableSyntax::Csv(dialect));
        }
        if let Some(framing) = Framing::detect(sample.lines()) {
            if self.is_understood(path, framing, &sample) {
                return Verdict::Rows(TableSyntax::Framed(framing));
            }
            if let Some(stamped) = framing.of_stamped_records()
                && self.has_headers_alone(path, framing, &sample)
            {
                return Verdict::Rows(TableSyntax::Framed(stamped));
            }
        }
        if let Some(form) = tree::detect(path, head, || self.compiled.documents()) {
            return Verdict::Rows(TableSyntax::Tree(form));
        }
        let choice = match self.is_user_path(path) {
            true => self.compiled.choose_named(path, &sample),
            false => self.compiled.choose(path, &sample),
        };
        if let Some(what) = choice.attachment() {
            return Verdict::Attachment(what.to_owned());
        }
        let known = match &choice.record_form {
            RecordForm::Json(_) => choice.kind.is_some(),
            // Rows of a table may contain timestamps, as lines do.
            RecordForm::Lines(layouts) => {
                choice.kind.is_some() && !layouts.is_empty() && !TableSyntax::is_named(path)
            }
        };
        // A definition for the path takes precedence over the appearance of the first lines as a table.
        let rows = (!known).then(|| TableSyntax::detect(path, head)).flatten();
        let rows = rows.filter(|rows| *rows != TableSyntax::Columns || choice.kind.is_none());
        if let Some(TableSyntax::Csv(dialect)) = rows
            && choice.kind.is_none()
            && !self.is_user_path(path)
            && dialect.has_measurements(head)
        {
            return Verdict::Attachment("table of measurements".to_owned());
        }
        if let Some(rows) = rows {
            return Verdict::Rows(match rows {
                // An export object that spans many lines is read like one on a single line.
                TableSyntax::Json(JsonForm::Object) if self.compiled.is_export(head) => {
                    TableSyntax::Json(JsonForm::Sequence)
                }
                rows => rows,
            });
        }
        if matches!(&choice.record_form, RecordForm::Json(_))
            && choice.kind.is_none()
            && document::is_one_line(path, head)
            && !self.is_user_path(path)
            && !self.compiled.is_record(&sample)
        {
            return Verdict::Attachment(DOCUMENT.to_owned());
        }
        Verdict::Log(self.log(choice, &sample, modified))
    }

    /// Whether lines contain timestamps once their framing is removed.
    fn is_understood(&self, path: &str, framing: Framing, sample: &Sample<'_>) -> bool {
        // Definitions may have layouts that include colour codes, or two times: such logs are read as they are.
        let may_be_own = matches!(framing, Framing::Colours | Framing::OuterTime { .. });
        if may_be_own && self.is_known(path, sample) {
            return false;
        }
        if framing.is_host_log() {
            let lines = sample.lines().iter().filter_map(|l| framing.unframe(l));
            return lines.into_iter().any(|l| self.is_timed_record(&l.line));
        }
        let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
        for unframed in sample.lines().iter().filter_map(|l| framing.unframe(l)) {
            let sender = unframed.sender.as_deref().unwrap_or_default();
            let at = parts.iter().position(|p| p.0 == sender);
            let at = at.unwrap_or_else(|| {
                parts.push((sender.to_owned(), Vec::new()));
                parts.len() - 1
            });
            parts[at].1.extend_from_slice(&unframed.line);
            if !unframed.continues {
                parts[at].1.push(b'\n');
            }
        }
        // Guessed layouts accept colour codes before the message, but not within it.
        let is_needed =
            || framing != Framing::Colours || self.compiled.leaves_colours(path, sample);
        let has_time = |lines: &Vec<u8>| {
            let inner = Sample::new(SourceHead::whole(lines));
            let choice = self.compiled.choose(path, &inner);
            match &choice.record_form {
                RecordForm::Json(spec) => !spec.time.is_empty(),
                RecordForm::Lines(layouts) => {
                    (choice.kind.is_some() || is_needed())
                        && layouts.iter().any(|l| l.has_time() && inner.count(l) > 0)
                }
            }
        };
        parts.iter().any(|(_, lines)| has_time(lines)) || {
            // Records of known forms may have no time at all.
            let is_stamped = |line: &&[u8]| detect_within(line).is_some();
            let is_known = |lines: &[u8]| {
                let inner = Sample::new(SourceHead::whole(lines));
                let choice = self.compiled.choose(path, &inner);
                matches!(&choice.record_form, RecordForm::Lines(layouts)
                    if choice.kind.is_some() && layouts.iter().any(|l| inner.count(l) > 1))
            };
            framing.names_sender()
                && !sample.lines().iter().any(is_stamped)
                && parts.iter().any(|(_, lines)| is_known(lines))
        }
    }

    /// True if lines are records in a form of a definition whose headers have lines of their own and no time, once their
    /// framing is removed.
    fn has_headers_alone(&self, path: &str, framing: Framing, sample: &Sample<'_>) -> bool {
        let own = sample.lines().iter().filter_map(|l| framing.unframe(l));
        let lines: Vec<Vec<u8>> = own.map(|own| own.line.into_owned()).collect();
        let text = lines.join(&b'\n');
        let inner = Sample::new(SourceHead::whole(&text));
        let choice = self.compiled.choose(path, &inner);
        match &choice.record_form {
            RecordForm::Lines(layouts) => choice.kind.is_some() && inner.has_headers_alone(layouts),
            RecordForm::Json(_) => false,
        }
    }

    /// Whether a line is a record with a time of its own: in a layout of a definition, with a date in any other, or a JSON
    /// object with a time.
    pub(crate) fn is_timed_record(&self, line: &[u8]) -> bool {
        if !line.iter().take(HEADER).any(u8::is_ascii_digit) {
            return false;
        }
        let sample = Sample::new(SourceHead::whole(line));
        let choice = self.compiled.choose("", &sample);
        let is_record = |layout: &Arc<Layout>| {
            let time = layout.time_of(line);
            time.is_some_and(|time| time.date || choice.kind.is_some())
        };
        match &choice.record_form {
            RecordForm::Lines(layouts) => layouts.iter().any(is_record),
            RecordForm::Json(spec) => !spec.time.is_empty(),
        }
    }

    /// Whether a definition has a layout that matches the lines of a source, framing included.
    fn is_known(&self, path: &str, sample: &Sample<'_>) -> bool {
        let choice = self.compiled.choose(path, sample);
        let Some(kind) = choice.kind else {
            return false;
        };
        let is_its = |l: &Arc<Layout>| {
            self.compiled.declares_layout(&kind, l) && l.has_time() && sample.count(l) > 0
        };
        matches!(&choice.record_form, RecordForm::Lines(layouts) if layouts.iter().any(is_its))
    }

    /// Chooses the reader for lines, without detecting framing.
    pub(crate) fn detect_lines(&self, path: &str, head: SourceHead<'_>, modified: i64) -> Log {
        let sample = Sample::new(head).without_interleaved(&self.compiled.interleaved());
        let choice = self.compiled.choose(path, &sample);
        self.log(choice, &sample, modified)
    }

    /// Reader of the records of a source in an export; `None` if no definition describes it.
    pub(crate) fn detect_exported(
        &self,
        note: &SourceNote,
        head: SourceHead<'_>,
        modified: i64,
    ) -> Option<Log> {
        let choice = self
            .compiled
            .choose_exported(&note.writer, (note.original_form(), &note.extras))?;
        let keys = note.keys.iter();
        let consts = keys.filter_map(|(name, value)| self.constant(name, value));
        Some(Log {
            system: note.system.clone(),
            kind: note.kind.clone(),
            tag: note.tag.clone(),
            consts: consts.collect(),
            is_dump: false,
            ..self.log(choice, &Sample::new(head), modified)
        })
    }

    /// Key and value that all records of a source take from its framing.
    pub(crate) fn constant(&self, name: &str, value: &str) -> Option<(KeyId, Code)> {
        let key = self.tables.keys.get(name)?;
        Some((key.id, key.code(value)))
    }

    /// Whether the user named this path, or it is the only one.
    fn is_user_path(&self, path: &str) -> bool {
        path == STDIN || self.user_paths.iter().any(|named| named == path)
    }

    /// Whether a part of a document holds records: the rows of an array, or its other fields. `document` is
    /// the path of the file, `path` that of the part.
    pub(crate) fn is_for_reading(
        &self,
        (document, origin): (&str, RecordOwner),
        path: &str,
        head: SourceHead<'_>,
        part: DocumentPart,
    ) -> bool {
        if origin == RecordOwner::Facts || self.is_user_path(document) {
            return true;
        }
        let sample = Sample::new(head);
        let choice = self.compiled.choose(path, &sample);
        is_described(&choice)
            || match part {
                DocumentPart::Array => self.compiled.are_records(&sample, head.extent()),
                DocumentPart::Rest => self.compiled.is_record(&sample),
            }
    }

    /// Reader of rows as JSON lines; `of` is their syntax (`None` for rows of a database) and their owner.
    pub(crate) fn detect_rows(
        &self,
        path: &str,
        head: SourceHead<'_>,
        modified: i64,
        (rows, origin): (Option<TableSyntax>, RecordOwner),
    ) -> Log {
        let sample = Sample::new(head).without_interleaved(&self.compiled.interleaved());
        let mut choice = match origin {
            RecordOwner::Run => self.compiled.choose(path, &sample),
            RecordOwner::Facts => self.compiled.choose_facts(),
        };
        let described = is_described(&choice);
        if !described {
            choice.record_form = RecordForm::Json(self.compiled.table_dialect(&sample));
        }
        let mut log = self.log(choice, &sample, modified);
        if !described {
            rows.map_or("table", TableSyntax::name)
                .clone_into(&mut log.layout);
        }
        log.is_dump |= rows.is_some_and(|rows| !rows.grows());
        if origin == RecordOwner::Facts {
            log.system = Some("facts".to_owned());
            "facts".clone_into(&mut log.kind);
        }
        log
    }

    fn log(&self, choice: ReaderChoice, sample: &Sample<'_>, modified: i64) -> Log {
        let (reader, layout, clock) = match &choice.record_form {
            RecordForm::Json(spec) => self.json_reader(spec, &choice.scope, sample, modified),
            RecordForm::Lines(layouts) => {
                self.line_reader(layouts.clone(), &choice.scope, sample, modified)
            }
        };
        let kind = choice.kind.as_ref();
        let layouts: &[Arc<Layout>] = match &choice.record_form {
            RecordForm::Json(_) => &[],
            RecordForm::Lines(layouts) => layouts,
        };
        let mixed = reader.local_offset.filter(|_| clock.is_mixed);
        let notes = ambiguous_zone(layouts, sample).into_iter();
        Log {
            zones: match clock.local {
                true => sample.zone_witnesses(layouts),
                false => Vec::new(),
            },
            stated_offset: match &choice.record_form {
                _ if clock.local => None,
                RecordForm::Json(spec) => sample.stated_offset_of_fields(spec),
                RecordForm::Lines(layouts) => sample.stated_offset(layouts),
            },
            notes: notes.chain(mixed.map(mixed_zones)).collect(),
            reader,
            layout,
            system: kind.map(|k| k.system.to_string()),
            kind: kind.map(|k| k.kind.to_string()).unwrap_or_default(),
            tag: choice.tag,
            consts: choice.consts,
            clock,
            is_dump: kind.is_some_and(|k| k.is_dump),
        }
    }

    fn line_reader(
        &self,
        layouts: Vec<Arc<Layout>>,
        scope: &Arc<Scope>,
        sample: &Sample<'_>,
        modified: i64,
    ) -> (Arc<Reader>, String, StampGaps) {
        let usual = sample.most_frequent(&layouts);
        let name = match layouts.get(usual.unwrap_or(0)) {
            Some(layout) => layout.name.clone(),
            None => "text".to_owned(),
        };
        let clocks = layouts.iter().map(|l| sample.layout_stamp_gaps(l));
        let clocks: Vec<Option<StampGaps>> = clocks.collect();
        let usual = usual.and_then(|at| clocks[at]).unwrap_or_default();
        let clocks: Vec<StampGaps> = clocks.into_iter().flatten().collect();
        let states_year = || layouts.iter().any(|layout| sample.states_year(layout));
        let gap = match usual.gap {
            DateGap::Year if states_year() => DateGap::None,
            gap => gap,
        };
        // A single layout with fine timestamps suffices for the order of records.
        let coarse = !clocks.is_empty() && clocks.iter().all(|c| c.coarse);
        // Some layouts read times with a zone and without.
        let times = match layouts.iter().filter(|l| l.has_time()).count() {
            0 => Vec::new(),
            1 if layouts.iter().all(|l| !l.has_optional_zone()) => Vec::new(),
            _ => sample.times_of_lines(&layouts),
        };
        let has = |zone: StampZone| times.iter().any(|(time, _)| time.zone == zone);
        let is_mixed = has(StampZone::Local) && has(StampZone::Known);
        let among = || sample.offset_among(&times);
        let stated = || sample.stated_offset(&layouts);
        let mut offset = is_mixed.then(among).flatten();
        let local = offset.is_none() && (usual.local || layouts.iter().all(|l| !l.has_time()));
        // A time that was torn off before its zone is in that of the others.
        if !local {
            offset = offset.or_else(stated);
        }
        let forms = addresses(&layouts).collect();
        // Timestamps with a year do not depend on the modification time: such sources share one reader.
        let partial = clocks.iter().any(|c| c.partial);
        let mut near = layouts
            .iter()
            .filter_map(|l| sample.reference_time(l, modified));
        let reference = match partial {
            false => 0,
            true => near.next().unwrap_or(modified),
        };
        let key = ReaderKey {
            scope: scope.id,
            forms,
            clock: ReaderClock {
                reference,
                local,
                local_offset: offset.map(|offset| i64::from(offset) * NS_PER_SECOND),
            },
        };
        let syntax = || (Syntax::Lines(layouts.clone()), Vec::new());
        let reader = self.reader(key, syntax, scope);
        let clock = StampGaps {
            coarse,
            gap,
            partial,
            // Timestamps of other programs may occur in text without timestamps of its own.
            local,
            is_mixed,
            untimed_lines: sample.has_untimed_lines(&layouts),
        };
        (reader, name, clock)
    }

    fn json_reader(
        &self,
        spec: &Arc<JsonSpec>,
        scope: &Arc<Scope>,
        sample: &Sample<'_>,
        modified: i64,
    ) -> (Arc<Reader>, String, StampGaps) {
        let address = Arc::as_ptr(spec) as usize;
        let json = {
            let mut known = lock::hold(&self.json);
            let id = known.len() as u32;
            // The reader keeps the dialect alive, so no other dialect can have this address.
            let reader = known.entry(address).or_insert_with(|| {
                let spec = spec.clone();
                Arc::new(JsonReader::new(spec, id))
            });
            reader.clone()
        };
        let clock = StampGaps {
            untimed_lines: sample.has_untimed_records(spec),
            ..sample
                .json_stamp_gaps(&json, &self.tables)
                .unwrap_or_default()
        };
        let name = if spec.name.is_empty() {
            "json".to_owned()
        } else {
            spec.name.clone()
        };
        let reference = if clock.partial { modified } else { 0 };
        let stray = match spec.grammar {
            Grammar::Json => self.compiled.stray_layouts(sample),
            Grammar::Logfmt => Vec::new(),
        };
        let among = || sample.offset_among(&sample.times_of_objects(&json, &stray, &self.tables));
        let offset = match clock.local || stray.is_empty() {
            true => None,
            false => among(),
        };
        let clock = StampGaps {
            is_mixed: offset.is_some(),
            ..clock
        };
        let key = ReaderKey {
            scope: scope.id,
            forms: [address].into_iter().chain(addresses(&stray)).collect(),
            clock: ReaderClock {
                reference,
                local: clock.local,
                local_offset: offset.map(|offset| i64::from(offset) * NS_PER_SECOND),
            },
        };
        let reader = self.reader(key, || (Syntax::Json(json), stray), scope);
        (reader, name, clock)
    }

    /// Reader with these parts; `syntax` returns the syntax of its records and the layouts of stray lines.
    fn reader(
        &self,
        key: ReaderKey,
        syntax: impl FnOnce() -> (Syntax, Vec<Arc<Layout>>),
        scope: &Arc<Scope>,
    ) -> Arc<Reader> {
        let clock = key.clock;
        let make = |id: u32| {
            let (syntax, stray) = syntax();
            Arc::new(Reader {
                id,
                syntax,
                scope: scope.clone(),
                interleaved: self.compiled.interleaved(),
                local: clock.local,
                reference: clock.reference,
                local_offset: clock.local_offset,
                stray,
            })
        };
        let mut readers = lock::hold(&self.readers);
        let next = readers.len() as u32;
        readers.entry(key).or_insert_with(|| make(next)).clone()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use widetui_format::definitions::systems::Systems;
    use widetui_format::messages::scope::Mining;

    #[test]
    fn a_dialect_that_nobody_else_holds_stays_apart_from_the_next_one() {
        let tables = Arc::new(Catalog::default());
        let compiled = Systems::builtin().compile(&tables);
        let detector = Detector::new(tables, compiled, Vec::new());
        let scope = Arc::new(Scope::new(0, Vec::new(), Mining::Off));
        let sample = Sample::new(SourceHead::whole(b"{}"));
        for name in ["a", "b", "c"] {
            let spec = Arc::new(JsonSpec {
                name: name.to_owned(),
                ..JsonSpec::default()
            });
            let (reader, told, _) = detector.json_reader(&spec, &scope, &sample, 0);
            let Syntax::Json(json) = &reader.syntax else {
                panic!("reads no JSON");
            };
            assert_eq!((told.as_str(), json.spec.name.as_str()), (name, name));
        }
    }
}
