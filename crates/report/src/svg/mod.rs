//! Figures as SVG: one file, no scripts, no fonts of its own, light or dark.

mod axes;
mod bars;
mod canvas;
mod curves;
mod gantt;
mod graph;
mod sequence;

use widetui_analysis::scope::TimeWindow;
use widetui_time::zone::Zone;

use crate::figure::{Figure, Plot, TimeOrigin};
pub use canvas::Theme;
use canvas::{Canvas, TOP, TextAnchor};

/// Setting of an image: what is drawn beside the marks of the figure.
#[derive(Clone, Debug)]
pub struct FigureFrame {
    /// Selected time range; open ends are those of the data.
    pub window: TimeWindow,
    /// Zone of times.
    pub zone: Zone,
    /// Name of the run in titles; may be empty.
    pub run: String,
}

impl FigureFrame {
    /// Time range that is drawn of a figure.
    pub fn range(&self, figure: &Figure) -> (i64, i64) {
        let (first, last) = figure.range.unwrap_or((0, 1));
        let TimeWindow { since, until } = self.window;
        match figure.origin {
            TimeOrigin::Clock => (since.unwrap_or(first), until.unwrap_or(last)),
            TimeOrigin::RunStart { .. } => (0, last),
        }
    }
}

/// Times of an image.
struct Times<'a> {
    /// Time range, UTC ns or from the start of each run.
    range: (i64, i64),
    origin: TimeOrigin,
    zone: &'a Zone,
}

/// Maximum number of names in a legend; the others are counted in a line of text.
const LEGEND: usize = 18;

/// Renders a figure as SVG.
pub fn render(figure: &Figure, frame: &FigureFrame, theme: Theme) -> String {
    let mut canvas = Canvas::new(theme, &figure.title, &frame.run);
    let times = Times {
        range: frame.range(figure),
        origin: figure.origin,
        zone: &frame.zone,
    };
    let mut notes = match &figure.plot {
        Plot::Words(sentences) => words(&mut canvas, sentences),
        Plot::Curves(curves) => curves::draw(&mut canvas, &times, curves),
        Plot::Bars(groups) => bars::draw(&mut canvas, groups),
        Plot::Gantt(gantt) => gantt::draw(&mut canvas, &times, gantt),
        Plot::Sequence(sequence) => sequence::draw(&mut canvas, &times, sequence),
        Plot::Graph(graph) => graph::draw(&mut canvas, graph),
    };
    notes.extend(Some(figure.note.clone()).filter(|note| !note.is_empty()));
    canvas.notes(&notes);
    canvas.finish()
}

/// Remarks below an image.
type Notes = Vec<String>;

/// Draws sentences, one below the other.
fn words(canvas: &mut Canvas, sentences: &[String]) -> Notes {
    let ink = canvas.theme.palette().text;
    for (at, sentence) in (0..).zip(sentences) {
        let y = TOP + 14.0 + f64::from(at) * 18.0;
        canvas.text((16.0, y), sentence, (12.0, ink), TextAnchor::Start);
        canvas.ensure_height(y + 10.0);
    }
    Vec::new()
}

#[cfg(test)]
mod tests;
