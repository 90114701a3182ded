//! `widetui systems draft`: a first definition for logs that no definition describes.

use std::io::Write;

use widetui_core::cancel::Cancel;
use widetui_draft::{DraftRequest, draft, names};
use widetui_session::export_files::export as written;
use widetui_session::meaning::WantedKeys;

use super::args::{DraftCommand, OpenArgs};
use super::open::{load_for, may_write};
use super::output::{Failure, stdout, warn};
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
    let output = command.output.as_deref();
    let output = output.filter(|path| !written::is_stdout(path));
    if let Some(output) = output {
        if output.exists() && !command.force {
            return Err(Failure::Message(format!(
                "{}: the file exists: choose another one, or replace it with --force",
                output.display()
            )));
        }
        may_write(output, &paths, &open)?;
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
    match output {
        Some(path) => {
            let mut out =
                written::create(path, Some(&opened.snapshot)).map_err(Failure::Message)?;
            out.write_all(drafted.text.as_bytes())?;
            written::keep(path, out).map_err(Failure::Message)
        }
        None => {
            let mut out = stdout();
            out.write_all(drafted.text.as_bytes())?;
            Ok(out.flush()?)
        }
    }
}
