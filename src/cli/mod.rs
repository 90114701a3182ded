//! Command line: arguments become calls of the crates, results become text, JSON lines or CSV.

mod about;
mod account;
pub mod args;
mod check;
mod colour;
mod columnar;
mod compare;
mod config;
mod contrast;
mod dag;
mod diagnose;
mod document;
mod draft;
mod entities;
mod event_writer;
mod events;
mod explore;
mod export;
mod flow;
mod follow;
mod hung;
mod joins;
mod keys;
mod latency;
mod mcp;
mod no_result;
mod open;
mod opened;
mod output;
mod plot;
mod plotted;
mod positionals;
mod rates;
mod report;
mod run_checks;
mod run_store;
mod runs;
mod selection;
mod series;
mod sheet;
mod sources;
mod spans;
mod states;
mod systems;
mod trace;
mod trace_events;
mod watch;

use std::io::{self, Write};
use std::process::ExitCode;

use widetui_ingest::definitions::read_ahead;
use widetui_session::export_files::export::OlderFile;

use args::{Cli, Command, RunCommand};
pub use explore::Explore;
pub use output::{Failure, warn};

/// Result of the command line.
pub enum Outcome {
    /// Exit code of a command, or of wrong arguments.
    Done(ExitCode),
    /// The explorer, to be started.
    Explore(Box<Explore>),
}

/// Parses the arguments of the process and runs their command.
///
/// Exit status: 0 done, 1 nothing matched (with `--exit-code` also: something is wrong), 2 usage, unreadable input, an output that
/// cannot be written, or an answer that lacks text which could not be read again.
pub fn main() -> Outcome {
    read_ahead();
    let cli = match args::parse() {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            return Outcome::Done(match error.use_stderr() {
                true => ExitCode::from(2),
                false => status(printed.map_err(Failure::from)),
            });
        }
    };
    match run(cli) {
        Ok(Some(explore)) => Outcome::Explore(Box::new(explore)),
        done => Outcome::Done(status(done.map(|_| ()))),
    }
}

/// Exit status of a command; a message goes to standard error.
fn status(done: Result<(), Failure>) -> ExitCode {
    let done = match done {
        Ok(()) => 0,
        // The reader of the output closed the pipe, as `head` does.
        Err(Failure::Closed) => 0,
        Err(Failure::Nothing | Failure::Wrong) => 1,
        Err(Failure::Absent(text)) => {
            warn(text);
            1
        }
        Err(Failure::Message(text)) => {
            warn(text);
            2
        }
    };
    ExitCode::from(if opened::is_incomplete() { 2 } else { done })
}

fn run(cli: Cli) -> Result<Option<Explore>, Failure> {
    match cli.command {
        None => {
            let mut paths = cli.paths;
            if cli.appearance.replay.is_none() {
                positionals::or_standard_input(&mut paths);
            }
            explore::explore(&paths, &cli.open, cli.appearance).map(Some)
        }
        Some(Command::Demo { open, appearance }) => explore::demo(&open, appearance).map(Some),
        Some(command) => {
            crate::ui::remove_temporary_files_on_signals();
            print(command).map(|()| None)
        }
    }
}

fn print(mut command: Command) -> Result<(), Failure> {
    let ready = command.run_mut().map_or(Ok(()), prepare);
    output::keep(ready.and_then(|()| answer(command)))
}

/// Settles the arguments of a command about a run, and opens its output.
fn prepare(RunCommand { subject, run }: RunCommand<'_>) -> Result<(), Failure> {
    positionals::settle(subject, &mut run.paths)?;
    columnar::check_built(run.format)?;
    if let Some(path) = &run.output {
        let older = OlderFile::with_force(run.force);
        open::may_write(path, older, &run.paths, &run.open)?;
        output::redirect(path)?;
    }
    colour::choose(run.color, run.format, output::is_terminal());
    columnar::check(run.format)
}

fn answer(command: Command) -> Result<(), Failure> {
    match command {
        // It opens the explorer.
        Command::Demo { .. } => Ok(()),
        Command::Events(c) => events::run(&c),
        Command::Sources(c) => sources::run(&c),
        Command::Keys(c) => keys::run(&c),
        Command::Entities(c) => entities::run(&c),
        Command::Trace(c) => trace::run(&c),
        Command::Hung(c) => hung::run(&c),
        Command::Watch(c) => watch::run(&c),
        Command::Diagnose(c) => diagnose::run(&c),
        Command::Latency(c) => latency::run(&c),
        Command::States(c) => states::run(&c),
        Command::Spans(c) => spans::run(&c),
        Command::Throughput(c) => rates::run_throughput(&c),
        Command::Utilisation(c) => rates::run_utilisation(&c),
        Command::Dag(c) => dag::run(&c),
        Command::Runs(c) => runs::run(&c),
        Command::Contrast(c) => contrast::run(&c),
        Command::Compare(c) => compare::run(&c),
        Command::Check(c) => check::run(&c),
        Command::Series(c) => series::run(&c),
        Command::Flow(c) => flow::run(&c),
        Command::Joins(c) => joins::run(&c),
        Command::Systems { what, format } => systems::run(what, format),
        Command::Report(c) => report::run(c),
        Command::Export(c) => export::run(c),
        Command::Mcp { .. } => mcp::serve(),
        Command::Completions { shell } => about::completions(shell),
        Command::Man => about::manual(),
    }
}
