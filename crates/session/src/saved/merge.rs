//! Merging of two workspaces of one run: records and joins that were not restored, or that another session saved, are kept
//! beside new ones.

use std::collections::BTreeSet;

use crate::user_joins;

use super::{Saved, SavedRecord};

/// Result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Everything of both workspaces was kept.
    Complete,
    /// The workspaces contradict each other: a part of the older one is missing.
    Partial,
}

impl Saved {
    /// Adds the contents of an older workspace of the run. On contradictions (different selections, joins with one
    /// name, notes on one record) this workspace wins.
    pub fn with(&mut self, older: &Saved) -> Merged {
        let parts = [
            self.with_records(&older.record),
            self.with_joins(older),
            self.with_steps(older),
        ];
        match parts.contains(&Merged::Partial) {
            true => Merged::Partial,
            false => Merged::Complete,
        }
    }

    /// Adds what a file holds `now` of other sessions: all but `own`, which this session restored or wrote. What others changed
    /// and this session left as it was becomes as they have it; on contradictions this workspace wins.
    pub fn with_changes(&mut self, now: &Saved, own: &Saved) -> Merged {
        let is_in = |all: &[SavedRecord], record: &SavedRecord| {
            all.iter().any(|other| {
                other.is_same_place(record)
                    && (other.mark, &other.note) == (record.mark, &record.note)
            })
        };
        let changed = now.record.iter().filter(|r| !is_in(&own.record, r));
        let mut changes = Saved {
            record: changed.cloned().collect(),
            ..Saved::default()
        };
        self.record.retain(|record| {
            let is_changed = || changes.record.iter().any(|new| new.is_same_place(record));
            !(is_in(&own.record, record) && is_changed())
        });
        if now.joins != own.joins {
            changes.joins = match (user_joins::read(&now.joins), user_joins::read(&own.joins)) {
                (Ok(now), Ok(own)) => {
                    let new = now.into_iter().filter(|join| !own.contains(join));
                    user_joins::written(&new.collect::<Vec<_>>())
                }
                _ => now.joins.clone(),
            };
        }
        let off = now.off.iter().filter(|name| !own.off.contains(name));
        changes.off = off.cloned().collect();
        if now.step != own.step {
            changes.step.clone_from(&now.step);
            if self.step == own.step {
                self.step.clear();
            }
        }
        self.with(&changes)
    }

    /// Whether all marks, notes, joins and steps of another workspace are in this one.
    pub fn holds(&self, other: &Saved) -> bool {
        let mut both = self.clone();
        both.with(other) == Merged::Complete && both == *self
    }

    fn with_records(&mut self, older: &[SavedRecord]) -> Merged {
        let mut merged = Merged::Complete;
        for old in older {
            let Some(own) = self.record.iter_mut().find(|r| r.is_same_place(old)) else {
                self.record.push(old.clone());
                continue;
            };
            own.mark |= old.mark;
            match (&own.note, &old.note) {
                (None, note) => own.note.clone_from(note),
                (Some(own), Some(note)) if own != note => merged = Merged::Partial,
                (Some(_), _) => {}
            }
        }
        merged
    }

    fn with_joins(&mut self, older: &Saved) -> Merged {
        let off: BTreeSet<&String> = self.off.iter().chain(&older.off).collect();
        self.off = off.into_iter().cloned().collect();
        if older.joins.is_empty() || older.joins == self.joins {
            return Merged::Complete;
        }
        let (Ok(mut own), Ok(old)) = (
            user_joins::read(&self.joins),
            user_joins::read(&older.joins),
        ) else {
            return Merged::Partial;
        };
        let mut merged = Merged::Complete;
        for join in old {
            match own.iter().find(|o| o.name == join.name) {
                Some(own) if *own != join => merged = Merged::Partial,
                Some(_) => {}
                None => own.push(join),
            }
        }
        self.joins = user_joins::written(&own);
        merged
    }

    fn with_steps(&mut self, older: &Saved) -> Merged {
        if self.step.is_empty() {
            self.step.clone_from(&older.step);
        }
        match older.step.is_empty() || self.step == older.step {
            true => Merged::Complete,
            false => Merged::Partial,
        }
    }
}
