//! `widetui runs` and `widetui compare`: runs in one row each; two of them, or two selections, side by side.

use std::path::PathBuf;

use serde_json::Value as Json;

use crate::analysis::compare::{ComparedKind, ComparedNumber, SideNumbers, compare};
use crate::analysis::runs::runs;
use crate::analysis::scope::AnalysisScope;
use crate::base::cancel::Cancel;
use crate::base::time::format_datetime;
use crate::base::words::{grouped, several};
use crate::format::meaning::EntityRole;
use crate::query::{Selection, select};
use crate::workspace::sidebyside;

use super::args::{CompareCommand, Format, OpenArgs, RunsCommand, SelectArgs};
use super::asked::{expression, scope};
use super::entities::{known, named};
use super::nothing::{no_thing, things, unselected};
use super::open::{self, Opened, load, load_one};
use super::output::Failure;
use super::readable::unshifted;
use super::sheet::{PrintedSheet, SheetCell, cell, duration_f, hidden, left, moment, right, words};

/// Steps that text shows.
const SHOWN: usize = 20;

/// `widetui runs`.
pub fn run(c: &RunsCommand) -> Result<(), Failure> {
    print(&open::run(&c.run)?, &c.select, c.run.format)
}

/// Writes one row for each run.
fn print(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let scope = scope(opened, select)?;
    let snapshot = &*opened.snapshot;
    let found = runs(snapshot, known(opened), &scope, &Cancel::default()).unwrap_or_default();
    let mut sheet = PrintedSheet::new(vec![
        left("run", "run"),
        hidden("id"),
        left("start", "start"),
        left("end", "end"),
        left("status", "status"),
        left("entities", "what"),
        right("mean_s", "mean"),
        right("p95_s", "p95"),
    ]);
    for run in &found {
        let shown = |t: i64| format_datetime(t, opened.zone.offset_at_utc(t), 0);
        let entities = run.entities.iter();
        let json: serde_json::Map<String, Json> =
            entities.map(|(k, n)| (k.clone(), Json::from(*n))).collect();
        let id = super::entities::id_object(snapshot, &run.id);
        sheet.push(vec![
            words(&run.name),
            cell(Json::Object(id), ""),
            moment(run.start, shown),
            moment(run.end, shown),
            words(&run.status.to_string()),
            cell(
                Json::Object(json),
                run.what(known(opened), EntityRole::Goal),
            ),
            duration_f(run.durations.map(|d| d.mean)),
            duration_f(run.durations.map(|d| d.p95)),
        ]);
    }
    sheet.print(format, || {
        Failure::Absent(match unselected(select) {
            Some(_) => no_thing(select),
            None => format!("no run was found in these logs; {}", things(opened)),
        })
    })
}

/// What is compared: two runs, or two selections of one.
struct Sides<'a> {
    /// Paths: two without expressions, else those of the run.
    pub paths: &'a [PathBuf],
    /// The first selection.
    pub a: Option<&'a str>,
    /// The second selection; without it, what the first one leaves.
    pub b: Option<&'a str>,
    /// Only this entity.
    pub of: Option<&'a str>,
}

/// `widetui compare`.
pub fn run_compare(c: &CompareCommand) -> Result<(), Failure> {
    let sides = Sides {
        paths: &c.run.paths,
        a: c.a.as_deref(),
        b: c.b.as_deref(),
        of: c.of.as_deref(),
    };
    print_compare(&sides, &c.run.open, c.run.format)
}

/// Writes both sides.
fn print_compare(sides: &Sides<'_>, open: &OpenArgs, format: Format) -> Result<(), Failure> {
    let (a, b) = match (sides.a, sides.b, sides.paths) {
        (Some(a), b, paths) => {
            let opened = load(paths, open)?;
            let one = |text: &str| -> Result<AnalysisScope, Failure> {
                let expr = expression(&opened, text)?;
                let events = select(&opened.snapshot, &expr, &Cancel::default());
                Ok(AnalysisScope::with(Some(events.unwrap_or_default())))
            };
            let first = one(a)?;
            let second = match b {
                Some(b) => one(b)?,
                None => AnalysisScope::without(first.events.clone().unwrap_or_default()),
            };
            // A side of nothing is compared with nothing.
            let typed = [("--a", Some(a), &first), ("--b", b, &second)];
            let empty: Vec<String> = typed
                .into_iter()
                .filter(|(.., side)| side.events.as_ref().is_some_and(Selection::is_empty))
                .filter_map(|(option, text, _)| Some(format!("{option}: no record fits {}", text?)))
                .collect();
            if !empty.is_empty() {
                return Err(Failure::Absent(empty.join("\n")));
            }
            let (a, b) = (first, second);
            (side(&opened, sides.of, &a)?, side(&opened, sides.of, &b)?)
        }
        (None, None, [a, b]) => {
            let one = |path: &PathBuf| -> Result<_, Failure> {
                let opened = load_one(std::slice::from_ref(path), open)?;
                let unshifted = unshifted(&opened.snapshot, &open.shift);
                let numbers = side(&opened, sides.of, &AnalysisScope::default())?;
                Ok((numbers, unshifted))
            };
            let ((a, unshifted), (b, more)) = (one(a)?, one(b)?);
            let nowhere = |(shift, _): &&(String, String)| more.iter().any(|m| m.0 == *shift);
            if let Some((_, text)) = unshifted.iter().find(nowhere) {
                return Err(Failure::Message(text.clone()));
            }
            (a, b)
        }
        _ => {
            let text = "compare what? Two runs: compare A B; two selections: --a EXPR --b EXPR PATH; or one with the rest: --a EXPR PATH";
            return Err(Failure::Message(text.to_owned()));
        }
    };
    let lines = compare(&a, &b);
    let mut sheet = PrintedSheet::new(vec![
        left("what", "what"),
        right("a", "a"),
        right("b", "b"),
        right("difference", "difference"),
        left("name", "name"),
        hidden("why"),
    ]);
    let (mut shown, mut alone) = (0, 0);
    for line in &lines {
        let is_step = line.what == ComparedKind::Step;
        if format == Format::Text && is_step && line.difference().is_none() {
            alone += 1;
            continue;
        }
        shown += usize::from(is_step);
        if format == Format::Text && is_step && shown > SHOWN {
            continue;
        }
        sheet.push(row(line));
    }
    sheet.print(format, || {
        let text = "there is nothing to compare: on neither side is anything that a definition knows as a task or the like; `widetui entities` lists what there is";
        Failure::Absent(text.to_owned())
    })?;
    let mut more = Vec::new();
    if shown > SHOWN {
        let n = grouped((shown - SHOWN) as u64);
        more.push(format!("{n} more steps, which differ less: --format jsonl"));
    }
    if alone > 0 {
        let steps = several(alone, "step");
        more.push(format!(
            "{steps} cannot be compared, as one side lacks it or counts it from another step; `why` in --format jsonl says which"
        ));
    }
    if format == Format::Text && !more.is_empty() {
        use std::io::Write;
        let mut out = super::output::stdout();
        writeln!(out, "\n{}", more.join("\n"))?;
        out.flush()?;
    }
    Ok(())
}

/// The numbers of one side: of one entity, or of all goals and their parts.
fn side(opened: &Opened, of: Option<&str>, scope: &AnalysisScope) -> Result<SideNumbers, Failure> {
    let of = of.map(|name| named(opened, name)).transpose()?;
    let things = sidebyside::things_compared(known(opened), of.as_ref());
    let of = of.as_ref().map(|entity| entity.name.as_str());
    let (snapshot, cancel) = (&opened.snapshot, Cancel::default());
    // Nobody cancels here.
    Ok(sidebyside::side(snapshot, &things, of, scope, &cancel).unwrap_or_default())
}

/// One number of both sides; times in seconds.
fn row(line: &ComparedNumber) -> Vec<SheetCell> {
    let is_time = line.what.is_time();
    let scale = if is_time { 1e9 } else { 1.0 };
    let json = |v: Option<f64>| v.map_or(Json::Null, |v| number(v / scale));
    let text = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), |v| line.text(v));
    vec![
        words(line.what.name()),
        cell(json(line.a), text(line.a)),
        cell(json(line.b), text(line.b)),
        cell(
            json(line.difference()),
            line.difference()
                .map(|d| line.difference_text(d))
                .unwrap_or_default(),
        ),
        match (line.why, &*line.name) {
            // Steps without a difference are not in the text.
            (Some(why), name) => cell(Json::from(name), format!("{name} ({})", why.text())),
            (None, name) => words(name),
        },
        cell(line.why.map_or(Json::Null, |why| why.text().into()), ""),
    ]
}

/// Whole numbers without a fraction.
fn number(v: f64) -> Json {
    match v.fract() == 0.0 && v.abs() < 9e15 {
        true => Json::from(v as i64),
        false => Json::from(v),
    }
}
