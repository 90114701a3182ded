//! Records of a large run that are read: instances with all of their records, those that took unusual steps first; rare
//! and telling records; beginnings and ends of logs.
//!
//! The columns of the store say which records an instance has and which steps it took, so no text is read for it.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, ShapeId};
use widetui_core::level::Level;
use widetui_store::column::Column;
use widetui_store::event_columns::times;
use widetui_store::{Cell, Snapshot};
use widetui_time::time::NO_TIME;

use super::lexer::{split_name, without_zeros};
use crate::data::{Data, List, Meanings, Word};

/// Most records of a run that is read as a whole.
const WHOLE: usize = 40_000;
/// Records that are read of one shape that reports a problem.
const TELLING: usize = 300;
/// Most records that are read of another shape, besides those of instances.
const COMMON: usize = 64;
/// Records behind one that reports a problem, and number of such records of a shape, in which its end is sought.
const BEHIND: (usize, usize) = (12, 50);
/// Last records of each writer.
const ENDS: usize = 3;
/// Share of the records of a class that one instance may have.
const SHARE: usize = 8;
/// Most records of an instance all of whose records may be read.
const LARGEST: usize = WHOLE / 2 / SHARE;

/// Records that are read.
#[derive(Debug)]
pub(super) struct Selection {
    /// True if each event is read; `None` if all are.
    reads: Option<Vec<bool>>,
    /// Number of records of each shape, and of those that are read.
    of_shape: Vec<(u32, u32)>,
    /// Class and value of instances all of whose records are read.
    whole: FxHashSet<(String, String)>,
    /// Sources all of whose records are read.
    whole_sources: FxHashSet<u32>,
    /// Number of records, duplicates aside.
    pub(super) records: u32,
}

/// Records of an instance.
#[derive(Clone, Copy, Debug)]
struct Use {
    rows: u32,
    /// First one in file order.
    event: u32,
    /// Bits of the templates.
    steps: u64,
    first: i64,
    last: i64,
}

impl Default for Use {
    fn default() -> Use {
        Use {
            rows: 0,
            event: u32::MAX,
            steps: 0,
            first: i64::MAX,
            last: i64::MIN,
        }
    }
}

impl Use {
    fn add(&mut self, event: usize, (template, time): (u32, i64)) {
        self.rows += 1;
        self.event = self.event.min(event as u32);
        self.steps |= 1 << (template.wrapping_mul(0x9E37_79B1) >> 26);
        if time != NO_TIME {
            self.first = self.first.min(time);
            self.last = self.last.max(time);
        }
    }

    fn span(&self) -> i64 {
        self.last.saturating_sub(self.first).max(0)
    }
}

impl Selection {
    /// All records of a run.
    pub(super) fn whole(records: usize) -> Selection {
        Selection {
            reads: None,
            of_shape: Vec::new(),
            whole: FxHashSet::default(),
            whole_sources: FxHashSet::default(),
            records: records as u32,
        }
    }

    /// Number of records that one which is read stands for.
    pub(super) fn weight(&self, shape: ShapeId) -> f64 {
        let counts = self.of_shape.get(shape.index());
        let (all, read) = counts.copied().unwrap_or_default();
        if read == 0 {
            1.0
        } else {
            f64::from(all) / f64::from(read)
        }
    }

    /// True if an event is read.
    pub(super) fn reads(&self, event: EventId) -> bool {
        let reads = self.reads.as_ref();
        reads.is_none_or(|all| all.get(event.0 as usize).copied().unwrap_or(false))
    }

    /// True if some records are not read.
    pub(super) fn is_partial(&self) -> bool {
        self.reads.is_some()
    }

    /// True if all records of a source are read.
    pub(super) fn has_source(&self, source: u32) -> bool {
        !self.is_partial() || self.whole_sources.contains(&source)
    }

    /// True if all records that name an instance are read.
    pub(super) fn has(&self, class: &str, value: &str) -> bool {
        !self.is_partial() || self.whole.contains(&(class.to_owned(), value.to_owned()))
    }
}

/// Selects the records that are read; `needed` are among them. `None` if cancelled.
pub(super) fn select(
    snapshot: &Snapshot,
    found: &AllInstances,
    needed: &[EventId],
    cancel: &Cancel,
) -> Option<Selection> {
    let records = snapshot.len().saturating_sub(snapshot.duplicates.len());
    if records <= WHOLE {
        return Some(Selection::whole(records));
    }
    let mut run = Run::new(snapshot);
    run.read_shapes();
    run.read_ends();
    needed.iter().for_each(|e| run.read(e.0 as usize));
    if cancel.is_cancelled() {
        return None;
    }
    run.read_instances(found);
    let whole = run.whole_instances();
    Some(Selection {
        of_shape: run.counts(),
        whole_sources: run.whole_sources(),
        reads: Some(run.reads),
        whole,
        records: records as u32,
    })
}

/// Columns of all events.
struct Run<'a> {
    snapshot: &'a Snapshot,
    /// Shape of each event.
    shapes: Vec<ShapeId>,
    /// Hash of the template of each shape; numbers of templates differ from load to load.
    template_of: Vec<u32>,
    times: Vec<i64>,
    is_duplicate: Vec<bool>,
    reads: Vec<bool>,
    keys: FxHashMap<KeyId, FxHashMap<Code, Use>>,
    sources: Vec<Use>,
}

/// Class of instances.
enum Class {
    Entity(usize),
    Key(KeyId),
    Source,
}

/// Cells of a column.
#[derive(Clone, Copy)]
struct Cells<'a> {
    rows: &'a [u16],
    /// First event of the segment.
    first: usize,
    column: &'a Column,
}

impl Cells<'_> {
    /// Calls `f` with each value and its event.
    fn for_each(self, mut f: impl FnMut(Code, usize)) {
        for (place, row) in self.rows.iter().enumerate() {
            if let Cell::One(code) = self.column.cell(place) {
                f(code, self.first + usize::from(*row));
            }
        }
    }
}

impl<'a> Run<'a> {
    fn new(snapshot: &'a Snapshot) -> Run<'a> {
        let mut shapes = vec![ShapeId(0); snapshot.len()];
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            for group in &segment.groups {
                for row in &group.rows {
                    shapes[*base as usize + usize::from(*row)] = group.shape;
                }
            }
        }
        let mut is_duplicate = vec![false; snapshot.len()];
        for (duplicate, _) in snapshot.duplicates.iter() {
            is_duplicate[duplicate as usize] = true;
        }
        let catalog = &snapshot.catalog;
        let template = |at: usize| catalog.templates.get(at).map(|t| &t.text);
        let hash = |at: usize| (FxBuildHasher.hash_one(template(at)) >> 32) as u32;
        let shapes_of = catalog.shapes.iter();
        Run {
            snapshot,
            shapes,
            template_of: shapes_of.map(|s| hash(s.template.index())).collect(),
            times: times(snapshot),
            is_duplicate,
            reads: vec![false; snapshot.len()],
            keys: FxHashMap::default(),
            sources: vec![Use::default(); snapshot.sources.len()],
        }
    }

    /// Template and time of an event.
    fn step(&self, event: usize) -> (u32, i64) {
        let shape = self.shapes.get(event).map_or(0, |s| s.index());
        let template = self.template_of.get(shape).copied();
        let time = self.times.get(event).copied();
        (template.unwrap_or_default(), time.unwrap_or(NO_TIME))
    }

    fn read(&mut self, event: usize) {
        if let (Some(reads), Some(false)) =
            (self.reads.get_mut(event), self.is_duplicate.get(event))
        {
            *reads = true;
        }
    }

    /// Reads rare records, and some of the others of each shape: the first, the last and some between them.
    fn read_shapes(&mut self) {
        let catalog = &self.snapshot.catalog;
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); catalog.shapes.len()];
        for (event, shape) in (0..).zip(&self.shapes) {
            if let Some(of) = of.get_mut(shape.index()) {
                of.push(event);
            }
        }
        let used = of.iter().filter(|of| !of.is_empty()).count();
        let common = (WHOLE / 4 / used.max(1)).clamp(4, COMMON);
        let data = Data::get();
        for (shape, events) in catalog
            .shapes
            .iter()
            .zip(&of)
            .filter(|(_, of)| !of.is_empty())
        {
            let template = catalog.templates.get(shape.template.index());
            let m = template.map_or_else(Meanings::default, |t| data.meanings(&t.text));
            let is_problem = shape.level >= Level::Warning || m.is_trouble();
            let words = [
                Word::Quiet,
                Word::Hard,
                Word::Late,
                Word::Kill,
                Word::Interrupt,
            ];
            let is_telling = is_problem || words.into_iter().any(|w| m.has(w));
            let most = if is_telling { TELLING } else { common };
            let (n, part) = (events.len(), most / 4);
            let between =
                (0..most / 2).map(|i| part + i * (n.saturating_sub(2 * part)) / (most / 2).max(1));
            let places: Vec<usize> = match n <= most {
                true => (0..n).collect(),
                false => (0..part).chain(between).chain(n - part..n).collect(),
            };
            places.iter().for_each(|i| self.read(events[*i] as usize));
            if is_problem {
                for at in places.into_iter().take(BEHIND.1) {
                    let at = events[at] as usize;
                    (at + 1..=at + BEHIND.0).for_each(|e| self.read(e));
                }
            }
        }
    }

    /// Reads the first and last records of each source and of each writer, and those around the longest silences.
    fn read_ends(&mut self) {
        let snapshot = self.snapshot;
        let each = (WHOLE / 8 / snapshot.sources.len().max(1)).clamp(4, 100);
        let mut writers: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut ends: Vec<[usize; ENDS]> = Vec::new();
        let mut last: Vec<Vec<usize>> = vec![Vec::new(); snapshot.sources.len()];
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            for part in &segment.parts {
                let from = (*base + part.first_row) as usize;
                let to = from + part.rows as usize;
                let source = part.source.index();
                if part.seq == 0 {
                    (from..to.min(from + each)).for_each(|e| self.read(e));
                }
                if let Some(last) = last.get_mut(source) {
                    last.extend(to.saturating_sub(each).max(from)..to);
                    let old = last.len().saturating_sub(each);
                    last.drain(..old);
                }
                let (mut context, mut writer) = (None, usize::MAX);
                for event in from..to {
                    let step = self.step(event);
                    if let Some(own) = self.sources.get_mut(source) {
                        own.add(event, step);
                    }
                    let own = segment.context(event - *base as usize);
                    if let Some(own) = own.filter(|own| context != Some(*own)) {
                        context = Some(own);
                        writer = *writers.entry((part.source.0, own.0)).or_insert(ends.len());
                        ends.resize(ends.len().max(writer + 1), [event; ENDS]);
                    }
                    if let Some(last) = ends.get_mut(writer).filter(|_| own.is_some()) {
                        last.rotate_left(1);
                        last[ENDS - 1] = event;
                    }
                }
            }
        }
        let last = last.into_iter().flatten();
        let all: Vec<usize> = last.chain(ends.into_iter().flatten()).collect();
        all.into_iter().for_each(|e| self.read(e));
        let mut longest = [(0, 0, 0); 2];
        let dated = snapshot.order.iter().map(|e| *e as usize);
        let mut dated = dated.filter(|e| self.times.get(*e).is_some_and(|t| *t != NO_TIME));
        if let Some(mut before) = dated.next() {
            for event in dated {
                let gap = self.times[event].saturating_sub(self.times[before]);
                if gap > longest[1].0 {
                    longest[1] = (gap, before, event);
                    longest.sort_by_key(|g| std::cmp::Reverse(g.0));
                }
                before = event;
            }
        }
        for (_, before, after) in longest {
            self.read(before);
            self.read(after);
        }
    }

    /// Reads all records of some instances of each class.
    fn read_instances(&mut self, found: &AllInstances) {
        let mut entities: Vec<Vec<Use>> = Vec::new();
        let mut is_known: FxHashSet<KeyId> = FxHashSet::default();
        for instances in &found.occurring {
            if let [keys] = instances.alternatives()
                && let [key] = keys[..]
            {
                is_known.insert(key);
            }
            // The steps of large instances are not needed: a few workers have most records.
            let counts = instances.list.iter().map(|one| instances.event_count(one));
            let begun = counts.map(|n| Use {
                rows: if n > LARGEST { n as u32 } else { 0 },
                ..Use::default()
            });
            let mut uses: Vec<Use> = begun.collect();
            if uses.iter().any(|own| own.rows == 0) {
                instances.for_each_event(|event, i| {
                    if let Some(own) = uses.get_mut(i).filter(|own| own.rows <= LARGEST as u32) {
                        let event = event.0 as usize;
                        own.add(event, self.step(event));
                    }
                });
            }
            entities.push(uses);
        }
        self.find_keys(&is_known);
        let mut classes: Vec<(u64, Class)> = vec![(rows(self.sources.iter()), Class::Source)];
        for (i, uses) in entities.iter().enumerate() {
            classes.push((rows(uses.iter()), Class::Entity(i)));
        }
        let mut keys: Vec<KeyId> = self.keys.keys().copied().collect();
        keys.sort_unstable_by_key(|key| self.snapshot.catalog.keys.name(*key));
        for key in keys {
            classes.push((rows(self.keys[&key].values()), Class::Key(key)));
        }
        classes.sort_by_key(|(rows, _)| *rows);
        let mut left = WHOLE / 2;
        let mut keys: FxHashMap<KeyId, FxHashSet<Code>> = FxHashMap::default();
        let n = classes.len();
        for (i, (_, class)) in classes.into_iter().enumerate() {
            let most = left / (n - i);
            left -= match class {
                Class::Source => {
                    let all = (0..).zip(self.sources.iter().copied()).collect();
                    let (chosen, rows) = choose(all, most);
                    self.read_sources(&chosen);
                    rows
                }
                Class::Entity(at) => {
                    let all = (0..).zip(entities[at].iter().copied()).collect();
                    let (chosen, rows) = choose(all, most);
                    let mut is_chosen = vec![false; entities[at].len()];
                    chosen.iter().for_each(|i: &usize| is_chosen[*i] = true);
                    if !chosen.is_empty() {
                        found.occurring[at].for_each_event(|event, i| {
                            if is_chosen.get(i) == Some(&true) {
                                self.read(event.0 as usize);
                            }
                        });
                    }
                    rows
                }
                Class::Key(key) => {
                    let all = self.keys[&key].iter().map(|(c, u)| (*c, *u));
                    let (chosen, rows) = choose(all.collect(), most);
                    keys.entry(key).or_default().extend(chosen);
                    rows
                }
            };
        }
        let mut events = Vec::new();
        self.for_each_column(
            |key| keys.get(&key).is_some_and(|k| !k.is_empty()),
            |key, cells| {
                let Some(chosen) = keys.get(&key) else { return };
                cells
                    .for_each(|code, event| events.extend(chosen.contains(&code).then_some(event)));
            },
        );
        events.into_iter().for_each(|e| self.read(e));
    }

    fn read_sources(&mut self, chosen: &[u32]) {
        for (segment, base) in self
            .snapshot
            .segments
            .iter()
            .zip(self.snapshot.bases.iter())
        {
            for part in segment
                .parts
                .iter()
                .filter(|p| chosen.contains(&p.source.0))
            {
                let from = (*base + part.first_row) as usize;
                (from..from + part.rows as usize).for_each(|e| self.read(e));
            }
        }
    }

    /// Calls `f` with the columns of some keys.
    fn for_each_column(&self, wants: impl Fn(KeyId) -> bool, mut f: impl FnMut(KeyId, Cells<'_>)) {
        for (segment, base) in self
            .snapshot
            .segments
            .iter()
            .zip(self.snapshot.bases.iter())
        {
            for group in &segment.groups {
                for (key, column) in group.columns.iter().filter(|(key, _)| wants(*key)) {
                    let (rows, first) = (&*group.rows, *base as usize);
                    f(
                        *key,
                        Cells {
                            rows,
                            first,
                            column,
                        },
                    );
                }
            }
        }
    }

    /// Finds the records of each value of the keys that may name instances; those of `known` are instances of entities.
    fn find_keys(&mut self, known: &FxHashSet<KeyId>) {
        let data = Data::get();
        let names = |key: KeyId| {
            let view = self.snapshot.catalog.keys.get(key);
            view.is_some_and(|view| {
                let name = last_name(&view.key.name);
                let lists = data.lists_of(&name);
                !data.lists("skipped_keys", &name)
                    && !lists.has(List::Measures)
                    && !lists.has(List::States)
            })
        };
        let mut wanted: FxHashMap<KeyId, bool> = FxHashMap::default();
        for segment in self.snapshot.segments.iter() {
            for (key, _) in segment.groups.iter().flat_map(|g| &g.columns) {
                wanted
                    .entry(*key)
                    .or_insert_with(|| !known.contains(key) && names(*key));
            }
        }
        let mut keys: FxHashMap<KeyId, FxHashMap<Code, Use>> = FxHashMap::default();
        self.for_each_column(
            |key| wanted.get(&key) == Some(&true),
            |key, cells| {
                let own = keys.entry(key).or_default();
                cells.for_each(|code, event| {
                    own.entry(code).or_default().add(event, self.step(event));
                });
            },
        );
        keys.retain(|_, values| values.len() >= 2);
        self.keys = keys;
    }

    /// Class and value of instances of keys all of whose records are read.
    fn whole_instances(&self) -> FxHashSet<(String, String)> {
        let mut read: FxHashMap<(KeyId, Code), u32> = FxHashMap::default();
        self.for_each_column(
            |key| self.keys.contains_key(&key),
            |key, cells| {
                cells.for_each(|code, event| {
                    if self.reads.get(event) == Some(&true) {
                        *read.entry((key, code)).or_default() += 1;
                    }
                });
            },
        );
        let mut out = FxHashSet::default();
        for ((key, code), n) in read {
            let all = self.keys.get(&key).and_then(|k| k.get(&code));
            let Some(view) = self
                .snapshot
                .catalog
                .keys
                .get(key)
                .filter(|_| all.is_some_and(|u| u.rows == n))
            else {
                continue;
            };
            let Some(value) = view.spelling(code) else {
                continue;
            };
            out.extend(split_name(&value));
            let is_number = value.bytes().all(|b| b.is_ascii_digit());
            let value = if is_number {
                without_zeros(&value).to_owned()
            } else {
                value
            };
            out.insert((last_name(&view.key.name), value));
        }
        out
    }

    fn whole_sources(&self) -> FxHashSet<u32> {
        let mut read = vec![0u32; self.sources.len()];
        let snapshot = self.snapshot;
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            for part in &segment.parts {
                let from = (*base + part.first_row) as usize;
                let own = &self.reads[from..from + part.rows as usize];
                let n = own.iter().filter(|r| **r).count() as u32;
                if let Some(read) = read.get_mut(part.source.index()) {
                    *read += n;
                }
            }
        }
        let all = (0..).zip(read.into_iter().zip(&self.sources));
        all.filter(|(_, (n, all))| *n == all.rows)
            .map(|(i, _)| i)
            .collect()
    }

    /// Number of records of each shape, and of those that are read.
    fn counts(&self) -> Vec<(u32, u32)> {
        let mut out = vec![(0, 0); self.snapshot.catalog.shapes.len()];
        let events = self.shapes.iter().zip(&self.reads).zip(&self.is_duplicate);
        for ((shape, reads), _) in events.filter(|(_, is_duplicate)| !**is_duplicate) {
            if let Some((all, read)) = out.get_mut(shape.index()) {
                *all += 1;
                *read += u32::from(*reads);
            }
        }
        out
    }
}

fn rows<'u>(uses: impl Iterator<Item = &'u Use>) -> u64 {
    uses.map(|own| u64::from(own.rows)).sum()
}

fn last_name(key: &str) -> String {
    key.rsplit('.').next().unwrap_or(key).to_lowercase()
}

/// Chooses instances with about this number of records, and returns the number of these, too. Every second one is of a
/// rare set of steps, the longest of each first; the others are spread over all, so that the usual stays usual.
fn choose<T: Copy>(all: Vec<(T, Use)>, most: usize) -> (Vec<T>, usize) {
    let is_small = |own: &Use| own.rows > 0 && own.rows as usize <= most / SHARE;
    let mut all: Vec<(T, Use)> = all.into_iter().filter(|(_, u)| is_small(u)).collect();
    all.sort_by_key(|(_, own)| (own.steps, std::cmp::Reverse(own.span()), own.event));
    let mut sets: Vec<std::ops::Range<usize>> = Vec::new();
    for (i, (_, own)) in all.iter().enumerate() {
        match sets
            .last_mut()
            .filter(|set| all[set.start].1.steps == own.steps)
        {
            Some(set) => set.end = i + 1,
            None => sets.push(i..i + 1),
        }
    }
    sets.sort_by_key(ExactSizeIterator::len);
    let (mut chosen, mut rows) = (Vec::new(), 0);
    let mut is_chosen = vec![false; all.len()];
    let mut choose = |i: usize| {
        let (id, own) = all[i];
        if !is_chosen[i] && rows + own.rows as usize <= most {
            is_chosen[i] = true;
            chosen.push(id);
            rows += own.rows as usize;
        }
    };
    let spread = |i: usize| ((i as u32).wrapping_mul(0x9E37_79B1) as usize * all.len()) >> 32;
    let mut at = 0;
    while !sets.is_empty() {
        for set in &mut sets {
            set.next().into_iter().for_each(&mut choose);
            choose(spread(at));
            at += 1;
        }
        sets.retain(|set| !set.is_empty());
    }
    (chosen, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(steps: &[u32], seconds: i64) -> Use {
        let mut own = Use::default();
        let times = (0..).map(|i| i * seconds * 1_000_000_000);
        let steps = (0..).zip(steps.iter().copied().zip(times));
        steps.for_each(|(event, step)| own.add(event, step));
        own
    }

    #[test]
    fn instances_with_unusual_steps_and_durations_are_chosen_first() {
        let mut all: Vec<(u32, Use)> = (0..1000).map(|i| (i, instance(&[1, 2, 3], 2))).collect();
        all[500].1 = instance(&[1, 2], 2);
        all[600].1 = instance(&[1, 2, 3], 90);
        let (chosen, rows) = choose(all, 100);
        assert!(chosen.contains(&500) && chosen.contains(&600));
        assert!((90..=100).contains(&rows) && chosen.len() < 40);
    }

    #[test]
    fn small_classes_are_chosen_as_a_whole() {
        let all: Vec<(u32, Use)> = (0..5).map(|i| (i, instance(&[1, 2, 3], 2))).collect();
        assert_eq!(choose(all, 100).0.len(), 5);
    }
}
