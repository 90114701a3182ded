//! `widetui events --follow`: events of a run, then new ones as files grow.
//!
//! Events have the keys of records and paths only. Joins are not applied: the record with the evidence for a key may
//! come long after the record that receives the key was printed.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use widetui_core::cancel::Cancel;
use widetui_core::diag::Diagnostic;
use widetui_core::ids::{EventId, SourceId};
use widetui_ingest::follow_switch::FollowSwitch;
use widetui_ingest::load::{self};
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_ingest::threads;
use widetui_session::record_texts::Place;
use widetui_source::text::read_range;
use widetui_store::{EventRef, Snapshot, SourceTrait};

use super::args::{OpenArgs, SelectArgs};
use super::event_writer::{EventWriter, Form};
use super::open::{options, report_problems};
use super::opened::{Notes, Opened};
use super::output::{Failure, safe, stdout, warn};
use super::selection::selection;

/// Time after which the last record of a source is written, as further lines (a traceback) may follow.
const RECORD_WAIT: Duration = Duration::from_millis(900);
/// Time after which a record without a line end is written, as the rest of its line usually follows.
const LINE_WAIT: Duration = Duration::from_secs(5);

/// Writes the existing events, then new ones, until the process is ended or the output is closed.
pub fn print(
    paths: &[PathBuf],
    open: &OpenArgs,
    select: &SelectArgs,
    keys: &[String],
    limit: Option<usize>,
    form: Form,
) -> Result<(), Failure> {
    let typed = [("--join", &open.join), ("--no-join", &open.no_join)];
    let is_wish = |(_, names): &(&str, &Vec<String>)| names.iter().any(|name| name != "none");
    if let Some((option, _)) = typed.into_iter().find(is_wish) {
        return Err(Failure::Message(format!(
            "{option}: --follow prints records as they arrive, without keys from joins"
        )));
    }
    let (options, zone) = options(paths, open)?;
    let options = OpenOptions {
        follow: Some(FollowSwitch::new(true)),
        ..options
    };
    threads::start_shared().map_err(|e| Failure::Message(e.to_string()))?;
    let (first, receive) = match begin(&options)? {
        (Some(first), receive) => (first, receive),
        (None, _) => return Ok(()),
    };
    report_problems(&first);
    let opened = Opened {
        snapshot: first.clone(),
        meaning: Arc::default(),
        joins: Arc::default(),
        zone,
        notes: Notes::default(),
    };
    let keys = &opened.keys_of_option("--keys", keys)?;
    let mut tail = Tail {
        writer: EventWriter::new(&opened, keys, form),
        opened,
        select,
        done: first.settled,
        held: HashMap::new(),
        growing: HashMap::new(),
        written_early: HashSet::new(),
        written_and_removed: HashSet::new(),
        possible_problems: Vec::new(),
        out: stdout(),
        is_begun: false,
    };
    let mut ids = tail.matching(&first, |_| true)?;
    ids.retain(|id| *id < first.settled);
    let from = ids.len().saturating_sub(limit.unwrap_or(usize::MAX));
    tail.write(&ids[from..])?;
    tail.note_open(&first);
    loop {
        match receive.recv_timeout(RECORD_WAIT / 3) {
            Ok(LoadMsg::Snapshot(snapshot)) => tail.take(snapshot)?,
            Ok(LoadMsg::Failed(reason)) => return Err(Failure::Message(reason)),
            Ok(LoadMsg::Progress { .. }) => {}
            Err(RecvTimeoutError::Timeout) => tail.release()?,
            Err(RecvTimeoutError::Disconnected) => {
                if !first.may_grow() {
                    warn("nothing to follow: archives and ended input do not grow");
                }
                return Ok(());
            }
        }
    }
}

/// Starts to follow as soon as a file exists, as the run may not have begun. Returns the run as loaded, and the channel of its
/// updates.
fn begin(options: &OpenOptions) -> Result<(Option<Arc<Snapshot>>, Receiver<LoadMsg>), Failure> {
    let is_nothing_there = || load::is_nothing_there(options, &Cancel::default());
    let (mut is_told, mut may_have_come) = (false, true);
    loop {
        let (send, receive) = crossbeam_channel::unbounded();
        load::spawn(options.clone(), send, Cancel::default())
            .map_err(|e| Failure::Message(e.to_string()))?;
        // Listing a folder may be slow: it is listed again only if it was empty.
        match first(&receive) {
            Err(_) if is_nothing_there() => {
                if !is_told {
                    warn("no files yet; waiting");
                    is_told = true;
                }
                while is_nothing_there() {
                    std::thread::sleep(RECORD_WAIT);
                }
            }
            // A file may have appeared since.
            Err(_) if std::mem::take(&mut may_have_come) => {}
            loaded => return Ok((loaded?, receive)),
        }
    }
}

/// Run as loaded.
fn first(receive: &Receiver<LoadMsg>) -> Result<Option<Arc<Snapshot>>, Failure> {
    loop {
        match receive.recv() {
            Ok(LoadMsg::Snapshot(snapshot)) if snapshot.complete => return Ok(Some(snapshot)),
            Ok(LoadMsg::Failed(reason)) => return Err(Failure::Message(reason)),
            Ok(_) => {}
            Err(_) => return Ok(None),
        }
    }
}

/// Number of written rows of each table. A table with changing rows is read anew, and then each row behind a longer one has
/// another offset: the same number of first rows is not written again.
fn written_rows(snapshot: &Snapshot, written: &HashSet<Place>) -> HashMap<SourceId, u64> {
    let mut counts: HashMap<SourceId, usize> = HashMap::new();
    for place in written {
        let source = snapshot.source(place.source);
        if source.is_some_and(|s| s.has_trait(SourceTrait::Table)) {
            *counts.entry(place.source).or_default() += 1;
        }
    }
    let mut rows: HashMap<SourceId, Vec<u64>> = HashMap::new();
    for id in 0..snapshot.settled {
        if let Some(place) = snapshot.event(EventId(id)).map(|e| Place::from_event(&e))
            && counts.contains_key(&place.source)
        {
            rows.entry(place.source).or_default().push(place.offset);
        }
    }
    let end = |(source, mut rows): (SourceId, Vec<u64>)| {
        rows.sort_unstable();
        let first = counts.get(&source).and_then(|n| rows.get(*n));
        (source, first.copied().unwrap_or(u64::MAX))
    };
    rows.into_iter().map(end).collect()
}

/// Record that may still grow.
#[derive(Clone, Copy, Debug)]
struct OpenRecord {
    /// Length, bytes.
    len: u64,
    /// Time since which it has this length.
    since: Instant,
    /// Time to wait for more.
    patience: Duration,
}

struct Tail<'a, W> {
    opened: Opened,
    select: &'a SelectArgs,
    writer: EventWriter,
    /// Number of events that were written or are held.
    done: u32,
    /// Last records of sources, and their times of arrival.
    held: HashMap<u32, Instant>,
    /// Records that may still grow: further lines may follow, or their last line has no end.
    growing: HashMap<Place, OpenRecord>,
    /// Records among them that were written, and are not written again.
    written_early: HashSet<Place>,
    /// Written records that left the snapshot: they are not written again when their source is read again.
    written_and_removed: HashSet<Place>,
    /// Possible problems of lines, and their times.
    possible_problems: Vec<(Instant, Diagnostic)>,
    out: W,
    is_begun: bool,
}

impl<W: Write> Tail<'_, W> {
    /// Takes over a new snapshot.
    fn take(&mut self, snapshot: Arc<Snapshot>) -> Result<(), Failure> {
        let older = std::mem::replace(&mut self.opened.snapshot, snapshot.clone());
        self.report_problems(&older, &snapshot);
        let now = Instant::now();
        if snapshot.extends(&older) {
            let gone = &mut self.written_and_removed;
            let is_new = |id: &u32| {
                let place = || snapshot.event(EventId(*id)).map(|e| Place::from_event(&e));
                gone.is_empty() || !place().is_some_and(|place| gone.remove(&place))
            };
            let new = (self.done..snapshot.settled).filter(is_new);
            self.held.extend(new.map(|id| (id, now)));
        } else {
            // Ids have changed: written records are found by their places.
            let place = |e: EventRef<'_>| Place::from_event(&e);
            let known = |s: &Snapshot, id: u32| s.event(EventId(id)).map(place);
            let held = std::mem::take(&mut self.held);
            let held: HashMap<Place, Instant> = held
                .into_iter()
                .filter_map(|(id, since)| Some((known(&older, id)?, since)))
                .collect();
            let before: HashSet<Place> = (0..self.done)
                .filter_map(|id| known(&older, id))
                .filter(|place| !held.contains_key(place))
                .collect();
            let rows = written_rows(&snapshot, &before);
            self.written_and_removed.extend(before);
            let gone = &mut self.written_and_removed;
            let new = (0..snapshot.settled).filter_map(|id| {
                let place = known(&snapshot, id)?;
                let since = held.get(&place).copied().unwrap_or(now);
                let is_written = match rows.get(&place.source) {
                    Some(end) => place.offset < *end,
                    None => false,
                };
                (!gone.remove(&place) && !is_written).then_some((id, since))
            });
            self.held = new.collect();
        }
        self.done = snapshot.settled;
        let early = &mut self.written_early;
        self.held.retain(|id, _| {
            let place = snapshot.event(EventId(*id)).map(|e| Place::from_event(&e));
            !place.is_some_and(|place| early.remove(&place))
        });
        self.note_open(&snapshot);
        self.release()
    }

    /// Notes the records at the ends of sources that may still grow.
    fn note_open(&mut self, snapshot: &Snapshot) {
        let before = std::mem::take(&mut self.growing);
        for id in snapshot.settled..snapshot.len() as u32 {
            let Some(event) = snapshot.event(EventId(id)) else {
                continue;
            };
            let len = event.span().1 as u64;
            let place = Place::from_event(&event);
            if self.written_early.contains(&place) {
                continue;
            }
            let known = before.get(&place).filter(|known| known.len == len);
            let since = known.map_or_else(Instant::now, |known| known.since);
            let patience = wait_for(&event);
            let open = OpenRecord {
                len,
                since,
                patience,
            };
            self.growing.insert(place, open);
        }
    }

    /// Writes complete records.
    fn release(&mut self) -> Result<(), Failure> {
        self.report_lasting_problems();
        let snapshot = self.opened.snapshot.clone();
        let last = |id: &u32| {
            let source = snapshot.event(EventId(*id)).map(|e| e.source().id.index());
            source.and_then(|s| snapshot.last_events.get(s)) == Some(id)
        };
        let ripe: Vec<u32> = self
            .held
            .iter()
            .filter(|(id, since)| {
                let event = || snapshot.event(EventId(**id));
                let long = || event().is_none_or(|event| since.elapsed() >= wait_for(&event));
                !last(id) || since.elapsed() >= RECORD_WAIT && long()
            })
            .map(|(id, _)| *id)
            .collect();
        ripe.iter().for_each(|id| {
            self.held.remove(id);
        });
        let ripe = ripe.into_iter().chain(self.timed_out(&snapshot));
        let ripe: Vec<u32> = ripe.collect();
        if ripe.is_empty() {
            return Ok(());
        }
        let mut ripe: Vec<_> = ripe
            .into_iter()
            .filter_map(|id| {
                let event = snapshot.event(EventId(id))?;
                Some(((event.order_time(), event.source().id, event.span().0), id))
            })
            .collect();
        ripe.sort_unstable();
        let ids: Vec<u32> = ripe.into_iter().map(|r| r.1).collect();
        let excerpt = snapshot.excerpt(&ids);
        let matching = self.matching(&excerpt, |id| {
            snapshot.duplicates.original_of(ids[id as usize]).is_none()
        })?;
        let ids: Vec<u32> = matching.into_iter().map(|at| ids[at as usize]).collect();
        self.write(&ids)
    }

    /// Records that have not grown for their time to wait.
    fn timed_out(&mut self, snapshot: &Snapshot) -> Vec<u32> {
        let mut out = Vec::new();
        for id in snapshot.settled..snapshot.len() as u32 {
            let Some(place) = snapshot.event(EventId(id)).map(|e| Place::from_event(&e)) else {
                continue;
            };
            let is_ripe = |open: &OpenRecord| open.since.elapsed() >= open.patience;
            if self.growing.get(&place).is_some_and(is_ripe) {
                self.growing.remove(&place);
                self.written_early.insert(place);
                out.push(id);
            }
        }
        out
    }

    /// Selected events of a snapshot in time order. `is_first` is false for duplicates.
    fn matching(
        &self,
        snapshot: &Snapshot,
        is_first: impl Fn(u32) -> bool,
    ) -> Result<Vec<u32>, Failure> {
        let opened = Opened {
            snapshot: Arc::new(snapshot.clone()),
            meaning: Arc::default(),
            joins: Arc::default(),
            zone: self.opened.zone.clone(),
            notes: self.opened.notes.clone(),
        };
        let mut ids = match selection(&opened, self.select)? {
            Some(chosen) => chosen.ordered(snapshot),
            None => snapshot.order.to_vec(),
        };
        if self.select.unique {
            ids.retain(|id| is_first(*id));
        }
        Ok(ids)
    }

    fn write(&mut self, ids: &[u32]) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.writer.head(&mut self.out)?;
        }
        self.writer
            .events(&self.opened.snapshot, ids, &mut self.out)?;
        Ok(self.out.flush()?)
    }

    /// Reports new problems of sources on standard error. Problems of lines are reported if they last, as a line may not be
    /// complete yet.
    fn report_problems(&mut self, older: &Snapshot, newer: &Snapshot) {
        for (at, source) in newer.sources.iter().enumerate() {
            let before = older.sources.get(at);
            if before.is_some_and(|b| Arc::ptr_eq(b, source)) {
                continue;
            }
            let known = before.map_or(&[][..], |b| &b.problems);
            for problem in source.problems.iter().filter(|p| !known.contains(p)) {
                match problem.lines {
                    None => warn(safe(&problem.to_string())),
                    Some(_) => self
                        .possible_problems
                        .push((Instant::now(), problem.clone())),
                }
            }
        }
    }

    /// Reports problems of lines that lasted.
    fn report_lasting_problems(&mut self) {
        let old = |(since, _): &(Instant, _)| since.elapsed() >= LINE_WAIT;
        let sources = &self.opened.snapshot.sources;
        for (_, problem) in self.possible_problems.iter().filter(|doubt| old(doubt)) {
            if sources
                .iter()
                .any(|source| source.problems.contains(problem))
            {
                warn(safe(&problem.to_string()));
            }
        }
        self.possible_problems.retain(|doubt| !old(doubt));
    }
}

/// Time to wait for more of the last record of a source.
fn wait_for(event: &EventRef<'_>) -> Duration {
    let (offset, len) = event.span();
    let end = (offset + len as u64).saturating_sub(1);
    let last = read_range(&*event.source().text, end, 1);
    match last.is_ok_and(|byte| byte == b"\n") {
        true => RECORD_WAIT,
        false => LINE_WAIT,
    }
}
