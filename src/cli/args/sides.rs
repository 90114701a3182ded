//! Arguments of commands that set runs, or selections, side by side, or check them.

use clap::Args;

use super::{RunArgs, SelectArgs};

/// `widetui runs`.
#[derive(Debug, Args)]
pub struct RunsCommand {
    /// Which runs (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui contrast`.
#[derive(Debug, Args)]
pub struct ContrastCommand {
    /// Which events, e.g. `level >= error`
    pub expr: String,
    /// Among which events they are held against the others (all).
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui compare`.
#[derive(Debug, Args)]
pub struct CompareCommand {
    /// Only this entity (default: tasks and the like)
    #[arg(long, value_name = "ENTITY")]
    pub of: Option<String>,
    /// A selection of one run: instances with such events
    #[arg(long, value_name = "EXPR")]
    pub a: Option<String>,
    /// What it is compared with; without it, with all other instances
    #[arg(long, value_name = "EXPR", requires = "a")]
    pub b: Option<String>,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui check`.
#[derive(Debug, Args)]
pub struct CheckCommand {
    /// Which events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}
