//! `widetui joins`: what implies what in a run.

use std::io::{self, Write};

use crate::base::words::id_words;
use crate::join::Report;

use super::args::{Format, RunArgs};
use super::open;
use super::output::{Failure, safe, write_out};
use super::sheet::{PrintedSheet, cell, hidden, left, number, right, words};

/// Conflicts that are spelled out for each join, for people.
const SHOWN: usize = 5;

/// `widetui joins`: those whose keys occur in the run; for people also what is in conflict.
pub fn run(run: &RunArgs) -> Result<(), Failure> {
    let opened = open::load_run(run)?;
    let joins = &opened.joins;
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
    let none = "no join that is on is about keys of these logs; `widetui keys` lists them";
    sheet.print(run.format, || Failure::Absent(none.to_owned()))?;
    match run.format {
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
