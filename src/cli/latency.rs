//! `widetui latency`: which steps eat the time.

use std::io::Write;

use crate::analysis::latency::{Latency, MOST, latency};
use crate::base::cancel::Cancel;

use super::args::{Format, SelectArgs};
use super::asked::{by, scope};
use super::entities::{find, id_text, named};
use super::open::Opened;
use super::output::{Failure, count, safe};
use super::sheet::{Sheet, cell, duration_f, hidden, left, number, right, share, words};

/// Writes the steps of an entity's instances.
pub fn print(
    opened: &Opened,
    entity: &str,
    split: &[String],
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let entity = named(opened, entity)?;
    let scope = scope(opened, select)?;
    let split_by = split
        .iter()
        .map(|name| by(opened, name))
        .collect::<Result<Vec<_>, _>>()?;
    let found = find(opened, &entity);
    let result =
        latency(snapshot, &found, &scope, &split_by, &Cancel::default()).unwrap_or_default();
    sheet(&result, split).print(format)?;
    if format == Format::Text {
        let mut out = super::output::stdout();
        writeln!(
            out,
            "\n{} {}s; a step is the time since the last row above that is not rarer",
            count(result.instances),
            safe(&entity.title)
        )?;
        if let Some(row) = slowest(&result) {
            let at = &result.rows[row];
            let instance = &found.list[at.slowest];
            let id = id_text(&found, snapshot, instance);
            writeln!(
                out,
                "The longest step on average: \"{}\"; longest of all in {}",
                safe(&at.template),
                safe(&id)
            )?;
        }
        if result.left_out > 0 {
            writeln!(
                out,
                "{} records that come more than {MOST} times in one {} are left out",
                count(result.left_out),
                safe(&entity.title)
            )?;
        }
        out.flush()?;
    }
    Ok(())
}

/// The row with the longest mean step.
fn slowest(latency: &Latency) -> Option<usize> {
    let rows = latency.rows.iter().enumerate();
    let steps = rows.filter_map(|(at, row)| Some((at, row.step?.mean)));
    steps.max_by(|a, b| a.1.total_cmp(&b.1)).map(|s| s.0)
}

fn sheet(result: &Latency, split: &[String]) -> Sheet {
    let mut columns = vec![
        right("offset_mean_s", "offset"),
        right("offset_p50_s", "p50"),
        right("offset_p95_s", "p95"),
        right("offset_max_s", "max"),
        right("step_mean_s", "step"),
        right("step_p50_s", "p50"),
        right("step_p95_s", "p95"),
        right("step_max_s", "max"),
        right("share", "share"),
        hidden("instances"),
        right("occurrence", "nth"),
    ];
    columns.extend(split.iter().map(|name| left(name, name)));
    columns.push(left("template", "template"));
    let mut sheet = Sheet::new(columns);
    for row in &result.rows {
        let (o, s) = (&row.offset, row.step);
        let offset = [o.mean, o.p50, o.p95, o.max].map(|t| duration_f(Some(t)));
        let step = [
            s.map(|s| s.mean),
            s.map(|s| s.p50),
            s.map(|s| s.p95),
            s.map(|s| s.max),
        ];
        let mut cells = Vec::from(offset);
        cells.extend(step.map(duration_f));
        cells.push(share(row.share));
        cells.push(number(row.instances));
        let nth = match row.occurrence {
            1 => String::new(),
            n => n.to_string(),
        };
        cells.push(cell(row.occurrence, nth));
        cells.extend(row.split.iter().map(|v| words(v)));
        cells.push(words(&row.template));
        sheet.push(cells);
    }
    sheet
}
