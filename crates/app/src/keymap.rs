//! Keymaps: which keys run which command where. Data, read from `keymaps/*.toml`.
//!
//! ```toml
//! base = "default"        # what this one lies over: "default" if nothing is said, "none" for nothing
//! [unbind]
//! global = ["t"]          # keys of the base that do nothing here
//! [[events]]
//! on = ["j", "down"]      # one of these; keys of a sequence are separated by blanks: "g e"
//! run = "down"
//! desc = "..."            # optional, else the command's own line
//! [[global]]
//! on = "v"                # without `run`: the name of what follows this prefix
//! desc = "views"
//! ```
//!
//! A keymap that binds a key takes it from its base in that scope; all other bindings of the base stay, also those that
//! come with a later version of the program.

mod file;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::command::Command;
use super::keys::Key;

pub use file::{KeymapError, names};

/// The keymap that all others lie over, if they do not say otherwise.
pub const STANDARD: &str = "default";

/// Where keys are bound; the innermost that binds a key wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyScope {
    /// Everywhere.
    Global,
    /// The list of events.
    Events,
    /// The record pane.
    Record,
    /// Breadcrumb of the selection.
    #[serde(rename = "trail")]
    Breadcrumb,
    /// The table of sources, before what all tables have.
    Sources,
    /// What is stuck.
    Hung,
    /// What is wrong.
    Diagnose,
    /// What a run is about, before what all tables have.
    InstanceCache,
    /// Runs, before what all tables have.
    Runs,
    /// Messages, before what all tables have.
    Flow,
    /// Joins, before what all tables have.
    Joins,
    /// A join that is being built, before what all tables have.
    NewJoin,
    /// The rows of bars over time, before what all pictures have.
    Timeline,
    /// What is drawn over time, before what all tables have.
    Plot,
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
    /// To this command.
    Run(Command),
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
    /// The command, unless more keys follow.
    pub command: Option<Command>,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Command, Option<String>),
    Branch(Vec<(Key, Node)>),
}

/// Keys and the commands that they run, a tree of sequences for each scope.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    scopes: BTreeMap<KeyScope, Vec<(Key, Node)>>,
    /// What prefixes are called.
    groups: Vec<(KeyScope, Vec<Key>, String)>,
}

impl Keymap {
    /// The keymap that is built in.
    pub fn standard() -> Keymap {
        // Checked by a test; a keymap without keys would still have the mouse.
        Keymap::chosen(STANDARD, &[]).unwrap_or_default()
    }

    /// What keys pressed one after the other mean in a stack of scopes, the innermost first.
    pub fn resolve(&self, scopes: &[KeyScope], keys: &[Key]) -> Resolution {
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
                Some(Node::Leaf(command, _)) => return Resolution::Run(*command),
                Some(Node::Branch(next)) => {
                    let next = next.iter().map(|(key, node)| Next {
                        key: *key,
                        what: self.what(*scope, keys, *key, node),
                        command: match node {
                            Node::Leaf(command, _) => Some(*command),
                            Node::Branch(_) => None,
                        },
                    });
                    return Resolution::Pending(next.collect());
                }
                None => {}
            }
        }
        Resolution::Nothing
    }

    /// The first keys that run a command in a stack of scopes, as they are shown: `Ctrl-d`, `g e`.
    pub fn keys_of(&self, scopes: &[KeyScope], command: Command) -> Option<String> {
        self.all_keys_of(scopes, command).into_iter().next()
    }

    /// All keys that run a command in a stack of scopes; those to which an inner scope gives another meaning do not.
    pub fn all_keys_of(&self, scopes: &[KeyScope], command: Command) -> Vec<String> {
        let mut found = Vec::new();
        for scope in scopes {
            if let Some(root) = self.scopes.get(scope) {
                collect(root, command, &mut Vec::new(), &mut found);
            }
        }
        let runs = |keys: &&Vec<Key>| {
            let mut prefixes = (1..keys.len()).map(|n| self.resolve(scopes, &keys[..n]));
            prefixes.all(|r| matches!(r, Resolution::Pending(_)))
                && self.resolve(scopes, keys) == Resolution::Run(command)
        };
        let shown = |keys: &Vec<Key>| {
            let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
            keys.join(" ")
        };
        found.iter().filter(runs).map(shown).collect()
    }

    /// The command of one key in one scope alone.
    pub(crate) fn bound(&self, scope: KeyScope, key: Key) -> Option<Command> {
        match self.resolve(&[scope], &[key]) {
            Resolution::Run(command) => Some(command),
            _ => None,
        }
    }

    /// The key with which a sequence that runs a command begins, in a stack of scopes.
    pub fn prefix_of(&self, scopes: &[KeyScope], command: Command) -> Option<Key> {
        let mut found = Vec::new();
        for root in scopes.iter().filter_map(|scope| self.scopes.get(scope)) {
            collect(root, command, &mut Vec::new(), &mut found);
        }
        let leads = |key: &Key| matches!(self.resolve(scopes, &[*key]), Resolution::Pending(_));
        let sequences = found.into_iter().filter(|keys| keys.len() > 1);
        sequences.map(|keys| keys[0]).find(leads)
    }

    /// What a prefix is called in a stack of scopes.
    pub fn group(&self, scopes: &[KeyScope], prefix: &[Key]) -> Option<&str> {
        let in_scope = |scope: &KeyScope| {
            let mut of_scope = self.groups.iter().filter(|g| g.0 == *scope);
            of_scope.find(|g| g.1 == prefix).map(|g| g.2.as_str())
        };
        scopes.iter().find_map(in_scope)
    }

    fn what(&self, scope: KeyScope, prefix: &[Key], key: Key, node: &Node) -> String {
        match node {
            Node::Leaf(_, Some(desc)) => desc.clone(),
            Node::Leaf(command, None) => command.info().summary.to_owned(),
            Node::Branch(_) => {
                let keys: Vec<Key> = prefix.iter().copied().chain([key]).collect();
                let name = self.group(&[scope], &keys).unwrap_or_default();
                format!("{name} …").trim_start().to_owned()
            }
        }
    }

    /// All bindings of a scope.
    fn leaves(&self, scope: KeyScope) -> Vec<(Vec<Key>, Command, Option<String>)> {
        fn walk(
            level: &[(Key, Node)],
            prefix: &mut Vec<Key>,
            out: &mut Vec<(Vec<Key>, Command, Option<String>)>,
        ) {
            for (key, node) in level {
                prefix.push(*key);
                match node {
                    Node::Leaf(command, desc) => out.push((prefix.clone(), *command, desc.clone())),
                    Node::Branch(next) => walk(next, prefix, out),
                }
                prefix.pop();
            }
        }
        let mut out = Vec::new();
        if let Some(root) = self.scopes.get(&scope) {
            walk(root, &mut Vec::new(), &mut out);
        }
        out
    }

    /// The scopes that bind anything.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = KeyScope> + '_ {
        self.scopes.keys().copied()
    }
}

fn insert(
    level: &mut Vec<(Key, Node)>,
    keys: &[Key],
    command: Command,
    desc: Option<&String>,
) -> bool {
    let Some((first, rest)) = keys.split_first() else {
        return false;
    };
    let at = level.iter().position(|(k, _)| k == first);
    match (at.map(|at| &mut level[at].1), rest.is_empty()) {
        (Some(Node::Branch(next)), false) => insert(next, rest, command, desc),
        (Some(_), _) => false,
        (None, true) => {
            level.push((*first, Node::Leaf(command, desc.cloned())));
            true
        }
        (None, false) => {
            let mut next = Vec::new();
            let done = insert(&mut next, rest, command, desc);
            level.push((*first, Node::Branch(next)));
            done
        }
    }
}

fn collect(
    level: &[(Key, Node)],
    command: Command,
    prefix: &mut Vec<Key>,
    out: &mut Vec<Vec<Key>>,
) {
    for (key, node) in level {
        prefix.push(*key);
        match node {
            Node::Leaf(a, _) if *a == command => {
                out.push(prefix.clone());
            }
            Node::Leaf(..) => {}
            Node::Branch(next) => collect(next, command, prefix, out),
        }
        prefix.pop();
    }
}

#[cfg(test)]
mod tests;
