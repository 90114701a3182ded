//! `widetui systems`: definitions in force, and checking one.

use super::args::SystemsCommand;
use super::output::Failure;

/// Lists definitions, or checks one.
pub fn run(_what: Option<SystemsCommand>) -> Result<(), Failure> {
    Err(Failure::Nothing)
}
