//! What the definitions in force say about the meaning of records.

use std::sync::Arc;

use crate::analysis::check::{self, Rule};
use crate::analysis::diagnose::{self, Hint};
use crate::analysis::entity::{self, Entity};
use crate::analysis::flow::{self, FlowSpec};
use crate::analysis::hung::Asked;
use crate::analysis::series::{self, SeriesSpec};
use crate::base::cancel::Cancel;
use crate::format::deferror::DefError;
use crate::format::systems::{System, Systems};
use crate::join::spec::{self, BadCondition};
use crate::join::{Join, Report, widen};
use crate::store::Snapshot;

use super::things::Things;

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Joins of all systems.
    pub joins: Vec<Join>,
    /// Entities of all systems.
    pub entities: Vec<Arc<Entity>>,
    /// Measurements of all systems.
    pub series: Vec<SeriesSpec>,
    /// Messages of all systems.
    pub flows: Vec<FlowSpec>,
    /// Their instances, once somebody looked.
    pub things: Things,
    /// Hints of all systems.
    pub hints: Vec<Hint>,
    /// Rules of all systems.
    pub rules: Vec<Rule>,
}

impl Meaning {
    /// Of the built-in definitions and those of the user (file name, text). What is wrong in a definition is left out
    /// (see `problems`).
    pub fn new(user: &[(String, String)]) -> Meaning {
        let mut systems = Systems::builtin();
        for (file, text) in user {
            // One that cannot be read stops the load, and is reported there.
            let _ = systems.add(file, text);
        }
        Meaning::of(&systems)
    }

    /// Of definitions.
    pub fn of(systems: &Systems) -> Meaning {
        let mut meaning = Meaning::default();
        for system in systems.iter() {
            meaning.joins.extend(spec::of_definition(&system.def).0);
            let (entities, _) = entity::of_definition(&system.def);
            meaning.entities.extend(entities.into_iter().map(Arc::new));
            meaning.series.extend(series::of_definition(&system.def));
            meaning.flows.extend(flow::of_definition(&system.def).0);
            meaning.hints.extend(diagnose::of_definition(&system.def).0);
            meaning.rules.extend(check::of_definition(&system.def).0);
        }
        meaning.things = Things::new(meaning.entities.clone());
        meaning
    }

    /// What the search for what hangs is to know: which errors are harmless.
    pub fn asked(&self) -> Asked {
        let hints = self.hints.iter();
        let harmless = hints.filter(|h| h.severity == diagnose::Severity::Info);
        Asked {
            now: None,
            harmless: harmless.map(|h| h.only.clone()).collect(),
        }
    }
}

/// Conditions of a definition that are no expressions, with their places.
pub fn problems(system: &System) -> Vec<DefError> {
    let (_, mut bad) = spec::of_definition(&system.def);
    bad.extend(entity::of_definition(&system.def).1);
    bad.extend(flow::of_definition(&system.def).1);
    bad.extend(diagnose::of_definition(&system.def).1);
    bad.extend(check::of_definition(&system.def).1);
    bad.into_iter().map(|b| place(system, &b)).collect()
}

fn place(system: &System, bad: &BadCondition) -> DefError {
    let text = format!("this is no condition: {}", bad.problem);
    system
        .origin()
        .error_in_string(bad.condition.span(), 0, text)
}

/// A snapshot with what joins give, and what each of them did. `None` when cancelled.
pub fn widened(
    snapshot: &Arc<Snapshot>,
    joins: &[Join],
    cancel: &Cancel,
) -> Option<(Arc<Snapshot>, Arc<[Report]>)> {
    let widened = widen(snapshot, joins, cancel)?;
    let snapshot = Arc::new(Snapshot {
        derived: widened.derived,
        ..(**snapshot).clone()
    });
    Some((snapshot, widened.reports))
}
