//! Records of a snapshot.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, ValueOrigin};

use super::batch::{Batch, RawRecord};
use super::records::{KnownInstance, Records};
use super::selection::{Selection, select};
use super::sources::{SourceName, names_of};
use crate::data::{Data, List};

/// Reads the records of a snapshot, duplicates aside; of a large run a selection. `None` if cancelled.
pub fn read(snapshot: &Snapshot, found: &AllInstances, cancel: &Cancel) -> Option<Records> {
    read_with(snapshot, found, &[], cancel)
}

/// As [`read`]; the events `needed` are read in any case.
pub fn read_with(
    snapshot: &Snapshot,
    found: &AllInstances,
    needed: &[EventId],
    cancel: &Cancel,
) -> Option<Records> {
    let sources: Vec<SourceName> = snapshot
        .sources
        .iter()
        .map(|s| SourceName {
            path: s.path.clone(),
        })
        .collect();
    let names = names_of(&sources);
    let selection = select(snapshot, found, needed, cancel)?;
    let batches: Vec<Option<Batch>> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|at| batch(snapshot, at, &names, &selection, cancel))
        .collect();
    let batches: Vec<Batch> = batches.into_iter().collect::<Option<_>>()?;
    let order = snapshot.order.iter().map(|id| EventId(*id));
    let order = order.filter(|id| selection.reads(*id));
    let known = known(snapshot, found, &selection);
    Some(Records::new(sources, batches, order, known, &selection))
}

fn batch(
    snapshot: &Snapshot,
    at: usize,
    names: &FxHashMap<String, u32>,
    selection: &Selection,
    cancel: &Cancel,
) -> Option<Batch> {
    let (segment, base) = (snapshot.segments.get(at)?, *snapshot.bases.get(at)?);
    let mut out = Batch::default();
    let mut texts = TextReader::default();
    let mut spellings = Spellings::default();
    let mut keys = Vec::new();
    for row in 0..segment.len() as u32 {
        if row % 4096 == 0 && cancel.is_cancelled() {
            return None;
        }
        let id = EventId(base + row);
        if !selection.reads(id) || snapshot.duplicates.original_of(id.0).is_some() {
            continue;
        }
        let Some(event) = snapshot.event(id) else {
            continue;
        };
        let text = match (texts.record(&event), &event.source().reader) {
            (Ok(record), Some(reader)) => reader.message_without_extras(record),
            (Ok(record), None) => String::from_utf8_lossy(record).into_owned(),
            // The reader notes errors, and they are reported with the result.
            (Err(_), _) => continue,
        };
        keys.clear();
        spellings.find(snapshot, &event, &text, &mut out, &mut keys);
        let raw = RawRecord {
            event: id,
            source: event.source().id.0,
            time: event.time(),
            level: event.level(),
            text: &text,
            keys: &keys,
            weight: event.shape().map_or(1.0, |s| selection.weight(s.id)),
        };
        out.add(&raw, names);
    }
    Some(out)
}

/// Value of a key.
#[derive(Debug)]
struct Spelling {
    text: String,
    /// Number in the batch.
    key: u32,
    /// True for a key that names the writer.
    is_writer: bool,
}

/// Values of keys; `None` for keys that name nothing.
#[derive(Debug, Default)]
struct Spellings(FxHashMap<(KeyId, Code), Option<Spelling>>);

impl Spellings {
    /// Adds the keys of a record that name its writer or stand outside of its message.
    fn find(
        &mut self,
        snapshot: &Snapshot,
        event: &EventRef<'_>,
        text: &str,
        batch: &mut Batch,
        out: &mut Vec<u32>,
    ) {
        event.for_each_code(|key, codes, origin| {
            let [code] = codes else { return };
            if origin != ValueOrigin::Record {
                return;
            }
            let spelling = self.0.entry((key, *code)).or_insert_with(|| {
                let view = snapshot.catalog.keys.get(key)?;
                let name = view.key.name.to_lowercase();
                let last = name.rsplit('.').next().unwrap_or(&name);
                if Data::get().lists("skipped_keys", last) {
                    return None;
                }
                let text = view.spelling(*code)?;
                Some(Spelling {
                    key: batch.key(last, &text),
                    is_writer: Data::get().lists_of(last).has(List::WriterKeys) || last == "pid",
                    text,
                })
            });
            let Some(spelling) = spelling else { return };
            if spelling.is_writer || !text.contains(&spelling.text) {
                out.push(spelling.key);
            }
        });
    }
}

/// Instances of definitions with their events that are read.
fn known(snapshot: &Snapshot, found: &AllInstances, selection: &Selection) -> Vec<KnownInstance> {
    let mut out = Vec::new();
    let read = (0..snapshot.len() as u32).map(EventId);
    let read: Vec<EventId> = read.filter(|id| selection.reads(*id)).collect();
    for instances in &found.occurring {
        let mut events: Vec<Vec<EventId>> = vec![Vec::new(); instances.list.len()];
        for id in &read {
            instances.for_each_of_event(*id, |i| {
                if let Some(own) = events.get_mut(i) {
                    own.push(*id);
                }
            });
        }
        for (instance, events) in instances.list.iter().zip(events) {
            if events.is_empty() && selection.is_partial() {
                continue;
            }
            out.push(KnownInstance {
                entity: instances.entity.name.clone(),
                title: instances.title(snapshot, instance),
                id: instances.id(snapshot, instance),
                is_whole: events.len() == instances.event_count(instance),
                events,
            });
        }
    }
    out
}
