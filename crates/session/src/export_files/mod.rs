//! What is written to files for the user: pictures as SVG, numbers and tables as CSV by the explorer, and what a command
//! exports ([`export`]). Never into the run.
//!
//! ```text
//! Export: rows + what is shown ──made──> contents by their endings ──files──> new files, and their names
//! ```

mod contents;
pub mod export;
mod files;

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use super::plots::{CurvesAsked, PlotQuestion};
use super::rows::Rows;

pub use files::{Destination, run_of, usual_folder};

/// What is to be written.
#[derive(Clone, Debug)]
pub enum Shown {
    /// What a view draws.
    Plot(Box<PlotQuestion>),
    /// A table, as CSV.
    Table(String),
    /// The selected records, or a picture of the curves above them where there are any.
    Records(Option<Box<CurvesAsked>>),
    /// What a view says, as text.
    Text(String),
}

/// The endings that the name of an exported file can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endings {
    /// All of them, without the dot.
    pub(crate) all: &'static [&'static str],
    /// Those that a name without an ending stands for: a file of each is written.
    pub(crate) bare: &'static [&'static str],
}

impl Endings {
    const fn equal(all: &'static [&'static str]) -> Endings {
        Endings { all, bare: all }
    }
}

impl fmt::Display for Endings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, ending) in self.all.iter().enumerate() {
            let between = match at {
                0 => "",
                _ if at + 1 == self.all.len() => " or ",
                _ => ", ",
            };
            write!(f, "{between}.{ending}")?;
        }
        Ok(())
    }
}

impl Shown {
    /// The endings of the files that it can be written to.
    pub fn endings(&self) -> Endings {
        match self {
            Shown::Records(curves) => Endings {
                all: match curves {
                    Some(_) => &["jsonl", "csv", "txt", "log", "svg"],
                    None => &["jsonl", "csv", "txt", "log"],
                },
                bare: &["txt"],
            },
            Shown::Plot(asked) if asked.of.has_picture() => Endings::equal(&["svg", "csv"]),
            Shown::Plot(_) | Shown::Table(_) => Endings::equal(&["csv"]),
            Shown::Text(_) => Endings::equal(&["txt"]),
        }
    }
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
pub(crate) fn write(
    snapshot: &Snapshot,
    export: &Export,
    cancel: &Cancel,
) -> Option<Result<Vec<PathBuf>, String>> {
    let target = match files::target(&export.place, export.shown.endings()) {
        Ok(target) => target,
        Err(reason) => return Some(Err(reason)),
    };
    let contents = match contents::made(snapshot, export, &target.endings, cancel)? {
        Ok(contents) => contents,
        Err(reason) => return Some(Err(reason.to_owned())),
    };
    if cancel.is_cancelled() {
        return None;
    }
    let written = files::write(&target, contents);
    (!cancel.is_cancelled()).then_some(written)
}
