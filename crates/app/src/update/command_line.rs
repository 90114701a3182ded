//! Command line that reproduces the view: the same entities, selection and time range.

use crate::model::Model;
use crate::time_selection;
use widetui_analysis::scope::TimeWindow;
use widetui_core::words::shell_word;
use widetui_query::key_resolution::as_typed;
use widetui_query::{Expr, Field, Op};
use widetui_session::plots::apart;
use widetui_tables::table::TableSubject;
use widetui_time::time::{NS_PER_SECOND, parse_seconds};

/// Command line of the current view, or the reason why there is none.
pub(super) fn line(model: &Model) -> Result<String, &'static str> {
    line_of(model, (model.view.command_line)(model))
}

/// Command line that writes a report of the selection to a file; empty if there is none.
pub(super) fn report(model: &Model, file: &str) -> String {
    let words = subcommand(&["report", "-o", file], scope(model));
    line_of(model, words).unwrap_or_default()
}

/// Command line with the words of a subcommand.
fn line_of(
    model: &Model,
    subcommand: Result<Vec<String>, &'static str>,
) -> Result<String, &'static str> {
    let opened = &model.user_data.opened;
    if let Some(reason) = opened.why_not {
        return Err(reason);
    }
    let mut words = vec!["widetui".to_owned()];
    words.extend(subcommand?);
    words.extend(opened.options.iter().map(|o| shell_word(o)));
    words.extend(joins(model));
    words.extend(shifts(model));
    words.extend(opened.paths.iter().map(|path| path_word(path)));
    Ok(words.join(" "))
}

/// Subcommand with its own words and further quoted ones.
pub(super) fn subcommand(words: &[&str], more: Vec<String>) -> Result<Vec<String>, &'static str> {
    Ok([quoted_words(words), more].concat())
}

/// Words quoted for a shell.
fn quoted_words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| shell_word(w)).collect()
}

/// Option with its value; empty if there is no value.
pub(super) fn option<'a>(name: &'a str, value: Option<&'a str>) -> Vec<&'a str> {
    value.map_or(Vec::new(), |value| vec![name, value])
}

/// Entity that the view shows, or the reason why it is not known.
pub(super) fn about(model: &Model) -> Result<&TableSubject, &'static str> {
    let table = model.table().filter(|t| t.is_known);
    let table = table.ok_or("it is still being worked out")?;
    let about = table.table.subject.as_ref();
    about.ok_or("there is nothing of the kind here")
}

/// Selection as one expression.
pub(super) fn selected(model: &Model) -> Expr {
    Expr::all_of(model.selection.steps().iter().map(|s| s.expr.clone()))
}

/// Expression as typed on the command line, with key names that resolve to the same keys.
pub(super) fn typed(model: &Model, expr: &Expr) -> String {
    as_typed(expr, &model.snapshot.catalog.keys).to_string()
}

pub(super) fn filter(model: &Model, expr: &Expr) -> Vec<String> {
    match expr.is_all() {
        true => Vec::new(),
        false => vec!["--where".to_owned(), shell_word(&typed(model, expr))],
    }
}

/// `--where` option for the selection; empty if all records are selected.
pub(super) fn chosen(model: &Model) -> Vec<String> {
    filter(model, &selected(model))
}

/// `--unique` option if the list hides duplicate records, else empty.
pub(super) fn unique(model: &Model) -> Vec<String> {
    match model.rows.hidden_duplicates(&model.snapshot) {
        0 => Vec::new(),
        _ => vec!["--unique".to_owned()],
    }
}

/// Options of an analysis: `--where` restricts it to instances with selected records, `--since` and
/// `--until` to the selected and visible times.
pub(super) fn scope(model: &Model) -> Vec<String> {
    let (expr, mut window) = apart(model.selection.steps());
    if let Some(shown) = stretch(model) {
        window.since = window.since.max(shown.since);
        window.until = match (window.until, shown.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    let mut words = filter(model, &expr);
    for (option, time) in [("--since", window.since), ("--until", window.until)] {
        words.extend(
            time.map(|t| [option.to_owned(), time_selection::literal(t)])
                .into_iter()
                .flatten(),
        );
    }
    words
}

/// Time selection, else the zoom range; `None` in views without a time axis.
fn stretch(model: &Model) -> Option<TimeWindow> {
    if !model.view.is_over_time() {
        return None;
    }
    let zoom = || model.events.zoom.map(|(from, to)| window(from, to));
    brushed(model).or_else(zoom)
}

/// Time selection as a time window.
pub(super) fn brushed(model: &Model) -> Option<TimeWindow> {
    model.events.time_selection.map(|b| window(b.from, b.to))
}

/// Time window from `from` to `to`, both inclusive, ns.
fn window(from: i64, to: i64) -> TimeWindow {
    TimeWindow {
        since: Some(from),
        until: Some(to.saturating_add(1)),
    }
}

/// Expression for a time window.
pub(super) fn within(window: &TimeWindow) -> Expr {
    let since = window.since.map(|t| (Op::Ge, t));
    let until = window.until.map(|t| (Op::Lt, t));
    let ends = since.into_iter().chain(until);
    Expr::all_of(ends.map(|(op, t)| Expr::compare(Field::Time, op, time_selection::literal(t))))
}

/// `--join` or `--no-join` options, whichever are fewer, if the user or typed options switched some
/// joins off; else empty.
fn joins(model: &Model) -> Vec<String> {
    let chosen = model.selection.joins();
    let is_on = |name: &&str| !chosen.off.contains(*name);
    let all = || model.meaning.joins.iter().map(|j| j.name.as_str());
    if all().all(|name| is_on(&name)) {
        return Vec::new();
    }
    let (on, off): (Vec<&str>, Vec<&str>) = all().partition(is_on);
    let (option, names) = match (on.len(), off.len()) {
        (0, _) => ("--join", vec!["none"]),
        (on_them, off_them) if on_them <= off_them => ("--join", on),
        _ => ("--no-join", off),
    };
    let words = names
        .iter()
        .flat_map(|name| [option.to_owned(), shell_word(name)]);
    words.collect()
}

/// `--shift` options for time shifts made in the explorer. The typed options stay and shifts of one
/// source add up, so each option holds the difference.
fn shifts(model: &Model) -> Vec<String> {
    let shifts = model.shifts.iter().filter_map(|(id, ns)| {
        let source = model.snapshot.source(*id)?;
        let typed = typed_shift(&model.user_data.opened.options, &source.path, &source.tag);
        let more = ns.saturating_sub(typed);
        let text = format!("{}={}", source.path, more as f64 / NS_PER_SECOND as f64);
        (more != 0).then(|| ["--shift".to_owned(), shell_word(&text)])
    });
    shifts.flatten().collect()
}

/// Sum of the shifts of a source by typed options, ns.
fn typed_shift(options: &[String], path: &str, tag: &str) -> i64 {
    let typed = options.windows(2).filter(|pair| pair[0] == "--shift");
    let named = typed.filter_map(|pair| {
        let (name, seconds) = pair[1].rsplit_once('=')?;
        let is_named = path.contains(name) || tag == name;
        parse_seconds(seconds).filter(|_| is_named)
    });
    named.fold(0, i64::saturating_add)
}

/// Path quoted for a shell, with `./` before a leading `-` so that it is not parsed as an option.
fn path_word(path: &str) -> String {
    match path.starts_with('-') {
        true => shell_word(&format!("./{path}")),
        false => shell_word(path),
    }
}

#[cfg(test)]
mod tests {
    use super::{path_word, typed_shift};

    #[test]
    fn a_path_that_looks_like_an_option_is_none() {
        assert_eq!(path_word("-a"), "./-a");
        assert_eq!(path_word("-a b"), "'./-a b'");
        assert_eq!(path_word("a b"), "'a b'");
    }

    #[test]
    fn what_was_typed_for_a_source_is_known() {
        let typed = [
            "--tz",
            "UTC",
            "--shift",
            "worker_1=100",
            "--shift",
            "w/1=-2.5",
            "--shift",
            "dfk=7",
        ];
        let typed = typed.map(str::to_owned);
        assert_eq!(
            typed_shift(&typed, "run/worker_1.log", "w/1"),
            97_500_000_000
        );
        assert_eq!(typed_shift(&[], "run/worker_1.log", "w/1"), 0);
    }
}
