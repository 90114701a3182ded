//! Lookup of an entity by the keys of a query, in any order: `mysim.job=358,mysim.run=001`.

use std::sync::Arc;

use widetui_query::key_resolution::expansion_note;

use super::{InstanceQuery, Names, ResolvedName, UnresolvedName};
use crate::entity::Entity;

/// Rank of an entity for the keys of a query; fields are compared in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MatchRank {
    /// Number of queried keys that are part of an id of the entity.
    id_keys: usize,
    /// Length of the longest id of the entity whose keys are all queried.
    id_len: usize,
    /// Number of queried keys that are part of an id, a place or a label of the entity.
    described_keys: usize,
    /// Whether the last queried key is the name of the entity, and whether it is the end of an id.
    last_key: (bool, bool),
}

/// Rank of an entity for the keys of a query; `None` if no key names the entity.
fn match_rank(entity: &Entity, queried: &[&str]) -> Option<MatchRank> {
    let is_queried = |key: &String| queried.contains(&key.as_str());
    let is_name = |key: &str| key == entity.name;
    let ends_in = |key: &str| {
        let mut ids = entity.id.iter();
        ids.any(|id| id.last().is_some_and(|last| last == key))
    };
    if !queried.iter().any(|key| is_name(key) || ends_in(key)) {
        return None;
    }
    let is_named = queried.iter().any(|key| is_name(key));
    let of_id = |key: &&&str| is_name(key) || entity.id.iter().flatten().any(|own| own == **key);
    let places = || entity.place_keys.iter().chain(&entity.label_keys);
    let is_described = |key: &&&str| of_id(key) || places().any(|own| own == **key);
    let is_whole = |id: &&Vec<String>| {
        let last = id.len().saturating_sub(1);
        let mut parts = id.iter().enumerate();
        parts.all(|(at, key)| is_queried(key) || at == last && is_named)
    };
    let whole = entity.id.iter().filter(is_whole).map(Vec::len).max();
    let last = queried.last().copied().unwrap_or_default();
    Some(MatchRank {
        id_keys: queried.iter().filter(of_id).count(),
        id_len: whole.unwrap_or(0),
        described_keys: queried.iter().filter(is_described).count(),
        last_key: (is_name(last), ends_in(last)),
    })
}

/// Entity with the best rank, the first among equals.
fn best_match<'e>(entities: &'e [Arc<Entity>], queried: &[&str]) -> Option<&'e Arc<Entity>> {
    let mut best: Option<(MatchRank, &Arc<Entity>)> = None;
    for entity in entities {
        if let Some(rank) = match_rank(entity, queried)
            && best.is_none_or(|(known, _)| known < rank)
        {
            best = Some((rank, entity));
        }
    }
    best.map(|(_, entity)| entity)
}

/// Finds the entity of a query with full names. With one key: the entity of that name, or one whose
/// id ends in the key. With several keys: the entity whose id they form, else the entity with most of
/// them in its id, then the one described most exactly. The order of the keys matters only between
/// equal matches: the entity that the last key names.
fn entity_of<'e>(query: &InstanceQuery, entities: &'e [Arc<Entity>]) -> Option<&'e Arc<Entity>> {
    let queried: Vec<&str> = query.pairs.iter().map(|(key, _)| key.as_str()).collect();
    let [only] = queried[..] else {
        return best_match(entities, &queried);
    };
    let ends_in = |e: &&Arc<Entity>| e.id.iter().any(|id| id.last().is_some_and(|l| l == only));
    let named = entities.iter().find(|e| e.name == only);
    named.or_else(|| entities.iter().find(ends_in))
}

impl Names<'_> {
    /// Full name of the key or entity that a typed name stands for.
    fn full_name(self, typed: &str) -> Option<String> {
        let is_known =
            |e: &Arc<Entity>| e.name == typed || e.id.iter().flatten().any(|k| k == typed);
        if self.entities.iter().any(is_known) {
            return Some(typed.to_owned());
        }
        let entity = self.entity(typed).ok();
        let entity = entity.map(|resolved| identifying_key(&resolved.item).to_owned());
        entity.or_else(|| self.key(typed).ok().map(|resolved| resolved.item))
    }

    /// Finds the entity of a query with several keys and moves the key that names it to the end.
    /// `None` if the last name is unknown.
    fn resolve_several(self, query: &mut InstanceQuery) -> Option<Arc<Entity>> {
        let (last, _) = query.pairs.last()?;
        self.full_name(last)?;
        let names = query.pairs.iter().map(|(key, _)| {
            let whole = self.full_name(key);
            whole.unwrap_or_else(|| key.clone())
        });
        let names: Vec<String> = names.collect();
        let queried: Vec<&str> = names.iter().map(String::as_str).collect();
        let entity = best_match(self.entities, &queried)?;
        let ends_in =
            |key: &&str| { entity.id.iter() }.any(|id| id.last().is_some_and(|l| l == key));
        let named = queried.iter().rposition(|key| *key == entity.name);
        let at = named.or_else(|| queried.iter().rposition(ends_in))?;
        let pair = query.pairs.remove(at);
        query.pairs.push(pair);
        Some(entity.clone())
    }

    /// Resolves the entity of a query, and the query with full names in place of short ones.
    ///
    /// # Errors
    /// If a name is ambiguous, or the last key identifies no entity.
    pub fn instances(
        self,
        query: &InstanceQuery,
    ) -> Result<ResolvedName<(Arc<Entity>, InstanceQuery)>, UnresolvedName> {
        let mut query = query.clone();
        let mut notes: Vec<String> = Vec::new();
        let known = match query.pairs.len() {
            0 | 1 => entity_of(&query, self.entities).cloned(),
            _ => self.resolve_several(&mut query),
        };
        let entity = match known {
            Some(entity) => {
                if let Some((last, _)) = query.pairs.last_mut()
                    && let Some(whole) = self.full_name(last).filter(|w| w != last)
                {
                    notes.push(expansion_note(last, &whole));
                    *last = whole;
                }
                entity
            }
            None => self.resolve_last(&mut query, &mut notes)?,
        };
        let others = query.pairs.len().saturating_sub(1);
        for (key, _) in query.pairs.iter_mut().take(others) {
            let is_own = |name: &String| {
                let found = self.keys.find(name).and_then(|id| self.keys.get(id));
                name == key || found.is_some_and(|k| k.key.has_short_name(key))
            };
            // A short name means a key of the entity's id before any other key.
            if let Some(own) = entity.id.iter().flatten().find(|name| is_own(name)) {
                if own != key {
                    notes.push(expansion_note(key, own));
                    own.clone_into(key);
                }
                continue;
            }
            match self.key(key) {
                Ok(resolved) => {
                    notes.extend(resolved.note);
                    *key = resolved.item;
                }
                Err(several @ UnresolvedName::Ambiguous(_)) => return Err(several),
                // An unknown key matches no event, as an unknown value does.
                Err(UnresolvedName::Unknown(_)) => {}
            }
        }
        Ok(ResolvedName {
            item: (entity, query),
            note: (!notes.is_empty()).then(|| notes.join(", ")),
        })
    }

    /// Finds the entity named by the last key of the query, or identified by that key, and replaces
    /// the name by the full one.
    fn resolve_last(
        self,
        query: &mut InstanceQuery,
        notes: &mut Vec<String>,
    ) -> Result<Arc<Entity>, UnresolvedName> {
        let Some((last, _)) = query.pairs.last_mut() else {
            return Err(UnresolvedName::Unknown(None));
        };
        let near = match self.entity(last) {
            Ok(resolved) => {
                let key = identifying_key(&resolved.item);
                notes.push(expansion_note(last, key));
                key.clone_into(last);
                return Ok(resolved.item);
            }
            Err(UnresolvedName::Unknown(near)) => near,
            Err(several) => return Err(several),
        };
        // No entity has this name; a key that identifies an entity may.
        let resolved = match self.key(last) {
            Ok(resolved) => resolved,
            Err(several @ UnresolvedName::Ambiguous(_)) => return Err(several),
            Err(UnresolvedName::Unknown(_)) => return Err(UnresolvedName::Unknown(near)),
        };
        *last = resolved.item;
        notes.extend(resolved.note);
        let entity = entity_of(query, self.entities).cloned();
        entity.ok_or(UnresolvedName::Unknown(near))
    }
}

/// Key that identifies an instance within its run: the last key of its id, or the name of the
/// entity if its ids end differently.
fn identifying_key(entity: &Entity) -> &str {
    let mut lasts = entity.id.iter().filter_map(|id| id.last());
    match lasts.next() {
        Some(first) if lasts.all(|l| l == first) => first,
        _ => &entity.name,
    }
}
