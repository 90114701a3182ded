//! What is written to files for the user: pictures as SVG, numbers and tables as CSV by the explorer, and what a command
//! exports ([`export`]). Never into the run.
//!
//! ```text
//! Export: rows + what is shown ──made──> contents by their endings ──files──> new files, and their names
//! ```

pub mod export;
mod files;
mod made;

use std::path::PathBuf;

use crate::base::cancel::Cancel;
use crate::base::zone::Zone;
use crate::store::Snapshot;

use super::ask::Rows;
use super::plots::{CurvesAsked, PlotQuestion};

pub use files::{Destination, usual_folder};

/// What is to be written.
#[derive(Clone, Debug)]
pub enum Shown {
    /// What a view draws.
    Plot(Box<PlotQuestion>),
    /// The curves under the strip.
    Curves(Box<CurvesAsked>),
    /// A table, as CSV.
    Table(String),
}

/// What is to be written: the view that is shown and the rows that it is about; and where to.
#[derive(Clone, Debug)]
pub struct Export {
    /// The rows that are selected.
    pub rows: Rows,
    /// What is shown of them.
    pub shown: Shown,
    /// Zone of the times in pictures.
    pub zone: Zone,
    /// Where to.
    pub place: Destination,
}

/// A file to be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    /// The end of its name, without the dot.
    ending: &'static str,
    bytes: Vec<u8>,
}

/// Writes it. `None` when cancelled.
///
/// # Errors
/// There is nothing to write; the files cannot be written. In words for the user.
pub fn write(
    snapshot: &Snapshot,
    export: &Export,
    cancel: &Cancel,
) -> Option<Result<Vec<PathBuf>, String>> {
    let contents = match made::made(snapshot, export, cancel)? {
        Ok(contents) => contents,
        Err(reason) => return Some(Err(reason.to_owned())),
    };
    if cancel.is_cancelled() {
        return None;
    }
    Some(files::write(&export.place, contents))
}
