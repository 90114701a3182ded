//! Command line that reproduces the view: the same entities, selection and time range.

use crate::model::{Model, View};
use crate::{time_selection, view_plots};
use widetui_analysis::scope::TimeWindow;
use widetui_core::words::id_words;
use widetui_query::key_resolution::{as_typed, field_as_typed};
use widetui_query::{Expr, Field, Op};
use widetui_session::context_lines::ContextScope;
use widetui_session::plots::{ColourBy, LinesBy, RowsBy, apart};
use widetui_tables::plots::settings::SlowestSubject;
use widetui_tables::table::TableSubject;
use widetui_time::time::{NS_PER_SECOND, parse_seconds};

use super::export;

/// Command line of the current view, or the reason why there is none.
pub(super) fn line(model: &Model) -> Result<String, &'static str> {
    let opened = &model.user_data.opened;
    if let Some(reason) = opened.why_not {
        return Err(reason);
    }
    let mut words = vec!["widetui".to_owned()];
    words.extend(command(model)?);
    words.extend(opened.options.iter().map(|o| quoted(o)));
    words.extend(joins(model));
    words.extend(shifts(model));
    words.extend(opened.paths.iter().map(|path| path_word(path)));
    Ok(words.join(" "))
}

/// Subcommand of the current view with its own options, or the reason why there is none.
fn command(model: &Model) -> Result<Vec<String>, &'static str> {
    let of = |words: &[&str], more: Vec<String>| Ok([quoted_words(words), more].concat());
    match model.view {
        View::Events => Ok(events(model)),
        View::Keys => of(&["keys"], chosen(model)),
        View::Values => {
            let field = model.frequency.as_ref().ok_or("no key was chosen")?;
            let more = [chosen(model), unique(model)].concat();
            let field = field_as_typed(field, &model.snapshot.catalog.keys);
            of(&["keys", "--key", field.name()], more)
        }
        View::Templates => of(&["keys", "--key", "template"], chosen(model)),
        View::Contrast => {
            let expr = match selected(model) {
                // Default condition, which the table uses when nothing is selected.
                Expr::All => {
                    let usual = model
                        .table()
                        .and_then(|t| t.table.default_condition.clone());
                    usual.ok_or("it is not known yet what is compared")?
                }
                expr => expr,
            };
            of(&["contrast", &typed(model, &expr)], Vec::new())
        }
        View::Sources => of(&["sources"], Vec::new()),
        View::Joins | View::Conflicts | View::NewJoin => of(&["joins"], Vec::new()),
        // These commands examine the whole run, and list only results that have selected records.
        View::Unfinished => of(&["hung"], chosen(model)),
        View::Diagnose => of(&["diagnose"], chosen(model)),
        View::Entities => of(&["entities"], chosen(model)),
        View::Instances => {
            let entity = model.instances.entity.as_deref();
            let entity = entity.ok_or("no entity was chosen")?;
            of(&["entities", "--of", entity], chosen(model))
        }
        View::Trace => {
            let instance = model
                .instances
                .trace
                .as_ref()
                .ok_or("no instance was chosen")?;
            of(&["trace", &id_words(&instance.id, ",")], Vec::new())
        }
        View::Runs => of(&["runs"], chosen(model)),
        View::Compare => compare(model),
        View::States => of(&["states", &about(model)?.entity], scope(model)),
        View::Timeline => {
            let plot = format!("timeline:{}", timeline(model)?);
            let file = format!("{}.svg", export::name(model));
            let words = ["export", "--output", &file, "--plot", &plot];
            of(&words, scope(model))
        }
        View::Latency => {
            let by = option("--split", model.plots.steps_by.as_deref());
            let words = [&["latency", &about(model)?.entity], &by[..]].concat();
            of(&words, scope(model))
        }
        View::Account => of(&["trace", &about(model)?.entity, "--account"], scope(model)),
        View::Slowest => {
            let step = model.plots.step.as_ref().ok_or("no step was chosen")?;
            let entity = &about(model)?.entity;
            match step {
                SlowestSubject::Step(step) => of(
                    &["latency", entity, "--slowest", &step.name()],
                    scope(model),
                ),
                SlowestSubject::Phase(..) => of(&["trace", entity, "--account"], scope(model)),
            }
        }
        View::Spans => spans(model),
        View::Throughput => {
            let by = option("--by", model.plots.spans_by.as_deref());
            let words = [&["throughput", &about(model)?.entity], &by[..]].concat();
            of(&words, scope(model))
        }
        View::Checks => of(&["check"], chosen(model)),
        View::Series => {
            let key = model.plots.key.as_deref().ok_or("no key was chosen")?;
            let by = match &model.plots.key_by {
                LinesBy::Default => None,
                LinesBy::Nothing => Some("none"),
                LinesBy::Key(by) => Some(by.as_str()),
            };
            let words = [&["series", key], &option("--by", by)[..]].concat();
            of(&words, scope(model))
        }
        View::Flow | View::Messages => of(&["flow"], scope(model)),
    }
}

/// Words quoted for a shell.
fn quoted_words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| quoted(w)).collect()
}

/// Option with its value; empty if there is no value.
fn option<'a>(name: &'a str, value: Option<&'a str>) -> Vec<&'a str> {
    value.map_or(Vec::new(), |value| vec![name, value])
}

fn events(model: &Model) -> Vec<String> {
    let mut parts = vec![selected(model)];
    parts.extend(brushed(model).map(|window| within(&window)));
    [
        quoted_words(&["events"]),
        filter(model, &Expr::all_of(parts)),
        unique(model),
        neighbours(model),
    ]
    .concat()
}

/// Options for the context lines on the screen.
fn neighbours(model: &Model) -> Vec<String> {
    let shown = model.events.context.filter(|_| !model.selection.is_all());
    // The command line lists a time selection without context lines.
    let Some(context) = shown.filter(|_| model.events.time_selection.is_none()) else {
        return Vec::new();
    };
    let mut words = vec!["--context".to_owned(), context.lines.to_string()];
    if context.of == ContextScope::Source {
        words.push("--same-source".to_owned());
    }
    words
}

fn compare(model: &Model) -> Result<Vec<String>, &'static str> {
    let compared = model.instances.compared.as_ref();
    let [a, b] = &**compared.ok_or("nothing to compare was chosen")?;
    let mut words = quoted_words(&["compare"]);
    // Without `--b`, the second side is the rest of the first one.
    for (option, side) in [("--a", a), ("--b", b)] {
        if let Some(expr) = side.expr() {
            words.extend(quoted_words(&[option, &typed(model, &expr)]));
        }
    }
    Ok(words)
}

fn spans(model: &Model) -> Result<Vec<String>, &'static str> {
    let mut words = match model.plots.marks.both() {
        Some(marks) => {
            let [start, end] = [marks.start, marks.end].map(|mark| typed(model, &mark.expr));
            let mut words = quoted_words(&["spans", "--start", &start, "--end", &end]);
            if let Some(key) = view_plots::pairing(model) {
                words.extend(quoted_words(&["--key", &key]));
            }
            words
        }
        None => quoted_words(&["spans", &about(model)?.entity]),
    };
    if let Some(by) = &model.plots.spans_by {
        words.extend(quoted_words(&["--summary", "--by", by]));
    }
    words.extend(scope(model));
    Ok(words)
}

/// Entity that the view shows, or the reason why it is not known.
fn about(model: &Model) -> Result<&TableSubject, &'static str> {
    let table = model.table().filter(|t| t.is_known);
    let table = table.ok_or("it is still being worked out")?;
    let about = table.table.subject.as_ref();
    about.ok_or("there is nothing of the kind here")
}

/// Settings of the timeline as `ENTITY:ROWS:COLOUR`, without trailing empty parts.
fn timeline(model: &Model) -> Result<String, &'static str> {
    let TableSubject { entity, carrier } = about(model)?;
    let rows = match (&model.plots.rows_by, carrier) {
        (RowsBy::Each, _) | (_, None) => "",
        (_, Some(name)) => name,
    };
    let colour = match &model.plots.colour {
        ColourBy::Default if is_labelled(model) => "label",
        ColourBy::Default | ColourBy::State => "",
        ColourBy::Key(name) => name,
    };
    let text = format!("{entity}:{rows}:{colour}");
    Ok(text.trim_end_matches(':').to_owned())
}

/// Whether instances on the timeline have labels, which then are the default colours.
fn is_labelled(model: &Model) -> bool {
    let gantt = crate::view_plots::gantt_of(&model.shown());
    let found = gantt.and_then(|(_, g)| g.instances.as_ref());
    found.is_some_and(|f| f.list.iter().any(|i| i.label.is_some()))
}

/// Selection as one expression.
fn selected(model: &Model) -> Expr {
    Expr::all_of(model.selection.steps().iter().map(|s| s.expr.clone()))
}

/// Expression as typed on the command line, with key names that resolve to the same keys.
fn typed(model: &Model, expr: &Expr) -> String {
    as_typed(expr, &model.snapshot.catalog.keys).to_string()
}

fn filter(model: &Model, expr: &Expr) -> Vec<String> {
    match expr.is_all() {
        true => Vec::new(),
        false => vec!["--where".to_owned(), quoted(&typed(model, expr))],
    }
}

/// `--where` option for the selection; empty if all records are selected.
fn chosen(model: &Model) -> Vec<String> {
    filter(model, &selected(model))
}

/// `--unique` option if the list hides duplicate records, else empty.
fn unique(model: &Model) -> Vec<String> {
    match model.rows.hidden_duplicates(&model.snapshot) {
        0 => Vec::new(),
        _ => vec!["--unique".to_owned()],
    }
}

/// Options of an analysis: `--where` restricts it to instances with selected records, `--since` and
/// `--until` to the selected and visible times.
fn scope(model: &Model) -> Vec<String> {
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
fn brushed(model: &Model) -> Option<TimeWindow> {
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
fn within(window: &TimeWindow) -> Expr {
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
        .flat_map(|name| [option.to_owned(), quoted(name)]);
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
        (more != 0).then(|| ["--shift".to_owned(), quoted(&text)])
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
        true => quoted(&format!("./{path}")),
        false => quoted(path),
    }
}

/// Word quoted for a shell if it contains special characters.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{path_word, quoted, typed_shift};

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

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("runs/a.log"), "runs/a.log");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("a b$x"), "'a b$x'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
