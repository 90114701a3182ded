//! Resolution of a typed key name among the keys of a run: one rule for expressions, options and the explorer.
//!
//! * A name that a record has as it stands is that key.
//! * But what definitions say is meant before what records have by themselves: where both the key `sys.worker` of a definition
//!   and a field `worker` are there, `worker` is `sys.worker`, that is told, and `log.worker` is the field.
//! * Else it is the only key that records have and that ends so, or is labelled so; which one is told.
//! * Where several end so, none is taken, and all are named.

use std::fmt;

use widetui_format::catalog::keys::{KeyView, KeysView, WRITER};

use crate::expr::{Comparison, Expr, Field, PSEUDO};
use widetui_core::nearest::nearest;

/// What is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant<T> {
    /// It.
    pub what: T,
    /// What was made of the name, where that is not plain; a clause for people.
    pub note: Option<String>,
}

impl<T> Meant<T> {
    /// What is called exactly so.
    pub fn plainly(what: T) -> Meant<T> {
        Meant { what, note: None }
    }
}

/// Why it is not known what a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// Any of these.
    Several(Vec<String>),
    /// Nothing; what was probably meant.
    Unknown(Option<String>),
}

impl Unclear {
    /// These, in the order of their names.
    pub fn several<'n>(names: impl Iterator<Item = &'n str>) -> Unclear {
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        Unclear::Several(names)
    }
}

/// That a name is short for another.
pub fn short_for(typed: &str, name: &str) -> String {
    format!("`{typed}` is taken as `{name}`")
}

/// Names in a sentence: `` `a` or `b` ``.
pub struct EitherOf<'n>(pub &'n [String]);

impl fmt::Display for EitherOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(|n| format!("`{n}`")).collect();
        f.write_str(&names.join(" or "))
    }
}

/// Whether a definition's key is meant by the name of a field that records have by themselves. Who wrote a record is what its
/// own fields say.
fn hides(key: &KeyView, field: &KeyView, typed: &str) -> bool {
    let ends = key.key.name.rsplit_once('.');
    ends.is_some_and(|(_, last)| last == typed)
        && key.key.is_defined()
        && *field.key.name == *typed
        && !field.key.is_defined()
        && !WRITER.contains(&typed)
}

/// An expression that asks for keys by their whole names, as it can be typed: fields that records have by themselves are
/// called `log.NAME` where the name alone would mean another key.
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

/// A field, as it can be typed: see [`as_typed`].
pub fn field_as_typed(field: &Field, keys: &KeysView) -> Field {
    match field {
        Field::Key(name) => match key_named(keys, name) {
            Ok(meant) if meant.what == *name => field.clone(),
            _ if keys.find(name).is_some() => Field::Key(format!("log.{name}")),
            _ => field.clone(),
        },
        other => other.clone(),
    }
}

/// The name of the key, or of the pseudo-key, that is meant. A key that a definition has but no record is meant by its whole
/// name only.
///
/// # Errors
/// Several keys end so, or none.
pub fn key_named(keys: &KeysView, typed: &str) -> Result<Meant<String>, Unclear> {
    if PSEUDO.contains(&typed) {
        return Ok(Meant::plainly(typed.to_owned()));
    }
    let exact = crate::resolve(keys, typed).and_then(|id| keys.get(id));
    let met = || keys.iter().filter(|k| k.key.is_met());
    if let Some(own) = exact.filter(|k| k.key.is_met()) {
        let mut meant: Vec<&str> = met()
            .filter(|other| hides(other, own, typed))
            .map(|k| &*k.key.name)
            .collect();
        let field = format!("log.{typed}");
        return match meant[..] {
            [] => Ok(Meant::plainly(typed.to_owned())),
            [one] => Ok(Meant {
                what: one.to_owned(),
                note: Some(format!(
                    "{}; the field that records call so themselves is `{field}`",
                    short_for(typed, one)
                )),
            }),
            _ => {
                meant.push(&field);
                Err(Unclear::several(meant.into_iter()))
            }
        };
    }
    let mut short = met().filter(|k| k.key.is_called(typed));
    match (short.next(), short.next()) {
        (Some(one), None) => {
            let name = Field::key(&one.key.name).name().to_owned();
            Ok(Meant {
                note: Some(short_for(typed, &name)),
                what: name,
            })
        }
        _ if exact.is_some() => Ok(Meant::plainly(typed.to_owned())),
        (Some(_), Some(_)) => {
            let short = met().filter(|k| k.key.is_called(typed));
            Err(Unclear::several(short.map(|k| &*k.key.name)))
        }
        (None, _) => {
            let known = met().map(|k| &*k.key.name).chain(PSEUDO);
            Err(Unclear::Unknown(nearest(typed, known).map(str::to_owned)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_format::catalog::keys::{KeySpec, Keys};

    /// Keys of a run: those that records have, and those that definitions know.
    fn keys(met: &[&str], known: &[&str]) -> KeysView {
        let keys = Keys::default();
        for name in known {
            keys.define(name, KeySpec::default(), &[]);
        }
        for name in met {
            keys.get(name).unwrap().meet();
        }
        for name in known {
            keys.get(name).unwrap();
        }
        keys.freeze()
    }

    #[test]
    fn a_short_name_is_the_only_key_that_records_have_and_that_ends_so() {
        let keys = keys(&["a.task", "a.worker", "worker"], &["b.task", "c.block"]);
        let name = |typed| key_named(&keys, typed).map(|m| (m.what, m.note));
        let taken = Some("`task` is taken as `a.task`".to_owned());
        assert_eq!(name("task"), Ok(("a.task".to_owned(), taken)));
        assert_eq!(name("a.task"), Ok(("a.task".to_owned(), None)));
        assert_eq!(name("c.block"), Ok(("c.block".to_owned(), None)));
        assert_eq!(name("level"), Ok(("level".to_owned(), None)));
        // Nobody has `b.task`, so it is not proposed; nor is a key meant that nobody has.
        assert_eq!(name("block"), Err(Unclear::Unknown(None)));
        let near = Err(Unclear::Unknown(Some("a.task".to_owned())));
        assert_eq!(name("b.tsak"), near);
    }

    #[test]
    fn what_a_definition_says_is_meant_before_a_field_of_the_records() {
        let known = ["a.worker", "worker", "pid", "a.pid"];
        let own = keys(&known, &[]);
        assert_eq!(
            key_named(&own, "worker").unwrap().note,
            None,
            "nobody defined `a.worker`"
        );
        let keys = keys(&known, &["a.worker", "a.pid"]);
        let meant = key_named(&keys, "worker").unwrap();
        assert_eq!(meant.what, "a.worker");
        let note = meant.note.unwrap();
        assert!(note.contains("`log.worker`"), "{note}");
        assert_eq!(key_named(&keys, "log.worker").unwrap().note, None);
        assert_eq!(key_named(&keys, "pid").unwrap().what, "pid", "who wrote it");
        let typed = |name| as_typed(&Expr::equals(Field::named(name), "1"), &keys).to_string();
        assert_eq!(typed("worker"), "log.worker = 1");
        assert_eq!(typed("a.worker"), "a.worker = 1");
        assert_eq!(typed("source"), "source = 1");
    }

    #[test]
    fn several_keys_that_end_so_are_named() {
        let two = ["a.x", "b.x", "a.y", "b.y", "y"];
        let keys = keys(&two, &["a.y", "b.y"]);
        let several = |names: &[&str]| Err(Unclear::several(names.iter().copied()));
        assert_eq!(key_named(&keys, "x"), several(&["a.x", "b.x"]));
        assert_eq!(key_named(&keys, "y"), several(&["a.y", "b.y", "log.y"]));
    }
}
