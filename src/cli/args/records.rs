//! Arguments of commands about records, keys and things.

use clap::Args;

use widetui_session::context::{Neighbourhood, Reach};

use super::{RunArgs, SelectArgs};

/// `widetui events`.
#[derive(Debug, Args)]
pub struct EventsCommand {
    /// Which events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Only these keys
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    pub keys: Vec<String>,
    /// At most N events
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Latest first
    #[arg(long, conflicts_with = "follow")]
    pub reverse: bool,
    /// Also the N events after each, whatever they are, in the time order of all sources
    #[arg(long, short = 'A', value_name = "N", conflicts_with = "follow")]
    pub after_context: Option<usize>,
    /// Also the N events before each
    #[arg(long, short = 'B', value_name = "N", conflicts_with = "follow")]
    pub before_context: Option<usize>,
    /// Also the N events before and after each
    #[arg(long, short = 'C', value_name = "N", conflicts_with = "follow")]
    pub context: Option<usize>,
    /// With -A, -B, -C: the events that stand so near in the source of each alone
    #[arg(long, conflicts_with = "follow")]
    pub same_source: bool,
    /// Go on with the records that come while files grow, as `tail -f` does; begins with the last N where --limit N is
    /// given
    #[arg(long, short = 'f')]
    pub follow: bool,
    /// Say in JSON lines which join gave each derived key, as `_derived`
    #[arg(long, conflicts_with = "follow")]
    pub provenance: bool,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

impl EventsCommand {
    /// Whose neighbours are asked for.
    pub fn neighbourhood(&self) -> Neighbourhood {
        match self.same_source {
            true => Neighbourhood::Source,
            false => Neighbourhood::All,
        }
    }

    /// The neighbours that are asked for: those of one side as its own option says.
    pub fn reach(&self) -> Reach {
        let both = self.context.unwrap_or_default();
        Reach {
            before: self.before_context.unwrap_or(both),
            after: self.after_context.unwrap_or(both),
        }
    }
}

/// `widetui keys`.
#[derive(Debug, Args)]
pub struct KeysCommand {
    /// The values of this key instead
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Which events.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui entities`.
#[derive(Debug, Args)]
pub struct EntitiesCommand {
    /// The instances of one entity
    #[arg(long, value_name = "ENTITY")]
    pub of: Option<String>,
    /// Which instances: those with such events, and those that were there in that stretch of time.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `widetui trace`.
#[derive(Debug, Args)]
pub struct TraceCommand {
    /// What it is: KEY=VALUE, or KEY=VALUE,KEY=VALUE when that means several things
    #[arg(value_name = "ENTITY=ID")]
    pub wanted: String,
    /// What its time went to; of all instances when only the entity is named: parsl.task
    #[arg(long)]
    pub account: bool,
    /// Say in JSON lines which join gave each derived key, as `_derived`
    #[arg(long, conflicts_with = "account")]
    pub provenance: bool,
    /// Which of its events; with --account of all: which instances (those with such events), and when.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What to open, and how to print.
    #[command(flatten)]
    pub run: RunArgs,
}
