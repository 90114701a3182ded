//! Parts of the model that belong to some views: joins, and the things that a run is about.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_join::{ExtractionPreview, Join, Report};
use widetui_query::Expr;
use widetui_session::comparison::Side;
use widetui_session::instance_table::{JoinFrom, JoinSwitch, JoinsTable};
use widetui_session::instances::{InstanceAt, Seen, StuckThings, Thing};
use widetui_session::problem_lines::ProblemSpot;
use widetui_session::selection::{JoinChoice, SelectionStep};
use widetui_store::derived::Derived;
use widetui_store::{EventRef, Snapshot};

use widetui_tables::join_draft::JoinDraft;
use widetui_tables::list::List;
use widetui_tables::row_search::RowSearch;
use widetui_tables::text::grouped;

/// Joins, and what they did. Which are on, and which the user built, is a part of the selection's history.
#[derive(Clone, Debug, Default)]
pub struct JoinState {
    /// What each did in the run as shown.
    pub reports: Arc<[Report]>,
    /// Those that would hold, and what each would do.
    pub suggested: Arc<[(Join, Report)]>,
    /// The snapshot that was searched for these.
    pub asked: Option<Arc<Snapshot>>,
    /// The one that is being built.
    pub draft: JoinDraft,
    /// What is being named.
    pub reading: Option<ReadingDraft>,
    /// The only joins that tables of facts may bring that are on at first, by name; `None`: all of them.
    pub only: Option<Vec<String>>,
    /// How far computing them is.
    pub widening: Widening,
    /// Names of those that were written to the user's definitions in this session.
    pub saved: Vec<String>,
    /// What they gave when they were computed last, to all records that were shown then.
    pub given: Option<Arc<Derived>>,
}

/// How far computing the joins of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Widening {
    /// What they give is known, as far as anything is.
    #[default]
    Settled,
    /// They are being computed.
    Running(Again),
    /// They were, and it took long: what comes next waits a while, so that following takes but a part of a processor.
    Resting(Again),
}

/// Whether joins must be computed once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Again {
    /// Not as far as is known.
    #[default]
    No,
    /// The run has grown.
    Grown,
    /// The user has changed them.
    Asked,
}

/// What of what is stuck has records that are selected.
#[derive(Clone, Debug, Default)]
pub struct ToldState {
    /// The selection that was asked about, of what.
    pub asked: Option<(Vec<SelectionStep>, Arc<StuckThings>)>,
    /// What was told of which selection.
    pub found: Option<(Vec<SelectionStep>, Arc<StuckThings>)>,
}

/// Where the problems of sources begin, as far as somebody looked.
#[derive(Clone, Debug, Default)]
pub struct ProblemState {
    /// By source and byte.
    pub spots: FxHashMap<(SourceId, u64), ProblemSpot>,
    /// What is being looked up.
    pub asked: Option<(SourceId, Vec<u64>)>,
}

/// A run that is marked for a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedRun {
    /// The name of its row.
    pub row: String,
    /// It, as one side of the comparison.
    pub side: Side,
}

/// What the run is about, and what of it is shown.
#[derive(Clone, Debug)]
pub struct ThingState {
    /// The things of a snapshot, as soon as they are known.
    pub seen: Option<(Arc<Snapshot>, Arc<Seen>)>,
    /// What of them is stuck.
    pub stuck: Option<Arc<StuckThings>>,
    /// What of that is selected.
    pub told: ToldState,
    /// The snapshot whose things are being looked for.
    pub asked: Option<Arc<Snapshot>>,
    /// At which time of the logs, UTC ns; `None`: at their end.
    pub asked_at: Option<i64>,
    /// Whether that is still going on.
    pub is_running: bool,
    /// The kind whose things are shown: dotted name.
    pub entity: Option<String>,
    /// The thing that is shown.
    pub trace: Option<Thing>,
    /// Whether two runs are to be compared as soon as it is known which there are.
    pub is_comparing: bool,
    /// Runs that are marked for a comparison, at most two; the latest last.
    pub marked: Vec<MarkedRun>,
    /// What is shown side by side.
    pub compared: Option<Box<[Side; 2]>>,
    /// The join whose conflicts are shown.
    pub conflicts_of: Option<String>,
    /// The cursor among what is stuck; the window is in lines.
    pub hung: List,
    /// What is searched for in its lines.
    pub search: RowSearch,
}

impl Default for ThingState {
    fn default() -> Self {
        ThingState {
            seen: None,
            stuck: None,
            told: ToldState::default(),
            asked: None,
            asked_at: None,
            is_running: false,
            entity: None,
            trace: None,
            is_comparing: false,
            marked: Vec::new(),
            compared: None,
            conflicts_of: None,
            hung: List { cursor: 0, top: 0 },
            search: RowSearch::default(),
        }
    }
}

impl ThingState {
    /// The things that an event is about; none before they are known.
    pub fn about(&self, event: &EventRef<'_>) -> Vec<(Arc<Seen>, InstanceAt)> {
        let Some((snapshot, seen)) = &self.seen else {
            return Vec::new();
        };
        // Numbers of events mean nothing in another snapshot.
        if !Arc::ptr_eq(&snapshot.segments, &event.snapshot.segments) {
            return Vec::new();
        }
        let mut found = seen.about(event);
        // What is looked for comes first, and of two things the one with fewer records.
        found.sort_by_key(|at| {
            seen.get(*at)
                .map(|(all, one)| (!all.entity.is_work_item(), all.event_count(one)))
        });
        found.into_iter().map(|at| (seen.clone(), at)).collect()
    }

    /// What is stuck of which these steps select a record, when that is known; without steps all of it.
    pub fn stuck_among(&self, steps: &[SelectionStep]) -> Option<&Arc<StuckThings>> {
        if steps.is_empty() {
            return self.stuck.as_ref();
        }
        let found = self.told.found.as_ref();
        found.filter(|(of, _)| of == steps).map(|(_, told)| told)
    }

    /// How many things are stuck, when that is known: those whose runs did not end without them, and which wait for
    /// nothing unfinished.
    pub fn stuck_roots(&self) -> Option<usize> {
        use widetui_diagnosis::unfinished::{UnfinishedItem, WaitState};
        let stuck = self.stuck.as_ref()?;
        // What finds no free worker waits as well.
        let is_root =
            |s: &&UnfinishedItem| s.standing != WaitState::Waiting && s.waits_for_room.is_none();
        Some(stuck.hung.hanging().filter(is_root).count())
    }
}

impl ThingState {
    /// How many things that somebody waits for ended without success, when that is known.
    pub fn failed(&self) -> Option<usize> {
        let stuck = self.stuck.as_ref()?;
        Some(stuck.hung.goals.iter().map(|g| g.failed).sum())
    }
}

impl JoinState {
    /// Whether they are being computed.
    pub fn is_running(&self) -> bool {
        matches!(self.widening, Widening::Running(_))
    }

    /// Whether the run has grown, and what follows from that waits.
    pub fn is_put_off(&self) -> bool {
        self.widening == Widening::Resting(Again::Grown)
    }

    /// Whether what is told of the things of a snapshot waits: records came to which they have given nothing yet, and without
    /// that these would be about things of their own, which nobody ever had.
    pub fn is_awaited(&self, snapshot: &Snapshot) -> bool {
        let are_given = |given: &Arc<Derived>| Arc::ptr_eq(given, &snapshot.derived);
        (self.is_running() || self.is_put_off()) && !self.given.as_ref().is_some_and(are_given)
    }

    /// All joins, for a table of them.
    pub fn table(
        &self,
        of_systems: &[Join],
        chosen: &JoinChoice,
        conflicts_of: Option<String>,
    ) -> JoinsTable {
        let switch = |from: JoinFrom| {
            move |join: &Join| {
                let is_on = from != JoinFrom::Suggested && !chosen.off.contains(&join.name);
                (join.clone(), JoinSwitch { is_on, from })
            }
        };
        let systems = of_systems.iter().map(switch(JoinFrom::System));
        let own = chosen.own.iter().map(switch(JoinFrom::Own));
        let is_known = |j: &&Join| chosen.own.iter().all(|own| own.name != j.name);
        let suggested = self.suggested.iter().map(|(join, _)| join);
        let suggested = suggested.filter(is_known).map(switch(JoinFrom::Suggested));
        // What a suggested one would do stands with what the others do.
        let would = self.suggested.iter().map(|(_, report)| report);
        let is_new = |r: &&Report| self.reports.iter().all(|known| known.join != r.join);
        let reports = self.reports.iter().chain(would.filter(is_new));
        JoinsTable {
            reports: reports.cloned().collect(),
            joins: own.chain(systems).chain(suggested).collect(),
            conflicts_of,
        }
    }
}

/// A second reading that is being written.
#[derive(Clone, Debug)]
pub struct ReadingDraft {
    /// What is read.
    pub subject: ReadingSubject,
    /// What it would do, as far as the line can be read.
    pub trial: Option<ExtractionPreview>,
}

/// What is read once more.
#[derive(Clone, Debug)]
pub enum ReadingSubject {
    /// The messages of a template.
    Template {
        /// Its text.
        text: String,
        /// The same as a pattern without names.
        pattern: String,
    },
    /// The values of a key.
    Key(String),
    /// Nothing: the events that fit (all when nothing is said) get a constant, or what others of their keys make.
    Selected(Option<Expr>),
}

impl ReadingSubject {
    /// What is to be written.
    pub fn asks(&self) -> &'static str {
        match self {
            ReadingSubject::Template { .. } => {
                "write a name between the braces of what you want to know: {mysim.job}, {mysim.seconds:float}"
            }
            ReadingSubject::Key(_) => {
                "write how its values are made: {mysim.job} renames it, {mysim.user}@{mysim.host} takes it apart"
            }
            ReadingSubject::Selected(_) => {
                "write a key and the value that these records get: mysim.phase = warmup, or of other keys: mysim.at = {host}:{pid}"
            }
        }
    }

    /// It, in a few words.
    pub fn told(&self) -> String {
        match self {
            ReadingSubject::Template { text, .. } => text.clone(),
            ReadingSubject::Key(key) => key.clone(),
            ReadingSubject::Selected(Some(expr)) => expr.to_string(),
            ReadingSubject::Selected(None) => "all".to_owned(),
        }
    }
}

impl ReadingDraft {
    /// What it would do, in a line; empty while that is not known.
    pub fn told(&self) -> String {
        let Some(trial) = &self.trial else {
            return String::new();
        };
        let mut parts = vec![match (trial.events, trial.candidates) {
            (0, _) => "no record fits".to_owned(),
            (n, of) if n == of => several(n, "record"),
            (n, of) => format!("{} of {}", grouped(n as u64), several(of, "record")),
        }];
        let of_key = |(key, values, examples): &(String, usize, Vec<String>)| {
            let more = if *values > examples.len() { " …" } else { "" };
            format!(
                "{key}: {}: {}{more}",
                several(*values, "value"),
                examples.join("  ")
            )
        };
        parts.extend(trial.keys.iter().map(of_key));
        parts.join(" · ")
    }
}
