//! What the names in arguments mean: one rule for keys and one for kinds of things, wherever they stand. What is taken for a
//! short name is told on standard error, once.

use std::sync::Arc;

use widetui_analysis::entity::{Entity, InstanceQuery, entity_named};
use widetui_query::key_named;
use widetui_query::naming::{Meant, Unclear};
use widetui_store::Snapshot;

use super::opened::Opened;
use super::output::Failure;

/// That a name is not clear; `nothing` says what there is not.
fn failure(typed: &str, unclear: Unclear, nothing: &str) -> Failure {
    Failure::Message(match unclear {
        Unclear::Several(names) => {
            let names: Vec<String> = names.iter().map(|n| format!("'{n}'")).collect();
            format!("'{typed}' may be {}: which one?", names.join(" or "))
        }
        Unclear::Unknown(Some(near)) => format!("{nothing}; did you mean '{near}'?"),
        Unclear::Unknown(None) => nothing.to_owned(),
    })
}

/// The whole name of a key, or of a pseudo-key.
///
/// # Errors
/// No record has it, or several end so.
pub fn key(opened: &Opened, typed: &str) -> Result<String, Failure> {
    Ok(opened.told.take(key_in(&opened.snapshot, "", typed)?))
}

/// The whole name of a key that an option names.
///
/// # Errors
/// No record has it, or several end so.
pub fn option(opened: &Opened, option: &str, typed: &str) -> Result<String, Failure> {
    let option = format!("{option} {typed}: ");
    Ok(opened.told.take(key_in(&opened.snapshot, &option, typed)?))
}

/// The whole names of the keys that an option names.
///
/// # Errors
/// No record has one of them, or several end so.
pub fn options(opened: &Opened, name: &str, typed: &[String]) -> Result<Vec<String>, Failure> {
    let keys = typed.iter().map(|typed| option(opened, name, typed));
    keys.collect()
}

fn key_in(snapshot: &Snapshot, option: &str, typed: &str) -> Result<Meant<String>, Failure> {
    key_named(&snapshot.catalog.keys, typed).map_err(|unclear| {
        let nothing = format!("{option}there is no key '{typed}' in these events");
        failure(typed, unclear, &nothing)
    })
}

/// The entity with this name, or the only one that is called so: see [`entity_named`].
///
/// # Errors
/// There is none, or several: names them, or one that is near.
pub fn entity(opened: &Opened, typed: &str) -> Result<Arc<Entity>, Failure> {
    let keys = &opened.snapshot.catalog.keys;
    let meant = entity_named(opened.entities(), keys, typed);
    let meant = meant
        .map_err(|unclear| failure(typed, unclear, &format!("there is no entity '{typed}'")))?;
    Ok(opened.told.take(meant))
}

/// The entity whose instances are asked for by `KEY=VALUE[,KEY=VALUE...]`, and what is asked with whole names.
///
/// # Errors
/// It is no such text; nothing is identified by the last key; or a name may be several.
pub fn thing(opened: &Opened, text: &str) -> Result<(Arc<Entity>, InstanceQuery), Failure> {
    let wanted = InstanceQuery::parse(text).map_err(|e| Failure::Message(e.to_string()))?;
    let keys = &opened.snapshot.catalog.keys;
    let meant = wanted.meant(opened.entities(), keys).map_err(|unclear| {
        let last = wanted.pairs.last().map_or("", |(key, _)| key);
        failure(last, unclear, &format!("nothing is identified by '{last}'"))
    })?;
    Ok(opened.told.take(meant))
}
