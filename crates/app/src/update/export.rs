//! Export of the view: prompt for the file name, and the request to write the files in the background.

use std::path::PathBuf;

use crate::model::Model;
use crate::model::view::Body;
use crate::msg::Effect;
use crate::popups::PromptKind;
use crate::time_selection;
use widetui_query::{Expr, Field, Op};
use widetui_session::export_files::{Destination, Export, Shown};
use widetui_session::jobs::{Question, TableRequest};
use widetui_session::report::ReportRequest;
use widetui_session::selection::SelectionStep;
use widetui_tables::table::csv;
use widetui_tables::{answers, documents};

use super::command_line;
use super::primitives::notices::{alert, say};
use super::primitives::questions::ask;
use super::primitives::{plotting, prompts};

/// File extensions that a suggested name omits from the name of the opened log.
const ENDINGS: [&str; 8] = [".gz", ".zst", ".xz", ".bz2", ".tgz", ".tar", ".zip", ".log"];

/// Extension of exported records.
const RECORDS: &str = ".jsonl";

/// Maximum length of the opened log's name in a suggested name, in characters.
const TITLE: usize = 40;

/// Opens the prompt for the file name, with a suggestion; alerts if the view cannot be exported.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let endings = match shown(model) {
        Ok(shown) => shown.endings(),
        Err(reason) => {
            return alert(model, reason);
        }
    };
    let path = model.user_data.export.0.join(name(model));
    let kind = PromptKind::Export(endings);
    prompts::open(model, kind, &path.display().to_string())
}

/// Exports the view to files named `name`, or does nothing if `name` is empty. Alerts if the view cannot
/// be exported.
pub(super) fn write(model: &mut Model, name: &str) -> Vec<Effect> {
    if name.is_empty() {
        return Vec::new();
    }
    let shown = match shown(model) {
        Ok(shown) => shown,
        Err(reason) => {
            return alert(model, reason);
        }
    };
    // A name without a folder refers to the suggested folder.
    let is_bare = !name.contains('/');
    let path = match is_bare {
        true => model.user_data.export.0.join(name).display().to_string(),
        false => name.to_owned(),
    };
    let mut steps = model.selection.steps().to_vec();
    steps.extend(zoomed(model));
    let report = ReportRequest {
        rows: model.rows.own().clone(),
        steps,
        meaning: model.meaning.clone(),
        zone: model.zone.clone(),
        now: model.now(),
        run: model.title.clone(),
        command: command_line::report(model, name),
    };
    let export = Export {
        rows: model.rows.own().clone(),
        shown,
        report: (report, documents::report::document),
        zone: model.zone.clone(),
        place: Destination {
            name: path,
            opened: model.user_data.export.1.clone(),
        },
    };
    say(model, "writing …");
    vec![ask(model, Question::Export(Box::new(export)))]
}

/// Notifies the user of the files that an export wrote; alerts if it failed.
pub(super) fn written(model: &mut Model, written: Result<Vec<PathBuf>, String>) -> Vec<Effect> {
    let paths = match written {
        Ok(paths) => paths,
        Err(reason) => return alert(model, format!("nothing was written: {reason}")),
    };
    let mut text = String::new();
    for path in &paths {
        let ending = path.extension().map(|e| e.to_string_lossy().into_owned());
        match text.is_empty() {
            true => text = format!("wrote {}", path.display()),
            // The paths differ only in their extensions.
            false => text.push_str(&format!(" and .{}", ending.unwrap_or_default())),
        }
    }
    say(model, text)
}

/// Error for views without exportable content.
const NOTHING: &str = "this view is no table and no picture: there is nothing to write";

/// Content of the view to export, or the reason why it cannot be exported.
fn shown(model: &Model) -> Result<Shown, String> {
    let (zoom, view) = (zoomed(model), model.view);
    match model.view.body {
        Body::Records if model.is_empty() => Err("no record is selected".to_owned()),
        Body::Records if model.plots.drawn.is_empty() => Ok(Shown::Records(None)),
        Body::Records => {
            let mut asked = plotting::curves_asked(model);
            asked.steps.extend(zoom);
            Ok(Shown::Records(Some((Box::new(asked), answers::contents))))
        }
        Body::Page(page) => Ok(Shown::Text((page.text)(model))),
        Body::Table(_) => match ((view.question)(model), model.table()) {
            (Some(TableRequest::Plot(mut asked)), _) => {
                if view.is_over_time() {
                    asked.steps.extend(zoom);
                }
                Ok(Shown::Plot(Box::new(asked), answers::contents))
            }
            (_, Some(table)) if table.is_known && !table.is_empty() => {
                Ok(Shown::Table(csv::text(table)))
            }
            _ => Err(NOTHING.to_owned()),
        },
    }
}

/// Zoom range as a step of the selection: an export excludes what is off the screen.
fn zoomed(model: &Model) -> Option<SelectionStep> {
    let (from, to) = model.events.zoom?;
    let expr = Expr::all_of([
        Expr::compare(Field::Time, Op::Ge, time_selection::literal(from)),
        Expr::compare(Field::Time, Op::Le, time_selection::literal(to)),
    ]);
    Some(SelectionStep::new("zoom", expr))
}

/// Suggested file name: name of the opened log, title of the view, and its entity or key.
pub(super) fn name(model: &Model) -> String {
    let mut opened = model.title.rsplit('/').next().unwrap_or_default();
    while let Some(rest) = ENDINGS.iter().find_map(|e| opened.strip_suffix(e)) {
        opened = rest;
    }
    let opened: String = opened.chars().take(TITLE).collect();
    let (view, ending) = match model.view.is_records() {
        true => ("records", RECORDS),
        false => (model.view.title, ""),
    };
    let of = (model.view.export_subject)(model);
    let parts = [Some(opened.as_str()), Some(view), of];
    let parts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|p| !p.is_empty())
        .collect();
    // A dot would start an extension.
    let plain = |c: char| match c.is_ascii_alphanumeric() || "_-".contains(c) {
        true => c,
        false => '-',
    };
    let name: String = parts.join("-").chars().map(plain).collect();
    format!("{}{ending}", name.trim_start_matches('-'))
}
