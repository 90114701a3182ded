//! `widetui compare`: two runs, or two selections of one run.

use std::io::Write;
use std::path::PathBuf;

use widetui_analysis::compare::{ComparedKind, ComparedNumber, ComparisonSide, compare};
use widetui_analysis::differences::{Basis, SideProfile, differences};
use widetui_analysis::latency::NEGATIVE_STEPS;
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::words::{grouped, several};
use widetui_query::{Selection, select};
use widetui_session::comparison;
use widetui_tables::answers::differences::sentences;
use widetui_tables::answers::runs::{CompareLine, compare_lines, comparison as columns};

use super::args::{CompareCommand, Format, OpenArgs};
use super::open::{load_one, load_run};
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::run_checks::unknown_shifts;
use super::selection::expression;
use super::sheet::PrintedSheet;

/// Number of steps in text output.
const SHOWN: usize = 20;

/// Message without two runs or a selection.
const NOTHING_NAMED: &str = "two sides are required: two runs (compare A B), two selections (--a EXPR --b EXPR PATH), or a selection and the rest (--a EXPR PATH)";
/// Message for two empty sides.
const NOTHING_THERE: &str = "nothing to compare: neither side has work items, such as tasks, of a definition; `widetui entities` lists the entities of a run";

/// Number of differences in words.
const DIFFERENCES: usize = 3;

/// Numbers of one side, and what explains its time.
struct Side {
    numbers: ComparisonSide,
    profile: Option<SideProfile>,
}

/// Both sides, and how their times are compared.
struct Sides {
    a: Side,
    b: Side,
    basis: Basis,
}

/// `widetui compare`.
pub fn run(c: &CompareCommand) -> Result<(), Failure> {
    let sides = match (&c.a, &c.b, &c.run.paths[..]) {
        (Some(a), b, _) => selections(c, a, b.as_deref())?,
        (None, None, [a, b]) => runs(c, a, b)?,
        _ => return Err(Failure::Message(NOTHING_NAMED.to_owned())),
    };
    let words = sides.sentences();
    print(
        &compare(&sides.a.numbers, &sides.b.numbers),
        &words,
        c.run.format,
    )
}

/// Numbers of two selections of one run; the second is the rest by default.
fn selections(c: &CompareCommand, a: &str, b: Option<&str>) -> Result<Sides, Failure> {
    let opened = load_run(&c.run)?;
    let chosen = |text: &str| -> Result<AnalysisScope, Failure> {
        let expr = expression(&opened, text)?;
        let events = select(&opened.snapshot, &expr, &Cancel::default());
        Ok(AnalysisScope::selected(Some(events.unwrap_or_default())))
    };
    let first = chosen(a)?;
    let second = match b {
        Some(b) => chosen(b)?,
        None => AnalysisScope::excluding(first.events.clone().unwrap_or_default()),
    };
    // An empty side cannot be compared.
    let typed = [("--a", Some(a), &first), ("--b", b, &second)];
    let empty: Vec<String> = typed
        .into_iter()
        .filter(|(.., side)| side.events.as_ref().is_some_and(Selection::is_empty))
        .filter_map(|(option, text, _)| Some(format!("{option}: no record matches {}", text?)))
        .collect();
    if !empty.is_empty() {
        return Err(Failure::Absent(empty.join("\n")));
    }
    let of = c.of.as_deref();
    Ok(Sides {
        a: side(&opened, of, &first)?,
        b: side(&opened, of, &second)?,
        basis: Basis::Mean,
    })
}

/// Numbers of two runs. A source of `--shift` may be in either of them.
fn runs(c: &CompareCommand, a: &PathBuf, b: &PathBuf) -> Result<Sides, Failure> {
    let open: &OpenArgs = &c.run.open;
    let one = |path: &PathBuf| -> Result<_, Failure> {
        let opened = load_one(std::slice::from_ref(path), open)?;
        let unshifted = unknown_shifts(&opened.snapshot, &open.shift);
        let numbers = side(&opened, c.of.as_deref(), &AnalysisScope::default())?;
        Ok((numbers, unshifted))
    };
    let ((a, unshifted), (b, more)) = (one(a)?, one(b)?);
    let is_nowhere = |(shift, _): &&(String, String)| more.iter().any(|m| m.0 == *shift);
    match unshifted.iter().find(is_nowhere) {
        Some((_, text)) => Err(Failure::Message(text.clone())),
        None => Ok(Sides {
            a,
            b,
            basis: Basis::Sum,
        }),
    }
}

impl Sides {
    /// Differences that explain most of the time or of the failures, in words; none without work on both sides.
    fn sentences(&self) -> Vec<String> {
        let profiles = self.a.profile.as_ref().zip(self.b.profile.as_ref());
        let profiles = profiles.filter(|(a, b)| a.all.count > 0 && b.all.count > 0);
        profiles.map_or_else(Vec::new, |(a, b)| {
            let found = differences([a, b], self.basis, DIFFERENCES);
            sentences([a, b], self.basis, &found)
        })
    }
}

/// Writes both sides; text has the differences in words above, and the first steps only.
fn print(lines: &[ComparedNumber], words: &[String], format: Format) -> Result<(), Failure> {
    if format == Format::Text && !words.is_empty() {
        let words: Vec<String> = words.iter().map(|text| safe(text)).collect();
        write_out(|out| writeln!(out, "{}\n", words.join("\n")))?;
    }
    let (mut comparable, mut alone) = (0, 0);
    let mut is_shown = |row: &CompareLine<'_>| {
        if format != Format::Text || row.line.kind != ComparedKind::Step {
            return true;
        }
        match row.line.difference() {
            Some(_) => comparable += 1,
            None => alone += 1,
        }
        row.line.difference().is_some() && comparable <= SHOWN
    };
    // There are no moments in a comparison.
    let rows = compare_lines(lines).filter(|row| is_shown(row));
    let sheet = PrintedSheet::from(columns().sheet(rows, |_| String::new()));
    sheet.print(format, || Failure::Absent(NOTHING_THERE.to_owned()))?;
    let mut notes = Vec::new();
    if comparable > SHOWN {
        let n = grouped((comparable - SHOWN) as u64);
        notes.push(format!(
            "{n} more steps with smaller differences: --format jsonl"
        ));
    }
    if alone > 0 {
        let steps = several(alone, "step");
        notes.push(format!(
            "{steps} cannot be compared, because one side lacks it or measures it from another step: see `why` in --format jsonl"
        ));
    }
    if format == Format::Text && lines.iter().any(ComparedNumber::is_negative_step) {
        notes.push(NEGATIVE_STEPS.to_owned());
    }
    match notes.is_empty() {
        true => Ok(()),
        false => write_out(|out| writeln!(out, "\n{}", notes.join("\n"))),
    }
}

/// Numbers of one side: of one entity, or of all work items and their parts.
fn side(opened: &Opened, of: Option<&str>, scope: &AnalysisScope) -> Result<Side, Failure> {
    let of = of.map(|name| opened.entity(name)).transpose()?;
    let instances = comparison::compared_instances(opened.entities(), of.as_ref());
    let of = of.as_ref().map(|entity| entity.name.as_str());
    let (snapshot, cancel) = (&opened.snapshot, Cancel::default());
    // A command is never cancelled.
    let numbers = comparison::side(snapshot, &instances, of, scope, &cancel).unwrap_or_default();
    let profile = comparison::profile(
        snapshot,
        (&instances, opened.entities()),
        of,
        scope,
        &cancel,
    );
    Ok(Side { numbers, profile })
}
