//! The command line: what is typed becomes calls of the facade, results become text, JSON lines or CSV.

mod account;
pub mod args;
mod asked;
mod config;
mod contrast;
mod diagnose;
mod entities;
mod events;
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

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::analysis::scope::Tables;
use crate::base::zone::Zone;
use crate::workspace::load::OpenOptions;
use crate::workspace::saved::{Keeping, Typed};

use args::{Cli, Color, Command, LookArgs};
pub use config::Settings;
pub use output::Failure;

/// What the command line came to.
pub enum Outcome {
    /// A command ran, or the arguments were wrong.
    Done(ExitCode),
    /// The explorer is to be started.
    Explore(Box<Explore>),
}

/// What the explorer is to open, and how it is to look.
#[derive(Debug)]
pub struct Explore {
    /// What to open.
    pub open: OpenOptions,
    /// What to call it.
    pub title: String,
    /// Zone of the times shown.
    pub zone: Zone,
    /// Whether a file was written within the last minute.
    pub is_alive: bool,
    /// When to use colours.
    pub color: Color,
    /// Theme, keymap and characters.
    pub look: LookArgs,
    /// The user's themes: names and texts.
    pub themes: Vec<(String, String)>,
    /// The user's keymaps: names and texts.
    pub keymaps: Vec<(String, String)>,
    /// How the command line names what is opened.
    pub opened: Typed,
    /// Where workspaces are kept.
    pub keeping: Keeping,
    /// The user's settings.
    pub settings: Settings,
    /// What is wrong with the user's own files.
    pub troubles: Vec<String>,
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
            let _ = writeln!(std::io::stderr(), "widetui: {text}");
            ExitCode::from(2)
        }
    };
    Outcome::Done(done)
}

fn run(cli: Cli) -> Result<Option<Explore>, Failure> {
    match cli.command {
        None => open::explore(&cli.paths, &cli.open, cli.look).map(Some),
        Some(Command::Demo { open, look }) => open::demo(&open, look).map(Some),
        Some(command) => print(command).map(|()| None),
    }
}

/// What `spans` needs.
const NO_SPANS: &str = "spans of what? Name an entity (parsl.task), or mark both ends: --start EXPR --end EXPR --key KEY";

fn print(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo { .. } => Ok(()),
        Command::Events {
            paths,
            select,
            keys,
            limit,
            reverse,
            follow,
            provenance,
            format,
            open,
        } => {
            if follow {
                return follow::print(&paths, &open, &select, &keys, limit, format);
            }
            let opened = open::load(&paths, &open)?;
            let form = events::Form { format, provenance };
            events::print(&opened, &select, &keys, limit, reverse, form)
        }
        Command::Sources {
            paths,
            format,
            open,
        } => {
            // What was read needs no joins.
            let join = vec!["none".to_owned()];
            sources::print(
                &open::load(&paths, &args::OpenArgs { join, ..open })?,
                format,
            )
        }
        Command::Keys {
            paths,
            key,
            select,
            format,
            open,
        } => keys::print(&open::load(&paths, &open)?, key.as_deref(), &select, format),
        Command::Entities {
            paths,
            of,
            format,
            open,
        } => entities::print(&open::load(&paths, &open)?, of.as_deref(), format),
        Command::Trace {
            wanted,
            paths,
            account,
            select,
            format,
            open,
        } => {
            let opened = open::load(&paths, &open)?;
            match account {
                true => account::print(&opened, &wanted, &select, format),
                false => trace::print(&opened, &wanted, format),
            }
        }
        Command::Hung {
            paths,
            format,
            open,
        } => hung::print(&open::load(&paths, &open)?, format),
        Command::Diagnose {
            paths,
            format,
            open,
        } => diagnose::print(&open::load(&paths, &open)?, format),
        Command::Latency {
            entity,
            paths,
            split,
            tables,
            select,
            format,
            open,
        } => {
            let tables = match tables {
                true => Tables::Count,
                false => Tables::LeaveOut,
            };
            let opened = open::load(&paths, &open)?;
            latency::print(&opened, &entity, &split, tables, &select, format)
        }
        Command::States {
            entity,
            paths,
            last,
            recorder,
            select,
            format,
            open,
        } => {
            let wanted = match last {
                true => states::Wanted::Final,
                false => states::Wanted::Series,
            };
            let opened = open::load(&paths, &open)?;
            let recorder = recorder.as_deref();
            states::print(&opened, &entity, wanted, recorder, &select, format)
        }
        Command::Spans {
            mut spans,
            mut paths,
            format,
            open,
        } => {
            // Between marks there is no entity: what stands in its place is a path.
            match (&spans.start, spans.entity.take()) {
                (Some(_), Some(path)) => paths.insert(0, path.into()),
                (None, None) => return Err(Failure::Message(NO_SPANS.to_owned())),
                (_, entity) => spans.entity = entity,
            }
            spans::print(&open::load(&paths, &open)?, &spans, format)
        }
        Command::Throughput {
            entity,
            paths,
            by,
            select,
            format,
            open,
        } => {
            let opened = open::load(&paths, &open)?;
            rates::print_throughput(&opened, &entity, by.as_deref(), &select, format)
        }
        Command::Utilisation {
            entity,
            paths,
            weight,
            select,
            format,
            open,
        } => {
            let opened = open::load(&paths, &open)?;
            rates::print_utilisation(&opened, &entity, weight.as_deref(), &select, format)
        }
        Command::Runs {
            paths,
            select,
            format,
            open,
        } => runs::print(&open::load(&paths, &open)?, &select, format),
        Command::Contrast {
            expr,
            paths,
            format,
            open,
        } => contrast::print(&open::load(&paths, &open)?, &expr, format),
        Command::Compare {
            paths,
            of,
            a,
            b,
            format,
            open,
        } => {
            let sides = runs::Sides {
                paths: &paths,
                a: a.as_deref(),
                b: b.as_deref(),
                of: of.as_deref(),
            };
            runs::print_compare(&sides, &open, format)
        }
        Command::Check {
            paths,
            select,
            format,
            open,
        } => contrast::print_check(&open::load(&paths, &open)?, &select, format),
        Command::Series(c) => {
            let opened = open::load(&c.paths, &c.open)?;
            series::print(&opened, &c.key, &c.how, &c.select, c.format)
        }
        Command::Flow(c) => {
            let opened = open::load(&c.paths, &c.open)?;
            flow::print(&opened, c.of.as_deref(), &c.select, c.format)
        }
        Command::Joins {
            paths,
            format,
            open,
        } => joins::print(&open::load(&paths, &open)?, format),
        Command::Systems { what } => systems::run(what),
        Command::Export(c) => {
            // A mistake in what to draw is told before a long load.
            let plot = plot::wanted(&c.plot, &c.output)?;
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
