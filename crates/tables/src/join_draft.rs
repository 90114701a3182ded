//! A join that the user builds: the keys on its sides, and what it would do.

use widetui_join::{Conflict, Join, Report};

use crate::text::grouped;

/// A join that is being built.
#[derive(Clone, Debug, Default)]
pub struct JoinDraft {
    /// What events must have the same.
    pub by: Vec<String>,
    /// What they get.
    pub gives: Vec<String>,
    /// What it would do; inside `None` when that cannot be told.
    pub preview: Option<Option<Report>>,
}

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinSide {
    /// What events have the same.
    Left,
    /// What they get.
    Right,
}

impl JoinDraft {
    /// The side on which a key stands.
    pub fn side(&self, key: &str) -> Option<JoinSide> {
        let is_in = |keys: &[String]| keys.iter().any(|k| k == key);
        match (is_in(&self.by), is_in(&self.gives)) {
            (true, _) => Some(JoinSide::Left),
            (_, true) => Some(JoinSide::Right),
            _ => None,
        }
    }

    /// The join, when both sides have keys.
    pub fn join(&self) -> Option<Join> {
        if self.by.is_empty() || self.gives.is_empty() {
            return None;
        }
        let text = |keys: &[String]| {
            keys.iter()
                .map(String::clone)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let name = format!("{} ⇒ {}", text(&self.by), text(&self.gives));
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        let gives: Vec<&str> = self.gives.iter().map(String::as_str).collect();
        Some(Join::keys(&name, &by, &gives))
    }

    /// The first groups of events in which it would find several values, and how many there are; none while that is not known.
    pub fn conflicts(&self) -> (&[Conflict], usize) {
        let report = self.preview.as_ref().and_then(Option::as_ref);
        let report = report.filter(|_| self.join().is_some());
        report.map_or((&[], 0), |r| (&r.examples, r.conflicts))
    }

    /// It, and what it would do, in a line.
    pub fn told(&self) -> String {
        let side = |keys: &[String]| match keys {
            [] => "…".to_owned(),
            keys => keys.join(", "),
        };
        let join = format!("same {} ⇒ get {}", side(&self.by), side(&self.gives));
        match (&self.preview, self.join()) {
            (_, None) => join,
            (None, _) => format!("{join} · trying …"),
            (Some(None), _) => format!("{join} · no event has all of these keys"),
            (Some(Some(r)), _) => format!(
                "{join} · {} groups, {} events get something, {} conflicts",
                grouped(r.groups as u64),
                grouped(r.receiving_events as u64),
                grouped(r.conflicts as u64)
            ),
        }
    }
}
