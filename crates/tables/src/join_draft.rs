//! Draft of a join: the keys on its sides, and a preview of its result.

use widetui_join::{Conflict, Join, Report};

use crate::text::grouped;

/// Join under construction by the user.
#[derive(Clone, Debug, Default)]
pub struct JoinDraft {
    /// Left keys: events with equal values form a group.
    pub by: Vec<String>,
    /// Right keys, whose values the events of a group receive.
    pub gives: Vec<String>,
    /// Preview of the result; the inner `None` means that no event has all the left keys.
    pub preview: Option<Option<Report>>,
}

/// Side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinSide {
    /// Left keys, whose values must be equal.
    Left,
    /// Right keys, whose values are derived.
    Right,
}

impl JoinDraft {
    /// Side of a key; `None` if it is on neither side.
    pub fn side(&self, key: &str) -> Option<JoinSide> {
        let is_in = |keys: &[String]| keys.iter().any(|k| k == key);
        match (is_in(&self.by), is_in(&self.gives)) {
            (true, _) => Some(JoinSide::Left),
            (_, true) => Some(JoinSide::Right),
            _ => None,
        }
    }

    /// Returns the join, if both sides have keys.
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

    /// First groups of events with conflicting values, and the number of all such groups; none while the preview is
    /// unknown.
    pub fn conflicts(&self) -> (&[Conflict], usize) {
        let report = self.preview.as_ref().and_then(Option::as_ref);
        let report = report.filter(|_| self.join().is_some());
        report.map_or((&[], 0), |r| (&r.examples, r.conflicts))
    }

    /// Draft and preview in one line of text.
    pub fn summary(&self) -> String {
        let side = |keys: &[String]| match keys {
            [] => "…".to_owned(),
            keys => keys.join(", "),
        };
        let join = format!("same {} ⇒ get {}", side(&self.by), side(&self.gives));
        match (&self.preview, self.join()) {
            (_, None) => join,
            (None, _) => format!("{join} · trying …"),
            (Some(report), _) => format!("{join} · {}", effect(report.as_ref())),
        }
    }
}

/// Effect of a join in words; `None` for a join without an event that it applies to.
pub fn effect(report: Option<&Report>) -> String {
    report.map_or("no event has all of these keys".to_owned(), |r| {
        format!(
            "{} groups, {} events receive a value, {} conflicts",
            grouped(r.groups as u64),
            grouped(r.receiving_events as u64),
            grouped(r.conflicts as u64)
        )
    })
}
