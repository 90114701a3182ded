//! Sample of events as columns: the values of each identifying key.

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::WRITER;
use widetui_store::{Snapshot, ValueOrigin};

/// Key with the number of a table row, which identifies unrelated rows in different tables.
const ROW_KEY: &str = "rowid";
/// Maximum number of events in the sample; candidates are verified on all events.
const MAX_EVENTS: usize = 100_000;
/// Maximum number of values in the sample; with many keys per event the sample has fewer events.
const MAX_VALUES: usize = 4_000_000;
/// Maximum number of path keys per event that are tried as a second left key.
const MAX_OUTER_KEYS: usize = 4;

/// Index of an event in the sample, and the code of its value.
pub(crate) type SampledValue = (u32, Code);

/// Values of a key in the sample, by event.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySample {
    /// Values stated by records or derived by joins.
    pub(crate) stated: Vec<SampledValue>,
    /// Values stated by paths.
    pub(crate) path: Vec<SampledValue>,
    /// Values stated by paths, if the key is among the first [`MAX_OUTER_KEYS`] of the path.
    pub(crate) outer: Vec<SampledValue>,
    /// Whether some records have several values of the key.
    pub(crate) has_lists: bool,
}

impl KeySample {
    /// Drops every second event; returns the number of remaining values.
    fn drop_every_second(&mut self) -> usize {
        for cells in [&mut self.stated, &mut self.path, &mut self.outer] {
            cells.retain(|c| c.0.is_multiple_of(2));
            cells.iter_mut().for_each(|c| c.0 /= 2);
        }
        self.stated.len() + self.path.len() + self.outer.len()
    }

    /// Index of the first event with the key.
    pub(crate) fn first_event(&self) -> Option<u32> {
        let first = |cells: &[SampledValue]| cells.first().map(|c| c.0);
        let (own, path) = (first(&self.stated), first(&self.path));
        own.into_iter().chain(path).min()
    }
}

/// Sample of the events of a snapshot.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Columns by `KeyId`.
    columns: Vec<KeySample>,
    /// Keys in the sample, in order of occurrence.
    keys: Vec<KeyId>,
    /// Number of events in the sample.
    pub(crate) events: usize,
    /// Whether the sample contains all events.
    pub(crate) is_complete: bool,
}

impl Sample {
    /// Takes a sample; `None` when cancelled.
    pub(crate) fn take(snapshot: &Snapshot, cancel: &Cancel) -> Option<Sample> {
        let catalog = &snapshot.catalog.keys;
        let is_identifying: Vec<bool> = catalog
            .iter()
            .map(|k| {
                let name = &*k.key.name;
                let is_place = WRITER.contains(&name) || name == ROW_KEY;
                k.key.identifier || !name.contains('.') && !is_place
            })
            .collect();
        let mut out = Sample {
            columns: vec![KeySample::default(); is_identifying.len()],
            keys: Vec::new(),
            events: 0,
            is_complete: true,
        };
        let mut is_known = vec![false; is_identifying.len()];
        // Last event in which each key had a value: only the first value of a key in an event
        // counts.
        let mut last_event = vec![usize::MAX; is_identifying.len()];
        let (mut stride, mut cells) = ((snapshot.len() / MAX_EVENTS).max(1), 0);
        loop {
            let at = out.events * stride;
            if at >= snapshot.len() {
                break;
            }
            if out.events.is_multiple_of(1024) && cancel.is_cancelled() {
                return None;
            }
            let number = out.events as u32;
            out.events += 1;
            let Some(event) = snapshot.event(EventId(at as u32)) else {
                continue;
            };
            let mut paths = 0;
            event.for_each_code(|key, codes, origin| {
                let index = key.index();
                if is_identifying.get(index) != Some(&true) {
                    return;
                }
                let column = &mut out.columns[index];
                column.has_lists |= codes.len() > 1;
                let &[code] = codes else { return };
                if matches!(code, NONE | DEFER) || last_event[index] == at {
                    return;
                }
                last_event[index] = at;
                let code = catalog.get(key).map_or(code, |k| k.dict.canonical(code));
                if !std::mem::replace(&mut is_known[index], true) {
                    out.keys.push(key);
                }
                cells += 1;
                if origin != ValueOrigin::Path {
                    column.stated.push((number, code));
                    return;
                }
                column.path.push((number, code));
                paths += 1;
                if paths <= MAX_OUTER_KEYS {
                    column.outer.push((number, code));
                    cells += 1;
                }
            });
            if cells > MAX_VALUES {
                cells = out
                    .columns
                    .iter_mut()
                    .map(KeySample::drop_every_second)
                    .sum();
                out.events = out.events.div_ceil(2);
                stride *= 2;
            }
        }
        out.is_complete = stride == 1;
        Some(out)
    }

    /// Sampled values of a key.
    pub(crate) fn column(&self, key: KeyId) -> &KeySample {
        &self.columns[key.index()]
    }

    /// Keys in the sample, in order of occurrence.
    pub(crate) fn keys(&self) -> &[KeyId] {
        &self.keys
    }

    /// Keys of paths that can be a second left key.
    pub(crate) fn outer_keys(&self) -> impl Iterator<Item = KeyId> {
        let keys = self.keys.iter().copied();
        keys.filter(|key| !self.column(*key).outer.is_empty())
    }
}
