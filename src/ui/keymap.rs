//! Keymaps: which keys run which action where. Data, read from `keymaps/*.toml`.
//!
//! ```toml
//! [[events]]
//! on = ["j", "down"]      # one of these; keys of a sequence are separated by blanks: "g e"
//! run = "down"
//! desc = "..."            # optional, else the action's own line
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::base::embedded::KEYMAPS;

use super::action::Action;
use super::given::named;
use super::keys::{Key, parse_sequence};

/// Where keys are bound; the innermost that binds a key wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Everywhere.
    Global,
    /// The list of events.
    Events,
    /// The record pane.
    Record,
    /// The table of sources, before what all tables have.
    Sources,
    /// What is stuck.
    Hung,
    /// What a run is about, before what all tables have.
    Things,
    /// Joins, before what all tables have.
    Joins,
    /// The views that are tables.
    Table,
    /// A line of text: filter, search.
    Prompt,
    /// Palette and help.
    Picker,
    /// The pivot list.
    Pivot,
}

/// What a sequence of keys leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// To this action.
    Run(Action),
    /// To several, by the next key.
    Pending(Vec<Next>),
    /// To nothing.
    Nothing,
}

/// A key that can follow a prefix, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    /// The key.
    pub key: Key,
    /// What it does.
    pub what: String,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Action, Option<String>),
    Branch(Vec<(Key, Node)>),
}

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    scopes: BTreeMap<Scope, Vec<(Key, Node)>>,
}

/// What is wrong with a keymap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// There is none of this name.
    #[error("there is no such keymap; there are {0}")]
    Unknown(String),
    /// Not TOML, or not of the expected form; the text has line and column.
    #[error("{0}")]
    Form(String),
    /// A name that is no action.
    #[error("no action is called `{0}`{1}")]
    Action(String, String),
    /// A text that is no key.
    #[error(
        "`{0}` is no key: write j, G, ctrl-d, alt-x, enter, f5, or several separated by blanks"
    )]
    Key(String),
    /// A key that is bound twice, or is the start of another binding.
    #[error("`{0}` is bound twice in the same scope, or is the start of another binding")]
    Twice(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Binding {
    on: OneOrMany,
    run: String,
    desc: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Keymap {
    /// Reads a keymap.
    ///
    /// # Errors
    /// Wrong TOML, unknown scopes, actions or keys, keys bound twice.
    pub fn parse(text: &str) -> Result<Keymap, KeymapError> {
        let file: BTreeMap<Scope, Vec<Binding>> =
            toml::from_str(text).map_err(|e| KeymapError::Form(e.to_string()))?;
        let mut map = Keymap::default();
        for (scope, bindings) in file {
            for binding in bindings {
                let action = Action::named(&binding.run).ok_or_else(|| {
                    KeymapError::Action(binding.run.clone(), nearest(&binding.run))
                })?;
                let sequences = match binding.on {
                    OneOrMany::One(one) => vec![one],
                    OneOrMany::Many(many) => many,
                };
                for sequence in sequences {
                    let keys = parse_sequence(&sequence)
                        .ok_or_else(|| KeymapError::Key(sequence.clone()))?;
                    let root = map.scopes.entry(scope).or_default();
                    if !insert(root, &keys, action, binding.desc.as_ref()) {
                        return Err(KeymapError::Twice(sequence));
                    }
                }
            }
        }
        Ok(map)
    }

    /// The keymap of a name: one of those given (names and texts), else one that is built in.
    ///
    /// # Errors
    /// No such keymap, and all that [`Keymap::parse`] finds.
    pub fn chosen(name: &str, given: &[(String, String)]) -> Result<Keymap, KeymapError> {
        match named(name, given, KEYMAPS) {
            Ok(text) => Keymap::parse(text),
            Err(names) => Err(KeymapError::Unknown(names)),
        }
    }

    /// The keymap that is built in.
    pub fn standard() -> Keymap {
        // Checked by a test; a keymap without keys would still have the mouse.
        Keymap::chosen("default", &[]).unwrap_or_default()
    }

    /// What keys pressed one after the other mean in a stack of scopes, the innermost first.
    pub fn resolve(&self, scopes: &[Scope], keys: &[Key]) -> Resolution {
        for scope in scopes {
            let mut level = self.scopes.get(scope);
            let mut found = None;
            for key in keys {
                found = level.and_then(|l| l.iter().find(|(k, _)| k == key).map(|(_, n)| n));
                level = match found {
                    Some(Node::Branch(next)) => Some(next),
                    _ => None,
                };
            }
            match found {
                Some(Node::Leaf(action, _)) => return Resolution::Run(*action),
                Some(Node::Branch(next)) => {
                    return Resolution::Pending(
                        next.iter()
                            .map(|(key, node)| Next {
                                key: *key,
                                what: node.what(),
                            })
                            .collect(),
                    );
                }
                None => {}
            }
        }
        Resolution::Nothing
    }

    /// The first keys that run an action in a stack of scopes, as they are shown: `Ctrl-d`, `g e`.
    pub fn keys_of(&self, scopes: &[Scope], action: Action) -> Option<String> {
        self.all_keys_of(scopes, action).into_iter().next()
    }

    /// All keys that run an action in a stack of scopes.
    pub fn all_keys_of(&self, scopes: &[Scope], action: Action) -> Vec<String> {
        let mut out = Vec::new();
        for scope in scopes {
            if let Some(root) = self.scopes.get(scope) {
                collect(root, action, &mut Vec::new(), &mut out);
            }
        }
        out
    }

    /// The action of one key in one scope alone.
    pub fn bound(&self, scope: Scope, key: Key) -> Option<Action> {
        match self.resolve(&[scope], &[key]) {
            Resolution::Run(action) => Some(action),
            _ => None,
        }
    }

    /// The scopes that bind anything.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> + '_ {
        self.scopes.keys().copied()
    }
}

impl Node {
    fn what(&self) -> String {
        match self {
            Node::Leaf(_, Some(desc)) => desc.clone(),
            Node::Leaf(action, None) => action.row().summary.to_owned(),
            Node::Branch(_) => "…".to_owned(),
        }
    }
}

fn insert(
    level: &mut Vec<(Key, Node)>,
    keys: &[Key],
    action: Action,
    desc: Option<&String>,
) -> bool {
    let Some((first, rest)) = keys.split_first() else {
        return false;
    };
    let at = level.iter().position(|(k, _)| k == first);
    match (at.map(|at| &mut level[at].1), rest.is_empty()) {
        (Some(Node::Branch(next)), false) => insert(next, rest, action, desc),
        (Some(_), _) => false,
        (None, true) => {
            level.push((*first, Node::Leaf(action, desc.cloned())));
            true
        }
        (None, false) => {
            let mut next = Vec::new();
            let done = insert(&mut next, rest, action, desc);
            level.push((*first, Node::Branch(next)));
            done
        }
    }
}

fn collect(level: &[(Key, Node)], action: Action, prefix: &mut Vec<Key>, out: &mut Vec<String>) {
    for (key, node) in level {
        prefix.push(*key);
        match node {
            Node::Leaf(a, _) if *a == action => {
                let keys: Vec<String> = prefix.iter().map(Key::to_string).collect();
                out.push(keys.join(" "));
            }
            Node::Leaf(..) => {}
            Node::Branch(next) => collect(next, action, prefix, out),
        }
        prefix.pop();
    }
}

fn nearest(name: &str) -> String {
    let best = super::fuzzy::best(name, super::action::TABLE.iter().map(|r| r.name));
    best.map_or(String::new(), |b| format!("; did you mean `{b}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that mean the same everywhere and for ever.
    const FIXED: &[(&str, &str)] = &[
        ("j", "down"),
        ("down", "down"),
        ("k", "up"),
        ("up", "up"),
        ("g", "first"),
        ("G", "last"),
        ("ctrl-d", "half-page-down"),
        ("ctrl-u", "half-page-up"),
        ("pagedown", "page-down"),
        ("pageup", "page-up"),
        ("enter", "open"),
        ("esc", "back"),
        ("p", "pivot"),
        ("u", "undo"),
        ("ctrl-r", "redo"),
        ("/", "search"),
        ("n", "next-hit"),
        ("N", "previous-hit"),
        ("f", "filter"),
        ("e", "next-error"),
        ("E", "previous-error"),
        ("w", "next-warning"),
        ("W", "previous-warning"),
        ("m", "mark"),
        ("'", "next-mark"),
        ("J", "joins"),
        ("1", "view-events"),
        ("2", "view-hung"),
        ("3", "view-states"),
        ("4", "view-timeline"),
        ("5", "view-latency"),
        ("6", "view-joins"),
        ("7", "view-entities"),
        ("8", "view-keys"),
        ("9", "view-sources"),
        ("tab", "next-pane"),
        ("F", "follow"),
        (":", "palette"),
        ("ctrl-p", "palette"),
        ("y", "copy"),
        ("?", "help"),
        ("q", "quit"),
    ];

    #[test]
    fn the_fixed_keys_mean_the_same_in_every_scope() {
        let map = Keymap::chosen("default", &[]).unwrap();
        for (key, name) in FIXED {
            let parsed = Key::parse(key).unwrap();
            assert_eq!(
                map.bound(Scope::Global, parsed),
                Action::named(name),
                "{key}"
            );
            for scope in map.scopes() {
                let got = map.resolve(&[scope, Scope::Global], &[parsed]);
                let wanted = Resolution::Run(Action::named(name).unwrap());
                assert_eq!(got, wanted, "{key} in {scope:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let bad = |text: &str| Keymap::parse(text).unwrap_err().to_string();
        assert!(bad("[[global]]\non='x'\nrun='quti'").contains("did you mean `quit`"));
        assert!(bad("[[global]]\non='hyper-x'\nrun='quit'").contains("no key"));
        assert!(bad("[[nowhere]]\non='x'\nrun='quit'").contains("nowhere"));
        assert!(bad("[[global]]\non=['x','x y']\nrun='quit'").contains("bound twice"));
        assert!(bad("[[global]]\non='x'\nrun='quit'\nwhen='z'").contains("when"));
    }

    #[test]
    fn a_prefix_waits_for_the_next_key_and_inner_scopes_win() {
        let map = Keymap::parse(
            "[[global]]\non='x'\nrun='quit'\n[[events]]\non='x a'\nrun='copy'\n[[events]]\non='x b'\nrun='mark'\ndesc='note it'",
        )
        .unwrap();
        let key = |t: &str| Key::parse(t).unwrap();
        let scopes = [Scope::Events, Scope::Global];
        match map.resolve(&scopes, &[key("x")]) {
            Resolution::Pending(next) => assert_eq!(next[1].what, "note it"),
            other => panic!("{other:?}"),
        }
        assert_eq!(
            map.resolve(&scopes, &[key("x"), key("a")]),
            Resolution::Run(Action::Copy)
        );
        assert_eq!(
            map.resolve(&[Scope::Record, Scope::Global], &[key("x")]),
            Resolution::Run(Action::Quit)
        );
        assert_eq!(map.resolve(&scopes, &[key("z")]), Resolution::Nothing);
        assert_eq!(map.keys_of(&scopes, Action::Mark).unwrap(), "x b");
    }
}
