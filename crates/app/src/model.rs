//! State of the explorer: everything that a frame is drawn from. `update::Explorer` owns and changes it.

pub(crate) mod navigation_history;
pub mod screen_split;
pub mod view;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::direction::Direction;
use widetui_core::ids::{EventId, SourceId};
use widetui_ingest::clocks::ClockOffset;
use widetui_query::{Expr, Field, KeyStat, Matcher, TimeContext};
use widetui_session::instances::InstanceHandle;
use widetui_session::jobs::Generations;
use widetui_session::liveness::Liveness;
use widetui_session::meaning::Meaning;
use widetui_session::overview::OverviewHistogram;
use widetui_session::record_texts::{Place, Record};
use widetui_session::rows::{NumberKey, Rows};
use widetui_session::selection::SelectionStack;
use widetui_store::{EventRef, Snapshot, Source};
use widetui_time::zone::Zone;

use super::command::Command;
use super::event_list::EventList;
use super::findings::FindingState;
use super::focus::{Focus, commands};
use super::follow_mode::Following;
use super::input_history::InputHistory;
use super::keymap::{KeyScope, Keymap};
use super::keys::Key;
use super::loading::LoadingState;
use super::message_log::{MessageLog, Notice};
use super::popups::{Popup, PopupKind};
use super::record_pane::RecordPane;
use super::screen::Screen;
use super::source_names::SourceNames;
use super::text_cache::TextCache;
use super::user_data::{Choices, UserData};
pub use super::view_state::{InstancesState, JoinState, ProblemState};
use crate::repetition::Repetition;
use widetui_tables::plots::settings::PlotSettings;
use widetui_tables::row_search::RowSearch;
use widetui_tables::table::{RowAction, TableState};

pub use navigation_history::NavigationEntry;
use screen_split::ScreenSplit;
use view::{Body, Detail};
pub use view::{Pane, TimeDisplay, View, ViewSubject};

/// Keys and hints of the breadcrumb.
const BREADCRUMB: Focus = Focus {
    keys: &[KeyScope::Breadcrumb],
    hints: commands! { Left Right RemoveStep Open Undo Back },
    labels: &[(Command::Open, "edit"), (Command::Back, "back")],
};

/// Keys and hints of the record pane.
const RECORD: Focus = Focus {
    keys: &[KeyScope::Record],
    hints: commands! { Back Down Pivot PivotOut Highlight Wrap Copy Palette Help },
    labels: &[(Command::Back, "back"), (Command::Down, "keys")],
};

/// Text search and its hits.
#[derive(Clone, Debug, Default)]
pub struct TextSearch {
    /// Searched text or pattern; empty without a search.
    pub line: String,
    /// Expression that matches the hits.
    pub(crate) expr: Expr,
    /// Matcher that finds the text in a record.
    pub matcher: Option<Matcher>,
    /// Rows of the hits, ascending; `None` until some are known.
    pub hits: Option<Arc<[u32]>>,
    /// Whether all hits are known.
    pub(crate) is_whole: bool,
    /// Direction in which to go once hits are known.
    pub(crate) waiting: Option<Direction>,
}

/// State of the explorer: everything that a frame is drawn from and that a command can change.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the opened logs in the breadcrumb.
    pub title: String,
    /// Display time zone.
    pub zone: Zone,
    /// Initial display time zone, once another one was chosen.
    pub first_zone: Option<Zone>,
    /// Size of the terminal, and drawing options.
    pub screen: Screen,
    /// Keymap.
    pub keymap: Arc<Keymap>,
    /// Snapshot on the screen.
    pub snapshot: Arc<Snapshot>,
    /// Progress of loading, follow mode, and snapshots that are not on the screen yet.
    pub load_state: LoadingState,
    /// View that has the keyboard focus.
    pub view: View,
    /// Pane that has the keyboard focus.
    pub pane: Pane,
    /// Split of the screen with a second view.
    pub split: Option<ScreenSplit>,
    /// View before the current one.
    pub(crate) before: Option<View>,
    /// Stack of places that led to the current one; empty at the root.
    pub navigation: Vec<NavigationEntry>,
    /// True while a command steps back: the place that it leaves is not remembered.
    pub(crate) stepped_back: bool,
    /// True after a step back: a key that leaves the program at the root asks first.
    pub(crate) was_back: bool,
    /// Selection with its undo history.
    pub selection: SelectionStack,
    /// Number of records after each step of the selection, as far as known.
    pub counts: Vec<usize>,
    /// Rows of the list of records.
    pub rows: Rows,
    /// State of the list of records besides its rows.
    pub events: EventList,
    /// Tables, by view.
    pub tables: FxHashMap<View, TableState>,
    /// Number of changes of the selected records; a table of an older epoch is computed again when it is shown.
    pub epoch: u64,
    /// Settings of plots, and the curves below the overview.
    pub plots: PlotSettings,
    /// Subjects of views that the user chose in other views.
    pub(crate) subjects: FxHashMap<View, ViewSubject>,
    /// Time shifts of sources by the user, ns.
    pub shifts: Vec<(SourceId, i64)>,
    /// Format of times.
    pub time: TimeDisplay,
    /// Histogram of the selected records over time.
    pub overview: Option<OverviewHistogram>,
    /// Text search.
    pub search: TextSearch,
    /// Marked records.
    pub marks: Vec<Place>,
    /// Cache of record texts.
    pub texts: TextCache,
    /// Offsets of sources that lie whole hours beside the others, since they do not state their zone.
    pub clocks: Vec<ClockOffset>,
    /// Names and colours of sources.
    pub source_names: SourceNames,
    /// State of the record pane.
    pub record: RecordPane,
    /// Popup above the view.
    pub popup: Option<Popup>,
    /// Keys of an incomplete sequence.
    pub pending: Vec<Key>,
    /// Count that is being typed, and the last command that can be repeated.
    pub repetition: Repetition,
    /// Notification on the screen.
    pub message: Option<Notice>,
    /// Message log.
    pub message_log: MessageLog,
    /// Generation of the last question of each kind.
    pub(crate) generations: Generations,
    /// Statistics of the keys of the snapshot; `None` until a filter is typed.
    pub(crate) key_stats: Option<Arc<[KeyStat]>>,
    /// Numeric keys of the snapshot; `None` until one is chosen.
    pub(crate) number_keys: Option<Arc<[NumberKey]>>,
    /// Lines that were accepted in prompts.
    pub history: InputHistory,
    /// Text deleted last from a line of input, which `yank` inserts.
    pub(crate) deleted_text: String,
    /// Entities, joins, series and flows of the definitions in force.
    pub meaning: Arc<Meaning>,
    /// Joins and their effects.
    pub joins: JoinState,
    /// Instances of the run, and which of them the views show.
    pub instances: InstancesState,
    /// Locations of the problems of sources.
    pub problems: ProblemState,
    /// Findings of the diagnosis.
    pub findings: FindingState,
    /// Notes, the offered workspace, and other data of the user.
    pub user_data: UserData,
    /// Themes and keymaps of the user.
    pub choices: Arc<Choices>,
}

impl Model {
    /// Model before loading.
    pub fn new(title: impl Into<String>, keymap: Keymap, theme: &str) -> Model {
        Model {
            title: title.into(),
            zone: Zone::Utc,
            first_zone: None,
            screen: Screen::new(theme),
            keymap: Arc::new(keymap),
            snapshot: Arc::default(),
            load_state: LoadingState::default(),
            view: View::EVENTS,
            pane: Pane::default(),
            split: None,
            before: None,
            navigation: Vec::new(),
            stepped_back: false,
            was_back: false,
            selection: SelectionStack::default(),
            counts: Vec::new(),
            rows: Rows::All,
            events: EventList::default(),
            tables: FxHashMap::default(),
            epoch: 1,
            plots: PlotSettings::default(),
            subjects: FxHashMap::default(),
            shifts: Vec::new(),
            time: TimeDisplay::default(),
            overview: None,
            search: TextSearch::default(),
            marks: Vec::new(),
            texts: TextCache::default(),
            clocks: Vec::new(),
            source_names: SourceNames::default(),
            record: RecordPane::default(),
            popup: None,
            pending: Vec::new(),
            repetition: Repetition::default(),
            message: None,
            message_log: MessageLog::default(),
            generations: Generations::default(),
            key_stats: None,
            number_keys: None,
            history: InputHistory::default(),
            deleted_text: String::new(),
            meaning: Arc::default(),
            joins: JoinState::default(),
            instances: InstancesState::default(),
            problems: ProblemState::default(),
            findings: FindingState::default(),
            user_data: UserData::default(),
            choices: Arc::default(),
        }
    }

    /// Latest snapshot, which may not be on the screen yet.
    pub(crate) fn newest(&self) -> &Arc<Snapshot> {
        let waiting = self.load_state.follow.waiting.as_ref();
        waiting
            .or(self.load_state.newer.as_ref())
            .unwrap_or(&self.snapshot)
    }

    /// True if the records or their derived values are about to change.
    pub(crate) fn is_unsettled(&self) -> bool {
        let is_replaced = self.load_state.newer.is_some();
        !self.snapshot.complete || is_replaced || self.joins.is_running()
    }

    /// Number of rows of the list of records.
    pub fn len(&self) -> usize {
        self.rows.len(&self.snapshot)
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the newest record: records of sources without times follow it.
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

    /// Whether the cursor of the list is on the newest record, or the list is empty.
    pub(crate) fn is_at_newest(&self) -> bool {
        self.events.list.cursor == self.last_row() || self.is_empty()
    }

    /// End of the visible rows in follow mode: the row after the newest record, since records without a
    /// time follow it and do not grow. `None` unless the cursor follows.
    pub(crate) fn followed_end(&self) -> Option<usize> {
        let follows = self.load_state.follow.state == Following::On && self.is_at_newest();
        (follows && !self.is_empty()).then(|| self.last_row() + 1)
    }

    /// Record of a row.
    pub fn event(&self, row: usize) -> Option<EventRef<'_>> {
        self.snapshot.event(self.rows.get(&self.snapshot, row)?)
    }

    /// Record under the cursor.
    pub fn current(&self) -> Option<EventRef<'_>> {
        self.event(self.events.list.cursor)
    }

    /// Text of a record; `None` until it is read.
    pub fn text(&self, event: &EventRef<'_>) -> Option<&Arc<Record>> {
        self.texts.get(Place::from_event(event))
    }

    /// Whether the run was live when its liveness was judged last.
    pub fn is_live(&self) -> bool {
        self.load_state.liveness.is_some_and(Liveness::is_live)
    }

    /// Current time in the time of the logs, UTC ns; `None` unless the run is live.
    pub fn now(&self) -> Option<i64> {
        self.load_state.liveness.and_then(Liveness::now)
    }

    /// Table of the view; `None` if the view is none.
    pub fn table(&self) -> Option<&TableState> {
        self.tables.get(&self.view)
    }

    /// Search in the rows of the view; `None` if the rows are records.
    pub fn row_search(&self) -> Option<&RowSearch> {
        match self.view.body {
            Body::Records => None,
            Body::Page(page) => Some((page.search)(self)),
            Body::Table(_) => self.table().map(|t| &t.search),
        }
    }

    /// Source under the cursor of the table of sources.
    pub fn current_source(&self) -> Option<&Source> {
        match self.tables.get(&View::SOURCES)?.current()?.action {
            RowAction::Source(id) => self.snapshot.source(id),
            _ => None,
        }
    }

    /// Key whose values are counted.
    pub fn frequency(&self) -> Option<&Field> {
        match self.subjects.get(&View::VALUES)? {
            ViewSubject::Key(field) => Some(field),
            _ => None,
        }
    }

    /// Dotted name of the entity whose instances are listed.
    pub fn listed_entity(&self) -> Option<&str> {
        match self.subjects.get(&View::INSTANCES)? {
            ViewSubject::Entity(entity) => Some(entity),
            _ => None,
        }
    }

    /// Instance whose trace is shown.
    pub fn traced(&self) -> Option<&InstanceHandle> {
        match self.subjects.get(&View::TRACE)? {
            ViewSubject::Instance(instance) => Some(instance),
            _ => None,
        }
    }

    /// Open popup of a kind.
    pub fn popup_of<P: PopupKind>(&self) -> Option<&P> {
        P::of(self.popup.as_ref()?)
    }

    /// Open popup of a kind, to change it.
    pub(crate) fn popup_of_mut<P: PopupKind>(&mut self) -> Option<&mut P> {
        P::of_mut(self.popup.as_mut()?)
    }

    /// Keys that run a command here, or its name if none do.
    pub fn key_of(&self, command: Command) -> String {
        let keys = self.keymap.keys_of(&self.scopes(), command);
        keys.unwrap_or_else(|| command.info().name.to_owned())
    }

    /// Keys and hints of what has the keyboard focus.
    pub fn focus(&self) -> Focus {
        match (&self.popup, self.pane) {
            (Some(popup), _) => popup.focus(),
            (None, Pane::Breadcrumb) => BREADCRUMB,
            (None, Pane::Record) if self.view.detail == Detail::Record => RECORD,
            (None, Pane::List | Pane::Record) => self.view.focus,
        }
    }

    /// Scopes in which keys are looked up, the innermost first.
    pub fn scopes(&self) -> Vec<KeyScope> {
        [self.focus().keys, &[KeyScope::Global]].concat()
    }

    /// Records near the screen whose text is not read yet, the one under the cursor first.
    pub fn missing(&self) -> Vec<EventId> {
        let height = usize::from(self.screen.size.1);
        let from = self.events.list.top.saturating_sub(height / 2);
        let to = (self.events.list.top + height + height / 2).min(self.len());
        let shown = self.events.list.top..(self.events.list.top + height).min(self.len());
        let order = std::iter::once(self.events.list.cursor)
            .chain(shown)
            .chain(from..to);
        let mut out: Vec<EventId> = Vec::new();
        let of_story = self.story().map_or(Vec::new(), |story| story.records);
        let of_story = of_story.iter().filter_map(|event| {
            let place = Place::from_event(event);
            let id = self.snapshot.event_at(place.source, place.offset)?;
            self.snapshot.event(id)
        });
        for event in order.filter_map(|row| self.event(row)).chain(of_story) {
            if self.text(&event).is_none() && !out.contains(&event.id) {
                out.push(event.id);
            }
        }
        out
    }

    /// Context of times in expressions: a time without a date is on the day of the record under the cursor.
    pub(crate) fn time_context(&self) -> TimeContext {
        let day = self.current().and_then(|e| e.time());
        TimeContext {
            base_date_ns: day.or(self.snapshot.range().map(|r| r.0)).unwrap_or(0),
            zone: self.zone.clone(),
        }
    }
}
