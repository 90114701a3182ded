//! Contents of exported files: the same figures and rows as those of the commands.

use crate::plots::{self, window_of};
use crate::rows::Rows;
use widetui_core::cancel::Cancel;
use widetui_core::words::printable;
use widetui_report::document::DocumentForm;
use widetui_report::dot;
use widetui_report::figure::Figure;
use widetui_report::origin::Extent;
use widetui_report::records::{self, RecordForm};
use widetui_report::svg::{FigureFrame, Theme, render};
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

/// Pictures of a figure for paper, as `widetui export` makes them: an image, and of a graph its source for GraphViz.
fn pictures<'a>(figure: &Figure, frame: &FigureFrame) -> Vec<Content<'a>> {
    let content = |ending, text: String| Content {
        ending,
        body: Body::Bytes(text.into_bytes()),
    };
    let image = content("svg", render(figure, frame, Theme::Light));
    let graph = dot::of_figure(figure, Theme::Light).map(|text| content("dot", text));
    std::iter::once(image).chain(graph).collect()
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
    let (asked, make) = match &export.shown {
        Shown::Table(text) => return Some(Ok(vec![csv(text.clone().into_bytes())])),
        Shown::Text(text) => {
            return Some(Ok(vec![Content {
                ending: "txt",
                body: Body::Bytes(printable(text).into_owned().into_bytes()),
            }]));
        }
        Shown::Records(Some((asked, make))) if endings.contains(&"svg") => (asked, make),
        Shown::Records(_) => return Some(records(snapshot, &export.rows, cancel)),
        Shown::Plot(asked, make) => (asked, make),
    };
    let data = plots::answer(snapshot, &export.rows, asked, cancel)?;
    let (sheet, figure) = make(snapshot, data);
    let frame = FigureFrame {
        window: window_of(&asked.steps),
        zone: export.zone.clone(),
        run: run_name(&export.place.opened),
    };
    let mut made = figure.map_or_else(Vec::new, |figure| pictures(&figure, &frame));
    if !sheet.rows.is_empty() {
        made.push(csv(sheet.csv()));
    }
    Some(match made.is_empty() {
        true => Err(NOTHING),
        false => Ok(made),
    })
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
