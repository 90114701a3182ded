//! A run that was read for a command.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use widetui_analysis::entity::names::{InstanceQuery, Names, ResolvedName, UnresolvedName};
use widetui_analysis::entity::{Entity, Instances, scan};
use widetui_analysis::run_table::list_runs;
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::lock::hold;
use widetui_join::Report;
use widetui_report::sheet::clock;
use widetui_session::liveness::Liveness;
use widetui_session::meaning::Meaning;
use widetui_store::Snapshot;
use widetui_tables::answers::runs::RunSummary;
use widetui_tables::documents::DocumentRun;
use widetui_time::clock::Clock;
use widetui_time::time::format_clock;
use widetui_time::zone::Zone;

use super::output::{Failure, warn};

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

    /// The run, for documents about it.
    pub fn document(&self) -> DocumentRun<'_> {
        DocumentRun {
            snapshot: &self.snapshot,
            zone: &self.zone,
        }
    }

    /// Present time on the clock of the logs, UTC ns, if the run is live.
    pub fn now(&self) -> Option<i64> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let clock = i64::try_from(since.as_nanos()).ok()?;
        Liveness::judge(&self.snapshot, clock, None).now()
    }

    /// Moment as text: day and time of day, with microseconds.
    pub fn moment(&self, time: i64) -> String {
        clock(&self.zone, time)
    }

    /// Time of day, with milliseconds.
    pub fn time_of_day(&self, time: i64) -> String {
        format_clock(time, self.zone.offset_at_utc(time), 3)
    }

    /// Runs in scope.
    pub fn run_summaries(&self, scope: &AnalysisScope) -> Vec<RunSummary> {
        let (snapshot, entities) = (&*self.snapshot, self.entities());
        let runs = list_runs(snapshot, entities, scope, &Cancel::default());
        // A command is never cancelled.
        let runs = runs.unwrap_or_default();
        let summaries = runs.iter();
        summaries
            .map(|run| RunSummary::new(snapshot, entities, run))
            .collect()
    }

    /// Entities of the definitions in force.
    pub fn entities(&self) -> &[Arc<Entity>] {
        &self.meaning.entities
    }

    /// Names of keys and entities.
    pub fn names(&self) -> Names<'_> {
        self.meaning.names(&self.snapshot)
    }

    /// Meaning of a typed name, after reporting the full form of a short one on standard error, once.
    ///
    /// # Errors
    /// The name is ambiguous, or `unknown`.
    fn noted<T>(
        &self,
        meant: Result<ResolvedName<T>, UnresolvedName>,
        typed: &str,
        unknown: &str,
    ) -> Result<T, Failure> {
        let meant = meant.map_err(|unclear| Failure::Message(unclear.message(typed, unknown)))?;
        if let Some(note) = &meant.note {
            self.notes.report(note);
        }
        Ok(meant.item)
    }

    /// Full name of a key, or of a pseudo-key.
    ///
    /// # Errors
    /// No record has the key, or the name is ambiguous.
    pub fn key(&self, typed: &str) -> Result<String, Failure> {
        let unknown = format!("no key `{typed}` in these events");
        self.noted(self.names().key(typed), typed, &unknown)
    }

    /// Full name of a key in an option.
    ///
    /// # Errors
    /// No record has the key, or the name is ambiguous.
    pub fn key_of_option(&self, option: &str, typed: &str) -> Result<String, Failure> {
        let unknown = format!("{option} {typed}: no key `{typed}` in these events");
        self.noted(self.names().key(typed), typed, &unknown)
    }

    /// Full names of the keys in an option.
    ///
    /// # Errors
    /// No record has one of the keys, or a name is ambiguous.
    pub fn keys_of_option(&self, option: &str, typed: &[String]) -> Result<Vec<String>, Failure> {
        let keys = typed.iter().map(|typed| self.key_of_option(option, typed));
        keys.collect()
    }

    /// Entity with a full or short name.
    ///
    /// # Errors
    /// No entity has the name, or several have.
    pub fn entity(&self, typed: &str) -> Result<Arc<Entity>, Failure> {
        let unknown = format!("no entity is named `{typed}`");
        self.noted(self.names().entity(typed), typed, &unknown)
    }

    /// Entity and query of `KEY=VALUE[,KEY=VALUE...]` or of a displayed name (`task 24`), with full names.
    ///
    /// # Errors
    /// The text has another form, no entity is identified by the last key, or a name is ambiguous.
    pub fn instance(&self, text: &str) -> Result<(Arc<Entity>, InstanceQuery), Failure> {
        let wanted = InstanceQuery::parse_name(text);
        let wanted = wanted.map_err(|e| Failure::Message(e.to_string()))?;
        let last = wanted.pairs.last().map_or("", |(key, _)| key);
        let unknown = format!("no entity is identified by `{last}`");
        self.noted(self.names().instances(&wanted), last, &unknown)
    }

    /// All instances of an entity.
    pub fn instances(&self, entity: &Arc<Entity>) -> Instances {
        let (cache, cancel) = (&self.meaning.instance_cache, Cancel::default());
        let seen = cache.instances_of(&self.snapshot, Some(&entity.name), &cancel);
        let occurring = seen.and_then(|seen| Some(seen.of_entity(&entity.name)?.1.clone()));
        // A command is never cancelled.
        { occurring.or_else(|| scan(&self.snapshot, entity, &cancel)) }
            .unwrap_or_else(|| Instances::empty(entity))
    }
}

/// Reports at the end of every command what could not be read again: the answer is incomplete.
impl Drop for Opened {
    fn drop(&mut self) {
        for lost in self.snapshot.read_failures.take() {
            warn(format_args!("{lost}; its records count as empty"));
            IS_INCOMPLETE.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether an answer lacks text that could not be read again.
static IS_INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// Whether an answer of this process lacks text that could not be read again.
pub fn is_incomplete() -> bool {
    IS_INCOMPLETE.load(Ordering::Relaxed)
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
}
