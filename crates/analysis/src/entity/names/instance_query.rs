//! Queries for instances by keys and values: `mysim.job=358`, `mysim.run=001,mysim.job=358`, `job 358 of 001`.

use std::collections::BTreeSet;

use widetui_core::ids::{EventId, KeyId};
use widetui_query::resolve_key;
use widetui_store::{Snapshot, ValueOrigin};

use crate::entity::{Instance, Instances};

/// Minimum length of words that stand for a whole id, bytes.
const MIN_WORDS: usize = 4;

/// Maximum number of other names of a value that are listed.
const MAX_NAMESAKES: usize = 8;

/// Query for instances: keys with values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceQuery {
    /// Keys and values as typed.
    pub pairs: Vec<(String, String)>,
    /// Value of another key of the id, in any of its alternatives: `001` of `task 24 of 001`.
    pub scope: Option<String>,
}

/// Error in the text of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstanceQueryError {
    /// A part is not `KEY=VALUE`.
    #[error("'{0}' is not KEY=VALUE, e.g. mysim.job=17")]
    Syntax(String),
}

impl InstanceQuery {
    /// Parses `KEY=VALUE[,KEY=VALUE...]`, or a displayed name: `task 24`, `task 29 try 0`, `executor task 3`, `task 24 of 001`.
    ///
    /// # Errors
    /// If a part is not `KEY=VALUE`, or the name has no value.
    pub fn parse_name(text: &str) -> Result<InstanceQuery, InstanceQueryError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let pair = |(name, value): (&[&str], &str)| (name.join(" "), value.to_owned());
        let (words, scope) = match &words[..] {
            [rest @ .., "of", scope] if rest.len() > 1 => (rest, Some((*scope).to_owned())),
            all => (all, None),
        };
        let pairs = match words {
            [] | [_] => return InstanceQuery::parse(text),
            _ if text.contains('=') => return InstanceQuery::parse(text),
            pairs if pairs.len() % 2 == 0 => {
                let pairs = pairs.chunks(2).map(|p| pair((&p[..1], p[1])));
                pairs.collect()
            }
            // A title of several words.
            [name @ .., value] => vec![pair((name, value))],
        };
        Ok(InstanceQuery { pairs, scope })
    }

    /// Parses `KEY=VALUE[,KEY=VALUE...]`.
    ///
    /// # Errors
    /// If a part is not `KEY=VALUE`.
    pub fn parse(text: &str) -> Result<InstanceQuery, InstanceQueryError> {
        let pair = |part: &str| {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| InstanceQueryError::Syntax(part.to_owned()))?;
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        };
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            match (pair(part), pairs.last_mut()) {
                (Ok(found), _) => pairs.push(found),
                // A value may have a comma in it.
                (Err(_), Some((_, value))) => {
                    value.push(',');
                    value.push_str(part.trim_end());
                }
                (Err(error), None) => return Err(error),
            }
        }
        Ok(InstanceQuery { pairs, scope: None })
    }

    /// Queried values that were ambiguous and therefore got names with their folder (`000`:
    /// `one/000`, `two/000`), each with these names.
    pub fn ambiguous_values(&self, snapshot: &Snapshot) -> Vec<(&str, Vec<String>)> {
        let keys = &snapshot.catalog.keys;
        let names = |(key, value): &'_ (String, String)| {
            let view = resolve_key(keys, key).and_then(|id| keys.get(id))?;
            let ending = format!("/{value}");
            let names = view.dict.iter().map(|(_, name)| name);
            let names = names.filter(|name| name.ends_with(&ending));
            let names: BTreeSet<String> = names.take(MAX_NAMESAKES).map(str::to_owned).collect();
            Some(names.into_iter().collect::<Vec<String>>())
        };
        let found = self.pairs.iter().map(|pair| (pair.1.as_str(), names(pair)));
        let found = found.filter_map(|(value, names)| Some((value, names?)));
        found.filter(|(_, names)| !names.is_empty()).collect()
    }
}

/// Meaning of the name of an entity as a key of a query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EntityNameMeaning {
    /// The last key of the entity's id.
    Id,
    /// The key of this name.
    Key,
}

/// Part of an id that a queried value names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QueriedPart {
    Whole,
    /// Words of a text: `12a43a16` of `AgentId<12a43a16>`; or its start, from four letters on.
    Words,
}

/// Records whose path constants count as values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathConstants {
    /// Only records that stand in one source.
    Unique,
    All,
}

impl Instances {
    /// Finds the instances that match a query, as indices into `list`. A queried key outside of the
    /// id must be stated by an event of the instance. The name of the entity stands for the last key of its id, before
    /// another key of this name. Words of an id are enough if one instance alone has them.
    pub fn find_matching(&self, snapshot: &Snapshot, query: &InstanceQuery) -> Vec<usize> {
        let matching = |meaning, part| self.matching(snapshot, query, meaning, part);
        let mut found = matching(EntityNameMeaning::Id, QueriedPart::Whole);
        if found.is_empty() {
            found = matching(EntityNameMeaning::Key, QueriedPart::Whole);
        }
        if found.is_empty() {
            found = matching(EntityNameMeaning::Id, QueriedPart::Words);
            let is_single = found.len() == 1;
            found.retain(|_| is_single);
        }
        found
    }

    fn matching(
        &self,
        snapshot: &Snapshot,
        query: &InstanceQuery,
        meaning: EntityNameMeaning,
        part: QueriedPart,
    ) -> Vec<usize> {
        let fits_pair = |instance: &Instance, (key, value): &(String, String)| {
            let ids = self.id_keys(instance);
            let key = match resolve_key(&snapshot.catalog.keys, key) {
                Some(key) if ids.contains(&key) => Some(key),
                _ if *key == self.entity.name && meaning == EntityNameMeaning::Id => {
                    ids.last().copied()
                }
                found => found,
            };
            key.is_some_and(|key| match part {
                QueriedPart::Whole => self.has_value(snapshot, instance, key, value),
                QueriedPart::Words => self.has_words(snapshot, instance, key, value),
            })
        };
        let keys = self.entity.id.iter().flatten();
        let keys: BTreeSet<KeyId> = keys
            .filter_map(|key| snapshot.catalog.keys.find(key))
            .collect();
        let fits = |instance: &Instance| {
            let mut scope = query.scope.iter();
            let last = self.id_keys(instance).last().copied();
            let others = || keys.iter().filter(|key| Some(**key) != last);
            query.pairs.iter().all(|pair| fits_pair(instance, pair))
                && scope.all(|v| others().any(|key| self.has_value(snapshot, instance, *key, v)))
        };
        let all = self.list.iter().enumerate();
        all.filter(|(_, i)| fits(i)).map(|(at, _)| at).collect()
    }

    /// True if the id of an instance has a text with the words of `value`, or one that starts with them.
    fn has_words(&self, snapshot: &Snapshot, instance: &Instance, key: KeyId, value: &str) -> bool {
        let at = self.id_keys(instance).iter().position(|k| *k == key);
        let code = at.and_then(|at| instance.id.get(at));
        let text = code.and_then(|code| snapshot.catalog.keys.get(key)?.spelling(*code));
        let Some(text) =
            text.filter(|text| value.len() >= MIN_WORDS && text.parse::<f64>().is_err())
        else {
            return false;
        };
        let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        text.match_indices(value).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + value.len()..]);
            at == 0 || is_border(before.chars().next_back()) && is_border(after.chars().next())
        })
    }

    /// True if an instance has a value of a key: in its id, or stated by one of its events.
    fn has_value(&self, snapshot: &Snapshot, instance: &Instance, key: KeyId, value: &str) -> bool {
        let Some(view) = snapshot.catalog.keys.get(key) else {
            return false;
        };
        let form = |text: &str| {
            let kind = view.key.kind;
            kind.canonical(text).unwrap_or_else(|| text.to_owned())
        };
        let want = form(value);
        let is = |code| view.spelling(code).is_some_and(|s| form(&s) == want);
        let at = self.id_keys(instance).iter().position(|k| *k == key);
        if let Some(code) = at.and_then(|at| instance.id.get(at)) {
            return is(*code);
        }
        let duplicates = &snapshot.duplicates;
        let is_unique = |id: u32| {
            duplicates.original_of(id).is_none() && duplicates.duplicates_of(id).next().is_none()
        };
        // Path constants count only if nothing else states the key; for a duplicate record the path
        // may belong to another record.
        let states_value = |id: u32, paths: PathConstants| {
            let counts = paths == PathConstants::All || is_unique(id);
            let mut found = None;
            if let Some(event) = snapshot.event(EventId(id)) {
                event.for_each_code(|k, codes, origin| {
                    let is_path = origin == ValueOrigin::Path;
                    if k == key && (!is_path || counts && found.is_none()) {
                        found = Some(found == Some(true) || codes.iter().any(|c| is(*c)));
                    }
                });
            }
            found
        };
        let events = || self.events(instance).iter().copied();
        let certain = events().filter_map(|id| states_value(id, PathConstants::Unique));
        let certain = certain.fold(None, |known, stated| Some(stated || known == Some(true)));
        certain.unwrap_or_else(|| {
            events().any(|id| states_value(id, PathConstants::All) == Some(true))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_names_are_queries() {
        let pairs = |text: &str| {
            let query = InstanceQuery::parse_name(text).ok()?;
            let pairs = query
                .pairs
                .iter()
                .map(|(key, value)| format!("{key}={value}"));
            let scope = query.scope.iter().map(|scope| format!(" of {scope}"));
            Some(pairs.collect::<Vec<_>>().join(",") + &scope.collect::<String>())
        };
        for (text, want) in [
            ("task 24", "task=24"),
            ("task 29 try 0", "task=29,try=0"),
            ("work unit 3", "work unit=3"),
            ("task 24 of 001", "task=24 of 001"),
            ("a.run=x y,a.task=24", "a.run=x y,a.task=24"),
            ("a.task=align (1, 2),a.try=0", "a.task=align (1, 2),a.try=0"),
        ] {
            assert_eq!(pairs(text).as_deref(), Some(want));
        }
        assert_eq!(pairs("24"), None);
        assert_eq!(pairs(""), None);
    }
}
