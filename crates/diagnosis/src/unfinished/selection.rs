//! Restriction of the result to selected records. The analysis covers the whole run, so states, ages, waiters and roots do
//! not depend on the selection.

use crate::unfinished::model::Told;
use widetui_core::ids::EventId;
use widetui_query::Selection;
use widetui_store::Snapshot;

use crate::unfinished::model::{SilenceReason, Silent, UnfinishedItem, UnfinishedWork, WaitState};
use crate::unfinished::work_items::count_among;
use widetui_analysis::entity::AllInstances;

impl UnfinishedWork {
    /// Marks the unfinished work and the silences without a record in `rows` as hidden.
    pub fn tell_only(&mut self, snapshot: &Snapshot, found: &AllInstances, rows: &Selection) {
        // Duplicate records are equivalent.
        let is_selected = |event: EventId| {
            let mut group = snapshot.duplicates.group(event.0);
            group.any(|id| rows.contains(EventId(id)))
        };
        self.told = Told::Selected;
        let before = std::mem::take(&mut self.goals);
        self.goals = (found.work_items().zip(before))
            .map(
                |(instances, known)| match known.entity == instances.entity.name {
                    true => count_among(snapshot, instances, &instances.having_event(is_selected)),
                    false => known,
                },
            )
            .collect();
        for instances in found.work_items() {
            let name = &instances.entity.name;
            let mut own = self.stuck.iter_mut().filter(|s| s.entity == *name);
            let Some(first) = own.next() else {
                continue;
            };
            let fits = instances.having_event(is_selected);
            for stuck in std::iter::once(first).chain(own) {
                stuck.is_told = fits.get(stuck.instance).is_some_and(|fits| *fits);
            }
        }
        for silent in &mut self.silent {
            silent.is_told = is_selected(silent.last_event);
        }
        self.last_error = self.last_error.filter(|event| is_selected(*event));
    }

    /// Unfinished work in the selection.
    pub fn told(&self) -> impl Iterator<Item = &UnfinishedItem> {
        self.stuck.iter().filter(|s| s.is_told)
    }

    /// Unfinished work that is listed on its own: roots, and items that wait only for hidden ones. Indices into
    /// `stuck`.
    pub fn heads(&self) -> Vec<usize> {
        let is_head = |one: &UnfinishedItem| match one.standing {
            WaitState::Root | WaitState::Circle => true,
            WaitState::Waiting => !one.waits_for.iter().any(|at| self.stuck[*at].is_told),
            WaitState::LeftBehind => false,
        };
        let all = self.stuck.iter().enumerate();
        let heads = all.filter(|(_, one)| one.is_told && is_head(one));
        let mut heads: Vec<usize> = heads.map(|(at, _)| at).collect();
        // In a run that goes on, work that takes as long as usual is no news.
        heads.sort_by_key(|at| !self.is_stuck(&self.stuck[*at]));
        heads
    }

    /// Unexplained silences in the selection.
    pub fn unexplained(&self) -> impl Iterator<Item = &Silent> {
        let is_meant = |s: &&Silent| s.is_told && s.why == SilenceReason::Unknown;
        self.silent.iter().filter(is_meant)
    }

    /// Share of the unfinished work that is shown, if it is not all.
    pub(crate) fn told_of(&self) -> Option<String> {
        if self.told == Told::All || self.is_clear() {
            return None;
        }
        let (told, all) = (self.told().count(), self.stuck.len());
        Some(match (told, all) {
            (0, 1) => "The unfinished work item has no record in the selection.".to_owned(),
            (0, _) => {
                format!("None of the {all} unfinished work items has a record in the selection.")
            }
            (1, 1) => "The unfinished work item has records in the selection.".to_owned(),
            _ if told == all => {
                format!("All {all} unfinished work items have records in the selection.")
            }
            (1, _) => format!(
                "1 of the {all} unfinished work items has records in the selection; only that one is shown."
            ),
            _ => format!(
                "{told} of the {all} unfinished work items have records in the selection; only these are shown."
            ),
        })
    }
}
