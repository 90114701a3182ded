//! Arguments of commands about durations, states and numbers over time.

use clap::Args;

use super::subject::{DagSubject, OneEntity, SubjectArgs};
use super::suggestions::Suggested;
use super::{GroupArgs, RunArgs, SelectArgs};

/// `widetui latency`.
#[derive(Debug, Args)]
pub struct LatencyCommand {
    /// Entity.
    #[command(flatten)]
    pub entity: SubjectArgs<OneEntity>,
    /// Split rows by a key, by `source` (its kind), `run` or `depth`; repeatable
    #[arg(long = "by", alias = "split", value_name = "KEY", value_parser = Suggested::Keys, hide_possible_values = true)]
    pub split: Vec<String>,
    /// Print the instances in which this step took longest
    #[arg(long, value_name = "STEP", conflicts_with = "split")]
    pub slowest: Option<String>,
    /// Count rows of databases and facts as steps
    #[arg(long)]
    pub tables: bool,
    /// Selection of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui states`.
#[derive(Debug, Args)]
pub struct StatesCommand {
    /// Entity.
    #[command(flatten)]
    pub entity: SubjectArgs<OneEntity>,
    /// Groups, and the origin of times.
    #[command(flatten)]
    pub groups: GroupArgs,
    /// Print only the numbers at the end
    #[arg(long = "final", conflicts_with = "from_start")]
    pub last: bool,
    /// Reporter of states: a kind of source, or a file's name (default: the most trusted one of each instance)
    #[arg(long, value_name = "NAME")]
    pub recorder: Option<String>,
    /// States in order of precedence (`running,launched`): a report of a later one does not replace an earlier one, whichever
    /// source reports it; all reporters together unless --recorder is given
    #[arg(long, value_name = "STATE,...", value_delimiter = ',')]
    pub precedence: Vec<String>,
    /// Selection of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui throughput`.
#[derive(Debug, Args)]
pub struct ThroughputCommand {
    /// Entity.
    #[command(flatten)]
    pub entity: SubjectArgs<OneEntity>,
    /// Groups, and the origin of times.
    #[command(flatten)]
    pub groups: GroupArgs,
    /// Selection of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui dag`.
#[derive(Debug, Args)]
pub struct DagCommand {
    /// Entity, or an instance.
    #[command(flatten)]
    pub of: SubjectArgs<DagSubject>,
    /// Fold large graphs by this key instead of the label of instances, such as the app
    #[arg(long, value_name = "KEY", value_parser = Suggested::Keys, hide_possible_values = true)]
    pub by: Option<String>,
    /// A node for each instance, however many there are
    #[arg(long, conflicts_with = "by")]
    pub each: bool,
    /// Selection of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui utilisation`.
#[derive(Debug, Args)]
pub struct UtilisationCommand {
    /// Entity that runs.
    #[command(flatten)]
    pub entity: SubjectArgs<OneEntity>,
    /// Weight of an instance: a number, a key, or 1/key (default: 1)
    #[arg(long, value_name = "EXPR")]
    pub weight: Option<String>,
    /// Selection of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}
