//! Arguments of the command line. Nothing here reads a file or the environment.

use std::env::consts::{ARCH, OS};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

mod appearance;
mod draft;
mod manual;
mod order;
mod plots;
mod questions;
mod records;
mod sides;
mod size;
mod subject;
mod suggestions;
mod times;
mod typed_joins;

use suggestions::Suggested;
use widetui_source::codec::Packer;

pub use appearance::{Color, PlotStyle};
pub use draft::DraftCommand;
pub use manual::page as manual_page;
pub use plots::{
    ExportCommand, ExportFormat, FlowCommand, PickArg, PlotArgs, PlotTheme, ReportCommand,
    SeriesArgs, SeriesCommand, SpanArgs, SpansCommand,
};
pub use questions::{Question, QuestionValue, questions};
pub use records::{EntitiesCommand, EventsCommand, KeysCommand, TraceCommand};
pub use sides::{
    CompareCommand, ContrastCommand, DiagnoseCommand, RunsCommand, VerdictCommand, WatchCommand,
    WatchedState,
};
pub use subject::{Subject, SubjectNeed};
pub use times::{DagCommand, LatencyCommand, StatesCommand, ThroughputCommand, UtilisationCommand};
pub use typed_joins::TypedJoinArgs;

/// Explore the logs of distributed scientific workflows.
///
/// Without a command the explorer opens PATHs (files, folders, archives, `-` for standard input; the current folder
/// by default). A folder with the name of a command is opened as `./NAME` or after `--`.
#[derive(Debug, Parser)]
#[command(
    name = "widetui",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// Command; the explorer without one.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Files, folders and archives to read.
    pub paths: Vec<PathBuf>,
    /// Options of reading.
    #[command(flatten)]
    pub open: OpenArgs,
    /// Appearance of the explorer.
    #[command(flatten)]
    pub appearance: AppearanceArgs,
}

/// Appearance and keys of the explorer.
#[derive(Clone, Debug, Default, Args)]
pub struct AppearanceArgs {
    /// Colours of the explorer: dark, light, high-contrast, ansi16, ansi16-light, mono, or a theme of your own (default: dark)
    #[arg(long, value_name = "NAME", value_parser = Suggested::Themes, hide_possible_values = true)]
    pub theme: Option<String>,
    /// Keys of the explorer: default, vim, emacs, or a keymap of your own
    #[arg(long, value_name = "NAME", value_parser = Suggested::Keymaps, hide_possible_values = true)]
    pub keymap: Option<String>,
    /// When the explorer uses colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Draw the explorer with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Characters of plots.
    #[command(flatten)]
    pub plots: PlotStyle,
    /// Leave the mouse to the terminal
    #[arg(long)]
    pub no_mouse: bool,
    /// Keep marks, notes and selection in FILE: restored at the start if it exists, written at the end
    #[arg(long, value_name = "FILE")]
    pub workspace: Option<PathBuf>,
    /// Restore the workspace FILE without changing it, for PATH or for the run that it was made of
    #[arg(long, value_name = "FILE", conflicts_with = "workspace")]
    pub replay: Option<PathBuf>,
    /// Follow growing files from the start (default: if the run is live: its newest record is less than a minute old)
    #[arg(long, overrides_with = "no_follow")]
    pub follow: bool,
    /// Do not follow files before F is pressed
    #[arg(long, overrides_with = "follow")]
    pub no_follow: bool,
}

/// Options of reading, common to all commands.
#[derive(Clone, Debug, Default, Args)]
pub struct OpenArgs {
    /// Zone of times without one: UTC, local, +02:00, America/Chicago (default: inferred from the run)
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// Zone of times that are shown and typed (default: UTC)
    #[arg(long, value_name = "ZONE")]
    pub display_tz: Option<String>,
    /// Definition of a system, besides the built-in ones; repeatable
    #[arg(long, value_name = "FILE")]
    pub system: Vec<PathBuf>,
    /// Table of facts about the run, CSV or JSON lines, whose columns are keys (`parsl.task`); repeatable
    #[arg(long, value_name = "FILE")]
    pub facts: Vec<PathBuf>,
    /// Joins by hand.
    #[command(flatten)]
    pub typed: TypedJoinArgs,
    /// Add SECONDS to the times of sources whose path contains SOURCE or whose tag is SOURCE
    #[arg(long, value_name = "SOURCE=SECONDS", allow_hyphen_values = true)]
    pub shift: Vec<String>,
    /// Apply only these joins: names, `all` or `none`; repeatable
    #[arg(long, value_name = "NAME")]
    pub join: Vec<String>,
    /// Apply all joins except these; repeatable
    #[arg(long, value_name = "NAME")]
    pub no_join: Vec<String>,
    /// Threads for reading (default: all cores, at most 8)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Limit of memory, such as 512M or 2G (a plain number is megabytes): near it, decompressed text goes to a temporary
    /// file, and large answers are computed one after another
    #[arg(long, value_name = "SIZE", value_parser = size::bytes, default_value = "1G")]
    pub memory: u64,
    /// Accepted without effect: nothing is cached between starts
    #[arg(long, hide = true)]
    pub no_cache: bool,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Text,
    /// JSON lines: one object per row, with stable names
    Jsonl,
    /// Comma-separated values with a header
    Csv,
    /// Arrow IPC stream, typed (for pyarrow, Polars, DuckDB)
    Arrow,
    /// Parquet file, typed
    Parquet,
}

impl Format {
    /// Format that the name of a file gives: text unless its extension is that of a table.
    fn of_file(path: &Path) -> Format {
        let name = path.to_string_lossy().to_lowercase();
        let (stem, _) = Packer::<Vec<u8>>::of_name(&name);
        match ExportFormat::of_name(stem) {
            Some(ExportFormat::Jsonl) => Format::Jsonl,
            Some(ExportFormat::Csv) => Format::Csv,
            Some(ExportFormat::Arrow) => Format::Arrow,
            Some(ExportFormat::Parquet) => Format::Parquet,
            Some(ExportFormat::Perfetto) | None => Format::Text,
        }
    }
}

/// Input of a command, and form of its output.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// Files, folders and archives to read.
    pub paths: Vec<PathBuf>,
    /// Form of the output (default: from the extension of FILE in -o, else text)
    #[arg(long, value_enum, default_value_t = Format::Text, hide_default_value = true)]
    pub format: Format,
    /// Write the output to FILE, outside the logs, instead of standard output (`-`); .gz and .zst compress it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
    /// When to colour text
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Options of reading.
    #[command(flatten)]
    pub open: OpenArgs,
}

/// Selection of events.
#[derive(Clone, Debug, Default, Args)]
pub struct SelectArgs {
    /// Only events that match an expression, e.g. `parsl.task = 7 and level >= warning`
    #[arg(long = "where", value_name = "EXPR")]
    pub filter: Option<String>,
    /// Only events at or after this time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only events with this value of a key; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub same: Vec<String>,
    /// Leave out duplicates: records that another source has byte for byte
    #[arg(long)]
    pub unique: bool,
}

impl SelectArgs {
    /// True if nothing is left out.
    pub fn is_all(&self) -> bool {
        let is_within = self.since.is_some() || self.until.is_some();
        !is_within && self.filter.is_none() && self.same.is_empty() && !self.unique
    }
}

/// Groups of instances, and the origin of times.
#[derive(Clone, Debug, Default, Args)]
pub struct GroupArgs {
    /// Group by a key, by `source` (its kind), `run`, or `depth` (length of the chain of dependencies before a task)
    #[arg(long, value_name = "KEY", value_parser = Suggested::Keys, hide_possible_values = true)]
    pub by: Option<String>,
    /// Group by run, with times since the start of each
    #[arg(long)]
    pub from_start: bool,
}

/// A command about a run, or about a selection of its events.
#[derive(Debug, Args)]
pub struct SelectedCommand {
    /// Selection of events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Commands that print instead of opening the explorer.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore a small example run
    Demo {
        /// Options of reading.
        #[command(flatten)]
        open: OpenArgs,
        /// Appearance of the explorer.
        #[command(flatten)]
        appearance: AppearanceArgs,
    },
    /// Events in time order
    Events(EventsCommand),
    /// Sources: format, records, times, and problems of each file
    Sources(SelectedCommand),
    /// Keys with counts, or the values of one key
    Keys(KeysCommand),
    /// Entities of a run: tasks, workers, blocks ...
    Entities(EntitiesCommand),
    /// All events of one instance: parsl.task=358
    Trace(TraceCommand),
    /// Latency: time of each step in the life of a task, a worker ..., and since the step before
    Latency(LatencyCommand),
    /// States: number of tasks, blocks ... in each state, over time or at the end
    States(StatesCommand),
    /// Spans: durations of tasks, tries ... from start to end, and how many run at once
    Spans(SpansCommand),
    /// Throughput: number of tasks, tries ... finished over time
    Throughput(ThroughputCommand),
    /// Utilisation: number running over time, number of workers, and how busy each is
    Utilisation(UtilisationCommand),
    /// Dependencies of tasks by level, and where the time of the critical path went
    Dag(DagCommand),
    /// Runs, one row each
    Runs(RunsCommand),
    /// Contrast: values that are more frequent among some events than among the others
    Contrast(ContrastCommand),
    /// Comparison of two runs, or of two selections of one run
    Compare(CompareCommand),
    /// Violations of the rules of definitions
    Check(VerdictCommand),
    /// Unfinished work, what waits for it, and silent sources
    Hung(VerdictCommand),
    /// Follow a run until it is stuck, has an error, or ends; for scripts
    Watch(WatchCommand),
    /// Findings: failures and their causes, the most important first
    Diagnose(DiagnoseCommand),
    /// Series: a number over time, such as queue lengths, free slots, any numeric key
    Series(SeriesCommand),
    /// Messages between actors: latencies, lost messages, missing answers
    Flow(FlowCommand),
    /// Joins: which keys imply which, widened events, conflicts
    Joins(SelectedCommand),
    /// Definitions of systems: list them, check one, or draft a new one
    #[command(args_conflicts_with_subcommands = true)]
    Systems {
        /// Operation on definitions.
        #[command(subcommand)]
        what: Option<SystemsCommand>,
        /// Form of the list
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Report of a run as a page or as Markdown, to mail: findings, unfinished work, plots, where the time went (.html, .md)
    Report(ReportCommand),
    /// Export events to a file (.jsonl, .csv, .parquet), a trace for Perfetto (trace.json), or a plot (.svg)
    Export(ExportCommand),
    /// Answers to assistants: commands as tools of the Model Context Protocol, on standard input and output
    Mcp {
        /// Files, folders and archives to read.
        paths: Vec<PathBuf>,
        /// Options of reading.
        #[command(flatten)]
        open: OpenArgs,
    },
    /// Completions for a shell
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}

/// Subject, paths and form of the output of a command that prints something about a run.
pub struct RunCommand<'a> {
    /// Subject, of a command that has one.
    pub subject: Option<&'a mut Subject>,
    /// Input and form of the output.
    pub run: &'a mut RunArgs,
}

impl Command {
    /// Subject, paths and form of the output, for a command that prints something about a run.
    pub fn run_mut(&mut self) -> Option<RunCommand<'_>> {
        let (subject, run) = match self {
            Command::Keys(c) => (Some(&mut c.key.subject), &mut c.run),
            Command::Entities(c) => (Some(&mut c.entity.subject), &mut c.run),
            Command::Trace(c) => (Some(&mut c.wanted.subject), &mut c.run),
            Command::Latency(c) => (Some(&mut c.entity.subject), &mut c.run),
            Command::States(c) => (Some(&mut c.entity.subject), &mut c.run),
            Command::Spans(c) => {
                c.spans.entity.subject.need = match c.spans.start {
                    Some(_) => SubjectNeed::Unwanted,
                    None => SubjectNeed::Required,
                };
                (Some(&mut c.spans.entity.subject), &mut c.run)
            }
            Command::Throughput(c) => (Some(&mut c.entity.subject), &mut c.run),
            Command::Dag(c) => (Some(&mut c.of.subject), &mut c.run),
            Command::Utilisation(c) => (Some(&mut c.entity.subject), &mut c.run),
            Command::Contrast(c) => (Some(&mut c.expr.subject), &mut c.run),
            Command::Series(c) => (Some(&mut c.key.subject), &mut c.run),
            Command::Flow(c) => (Some(&mut c.flow.subject), &mut c.run),
            Command::Events(c) => (None, &mut c.run),
            Command::Runs(c) => (None, &mut c.run),
            Command::Compare(c) => (None, &mut c.run),
            Command::Check(c) | Command::Hung(c) => (None, &mut c.run),
            Command::Watch(c) => (None, &mut c.run),
            Command::Diagnose(c) => (None, &mut c.verdict.run),
            Command::Sources(c) | Command::Joins(c) => (None, &mut c.run),
            Command::Demo { .. }
            | Command::Systems { .. }
            | Command::Report(_)
            | Command::Export(_)
            | Command::Mcp { .. }
            | Command::Completions { .. }
            | Command::Man => return None,
        };
        Some(RunCommand { subject, run })
    }
}

/// Commands by what they answer, in the order of the help.
const GROUPS: [(&str, &[&str]); 5] = [
    ("What is wrong", &["hung", "diagnose", "watch"]),
    (
        "What happened",
        &["events", "trace", "entities", "keys", "sources", "joins"],
    ),
    (
        "Where the time went",
        &[
            "latency",
            "states",
            "spans",
            "throughput",
            "utilisation",
            "series",
            "flow",
            "dag",
        ],
    ),
    ("Comparisons", &["runs", "compare", "contrast", "check"]),
    (
        "Files, definitions, help",
        &[
            "report",
            "export",
            "systems",
            "mcp",
            "demo",
            "completions",
            "man",
        ],
    ),
];

/// Examples of the help: command lines and what they do.
const EXAMPLES: [(&str, &str); 3] = [
    ("widetui runinfo", "explores the logs of a run"),
    (
        "widetui hung runinfo.tar.gz",
        "prints what is unfinished and what it waits for",
    ),
    (
        "widetui events --where 'parsl.task = 24' --format jsonl runinfo",
        "prints the records of a task as JSON lines",
    ),
];

/// Definition of the command line, with its help.
pub fn definition() -> clap::Command {
    let cli = Cli::command();
    let mut help = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, names) in GROUPS {
        help.push_str(&format!("\n{heading}:\n"));
        for name in names {
            let command = cli.find_subcommand(name);
            let about = command.and_then(clap::Command::get_about);
            let about = about.map_or_else(String::new, ToString::to_string);
            help.push_str(&format!("  {name:<11}  {about}\n"));
        }
    }
    help.push_str("\nExamples:\n");
    for (command, effect) in EXAMPLES {
        help.push_str(&format!("  {command}\n          {effect}\n"));
    }
    help.push_str("\nOptions of a command: widetui COMMAND --help\n\nArguments:\n{positionals}\n\nOptions:\n{options}");
    cli.help_template(help).long_version(LONG_VERSION.as_str())
}

/// Version with what the program was built for and with, of `--version`; packages set the commit at compile time.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("WIDETUI_COMMIT").filter(|c| !c.is_empty());
    let commit = commit.map_or_else(String::new, |c| format!(" ({c})"));
    let libc = match (cfg!(target_env = "musl"), cfg!(target_env = "gnu")) {
        (true, _) => "-musl",
        (_, true) => "-gnu",
        _ => "",
    };
    let features = if cfg!(feature = "parquet") {
        "parquet"
    } else {
        "none"
    };
    let (version, machine, system) = (env!("CARGO_PKG_VERSION"), ARCH, OS);
    format!("{version}{commit}\ntarget: {machine}-{system}{libc}\nfeatures: {features}")
});

/// Parses the arguments of the process.
///
/// # Errors
/// Wrong arguments, or a request for help, as clap prints them.
pub fn parse() -> Result<Cli, clap::Error> {
    let mut definition = definition();
    let args = order::command_first(&definition, std::env::args_os().collect());
    let found = definition.try_get_matches_from_mut(args)?;
    let mut cli = Cli::from_arg_matches(&found).map_err(|error| error.format(&mut definition))?;
    if let Some((_, options)) = found.subcommand()
        && let Some(command) = cli.command.as_mut().and_then(Command::run_mut)
        && options.value_source("format") == Some(ValueSource::DefaultValue)
        && let Some(output) = &command.run.output
    {
        command.run.format = Format::of_file(output);
    }
    Ok(cli)
}

/// Names of commands.
pub fn command_names() -> Vec<String> {
    let cli = Cli::command();
    let names = cli.get_subcommands().map(|c| c.get_name().to_owned());
    names.collect()
}

/// Operation on definitions.
#[derive(Debug, Subcommand)]
pub enum SystemsCommand {
    /// Check a definition: its patterns, and the fields of its samples
    Check {
        /// File of the definition.
        file: PathBuf,
    },
    /// Draft a definition from logs that no definition describes: globs, layouts, keys, messages, entities, samples
    Draft(DraftCommand),
    /// JSON Schema of definitions, for editors
    Schema,
}

#[cfg(test)]
mod tests;
