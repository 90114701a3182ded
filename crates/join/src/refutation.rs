//! Refutation: the choice among the instances to which doubtful records may belong.
//!
//! The records of a group of a join among doubtful records (a bracket, a thread) belong to one
//! instance. A candidate is refuted if the group would contradict a value that records of the
//! candidate state: joins whose left keys include the instance are functional dependencies. If one
//! candidate is left, the group is its own, and its values refute further candidates elsewhere.
//!
//! A record that a join identifies as the first about its left values must be there if a later one
//! is: of the records that it may be, those of one group, that group is the instance's own; and a
//! candidate that has no such record is refuted. That holds within the known range of a log.
//! Otherwise only records that are present decide: a cut of a log makes no candidate impossible.
//! Where instances are numbered in the order of their first records, a number out of order is
//! refuted.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_definition::semantics::RecordDef;
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE, element_range};
use widetui_time::time::NO_TIME;

use crate::compiled_join::CompiledJoin;
use crate::derived_values::{GroupColumns, GroupDerivations, JoinIndex};
use crate::doubt::Doubt;
use crate::left_tuples::{CellPosition, code_at};
use crate::rounds::{Evidence, RoundInput};
use crate::table::{CONFLICT, JoinTable, MAX_LEFT_KEYS, Tuple};

/// Join whose left keys identify a record.
#[derive(Debug)]
pub(crate) struct IdentifiedRecord {
    /// Index of the join.
    pub(crate) join: JoinIndex,
    /// Relation of the record to others with the left keys.
    pub(crate) kind: RecordDef,
    /// Events outside the shared logs whose clock is theirs.
    pub(crate) reporters: Option<Selection>,
}

/// Numbers of the records that take part, equal for duplicates, by segment.
pub(crate) fn record_numbers(
    snapshot: &Snapshot,
    participants: Option<&Selection>,
) -> Vec<Option<Box<[Code]>>> {
    let segments = snapshot
        .segments
        .iter()
        .zip(snapshot.bases.iter())
        .enumerate();
    let numbers = segments.map(|(index, (segment, base))| {
        let rows = participants?.segment(index)?;
        let mut codes: Box<[Code]> = vec![NONE; segment.len()].into();
        for row in rows.ones_in(0, segment.len()) {
            let id = base + row as u32;
            codes[row] = snapshot.duplicates.original_of(id).unwrap_or(id);
        }
        Some(codes)
    });
    numbers.collect()
}

/// Functional dependency of an instance: a join whose left keys include the key of the instance.
struct Dependency<'a> {
    join: &'a CompiledJoin,
    /// Index of the instance among the left keys.
    owner: usize,
    /// The record that the join identifies, if it is the first with the left keys.
    first: Option<&'a IdentifiedRecord>,
}

/// Value that a group states for the instance to which it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StatedValue {
    /// Index among the dependencies.
    dependency: usize,
    /// Index of the right key.
    right: usize,
    /// Left values, without the instance.
    tuple: Tuple,
    code: Code,
    /// Time of the record, UTC ns, if it is the first of its left values; otherwise `NO_TIME`.
    time: i64,
}

/// Left values of a dependency on first records that a group names; the first record is older.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Mention {
    /// Index among the dependencies.
    dependency: usize,
    /// Left values, without the instance.
    tuple: Tuple,
    /// Time of the record that names them, UTC ns.
    time: i64,
}

/// Doubtful records that belong to one instance.
struct Group {
    candidates: Vec<Code>,
    stated_values: FxHashSet<StatedValue>,
    mentions: FxHashSet<Mention>,
    event: EventId,
}

/// Record that may be the first of its left values.
struct PossibleFirst {
    /// Time of the record, UTC ns.
    time: i64,
    /// Groups of the record.
    groups: Vec<GroupId>,
}

/// Record that is the first of its left values, some of which are unknown (`NONE`).
struct UnknownFirst {
    dependency: usize,
    tuple: Tuple,
    candidates: Vec<Code>,
    /// Time of the record, UTC ns.
    time: i64,
}

/// Marks groups of one record that belong to no join.
const NO_GROUP: JoinIndex = JoinIndex::MAX;

/// Identity of a group: join and left values.
type GroupId = (JoinIndex, Tuple);

/// Cell of a dependency: its index, the index of the right key, and the left values.
type Cell = (usize, usize, Tuple);

/// Choice among the candidates of groups, from the state of a round without new values.
struct Refutation<'a> {
    doubt: &'a Doubt,
    dependencies: Vec<Dependency<'a>>,
    tables: &'a [JoinTable],
    /// Values of the groups decided so far.
    decided: FxHashMap<Cell, Code>,
    /// Time of the first record of each instance with left values, UTC ns, by dependency.
    first_records: FxHashMap<(usize, Tuple), i64>,
    /// Time of the last record of each of consecutive instances, UTC ns, by dependency and left values.
    last_records: FxHashMap<(usize, Tuple), i64>,
    /// Times of the first records of numbered instances, UTC ns, by dependency and left values without the number.
    numbered: FxHashMap<(usize, Tuple), BTreeMap<Code, i64>>,
    /// Records that may be the first ones of unknown left values.
    unknown: Vec<UnknownFirst>,
    /// Records that may be the first ones of left values, by dependency and left values without the instance, each by its
    /// number.
    possible: FxHashMap<(usize, Tuple), BTreeMap<Code, PossibleFirst>>,
    groups: BTreeMap<GroupId, Group>,
}

/// Evidence for the groups of joins among doubtful records that only one candidate can own.
pub(crate) fn decide(
    input: &RoundInput<'_>,
    identified: &[IdentifiedRecord],
    work: &[Vec<GroupDerivations>],
    tables: &[JoinTable],
) -> Vec<Evidence> {
    if input.doubt.is_empty() {
        return Vec::new();
    }
    let choosing = input.joins.iter().filter(|join| join.only_duplicates);
    let mut keys: Vec<KeyId> = choosing
        .filter_map(|join| join.right_keys.first().copied())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let mut out = Vec::new();
    for key in keys {
        let dependencies = input.joins.iter().filter(|join| !join.only_duplicates);
        let dependencies = dependencies.filter_map(|join| {
            let owner = join.left_keys.iter().position(|left| *left == key)?;
            if input.joins.iter().any(|other| is_coarser(join, other)) {
                return None;
            }
            let first = identified
                .iter()
                .find(|i| i.join == join.index && i.kind != RecordDef::Only);
            Some(Dependency { join, owner, first })
        });
        let mut refutation = Refutation {
            doubt: input.doubt,
            dependencies: dependencies.collect(),
            tables,
            decided: FxHashMap::default(),
            first_records: FxHashMap::default(),
            last_records: FxHashMap::default(),
            numbered: FxHashMap::default(),
            unknown: Vec::new(),
            possible: FxHashMap::default(),
            groups: BTreeMap::new(),
        };
        for (segment, groups) in work.iter().enumerate() {
            if input.cancel.is_cancelled() {
                return Vec::new();
            }
            refutation.read_segment(input, key, segment, groups);
        }
        refutation.groups.retain(|(join, tuple), _| {
            if *join == NO_GROUP {
                return true;
            }
            let table = &tables[usize::from(*join)];
            let known = table.group(tuple).map(|group| table.values_of(group, 0));
            known.is_none_or(|values| values.is_empty())
        });
        out.extend(refutation.choose());
    }
    out
}

impl Refutation<'_> {
    /// Reads the groups of a segment, and the first records of instances.
    fn read_segment(
        &mut self,
        input: &RoundInput<'_>,
        owner_key: KeyId,
        segment: usize,
        groups: &[GroupDerivations],
    ) {
        let doubtful = &input.doubt.rows[segment];
        let view = SegmentView::new(input.snapshot, segment, doubtful);
        for (at, group) in groups.iter().enumerate() {
            let rows = &view.segment.groups[at].rows;
            let is_doubtful = |row: u16| doubtful.binary_search(&u32::from(row)).is_ok();
            let has_doubt = !doubtful.is_empty() && rows.iter().any(|row| is_doubtful(*row));
            let mut columns = GroupColumns::new(view.group(at), segment, group, input.virtual_keys);
            columns.build(owner_key);
            let is_present = |d: &Dependency<'_>, columns: &mut GroupColumns<'_>| {
                let others = d.join.left_keys.iter().filter(|key| **key != owner_key);
                let missing = others.filter(|key| !columns.build(**key)).count();
                missing == 0 || has_doubt && d.first.is_some()
            };
            let present: Vec<usize> = (0..self.dependencies.len())
                .filter(|at| {
                    let dependency = &self.dependencies[*at];
                    let counts = has_doubt || dependency.first.is_some();
                    counts && is_present(dependency, &mut columns)
                })
                .collect();
            for at in &present {
                for key in &self.dependencies[*at].join.right_keys {
                    columns.build(*key);
                }
            }
            let choosing = input.joins.iter().filter(|join| {
                has_doubt
                    && join.only_duplicates
                    && join.right_keys.first() == Some(&owner_key)
                    && join.left_keys.iter().all(|key| columns.build(*key))
            });
            let choosing: Vec<&CompiledJoin> = choosing.collect();
            self.read_first_records(input, (&view, &columns), owner_key, &present);
            for (place, row) in rows.iter().enumerate() {
                if is_doubtful(*row) {
                    let row = Row {
                        place,
                        number: usize::from(*row),
                        event: EventId(input.snapshot.bases[segment] + u32::from(*row)),
                    };
                    self.read_row(
                        input,
                        (&view, &columns),
                        owner_key,
                        &choosing,
                        &present,
                        row,
                    );
                }
            }
        }
    }

    /// Adds the times of the records of known instances for dependencies on first records.
    fn read_first_records(
        &mut self,
        input: &RoundInput<'_>,
        (view, columns): (&SegmentView<'_>, &GroupColumns<'_>),
        owner_key: KeyId,
        present: &[usize],
    ) {
        let owners = columns.get(owner_key);
        let ends = columns.view().ends;
        for at in present {
            let dependency = &self.dependencies[*at];
            if owners.is_absent() || dependency.first.is_none() {
                continue;
            }
            let participating = dependency.join.participating_rows(view.index);
            for (place, row) in columns.view().group.rows.iter().enumerate() {
                let owner = owners.row(place, ends);
                let row = usize::from(*row);
                if owner == NONE || owner == UNUSABLE {
                    continue;
                }
                let reporters = dependency.first.and_then(|first| first.reporters.as_ref());
                let reporters = reporters.and_then(|reporters| reporters.segment(view.index));
                let source = view.snapshot.source(view.segment.part(row).source);
                let source = source.filter(|source| {
                    input.doubt.is_shared(source.id) || reporters.is_some_and(|bits| bits.get(row))
                });
                let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row));
                if time == NO_TIME {
                    continue;
                }
                for element in element_range(ends, place) {
                    let position = CellPosition {
                        row: place,
                        element: Some(element),
                        ends,
                    };
                    let Some(mut tuple) = dependency.tuple(columns, position) else {
                        continue;
                    };
                    tuple[dependency.owner] = owner;
                    let first = self.first_records.entry((*at, tuple)).or_insert(time);
                    *first = time.min(*first);
                    if dependency.kind() == Some(RecordDef::Consecutive) {
                        let last = self.last_records.entry((*at, tuple)).or_insert(time);
                        *last = time.max(*last);
                    }
                    let is_first = participating.is_none_or(|bits| bits.get(row));
                    if let Some((scope, number)) = dependency.number(tuple).filter(|_| is_first) {
                        let times = self.numbered.entry((*at, scope)).or_default();
                        times.insert(number, time);
                    }
                }
            }
        }
    }

    /// Adds a doubtful record without a known instance to its groups.
    fn read_row(
        &mut self,
        input: &RoundInput<'_>,
        (view, columns): (&SegmentView<'_>, &GroupColumns<'_>),
        owner_key: KeyId,
        choosing: &[&CompiledJoin],
        present: &[usize],
        row: Row,
    ) {
        let ends = columns.view().ends;
        let position = CellPosition {
            row: row.place,
            element: None,
            ends,
        };
        let takes_part = |bits: Option<&Bits>| bits.is_none_or(|bits| bits.get(row.number));
        let of_groups = choosing.iter().filter(|join| {
            let evidence = join.evidence.as_ref().and_then(|s| s.segment(view.index));
            takes_part(join.participating_rows(view.index)) && takes_part(evidence)
        });
        let of_groups = of_groups.filter_map(|join| {
            let columns = join.left_keys.iter().map(|key| columns.get(*key));
            Some((join.index, tuple_of(columns, position)?))
        });
        let mut of_groups: Vec<GroupId> = of_groups.collect();
        let owner = columns.get(owner_key).row(row.place, ends);
        let candidates = match owner {
            NONE => input.doubt.candidates(input.snapshot, row.event, owner_key),
            UNUSABLE => return,
            owner => vec![owner],
        };
        self.read_unknown((view, columns), present, (row, position), &candidates);
        if owner != NONE {
            return;
        }
        let stated_values = self.stated_values(view, columns, present, (row, position));
        if of_groups.is_empty() && stated_values.iter().any(|stated| stated.time != NO_TIME) {
            let mut tuple = [NONE; MAX_LEFT_KEYS];
            tuple[0] = input
                .snapshot
                .duplicates
                .original_of(row.event.0)
                .unwrap_or(row.event.0);
            of_groups.push((NO_GROUP, tuple));
        }
        let mentions = self.mentions(view, columns, present, (row, position));
        for id in of_groups {
            for stated in stated_values.iter().filter(|stated| stated.time != NO_TIME) {
                let place = (stated.dependency, stated.tuple);
                let records = self.possible.entry(place).or_default();
                let record = records.entry(stated.code).or_insert(PossibleFirst {
                    time: stated.time,
                    groups: Vec::new(),
                });
                record.groups.push(id);
            }
            let group = self.groups.entry(id).or_insert_with(|| Group {
                candidates: candidates.clone(),
                stated_values: FxHashSet::default(),
                mentions: FxHashSet::default(),
                event: row.event,
            });
            group.candidates.retain(|code| candidates.contains(code));
            group.stated_values.extend(&stated_values);
            group.mentions.extend(&mentions);
        }
    }

    /// Left values that a record names after their first record.
    fn mentions(
        &self,
        view: &SegmentView<'_>,
        columns: &GroupColumns<'_>,
        present: &[usize],
        (row, position): (Row, CellPosition<'_>),
    ) -> Vec<Mention> {
        let source = view.snapshot.source(view.segment.part(row.number).source);
        let time = source.map_or(NO_TIME, |source| view.segment.utc(source, row.number));
        if time == NO_TIME {
            return Vec::new();
        }
        let named = present.iter().filter_map(|at| {
            let dependency = &self.dependencies[*at];
            let takes_part = dependency.join.participating_rows(view.index);
            let is_first = takes_part.is_none_or(|bits| bits.get(row.number));
            let tuple = dependency.tuple(columns, position)?;
            (dependency.first.is_some() && !is_first).then_some(Mention {
                dependency: *at,
                tuple,
                time,
            })
        });
        named.collect()
    }

    /// Adds a record that is the first of left values that are not all known.
    fn read_unknown(
        &mut self,
        (view, columns): (&SegmentView<'_>, &GroupColumns<'_>),
        present: &[usize],
        (row, position): (Row, CellPosition<'_>),
        candidates: &[Code],
    ) {
        for at in present {
            let dependency = &self.dependencies[*at];
            let takes_part = dependency.join.participating_rows(view.index);
            if dependency.first.is_none() || takes_part.is_some_and(|bits| !bits.get(row.number)) {
                continue;
            }
            let mut tuple = [NONE; MAX_LEFT_KEYS];
            let keys = dependency.join.left_keys.iter().enumerate();
            for (slot, key) in keys.filter(|(slot, _)| *slot != dependency.owner) {
                tuple[slot] = usable(columns.get(*key), position).unwrap_or(NONE);
            }
            let known = tuple.iter().filter(|code| **code != NONE).count();
            if known + 1 < dependency.join.left_keys.len() {
                let source = view.snapshot.source(view.segment.part(row.number).source);
                self.unknown.push(UnknownFirst {
                    dependency: *at,
                    tuple,
                    candidates: candidates.to_vec(),
                    time: source.map_or(NO_TIME, |source| view.segment.utc(source, row.number)),
                });
            }
        }
    }

    /// Values that a record states for its instance.
    fn stated_values(
        &self,
        view: &SegmentView<'_>,
        columns: &GroupColumns<'_>,
        present: &[usize],
        (row, position): (Row, CellPosition<'_>),
    ) -> Vec<StatedValue> {
        let takes_part = |bits: Option<&Bits>| bits.is_none_or(|bits| bits.get(row.number));
        let mut out = Vec::new();
        for at in present {
            let dependency = &self.dependencies[*at];
            let join = dependency.join;
            let evidence = join.evidence.as_ref().and_then(|s| s.segment(view.index));
            if !takes_part(join.participating_rows(view.index)) || !takes_part(evidence) {
                continue;
            }
            let Some(tuple) = dependency.tuple(columns, position) else {
                continue;
            };
            for (right, key) in join.right_keys.iter().enumerate() {
                let code = match columns.get(*key) {
                    KeyColumn::Elements(_) => NONE,
                    column => column.row(row.place, position.ends),
                };
                if code == NONE || code == UNUSABLE {
                    continue;
                }
                let source = view.snapshot.source(view.segment.part(row.number).source);
                let time = match source.filter(|_| dependency.first.is_some()) {
                    Some(source) => view.segment.utc(source, row.number),
                    None => NO_TIME,
                };
                out.push(StatedValue {
                    dependency: *at,
                    right,
                    tuple,
                    code,
                    time,
                });
            }
        }
        out
    }

    /// Groups that only one candidate can own. Each choice refutes candidates of other groups.
    fn choose(&mut self) -> Vec<Evidence> {
        let mut out = Vec::new();
        loop {
            let remaining: Vec<Vec<Code>> =
                self.groups.values().map(|g| self.remaining(g)).collect();
            let mut chosen: Vec<(GroupId, Code)> = Vec::new();
            for ((id, group), remaining) in self.groups.iter_mut().zip(remaining) {
                if let [one] = remaining[..] {
                    chosen.push((*id, one));
                }
                group.candidates = remaining;
            }
            if chosen.is_empty() {
                chosen = self.existing();
            }
            if chosen.is_empty() {
                return out;
            }
            // Of groups that contradict each other none is decided.
            let mut values: FxHashMap<Cell, Option<Code>> = FxHashMap::default();
            for (cell, code) in chosen.iter().flat_map(|(id, owner)| self.cells(id, *owner)) {
                let known = values.entry(cell).or_insert(Some(code));
                *known = known.filter(|known| *known == code);
            }
            for (id, owner) in chosen {
                let cells = self.cells(&id, owner);
                let Some(group) = self.groups.remove(&id) else {
                    continue;
                };
                let firsts = group
                    .stated_values
                    .iter()
                    .filter(|stated| stated.time != NO_TIME);
                if cells
                    .iter()
                    .any(|(cell, _)| values.get(cell) == Some(&None))
                {
                    self.unknown.extend(firsts.map(|stated| UnknownFirst {
                        dependency: stated.dependency,
                        tuple: stated.tuple,
                        candidates: vec![owner],
                        time: stated.time,
                    }));
                    continue;
                }
                self.decided.extend(cells);
                for stated in firsts {
                    let tuple = self.with_owner(stated, owner);
                    let first = self.first_records.entry((stated.dependency, tuple));
                    let first = first.or_insert(stated.time);
                    *first = stated.time.min(*first);
                    let numbered = self.dependencies[stated.dependency].number(tuple);
                    if let Some((scope, number)) = numbered {
                        let times = self.numbered.entry((stated.dependency, scope)).or_default();
                        times.insert(number, stated.time);
                    }
                }
                if id.0 == NO_GROUP {
                    continue;
                }
                out.push(Evidence {
                    join: id.0,
                    right: 0,
                    tuple: id.1,
                    code: owner,
                    event: group.event,
                });
            }
        }
    }

    /// Groups that hold all records that may be the first one of left values of an instance, which
    /// later records name.
    fn existing(&self) -> Vec<(GroupId, Code)> {
        let mut out: BTreeMap<GroupId, Vec<Code>> = BTreeMap::new();
        for ((at, with_owner), later) in &self.first_records {
            let dependency = &self.dependencies[*at];
            let owner = with_owner[dependency.owner];
            let mut tuple = *with_owner;
            tuple[dependency.owner] = NONE;
            if self.known(*at, 0, with_owner).next().is_some()
                || !self.doubt.is_known_until(owner, *later)
                || self.may_be_unknown(*at, &tuple, owner, *later)
            {
                continue;
            }
            let groups = self.possible_firsts(*at, &tuple, owner, *later);
            let common = groups.map(<[GroupId]>::to_vec).reduce(|mut a, b| {
                a.retain(|id| b.contains(id));
                a
            });
            for id in common.unwrap_or_default() {
                let owners = out.entry(id).or_default();
                if !owners.contains(&owner) {
                    owners.push(owner);
                }
            }
        }
        let single = out.into_iter().filter(|(_, owners)| owners.len() == 1);
        single.map(|(id, owners)| (id, owners[0])).collect()
    }

    /// Groups of each record up to a time (UTC ns) that may be the first one of left values of an instance.
    fn possible_firsts(
        &self,
        at: usize,
        tuple: &Tuple,
        owner: Code,
        until: i64,
    ) -> impl Iterator<Item = &[GroupId]> {
        let may_own = move |id: &GroupId| {
            let group = self.groups.get(id);
            group.is_some_and(|group| group.candidates.contains(&owner))
        };
        let records = self.possible.get(&(at, *tuple)).into_iter().flatten();
        let records = records
            .filter(move |(_, record)| record.time <= until && record.groups.iter().all(may_own));
        records.map(|(_, record)| record.groups.as_slice())
    }

    /// True if the first record of left values of an instance up to a time (UTC ns) may be one of which not all left values
    /// are known.
    fn may_be_unknown(&self, at: usize, tuple: &Tuple, owner: Code, until: i64) -> bool {
        self.unknown.iter().any(|unknown| {
            let mut slots = unknown.tuple.iter().zip(tuple);
            unknown.dependency == at
                && unknown.candidates.contains(&owner)
                && (unknown.time == NO_TIME || unknown.time <= until)
                && slots.all(|(own, code)| *own == NONE || own == code)
        })
    }

    /// True if an instance has no record that may be the first one of left values, which one of its records would name.
    fn lacks_first(&self, mention: &Mention, owner: Code) -> bool {
        let at = mention.dependency;
        let mut with_owner = mention.tuple;
        with_owner[self.dependencies[at].owner] = owner;
        self.doubt.is_known_until(owner, mention.time)
            && self.known(at, 0, &with_owner).next().is_none()
            && !self.may_be_unknown(at, &mention.tuple, owner, mention.time)
            && (self.possible_firsts(at, &mention.tuple, owner, mention.time))
                .next()
                .is_none()
    }

    /// Known values of a cell of an instance.
    fn known(&self, at: usize, right: usize, tuple: &Tuple) -> impl Iterator<Item = Code> {
        let table = &self.tables[usize::from(self.dependencies[at].join.index)];
        let stated = table.group(tuple).map(|group| table.value(group, right));
        let decided = self.decided.get(&(at, right, *tuple)).copied();
        let values = [stated, decided].into_iter().flatten();
        values.filter(|code| *code != NONE)
    }

    /// Cells of an instance that a group would state, with their values.
    fn cells(&self, id: &GroupId, owner: Code) -> Vec<(Cell, Code)> {
        let stated_values = self
            .groups
            .get(id)
            .into_iter()
            .flat_map(|group| &group.stated_values);
        let cell = |stated: &StatedValue| {
            let tuple = self.with_owner(stated, owner);
            ((stated.dependency, stated.right, tuple), stated.code)
        };
        stated_values.map(cell).collect()
    }

    /// Left values of a stated value, with the instance.
    fn with_owner(&self, stated: &StatedValue, owner: Code) -> Tuple {
        let mut tuple = stated.tuple;
        tuple[self.dependencies[stated.dependency].owner] = owner;
        tuple
    }

    /// Candidates of a group that no value refutes.
    fn remaining(&self, group: &Group) -> Vec<Code> {
        let is_refuted = |owner: &Code| {
            let mut mentions = group.mentions.iter();
            group
                .stated_values
                .iter()
                .any(|stated| self.refutes(stated, *owner))
                || mentions.any(|mention| self.lacks_first(mention, *owner))
        };
        let candidates = group.candidates.iter().copied();
        candidates.filter(|owner| !is_refuted(owner)).collect()
    }

    /// True if records of an instance contradict a stated value.
    fn refutes(&self, stated: &StatedValue, owner: Code) -> bool {
        let tuple = self.with_owner(stated, owner);
        let mut known = self.known(stated.dependency, stated.right, &tuple);
        let first = self.first_records.get(&(stated.dependency, tuple));
        known.any(|code| code != CONFLICT && code != stated.code)
            || stated.time != NO_TIME
                && (first.is_some_and(|first| *first < stated.time)
                    || self.is_out_of_order(stated, tuple))
    }

    /// True if the first record of an instance would precede that of a lower number, or follow that of a higher one; or
    /// precede a record of the instance before, of consecutive ones.
    fn is_out_of_order(&self, stated: &StatedValue, tuple: Tuple) -> bool {
        let at = stated.dependency;
        let numbered = self.dependencies[at].number(tuple);
        let Some((scope, number)) = numbered else {
            return false;
        };
        let mut before = tuple;
        before[self.dependencies[at].join.left_keys.len() - 1] = number.wrapping_sub(1);
        let last = self.last_records.get(&(at, before));
        if last.is_some_and(|last| *last > stated.time) {
            return true;
        }
        self.numbered.get(&(at, scope)).is_some_and(|times| {
            let lower = times.range(..number).next_back();
            let higher = times.range(number + 1..).next();
            lower.is_some_and(|(_, time)| *time > stated.time)
                || higher.is_some_and(|(_, time)| *time < stated.time)
        })
    }
}

/// True if a join gives values of another one from a part of its left keys, for records that lack the others: its left
/// keys alone identify nothing.
fn is_coarser(join: &CompiledJoin, other: &CompiledJoin) -> bool {
    join.left_keys.len() < other.left_keys.len()
        && join
            .left_keys
            .iter()
            .all(|key| other.left_keys.contains(key))
        && join
            .right_keys
            .iter()
            .any(|key| other.right_keys.contains(key))
}

/// Row of a group that is read.
#[derive(Clone, Copy)]
struct Row {
    /// Index in the group.
    place: usize,
    /// Row of the segment.
    number: usize,
    event: EventId,
}

impl Dependency<'_> {
    /// Relation of the first record to others, if the join identifies it.
    fn kind(&self) -> Option<RecordDef> {
        Some(self.first?.kind)
    }

    /// Splits left values into those without the number of the instance, and that number, if first records are numbered.
    fn number(&self, mut tuple: Tuple) -> Option<(Tuple, Code)> {
        let slot = self.join.left_keys.len().checked_sub(1)?;
        let kind = self.kind()?;
        let is_numbered = matches!(kind, RecordDef::Numbered | RecordDef::Consecutive);
        let number = std::mem::replace(&mut tuple[slot], NONE);
        (is_numbered && number != NONE && number < ENTRY).then_some((tuple, number))
    }

    /// Left values at a position, without the instance.
    fn tuple(&self, columns: &GroupColumns<'_>, at: CellPosition<'_>) -> Option<Tuple> {
        let mut tuple = [NONE; MAX_LEFT_KEYS];
        for (slot, key) in self.join.left_keys.iter().enumerate() {
            if slot != self.owner {
                tuple[slot] = usable(columns.get(*key), at)?;
            }
        }
        Some(tuple)
    }
}

/// Values of key columns at a position, if all are present.
fn tuple_of<'c>(
    columns: impl Iterator<Item = &'c KeyColumn>,
    at: CellPosition<'_>,
) -> Option<Tuple> {
    let mut tuple = [NONE; MAX_LEFT_KEYS];
    for (slot, column) in tuple.iter_mut().zip(columns) {
        *slot = usable(column, at)?;
    }
    Some(tuple)
}

/// Value of a key column at a position; `None` for a list without an element.
fn usable(column: &KeyColumn, at: CellPosition<'_>) -> Option<Code> {
    let code = match (column, at.element) {
        (KeyColumn::Elements(_), None) => UNUSABLE,
        (column, _) => code_at(column, at),
    };
    (code != NONE && code != UNUSABLE).then_some(code)
}
