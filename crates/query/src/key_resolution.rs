//! Resolution of a typed key name among the keys of a run; expressions, options and the explorer share these rules.
//!
//! * The full name of a key that records have resolves to that key.
//! * A key of a definition takes precedence over a field of the log itself: if a definition has the key `sys.worker`
//!   and records have a field `worker`, then `worker` is `sys.worker` (with a note), and `log.worker` is the field.
//! * Any other name resolves to the only key of records with this last component or label (with a note).
//! * If several keys have this component or label, the name is ambiguous, and the error lists the keys.

use std::fmt;

use widetui_format::catalog::keys::{KeyView, KeysView, WRITER};

use crate::expr::{Comparison, Expr, Field, PSEUDO};
use widetui_core::nearest::{nearest, suggestion};

/// Result of resolving a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedName<T> {
    /// The resolved item.
    pub item: T,
    /// Clause for display that explains the resolution, unless the name is exact.
    pub note: Option<String>,
}

impl<T> ResolvedName<T> {
    /// Returns an exact match, without a note.
    pub fn exact(item: T) -> ResolvedName<T> {
        ResolvedName { item, note: None }
    }
}

/// Why a name cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnresolvedName {
    /// Ambiguous between these names.
    Ambiguous(Vec<String>),
    /// No such name; holds the nearest known one.
    Unknown(Option<String>),
}

impl UnresolvedName {
    /// Returns an ambiguity between these names, sorted.
    pub fn ambiguous<'n>(names: impl Iterator<Item = &'n str>) -> UnresolvedName {
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        UnresolvedName::Ambiguous(names)
    }

    /// Message for the user: the candidates of an ambiguous name, or `unknown` with the similar name.
    pub fn message(&self, typed: &str, unknown: &str) -> String {
        match self {
            UnresolvedName::Ambiguous(names) => {
                format!("`{typed}` is ambiguous: {}", Alternatives(names))
            }
            UnresolvedName::Unknown(near) => format!("{unknown}{}", suggestion(near.as_deref())),
        }
    }
}

/// Note that a short name was expanded.
pub fn expansion_note(typed: &str, name: &str) -> String {
    format!("`{typed}` is short for `{name}`")
}

/// Displays alternatives: `` `a` or `b` ``.
pub struct Alternatives<'n>(pub &'n [String]);

impl fmt::Display for Alternatives<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(|n| format!("`{n}`")).collect();
        f.write_str(&names.join(" or "))
    }
}

/// Whether a definition's key takes precedence over a log's own field of the typed name. Never for keys that describe
/// the writer of a record (`logger`, `module`, ...), as the fields themselves hold better values.
fn takes_precedence(key: &KeyView, field: &KeyView, typed: &str) -> bool {
    let ends = key.key.name.rsplit_once('.');
    ends.is_some_and(|(_, last)| last == typed)
        && key.key.is_defined()
        && *field.key.name == *typed
        && !field.key.is_defined()
        && !WRITER.contains(&typed)
}

/// Rewrites an expression with full key names so that it can be typed: a log's own field is spelled `log.NAME` where
/// the bare name would resolve to another key.
pub fn as_typed(expr: &Expr, keys: &KeysView) -> Expr {
    let field = |field: &Field| field_as_typed(field, keys);
    let all = |parts: &[Expr]| parts.iter().map(|part| as_typed(part, keys)).collect();
    match expr {
        Expr::All | Expr::Text(_) => expr.clone(),
        Expr::And(parts) => Expr::And(all(parts)),
        Expr::Or(parts) => Expr::Or(all(parts)),
        Expr::Not(part) => Expr::Not(Box::new(as_typed(part, keys))),
        Expr::Has(of) => Expr::Has(field(of)),
        Expr::Compare(c) => Expr::Compare(Comparison {
            field: field(&c.field),
            ..c.clone()
        }),
    }
}

/// Rewrites a field so that it can be typed, see [`as_typed`].
pub fn field_as_typed(field: &Field, keys: &KeysView) -> Field {
    match field {
        Field::Key(name) => match resolve_key_name(keys, name) {
            Ok(meant) if meant.item == *name => field.clone(),
            _ if keys.find(name).is_some() => Field::Key(format!("log.{name}")),
            _ => field.clone(),
        },
        other => other.clone(),
    }
}

/// Resolves a typed name to the name of a key or a pseudo-key. A key that a definition declares but no record has is
/// found by its full name only.
///
/// # Errors
/// The name is ambiguous or unknown.
pub fn resolve_key_name(
    keys: &KeysView,
    typed: &str,
) -> Result<ResolvedName<String>, UnresolvedName> {
    if PSEUDO.contains(&typed) {
        return Ok(ResolvedName::exact(typed.to_owned()));
    }
    let exact = crate::resolve(keys, typed).and_then(|id| keys.get(id));
    let met = || keys.iter().filter(|k| k.key.is_present());
    let is_met = |key: &&KeyView| {
        key.key.is_present() || met().any(|member| member.key.is_in_space(&key.key.name))
    };
    if let Some(own) = exact.filter(is_met) {
        let mut meant: Vec<&str> = met()
            .filter(|other| takes_precedence(other, own, typed))
            .map(|k| &*k.key.name)
            .collect();
        let field = format!("log.{typed}");
        return match meant[..] {
            [] => Ok(ResolvedName::exact(typed.to_owned())),
            [one] => Ok(ResolvedName {
                item: one.to_owned(),
                note: Some(format!(
                    "{}; the log's own field is `{field}`",
                    expansion_note(typed, one)
                )),
            }),
            _ => {
                meant.push(&field);
                Err(UnresolvedName::ambiguous(meant.into_iter()))
            }
        };
    }
    let mut short = met().filter(|k| k.key.has_short_name(typed));
    match (short.next(), short.next()) {
        (Some(one), None) => {
            let name = Field::key(&one.key.name).name().to_owned();
            Ok(ResolvedName {
                note: Some(expansion_note(typed, &name)),
                item: name,
            })
        }
        _ if exact.is_some() => Ok(ResolvedName::exact(typed.to_owned())),
        (Some(_), Some(_)) => {
            let short = met().filter(|k| k.key.has_short_name(typed));
            Err(UnresolvedName::ambiguous(short.map(|k| &*k.key.name)))
        }
        (None, _) => {
            let known = met().map(|k| &*k.key.name).chain(PSEUDO);
            Err(UnresolvedName::Unknown(
                nearest(typed, known).map(str::to_owned),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_format::catalog::keys::{KeySpec, Keys};

    /// Keys of a run: those that records have, and those that definitions declare.
    fn keys(met: &[&str], known: &[&str]) -> KeysView {
        let keys = Keys::default();
        for name in known {
            keys.define(name, KeySpec::default(), &[]);
        }
        for name in met {
            keys.get(name).unwrap().mark_present();
        }
        for name in known {
            keys.get(name).unwrap();
        }
        keys.freeze()
    }

    #[test]
    fn a_space_precedes_the_keys_that_it_holds() {
        let keys = Keys::default();
        let member = KeySpec {
            space: Some("host".to_owned()),
            ..KeySpec::default()
        };
        keys.define("a.host", member, &[]);
        keys.define("host", KeySpec::default(), &[]);
        keys.get("host").unwrap();
        let own = keys.get("a.host").unwrap();
        let name = |keys: &Keys| resolve_key_name(&keys.freeze(), "host").unwrap().item;
        own.mark_present();
        assert_eq!(name(&keys), "host");
    }

    #[test]
    fn a_short_name_is_the_only_key_that_records_have_and_that_ends_so() {
        let keys = keys(&["a.task", "a.worker", "worker"], &["b.task", "c.block"]);
        let name = |typed| resolve_key_name(&keys, typed).map(|m| (m.item, m.note));
        let taken = Some("`task` is short for `a.task`".to_owned());
        assert_eq!(name("task"), Ok(("a.task".to_owned(), taken)));
        assert_eq!(name("a.task"), Ok(("a.task".to_owned(), None)));
        assert_eq!(name("c.block"), Ok(("c.block".to_owned(), None)));
        assert_eq!(name("level"), Ok(("level".to_owned(), None)));
        // No record has `b.task`, so it is neither proposed nor resolved to.
        assert_eq!(name("block"), Err(UnresolvedName::Unknown(None)));
        let near = Err(UnresolvedName::Unknown(Some("a.task".to_owned())));
        assert_eq!(name("b.tsak"), near);
    }

    #[test]
    fn keys_of_definitions_take_precedence_over_fields() {
        let known = ["a.worker", "worker", "pid", "a.pid"];
        let own = keys(&known, &[]);
        assert_eq!(
            resolve_key_name(&own, "worker").unwrap().note,
            None,
            "nobody defined `a.worker`"
        );
        let keys = keys(&known, &["a.worker", "a.pid"]);
        let meant = resolve_key_name(&keys, "worker").unwrap();
        assert_eq!(meant.item, "a.worker");
        let note = meant.note.unwrap();
        assert!(note.contains("`log.worker`"), "{note}");
        assert_eq!(resolve_key_name(&keys, "log.worker").unwrap().note, None);
        assert_eq!(
            resolve_key_name(&keys, "pid").unwrap().item,
            "pid",
            "who wrote it"
        );
        let typed = |name| as_typed(&Expr::equals(Field::named(name), "1"), &keys).to_string();
        assert_eq!(typed("worker"), "log.worker = 1");
        assert_eq!(typed("a.worker"), "a.worker = 1");
        assert_eq!(typed("source"), "source = 1");
    }

    #[test]
    fn several_keys_that_end_so_are_named() {
        let two = ["a.x", "b.x", "a.y", "b.y", "y"];
        let keys = keys(&two, &["a.y", "b.y"]);
        let several = |names: &[&str]| Err(UnresolvedName::ambiguous(names.iter().copied()));
        assert_eq!(resolve_key_name(&keys, "x"), several(&["a.x", "b.x"]));
        assert_eq!(
            resolve_key_name(&keys, "y"),
            several(&["a.y", "b.y", "log.y"])
        );
    }
}
