//! `widetui export -o FILE.svg --plot WHAT`: plots.

use std::io::Write;
use std::path::Path;

use widetui_analysis::entity::names::UnresolvedName;
use widetui_analysis::overview::CurveSubject;
use widetui_analysis::spans::LostEnds;
use widetui_analysis::states::ReporterChoice;
use widetui_analysis::timeline::Grouping;
use widetui_core::nearest::did_you_mean;
use widetui_report::dot;
use widetui_report::figure::{Figure, TimeOrigin};
use widetui_report::svg::{Theme, render};
use widetui_session::export_files::{export as written, run_name};
use widetui_session::plots::{ColourBy, DagFocus, FlowBy, PlotData, PlotKind, RowsBy};

use super::args::{ExportCommand, GroupArgs, PlotArgs, PlotTheme};
use super::opened::Opened;
use super::output::{self, Failure};
use super::plotted::PlotAsker;
use super::selection::by;
use super::series::{known_key, lines_by};

/// Maker of the figure of a plot from its parts; `None` without data.
type Maker = fn(&PlotAsker<'_>, &[String]) -> Result<Option<Figure>, Failure>;

/// Plot that can be drawn: name and parts, those in brackets optional; whether it lays runs over one another; and its maker.
struct PlotForm(&'static str, Origins, Maker);

/// Origins that the times of a plot can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origins {
    Clock,
    /// The clock, or the starts of runs.
    Both,
}

use Origins::{Both, Clock};

/// All plots.
#[rustfmt::skip]
const PLOTS: [PlotForm; 10] = [
    PlotForm("series:KEY[:BY]", Both, |b, p| b.series(p)),
    PlotForm("states:ENTITY[:BY]", Both, |b, p| b.by_group(p, |by| PlotKind::States(by, ReporterChoice::default()))),
    PlotForm("timeline:ENTITY[:BY[:COLOUR]]", Clock, |b, p| b.timeline(p)),
    PlotForm("spans:ENTITY", Clock, |b, p| b.by_group(p, PlotKind::Spans)),
    PlotForm("concurrency:ENTITY[:BY]", Both, |b, p| b.by_group(p, |by| PlotKind::Concurrency(by, LostEnds::default()))),
    PlotForm("throughput:ENTITY[:BY]", Both, |b, p| b.by_group(p, PlotKind::Throughput)),
    PlotForm("latency:ENTITY", Clock, |b, p| b.by_group(p, |by| PlotKind::Latency(by.into_iter().collect()))),
    PlotForm("flow[:NAME]", Clock, |b, p| b.flow(p)),
    PlotForm("dag[:ENTITY[:BY]]", Clock, |b, p| b.dag(p)),
    PlotForm("curves:CURVE[,CURVE...]", Clock, |b, p| b.curves(p)),
];

impl PlotForm {
    fn name(&self) -> &'static str {
        self.0.split([':', '[']).next().unwrap_or_default()
    }

    /// Parts of a plot in this form; `None` if a part lacks or is too much.
    fn parts(&self, text: &str) -> Option<Vec<String>> {
        let rest = text.trim().strip_prefix(self.name())?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let mut parts: Vec<String> = match self.0.contains(',') {
            true => vec![rest.to_owned()],
            false => rest.split(':').map(|part| part.trim().to_owned()).collect(),
        };
        while parts.last().is_some_and(String::is_empty) {
            parts.pop();
        }
        let most = self.0.matches(':').count();
        let least = self.0.split('[').next()?.matches(':').count();
        let is_named = parts.iter().take(least).all(|part| !part.is_empty());
        (is_named && (least..=most).contains(&parts.len())).then_some(parts)
    }
}

/// Forms of all plots, for messages.
fn forms() -> String {
    PLOTS.map(|plot| plot.0).join(", ")
}

/// Plot and its subject.
pub struct PlotRequest {
    plot: &'static PlotForm,
    parts: Vec<String>,
    theme: PlotTheme,
    origin: TimeOrigin,
    is_dot: bool,
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
    let name = |text: &str| text.split(':').next().unwrap_or_default().trim().to_owned();
    let name = args.plot.as_deref().map(name);
    let is_dot = name.as_deref() == Some("dag") && (is("dot") || is("gv"));
    let message = |text: String| Err(Failure::Message(text));
    let (text, name) = match (&args.plot, name) {
        (Some(text), Some(name)) => (text, name),
        _ if is("svg") => {
            let (output, forms) = (output.display(), forms());
            return message(format!(
                "{output}: no plot given: add --plot WHAT, one of {forms}"
            ));
        }
        _ => return Ok(None),
    };
    if !is("svg") && !is_dot && !written::is_stdout(output) {
        let output = output.display();
        return message(format!(
            "{output}: plots are written as .svg (dag also as .dot)"
        ));
    }
    let plot = PLOTS.iter().find(|plot| plot.name() == name);
    let Some((plot, parts)) = plot.and_then(|plot| Some((plot, plot.parts(text)?))) else {
        let names = PLOTS.iter().map(PlotForm::name).filter(|n| *n != name);
        let (forms, hint) = (forms(), did_you_mean(&name, names));
        return message(format!(
            "--plot {text}: unknown plot, use one of {forms}{hint}"
        ));
    };
    if args.from_start && plot.1 == Clock {
        return message(format!(
            "--from-start: --plot {text} cannot lay runs over one another; series, states, concurrency and throughput can"
        ));
    }
    Ok(Some(PlotRequest {
        plot,
        parts,
        theme: args.plot_theme,
        origin: match args.from_start {
            true => TimeOrigin::RunStart { left_out: 0 },
            false => TimeOrigin::Clock,
        },
        is_dot,
    }))
}

/// Draws a plot into a file.
///
/// # Errors
/// No data to draw, unknown keys or entities, or the file cannot be written.
pub fn export(opened: &Opened, wanted: &PlotRequest, c: &ExportCommand) -> Result<(), Failure> {
    let mut asker = PlotAsker::new(opened, &c.select)?;
    asker.origin = wanted.origin;
    let figure = (wanted.plot.2)(&asker, &wanted.parts)?;
    let figure = figure.ok_or_else(|| {
        let text = "no data to draw, so no file was written";
        Failure::Absent(text.to_owned())
    })?;
    let theme = match wanted.theme {
        PlotTheme::Light => Theme::Light,
        PlotTheme::Dark => Theme::Dark,
    };
    let frame = asker.frame(run_name(&c.paths));
    let graph = dot::of_figure(&figure, theme).filter(|_| wanted.is_dot);
    let text = graph.unwrap_or_else(|| render(&figure, &frame, theme));
    output::redirect(&c.output)?;
    output::check_sources(&opened.snapshot)?;
    output::Bytes.write_all(text.as_bytes())?;
    Ok(output::Bytes.flush()?)
}

impl PlotAsker<'_> {
    /// Figure of a view of the explorer.
    fn view(&self, entity: Option<&String>, of: PlotKind) -> Result<Option<Figure>, Failure> {
        let entity = entity.map(|name| self.opened.entity(name)).transpose()?;
        let name = entity.as_ref().map(|entity| entity.name.as_str());
        Ok(self.figure(self.answer(name, of)?))
    }

    /// Figure of an entity, with groups by a key.
    fn by_group(
        &self,
        parts: &[String],
        of: fn(Option<String>) -> PlotKind,
    ) -> Result<Option<Figure>, Failure> {
        let by = self.group(parts.get(1))?;
        self.view(parts.first(), of(by))
    }

    /// Key of groups, which some event has.
    fn group(&self, by: Option<&String>) -> Result<Option<String>, Failure> {
        let args = GroupArgs {
            by: by.cloned(),
            from_start: self.origin != TimeOrigin::Clock,
        };
        self.group_key(&args)
    }

    fn series(&self, parts: &[String]) -> Result<Option<Figure>, Failure> {
        let [key, by @ ..] = parts else {
            return Ok(None);
        };
        let key = known_key(self.opened, key)?;
        let key = self.opened.snapshot.catalog.keys.name(key).to_owned();
        self.group(by.first().filter(|by| *by != "none"))?;
        let lines = lines_by(self.opened, by)?;
        self.view(None, PlotKind::Series(key, lines, None))
    }

    fn curves(&self, parts: &[String]) -> Result<Option<Figure>, Failure> {
        let meaning = &self.opened.meaning;
        let texts = parts.iter().flat_map(|part| part.split(','));
        let subject = |text: &str| {
            let subject = CurveSubject::parse(text, &meaning.entities, meaning.flows());
            Ok(match subject {
                CurveSubject::Key(key) => CurveSubject::Key(self.opened.key(&key)?),
                other => other,
            })
        };
        let of: Vec<CurveSubject> = texts.map(subject).collect::<Result<_, Failure>>()?;
        let most = of.len();
        self.view(None, PlotKind::Curves(Some(of), most))
    }

    fn dag(&self, parts: &[String]) -> Result<Option<Figure>, Failure> {
        let part = |at: usize| parts.get(at).map(String::as_str).filter(|p| !p.is_empty());
        let data = super::dag::find(self, part(0), (part(1), DagFocus::All))?;
        Ok(self.figure(data))
    }

    fn timeline(&self, parts: &[String]) -> Result<Option<Figure>, Failure> {
        let rows = self.rows(parts.get(1).filter(|by| !by.is_empty()))?;
        let colour = self.colour(parts.get(2).map(String::as_str))?;
        self.view(parts.first(), PlotKind::Timeline(rows, colour))
    }

    /// Rows of a timeline: by an entity, a key, or one for each instance.
    fn rows(&self, by: Option<&String>) -> Result<RowsBy, Failure> {
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
            Some(name) => ColourBy::Key(by(self.opened, name)?),
        })
    }

    fn flow(&self, parts: &[String]) -> Result<Option<Figure>, Failure> {
        let found = super::flow::find(self, parts.first().map(String::as_str))?;
        let data = PlotData::Flow(found, FlowBy::Each);
        Ok(self.figure(data))
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
        let of = |text: &str| {
            let wanted = wanted(&args(Some(text)), svg)?.unwrap();
            Ok::<_, Failure>((wanted.plot.name(), wanted.parts.join(" ")))
        };
        let is = |text: &str, name: &str, parts: &str| {
            assert_eq!(of(text).ok(), Some((name, parts.to_owned())), "{text}");
        };
        is("timeline:a.b:c", "timeline", "a.b c");
        is("timeline:a.b::label", "timeline", "a.b  label");
        is("flow", "flow", "");
        is("dag:", "dag", "");
        is("curves:a, b:c", "curves", "a, b:c");
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
        assert!(matches!(wanted(&args(None), Path::new("x.csv")), Ok(None)));
    }
}
