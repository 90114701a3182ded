//! Results of joins: the overlay of derived values, and a report for each join.

use std::sync::Arc;

use widetui_format::catalog::CatalogView;
use widetui_store::derived::{Derived, GiverKind};

use crate::conflicts::{AllBlocked, Conflict};
use crate::omissions::{NAMES, Omission};
use crate::spec::Join;
use widetui_core::words::cut;

/// What a join did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its name.
    pub join: String,
    /// The definition that it comes from.
    pub system: Option<String>,
    /// Left keys.
    pub by: Vec<String>,
    /// Right keys.
    pub gives: Vec<String>,
    /// How it gives values.
    pub kind: GiverKind,
    /// Groups of which something is known.
    pub groups: usize,
    /// Events that received a value.
    pub widened: usize,
    /// Groups and keys with several values.
    pub conflicts: usize,
    /// The first of them, spelled out.
    pub examples: Vec<Conflict>,
    /// All of them.
    pub blocked: AllBlocked,
    /// Why it, or a part of it, was not computed.
    pub left_out: Option<Omission>,
}

impl Report {
    /// Of a join that has given nothing yet.
    pub(crate) fn of(join: &Join) -> Report {
        Report {
            join: join.name.clone(),
            system: join.system.clone(),
            by: join.by().to_vec(),
            gives: join.gives().to_vec(),
            kind: join.kind(),
            groups: 0,
            widened: 0,
            conflicts: 0,
            examples: Vec::new(),
            blocked: AllBlocked::default(),
            left_out: None,
        }
    }
}

/// What joins gave.
#[derive(Clone, Debug, Default)]
pub struct Widened {
    /// The overlay.
    pub derived: Arc<Derived>,
    /// What each join did, by name, then those that are left out for their number or their keys. Joins whose keys do not
    /// occur, or which no record tells anything, are not listed.
    pub reports: Arc<[Report]>,
    /// The catalog with the keys and values that second readings made; `None` where there are none of these.
    pub catalog: Option<CatalogView>,
}

/// What was left out, in a sentence for each reason.
pub fn left_out(reports: &[Report]) -> Vec<String> {
    let reasons = [
        Omission::Many,
        Omission::Keys,
        Omission::Once,
        Omission::NotStored,
    ]
    .into_iter();
    let told = reasons.filter_map(|reason| {
        let of = reports.iter().filter(|r| r.left_out == Some(reason));
        let names: Vec<&str> = of.map(|r| r.join.as_str()).collect();
        (!names.is_empty()).then(|| reason.told(&cut(&names.join(", "), NAMES)))
    });
    told.collect()
}
