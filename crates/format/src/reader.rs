//! Reads the records of one source: used by the loader, which fills columns, and to display single records.

use std::sync::Arc;

use widetui_core::ids::KeyId;
use widetui_core::level::Level;
use widetui_time::timeparse::{Stamp, StampZone};

use crate::catalog::Catalog;
use crate::fields::{Fields, first_line};
use crate::interleaved::{InterleavedLayout, InterleavedLayouts};
use crate::json::dialect::OriginalForm;
use crate::json::reader::JsonReader;
use crate::layout::{HeaderSpans, Layout};
use crate::messages::continuation_lines::{self, AHEAD};
use crate::messages::crash_heads;
use crate::messages::scope::Scope;
use crate::messages::trailing_keys;
use crate::pattern::Spans;

/// Syntax of the records of a source.
#[derive(Debug)]
pub enum Syntax {
    /// Text lines with their layouts, most frequent first. Without layouts, every line that is not indented is a record
    /// without a time.
    Lines(Vec<Arc<Layout>>),
    /// JSON objects, one per line.
    Json(Arc<JsonReader>),
}

/// Reader of one source, whatever its syntax. Cheap to share; used for loading and for display.
#[derive(Debug)]
pub struct Reader {
    /// Id, unique within a run.
    pub id: u32,
    /// Syntax of the records.
    pub syntax: Syntax,
    /// Messages that apply.
    pub scope: Arc<Scope>,
    /// Interleaved lines that may occur among its records.
    pub interleaved: Arc<InterleavedLayouts>,
    /// Whether its own times have no zone, or it has no times. Otherwise times without a zone in interleaved lines
    /// cannot be resolved.
    pub local: bool,
    /// Reference for times without a year or date, ns.
    pub reference: i64,
    /// Offset from UTC of times without a zone among times that state theirs, ns; `None` if the source has no evidence.
    pub local_offset: Option<i64>,
    /// Layouts of dated lines among JSON records.
    pub stray: Vec<Arc<Layout>>,
}

impl Reader {
    /// Form of the records, or for an export, their form before it.
    pub fn original_form(&self) -> OriginalForm {
        match &self.syntax {
            Syntax::Lines(_) => OriginalForm::Lines,
            Syntax::Json(json) if json.spec.original_form != OriginalForm::Fields => {
                json.spec.original_form
            }
            Syntax::Json(json) if json.spec.message.is_empty() => OriginalForm::Silent,
            Syntax::Json(_) => OriginalForm::Fields,
        }
    }

    /// Whether its records were written by widetui and have all their keys as fields.
    pub fn is_complete(&self) -> bool {
        matches!(&self.syntax, Syntax::Json(json) if json.spec.complete)
    }

    /// Reads one record.
    pub fn fields(&self, record: &[u8], tables: &Catalog) -> Fields {
        self.wanted_fields(record, tables, &|_| true)
    }

    /// Reads one record, if possible without the values of keys that are not wanted.
    pub fn wanted_fields(
        &self,
        record: &[u8],
        tables: &Catalog,
        is_wanted: &dyn Fn(KeyId) -> bool,
    ) -> Fields {
        let mut fields = self.written_fields(record, tables, is_wanted);
        for (key, values) in &mut fields.pairs {
            for value in values {
                *value = key.shown(std::mem::take(value).into()).into_owned();
            }
        }
        fields
    }

    /// Reads one record, with values as they are written.
    fn written_fields(
        &self,
        record: &[u8],
        tables: &Catalog,
        is_wanted: &dyn Fn(KeyId) -> bool,
    ) -> Fields {
        let (line, rest) = first_line(record);
        let mut spans = Spans::new();
        if let Some((interleaved_layout, mut header)) = self.interleaved_layout(line, &mut spans) {
            header.time = header.time.filter(|t| self.can_resolve(t));
            let header = Some((&*interleaved_layout.layout, header));
            return self.text_fields(
                header,
                &interleaved_layout.scope,
                (line, rest),
                &spans,
                tables,
            );
        }
        match &self.syntax {
            Syntax::Lines(layouts) => {
                let header = header(layouts, line, &mut spans);
                self.text_fields(header, &self.scope, (line, rest), &spans, tables)
            }
            Syntax::Json(reader) => match self.stray_header(line, &mut spans) {
                None => {
                    let context = (&*self.scope, self.reference);
                    reader.fields(line, context, tables, is_wanted)
                }
                header => self.text_fields(header, &self.scope, (line, rest), &spans, tables),
            },
        }
    }

    /// Layout and header of a dated line among JSON records.
    pub(crate) fn stray_header(
        &self,
        line: &[u8],
        spans: &mut Spans,
    ) -> Option<(&Layout, HeaderSpans)> {
        match self.stray.is_empty() || line.starts_with(b"{") {
            true => None,
            false => header(&self.stray, line, spans),
        }
    }

    /// Time with the date and the zone that the stamp leaves out.
    #[inline]
    pub(crate) fn resolved(&self, stamp: Stamp) -> Stamp {
        let near = match stamp.date && stamp.year {
            true => stamp,
            false => stamp.near(self.reference),
        };
        match self.local_offset {
            Some(offset) if stamp.zone == StampZone::Local => Stamp {
                ns: near.ns.saturating_sub(offset),
                zone: StampZone::Known,
                ..near
            },
            _ => near,
        }
    }

    /// Interleaved layout and header of a line that another program wrote into the source.
    pub fn interleaved_layout(
        &self,
        line: &[u8],
        spans: &mut Spans,
    ) -> Option<(&InterleavedLayout, HeaderSpans)> {
        let found = self.interleaved.find(line, spans)?;
        let is_own = found.0.starts_with_number()
            && match &self.syntax {
                Syntax::Lines(layouts) => header(layouts, line, &mut Spans::new()).is_some(),
                Syntax::Json(_) => true,
            };
        (!is_own).then_some(found)
    }

    /// Whether a time in an interleaved line can be resolved.
    pub(crate) fn can_resolve(&self, time: &Stamp) -> bool {
        self.local || self.local_offset.is_some() || time.zone != StampZone::Local
    }

    /// Message of a record.
    pub fn message(&self, record: &[u8]) -> String {
        let (line, rest) = first_line(record);
        let mut spans = Spans::new();
        if let Some((_, header)) = self.interleaved_layout(line, &mut spans) {
            let (first, rest) = message_lines(header.message_of(line), rest);
            return join_lines(first, rest);
        }
        match &self.syntax {
            Syntax::Lines(layouts) => {
                let header = header(layouts, line, &mut spans);
                let message = header.as_ref().map_or(line, |(_, h)| h.message_of(line));
                let layout = header.map(|(layout, _)| layout);
                let (_, first, rest) = message_without_level(layout, message, rest);
                join_lines(first, rest)
            }
            Syntax::Json(reader) => match self.stray_header(line, &mut spans) {
                None => reader.message(line),
                Some((_, header)) => String::from_utf8_lossy(header.message_of(line))
                    .trim_end()
                    .to_owned(),
            },
        }
    }

    /// Message of a record without the keys that the layout writes after the text of an exception.
    pub fn message_without_extras(&self, record: &[u8]) -> String {
        let mut message = self.message(record);
        let names = self.extras();
        if !names.is_empty() {
            let end = trailing_keys::without(&message, names).len();
            message.truncate(end);
        }
        message
    }

    /// Names of keys that follow the text of an exception, or did so before the record was exported.
    pub fn extras(&self) -> &[String] {
        match &self.syntax {
            Syntax::Lines(layouts) => {
                let mut all = layouts.iter().map(|layout| layout.extras.as_slice());
                all.find(|names| !names.is_empty()).unwrap_or_default()
            }
            Syntax::Json(json) => &json.spec.extras,
        }
    }

    fn text_fields(
        &self,
        header: Option<(&Layout, HeaderSpans)>,
        scope: &Scope,
        (line, rest): (&[u8], &[u8]),
        spans: &Spans,
        tables: &Catalog,
    ) -> Fields {
        let mut fields = Fields::default();
        let mut message = line;
        let mut structured = Vec::new();
        let layout = header.as_ref().map(|(layout, _)| *layout);
        if layout.is_none() && crash_heads::is_head(line) {
            fields.level = Level::Error;
        }
        if let Some((layout, header)) = header {
            message = header.message_of(line);
            structured = layout.structured(line, spans, &tables.keys);
            fields.time = header.time.map(|t| self.resolved(t));
            fields.level = layout.level_of(line, &header, spans);
            fields.pairs = layout
                .header_values(line, spans)
                .into_iter()
                .map(|(key, value)| (key, vec![value]))
                .collect();
        }
        let (level, message, following) = message_without_level(layout, message, rest);
        fields.level = level.unwrap_or(fields.level);
        // Continuation lines take precedence; the message only repeats their values.
        let is_own = std::ptr::eq(scope, &*self.scope);
        let patterns = scope.continuation_patterns(message, &mut Spans::new());
        let patterns = patterns.filter(|_| is_own);
        let from_lines =
            patterns.map_or_else(Vec::new, |f| continuation_lines::spelled(f, rest, |_| None));
        fields.pairs.extend(from_lines);
        // A key in the message takes precedence over structured data, whose keys no scope knows in advance.
        fields.pairs.extend(scope.read(message, tables));
        let data = structured
            .into_iter()
            .map(|(key, value)| (key, vec![value]));
        fields.pairs.extend(data);
        if fields.level == Level::Unknown {
            fields.level = scope.level(message).unwrap_or_default();
        }
        fields.message = join_lines(message, following);
        fields
    }
}

/// First layout of a source whose header the line has.
fn header<'a>(
    layouts: &'a [Arc<Layout>],
    line: &[u8],
    spans: &mut Spans,
) -> Option<(&'a Layout, HeaderSpans)> {
    let mut fitting = layouts.iter();
    fitting.find_map(|layout| Some((&**layout, layout.matches(line, spans)?)))
}

/// First line of a message, and the text after it. If the header stands alone on its line, the message starts on the
/// next line, unless that line has `continuation_lines::AHEAD` bytes or more, which a loader does not have available.
pub(crate) fn message_lines<'a>(message: &'a [u8], rest: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let ahead = rest.get(..AHEAD).unwrap_or(rest);
    let whole = rest.len() < AHEAD || memchr::memchr(b'\n', ahead).is_some();
    if message.trim_ascii_start().is_empty() && whole {
        let (first, following) = first_line(rest);
        if !first.trim_ascii_start().is_empty() {
            return (first, following);
        }
    }
    (message, rest)
}

/// As [`message_lines`], but removes a level prefix from a message on the line after its header and returns that level.
fn message_without_level<'a>(
    layout: Option<&Layout>,
    message: &'a [u8],
    rest: &'a [u8],
) -> (Option<Level>, &'a [u8], &'a [u8]) {
    let (first, following) = message_lines(message, rest);
    let is_below = message.trim_ascii_start().is_empty();
    match layout.filter(|_| is_below).and_then(|l| l.prefix_of(first)) {
        Some((level, len)) => (Some(level), first.get(len..).unwrap_or_default(), following),
        None => (None, first, following),
    }
}

/// Message of several lines as text, without the last line end. Line ends are normalised; a carriage return within a
/// line stays.
fn join_lines(first: &[u8], rest: &[u8]) -> String {
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    let mut out = String::from_utf8_lossy(first).into_owned();
    if !rest.is_empty() {
        let following = String::from_utf8_lossy(rest);
        for line in following.split('\n') {
            out.push('\n');
            out.push_str(line.strip_suffix('\r').unwrap_or(line));
        }
    }
    out
}
