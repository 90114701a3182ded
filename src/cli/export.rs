//! `widetui export`: events or a plot to a file.

use super::args::ExportCommand;
use super::output::Failure;
use super::{events, open, plot};

/// `widetui export`.
pub fn run(c: &ExportCommand) -> Result<(), Failure> {
    // Mistakes in the plot or the file are reported before a long load.
    let plot = plot::wanted(&c.plot, &c.output)?;
    open::may_write(&c.output, &c.paths, &c.open)?;
    let opened = open::load(&c.paths, &c.open)?;
    match plot {
        Some(plot) => plot::export(&opened, &plot, c),
        None => events::export(&opened, &c.select, c.flat, &c.output),
    }
}
