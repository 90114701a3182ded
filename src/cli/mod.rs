//! The command line: what is typed becomes calls of the facade, results become text, JSON lines or CSV.

pub mod args;
mod events;
mod keys;
mod open;
mod output;
mod sources;
mod systems;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
pub use output::Failure;

/// Runs the program with the process's arguments.
///
/// Exit status: 0 done, 1 nothing matched, 2 usage or unreadable input.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Nothing) => ExitCode::from(1),
        Err(Failure::Message(text)) => {
            let _ = writeln!(std::io::stderr(), "widetui: {text}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    let Some(command) = cli.command else {
        return open::explore(&cli.paths, &cli.open);
    };
    match command {
        Command::Demo { open } => open::demo(&open),
        Command::Events {
            paths,
            select,
            keys,
            limit,
            reverse,
            format,
            open,
        } => {
            let opened = open::load(&paths, &open)?;
            events::print(&opened, &select, &keys, limit, reverse, format)
        }
        Command::Sources {
            paths,
            format,
            open,
        } => sources::print(&open::load(&paths, &open)?, format),
        Command::Keys {
            paths,
            key,
            select,
            format,
            open,
        } => keys::print(&open::load(&paths, &open)?, key.as_deref(), &select, format),
        Command::Systems { what } => systems::run(what),
        Command::Export {
            paths,
            output,
            select,
            open,
        } => events::export(&open::load(&paths, &open)?, &select, &output),
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "widetui", &mut out);
            output::write(&out)
        }
        Command::Man => {
            let mut out = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut out)
                .map_err(|e| Failure::Message(e.to_string()))?;
            output::write(&out)
        }
    }
}
