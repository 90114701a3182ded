//! A small curve and its source.

use std::sync::Arc;

use crate::entity::Entity;
use crate::flow::FlowSpec;
use crate::series::{BinPick, SeriesKind, bins, holding};

/// Word behind the name of a flow: what is on its way.
const UNDERWAY: &str = "underway";
/// Word for things that began and have not ended.
pub(super) const OPEN: &str = "open";

/// What a curve shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A numeric key; of several lines their sum, of percentages and durations the greatest.
    Key(String),
    /// Messages sent and not yet received, of a flow.
    Underway(String),
    /// Instances of an entity that began and have not ended.
    Unfinished(String),
    /// Instances of an entity in a state.
    State {
        /// The entity's name.
        entity: String,
        /// The state.
        state: String,
    },
    /// How many are open between two kinds of records.
    Between {
        /// Condition of the records at which one opens.
        start: String,
        /// Of those at which it closes.
        end: String,
        /// The key that says which one; none: the one that opened first.
        key: Option<String>,
    },
}

impl Subject {
    /// As it is written: `mysim.job:waiting` (a state), `mysim.job` (things that have not ended), `mysim.send:underway` (a
    /// flow), `mysim.queue_length` (a key). What names an entity is one.
    pub fn parse(text: &str, entities: &[Arc<Entity>], flows: &[FlowSpec]) -> Subject {
        let text = text.trim();
        let is_entity = |name: &str| entities.iter().any(|e| e.name == name);
        match text.split_once(':').map(|(name, rest)| (name, rest.trim())) {
            Some((entity, state)) if is_entity(entity) => Subject::State {
                entity: entity.to_owned(),
                state: state.to_owned(),
            },
            Some((flow, UNDERWAY)) if flows.iter().any(|f| f.name == flow) => {
                Subject::Underway(flow.to_owned())
            }
            _ if is_entity(text) => Subject::Unfinished(text.to_owned()),
            _ => Subject::Key(text.to_owned()),
        }
    }

    /// As it is written.
    pub fn text(&self) -> String {
        match self {
            Subject::State { entity, state } => format!("{entity}:{state}"),
            Subject::Underway(flow) => format!("{flow}:{UNDERWAY}"),
            Subject::Between { start, end, .. } => format!("between {start} … {end}"),
            Subject::Unfinished(name) | Subject::Key(name) => name.clone(),
        }
    }

    /// In a word.
    pub fn word(&self) -> &str {
        let last = |name: &'_ str| name.rfind('.').map_or(0, |dot| dot + 1);
        match self {
            Subject::State { state, .. } => state,
            Subject::Unfinished(_) => OPEN,
            Subject::Between { .. } => "between",
            Subject::Underway(name) | Subject::Key(name) => &name[last(name)..],
        }
    }
}

/// A small curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub subject: Subject,
    /// For people.
    pub title: String,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// How values go on.
    pub kind: SeriesKind,
    /// One value a column, the greatest in it; `None` before the first.
    pub columns: Vec<Option<f64>>,
    /// The greatest of all.
    pub max: f64,
    /// All points, by time.
    pub points: Arc<[(i64, f64)]>,
}

impl Curve {
    /// Of points: columns over a range of time, UTC ns.
    pub fn new(
        subject: Subject,
        (title, unit): (String, String),
        kind: SeriesKind,
        points: Vec<(i64, f64)>,
        range: (i64, i64),
        columns: usize,
    ) -> Curve {
        let values = bins(&points, kind, BinPick::Max, range, columns);
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

    /// The values of the columns over another range.
    pub fn over(&self, range: (i64, i64), columns: usize) -> Vec<Option<f64>> {
        bins(&self.points, self.kind, BinPick::Max, range, columns)
    }

    /// The value at a moment: what was measured last.
    pub fn value_at(&self, time: i64) -> Option<f64> {
        holding(&self.points, time)
    }

    /// Its title, and the name by which it is told, where that is another.
    pub fn told(&self) -> String {
        match &self.subject {
            Subject::Key(key) if *key != self.title => format!("{} ({key})", self.title),
            _ => self.title.clone(),
        }
    }

    /// What it is called where there is room for so many columns, the clearest first: its title, the same with the last word of
    /// what is counted (`running tasks` for `running Celery tasks`), its word. Pictures and files call it the same.
    pub fn names(&self) -> Vec<String> {
        let word = self.subject.word();
        let counted = self.title.strip_prefix(word);
        let last = counted.and_then(|things| things.rsplit_once(' '));
        let short = last.map(|(_, last)| format!("{word} {last}"));
        let mut out = vec![self.title.clone()];
        out.extend(short);
        out.push(word.to_owned());
        out.dedup();
        out
    }

    /// Whether it changes at all.
    pub(super) fn is_informative(&self) -> bool {
        let first = match self.subject {
            // Of a measurement nothing is known before the first.
            Subject::Key(_) => self.points.first().map(|p| p.1),
            // What is counted begins at none: one thing that never ends is a change, and the one that matters.
            _ => Some(0.0),
        };
        self.points.iter().any(|p| Some(p.1) != first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_its_name_in_several_lengths() {
        let state = Subject::State {
            entity: "celery.task".to_owned(),
            state: "running".to_owned(),
        };
        let curve = |subject: &Subject, title: &str| {
            let names = (title.to_owned(), String::new());
            let kind = SeriesKind::Gauge;
            Curve::new(subject.clone(), names, kind, Vec::new(), (0, 1), 1).names()
        };
        assert_eq!(
            curve(&state, "running Celery tasks"),
            ["running Celery tasks", "running tasks", "running"]
        );
        assert_eq!(curve(&state, "running tasks"), ["running tasks", "running"]);
        let open = Subject::Unfinished("a.b".to_owned());
        assert_eq!(curve(&open, "a.b"), ["a.b", "open"]);
    }

    #[test]
    fn what_names_an_entity_is_one() {
        let systems = widetui_format::systems::Systems::builtin();
        let (all, _) = crate::entity::of_definition(&systems.iter().next().unwrap().def);
        let all: Vec<Arc<Entity>> = all.into_iter().map(Arc::new).collect();
        let name = all[0].name.clone();
        let of = |text: &str| Subject::parse(text, &all, &[]);
        let state = Subject::State {
            entity: name.clone(),
            state: "running".to_owned(),
        };
        assert_eq!(of(&format!("{name}:running")), state);
        assert_eq!(state.text(), format!("{name}:running"));
        assert_eq!(of(&name), Subject::Unfinished(name.clone()));
        assert_eq!(of("a:b"), Subject::Key("a:b".to_owned()));
        assert_eq!(of("sim.queue_length").word(), "queue_length");
    }
}
