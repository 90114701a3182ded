//! Overlay of derived values and the report of each join, built when the fixpoint is reached.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_core::ids::KeyId;
use widetui_store::derived::{Derived, DerivingJoin};
use widetui_store::key_column::{SegmentView, UsualSpellings, element_range};

use crate::conflicts::{self, AllConflicts};
use crate::derived_values;
use crate::derived_values::{CellValues, DerivedCells, GroupDerivations};
use crate::fixpoint::consecutive_runs::RunsInLogs;
use crate::fixpoint::{EpochState, Fixpoint};
use crate::omissions::Omission;
use crate::report::{JoinResults, Report};
use crate::spec::Join;
use crate::spec::JoinRule;
use crate::table::JoinTable;

impl Fixpoint<'_> {
    /// Builds the overlay of derived values and the report of each join.
    pub(crate) fn finish(
        &self,
        work: Vec<Vec<GroupDerivations>>,
        state: &EpochState,
    ) -> JoinResults {
        let tables = &state.tables[..];
        let counted = work.par_iter().enumerate();
        let received: Vec<Vec<usize>> =
            counted.map(|(at, w)| self.count_receivers(at, w)).collect();
        let usual = UsualSpellings::new(
            self.snapshot,
            self.compiled
                .iter()
                .flat_map(|j| [j.right_keys.clone(), j.named_left_keys()].concat())
                .collect::<Vec<_>>()
                .iter(),
        );
        let segments = work
            .into_par_iter()
            .enumerate()
            .map(|(index, groups)| {
                Arc::new(derived_values::pack_segment(
                    self.snapshot,
                    index,
                    (groups, self.doubt.rows[index].clone()),
                    &usual,
                ))
            })
            .collect();
        let why = |index: usize, join: &Join| {
            let mut all = self.omissions.iter();
            let omission = all.find(|l| std::ptr::eq(l.0, join)).map(|l| l.1);
            omission.or_else(|| {
                self.has_unstored_values(index)
                    .then_some(Omission::ValuesNotStored)
            })
        };
        let reports = self.joins.iter().zip(tables).enumerate();
        let reports = reports.map(|(index, (join, table))| {
            let compiled = &self.compiled[index];
            let groups = conflicts::collect_conflicts(self.snapshot, compiled, table);
            let rivals =
                conflicts::collect_rivals(self.snapshot, compiled, &self.joins, &state.blocked);
            let blocked = AllConflicts(groups.into_iter().chain(rivals).collect());
            let examples = conflicts::spell_out(
                self.snapshot,
                &compiled.named_left_keys(),
                blocked.0.iter(),
                &usual,
            );
            Report {
                groups: match &join.rule {
                    JoinRule::FirstRecord(_) => {
                        let firsts = self.first_records.iter().filter(|f| f.join == index);
                        firsts.map(|f| f.values.len()).max().unwrap_or(0)
                    }
                    JoinRule::ConsecutiveRuns(_) => {
                        let own = self.consecutive_runs.iter().find(|a| a.join_index == index);
                        own.map_or(0, RunsInLogs::run_count)
                    }
                    // A join that identifies records gives no values.
                    JoinRule::Keys(rule) if rule.right_keys.is_empty() => 0,
                    _ => table.groups(),
                },
                receiving_events: received.iter().map(|w| w[index]).sum(),
                // Several candidates of a duplicate are not a conflict.
                conflicts: blocked.0.len(),
                examples,
                all_conflicts: blocked,
                omission: why(index, join),
                ..Report::empty(join)
            }
        });
        let is_computed = |join: &Join| self.joins.iter().any(|own| std::ptr::eq(*own, join));
        let others = self.omissions.iter().filter(|l| !is_computed(l.0));
        let others = others.map(|(join, why)| Report {
            omission: Some(*why),
            ..Report::empty(join)
        });
        JoinResults {
            catalog: None,
            derived: Arc::new(Derived {
                joins: self.givers(tables),
                segments,
            }),
            // Definitions contain many joins; those without effect are not reported.
            reports: reports
                .filter(|r| r.groups > 0 || r.conflicts > 0 || r.omission.is_some())
                .chain(others)
                .collect(),
        }
    }

    /// Whether a key of a join has values that are not stored, only in the text.
    fn has_unstored_values(&self, index: usize) -> bool {
        let compiled = &self.compiled[index];
        let keys = compiled.left_keys.iter().chain(&compiled.right_keys);
        let views = keys.filter_map(|key| self.snapshot.catalog.keys.get(*key));
        views
            .map(|view| &view.key)
            .any(|key| key.has_unstored_values())
    }

    /// Joins as stored with the overlay: name, kind and left keys.
    fn givers(&self, tables: &[JoinTable]) -> Arc<[DerivingJoin]> {
        let joins = self.joins.iter().zip(&self.compiled).zip(tables);
        let own = |key: &&KeyId| !self.virtual_keys.contains_key(key);
        joins
            .map(|((join, compiled), table)| DerivingJoin {
                name: join.name.as_str().into(),
                kind: join.kind(),
                by: { compiled.named_left_keys().into_iter() }
                    .filter(|key| own(&key))
                    .collect(),
                is_split: join.is_scope() && table.conflict_count() > 0,
            })
            .collect()
    }

    /// Number of events of a segment that received a value, by join.
    fn count_receivers(&self, segment: usize, work: &[GroupDerivations]) -> Vec<usize> {
        let mut out = vec![0; self.compiled.len()];
        let view = SegmentView::new(self.snapshot, segment, &[]);
        // A duplicated record counts as one event, except for joins that choose between its
        // sources.
        let base = self.snapshot.bases[segment];
        let len = view.segment.len() as u32;
        let duplicates: FxHashSet<u32> = self
            .snapshot
            .duplicates
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
            let mut lists: Vec<(&CellValues, Option<&[u32]>)> = Vec::new();
            for column in &group.columns {
                match &column.cells {
                    DerivedCells::Uniform(_, by) => last[usize::from(*by)] = rows,
                    DerivedCells::Rows(list) => lists.push((list, None)),
                    DerivedCells::Slots(list) => lists.push((list, view.ends)),
                }
            }
            let is_duplicate = |row: usize| duplicates.contains(&u32::from(view.group.rows[row]));
            let duplicate_count = match duplicates.is_empty() {
                true => 0,
                false => (0..rows).filter(|row| is_duplicate(*row)).count(),
            };
            let counts_duplicates =
                |by: usize| self.compiled.get(by).is_some_and(|j| j.only_duplicates);
            for (by, (out, _)) in
                { out.iter_mut().zip(&last).enumerate() }.filter(|(_, (_, last))| **last == rows)
            {
                *out += if counts_duplicates(by) {
                    rows
                } else {
                    rows - duplicate_count
                };
            }
            if lists.is_empty() {
                continue;
            }
            for row in 0..rows {
                for (list, ends) in &lists {
                    for cell in element_range(*ends, row) {
                        let by = usize::from(list.joins[cell]);
                        if is_duplicate(row) && !counts_duplicates(by) {
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
