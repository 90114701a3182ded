//! Arguments of commands that list, compare or check runs and selections.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::subject::{SelectedEvents, SubjectArgs};
use super::suggestions::Suggested;
use super::{RunArgs, SelectArgs, size};

/// `widetui runs`.
#[derive(Debug, Args)]
pub struct RunsCommand {
    /// Selection of runs by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui contrast`.
#[derive(Debug, Args)]
pub struct ContrastCommand {
    /// Events to contrast with the others.
    #[command(flatten)]
    pub expr: SubjectArgs<SelectedEvents>,
    /// Selection of events that both sides are taken from.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui compare`.
#[derive(Debug, Args)]
pub struct CompareCommand {
    /// Only this entity (default: work items, such as tasks)
    #[arg(long, value_name = "ENTITY", value_parser = Suggested::Entities, hide_possible_values = true)]
    pub of: Option<String>,
    /// First selection of one run: instances with events that match
    #[arg(long, value_name = "EXPR")]
    pub a: Option<String>,
    /// Second selection (default: all other instances)
    #[arg(long, value_name = "EXPR", requires = "a")]
    pub b: Option<String>,
    /// Work items that succeeded (a) and that failed (b)
    #[arg(long, conflicts_with = "a")]
    pub failed: bool,
    /// Time after the start of two runs at which their progress is compared, such as 90s, 10m, 2h (default: when the shorter
    /// one ended)
    #[arg(long, value_name = "TIME", value_parser = size::duration, conflicts_with_all = ["a", "failed"])]
    pub after: Option<Duration>,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui hung`, `diagnose`, `check`: a command that finds what is wrong.
#[derive(Debug, Args)]
pub struct VerdictCommand {
    /// Exit with status 1 if something is wrong: unfinished work, a finding of severity error, a violation
    #[arg(long)]
    pub exit_code: bool,
    /// Selection of events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// State of a run that `widetui watch` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WatchedState {
    /// Work takes much longer than the other work of its kind, or has not ended with its run
    Stuck,
    /// The run ended, or wrote nothing for a long time
    End,
    /// A record of level error or higher
    Error,
}

/// `widetui watch`.
#[derive(Debug, Args)]
pub struct WatchCommand {
    /// State to wait for; repeatable (default: whichever comes first). The exit status is 0 if it comes, and 1 if the run
    /// ends without it
    #[arg(long, value_enum, value_name = "STATE")]
    pub until: Vec<WatchedState>,
    /// Longest time to wait, such as 90s, 30m, 12h; the exit status is 1 after it
    #[arg(long, value_name = "TIME", value_parser = size::duration)]
    pub timeout: Option<Duration>,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui diagnose`.
#[derive(Debug, Args)]
pub struct DiagnoseCommand {
    /// Selection, input and form of the output.
    #[command(flatten)]
    pub verdict: VerdictCommand,
}
