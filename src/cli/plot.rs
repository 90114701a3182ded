//! `widetui export -o FILE.svg --plot WHAT`: plots.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::analysis::columns::By;
use crate::analysis::latency::latency;
use crate::analysis::scope::AnalysisScope;
use crate::analysis::series::series;
use crate::analysis::spans::spans;
use crate::analysis::states::{Recorder, states};
use crate::analysis::timeline::{Colour, Grouping, timeline};
use crate::base::cancel::Cancel;
use crate::export::figures::{self, When};
use crate::export::svg::{Figure, Theme, render};
use crate::workspace::plots::leave_out_elsewhere;
use crate::workspace::written::{export as written, run_of};

use super::args::{PlotArgs, PlotTheme, SelectArgs};
use super::asked::{by, conditions, scope};
use super::naming;
use super::opened::Opened;
use super::output::Failure;
use super::series::{known_key, spec};

/// What can be drawn, for messages.
const KINDS: &str = "series:KEY[:BY], states:ENTITY, timeline:ENTITY[:BY[:COLOUR]], spans:ENTITY, latency:ENTITY, flow[:NAME]";

/// What is to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotRequest {
    subject: Subject,
    theme: PlotTheme,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Series {
        key: String,
        by: Option<String>,
    },
    States {
        entity: String,
    },
    Timeline {
        entity: String,
        by: Option<String>,
        colour: Option<String>,
    },
    Spans {
        entity: String,
    },
    Latency {
        entity: String,
    },
    Flow {
        name: Option<String>,
    },
}

/// What the arguments ask to draw; `None`: nothing, events are to be written.
///
/// # Errors
/// A plot that there is not, a plot into another file than .svg, a .svg without a plot.
pub fn wanted(args: &PlotArgs, output: &Path) -> Result<Option<PlotRequest>, Failure> {
    let is_svg = output
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    match (&args.plot, is_svg) {
        (None, false) => Ok(None),
        (None, true) => Err(Failure::Message(format!(
            "{}: say what to draw: --plot WHAT, one of {KINDS}",
            output.display()
        ))),
        (Some(_), false) => Err(Failure::Message(format!(
            "{}: a plot is written as .svg",
            output.display()
        ))),
        (Some(text), true) => Ok(Some(PlotRequest {
            subject: subject(text)?,
            theme: args.plot_theme,
        })),
    }
}

fn subject(text: &str) -> Result<Subject, Failure> {
    let bad = || Failure::Message(format!("--plot {text}: expected one of {KINDS}"));
    let mut parts = text.split(':').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    let mut next = || parts.next().filter(|p| !p.is_empty()).map(str::to_owned);
    let subject = match kind {
        "series" => Subject::Series {
            key: next().ok_or_else(bad)?,
            by: next(),
        },
        "states" => Subject::States {
            entity: next().ok_or_else(bad)?,
        },
        "timeline" => Subject::Timeline {
            entity: next().ok_or_else(bad)?,
            by: next(),
            colour: next(),
        },
        "spans" => Subject::Spans {
            entity: next().ok_or_else(bad)?,
        },
        "latency" => Subject::Latency {
            entity: next().ok_or_else(bad)?,
        },
        "flow" => Subject::Flow { name: next() },
        _ => return Err(bad()),
    };
    match next() {
        None => Ok(subject),
        Some(_) => Err(bad()),
    }
}

/// Draws into a file.
///
/// # Errors
/// There is nothing to draw; keys or entities that there are not; the file cannot be written.
pub fn export(
    opened: &Opened,
    wanted: &PlotRequest,
    select: &SelectArgs,
    (paths, path): (&[PathBuf], &Path),
) -> Result<(), Failure> {
    let scope = scope(opened, select)?;
    let when = When {
        window: scope.window,
        zone: opened.zone.clone(),
        run: run_of(paths),
    };
    let theme = match wanted.theme {
        PlotTheme::Light => Theme::Light,
        PlotTheme::Dark => Theme::Dark,
    };
    let svg = match &wanted.subject {
        Subject::Series { key, by } => {
            of_series(opened, (&scope, &when), key, by.as_deref(), theme)?
        }
        Subject::States { entity } => of_states(opened, (&scope, &when), entity, theme)?,
        Subject::Timeline { entity, by, colour } => {
            let how = (by.as_deref(), colour.as_deref());
            of_timeline(opened, (&scope, select), &when, (entity, how), theme)?
        }
        Subject::Spans { entity } => of_spans(opened, (&scope, &when), entity, theme)?,
        Subject::Latency { entity } => of_latency(opened, (&scope, &when), entity, theme)?,
        Subject::Flow { name } => of_flow(opened, name.as_deref(), select, &when, theme)?,
    };
    let mut out = written::create(path, &opened.snapshot).map_err(Failure::Message)?;
    out.write_all(svg.as_bytes())?;
    written::keep(path, out).map_err(Failure::Message)
}

fn drawn(figure: Option<Figure<'_>>, theme: Theme) -> Result<String, Failure> {
    let none = || {
        let text = "there is nothing to draw of what was asked for, so no file was written";
        Failure::Absent(text.to_owned())
    };
    Ok(render(&figure.ok_or_else(none)?, theme))
}

fn of_series(
    opened: &Opened,
    (scope, when): (&AnalysisScope, &When),
    key: &str,
    apart: Option<&str>,
    theme: Theme,
) -> Result<String, Failure> {
    let snapshot = &*opened.snapshot;
    let id = known_key(opened, key)?;
    let spec = spec(opened, snapshot.catalog.keys.name(id));
    let keys = match apart {
        None => spec.apart(snapshot),
        Some("none") => Vec::new(),
        Some(name) => vec![by(opened, name)?],
    };
    let found = series(
        snapshot,
        id,
        &keys,
        scope.events.as_ref(),
        &Cancel::default(),
    );
    let found = found.unwrap_or_default();
    drawn(figures::series(&found, &spec, when), theme)
}

fn of_states(
    opened: &Opened,
    (scope, when): (&AnalysisScope, &When),
    entity: &str,
    theme: Theme,
) -> Result<String, Failure> {
    let entity = naming::entity(opened, entity)?;
    let found = opened.instances(&entity);
    let result = states(&found, scope, &Recorder::Usual, &Cancel::default()).unwrap_or_default();
    let end = opened.snapshot.range().map(|r| r.1);
    drawn(figures::states(&found, &result, end, when), theme)
}

fn of_timeline(
    opened: &Opened,
    (scope, select): (&AnalysisScope, &SelectArgs),
    when: &When,
    (entity, (rows, colour)): (&str, (Option<&str>, Option<&str>)),
    theme: Theme,
) -> Result<String, Failure> {
    let snapshot = &*opened.snapshot;
    let entity = naming::entity(opened, entity)?;
    let found = opened.instances(&entity);
    let grouping = match rows {
        None => Grouping::default(),
        Some(name) => match opened
            .entities()
            .iter()
            .find(|e| e.name == name || e.title == name)
        {
            Some(other) => Grouping::by_entity(snapshot, other).ok_or_else(|| {
                Failure::Absent(format!("no event has the keys of {}", other.name))
            })?,
            None => Grouping {
                keys: vec![known_key(opened, name)?],
            },
        },
    };
    let colour = match colour {
        None | Some("state") => Colour::State,
        Some("label") => Colour::Label,
        Some(name) => Colour::By(by(opened, name)?),
    };
    let cancel = Cancel::default();
    let result = timeline(snapshot, &found, scope, &grouping, &colour, &cancel);
    let mut result = result.unwrap_or_default();
    leave_out_elsewhere(&mut result, &conditions(opened, select)?);
    let figure = figures::timeline(&found, &result, rows, when);
    drawn(figure, theme)
}

fn of_spans(
    opened: &Opened,
    (scope, when): (&AnalysisScope, &When),
    entity: &str,
    theme: Theme,
) -> Result<String, Failure> {
    let entity = naming::entity(opened, entity)?;
    let found = opened.instances(&entity);
    let result = spans(
        &opened.snapshot,
        &found,
        scope,
        None::<&By>,
        &Cancel::default(),
    );
    let figure = figures::durations(&found.entity.plural(), &result.unwrap_or_default(), when);
    drawn(figure, theme)
}

fn of_latency(
    opened: &Opened,
    (scope, when): (&AnalysisScope, &When),
    entity: &str,
    theme: Theme,
) -> Result<String, Failure> {
    let entity = naming::entity(opened, entity)?;
    let found = opened.instances(&entity);
    let result = latency(&opened.snapshot, &found, scope, &[], &Cancel::default());
    let figure = figures::latency(&found, &result.unwrap_or_default(), when);
    drawn(figure, theme)
}

fn of_flow(
    opened: &Opened,
    name: Option<&str>,
    select: &SelectArgs,
    when: &When,
    theme: Theme,
) -> Result<String, Failure> {
    let found = super::flow::find(opened, name, select)?;
    drawn(figures::flow(&found, when), theme)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn args(plot: Option<&str>) -> PlotArgs {
        PlotArgs {
            plot: plot.map(str::to_owned),
            ..PlotArgs::default()
        }
    }

    #[test]
    fn plots_are_read_and_mistakes_say_what_is_possible() {
        let svg = Path::new("x.SVG");
        let of = |text: &str| wanted(&args(Some(text)), svg).map(|w| w.unwrap().subject);
        let timeline = of("timeline:a.b:c").unwrap();
        let expected = Subject::Timeline {
            entity: "a.b".to_owned(),
            by: Some("c".to_owned()),
            colour: None,
        };
        assert_eq!(timeline, expected);
        assert_eq!(of("flow").unwrap(), Subject::Flow { name: None });
        for bad in ["", "series", "nothing:x", "states:a:b", "spans:"] {
            let Err(Failure::Message(text)) = of(bad) else {
                panic!("{bad} is taken");
            };
            assert!(text.contains("timeline:ENTITY"), "{text}");
        }
        assert!(wanted(&args(Some("flow")), Path::new("x.csv")).is_err());
        assert!(wanted(&args(None), svg).is_err());
        assert_eq!(wanted(&args(None), Path::new("x.csv")).ok(), Some(None));
    }
}
