//! `widetui check`: records that violate a rule of the definitions.

use widetui_core::cancel::Cancel;
use widetui_session::check_table::{Rules, checks};
use widetui_tables::answers::checks as answers;

use super::args::VerdictCommand;
use super::no_result::no_event;
use super::open;
use super::output::{Failure, verdict};
use super::selection::selection;

/// Width of an example in a table, characters.
const WIDEST: usize = 80;

/// `widetui check`: number of violations of each rule of the definitions.
pub fn run(c: &VerdictCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    let within = selection(&opened, &c.select)?;
    let rules = Rules(opened.meaning.clone());
    let table = checks(
        &opened.snapshot,
        &rules,
        within.as_ref(),
        &Cancel::default(),
    );
    // A command is never cancelled.
    let rows = table.map(|table| table.rows).unwrap_or_default();
    let sheet = opened.sheet(&answers::checks(), &rows).cut(WIDEST);
    sheet.print(c.run.format, || {
        no_event(
            &c.select,
            "no rule of the definitions applies to these events",
        )
    })?;
    verdict(c.exit_code, rows.iter().any(|row| row.found.violations > 0))
}
