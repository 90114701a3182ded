//! Finding instances by what the user writes: `mysim.job=358`, `mysim.run=001,mysim.job=358`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::ids::EventId;
use crate::format::keys::KeysView;
use crate::query::naming::{Meant, Unclear, short_for};
use crate::query::{key_named, resolve_key};
use crate::store::{Snapshot, ValueOrigin};

use super::naming::entity_named;
use super::{Entity, Instances};

/// Other names of one value that are told.
const NAMESAKES: usize = 8;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceQuery {
    /// Keys and values, as written.
    pub pairs: Vec<(String, String)>,
}

/// What is wrong with what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstanceQueryError {
    /// Not `KEY=VALUE`.
    #[error("'{0}' is not KEY=VALUE, e.g. mysim.job=17")]
    Syntax(String),
}

impl InstanceQuery {
    /// Reads `KEY=VALUE[,KEY=VALUE...]`.
    ///
    /// # Errors
    /// Parts that are no pairs.
    pub fn parse(text: &str) -> Result<InstanceQuery, InstanceQueryError> {
        let pair = |part: &str| {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| InstanceQueryError::Syntax(part.to_owned()))?;
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        };
        let pairs = text.split(',').map(pair).collect::<Result<_, _>>()?;
        Ok(InstanceQuery { pairs })
    }

    /// The entity that is meant: the one whose id ends in the last key, or is called so; with all other keys in its id,
    /// or, if there is none, among those that say where it runs.
    pub fn entity<'e>(&self, entities: &'e [Arc<Entity>]) -> Option<&'e Arc<Entity>> {
        let (last, _) = self.pairs.last()?;
        let ends_in = |e: &Entity| {
            let mut ids = e.id.iter();
            ids.any(|id| id.last() == Some(last))
        };
        let has_all = |e: &Entity| {
            let inside = |(key, _): &(String, String)| e.id.iter().any(|id| id.contains(key));
            self.pairs.iter().all(inside)
        };
        let called = |e: &&Arc<Entity>| e.name == *last;
        let mut fitting = entities.iter().filter(|e| ends_in(e) && has_all(e));
        let named = entities.iter().find(|e| called(e) && has_all(e));
        named
            .or_else(|| fitting.next())
            .or_else(|| entities.iter().find(called))
            .or_else(|| entities.iter().find(|e| ends_in(e)))
    }

    /// The asked values that several things had and that are therefore called otherwise, by where they are (`000`: `one/000`,
    /// `two/000`), with their names.
    pub fn renamed(&self, snapshot: &Snapshot) -> Vec<(&str, Vec<String>)> {
        let keys = &snapshot.catalog.keys;
        let names = |(key, value): &'_ (String, String)| {
            let view = resolve_key(keys, key).and_then(|id| keys.get(id))?;
            let ending = format!("/{value}");
            let names = view.dict.iter().map(|(_, name)| name);
            let names = names.filter(|name| name.ends_with(&ending));
            let names: BTreeSet<String> = names.take(NAMESAKES).map(str::to_owned).collect();
            Some(names.into_iter().collect::<Vec<String>>())
        };
        let found = self.pairs.iter().map(|pair| (pair.1.as_str(), names(pair)));
        let found = found.filter_map(|(value, names)| Some((value, names?)));
        found.filter(|(_, names)| !names.is_empty()).collect()
    }

    /// The entity that is meant, and what was asked for with whole names in place of short ones.
    ///
    /// # Errors
    /// A name may mean several things; or nothing is identified by the last key.
    pub fn meant(
        &self,
        entities: &[Arc<Entity>],
        keys: &KeysView,
    ) -> Result<Meant<(Arc<Entity>, InstanceQuery)>, Unclear> {
        let mut query = self.clone();
        let mut notes: Vec<String> = Vec::new();
        let entity = match self.entity(entities) {
            Some(entity) => entity.clone(),
            None => {
                let Some((last, _)) = query.pairs.last_mut() else {
                    return Err(Unclear::Unknown(None));
                };
                let unknown = match entity_named(entities, keys, last) {
                    Ok(meant) => {
                        let key = own_key(&meant.what);
                        notes.push(short_for(last, key));
                        key.clone_into(last);
                        Ok(meant.what)
                    }
                    Err(Unclear::Unknown(near)) => Err(near),
                    Err(several) => return Err(several),
                };
                match unknown {
                    Ok(entity) => entity,
                    // Nothing is called so; perhaps a key is that identifies something.
                    Err(near) => {
                        let found = key_named(keys, last);
                        if let Err(several @ Unclear::Several(_)) = found {
                            return Err(several);
                        }
                        let meant = found.map_err(|_| Unclear::Unknown(near.clone()))?;
                        *last = meant.what;
                        notes.extend(meant.note);
                        let entity = query.entity(entities).cloned();
                        entity.ok_or(Unclear::Unknown(near))?
                    }
                }
            }
        };
        let others = query.pairs.len().saturating_sub(1);
        for (key, _) in query.pairs.iter_mut().take(others) {
            let is_own = |name: &String| {
                let found = keys.find(name).and_then(|id| keys.get(id));
                name == key || found.is_some_and(|k| k.key.is_called(key))
            };
            // What identifies the thing is meant before what else is called so.
            if let Some(own) = entity.id.iter().flatten().find(|name| is_own(name)) {
                if own != key {
                    notes.push(short_for(key, own));
                    own.clone_into(key);
                }
                continue;
            }
            match key_named(keys, key) {
                Ok(meant) => {
                    notes.extend(meant.note);
                    *key = meant.what;
                }
                Err(several @ Unclear::Several(_)) => return Err(several),
                // Whose events name it is answered as for any other value: none.
                Err(Unclear::Unknown(_)) => {}
            }
        }
        Ok(Meant {
            what: (entity, query),
            note: (!notes.is_empty()).then(|| notes.join(", ")),
        })
    }
}

/// The key that names an entity among those of its run: the last of its id; its own name where its ids end differently.
fn own_key(entity: &Entity) -> &str {
    let mut lasts = entity.id.iter().filter_map(|id| id.last());
    match lasts.next() {
        Some(first) if lasts.all(|l| l == first) => first,
        _ => &entity.name,
    }
}

/// Which records' paths say something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    /// Of those that stand in one source.
    OfOne,
    All,
}

impl Instances {
    /// The instances that fit: an asked key that is not part of an instance's id must be named by one of its events.
    pub fn find(&self, snapshot: &Snapshot, wanted: &InstanceQuery) -> Vec<usize> {
        let fits = |instance: &super::Instance| {
            wanted.pairs.iter().all(|(key, value)| {
                // The name of an entity stands for the last key of its id.
                let ids = self.id_keys(instance);
                let key = match resolve_key(&snapshot.catalog.keys, key) {
                    Some(key) if ids.contains(&key) => Some(key),
                    found if *key == self.entity.name && found.is_none() => ids.last().copied(),
                    found => found,
                };
                let Some(view) = key.and_then(|k| snapshot.catalog.keys.get(k)) else {
                    return false;
                };
                let form = |text: &str| {
                    let kind = view.key.kind;
                    kind.canonical(text).unwrap_or_else(|| text.to_owned())
                };
                let want = form(value);
                let at = ids.iter().position(|k| *k == view.key.id);
                if let Some(code) = at.and_then(|at| instance.id.get(at)) {
                    return view.spelling(*code).is_some_and(|s| form(&s) == want);
                }
                let is = |code| view.spelling(code).is_some_and(|s| form(&s) == want);
                let copies = &snapshot.copies;
                let stands_alone =
                    |id: u32| copies.of(id).is_none() && copies.copies_of(id).next().is_none();
                // Whether an event names the key, and the value. What its path says counts where nothing else does, and it
                // may be another record's where one stands in several sources.
                let says = |id: u32, paths: Paths| {
                    let counts = paths == Paths::All || stands_alone(id);
                    let mut found = None;
                    if let Some(event) = snapshot.event(EventId(id)) {
                        event.for_each_code(|k, codes, origin| {
                            let is_path = origin == ValueOrigin::Path;
                            if k == view.key.id && (!is_path || counts && found.is_none()) {
                                found = Some(found == Some(true) || codes.iter().any(|c| is(*c)));
                            }
                        });
                    }
                    found
                };
                let events = || self.events(instance).iter().copied();
                let sure = events().filter_map(|id| says(id, Paths::OfOne));
                let sure = sure.fold(None, |known, said| Some(said || known == Some(true)));
                sure.unwrap_or_else(|| events().any(|id| says(id, Paths::All) == Some(true)))
            })
        };
        let all = self.list.iter().enumerate();
        all.filter(|(_, i)| fits(i)).map(|(at, _)| at).collect()
    }
}
