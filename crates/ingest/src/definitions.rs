//! Definitions of a load: the built-in ones and those of the user.

use std::sync::Arc;

use widetui_core::processors;
use widetui_core::thread::preallocate_heap;
use widetui_format::catalog::Catalog;
use widetui_format::definitions::kinds::Compiled;
use widetui_format::definitions::systems::Systems;

/// Parses the built-in definitions on another thread while the caller parses its arguments. Without a thread, they are
/// parsed when first needed.
pub fn read_ahead() {
    let here = processors::current();
    let read = move || {
        processors::move_off(here);
        preallocate_heap(1);
        Systems::builtin()
    };
    if std::thread::Builder::new().spawn(read).is_ok() {
        // Yields so that the new thread, if queued on this processor, runs and moves to another one.
        std::thread::yield_now();
    }
}

/// Compiles the built-in definitions and those of the user (file name, text) for a load.
///
/// # Errors
/// Syntax error of each invalid user definition (the first one per file), with file, line and column.
pub(crate) fn compile(
    user: &[(String, String)],
    tables: &Arc<Catalog>,
) -> Result<Compiled, String> {
    let mut systems = Systems::builtin();
    let mut wrong: Vec<String> = Vec::new();
    for (file, text) in user {
        if let Err(error) = systems.add(file, text) {
            wrong.push(error.to_string());
        }
    }
    match wrong.is_empty() {
        true => Ok(systems.compile(tables)),
        false => Err(wrong.join("\n")),
    }
}
