//! `widetui compare`: two runs, or two selections of one run.

use std::io::Write;
use std::path::PathBuf;

use widetui_analysis::compare::ComparedKind;
use widetui_analysis::differences::Basis;
use widetui_analysis::scope::{AnalysisScope, WorkOutcome};
use widetui_core::cancel::Cancel;
use widetui_core::words::{grouped, several};
use widetui_query::{Expr, Selection, select};
use widetui_session::comparison::{self, Comparison, SideNumbers};
use widetui_tables::answers::differences::sentences;
use widetui_tables::answers::runs::{
    CompareLine, compare_lines, comparison as columns, difference_lines,
};

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
const NOTHING_NAMED: &str = "two sides are required: two runs (compare A B), two selections (--a EXPR --b EXPR PATH), a selection and the rest (--a EXPR PATH), or failed and succeeded work (--failed PATH)";
/// Message without failed or without succeeded work.
const NO_OUTCOMES: &str =
    "nothing to compare: no work item, such as a task, failed, or none succeeded";
/// Message for two empty sides.
const NOTHING_THERE: &str = "nothing to compare: neither side has work items, such as tasks, of a definition; `widetui entities` lists the entities of a run";

/// `widetui compare`.
pub fn run(c: &CompareCommand) -> Result<(), Failure> {
    let comparison = match (&c.a, &c.b, &c.run.paths[..]) {
        _ if c.failed => outcomes(c)?,
        (Some(a), b, _) => selections(c, a, b.as_deref())?,
        (None, None, [a, b]) => runs(c, a, b)?,
        _ => return Err(Failure::Message(NOTHING_NAMED.to_owned())),
    };
    print(&comparison, c.run.format)
}

/// Numbers of the succeeded and of the failed work items of a run.
fn outcomes(c: &CompareCommand) -> Result<Comparison, Failure> {
    let opened = load_run(&c.run)?;
    let of = c.of.as_deref();
    let side = |outcome| side(&opened, of, &AnalysisScope::with_outcome(outcome));
    let (succeeded, failed) = (side(WorkOutcome::Succeeded)?, side(WorkOutcome::Failed)?);
    let comparison = Comparison::new([&succeeded, &failed], Basis::Outcome, None);
    match comparison.differences.list.is_empty() {
        true => Err(Failure::Absent(NO_OUTCOMES.to_owned())),
        false => Ok(comparison),
    }
}

/// Numbers of two selections of one run; the second is the rest by default.
fn selections(c: &CompareCommand, a: &str, b: Option<&str>) -> Result<Comparison, Failure> {
    let opened = load_run(&c.run)?;
    let chosen = expression(&opened, a)?;
    let other = b.map(|text| expression(&opened, text)).transpose()?;
    let events =
        |expr: &Expr| select(&opened.snapshot, expr, &Cancel::default()).unwrap_or_default();
    let selected = events(&chosen);
    let second = match &other {
        Some(other) => AnalysisScope::selected(Some(events(other))),
        None => AnalysisScope::excluding(selected.clone()),
    };
    let first = AnalysisScope::selected(Some(selected));
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
    let sides = [&side(&opened, of, &first)?, &side(&opened, of, &second)?];
    let basis = comparison::basis(opened.entities(), [Some(&chosen), other.as_ref()]);
    Ok(Comparison::new(sides, basis, None))
}

/// Numbers of two runs. A source of `--shift` may be in either of them.
fn runs(c: &CompareCommand, a: &PathBuf, b: &PathBuf) -> Result<Comparison, Failure> {
    let open: &OpenArgs = &c.run.open;
    let one = |path: &PathBuf| -> Result<_, Failure> {
        let opened = load_one(std::slice::from_ref(path), open)?;
        let unshifted = unknown_shifts(&opened.snapshot, &open.shift);
        let numbers = side(&opened, c.of.as_deref(), &AnalysisScope::default())?;
        Ok((numbers, unshifted))
    };
    let after = { c.after }.map(|time| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX));
    let ((a, unshifted), (b, more)) = (one(a)?, one(b)?);
    let is_nowhere = |(shift, _): &&(String, String)| more.iter().any(|m| m.0 == *shift);
    match unshifted.iter().find(is_nowhere) {
        Some((_, text)) => Err(Failure::Message(text.clone())),
        None => Ok(Comparison::new([&a, &b], Basis::Sum, after)),
    }
}

/// Writes both sides; text has the differences in words above, and the first steps only.
fn print(comparison: &Comparison, format: Format) -> Result<(), Failure> {
    let (lines, differences) = (&comparison.lines, &comparison.differences);
    let words = sentences(differences);
    if format == Format::Text && !words.is_empty() {
        let words: Vec<String> = words.iter().map(|text| safe(text)).collect();
        write_out(|out| writeln!(out, "{}\n", words.join("\n")))?;
    }
    let explained = difference_lines(differences).filter(|_| format != Format::Text);
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
    let rows = explained.chain(compare_lines(lines).filter(|row| is_shown(row)));
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
    match notes.is_empty() {
        true => Ok(()),
        false => write_out(|out| writeln!(out, "\n{}", notes.join("\n"))),
    }
}

/// Numbers of one side: of one entity, or of all work items and their parts.
fn side(opened: &Opened, of: Option<&str>, scope: &AnalysisScope) -> Result<SideNumbers, Failure> {
    let of = of.map(|name| opened.entity(name)).transpose()?;
    let instances = comparison::compared_instances(opened.entities(), of.as_ref());
    let instances = (&instances, opened.entities());
    let of = of.as_ref().map(|entity| entity.name.as_str());
    let side = SideNumbers::read(&opened.snapshot, instances, of, scope, &Cancel::default());
    // A command is never cancelled.
    Ok(side.unwrap_or_default())
}
