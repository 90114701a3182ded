//! Event loop: all events arrive as messages on one channel; messages change the model, its effects
//! are executed, and the screen is redrawn after changes. A frame after user input is drawn at
//! once, before the work that it requests starts; results that follow soon are drawn with little
//! delay, since they are mostly the answer; other background results are drawn at most 30 times a
//! second.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use crossterm::event::{Event, KeyEventKind, MouseButton, MouseEventKind};
use signal_hook::consts::SIGTSTP;

use widetui_core::cancel::Cancel;
use widetui_core::memory::{self, MemoryLimit};
use widetui_core::thread;
use widetui_ingest::follow_switch::FollowSwitch;
use widetui_ingest::options::LoadMsg;
use widetui_ingest::threads;
use widetui_session::export_files::default_folder;
use widetui_session::jobs::{Jobs, Question};
use widetui_session::meaning::Meaning;
use widetui_session::record_texts::Fetcher;
use widetui_session::selection::SelectionStack;
use widetui_source::temporary;
use widetui_store::Snapshot;

use super::capability::Capability;
use super::input::key_of;
use super::rescue;
use super::startup;
use super::terminal::OwnedTerminal;
use super::theme::ThemeInUse;
use widetui_app::command::Command;
use widetui_app::event_list::CursorAnchor;
use widetui_app::follow_mode::Following;
use widetui_app::hit::{HitMap, HitView};
use widetui_app::loading::Loading;
use widetui_app::message_log::Notice;
use widetui_app::model::Model;
use widetui_app::msg::{Effect, Msg, SaveReport, SavedWorkspace};
use widetui_app::update::{Explorer, is_ticking, session};
use widetui_app::user_data::Choices;
use widetui_app::workspace_files::{LeaveOutcome, WorkspaceKeeper};
use widetui_tables::table::ArrangeRequest;
use widetui_tables::text::size;

mod background;
mod notice_timer;
mod options;
mod watch;

pub use options::Options;

use notice_timer::NoticeTimer;

/// Minimum time between two frames that only background results require.
const FRAME: Duration = Duration::from_millis(33);
/// Minimum time between such frames shortly after a key press, and the length of this period.
const FRAME_SOON: Duration = Duration::from_millis(8);
const SOON: Duration = Duration::from_millis(250);
/// Maximum time that a frame waits for the texts it shows.
const PATIENCE: Duration = Duration::from_millis(8);
/// Maximum number of messages handled before a frame is drawn.
const BURST: usize = 1000;
/// Time without work after which memory is given back.
const BEFORE_REST: Duration = Duration::from_secs(2);
/// Time after which memory is given back although work goes on, as it does while a run is followed.
const LONGEST_WORK: Duration = Duration::from_secs(30);
/// Interval of clock updates while the screen shows something that depends on the time.
const TICK: Duration = Duration::from_secs(1);
/// Number of rows that one notch of the mouse wheel scrolls.
const NOTCH: i64 = 3;

/// Message on the channel of the event loop.
#[allow(
    clippy::large_enum_variant,
    reason = "few exist at a time, and none is kept"
)]
enum Arrival {
    Terminal(Event),
    Inner(Msg),
    Signal(i32),
    /// Standard input is closed.
    InputEnded,
}

/// Runs the explorer until the user quits.
///
/// # Errors
/// No terminal, an invalid keymap or theme, or a failed write to the terminal.
pub fn run(options: Options) -> anyhow::Result<()> {
    if !io::stdout().is_terminal() {
        bail!("the explorer needs a terminal; `widetui events PATH` writes to files and pipes");
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        bail!(
            "the explorer needs a terminal that obeys escape sequences, and TERM is `dumb`; `widetui events PATH` prints lines"
        );
    }
    threads::start_shared()?;
    let (send, receive) = unbounded();
    let stop = Cancel::default();
    // Logs are read while definitions are compiled for the model.
    watch::loader(options.open.clone(), send.clone(), stop.clone())?;
    let capability = Capability::of(|name| std::env::var(name).ok(), options.colour);
    let keeper = WorkspaceKeeper::new(options.keeping.clone());
    let (mut model, theme) = first_model(&options, &capability)?;
    let (history, unread) = keeper.input_history();
    model.history = history;
    if let Some(error) = unread.filter(|_| model.message.is_none()) {
        model.message = file_error_notice(&[error]);
    }
    let follow = options.open.follow.clone().unwrap_or_default();
    let signals = watch::signals(send.clone())?;
    rescue::install_panic_hook();
    let screen = OwnedTerminal::enter(options.mouse, capability.ways)
        .context("the terminal cannot be taken")?;
    watch::input(send.clone())?;
    let deliver = send.clone();
    let fetcher = Fetcher::spawn(move |t| deliver.send(Arrival::Inner(Msg::Texts(t))).is_ok())?;
    let mut runtime = Runtime {
        explorer: Explorer::new(model),
        theme,
        screen,
        hits: HitMap::default(),
        jobs: Jobs::new(options.open.memory),
        fetcher,
        send,
        follow,
        questions: Vec::new(),
        tables: Vec::new(),
        asked: Vec::new(),
        keeper,
        rests_until: None,
        notice_timer: NoticeTimer::default(),
        work: None,
        limit: options.open.memory,
        limit_alert: Arc::new(Once::new()),
        retried: Instant::now(),
    };
    let ended = runtime.main_loop(&receive);
    stop.cancel();
    runtime.jobs.cancel_all();
    let session = session(&runtime.explorer);
    let left = runtime.keeper.leave(&runtime.explorer.snapshot, &session);
    rescue::forget();
    let failed = match &runtime.explorer.load_state.loading {
        Loading::Failed(reason) => Some(reason.clone()),
        _ => None,
    };
    drop(runtime);
    // Jobs that were cancelled may still hold some.
    temporary::remove_all();
    signals.close();
    let (notice, lost) = match left {
        LeaveOutcome::Kept(notice) => (notice, None),
        LeaveOutcome::Lost(text) => (None, Some(text)),
    };
    for text in notice.into_iter().chain(failed) {
        rescue::report(&text);
    }
    match (ended?, lost) {
        (End::Left, None) => Ok(()),
        (End::Left, Some(text)) => bail!(text),
        (End::Signal(signal), lost) => {
            if let Some(text) = lost {
                rescue::report(&text);
            }
            let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
            rescue::report(&format!("ended by {name}"));
            // The terminal is restored; terminate by the same signal, as its sender expects.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            Ok(())
        }
    }
}

/// Initial model before loading. Errors in themes and keymaps become notices.
fn first_model(options: &Options, capability: &Capability) -> anyhow::Result<(Model, ThemeInUse)> {
    let mut troubles = options.troubles.clone();
    let mut choices = Choices {
        themes: options.themes.clone(),
        keymaps: options.keymaps.clone(),
        theme_errors: Vec::new(),
    };
    let (theme, name, keymap) = startup::chosen(
        &options.theme,
        &options.keymap,
        &mut choices,
        capability.depth,
        &mut troubles,
    )?;
    let mut model = Model::new(options.title.clone(), keymap, &name);
    model.choices = Arc::new(choices);
    model.user_data.opened = options.opened.clone();
    let opened = options.open.paths.clone();
    model.user_data.export = (default_folder(&opened), opened);
    model.user_data.is_mouse_given = !options.mouse;
    report_file_errors(&troubles);
    for trouble in &troubles {
        model.message_log.add(Notice {
            text: trouble.clone(),
            is_alert: true,
        });
    }
    model.message = file_error_notice(&troubles);
    model.zone = options.zone.clone();
    model.selection = SelectionStack::with_joins_off(options.joins_off.clone());
    model.joins.only.clone_from(&options.facts_on);
    model.screen.ascii = options.ascii || capability.ascii;
    model.screen.plots_with = options.drawing.unwrap_or(capability.drawing);
    model.meaning = Arc::new(Meaning::new(&options.open.systems));
    model.load_state.follow.is_started_by_liveness = options.follows_live_runs;
    if options
        .open
        .follow
        .as_ref()
        .is_some_and(FollowSwitch::is_on)
    {
        model.events.anchor = CursorAnchor::Last;
        model.load_state.follow.state = Following::On;
    }
    Ok((model, theme))
}

/// Reports errors in user files on standard error before the screen is taken, so that they are
/// visible afterwards.
fn report_file_errors(troubles: &[String]) {
    for trouble in troubles {
        rescue::report(trouble);
    }
}

/// Notification of the first error in user files, with the number of others.
fn file_error_notice(troubles: &[String]) -> Option<Notice> {
    let first = troubles.first()?;
    let more = match troubles.len() - 1 {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(Notice {
        text: format!("{first}{more}"),
        is_alert: true,
    })
}

/// Current time, UTC ns.
fn clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX))
}

enum End {
    Left,
    Signal(i32),
}

struct Runtime {
    explorer: Explorer,
    theme: ThemeInUse,
    screen: OwnedTerminal,
    hits: HitMap,
    jobs: Jobs,
    fetcher: Fetcher,
    send: Sender<Arrival>,
    follow: FollowSwitch,
    /// Queries to start once the frame is drawn: earlier they would compete with drawing for the
    /// processor.
    questions: Vec<(Arc<Snapshot>, Question, u64)>,
    /// Large tables to be arranged once the frame is drawn.
    tables: Vec<(&'static str, ArrangeRequest)>,
    /// Events whose texts were requested last.
    asked: Vec<widetui_core::ids::EventId>,
    keeper: WorkspaceKeeper,
    /// End of the requested pause.
    rests_until: Option<Instant>,
    /// Notice on the screen, with the time since when it is shown.
    notice_timer: NoticeTimer,
    /// Work done since memory was given back.
    work: Option<Work>,
    limit: MemoryLimit,
    /// Alert that the limit is exceeded.
    limit_alert: Arc<Once>,
    /// Last attempt to start queries for which no thread was available.
    retried: Instant,
}

/// Period in which work was done.
struct Work {
    /// Time of the first work.
    began: Instant,
    /// Time of the last work.
    last: Instant,
}

impl Work {
    /// Period that continues an earlier one until now.
    fn after(earlier: Option<Work>) -> Work {
        let last = Instant::now();
        let began = earlier.map_or(last, |work| work.began);
        Work { began, last }
    }

    /// Remaining time until memory is given back.
    fn until_trim(&self) -> Duration {
        let to_rest = BEFORE_REST.saturating_sub(self.last.elapsed());
        to_rest.min(LONGEST_WORK.saturating_sub(self.began.elapsed()))
    }
}

impl Runtime {
    fn main_loop(&mut self, receive: &Receiver<Arrival>) -> anyhow::Result<End> {
        let (columns, rows) = self.screen.size();
        if let Some(end) = self.take(Arrival::Inner(Msg::Resize(columns, rows)))? {
            return Ok(end);
        }
        let mut waiting: VecDeque<Arrival> = VecDeque::new();
        let mut drawn = Instant::now();
        let mut dirty = true;
        let mut at_once = true;
        let mut ticked: Option<Instant> = None;
        let mut pressed: Option<Instant> = None;
        loop {
            let to_tick = is_ticking(&self.explorer)
                .then(|| TICK.saturating_sub(ticked.map_or(TICK, |t| t.elapsed())));
            if to_tick == Some(Duration::ZERO) {
                ticked = Some(Instant::now());
                dirty = true;
                if let Some(end) = self.take(Arrival::Inner(Msg::Tick(clock())))? {
                    return Ok(end);
                }
                continue;
            }
            let to_go_on = self
                .rests_until
                .map(|end| end.saturating_duration_since(Instant::now()));
            if to_go_on == Some(Duration::ZERO) {
                self.rests_until = None;
                dirty = true;
                if let Some(end) = self.take(Arrival::Inner(Msg::Rested))? {
                    return Ok(end);
                }
                continue;
            }
            let to_fade = self.notice_timer.remaining(self.explorer.message.as_ref());
            if to_fade == Some(Duration::ZERO) {
                dirty = true;
                if let Some(end) = self.take(Arrival::Inner(Msg::Faded))? {
                    return Ok(end);
                }
                continue;
            }
            let is_waiting = self.jobs.is_waiting();
            let to_retry = is_waiting.then(|| TICK.saturating_sub(self.retried.elapsed()));
            if to_retry == Some(Duration::ZERO) {
                self.retried = Instant::now();
                self.jobs.retry();
                continue;
            }
            let pace = match pressed.is_some_and(|at| at.elapsed() < SOON) {
                true => FRAME_SOON,
                false => FRAME,
            };
            if dirty && (at_once || drawn.elapsed() >= pace) {
                self.read_texts(receive, &mut waiting);
                let theme = self.theme.named(&self.explorer.screen.theme);
                self.hits = self.screen.draw(&self.explorer, theme)?;
                drawn = Instant::now();
                (dirty, at_once) = (false, false);
            }
            self.start_queries();
            if waiting.is_empty() {
                let to_frame = dirty.then(|| pace.saturating_sub(drawn.elapsed()));
                let to_trim = self.work.as_ref().map(Work::until_trim);
                if to_trim == Some(Duration::ZERO) {
                    self.give_back_memory();
                    continue;
                }
                let waits = [to_frame, to_tick, to_go_on, to_fade, to_retry, to_trim];
                let wait = waits.into_iter().flatten().min();
                let first = match wait {
                    Some(wait) => match receive.recv_timeout(wait) {
                        Err(RecvTimeoutError::Timeout) => continue,
                        other => other.ok(),
                    },
                    None => receive.recv().ok(),
                };
                let Some(first) = first else {
                    return Ok(End::Left);
                };
                waiting.push_back(first);
            }
            for _ in 0..BURST {
                let Some(next) = waiting.pop_front().or_else(|| receive.try_recv().ok()) else {
                    break;
                };
                // The previous frame requested texts: until they arrive, its rows show only
                // templates.
                if matches!(next, Arrival::Terminal(_)) {
                    pressed = Some(Instant::now());
                }
                at_once |= matches!(next, Arrival::Terminal(_) | Arrival::Inner(Msg::Texts(_)));
                if matches!(&next, Arrival::Inner(msg) if !matches!(msg, Msg::Texts(_))) {
                    self.work = Some(Work::after(self.work.take()));
                }
                dirty = true;
                let empty = self.explorer.snapshot.is_empty();
                let changes_state = matches!(
                    next,
                    Arrival::Terminal(_) | Arrival::Inner(Msg::Workspace(_))
                );
                if let Some(end) = self.take(next)? {
                    return Ok(end);
                }
                if changes_state {
                    let session = session(&self.explorer);
                    rescue::remember(&self.keeper, &self.explorer.snapshot, session);
                }
                // The first records are drawn immediately.
                at_once |= empty && !self.explorer.snapshot.is_empty();
            }
            rescue::update_snapshot(&self.explorer.snapshot);
        }
    }

    /// Gives freed memory back, on the pool, as a frame may be wanted meanwhile. If the process is at rest and what it holds
    /// exceeds the limit, alerts the user, once.
    fn give_back_memory(&mut self) {
        let is_at_rest =
            { self.work.take() }.is_some_and(|work| work.last.elapsed() >= BEFORE_REST);
        let (limit, alert, send) = (self.limit, self.limit_alert.clone(), self.send.clone());
        rayon::spawn(move || {
            thread::trim_heap();
            let held = memory::resident().filter(|held| is_at_rest && *held > limit.0);
            if let Some(held) = held {
                let (held, limit) = (size(held), size(limit.0));
                let text = format!(
                    "{held} of memory are in use: the limit of {limit} (--memory) is too small for these records"
                );
                alert.call_once(|| drop(send.send(Arrival::Inner(Msg::Alert(text)))));
            }
        });
    }

    /// Requests the texts for the next frame, and waits for them briefly.
    fn read_texts(&mut self, receive: &Receiver<Arrival>, waiting: &mut VecDeque<Arrival>) {
        let missing = self.explorer.missing();
        if missing.is_empty() || missing == self.asked {
            return;
        }
        self.fetcher.want(&self.explorer.snapshot, missing.clone());
        self.asked = missing;
        let end = Instant::now() + PATIENCE;
        while let Ok(arrival) = receive.recv_deadline(end) {
            match arrival {
                Arrival::Inner(Msg::Texts(texts)) => {
                    self.explorer.update(Msg::Texts(texts));
                    break;
                }
                other => waiting.push_back(other),
            }
        }
    }

    /// Handles a message; returns the reason if the loop must end.
    fn take(&mut self, arrival: Arrival) -> anyhow::Result<Option<End>> {
        let msg = match arrival {
            Arrival::Inner(msg) => Some(msg),
            Arrival::Terminal(event) => self.translate(event),
            Arrival::Signal(SIGTSTP) => Some(Msg::Do(Command::Suspend)),
            Arrival::Signal(signal) => return Ok(Some(End::Signal(signal))),
            Arrival::InputEnded => return Ok(Some(End::Left)),
        };
        let Some(msg) = msg else { return Ok(None) };
        // Whether the run is live depends on the time at which its records arrive.
        if matches!(msg, Msg::Load(LoadMsg::Snapshot(_)))
            && let Some(end) = self.take(Arrival::Inner(Msg::Tick(clock())))?
        {
            return Ok(Some(end));
        }
        let effects = self.explorer.update(msg);
        if self.explorer.message_log.waits_for_time() {
            self.explorer.update(Msg::Said(clock()));
        }
        for effect in effects {
            match effect {
                Effect::Ask {
                    snapshot,
                    question,
                    generation,
                } => self.questions.push((snapshot, question, generation)),
                Effect::Cancel(slot) => {
                    self.questions.retain(|(_, asked, _)| asked.slot() != slot);
                    self.jobs.cancel(slot);
                }
                Effect::Arrange(view, wish) => self.tables.push((view, wish)),
                Effect::Follow(on) => self.follow.set(on),
                Effect::Shift(shifts) => self.follow.shift(shifts),
                // A table that is ready during the delay of the joins may need a longer one.
                Effect::Rest(time) => {
                    self.rests_until = self.rests_until.max(Some(Instant::now() + time));
                }
                Effect::Copy(text) => self.screen.copy(&text)?,
                Effect::FindWorkspace(snapshot) => {
                    self.run_workspace_job(move |keeper| keeper.find(&snapshot));
                }
                Effect::RestoreWorkspace(snapshot) => {
                    self.run_workspace_job(move |keeper| keeper.restore(&snapshot));
                }
                Effect::SaveWorkspace(snapshot, session, report) => {
                    self.run_workspace_job(move |keeper| {
                        match (keeper.save(&snapshot, &session), report) {
                            (Err(error), _) => Some(SavedWorkspace::Trouble(error)),
                            (Ok(_), SaveReport::Failure) => None,
                            (Ok(Some(path)), SaveReport::Any) => Some(SavedWorkspace::Saved(path)),
                            (Ok(None), SaveReport::Any) => Some(SavedWorkspace::Trouble(
                                "there is nothing to save, or this is a replay".to_owned(),
                            )),
                        }
                    });
                }
                Effect::SaveJoin(join) => {
                    self.run_workspace_job(move |keeper| Some(keeper.save_join(&join)));
                }
                Effect::SaveDraft(snapshot, name) => {
                    self.run_workspace_job(move |keeper| Some(keeper.save_draft(&snapshot, &name)));
                }
                Effect::RememberInput(kind, text) => {
                    self.run_workspace_job(move |keeper| keeper.remember_input(kind, &text));
                }
                Effect::Mouse(ours) => self.screen.mouse(ours)?,
                Effect::Redraw => self.screen.clear()?,
                Effect::Suspend => {
                    self.screen.suspend()?;
                    let (columns, rows) = self.screen.size();
                    let _ = self.send.send(Arrival::Inner(Msg::Resize(columns, rows)));
                }
                Effect::Quit => return Ok(Some(End::Left)),
            }
        }
        Ok(None)
    }

    fn translate(&self, event: Event) -> Option<Msg> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                fail_on_test_key(key.code);
                Some(Msg::Key(key_of(key)))
            }
            Event::Paste(text) => Some(Msg::Paste(text)),
            Event::Resize(columns, rows) => Some(Msg::Resize(columns, rows)),
            Event::Mouse(mouse) => {
                match mouse.kind {
                    MouseEventKind::Drag(MouseButton::Left)
                        if self.explorer.user_data.dragging.is_some() =>
                    {
                        return Some(Msg::DragSplit(mouse.column, mouse.row));
                    }
                    MouseEventKind::Up(MouseButton::Left) => return Some(Msg::Release),
                    _ => {}
                }
                let (target, whose) = self.hits.find(mouse.column, mouse.row)?;
                let msg = match mouse.kind {
                    MouseEventKind::Drag(MouseButton::Left) => Some(Msg::Drag(target)),
                    MouseEventKind::Down(MouseButton::Left) => Some(Msg::Click(target)),
                    MouseEventKind::Down(MouseButton::Right) => Some(Msg::RightClick(target)),
                    MouseEventKind::ScrollDown => Some(Msg::Wheel(target, NOTCH)),
                    MouseEventKind::ScrollUp => Some(Msg::Wheel(target, -NOTCH)),
                    _ => None,
                };
                match whose {
                    HitView::Focused => msg,
                    HitView::Other => msg.map(|msg| Msg::InOther(Box::new(msg))),
                }
            }
            _ => None,
        }
    }
}

/// Panics on F12, panics in another thread on F11, and allocates more memory than there is on F10, if the environment
/// requests it (test builds only): tests check that the terminal is restored.
#[cfg(debug_assertions)]
fn fail_on_test_key(key: crossterm::event::KeyCode) {
    use crossterm::event::KeyCode::F;
    if std::env::var_os("WIDETUI_TEST_FAILURES").is_none() {
        return;
    }
    let fall = || std::panic::panic_any("asked to fall over");
    match key {
        F(12) => fall(),
        F(11) => drop(std::thread::spawn(fall)),
        F(10) => drop(std::hint::black_box(Vec::<u8>::with_capacity(
            usize::MAX / 2,
        ))),
        _ => {}
    }
}

#[cfg(not(debug_assertions))]
fn fail_on_test_key(_: crossterm::event::KeyCode) {}
