//! Contents of exported files: the same figures and rows as those of the commands.

use crate::plots::{self, CurvesRequest, FlowBy, PlotData, window_of};
use crate::rows::Rows;
use widetui_analysis::scope::TimeWindow;
use widetui_core::cancel::Cancel;
use widetui_core::words::printable;
use widetui_report::document::DocumentForm;
use widetui_report::figures::{self, FigureRange};
use widetui_report::origin::Extent;
use widetui_report::records::{self, RecordForm};
use widetui_report::svg::{Figure, Theme, TimeOrigin, render};
use widetui_store::Snapshot;

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

/// Graph of dependencies for GraphViz.
fn dot<'a>(data: &PlotData) -> Option<Content<'a>> {
    let PlotData::Dag(of, graph) = data else {
        return None;
    };
    let text = figures::dag_as_dot(of, &graph.drawn, Theme::Light);
    Some(Content {
        ending: "dot",
        body: Body::Bytes(text.into_bytes()),
    })
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
    let forms = endings.iter();
    if let Some(form) = forms.filter_map(|e| DocumentForm::of_extension(e)).next() {
        let (request, make) = &export.report;
        let document = make(snapshot, request, cancel)?;
        return Some(Ok(vec![Content {
            ending: form.extension(),
            body: Body::Bytes(form.write(&document).into_bytes()),
        }]));
    }
    let (asked, sheet) = match &export.shown {
        Shown::Table(text) => return Some(Ok(vec![csv(text.clone().into_bytes())])),
        Shown::Text(text) => {
            return Some(Ok(vec![Content {
                ending: "txt",
                body: Body::Bytes(printable(text).into_owned().into_bytes()),
            }]));
        }
        Shown::Records(Some(asked)) if endings.contains(&"svg") => {
            return curves(snapshot, export, asked, cancel);
        }
        Shown::Records(_) => return Some(records(snapshot, &export.rows, cancel)),
        Shown::Plot(asked, sheet) => (asked, sheet),
    };
    let data = plots::answer(snapshot, &export.rows, asked, cancel)?;
    let sheet = sheet(snapshot, &data);
    if sheet.rows.is_empty() {
        return Some(Err(NOTHING));
    }
    let figure = figure(snapshot, &data, &when(export, window_of(&asked.steps)));
    let svg = figure.map(|figure| svg(&figure));
    let pictures = svg.into_iter().chain(dot(&data));
    Some(Ok(pictures.chain([csv(sheet.csv())]).collect()))
}

/// Returns the time range of a figure.
fn when(export: &Export, window: TimeWindow) -> FigureRange {
    FigureRange {
        origin: TimeOrigin::Clock,
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

/// Figure of a plot over time; `None` for a table without one.
pub fn figure<'a>(
    snapshot: &Snapshot,
    data: &'a PlotData,
    when: &FigureRange,
) -> Option<Figure<'a>> {
    let end = snapshot.range().map(|r| r.1);
    match data {
        PlotData::States { of, groups, by } => match (&groups[..], by) {
            ([one], None) => figures::states(of, &one.states, end, when),
            (groups, _) => figures::states_by(of, groups, (end, |_: &str| None), when),
        },
        PlotData::Timeline {
            of,
            timeline,
            carrier,
            ..
        } => {
            let rows = carrier.as_ref().map(|c| c.title.as_str());
            figures::timeline(of, timeline, rows, when)
        }
        PlotData::Latency { of, latency, .. } => figures::latency(of, latency, when),
        PlotData::Spans { of, spans, .. } => figures::durations(&of.entity.plural(), spans, when),
        PlotData::Throughput { of, rates, .. } => {
            figures::throughput(&of.entity.plural(), rates, end, when)
        }
        PlotData::Marked(data) => figures::durations(&data.marks.told(), &data.spans, when),
        PlotData::Series(data) => figures::series(&data.series, &data.spec, when),
        PlotData::Flow(found, FlowBy::Each) => figures::flow(&found.flow, when),
        PlotData::Dag(of, graph) => Some(figures::dag(of, &graph.drawn, when)),
        PlotData::Empty
        | PlotData::Flow(_, FlowBy::Kind)
        | PlotData::Account { .. }
        | PlotData::Spent(..)
        | PlotData::Slowest(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ReportRequest;
    use std::sync::Arc;
    use widetui_time::zone::Zone;

    #[test]
    fn text_of_a_view_has_no_characters_that_a_terminal_obeys() {
        let report = ReportRequest {
            rows: Rows::default(),
            steps: Vec::new(),
            meaning: Arc::default(),
            zone: Zone::Utc,
            now: None,
            run: String::new(),
            command: String::new(),
        };
        let export = Export {
            rows: Rows::default(),
            shown: Shown::Text("a \x1b[2J\u{202e}b\n\tc".to_owned()),
            report: (report, |_, _, _| None),
            zone: Zone::Utc,
            place: super::super::Destination::default(),
        };
        let cancel = Cancel::default();
        let snapshot = Snapshot::default();
        let made = made(&snapshot, &export, &["txt"], &cancel);
        let contents = made.unwrap().unwrap();
        let Body::Bytes(bytes) = &contents[0].body else {
            panic!("no bytes");
        };
        assert_eq!(str::from_utf8(bytes), Ok("a ␛[2J<202E>b\n\tc"));
    }
}
