//! Merging of two workspaces of one run: records and joins that were not restored are kept beside new ones.

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

    fn with_records(&mut self, older: &[SavedRecord]) -> Merged {
        let mut merged = Merged::Complete;
        for old in older {
            let same = |r: &&mut SavedRecord| (&r.source, r.offset) == (&old.source, old.offset);
            let Some(own) = self.record.iter_mut().find(same) else {
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
