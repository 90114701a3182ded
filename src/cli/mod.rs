//! The command line: what is typed becomes calls of the facade, results become text, JSON lines or CSV.

mod account;
pub mod args;
mod asked;
mod config;
mod contrast;
mod diagnose;
mod draft;
mod entities;
mod events;
mod eventwriter;
mod explore;
mod flow;
mod follow;
mod hung;
mod joins;
mod keys;
mod latency;
mod open;
mod output;
mod plot;
mod rates;
mod runs;
mod series;
mod sheet;
mod sources;
mod spans;
mod states;
mod systems;
mod trace;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::analysis::scope::Tables;
use crate::workspace::meaning::WantedKeys;

use args::{Cli, Command};
pub use config::Settings;
pub use explore::Explore;
pub use output::{Failure, warn};

/// What the command line came to.
pub enum Outcome {
    /// A command ran, or the arguments were wrong.
    Done(ExitCode),
    /// The explorer is to be started.
    Explore(Box<Explore>),
}

/// Reads the process's arguments and runs the command they name.
///
/// Exit status: 0 done, 1 nothing matched, 2 usage or unreadable input.
pub fn main() -> Outcome {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return Outcome::Done(ExitCode::from(if error.use_stderr() { 2 } else { 0 }));
        }
    };
    let done = match run(cli) {
        Ok(Some(explore)) => return Outcome::Explore(Box::new(explore)),
        Ok(None) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Nothing) => ExitCode::from(1),
        Err(Failure::Message(text)) => {
            warn(text);
            ExitCode::from(2)
        }
    };
    Outcome::Done(done)
}

fn run(cli: Cli) -> Result<Option<Explore>, Failure> {
    match cli.command {
        None => explore::explore(&cli.paths, &cli.open, cli.look).map(Some),
        Some(Command::Demo { open, look }) => explore::demo(&open, look).map(Some),
        Some(command) => print(command).map(|()| None),
    }
}

/// What `spans` needs.
const NO_SPANS: &str = "spans of what? Name an entity (parsl.task), or mark both ends: --start EXPR --end EXPR --key KEY";

fn print(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo { .. } => Ok(()),
        Command::Events {
            select,
            keys,
            limit,
            reverse,
            follow,
            provenance,
            run,
        } => {
            let form = eventwriter::Form::of(run.format, provenance)?;
            if follow {
                return follow::print(&run.paths, &run.open, &select, &keys, limit, form);
            }
            let wanted = |opened: &open::Opened| events::wanted(opened, &select, &keys, run.format);
            let opened = open::load_for(&run.paths, &run.open, wanted)?;
            let chosen = events::ChosenEvents {
                select: &select,
                limit,
                reverse,
            };
            events::print(&opened, chosen, &keys, form)
        }
        Command::Sources(run) => {
            // What was read needs no joins.
            let wanted = |_: &open::Opened| Ok(WantedKeys::Keys(Vec::new()));
            let opened = open::load_for(&run.paths, &run.open, wanted)?;
            sources::print(&opened, run.format)
        }
        Command::Keys { key, select, run } => {
            keys::print(&open::run(&run)?, key.as_deref(), &select, run.format)
        }
        Command::Entities { of, select, run } => {
            entities::print(&open::run(&run)?, of.as_deref(), &select, run.format)
        }
        Command::Trace {
            wanted,
            account,
            select,
            run,
        } => {
            let opened = open::run(&run)?;
            match account {
                true => account::print(&opened, &wanted, &select, run.format),
                false => trace::print(&opened, &wanted, &select, run.format),
            }
        }
        Command::Hung(run) => hung::print(&open::run(&run)?, run.format),
        Command::Diagnose(run) => diagnose::print(&open::run(&run)?, run.format),
        Command::Latency {
            entity,
            split,
            slowest,
            tables,
            select,
            run,
        } => {
            let tables = match tables {
                true => Tables::Count,
                false => Tables::LeaveOut,
            };
            let opened = open::run(&run)?;
            match slowest {
                Some(step) => {
                    latency::print_slowest(&opened, &entity, &step, tables, &select, run.format)
                }
                None => latency::print(&opened, &entity, &split, tables, &select, run.format),
            }
        }
        Command::States {
            entity,
            last,
            recorder,
            select,
            run,
        } => {
            let wanted = match last {
                true => states::StatesOutput::Final,
                false => states::StatesOutput::Series,
            };
            let opened = open::run(&run)?;
            let recorder = recorder.as_deref();
            states::print(&opened, &entity, wanted, recorder, &select, run.format)
        }
        Command::Spans { mut spans, mut run } => {
            // Between marks there is no entity: what stands in its place is a path.
            match (&spans.start, spans.entity.take()) {
                (Some(_), Some(path)) => run.paths.insert(0, path.into()),
                (None, None) => return Err(Failure::Message(NO_SPANS.to_owned())),
                (_, entity) => spans.entity = entity,
            }
            spans::print(&open::run(&run)?, &spans, run.format)
        }
        Command::Throughput {
            entity,
            by,
            select,
            run,
        } => {
            let opened = open::run(&run)?;
            rates::print_throughput(&opened, &entity, by.as_deref(), &select, run.format)
        }
        Command::Utilisation {
            entity,
            weight,
            select,
            run,
        } => {
            let opened = open::run(&run)?;
            rates::print_utilisation(&opened, &entity, weight.as_deref(), &select, run.format)
        }
        Command::Runs { select, run } => runs::print(&open::run(&run)?, &select, run.format),
        Command::Contrast { expr, run } => contrast::print(&open::run(&run)?, &expr, run.format),
        Command::Compare { of, a, b, run } => {
            let sides = runs::Sides {
                paths: &run.paths,
                a: a.as_deref(),
                b: b.as_deref(),
                of: of.as_deref(),
            };
            runs::print_compare(&sides, &run.open, run.format)
        }
        Command::Check { select, run } => {
            contrast::print_check(&open::run(&run)?, &select, run.format)
        }
        Command::Series(c) => {
            let opened = open::run(&c.run)?;
            series::print(&opened, &c.key, &c.how, &c.select, c.run.format)
        }
        Command::Flow(c) => {
            let opened = open::run(&c.run)?;
            flow::print(&opened, c.of.as_deref(), &c.select, c.run.format)
        }
        Command::Joins(run) => joins::print(&open::run(&run)?, run.format),
        Command::Systems { what } => systems::run(what),
        Command::Export(c) => {
            // A mistake in what to draw, or where to, is told before a long load.
            let plot = plot::wanted(&c.plot, &c.output)?;
            open::may_write(&c.output, &c.paths, &c.open)?;
            let opened = open::load(&c.paths, &c.open)?;
            match plot {
                Some(plot) => plot::export(&opened, &plot, &c.select, &c.output),
                None => events::export(&opened, &c.select, &c.output),
            }
        }
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
