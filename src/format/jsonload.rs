//! JSON lines into records, at speed: a record with the same fields as the one before costs no look-up of names.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use crate::base::bytes::equal;
use crate::base::dict::{Code, NONE};
use crate::base::ids::{ContextId, KeyId};
use crate::base::level::Level;
use crate::base::time::NO_TIME;

use super::catalog::{Catalog, Site};
use super::encode::{DEFER, Encoder};
use super::explode::{self, RecordPath};
use super::form::Form;
use super::further::{self, Said};
use super::guests::{Asked, GuestCache};
use super::json::{JsonReader, duration_of, level_of, text, time_of};
use super::jsonforms::{Formed, Forms};
use super::jsonscan::{Raw, elements};
use super::keys::Key;
use super::lines::{Chunk, looked_at, plain_record};
use super::pattern::{FieldKind, Spans};
use super::reader::{Reader, first_line};
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
    named: FxHashMap<Box<[u8]>, Option<Arc<str>>>,
    last_template: (Vec<u8>, Option<Arc<str>>),
    composed: FxHashMap<Box<[u8]>, Arc<str>>,
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
                None => self.object(line, offset, None, &mut values, sink),
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
                    self.object(&line[range], offset + at, context, values, sink);
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
        }
    }

    fn object<'t>(
        &mut self,
        line: &'t [u8],
        offset: u64,
        context: Option<ContextId>,
        values: &mut Vec<Raw<'t>>,
        sink: &mut impl RecordSink,
    ) {
        match self.form(line, values) {
            Some(Formed::Kept(at)) => {
                if let Some(form) = self.cache.forms.take(at) {
                    self.record(&form, values, (offset, context), sink);
                    self.cache.forms.give(at, form);
                }
            }
            Some(Formed::Own(form)) => self.record(&form, values, (offset, context), sink),
            None => {
                sink.unreadable(offset);
                self.plain(line, offset, sink);
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
            forms.note(&form, line, spans);
        }
        Some(form)
    }

    fn record(
        &mut self,
        form: &Form,
        values: &[Raw<'_>],
        (offset, context): (u64, Option<ContextId>),
        sink: &mut impl RecordSink,
    ) {
        let level = level_of(&self.json.spec.levels, form, values);
        let time = time_of(form, values).map_or(NO_TIME, |t| t.near(self.reader.reference).ns);
        let cache = &mut *self.cache;
        let context = context.or_else(|| cache.writers.of(form, values, self.tables));
        // No reference count is touched: threads share the sites.
        let site: &Site = match cache.sites.entry((form.id, level)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.tables.form_site(form.id, level, &form.keys)),
        };
        cache.own.clear();
        if form.is_cut {
            sink.left_out(offset);
        }
        for column in &form.columns {
            push_value(
                &mut cache.own,
                &mut cache.scratch,
                self.encoder,
                self.json,
                &column.key,
                column.at.map_or(Raw::Null, |at| values[at]),
            );
        }
        for column in &form.hosts {
            let raw = column.at.map_or(Raw::Null, |at| values[at]);
            let list = match raw {
                Raw::Array(_) => self.json.spellings(raw).join(","),
                raw => String::from_utf8_lossy(text(raw, &mut cache.scratch)).into_owned(),
            };
            let list = match self.json.is_null(list.as_bytes()) {
                true => &[],
                false => list.as_bytes(),
            };
            let kind = &FieldKind::Hosts;
            cache.own.push(self.encoder, &column.key, kind, list);
        }
        for duration in &form.durations {
            let code = duration_of(form, values, duration).map_or(NONE, |seconds| {
                self.encoder.code(&duration.key, seconds.as_bytes())
            });
            cache.own.codes.push(code);
        }
        let raw = form.message.first().map(|at| values[*at]);
        let mut named = match form.template.first().map(|at| values[*at]) {
            // What we wrote is a template already: braces with a word in them are text.
            Some(template) if form.is_complete => {
                let text = text(template, &mut cache.scratch);
                (!text.is_empty()).then(|| known_text(&mut cache.composed, text))
            }
            Some(template) if raw != Some(template) => template_name(
                &mut cache.named,
                &mut cache.last_template,
                template,
                &mut cache.scratch,
            ),
            _ => None,
        };
        let scope = &self.reader.scope;
        if let Some(composed) = &form.composed {
            let push = |at: usize, out: &mut Vec<u8>| self.json.push_text(values[at], out);
            composed.template(&mut cache.scratch, push);
            named = Some(known_text(&mut cache.composed, &cache.scratch));
            cache.message.clear();
            // Without patterns nothing is found in it that is not in the fields.
            if scope.mine || !scope.messages().is_empty() {
                composed.message(&mut cache.message, push);
            }
        }
        let message: &[u8] = match raw {
            _ if form.composed.is_some() => &cache.message,
            Some(raw) => text(raw, &mut cache.message),
            None => {
                named = named.or_else(|| Some(form.summary.clone()));
                b""
            }
        };
        let (line, rest) = first_line(message);
        let wider;
        let mut site = site;
        if let Some(further) = scope.further(line, &mut cache.fields) {
            let mut said = further::read(further, rest, |_| None);
            said.retain(|said| !site.fields.contains(&said.key.id));
            let keys: Vec<KeyId> = said.iter().map(|said| said.key.id).collect();
            let all = match keys.is_empty() {
                true => None,
                false => self.tables.further_site(site, &keys),
            };
            if let Some(all) = all {
                for Said { key, kind, span } in &said {
                    cache.own.push(self.encoder, key, kind, &rest[span.clone()]);
                }
                wider = all;
                site = &wider;
            } else if !keys.is_empty() {
                sink.left_out(offset);
            }
        }
        let message = Message {
            site,
            line,
            named: named.as_deref(),
        };
        let shape = cache.shapes.shape(
            self.tables,
            &self.reader.scope,
            self.encoder,
            message,
            &mut cache.cells,
        );
        let width = cache.own.codes.len();
        cache.own.codes.extend_from_slice(&cache.cells.codes);
        for (at, list) in cache.cells.lists.drain(..) {
            cache.own.lists.push((width + at, list));
        }
        let head = Head {
            offset,
            time,
            shape,
            context,
            level: cache.cells.level,
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

/// Values of a list that are stored.
const LONGEST_LIST: usize = 64;

fn push_value(
    cells: &mut Cells,
    scratch: &mut Vec<u8>,
    encoder: &mut Encoder,
    json: &JsonReader,
    key: &Arc<Key>,
    raw: Raw<'_>,
) {
    let code = match raw {
        Raw::Null => NONE,
        _ if key.is_deferred() => DEFER,
        Raw::Array(array) => match elements(array) {
            // What we wrote was stored once already, however long it is.
            Some(list) if list.len() <= LONGEST_LIST || json.spec.complete => {
                let mut codes: Vec<Code> = Vec::with_capacity(list.len());
                for element in list {
                    let value = text(element, scratch);
                    if element != Raw::Null && !json.is_null(value) {
                        codes.push(encoder.code(key, value));
                    }
                }
                match codes.len() {
                    0 => NONE,
                    1 => codes[0],
                    _ if codes.contains(&DEFER) => DEFER,
                    _ => {
                        cells.lists.push((cells.codes.len(), codes));
                        NONE
                    }
                }
            }
            _ => {
                key.lack();
                DEFER
            }
        },
        raw => {
            let value = text(raw, scratch);
            if json.is_null(value) {
                NONE
            } else {
                encoder.code(key, value)
            }
        }
    };
    cells.codes.push(code);
}

/// A template that was made of fields.
fn known_text(known: &mut FxHashMap<Box<[u8]>, Arc<str>>, text: &[u8]) -> Arc<str> {
    if let Some(name) = known.get(text) {
        return name.clone();
    }
    let name: Arc<str> = String::from_utf8_lossy(text).into();
    if known.len() < 10_000 {
        known.insert(text.into(), name.clone());
    }
    name
}

/// The template that a record names, as `{}` text; `None` when it has no place for arguments.
fn template_name(
    known: &mut FxHashMap<Box<[u8]>, Option<Arc<str>>>,
    last: &mut (Vec<u8>, Option<Arc<str>>),
    raw: Raw<'_>,
    scratch: &mut Vec<u8>,
) -> Option<Arc<str>> {
    let (Raw::Text { bytes, .. } | Raw::Bare(bytes)) = raw else {
        return None;
    };
    if last.0 == bytes {
        return last.1.clone();
    }
    let name = match known.get(bytes) {
        Some(name) => name.clone(),
        None => {
            let (line, _) = first_line(text(raw, scratch));
            let name = template_text(&String::from_utf8_lossy(line));
            if known.len() < 10_000 {
                known.insert(bytes.into(), name.clone());
            }
            name
        }
    };
    last.0.clear();
    last.0.extend_from_slice(bytes);
    last.1 = name.clone();
    name
}

/// Places for arguments in the styles of `%` and of braces, and the escaped percent sign.
static ARGUMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"%%|%(?:\(\w+\))?[-+#0]?[0-9.]*[sdrifgexXuca]|\{[^{}'" ]*\}"#).ok()
});

/// `Task %s took %.2f s` or `Task {} took {x:.2f} s` with `{}` for each argument; `None` without any.
fn template_text(text: &str) -> Option<Arc<str>> {
    let regex = ARGUMENT.as_ref()?;
    let mut found = false;
    let out = regex.replace_all(text, |c: &regex::Captures<'_>| {
        let percent = &c[0] == "%%";
        found |= !percent;
        if percent { "%" } else { "{}" }
    });
    let out: Arc<str> = out.as_ref().into();
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_templates_become_braces() {
        let t = |s: &str| template_text(s).map(|t| t.to_string());
        assert_eq!(t("Task %s took %.2f s").unwrap(), "Task {} took {} s");
        assert_eq!(t("100%% of %d").unwrap(), "100% of {}");
        assert_eq!(t("job {job_id} on {host}").unwrap(), "job {} on {}");
        assert_eq!(t("%(name)s done").unwrap(), "{} done");
        assert_eq!(t("nothing to put in"), None);
        assert_eq!(t("a dict {'a': 1} and 5 % of"), None);
    }
}
