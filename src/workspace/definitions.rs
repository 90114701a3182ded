//! The definitions in force: built-in ones and those of the user.

use std::sync::Arc;

use crate::format::catalog::Catalog;
use crate::format::kinds::Compiled;
use crate::format::systems::Systems;

/// Compiles all definitions for a run; those of the user are (file name, text).
///
/// # Errors
/// What is wrong with a definition of the user, with file, line and column.
pub fn compile(user: &[(String, String)], tables: &Arc<Catalog>) -> Result<Compiled, String> {
    let mut systems = Systems::builtin();
    for (file, text) in user {
        systems.add(file, text).map_err(|e| e.to_string())?;
    }
    Ok(systems.compile(tables))
}
