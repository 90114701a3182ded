//! What each bearer does once, among records that stand in several sources: who did it elsewhere did not do it here.
//!
//! A definition says what a bearer does once for each thing: before anything else is told of it, as all who tell of it tell it,
//! on one thread in the order of numbers. So of two bearers in one process often only one can have written a record. What
//! both can have written is left open.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId, SourceId};
use crate::base::time::NO_TIME;
use crate::query::Selection;
use crate::store::lanes::{Lane, SegmentView, UNUSABLE};

use super::copied::Candidates;
use super::rounds::{CompiledJoin, Evidence, RoundInput};
use super::table::{JoinTable, MAX_LEFT, Tuple};
use super::work::{GroupLanes, GroupWork};

/// What each bearer does once.
#[derive(Debug)]
pub struct Once {
    /// The join whose groups are chosen.
    pub join: usize,
    /// Keys that name what is done.
    pub by: Vec<KeyId>,
    /// The events that say it.
    pub only: Selection,
    /// Keys of which all who tell of it tell the same.
    pub alike: Vec<KeyId>,
    /// The one of `by` that goes up from each time to the next on one thread.
    pub ascending: Option<KeyId>,
    /// Where it is the first that is told of it: the sources that go by one clock.
    pub tellers: FxHashSet<SourceId>,
}

impl Once {
    /// Whether each group is about one deed, of which more is known than in which group it was done.
    fn is_of_one_deed(&self) -> bool {
        !self.alike.is_empty() || self.ascending.is_some() || !self.tellers.is_empty()
    }
}

/// Who did what: a bearer, and the values of the keys that name it.
type Deed = (Code, Tuple);

/// A deed, as a record of a group says it.
#[derive(Clone, Debug)]
struct Doing {
    deed: Tuple,
    /// When, UTC ns.
    time: i64,
    /// On which thread, and where among those in a row.
    turn: Option<Turn>,
    /// What is told besides, for each of `Once::alike`.
    alike: Vec<Code>,
}

/// The thread, and the number of what was done on it.
type Turn = (u32, i64);

/// What is told elsewhere of a deed.
#[derive(Clone, Debug)]
struct Hearsay {
    /// Since when, UTC ns; `i64::MAX` where nobody says.
    since: i64,
    /// For each of `Once::alike` what is told.
    alike: Vec<Vec<Code>>,
}

#[derive(Default)]
struct Exclusion {
    /// Who did what, in which group of the join; `None` when in several.
    done: FxHashMap<Deed, Option<Tuple>>,
    /// When each bearer did what has this number on a thread.
    turns: FxHashMap<(Code, u32), BTreeMap<i64, i64>>,
    /// What is told of each deed.
    told: FxHashMap<Deed, Hearsay>,
    /// What the records of each undecided group say was done.
    open: BTreeMap<Tuple, Undecided>,
}

#[derive(Default)]
struct Undecided {
    doings: Vec<Doing>,
    candidates: Vec<Code>,
    event: Option<EventId>,
}

/// Groups of a join whose bearer is the only candidate that is not excluded, as evidence for the join.
pub fn exclude(
    ground: &RoundInput<'_>,
    once: &Once,
    work: &[Vec<GroupWork>],
    table: &JoinTable,
) -> Vec<Evidence> {
    let Some(join) = ground.joins.get(once.join) else {
        return Vec::new();
    };
    let Some(key) = join.gives.first().copied() else {
        return Vec::new();
    };
    let mut found = Exclusion::default();
    for (segment, groups) in work.iter().enumerate() {
        if ground.cancel.is_cancelled() {
            return Vec::new();
        }
        let mut reader = Reading {
            ground,
            once,
            join,
            key,
            found: &mut found,
        };
        reader.segment(segment, groups);
    }
    found.open.retain(|tuple, _| {
        let known = table.group(tuple).map(|g| table.set(g, 0));
        known.is_none_or(|set| set.is_empty())
    });
    let chosen = found.choose(once.is_of_one_deed());
    let evidence = |(tuple, code, event)| Evidence {
        join: join.index,
        right: 0,
        tuple,
        code,
        event,
    };
    let mut out: Vec<Evidence> = chosen.into_iter().map(evidence).collect();
    out.sort_unstable_by_key(|e| (e.tuple, e.code));
    out
}

/// A group, its bearer, and an event that shows it.
type Choice = (Tuple, Code, EventId);

impl Exclusion {
    /// The groups that can be of one candidate only. Where a group is about one deed, what was chosen excludes more.
    fn choose(&mut self, is_of_one_deed: bool) -> Vec<Choice> {
        let mut out = Vec::new();
        loop {
            let chosen = self.chosen(is_of_one_deed);
            for (tuple, code, _) in &chosen {
                let Some(undecided) = self.open.remove(tuple) else {
                    continue;
                };
                for doing in undecided.doings {
                    self.does(*code, *tuple, &doing);
                }
            }
            let is_over = chosen.is_empty() || !is_of_one_deed;
            out.extend(chosen);
            if is_over {
                return out;
            }
        }
    }

    /// The groups that can be of one candidate only by what is known so far.
    fn chosen(&self, is_of_one_deed: bool) -> Vec<Choice> {
        let mut places: FxHashMap<Tuple, usize> = FxHashMap::default();
        if is_of_one_deed {
            for doing in self.open.values().flat_map(|group| &group.doings) {
                *places.entry(doing.deed).or_default() += 1;
            }
        }
        let choice = |(tuple, undecided): (&Tuple, &Undecided)| {
            let left: Vec<Code> = undecided
                .candidates
                .iter()
                .copied()
                .filter(|c| !self.is_excluded(*c, tuple, undecided))
                .collect();
            let bearer = match &left[..] {
                [code] if undecided.candidates.len() > 1 => *code,
                left => self.only_known(left, undecided, &places)?,
            };
            Some((*tuple, bearer, undecided.event?))
        };
        let mut chosen: Vec<Choice> = self.open.iter().filter_map(choice).collect();
        if is_of_one_deed {
            // Nobody did it twice: then something is wrong with what is known.
            let mut times: FxHashMap<Deed, usize> = FxHashMap::default();
            let deeds = |(tuple, code, _): &Choice| -> Vec<Deed> {
                let group = self.open.get(tuple).into_iter();
                let doings = group.flat_map(|group| &group.doings);
                doings.map(|doing| (*code, doing.deed)).collect()
            };
            for deed in chosen.iter().flat_map(deeds) {
                *times.entry(deed).or_default() += 1;
            }
            chosen.retain(|choice| deeds(choice).iter().all(|deed| times.get(deed) == Some(&1)));
        }
        chosen
    }

    /// Whether a candidate cannot have done what a group is about.
    fn is_excluded(&self, candidate: Code, tuple: &Tuple, undecided: &Undecided) -> bool {
        undecided.doings.iter().any(|doing| {
            let deed = (candidate, doing.deed);
            let done = self.done.get(&deed);
            if done.is_some_and(|group| group.is_some_and(|g| g != *tuple)) {
                return true;
            }
            let told_otherwise = self.told.get(&deed).is_some_and(|told| {
                let mut alike = told.alike.iter().zip(&doing.alike);
                let is_other = |(told, own): (&Vec<Code>, &Code)| {
                    *own != NONE && !told.is_empty() && !told.contains(own)
                };
                told.since < doing.time || alike.any(is_other)
            });
            told_otherwise || self.is_out_of_turn(candidate, doing)
        })
    }

    /// Whether a candidate did what comes before on that thread later, or what comes after earlier.
    fn is_out_of_turn(&self, candidate: Code, doing: &Doing) -> bool {
        let Some((writer, number)) = doing.turn else {
            return false;
        };
        let Some(turns) = self.turns.get(&(candidate, writer)) else {
            return false;
        };
        let before = turns.range(..number).next_back();
        let after = turns.range(number + 1..).next();
        before.is_some_and(|(_, time)| *time > doing.time)
            || after.is_some_and(|(_, time)| *time < doing.time)
    }

    /// Of candidates that may have done what only this group can be about, the one that is told to have done it.
    fn only_known(
        &self,
        left: &[Code],
        undecided: &Undecided,
        places: &FxHashMap<Tuple, usize>,
    ) -> Option<Code> {
        let [doing] = &undecided.doings[..] else {
            return None;
        };
        if left.len() < 2 || places.get(&doing.deed) != Some(&1) {
            return None;
        }
        let did = |code: &&Code| {
            let deed = (**code, doing.deed);
            self.told.contains_key(&deed) && !self.done.contains_key(&deed)
        };
        let mut did = left.iter().filter(did);
        did.next().copied().filter(|_| did.next().is_none())
    }

    fn does(&mut self, bearer: Code, tuple: Tuple, doing: &Doing) {
        let group = { self.done.entry((bearer, doing.deed)) }.or_insert(Some(tuple));
        if *group != Some(tuple) {
            *group = None;
        }
        if let Some((writer, number)) = doing.turn {
            let turns = self.turns.entry((bearer, writer)).or_default();
            turns.entry(number).or_insert(doing.time);
        }
    }

    fn is_told(&mut self, deed: Deed, since: i64, alike: &[Code]) {
        let told = self.told.entry(deed).or_insert_with(|| Hearsay {
            since: i64::MAX,
            alike: vec![Vec::new(); alike.len()],
        });
        told.since = told.since.min(since);
        for (known, code) in told.alike.iter_mut().zip(alike) {
            if *code != NONE && *code != UNUSABLE && !known.contains(code) {
                known.push(*code);
            }
        }
    }
}

/// Reads what the records say.
struct Reading<'a, 'f> {
    ground: &'a RoundInput<'a>,
    once: &'a Once,
    join: &'a CompiledJoin,
    /// The key of the bearer.
    key: KeyId,
    found: &'f mut Exclusion,
}

impl Reading<'_, '_> {
    fn segment(&mut self, segment: usize, groups: &[GroupWork]) {
        let (ground, once) = (self.ground, self.once);
        let Some(chosen) = once.only.segment(segment) else {
            return;
        };
        let tells = once.is_of_one_deed();
        let view = SegmentView::new(ground.snapshot, segment, &ground.copied[segment]);
        for (at, group) in groups.iter().enumerate() {
            let rows = &view.segment.groups[at].rows;
            let is_chosen = rows.iter().any(|row| chosen.get(usize::from(*row)));
            if !is_chosen && !tells {
                continue;
            }
            let mut lanes = GroupLanes::new(view.group(at), segment, group, ground.pseudo);
            if !once.by.iter().all(|key| lanes.make(*key)) {
                continue;
            }
            once.alike.iter().for_each(|key| {
                lanes.make(*key);
            });
            lanes.make(self.key);
            if tells {
                self.hear(&view, &lanes);
            }
            if is_chosen && self.join.by.iter().all(|key| lanes.make(*key)) {
                self.read(&view, &lanes);
            }
        }
    }

    /// What records whose bearer is known tell of deeds.
    fn hear(&mut self, view: &SegmentView<'_>, lanes: &GroupLanes<'_>) {
        let bearers = lanes.get(self.key);
        if bearers.is_absent() {
            return;
        }
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let bearer = bearers.row(place, lanes.view().ends);
            if bearer == NONE || bearer == UNUSABLE {
                continue;
            }
            let deed = tuple_of(self.once.by.iter().map(|k| lanes.get(*k)), place);
            let Some(deed) = deed else { continue };
            let row = usize::from(*row);
            let source = view.segment.part(row).source;
            let since = match self.ground.snapshot.source(source) {
                Some(own) if self.once.tellers.contains(&source) => view.segment.utc(own, row),
                _ => i64::MAX,
            };
            let since = match since {
                NO_TIME => i64::MAX,
                since => since,
            };
            let alike = self.alike(lanes, place);
            self.found.is_told((bearer, deed), since, &alike);
        }
    }

    /// What was done in which group, and by whom if that is known.
    fn read(&mut self, view: &SegmentView<'_>, lanes: &GroupLanes<'_>) {
        let (ground, once) = (self.ground, self.once);
        let Some(chosen) = once.only.segment(view.index) else {
            return;
        };
        for (place, row) in lanes.view().group.rows.iter().enumerate() {
            let row = usize::from(*row);
            if !chosen.get(row) {
                continue;
            }
            let read = |keys: &[KeyId]| tuple_of(keys.iter().map(|k| lanes.get(*k)), place);
            let (Some(tuple), Some(deed)) = (read(&self.join.by), read(&once.by)) else {
                continue;
            };
            let event = EventId(ground.snapshot.bases[view.index] + row as u32);
            let doing = self.doing(view, lanes, (place, row), deed);
            match lanes.get(self.key).row(place, lanes.view().ends) {
                UNUSABLE => {}
                NONE => self.is_open(event, tuple, doing),
                bearer => self.found.does(bearer, tuple, &doing),
            }
        }
    }

    fn doing(
        &self,
        view: &SegmentView<'_>,
        lanes: &GroupLanes<'_>,
        (place, row): (usize, usize),
        deed: Tuple,
    ) -> Doing {
        let snapshot = self.ground.snapshot;
        let source = snapshot.source(view.segment.part(row).source);
        let number = self.once.ascending.and_then(|key| {
            let at = self.once.by.iter().position(|by| *by == key)?;
            let text = snapshot.catalog.keys.get(key)?.spelling(deed[at])?;
            text.parse::<i64>().ok()
        });
        let writers = self.ground.writers.and_then(|all| all.get(view.index));
        let writer = writers.and_then(|rows| rows.get(row)).copied();
        let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
        Doing {
            deed,
            time,
            turn: writer.zip(number).filter(|_| time != NO_TIME),
            alike: self.alike(lanes, place),
        }
    }

    fn alike(&self, lanes: &GroupLanes<'_>, place: usize) -> Vec<Code> {
        let keys = self.once.alike.iter();
        let codes = keys.map(|key| lanes.get(*key).row(place, lanes.view().ends));
        codes
            .map(|code| if code == UNUSABLE { NONE } else { code })
            .collect()
    }

    fn is_open(&mut self, event: EventId, tuple: Tuple, doing: Doing) {
        let Some(candidates) = Candidates::of(self.ground.snapshot, event, self.key) else {
            return;
        };
        let undecided = self.found.open.entry(tuple).or_default();
        // The same record in several sources says the same thing.
        let is_known = |known: &Doing| known.deed == doing.deed && known.time == doing.time;
        let looks = self.once.is_of_one_deed();
        if !looks || !undecided.doings.iter().any(is_known) {
            undecided.doings.push(doing);
        }
        undecided.event.get_or_insert(event);
        for code in candidates.codes {
            if !undecided.candidates.contains(&code) {
                undecided.candidates.push(code);
            }
        }
    }
}

fn tuple_of<'l>(lanes: impl Iterator<Item = &'l Lane>, row: usize) -> Option<Tuple> {
    let mut tuple = [NONE; MAX_LEFT];
    for (slot, lane) in tuple.iter_mut().zip(lanes) {
        // Lists say nothing here.
        let code = match lane {
            Lane::Slots(_) => UNUSABLE,
            lane => lane.row(row, None),
        };
        if code == NONE || code == UNUSABLE {
            return None;
        }
        *slot = code;
    }
    Some(tuple)
}
