//! How the records of one source are read: by the loader into columns, and again one by one when they are shown.

use std::sync::Arc;

use widetui_core::level::Level;
use widetui_time::timeparse::{Stamp, StampZone};

use crate::catalog::Catalog;
use crate::fields::{Fields, first_line};
use crate::interleaved::{Guest, Guests};
use crate::json::dialect::Former;
use crate::json::reader::JsonReader;
use crate::layout::{HeaderSpans, Layout};
use crate::messages::continuation_lines::{self, AHEAD};
use crate::messages::crash_heads;
use crate::messages::scope::Scope;
use crate::messages::trailing_keys;
use crate::pattern::Spans;

/// What the records of a source look like.
#[derive(Debug)]
pub enum Syntax {
    /// Text lines; the layouts that occur, the usual one first. Without any, every line that is not indented is a
    /// record without a time.
    Lines(Vec<Arc<Layout>>),
    /// One JSON object per line.
    Json(Arc<JsonReader>),
}

/// How one source is read, whatever its syntax: cheap to share, the same for loading and for showing.
#[derive(Debug)]
pub struct Reader {
    /// Unique among the readers of a run.
    pub id: u32,
    /// What records look like.
    pub syntax: Syntax,
    /// Which messages apply.
    pub scope: Arc<Scope>,
    /// Lines of others that may stand amid its records.
    pub guests: Arc<Guests>,
    /// Whether its own times name no zone, or it has none: only then the times of others that name none can be told.
    pub local: bool,
    /// Time near which times without year or date lie, ns.
    pub reference: i64,
}

impl Reader {
    /// What the records look like or, of an export, looked like before they were exported.
    pub fn former(&self) -> Former {
        match &self.syntax {
            Syntax::Lines(_) => Former::Lines,
            Syntax::Json(json) if json.spec.former != Former::Fields => json.spec.former,
            Syntax::Json(json) if json.spec.message.is_empty() => Former::Silent,
            Syntax::Json(_) => Former::Fields,
        }
    }

    /// Whether its records are what widetui wrote: nothing is to be added to their keys.
    pub fn is_complete(&self) -> bool {
        matches!(&self.syntax, Syntax::Json(json) if json.spec.complete)
    }

    /// Reads one record.
    pub fn fields(&self, record: &[u8], tables: &Catalog) -> Fields {
        let (line, rest) = first_line(record);
        let mut spans = Spans::new();
        if let Some((guest, mut header)) = self.guest(line, &mut spans) {
            header.time = header.time.filter(|t| self.can_tell(t));
            let header = Some((&*guest.layout, header));
            return self.text_fields(header, &guest.scope, (line, rest), &spans, tables);
        }
        match &self.syntax {
            Syntax::Lines(layouts) => {
                let header = header(layouts, line, &mut spans);
                self.text_fields(header, &self.scope, (line, rest), &spans, tables)
            }
            Syntax::Json(reader) => reader.fields(line, &self.scope, self.reference, tables),
        }
    }

    /// Whose line it is, when somebody else wrote it into the source.
    pub fn guest(&self, line: &[u8], spans: &mut Spans) -> Option<(&Guest, HeaderSpans)> {
        let found = self.guests.of(line, spans)?;
        let is_own = found.0.is_late()
            && match &self.syntax {
                Syntax::Lines(layouts) => header(layouts, line, &mut Spans::new()).is_some(),
                Syntax::Json(_) => true,
            };
        (!is_own).then_some(found)
    }

    /// Whether a time that somebody else wrote into the source can be told.
    pub(crate) fn can_tell(&self, time: &Stamp) -> bool {
        self.local || time.zone != StampZone::Local
    }

    /// The message of a record only.
    pub fn message(&self, record: &[u8]) -> String {
        let (line, rest) = first_line(record);
        let mut spans = Spans::new();
        if let Some((_, header)) = self.guest(line, &mut spans) {
            let (first, rest) = said(&line[header.message..], rest);
            return join_lines(first, rest);
        }
        match &self.syntax {
            Syntax::Lines(layouts) => {
                let header = header(layouts, line, &mut spans);
                let start = header.as_ref().map_or(0, |(_, h)| h.message);
                let layout = header.map(|(layout, _)| layout);
                let (_, first, rest) = said_below(layout, &line[start..], rest);
                join_lines(first, rest)
            }
            Syntax::Json(reader) => reader.message(line),
        }
    }

    /// The message of a record as its program wrote it: without the keys that the layout puts behind the text of an exception.
    pub fn own_message(&self, record: &[u8]) -> String {
        let mut message = self.message(record);
        let names = self.extras();
        if !names.is_empty() {
            let end = trailing_keys::without(&message, names).len();
            message.truncate(end);
        }
        message
    }

    /// The names of keys that stand behind the text of an exception, or stood there before the record was exported.
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
        let mut start = 0;
        let mut structured = Vec::new();
        let layout = header.as_ref().map(|(layout, _)| *layout);
        if layout.is_none() && crash_heads::is_head(line) {
            fields.level = Level::Error;
        }
        if let Some((layout, header)) = header {
            start = header.message;
            structured = layout.structured(line, spans, &tables.keys);
            fields.time = header.time.map(|t| t.near(self.reference));
            fields.level = layout.level_of(line, &header, spans);
            fields.pairs = layout
                .header_values(line, spans)
                .into_iter()
                .map(|(key, value)| (key, vec![value]))
                .collect();
        }
        let (level, message, below) = said_below(layout, &line[start..], rest);
        fields.level = level.unwrap_or(fields.level);
        // What further lines say counts; the message only repeats it.
        let is_own = std::ptr::eq(scope, &*self.scope);
        let said = scope.further(message, &mut Spans::new());
        let said = said.filter(|_| is_own);
        let further =
            said.map_or_else(Vec::new, |f| continuation_lines::spelled(f, rest, |_| None));
        fields.pairs.extend(further);
        // What the message says of a key wins over structured data, which no scope knows beforehand.
        fields.pairs.extend(scope.read(message, tables));
        let data = structured
            .into_iter()
            .map(|(key, value)| (key, vec![value]));
        fields.pairs.extend(data);
        if fields.level == Level::Unknown {
            fields.level = scope.level(message).unwrap_or_default();
        }
        fields.message = join_lines(message, below);
        fields
    }
}

/// The first of a source's layouts whose header a line has.
fn header<'a>(
    layouts: &'a [Arc<Layout>],
    line: &[u8],
    spans: &mut Spans,
) -> Option<(&'a Layout, HeaderSpans)> {
    let mut fitting = layouts.iter();
    fitting.find_map(|layout| Some((&**layout, layout.matches(line, spans)?)))
}

/// The first line of a message, and what follows it: behind the header, or below a header that stands alone in its line.
/// Lines of `continuation_lines::AHEAD` bytes and more are none: a loader does not have them at hand.
pub(crate) fn said<'a>(message: &'a [u8], rest: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let ahead = &rest[..rest.len().min(AHEAD)];
    let whole = rest.len() < AHEAD || memchr::memchr(b'\n', ahead).is_some();
    if message.trim_ascii_start().is_empty() && whole {
        let (first, below) = first_line(rest);
        if !first.trim_ascii_start().is_empty() {
            return (first, below);
        }
    }
    (message, rest)
}

/// As [`said`], without what says the level of a message below its header; that level.
fn said_below<'a>(
    layout: Option<&Layout>,
    message: &'a [u8],
    rest: &'a [u8],
) -> (Option<Level>, &'a [u8], &'a [u8]) {
    let (first, below) = said(message, rest);
    let is_below = message.trim_ascii_start().is_empty();
    match layout.filter(|_| is_below).and_then(|l| l.prefix_of(first)) {
        Some((level, len)) => (Some(level), &first[len..], below),
        None => (None, first, below),
    }
}

/// A message of several lines as text; the line end of the last one is cut off. However lines end in the file, in a message
/// they end alike; a carriage return amid a line stays.
fn join_lines(first: &[u8], rest: &[u8]) -> String {
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    let mut out = String::from_utf8_lossy(first).into_owned();
    if !rest.is_empty() {
        let below = String::from_utf8_lossy(rest);
        for line in below.split('\n') {
            out.push('\n');
            out.push_str(line.strip_suffix('\r').unwrap_or(line));
        }
    }
    out
}
