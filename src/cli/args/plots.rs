//! Arguments of commands that draw, or put points together.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{OpenArgs, RunArgs, SelectArgs};

/// `widetui series`.
#[derive(Debug, Args)]
pub struct SeriesCommand {
    /// The key.
    pub key: String,
    /// How.
    #[command(flatten)]
    pub how: SeriesArgs,
    /// Which events, and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui export`.
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// What to open.
    pub paths: Vec<PathBuf>,
    /// The file to write, outside of what is read; its ending says in which form
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// What to draw.
    #[command(flatten)]
    pub plot: PlotArgs,
    /// Which events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How to open it.
    #[command(flatten)]
    pub open: OpenArgs,
}

/// `widetui flow`.
#[derive(Debug, Args)]
pub struct FlowCommand {
    /// Only this flow
    #[arg(long, value_name = "NAME")]
    pub of: Option<String>,
    /// The latencies of each kind of message in numbers, without the messages
    #[arg(long)]
    pub summary: bool,
    /// Which messages (those with such a record), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui spans`.
#[derive(Debug, Args)]
pub struct SpansCommand {
    /// Whose, and what of them.
    #[command(flatten)]
    pub spans: SpanArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Which spans, and what of them.
#[derive(Clone, Debug, Default, Args)]
pub struct SpanArgs {
    /// Whose: parsl.try, parsl.task ... (none with --start and --end)
    pub entity: Option<String>,
    /// Durations in numbers
    #[arg(long, conflicts_with = "concurrency")]
    pub summary: bool,
    /// How many there are at once, over time
    #[arg(long)]
    pub concurrency: bool,
    /// With --concurrency: what was lost goes on for ever, not until its owner saw it
    #[arg(long, requires = "concurrency")]
    pub keep_lost: bool,
    /// Group them by a key, or by `source` (its kind)
    #[arg(long, value_name = "KEY", conflicts_with = "concurrency")]
    pub by: Option<String>,
    /// Instead of an entity: the events at which spans start
    #[arg(long, value_name = "EXPR", requires = "end")]
    pub start: Option<String>,
    /// The events at which they end
    #[arg(long, value_name = "EXPR", requires = "start")]
    pub end: Option<String>,
    /// The key that tells which end belongs to which start
    #[arg(long, value_name = "KEY", requires = "start")]
    pub key: Option<String>,
    /// Which instances (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
}

/// How the points of a series are put together.
#[derive(Clone, Debug, Default, Args)]
pub struct SeriesArgs {
    /// A line for each value of this key, or combination of several; `none` for one line (default: as the definition says)
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub by: Vec<String>,
    /// N values, one for each equal part of the time, instead of all points; in text a curve of N columns (default: 40)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub bins: Option<u32>,
    /// Which value of a part of the time is taken, in curves and with --bins (default: max)
    #[arg(long, value_enum)]
    pub pick: Option<PickArg>,
    /// The key counts up: show its growth per second
    #[arg(long)]
    pub rate: bool,
}

/// Which value stands for many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PickArg {
    /// The greatest.
    #[default]
    Max,
    /// The mean over time.
    Mean,
    /// The last.
    Last,
}

/// What to draw, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct PlotArgs {
    /// What to draw into FILE.svg: series:KEY[:BY], states:ENTITY, timeline:ENTITY[:BY[:COLOUR]], spans:ENTITY, latency:ENTITY, flow[:NAME]
    ///
    /// BY is an entity (parsl.worker) or a key; COLOUR a key, `source`, `level`, `state`, or `label` (what they are).
    #[arg(long, value_name = "WHAT")]
    pub plot: Option<String>,
    /// Colours of the plot
    #[arg(long, value_enum, default_value_t = PlotTheme::Light)]
    pub plot_theme: PlotTheme,
}

/// Colours of plots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlotTheme {
    /// For paper.
    #[default]
    Light,
    /// For slides.
    Dark,
}
