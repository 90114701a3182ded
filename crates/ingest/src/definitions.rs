//! Definitions of a load: the built-in ones and those of the user.

use std::sync::Arc;

use widetui_core::processors;
use widetui_core::thread::make_room;
use widetui_format::catalog::Catalog;
use widetui_format::definitions::kinds::Compiled;
use widetui_format::definitions::systems::Systems;

/// Begins to read the definitions that the program carries, which whatever is asked needs, while the caller finds out what is
/// asked. Where the system gives no thread they are read when they are needed.
pub fn read_ahead() {
    let here = processors::current();
    let read = move || {
        processors::away_from(here);
        make_room(1);
        Systems::builtin()
    };
    if std::thread::Builder::new().spawn(read).is_ok() {
        // Where it was put behind this thread, on the same processor, it comes to move away.
        std::thread::yield_now();
    }
}

/// Compiles the built-in definitions and those of the user (file name, text) for a load.
///
/// # Errors
/// The first mistake of each definition of the user, with file, line and column.
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
