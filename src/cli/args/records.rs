//! Arguments of commands about records, keys and entities.

use clap::Args;

use widetui_session::context_lines::{ContextScope, ContextSize};

use super::subject::{ListedEntity, ListedKey, OneInstance, SubjectArgs};
use super::suggestions::Suggested;
use super::{RunArgs, SelectArgs};

/// `widetui events`.
#[derive(Debug, Args)]
pub struct EventsCommand {
    /// Selection of events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Print only these keys
    #[arg(long, value_name = "K,...", value_delimiter = ',', value_parser = Suggested::Keys, hide_possible_values = true)]
    pub keys: Vec<String>,
    /// Print at most N events
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Latest first
    #[arg(long, conflicts_with = "follow")]
    pub reverse: bool,
    /// Print N context lines after each event: the next events in the time order of all sources
    #[arg(long, short = 'A', value_name = "N", conflicts_with = "follow")]
    pub after_context: Option<usize>,
    /// Print N context lines before each event
    #[arg(long, short = 'B', value_name = "N", conflicts_with = "follow")]
    pub before_context: Option<usize>,
    /// Print N context lines before and after each event
    #[arg(long, short = 'C', value_name = "N", conflicts_with = "follow")]
    pub context: Option<usize>,
    /// With -A, -B, -C: take context lines from the same source only
    #[arg(long, conflicts_with = "follow")]
    pub same_source: bool,
    /// Print new records while files grow, as `tail -f` does; starts with the last N if --limit N is given
    #[arg(long, short = 'f', conflicts_with = "output")]
    pub follow: bool,
    /// Add the join of each derived key to JSON lines, as `_derived`
    #[arg(long, conflicts_with = "follow")]
    pub provenance: bool,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

impl EventsCommand {
    /// Sources that context lines are taken from.
    pub fn context_scope(&self) -> ContextScope {
        match self.same_source {
            true => ContextScope::Source,
            false => ContextScope::All,
        }
    }

    /// Number of context lines: the option of a side takes precedence.
    pub fn context_size(&self) -> ContextSize {
        let both = self.context.unwrap_or_default();
        ContextSize {
            before: self.before_context.unwrap_or(both),
            after: self.after_context.unwrap_or(both),
        }
    }
}

/// `widetui keys`.
#[derive(Debug, Args)]
pub struct KeysCommand {
    /// Key whose values are printed.
    #[command(flatten)]
    pub key: SubjectArgs<ListedKey>,
    /// Selection of events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui entities`.
#[derive(Debug, Args)]
pub struct EntitiesCommand {
    /// Entity whose instances are printed.
    #[command(flatten)]
    pub entity: SubjectArgs<ListedEntity>,
    /// Selection of instances by their events, and of the time in which they existed.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui trace`.
#[derive(Debug, Args)]
pub struct TraceCommand {
    /// Instance.
    #[command(flatten)]
    pub wanted: SubjectArgs<OneInstance>,
    /// Account of its time; of all instances if only the entity is named: parsl.task
    #[arg(long)]
    pub account: bool,
    /// Add the join of each derived key to JSON lines, as `_derived`
    #[arg(long, conflicts_with = "account")]
    pub provenance: bool,
    /// Selection of its events; with --account of all instances: of instances by their events, and of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Input and form of the output.
    #[command(flatten)]
    pub run: RunArgs,
}
