//! Titles of instances: the parts of their ids that distinguish them.

use widetui_core::dict::Code;
use widetui_definition::semantics::EntityRole;
use widetui_store::Snapshot;

use crate::entity::{Instance, InstanceEnd, Instances, Standing};

impl Instances {
    /// Keys and values of an id between the first, which identifies the run, and the last: `task
    /// 29`.
    fn middle_values(&self, snapshot: &Snapshot, instance: &Instance) -> Vec<(String, String)> {
        let mut id = self.id(snapshot, instance);
        if !self.entity.id_separators.is_empty() || id.len() < 3 {
            return Vec::new();
        }
        id.pop();
        id.remove(0);
        id
    }

    /// Parts of the ids that distinguish all instances.
    pub fn distinguishing_parts(&self) -> DistinguishingParts {
        let of_all = || DistinguishingParts::compare(self, self.list.iter());
        *self.cached_distinguishing_parts.get_or_init(of_all)
    }

    /// Title of an instance within its run: `task 24`, `task 24 try 0`.
    pub fn title(&self, snapshot: &Snapshot, instance: &Instance) -> String {
        let mut title = String::new();
        let between = match self.distinguishing_parts().inner {
            Varies::Yes => self.middle_values(snapshot, instance),
            Varies::No => Vec::new(),
        };
        for (key, value) in between {
            let word = key.rsplit('.').next().unwrap_or(&key);
            title.push_str(&format!("{word} {value} "));
        }
        let number = self.short_name(snapshot, instance);
        format!("{title}{} {number}", self.entity.title)
    }

    /// Outcome of an instance without reported states; `None` if it has not ended.
    pub fn outcome(&self, instance: &Instance, standing: &Standing) -> Option<Outcome> {
        let entity = &self.entity;
        // A run without a clean shutdown has not necessarily failed.
        let can_fail = entity.role != EntityRole::Run;
        let is_lost = instance.lost.is_some() || matches!(standing.end, InstanceEnd::Lost(_));
        match (is_lost, standing.end) {
            (true, _) if can_fail && entity.is_resource() => Some(Outcome::Lost),
            (true, _) if can_fail => Some(Outcome::Failed),
            _ if !entity.can_end() => None,
            (_, InstanceEnd::Unfinished) => None,
            _ => Some(Outcome::Ended),
        }
    }

    /// Whether an instance failed: by its last state, or because its owner reported it lost.
    pub fn has_failed(&self, instance: &Instance, standing: &Standing) -> bool {
        let state = standing.state.and_then(|s| self.states.get(usize::from(s)));
        match state {
            Some(state) => self.entity.failed_states.contains(state),
            None => matches!(
                self.outcome(instance, standing),
                Some(Outcome::Failed | Outcome::Lost)
            ),
        }
    }
}

/// Outcome of an instance without states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The instance ended.
    Ended,
    /// Its owner reported a failure.
    Failed,
    /// A resource that was lost.
    Lost,
}

impl Outcome {
    /// Name of the outcome.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ended => "ended",
            Outcome::Failed => "failed",
            Outcome::Lost => "lost",
        }
    }
}

/// Parts of ids that differ between some instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistinguishingParts {
    /// Whether the first value differs: the run, or the enclosing instance.
    pub outer: Varies,
    /// Whether any value between the first and the last differs.
    pub(crate) inner: Varies,
}

/// Whether a part of an id differs between instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Varies {
    /// All instances have the same value.
    #[default]
    No,
    /// Some instances have different values.
    Yes,
}

impl DistinguishingParts {
    /// Compares the ids of some instances.
    pub fn compare<'i>(
        all: &Instances,
        some: impl Iterator<Item = &'i Instance>,
    ) -> DistinguishingParts {
        if !all.entity.id_separators.is_empty() {
            return DistinguishingParts::default();
        }
        let outer = |i: &'i Instance| (i.alternative, i.id.first().filter(|_| i.id.len() > 1));
        let inner = |i: &'i Instance| -> &'i [Code] {
            i.id.get(1..i.id.len().saturating_sub(1))
                .unwrap_or_default()
        };
        let mut out = DistinguishingParts::default();
        let mut first: Option<&Instance> = None;
        for one in some {
            let first = *first.get_or_insert(one);
            if outer(one) != outer(first) {
                out.outer = Varies::Yes;
            }
            if inner(one) != inner(first) {
                out.inner = Varies::Yes;
            }
        }
        out
    }

    /// Title of an instance among the compared ones, without its first value: `24`, `29 try 0`,
    /// `htex task 3`.
    pub fn title(self, all: &Instances, snapshot: &Snapshot, instance: &Instance) -> String {
        let number = all.short_name(snapshot, instance);
        if self.inner == Varies::No {
            return number;
        }
        let between = all.middle_values(snapshot, instance);
        if between.is_empty() {
            return number;
        }
        let word = all.entity.title.rsplit(' ').next().unwrap_or_default();
        let values: Vec<&str> = between.iter().map(|(_, value)| value.as_str()).collect();
        format!("{} {word} {number}", values.join(" "))
    }
}
