//! The state of the interface: everything that a frame is drawn from. Only `update` changes it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::ids::{EventId, SourceId};
use crate::base::zone::Zone;
use crate::query::{KeyStat, Matcher, TimeContext};
use crate::store::{EventRef, Snapshot, Source};
use crate::workspace::ask::Rows;
use crate::workspace::fetch::{Place, Record};
use crate::workspace::jobs::SLOTS;
use crate::workspace::meaning::Meaning;
use crate::workspace::near::Direction;
use crate::workspace::present;
use crate::workspace::selection::SelectionStack;
use crate::workspace::strip::Strip;

use super::capability::Drawing;
use super::eventlist::EventList;
use super::findings::FindingState;
use super::following::{Follow, Following};
use super::kept::{Kept, Wardrobe};
use super::keymap::{Keymap, Scope};
use super::keys::Key;
use super::layout::Split;
use super::plots::state::PlotState;
use super::popups::Popup;
pub use super::states::{JoinState, ThingState};
use super::table::{Goal, TableState};
use super::theme::Theme;

pub use super::shown::{Came, Frequency, Pane, TimeDisplay, View};

/// What the cursor keeps to while better snapshots come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The first row: nobody has moved yet.
    First,
    /// The last row: the run is alive and nobody has moved yet.
    Last,
    /// The record under it.
    Record,
}

/// A list with a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// Row under the cursor.
    pub cursor: usize,
    /// First row on screen.
    pub top: usize,
}

impl List {
    /// Moves the window so that the cursor is in it, with some rows around it.
    pub fn reveal(&mut self, height: usize, len: usize) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
        let margin = (height / 5).min(3);
        let lowest = (self.cursor + margin + 1).saturating_sub(height);
        let highest = self.cursor.saturating_sub(margin);
        self.top = self.top.clamp(lowest.min(highest), highest);
        self.top = self.top.min(len.saturating_sub(height));
        // A window of one or two rows has no room for a margin.
        if height > 0 && self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }
}

/// How far the loader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Reading.
    Running {
        /// Bytes read.
        done: u64,
        /// Bytes to read.
        total: u64,
        /// Files found.
        files: usize,
        /// What it is doing.
        phase: &'static str,
    },
    /// Everything was read.
    Done,
    /// Nothing could be read.
    Failed(String),
}

/// A line of the program to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub is_alert: bool,
}

/// A search and its hits.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// What was searched; empty for nothing.
    pub line: String,
    /// Finds it in texts.
    pub matcher: Option<Matcher>,
    /// Rows hit, ascending; `None` until some are known.
    pub hits: Option<Arc<[u32]>>,
    /// Whether these are all of them.
    pub is_whole: bool,
    /// Where to go when they are known.
    pub waiting: Option<Direction>,
}

/// Texts read again, by where their records stand.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    map: FxHashMap<Place, Arc<Record>>,
}

/// Records kept; a screen shows at most a few hundred.
const MAX_TEXTS: usize = 4096;

impl Texts {
    /// A record, when it was read.
    pub fn get(&self, place: Place) -> Option<&Arc<Record>> {
        self.map.get(&place)
    }

    /// Forgets records whose text is not what it was.
    pub fn forget(&mut self, places: &[Place]) {
        for place in places {
            self.map.remove(place);
        }
    }

    /// Adds what was read.
    pub fn add(&mut self, fetched: Vec<(Place, Arc<Record>)>) {
        if self.map.len() > MAX_TEXTS {
            self.map.clear();
        }
        self.map.extend(fetched);
    }
}

/// All that a frame is drawn from, and all that an action can change.
#[derive(Clone, Debug)]
pub struct Model {
    /// What was opened, as the trail names it.
    pub title: String,
    /// Zone of the times shown.
    pub zone: Zone,
    /// Keys.
    pub keymap: Arc<Keymap>,
    /// Looks.
    pub theme: Arc<Theme>,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// With what pictures are drawn, where there is more than ASCII.
    pub plots_with: Drawing,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The run as known so far.
    pub snapshot: Arc<Snapshot>,
    /// A newer one, shown as soon as its selection is known.
    pub newer: Option<Arc<Snapshot>>,
    /// How far the loader is.
    pub loading: Loading,
    /// Whether growing files are followed, and what came meanwhile.
    pub follow: Follow,
    /// What the clock said last, UTC ns; it is looked at while it matters.
    pub clock: Option<i64>,
    /// The view.
    pub view: View,
    /// The pane that has the keys.
    pub pane: Pane,
    /// Where one came from by looking closer, until one goes somewhere else.
    pub came: Option<Came>,
    /// Steps of the selection.
    pub selection: SelectionStack,
    /// Records left after each step, as far as known.
    pub counts: Vec<usize>,
    /// The rows that the list shows.
    pub rows: Rows,
    /// The list of events.
    pub list: List,
    /// What its cursor keeps to.
    pub anchor: Anchor,
    /// What else the view of the events keeps.
    pub events: EventList,
    /// Columns of the messages scrolled out to the left.
    pub left: usize,
    /// Whether the record pane is shown.
    pub record_shown: bool,
    /// First line of the record pane.
    pub record_top: usize,
    /// Whether long lines of a record are wrapped.
    pub wrap: bool,
    /// The views that are tables.
    pub tables: FxHashMap<View, TableState>,
    /// Counts the changes of what is selected: a table of an older state is computed anew when it is shown.
    pub epoch: u64,
    /// What the views that draw over time keep.
    pub plots: PlotState,
    /// The key whose values are shown.
    pub frequency: Option<Frequency>,
    /// Shifts of the times of sources that the user asked for, ns.
    pub shifts: Vec<(SourceId, i64)>,
    /// How times are shown.
    pub time: TimeDisplay,
    /// How the selected records lie over time.
    pub strip: Option<Strip>,
    /// The search.
    pub search: Search,
    /// Marked records.
    pub marks: Vec<Place>,
    /// Texts read again.
    pub texts: Texts,
    /// Number of each kind of source, in the order in which they were met, for colours.
    pub kinds: FxHashMap<String, usize>,
    /// What each source is called on screen.
    pub names: Vec<String>,
    /// Columns that these names want.
    pub tag_width: u16,
    /// Digits of a second that the stamps of the run have, at most 6.
    pub digits: usize,
    /// What is open above the view.
    pub popup: Option<Popup>,
    /// Keys of a sequence pressed so far.
    pub pending: Vec<Key>,
    /// What the program says.
    pub message: Option<Message>,
    /// Generation of the last question of each kind.
    pub generations: [u64; SLOTS],
    /// The keys of the snapshot in numbers, once somebody writes a filter.
    pub key_stats: Option<Arc<[KeyStat]>>,
    /// Lines written before, the latest last: filters and searches.
    pub history: Vec<String>,
    /// What the definitions in force say about the meaning of records.
    pub meaning: Arc<Meaning>,
    /// Joins, and what they did.
    pub joins: JoinState,
    /// What the run is about, and what of it is shown.
    pub things: ThingState,
    /// What is wrong.
    pub findings: FindingState,
    /// What the user keeps.
    pub kept: Kept,
    /// Where the record stands, and how large it is.
    pub split: Split,
    /// Themes and keymaps to choose from.
    pub wardrobe: Arc<Wardrobe>,
}

impl Model {
    /// Nothing loaded yet.
    pub fn new(title: impl Into<String>, keymap: Keymap, theme: Theme) -> Model {
        Model {
            title: title.into(),
            zone: Zone::Utc,
            keymap: Arc::new(keymap),
            theme: Arc::new(theme),
            ascii: false,
            plots_with: Drawing::default(),
            size: (80, 24),
            snapshot: Arc::default(),
            newer: None,
            loading: Loading::Running {
                done: 0,
                total: 0,
                files: 0,
                phase: "looking for logs",
            },
            follow: Follow::default(),
            clock: None,
            view: View::default(),
            pane: Pane::default(),
            came: None,
            selection: SelectionStack::default(),
            counts: Vec::new(),
            rows: Rows::All,
            list: List { cursor: 0, top: 0 },
            anchor: Anchor::First,
            events: EventList::default(),
            left: 0,
            record_shown: true,
            record_top: 0,
            wrap: true,
            tables: FxHashMap::default(),
            epoch: 1,
            plots: PlotState::default(),
            frequency: None,
            shifts: Vec::new(),
            time: TimeDisplay::default(),
            strip: None,
            search: Search::default(),
            marks: Vec::new(),
            texts: Texts::default(),
            kinds: FxHashMap::default(),
            names: Vec::new(),
            tag_width: 4,
            digits: 0,
            popup: None,
            pending: Vec::new(),
            message: None,
            generations: [0; SLOTS],
            key_stats: None,
            history: Vec::new(),
            meaning: Arc::default(),
            joins: JoinState::default(),
            things: ThingState::default(),
            findings: FindingState::default(),
            kept: Kept::default(),
            split: Split::default(),
            wardrobe: Arc::default(),
        }
    }

    /// The latest snapshot, perhaps not yet shown.
    pub fn newest(&self) -> &Arc<Snapshot> {
        let waiting = self.follow.waiting.as_ref();
        waiting.or(self.newer.as_ref()).unwrap_or(&self.snapshot)
    }

    /// Number of rows of the list.
    pub fn len(&self) -> usize {
        self.rows.len(&self.snapshot)
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event of a row.
    pub fn event(&self, row: usize) -> Option<EventRef<'_>> {
        self.snapshot.event(self.rows.get(&self.snapshot, row)?)
    }

    /// The event under the cursor.
    pub fn current(&self) -> Option<EventRef<'_>> {
        self.event(self.list.cursor)
    }

    /// The text of an event, when it was read.
    pub fn text(&self, event: &EventRef<'_>) -> Option<&Arc<Record>> {
        self.texts.get(Place::of(event))
    }

    /// The present in the time of the logs, UTC ns, while files are followed.
    pub fn now(&self) -> Option<i64> {
        let clock = self.clock.filter(|_| self.follow.state != Following::Off);
        present::in_logs(&self.snapshot, clock?)
    }

    /// With what pictures are drawn.
    pub fn drawing(&self) -> Drawing {
        match self.ascii {
            true => Drawing::Ascii,
            false => self.plots_with,
        }
    }

    /// The table that is shown, when the view is one.
    pub fn table(&self) -> Option<&TableState> {
        self.tables.get(&self.view)
    }

    /// The source under the cursor of the table of sources.
    pub fn current_source(&self) -> Option<&Source> {
        match self.tables.get(&View::Sources)?.current()?.goal {
            Goal::Source(id) => self.snapshot.source(id),
            _ => None,
        }
    }

    /// Where keys are looked up, the innermost first.
    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes = match (&self.popup, self.view, self.pane) {
            (Some(popup), ..) => vec![popup.scope()],
            (None, _, Pane::Trail) => vec![Scope::Trail],
            (None, View::Events, Pane::List) => vec![Scope::Events],
            (None, View::Events, Pane::Record) => vec![Scope::Record],
            (None, View::Timeline, _) => vec![Scope::Timeline, Scope::Plot, Scope::Table],
            (None, view, _) if view.is_plotted() => vec![Scope::Plot, Scope::Table],
            (None, View::Sources, _) => vec![Scope::Sources, Scope::Table],
            (None, View::Hung, _) => vec![Scope::Hung],
            (None, View::Diagnose, _) => vec![Scope::Diagnose],
            (None, View::Instances, _) => vec![Scope::Things, Scope::Table],
            (None, View::NewJoin, _) => vec![Scope::NewJoin, Scope::Table],
            (None, view, _) if view.is_flow() => vec![Scope::Flow, Scope::Table],
            (None, View::Runs, _) => vec![Scope::Runs, Scope::Table],
            (None, View::Joins, _) => vec![Scope::Joins, Scope::Table],
            (None, _, _) => vec![Scope::Table],
        };
        scopes.push(Scope::Global);
        scopes
    }

    /// Events near the screen whose text was not read yet, the one under the cursor first.
    pub fn missing(&self) -> Vec<EventId> {
        let height = usize::from(self.size.1);
        let from = self.list.top.saturating_sub(height / 2);
        let to = (self.list.top + height + height / 2).min(self.len());
        let shown = self.list.top..(self.list.top + height).min(self.len());
        let order = std::iter::once(self.list.cursor)
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
    pub fn time_context(&self) -> TimeContext {
        let day = self.current().and_then(|e| e.time());
        TimeContext {
            base_date_ns: day.or(self.snapshot.range().map(|r| r.0)).unwrap_or(0),
            zone: self.zone.clone(),
        }
    }

    /// What a source is called on screen.
    pub fn name_of<'a>(&'a self, source: &'a Source) -> &'a str {
        self.names
            .get(source.id.index())
            .map_or(source.tag.as_str(), String::as_str)
    }

    /// Columns that the names of sources get in a pane of some columns: the message needs most of them.
    pub fn tag_columns(&self, pane: u16) -> u16 {
        let most = match pane {
            ..36 => 0,
            36..60 => 6,
            60..90 => 10,
            90..150 => 15,
            _ => 24,
        };
        self.tag_width.min(most)
    }

    /// The number of a source's kind, for its colour.
    pub fn kind_of(&self, source: &Source) -> usize {
        self.kinds.get(kind_name(source)).copied().unwrap_or(0)
    }
}

/// What sources of one colour have in common: the kind, else the last part of the tag without digits.
pub fn kind_name(source: &Source) -> &str {
    if source.kind.is_empty() {
        source
            .tag
            .split(|c: char| c.is_ascii_digit() || matches!(c, '/' | '-' | '_' | '.'))
            .next()
            .unwrap_or_default()
    } else {
        &source.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cursor_is_always_in_the_window(cursor in 0usize..500, top in 0usize..500, height in 1usize..60, len in 1usize..500) {
            let mut list = List { cursor, top };
            list.reveal(height, len);
            prop_assert!(list.cursor < len);
            prop_assert!(list.top <= list.cursor && list.cursor < list.top + height);
            prop_assert!(list.top + height <= len.max(height));
            let again = { let mut l = list; l.reveal(height, len); l };
            prop_assert_eq!(again, list);
        }
    }
}
