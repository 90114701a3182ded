//! What the first record of a file says for all of it.

use rustc_hash::FxHashMap;

use crate::base::dict::NONE;
use crate::base::ids::{EventId, KeyId, SourceId};
use crate::store::lanes::{Lane, SegmentView};
use crate::store::segment::Part;

use super::Widening;
use super::table::{JoinTable, MAX_LEFT, Tuple};
use super::work::{CellList, GroupLanes, GroupWork, JoinIndex, WorkCells, WorkColumn};

impl Widening<'_> {
    /// Gives the records of a group what the first record of their file says.
    pub(super) fn first_in(
        &self,
        view: &SegmentView<'_>,
        at: usize,
        (join, key): (JoinIndex, KeyId),
        firsts: &FxHashMap<SourceId, u32>,
        work: &mut GroupWork,
    ) {
        let said = |part: &Part| firsts.get(&part.source).copied();
        let parts = &view.segment.parts;
        if parts.iter().all(|part| said(part).is_none()) {
            return;
        }
        let none = GroupWork::default();
        let mut lanes = GroupLanes::new(view.group(at), view.index, &none, &self.pseudo);
        lanes.make(key);
        let own = lanes.get(key);
        if matches!(own, Lane::Const(_)) {
            return;
        }
        let first = parts.first().and_then(said);
        if let Some(code) = first
            && own.is_absent()
            && view.copied.is_empty()
            && parts.iter().all(|part| said(part) == first)
        {
            let cells = WorkCells::All(code, join);
            work.columns.push(WorkColumn { key, cells });
            return;
        }
        let rows = &view.segment.groups[at].rows;
        let mut list: Option<CellList> = None;
        for (place, row) in rows.iter().enumerate() {
            let Some(code) = said(view.segment.part(usize::from(*row))) else {
                continue;
            };
            let is_copy = view.copied.binary_search(&u32::from(*row)).is_ok();
            if is_copy || own.row(place, lanes.view().ends) != NONE {
                continue;
            }
            let list = list.get_or_insert_with(|| CellList::unknown(rows.len()));
            list.set(place, (code, join));
        }
        work.columns.extend(list.map(|list| WorkColumn {
            key,
            cells: WorkCells::Rows(list),
        }));
    }

    /// What is known without any event's saying it: by the path of a file and its first record together, whether or not a
    /// record says both, and by second readings.
    pub(super) fn facts(&self, tables: &mut [JoinTable]) {
        for (_, key, firsts) in &self.first {
            for (source, code) in firsts {
                let Some(source) = self.snapshot.source(*source) else {
                    continue;
                };
                let value = |wanted: KeyId| {
                    if wanted == *key {
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
