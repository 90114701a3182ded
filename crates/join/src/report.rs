//! Results of joins: the overlay of derived values, and a report for each join.

use std::sync::Arc;

use widetui_format::catalog::CatalogView;
use widetui_store::derived::{Derived, JoinKind};

use crate::conflicts::{AllConflicts, Conflict};
use crate::omissions::{MAX_NAMES_LEN, Omission};
use crate::spec::Join;
use widetui_core::words::cut;

/// Result of one join: groups, events that received values, and conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name of the join.
    pub join: String,
    /// Name of the system definition that contains the join; `None` for a join made by the user.
    pub system: Option<String>,
    /// Left keys of the join.
    pub left_keys: Vec<String>,
    /// Right keys of the join.
    pub right_keys: Vec<String>,
    /// Kind of the join's rule.
    pub(crate) kind: JoinKind,
    /// Number of groups with a known value or a conflict.
    pub groups: usize,
    /// Number of events that received a value.
    pub receiving_events: usize,
    /// Number of conflicts: pairs of group and right key with several values.
    pub conflicts: usize,
    /// The first conflicts, with spellings.
    pub examples: Vec<Conflict>,
    /// All conflicts, as codes.
    pub(crate) all_conflicts: AllConflicts,
    /// Reason why the join, or a part of it, was not computed.
    pub omission: Option<Omission>,
}

impl Report {
    /// True if the join derived no value and has nothing to report.
    pub fn is_idle(&self) -> bool {
        self.receiving_events == 0 && self.conflicts == 0 && self.omission.is_none()
    }

    /// Report of a join that has derived no value.
    pub(crate) fn empty(join: &Join) -> Report {
        Report {
            join: join.name.clone(),
            system: join.system.clone(),
            left_keys: join.left_keys().to_vec(),
            right_keys: join.right_keys().to_vec(),
            kind: join.kind(),
            groups: 0,
            receiving_events: 0,
            conflicts: 0,
            examples: Vec::new(),
            all_conflicts: AllConflicts::default(),
            omission: None,
        }
    }
}

/// Results of all joins: derived values and a report per join.
#[derive(Clone, Debug, Default)]
pub struct JoinResults {
    /// Overlay of derived values.
    pub derived: Arc<Derived>,
    /// Reports ordered by join name, then those of joins omitted for their number or their keys.
    /// Joins whose keys do not occur, or that have no evidence, are not listed.
    pub reports: Arc<[Report]>,
    /// Catalog that includes the keys and values added by extraction and by splitting of files and
    /// runs; `None` if none were added.
    pub catalog: Option<CatalogView>,
}

/// Messages about joins that were not computed, one for each reason.
pub fn omission_messages(reports: &[Report]) -> Vec<String> {
    let reasons = [
        Omission::TooManyJoins,
        Omission::TooManyKeys,
        Omission::OrderNotProven,
        Omission::ValuesNotStored,
    ]
    .into_iter();
    let messages = reasons.filter_map(|reason| {
        let of = reports.iter().filter(|r| r.omission == Some(reason));
        let names: Vec<&str> = of.map(|r| r.join.as_str()).collect();
        (!names.is_empty()).then(|| reason.message(&cut(&names.join(", "), MAX_NAMES_LEN)))
    });
    messages.collect()
}
