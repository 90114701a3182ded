//! `widetui completions`, `widetui man`: shell completions and the manual page, from the arguments.

use std::io::Write;

use super::args;
use super::output::{Failure, write_out};

/// Writes the completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut args::definition(), "widetui", &mut out);
    if shell == clap_complete::Shell::Fish {
        out = with_open_options(&out);
    }
    write_out(|to| to.write_all(&out))
}

/// Completes a fish script: before a command, the script reads the words that are typed, and fails at an option whose value
/// is still missing; then it reads those before this option.
fn with_open_options(script: &[u8]) -> Vec<u8> {
    let script = String::from_utf8_lossy(script);
    let read = "    argparse -s (__fish_widetui_global_optspecs) -- $cmd 2>/dev/null\n";
    let again = read
        .replace("argparse", "or argparse")
        .replace("$cmd", "$cmd[1..-2]");
    script.replace(read, &format!("{read}{again}")).into_bytes()
}

/// Writes the manual page.
pub fn manual() -> Result<(), Failure> {
    let mut out = Vec::new();
    args::manual_page(&mut out).map_err(|e| Failure::Message(e.to_string()))?;
    write_out(|to| to.write_all(&out))
}
