//! The messages of a run, counted by their literal parts, whatever definitions say of them; and some of each to look at.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_format::fields::first_line;
use widetui_format::pattern::Spans;
use widetui_format::text::token;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot};

/// Of each wording at most so many messages are looked at.
const LOOKED_AT: usize = 512;

/// Messages with the same literal parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageTemplate {
    /// What stands around the variables.
    pub(crate) literals: Box<[Box<[u8]>]>,
    /// Its records.
    pub(crate) records: u64,
    /// Kinds of sources that have it, by number.
    pub(crate) kinds: BTreeSet<usize>,
    /// Some of its records, spread over all.
    pub(crate) some: Vec<EventId>,
    /// One record of so many is among `some`.
    stride: u64,
}

/// A message, and where its variables lie.
#[derive(Clone, Debug)]
pub(crate) struct LoggedMessage {
    /// The record.
    pub(crate) event: EventId,
    /// The first line of the message.
    pub(crate) message: String,
    /// Start and end of each variable.
    pub(crate) variables: Vec<(u32, u32)>,
}

impl MessageTemplate {
    fn add(&mut self, event: EventId, kind: usize) {
        self.kinds.insert(kind);
        if self.records.is_multiple_of(self.stride.max(1)) {
            self.some.push(event);
        }
        self.records += 1;
        if self.some.len() == LOOKED_AT {
            let mut at = 0;
            self.some.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride = self.stride.max(1) * 2;
        }
    }

    /// Its messages that were looked at: those that are text, and that the program itself wrote.
    pub(crate) fn said(&self, snapshot: &Snapshot, texts: &mut TextReader) -> Vec<LoggedMessage> {
        let events = self.some.iter().filter_map(|id| snapshot.event(*id));
        events.filter_map(|event| self.one(&event, texts)).collect()
    }

    fn one(&self, event: &EventRef<'_>, texts: &mut TextReader) -> Option<LoggedMessage> {
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
        token::fits(line, &self.literals, false, &mut variables).then(|| LoggedMessage {
            event: event.id,
            message: String::from_utf8_lossy(line).into_owned(),
            variables,
        })
    }
}

impl LoggedMessage {
    /// The texts of the variables.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        let parts = self.variables.iter();
        parts.map(|(start, end)| {
            self.message
                .get(*start as usize..*end as usize)
                .unwrap_or("")
        })
    }
}

/// All wordings of the sources that have a kind (by the source's number), in the order in which they were read first.
/// Those that were cut short are left out.
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
    out.sort_by_key(|w| w.some.first().map_or(u32::MAX, |id| id.0));
    out
}
