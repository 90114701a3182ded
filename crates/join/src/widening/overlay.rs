//! Overlay of derived values and the report of each join, built when the fixpoint is reached.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_core::ids::KeyId;
use widetui_store::derived::{Derived, Giver};
use widetui_store::lanes::{SegmentView, Usual, places};

use crate::conflicts;
use crate::omissions::Omission;
use crate::report::{Report, Widened};
use crate::spec::Join;
use crate::spec::JoinRule;
use crate::table::JoinTable;
use crate::widening::Widening;
use crate::widening::consecutive_runs::RunsInLogs;
use crate::work;
use crate::work::{CellList, GroupWork, WorkCells};

impl Widening<'_> {
    /// Builds the overlay of derived values and the report of each join.
    pub(crate) fn seal(&self, work: Vec<Vec<GroupWork>>, tables: &[JoinTable]) -> Widened {
        let counted = work.par_iter().enumerate();
        let widened: Vec<Vec<usize>> = counted.map(|(at, w)| self.count(at, w)).collect();
        let usual = Usual::new(
            self.snapshot,
            self.compiled
                .iter()
                .flat_map(|j| j.gives.iter().chain(&j.by)),
        );
        let segments = work
            .into_par_iter()
            .enumerate()
            .map(|(index, groups)| Arc::new(work::seal(self.snapshot, index, groups, &usual)))
            .collect();
        let why = |index: usize, join: &Join| {
            let mut all = self.left_out.iter();
            let told = all.find(|l| std::ptr::eq(l.0, join)).map(|l| l.1);
            told.or_else(|| self.lacks_values(index).then_some(Omission::NotStored))
        };
        let reports = self.joins.iter().zip(tables).enumerate();
        let reports = reports.map(|(index, (join, table))| {
            let compiled = &self.compiled[index];
            let blocked = conflicts::blocked(self.snapshot, compiled, table);
            let examples =
                conflicts::examples(self.snapshot, &compiled.by, blocked.0.iter(), &usual);
            Report {
                groups: match &join.rule {
                    JoinRule::First(_) => {
                        let firsts = self.first.iter().filter(|f| f.join == index);
                        firsts.map(|f| f.said.len()).max().unwrap_or(0)
                    }
                    JoinRule::Again(_) => {
                        let own = self.again.iter().find(|a| a.index == index);
                        own.map_or(0, RunsInLogs::runs)
                    }
                    _ => table.groups(),
                },
                widened: widened.iter().map(|w| w[index]).sum(),
                // Several candidates of a duplicate are not a conflict.
                conflicts: blocked.0.len(),
                examples,
                blocked,
                left_out: why(index, join),
                ..Report::of(join)
            }
        });
        let is_computed = |join: &Join| self.joins.iter().any(|own| std::ptr::eq(*own, join));
        let others = self.left_out.iter().filter(|l| !is_computed(l.0));
        let others = others.map(|(join, why)| Report {
            left_out: Some(*why),
            ..Report::of(join)
        });
        Widened {
            catalog: None,
            derived: Arc::new(Derived {
                joins: self.givers(),
                segments,
            }),
            // Definitions contain many joins; those without effect are not reported.
            reports: reports
                .filter(|r| r.groups > 0 || r.conflicts > 0 || r.left_out.is_some())
                .chain(others)
                .collect(),
        }
    }

    /// Whether a key of a join has values that are not stored, only in the text.
    fn lacks_values(&self, index: usize) -> bool {
        let compiled = &self.compiled[index];
        let keys = compiled.by.iter().chain(&compiled.gives);
        let views = keys.filter_map(|key| self.snapshot.catalog.keys.get(*key));
        views.map(|view| &view.key).any(|key| key.lacks_values())
    }

    fn givers(&self) -> Arc<[Giver]> {
        let joins = self.joins.iter().zip(&self.compiled);
        let own = |key: &&KeyId| !self.pseudo.contains_key(key);
        joins
            .map(|(join, compiled)| Giver {
                name: join.name.as_str().into(),
                kind: join.kind(),
                by: compiled.by.iter().filter(own).copied().collect(),
            })
            .collect()
    }

    /// Number of events of a segment that received a value, by join.
    fn count(&self, segment: usize, work: &[GroupWork]) -> Vec<usize> {
        let mut out = vec![0; self.compiled.len()];
        let view = SegmentView::new(self.snapshot, segment, &[]);
        // A duplicated record counts as one event, except for joins that choose between its
        // sources.
        let base = self.snapshot.bases[segment];
        let len = view.segment.len() as u32;
        let copies: FxHashSet<u32> = self
            .snapshot
            .copies
            .among(base, base + len)
            .map(|c| c - base)
            .collect();
        for (at, group) in work
            .iter()
            .enumerate()
            .filter(|(_, g)| !g.columns.is_empty())
        {
            let view = view.group(at);
            let rows = view.group.rows.len();
            // Last row counted for each join; `rows` if all rows were counted.
            let mut last = vec![usize::MAX; out.len()];
            let mut lists: Vec<(&CellList, Option<&[u32]>)> = Vec::new();
            for column in &group.columns {
                match &column.cells {
                    WorkCells::All(_, by) => last[usize::from(*by)] = rows,
                    WorkCells::Rows(list) => lists.push((list, None)),
                    WorkCells::Slots(list) => lists.push((list, view.ends)),
                }
            }
            let is_copy = |row: usize| copies.contains(&u32::from(view.group.rows[row]));
            let copied = match copies.is_empty() {
                true => 0,
                false => (0..rows).filter(|row| is_copy(*row)).count(),
            };
            let counts_copies = |by: usize| self.compiled.get(by).is_some_and(|j| j.among_copies);
            for (by, (out, _)) in
                { out.iter_mut().zip(&last).enumerate() }.filter(|(_, (_, last))| **last == rows)
            {
                *out += if counts_copies(by) {
                    rows
                } else {
                    rows - copied
                };
            }
            if lists.is_empty() {
                continue;
            }
            for row in 0..rows {
                for (list, ends) in &lists {
                    for cell in places(*ends, row) {
                        let by = usize::from(list.joins[cell]);
                        if is_copy(row) && !counts_copies(by) {
                            continue;
                        }
                        if let Some(last) = last.get_mut(by).filter(|l| **l != row && **l != rows) {
                            *last = row;
                            out[by] += 1;
                        }
                    }
                }
            }
        }
        out
    }
}
