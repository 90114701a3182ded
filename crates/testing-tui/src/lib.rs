//! Test helpers for screens: a grid of cells with text and SVG output, golden files, and a
//! pseudo-terminal that runs the real binary. Never published.
//!
//! ```ignore
//! let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui")).args(["logs"]).size(110,
//! 30).spawn()?;
//! session.wait_for_text("workflow")?;
//! session.send("<down><enter>")?;
//! let screen = session.wait_for(|text| text.contains("task 12"), default_limit())?;
//! Golden::of_repository().check_both("task", &screen, &SvgPalette::Dark)?;
//! session.send("q")?;
//! assert_eq!(session.wait_exit(default_limit())?, Exit::Code(0));
//! assert_eq!(session.modes().left_behind(), [""; 0]);
//! ```
//!
//! [`explorer::Explorer`] is the explorer without a terminal: it takes keys and renders screens.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

pub mod explorer;
pub mod glyphs;
pub mod golden;
pub mod keys;
pub mod modes;
pub mod palette;
pub mod pty;
pub mod screen;
pub mod story;
pub mod svg;
pub mod watched;

use std::fs;
use std::path::Path;

/// Copies a directory recursively.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
