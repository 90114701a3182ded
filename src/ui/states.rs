//! Parts of the model that belong to some views: joins, and the things that a run is about.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::join::{Join, Report};
use crate::store::{EventRef, Snapshot};
use crate::workspace::things::{At, Seen, Stuck, Thing};
use crate::workspace::thingtable::{JoinFrom, JoinSwitch, JoinsTable};

use super::model::{List, View};

/// Joins, and what they did.
#[derive(Clone, Debug, Default)]
pub struct JoinState {
    /// What each did in the run as shown.
    pub reports: Arc<[Report]>,
    /// Built by the user.
    pub own: Vec<Join>,
    /// Names of those that are switched off.
    pub off: BTreeSet<String>,
    /// What was switched off before each switching.
    pub past: Vec<BTreeSet<String>>,
    /// Whether they are being computed.
    pub is_running: bool,
    /// Whether they must be computed again after that: the run grew, or the user changed them.
    pub is_stale: bool,
}

/// What the run is about, and what of it is shown.
#[derive(Clone, Debug)]
pub struct ThingState {
    /// The things of a snapshot, as soon as they are known.
    pub seen: Option<(Arc<Snapshot>, Arc<Seen>)>,
    /// What of them is stuck.
    pub stuck: Option<Arc<Stuck>>,
    /// The snapshot whose things are being looked for.
    pub asked: Option<Arc<Snapshot>>,
    /// Whether that is still going on.
    pub is_running: bool,
    /// The kind whose things are shown: dotted name.
    pub entity: Option<String>,
    /// The thing that is shown, and the view to which one goes back.
    pub trace: Option<(Thing, View)>,
    /// The join whose conflicts are shown.
    pub conflicts_of: Option<String>,
    /// The cursor among what is stuck; the window is in lines.
    pub hung: List,
}

impl Default for ThingState {
    fn default() -> Self {
        ThingState {
            seen: None,
            stuck: None,
            asked: None,
            is_running: false,
            entity: None,
            trace: None,
            conflicts_of: None,
            hung: List { cursor: 0, top: 0 },
        }
    }
}

impl ThingState {
    /// The things that an event is about; none before they are known.
    pub fn about(&self, event: &EventRef<'_>) -> Vec<(Arc<Seen>, At)> {
        let Some((snapshot, seen)) = &self.seen else {
            return Vec::new();
        };
        // Numbers of events mean nothing in another snapshot.
        if !Arc::ptr_eq(&snapshot.segments, &event.snapshot.segments) {
            return Vec::new();
        }
        let mut found = seen.about(event);
        // What is looked for comes first, and of two things the one with fewer records.
        found.sort_by_key(|at| {
            seen.get(*at)
                .map(|(all, one)| (!all.entity.is_goal(), all.events(one).len()))
        });
        found.into_iter().map(|at| (seen.clone(), at)).collect()
    }

    /// How many things are stuck, when that is known: those whose runs did not end without them, and which wait for
    /// nothing unfinished.
    pub fn stuck_roots(&self) -> Option<usize> {
        use crate::analysis::hung::Pace;
        let stuck = self.stuck.as_ref()?;
        let roots = stuck.hung.hanging();
        Some(roots.filter(|s| s.standing != Pace::Waiting).count())
    }
}

impl JoinState {
    /// All joins, for a table of them.
    pub fn table(&self, of_systems: &[Join], conflicts_of: Option<String>) -> JoinsTable {
        let switch = |from: JoinFrom| {
            move |join: &Join| {
                let is_on = from != JoinFrom::Suggested && !self.off.contains(&join.name);
                (join.clone(), JoinSwitch { is_on, from })
            }
        };
        let systems = of_systems.iter().map(switch(JoinFrom::System));
        let own = self.own.iter().map(switch(JoinFrom::Own));
        JoinsTable {
            joins: own.chain(systems).collect(),
            reports: self.reports.clone(),
            conflicts_of,
        }
    }
}
