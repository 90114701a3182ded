//! Silences: sources, processes, threads and loggers that wrote regularly and stopped while others of the run continued.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_core::level::Level;
use widetui_core::words::begins_a_word;
use widetui_definition::words::WordsDef;
use widetui_query::{Expr, select_among};
use widetui_store::rotation::continued_sources;
use widetui_store::{Snapshot, Source, SourceTrait};

use crate::unfinished::Harmless;
use crate::unfinished::channels::{Tracks, Writer, WriterNames, tracks};
use crate::unfinished::gaps::{GAP, Track};
use crate::unfinished::heartbeats::beats;
use crate::unfinished::model::{Channel, SilenceReason, Silent, UnfinishedWork};
use widetui_analysis::entity::AllInstances;
use widetui_analysis::runs::Run;
use widetui_analysis::runs::SourceEnds;
use widetui_analysis::runs::partial_replicas;

/// Maximum number of records counted as written by others during a silence.
const COUNTED: usize = 100_000;

/// Whether the run of a source has ended, so that the end of the source is no silence.
fn has_ended(runs: &[Run], run: Option<usize>) -> bool {
    match run.and_then(|r| runs.get(r)) {
        Some(run) => run.end_event.is_some(),
        // A source without a run ends with all runs.
        None => !runs.is_empty() && runs.iter().all(|r| r.end_event.is_some()),
    }
}

/// Finds all silences; `None` when cancelled.
pub(crate) fn look(
    snapshot: &Snapshot,
    found: &AllInstances,
    (now, known): (Option<i64>, &SourceEnds),
    cancel: &Cancel,
    out: &mut UnfinishedWork,
) -> Option<()> {
    let search = Search {
        snapshot,
        found,
        now,
        hung: out,
        ends: ends(snapshot, &out.of_source, known),
        continued: {
            let parts = partial_replicas(snapshot, &out.of_source, known).into_iter();
            let continued = continued_sources(&snapshot.sources).into_iter();
            continued.zip(parts).map(|(on, part)| on || part).collect()
        },
        stuck_since: out.hanging().filter_map(|s| s.since).min(),
        rests: at_rest(found, out),
    };
    let open = search.open();
    if !open.contains(&true) {
        return Some(());
    }
    let names = WriterNames::new(snapshot);
    let tracks = tracks(snapshot, &names, (&open, &known.limits), cancel)?;
    let mut silent = search.writers(&tracks, &names);
    silent.extend(search.heartbeats(&tracks));
    sort(&mut silent);
    once(snapshot, &mut silent);
    out.silent = silent;
    Some(())
}

/// Parameters of the search for silences.
struct Search<'a> {
    snapshot: &'a Snapshot,
    found: &'a AllInstances,
    /// Current time, UTC ns, while the run is being written.
    now: Option<i64>,
    /// Unfinished work found so far.
    hung: &'a UnfinishedWork,
    /// Time until which others wrote, by source, UTC ns.
    ends: Vec<Option<i64>>,
    /// Whether a source continues in another file.
    continued: Vec<bool>,
    /// Time since which work is unfinished, UTC ns.
    stuck_since: Option<i64>,
    /// Keys that name work, for entities whose work has ended.
    rests: Vec<KeyId>,
}

impl Search<'_> {
    fn run_of(&self, source: SourceId) -> Option<usize> {
        self.hung.of_source.get(source.index()).copied().flatten()
    }

    /// Whether the end of each source would be a silence.
    fn open(&self) -> Vec<bool> {
        let is_open = |(source, continued): (&Arc<Source>, &bool)| {
            // Tables and dumps are written on demand.
            source.is_log
                && !source.has_trait(SourceTrait::Table)
                && !source.has_trait(SourceTrait::Dump)
                && !has_ended(&self.hung.runs, self.run_of(source.id))
                // Rotated parts of a log end where the next part begins.
                && !continued
        };
        let all = self.snapshot.sources.iter().zip(&self.continued);
        all.map(is_open).collect()
    }

    /// Time until which a source should have been written, UTC ns; `None` if unknown.
    fn end_of(&self, source: SourceId) -> Option<i64> {
        if self.continued[source.index()] {
            return None;
        }
        let goes_on = || crate::unfinished::goes_on(&self.hung.runs, self.run_of(source));
        let now = self.now.filter(|_| goes_on());
        now.or(self.ends.get(source.index()).copied().flatten())
    }

    /// Silences of sources, processes, threads and loggers; of nested ones the outermost.
    fn writers(&self, tracks: &[Tracks], names: &WriterNames) -> Vec<Silent> {
        let mut out = Vec::new();
        for (at, writers) in tracks.iter().enumerate() {
            let source = SourceId(at as u32);
            let Some(end) = self.end_of(source) else {
                continue;
            };
            let is_silent = |writer: Writer| writers.get(&writer).is_some_and(|t| t.is_silent(end));
            let silent = writers.iter().filter(|(w, _)| is_silent(**w));
            let mut silent: Vec<(&Writer, &Track)> = silent.collect();
            silent.sort_by_key(|(w, _)| **w);
            for (writer, track) in silent {
                let mut around = std::iter::successors(writer.parent(names), |w| w.parent(names));
                let is_told = around.any(is_silent);
                // Short-lived threads are normal.
                let long = track.last.saturating_sub(track.first);
                let was_long = *writer == Writer::All || long > GAP;
                let last = EventId(track.last_event);
                if !is_told && was_long && !says_farewell(self.snapshot, last) {
                    let channel = names.channel(self.snapshot, *writer);
                    out.extend(self.silent(source, channel, track));
                }
            }
        }
        out
    }

    /// Heartbeats that stopped in sources that did not fall silent.
    fn heartbeats(&self, tracks: &[Tracks]) -> Vec<Silent> {
        let mut out = Vec::new();
        for beat in beats(self.snapshot, self.found, |source| self.end_of(source)) {
            let Some(event) = self.snapshot.event(EventId(beat.track.last_event)) else {
                continue;
            };
            let source = event.source().id;
            let whole = tracks.get(source.index());
            let whole = whole.and_then(|writers| writers.get(&Writer::All));
            let is_told = |end| whole.is_none_or(|t| t.is_silent(end));
            if let Some(end) = self.end_of(source)
                && beat.track.is_silent(end)
                && !is_told(end)
            {
                let channel = Channel::Heartbeat(beat.of, beat.template);
                out.extend(self.silent(source, channel, &beat.track));
            }
        }
        out
    }

    /// A silence, if others continued to write.
    fn silent(&self, source: SourceId, channel: Channel, track: &Track) -> Option<Silent> {
        let snapshot = self.snapshot;
        let end = self.end_of(source)?;
        let source = &snapshot.sources[source.index()];
        let of_source = &self.hung.of_source;
        let others = others(snapshot, of_source, source.id, &channel, track.last);
        if others == 0 {
            return None;
        }
        let why = match self.stuck_since {
            // A thread that stops after the work did has nothing to do.
            Some(since) if channel != Channel::Source && track.last >= since => SilenceReason::Idle,
            None if tells_of(snapshot, source.id, &self.rests) => SilenceReason::Idle,
            Some(_) if waits_for_answer(snapshot, self.found, self.hung, track.last_event) => {
                SilenceReason::Busy
            }
            _ => why(snapshot, source.id, self.hung),
        };
        Some(Silent {
            source: source.id,
            tag: snapshot.source_name(source),
            records: track.records,
            usual_gap: track.usual_gap(),
            last_event: EventId(track.last_event),
            last: track.last,
            gap: end.saturating_sub(track.last),
            others,
            is_told: true,
            why,
            channel,
        })
    }
}

/// Whether the last record of a writer is about unfinished work that it requested and that is executed elsewhere.
fn waits_for_answer(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
    last: u32,
) -> bool {
    let source = |event: EventId| snapshot.event(event).map(|e| e.source().id);
    hung.hanging()
        .filter(|s| s.known.asked_by.is_some())
        .any(|s| {
            let goals = found.occurring.iter().find(|i| i.entity.name == s.entity);
            let instance = goals.and_then(|g| Some((g, g.list.get(s.instance)?)));
            let is_its = instance.is_some_and(|(g, i)| g.events(i).contains(&last));
            let there = s.begun_there.as_ref().or(s.finished_there.as_ref());
            is_its && there.is_none_or(|t| source(t.2) != source(EventId(last)))
        })
}

/// Keys that name work, for entities whose work has ended: a writer about such work only has nothing more to report.
fn at_rest(found: &AllInstances, hung: &UnfinishedWork) -> Vec<KeyId> {
    let is_over = |goals: &crate::unfinished::model::WorkItemCounts| {
        goals.begun > 0 && goals.begun == goals.ended + goals.again
    };
    if !hung.is_clear() || !hung.goals.iter().all(is_over) {
        return Vec::new();
    }
    let ids = found.work_items().flat_map(|goals| goals.alternatives());
    ids.filter_map(|id| id.last().copied()).collect()
}

/// Number of records of each segment of a source that are examined for these keys.
const LOOKED: u32 = 50;

/// Whether all examined records of a source have one of some keys.
fn tells_of(snapshot: &Snapshot, source: SourceId, keys: &[KeyId]) -> bool {
    let names_one = |id: EventId| {
        let mut found = false;
        if let Some(event) = snapshot.event(id) {
            event.for_each_code(|key, _, _| found |= keys.contains(&key));
        }
        found
    };
    let segments = snapshot.segments.iter().zip(snapshot.bases.iter());
    let mut rows = segments.flat_map(|(segment, base)| {
        let parts = segment.parts.iter().filter(|p| p.source == source);
        parts.flat_map(move |part| {
            let step = (part.rows / LOOKED).max(1) as usize;
            (part.first_row..part.first_row + part.rows)
                .step_by(step)
                .map(move |row| EventId(base + row))
        })
    });
    !keys.is_empty() && rows.all(names_one)
}

/// Sorts unexplained silences first, then larger writers, then earlier times.
fn sort(silent: &mut [Silent]) {
    let level = |c: &Channel| match c {
        Channel::Source => 0,
        Channel::Heartbeat(..) => 1,
        Channel::Process(_) => 2,
        Channel::Thread(_) => 3,
        Channel::Logger(..) => 4,
    };
    let reason = |w: SilenceReason| u8::from(w != SilenceReason::Unknown);
    silent.sort_by_key(|s| (reason(s.why), level(&s.channel), s.last, s.source.0));
}

/// Keeps one silence for a log and its duplicates.
fn once(snapshot: &Snapshot, silent: &mut Vec<Silent>) {
    let mut seen = FxHashSet::default();
    silent.retain(|s| {
        let last = snapshot.duplicates.group(s.last_event.0).next();
        last.is_none_or(|last| seen.insert((last, s.channel.clone())))
    });
}

/// Number of records before the last one of a source that are compared with it.
const COMPARED: u32 = 200;
/// Number of these with the same template that show that the source goes on after such a record. A service that was
/// restarted may have ended once before.
const REPEATED: usize = 2;

/// Whether a text, in lower case, contains words of a program that ends.
pub(crate) fn reports_end(words: &WordsDef, text: &str) -> bool {
    words.end.iter().any(|word| begins_a_word(text, word))
}

/// Whether a record reports the end of its writer: the text says so, and the source did not go on after such records
/// before (`item 299 done`).
fn says_farewell(snapshot: &Snapshot, last: EventId) -> bool {
    let Some(event) = snapshot.event(last) else {
        return false;
    };
    let template = event.template();
    let text = template
        .as_ref()
        .map(|t| t.text.to_lowercase())
        .unwrap_or_default();
    if !reports_end(&snapshot.catalog.words, &text) {
        return false;
    }
    let source = event.source().id;
    let before = (last.0.saturating_sub(COMPARED)..last.0).map(EventId);
    let before = before.filter_map(|id| snapshot.event(id));
    let before = before.filter(|e| e.source().id == source);
    let alike = before.filter(|e| e.template().map(|t| t.id) == template.as_ref().map(|t| t.id));
    alike.take(REPEATED).count() < REPEATED
}

/// For each source the time until which other sources that existed at its end continued: sources of its run, or all if
/// there are no runs. Later runs are irrelevant.
fn ends(snapshot: &Snapshot, of_source: &[Option<usize>], known: &SourceEnds) -> Vec<Option<i64>> {
    let run = |at: usize| of_source.get(at).copied().flatten();
    let latest = |at: usize| Some(known.last.get(at).copied().flatten()?.1);
    // Ranges of the sources of each run by begin, with the latest end so far.
    let mut ranges: FxHashMap<Option<usize>, Vec<(i64, i64)>> = FxHashMap::default();
    for (at, source) in snapshot.sources.iter().enumerate() {
        // Output of a later query does not continue a log.
        if let Some((first, _)) = source
            .range()
            .filter(|_| !source.has_trait(SourceTrait::Table))
        {
            let range = (first, latest(at).unwrap_or(first));
            ranges.entry(run(at)).or_default().push(range);
        }
    }
    for list in ranges.values_mut() {
        list.sort_unstable();
        let mut end = i64::MIN;
        for range in list.iter_mut() {
            end = end.max(range.1);
            range.1 = end;
        }
    }
    let end = |at: usize| {
        let last = latest(at)?;
        let list = ranges.get(&run(at))?;
        let before = list.partition_point(|r| r.0 <= last);
        list.get(before.checked_sub(1)?).map(|r| r.1)
    };
    (0..snapshot.sources.len()).map(end).collect()
}

/// Number of records that others of the run wrote after a time, with a limit.
fn others(
    snapshot: &Snapshot,
    of_source: &[Option<usize>],
    source: SourceId,
    channel: &Channel,
    last: i64,
) -> u64 {
    let from = snapshot.place_of_time(last.saturating_add(1));
    let run = of_source.get(source.index()).copied().flatten();
    let is_other = |id: &&u32| {
        let Some(event) = snapshot.event(EventId(**id)) else {
            return false;
        };
        let other = event.source().id;
        let same_run = of_source.get(other.index()).copied().flatten() == run;
        let is_log = !event.source().has_trait(SourceTrait::Table);
        let is_other = other != source || *channel != Channel::Source;
        let is_copy = snapshot.duplicates.original_of(**id).is_some();
        event.time().is_some() && is_log && same_run && is_other && !is_copy
    };
    let order = &snapshot.order;
    let after = order.range(from..order.len());
    after.take(COUNTED).filter(is_other).count() as u64
}

/// Reason of a silence: the path of the source names a resource that is busy or idle.
fn why(snapshot: &Snapshot, source: SourceId, hung: &UnfinishedWork) -> SilenceReason {
    let consts: Vec<(String, String)> = snapshot.sources[source.index()]
        .consts
        .iter()
        .filter_map(|(key, code)| {
            let view = snapshot.catalog.keys.get(*key)?;
            Some((view.key.name.to_string(), view.spelling(*code)?))
        })
        .collect();
    let names = |id: &[(String, String)]| !id.is_empty() && id.iter().all(|p| consts.contains(p));
    let without = { hung.idle.iter() }.flat_map(|i| i.idle.iter().map(|(id, _)| id));
    let mut without = without.chain(&hung.resting);
    if without.clone().any(|id| names(id)) {
        return SilenceReason::Idle;
    }
    // Idle resources show the keys of a resource; busy ones are identified by the place of their work.
    let carrier = without.next().map_or(&[][..], |id| id);
    let carrier: Vec<&str> = carrier.iter().map(|p| p.0.as_str()).collect();
    let is_on = |place: &[(String, String)]| {
        let own: Vec<(String, String)> = place
            .iter()
            .filter(|p| carrier.contains(&p.0.as_str()))
            .cloned()
            .collect();
        names(&own)
    };
    match hung.stuck.iter().any(|s| is_on(&s.place)) {
        true => SilenceReason::Busy,
        false => SilenceReason::Unknown,
    }
}

/// Last error of the runs that did not end, before the first unexplained silence if there is one. `None` when
/// cancelled.
pub(crate) fn last_error(
    snapshot: &Snapshot,
    hung: &UnfinishedWork,
    harmless: Harmless<'_>,
    cancel: &Cancel,
) -> Option<Option<EventId>> {
    let errors = errors(snapshot, hung);
    if errors.is_empty() {
        return Some(None);
    }
    let events: Vec<u32> = errors.iter().map(|e| e.1).collect();
    let known = harmless();
    // An empty condition would match all records.
    let harmless = match known.is_empty() {
        true => None,
        false => Some(select_among(
            snapshot,
            &Expr::any_of(known),
            Some(&events),
            cancel,
        )?),
    };
    let is_harmless = |event| harmless.as_ref().is_some_and(|h| h.contains(event));
    let counts = |e: &&(i64, u32)| !is_harmless(EventId(e.1));
    let last = errors.iter().filter(counts).max();
    Some(last.map(|l| EventId(l.1)))
}

/// Errors of runs that did not end, up to the first unexplained silence: time (UTC ns) and event.
fn errors(snapshot: &Snapshot, hung: &UnfinishedWork) -> Vec<(i64, u32)> {
    let silent = hung.silent.iter();
    let silence = silent.filter(|s| s.why == SilenceReason::Unknown);
    let limit = silence.map(|s| s.last).min().unwrap_or(i64::MAX);
    let mut out = Vec::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for group in &segment.groups {
            let shape = snapshot.catalog.shapes.get(group.shape.index());
            if shape.is_none_or(|s| s.level < Level::Error) {
                continue;
            }
            for row in group.rows.iter().map(|r| usize::from(*r)) {
                let source = segment.part(row).source;
                let run = hung.of_source.get(source.index()).copied().flatten();
                if has_ended(&hung.runs, run) {
                    continue;
                }
                let event = base + row as u32;
                let time = snapshot.event(EventId(event)).and_then(|e| e.time());
                out.extend(time.filter(|t| *t <= limit).map(|t| (t, event)));
            }
        }
    }
    out
}
