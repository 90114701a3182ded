//! All records with their instances and actors.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::quantity::Dimension;

use super::batch::{Batch, ReadRecord};
use super::classes::accepted;
use super::exceptions::Exception;
use super::interner::Interner;
use super::lexer::{Form, split_name};
use super::selection::Selection;
use super::sources::{SourceName, stem};
use super::word_names;
use crate::data::{Data, List, Meanings};

/// Index of an instance.
pub type InstanceIndex = u32;
/// Index of a record, in time order.
pub type RecordIndex = u32;

/// Instance that a definition knows, with the events that name it.
#[derive(Clone, Debug)]
pub struct KnownInstance {
    /// Name of the entity.
    pub entity: String,
    /// Title of the instance: `task 24`.
    pub title: String,
    /// Keys and values that identify it.
    pub id: Vec<(String, String)>,
    /// Events that are read.
    pub events: Vec<EventId>,
    /// True if these are all of its events.
    pub is_whole: bool,
}

/// Instance: `tile 6`, `rank3.log`, `parsl.task 24`.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Class.
    pub class: u32,
    /// Value.
    pub value: u32,
    /// Value as written first.
    pub spelling: u32,
    /// Form in which it is named.
    pub form: Form,
    /// Source of its own, if it has one.
    pub source: Option<u32>,
    /// Index among the instances of definitions.
    pub known: Option<u32>,
    /// True if all of its records are read: in a large run some are not.
    pub is_whole: bool,
    is_place: bool,
    records: (u32, u32),
}

/// Record with what it names.
#[derive(Clone, Debug)]
pub struct Record {
    /// Event.
    pub event: EventId,
    /// Source.
    pub source: u32,
    /// Time, UTC ns.
    pub time: Option<i64>,
    /// Severity.
    pub level: Level,
    /// Template.
    pub template: u32,
    /// Meanings of the first line.
    pub meanings: Meanings,
    /// Instance that wrote it.
    pub actor: InstanceIndex,
    /// Process that wrote it.
    pub pid: Option<u32>,
    /// Last `k of n`.
    pub counter: Option<(u64, u64)>,
    /// Exception.
    pub exception: Option<Box<Exception>>,
    /// True if it belongs to a traceback that an interrupt by the user began.
    pub is_interrupted: bool,
    /// Meanings of a line with a problem that another program printed below it.
    pub printed: Option<Meanings>,
    /// Number of records like it, itself included, for which it is read.
    pub weight: f64,
    mentions: (u32, u32),
    numbers: (u32, u32),
}

impl Record {
    /// Time, s.
    pub fn seconds(&self) -> Option<f64> {
        self.time.map(|t| t as f64 / 1e9)
    }
}

/// Measured number in a record.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Value in the base unit.
    pub value: f64,
    /// Dimension, if a unit is stated.
    pub dimension: Option<Dimension>,
    /// Word that names it.
    pub class: u32,
    /// Position among the numbers of the line.
    pub slot: u16,
    /// True for a limit.
    pub is_limit: bool,
}

/// All records of a snapshot.
#[derive(Debug, Default)]
pub struct Records {
    /// Records in time order.
    pub list: Vec<Record>,
    /// Instances.
    pub instances: Vec<Instance>,
    /// Sources.
    pub sources: Vec<SourceName>,
    /// Group of sources that are made alike, by source.
    pub group_of_source: Vec<u32>,
    /// Records of each source.
    pub of_source: Vec<Vec<RecordIndex>>,
    /// Instances of each class.
    pub classes: FxHashMap<u32, Vec<InstanceIndex>>,
    /// Instances that definitions know.
    pub known: Vec<KnownInstance>,
    /// Number of records of the run; in a large run not all are read.
    pub total: u32,
    texts: Interner,
    mentions: Vec<InstanceIndex>,
    measures: Vec<Measure>,
    of_instance: Vec<RecordIndex>,
    of_template: FxHashMap<u32, TemplateUse>,
    own_logs: Vec<bool>,
    range: (f64, f64),
}

/// Records with a template.
#[derive(Clone, Copy, Debug, Default)]
struct TemplateUse {
    read: u32,
    all: f64,
}

impl Records {
    /// Joins what was read; `order` has the events in time order.
    pub(super) fn new(
        sources: Vec<SourceName>,
        batches: Vec<Batch>,
        order: impl Iterator<Item = EventId>,
        known: Vec<KnownInstance>,
        selection: &Selection,
    ) -> Records {
        let mut texts = Interner::default();
        let mut read: Vec<ReadRecord> = Vec::new();
        for mut batch in batches {
            batch.end_traceback();
            let to = texts.join(&batch.lexer.texts);
            let map = |n: &mut u32| *n = to.get(*n as usize).copied().unwrap_or(*n);
            for mut record in batch.records {
                map(&mut record.template);
                for m in &mut record.mentions {
                    map(&mut m.class);
                    map(&mut m.value);
                    map(&mut m.spelling);
                }
                record.numbers.iter_mut().for_each(|n| map(&mut n.class));
                record.pid.iter_mut().for_each(map);
                if let Some((class, value)) = &mut record.thread {
                    map(class);
                    map(value);
                }
                read.push(record);
            }
        }
        let place: FxHashMap<EventId, u32> = (0..).zip(order).map(|(i, e)| (e, i)).collect();
        read.sort_by_cached_key(|r| place.get(&r.event).copied().unwrap_or(u32::MAX));
        word_names::find(&mut read, &mut texts);
        let mut out = Records {
            sources,
            known,
            texts,
            total: selection.records,
            ..Records::default()
        };
        out.add(read, selection);
        out
    }

    /// Text with a number.
    pub fn text(&self, number: u32) -> &str {
        self.texts.text(number)
    }

    /// Record.
    pub fn record(&self, index: RecordIndex) -> &Record {
        // Indices come from this table alone.
        &self.list[index as usize]
    }

    /// Instance.
    pub fn instance(&self, index: InstanceIndex) -> &Instance {
        &self.instances[index as usize]
    }

    /// Class of an instance.
    pub fn class(&self, index: InstanceIndex) -> &str {
        self.text(self.instance(index).class)
    }

    /// Value of an instance.
    pub fn value(&self, index: InstanceIndex) -> &str {
        self.text(self.instance(index).value)
    }

    /// Records that name an instance, in time order.
    pub fn of(&self, index: InstanceIndex) -> &[RecordIndex] {
        let (from, to) = self.instance(index).records;
        &self.of_instance[from as usize..to as usize]
    }

    /// Instances that a record names, in the order of the text; the writer's last.
    pub fn named(&self, record: &Record) -> &[InstanceIndex] {
        &self.mentions[record.mentions.0 as usize..record.mentions.1 as usize]
    }

    /// Measured numbers of a record.
    pub fn measures(&self, record: &Record) -> &[Measure] {
        &self.measures[record.numbers.0 as usize..record.numbers.1 as usize]
    }

    /// Number of records with a template.
    pub fn count(&self, template: u32) -> u32 {
        let found = self.of_template.get(&template);
        found.map_or(0, |t| t.all.round() as u32)
    }

    /// True if all records with a template are read.
    pub fn has_all(&self, template: u32) -> bool {
        let found = self.of_template.get(&template);
        found.is_none_or(|t| t.all.round() as u32 <= t.read)
    }

    /// True if an instance is only a place or a process: many instances share it.
    pub fn is_place(&self, index: InstanceIndex) -> bool {
        self.instance(index).is_place
    }

    /// Other names of an instance: its log, and its class and number.
    pub fn names(&self, index: InstanceIndex) -> Vec<(String, String)> {
        let i = self.instance(index);
        if let Some(known) = i.known.and_then(|k| self.known.get(k as usize)) {
            return known.id.clone();
        }
        let (class, value) = (self.class(index).to_owned(), self.value(index).to_owned());
        let spelling = self.text(i.spelling).to_owned();
        let mut names = vec![(class.clone(), value)];
        if !names.iter().any(|n| n.1 == spelling) {
            names.push((class, spelling));
        }
        if let Some(source) = i.source.and_then(|s| self.sources.get(s as usize)) {
            let file = source.path.rsplit('/').next().unwrap_or(&source.path);
            names.push(("log".to_owned(), file.to_owned()));
        }
        if names.iter().any(|(class, _)| class == "file")
            && let Some(pair) = split_name(self.value(index))
        {
            names.push(pair);
        }
        names
    }

    /// First and last time, s.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    fn add(&mut self, mut read: Vec<ReadRecord>, selection: &Selection) {
        self.group_of_source = super::sources::groups(&self.sources, &read);
        let mut members: FxHashMap<u32, u32> = FxHashMap::default();
        for group in &self.group_of_source {
            *members.entry(*group).or_default() += 1;
        }
        let is_own_log = |group| members.get(group).is_some_and(|n| *n >= 2);
        self.own_logs = self.group_of_source.iter().map(is_own_log).collect();
        super::classes::join_process_ids(&mut read, &mut self.texts, &self.sources);
        let mut table: FxHashMap<(u32, u32), InstanceIndex> = FxHashMap::default();
        let source_instances = self.add_source_instances(&mut table);
        let own_classes = self.instances.iter().map(|i| i.class).collect();
        let is_accepted = accepted(&read, &self.texts, own_classes);
        let stems: FxHashMap<&str, InstanceIndex> = source_instances
            .iter()
            .filter_map(|(s, i)| Some((stem(&self.sources.get(*s as usize)?.path), *i)))
            .collect();
        let stems: FxHashMap<u32, InstanceIndex> = stems
            .into_iter()
            .filter_map(|(name, i)| Some((self.texts.find(name)?, i)))
            .collect();
        let known_of = self.add_known(&mut table);
        let mut threads: FxHashMap<u32, FxHashSet<(u32, u32)>> = FxHashMap::default();
        for r in &read {
            threads.entry(r.source).or_default().extend(r.thread);
        }
        threads.retain(|_, names| names.len() >= 2);
        let mut thread_of: FxHashMap<(u32, u32), InstanceIndex> = FxHashMap::default();
        let pid_class = self.texts.number("pid");
        let data = Data::get();
        let mut index_of: Vec<Option<InstanceIndex>> = Vec::new();
        self.list.reserve_exact(read.len());
        for r in read {
            let template = self.of_template.entry(r.template).or_default();
            template.read += 1;
            template.all += r.weight;
            let from = self.mentions.len() as u32;
            let known = known_of.get(&r.event).map_or(&[][..], |k| k);
            let mut first: Option<InstanceIndex> = None;
            index_of.clear();
            for m in &r.mentions {
                let is_known = known.iter().any(|k| self.is_same(*k, m.class, m.value));
                let index = if let (Form::Source, Some(i)) = (m.form, stems.get(&m.value)) {
                    Some(*i)
                } else if is_known || !is_accepted.has(m) {
                    None
                } else {
                    Some(self.instance_of(&mut table, (m.class, m.value), m.spelling, m.form))
                };
                index_of.push(index);
                let Some(index) = index else { continue };
                let is_first = m.leads
                    && matches!(
                        m.form,
                        Form::Numbered | Form::Named | Form::Word | Form::Process
                    );
                first = first.or(is_first.then_some(index));
                self.mention(from, index);
            }
            for k in known {
                self.mention(from, *k);
            }
            let thread = r.thread.filter(|_| threads.contains_key(&r.source));
            let thread = thread.map(|(class, value)| match thread_of.get(&(class, value)) {
                Some(known) => *known,
                None => {
                    let split = split_name(self.texts.text(value));
                    let key = match split.filter(|(word, _)| word.len() >= 2) {
                        Some((word, number)) => {
                            (self.texts.number(&word), self.texts.number(&number))
                        }
                        None => (class, value),
                    };
                    let index = self.instance_of(&mut table, key, value, Form::Key);
                    thread_of.insert((class, value), index);
                    index
                }
            });
            let pid = r.pid.or_else(|| {
                let mut own = r
                    .mentions
                    .iter()
                    .filter(|m| m.form == Form::Process && m.leads);
                own.next().map(|m| m.value)
            });
            let process = pid.and_then(|value| table.get(&(pid_class, value)).copied());
            let source = source_instances.get(&r.source).copied();
            let own = source.filter(|_| self.is_own_log(r.source));
            let actor = own.or(thread).or(first).or(process).or(source);
            let actor = actor.unwrap_or_default();
            thread.into_iter().for_each(|i| self.mention(from, i));
            source.into_iter().for_each(|i| self.mention(from, i));
            let numbers = self.measures.len() as u32;
            for n in &r.numbers {
                let mention = n
                    .mention
                    .and_then(|m| index_of.get(usize::from(m)).copied()?);
                let is_measured = || data.lists_of(self.texts.text(n.class)).has(List::Measures);
                if mention.is_none() || n.is_limit || is_measured() {
                    self.measures.push(Measure {
                        value: n.value,
                        dimension: n.dimension,
                        class: n.class,
                        slot: n.slot,
                        is_limit: n.is_limit,
                    });
                }
            }
            self.list.push(Record {
                event: r.event,
                source: r.source,
                time: r.time,
                level: r.level,
                template: r.template,
                meanings: r.meanings,
                actor,
                pid,
                counter: r.counter,
                is_interrupted: r.is_interrupted
                    || r.exception.as_ref().is_some_and(|e| e.is_interrupt),
                exception: r.exception,
                printed: r.printed,
                weight: r.weight,
                mentions: (from, self.mentions.len() as u32),
                numbers: (numbers, self.measures.len() as u32),
            });
        }
        let times = || self.list.iter().filter_map(Record::seconds);
        let (first, last) = (times().reduce(f64::min), times().reduce(f64::max));
        self.range = (first.unwrap_or(0.0), last.unwrap_or(0.0));
        self.index(selection);
    }

    /// True if a definition's instance is the one that a text names.
    fn is_same(&self, known: InstanceIndex, class: u32, value: u32) -> bool {
        let instance = self.instance(known);
        let Some(k) = instance.known.and_then(|k| self.known.get(k as usize)) else {
            return false;
        };
        let class = self
            .texts
            .text(class)
            .rsplit('.')
            .next()
            .unwrap_or_default();
        let same_class = k.entity.ends_with(class) || k.title.starts_with(class);
        same_class
            && k.id
                .last()
                .is_some_and(|(_, v)| v == self.texts.text(value))
    }

    fn reads_place(&self, index: InstanceIndex) -> bool {
        let (i, class) = (self.instance(index), self.class(index));
        class == "log" && i.source.is_some()
            || matches!(i.form, Form::Address)
            || matches!(class, "host" | "hostname" | "executor" | "user")
            || class.contains("thread")
    }

    fn reads_whole(&self, index: InstanceIndex, selection: &Selection) -> bool {
        let i = self.instance(index);
        match (i.known.and_then(|k| self.known.get(k as usize)), i.source) {
            (Some(known), _) => known.is_whole,
            (None, Some(source)) => selection.has_source(source),
            (None, None) => selection.has(self.class(index), self.value(index)),
        }
    }

    fn mention(&mut self, from: u32, index: InstanceIndex) {
        if !self.mentions[from as usize..].contains(&index) {
            self.mentions.push(index);
        }
    }

    fn instance_of(
        &mut self,
        table: &mut FxHashMap<(u32, u32), InstanceIndex>,
        (class, value): (u32, u32),
        spelling: u32,
        form: Form,
    ) -> InstanceIndex {
        *table.entry((class, value)).or_insert_with(|| {
            self.instances.push(Instance {
                class,
                value,
                spelling,
                form,
                source: None,
                known: None,
                is_whole: true,
                is_place: false,
                records: (0, 0),
            });
            self.instances.len() as u32 - 1
        })
    }

    /// True if the source is one of several alike, each of one instance.
    fn is_own_log(&self, source: u32) -> bool {
        self.own_logs.get(source as usize) == Some(&true)
    }

    fn add_source_instances(
        &mut self,
        table: &mut FxHashMap<(u32, u32), InstanceIndex>,
    ) -> FxHashMap<u32, InstanceIndex> {
        let mut out = FxHashMap::default();
        let paths: Vec<String> = self.sources.iter().map(|s| s.path.clone()).collect();
        let split: Vec<Option<(String, String)>> =
            paths.iter().map(|path| split_name(stem(path))).collect();
        // The same number in several folders is no name.
        let mut folders: FxHashMap<&(String, String), FxHashSet<&str>> = FxHashMap::default();
        for (path, name) in paths.iter().zip(&split) {
            if let Some(name) = name {
                folders.entry(name).or_default().insert(folder(path));
            }
        }
        for (s, (path, name)) in (0..).zip(paths.iter().zip(&split)) {
            let is_unique =
                |name: &&(String, String)| folders.get(name).is_some_and(|f| f.len() == 1);
            let name = name
                .as_ref()
                .filter(|_| self.is_own_log(s))
                .filter(is_unique);
            let (class, value) = match name {
                Some((class, number)) => (self.texts.number(class), self.texts.number(number)),
                None => (self.texts.number("log"), self.texts.number(path)),
            };
            let spelling = self.texts.number(stem(path));
            let index = self.instance_of(table, (class, value), spelling, Form::Source);
            let instance = &mut self.instances[index as usize];
            instance.source = instance.source.or(Some(s));
            out.insert(s, index);
        }
        out
    }

    fn add_known(
        &mut self,
        table: &mut FxHashMap<(u32, u32), InstanceIndex>,
    ) -> FxHashMap<EventId, Vec<InstanceIndex>> {
        let mut of: FxHashMap<EventId, Vec<InstanceIndex>> = FxHashMap::default();
        for at in 0..self.known.len() {
            let (entity, title) = (self.known[at].entity.clone(), self.known[at].title.clone());
            let key = (self.texts.number(&entity), self.texts.number(&title));
            let index = self.instance_of(table, key, key.1, Form::Key);
            self.instances[index as usize].known = Some(at as u32);
            for event in std::mem::take(&mut self.known[at].events) {
                of.entry(event).or_default().push(index);
            }
        }
        of
    }

    fn index(&mut self, selection: &Selection) {
        for i in 0..self.instances.len() as u32 {
            let (is_place, is_whole) = (self.reads_place(i), self.reads_whole(i, selection));
            let instance = &mut self.instances[i as usize];
            (instance.is_place, instance.is_whole) = (is_place, is_whole);
        }
        let mut count = vec![0u32; self.instances.len() + 1];
        for m in &self.mentions {
            count[*m as usize + 1] += 1;
        }
        for i in 1..count.len() {
            count[i] += count[i - 1];
        }
        for (i, instance) in self.instances.iter_mut().enumerate() {
            instance.records = (count[i], count[i + 1]);
        }
        self.of_instance = vec![0; self.mentions.len()];
        self.of_source = vec![Vec::new(); self.sources.len()];
        let mut next = count;
        for (at, record) in self.list.iter().enumerate() {
            for m in &self.mentions[record.mentions.0 as usize..record.mentions.1 as usize] {
                let place = &mut next[*m as usize];
                self.of_instance[*place as usize] = at as u32;
                *place += 1;
            }
            if let Some(of) = self.of_source.get_mut(record.source as usize) {
                of.push(at as u32);
            }
        }
        for i in 0..self.instances.len() as u32 {
            if !self.of(i).is_empty() {
                self.classes
                    .entry(self.instance(i).class)
                    .or_default()
                    .push(i);
            }
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
