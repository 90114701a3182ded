//! Small curve of the overview, and its subject.

use std::sync::Arc;

use widetui_core::words::last_part;

use crate::entity::Entity;
use crate::flow::FlowSpec;
use crate::series::{BinAggregate, SeriesKind, bins, value_at};

/// Suffix of a flow's name for messages in transit.
const UNDERWAY_SUFFIX: &str = "underway";
/// Word for instances that began and have not ended.
pub(super) const OPEN_WORD: &str = "open";

/// Subject of a curve.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CurveSubject {
    /// Values of a numeric key; several lines are summed, for percentages and durations the maximum
    /// is shown.
    Key(String),
    /// Number of messages of a flow sent and not yet received.
    InTransit(String),
    /// Number of instances of an entity that began and have not ended.
    Unfinished(String),
    /// Number of instances of an entity in a state.
    State {
        /// Name of the entity.
        entity: String,
        /// Name of the state.
        state: String,
    },
    /// Number of intervals that are open between two kinds of records.
    Between {
        /// Condition of the records that open an interval.
        start: String,
        /// Condition of the records that close an interval.
        end: String,
        /// Key that pairs openings and closings; `None` closes the oldest one.
        key: Option<String>,
    },
}

impl CurveSubject {
    /// Parses a subject: `mysim.job:waiting` (a state), `mysim.job` (unfinished instances),
    /// `mysim.send:underway` (a flow), `mysim.queue_length` (a key). A name of an entity takes
    /// precedence.
    pub fn parse(text: &str, entities: &[Arc<Entity>], flows: &[FlowSpec]) -> CurveSubject {
        let text = text.trim();
        let is_entity = |name: &str| entities.iter().any(|e| e.name == name);
        match text.split_once(':').map(|(name, rest)| (name, rest.trim())) {
            Some((entity, state)) if is_entity(entity) => CurveSubject::State {
                entity: entity.to_owned(),
                state: state.to_owned(),
            },
            Some((flow, UNDERWAY_SUFFIX)) if flows.iter().any(|f| f.name == flow) => {
                CurveSubject::InTransit(flow.to_owned())
            }
            _ if is_entity(text) => CurveSubject::Unfinished(text.to_owned()),
            _ => CurveSubject::Key(text.to_owned()),
        }
    }

    /// Text form of the subject.
    pub fn text(&self) -> String {
        match self {
            CurveSubject::State { entity, state } => format!("{entity}:{state}"),
            CurveSubject::InTransit(flow) => format!("{flow}:{UNDERWAY_SUFFIX}"),
            CurveSubject::Between { start, end, .. } => format!("between {start} … {end}"),
            CurveSubject::Unfinished(name) | CurveSubject::Key(name) => name.clone(),
        }
    }

    /// Short word for the subject.
    pub fn short_name(&self) -> &str {
        match self {
            CurveSubject::State { state, .. } => state,
            CurveSubject::Unfinished(_) => OPEN_WORD,
            CurveSubject::Between { .. } => "between",
            CurveSubject::InTransit(name) | CurveSubject::Key(name) => last_part(name),
        }
    }
}

/// Space for which curves are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveSpace {
    /// Time range of the curves, UTC ns.
    pub range: (i64, i64),
    /// Number of columns of each curve.
    pub columns: usize,
    /// Maximum number of curves.
    pub max_curves: usize,
}

impl CurveSpace {
    /// Curve of a number that is no measurement.
    pub(crate) fn count(
        &self,
        subject: CurveSubject,
        title: String,
        points: Vec<(i64, f64)>,
    ) -> Curve {
        let names = (title, String::new());
        Curve::new(subject, names, SeriesKind::Gauge, points, self)
    }
}

/// Small curve: values by column, and all points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Subject of the curve.
    pub subject: CurveSubject,
    /// Title for the user.
    pub title: String,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// Interpolation of the values: gauge or counter.
    pub kind: SeriesKind,
    /// Maximum per column; `None` before the first value.
    pub columns: Vec<Option<f64>>,
    /// Maximum value of all columns.
    pub max: f64,
    /// All points by time: (UTC ns, value).
    pub points: Arc<[(i64, f64)]>,
}

impl Curve {
    /// Creates a curve from points, with the columns of a space.
    pub(crate) fn new(
        subject: CurveSubject,
        (title, unit): (String, String),
        kind: SeriesKind,
        points: Vec<(i64, f64)>,
        space: &CurveSpace,
    ) -> Curve {
        let (range, columns) = (space.range, space.columns);
        let values = bins(&points, kind, BinAggregate::Max, range, columns);
        let max = values.iter().flatten().copied().reduce(f64::max);
        Curve {
            subject,
            title,
            unit,
            kind,
            columns: values,
            max: max.unwrap_or_default(),
            points: points.into(),
        }
    }

    /// Values of the columns over another time range.
    pub fn columns_over(&self, range: (i64, i64), columns: usize) -> Vec<Option<f64>> {
        bins(&self.points, self.kind, BinAggregate::Max, range, columns)
    }

    /// Value at a time: the last measured one.
    pub fn value_at(&self, time: i64) -> Option<f64> {
        value_at(&self.points, time)
    }

    /// Title, followed by the name of the key if it differs.
    pub fn label(&self) -> String {
        match &self.subject {
            CurveSubject::Key(key) if *key != self.title => format!("{} ({key})", self.title),
            _ => self.title.clone(),
        }
    }

    /// Names of the curve for decreasing widths: its title, a short form (`running tasks` for
    /// `running Celery tasks`), and a single word. Figures and files use the same names.
    pub fn names(&self) -> Vec<String> {
        let word = self.subject.short_name();
        let counted = self.title.strip_prefix(word);
        let last = counted.and_then(|plural| plural.rsplit_once(' '));
        let short = last.map(|(_, last)| format!("{word} {last}"));
        let mut out = vec![self.title.clone()];
        out.extend(short);
        out.push(word.to_owned());
        out.dedup();
        out
    }

    /// Whether the curve changes, and is therefore worth showing.
    pub(super) fn is_informative(&self) -> bool {
        let first = match self.subject {
            // A measurement is unknown before its first value.
            CurveSubject::Key(_) => self.points.first().map(|p| p.1),
            // Counts start at 0: a single instance that never ends is a change, and an important
            // one.
            _ => Some(0.0),
        };
        self.points.iter().any(|p| Some(p.1) != first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_names_get_shorter() {
        let state = CurveSubject::State {
            entity: "celery.task".to_owned(),
            state: "running".to_owned(),
        };
        let curve = |subject: &CurveSubject, title: &str| {
            let names = (title.to_owned(), String::new());
            let kind = SeriesKind::Gauge;
            let space = CurveSpace {
                range: (0, 1),
                columns: 1,
                max_curves: 1,
            };
            Curve::new(subject.clone(), names, kind, Vec::new(), &space).names()
        };
        assert_eq!(
            curve(&state, "running Celery tasks"),
            ["running Celery tasks", "running tasks", "running"]
        );
        assert_eq!(curve(&state, "running tasks"), ["running tasks", "running"]);
        let open = CurveSubject::Unfinished("a.b".to_owned());
        assert_eq!(curve(&open, "a.b"), ["a.b", "open"]);
    }

    #[test]
    fn names_of_entities_take_precedence() {
        let systems = widetui_format::definitions::systems::Systems::builtin();
        let (all, _) = crate::entity::from_definition(&systems.iter().next().unwrap().def);
        let all: Vec<Arc<Entity>> = all.into_iter().map(Arc::new).collect();
        let name = all[0].name.clone();
        let of = |text: &str| CurveSubject::parse(text, &all, &[]);
        let state = CurveSubject::State {
            entity: name.clone(),
            state: "running".to_owned(),
        };
        assert_eq!(of(&format!("{name}:running")), state);
        assert_eq!(state.text(), format!("{name}:running"));
        assert_eq!(of(&name), CurveSubject::Unfinished(name.clone()));
        assert_eq!(of("a:b"), CurveSubject::Key("a:b".to_owned()));
        assert_eq!(of("sim.queue_length").short_name(), "queue_length");
    }
}
