//! `widetui joins`: joins of a run and their results.

use std::io::{self, Write};

use widetui_core::words::id_words;
use widetui_join::{Report, restrict_reports};

use super::args::{Format, SelectArgs, SelectedCommand};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::selection::some;
use super::sheet::{PrintedSheet, cell, hidden, left, log_text, number, right};

/// Number of conflicts of each join in text output.
const SHOWN: usize = 5;

/// `widetui joins`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, &c.select, c.run.format)
}

/// Lists the joins whose keys occur in the run, or in the selected events; text also lists conflicts.
fn print(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let selected = some(opened, select)?;
    let about = selected.map(|rows| restrict_reports(&opened.snapshot, &opened.joins, &rows));
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
            log_text(&j.join),
            keys(&j.left_keys),
            keys(&j.right_keys),
            number(j.groups as u64),
            number(j.receiving_events as u64),
            number(j.conflicts as u64),
            cell(j.system.clone(), ""),
        ]);
    }
    let none = "no enabled join uses keys of these logs; `6` in the explorer suggests joins, `widetui keys` lists the keys";
    sheet.print(format, || no_event(select, none))?;
    match format {
        Format::Text => write_out(|out| conflicts(out, joins)),
        _ => Ok(()),
    }
}

fn conflicts(out: &mut impl Write, joins: &[Report]) -> io::Result<()> {
    for join in joins.iter().filter(|j| !j.examples.is_empty()) {
        writeln!(
            out,
            "\n{}: conflicts, so no event receives a value",
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
