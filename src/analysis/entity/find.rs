//! Finding instances by what the user writes: `mysim.job=358`, `mysim.run=001,mysim.job=358`.

use crate::base::ids::EventId;
use crate::store::{Snapshot, ValueOrigin};

use super::{Entity, Instances};

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
    pub fn entity<'e>(
        &self,
        entities: &'e [std::sync::Arc<Entity>],
    ) -> Option<&'e std::sync::Arc<Entity>> {
        let (last, _) = self.pairs.last()?;
        let ends_in = |e: &Entity| {
            let mut ids = e.id.iter();
            ids.any(|id| id.last() == Some(last))
        };
        let has_all = |e: &Entity| {
            let inside = |(key, _): &(String, String)| e.id.iter().any(|id| id.contains(key));
            self.pairs.iter().all(inside)
        };
        let called = |e: &&std::sync::Arc<Entity>| e.name == *last;
        let mut fitting = entities.iter().filter(|e| ends_in(e) && has_all(e));
        let named = entities.iter().find(|e| called(e) && has_all(e));
        named
            .or_else(|| fitting.next())
            .or_else(|| entities.iter().find(called))
            .or_else(|| entities.iter().find(|e| ends_in(e)))
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
                let key = match snapshot.catalog.keys.find(key) {
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
