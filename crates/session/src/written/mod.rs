//! What is written to files for the user: pictures as SVG, numbers and tables as CSV by the explorer, and what a command
//! exports ([`export`]). Never into the run.
//!
//! ```text
//! Export: rows + what is shown ──made──> contents by their endings ──files──> new files, and their names
//! ```

pub mod export;
mod files;
mod made;

use std::io::{self, Write};
use std::path::PathBuf;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use super::ask::Rows;
use super::plots::{CurvesAsked, PlotQuestion};

pub use files::{Destination, run_of, usual_folder};

/// What is to be written.
#[derive(Clone, Debug)]
pub enum Shown {
    /// What a view draws.
    Plot(Box<PlotQuestion>),
    /// The curves under the strip.
    Curves(Box<CurvesAsked>),
    /// A table, as CSV.
    Table(String),
    /// The records themselves.
    Records,
    /// What a view says, as text.
    Text(String),
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
struct Content<'a> {
    /// The end of its name, without the dot.
    ending: &'static str,
    body: Body<'a>,
}

/// Writes what stands in a file.
type Writing<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// What stands in it.
enum Body<'a> {
    /// This.
    Bytes(Vec<u8>),
    /// What this writes: records may be more than fit into memory.
    Written(Box<Writing<'a>>),
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
    let written = files::write(&export.place, contents);
    (!cancel.is_cancelled()).then_some(written)
}
