//! Channels: the records of each source, process, thread and logger over time, found by one pass over the columns.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_store::Snapshot;
use widetui_store::column::Cell;
use widetui_store::segment::{Part, Segment};
use widetui_time::time::NO_TIME;

use crate::unfinished::gaps::Track;
use crate::unfinished::model::Channel;

/// A writer within a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Writer {
    /// The whole source.
    All,
    /// A process: index into `WriterNames::processes`.
    Process(u32),
    /// A context: the thread or task in the header of a record.
    Context(u32),
    /// A logger of a context, by its code.
    Logger(u32, Code),
}

impl Writer {
    /// Enclosing writer.
    pub(crate) fn parent(self, names: &WriterNames) -> Option<Writer> {
        match self {
            Writer::All => None,
            Writer::Process(_) => Some(Writer::All),
            Writer::Context(context) => Some(Writer::Process(names.process(context))),
            Writer::Logger(context, _) => Some(Writer::Context(context)),
        }
    }
}

/// Keys that identify a process; the other keys of a context identify its threads.
const PROCESS: [&str; 4] = ["process", "pid", "host", "rank"];

/// Names of the writers.
pub(crate) struct WriterNames {
    /// Process of each context.
    processes: Vec<u32>,
    /// Keys and values of each process.
    process: Vec<Vec<(KeyId, Code)>>,
    logger: Option<KeyId>,
}

impl WriterNames {
    pub(crate) fn new(snapshot: &Snapshot) -> WriterNames {
        let catalog = &snapshot.catalog;
        let mut known: FxHashMap<Vec<(KeyId, Code)>, u32> = FxHashMap::default();
        let mut names = WriterNames {
            processes: Vec::with_capacity(catalog.contexts.len()),
            process: Vec::new(),
            logger: catalog.keys.find("logger"),
        };
        for context in catalog.contexts.iter() {
            let is_process = |p: &&(KeyId, Code)| PROCESS.contains(&catalog.keys.name(p.0));
            let own: Vec<(KeyId, Code)> = context.iter().filter(is_process).copied().collect();
            let next = known.len() as u32;
            let number = *known.entry(own.clone()).or_insert(next);
            if number == next {
                names.process.push(own);
            }
            names.processes.push(number);
        }
        names
    }

    fn process(&self, context: u32) -> u32 {
        let number = self.processes.get(context as usize);
        number.copied().unwrap_or(NONE)
    }

    fn spell(&self, snapshot: &Snapshot, pairs: &[(KeyId, Code)]) -> String {
        let one = |(key, code): &(KeyId, Code)| {
            let view = snapshot.catalog.keys.get(*key)?;
            let value = view.spelling(*code)?;
            Some(match &*view.key.name {
                "process" | "thread" => value,
                name => format!("{name} {value}"),
            })
        };
        let words: Vec<String> = pairs.iter().filter_map(one).collect();
        words.join(" ")
    }

    /// Description of a writer.
    pub(crate) fn channel(&self, snapshot: &Snapshot, writer: Writer) -> Channel {
        let thread = |context: u32| {
            let all = snapshot.catalog.contexts.get(context as usize);
            let all = all.map(|c| c.to_vec()).unwrap_or_default();
            self.spell(snapshot, &all)
        };
        match writer {
            Writer::All => Channel::Source,
            Writer::Process(number) => {
                let own = self.process.get(number as usize);
                Channel::Process(self.spell(snapshot, own.map_or(&[], |p| p)))
            }
            Writer::Context(context) => Channel::Thread(thread(context)),
            Writer::Logger(context, code) => {
                let view = self.logger.and_then(|k| snapshot.catalog.keys.get(k));
                let name = view.and_then(|v| v.spelling(code)).unwrap_or_default();
                Channel::Logger(thread(context), name)
            }
        }
    }
}

/// Tracks of the writers of one source.
pub(crate) type Tracks = FxHashMap<Writer, Track>;

/// Tracks of the sources that are `wanted`, by source, without records later than the `limits` of their sources, UTC
/// ns. `None` when cancelled.
pub(crate) fn tracks(
    snapshot: &Snapshot,
    names: &WriterNames,
    (wanted, limits): (&[bool], &[i64]),
    cancel: &Cancel,
) -> Option<Vec<Tracks>> {
    type OfPart = (SourceId, u32, Tracks);
    let parts: Vec<Vec<OfPart>> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let segment = &*snapshot.segments[index];
            let loggers = loggers(snapshot, segment, names);
            let is_wanted = |p: &&Part| {
                !cancel.is_cancelled() && wanted.get(p.source.index()).copied().unwrap_or(false)
            };
            let parts = segment.parts.iter().filter(is_wanted);
            parts
                .map(|part| {
                    let base = snapshot.bases[index];
                    let limit = limits.get(part.source.index()).copied();
                    let limit = limit.unwrap_or(i64::MAX);
                    let tracks = of_part(snapshot, names, (segment, part, base), limit, &loggers);
                    (part.source, part.seq, tracks)
                })
                .collect()
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut parts: Vec<OfPart> = parts.into_iter().flatten().collect();
    parts.sort_by_key(|(source, seq, _)| (source.0, *seq));
    let mut out: Vec<Tracks> = vec![Tracks::default(); snapshot.sources.len()];
    for (source, _, tracks) in parts {
        let Some(known) = out.get_mut(source.index()) else {
            continue;
        };
        if known.is_empty() {
            *known = tracks;
            continue;
        }
        for (writer, track) in tracks {
            match known.entry(writer) {
                std::collections::hash_map::Entry::Occupied(mut e) => e.get_mut().append(&track),
                std::collections::hash_map::Entry::Vacant(e) => {
                    e.insert(track);
                }
            }
        }
    }
    Some(out)
}

/// Logger of each group of a segment.
fn loggers(snapshot: &Snapshot, segment: &Segment, names: &WriterNames) -> Vec<Code> {
    let of = |group: &widetui_store::segment::Group| {
        let shape = snapshot.catalog.shapes.get(group.shape.index())?;
        let found = shape.consts.iter().find(|(k, _)| Some(*k) == names.logger);
        found.map(|f| f.1)
    };
    let groups = segment.groups.iter();
    groups.map(|g| of(g).unwrap_or(NONE)).collect()
}

fn of_part(
    snapshot: &Snapshot,
    names: &WriterNames,
    (segment, part, base): (&Segment, &Part, u32),
    limit: i64,
    loggers: &[Code],
) -> Tracks {
    let source = &snapshot.sources[part.source.index()];
    let mut list: Vec<(Writer, Track)> = Vec::new();
    let mut at: FxHashMap<Writer, usize> = FxHashMap::default();
    // Cached track indices of a context and a logger, because consecutive records often share both.
    let mut of: FxHashMap<(u32, Code), [usize; 4]> = FxHashMap::default();
    let mut last = ((NONE, NONE), [usize::MAX; 4]);
    let first = part.first_row as usize;
    for row in first..first + part.rows as usize {
        let time = segment.utc(source, row);
        if time == NO_TIME || time > limit {
            continue;
        }
        let event = base + row as u32;
        let context = match segment.contexts.cell(row) {
            Cell::One(code) => code,
            _ => NONE,
        };
        let logger = loggers[segment.group_number(row)];
        let who = (context, logger);
        if last.0 != who || last.1[0] == usize::MAX {
            let places = of.entry(who).or_insert_with(|| {
                let mut place = |writer: Writer| {
                    *at.entry(writer).or_insert_with(|| {
                        let mut track = Track::new(time, event);
                        track.records = 0;
                        list.push((writer, track));
                        list.len() - 1
                    })
                };
                let all = place(Writer::All);
                if context == NONE {
                    return [all, usize::MAX, usize::MAX, usize::MAX];
                }
                let process = place(Writer::Process(names.process(context)));
                let thread = place(Writer::Context(context));
                let logger = match logger {
                    NONE => usize::MAX,
                    code => place(Writer::Logger(context, code)),
                };
                [all, process, thread, logger]
            });
            last = (who, *places);
        }
        for place in last.1 {
            if let Some((_, track)) = list.get_mut(place) {
                track.add(time, event);
            }
        }
    }
    list.into_iter().collect()
}
