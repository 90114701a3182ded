//! Groups of work items that failed for one reason: of one kind, or of several names.

use widetui_core::words::{cut, several};

/// Failed work items of one label with one reason.
pub(crate) struct FailureGroup {
    /// Indices into the failed items.
    pub(crate) members: Vec<usize>,
    pub(crate) label: String,
    /// Reason, in the words of the first member.
    pub(crate) why: String,
    /// Variants of the reason that differ in numbers or at the end, and the members with each.
    pub(crate) others: Vec<(String, Vec<usize>)>,
    /// Whether only an attempt is known to have failed.
    pub(crate) is_unsure: bool,
}

impl FailureGroup {
    /// Adds a member.
    pub(crate) fn add(&mut self, member: usize, why: String) {
        self.members.push(member);
        if why == self.why {
            return;
        }
        match self.others.iter().position(|other| other.0 == why) {
            Some(at) => self.others[at].1.push(member),
            None if self.others.len() < OTHERS => self.others.push((why, vec![member])),
            None => {}
        }
    }
}

/// Maximum number of variants kept.
const OTHERS: usize = 100;

/// Minimum number of labels that failed for one reason for it to be a common cause: a module missing on all workers, a
/// full disk.
const NAMES_OF_ONE_CAUSE: usize = 3;

/// Merges groups of several labels with the same reason.
pub(crate) fn one_cause(groups: Vec<FailureGroup>) -> Vec<FailureGroup> {
    let mut alike: Vec<(String, Vec<FailureGroup>)> = Vec::new();
    for group in groups {
        match alike.iter_mut().find(|(why, known)| {
            *why == group.why && known.iter().all(|g| g.is_unsure == group.is_unsure)
        }) {
            Some((_, known)) => known.push(group),
            None => alike.push((group.why.clone(), vec![group])),
        }
    }
    let join = |mut known: Vec<FailureGroup>| {
        if known.len() < NAMES_OF_ONE_CAUSE {
            return known;
        }
        known.sort_by_key(|g| std::cmp::Reverse(g.members.len()));
        let names: Vec<String> = known.iter().take(2).map(|g| cut(&g.label, 24)).collect();
        let label = format!(
            "{} and {}",
            names.join(", "),
            several(known.len() - 2, "other")
        );
        let mut members: Vec<usize> = Vec::new();
        members.extend(known.iter().flat_map(|g| &g.members));
        members.sort_unstable();
        let others = known.iter_mut().flat_map(|g| std::mem::take(&mut g.others));
        let others = others.collect();
        let (why, is_unsure) = (known[0].why.clone(), known[0].is_unsure);
        vec![FailureGroup {
            members,
            label,
            why,
            others,
            is_unsure,
        }]
    };
    alike
        .into_iter()
        .flat_map(|(_, known)| join(known))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(label: &str, why: &str, members: &[usize]) -> FailureGroup {
        FailureGroup {
            members: members.to_vec(),
            label: label.to_owned(),
            why: why.to_owned(),
            others: Vec::new(),
            is_unsure: false,
        }
    }

    #[test]
    fn many_names_with_one_reason_are_one_cause() {
        let why = "ModuleNotFoundError: No module named 'netCDF4'";
        let all = one_cause(vec![
            group("regrid", why, &[4]),
            group("mean", why, &[1, 2]),
            group("mean", "KeyError: 'tas'", &[3]),
            group("plot", why, &[0]),
        ]);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].members, [0, 1, 2, 4]);
        assert_eq!(all[0].label, "mean, regrid and 1 other");
        assert_eq!(all[1].members, [3]);
    }

    #[test]
    fn two_names_stay_apart() {
        let why = "OSError: No space left on device";
        let all = one_cause(vec![group("a", why, &[0]), group("b", why, &[1])]);
        assert_eq!(all.len(), 2);
    }
}
