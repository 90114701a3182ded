//! First records: values in the first record of a file that hold for the whole file, or for its section.

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

/// What files, or stretches of them, say first.
#[derive(Debug)]
pub(crate) struct FirstRecords {
    /// Number of the join.
    pub join: usize,
    /// What they say something about.
    pub key: KeyId,
    /// What each says.
    pub said: Said,
    /// Where they begin.
    pub stretches: Arc<Stretches>,
    /// In whose place.
    pub speaks: Speaks,
}

/// In whose place a first record speaks.
#[derive(Debug)]
pub(crate) enum Speaks {
    /// In that of records which do not say it themselves.
    ForRecords,
    /// In that of the file's path, which holds for the first stretch only. Of these stretches nothing says it: they are
    /// numbered, and a record that stands in other files too may be called better there.
    ForPath(FxHashSet<(SourceId, usize)>),
}

/// A rule whose files go on with other things.
#[derive(Debug)]
pub(crate) struct SplitFiles<'j> {
    /// Whose it is.
    pub join: &'j Join,
    /// Where they do.
    pub stretches: Arc<Stretches>,
    /// What the later stretches are called in place of the path's key.
    path: Option<PathNames>,
}

/// What the later stretches of files are called in place of a key of their path.
#[derive(Debug)]
struct PathNames {
    key: KeyId,
    said: Said,
    /// Those of which no record says it.
    numbered: FxHashSet<(SourceId, usize)>,
}

/// All rules among some joins whose files go on with other things. Names that are made are put into the run's tables: those
/// who look at what is said here need a newer copy of the catalog. `None` when cancelled.
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

/// What the later stretches of files are called in place of the key of their path: what a record of them says, else the first
/// one's name with a number.
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
    // The same as the path of another file says, however it is spelled.
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
    /// What files say first by a rule; nothing when none says anything.
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

    /// Gives the records of a group what the first record of their file says.
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

    /// What the records of a group say themselves about a key of paths.
    pub(crate) fn said_by_records(&self, view: &SegmentView<'_>, at: usize, key: KeyId) -> Lane {
        let every: Vec<u32> = (0..view.segment.len() as u32).collect();
        let bare = SegmentView::new(self.snapshot, view.index, &every);
        bare.group(at).lane_with(key, None)
    }

    /// What the records of a group, and their paths, say about a key.
    fn said(&self, view: &SegmentView<'_>, at: usize, key: KeyId) -> Lane {
        let none = GroupWork::default();
        let mut lanes = GroupLanes::new(view.group(at), view.index, &none, &self.pseudo);
        lanes.make(key);
        lanes.get(key).clone()
    }

    /// What is known without any event's saying it: by the path of a file and its first record together, whether or not a
    /// record says both, and by second readings.
    pub(crate) fn facts(&self, tables: &mut [JoinTable]) {
        let of_records = |first: &&FirstRecords| matches!(first.speaks, Speaks::ForRecords);
        for first in self.first.iter().filter(of_records) {
            // Of what comes later in a file the path says nothing.
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
    /// Whether what a stretch says holds for records that stand in other files too. Of a file that is whole nobody knows whether
    /// a record of it is about what its first record is about; of one that goes on it is known.
    fn holds_for_copies(&self, (source, number): (SourceId, usize)) -> bool {
        self.stretches.has_several(source)
            && match &self.speaks {
                Speaks::ForRecords => true,
                Speaks::ForPath(numbered) => !numbered.contains(&(source, number)),
            }
    }
}
