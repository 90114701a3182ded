//! Keys whose values are ids of another key, in a role: `parsl.dependency_task` names a task as the dependency of
//! another.

use widetui_format::definitions::systems::Systems;
use widetui_query::{Comparison, Expr, Field, Op};

/// Mapping from role keys to the keys whose ids they hold (`space` in definitions).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// (key, key whose ids it holds).
    list: Vec<(String, String)>,
}

impl Roles {
    /// Reads the roles in definitions.
    pub fn from_systems(systems: &Systems) -> Roles {
        let keys = systems.iter().flat_map(|system| &system.def.keys);
        let keys = keys.filter(|(_, key)| !key.is_member());
        let list = keys.filter_map(|(name, key)| Some((name.clone(), key.space.clone()?)));
        Roles {
            list: list.collect(),
        }
    }

    /// Returns the key whose ids a key holds; `None` if it holds its own.
    pub fn space(&self, key: &str) -> Option<&str> {
        let found = self.list.iter().find(|(name, _)| name == key);
        found.map(|(_, space)| space.as_str())
    }

    /// Returns the keys that hold ids of `space` in some role, without that key itself.
    pub fn others<'a>(&'a self, space: &'a str) -> impl Iterator<Item = &'a str> {
        let others = self.list.iter().filter(move |(_, of)| of == space);
        others.map(|(name, _)| name.as_str())
    }

    /// Rewrites an expression that compares the key `space` so that it compares any of `keys` with `value` instead.
    /// `None` if the expression has no such comparison.
    pub fn substitute_key(expr: &Expr, space: &str, value: &str, keys: &[&str]) -> Option<Expr> {
        match expr {
            Expr::Compare(Comparison { field, op, .. })
                if *op == Op::Eq && *field == Field::named(space) =>
            {
                let named = keys
                    .iter()
                    .map(|key| Expr::equals(Field::named(key), value));
                Some(Expr::any_of(named))
            }
            Expr::And(parts) => {
                let asked = parts
                    .iter()
                    .map(|part| Roles::substitute_key(part, space, value, keys));
                let asked: Vec<Option<Expr>> = asked.collect();
                asked.iter().any(Option::is_some).then(|| {
                    let parts = parts.iter().zip(asked);
                    Expr::all_of(parts.map(|(part, asked)| asked.unwrap_or_else(|| part.clone())))
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_query::{TimeContext, parse};

    #[test]
    fn things_are_asked_for_in_other_roles() {
        let roles = Roles::from_systems(&Systems::builtin());
        assert_eq!(roles.space("parsl.dependency_task"), Some("parsl.task"));
        assert_eq!(roles.space("parsl.task"), None);
        let others: Vec<&str> = roles.others("parsl.task").collect();
        assert!(others.contains(&"parsl.dependency_task"), "{others:?}");
        let expr = |text: &str| parse(text, None, &TimeContext::default()).unwrap();
        let keys = ["t.task", "t.other"];
        let asked = |text: &str| Roles::substitute_key(&expr(text), "t.task", "24", &keys);
        assert_eq!(
            asked("t.run = 0 and t.task = 37"),
            Some(expr("t.run = 0 and (t.task = 24 or t.other = 24)"))
        );
        assert_eq!(asked("t.run = 0 and t.task != 37"), None);
    }
}
