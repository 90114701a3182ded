//! Names in arguments: one rule for keys and one for entities. The full name of a short one is reported on standard error, once.

use std::sync::Arc;

use widetui_analysis::entity::{Entity, InstanceQuery, find_entity};
use widetui_query::key_resolution::{Alternatives, ResolvedName, UnresolvedName};
use widetui_query::resolve_key_name;
use widetui_store::Snapshot;

use super::opened::Opened;
use super::output::Failure;

/// Failure of an ambiguous or unknown name; `nothing` is the message for an unknown one.
fn failure(typed: &str, unclear: UnresolvedName, nothing: &str) -> Failure {
    Failure::Message(match unclear {
        UnresolvedName::Ambiguous(names) => {
            format!("`{typed}` is ambiguous: {}", Alternatives(&names))
        }
        UnresolvedName::Unknown(Some(near)) => format!("{nothing}; did you mean `{near}`?"),
        UnresolvedName::Unknown(None) => nothing.to_owned(),
    })
}

/// Full name of a key, or of a pseudo-key.
///
/// # Errors
/// No record has the key, or the name is ambiguous.
pub fn key(opened: &Opened, typed: &str) -> Result<String, Failure> {
    Ok(opened
        .notes
        .resolve_noted(resolve_key(&opened.snapshot, "", typed)?))
}

/// Full name of a key in an option.
///
/// # Errors
/// No record has the key, or the name is ambiguous.
pub fn option(opened: &Opened, option: &str, typed: &str) -> Result<String, Failure> {
    let option = format!("{option} {typed}: ");
    Ok(opened
        .notes
        .resolve_noted(resolve_key(&opened.snapshot, &option, typed)?))
}

/// Full names of the keys in an option.
///
/// # Errors
/// No record has one of the keys, or a name is ambiguous.
pub fn options(opened: &Opened, name: &str, typed: &[String]) -> Result<Vec<String>, Failure> {
    let keys = typed.iter().map(|typed| option(opened, name, typed));
    keys.collect()
}

fn resolve_key(
    snapshot: &Snapshot,
    option: &str,
    typed: &str,
) -> Result<ResolvedName<String>, Failure> {
    resolve_key_name(&snapshot.catalog.keys, typed).map_err(|unclear| {
        let nothing = format!("{option}no key `{typed}` in these events");
        failure(typed, unclear, &nothing)
    })
}

/// Entity with a full or short name: see [`entity_named`].
///
/// # Errors
/// No entity has the name, or several have; the message names them, or a similar name.
pub fn entity(opened: &Opened, typed: &str) -> Result<Arc<Entity>, Failure> {
    let keys = &opened.snapshot.catalog.keys;
    let meant = find_entity(opened.entities(), keys, typed);
    let meant = meant
        .map_err(|unclear| failure(typed, unclear, &format!("no entity is named `{typed}`")))?;
    Ok(opened.notes.resolve_noted(meant))
}

/// Entity and query of `KEY=VALUE[,KEY=VALUE...]`, with full names.
///
/// # Errors
/// The text has another form, no entity is identified by the last key, or a name is ambiguous.
pub fn instance(opened: &Opened, text: &str) -> Result<(Arc<Entity>, InstanceQuery), Failure> {
    let wanted = InstanceQuery::parse(text).map_err(|e| Failure::Message(e.to_string()))?;
    let keys = &opened.snapshot.catalog.keys;
    let meant = wanted.resolve(opened.entities(), keys).map_err(|unclear| {
        let last = wanted.pairs.last().map_or("", |(key, _)| key);
        failure(
            last,
            unclear,
            &format!("no entity is identified by `{last}`"),
        )
    })?;
    Ok(opened.notes.resolve_noted(meant))
}
