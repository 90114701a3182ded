//! `widetui joins`: joins of a run and their results.

use std::io::{self, Write};

use widetui_core::words::several;
use widetui_join::{Report, restrict_reports};
use widetui_session::instance_table::{JoinFrom, JoinSwitch};
use widetui_tables::answers::joins::{self as answers, JoinLine};

use super::args::{Format, SelectArgs, SelectedCommand};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::selection::some;

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
    let is_text = matches!(format, Format::Text);
    let idle = joins.iter().filter(|report| report.is_idle()).count();
    let shown = { joins.iter() }.filter(|report| !is_text || !report.is_idle());
    let lines = shown.filter_map(|report| {
        let join = opened
            .meaning
            .joins
            .iter()
            .find(|j| j.name == report.join)?;
        Some(JoinLine {
            join,
            switch: JoinSwitch {
                is_on: true,
                from: match join.system {
                    Some(_) => JoinFrom::System,
                    None => JoinFrom::Own,
                },
            },
            report: Some(report),
        })
    });
    let sheet = opened.sheet(&answers::joins(), lines);
    let none = "no enabled join uses keys of these logs; `6` in the explorer suggests joins, `widetui keys` lists the keys";
    sheet.print(format, || no_event(select, none))?;
    match format {
        Format::Text => write_out(|out| {
            conflicts(out, joins)?;
            match idle {
                0 => Ok(()),
                idle => writeln!(
                    out,
                    "\n{} widened nothing (`--format jsonl` lists all)",
                    several(idle, "more join")
                ),
            }
        }),
        _ => Ok(()),
    }
}

fn conflicts(out: &mut impl Write, joins: &[Report]) -> io::Result<()> {
    for join in joins.iter().filter(|j| !j.examples.is_empty()) {
        writeln!(
            out,
            "\n{}: conflicts, whose events receive no value",
            safe(&join.join)
        )?;
        for conflict in join.examples.iter().take(SHOWN) {
            let values: Vec<&str> = conflict.values.iter().map(|v| v.0.as_str()).collect();
            let line = format!(
                "  {}: {} is {}",
                conflict.subject(),
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
