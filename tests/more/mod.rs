//! Runs that are not part of the repository: those of the folder that the environment variable `WIDETUI_CORPORA` names.

use std::io::Write;
use std::path::PathBuf;

/// The folder with more runs. Where there is none, the test that asks says that it was skipped: on standard error itself,
/// as what a test prints is shown only when it fails.
pub fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("WIDETUI_CORPORA").map(PathBuf::from);
    if folder.is_none() {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        let _ = writeln!(
            std::io::stderr(),
            "{test}: runs outside the repository were skipped, WIDETUI_CORPORA names no folder"
        );
    }
    folder
}
