//! Arguments of commands that list, compare or check runs and selections.

use clap::Args;

use super::subject::{SelectedEvents, SubjectArgs};
use super::suggestions::Suggested;
use super::{RunArgs, SelectArgs};

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

/// `widetui diagnose`.
#[derive(Debug, Args)]
pub struct DiagnoseCommand {
    /// Selection, input and form of the output.
    #[command(flatten)]
    pub verdict: VerdictCommand,
}
