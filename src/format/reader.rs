//! How the records of one source are read: by the loader into columns, and again one by one when they are shown.

use std::sync::Arc;

use crate::base::level::Level;
use crate::base::timeparse::Stamp;

use super::catalog::Catalog;
use super::json::JsonReader;
use super::keys::Key;
use super::layout::Layout;
use super::pattern::Spans;
use super::scope::Scope;

/// A record read on its own, without columns: the slow path, which the columns must agree with.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Its time as written.
    pub time: Option<Stamp>,
    /// Severity.
    pub level: Level,
    /// Its message, all lines.
    pub message: String,
    /// Keys with their spellings (several for a list), in the order of the record.
    pub pairs: Vec<(Arc<Key>, Vec<String>)>,
}

/// What the records of a source look like.
#[derive(Debug)]
pub enum Syntax {
    /// Text lines; the layouts that occur, the usual one first. Without any, every line that is not indented is a
    /// record without a time.
    Lines(Vec<Arc<Layout>>),
    /// One JSON object per line.
    Json(Arc<JsonReader>),
}

/// See the module's text.
#[derive(Debug)]
pub struct Reader {
    /// Unique among the readers of a run.
    pub id: u32,
    /// What records look like.
    pub syntax: Syntax,
    /// Which messages apply.
    pub scope: Arc<Scope>,
    /// Time near which times without year or date lie, ns.
    pub reference: i64,
}

impl Reader {
    /// Reads one record.
    pub fn fields(&self, record: &[u8], tables: &Catalog) -> Fields {
        match &self.syntax {
            Syntax::Lines(layouts) => self.line_fields(layouts, record, tables),
            Syntax::Json(reader) => {
                let (line, _) = first_line(record);
                reader.fields(line, &self.scope, self.reference, tables)
            }
        }
    }

    /// The message of a record only.
    pub fn message(&self, record: &[u8]) -> String {
        match &self.syntax {
            Syntax::Lines(layouts) => {
                let (line, rest) = first_line(record);
                let mut spans = Spans::new();
                let start = layouts
                    .iter()
                    .find_map(|l| l.matches(line, &mut spans))
                    .map_or(0, |h| h.message);
                join_lines(&line[start..], rest)
            }
            Syntax::Json(reader) => reader.message(first_line(record).0),
        }
    }

    fn line_fields(&self, layouts: &[Arc<Layout>], record: &[u8], tables: &Catalog) -> Fields {
        let (line, rest) = first_line(record);
        let mut spans = Spans::new();
        let mut fields = Fields::default();
        let mut start = 0;
        let mut structured = Vec::new();
        for layout in layouts {
            if let Some(header) = layout.matches(line, &mut spans) {
                start = header.message;
                structured = layout.structured(line, &spans, &tables.keys);
                fields.time = header.time.map(|t| t.near(self.reference));
                fields.level = layout.level_of(line, &header, &spans);
                fields.pairs = layout
                    .header_values(line, &spans)
                    .into_iter()
                    .map(|(key, value)| (key, vec![value]))
                    .collect();
                break;
            }
        }
        // What the message says of a key wins over structured data, which no scope knows beforehand.
        fields.pairs.extend(self.scope.read(&line[start..], tables));
        let data = structured
            .into_iter()
            .map(|(key, value)| (key, vec![value]));
        fields.pairs.extend(data);
        if fields.level == Level::Unknown {
            fields.level = self.scope.level(&line[start..]).unwrap_or_default();
        }
        fields.message = join_lines(&line[start..], rest);
        fields
    }
}

/// The first line without its end, and what follows it.
pub fn first_line(record: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', record).unwrap_or(record.len());
    let rest = record.get(end + 1..).unwrap_or_default();
    let line = &record[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// A message of several lines as text; the line end of the last one is cut off.
fn join_lines(first: &[u8], rest: &[u8]) -> String {
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    let mut out = String::from_utf8_lossy(first).into_owned();
    if !rest.is_empty() {
        out.push('\n');
        out.push_str(&String::from_utf8_lossy(rest));
    }
    out
}
