//! First records: values in the first record of a file that hold for the whole file or for its
//! section.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::dict::NONE;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_store::Snapshot;
use widetui_store::lanes::{Lane, SegmentView, Usual};

use crate::file_sections::{Stretches, stretches};
use crate::spec::{AnewRule, FirstRule, Join, JoinRule};
use crate::table::{JoinTable, MAX_LEFT, Tuple};
use crate::widening::Widening;
use crate::widening::brackets::{Said, firsts, is_about};
use crate::work::{CellList, GroupLanes, GroupWork, JoinIndex, WorkCells, WorkColumn};

/// Values of a key in the first records of files or of their sections.
#[derive(Debug)]
pub(crate) struct FirstRecords {
    /// Index of the join.
    pub join: usize,
    /// Key of the values.
    pub key: KeyId,
    /// Value of each section.
    pub said: Said,
    /// Sections of the files.
    pub stretches: Arc<Stretches>,
    /// Source of values that these values replace.
    pub speaks: Speaks,
}

/// Source of values that the value of a first record replaces.
#[derive(Debug)]
pub(crate) enum Speaks {
    /// Values of records that do not state the key themselves.
    ForRecords,
    /// Values of the file's path, which hold for the first section only. Contains the sections
    /// without a name of their own, which are numbered; a duplicate of their records in another
    /// file may have a better name.
    ForPath(FxHashSet<(SourceId, usize)>),
}

/// Files of a rule that have several sections.
#[derive(Debug)]
pub(crate) struct SplitFiles<'j> {
    /// Join that contains the rule.
    pub join: &'j Join,
    /// Sections of the files.
    pub stretches: Arc<Stretches>,
    /// Names of the later sections, which replace a key of the path.
    path: Option<PathNames>,
}

/// Names of the later sections of files, which replace a key of their path.
#[derive(Debug)]
struct PathNames {
    key: KeyId,
    said: Said,
    /// Sections without a name in any record.
    numbered: FxHashSet<(SourceId, usize)>,
}

/// Finds the files with several sections by the rules among `joins`. New names are added to the
/// tables of the run, so the caller needs a new copy of the catalog. `None` when cancelled.
pub(crate) fn begun<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    cancel: &Cancel,
) -> Option<Vec<SplitFiles<'j>>> {
    let mut out = Vec::new();
    for join in joins {
        let JoinRule::First(rule) = &join.rule else {
            continue;
        };
        let Some(anew) = &rule.anew else { continue };
        let about = |source| is_about(snapshot, source, join, &rule.kinds);
        let stretches = stretches(snapshot, anew, about, cancel)?;
        if stretches.later().next().is_some() {
            out.push(SplitFiles {
                join,
                path: names(snapshot, rule, anew, &stretches),
                stretches: Arc::new(stretches),
            });
        }
    }
    Some(out)
}

/// Names of the later sections of files: the name stated by a record of the section, or else the
/// name of the first section and a number.
fn names(
    snapshot: &Snapshot,
    rule: &FirstRule,
    anew: &AnewRule,
    stretches: &Stretches,
) -> Option<PathNames> {
    let key = snapshot.tables.keys.get(rule.gives.get(1)?)?;
    let named = anew.named.as_ref();
    let named = named.and_then(|name| snapshot.catalog.keys.find(name));
    let read = named.map(|named| (named, firsts(snapshot, |_| true, stretches, named)));
    let usual = Usual::new(snapshot, named.iter().chain([&key.id]));
    // Use the canonical code, so that the name equals the path of another file in a different
    // spelling.
    let code = |name: &str| {
        let code = key.code(name);
        key.freeze().canonical(code)
    };
    let (mut said, mut numbered) = (Said::default(), FxHashSet::default());
    for (source, number) in stretches.later() {
        let stretch = (source, number);
        let own = read.as_ref().and_then(|(named, said)| {
            let code = said.get(&stretch)?;
            Some(usual.text(snapshot, *named, *code))
        });
        if let Some(own) = own {
            said.insert(stretch, code(&own));
            continue;
        }
        let consts = &snapshot.source(source)?.consts;
        let path = consts.iter().find(|(k, _)| *k == key.id);
        if let Some((_, path)) = path {
            let path = usual.text(snapshot, key.id, *path);
            said.insert(stretch, code(&format!("{path}#{}", number + 1)));
            numbered.insert(stretch);
        }
    }
    Some(PathNames {
        key: key.id,
        said,
        numbered,
    })
}

impl<'a> Widening<'a> {
    /// First values of the files of a rule; empty if there are none.
    pub(crate) fn first_said(
        &self,
        join: usize,
        (rule, of): (&FirstRule, &Join),
        begun: Option<SplitFiles<'a>>,
    ) -> Vec<FirstRecords> {
        let (stretches, path) = match begun {
            Some(begun) => (begun.stretches, begun.path),
            None => (Arc::default(), None),
        };
        let about = |source| is_about(self.snapshot, source, of, &rule.kinds);
        let mut out = Vec::new();
        if let Some(key) = rule.gives.first().and_then(|name| self.key(name)) {
            out.push(FirstRecords {
                join,
                key,
                said: firsts(self.snapshot, about, &stretches, key),
                stretches: stretches.clone(),
                speaks: Speaks::ForRecords,
            });
        }
        out.extend(path.map(|names| FirstRecords {
            join,
            key: names.key,
            said: names.said,
            stretches,
            speaks: Speaks::ForPath(names.numbered),
        }));
        out.retain(|first| !first.said.is_empty());
        out
    }

    /// Derives for the records of a group the value in the first record of their file or section.
    pub(crate) fn first_in(
        &self,
        view: &SegmentView<'_>,
        at: usize,
        first: &FirstRecords,
        work: &mut GroupWork,
    ) {
        let (key, join) = (first.key, first.join as JoinIndex);
        let parts = &view.segment.parts;
        let says = |source: SourceId| {
            let several = first.stretches.has_several(source);
            several || first.said.contains_key(&(source, 0))
        };
        if !parts.iter().any(|part| says(part.source)) {
            return;
        }
        let own = match first.speaks {
            Speaks::ForPath(_) => self.said_by_records(view, at, first.key),
            Speaks::ForRecords => self.said(view, at, first.key),
        };
        if matches!(own, Lane::Const(_)) {
            return;
        }
        let of_file = |source: SourceId| match first.stretches.has_several(source) {
            true => None,
            false => first.said.get(&(source, 0)).copied(),
        };
        let all = parts.first().and_then(|part| of_file(part.source));
        if let Some(code) = all
            && own.is_absent()
            && view.copied.is_empty()
            && parts.iter().all(|part| of_file(part.source) == all)
        {
            let cells = WorkCells::All(code, join);
            work.columns.push(WorkColumn { key, cells });
            return;
        }
        let group = &view.segment.groups[at];
        let ends = view.group(at).ends;
        let mut list: Option<CellList> = None;
        for (place, row) in group.rows.iter().enumerate() {
            let part = view.segment.part(usize::from(*row));
            let stretch = (part.source, first.stretches.at(part, usize::from(*row)));
            let Some(code) = first.said.get(&stretch) else {
                continue;
            };
            let is_copy = || view.copied.binary_search(&u32::from(*row)).is_ok();
            if own.row(place, ends) != NONE || !first.holds_for_copies(stretch) && is_copy() {
                continue;
            }
            let list = list.get_or_insert_with(|| CellList::unknown(group.rows.len()));
            list.set(place, (*code, join));
        }
        work.columns.extend(list.map(|list| WorkColumn {
            key,
            cells: WorkCells::Rows(list),
        }));
    }

    /// Values of a path key that the records of a group state themselves.
    pub(crate) fn said_by_records(&self, view: &SegmentView<'_>, at: usize, key: KeyId) -> Lane {
        let every: Vec<u32> = (0..view.segment.len() as u32).collect();
        let bare = SegmentView::new(self.snapshot, view.index, &every);
        bare.group(at).lane_with(key, None)
    }

    /// Values of a key in the records of a group and their paths.
    fn said(&self, view: &SegmentView<'_>, at: usize, key: KeyId) -> Lane {
        let none = GroupWork::default();
        let mut lanes = GroupLanes::new(view.group(at), view.index, &none, &self.pseudo);
        lanes.make(key);
        lanes.get(key).clone()
    }

    /// Adds the evidence that no event states: values of the path and the first record of a file
    /// together, and extracted values.
    pub(crate) fn facts(&self, tables: &mut [JoinTable]) {
        let of_records = |first: &&FirstRecords| matches!(first.speaks, Speaks::ForRecords);
        for first in self.first.iter().filter(of_records) {
            // The path does not hold for later sections of a file.
            let of_file = first.said.iter().filter(|((_, number), _)| *number == 0);
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
                    let mut tuple: Tuple = [NONE; MAX_LEFT];
                    let mut slots = tuple.iter_mut().zip(&join.by);
                    let all = slots.all(|(slot, k)| value(*k).map(|c| *slot = c).is_some());
                    if !all || join.by.is_empty() || join.only.is_some() || join.evidence.is_some()
                    {
                        continue;
                    }
                    for (right, gives) in join.gives.iter().enumerate() {
                        if let Some(code) = value(*gives) {
                            table.add(&tuple, right, code, EventId(u32::MAX));
                        }
                    }
                }
            }
        }
        for (join, told) in &self.told {
            let keys = &self.snapshot.catalog.keys;
            for (group, codes) in &told.groups {
                let mut tuple: Tuple = [NONE; MAX_LEFT];
                tuple[0] = *group;
                for (right, (key, code)) in told.gives.iter().zip(codes).enumerate() {
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
    fn holds_for_copies(&self, (source, number): (SourceId, usize)) -> bool {
        self.stretches.has_several(source)
            && match &self.speaks {
                Speaks::ForRecords => true,
                Speaks::ForPath(numbered) => !numbered.contains(&(source, number)),
            }
    }
}
