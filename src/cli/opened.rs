//! A run that was read for a command.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use widetui_analysis::entity::{Entity, Instances, scan};
use widetui_core::cancel::Cancel;
use widetui_core::lock::hold;
use widetui_join::Report;
use widetui_query::key_resolution::ResolvedName;
use widetui_report::results;
use widetui_session::meaning::Meaning;
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::time::format_clock;
use widetui_time::zone::Zone;

use super::output::warn;

/// A run that was read, and the zone of its times.
pub struct Opened {
    /// The run.
    pub snapshot: Arc<Snapshot>,
    /// Meaning of its records, from definitions.
    pub meaning: Arc<Meaning>,
    /// Reports of joins.
    pub joins: Arc<[Report]>,
    /// Zone of shown and typed times.
    pub zone: Zone,
    /// Notes about names.
    pub notes: Notes,
}

impl Opened {
    /// Clock of its moments in words.
    pub fn clock(&self) -> Clock<'_> {
        Clock::of(&self.zone, self.snapshot.range().map(|r| r.1))
    }

    /// Moment as text: day and time of day, with microseconds.
    pub fn moment(&self, time: i64) -> String {
        results::clock(&self.zone, time)
    }

    /// Time of day, with milliseconds.
    pub fn time_of_day(&self, time: i64) -> String {
        format_clock(time, self.zone.offset_at_utc(time), 3)
    }

    /// Entities of the definitions in force.
    pub fn entities(&self) -> &[Arc<Entity>] {
        &self.meaning.entities
    }

    /// All instances of an entity.
    pub fn instances(&self, entity: &Arc<Entity>) -> Instances {
        // A command is never cancelled.
        scan(&self.snapshot, entity, &Cancel::default()).unwrap_or_else(|| Instances::empty(entity))
    }
}

/// Reports at the end of every command what could not be read again.
impl Drop for Opened {
    fn drop(&mut self) {
        for lost in self.snapshot.read_failures.take() {
            warn(format_args!("{lost}; its records count as empty"));
        }
    }
}

/// Notes about names, each reported once.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<BTreeSet<String>>>);

impl Notes {
    /// Reports a note, unless it was reported before.
    pub fn report(&self, note: &str) {
        if hold(&self.0).insert(note.to_owned()) {
            warn(note);
        }
    }

    /// Meaning of a name, after reporting its full form.
    pub fn resolve_noted<T>(&self, meant: ResolvedName<T>) -> T {
        if let Some(note) = &meant.note {
            self.report(note);
        }
        meant.item
    }
}
