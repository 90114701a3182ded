//! Arguments: what can be typed. Nothing here reads a file or the environment.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

mod draft;
mod look;
mod manual;
mod plots;
mod records;
mod sides;
mod size;
mod times;

pub use draft::DraftCommand;
pub use look::{Color, PlotStyle};
pub use manual::page as manual_page;
pub use plots::{
    ExportCommand, FlowCommand, PickArg, PlotArgs, PlotTheme, SeriesArgs, SeriesCommand, SpanArgs,
    SpansCommand,
};
pub use records::{EntitiesCommand, EventsCommand, KeysCommand, TraceCommand};
pub use sides::{CheckCommand, CompareCommand, ContrastCommand, RunsCommand};
pub use times::{LatencyCommand, StatesCommand, ThroughputCommand, UtilisationCommand};

/// Explore the logs of distributed scientific workflows.
///
/// Without a command the explorer opens on PATHs (files, folders, archives, `-` for standard input; the current folder
/// when there are none). A folder that is called like a command is opened as `./NAME` or after `--`.
#[derive(Debug, Parser)]
#[command(
    name = "widetui",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do instead of exploring.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to open.
    pub paths: Vec<PathBuf>,
    /// How to open it.
    #[command(flatten)]
    pub open: OpenArgs,
    /// How to show it.
    #[command(flatten)]
    pub look: LookArgs,
}

/// How the explorer looks and what keys it takes.
#[derive(Clone, Debug, Default, Args)]
pub struct LookArgs {
    /// Colours of the explorer: dark, light, high-contrast, ansi16, ansi16-light, mono, or one of your own (default: dark)
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Keys of the explorer: default, vim, emacs, or a keymap of your own
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// When the explorer uses colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Draw the explorer with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// With what pictures are drawn.
    #[command(flatten)]
    pub plots: PlotStyle,
    /// Leave the mouse to the terminal
    #[arg(long)]
    pub no_mouse: bool,
    /// Keep marks, notes and selection in FILE: restored at once when it is there, written at the end
    #[arg(long, value_name = "FILE")]
    pub workspace: Option<PathBuf>,
    /// Show what a workspace's FILE says, of PATH or of what it was made of; FILE stays as it is
    #[arg(long, value_name = "FILE", conflicts_with = "workspace")]
    pub replay: Option<PathBuf>,
    /// Follow files that grow from the start on (default: when something was written within the last minute)
    #[arg(long, overrides_with = "no_follow")]
    pub follow: bool,
    /// Do not follow files until F is pressed
    #[arg(long, overrides_with = "follow")]
    pub no_follow: bool,
}

/// How a run is opened; the same for all commands.
#[derive(Clone, Debug, Default, Args)]
pub struct OpenArgs {
    /// Zone of times that name none: UTC, local, +02:00, America/Chicago (default: found out from the run)
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// Zone in which times are shown and typed (default: UTC)
    #[arg(long, value_name = "ZONE")]
    pub display_tz: Option<String>,
    /// A definition of a system to use besides the built-in ones; may be given several times
    #[arg(long, value_name = "FILE")]
    pub system: Vec<PathBuf>,
    /// A table of facts about the run, CSV or JSON lines, whose columns are keys (`parsl.task`); may be given several times
    #[arg(long, value_name = "FILE")]
    pub facts: Vec<PathBuf>,
    /// Add SECONDS to the times of sources whose path contains (or whose tag is) SOURCE
    #[arg(long, value_name = "SOURCE=SECONDS", allow_hyphen_values = true)]
    pub shift: Vec<String>,
    /// Only these joins: names, `all` or `none`; may be given several times
    #[arg(long, value_name = "NAME")]
    pub join: Vec<String>,
    /// All joins but these; may be given several times
    #[arg(long, value_name = "NAME")]
    pub no_join: Vec<String>,
    /// Threads for loading (default: all cores, at most 8)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// How much inflated text is kept in memory, as 512M or 2G (a number alone: megabytes); what is more goes to a temporary file
    #[arg(long, value_name = "SIZE", value_parser = size::bytes, default_value = "1G")]
    pub memory: u64,
    /// Read everything anew, which is what is done in any case: nothing is kept from one start to the next
    #[arg(long, hide = true)]
    pub no_cache: bool,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// JSON lines: one object per record, with stable names.
    Jsonl,
    /// Comma-separated, with a header.
    Csv,
}

/// What a command reads, and in what form it prints.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// What to open.
    pub paths: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// When text is coloured
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// How to open it.
    #[command(flatten)]
    pub open: OpenArgs,
}

/// What a command is about.
#[derive(Clone, Debug, Default, Args)]
pub struct SelectArgs {
    /// Only events that fit the expression, e.g. `parsl.task = 7 and level >= warning`
    #[arg(long = "where", value_name = "EXPR")]
    pub filter: Option<String>,
    /// Only events at or after this time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only events with this value of a key; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub same: Vec<String>,
    /// Leave out records that repeat another source's byte for byte
    #[arg(long)]
    pub unique: bool,
}

impl SelectArgs {
    /// Whether they ask for everything.
    pub fn is_all(&self) -> bool {
        let is_within = self.since.is_some() || self.until.is_some();
        !is_within && self.filter.is_none() && self.same.is_empty() && !self.unique
    }
}

/// A command about a run, or what of it some events are about.
#[derive(Debug, Args)]
pub struct SelectedCommand {
    /// Only what has such events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Commands that print instead of opening the explorer.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The explorer on a small run that comes with the program
    Demo {
        /// How to open it.
        #[command(flatten)]
        open: OpenArgs,
        /// How to show it.
        #[command(flatten)]
        look: LookArgs,
    },
    /// Events in time order
    Events(EventsCommand),
    /// Sources: what was found, how it was read, what could not be
    Sources(SelectedCommand),
    /// Keys with counts; or the values of one key
    Keys(KeysCommand),
    /// The things that a run is about: tasks, workers, blocks ...
    Entities(EntitiesCommand),
    /// Everything about one thing: parsl.task=358
    Trace(TraceCommand),
    /// Latency: when each step in the life of a task, a worker ... comes, and how long after the one before
    Latency(LatencyCommand),
    /// States: how many tasks, blocks ... are in each state, over time or at the end
    States(StatesCommand),
    /// Spans: how long tasks, tries ... take from start to end, and how many run at once
    Spans(SpansCommand),
    /// Throughput: how many tasks, tries ... finish over time
    Throughput(ThroughputCommand),
    /// Utilisation: how many run over time, how many workers there are, how busy each is
    Utilisation(UtilisationCommand),
    /// One row for each run
    Runs(RunsCommand),
    /// What is different about some events: values that are more frequent among them than elsewhere
    Contrast(ContrastCommand),
    /// Two runs side by side, or two selections of one
    Compare(CompareCommand),
    /// Check the rules of definitions: which records are not as they should be
    Check(CheckCommand),
    /// What began and never ended, who waits for it, what fell silent
    Hung(SelectedCommand),
    /// What is wrong: findings, the most telling first
    Diagnose(SelectedCommand),
    /// A number over time: queue lengths, free slots, any numeric key
    Series(SeriesCommand),
    /// Messages between actors: latencies, what was lost, what nobody answered
    Flow(FlowCommand),
    /// Joins: which keys imply which, the events that they widened, conflicts
    Joins(SelectedCommand),
    /// Definitions of systems: those in force, a check of one, or a draft of a new one
    #[command(args_conflicts_with_subcommands = true)]
    Systems {
        /// What to do with definitions.
        #[command(subcommand)]
        what: Option<SystemsCommand>,
        /// Form of the list
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Events into a file (.jsonl or .csv, also .gz or .zst), or a plot (.svg)
    Export(ExportCommand),
    /// Completions for a shell
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}

impl Command {
    /// What it reads and in what form it prints, if it is about a run and prints.
    pub fn run(&self) -> Option<&RunArgs> {
        Some(match self {
            Command::Events(c) => &c.run,
            Command::Keys(c) => &c.run,
            Command::Entities(c) => &c.run,
            Command::Trace(c) => &c.run,
            Command::Latency(c) => &c.run,
            Command::States(c) => &c.run,
            Command::Spans(c) => &c.run,
            Command::Throughput(c) => &c.run,
            Command::Utilisation(c) => &c.run,
            Command::Runs(c) => &c.run,
            Command::Contrast(c) => &c.run,
            Command::Compare(c) => &c.run,
            Command::Check(c) => &c.run,
            Command::Hung(c) | Command::Diagnose(c) | Command::Sources(c) | Command::Joins(c) => {
                &c.run
            }
            Command::Series(c) => &c.run,
            Command::Flow(c) => &c.run,
            Command::Demo { .. }
            | Command::Systems { .. }
            | Command::Export(_)
            | Command::Completions { .. }
            | Command::Man => return None,
        })
    }
}

/// All that can be typed, with what is said about it.
pub fn definition() -> clap::Command {
    Cli::command()
}

/// What commands are called.
pub fn command_names() -> Vec<String> {
    let cli = Cli::command();
    let names = cli.get_subcommands().map(|c| c.get_name().to_owned());
    names.collect()
}

/// What to do with definitions.
#[derive(Debug, Subcommand)]
pub enum SystemsCommand {
    /// Check a definition: its patterns, and that its samples give their fields
    Check {
        /// The definition.
        file: PathBuf,
    },
    /// Draft a definition from logs that none knows: globs, layouts, keys, messages, things, samples; to go on with
    Draft(DraftCommand),
}

#[cfg(test)]
mod tests;
