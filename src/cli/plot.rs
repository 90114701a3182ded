//! `widetui export -o FILE.svg --plot WHAT`: plots.

use std::io::Write;
use std::path::Path;

use widetui_analysis::Instances;
use widetui_analysis::dag::Folding;
use widetui_analysis::entity::names::UnresolvedName;
use widetui_analysis::instance_groups::group_order;
use widetui_analysis::overview::CurveSubject;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::series::series;
use widetui_analysis::spans::{LostEnds, spans};
use widetui_analysis::states::{ReporterChoice, states_by};
use widetui_analysis::timeline::Grouping;
use widetui_analysis::utilisation::throughput;
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_report::figures::{self, FigureRange, GroupCounts};
use widetui_report::svg::{Figure, Theme, TimeOrigin, render};
use widetui_session::export_files::{export as written, figure, run_name};
use widetui_session::plots::{
    self, ColourBy, CurvesRequest, LinesBy, PlotData, PlotKind, PlotQuestion, RowsBy,
};
use widetui_session::rows;
use widetui_session::selection::SelectionStep;
use widetui_tables::answers::counts::CountSeries;

use super::args::{ExportCommand, GroupArgs, PlotArgs, PlotTheme, SelectArgs};
use super::dag::{DagAnswer, DagQuery};
use super::grouped::Groups;
use super::opened::Opened;
use super::output::Failure;
use super::selection::{by, conditions, scope};
use super::series::{known_key, spec};

/// Kinds of plots, for messages.
const KINDS: &str = "series:KEY[:BY], states:ENTITY[:BY], timeline:ENTITY[:BY[:COLOUR]], spans:ENTITY, concurrency:ENTITY[:BY], throughput:ENTITY[:BY], latency:ENTITY, flow[:NAME], dag[:ENTITY[:BY]], curves:CURVE[,CURVE...]";

/// Plot and its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotRequest {
    subject: Subject,
    theme: PlotTheme,
    origin: TimeOrigin,
    language: FigureLanguage,
}

/// Language of the file of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FigureLanguage {
    Svg,
    /// GraphViz.
    Dot,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Series {
        key: String,
        by: Option<String>,
    },
    States {
        entity: String,
        by: Option<String>,
    },
    Concurrency {
        entity: String,
        by: Option<String>,
    },
    Throughput {
        entity: String,
        by: Option<String>,
    },
    Dag {
        entity: Option<String>,
        by: Option<String>,
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
    /// Curves below each other, as below the overview.
    Curves(Vec<String>),
}

/// Plot of the arguments, or `None` for an export of events.
///
/// # Errors
/// Unknown plot, plot in another file than .svg, or .svg without a plot.
pub fn wanted(args: &PlotArgs, output: &Path) -> Result<Option<PlotRequest>, Failure> {
    let is = |extension: &str| {
        let own = output.extension();
        own.is_some_and(|e| e.eq_ignore_ascii_case(extension))
    };
    let is_dag = |text: &str| text.split(':').next().map(str::trim) == Some("dag");
    let language = match args.plot.as_deref().is_some_and(is_dag) && (is("dot") || is("gv")) {
        true => FigureLanguage::Dot,
        false => FigureLanguage::Svg,
    };
    match (&args.plot, is("svg") || language == FigureLanguage::Dot) {
        (None, false) => Ok(None),
        (None, true) => Err(Failure::Message(format!(
            "{}: no plot given: add --plot WHAT, one of {KINDS}",
            output.display()
        ))),
        (Some(_), false) if !written::is_stdout(output) => Err(Failure::Message(format!(
            "{}: plots are written as .svg (dag also as .dot)",
            output.display()
        ))),
        (Some(text), _) => {
            let subject = subject(text)?;
            let may_start_at_zero = matches!(
                subject,
                Subject::Series { .. }
                    | Subject::States { .. }
                    | Subject::Concurrency { .. }
                    | Subject::Throughput { .. }
            );
            if args.from_start && !may_start_at_zero {
                return Err(Failure::Message(format!(
                    "--from-start: --plot {text} cannot lay runs over one another; series, states, concurrency and throughput can"
                )));
            }
            Ok(Some(PlotRequest {
                subject,
                theme: args.plot_theme,
                origin: match args.from_start {
                    true => TimeOrigin::RunStart,
                    false => TimeOrigin::Clock,
                },
                language,
            }))
        }
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
    if let Some(curves) = text.strip_prefix("curves:") {
        let curves = curves.split(',').map(|curve| curve.trim().to_owned());
        return Ok(Subject::Curves(curves.collect()));
    }
    let mut next = || parts.next().filter(|p| !p.is_empty()).map(str::to_owned);
    let subject = match kind {
        "series" => Subject::Series {
            key: next().ok_or_else(bad)?,
            by: next(),
        },
        "states" => Subject::States {
            entity: next().ok_or_else(bad)?,
            by: next(),
        },
        "concurrency" => Subject::Concurrency {
            entity: next().ok_or_else(bad)?,
            by: next(),
        },
        "throughput" => Subject::Throughput {
            entity: next().ok_or_else(bad)?,
            by: next(),
        },
        "dag" => Subject::Dag {
            entity: next(),
            by: next(),
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
            origin: wanted.origin,
        },
        scope,
        theme: match wanted.theme {
            PlotTheme::Light => Theme::Light,
            PlotTheme::Dark => Theme::Dark,
        },
    };
    let svg = match &wanted.subject {
        Subject::Series { key, by } => drawing.series(key, by.as_deref())?,
        Subject::States { entity, by } => drawing.states(entity, by.as_deref())?,
        Subject::Concurrency { entity, by } => drawing.concurrency(entity, by.as_deref())?,
        Subject::Throughput { entity, by } => drawing.throughput(entity, by.as_deref())?,
        Subject::Dag { entity, by } => {
            drawing.dag((entity.as_deref(), by.as_deref()), wanted.language)?
        }
        Subject::Timeline { entity, by, colour } => {
            let rows = drawing.rows(by.as_deref())?;
            let colour = drawing.colour(colour.as_deref())?;
            drawing.view(Some(entity), PlotKind::Timeline(rows, colour))?
        }
        Subject::Spans { entity } => drawing.view(Some(entity), PlotKind::Spans(None))?,
        Subject::Latency { entity } => drawing.view(Some(entity), PlotKind::Latency(None))?,
        Subject::Flow { name } => drawing.flow(name.as_deref())?,
        Subject::Curves(curves) => drawing.curves(curves)?,
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

    /// The plot of a view of the explorer.
    fn view(&self, entity: Option<&str>, of: PlotKind) -> Result<String, Failure> {
        let (snapshot, cancel) = (&self.opened.snapshot, Cancel::default());
        let entity = entity.map(|name| self.opened.entity(name)).transpose()?;
        let conditions = conditions(self.opened, self.select)?.into_iter();
        let question = PlotQuestion {
            meaning: self.opened.meaning.clone(),
            entity: entity.map(|entity| entity.name.clone()),
            steps: conditions
                .map(|expr| SelectionStep::new("", expr))
                .collect(),
            of,
        };
        let data = plots::answer_in(snapshot, &self.scope, &question, &cancel);
        // A command is never cancelled.
        let data = data.unwrap_or(PlotData::Empty);
        self.drawn(figure(snapshot, &data, &self.when))
    }

    fn series(&self, key: &str, apart: Option<&str>) -> Result<String, Failure> {
        let snapshot = &*self.opened.snapshot;
        let id = known_key(self.opened, key)?;
        let name = snapshot.catalog.keys.name(id);
        let groups = self.groups(apart.filter(|by| *by != "none"))?;
        if self.when.origin == TimeOrigin::Clock {
            let lines = match apart {
                None => LinesBy::Default,
                Some("none") => LinesBy::Nothing,
                Some(by) => LinesBy::Key(by.to_owned()),
            };
            return self.view(None, PlotKind::Series(name.to_owned(), lines));
        }
        let spec = spec(self.opened, name);
        let keys: Vec<_> = groups.by.iter().cloned().collect();
        let events = self.scope.events.as_ref();
        let found = series(snapshot, id, &keys, events, &Cancel::default());
        self.drawn(figures::series(
            &groups.line_starts(found.unwrap_or_default()),
            &spec,
            &self.when,
        ))
    }

    /// Groups of a plot.
    fn groups(&self, by: Option<&str>) -> Result<Groups, Failure> {
        let args = GroupArgs {
            by: by.map(str::to_owned),
            from_start: self.when.origin == TimeOrigin::RunStart,
        };
        Groups::new(self.opened, &args)
    }

    fn states(&self, entity: &str, key: Option<&str>) -> Result<String, Failure> {
        let groups = self.groups(key)?;
        let from_start = (&groups.by, self.when.origin == TimeOrigin::RunStart);
        let (Some(by), true) = from_start else {
            return self.view(Some(entity), PlotKind::States(key.map(str::to_owned)));
        };
        let found = self.instances(entity)?;
        let (snapshot, scope, cancel) = (&self.opened.snapshot, &self.scope, Cancel::default());
        let reporter = ReporterChoice::MostTrusted;
        let result = states_by(snapshot, &found, scope, (&reporter, by), &cancel);
        let start = |name: &str| groups.start_of(name);
        self.drawn(figures::states_by(
            &found,
            &result.unwrap_or_default(),
            (None, start),
            &self.when,
        ))
    }

    fn concurrency(&self, entity: &str, by: Option<&str>) -> Result<String, Failure> {
        let found = self.instances(entity)?;
        let groups = self.groups(by)?;
        let (snapshot, scope) = (&self.opened.snapshot, &self.scope);
        let result = spans(
            snapshot,
            &found,
            scope,
            groups.by.as_ref(),
            &Cancel::default(),
        );
        let result = result.unwrap_or_default();
        let steps = result.concurrency_by_group(scope, LostEnds::WhenReported);
        let series = groups.with_starts(CountSeries::of_spans(&result, &steps));
        self.counts(&found, ("at once", by), series)
    }

    fn curves(&self, curves: &[String]) -> Result<String, Failure> {
        let Opened {
            snapshot, meaning, ..
        } = self.opened;
        let subject = |text: &String| {
            let subject = CurveSubject::parse(text, &meaning.entities, meaning.flows());
            Ok(match subject {
                CurveSubject::Key(key) => CurveSubject::Key(self.opened.key(&key)?),
                other => other,
            })
        };
        let asked = CurvesRequest {
            meaning: meaning.clone(),
            steps: conditions(self.opened, self.select)?
                .into_iter()
                .map(|expr| SelectionStep::new("", expr))
                .collect(),
            of: Some(curves.iter().map(subject).collect::<Result<_, Failure>>()?),
            most: curves.len(),
        };
        let rows = rows::select(snapshot, &asked.steps, &Cancel::default());
        let rows = rows.unwrap_or_default().0;
        let found = plots::curves(snapshot, &rows, &asked, &Cancel::default());
        let found = found.map_or_else(Vec::new, |(curves, _)| curves);
        let data = snapshot.range().unwrap_or_default();
        self.drawn(figures::curves(&found, data, &self.when))
    }

    fn throughput(&self, entity: &str, by: Option<&str>) -> Result<String, Failure> {
        let found = self.instances(entity)?;
        let groups = self.groups(by)?;
        let (snapshot, scope) = (&self.opened.snapshot, &self.scope);
        let result = throughput(
            snapshot,
            &found,
            scope,
            groups.by.as_ref(),
            &Cancel::default(),
        );
        let result = result.unwrap_or_default();
        let series = groups.with_starts(CountSeries::of_throughput(&result));
        self.counts(&found, ("finished", by), series)
    }

    /// Numbers of instances of groups over time.
    fn counts(
        &self,
        found: &Instances,
        (what, by): (&str, Option<&str>),
        series: Vec<CountSeries<'_>>,
    ) -> Result<String, Failure> {
        let size = |of: &CountSeries<'_>| of.steps.max().map_or(0, |m| m.1.unsigned_abs() as usize);
        let order = group_order(series.iter().map(|of| (of.group, size(of)))).into_iter();
        let groups = order.map(|at| GroupCounts {
            name: series[at].group,
            start: series[at].start,
            steps: series[at].steps,
        });
        let groups: Vec<GroupCounts<'_>> = groups.collect();
        let plural = found.entity.plural();
        let title = match by {
            Some(by) => format!("{plural} {what} by {by}"),
            None => format!("{plural} {what}"),
        };
        let end = self.opened.snapshot.range().map(|r| r.1);
        self.drawn(figures::counts((&title, &plural), &groups, end, &self.when))
    }

    fn dag(
        &self,
        (of, by): (Option<&str>, Option<&str>),
        language: FigureLanguage,
    ) -> Result<String, Failure> {
        let query = DagQuery {
            of,
            by,
            folding: Folding::Large,
            select: self.select,
        };
        let DagAnswer { found, graph } = &super::dag::find(self.opened, &query)?;
        let drawn = &graph.drawn;
        match language {
            FigureLanguage::Svg => self.drawn(Some(figures::dag(found, drawn, &self.when))),
            FigureLanguage::Dot => Ok(figures::dag_as_dot(found, drawn, self.theme)),
        }
    }

    /// Rows of a timeline: by an entity, a key, or one for each instance.
    fn rows(&self, by: Option<&str>) -> Result<RowsBy, Failure> {
        let Some(name) = by else {
            return Ok(RowsBy::Each);
        };
        let snapshot = &self.opened.snapshot;
        if let Err(UnresolvedName::Unknown(_)) = self.opened.names().entity(name) {
            let key = known_key(self.opened, name)?;
            return Ok(RowsBy::Carrier(snapshot.catalog.keys.name(key).to_owned()));
        }
        let other = self.opened.entity(name)?;
        match Grouping::by_entity(snapshot, &other) {
            Some(_) => Ok(RowsBy::Carrier(other.name.clone())),
            None => {
                let text = format!("no event has the keys of {}", other.name);
                Err(Failure::Absent(text))
            }
        }
    }

    /// Meaning of the colours of a timeline.
    fn colour(&self, name: Option<&str>) -> Result<ColourBy, Failure> {
        Ok(match name {
            None | Some("state") => ColourBy::State,
            Some("label") => ColourBy::Key("label".to_owned()),
            Some(name) => {
                by(self.opened, name)?;
                ColourBy::Key(name.to_owned())
            }
        })
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
        for bad in ["", "series", "nothing:x", "states:a:b:c", "spans:"] {
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
