//! Contents of exported files: the same figures and rows as those of the commands.

use rustc_hash::FxHashMap;

use crate::plots::{self, CurvesRequest, FlowBy, PlotData, window_of};
use crate::rows::Rows;
use widetui_analysis::scope::TimeWindow;
use widetui_analysis::spans::Span;
use widetui_core::cancel::Cancel;
use widetui_report::figures::{self, FigureRange};
use widetui_report::origin::Extent;
use widetui_report::records::{self, RecordForm};
use widetui_report::sheet::{Sheet, log_text};
use widetui_report::svg::{Figure, Theme, render};
use widetui_report::{messages, results};
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use super::{Body, Content, Export, Shown, run_name};

type Made<'a> = Result<Vec<Content<'a>>, &'static str>;

const NOTHING: &str = "the selection has no data for this view";

fn csv<'a>(bytes: Vec<u8>) -> Content<'a> {
    Content {
        ending: "csv",
        body: Body::Bytes(bytes),
    }
}

/// Renders a figure for paper, as `widetui export` does.
fn svg<'a>(figure: &Figure<'_>) -> Content<'a> {
    Content {
        ending: "svg",
        body: Body::Bytes(render(figure, Theme::Light).into_bytes()),
    }
}

/// Writes the records of these rows in each format.
fn records<'a>(snapshot: &'a Snapshot, rows: &'a Rows, cancel: &'a Cancel) -> Made<'a> {
    if rows.len(snapshot) == 0 {
        return Err("no record is selected");
    }
    // With duplicates, as the command does; its options can exclude them.
    let rows = rows.with_duplicates();
    let extent = match rows.len(snapshot) == snapshot.len() {
        true => Extent::Whole,
        false => Extent::Part,
    };
    let forms = [
        ("jsonl", RecordForm::Jsonl(extent)),
        ("csv", RecordForm::Csv),
        ("txt", RecordForm::Text),
        ("log", RecordForm::Text),
    ];
    let content = |(ending, form)| Content {
        ending,
        body: Body::Written(Box::new(move |out| {
            let ids = (0..rows.len(snapshot)).filter_map(|row| rows.get(snapshot, row));
            let ids: Vec<u32> = ids.map(|id| id.0).collect();
            records::write(snapshot, &ids, form, cancel, out)
        })),
    };
    Ok(forms.map(content).into())
}

/// A picture, if there is one, and its numbers.
fn both<'a>(figure: Option<Figure<'_>>, sheet: &Sheet) -> Made<'a> {
    if sheet.rows.is_empty() {
        return Err(NOTHING);
    }
    let svg = figure.map(|figure| svg(&figure));
    Ok(svg.into_iter().chain([csv(sheet.csv())]).collect())
}

/// Creates the files with these extensions. `None` if cancelled.
pub(super) fn made<'a>(
    snapshot: &'a Snapshot,
    export: &'a Export,
    endings: &[&str],
    cancel: &'a Cancel,
) -> Option<Made<'a>> {
    let mut made = all(snapshot, export, endings, cancel)?;
    if let Ok(contents) = &mut made {
        contents.retain(|content| endings.contains(&content.ending));
        if contents.is_empty() {
            return Some(Err("there is nothing to draw"));
        }
    }
    Some(made)
}

/// Creates the files with these extensions, and others that are free by-products. `None` if cancelled.
fn all<'a>(
    snapshot: &'a Snapshot,
    export: &'a Export,
    endings: &[&str],
    cancel: &'a Cancel,
) -> Option<Made<'a>> {
    let asked = match &export.shown {
        Shown::Table(text) => return Some(Ok(vec![csv(text.clone().into_bytes())])),
        Shown::Text(text) => {
            return Some(Ok(vec![Content {
                ending: "txt",
                body: Body::Bytes(text.clone().into_bytes()),
            }]));
        }
        Shown::Records(Some(asked)) if endings.contains(&"svg") => {
            return curves(snapshot, export, asked, cancel);
        }
        Shown::Records(_) => return Some(records(snapshot, &export.rows, cancel)),
        Shown::Plot(asked) => asked,
    };
    let data = plots::answer(snapshot, &export.rows, asked, cancel)?;
    Some(plot(
        snapshot,
        data,
        &export.zone,
        &when(export, window_of(&asked.steps)),
    ))
}

/// Returns the time range of a figure.
fn when(export: &Export, window: TimeWindow) -> FigureRange {
    FigureRange {
        window,
        zone: export.zone.clone(),
        run: run_name(&export.place.opened),
    }
}

/// Plots the curves below the overview; `None` if cancelled.
fn curves<'a>(
    snapshot: &Snapshot,
    export: &Export,
    asked: &CurvesRequest,
    cancel: &Cancel,
) -> Option<Made<'a>> {
    let (curves, scope) = plots::curves(snapshot, &export.rows, asked, cancel)?;
    let data = snapshot.range().unwrap_or_default();
    let when = when(export, scope.window);
    Some(match figures::curves(&curves, data, &when) {
        Some(figure) => Ok(vec![svg(&figure)]),
        None => Err("there are no curves below the overview"),
    })
}

/// A plot over time with the table that belongs to it.
fn plot<'a>(snapshot: &Snapshot, data: PlotData, zone: &Zone, when: &FigureRange) -> Made<'a> {
    match data {
        PlotData::Empty => Err(NOTHING),
        PlotData::States(found, data) => {
            let end = snapshot.range().map(|r| r.1);
            let figure = figures::states(&found, &data, end, when);
            both(figure, &results::states(&data, zone))
        }
        PlotData::Timeline {
            of,
            timeline,
            carrier,
            ..
        } => {
            let rows = carrier.as_ref().map(|c| c.title.as_str());
            let figure = figures::timeline(&of, &timeline, rows, when);
            both(figure, &results::timeline(snapshot, &of, &timeline))
        }
        PlotData::Latency {
            of, latency, by, ..
        } => {
            let figure = figures::latency(&of, &latency, when);
            both(figure, &results::latency(&latency, by.as_slice()))
        }
        PlotData::Spans { of, spans, by } => {
            let name = |s: &Span| results::id_cell(snapshot, &of, s.subject as usize);
            let sheet = match by {
                Some(_) => results::durations(&spans),
                None => results::spans(&spans, name, zone),
            };
            let figure = figures::durations(&of.entity.plural(), &spans, when);
            both(figure, &sheet)
        }
        PlotData::Throughput { of, rates, .. } => {
            let end = snapshot.range().map(|r| r.1);
            let figure = figures::throughput(&of.entity.plural(), &rates, end, when);
            both(figure, &results::throughput(&rates, zone))
        }
        PlotData::Marked(data) => {
            let names: FxHashMap<u32, &String> = data
                .spans
                .list
                .iter()
                .map(|s| s.subject)
                .zip(&data.names)
                .collect();
            let name = |s: &Span| log_text(names.get(&s.subject).map_or("", |n| n.as_str()));
            let sheet = match &data.by {
                Some(_) => results::durations(&data.spans),
                None => results::spans(&data.spans, name, zone),
            };
            let what = data.marks.told();
            both(figures::durations(&what, &data.spans, when), &sheet)
        }
        PlotData::Series(data) => {
            let figure = figures::series(&data.series, &data.spec, when);
            both(figure, &results::series(&data.series, None))
        }
        PlotData::Flow(found, FlowBy::Each) => {
            let figure = figures::flow(&found.flow, when);
            both(figure, &messages::messages(snapshot, &found.flow))
        }
        PlotData::Flow(found, FlowBy::Kind) => both(None, &messages::latencies(&found.flow, None)),
        PlotData::Account { of, sums, .. } => {
            both(None, &results::account(&sums, &of.entity.plural()))
        }
        PlotData::Spent(found, sum) => {
            let sum = sum.as_ref();
            both(None, &results::spent(snapshot, &found, sum))
        }
        PlotData::Slowest(found, data) => {
            both(None, &results::slowest(snapshot, &found, &data, zone))
        }
    }
}
