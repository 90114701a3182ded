//! `widetui contrast` and `widetui check`: what is different about some events; which break a rule.

use std::io::Write;

use crate::analysis::check::check;
use crate::analysis::contrast::Distinct;
use crate::base::cancel::Cancel;
use crate::base::words::{cut, grouped};
use crate::export::event::full_event;
use crate::query::select;
use crate::store::texts::TextReader;
use crate::workspace::sidebyside::contrasted;

use super::args::{CheckCommand, ContrastCommand, Format, SelectArgs};
use super::asked::{expression, some};
use super::nothing::no_event;
use super::open::{self, Opened, selection};
use super::output::{Failure, safe, stdout};
use super::sheet::{PrintedSheet, SheetCell, cell, left, number, right, words};

/// Values that text shows.
const SHOWN: usize = 40;

/// `widetui contrast`.
pub fn run(c: &ContrastCommand) -> Result<(), Failure> {
    print(&open::run(&c.run)?, &c.expr, &c.select, c.run.format)
}

/// Writes the values that are more frequent in a selection than elsewhere, among the events that the arguments ask for.
fn print(
    opened: &Opened,
    text: &str,
    among_args: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    let expr = expression(opened, text)?;
    let among = some(opened, among_args)?;
    let mut selected = select(snapshot, &expr, &cancel).unwrap_or_default();
    if let Some(among) = &among {
        selected.and(among);
    }
    if selected.is_empty() {
        let text = format!("nothing to contrast: no event fits {}", safe(text));
        return Err(no_event(among_args, &text));
    }
    let inside = (&selected, std::slice::from_ref(&expr));
    // Nobody cancels here.
    let result = contrasted(snapshot, inside, among.as_ref(), &cancel).unwrap_or_default();
    let mut sheet = PrintedSheet::new(vec![
        left("key", "key"),
        left("value", "value"),
        right("inside", "inside"),
        right("outside", "outside"),
        right("score", "score"),
        left("also", "the same"),
    ]);
    let shown = match format {
        Format::Text => SHOWN,
        _ => usize::MAX,
    };
    for found in result.values.iter().take(shown) {
        sheet.push(vec![
            words(&found.key),
            cell(found.value.clone(), cut(&safe(&found.value), WIDEST)),
            number(found.inside),
            number(found.outside),
            cell(found.score, format!("{:.0}", found.score)),
            also(found),
        ]);
    }
    let done = sheet.print(format, || {
        let text = format!(
            "nothing tells the events that fit {} from the others",
            safe(text)
        );
        no_event(among_args, &text)
    });
    if format == Format::Text {
        let mut out = stdout();
        writeln!(out, "\n{}", result.told())?;
        if result.values.len() > SHOWN {
            let more = grouped((result.values.len() - SHOWN) as u64);
            writeln!(out, "{more} more values, with lower scores: --format jsonl")?;
        }
        out.flush()?;
    }
    done
}

/// Characters of a value in a table.
const WIDEST: usize = 80;

/// What says the same, in the order of keys: `line=580`.
fn also(found: &Distinct) -> SheetCell {
    let mut all: Vec<String> = found
        .also
        .iter()
        .map(|v| format!("{}={}", v.key, v.value))
        .collect();
    all.sort();
    let text: Vec<String> = all.iter().map(|v| cut(&safe(v), WIDEST)).collect();
    cell(all, text.join(", "))
}

/// `widetui check`.
pub fn run_check(c: &CheckCommand) -> Result<(), Failure> {
    print_check(&open::run(&c.run)?, &c.select, c.run.format)
}

/// Writes how often each rule of the definitions is broken.
fn print_check(opened: &Opened, args: &SelectArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let within = selection(opened, args)?;
    let mut sheet = PrintedSheet::new(vec![
        left("rule", "rule"),
        right("events", "events"),
        right("violations", "violations"),
        left("example", "example"),
    ]);
    let mut texts = TextReader::default();
    for rule in &opened.meaning.rules {
        let Some(found) = check(snapshot, rule, within.as_ref(), &Cancel::default()) else {
            continue;
        };
        // Rules of systems that do not occur here say nothing.
        if found.events == 0 {
            continue;
        }
        let example = found.examples.first().and_then(|id| snapshot.event(*id));
        let example = example.map(|e| full_event(&e, &mut texts));
        let text = example.map(|e| {
            let line = e.message.lines().next().unwrap_or_default().to_owned();
            format!("{}: {line}", e.source)
        });
        let text = text.unwrap_or_default();
        sheet.push(vec![
            words(&rule.name),
            number(found.events),
            number(found.violations),
            cell(text.clone(), cut(&safe(&text), WIDEST)),
        ]);
    }
    sheet.print(format, || {
        no_event(args, "no rule of the definitions is about these events")
    })
}
