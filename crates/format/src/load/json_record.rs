//! Reads one JSON record: from its values to the cells of its shape, reusing results of a previous record for values
//! that did not change.

use std::sync::Arc;

use widetui_core::ids::{ContextId, KeyId, ShapeId};
use widetui_core::level::Level;
use widetui_time::time::NO_TIME;

use crate::catalog::sink::{Head, RecordSink};
use crate::catalog::{Catalog, Site};
use crate::fields::first_line;
use crate::json::form::{Form, Uses};
use crate::json::reader::{JsonReader, level_of, time_of};
use crate::load::json_cells::FieldCells;
use crate::load::json_lines::{JsonLoader, ReadBy, RecordPosition};
use crate::load::line_predictor::LastRecord;
use crate::messages::continuation_lines::{self, ContinuationPattern, LineValue};
use crate::messages::scope::Scope;
use crate::messages::shape_cache::Message;
use crate::text::json_scan::{Raw, nth, text};

/// Results for a record, apart from its cells, to be reused for the next similar record.
pub(crate) struct RecordResult {
    level: Level,
    writer: Option<ContextId>,
    shape: ShapeId,
    /// Whether its cells are complete: no lists beside them.
    is_whole: bool,
    message: MessageResult,
}

/// Result for the message of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageResult {
    /// Reused from the previous record.
    Reused,
    /// Completely described by its cells.
    Complete,
    /// Not completely described by its cells (lists, continuation lines).
    Incomplete,
}

impl JsonLoader<'_> {
    /// Reads a record whose form is kept.
    #[inline]
    pub(crate) fn kept(
        &mut self,
        line: &[u8],
        (at, read_by): (usize, ReadBy),
        values: &[Raw<'_>],
        place: RecordPosition,
        sink: &mut impl RecordSink,
    ) {
        let Some(form) = self.cache.forms.take(at) else {
            return;
        };
        let predictor = &mut self.cache.predictor;
        let step = match read_by {
            ReadBy::Comparison(step) => Some(step),
            ReadBy::Walk | ReadBy::WalkWithoutPositions => None,
        };
        let last = step.and_then(|step| predictor.take(step));
        let before = last.as_deref().filter(|last| last.site.is_some());
        let before = before.map(|last| {
            let changed = predictor.reading.changed().iter();
            let uses = changed.filter_map(|at| form.uses.get(*at as usize).copied());
            (last, uses.fold(Uses::default(), Uses::and))
        });
        let result = self.record(&form, values, before, place, sink);
        if read_by != ReadBy::WalkWithoutPositions {
            let (step, last) =
                self.cache
                    .predictor
                    .keep_line((step, last), (at, result.shape), line);
            let last = self.store_result(&form, &result, last);
            self.cache.predictor.put_back(step, last);
        }
        self.cache.forms.give(at, form);
    }

    /// Stores the results of the current record for the next record of its step.
    #[inline]
    fn store_result(
        &self,
        form: &Form,
        result: &RecordResult,
        mut last: Box<LastRecord>,
    ) -> Box<LastRecord> {
        let cache = &*self.cache;
        if last.site.is_none() || last.level != result.level {
            last.site = cache.sites.get(&(form.id, result.level)).cloned();
        }
        if !result.is_whole {
            last.site = None;
        }
        last.level = result.level;
        last.context = result.writer;
        last.shape = result.shape;
        last.fields.clear();
        // The cells of the message follow.
        let fields = cache.own.codes.iter().take(form.keys.len());
        last.fields.extend(fields);
        if result.message != MessageResult::Reused {
            last.cached_shape = cache.shapes.last();
        }
        last.message = match result.message {
            MessageResult::Incomplete => None,
            MessageResult::Reused | MessageResult::Complete => {
                let (mut codes, _) = last.message.take().unwrap_or_default();
                codes.clear();
                codes.extend_from_slice(&cache.cells.codes);
                Some((codes, cache.cells.level))
            }
        };
        last
    }

    /// Reads a record. If its line was compared with a previous one, `before` has the results of that record and the
    /// uses of the values that changed.
    pub(crate) fn record(
        &mut self,
        form: &Form,
        values: &[Raw<'_>],
        before: Option<(&LastRecord, Uses)>,
        place: RecordPosition,
        sink: &mut impl RecordSink,
    ) -> RecordResult {
        let (json, scope) = (self.json, &self.reader.scope);
        let cache = &mut *self.cache;
        let unchanged = |part: fn(Uses) -> bool| before.filter(|b| !part(b.1)).map(|b| b.0);
        let level = match unchanged(|changed| changed.level) {
            Some(last) => last.level,
            None => level_of(&json.spec.levels, form, values),
        };
        let time = time_of(form, values).map_or(NO_TIME, |t| t.near(self.reader.reference).ns);
        if form.is_cut {
            sink.fields_left_out(place.offset);
        }
        let writer = match unchanged(|changed| changed.writer) {
            Some(last) => last.context,
            None => cache.writers.of(form, values, self.tables),
        };
        // Borrowed without a reference count, because threads share the sites.
        let known = before.and_then(|b| b.0.site.as_deref().filter(|_| b.0.level == level));
        let site: &Site = match known {
            Some(site) => site,
            None => {
                let new = || self.tables.form_site(form.id, level, &form.keys);
                cache.sites.entry((form.id, level)).or_insert_with(new)
            }
        };
        cache.own.clear();
        let mut fields = FieldCells {
            json,
            encoder: self.encoder,
            cells: &mut cache.own,
            scratch: &mut cache.scratch,
        };
        match unchanged(|changed| changed.others) {
            Some(last) => {
                fields.push_changed(
                    form,
                    values,
                    &last.fields,
                    cache.predictor.reading.changed(),
                );
            }
            None => fields.push(form, values),
        }
        let is_whole = cache.own.lists.is_empty();
        let cells = &mut cache.cells;
        let line_values = unchanged(|changed| changed.message).filter(|_| known.is_some());
        let (shape, message) =
            match line_values.and_then(|last| Some((last, last.message.as_ref()?))) {
                Some((last, (codes, by_message))) => {
                    cells.clear();
                    cells.codes.extend_from_slice(codes);
                    cells.level = *by_message;
                    (last.shape, MessageResult::Reused)
                }
                None => {
                    let named = cache.names.of(json, form, values, &mut cache.scratch);
                    let message = message_of(json, form, values, scope, &mut cache.message);
                    let (line, rest) = first_line(message);
                    let mut wider = None;
                    if !rest.is_empty()
                        && let Some(patterns) = scope.continuation_patterns(line, &mut cache.fields)
                    {
                        let line_values = values_without_field(site, patterns, rest);
                        wider = site_with_continuation(self.tables, site, &line_values);
                        match &wider {
                            Some(_) => {
                                for LineValue { key, kind, span } in &line_values {
                                    let text = rest.get(span.clone()).unwrap_or_default();
                                    cache.own.push(self.encoder, key, kind, text);
                                }
                            }
                            None if line_values.is_empty() => {}
                            None => sink.fields_left_out(place.offset),
                        }
                    }
                    let message = Message {
                        site: wider.as_deref().unwrap_or(site),
                        line,
                        named: named.as_deref(),
                        likely: before.map(|b| b.0.cached_shape),
                    };
                    let shapes = &mut cache.shapes;
                    let shape = shapes.shape(self.tables, scope, self.encoder, message, cells);
                    match cells.lists.is_empty() && wider.is_none() {
                        true => (shape, MessageResult::Complete),
                        false => (shape, MessageResult::Incomplete),
                    }
                }
            };
        cache.own.append(cells);
        let head = Head {
            offset: place.offset,
            time,
            shape,
            context: place.context.or(writer),
            level: cells.level,
        };
        sink.record(head, &cache.own.codes, &cache.own.lists);
        RecordResult {
            level,
            writer,
            shape,
            is_whole,
            message,
        }
    }
}

/// Message of a record, in `buffer` if it is not a part of the line.
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
        // Without patterns and mining, a composed message provides nothing beyond the fields.
        if scope.mine || !scope.messages().is_empty() {
            composed.message(buffer, |at, out| json.push_text(nth(values, at), out));
        }
        return buffer;
    }
    match form.message.first() {
        Some(at) => text(nth(values, *at), buffer),
        None => b"",
    }
}

/// Values in the continuation lines of a message whose keys no field provides.
fn values_without_field(
    site: &Site,
    patterns: &[ContinuationPattern],
    rest: &[u8],
) -> Vec<LineValue> {
    let mut line_values = continuation_lines::read(patterns, rest, |_| None);
    line_values.retain(|line_values| !site.fields.contains(&line_values.key.id));
    line_values
}

/// Site with the keys of continuation lines added; `None` if there are none, or the limit of sites is reached.
fn site_with_continuation(
    tables: &Catalog,
    site: &Site,
    line_values: &[LineValue],
) -> Option<Arc<Site>> {
    let keys: Vec<KeyId> = line_values
        .iter()
        .map(|line_values| line_values.key.id)
        .collect();
    match keys.is_empty() {
        true => None,
        false => tables.continuation_site(site, &keys),
    }
}
