//! `widetui check`: records that violate a rule of the definitions.

use widetui_analysis::check::check;
use widetui_core::cancel::Cancel;
use widetui_core::words::cut;
use widetui_report::event::full_event;
use widetui_store::texts::TextReader;

use super::args::CheckCommand;
use super::no_result::no_event;
use super::open;
use super::output::{Failure, safe};
use super::selection::selection;
use super::sheet::{PrintedSheet, cell, left, log_text, number, right};

/// Width of an example in a table, characters.
const WIDEST: usize = 80;

/// `widetui check`: number of violations of each rule of the definitions.
pub fn run(c: &CheckCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    let snapshot = &*opened.snapshot;
    let within = selection(&opened, &c.select)?;
    let mut sheet = PrintedSheet::new(vec![
        left("rule", "rule"),
        right("events", "events"),
        right("violations", "violations"),
        left("example", "example"),
    ]);
    let mut texts = TextReader::default();
    for rule in opened.meaning.rules() {
        let Some(found) = check(snapshot, rule, within.as_ref(), &Cancel::default()) else {
            continue;
        };
        // Rules of systems without events in this run.
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
            log_text(&rule.name),
            number(found.events),
            number(found.violations),
            cell(text.clone(), cut(&safe(&text), WIDEST)),
        ]);
    }
    sheet.print(c.run.format, || {
        no_event(
            &c.select,
            "no rule of the definitions applies to these events",
        )
    })
}
