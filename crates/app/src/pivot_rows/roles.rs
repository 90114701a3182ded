//! Pivot rows for instances that a record names in other roles: "task 37 waits for task 24" is about task 37, but also
//! leads to task 24 and to all records that name it in any role.

use crate::model::Model;
use crate::popups::PivotRow;
use widetui_query::{Expr, Field};
use widetui_session::key_roles::Roles;

/// Maximum number of rows: a record may name hundreds of instances.
const MOST: usize = 8;

/// Pivot rows for the instances in other roles of a record with these instances and keys.
pub(crate) fn rows(model: &Model, instances: &[PivotRow], keys: &[PivotRow]) -> Vec<PivotRow> {
    let roles = &model.meaning.roles;
    let known = &model.snapshot.catalog.keys;
    let mut out: Vec<PivotRow> = Vec::new();
    let mut add = |label: String, value: &str, expr: Expr| {
        let row = PivotRow {
            letter: None,
            key: label.clone(),
            label,
            value: value.to_owned(),
            expr,
            instance: None,
            count: None,
            in_run: None,
            is_of_run: false,
        };
        let is_there = |r: &&PivotRow| r.expr == row.expr;
        if out.len() < MOST && !out.iter().chain(instances).any(|r| is_there(&r)) {
            out.push(row);
        }
    };
    for row in keys {
        let space = roles.space(&row.key).unwrap_or(&row.key);
        let mut all = vec![space];
        all.extend(roles.others(space).filter(|key| known.find(key).is_some()));
        if all.len() < 2 || known.find(space).is_none() {
            continue;
        }
        let word = label(model, space);
        // Keeps the other identifying keys of the instance, such as the run.
        let substitute_key = |keys: &[&str]| {
            let same = |instance: &PivotRow| {
                Roles::substitute_key(&instance.expr, space, &row.value, keys)
            };
            let alone = || {
                Expr::any_of(
                    keys.iter()
                        .map(|k| Expr::equals(Field::named(k), row.value.as_str())),
                )
            };
            instances.iter().find_map(same).unwrap_or_else(alone)
        };
        if space != row.key {
            add(word.clone(), &row.value, substitute_key(&[space]));
        }
        add(format!("mentions {word}"), &row.value, substitute_key(&all));
    }
    out
}

/// Label of a key (its name if the catalog does not know it).
fn label(model: &Model, key: &str) -> String {
    let keys = &model.snapshot.catalog.keys;
    let view = keys.find(key).and_then(|id| keys.get(id));
    view.map_or_else(|| key.to_owned(), |v| v.key.label.to_string())
}
