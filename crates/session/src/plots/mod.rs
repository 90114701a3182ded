//! What the views that draw over time ask: which analysis of which things, and its answer as plain data.
//!
//! ```text
//! Asked (entity, steps, what) + rows ──answer──> PlotData ──(ui::tables::plotted)──> a table and a picture of it
//!                                                        └──(figure)──> SVG and CSV
//! ```
//!
//! Nothing is computed here: things come from [`Things`](super::things::Things), numbers from `analysis`.

mod capacity;
mod curves;
mod default_entity;
mod marked_spans;
mod messages;
mod open_steps;
mod other_places;
mod scope;

use std::sync::Arc;

use widetui_analysis::Entity;
use widetui_analysis::account::{AccountContext, PhaseTotal, TimeReason, phase_totals};
use widetui_analysis::columns::EventProperty;
use widetui_analysis::latency::{Latency, latency};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_analysis::series::{Series, SeriesSpec, series};
use widetui_analysis::slowest::{MeasuredStep, SlowestInstances, slowest};
use widetui_analysis::spans::{Spans, spans};
use widetui_analysis::states::{ReporterChoice, States, states};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::timeline::{Colour, Grouping, Timeline, timeline};
use widetui_analysis::utilisation::{Throughput, throughput};
use widetui_core::cancel::Cancel;
use widetui_definition::key_type::KeyType;
use widetui_query::resolve_key;
use widetui_store::Snapshot;

use super::meaning::Meaning;
use super::rows::Rows;
use super::selection::{SelectionStep, Sense};

pub use curves::{CurvesAsked, curves};
pub use default_entity::{Picked, ids_step};
pub use marked_spans::{Mark, Marked, PairBy, SpanMarks};
pub use messages::Messages;
pub use open_steps::{Unended, unended};
pub use other_places::leave_out_elsewhere;
pub use scope::{apart, scope_of, window_of};

use default_entity::Aspect;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotOf {
    /// How many things are in which state, over time.
    States,
    /// Who did what when: things in rows by who carries them.
    Timeline(RowsBy, ColourBy),
    /// Which steps take how long; those of each value of a key by themselves.
    Latency(Option<String>),
    /// The things for which a step took longest.
    Slowest(MeasuredStep),
    /// What their time went to.
    Account,
    /// The things of which one of these took most: why the time passed, and to what it went, in words.
    Spent(TimeReason, String),
    /// How long the things take, by a key.
    Spans(Option<String>),
    /// How long it takes between marked records.
    Marked {
        /// The marks.
        marks: SpanMarks,
        /// Which end belongs to which start.
        pair: PairBy,
        /// By a key.
        by: Option<String>,
    },
    /// How many things finish over time, by a key.
    Throughput(Option<String>),
    /// A number over time, and what tells its lines apart.
    Series(String, LinesBy),
    /// Messages between actors.
    Flow(FlowBy),
}

impl PlotOf {
    /// Whether there is a picture of it beside its numbers.
    pub(crate) fn has_picture(&self) -> bool {
        match self {
            PlotOf::States
            | PlotOf::Timeline(..)
            | PlotOf::Latency(_)
            | PlotOf::Spans(_)
            | PlotOf::Marked { .. }
            | PlotOf::Throughput(_)
            | PlotOf::Series(..)
            | PlotOf::Flow(FlowBy::Each) => true,
            PlotOf::Slowest(_)
            | PlotOf::Account
            | PlotOf::Spent(..)
            | PlotOf::Flow(FlowBy::Kind) => false,
        }
    }
}

/// How messages are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowBy {
    /// One by one.
    Each,
    /// By kind: how many, and how long they took.
    Kind,
}

/// By what things are put into rows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum RowsBy {
    /// By what carries them, the innermost of which anything is known.
    #[default]
    Innermost,
    /// By an entity (dotted name) that carries them.
    Carrier(String),
    /// Each in a row of its own.
    Each,
}

/// What the colours of bars say.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ColourBy {
    /// What things are; their states where that is not known.
    #[default]
    Usual,
    /// Their states.
    State,
    /// The value of a key (or source, level, template).
    Key(String),
}

/// What tells the lines of a number apart.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum LinesBy {
    /// What its definition says.
    #[default]
    Usual,
    /// Nothing: all are one line.
    Nothing,
    /// The value of a key (or source, level, template).
    Key(String),
}

/// A question about the things of a kind.
#[derive(Clone, Debug)]
pub struct PlotQuestion {
    /// What the definitions say.
    pub meaning: Arc<Meaning>,
    /// The kind (dotted name); `None` for the one that fits best.
    pub entity: Option<String>,
    /// The steps that led to the rows.
    pub steps: Vec<SelectionStep>,
    /// What.
    pub of: PlotOf,
}

impl PartialEq for PlotQuestion {
    fn eq(&self, other: &PlotQuestion) -> bool {
        Arc::ptr_eq(&self.meaning, &other.meaning)
            && (&self.entity, &self.steps, &self.of) == (&other.entity, &other.steps, &other.of)
    }
}

impl Eq for PlotQuestion {}

/// An answer.
#[derive(Clone, Debug)]
pub enum PlotData {
    /// The run has nothing of the kind that is asked about.
    Nothing,
    /// States of things.
    States(Picked, States),
    /// Rows of bars.
    Timeline {
        /// The things.
        of: Picked,
        /// The rows.
        timeline: Timeline,
        /// What carries a row.
        carrier: Option<Arc<Entity>>,
        /// How many of them there are.
        capacity: Option<StepFunction>,
    },
    /// Steps.
    Latency {
        /// The things.
        of: Picked,
        /// How long the steps take.
        latency: Latency,
        /// What is stuck behind some of them.
        stuck: Vec<Unended>,
        /// The key by which they are told apart.
        by: Option<String>,
    },
    /// The slowest.
    Slowest(Picked, SlowestInstances),
    /// What their time went to.
    Account {
        /// The things.
        of: Picked,
        /// The sums.
        sums: Vec<PhaseTotal>,
        /// Of how many they are.
        things: usize,
    },
    /// One of these, with the things that have it; `None` when none has it any more.
    Spent(Picked, Option<PhaseTotal>),
    /// Durations.
    Spans {
        /// The things.
        of: Picked,
        /// How long each took.
        spans: Spans,
        /// The key by which they are told apart.
        by: Option<String>,
    },
    /// How many finished.
    Throughput {
        /// The things.
        of: Picked,
        /// When they finished.
        rates: Throughput,
        /// How many of those that are asked about did not.
        open: usize,
        /// The key by which they are told apart.
        by: Option<String>,
    },
    /// Durations between marks.
    Marked(Box<Marked>),
    /// A number over time.
    Series(Box<SeriesData>),
    /// Messages.
    Flow(Messages, FlowBy),
}

/// A number over time.
#[derive(Clone, Debug)]
pub struct SeriesData {
    /// What is known of the number.
    pub spec: SeriesSpec,
    /// Names of what tells its lines apart.
    pub by: Vec<String>,
    /// The lines, within the window.
    pub series: Series,
    /// Where the window ends, or the data, UTC ns.
    pub until: i64,
}

/// Answers. `None` when cancelled.
pub(crate) fn answer(
    snapshot: &Snapshot,
    rows: &Rows,
    asked: &PlotQuestion,
    cancel: &Cancel,
) -> Option<PlotData> {
    let scope = scope_of(snapshot, rows, &asked.steps, cancel)?;
    if let PlotOf::Series(key, by) = &asked.of {
        return numbers(snapshot, &asked.meaning, &scope, (key, by), cancel)
            .map(|data| PlotData::Series(Box::new(data)));
    }
    if let PlotOf::Flow(by) = asked.of {
        let messages = Messages::of(snapshot, &asked.meaning, &scope, cancel)?;
        return Some(PlotData::Flow(messages, by));
    }
    if let PlotOf::Marked { marks, pair, by } = &asked.of {
        let ends = RunEnds::for_all_runs(snapshot, &asked.meaning.entities, cancel)?;
        let by = (pair, by.as_deref());
        let found = marked_spans::marked(snapshot, &ends, &scope, marks, by, cancel)?;
        return Some(PlotData::Marked(Box::new(found)));
    }
    let wanted = match asked.of {
        PlotOf::Timeline(..) | PlotOf::Spans(_) => Aspect::Lengths,
        PlotOf::States => Aspect::States,
        _ => Aspect::Steps,
    };
    let things = &asked.meaning.things;
    let seen = things.seen(snapshot, cancel)?;
    let Some(found) = Picked::of(snapshot, (things, &seen), asked.entity.as_deref(), wanted) else {
        return Some(PlotData::Nothing);
    };
    Some(match &asked.of {
        PlotOf::States => {
            let states = states(
                snapshot,
                &found,
                &scope,
                &ReporterChoice::MostTrusted,
                cancel,
            )?;
            PlotData::States(found, states)
        }
        PlotOf::Timeline(by, colour) => bars(snapshot, found, asked, &scope, (by, colour), cancel)?,
        PlotOf::Latency(by) => {
            let key = by
                .as_deref()
                .and_then(|k| EventProperty::parse(snapshot, k));
            let split: Vec<EventProperty> = key.into_iter().collect();
            let latency = latency(snapshot, &found, &scope, &split, cancel)?;
            let by = by.clone().filter(|_| !split.is_empty());
            // Told apart by a key, steps are of some records only: behind which of them something is stuck is not said.
            let stuck = match by {
                Some(_) => Vec::new(),
                None => unended(snapshot, &asked.meaning, &found, &scope, cancel)?,
            };
            PlotData::Latency {
                of: found,
                latency,
                stuck,
                by,
            }
        }
        PlotOf::Slowest(step) => {
            let slowest = slowest(snapshot, &found, &scope, step, cancel)?;
            PlotData::Slowest(found, slowest)
        }
        PlotOf::Account | PlotOf::Spent(..) => {
            let entities = &asked.meaning.entities;
            let around = AccountContext::new(snapshot, &found, entities, cancel)?;
            let sums = phase_totals(snapshot, &found, &around, &scope, cancel)?;
            match &asked.of {
                PlotOf::Spent(why, what) => {
                    let is_meant =
                        |sum: &PhaseTotal| sum.reason == *why && sum.description == *what;
                    PlotData::Spent(found, sums.into_iter().find(is_meant))
                }
                _ => {
                    let told = scope
                        .contains_instances(&found)
                        .into_iter()
                        .filter(|is_in| *is_in);
                    let things = told.count();
                    PlotData::Account {
                        of: found,
                        sums,
                        things,
                    }
                }
            }
        }
        PlotOf::Spans(by) => {
            let key = by
                .as_deref()
                .and_then(|k| EventProperty::parse(snapshot, k));
            let spans = spans(snapshot, &found, &scope, key.as_ref(), cancel)?;
            PlotData::Spans {
                of: found,
                spans,
                by: by.clone().filter(|_| key.is_some()),
            }
        }
        PlotOf::Throughput(by) => {
            let key = by
                .as_deref()
                .and_then(|k| EventProperty::parse(snapshot, k));
            let rates = throughput(snapshot, &found, &scope, key.as_ref(), cancel)?;
            let told = scope
                .contains_instances(&found)
                .into_iter()
                .filter(|is_in| *is_in);
            PlotData::Throughput {
                open: told.count().saturating_sub(rates.times.len()),
                of: found,
                rates,
                by: by.clone().filter(|_| key.is_some()),
            }
        }
        PlotOf::Series(..) | PlotOf::Flow(_) | PlotOf::Marked { .. } => return None,
    })
}

fn numbers(
    snapshot: &Snapshot,
    meaning: &Meaning,
    scope: &AnalysisScope,
    (key, by): (&str, &LinesBy),
    cancel: &Cancel,
) -> Option<SeriesData> {
    let id = resolve_key(&snapshot.catalog.keys, key);
    let name = id.map_or(key, |id| snapshot.catalog.keys.name(id));
    let spec = SeriesSpec::for_key(meaning.series(), name);
    let by = match by {
        LinesBy::Usual => spec.split_properties(snapshot),
        LinesBy::Nothing => Vec::new(),
        LinesBy::Key(name) => EventProperty::parse(snapshot, name).into_iter().collect(),
    };
    let found = match id {
        Some(id) => series(snapshot, id, &by, scope.events.as_ref(), cancel)?,
        None => Series::default(),
    };
    let ends = RunEnds::for_all_runs(snapshot, &meaning.entities, cancel)?;
    let found = found.with_run_ends(snapshot, &ends);
    let TimeWindow { since, until } = scope.window;
    Some(SeriesData {
        series: found.clipped(since, until, spec.kind),
        by: by.iter().map(|b| b.name(snapshot).to_owned()).collect(),
        until: until.unwrap_or(ends.last()),
        spec,
    })
}

fn bars(
    snapshot: &Snapshot,
    found: Picked,
    asked: &PlotQuestion,
    scope: &AnalysisScope,
    (by, colour): (&RowsBy, &ColourBy),
    cancel: &Cancel,
) -> Option<PlotData> {
    let entities = &asked.meaning.entities;
    let is_labelled = is_told_by_labels(&found);
    let colour = match colour {
        ColourBy::Usual if is_labelled => Colour::Label,
        ColourBy::Usual | ColourBy::State => Colour::State,
        ColourBy::Key(name) => {
            EventProperty::parse(snapshot, name).map_or(Colour::Label, Colour::By)
        }
    };
    let rows = |by: &Grouping| timeline(snapshot, &found, scope, by, &colour, cancel);
    let carried: Option<(&Arc<Entity>, Timeline)> = match by {
        RowsBy::Each => None,
        RowsBy::Carrier(name) => {
            let carrier = entities.iter().find(|e| e.name == *name);
            let by = carrier.and_then(|c| Some((c, Grouping::by_entity(snapshot, c)?)));
            match by {
                Some((carrier, by)) => Some((carrier, rows(&by)?)),
                None => None,
            }
        }
        // Where it is not known for most of them what carried them, rows of those that do not say it show nothing.
        RowsBy::Innermost => match Grouping::innermost(snapshot, &found.entity, entities) {
            Some((carrier, by)) => Some((carrier, rows(&by)?)).filter(|c| is_mostly_known(&c.1)),
            None => None,
        },
    };
    Some(match carried {
        Some((carrier, mut timeline)) => {
            let kept = |step: &&SelectionStep| !matches!(step.thing, Some((_, Sense::Out)));
            let steps = asked.steps.iter().filter(kept);
            leave_out_elsewhere(&mut timeline, steps.map(|step| &step.expr));
            let seen = asked.meaning.things.seen(snapshot, cancel)?;
            let carriers = capacity::carriers(snapshot, carrier, entities, &seen);
            if let Some(carriers) = &carriers {
                timeline.set_lifetimes(snapshot, carriers, scope);
            }
            let capacity = carriers.and_then(|carriers| {
                let of = (&carriers, &entities[..]);
                capacity::capacity(snapshot, &found, of, &seen, scope, cancel)
            });
            PlotData::Timeline {
                capacity,
                of: found,
                timeline,
                carrier: Some(carrier.clone()),
            }
        }
        None => {
            let timeline = rows(&Grouping::default())?;
            PlotData::Timeline {
                of: found,
                timeline,
                carrier: None,
                capacity: None,
            }
        }
    })
}

/// Things of a kind up to which labels that are all different tell something.
const FEW: usize = 8;

/// Whether things have labels that some of them share: a colour for each of many things is none.
fn is_told_by_labels(found: &Picked) -> bool {
    let labels = || found.list.iter().filter_map(|i| i.label);
    let mut different: Vec<_> = labels().collect();
    let all = different.len();
    different.sort_unstable();
    different.dedup();
    all > 0 && (all <= FEW || different.len() * 2 <= all)
}

/// Whether it is known of half of the bars or more in which place they are.
fn is_mostly_known(timeline: &Timeline) -> bool {
    let all: usize = timeline.rows.iter().map(|r| r.bars.len()).sum();
    let unknown = timeline.rows.iter().filter(|r| r.name.is_empty());
    let unknown: usize = unknown.map(|r| r.bars.len()).sum();
    unknown * 2 <= all
}

/// Keys whose values are numbers and no names of things: what can be drawn.
pub fn measures(snapshot: &Snapshot) -> Vec<String> {
    let keys = snapshot.catalog.keys.iter();
    let is_number = |kind: KeyType| matches!(kind, KeyType::Int | KeyType::Float);
    keys.filter(|k| is_number(k.key.kind) && !k.key.identifier)
        .map(|k| k.key.name.to_string())
        .collect()
}
