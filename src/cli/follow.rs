//! `widetui events --follow`: events of a run, then new ones as files grow.
//!
//! Without a condition, events have the keys of records and paths only: the record with the evidence for a derived key
//! may come long after the record that receives the key was printed. If a condition or `--keys` names a key that joins
//! give, the joins are applied to each snapshot, and a record is printed once it matches, which may be long after it was
//! read. A key that no record has yet is waited for.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use widetui_core::cancel::Cancel;
use widetui_core::diag::Diagnostic;
use widetui_core::ids::{EventId, SourceId};
use widetui_core::words::several;
use widetui_ingest::follow_switch::FollowSwitch;
use widetui_ingest::load::{self};
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_ingest::threads;
use widetui_join::Join;
use widetui_query::{self as query, Expr, Field, TimeContext};
use widetui_session::meaning::{Meaning, WantedKeys, needed_joins, with_joined_values};
use widetui_session::record_texts::Place;
use widetui_source::text::read_range;
use widetui_store::{EventRef, Snapshot, SourceTrait};
use widetui_time::zone::Zone;

use super::args::{OpenArgs, SelectArgs};
use super::event_writer::{EventWriter, Form};
use super::open::{joins_of_options, options, report_problems};
use super::opened::{Notes, Opened};
use super::output::{Failure, safe, stdout, warn};
use super::selection::{conditions, selection};

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
    check_syntax(select)?;
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
    let has_conditions = select.filter.is_some() || !select.same.is_empty();
    let meaning = match has_conditions || !keys.is_empty() || !open.join.is_empty() {
        true => Meaning::new(&options.systems),
        false => Meaning::default(),
    };
    let opened = Opened {
        snapshot: first.clone(),
        meaning: Arc::new(meaning),
        joins: Arc::default(),
        zone,
        notes: Notes::default(),
    };
    // A key that is not known yet may come.
    let key = |typed: &String| opened.key_of_option("--keys", typed);
    let keys: Vec<String> = keys
        .iter()
        .map(|k| key(k).unwrap_or_else(|_| k.clone()))
        .collect();
    let live_joins = LiveJoins::needed(&opened, open, select, &keys)?;
    let keys = &keys[..];
    let mut tail = Tail {
        writer: EventWriter::new(&opened, keys, form),
        opened,
        select,
        live_joins,
        done: first.settled,
        held: HashMap::new(),
        growing: HashMap::new(),
        written_early: HashSet::new(),
        written_and_removed: HashSet::new(),
        possible_problems: Vec::new(),
        out: stdout(),
        is_begun: false,
    };
    match tail.live_joins.is_some() {
        true => tail.write_joined(limit)?,
        false => {
            let mut ids = tail.matching(&first, |_| true)?;
            ids.retain(|id| *id < first.settled);
            let from = ids.len().saturating_sub(limit.unwrap_or(usize::MAX));
            tail.write(&first, &ids[from..])?;
        }
    }
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
pub(super) fn begin(
    options: &OpenOptions,
) -> Result<(Option<Arc<Snapshot>>, Receiver<LoadMsg>), Failure> {
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

/// Inverse of the maximum share of the time for applying joins.
const JOIN_SHARE: u32 = 4;

/// Joins applied while records arrive.
#[derive(Debug)]
struct LiveJoins {
    joins: Vec<Join>,
    /// Keys of the condition.
    keys: Vec<String>,
    /// Records that were written.
    written: HashSet<Place>,
    /// Whether records have arrived since the joins were applied.
    is_due: bool,
    /// Time at which joins may be applied again.
    rests_until: Option<Instant>,
    /// Whether the number of records without the key was reported.
    is_reported: bool,
}

impl LiveJoins {
    /// Joins that give the keys of the condition or of `--keys`; `None` if none does.
    fn needed(
        opened: &Opened,
        open: &OpenArgs,
        select: &SelectArgs,
        keys: &[String],
    ) -> Result<Option<LiveJoins>, Failure> {
        let joins = joins_of_options(&opened.meaning.joins, open)?;
        let joins = joins.unwrap_or_else(|| opened.meaning.joins.clone());
        let of_condition = conditions(opened, select).ok().map(|all| {
            let named = all.iter().flat_map(Expr::keys).map(str::to_owned);
            named.collect::<Vec<String>>()
        });
        let wanted = match &of_condition {
            _ if !open.join.is_empty() => WantedKeys::All,
            Some(of_condition) => WantedKeys::Keys([&of_condition[..], keys].concat()),
            // Joins may give the key that is not known yet.
            None => WantedKeys::All,
        };
        let joins = needed_joins(&opened.snapshot, &joins, &wanted).to_vec();
        Ok((!joins.is_empty()).then(|| LiveJoins {
            joins,
            keys: of_condition.unwrap_or_default(),
            written: HashSet::new(),
            is_due: false,
            rests_until: None,
            is_reported: false,
        }))
    }

    /// Reports the number of records that lack a key of the condition, once.
    fn report_held_back(&mut self, snapshot: &Snapshot) {
        let Some(key) = self.keys.first() else {
            return;
        };
        let known = query::select(snapshot, &Expr::Has(Field::named(key)), &Cancel::default());
        let lacking = snapshot
            .len()
            .saturating_sub(known.map_or(0, |known| known.len()));
        if lacking > 0 && !std::mem::replace(&mut self.is_reported, true) {
            let records = several(lacking, "record");
            warn(format_args!(
                "{records} without {key} so far: each is printed when a join gives it a value that matches"
            ));
        }
    }
}

/// Checks the syntax of the condition, whichever keys there are.
fn check_syntax(select: &SelectArgs) -> Result<(), Failure> {
    let Some(filter) = &select.filter else {
        return Ok(());
    };
    let time = TimeContext {
        base_date_ns: 0,
        zone: Zone::Utc,
    };
    let parsed = query::parse(filter, None, &time);
    parsed
        .map(|_| ())
        .map_err(|e| Failure::Message(format!("invalid expression:\n{}", e.render())))
}

struct Tail<'a, W> {
    opened: Opened,
    select: &'a SelectArgs,
    writer: EventWriter,
    /// Joins that the condition needs.
    live_joins: Option<LiveJoins>,
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
        if let Some(live) = &mut self.live_joins {
            live.is_due |= !ripe.is_empty();
            let may_join = live.is_due && live.rests_until.is_none_or(|t| Instant::now() >= t);
            return if may_join {
                self.write_joined(None)
            } else {
                Ok(())
            };
        }
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
        self.write(&snapshot, &ids)
    }

    /// Applies the joins to the newest snapshot, and writes the matching records that were not written, the last `limit` of
    /// them.
    fn write_joined(&mut self, limit: Option<usize>) -> Result<(), Failure> {
        let Some(mut live) = self.live_joins.take() else {
            return Ok(());
        };
        let begun = Instant::now();
        let newest = &self.opened.snapshot;
        let joined = with_joined_values(newest, &live.joins, &Cancel::default());
        let snapshot = joined.map_or_else(|| newest.clone(), |(snapshot, _)| snapshot);
        let duplicates = snapshot.duplicates.clone();
        let mut ids = self.matching(&snapshot, |id| duplicates.original_of(id).is_none())?;
        let place = |id: u32| snapshot.event(EventId(id)).map(|e| Place::from_event(&e));
        ids.retain(|id| match *id < snapshot.settled {
            true => !self.held.contains_key(id),
            false => place(*id).is_some_and(|place| self.written_early.contains(&place)),
        });
        ids.retain(|id| place(*id).is_some_and(|place| live.written.insert(place)));
        let from = ids.len().saturating_sub(limit.unwrap_or(usize::MAX));
        live.is_due = false;
        live.rests_until = Some(Instant::now() + begun.elapsed() * JOIN_SHARE);
        live.report_held_back(&snapshot);
        self.live_joins = Some(live);
        self.write(&snapshot, &ids[from..])
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
            meaning: self.opened.meaning.clone(),
            joins: Arc::default(),
            zone: self.opened.zone.clone(),
            notes: self.opened.notes.clone(),
        };
        let mut ids = match selection(&opened, self.select) {
            Ok(Some(chosen)) => chosen.ordered(snapshot),
            Ok(None) => snapshot.order.to_vec(),
            // The syntax was checked: a key is not known yet.
            Err(Failure::Message(text)) => {
                let text = text.trim_start_matches("invalid expression:\n").trim_end();
                self.opened
                    .notes
                    .report(&format!("waiting for a key:\n{text}"));
                Vec::new()
            }
            Err(failure) => return Err(failure),
        };
        if self.select.unique {
            ids.retain(|id| is_first(*id));
        }
        Ok(ids)
    }

    fn write(&mut self, snapshot: &Snapshot, ids: &[u32]) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.writer.head(&mut self.out)?;
        }
        self.writer.events(snapshot, ids, &mut self.out)?;
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
