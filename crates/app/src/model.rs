//! The state of the interface: everything that a frame is drawn from. Only `update` changes it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::direction::Direction;
use widetui_core::ids::{EventId, SourceId};
use widetui_ingest::clocks::ClockOffset;
use widetui_query::{Expr, Field, KeyStat, Matcher, TimeContext};
use widetui_session::jobs::Generations;
use widetui_session::log_clock;
use widetui_session::meaning::Meaning;
use widetui_session::overview::OverviewHistogram;
use widetui_session::record_texts::{Place, Record};
use widetui_session::rows::{NumberKey, Rows};
use widetui_session::selection::SelectionStack;
use widetui_store::{EventRef, Snapshot, Source};
use widetui_time::zone::Zone;

use super::event_list::EventList;
use super::findings::FindingState;
use super::follow_mode::Following;
use super::keymap::{KeyScope, Keymap};
use super::keys::Key;
use super::loading::LoadingState;
use super::message_log::{MessageLog, Notice};
use super::pivot_letters::PivotLetters;
use super::popups::{InputHistory, Popup};
use super::record_pane::RecordPane;
use super::screen::Screen;
use super::screen_split::ScreenSplit;
use super::source_names::SourceNames;
use super::text_cache::TextCache;
use super::user_data::{Choices, UserData};
pub use super::view_state::{InstancesState, JoinState, ProblemState};
use crate::repetition::Repetition;
use widetui_tables::plots::settings::PlotSettings;
use widetui_tables::row_search::RowSearch;
use widetui_tables::table::{RowAction, TableState};

use super::view::{Body, Detail, Page};
pub use super::view::{NavigationEntry, Pane, TimeDisplay, View, ViewSubject};

/// A search and its hits.
#[derive(Clone, Debug, Default)]
pub struct TextSearch {
    /// What was searched; empty for nothing.
    pub line: String,
    /// Fits the records that are hit.
    pub(crate) expr: Expr,
    /// Finds it in texts.
    pub matcher: Option<Matcher>,
    /// Rows hit, ascending; `None` until some are known.
    pub hits: Option<Arc<[u32]>>,
    /// Whether these are all of them.
    pub(crate) is_whole: bool,
    /// Where to go when they are known.
    pub(crate) waiting: Option<Direction>,
}

/// All that a frame is drawn from, and all that a command can change.
#[derive(Clone, Debug)]
pub struct Model {
    /// What was opened, as the trail names it.
    pub title: String,
    /// Zone of the times shown.
    pub zone: Zone,
    /// The zone that they were shown in at first, once another was chosen.
    pub first_zone: Option<Zone>,
    /// The terminal, and how things are drawn in it.
    pub screen: Screen,
    /// Keys.
    pub keymap: Arc<Keymap>,
    /// The run as known so far.
    pub snapshot: Arc<Snapshot>,
    /// What the logs are read into, and what of it is not on the screen yet.
    pub arriving: LoadingState,
    /// The view.
    pub view: View,
    /// The pane that has the keys.
    pub pane: Pane,
    /// The view that shares the screen with it.
    pub pair: Option<ScreenSplit>,
    /// The view before it.
    pub(crate) before: Option<View>,
    /// The places that led to what is shown, the last one at the end: empty at the root.
    pub visits: Vec<NavigationEntry>,
    /// The same of the view that shares the screen.
    pub(crate) visits_beside: Vec<NavigationEntry>,
    /// Steps of the selection.
    pub selection: SelectionStack,
    /// Records left after each step, as far as known.
    pub counts: Vec<usize>,
    /// The rows that the list shows.
    pub rows: Rows,
    /// What else the view of the events keeps.
    pub events: EventList,
    /// The views that are tables.
    pub tables: FxHashMap<View, TableState>,
    /// Counts the changes of what is selected: a table of an older state is computed anew when it is shown.
    pub epoch: u64,
    /// What the views that draw over time keep.
    pub plots: PlotSettings,
    /// The key whose values are shown.
    pub frequency: Option<Field>,
    /// Shifts of the times of sources that the user asked for, ns.
    pub shifts: Vec<(SourceId, i64)>,
    /// How times are shown.
    pub time: TimeDisplay,
    /// How the selected records lie over time.
    pub strip: Option<OverviewHistogram>,
    /// The search.
    pub search: TextSearch,
    /// Marked records.
    pub marks: Vec<Place>,
    /// Texts read again.
    pub texts: TextCache,
    /// That some logs lie hours beside the others, as they do not name their zone.
    pub clocks: Vec<ClockOffset>,
    /// What sources are called, and in which colours.
    pub naming: SourceNames,
    /// The pane of the record under the cursor.
    pub record: RecordPane,
    /// What is open above the view.
    pub popup: Option<Popup>,
    /// Letters of the pivot list.
    pub letters: PivotLetters,
    /// Keys of a sequence pressed so far.
    pub pending: Vec<Key>,
    /// Count that is being typed, and the command that can be repeated.
    pub repetition: Repetition,
    /// What the program says.
    pub message: Option<Notice>,
    /// What it said.
    pub said: MessageLog,
    /// Generation of the last question of each kind.
    pub(crate) generations: Generations,
    /// The keys of the snapshot in numbers, once somebody writes a filter.
    pub(crate) key_stats: Option<Arc<[KeyStat]>>,
    /// The keys that hold numbers, once somebody chooses one.
    pub(crate) number_keys: Option<Arc<[NumberKey]>>,
    /// Lines written before, and in which kind of line, the latest last.
    pub(crate) history: Vec<(InputHistory, String)>,
    /// What the definitions in force say about the meaning of records.
    pub meaning: Arc<Meaning>,
    /// Joins, and what they did.
    pub joins: JoinState,
    /// What the run is about, and what of it is shown.
    pub things: InstancesState,
    /// Where the problems of sources begin.
    pub problems: ProblemState,
    /// What is wrong.
    pub findings: FindingState,
    /// What the user keeps.
    pub kept: UserData,
    /// Themes and keymaps to choose from.
    pub choices: Arc<Choices>,
}

impl Model {
    /// Nothing loaded yet.
    pub fn new(title: impl Into<String>, keymap: Keymap, theme: &str) -> Model {
        Model {
            title: title.into(),
            zone: Zone::Utc,
            first_zone: None,
            screen: Screen::new(theme),
            keymap: Arc::new(keymap),
            snapshot: Arc::default(),
            arriving: LoadingState::default(),
            view: View::default(),
            pane: Pane::default(),
            pair: None,
            before: None,
            visits: Vec::new(),
            visits_beside: Vec::new(),
            selection: SelectionStack::default(),
            counts: Vec::new(),
            rows: Rows::All,
            events: EventList::default(),
            tables: FxHashMap::default(),
            epoch: 1,
            plots: PlotSettings::default(),
            frequency: None,
            shifts: Vec::new(),
            time: TimeDisplay::default(),
            strip: None,
            search: TextSearch::default(),
            marks: Vec::new(),
            texts: TextCache::default(),
            clocks: Vec::new(),
            naming: SourceNames::default(),
            record: RecordPane::default(),
            popup: None,
            letters: PivotLetters::default(),
            pending: Vec::new(),
            repetition: Repetition::default(),
            message: None,
            said: MessageLog::default(),
            generations: Generations::default(),
            key_stats: None,
            number_keys: None,
            history: Vec::new(),
            meaning: Arc::default(),
            joins: JoinState::default(),
            things: InstancesState::default(),
            problems: ProblemState::default(),
            findings: FindingState::default(),
            kept: UserData::default(),
            choices: Arc::default(),
        }
    }

    /// The latest snapshot, perhaps not yet shown.
    pub(crate) fn newest(&self) -> &Arc<Snapshot> {
        let waiting = self.arriving.follow.waiting.as_ref();
        waiting
            .or(self.arriving.newer.as_ref())
            .unwrap_or(&self.snapshot)
    }

    /// Number of rows of the list.
    pub fn len(&self) -> usize {
        self.rows.len(&self.snapshot)
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at which the run ends: the last whose source has times, as records without any stand behind all others.
    pub(crate) fn last_row(&self) -> usize {
        let is_timed = |row: usize| self.event(row).is_some_and(|e| e.order_time() < i64::MAX);
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match is_timed(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        match low {
            0 => self.len().saturating_sub(1),
            _ => low - 1,
        }
    }

    /// The event of a row.
    pub fn event(&self, row: usize) -> Option<EventRef<'_>> {
        self.snapshot.event(self.rows.get(&self.snapshot, row)?)
    }

    /// The event under the cursor.
    pub fn current(&self) -> Option<EventRef<'_>> {
        self.event(self.events.list.cursor)
    }

    /// The text of an event, when it was read.
    pub fn text(&self, event: &EventRef<'_>) -> Option<&Arc<Record>> {
        self.texts.get(Place::from_event(event))
    }

    /// The present in the time of the logs, UTC ns, while files are followed.
    pub fn now(&self) -> Option<i64> {
        let clock = self
            .arriving
            .clock
            .filter(|_| self.arriving.follow.state != Following::Off);
        log_clock::log_time(&self.snapshot, clock?)
    }

    /// The table that is shown, when the view is one.
    pub fn table(&self) -> Option<&TableState> {
        self.tables.get(&self.view)
    }

    /// What is searched for in the rows of the view; none where its rows are records.
    pub fn row_search(&self) -> Option<&RowSearch> {
        match self.view.row().body {
            Body::Records => None,
            Body::Page(Page::Unfinished) => Some(&self.things.search),
            Body::Page(Page::Findings) => Some(&self.findings.text),
            Body::Table(_) => self.table().map(|t| &t.search),
        }
    }

    /// The source under the cursor of the table of sources.
    pub fn current_source(&self) -> Option<&Source> {
        match self.tables.get(&View::Sources)?.current()?.action {
            RowAction::Source(id) => self.snapshot.source(id),
            _ => None,
        }
    }

    /// Where keys are looked up, the innermost first.
    pub fn scopes(&self) -> Vec<KeyScope> {
        let row = self.view.row();
        let mut scopes = match (&self.popup, self.pane) {
            (Some(popup), _) => vec![popup.scope()],
            (None, Pane::Breadcrumb) => vec![KeyScope::Trail],
            (None, Pane::Record) if row.detail == Detail::Record => vec![KeyScope::Record],
            (None, Pane::List | Pane::Record) => row.keys.to_vec(),
        };
        scopes.push(KeyScope::Global);
        scopes
    }

    /// Events near the screen whose text was not read yet, the one under the cursor first.
    pub fn missing(&self) -> Vec<EventId> {
        let height = usize::from(self.screen.size.1);
        let from = self.events.list.top.saturating_sub(height / 2);
        let to = (self.events.list.top + height + height / 2).min(self.len());
        let shown = self.events.list.top..(self.events.list.top + height).min(self.len());
        let order = std::iter::once(self.events.list.cursor)
            .chain(shown)
            .chain(from..to);
        let mut out: Vec<EventId> = Vec::new();
        for event in order.filter_map(|row| self.event(row)) {
            if self.text(&event).is_none() && !out.contains(&event.id) {
                out.push(event.id);
            }
        }
        out
    }

    /// What a time without a date means in an expression: the day of the record under the cursor.
    pub(crate) fn time_context(&self) -> TimeContext {
        let day = self.current().and_then(|e| e.time());
        TimeContext {
            base_date_ns: day.or(self.snapshot.range().map(|r| r.0)).unwrap_or(0),
            zone: self.zone.clone(),
        }
    }
}
