//! Unassigned records: records that name a work item without its run. They are not counted, so it
//! may be unknown whether all work has ended.
//!
//! A record in the logs of several runs belongs to one of them. If each of these runs has a work
//! item of that number, the record concerns a counted one; otherwise it may concern one that is not
//! counted.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::entity::{Entity, InstanceEnd, Instances, Standing, has_begun, has_ended};
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, SourceId, TemplateId};
use widetui_query::expr::{Comparison, Op};
use widetui_query::{Expr, Field, select};
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;

use crate::runs::{Run, Runs};

/// Summary of the unassigned records about work items of an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unassigned {
    /// Number of records that leave something undecided.
    pub records: usize,
    /// Number of these records that may concern work that is not counted.
    pub uncounted_records: usize,
    /// Numbers of the work items that may not be counted.
    pub item_numbers: Vec<String>,
    /// Whether some of these records report an end.
    pub reports_ends: bool,
    /// Titles of work items counted as unfinished whose end the records may report.
    pub possible_ends: Vec<String>,
    /// Titles of work items counted as unfinished whose later state the records may report.
    pub possible_changes: Vec<String>,
}

impl Unassigned {
    /// Whether no unassigned record matters.
    pub fn is_empty(&self) -> bool {
        self.item_numbers.is_empty()
            && self.possible_ends.is_empty()
            && self.possible_changes.is_empty()
    }
}

/// Finds unassigned records about the instances, and applies the ends that follow from them to
/// `standings`. `None` when cancelled.
pub(super) fn find_unassigned(
    snapshot: &Snapshot,
    instances: &Instances,
    standings: &mut [Standing],
    runs: &Runs,
    cancel: &Cancel,
) -> Option<Unassigned> {
    if instances.undecided_events == 0 {
        return Some(Unassigned::default());
    }
    let mut searcher = RecordSearch::new(snapshot, instances, standings, runs);
    let found = searcher.records(cancel)?;
    let keys = searcher.last_keys();
    let decided = found.decided_ends(&searcher);
    let usual = UsualSpellings::new(snapshot, keys.iter());
    let numbers = found.numbers.iter();
    let mut numbers: Vec<String> = numbers
        .map(|(key, code)| usual.text(snapshot, *key, *code))
        .collect();
    // Numbers in numeric order, then names.
    numbers.sort_by_cached_key(|text| (text.parse().unwrap_or(i64::MAX), text.clone()));
    let is_left = |at: &&usize| !decided.contains_key(*at);
    let title = |at: &usize| searcher.title(*at);
    let ends = found.ended.iter().filter(is_left).map(title).collect();
    let moved = found.moved.difference(&found.ended).filter(is_left);
    let moves = moved.map(title).collect();
    for (at, event) in decided {
        apply_end(snapshot, instances, event, &mut standings[at]);
    }
    Some(Unassigned {
        item_numbers: numbers,
        possible_ends: ends,
        possible_changes: moves,
        ..found.summary
    })
}

/// Sets a standing to the end that an event reports.
fn apply_end(snapshot: &Snapshot, instances: &Instances, event: EventId, standing: &mut Standing) {
    let Some(event) = snapshot.event(event) else {
        return;
    };
    let state = instances.entity.state_key.as_ref();
    let state = state.and_then(|name| snapshot.catalog.keys.find(name));
    event.for_each_code(|key, codes, _| {
        if let ([code], true) = (codes, Some(key) == state) {
            let name = snapshot
                .catalog
                .keys
                .get(key)
                .and_then(|k| k.spelling(*code));
            let at = instances
                .states
                .iter()
                .position(|s| Some(s) == name.as_ref());
            standing.state = at.and_then(|at| u16::try_from(at).ok()).or(standing.state);
        }
    });
    standing.is_final = true;
    standing.state_since = event.time().or(standing.state_since);
    standing.end = event.time().map_or(standing.end, InstanceEnd::Ended);
}

/// Information of a record about the work items that it names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportKind {
    End,
    State,
    Other,
}

/// Accumulated results of unassigned records.
#[derive(Default)]
struct UnassignedRecords {
    summary: Unassigned,
    numbers: BTreeSet<(KeyId, Code)>,
    /// Indices of instances whose end may be reported.
    ended: BTreeSet<usize>,
    moved: BTreeSet<usize>,
    /// Records with a final state, by the work item named, its candidate runs, and their template.
    finals: BTreeMap<(KeyId, Code, Candidates, TemplateId), Vec<EventId>>,
}

impl UnassignedRecords {
    /// Adds a record with the work items that it names and its candidate runs.
    fn add_record(
        &mut self,
        searcher: &RecordSearch<'_>,
        (event, kind): (EventId, ReportKind),
        named: &[(KeyId, Code)],
        candidates: &Candidates,
    ) {
        let (mut is_hidden, mut is_open) = (false, false);
        for number in named {
            let known = searcher.by_last_key.get(number).map_or(&[][..], |k| k);
            if searcher.may_be_uncounted(known, candidates) {
                is_hidden = true;
                self.summary.reports_ends |= kind == ReportKind::End;
                self.numbers.insert(*number);
            }
            for at in known
                .iter()
                .filter(|at| searcher.may_belong_to(**at, candidates))
            {
                let standing = &searcher.standings[*at];
                let time = || searcher.snapshot.event(event).and_then(|e| e.time());
                if has_ended(standing) || kind == ReportKind::Other {
                    continue;
                }
                if kind == ReportKind::End {
                    self.ended.insert(*at);
                } else if !candidates.contains(&RunCandidate::NoRun)
                    && time() > standing.state_since
                {
                    self.moved.insert(*at);
                } else {
                    continue;
                }
                is_open = true;
            }
        }
        self.summary.uncounted_records += usize::from(is_hidden);
        self.summary.records += usize::from(is_hidden || is_open);
    }

    /// Adds a record with a final state.
    fn add_final_state(
        &mut self,
        snapshot: &Snapshot,
        event: EventId,
        (key, code): (KeyId, Code),
        candidates: Candidates,
    ) {
        let template = snapshot.event(event).and_then(|e| e.template());
        if let Some(template) = template {
            let same = (key, code, candidates, template.id);
            self.finals.entry(same).or_default().push(event);
        }
    }

    /// Instances that must have ended, with a record of the end. A work item reaches a final state
    /// once, so if there are as many records as instances that can have done so and did not
    /// elsewhere, each of them did.
    fn decided_ends(&self, searcher: &RecordSearch<'_>) -> BTreeMap<usize, EventId> {
        let mut out = BTreeMap::new();
        for ((key, code, candidates, template), events) in &self.finals {
            let known = searcher
                .by_last_key
                .get(&(*key, *code))
                .map_or(&[][..], |k| k);
            if searcher.may_be_uncounted(known, candidates)
                || candidates.contains(&RunCandidate::NoRun)
            {
                continue;
            }
            let known = known
                .iter()
                .filter(|at| searcher.may_belong_to(**at, candidates));
            let left: Vec<usize> = { known.copied() }
                .filter(|at| !searcher.has_template(*at, *template))
                .collect();
            let open = |at: &usize| !has_ended(&searcher.standings[*at]);
            if let Some(event) = events.last().filter(|_| events.len() >= left.len()) {
                out.extend(left.into_iter().filter(open).map(|at| (at, *event)));
            }
        }
        out
    }
}

/// Condition of the records that name a final state without successors.
fn final_state_records(entity: &Entity) -> Option<Expr> {
    let last = entity
        .final_states
        .iter()
        .filter(|s| !entity.resumable_states.contains(s));
    let values: Vec<String> = last.cloned().collect();
    let state = entity.state_key.as_ref().filter(|_| !values.is_empty())?;
    Some(Expr::Compare(Comparison {
        field: Field::key(state),
        op: Op::In,
        values,
    }))
}

/// Condition of the records that report an end.
fn end_records(entity: &Entity) -> Expr {
    let changes =
        { entity.transitions.iter() }.filter(|transition| entity.is_final(&transition.state));
    let changes = changes.map(|transition| transition.condition.clone());
    let ends = [&entity.end, &entity.lost].into_iter().flatten().cloned();
    any_of(
        final_state_records(entity)
            .into_iter()
            .chain(changes)
            .chain(ends),
    )
}

/// Condition of the records that report a state change.
fn state_change_records(entity: &Entity) -> Expr {
    let state = entity
        .state_key
        .iter()
        .map(|state| Expr::Has(Field::key(state)));
    let changes = entity
        .transitions
        .iter()
        .map(|transition| transition.condition.clone());
    any_of(state.chain(changes))
}

/// Disjunction of conditions; matches no event if empty.
fn any_of(all: impl Iterator<Item = Expr>) -> Expr {
    let all: Vec<Expr> = all.collect();
    match all.is_empty() {
        true => Expr::Not(Box::new(Expr::All)),
        false => Expr::any_of(all),
    }
}

/// Candidate for the run of a record, by the file that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RunCandidate {
    /// The file belongs to this run.
    Run(usize),
    /// The file belongs to no known run.
    NoRun,
}

/// Candidates for the run of a record.
type Candidates = Vec<RunCandidate>;

/// Search for unassigned records about the instances of a work item.
struct RecordSearch<'a> {
    snapshot: &'a Snapshot,
    instances: &'a Instances,
    standings: &'a [Standing],
    runs: &'a Runs,
    /// Indices of instances by the last key of their ids and its value.
    by_last_key: FxHashMap<(KeyId, Code), Vec<usize>>,
    of_source: FxHashMap<SourceId, RunCandidate>,
}

impl<'a> RecordSearch<'a> {
    fn new(
        snapshot: &'a Snapshot,
        instances: &'a Instances,
        standings: &'a [Standing],
        runs: &'a Runs,
    ) -> RecordSearch<'a> {
        let mut known: FxHashMap<(KeyId, Code), Vec<usize>> = FxHashMap::default();
        for (at, one) in instances.list.iter().enumerate() {
            // Instances that are only mentioned are not counted.
            let last = instances.id_keys(one).last().zip(one.id.last());
            if let Some((key, code)) = last.filter(|_| has_begun(instances, one)) {
                known.entry((*key, *code)).or_default().push(at);
            }
        }
        RecordSearch {
            snapshot,
            instances,
            standings,
            runs,
            by_last_key: known,
            of_source: FxHashMap::default(),
        }
    }

    /// Last keys of the ids, which identify an instance within its run.
    fn last_keys(&self) -> Vec<KeyId> {
        let ids = self.instances.entity.id.iter();
        let names: BTreeSet<&String> = ids.filter_map(|id| id.last()).collect();
        let keys = &self.snapshot.catalog.keys;
        names
            .into_iter()
            .filter_map(|name| keys.find(name))
            .collect()
    }

    /// Reads all unassigned records. `None` when cancelled.
    fn records(&mut self, cancel: &Cancel) -> Option<UnassignedRecords> {
        let (snapshot, entity) = (self.snapshot, &*self.instances.entity);
        let keys = self.last_keys();
        let ids = entity.id.iter().filter_map(|id| id.last());
        let names = ids.map(|name| Expr::Has(Field::key(name)));
        let only = entity.condition.clone().unwrap_or_default();
        let named = Expr::all_of([Expr::any_of(names), only]);
        let events = select(snapshot, &named, cancel)?;
        let finals = select(
            snapshot,
            &any_of(final_state_records(entity).into_iter()),
            cancel,
        )?;
        let ends = select(snapshot, &end_records(entity), cancel)?;
        let changes = select(snapshot, &state_change_records(entity), cancel)?;
        let mut found = UnassignedRecords::default();
        for event in events.ids() {
            if snapshot.duplicates.original_of(event.0).is_some() || self.is_known(event) {
                continue;
            }
            let kind = match (ends.contains(event), changes.contains(event)) {
                (true, _) => ReportKind::End,
                (false, true) => ReportKind::State,
                (false, false) => ReportKind::Other,
            };
            let named = self.named_items(event, &keys);
            let candidates = self.candidates(event);
            found.add_record(self, (event, kind), &named, &candidates);
            if let ([number], true) = (&named[..], finals.contains(event)) {
                found.add_final_state(snapshot, event, *number, candidates);
            }
        }
        Some(found)
    }

    /// Whether an event is assigned to an instance.
    fn is_known(&self, event: EventId) -> bool {
        let mut is = false;
        self.instances.for_each_of_event(event, |_| is = true);
        is
    }

    /// Work items named by an event: key and canonical code.
    fn named_items(&self, event: EventId, keys: &[KeyId]) -> Vec<(KeyId, Code)> {
        let mut out = Vec::new();
        if let Some(event) = self.snapshot.event(event) {
            event.for_each_code(|key, codes, _| {
                if keys.contains(&key) {
                    let dict = self.snapshot.catalog.keys.get(key).map(|k| &k.dict);
                    let usual = |code: &Code| dict.map_or(*code, |d| d.canonical(*code));
                    out.extend(codes.iter().map(|code| (key, usual(code))));
                }
            });
        }
        out
    }

    /// Candidate runs of a record, from the sources that hold duplicates of it.
    fn candidates(&mut self, event: EventId) -> Candidates {
        let copies = &self.snapshot.duplicates;
        let events = copies.group(event.0).map(EventId);
        let sources = events.filter_map(|e| Some(self.snapshot.event(e)?.source().id));
        let mut out = Candidates::new();
        for source in sources.collect::<BTreeSet<SourceId>>() {
            let run = match self.of_source.get(&source) {
                Some(known) => *known,
                None => {
                    let run = self.run_of_source(source);
                    self.of_source.insert(source, run);
                    run
                }
            };
            out.push(run);
        }
        out
    }

    /// Run of a source by its path.
    fn run_of_source(&self, source: SourceId) -> RunCandidate {
        let keys = &self.snapshot.catalog.keys;
        let Some(source) = self.snapshot.source(source) else {
            return RunCandidate::NoRun;
        };
        let consts = source.consts.iter().filter_map(|(key, code)| {
            let key = keys.get(*key)?;
            Some((&*key.key.name, key.spelling(*code)?))
        });
        let ids = &self.instances.entity.id;
        // The last key of an id identifies it within its run, not the run.
        let inner = ids.iter().filter_map(|id| Some(id.split_last()?.1));
        let inner: Vec<&String> = inner.flatten().collect();
        let names_run = |name: &str| inner.iter().any(|key| *key == name);
        let consts: Vec<(&str, String)> = consts.filter(|(name, _)| names_run(name)).collect();
        let matches = |run: &Run| {
            consts.iter().any(|(name, value)| {
                let is = |(key, own): &(String, String)| key == name && own == value;
                run.label.as_ref() == Some(value) || run.id.iter().any(is)
            })
        };
        let mut matching = { self.runs.list.iter().enumerate() }.filter(|(_, run)| matches(run));
        match (matching.next(), matching.next()) {
            (Some((at, _)), None) => RunCandidate::Run(at),
            _ => RunCandidate::NoRun,
        }
    }

    /// Whether an instance has a record of this template.
    fn has_template(&self, at: usize, template: TemplateId) -> bool {
        let own = self.instances.events(&self.instances.list[at]).iter();
        let mut own = own.filter_map(|id| self.snapshot.event(EventId(*id))?.template());
        own.any(|own| own.id == template)
    }

    /// Run of an instance, by its index.
    fn run_of(&self, at: usize) -> Option<usize> {
        self.runs
            .run_of_instance(self.instances, &self.instances.list[at])
    }

    /// Whether a record may concern a work item that is not counted.
    fn may_be_uncounted(&self, known: &[usize], candidates: &Candidates) -> bool {
        let is_missing = |candidate: &RunCandidate| match candidate {
            RunCandidate::Run(run) => !known.iter().any(|at| self.run_of(*at) == Some(*run)),
            RunCandidate::NoRun => known.is_empty(),
        };
        candidates.iter().any(is_missing)
    }

    /// Whether an instance may belong to one of the candidate runs.
    fn may_belong_to(&self, at: usize, candidates: &Candidates) -> bool {
        let is_own = |run| candidates.contains(&RunCandidate::Run(run));
        candidates.contains(&RunCandidate::NoRun) || self.run_of(at).is_none_or(is_own)
    }

    /// Title of an instance with its run: `5 of 001`.
    fn title(&self, at: usize) -> String {
        let number = { self.instances }.short_name(self.snapshot, &self.instances.list[at]);
        let run = self.run_of(at).and_then(|run| self.runs.list.get(run));
        match run.filter(|_| self.runs.list.len() > 1) {
            Some(run) => format!("{number} of {}", run.short_name()),
            None => number,
        }
    }
}
