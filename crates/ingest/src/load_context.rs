//! State that the threads of a load share.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::SourceId;
use widetui_core::lock;
use widetui_format::catalog::Catalog;
use widetui_format::load::lines::Growth;
use widetui_source::file::{FilePool, standard_input_modified};
use widetui_source::limits::Limits;
use widetui_source::spool::Spool;
use widetui_store::{Snapshot, Source};
use widetui_time::zone::Zone;

use crate::cardinality;
use crate::detector::Detector;
use crate::load_state::{LoadState, Unit};
use crate::options::{OpenError, OpenOptions};
use crate::record_reader::RecordReader;
use crate::threads;
use crate::worker::Worker;
use crate::zones::ZoneOptions;

/// State that all loader threads share.
pub(super) struct LoadContext {
    pub(crate) tables: Arc<Catalog>,
    pub(crate) detector: Detector,
    pub(crate) pool: Arc<FilePool>,
    pub(crate) spool: Arc<Spool>,
    pub(crate) workers: Mutex<Vec<Worker>>,
    pub(crate) load_state: Mutex<LoadState>,
    pub(crate) progress: Progress,
    pub(crate) cancel: Cancel,
    pub(crate) shifts: Vec<(String, i64)>,
    pub(crate) limits: Limits,
    /// Zone of times without one, as given by the user.
    zone: Option<Zone>,
    /// Zone of times without one if nothing allows to infer it.
    fallback_zone: Zone,
    /// Time of the last change of standard input, UTC ns.
    pub(crate) stdin_modified: i64,
    /// Whether last lines without an end are left to the follower.
    pub(crate) follows: bool,
    /// Step of a growing run; `None` during the load.
    pub(crate) growth: Option<GrowthStep>,
}

/// Step in which a growing run is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowthStep {
    pub(crate) now: Instant,
    pub(crate) activity: Activity,
}

impl GrowthStep {
    /// True if the end of the input may grow.
    pub(crate) fn of_end(self) -> Growth {
        match self.activity {
            Activity::Ended => Growth::Complete,
            Activity::Writing | Activity::Quiet => Growth::Growing,
        }
    }
}

/// Activity of the writer of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Activity {
    /// Wrote a short time ago, and may be in the middle of a record.
    Writing,
    /// Wrote nothing for some time.
    Quiet,
    /// Cannot write any more: the input is closed.
    Ended,
}

impl LoadContext {
    /// Creates the tables and compiles the definitions.
    pub(crate) fn new(
        options: &OpenOptions,
        cancel: &Cancel,
        progress: &Progress,
    ) -> Result<LoadContext, OpenError> {
        let tables = Arc::new(Catalog::default());
        let compiled =
            crate::definitions::compile(&options.systems, &tables).map_err(OpenError::System)?;
        Ok(LoadContext {
            detector: Detector::new(
                tables.clone(),
                compiled,
                options
                    .paths
                    .iter()
                    .map(|p| p.to_string_lossy().into_owned())
                    .collect(),
            ),
            tables,
            pool: Arc::default(),
            spool: Arc::new(Spool::new(options.memory)),
            workers: Mutex::default(),
            load_state: Mutex::default(),
            progress: progress.clone(),
            cancel: cancel.clone(),
            shifts: options.shifts.clone(),
            limits: options.limits,
            zone: options.zone.clone(),
            fallback_zone: options.fallback_zone.clone(),
            stdin_modified: standard_input_modified(),
            follows: false,
            growth: None,
        })
    }

    /// Zone options of the user.
    pub(crate) fn zone_options(&self) -> ZoneOptions<'_> {
        ZoneOptions {
            given: self.zone.as_ref(),
            fallback: &self.fallback_zone,
        }
    }

    /// Snapshot of the records read so far.
    pub(crate) fn snapshot(&self, complete: bool) -> Option<Snapshot> {
        let segments = self.update(LoadState::segments);
        for id in cardinality::sources(&self.tables, &segments) {
            self.change(id, cardinality::add_note);
        }
        let read = self.update(|h| h.as_read());
        let sources = read.zoned(self.zone_options(), &segments);
        let tables = self.tables.clone();
        Snapshot::build(sources, segments, tables, complete, &self.cancel)
    }

    /// Adds the records of a worker to the load state.
    pub(crate) fn finish_unit(&self, worker: &mut Worker, start: (u32, u32)) {
        let (segments, reports) = worker.builder.finish(&self.tables);
        let unit = Unit {
            start,
            segments: segments.into_iter().map(Arc::new).collect(),
            reports,
        };
        self.update(|h| h.units.push(unit));
    }

    /// Runs `f` with a worker for its exclusive use.
    pub(crate) fn with_worker<R>(&self, f: impl FnOnce(&mut Worker) -> R) -> R {
        let mut worker = lock::hold(&self.workers).pop().unwrap_or_default();
        let result = f(&mut worker);
        lock::hold(&self.workers).push(worker);
        result
    }

    /// Frees the loader's memory after a load of many records. After a load of few records freeing would take longer than the
    /// answer, and the process ends soon, so the memory is left to the system.
    pub(super) fn leave(self, records: usize) {
        if threads::is_small(records) {
            std::mem::forget((self.workers, self.detector));
        }
    }

    /// Source by number, as read.
    pub(crate) fn source(&self, id: SourceId) -> Option<Arc<Source>> {
        self.update(|h| h.source(id).cloned())
    }

    /// Takes the reading state of a source, which is to be returned.
    pub(crate) fn take_reader(&self, id: SourceId) -> RecordReader {
        self.update(|h| {
            h.drafts
                .get_mut(&id.0)
                .map(|d| std::mem::take(&mut d.reader))
        })
        .unwrap_or_default()
    }

    /// Returns the reading state of a source.
    pub(crate) fn return_reader(&self, id: SourceId, reader: RecordReader) {
        self.update(|h| {
            if let Some(draft) = h.drafts.get_mut(&id.0) {
                draft.reader = reader;
            }
        });
    }

    /// Changes a source.
    pub(crate) fn change(&self, id: SourceId, f: impl FnOnce(&mut Source)) {
        self.update(|h| h.change(id, f));
    }

    /// Changes the load state.
    pub(crate) fn update<R>(&self, f: impl FnOnce(&mut LoadState) -> R) -> R {
        f(&mut lock::hold(&self.load_state))
    }
}
