//! Whether the explorer follows files that grow, and how that is said.

use std::sync::Arc;

use widetui_store::Snapshot;

use widetui_tables::role::Role;
use widetui_tables::text::grouped;

/// What the cursor does when records come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Following {
    /// Nothing is followed.
    #[default]
    Off,
    /// It stays at the end.
    On,
    /// It stays where the user put it.
    Paused {
        /// Rows that there were when it left the end.
        rows: usize,
    },
}

/// Whether files are followed now, what the cursor does then, and what came since.
#[derive(Clone, Debug, Default)]
pub struct Follow {
    /// What the cursor does.
    pub state: Following,
    /// A question about the rows of a snapshot is under way.
    pub is_asking: bool,
    /// The latest snapshot, to be asked about next.
    pub waiting: Option<Arc<Snapshot>>,
    /// Rows that came while it is paused.
    pub below: usize,
}

impl Follow {
    /// What the trail says of it.
    pub fn words(&self) -> Option<(String, Role)> {
        match (self.state, self.below) {
            (Following::Off, _) => None,
            (Following::On, _) => Some(("following".to_owned(), Role::StepNow)),
            (Following::Paused { .. }, 0) => Some(("paused".to_owned(), Role::Muted)),
            (Following::Paused { .. }, n) => {
                let text = format!("paused, {} new", grouped(n as u64));
                Some((text, Role::Warning))
            }
        }
    }
}
