//! Arguments of commands about how long things take and how many there are.

use clap::Args;

use super::{RunArgs, SelectArgs};

/// `widetui latency`.
#[derive(Debug, Args)]
pub struct LatencyCommand {
    /// What: parsl.task, parsl.try ...
    #[arg(value_parser = entity_name)]
    pub entity: String,
    /// Tell rows apart by a key, or by `source` (its kind); may be given several times
    #[arg(long, value_name = "KEY")]
    pub split: Vec<String>,
    /// Instead: for which the step of this name took longest
    #[arg(long, value_name = "STEP", conflicts_with = "split")]
    pub slowest: Option<String>,
    /// Rows of databases and facts are steps too
    #[arg(long)]
    pub tables: bool,
    /// Which instances (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui states`.
#[derive(Debug, Args)]
pub struct StatesCommand {
    /// What: parsl.task, parsl.block ...
    #[arg(value_parser = entity_name)]
    pub entity: String,
    /// The numbers at the end only
    #[arg(long = "final")]
    pub last: bool,
    /// Whose word counts: a kind of source, or a file's name (default: the most trusted that tells of each)
    #[arg(long, value_name = "NAME")]
    pub recorder: Option<String>,
    /// Of these states an earlier one is not taken back to a later one (`running,launched`), whoever tells it: all recorders
    /// together, if none is chosen
    #[arg(long, value_name = "STATE,...", value_delimiter = ',')]
    pub precedence: Vec<String>,
    /// Which instances (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui throughput`.
#[derive(Debug, Args)]
pub struct ThroughputCommand {
    /// What: parsl.task, parsl.try ...
    #[arg(value_parser = entity_name)]
    pub entity: String,
    /// Group them by a key, or by `source` (its kind)
    #[arg(long, value_name = "KEY")]
    pub by: Option<String>,
    /// Which instances (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui utilisation`.
#[derive(Debug, Args)]
pub struct UtilisationCommand {
    /// What runs: parsl.try ...
    #[arg(value_parser = entity_name)]
    pub entity: String,
    /// What one counts: a number, a key, or 1/key (default: 1)
    #[arg(long, value_name = "EXPR")]
    pub weight: Option<String>,
    /// Which instances (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The name of an entity. Who forgets it has written a path in its place, and would wait for another folder to be read.
///
/// # Errors
/// It is a path.
pub(super) fn entity_name(text: &str) -> Result<String, String> {
    let is_path = text.contains('/') || matches!(text, "." | "..");
    if is_path || std::path::Path::new(text).is_file() {
        return Err(format!(
            "this is a path; the name of an entity comes first, as in `parsl.task {text}`"
        ));
    }
    Ok(text.to_owned())
}
