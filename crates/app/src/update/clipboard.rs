//! Copies records, values, JSON lines, paths, ids of instances, the title of the run, and the command
//! line that reproduces the view ([`command_line`]).

use crate::clipboard_text::ClipboardText;
use crate::model::Model;
use crate::model::view::Body;
use crate::msg::Effect;
use crate::popups::PivotPurpose;
use crate::under_cursor;
use widetui_core::words::is_format_control;
use widetui_query::{Expr, Field};
use widetui_session::jobs::Question;
use widetui_tables::text;

use super::primitives::copy;
use super::primitives::notices::{alert, say};
use super::primitives::questions::ask;
use super::{availability, command_line, popups};

/// Copies the command line that reproduces the view; alerts if there is none, or if it contains
/// characters that [`ClipboardText`] would replace.
pub(super) fn command_line(model: &mut Model) -> Vec<Effect> {
    match command_line::line(model) {
        Ok(line) if ClipboardText::new(&line).as_str() != line => alert(
            model,
            "no command line shows this: it has control or invisible characters, which are not copied",
        ),
        Ok(line) => {
            let effects = copy::whole(model, line, "the command");
            let steps = model.selection.steps();
            if steps.iter().any(|s| s.is_approximate(&model.snapshot)) {
                say(
                    model,
                    "copied the command · it comes close: it cannot name each of these records alone",
                );
            } else if !model.selection.joins().own.is_empty() {
                say(
                    model,
                    "copied the command · joins of your own are in it once they are saved",
                );
            }
            effects
        }
        Err(reason) => alert(model, format!("no command line shows this: {reason}")),
    }
}

/// Copies the current record, table row or source path, or the whole page or plot. Cuts a text that is too long for terminals.
pub(super) fn record(model: &mut Model) -> Vec<Effect> {
    let text = (model.view.copied)(model);
    let Some(text) = text else {
        return alert(model, "nothing to copy here");
    };
    let copied = ClipboardText::new(&text);
    if copied.len() <= copy::MOST {
        let what = match model.view.body {
            Body::Records => "the record",
            Body::Page(_) => "all of it",
            Body::Table(_) => "the row",
        };
        return copy::whole(model, text, what);
    }
    // The start of a long record is useful; the start of a command would not be.
    let part = copied.cut(copy::MOST);
    let sizes = [part.len(), copied.len()].map(|bytes| text::size(bytes as u64));
    let [start, all] = sizes;
    alert(
        model,
        format!("copied the first {start} of {all}: terminals take no more"),
    );
    vec![Effect::Copy(part)]
}

/// Opens the list of values or cells to copy.
pub(super) fn value(model: &mut Model) -> Vec<Effect> {
    match model.view.is_table() {
        true => popups::open_cells(model),
        false => popups::open_list(model, PivotPurpose::Copy),
    }
}

/// Copies the path of the source of the current record, or of the source under the cursor.
pub(super) fn path(model: &mut Model) -> Vec<Effect> {
    let path = (model.view.source)(model).map(|s| s.path.clone());
    match path {
        Some(path) if ClipboardText::new(&path).as_str() != path => alert(
            model,
            "the path has control or invisible characters, which are not copied",
        ),
        Some(path) => copy::whole(model, path, "the path"),
        None => alert(
            model,
            "a path is copied in the list of records and in that of sources",
        ),
    }
}

/// Copies the id of the instance under the cursor as an expression: `parsl.task = 24`.
pub(super) fn id(model: &mut Model) -> Vec<Effect> {
    let Some(instance) = under_cursor::instance(model) else {
        let reason = availability::no_instance(model).unwrap_or_default();
        return alert(model, reason);
    };
    let id = id_expression(&instance.id);
    if ClipboardText::new(&id).as_str() != id {
        return alert(
            model,
            "the id has control or invisible characters, which are not copied",
        );
    }
    copy::whole(model, id, "the id")
}

/// Expression for an id, with values in quotes where the parser needs them.
fn id_expression(id: &[(String, String)]) -> String {
    let pairs = id
        .iter()
        .map(|(key, value)| Expr::equals(Field::key(key), value.as_str()).to_string());
    pairs.collect::<Vec<_>>().join(" and ")
}

/// Copies the title of the run, in full also where the breadcrumb shows only its end.
pub(super) fn title(model: &mut Model) -> Vec<Effect> {
    let title = model.title.clone();
    copy::whole(model, title, "the title")
}

/// Requests the current record as a line of JSON, which [`line`] copies.
pub(super) fn json(model: &mut Model) -> Vec<Effect> {
    let id = model
        .current()
        .filter(|_| model.view.is_records())
        .map(|e| e.id);
    match id {
        Some(id) => vec![ask(model, Question::Line(id))],
        None => alert(model, "there is no record to copy"),
    }
}

/// Copies the line of JSON that a record was converted to.
pub(super) fn line(model: &mut Model, line: Option<String>) -> Vec<Effect> {
    match line {
        Some(line) => copy::whole(model, escaped(&line), "a line of JSON"),
        None => Vec::new(),
    }
}

/// Replaces format control characters in a line of JSON by `\u` escapes, since [`ClipboardText`] would
/// replace them by U+FFFD.
fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match is_format_control(c) {
            true => {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                out.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
            }
            false => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::id_expression;

    #[test]
    fn an_id_is_copied_as_an_expression_for_its_records() {
        let id = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(k, v)| (k.to_string(), v.to_string()));
            id_expression(&pairs.collect::<Vec<_>>())
        };
        assert_eq!(id(&[("parsl.task", "24")]), "parsl.task = 24");
        assert_eq!(
            id(&[("mysim.run", "run 7"), ("mysim.job", "a = b")]),
            r#"mysim.run = "run 7" and mysim.job = "a = b""#
        );
    }
}
