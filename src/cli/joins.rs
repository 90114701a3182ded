//! `widetui joins`: what implies what in a run.

use std::io::{self, Write};

use widetui_core::words::id_words;
use widetui_join::{Report, among};

use super::args::{Format, SelectArgs, SelectedCommand};
use super::asked::some;
use super::nothing::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::sheet::{PrintedSheet, cell, hidden, left, number, right, words};

/// Conflicts that are spelled out for each join, for people.
const SHOWN: usize = 5;

/// `widetui joins`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, &c.select, c.run.format)
}

/// Lists the joins whose keys occur in the run, or in the events that the arguments ask for; for people also what is in conflict.
fn print(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let asked = some(opened, select)?;
    let about = asked.map(|rows| among(&opened.snapshot, &opened.joins, &rows));
    let joins = about.as_deref().unwrap_or(&opened.joins);
    let mut sheet = PrintedSheet::new(vec![
        left("join", "join"),
        left("by", "by"),
        left("gives", "gives"),
        right("groups", "groups"),
        right("widened", "widened"),
        right("conflicts", "conflicts"),
        hidden("system"),
    ]);
    let keys = |names: &[String]| cell(names.to_vec(), safe(&names.join(", ")));
    for j in joins.iter() {
        sheet.push(vec![
            words(&j.join),
            keys(&j.by),
            keys(&j.gives),
            number(j.groups as u64),
            number(j.widened as u64),
            number(j.conflicts as u64),
            cell(j.system.clone(), ""),
        ]);
    }
    let none = "no join that is on is about keys of these logs; `6` in the explorer suggests some, `widetui keys` lists the keys";
    sheet.print(format, || no_event(select, none))?;
    match format {
        Format::Text => write_out(|out| conflicts(out, joins)),
        Format::Jsonl | Format::Csv => Ok(()),
    }
}

fn conflicts(out: &mut impl Write, joins: &[Report]) -> io::Result<()> {
    for join in joins.iter().filter(|j| !j.examples.is_empty()) {
        writeln!(
            out,
            "\n{}: in conflict, so nobody receives a value",
            safe(&join.join)
        )?;
        for conflict in join.examples.iter().take(SHOWN) {
            let values: Vec<&str> = conflict.values.iter().map(|v| v.0.as_str()).collect();
            let line = format!(
                "  {}: {} is {}",
                id_words(&conflict.group, " "),
                conflict.key,
                values.join(" or ")
            );
            writeln!(out, "{}", safe(&line))?;
        }
        if join.conflicts > SHOWN {
            writeln!(out, "  and {} more", join.conflicts - SHOWN)?;
        }
    }
    Ok(())
}
