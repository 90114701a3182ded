//! `widetui joins`: what implies what in a run.

use std::io::Write;

use serde_json::json;

use crate::export::{csv, jsonl};
use crate::join::Report;

use super::args::Format;
use super::open::Opened;
use super::output::{Align, Failure, count, safe, stdout, table};

/// Conflicts that are spelled out for each join, for people.
const SHOWN: usize = 5;

/// Lists the joins whose keys occur in the run.
pub fn print(opened: &Opened, format: Format) -> Result<(), Failure> {
    let joins = &opened.joins;
    let mut out = stdout();
    match format {
        Format::Jsonl => {
            for j in joins.iter() {
                let line = json!({
                    "join": j.join, "by": j.by, "gives": j.gives, "groups": j.groups,
                    "widened": j.widened, "conflicts": j.conflicts,
                    "system": j.system,
                });
                writeln!(out, "{}", jsonl::line(&line))?;
            }
        }
        Format::Csv => {
            writeln!(out, "join,by,gives,groups,widened,conflicts")?;
            for j in joins.iter() {
                let (by, gives) = (j.by.join(" "), j.gives.join(" "));
                let numbers = [j.groups, j.widened, j.conflicts].map(|n| n.to_string());
                let [groups, widened, conflicts] = &numbers;
                let cells = [&j.join, &by, &gives, groups, widened, conflicts];
                writeln!(out, "{}", csv::row(cells.map(String::as_str)))?;
            }
        }
        Format::Text => text(&mut out, joins)?,
    }
    out.flush()?;
    if joins.is_empty() {
        return Err(Failure::Nothing);
    }
    Ok(())
}

fn text(out: &mut impl Write, joins: &[Report]) -> Result<(), Failure> {
    let number = |n: usize| count(n as u64);
    let rows: Vec<Vec<String>> = joins
        .iter()
        .map(|j| {
            vec![
                safe(&j.join),
                safe(&j.by.join(", ")),
                safe(&j.gives.join(", ")),
                number(j.groups),
                number(j.widened),
                number(j.conflicts),
            ]
        })
        .collect();
    let columns = [
        ("join", Align::Left),
        ("by", Align::Left),
        ("gives", Align::Left),
        ("groups", Align::Right),
        ("widened", Align::Right),
        ("conflicts", Align::Right),
    ];
    table(out, &columns, &rows)?;
    for join in joins.iter().filter(|j| !j.examples.is_empty()) {
        writeln!(
            out,
            "\n{}: in conflict, so nobody receives a value",
            safe(&join.join)
        )?;
        for conflict in join.examples.iter().take(SHOWN) {
            let pair = |(key, value): &(String, String)| format!("{key}={value}");
            let group: Vec<String> = conflict.group.iter().map(pair).collect();
            let values: Vec<&str> = conflict.values.iter().map(|v| v.0.as_str()).collect();
            let line = format!(
                "  {}: {} is {}",
                group.join(" "),
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
