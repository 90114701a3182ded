//! Doubt: the instances to which a record may belong, if the path of its log does not decide that.
//!
//! Two Parsl runs (DataFlowKernels) in one process write each other's records into both logs. The
//! paths then only give candidates for the owner of a record. A log may be cut: a record that
//! stands in one log only is doubtful, too, if another log of the process may have lost it. A log
//! is known to lack a record only between its first and its last record, and beyond them if it
//! begins with the start of its instance or goes on to the end. An instance that starts in the log
//! of another one, and whose own log is not there, may have written all that follows in a whole log.
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
use crate::marks::{Mark, has_later_opening, marks, next_start};
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
    /// Instances without a log, known by their start in the log of another one.
    absent: Vec<Log>,
    /// Instances without a log of the records with which they start.
    starts: FxHashMap<EventId, Code>,
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
    /// Instance without a log; the log of another one holds its records in a range, UTC ns.
    fn absent(owner: Code, process: usize, (first, last): (i64, i64)) -> Log {
        Log {
            owner,
            process,
            first,
            last,
            begins: true,
            ends: false,
            cut_records: Vec::new(),
            alive_before: 0,
            marks: Vec::new(),
            over: None,
        }
    }

    /// True if the instance may have written a record of a time.
    fn has_begun(&self, time: Option<i64>) -> bool {
        time.is_none_or(|time| time >= self.first)
    }

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
                let id_key = rule.derived_keys.first();
                let id_key = id_key.and_then(|name| snapshot.catalog.keys.find(name));
                let shared = SharedLogs::find(snapshot, (key, id_key), &files, sections, cancel)?;
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
        let logs = self.shared.iter();
        let mut logs = logs.flat_map(|s| s.logs.values().chain(&s.absent));
        logs.any(|log| {
            log.owner == owner && log.begins && time <= log.last.saturating_sub(DISORDER)
        })
    }

    /// Instances without a log.
    pub(crate) fn absent(&self) -> impl Iterator<Item = Code> {
        let absent = self.shared.iter().flat_map(|shared| &shared.absent);
        absent.map(|log| log.owner)
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
        (key, id_key): (KeyId, Option<KeyId>),
        files: &[(SourceId, Vec<PartRows>)],
        rule: &SectionRule,
        cancel: &Cancel,
    ) -> Option<SharedLogs> {
        let name_key = rule.name_key.as_ref();
        let name_key = name_key.and_then(|name| snapshot.catalog.keys.find(name));
        let mut out = SharedLogs {
            key,
            logs: FxHashMap::default(),
            absent: Vec::new(),
            starts: FxHashMap::default(),
            processes: Vec::new(),
        };
        let open = query::select(snapshot, &rule.start, cancel)?;
        let has_start = |process: &Vec<SourceId>| {
            let own = files.iter().filter(|(source, _)| process.contains(source));
            let mut starts = own.filter(|(_, parts)| has_later_opening(parts, &open));
            starts.next().is_some()
        };
        let mut candidates = processes(snapshot, key, files, &open);
        candidates.retain(|(process, owners)| owners.len() > 1 || has_start(process));
        if candidates.is_empty() {
            return Some(out);
        }
        let close = query::select(snapshot, &rule.end, cancel)?;
        let last = match &rule.last {
            Some(last) => query::select(snapshot, last, cancel)?,
            None => Selection::from_events(snapshot, []),
        };
        let owners = files.iter();
        let mut owners: FxHashSet<Code> = owners
            .filter_map(|(source, _)| path_value(snapshot, *source, key))
            .collect();
        for (process, own) in candidates {
            let number = out.processes.len();
            let mut logs = Vec::new();
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
                logs.extend(log.map(|log| (*source, log)));
            }
            let known = out.absent.len();
            // A log that breaks off holds too little evidence: most records would be of no instance.
            for (_, log) in logs.iter().filter(|(_, log)| log.begins && log.ends) {
                for mark in started_beside(&log.marks) {
                    let start = start_records(snapshot, mark.event, id_key);
                    let name = |id: &EventId| stated(&snapshot.event(*id)?, name_key?);
                    let owner = start.iter().find_map(name);
                    let owner = owner.and_then(|name| named(snapshot, (key, name_key?), name));
                    let found = mark.time.zip(owner);
                    let Some((time, owner)) = found.filter(|(_, owner)| owners.insert(*owner))
                    else {
                        continue;
                    };
                    out.starts.extend(start.into_iter().map(|id| (id, owner)));
                    let range = (time, log.last);
                    out.absent.push(Log::absent(owner, number, range));
                }
            }
            if own.len() > 1 || out.absent.len() > known {
                out.processes.push(process);
                out.logs.extend(logs);
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
    /// over, or that the record does not start. `holding` are the logs that hold the record.
    fn adjust(&self, event: &EventRef<'_>, holding: &[SourceId], codes: &mut Vec<Code>) {
        let Some(own) = holding.iter().find_map(|source| self.logs.get(source)) else {
            return;
        };
        let time = event.time();
        let may_be_cut = own.cut_records.contains(&event.id);
        let siblings = self.processes.get(own.process).into_iter().flatten();
        let siblings = siblings.filter(|source| !holding.contains(source));
        let siblings = siblings.filter_map(|source| self.logs.get(source));
        let lost = siblings.filter(|log| may_be_cut || log.may_have_lost(time));
        let absent = self.absent_from(own.process);
        codes.extend(
            lost.chain(absent.filter(|log| log.has_begun(time)))
                .map(|log| log.owner),
        );
        let is_over = |code: &Code| {
            let mut logs = self.logs.values().filter(|log| log.owner == *code);
            logs.any(|log| log.over.is_some() && log.over <= time)
        };
        if codes.iter().any(|code| !is_over(code)) {
            codes.retain(|code| !is_over(code));
        }
        if let Some(owner) = self.starts.get(&event.id) {
            *codes = vec![*owner];
        }
    }

    /// Instances of a process without a log.
    fn absent_from(&self, process: usize) -> impl Iterator<Item = &Log> {
        self.absent.iter().filter(move |log| log.process == process)
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
            let absent: Vec<&Log> = self.absent_from(own.process).collect();
            if others.is_empty() && absent.is_empty() && own.cut_records.is_empty() {
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
                        && !absent.iter().any(|log| log.has_begun(time))
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
            return named(snapshot, (key, name_key), name) == Some(owner);
        }
    }
    true
}

/// Value of a key for an instance that a record states under another key.
fn named(snapshot: &Snapshot, (key, name_key): (KeyId, KeyId), name: Code) -> Option<Code> {
    let keys = &snapshot.catalog.keys;
    let text = keys.get(name_key)?.spelling(name)?;
    let key = snapshot.tables.keys.get(keys.name(key))?;
    let code = key.code(&text);
    // No path may state the name: then the columns of the snapshot lack its code.
    Some(key.freeze().canonical(code))
}

/// Records of one thread from the start of an instance to that which states its id; only the first one if none does.
fn start_records(snapshot: &Snapshot, start: EventId, id_key: Option<KeyId>) -> Vec<EventId> {
    let Some(first) = snapshot.event(start) else {
        return Vec::new();
    };
    let ids = (start.0..).take(BORDER).map(EventId);
    let records = ids.map_while(|id| snapshot.event(id));
    let mut own: Vec<EventId> = Vec::new();
    for event in records.filter(|event| {
        event.source().id == first.source().id && event.context() == first.context()
    }) {
        own.push(event.id);
        if id_key.is_some_and(|key| stated(&event, key).is_some()) {
            return own;
        }
    }
    vec![start]
}

/// Starts of instances while another one of the process lives.
fn started_beside(marks: &[Mark]) -> impl Iterator<Item = &Mark> {
    let mut alive: FxHashMap<Option<Code>, u32> = FxHashMap::default();
    marks.iter().filter(move |mark| {
        let alive = alive.entry(mark.process).or_default();
        let is_beside = mark.opens && *alive > 0;
        *alive = match mark.opens {
            true => *alive + 1,
            false => alive.saturating_sub(1),
        };
        is_beside
    })
}

/// Logs of each process, and the instances that own them. Logs with a record in common are of one process, as
/// are those with one process id, unless the threads that wrote the records with which they begin
/// (`open`) tell them apart.
fn processes(
    snapshot: &Snapshot,
    key: KeyId,
    files: &[(SourceId, Vec<PartRows>)],
    open: &Selection,
) -> Vec<(Vec<SourceId>, FxHashSet<Code>)> {
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
        let start = first.filter(|id| open.contains(*id));
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
    out.into_iter().zip(owners).collect()
}

/// Values that name the writer of the record with which a log begins, if that is a start.
type Starter<'a> = Option<&'a [(KeyId, Code)]>;
