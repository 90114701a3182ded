//! Keymap files: read, and laid over the one that they name as their base.

use std::fmt;

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use toml::Spanned;

use crate::command::{COMMANDS, Command};
use crate::data_files::{all_names, named};
use crate::embedded::KEYMAPS;
use crate::keys::{Key, parse_sequence};
use widetui_core::nearest::did_you_mean;
use widetui_definition::error::{DefError, FileText};

use super::{KeyScope, Keymap, STANDARD, insert};

/// Keymaps may lie over one another this deep.
const DEEP: usize = 8;
/// The base of a keymap that lies over nothing.
const NOTHING: &str = "none";

/// What is wrong with a keymap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// There is none of this name.
    #[error("there is no such keymap; there are {0}")]
    Unknown(String),
    /// A mistake in a file, with its place.
    #[error("{0}")]
    Wrong(DefError),
}

/// Names of all keymaps: those given and those built in.
pub fn names(given: &[(String, String)]) -> Vec<String> {
    all_names(given, KEYMAPS)
}

#[derive(Default)]
struct File {
    base: Option<Spanned<String>>,
    unbind: Vec<(KeyScope, Vec<Spanned<String>>)>,
    scopes: Vec<(KeyScope, Vec<Binding>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Binding {
    on: Spanned<OneOrMany>,
    run: Option<Spanned<String>>,
    desc: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn scope<E: serde::de::Error>(name: &str) -> Result<KeyScope, E> {
    let name: StrDeserializer<'_, E> = name.into_deserializer();
    KeyScope::deserialize(name)
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<File, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = File;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a keymap")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
                let mut file = File::default();
                while let Some(name) = map.next_key::<String>()? {
                    match name.as_str() {
                        "base" => file.base = Some(map.next_value()?),
                        "unbind" => {
                            let lists: std::collections::BTreeMap<KeyScope, Vec<Spanned<String>>> =
                                map.next_value()?;
                            file.unbind.extend(lists);
                        }
                        name => file.scopes.push((scope(name)?, map.next_value()?)),
                    }
                }
                Ok(file)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl Keymap {
    /// Reads a keymap that lies over one of those built in.
    ///
    /// # Errors
    /// Wrong TOML, unknown scopes, commands or keys, keys bound twice, with their places.
    #[cfg(test)]
    pub(crate) fn parse(text: &str) -> Result<Keymap, KeymapError> {
        let origin = FileText {
            file: "keymap",
            text,
        };
        read(origin, &[], DEEP)
    }

    /// The keymap of a name: one of those given (file names and texts), else one that is built in.
    ///
    /// # Errors
    /// No such keymap, and all that [`Keymap::parse`] finds.
    pub fn chosen(name: &str, given: &[(String, String)]) -> Result<Keymap, KeymapError> {
        chosen(name, given, DEEP)
    }
}

fn chosen(name: &str, given: &[(String, String)], deep: usize) -> Result<Keymap, KeymapError> {
    let found = named(name, given, KEYMAPS).map_err(KeymapError::Unknown)?;
    let origin = FileText {
        file: found.file,
        text: found.text,
    };
    // A file lies over the one that it replaces, not over itself.
    let others: Vec<(String, String)> = given
        .iter()
        .filter(|(file, _)| file != found.file)
        .cloned()
        .collect();
    read(origin, &others, deep)
}

fn read(
    origin: FileText<'_>,
    given: &[(String, String)],
    deep: usize,
) -> Result<Keymap, KeymapError> {
    let file: File =
        toml::from_str(origin.text).map_err(|e| KeymapError::Wrong(origin.toml_error(&e)))?;
    let mut map = bindings(origin, &file)?;
    let base = match &file.base {
        Some(name) if name.get_ref() == NOTHING => {
            return match file.unbind.iter().flat_map(|(_, keys)| keys).next() {
                None => Ok(map),
                Some(unbound) => {
                    let keys = unbound.get_ref();
                    let text = format!(
                        "`{keys}` is not bound: with `base = \"{NOTHING}\"` there is nothing to unbind"
                    );
                    Err(wrong(origin, unbound.span().start, text))
                }
            };
        }
        Some(name) => name.get_ref().as_str(),
        // The one that is built in lies over nothing.
        None if KEYMAPS.contains(&(STANDARD, origin.text)) => return Ok(map),
        None => STANDARD,
    };
    let at = file.base.as_ref().map_or(0, |b| b.span().start);
    let Some(deep) = deep.checked_sub(1) else {
        let text = "keymaps lie over one another in a circle".to_owned();
        return Err(wrong(origin, at, text));
    };
    let base = match chosen(base, given, deep) {
        Ok(base) => base,
        Err(KeymapError::Unknown(names)) => {
            let text = format!("there is no keymap `{base}` to lie over; there are {names}");
            return Err(wrong(origin, at, text));
        }
        Err(error) => return Err(error),
    };
    let unbound = unbound(origin, &file, &base)?;
    lay_over(&mut map, &base, &unbound);
    Ok(map)
}

fn wrong(origin: FileText<'_>, at: usize, text: String) -> KeymapError {
    KeymapError::Wrong(origin.error(at, text))
}

fn sequence(origin: FileText<'_>, text: &str, at: usize) -> Result<Vec<Key>, KeymapError> {
    parse_sequence(text).ok_or_else(|| {
        let text = format!(
            "`{text}` is no key: write j, G, ctrl-d, alt-x, enter, f5, or several separated by blanks"
        );
        wrong(origin, at, text)
    })
}

/// What a file binds itself.
fn bindings(origin: FileText<'_>, file: &File) -> Result<Keymap, KeymapError> {
    let mut map = Keymap::default();
    for (scope, bindings) in &file.scopes {
        for binding in bindings {
            let at = binding.on.span().start;
            let sequences = match binding.on.get_ref() {
                OneOrMany::One(one) => std::slice::from_ref(one),
                OneOrMany::Many(many) => many,
            };
            for text in sequences {
                let keys = sequence(origin, text, at)?;
                let Some(run) = &binding.run else {
                    let Some(name) = binding.desc.clone() else {
                        let text = "`run` is missing: the name of a command".to_owned();
                        return Err(wrong(origin, at, text));
                    };
                    map.groups.push((*scope, keys, name));
                    continue;
                };
                let name = run.get_ref();
                let command = Command::named(name).ok_or_else(|| {
                    let hint = did_you_mean(name, COMMANDS.iter().map(|r| r.name));
                    let text = format!("no command is called `{name}`{hint}");
                    wrong(origin, run.span().start, text)
                })?;
                let root = map.scopes.entry(*scope).or_default();
                if !insert(root, &keys, command, binding.desc.as_ref()) {
                    let text = format!(
                        "`{text}` is bound twice in the same scope, or is the start of another binding"
                    );
                    return Err(wrong(origin, at, text));
                }
            }
        }
    }
    Ok(map)
}

/// What a file takes away of what it lies over.
fn unbound(
    origin: FileText<'_>,
    file: &File,
    base: &Keymap,
) -> Result<Vec<(KeyScope, Vec<Key>)>, KeymapError> {
    let mut unbound = Vec::new();
    for (scope, list) in &file.unbind {
        for text in list {
            let at = text.span().start;
            let keys = sequence(origin, text.get_ref(), at)?;
            let before = base.leaves(*scope);
            if !before.iter().any(|(k, ..)| k.starts_with(&keys)) {
                let text = format!("`{}` is not bound there", text.get_ref());
                return Err(wrong(origin, at, text));
            }
            unbound.push((*scope, keys));
        }
    }
    Ok(unbound)
}

/// Adds the bindings of the base that the keymap neither takes for itself nor unbinds.
fn lay_over(map: &mut Keymap, base: &Keymap, unbound: &[(KeyScope, Vec<Key>)]) {
    for scope in base.scopes() {
        let root = map.scopes.entry(scope).or_default();
        for (keys, command, desc) in base.leaves(scope) {
            let gone = |(s, k): &(KeyScope, Vec<Key>)| *s == scope && keys.starts_with(k);
            if !unbound.iter().any(gone) {
                // False where the keymap has another use for the key: that is what it is for.
                insert(root, &keys, command, desc.as_ref());
            }
        }
    }
    for group in &base.groups {
        if !map
            .groups
            .iter()
            .any(|g| (g.0, &g.1) == (group.0, &group.1))
        {
            map.groups.push(group.clone());
        }
    }
}
