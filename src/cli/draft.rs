//! `widetui systems draft`: a first definition for logs that no definition describes.

use std::io::Write;

use widetui_core::cancel::Cancel;
use widetui_draft::{DraftRequest, draft, names};
use widetui_session::export_files::export::OlderFile;
use widetui_session::meaning::WantedKeys;

use super::args::{DraftCommand, OpenArgs};
use super::open::{load_for, may_write};
use super::output::{Failure, redirect, warn, write_out};
use super::positionals::or_standard_input;

/// Prints a draft, or writes it to a file.
pub fn print(command: &DraftCommand) -> Result<(), Failure> {
    let open = OpenArgs {
        memory: command.memory,
        threads: command.threads,
        ..OpenArgs::default()
    };
    let mut paths = command.paths.clone();
    or_standard_input(&mut paths);
    if let Some(output) = &command.output {
        may_write(output, OlderFile::with_force(command.force), &paths, &open)?;
        redirect(output)?;
    }
    if paths.is_empty() {
        paths.push(".".into());
    }
    let name = match &command.name {
        Some(name) => {
            names::check(name).map_err(|e| Failure::Message(format!("--name: {e}")))?;
            name.clone()
        }
        None => names::of_paths(&paths),
    };
    let opened = load_for(&paths, &open, |_| WantedKeys::Keys(Vec::new()))?;
    let request = DraftRequest {
        name,
        max_patterns: command.max,
    };
    let drafted = draft(&opened.snapshot, &request, &Cancel::default()).map_err(|e| {
        let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        Failure::Message(format!("{}: {e}", paths.join(" ")))
    })?;
    if drafted.is_known {
        let names: Vec<&str> = drafted.known.iter().map(|k| k.0.as_str()).collect();
        warn(format_args!(
            "these logs are already described by the definition of {}",
            names.join(", ")
        ));
    }
    write_out(|out| out.write_all(drafted.text.as_bytes()))
}
