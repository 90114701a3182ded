//! Log collections outside the repository, used by tests that are ignored by default.

use std::path::PathBuf;

/// Folder named by the environment variable `WIDETUI_CORPORA`.
///
/// # Panics
///
/// If the variable is not set or names no folder: a test must not pass without its data.
pub fn corpora() -> PathBuf {
    let folder = std::env::var_os("WIDETUI_CORPORA").map(PathBuf::from);
    let folder = folder.expect("WIDETUI_CORPORA names no folder");
    assert!(
        folder.is_dir(),
        "WIDETUI_CORPORA: {} is no folder",
        folder.display()
    );
    folder
}
