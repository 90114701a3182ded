//! State of the views of joins, instances and source problems.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use widetui_analysis::entity::Id;

use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_join::{ExtractionPreview, Join, Report, TypedJoin};
use widetui_query::Expr;
use widetui_session::comparison::ComparedSide;
use widetui_session::instance_table::{JoinFrom, JoinSwitch, JoinsTable};
use widetui_session::instances::{InstancePosition, SnapshotInstances};
use widetui_session::problem_lines::ProblemSpot;
use widetui_session::selection::{JoinChoice, SelectionStep};
use widetui_session::unfinished_details::UnfinishedDetails;
use widetui_store::derived::Derived;
use widetui_store::{EventRef, Snapshot};

use widetui_tables::join_draft::{JoinDraft, effect};
use widetui_tables::list::List;
use widetui_tables::row_search::RowSearch;
use widetui_tables::text::grouped;

/// Joins and their effects. Which joins are enabled, and which ones the user built, is part of the
/// history of the selection.
#[derive(Clone, Debug, Default)]
pub struct JoinState {
    /// Report of each join over the current snapshot.
    pub reports: Arc<[Report]>,
    /// Suggested joins that hold in this run, each with a report of its effect.
    pub suggested: Arc<[(Join, Report)]>,
    /// Snapshot for which suggestions were requested.
    pub asked: Option<Arc<Snapshot>>,
    /// Join that the user is building.
    pub draft: JoinDraft,
    /// Additional extraction that the user is writing.
    pub reading: Option<ExtractionDraft>,
    /// Names of the joins of fact tables that are initially enabled; `None`: all of them.
    pub only: Option<Vec<String>>,
    /// State of the computation of derived values.
    pub(crate) widening: JoinComputation,
    /// Names of the joins that were written to the user's definitions in this session.
    pub(crate) saved: Vec<String>,
    /// Values derived by the last computation, for all records of its snapshot.
    pub(crate) given: Option<Arc<Derived>>,
}

/// State of the computation of the values that joins derive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum JoinComputation {
    /// Values are up to date.
    #[default]
    UpToDate,
    /// Computation is running.
    Running(RecomputeReason),
    /// The last computation was slow: the next one is delayed, so that following growing files does
    /// not occupy a processor.
    Delayed(RecomputeReason),
}

/// Whether the joins must be computed again, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum RecomputeReason {
    /// No reason to compute the joins again.
    #[default]
    No,
    /// The run has grown.
    Grown,
    /// The user changed the joins.
    Asked,
}

/// Unfinished work items that have selected records.
#[derive(Clone, Debug, Default)]
pub struct SelectedUnfinished {
    /// Request under way: steps of the selection, and the unfinished work to search.
    pub asked: Option<(Vec<SelectionStep>, Arc<UnfinishedDetails>)>,
    /// Last answer: steps of the selection, and the unfinished work with selected records.
    pub(crate) found: Option<(Vec<SelectionStep>, Arc<UnfinishedDetails>)>,
}

/// Locations of the first occurrence of each source problem.
#[derive(Clone, Debug, Default)]
pub struct ProblemState {
    /// Locations, by source and byte offset.
    pub(crate) spots: FxHashMap<(SourceId, u64), ProblemSpot>,
    /// Request under way: the source and its byte offsets.
    pub asked: Option<(SourceId, Vec<u64>)>,
}

/// Run marked for a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedRun {
    /// Name of the row of the run.
    pub row: String,
    /// The run as a side of the comparison.
    pub(crate) side: ComparedSide,
}

/// Instances of the run, and which of them the views show.
#[derive(Clone, Debug, Default)]
pub struct InstancesState {
    /// Snapshot and its instances; `None` until they are computed.
    pub seen: Option<(Arc<Snapshot>, Arc<SnapshotInstances>)>,
    /// Unfinished work of the run.
    pub stuck: Option<Arc<UnfinishedDetails>>,
    /// Unfinished work among the selected records.
    pub selected_unfinished: SelectedUnfinished,
    /// Snapshot whose instances were requested.
    pub asked: Option<Arc<Snapshot>>,
    /// Point in the time of the logs at which unfinished work is evaluated, UTC ns; `None`: the end
    /// of the logs.
    pub(crate) asked_at: Option<i64>,
    /// Whether the request is still running.
    pub is_running: bool,
    /// Whether to compare two runs as soon as the runs are known.
    pub(crate) is_comparing: bool,
    /// Runs marked for a comparison, at most two; the latest last.
    pub marked: Vec<MarkedRun>,
    /// Cursor among the unfinished work items; the window counts lines.
    pub hung: List,
    /// Cursor to restore when the unfinished work of a selection is known.
    pub(crate) returning: Option<List>,
    /// Text search in the lines of the view of unfinished work.
    pub(crate) search: RowSearch,
}

impl InstancesState {
    /// Instances that `event` refers to; empty until the instances are known.
    pub(crate) fn about(
        &self,
        event: &EventRef<'_>,
    ) -> Vec<(Arc<SnapshotInstances>, InstancePosition)> {
        let Some((snapshot, seen)) = &self.seen else {
            return Vec::new();
        };
        // Event numbers are valid within one snapshot only.
        if !Arc::ptr_eq(&snapshot.segments, &event.snapshot.segments) {
            return Vec::new();
        }
        let found = seen.about(event).into_iter();
        found.map(|at| (seen.clone(), at)).collect()
    }

    /// Unfinished work items with a record selected by `steps`, or all of them without steps;
    /// `None` until known.
    pub(crate) fn unfinished_among(
        &self,
        steps: &[SelectionStep],
    ) -> Option<&Arc<UnfinishedDetails>> {
        if steps.is_empty() {
            return self.stuck.as_ref();
        }
        let found = self.selected_unfinished.found.as_ref();
        found.filter(|(of, _)| of == steps).map(|(_, told)| told)
    }

    /// Numbers of unfinished work items that are not blocked by other unfinished work and whose runs
    /// did not end without them: stuck ones, and those that take as long as usual. `None` until known.
    pub fn unfinished_roots(&self) -> Option<(usize, usize)> {
        let hung = &self.stuck.as_ref()?.hung;
        let stuck = hung.unblocked().filter(|item| hung.is_stuck(item)).count();
        Some((stuck, hung.unblocked().count() - stuck))
    }

    /// Identifiers of the stuck work items that are not blocked by other unfinished work.
    pub fn stuck_ids(&self) -> Vec<&Id> {
        let hung = self.stuck.iter().map(|stuck| &stuck.hung);
        let items = hung.flat_map(|hung| hung.unblocked().filter(|item| hung.is_stuck(item)));
        items.map(|item| &item.id).collect()
    }
}

impl InstancesState {
    /// Numbers of work items that failed, and that are open again after they had ended; `None` until known.
    pub fn failed_and_again(&self) -> Option<(usize, usize)> {
        let goals = &self.stuck.as_ref()?.hung.goals;
        let failed = goals
            .iter()
            .map(|g| g.failed.saturating_sub(g.repeated))
            .sum();
        Some((failed, goals.iter().map(|g| g.again).sum()))
    }
}

impl JoinState {
    /// Whether the joins are being computed.
    pub fn is_running(&self) -> bool {
        matches!(self.widening, JoinComputation::Running(_))
    }

    /// Whether the run has grown and the computation of the joins is delayed.
    pub(crate) fn is_delayed(&self) -> bool {
        self.widening == JoinComputation::Delayed(RecomputeReason::Grown)
    }

    /// Whether the instances of `snapshot` must wait for the joins: without the derived values of
    /// new records, these records would appear to belong to instances of their own.
    pub(crate) fn awaits_joins(&self, snapshot: &Snapshot) -> bool {
        let are_given = |given: &Arc<Derived>| Arc::ptr_eq(given, &snapshot.derived);
        (self.is_running() || self.is_delayed()) && !self.given.as_ref().is_some_and(are_given)
    }

    /// Rows of all joins for the table of joins.
    pub(crate) fn table(
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
        // Reports of suggested joins are listed with those of enabled joins.
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

/// Draft of an additional extraction that the user is writing.
#[derive(Clone, Debug)]
pub struct ExtractionDraft {
    /// Input of the extraction.
    pub subject: ExtractionSource,
    /// Preview of the effect; `None` while the line cannot be parsed.
    pub trial: Option<ExtractionPreview>,
    /// Preview of a typed join; the inner `None` means that it applies to no record.
    pub widened: Option<Option<Report>>,
}

/// Input of an additional extraction.
#[derive(Clone, Debug)]
pub enum ExtractionSource {
    /// Messages of a template.
    Template {
        /// Text of the template.
        text: String,
        /// Pattern of the template without names of captures.
        pattern: String,
    },
    /// Values of the named key.
    Key(String),
    /// No text: the events that match the expression (all events for `None`) get a constant or a
    /// value computed from their other keys.
    Selected(Option<Expr>),
    /// Line of a typed join.
    Typed(TypedJoin),
}

impl ExtractionSource {
    /// Prompt: what the user has to write.
    pub fn prompt(&self) -> &'static str {
        match self {
            ExtractionSource::Template { .. } => {
                "write a name between the braces of what you want to know: {mysim.job}, {mysim.seconds:float}"
            }
            ExtractionSource::Key(_) => {
                "write how its values are made: {mysim.job} renames it, {mysim.user}@{mysim.host} takes it apart"
            }
            ExtractionSource::Selected(_) => {
                "write a key and the value that these records get: mysim.phase = warmup, or of other keys: mysim.at = {host}:{pid}"
            }
            ExtractionSource::Typed(kind) => kind.form(),
        }
    }

    /// Short description of the input.
    pub fn describe(&self) -> String {
        match self {
            ExtractionSource::Template { text, .. } => text.clone(),
            ExtractionSource::Key(key) => key.clone(),
            ExtractionSource::Selected(Some(expr)) => expr.to_string(),
            ExtractionSource::Selected(None) => "all".to_owned(),
            ExtractionSource::Typed(kind) => kind.name().to_owned(),
        }
    }
}

impl ExtractionDraft {
    /// One-line summary of the preview; empty without a preview.
    pub fn summary(&self) -> String {
        let Some(trial) = &self.trial else {
            return self
                .widened
                .as_ref()
                .map_or(String::new(), |report| effect(report.as_ref()));
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
