//! Arguments of commands about plots and series.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::subject::{OneFlow, SeriesKey, SpanEntity, SubjectArgs};
use super::suggestions::Suggested;
use super::{GroupArgs, OpenArgs, RunArgs, SelectArgs};

/// `widetui series`.
#[derive(Debug, Args)]
pub struct SeriesCommand {
    /// Numeric key.
    #[command(flatten)]
    pub key: SubjectArgs<SeriesKey>,
    /// Aggregation of the points.
    #[command(flatten)]
    pub how: SeriesArgs,
    /// Selection of events and time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui export`.
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// Files, folders and archives to read.
    pub paths: Vec<PathBuf>,
    /// File to write, outside the logs, or `-` for standard output (JSON lines by default); its extension gives the format, also before .gz or .zst. A folder (`STORE/`) is a store
    /// of many runs, to which the run is added
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace FILE if it exists
    #[arg(long)]
    pub force: bool,
    /// Name of the run in Parquet files, by default the time of its first record and a hash of it
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Format of the file, whatever its extension
    #[arg(long, value_enum, conflicts_with = "plot")]
    pub format: Option<ExportFormat>,
    /// One type per column, one column per key, for data frames and SQL
    #[arg(long)]
    pub flat: bool,
    /// Plot to draw.
    #[command(flatten)]
    pub plot: PlotArgs,
    /// Selection of events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Options of reading.
    #[command(flatten)]
    pub open: OpenArgs,
}

/// `widetui report`.
#[derive(Debug, Args)]
pub struct ReportCommand {
    /// Files, folders and archives to read.
    pub paths: Vec<PathBuf>,
    /// File to write, outside the logs: a page without scripts (.html) or Markdown for a ticket (.md), also with .gz or .zst; `-` for Markdown on standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace FILE if it exists
    #[arg(long)]
    pub force: bool,
    /// Selection of events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Options of reading.
    #[command(flatten)]
    pub open: OpenArgs,
}

/// Format of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// JSON lines (.jsonl, .ndjson)
    Jsonl,
    /// Comma-separated values with a header (.csv)
    Csv,
    /// Arrow IPC stream, typed (.arrows, .arrow)
    Arrow,
    /// Parquet, typed (.parquet)
    Parquet,
    /// Trace for ui.perfetto.dev: lifetimes, states and messages (trace.json, .trace.json)
    Perfetto,
}

impl ExportFormat {
    /// Format that the name of a file gives, without the extension of its compression; `None` if it gives none.
    pub fn of_name(name: &str) -> Option<ExportFormat> {
        let file = name.rsplit('/').next().unwrap_or(name);
        if file == "trace.json" || file.ends_with(".trace.json") {
            return Some(ExportFormat::Perfetto);
        }
        match file.rsplit_once('.')?.1 {
            "jsonl" | "ndjson" => Some(ExportFormat::Jsonl),
            "csv" => Some(ExportFormat::Csv),
            "arrows" | "arrow" => Some(ExportFormat::Arrow),
            "parquet" => Some(ExportFormat::Parquet),
            _ => None,
        }
    }
}

/// `widetui flow`.
#[derive(Debug, Args)]
pub struct FlowCommand {
    /// Flow.
    #[command(flatten)]
    pub flow: SubjectArgs<OneFlow>,
    /// Latencies of each kind of message, without the messages
    #[arg(long)]
    pub summary: bool,
    /// Selection of messages by their records, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui spans`.
#[derive(Debug, Args)]
pub struct SpansCommand {
    /// Spans, and their form.
    #[command(flatten)]
    pub spans: SpanArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Spans, and their form.
#[derive(Debug, Default, Args)]
pub struct SpanArgs {
    /// Entity, without marks.
    #[command(flatten)]
    pub entity: SubjectArgs<SpanEntity>,
    /// Statistics of durations
    #[arg(long, conflicts_with = "concurrency")]
    pub summary: bool,
    /// Number of spans at once, over time
    #[arg(long)]
    pub concurrency: bool,
    /// With --concurrency: lost spans never end (default: they end when their owner noticed)
    #[arg(long, requires = "concurrency")]
    pub keep_lost: bool,
    /// Groups, and the origin of times of --concurrency.
    #[command(flatten)]
    pub groups: GroupArgs,
    /// Instead of an entity: events at which spans start
    #[arg(long, value_name = "EXPR", requires = "end")]
    pub start: Option<String>,
    /// Events at which spans end
    #[arg(long, value_name = "EXPR", requires = "start")]
    pub end: Option<String>,
    /// Key that pairs starts with ends
    #[arg(long, value_name = "KEY", requires = "start", value_parser = Suggested::Keys, hide_possible_values = true)]
    pub key: Option<String>,
    /// Selection of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
}

/// Aggregation of the points of a series.
#[derive(Clone, Debug, Default, Args)]
pub struct SeriesArgs {
    /// One line for each value of a key, or combination of several keys, `run` or `depth`; `none` for one line (default: from the definition)
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = Suggested::Keys, hide_possible_values = true)]
    pub by: Vec<String>,
    /// One line for each run, with times since its start
    #[arg(long)]
    pub from_start: bool,
    /// Print N values, one for each equal part of the time, instead of all points; in text a plot of N columns (default: 60)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub bins: Option<u32>,
    /// Value that stands for a part of the time, in curves and with --bins (default: max)
    #[arg(long, value_enum)]
    pub pick: Option<PickArg>,
    /// Growth per second of a key that counts up
    #[arg(long)]
    pub rate: bool,
}

/// Aggregate of the points in a part of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PickArg {
    /// Maximum
    #[default]
    Max,
    /// Mean over time
    Mean,
    /// Last value
    Last,
}

/// Plot and its appearance.
#[derive(Clone, Debug, Default, Args)]
pub struct PlotArgs {
    /// Plot to draw into FILE.svg: series:KEY[:BY], states:ENTITY[:BY], timeline:ENTITY[:BY[:COLOUR]], spans:ENTITY,
    /// concurrency:ENTITY[:BY], throughput:ENTITY[:BY], latency:ENTITY, flow[:NAME], dag[:ENTITY[:BY]] (also into FILE.dot),
    /// curves:CURVE[,CURVE...] (CURVE: a numeric key, ENTITY that runs, ENTITY:STATE)
    ///
    /// BY is a key, `run` or `depth`, in a timeline also an entity (parsl.worker); COLOUR a key, `source`, `level`, `state`, or `label` (the name of each instance).
    #[arg(long, value_name = "WHAT", value_parser = Suggested::Plots, hide_possible_values = true)]
    pub plot: Option<String>,
    /// Lay runs over one another, with times since the start of each: in series, states, concurrency, throughput
    #[arg(long, requires = "plot")]
    pub from_start: bool,
    /// Colours of the plot
    #[arg(long, value_enum, default_value_t = PlotTheme::Light)]
    pub plot_theme: PlotTheme,
}

/// Colours of plots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlotTheme {
    /// For paper
    #[default]
    Light,
    /// For slides
    Dark,
}
