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
use super::sources::{SourceName, names_of};
use crate::data::Data;

/// Reads the records of a snapshot, duplicates aside. `None` if cancelled.
pub fn read(snapshot: &Snapshot, found: &AllInstances, cancel: &Cancel) -> Option<Records> {
    let sources: Vec<SourceName> = snapshot
        .sources
        .iter()
        .map(|s| SourceName {
            path: s.path.clone(),
        })
        .collect();
    let names = names_of(&sources);
    let batches: Vec<Option<Batch>> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|at| batch(snapshot, at, &names, cancel))
        .collect();
    let batches: Vec<Batch> = batches.into_iter().collect::<Option<_>>()?;
    let order = snapshot.order.iter().map(|id| EventId(*id));
    Some(Records::new(
        sources,
        batches,
        order,
        known(snapshot, found),
    ))
}

fn batch(
    snapshot: &Snapshot,
    at: usize,
    names: &FxHashMap<String, u32>,
    cancel: &Cancel,
) -> Option<Batch> {
    let (segment, base) = (snapshot.segments.get(at)?, *snapshot.bases.get(at)?);
    let mut out = Batch::default();
    let mut texts = TextReader::default();
    let mut spellings: FxHashMap<(KeyId, Code), Option<(String, String)>> = FxHashMap::default();
    for row in 0..segment.len() as u32 {
        if row % 4096 == 0 && cancel.is_cancelled() {
            return None;
        }
        let id = EventId(base + row);
        if snapshot.duplicates.original_of(id.0).is_some() {
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
        let keys = keys(snapshot, &event, &text, &mut spellings);
        let keys: Vec<(&str, &str)> = keys
            .iter()
            .filter_map(|k| spellings.get(k)?.as_ref())
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let raw = RawRecord {
            event: id,
            source: event.source().id.0,
            time: event.time(),
            level: event.level(),
            text: &text,
            keys: &keys,
        };
        out.add(&raw, names);
    }
    Some(out)
}

/// Keys of a record that name its writer or stand outside of its message.
fn keys(
    snapshot: &Snapshot,
    event: &EventRef<'_>,
    text: &str,
    spellings: &mut FxHashMap<(KeyId, Code), Option<(String, String)>>,
) -> Vec<(KeyId, Code)> {
    let mut out = Vec::new();
    event.for_each_code(|key, codes, origin| {
        let [code] = codes else { return };
        if origin != ValueOrigin::Record {
            return;
        }
        let spelled = spellings.entry((key, *code)).or_insert_with(|| {
            let view = snapshot.catalog.keys.get(key)?;
            let name = view.key.name.to_lowercase();
            let last = name.rsplit('.').next().unwrap_or(&name);
            let is_skipped = Data::get().lists("skipped_keys", last);
            (!is_skipped).then(|| Some((last.to_owned(), view.spelling(*code)?)))?
        });
        let is_new = spelled
            .as_ref()
            .is_some_and(|(_, value)| !text.contains(value.as_str()));
        if is_new
            || spelled
                .as_ref()
                .is_some_and(|(name, _)| Data::get().lists("writer_keys", name) || name == "pid")
        {
            out.push((key, *code));
        }
    });
    out
}

/// Instances of definitions with their events.
fn known(snapshot: &Snapshot, found: &AllInstances) -> Vec<KnownInstance> {
    let mut out = Vec::new();
    for instances in &found.occurring {
        let events = instances.temporary_events();
        for instance in &instances.list {
            out.push(KnownInstance {
                entity: instances.entity.name.clone(),
                title: instances.title(snapshot, instance),
                id: instances.id(snapshot, instance),
                events: events.of(instance).iter().map(|e| EventId(*e)).collect(),
            });
        }
    }
    out
}
