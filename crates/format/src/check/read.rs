//! Reads one line as the loader would and returns its values; samples are checked against them.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::definitions::kinds::Compiled;
use crate::fields::{Fields, first_line};
use crate::json::reader::JsonReader;
use crate::messages::scope::Scope;
use crate::pattern::Spans;
use crate::reader::{Reader, Syntax};
use crate::record_form::RecordForm;
use crate::sample::Sample;
use crate::text::token;
use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::level::Level;
use widetui_source::head::SourceHead;
use widetui_time::time::format_datetime;

/// Line to be read, with its path or kind.
#[derive(Clone, Copy, Debug)]
pub struct LineToCheck<'a> {
    /// System that defines `kind`.
    pub system: &'a str,
    /// Path of the source; empty if unknown.
    pub path: &'a str,
    /// Kind of the source; used if there is no path.
    pub kind: Option<&'a str>,
    /// Record text, possibly of several lines.
    pub line: &'a str,
    /// Reference for times without a year or date, ns.
    pub reference: i64,
}

/// Line as it was read.
#[derive(Debug)]
pub struct SampleRead {
    /// Kind of source that was chosen.
    pub kind: Option<String>,
    /// System of the kind.
    pub system: Option<String>,
    /// Layout or dialect that reads the line.
    pub layout: Option<String>,
    fields: Fields,
    consts: Vec<(KeyId, Code)>,
    scope: Arc<Scope>,
}

impl LineToCheck<'_> {
    /// Reads the line.
    ///
    /// # Errors
    /// A message for the user if the kind does not exist, or records of the kind do not look like this line.
    pub fn read(&self, compiled: &Compiled, tables: &Arc<Catalog>) -> Result<SampleRead, String> {
        let interleaved = compiled.interleaved();
        let line = self.line.as_bytes();
        let lines = Sample::new(SourceHead::whole(line)).without_interleaved(&interleaved);
        let choice = match self.kind {
            Some(kind) if self.path.is_empty() => compiled
                .choose_kind(self.system, kind, &lines)
                .ok_or_else(|| {
                format!(
                    "the line does not match a record of the source '{kind}', or there is no such source"
                )
            })?,
            _ => compiled.choose(self.path, &lines),
        };
        let (first, _) = first_line(line);
        let mut spans = Spans::new();
        let interleaved_layout = interleaved
            .find(first, &mut spans)
            .map(|(layout, _)| layout);
        let (own, syntax) = match &choice.record_form {
            RecordForm::Lines(layouts) => {
                let mut fitting = layouts.iter();
                let layout = fitting.find(|l| l.is_header(first, &mut Spans::new()));
                let name = layout.map(|l| l.name.clone());
                (name, Syntax::Lines(layouts.clone()))
            }
            RecordForm::Json(spec) => {
                let reader = JsonReader::new(spec.clone(), 0);
                (Some(spec.name.clone()), Syntax::Json(Arc::new(reader)))
            }
        };
        let (layout, scope) = match interleaved_layout {
            Some(interleaved_layout) => (
                Some(interleaved_layout.layout.name.clone()),
                interleaved_layout.scope.clone(),
            ),
            None => (own, choice.scope.clone()),
        };
        let reader = Reader {
            id: 0,
            syntax,
            scope: choice.scope.clone(),
            interleaved: interleaved.clone(),
            local: true,
            reference: self.reference,
            local_offset: None,
            stray: Vec::new(),
        };
        Ok(SampleRead {
            kind: choice.kind.as_ref().map(|k| k.kind.to_string()),
            system: choice.kind.as_ref().map(|k| k.system.to_string()),
            layout,
            fields: reader.fields(line, tables),
            consts: choice.consts,
            scope,
        })
    }
}

impl SampleRead {
    /// Values of the record for a name: a key, `time`, `level`, `message` or `template`.
    pub fn values(&self, name: &str, tables: &Catalog) -> Vec<String> {
        match name {
            "time" => self
                .fields
                .time
                .map(|t| format_datetime(t.ns, 0, 9))
                .into_iter()
                .collect(),
            "level" => vec![self.fields.level.name().to_owned()],
            "message" => vec![self.fields.message.clone()],
            "template" => vec![template(self.fields.message.as_bytes(), &self.scope)],
            _ => {
                let Some(key) = tables.keys.find(name) else {
                    return Vec::new();
                };
                let pairs = self.fields.pairs.iter();
                let read: Vec<String> = pairs
                    .filter(|(k, _)| k.id == key.id)
                    .flat_map(|(_, values)| values.clone())
                    .collect();
                if !read.is_empty() {
                    return read;
                }
                let view = tables.keys.freeze();
                self.consts
                    .iter()
                    .filter(|c| c.0 == key.id)
                    .filter_map(|c| view.get(key.id)?.spelling(c.1))
                    .collect()
            }
        }
    }

    /// Level; `Unknown` if the record has none.
    pub fn level(&self) -> Level {
        self.fields.level
    }

    /// Names of its keys without repetition: keys of the record in its order, then keys of the path.
    pub fn keys(&self, tables: &Catalog) -> Vec<String> {
        let pairs = self
            .fields
            .pairs
            .iter()
            .map(|(key, _)| key.name.to_string());
        let consts = self
            .consts
            .iter()
            .filter_map(|(id, _)| tables.keys.by_id(*id));
        let mut out: Vec<String> = Vec::new();
        for name in pairs.chain(consts.map(|key| key.name.to_string())) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }
}

/// Template of a message.
fn template(message: &[u8], scope: &Scope) -> String {
    let (line, _) = first_line(message);
    let mut spans = Spans::new();
    let found = scope.find(line, &mut spans);
    if let Some(message) = found.and_then(|index| scope.messages().get(index)) {
        return message.pattern.template(line, &spans);
    }
    let mut variables = Vec::new();
    token::tokenize(line, &mut variables);
    token::template(&token::literals(line, &variables))
}
