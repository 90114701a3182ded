//! First records: values in the first record of a file that hold for the whole file or for its
//! section.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::dict::NONE;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UsualSpellings};

use crate::applicable::applies_to;
use crate::derived_values::{
    CellValues, DerivedCells, DerivedKeyColumn, GroupColumns, GroupDerivations, JoinIndex,
};
use crate::doubt::Doubt;
use crate::file_sections::{Sections, find_sections};
use crate::fixpoint::Fixpoint;
use crate::fixpoint::brackets::{FirstValues, first_values};
use crate::spec::{FirstRecordRule, Join, JoinRule, SectionRule};
use crate::table::{JoinTable, MAX_LEFT_KEYS, Tuple};

/// Values of a key in the first records of files or of their sections.
#[derive(Debug)]
pub(crate) struct FirstRecords {
    /// Index of the join whose rule states the values.
    pub join: usize,
    /// Key that the first records state.
    pub key: KeyId,
    /// Value stated by the first record of each section.
    pub values: FirstValues,
    /// Sections into which the files are split.
    pub sections: Arc<Sections>,
    /// Source of values that these values replace.
    pub(crate) replaces: ReplacedValues,
}

/// Source of values that the value of a first record replaces.
#[derive(Debug)]
pub(crate) enum ReplacedValues {
    /// Values of records that do not state the key themselves.
    Missing,
    /// Values of the file's path, which hold for the first section only. Contains the sections
    /// without a name of their own, which are numbered; a duplicate of their records in another
    /// file may have a better name.
    Path(FxHashSet<(SourceId, usize)>),
}

/// Files of a rule that have several sections.
#[derive(Debug)]
pub(crate) struct SplitFiles<'j> {
    /// Join that contains the rule.
    pub join: &'j Join,
    /// Sections into which the files are split.
    pub sections: Arc<Sections>,
    /// Names of the later sections, which replace a key of the path.
    path_names: Option<PathNames>,
}

impl SplitFiles<'_> {
    /// Key of the path whose values later sections replace.
    pub(crate) fn path_key(&self) -> Option<KeyId> {
        self.path_names.as_ref().map(|names| names.key)
    }
}

/// Names of the later sections of files, which replace a key of their path.
#[derive(Debug)]
struct PathNames {
    key: KeyId,
    names: FirstValues,
    /// Sections without a name in any record.
    numbered: FxHashSet<(SourceId, usize)>,
}

/// Finds the files with several sections by the rules among `joins`. New names are added to the
/// tables of the run, so the caller needs a new copy of the catalog. `None` when cancelled.
pub(crate) fn find_split_files<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    doubt: &Doubt,
    cancel: &Cancel,
) -> Option<Vec<SplitFiles<'j>>> {
    let mut out = Vec::new();
    for join in joins {
        let JoinRule::FirstRecord(rule) = &join.rule else {
            continue;
        };
        let Some(section_rule) = &rule.sections else {
            continue;
        };
        let applies = |source| applies_to(snapshot, source, join, &rule.source_kinds);
        let sections = find_sections(snapshot, section_rule, applies, doubt, cancel)?;
        if sections.later_sections().next().is_some() {
            out.push(SplitFiles {
                join,
                path_names: section_names(snapshot, rule, section_rule, &sections),
                sections: Arc::new(sections),
            });
        }
    }
    Some(out)
}

/// Names of the later sections of files: the name stated by a record of the section, or else the
/// name of the first section and a number.
fn section_names(
    snapshot: &Snapshot,
    rule: &FirstRecordRule,
    section_rule: &SectionRule,
    sections: &Sections,
) -> Option<PathNames> {
    let key = snapshot.tables.keys.get(rule.derived_keys.get(1)?)?;
    let key_of_name = section_rule.name_key.as_ref();
    let key_of_name = key_of_name.and_then(|name| snapshot.catalog.keys.find(name));
    let read = key_of_name.map(|key_of_name| {
        (
            key_of_name,
            first_values(snapshot, |_| true, |_, _, _| true, sections, key_of_name),
        )
    });
    let usual = UsualSpellings::new(snapshot, key_of_name.iter().chain([&key.id]));
    // Use the canonical code, so that the name equals the path of another file in a different
    // spelling.
    let code = |name: &str| {
        let code = key.code(name);
        key.freeze().canonical(code)
    };
    let (mut values, mut numbered) = (FirstValues::default(), FxHashSet::default());
    for (source, number) in sections.later_sections() {
        let section = (source, number);
        let own = read.as_ref().and_then(|(key_of_name, values)| {
            let code = values.get(&section)?;
            Some(usual.text(snapshot, *key_of_name, *code))
        });
        if let Some(own) = own {
            values.insert(section, code(&own));
            continue;
        }
        let consts = &snapshot.source(source)?.consts;
        let path = consts.iter().find(|(k, _)| *k == key.id);
        if let Some((_, path)) = path {
            let path = usual.text(snapshot, key.id, *path);
            values.insert(section, code(&format!("{path}#{}", number + 1)));
            numbered.insert(section);
        }
    }
    Some(PathNames {
        key: key.id,
        names: values,
        numbered,
    })
}

impl<'a> Fixpoint<'a> {
    /// First values of the files of a rule; empty if there are none. `None` when cancelled.
    pub(crate) fn first_values(
        &self,
        join: usize,
        (rule, of): (&FirstRecordRule, &Join),
        split_files: Option<SplitFiles<'a>>,
    ) -> Option<Vec<FirstRecords>> {
        let stating = match &rule.condition {
            Some(condition) => Some(self.events(condition)?),
            None => None,
        };
        let (sections, path) = match split_files {
            Some(split_files) => (split_files.sections, split_files.path_names),
            None => (Arc::default(), None),
        };
        let applies = |source| applies_to(self.snapshot, source, of, &rule.source_kinds);
        let mut out = Vec::new();
        if let Some(key) = rule.derived_keys.first().and_then(|name| self.key(name)) {
            out.push(FirstRecords {
                join,
                key,
                values: self.first_values_of(applies, &sections, (key, stating.as_ref())),
                sections: sections.clone(),
                replaces: ReplacedValues::Missing,
            });
        }
        out.extend(path.map(|names| FirstRecords {
            join,
            key: names.key,
            values: names.names,
            sections,
            replaces: ReplacedValues::Path(names.numbered),
        }));
        out.retain(|first| !first.values.is_empty());
        Some(out)
    }

    /// Values of a key in the first records of sections. The records with which a log begins may be
    /// cut off: then a doubtful record is not its first one.
    fn first_values_of(
        &self,
        applies: impl Fn(SourceId) -> bool,
        sections: &Sections,
        (key, stating): (KeyId, Option<&Selection>),
    ) -> FirstValues {
        let counts = |source: SourceId, segment: usize, row: usize| {
            let rows = &self.doubt.rows[segment];
            let is_stating =
                |stating: &Selection| stating.segment(segment).is_some_and(|bits| bits.get(row));
            stating.is_none_or(is_stating)
                && (!self.doubt.may_lack_start(source)
                    || rows.binary_search(&(row as u32)).is_err())
        };
        first_values(self.snapshot, applies, counts, sections, key)
    }

    /// Derives for the records of a group the value in the first record of their file or section.
    pub(crate) fn assign_first_values(
        &self,
        view: &SegmentView<'_>,
        at: usize,
        first: &FirstRecords,
        work: &mut GroupDerivations,
    ) {
        let (key, join) = (first.key, first.join as JoinIndex);
        let parts = &view.segment.parts;
        let has_value = |source: SourceId| {
            let several = first.sections.has_several_sections(source);
            several || first.values.contains_key(&(source, 0))
        };
        if !parts.iter().any(|part| has_value(part.source)) {
            return;
        }
        let own = match first.replaces {
            ReplacedValues::Path(_) => self.record_column(view, at, first.key),
            ReplacedValues::Missing => self.column_with_paths(view, at, first.key),
        };
        if matches!(own, KeyColumn::Const(_)) {
            return;
        }
        let of_file = |source: SourceId| match first.sections.has_several_sections(source) {
            true => None,
            false => first.values.get(&(source, 0)).copied(),
        };
        let all = parts.first().and_then(|part| of_file(part.source));
        if let Some(code) = all
            && own.is_absent()
            && view.disputed.is_empty()
            && parts.iter().all(|part| of_file(part.source) == all)
        {
            let cells = DerivedCells::Uniform(code, join);
            work.columns.push(DerivedKeyColumn { key, cells });
            return;
        }
        let group = &view.segment.groups[at];
        let ends = view.group(at).ends;
        let mut list: Option<CellValues> = None;
        for (place, row) in group.rows.iter().enumerate() {
            let part = view.segment.part(usize::from(*row));
            let section = (
                part.source,
                first.sections.section_at(part, usize::from(*row)),
            );
            let Some(code) = first.values.get(&section) else {
                continue;
            };
            let is_copy = || view.disputed.binary_search(&u32::from(*row)).is_ok();
            let holds = |(source, number)| {
                first.holds_for_duplicates((source, number)) && !self.doubt.may_lack_start(source)
            };
            if own.row(place, ends) != NONE || !holds(section) && is_copy() {
                continue;
            }
            let list = list.get_or_insert_with(|| CellValues::empty(group.rows.len()));
            list.set(place, (*code, join));
        }
        work.columns.extend(list.map(|list| DerivedKeyColumn {
            key,
            cells: DerivedCells::Rows(list),
        }));
    }

    /// Derives for the doubtful records of a group the instance to which they belong if there is one
    /// candidate.
    pub(crate) fn assign_single_candidates(
        &self,
        view: &SegmentView<'_>,
        at: usize,
        (join, key): (JoinIndex, KeyId),
        work: &mut GroupDerivations,
    ) {
        if view.disputed.is_empty() {
            return;
        }
        let own = self.record_column(view, at, key);
        let rows = &view.segment.groups[at].rows;
        let ends = view.group(at).ends;
        let mut list = CellValues::empty(rows.len());
        for (place, row) in rows.iter().enumerate() {
            let row = u32::from(*row);
            let is_doubtful = view.disputed.binary_search(&row).is_ok();
            if !is_doubtful || own.row(place, ends) != NONE {
                continue;
            }
            let event = EventId(self.snapshot.bases[view.index] + row);
            if let [one] = self.doubt.candidates(self.snapshot, event, key)[..] {
                list.set(place, (one, join));
            }
        }
        if list.codes.iter().any(|code| *code != NONE) {
            let cells = DerivedCells::Rows(list);
            work.merge(vec![DerivedKeyColumn { key, cells }], rows.len(), ends);
        }
    }

    /// Values of a path key that the records of a group state themselves.
    pub(crate) fn record_column(&self, view: &SegmentView<'_>, at: usize, key: KeyId) -> KeyColumn {
        let every: Vec<u32> = (0..view.segment.len() as u32).collect();
        let bare = SegmentView::new(self.snapshot, view.index, &every);
        bare.group(at).key_column_with(key, None)
    }

    /// Values of a key in the records of a group and their paths.
    fn column_with_paths(&self, view: &SegmentView<'_>, at: usize, key: KeyId) -> KeyColumn {
        let none = GroupDerivations::default();
        let mut key_columns =
            GroupColumns::new(view.group(at), view.index, &none, &self.virtual_keys);
        key_columns.build(key);
        key_columns.get(key).clone()
    }

    /// Adds the evidence that no event states: values of the path and the first record of a file
    /// together, and extracted values.
    pub(crate) fn add_initial_evidence(&self, tables: &mut [JoinTable]) {
        let of_records = |first: &&FirstRecords| matches!(first.replaces, ReplacedValues::Missing);
        for first in self.first_records.iter().filter(of_records) {
            // The path does not hold for later sections of a file.
            let of_file = first.values.iter().filter(|((_, number), _)| *number == 0);
            for ((source, _), code) in of_file {
                let Some(source) = self.snapshot.source(*source) else {
                    continue;
                };
                let value = |wanted: KeyId| {
                    if wanted == first.key {
                        return Some(*code);
                    }
                    let found = source.consts.iter().find(|(k, _)| *k == wanted)?;
                    let dict = &self.snapshot.catalog.keys.get(wanted)?.dict;
                    Some(dict.canonical(found.1))
                };
                for (join, table) in self.compiled.iter().zip(tables.iter_mut()) {
                    let mut tuple: Tuple = [NONE; MAX_LEFT_KEYS];
                    let mut slots = tuple.iter_mut().zip(&join.left_keys);
                    let all = slots.all(|(slot, k)| value(*k).map(|c| *slot = c).is_some());
                    if !all
                        || join.left_keys.is_empty()
                        || join.participants.is_some()
                        || join.evidence.is_some()
                    {
                        continue;
                    }
                    for (right, gives) in join.right_keys.iter().enumerate() {
                        if let Some(code) = value(*gives) {
                            table.add(&tuple, right, code, EventId(u32::MAX));
                        }
                    }
                }
            }
        }
        for (join, extraction) in &self.extractions {
            let keys = &self.snapshot.catalog.keys;
            for (group, codes) in &extraction.groups {
                let mut tuple: Tuple = [NONE; MAX_LEFT_KEYS];
                tuple[0] = *group;
                for (right, (key, code)) in extraction.extracted_keys.iter().zip(codes).enumerate()
                {
                    let dict = keys.get(*key).map(|k| &k.dict);
                    let code = dict.map_or(*code, |dict| dict.canonical(*code));
                    if code != NONE {
                        tables[*join].add(&tuple, right, code, EventId(u32::MAX));
                    }
                }
            }
        }
    }
}

impl FirstRecords {
    /// Whether the value of a section holds for records with duplicates in other files. In a file
    /// with one section a duplicated record may concern another instance; in a file with several
    /// sections it cannot.
    fn holds_for_duplicates(&self, (source, number): (SourceId, usize)) -> bool {
        self.sections.has_several_sections(source)
            && match &self.replaces {
                ReplacedValues::Missing => true,
                ReplacedValues::Path(numbered) => !numbered.contains(&(source, number)),
            }
    }
}
