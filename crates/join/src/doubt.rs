//! Doubt: the instances to which a record may belong, if the path of its log does not decide that.
//!
//! Two Parsl runs (DataFlowKernels) in one process write each other's records into both logs. The
//! paths then only give candidates for the owner of a record. A log may be cut: a record that
//! stands in one log only is doubtful, too, if another log of the process may have lost it. A log
//! is known to lack a record only between its first and its last record, and beyond them if it
//! begins with the start of its instance or goes on to the end.
//!
//! [`crate::refutation`] chooses among the candidates.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::disjoint_sets::DisjointSets;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::{self as query, Selection};
use widetui_store::key_column::disputed_rows;
use widetui_store::{EventRef, Snapshot, ValueOrigin};
use widetui_time::time::NO_TIME;

use crate::applicable::applies_to;
use crate::marks::{Mark, marks, next_start};
use crate::row_walk::{PartRows, parts_by_source};
use crate::spec::identity::PROCESS_ID;
use crate::spec::{Join, JoinRule, SectionRule};

/// Number of records at the start and at the end of a log among which its process and its times
/// are searched: the first ones may continue a record that a cut removed.
const BORDER: usize = 256;

/// Maximum distance of a record from its place in time order, ns: threads take the time before they write.
const DISORDER: i64 = 1_000_000_000;

/// Logs that may hold records of each other's instances, by the rule of a definition.
#[derive(Debug)]
pub(crate) struct SharedLogs {
    /// Key of the paths that names the instance.
    key: KeyId,
    logs: FxHashMap<SourceId, Log>,
    /// Logs of each process with several instances.
    processes: Vec<Vec<SourceId>>,
}

/// Log of an instance, and its known range.
#[derive(Debug)]
struct Log {
    /// Value of the path: the instance.
    owner: Code,
    process: usize,
    /// Times of the first and the last record, UTC ns.
    first: i64,
    last: i64,
    /// True if the instance has no record before the first one.
    begins: bool,
    /// True if the log has no record after the last one.
    ends: bool,
    /// First and last records if the log may be cut there: a part of a record is no duplicate of the whole one.
    cut_records: Vec<EventId>,
    /// Number of other instances that may have been alive when the log began.
    alive_before: u32,
    /// Starts and ends of instances.
    marks: Vec<Mark>,
    /// Time at which the instance is over and another one starts, UTC ns.
    over: Option<i64>,
}

impl Log {
    /// True if the instance may have written a record that the log does not hold.
    fn may_have_lost(&self, time: Option<i64>) -> bool {
        let Some(time) = time else {
            return !self.begins || !self.ends;
        };
        let is_over = self.over.is_some_and(|next| time >= next);
        let may_precede = !self.begins && time <= self.first.saturating_add(DISORDER);
        let may_follow = !self.ends && time >= self.last.saturating_sub(DISORDER);
        !is_over && (may_precede || may_follow)
    }
}

/// Doubt about the records of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct Doubt {
    shared: Vec<SharedLogs>,
    /// Rows by segment whose path does not decide their owner, ascending.
    pub(crate) rows: Vec<Vec<u32>>,
}

impl Doubt {
    /// Finds the doubtful records of a snapshot by the rules among `joins`. `None` when cancelled.
    pub(crate) fn find(snapshot: &Snapshot, joins: &[Join], cancel: &Cancel) -> Option<Doubt> {
        let mut doubt = Doubt {
            shared: Vec::new(),
            rows: disputed_rows(snapshot),
        };
        for join in joins {
            if let JoinRule::FirstRecord(rule) = &join.rule
                && let Some(sections) = &rule.sections
                && let Some(name) = rule.derived_keys.get(1)
                && let Some(key) = snapshot.catalog.keys.find(name)
            {
                let applies = |source| applies_to(snapshot, source, join, &rule.source_kinds);
                let mut files = parts_by_source(snapshot);
                files.retain(|(source, _)| applies(*source));
                let shared = SharedLogs::find(snapshot, key, &files, sections, cancel)?;
                shared.add_doubtful_rows(snapshot, &files, &mut doubt.rows);
                doubt.shared.push(shared);
            }
        }
        doubt.shared.retain(|shared| !shared.processes.is_empty());
        Some(doubt)
    }

    /// True if no record is doubtful.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.iter().all(Vec::is_empty)
    }

    /// Number of other instances of the process of a log that may have been alive when it began.
    pub(crate) fn alive_before(&self, source: SourceId) -> u32 {
        let mut logs = self.shared.iter().filter_map(|s| s.logs.get(&source));
        logs.next().map_or(0, |log| log.alive_before)
    }

    /// True if a log holds all records of an instance up to a time (UTC ns).
    pub(crate) fn is_known_until(&self, owner: Code, time: i64) -> bool {
        let mut logs = self.shared.iter().flat_map(|s| s.logs.values());
        logs.any(|log| {
            log.owner == owner && log.begins && time <= log.last.saturating_sub(DISORDER)
        })
    }

    /// True if a log is one of a process with several instances.
    pub(crate) fn is_shared(&self, source: SourceId) -> bool {
        self.shared.iter().any(|s| s.logs.contains_key(&source))
    }

    /// True if the first record of a log may be missing, and with it what the log begins with.
    pub(crate) fn may_lack_start(&self, source: SourceId) -> bool {
        let mut logs = self.shared.iter().filter_map(|s| s.logs.get(&source));
        logs.any(|log| !log.begins)
    }

    /// Values of a path key that a record may have, ascending; empty if no path states the key.
    pub(crate) fn candidates(&self, snapshot: &Snapshot, event: EventId, key: KeyId) -> Vec<Code> {
        let dict = snapshot.catalog.keys.get(key).map(|key| &key.dict);
        let holders = snapshot.duplicates.group(event.0);
        let holders = holders.filter_map(|id| Some(snapshot.event(EventId(id))?.source()));
        let mut holding = Vec::new();
        let mut codes: Vec<Code> = holders
            .filter_map(|source| {
                holding.push(source.id);
                let found = source.consts.iter().find(|(k, _)| *k == key)?;
                Some(dict.map_or(found.1, |dict| dict.canonical(found.1)))
            })
            .collect();
        if let Some(event) = snapshot.event(event) {
            for shared in self.shared.iter().filter(|s| s.key == key) {
                shared.adjust(&event, &holding, &mut codes);
            }
        }
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

/// Number of records that are of an unknown instance, as their paths do not decide and no join did; duplicates count once.
pub fn undecided_records(snapshot: &Snapshot) -> usize {
    let segments = snapshot.derived.segments.iter().zip(snapshot.bases.iter());
    let doubtful = segments.flat_map(|(derived, base)| {
        let rows = derived.doubtful().iter();
        rows.map(move |row| base + row)
    });
    let is_undecided = |id: u32| {
        let Some(event) = snapshot.event(EventId(id)) else {
            return false;
        };
        let mut open: Vec<KeyId> = event.source().consts.iter().map(|(key, _)| *key).collect();
        event.for_each_code(|key, _, _| open.retain(|other| *other != key));
        !open.is_empty()
    };
    let is_original = |id: &u32| snapshot.duplicates.original_of(*id).is_none();
    let originals = doubtful.filter(is_original);
    originals.filter(|id| is_undecided(*id)).count()
}

impl SharedLogs {
    fn find(
        snapshot: &Snapshot,
        key: KeyId,
        files: &[(SourceId, Vec<PartRows>)],
        rule: &SectionRule,
        cancel: &Cancel,
    ) -> Option<SharedLogs> {
        let mut out = SharedLogs {
            key,
            logs: FxHashMap::default(),
            processes: processes(snapshot, key, files, None),
        };
        if out.processes.is_empty() {
            return Some(out);
        }
        let open = query::select(snapshot, &rule.start, cancel)?;
        out.processes = processes(snapshot, key, files, Some(&open));
        let close = query::select(snapshot, &rule.end, cancel)?;
        let last = match &rule.last {
            Some(last) => query::select(snapshot, last, cancel)?,
            None => Selection::from_events(snapshot, []),
        };
        let name_key = rule.name_key.as_ref();
        let name_key = name_key.and_then(|name| snapshot.catalog.keys.find(name));
        for (number, process) in out.processes.iter().enumerate() {
            for (source, parts) in files.iter().filter(|(source, _)| process.contains(source)) {
                let Some(owner) = path_value(snapshot, *source, key) else {
                    continue;
                };
                let log = Border::of(snapshot, parts).map(|border| {
                    let marks = marks(snapshot, parts, &open, &close);
                    let begins = marks.first().is_some_and(|mark| mark.is_first)
                        && !border.first_is_shared(snapshot)
                        && !border.first_continues(snapshot, &open, name_key)
                        && states_owner(snapshot, (key, owner), name_key, (parts, &open));
                    let ends = last.contains(border.last_event);
                    Log {
                        owner,
                        process: number,
                        first: border.first,
                        last: border.last,
                        begins,
                        ends,
                        cut_records: border.cut_records(begins, ends),
                        alive_before: 0,
                        marks,
                        over: None,
                    }
                });
                out.logs.extend(log.map(|log| (*source, log)));
            }
        }
        out.find_ends();
        Some(out)
    }

    /// Finds the ends of instances, in the order in which their logs begin.
    fn find_ends(&mut self) {
        let mut order: Vec<SourceId> = self.logs.keys().copied().collect();
        order.sort_unstable_by_key(|source| (self.logs.get(source).map(|log| log.first), *source));
        for source in order {
            let Some(own) = self.logs.get(&source) else {
                continue;
            };
            let is_before = |log: &&Log| {
                let is_over = log.over.is_some_and(|next| next <= own.first);
                let is_later = log.begins && log.first > own.first;
                log.process == own.process && log.owner != own.owner && !is_over && !is_later
            };
            let before = self.logs.values().filter(is_before).count() as u32;
            if let Some(own) = self.logs.get_mut(&source) {
                own.alive_before = before;
                own.over = match own.begins {
                    true => next_start(&own.marks, before),
                    false => None,
                };
            }
        }
    }

    /// Adds the logs that may have lost a record to its candidates, and removes instances that were
    /// over. `holding` are the logs that hold the record.
    fn adjust(&self, event: &EventRef<'_>, holding: &[SourceId], codes: &mut Vec<Code>) {
        let Some(own) = holding.iter().find_map(|source| self.logs.get(source)) else {
            return;
        };
        let time = event.time();
        let may_be_cut = own.cut_records.contains(&event.id);
        for source in self.processes.get(own.process).into_iter().flatten() {
            let log = self.logs.get(source).filter(|_| !holding.contains(source));
            if let Some(log) = log.filter(|log| may_be_cut || log.may_have_lost(time)) {
                codes.push(log.owner);
            }
        }
        let is_over = |code: &Code| {
            let mut logs = self.logs.values().filter(|log| log.owner == *code);
            logs.any(|log| log.over.is_some() && log.over <= time)
        };
        if codes.iter().any(|code| !is_over(code)) {
            codes.retain(|code| !is_over(code));
        }
    }

    /// Adds the rows of logs that other logs of the process may have lost.
    fn add_doubtful_rows(
        &self,
        snapshot: &Snapshot,
        files: &[(SourceId, Vec<PartRows>)],
        rows: &mut [Vec<u32>],
    ) {
        for (source, parts) in files {
            let Some(own) = self.logs.get(source) else {
                continue;
            };
            let siblings = self.processes[own.process].iter();
            let others: Vec<&Log> = siblings
                .filter_map(|source| self.logs.get(source))
                .filter(|log| log.owner != own.owner && (!log.begins || !log.ends))
                .collect();
            if others.is_empty() && own.cut_records.is_empty() {
                continue;
            }
            for part in parts {
                let (segment, base) = (
                    &snapshot.segments[part.segment],
                    snapshot.bases[part.segment],
                );
                let Some(of) = snapshot.source(*source) else {
                    continue;
                };
                for row in part.first..part.end {
                    let time = Some(segment.utc(of, row)).filter(|time| *time != NO_TIME);
                    let id = base + row as u32;
                    if !others.iter().any(|log| log.may_have_lost(time))
                        && !own.cut_records.contains(&EventId(id))
                    {
                        continue;
                    }
                    // Duplicates are known.
                    let mut group = snapshot.duplicates.group(id);
                    if group.nth(1).is_none() {
                        rows[part.segment].push(row as u32);
                    }
                }
            }
        }
        for rows in rows {
            rows.sort_unstable();
            rows.dedup();
        }
    }
}

/// First and last records of a log with a time.
struct Border {
    first: i64,
    last: i64,
    first_event: EventId,
    last_event: EventId,
}

impl Border {
    fn of(snapshot: &Snapshot, parts: &[PartRows]) -> Option<Border> {
        let timed = |id: &EventId| Some((snapshot.event(*id)?.time()?, *id));
        let (first, _) = first_ids(snapshot, parts).find_map(|id| timed(&id))?;
        let (last, last_event) = last_ids(snapshot, parts).find_map(|id| timed(&id))?;
        Some(Border {
            first,
            last,
            first_event: first_ids(snapshot, parts).next()?,
            last_event,
        })
    }

    /// Records that may be parts of longer ones.
    fn cut_records(&self, begins: bool, ends: bool) -> Vec<EventId> {
        let first = Some(self.first_event).filter(|_| !begins);
        first
            .into_iter()
            .chain(Some(self.last_event).filter(|_| !ends))
            .collect()
    }

    /// True if another log begins with the same record: then it is the start of either.
    fn first_is_shared(&self, snapshot: &Snapshot) -> bool {
        let is_first = |id: u32| {
            snapshot
                .event(EventId(id))
                .is_some_and(|event| event.span().0 == 0)
        };
        let group = snapshot.duplicates.group(self.first_event.0);
        group.filter(|id| is_first(*id)).nth(1).is_some()
    }

    /// True if another log holds an opening record just before the first record: the start is incomplete. A record that
    /// names the instance announces its log, and precedes it.
    fn first_continues(&self, snapshot: &Snapshot, open: &Selection, name: Option<KeyId>) -> bool {
        let mut copies = snapshot.duplicates.group(self.first_event.0);
        copies.any(|id| {
            let before = id.checked_sub(1).map(EventId);
            let before = before.filter(|before| open.contains(*before));
            let events = before
                .and_then(|id| snapshot.event(id))
                .zip(snapshot.event(EventId(id)));
            events.is_some_and(|(before, event)| {
                let is_announcement = name.is_some_and(|name| stated(&before, name).is_some());
                before.source().id == event.source().id && !is_announcement
            })
        })
    }
}

/// First records of a file.
fn first_ids<'a>(
    snapshot: &'a Snapshot,
    parts: &'a [PartRows],
) -> impl Iterator<Item = EventId> + 'a {
    let ids = parts.iter().flat_map(|part| {
        let base = snapshot.bases[part.segment];
        (part.first..part.end).map(move |row| EventId(base + row as u32))
    });
    ids.take(BORDER)
}

/// Last records of a file, from the end.
fn last_ids<'a>(
    snapshot: &'a Snapshot,
    parts: &'a [PartRows],
) -> impl Iterator<Item = EventId> + 'a {
    let ids = parts.iter().rev().flat_map(|part| {
        let base = snapshot.bases[part.segment];
        (part.first..part.end)
            .rev()
            .map(move |row| EventId(base + row as u32))
    });
    ids.take(BORDER)
}

/// Value of a key in the path of a source.
fn path_value(snapshot: &Snapshot, source: SourceId, key: KeyId) -> Option<Code> {
    let consts = &snapshot.source(source)?.consts;
    let (_, code) = consts.iter().find(|(k, _)| *k == key)?;
    Some(snapshot.catalog.keys.get(key)?.dict.canonical(*code))
}

/// Code that a record states for a key.
fn stated(event: &EventRef<'_>, wanted: KeyId) -> Option<Code> {
    let mut out = None;
    event.for_each_code(|key, codes, origin| {
        if let (true, [code], ValueOrigin::Record) = (key == wanted, codes, origin) {
            out = out.or(Some(*code));
        }
    });
    out
}

/// True if the records with which a file begins name no instance but its owner.
fn states_owner(
    snapshot: &Snapshot,
    (key, owner): (KeyId, Code),
    name_key: Option<KeyId>,
    (parts, open): (&[PartRows], &Selection),
) -> bool {
    let Some(name_key) = name_key else {
        return true;
    };
    let keys = &snapshot.catalog.keys;
    let named = |code: Code| {
        let (text, key) = (keys.get(name_key)?.spelling(code)?, keys.get(key)?);
        Some(key.dict.canonical(key.key.code(&text)))
    };
    let mut is_start = true;
    for id in first_ids(snapshot, parts) {
        let opens = open.contains(id);
        if opens && !is_start {
            break;
        }
        is_start = opens;
        let name = snapshot
            .event(id)
            .and_then(|event| stated(&event, name_key));
        if let Some(name) = name {
            return named(name) == Some(owner);
        }
    }
    true
}

/// Logs of each process with several instances. Logs with a record in common are of one process, as
/// are those with one process id, unless the threads that wrote the records with which they begin
/// (`open`, if known) tell them apart.
fn processes(
    snapshot: &Snapshot,
    key: KeyId,
    files: &[(SourceId, Vec<PartRows>)],
    open: Option<&Selection>,
) -> Vec<Vec<SourceId>> {
    let process_key = snapshot.catalog.keys.find(PROCESS_ID);
    let owned = files.iter().filter_map(|(source, parts)| {
        let owner = path_value(snapshot, *source, key)?;
        Some((*source, owner, parts))
    });
    let owned: Vec<(SourceId, Code, &Vec<PartRows>)> = owned.collect();
    let place: FxHashMap<SourceId, usize> =
        owned.iter().zip(0..).map(|(f, at)| (f.0, at)).collect();
    let mut groups = DisjointSets::new(owned.len());
    let mut of_process: FxHashMap<Code, Vec<(usize, Starter<'_>)>> = FxHashMap::default();
    for (at, (_, _, parts)) in owned.iter().enumerate() {
        let process = |id: EventId| stated(&snapshot.event(id)?, process_key?);
        let first = first_ids(snapshot, parts).next();
        let start = first.filter(|id| open.is_some_and(|open| open.contains(*id)));
        let starter = start.and_then(|id| Some(snapshot.event(id)?.context()));
        let first = first_ids(snapshot, parts).find_map(process);
        let last = last_ids(snapshot, parts).find_map(process);
        for process in [first, last].into_iter().flatten() {
            of_process.entry(process).or_default().push((at, starter));
        }
    }
    for logs in of_process.values() {
        let all_start = logs.iter().all(|(_, starter)| starter.is_some());
        for (at, starter) in logs {
            let same = logs
                .iter()
                .find(|(_, other)| !all_start || other == starter);
            groups.unite(*at, same.map_or(*at, |(other, _)| *other));
        }
    }
    let source = |id: u32| Some(snapshot.event(EventId(id))?.source().id);
    for (copy, of) in snapshot.duplicates.iter() {
        let places = source(copy).zip(source(of));
        let places = places.and_then(|(a, b)| place.get(&a).zip(place.get(&b)));
        if let Some((a, b)) = places {
            groups.unite(*a, *b);
        }
    }
    let mut out: Vec<Vec<SourceId>> = vec![Vec::new(); owned.len()];
    let mut owners: Vec<FxHashSet<Code>> = vec![FxHashSet::default(); owned.len()];
    for (at, (source, owner, _)) in owned.iter().enumerate() {
        let group = groups.smallest(at);
        out[group].push(*source);
        owners[group].insert(*owner);
    }
    let several = out
        .into_iter()
        .zip(owners)
        .filter(|(_, owners)| owners.len() > 1);
    several.map(|(sources, _)| sources).collect()
}

/// Values that name the writer of the record with which a log begins, if that is a start.
type Starter<'a> = Option<&'a [(KeyId, Code)]>;
