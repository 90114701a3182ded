//! A run that was read for a command, and what all commands ask of it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use widetui_analysis::entity::{Entity, Instances, scan};
use widetui_core::cancel::Cancel;
use widetui_core::lock::hold;
use widetui_join::Report;
use widetui_query::naming::Meant;
use widetui_report::results;
use widetui_session::meaning::Meaning;
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::time::format_clock;
use widetui_time::zone::Zone;

use super::output::warn;

/// A run that was read, and how its times are shown.
pub struct Opened {
    /// The run.
    pub snapshot: Arc<Snapshot>,
    /// What its definitions say about the meaning of records.
    pub meaning: Arc<Meaning>,
    /// What each join did.
    pub joins: Arc<[Report]>,
    /// Zone of shown and typed times.
    pub zone: Zone,
    /// What was told about names.
    pub told: Told,
}

impl Opened {
    /// How its moments are told in words.
    pub fn clock(&self) -> Clock<'_> {
        Clock::of(&self.zone, self.snapshot.range().map(|r| r.1))
    }

    /// A moment for people: day and time of day, with microseconds.
    pub fn moment(&self, time: i64) -> String {
        results::clock(&self.zone, time)
    }

    /// A time of day, with milliseconds.
    pub fn time_of_day(&self, time: i64) -> String {
        format_clock(time, self.zone.offset_at_utc(time), 3)
    }

    /// The entities of the definitions in force.
    pub fn entities(&self) -> &[Arc<Entity>] {
        &self.meaning.entities
    }

    /// All instances of an entity.
    pub fn instances(&self, entity: &Arc<Entity>) -> Instances {
        // Nobody cancels here.
        scan(&self.snapshot, entity, &Cancel::default()).unwrap_or_else(|| Instances::none(entity))
    }
}

/// A command is done: what it could not read again is told, whichever command it was and however it ended.
impl Drop for Opened {
    fn drop(&mut self) {
        for lost in self.snapshot.unread.take() {
            warn(format_args!("{lost}; its records count as empty"));
        }
    }
}

/// What was told about names, so that it is told once.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<Mutex<BTreeSet<String>>>);

impl Told {
    /// Tells it, unless it was told before.
    pub fn tell(&self, note: &str) {
        if hold(&self.0).insert(note.to_owned()) {
            warn(note);
        }
    }

    /// What is meant; what was made of its name is told.
    pub fn take<T>(&self, meant: Meant<T>) -> T {
        if let Some(note) = &meant.note {
            self.tell(note);
        }
        meant.what
    }
}
