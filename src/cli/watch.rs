//! `widetui watch`: follows a run until it is stuck, has an error, or ends, for scripts.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_diagnosis::unfinished::{UnfinishedWork, goes_on};
use widetui_ingest::follow_switch::FollowSwitch;
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_ingest::threads;
use widetui_join::Join;
use widetui_query::{self as query, Expr, Field, Op};
use widetui_session::findings::unfinished_work;
use widetui_session::liveness::Liveness;
use widetui_session::meaning::{Meaning, WantedKeys, needed_joins, with_joined_values};
use widetui_store::Snapshot;

use super::args::{WatchCommand, WatchedState};
use super::event_writer::{EventWriter, Form};
use super::open::{joins_of_options, options, report_problems};
use super::opened::{Notes, Opened};
use super::output::{Failure, stdout, warn};
use super::{follow, hung};

/// Shortest time between two examinations of the run.
const PAUSE: Duration = Duration::from_secs(1);
/// Longest time between two examinations of the run.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Inverse of the maximum share of the time spent in examinations.
const SHARE: u32 = 20;

/// `widetui watch`.
pub fn run(c: &WatchCommand) -> Result<(), Failure> {
    let form = Form::of(c.run.format, false)?;
    let (options, zone) = options(&c.run.paths, &c.run.open)?;
    let options = OpenOptions {
        follow: Some(FollowSwitch::new(true)),
        ..options
    };
    threads::start_shared().map_err(|e| Failure::Message(e.to_string()))?;
    let deadline = c.timeout.map(|timeout| Instant::now() + timeout);
    let (Some(first), updates) = follow::begin(&options)? else {
        return Ok(());
    };
    report_problems(&first);
    let meaning = Meaning::new(&options.systems);
    let meaning = Arc::new(meaning.with_data_joins(&first).unwrap_or(meaning));
    let mut watch = Watch {
        joins: joins_of_options(&meaning.joins, &c.run.open)?
            .unwrap_or_else(|| meaning.joins.clone()),
        opened: Opened {
            snapshot: first.clone(),
            meaning,
            joins: Arc::default(),
            zone,
            notes: Notes::default(),
        },
        newest: first,
        updates: Some(updates),
        grew: None,
    };
    loop {
        let began = Instant::now();
        let state = watch.examine();
        if let Some(awaited) = state.first_of(&c.until) {
            return watch.write(awaited, &state, c, form);
        }
        if let Some(end) = state.end {
            warn(format_args!("{end}; none of the awaited states came"));
            return Err(Failure::Wrong);
        }
        let pause = began.elapsed().saturating_mul(SHARE);
        let next = Instant::now() + pause.clamp(PAUSE, LONGEST_PAUSE);
        if !watch.wait(deadline.map_or(next, |deadline| deadline.min(next)))? {
            return Err(Failure::Message(
                "nothing to watch: archives and ended input do not grow".to_owned(),
            ));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            warn("--timeout has passed; none of the awaited states came");
            return Err(Failure::Wrong);
        }
    }
}

/// Followed run.
struct Watch {
    /// Run as last examined, with derived keys.
    opened: Opened,
    /// Joins to apply.
    joins: Vec<Join>,
    /// Newest snapshot.
    newest: Arc<Snapshot>,
    /// Updates of the run; `None` once no source can grow.
    updates: Option<Receiver<LoadMsg>>,
    /// Time at which the run was last seen to grow, UTC ns.
    grew: Option<i64>,
}

/// State of a run.
struct RunState {
    unfinished: UnfinishedWork,
    /// First record of level error or higher.
    error: Option<EventId>,
    /// Reason why the run counts as ended; `None` while it goes on.
    end: Option<&'static str>,
}

impl RunState {
    /// First of the awaited states that the run is in; of all states if none is named.
    fn first_of(&self, awaited: &[WatchedState]) -> Option<WatchedState> {
        let is_in = |state: &WatchedState| match state {
            WatchedState::Error => self.error.is_some(),
            WatchedState::Stuck => {
                let mut items = self.unfinished.unblocked();
                items.any(|item| self.unfinished.is_stuck(item))
            }
            WatchedState::End => self.end.is_some(),
        };
        let all = [WatchedState::Error, WatchedState::Stuck, WatchedState::End];
        let of_command = |state: &WatchedState| awaited.is_empty() || awaited.contains(state);
        all.into_iter()
            .find(|state| of_command(state) && is_in(state))
    }
}

impl Watch {
    /// Waits until a moment, or until no source can grow any more; false if none could before.
    ///
    /// # Errors
    /// A source cannot be read any more.
    fn wait(&mut self, until: Instant) -> Result<bool, Failure> {
        let Some(updates) = self.updates.clone() else {
            return Ok(false);
        };
        loop {
            match updates.recv_deadline(until) {
                Ok(LoadMsg::Snapshot(snapshot)) => {
                    if snapshot.len() > self.newest.len() {
                        self.grew = clock();
                    }
                    self.newest = snapshot;
                }
                Ok(LoadMsg::Failed(reason)) => return Err(Failure::Message(reason)),
                Ok(LoadMsg::Progress { .. }) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(true),
                // The last records are examined before the watch ends.
                Err(RecvTimeoutError::Disconnected) => {
                    self.updates = None;
                    return Ok(true);
                }
            }
        }
    }

    /// Applies the joins to the newest records, and determines the state of the run.
    fn examine(&mut self) -> RunState {
        let joins = needed_joins(&self.newest, &self.joins, &WantedKeys::All);
        let joined = with_joined_values(&self.newest, joins, &Cancel::default());
        self.opened.snapshot = joined.map_or_else(|| self.newest.clone(), |(joined, _)| joined);
        let snapshot = &*self.opened.snapshot;
        let live = clock().map(|clock| Liveness::judge(snapshot, clock, self.grew));
        let now = live.and_then(Liveness::now);
        let unfinished = unfinished_work(snapshot, &self.opened.meaning, now, &Cancel::default());
        // A command is never cancelled.
        let unfinished = unfinished.unwrap_or_default();
        let error = Expr::compare(Field::Level, Op::Ge, Level::Error.name());
        let error = query::select(snapshot, &error, &Cancel::default());
        let runs = &unfinished.runs;
        let have_ended = !runs.is_empty() && (0..runs.len()).all(|run| !goes_on(runs, Some(run)));
        let end = match live.is_some_and(Liveness::is_live) {
            _ if have_ended => Some("the run ended"),
            false => Some("the run wrote nothing for a long time"),
            true => None,
        };
        RunState {
            error: error.and_then(|found| found.ids().next()),
            unfinished,
            end,
        }
    }

    /// Writes the state that came: the first error, or the unfinished work.
    ///
    /// # Errors
    /// The output is closed.
    fn write(
        &self,
        awaited: WatchedState,
        state: &RunState,
        c: &WatchCommand,
        form: Form,
    ) -> Result<(), Failure> {
        match (awaited, state.error) {
            (WatchedState::Error, Some(error)) => {
                let mut writer = EventWriter::new(&self.opened, &[], form);
                let mut out = stdout();
                writer.head(&mut out)?;
                writer.events(&self.opened.snapshot, &[error.0], &mut out)?;
                Ok(out.flush()?)
            }
            _ => hung::write(&self.opened, &state.unfinished, &[], c.run.format),
        }
    }
}

/// Present time, UTC ns.
fn clock() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}
