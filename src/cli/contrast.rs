//! `widetui contrast`: values that distinguish some events from the others.

use std::io::Write;

use widetui_core::cancel::Cancel;
use widetui_core::words::grouped;
use widetui_query::select;
use widetui_session::comparison::contrasted;
use widetui_tables::answers::contrast::{lines, values};

use super::args::{ContrastCommand, Format};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::selection::{expression, some};

/// Number of values in text output.
const SHOWN: usize = 40;
/// Width of a value in a table, characters.
const WIDEST: usize = 80;

/// `widetui contrast`.
pub fn run(c: &ContrastCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, c)
}

/// Writes the values that are more frequent among the events of the expression than among the others.
fn print(opened: &Opened, c: &ContrastCommand) -> Result<(), Failure> {
    let format = c.run.format;
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    let expr = expression(opened, c.expr.name())?;
    let among = some(opened, &c.select)?;
    let mut selected = select(snapshot, &expr, &cancel).unwrap_or_default();
    if let Some(among) = &among {
        selected.and(among);
    }
    if selected.is_empty() {
        let text = format!(
            "nothing to contrast: no event matches {}",
            safe(c.expr.name())
        );
        return Err(no_event(&c.select, &text));
    }
    let inside = (&selected, std::slice::from_ref(&expr));
    // A command is never cancelled.
    let result = contrasted(snapshot, inside, among.as_ref(), &cancel).unwrap_or_default();
    let shown = match format {
        Format::Text => SHOWN,
        _ => usize::MAX,
    };
    let rows = lines(&result).take(shown);
    let sheet = opened.sheet(&values(), rows).cut(WIDEST);
    let done = sheet.print(format, || {
        let text = format!(
            "no key distinguishes events matching {}",
            safe(c.expr.name())
        );
        no_event(&c.select, &text)
    });
    if format == Format::Text {
        write_out(|out| {
            writeln!(out, "\n{}", result.summary())?;
            match result.values.len().checked_sub(SHOWN) {
                None | Some(0) => Ok(()),
                Some(more) => {
                    let more = grouped(more as u64);
                    writeln!(out, "{more} more values, with lower scores: --format jsonl")
                }
            }
        })?;
    }
    done
}
