//! Unfinished work with the last messages of its items.

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_diagnosis::unfinished::{Told, UnfinishedWork};
use widetui_report::event::{full_event, shown_source};
use widetui_store::Snapshot;

use crate::instances::InstanceCache;
use crate::notable_work::NotableWork;

/// Unfinished work of a snapshot, with the last messages of the items.
#[derive(Clone, Debug, Default)]
pub struct UnfinishedDetails {
    /// Result of the analysis.
    pub hung: UnfinishedWork,
    /// First line of the last message of each item, by record number: (source, message).
    pub words: FxHashMap<u32, (String, String)>,
    /// Notable work items, where none of the run is stuck.
    pub notable: NotableWork,
}

/// Maximum number of items whose last messages are read.
const WORDS: usize = 200;

impl UnfinishedDetails {
    /// Reads the last messages of unfinished items, or finds notable ones. `None` if cancelled.
    pub fn read(
        snapshot: &Snapshot,
        cache: &InstanceCache,
        hung: UnfinishedWork,
        cancel: &Cancel,
    ) -> Option<UnfinishedDetails> {
        let notable = match hung.is_clear() && hung.told == Told::All {
            true => NotableWork::find(snapshot, cache, &*cache.instances(snapshot, cancel)?),
            false => NotableWork::default(),
        };
        Some(UnfinishedDetails {
            words: last_words(snapshot, &hung),
            notable,
            hung,
        })
    }
}

/// Reads the last message of each item that is listed by itself, and the last error.
fn last_words(snapshot: &Snapshot, hung: &UnfinishedWork) -> FxHashMap<u32, (String, String)> {
    let mut texts = widetui_store::texts::TextReader::default();
    let heads = hung.heads().into_iter();
    let last = heads
        .filter_map(|at| hung.stuck.get(at)?.last_event)
        .take(WORDS)
        .chain(hung.last_error);
    let words = last.filter_map(|id| {
        let event = snapshot.event(id)?;
        let full = full_event(&event, &mut texts);
        let line = full.message.lines().next().unwrap_or_default().to_owned();
        Some((id.0, (shown_source(&event, &full), line)))
    });
    words.collect()
}
