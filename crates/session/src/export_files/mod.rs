//! Files written for the user: pictures as SVG, numbers and tables as CSV by the explorer, and the output of commands
//! ([`export`]). Never written into the run.
//!
//! ```text
//! Export: rows + view ──made──> contents by extension ──files──> new files, and their names
//! ```

mod contents;
pub mod export;
mod files;

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use widetui_core::cancel::Cancel;
use widetui_report::document::DocumentForm;
use widetui_report::figure::Figure;
use widetui_report::sheet::Sheet;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use super::plots::{PlotData, PlotKind, PlotQuestion};
use super::report::{ReportMaker, ReportRequest};
use super::rows::Rows;

pub use files::{Destination, default_folder, run_name};

/// Maker of the numbers of a plot as a table, and of its figure.
pub type PlotMaker = fn(&Snapshot, PlotData) -> (Sheet, Option<Figure>);

/// Content to export.
#[derive(Clone, Debug)]
pub enum Shown {
    /// Plot of a view.
    Plot(Box<PlotQuestion>, PlotMaker),
    /// Table, as CSV.
    Table(String),
    /// The selected records, or a picture of the curves above them if there are any.
    Records(Option<(Box<PlotQuestion>, PlotMaker)>),
    /// Text of a view.
    Text(String),
}

/// Extensions that the name of an exported file can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileExtensions {
    /// All extensions, without the dot.
    pub(crate) all: &'static [&'static str],
    /// Extensions that a name without one stands for: one file of each is written.
    pub(crate) bare: &'static [&'static str],
}

impl FileExtensions {
    /// Extensions of a view's own files, which a name without one stands for, after which those of a report stand in `all`.
    fn with_report(all: &'static [&'static str]) -> FileExtensions {
        let bare = &all[..all.len() - DocumentForm::ALL.len()];
        FileExtensions { all, bare }
    }
}

impl FileExtensions {
    /// All extensions in the least room.
    pub fn short(&self) -> String {
        let all: Vec<String> = self.all.iter().map(|e| format!(".{e}")).collect();
        all.join(" ")
    }
}

impl fmt::Display for FileExtensions {
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
    /// Returns the extensions of the files that the content can be written to.
    pub fn endings(&self) -> FileExtensions {
        match self {
            Shown::Records(curves) => FileExtensions {
                all: match curves {
                    Some(_) => &["jsonl", "csv", "txt", "log", "svg", "html", "md"],
                    None => &["jsonl", "csv", "txt", "log", "html", "md"],
                },
                bare: &["txt"],
            },
            Shown::Plot(asked, _) if matches!(asked.of, PlotKind::Dag(..)) => {
                FileExtensions::with_report(&["svg", "dot", "csv", "html", "md"])
            }
            Shown::Plot(asked, _) if asked.of.has_picture() => {
                FileExtensions::with_report(&["svg", "csv", "html", "md"])
            }
            Shown::Plot(..) | Shown::Table(_) => {
                FileExtensions::with_report(&["csv", "html", "md"])
            }
            Shown::Text(_) => FileExtensions::with_report(&["txt", "html", "md"]),
        }
    }
}

/// An export: a view with its rows, and the destination.
#[derive(Clone, Debug)]
pub struct Export {
    /// Selected rows.
    pub rows: Rows,
    /// Content to export.
    pub shown: Shown,
    /// Report of the same rows, for the extensions of a document.
    pub report: (ReportRequest, ReportMaker),
    /// Time zone of the times in pictures.
    pub zone: Zone,
    /// Destination.
    pub place: Destination,
}

/// A file to be written.
struct Content<'a> {
    /// Extension, without the dot.
    ending: &'static str,
    body: Body<'a>,
}

/// Writes the contents of a file.
type Writing<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// Contents of a file.
enum Body<'a> {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// Written by a function, as records may exceed the memory.
    Written(Box<Writing<'a>>),
}

/// Writes the files. `None` if cancelled.
///
/// # Errors
/// A message for the user: there is nothing to write, or the files cannot be written.
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
