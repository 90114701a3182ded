//! Runs that are not part of the repository. Tests of them are ignored unless asked for.

use std::path::PathBuf;

/// The folder that the environment variable `WIDETUI_CORPORA` names.
///
/// # Panics
///
/// Without the variable: a test that was asked for must not pass without its data.
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
