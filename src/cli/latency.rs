//! `widetui latency`: which steps eat the time.

use std::io::Write;

use crate::analysis::latency::{Latency, MOST, latency};
use crate::analysis::scope::{Scope, Tables};
use crate::base::cancel::Cancel;
use crate::export::results;

use super::args::{Format, SelectArgs};
use super::asked::{by, scope};
use super::entities::{find, id_text, named};
use super::open::Opened;
use super::output::{Failure, count, plural, safe};
use super::sheet::Sheet;

/// Writes the steps of an entity's instances.
pub fn print(
    opened: &Opened,
    entity: &str,
    split: &[String],
    tables: Tables,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let entity = named(opened, entity)?;
    let scope = Scope {
        tables,
        ..scope(opened, select)?
    };
    let split_by = split
        .iter()
        .map(|name| by(opened, name))
        .collect::<Result<Vec<_>, _>>()?;
    let found = find(opened, &entity);
    let result =
        latency(snapshot, &found, &scope, &split_by, &Cancel::default()).unwrap_or_default();
    Sheet::from(results::latency(&result, split)).print(format)?;
    if format == Format::Text {
        let mut out = super::output::stdout();
        writeln!(
            out,
            "\n{} {}; a step is the time since the last row above that is not rarer",
            count(result.instances),
            plural(&safe(&entity.title))
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
