//! `widetui completions`, `widetui man`: shell completions and the manual page, from the arguments.

use std::io::Write;

use super::args;
use super::output::{Failure, write_out};

/// Writes the completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut args::definition(), "widetui", &mut out);
    write_out(|to| to.write_all(&out))
}

/// Writes the manual page.
pub fn manual() -> Result<(), Failure> {
    let mut out = Vec::new();
    args::manual_page(&mut out).map_err(|e| Failure::Message(e.to_string()))?;
    write_out(|to| to.write_all(&out))
}
