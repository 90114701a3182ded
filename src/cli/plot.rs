//! `widetui export -o FILE.svg --plot WHAT`: plots.

use std::io::Write;
use std::path::Path;

use widetui_analysis::Instances;
use widetui_analysis::entity::names::UnresolvedName;
use widetui_analysis::latency::latency;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::series::series;
use widetui_analysis::spans::spans;
use widetui_analysis::states::{ReporterChoice, states};
use widetui_analysis::timeline::{Colour, Grouping, timeline};
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_report::figures::{self, FigureRange};
use widetui_report::svg::{Figure, Theme, render};
use widetui_session::export_files::{export as written, run_name};
use widetui_session::plots::remove_other_places;

use super::args::{ExportCommand, PlotArgs, PlotTheme, SelectArgs};
use super::opened::Opened;
use super::output::Failure;
use super::selection::{by, conditions, scope};
use super::series::{known_key, spec};

/// Kinds of plots, for messages.
const KINDS: &str = "series:KEY[:BY], states:ENTITY, timeline:ENTITY[:BY[:COLOUR]], spans:ENTITY, latency:ENTITY, flow[:NAME]";

/// Plot and its subject.
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

/// Plot of the arguments, or `None` for an export of events.
///
/// # Errors
/// Unknown plot, plot in another file than .svg, or .svg without a plot.
pub fn wanted(args: &PlotArgs, output: &Path) -> Result<Option<PlotRequest>, Failure> {
    let is_svg = output
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    match (&args.plot, is_svg) {
        (None, false) => Ok(None),
        (None, true) => Err(Failure::Message(format!(
            "{}: no plot given: add --plot WHAT, one of {KINDS}",
            output.display()
        ))),
        (Some(_), false) if !written::is_stdout(output) => Err(Failure::Message(format!(
            "{}: plots are written as .svg",
            output.display()
        ))),
        (Some(text), _) => Ok(Some(PlotRequest {
            subject: subject(text)?,
            theme: args.plot_theme,
        })),
    }
}

fn subject(text: &str) -> Result<Subject, Failure> {
    let mut parts = text.split(':').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    let bad = || {
        let kinds = KINDS.split(", ").filter_map(|k| k.split([':', '[']).next());
        let hint = did_you_mean(kind, kinds.filter(|k| *k != kind));
        let text = format!("--plot {text}: unknown plot, use one of {KINDS}{hint}");
        Failure::Message(text)
    };
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

/// Draws a plot into a file.
///
/// # Errors
/// No data to draw, unknown keys or entities, or the file cannot be written.
pub fn export(opened: &Opened, wanted: &PlotRequest, c: &ExportCommand) -> Result<(), Failure> {
    let scope = scope(opened, &c.select)?;
    let drawing = PlotBuilder {
        opened,
        select: &c.select,
        when: FigureRange {
            window: scope.window,
            zone: opened.zone.clone(),
            run: run_name(&c.paths),
        },
        scope,
        theme: match wanted.theme {
            PlotTheme::Light => Theme::Light,
            PlotTheme::Dark => Theme::Dark,
        },
    };
    let svg = match &wanted.subject {
        Subject::Series { key, by } => drawing.series(key, by.as_deref())?,
        Subject::States { entity } => drawing.states(entity)?,
        Subject::Timeline { entity, by, colour } => {
            drawing.timeline(entity, by.as_deref(), colour.as_deref())?
        }
        Subject::Spans { entity } => drawing.spans(entity)?,
        Subject::Latency { entity } => drawing.latency(entity)?,
        Subject::Flow { name } => drawing.flow(name.as_deref())?,
    };
    let mut out = written::create(&c.output, Some(&opened.snapshot)).map_err(Failure::Message)?;
    out.write_all(svg.as_bytes())?;
    out.flush()?;
    written::keep(&c.output, out).map_err(Failure::Message)
}

/// Data of a plot; methods return the text of an SVG file.
struct PlotBuilder<'a> {
    opened: &'a Opened,
    select: &'a SelectArgs,
    scope: AnalysisScope,
    when: FigureRange,
    theme: Theme,
}

impl PlotBuilder<'_> {
    fn drawn(&self, figure: Option<Figure<'_>>) -> Result<String, Failure> {
        let none = || {
            let text = "no data to draw, so no file was written";
            Failure::Absent(text.to_owned())
        };
        Ok(render(&figure.ok_or_else(none)?, self.theme))
    }

    /// Instances of the entity with this name.
    fn instances(&self, entity: &str) -> Result<Instances, Failure> {
        let entity = self.opened.entity(entity)?;
        Ok(self.opened.instances(&entity))
    }

    fn series(&self, key: &str, apart: Option<&str>) -> Result<String, Failure> {
        let snapshot = &*self.opened.snapshot;
        let id = known_key(self.opened, key)?;
        let spec = spec(self.opened, snapshot.catalog.keys.name(id));
        let keys = match apart {
            None => spec.split_properties(snapshot),
            Some("none") => Vec::new(),
            Some(name) => vec![by(self.opened, name)?],
        };
        let events = self.scope.events.as_ref();
        let found = series(snapshot, id, &keys, events, &Cancel::default());
        self.drawn(figures::series(
            &found.unwrap_or_default(),
            &spec,
            &self.when,
        ))
    }

    fn states(&self, entity: &str) -> Result<String, Failure> {
        let found = self.instances(entity)?;
        let result = states(
            &self.opened.snapshot,
            &found,
            &self.scope,
            &ReporterChoice::MostTrusted,
            &Cancel::default(),
        );
        let end = self.opened.snapshot.range().map(|r| r.1);
        let result = result.unwrap_or_default();
        self.drawn(figures::states(&found, &result, end, &self.when))
    }

    fn timeline(
        &self,
        entity: &str,
        rows: Option<&str>,
        colour: Option<&str>,
    ) -> Result<String, Failure> {
        let snapshot = &*self.opened.snapshot;
        let found = self.instances(entity)?;
        let grouping = self.grouping(rows)?;
        let colour = match colour {
            None | Some("state") => Colour::State,
            Some("label") => Colour::Label,
            Some(name) => Colour::By(by(self.opened, name)?),
        };
        let (scope, cancel) = (&self.scope, Cancel::default());
        let result = timeline(snapshot, &found, scope, &grouping, &colour, &cancel);
        let mut result = result.unwrap_or_default();
        remove_other_places(&mut result, &conditions(self.opened, self.select)?);
        self.drawn(figures::timeline(&found, &result, rows, &self.when))
    }

    /// Grouping of the rows of a timeline: an entity, or a key.
    fn grouping(&self, rows: Option<&str>) -> Result<Grouping, Failure> {
        let Some(name) = rows else {
            return Ok(Grouping::default());
        };
        match self.opened.names().entity(name) {
            Err(UnresolvedName::Unknown(_)) => Ok(Grouping {
                keys: vec![known_key(self.opened, name)?],
            }),
            _ => {
                let other = self.opened.entity(name)?;
                Grouping::by_entity(&self.opened.snapshot, &other).ok_or_else(|| {
                    Failure::Absent(format!("no event has the keys of {}", other.name))
                })
            }
        }
    }

    fn spans(&self, entity: &str) -> Result<String, Failure> {
        let found = self.instances(entity)?;
        let (snapshot, cancel) = (&self.opened.snapshot, Cancel::default());
        let result = spans(snapshot, &found, &self.scope, None, &cancel).unwrap_or_default();
        let plural = found.entity.plural();
        self.drawn(figures::durations(&plural, &result, &self.when))
    }

    fn latency(&self, entity: &str) -> Result<String, Failure> {
        let found = self.instances(entity)?;
        let (snapshot, cancel) = (&self.opened.snapshot, Cancel::default());
        let result = latency(snapshot, &found, &self.scope, &[], &cancel).unwrap_or_default();
        self.drawn(figures::latency(&found, &result, &self.when))
    }

    fn flow(&self, name: Option<&str>) -> Result<String, Failure> {
        let found = super::flow::find(self.opened, name, self.select)?;
        self.drawn(figures::flow(&found, &self.when))
    }
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
    fn plots_are_parsed_and_errors_list_the_possible_kinds() {
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
            assert!(!text.contains("did you mean"), "{text}");
        }
        let Err(Failure::Message(text)) = of("timelien:x") else {
            panic!("an unknown plot is taken");
        };
        assert!(text.ends_with("did you mean `timeline`?"), "{text}");
        assert!(wanted(&args(Some("flow")), Path::new("x.csv")).is_err());
        assert!(wanted(&args(None), svg).is_err());
        assert_eq!(wanted(&args(None), Path::new("x.csv")).ok(), Some(None));
    }
}
