//! Templates of a run's messages, with counts and sampled records, independent of definitions.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_format::fields::first_line;
use widetui_format::pattern::Spans;
use widetui_format::text::token;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot};

/// Maximum number of sampled messages per template.
const MAX_SAMPLES: usize = 512;

/// Messages with the same literal parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageTemplate {
    /// Literal parts, around the variables.
    pub(crate) literals: Box<[Box<[u8]>]>,
    /// Number of records.
    pub(crate) records: u64,
    /// Kinds of sources with such records, by number.
    pub(crate) kinds: BTreeSet<usize>,
    /// Sampled records, spread over all.
    pub(crate) sampled: Vec<EventId>,
    /// Sampling interval, records.
    stride: u64,
}

/// Message with the positions of its variables.
#[derive(Clone, Debug)]
pub(crate) struct SampleMessage {
    /// Record.
    pub(crate) event: EventId,
    /// First line of the message.
    pub(crate) message: String,
    /// Byte range of each variable.
    pub(crate) variables: Vec<(u32, u32)>,
}

impl MessageTemplate {
    fn add(&mut self, event: EventId, kind: usize) {
        self.kinds.insert(kind);
        if self.records.is_multiple_of(self.stride.max(1)) {
            self.sampled.push(event);
        }
        self.records += 1;
        if self.sampled.len() == MAX_SAMPLES {
            let mut at = 0;
            self.sampled.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride = self.stride.max(1) * 2;
        }
    }

    /// Sampled messages that are UTF-8 and written by the program itself.
    pub(crate) fn sample_messages(
        &self,
        snapshot: &Snapshot,
        texts: &mut TextReader,
    ) -> Vec<SampleMessage> {
        let events = self.sampled.iter().filter_map(|id| snapshot.event(*id));
        events.filter_map(|event| self.one(&event, texts)).collect()
    }

    fn one(&self, event: &EventRef<'_>, texts: &mut TextReader) -> Option<SampleMessage> {
        let reader = event.source().reader.as_ref()?;
        let record = texts.record(event).ok()?;
        if reader
            .interleaved_layout(first_line(record).0, &mut Spans::new())
            .is_some()
        {
            return None;
        }
        let whole = reader.message(record);
        let (line, _) = first_line(whole.as_bytes());
        let mut variables = Vec::new();
        token::fits(line, &self.literals, false, &mut variables).then(|| SampleMessage {
            event: event.id,
            message: String::from_utf8_lossy(line).into_owned(),
            variables,
        })
    }
}

impl SampleMessage {
    /// Texts of the variables.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        let parts = self.variables.iter();
        parts.map(|(start, end)| {
            self.message
                .get(*start as usize..*end as usize)
                .unwrap_or("")
        })
    }
}

/// Collects the templates of the sources with a kind (`kind_of` is indexed by source number), in the order of their
/// first records. Truncated templates are omitted.
pub(crate) fn gather(snapshot: &Snapshot, kind_of: &[Option<usize>]) -> Vec<MessageTemplate> {
    let mut out: Vec<MessageTemplate> = Vec::new();
    let mut known: FxHashMap<&[Box<[u8]>], usize> = FxHashMap::default();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for group in &segment.groups {
            let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) else {
                continue;
            };
            if shape.open {
                continue;
            }
            let at = *known.entry(&shape.literals).or_insert_with(|| {
                out.push(MessageTemplate {
                    literals: shape.literals.clone(),
                    ..MessageTemplate::default()
                });
                out.len() - 1
            });
            for row in &group.rows {
                let source = segment.part(usize::from(*row)).source;
                if let Some(kind) = kind_of.get(source.index()).copied().flatten() {
                    out[at].add(EventId(base + u32::from(*row)), kind);
                }
            }
        }
    }
    out.retain(|w| w.records > 0);
    out.sort_by_key(|w| w.sampled.first().map_or(u32::MAX, |id| id.0));
    out
}
