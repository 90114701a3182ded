//! What the views that draw over time ask: which analysis of which things, and its answer as plain data.
//!
//! ```text
//! Asked (entity, window, what) + rows ──answer──> PlotData ──(ui::tables::plotted)──> a table and a picture of it
//! ```

mod curves;
mod pick;
mod series;
mod slowest;
mod timeline;

use std::sync::Arc;

use crate::analysis::columns::By;
use crate::analysis::latency::{Latency, latency};
use crate::analysis::scope::{Scope, Tables, Window};
use crate::analysis::spans::{Spans, spans};
use crate::analysis::states::{Recorder, States, states};
use crate::analysis::{Entity, Instances};
use crate::base::cancel::Cancel;
use crate::query::{Comparison, Expr, Field, Op};
use crate::store::Snapshot;

use super::ask::Rows;
use super::meaning::Meaning;
use super::selection::Step;

pub use curves::{Curve, CurveOf, curves};
pub use pick::{ids_step, step_of, title_of};
pub use series::{SeriesData, SeriesGroup, measures};
pub use slowest::{Slow, Slowest, StepOf};
pub use timeline::{Bar, Grouping, Lane, Timeline};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotOf {
    /// How many things are in which state, over time.
    States,
    /// Who did what when: things in rows by who carries them, coloured by the value of a key (`None`: what they are).
    Timeline(Grouping, Option<String>),
    /// Which steps take how long.
    Latency,
    /// The things for which a step took longest.
    Slowest(StepOf),
    /// How long the things take, by a key.
    Spans(Option<String>),
    /// A number over time, by a key.
    Series(String, Option<String>),
}

/// A question about the things of a kind.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What the definitions say.
    pub meaning: Arc<Meaning>,
    /// The kind (dotted name); `None` for the one that fits best.
    pub entity: Option<String>,
    /// When.
    pub window: Window,
    /// What.
    pub of: PlotOf,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        Arc::ptr_eq(&self.meaning, &other.meaning)
            && (&self.entity, self.window, &self.of) == (&other.entity, other.window, &other.of)
    }
}

impl Eq for Asked {}

/// An answer.
#[derive(Clone, Debug)]
pub enum PlotData {
    /// The run has nothing of the kind that is asked about.
    Nothing,
    /// States of things.
    States(Box<Instances>, States),
    /// Rows of bars.
    Timeline(Box<Instances>, Timeline),
    /// Steps.
    Latency(Box<Instances>, Latency),
    /// The slowest.
    Slowest(Box<Instances>, Slowest),
    /// Durations, and the key by which they are told apart.
    Spans(Box<Instances>, Spans, Option<String>),
    /// A number over time.
    Series(SeriesData),
}

/// Answers. `None` when cancelled.
pub fn answer(
    snapshot: &Snapshot,
    rows: &Rows,
    asked: &Asked,
    cancel: &Cancel,
) -> Option<PlotData> {
    let scope = Scope {
        events: rows.selection(snapshot),
        window: asked.window,
        tables: Tables::default(),
    };
    if let PlotOf::Series(key, by) = &asked.of {
        return series::series(snapshot, &scope, key, by.as_deref(), cancel).map(PlotData::Series);
    }
    let entities = &asked.meaning.entities;
    let wanted: fn(&Entity) -> u8 = match asked.of {
        PlotOf::Timeline(..) | PlotOf::Spans(_) => pick::with_length,
        PlotOf::States => pick::with_states,
        _ => pick::goals,
    };
    let name = asked.entity.as_deref();
    let found = pick::instances(snapshot, entities, name, wanted, cancel)?;
    let Some(found) = found else {
        return Some(PlotData::Nothing);
    };
    let instances = Box::new(found);
    Some(match &asked.of {
        PlotOf::States => {
            let states = states(&instances, &scope, &Recorder::Usual, cancel)?;
            PlotData::States(instances, states)
        }
        PlotOf::Timeline(grouping, colour) => {
            let asked = (grouping, colour.as_deref());
            let timeline =
                timeline::timeline(snapshot, &instances, entities, &scope, asked, cancel)?;
            PlotData::Timeline(instances, timeline)
        }
        PlotOf::Latency => {
            let latency = latency(snapshot, &instances, &scope, &[], cancel)?;
            PlotData::Latency(instances, latency)
        }
        PlotOf::Slowest(step) => {
            let slowest = slowest::slowest(snapshot, &instances, &scope, step, cancel)?;
            PlotData::Slowest(instances, slowest)
        }
        PlotOf::Spans(by) => {
            let key = by.as_deref().and_then(|k| By::named(snapshot, k));
            let spans = spans(snapshot, &instances, &scope, key.as_ref(), cancel)?;
            PlotData::Spans(instances, spans, by.clone().filter(|_| key.is_some()))
        }
        PlotOf::Series(..) => return None,
    })
}

/// The stretch of time that steps of a selection ask for: what holds for all events that fit.
pub fn window_of(steps: &[Step]) -> Window {
    let mut window = Window::default();
    for step in steps {
        narrow(&mut window, &step.expr);
    }
    window
}

fn narrow(window: &mut Window, expr: &Expr) {
    match expr {
        Expr::And(parts) => parts.iter().for_each(|p| narrow(window, p)),
        Expr::Compare(Comparison {
            field: Field::Time,
            op,
            values,
        }) => {
            let text = values.first().map_or("", String::as_str);
            let utc = crate::base::zone::Zone::Utc;
            let Ok(time) = crate::base::timeparse::parse_literal(text, 0, &utc) else {
                return;
            };
            let after = time.saturating_add(1);
            let since = |w: &Window, t: i64| Some(w.since.map_or(t, |s| s.max(t)));
            let until = |w: &Window, t: i64| Some(w.until.map_or(t, |u| u.min(t)));
            match op {
                Op::Ge => window.since = since(window, time),
                Op::Gt => window.since = since(window, after),
                Op::Lt => window.until = until(window, time),
                Op::Le => window.until = until(window, after),
                _ => {}
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{TimeContext, parse};

    #[test]
    fn steps_about_time_are_a_window() {
        let context = TimeContext {
            base_date_ns: 0,
            zone: crate::base::zone::Zone::Utc,
        };
        let step = |text: &str| Step {
            label: text.to_owned(),
            expr: parse(text, None, &context).unwrap(),
            thing: None,
        };
        let steps = [
            step("time >= 00:00:02 and level = error"),
            step("time < 00:00:09"),
            step("time <= 00:00:08"),
            step("time >= 00:00:01 or level = error"),
        ];
        let window = window_of(&steps);
        let second = 1_000_000_000;
        assert_eq!(window.since, Some(2 * second));
        assert_eq!(window.until, Some(8 * second + 1));
    }
}
