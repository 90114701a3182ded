//! `widetui diagnose`: what is wrong, as findings.

use super::args::Format;
use super::open::Opened;
use super::output::Failure;

/// Looks and writes.
pub fn print(_opened: &Opened, _format: Format) -> Result<(), Failure> {
    Ok(())
}
