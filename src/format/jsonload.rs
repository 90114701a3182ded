//! JSON lines into records, at speed: a record with the same fields as the one before costs no look-up of names.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::bytes::equal;
use crate::base::dict::Code;
use crate::base::ids::{ContextId, KeyId};
use crate::base::level::Level;
use crate::base::time::NO_TIME;

use super::catalog::{Catalog, Site};
use super::encode::Encoder;
use super::explode::{self, RecordPath};
use super::form::Form;
use super::further::{self, FurtherLine, Said};
use super::guests::{Asked, GuestCache};
use super::json::{JsonReader, level_of, text, time_of};
use super::jsoncells::FieldCells;
use super::jsonforms::{Formed, Forms};
use super::jsonscan::Raw;
use super::jsontemplates::TemplateNames;
use super::lines::{Chunk, looked_at, plain_record};
use super::pattern::Spans;
use super::reader::{Reader, first_line};
use super::scope::Scope;
use super::shapes::{Cells, Message, ShapeCache};
use super::sink::{Head, RecordSink};
use super::writers::Writers;

/// One loader thread's caches for one JSON reader.
#[derive(Default)]
pub struct JsonCache {
    forms: Forms,
    /// Where the values of the line at hand are.
    spans: Vec<Range<usize>>,
    /// Where the fields of a pattern are.
    fields: Spans,
    sites: FxHashMap<(u32, Level), Arc<Site>>,
    shapes: ShapeCache,
    cells: Cells,
    own: Cells,
    names: TemplateNames,
    writers: Writers,
    scratch: Vec<u8>,
    message: Vec<u8>,
    guests: GuestCache,
}

/// Reads JSON lines for one thread.
pub struct JsonLoader<'a> {
    /// Keys, templates, contexts.
    pub tables: &'a Catalog,
    /// This thread's dictionaries.
    pub encoder: &'a mut Encoder,
    /// This thread's caches for `reader`.
    pub cache: &'a mut JsonCache,
    /// How the records of the source look.
    pub reader: &'a Reader,
    /// The dialect.
    pub json: &'a JsonReader,
}

/// Where a record stands.
#[derive(Clone, Copy)]
struct Place {
    /// Byte of the source at which it starts.
    offset: u64,
    /// What is said around it.
    context: Option<ContextId>,
}

impl JsonLoader<'_> {
    /// Reads all lines of a chunk; a line that is no JSON object is a record without a time, and counted.
    pub fn load<'t>(&mut self, chunk: Chunk<'t>, sink: &mut impl RecordSink) {
        let text = chunk.text;
        let mut values: Vec<Raw<'t>> = Vec::with_capacity(64);
        let mut pos = 0;
        while pos < text.len() {
            let end = memchr::memchr(b'\n', &text[pos..]).map_or(text.len(), |n| pos + n);
            let line = &text[pos..end];
            let line = looked_at(line.strip_suffix(b"\r").unwrap_or(line));
            let offset = chunk.offset + pos as u64;
            pos = end + 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let with = (self.tables, &mut *self.encoder);
            let place = (offset, self.reader);
            if self
                .cache
                .guests
                .record(with, line, place, Asked::First, sink)
            {
                continue;
            }
            match &self.json.spec.records {
                None => {
                    let context = None;
                    self.object(line, Place { offset, context }, &mut values, sink);
                }
                Some(path) => self.records(path, line, offset, &mut values, sink),
            }
        }
    }

    /// The records in a line that holds many.
    fn records<'t>(
        &mut self,
        path: &RecordPath,
        line: &'t [u8],
        offset: u64,
        values: &mut Vec<Raw<'t>>,
        sink: &mut impl RecordSink,
    ) {
        let mut around: Vec<(usize, Vec<(KeyId, Code)>)> = Vec::new();
        let mut context = None;
        let mut count = 0;
        let whole = path.walk(line, &mut |found| {
            match found {
                explode::PathMatch::Around(depth, range) => {
                    around.retain(|(d, _)| *d > depth);
                    around.push((depth, self.json.around(&line[range], self.tables)));
                    let mut all: Vec<(KeyId, Code)> = Vec::new();
                    // What stands nearest to the record counts.
                    for (key, code) in around.iter().rev().flat_map(|(_, v)| v) {
                        if all.iter().all(|(k, _)| k != key) {
                            all.push((*key, *code));
                        }
                    }
                    context = (!all.is_empty()).then(|| self.tables.context(&all));
                }
                explode::PathMatch::Record(range) => {
                    // The first one has the start of the line.
                    let at = if count == 0 { 0 } else { range.start as u64 };
                    let offset = offset + at;
                    self.object(&line[range], Place { offset, context }, values, sink);
                    count += 1;
                }
            }
            true
        });
        if whole.is_none() {
            sink.unreadable(offset);
            if count == 0 {
                self.plain(line, offset, sink);
            }
        } else if count == 0 && !path.is_in(line) {
            // Records of another kind, amid those of this one: they are told, and kept as one.
            sink.unreadable(offset);
            let context = None;
            self.object(line, Place { offset, context }, values, sink);
        }
    }

    fn object<'t>(
        &mut self,
        line: &'t [u8],
        place: Place,
        values: &mut Vec<Raw<'t>>,
        sink: &mut impl RecordSink,
    ) {
        match self.form(line, values) {
            Some(Formed::Kept(at)) => {
                if let Some(form) = self.cache.forms.take(at) {
                    self.record(&form, values, place, sink);
                    self.cache.forms.give(at, form);
                }
            }
            Some(Formed::Own(form)) => self.record(&form, values, place, sink),
            None => {
                sink.unreadable(place.offset);
                self.plain(line, place.offset, sink);
            }
        }
    }

    /// The form of a line; fills its values. `None` when it is no JSON object.
    #[inline]
    fn form<'t>(&mut self, line: &'t [u8], values: &mut Vec<Raw<'t>>) -> Option<Formed> {
        let spec = &self.json.spec;
        let JsonCache { forms, spans, .. } = &mut *self.cache;
        if let Some(foretold) = forms.foretold(line, values) {
            return Some(foretold);
        }
        if !spec.has_gaps()
            && let Some(same) = forms.same(|fields| {
                values.clear();
                let mut same = true;
                let walked = spec.walk(line, |key, raw| {
                    same &= fields.get(values.len()).is_some_and(|f| equal(f, key));
                    values.push(raw);
                });
                walked.is_some() && same && values.len() == fields.len()
            })
        {
            return Some(same);
        }
        values.clear();
        spans.clear();
        forms.begin();
        spec.walk_at(line, |key, raw, span| {
            forms.name(key);
            values.push(raw);
            spans.extend(span);
        })?;
        let form = match forms.known() {
            Some(known) => known,
            None => {
                let mut fields: Vec<Box<[u8]>> = Vec::with_capacity(values.len());
                spec.walk(line, |key, _| fields.push(key.into()))?;
                forms.add(self.json, self.tables, fields)
            }
        };
        if spans.len() == values.len() {
            forms.note(&form, line, values, spans);
        }
        Some(form)
    }

    fn record(
        &mut self,
        form: &Form,
        values: &[Raw<'_>],
        place: Place,
        sink: &mut impl RecordSink,
    ) {
        let (json, scope) = (self.json, &self.reader.scope);
        let level = level_of(&json.spec.levels, form, values);
        let time = time_of(form, values).map_or(NO_TIME, |t| t.near(self.reader.reference).ns);
        if form.is_cut {
            sink.left_out(place.offset);
        }
        let cache = &mut *self.cache;
        let context = place
            .context
            .or_else(|| cache.writers.of(form, values, self.tables));
        // No reference count is touched: threads share the sites.
        let site: &Site = match cache.sites.entry((form.id, level)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.tables.form_site(form.id, level, &form.keys)),
        };
        cache.own.clear();
        let mut fields = FieldCells {
            json,
            encoder: self.encoder,
            cells: &mut cache.own,
            scratch: &mut cache.scratch,
        };
        fields.push(form, values);
        let named = cache.names.of(json, form, values, &mut cache.scratch);
        let message = message_of(json, form, values, scope, &mut cache.message);
        let (line, rest) = first_line(message);
        let mut wider = None;
        if !rest.is_empty()
            && let Some(further) = scope.further(line, &mut cache.fields)
        {
            let said = unknown_yet(site, further, rest);
            wider = wider_site(self.tables, site, &said);
            match &wider {
                Some(_) => {
                    for Said { key, kind, span } in &said {
                        cache.own.push(self.encoder, key, kind, &rest[span.clone()]);
                    }
                }
                None if said.is_empty() => {}
                None => sink.left_out(place.offset),
            }
        }
        let message = Message {
            site: wider.as_deref().unwrap_or(site),
            line,
            named: named.as_deref(),
        };
        let cells = &mut cache.cells;
        let shape = cache
            .shapes
            .shape(self.tables, scope, self.encoder, message, cells);
        cache.own.append(cells);
        let head = Head {
            offset: place.offset,
            time,
            shape,
            context,
            level: cells.level,
        };
        sink.record(head, &cache.own.codes, &cache.own.lists);
    }

    fn plain(&mut self, line: &[u8], offset: u64, sink: &mut impl RecordSink) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let cache = &mut *self.cache;
        plain_record(
            (self.tables, &self.reader.scope, self.encoder),
            (&mut cache.shapes, &mut cache.cells),
            line,
            offset,
            sink,
        );
    }
}

/// The message of a record; `buffer` has it where it is no part of the line.
#[inline]
fn message_of<'b>(
    json: &JsonReader,
    form: &Form,
    values: &[Raw<'b>],
    scope: &Scope,
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    if let Some(composed) = &form.composed {
        buffer.clear();
        // Without patterns nothing is found in it that is not in the fields.
        if scope.mine || !scope.messages().is_empty() {
            composed.message(buffer, |at, out| json.push_text(values[at], out));
        }
        return buffer;
    }
    match form.message.first() {
        Some(at) => text(values[*at], buffer),
        None => b"",
    }
}

/// What the lines behind the first of a message say that no field has said.
fn unknown_yet(site: &Site, further: &[FurtherLine], rest: &[u8]) -> Vec<Said> {
    let mut said = further::read(further, rest, |_| None);
    said.retain(|said| !site.fields.contains(&said.key.id));
    said
}

/// The site that has the keys of further lines as well; `None` when there are none, or no room for one more site.
fn wider_site(tables: &Catalog, site: &Site, said: &[Said]) -> Option<Arc<Site>> {
    let keys: Vec<KeyId> = said.iter().map(|said| said.key.id).collect();
    match keys.is_empty() {
        true => None,
        false => tables.further_site(site, &keys),
    }
}
