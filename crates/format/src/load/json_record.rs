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
use crate::load::json_lines::{Held, JsonLoader, Place};
use crate::load::line_predictor::Told;
use crate::messages::continuation_lines::{self, FurtherLine, Said};
use crate::messages::scope::Scope;
use crate::messages::shape_cache::Message;
use crate::text::json_scan::Raw;
use crate::text::json_scan::text;

/// Results for a record, apart from its cells, to be reused for the next similar record.
pub(crate) struct Gave {
    level: Level,
    writer: Option<ContextId>,
    shape: ShapeId,
    /// Whether its cells are complete: no lists beside them.
    is_whole: bool,
    message: MessageGave,
}

/// Result for the message of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageGave {
    /// Reused from the previous record.
    Same,
    /// Completely described by its cells.
    Cells,
    /// Not completely described by its cells (lists, continuation lines).
    More,
}

impl JsonLoader<'_> {
    /// Reads a record whose form is kept.
    #[inline]
    pub(crate) fn kept(
        &mut self,
        line: &[u8],
        (at, held): (usize, Held),
        values: &[Raw<'_>],
        place: Place,
        sink: &mut impl RecordSink,
    ) {
        let Some(form) = self.cache.forms.take(at) else {
            return;
        };
        let tracks = &mut self.cache.tracks;
        let track = match held {
            Held::Against(track) => Some(track),
            Held::Walked | Held::Unknown => None,
        };
        let told = track.and_then(|track| tracks.take(track));
        let before = told.as_deref().filter(|told| told.site.is_some());
        let before = before.map(|told| {
            let changed = tracks.reading.changed().iter();
            let uses = changed.map(|at| form.uses[*at as usize]);
            (told, uses.fold(Uses::default(), Uses::and))
        });
        let gave = self.record(&form, values, before, place, sink);
        if held != Held::Unknown {
            let (track, told) = self
                .cache
                .tracks
                .settle((track, told), (at, gave.shape), line);
            let told = self.tell(&form, &gave, told);
            self.cache.tracks.give(track, told);
        }
        self.cache.forms.give(at, form);
    }

    /// Stores the results of the current record for the next record of its track.
    #[inline]
    fn tell(&self, form: &Form, gave: &Gave, mut told: Box<Told>) -> Box<Told> {
        let cache = &*self.cache;
        if told.site.is_none() || told.level != gave.level {
            told.site = cache.sites.get(&(form.id, gave.level)).cloned();
        }
        if !gave.is_whole {
            told.site = None;
        }
        told.level = gave.level;
        told.context = gave.writer;
        told.shape = gave.shape;
        told.fields.clear();
        // The cells of the message follow.
        let fields = cache.own.codes.iter().take(form.keys.len());
        told.fields.extend(fields);
        if gave.message != MessageGave::Same {
            told.planned = cache.shapes.last();
        }
        told.message = match gave.message {
            MessageGave::More => None,
            MessageGave::Same | MessageGave::Cells => {
                let (mut codes, _) = told.message.take().unwrap_or_default();
                codes.clear();
                codes.extend_from_slice(&cache.cells.codes);
                Some((codes, cache.cells.level))
            }
        };
        told
    }

    /// Reads a record. If its line was compared with a previous one, `before` has the results of that record and the
    /// uses of the values that changed.
    pub(crate) fn record(
        &mut self,
        form: &Form,
        values: &[Raw<'_>],
        before: Option<(&Told, Uses)>,
        place: Place,
        sink: &mut impl RecordSink,
    ) -> Gave {
        let (json, scope) = (self.json, &self.reader.scope);
        let cache = &mut *self.cache;
        let told_by = |part: fn(Uses) -> bool| before.filter(|b| !part(b.1)).map(|b| b.0);
        let level = match told_by(|changed| changed.level) {
            Some(told) => told.level,
            None => level_of(&json.spec.levels, form, values),
        };
        let time = time_of(form, values).map_or(NO_TIME, |t| t.near(self.reader.reference).ns);
        if form.is_cut {
            sink.left_out(place.offset);
        }
        let writer = match told_by(|changed| changed.writer) {
            Some(told) => told.context,
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
        match told_by(|changed| changed.others) {
            Some(told) => {
                fields.push_changed(form, values, &told.fields, cache.tracks.reading.changed());
            }
            None => fields.push(form, values),
        }
        let is_whole = cache.own.lists.is_empty();
        let cells = &mut cache.cells;
        let said = told_by(|changed| changed.message).filter(|_| known.is_some());
        let (shape, message) = match said.and_then(|told| Some((told, told.message.as_ref()?))) {
            Some((told, (codes, by_message))) => {
                cells.clear();
                cells.codes.extend_from_slice(codes);
                cells.level = *by_message;
                (told.shape, MessageGave::Same)
            }
            None => {
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
                                let text = &rest[span.clone()];
                                cache.own.push(self.encoder, key, kind, text);
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
                    likely: before.map(|b| b.0.planned),
                };
                let shapes = &mut cache.shapes;
                let shape = shapes.shape(self.tables, scope, self.encoder, message, cells);
                match cells.lists.is_empty() && wider.is_none() {
                    true => (shape, MessageGave::Cells),
                    false => (shape, MessageGave::More),
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
        Gave {
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
            composed.message(buffer, |at, out| json.push_text(values[at], out));
        }
        return buffer;
    }
    match form.message.first() {
        Some(at) => text(values[*at], buffer),
        None => b"",
    }
}

/// Values in the continuation lines of a message whose keys no field provides.
fn unknown_yet(site: &Site, further: &[FurtherLine], rest: &[u8]) -> Vec<Said> {
    let mut said = continuation_lines::read(further, rest, |_| None);
    said.retain(|said| !site.fields.contains(&said.key.id));
    said
}

/// Site with the keys of continuation lines added; `None` if there are none, or the limit of sites is reached.
fn wider_site(tables: &Catalog, site: &Site, said: &[Said]) -> Option<Arc<Site>> {
    let keys: Vec<KeyId> = said.iter().map(|said| said.key.id).collect();
    match keys.is_empty() {
        true => None,
        false => tables.further_site(site, &keys),
    }
}
