//! What is mined from messages of a scope: variables and words of a template that become keys.

use std::sync::Arc;

use super::catalog::{Catalog, Site, Slot};
use super::keys::Key;
use super::mine;
use super::pattern::{FieldKind, list_values};
use super::scope::Consts;
use super::token;

/// Which variables of a template are keys, and the keys that are the same in all its records. What a record names itself
/// counts before its message.
pub(super) fn plan(
    tables: &Catalog,
    site: &Site,
    literals: &[Box<[u8]>],
    open: bool,
) -> (Vec<Slot>, Consts) {
    let names = mine::names(literals, open);
    let said = mine::constants(literals, &names).into_iter();
    let consts = said.filter_map(|(name, value)| {
        let key = tables.keys.get(&name)?;
        (!site.fields.contains(&key.id)).then(|| (key.id, key.code(&value)))
    });
    let consts = consts.collect();
    let slots = names.into_iter().filter_map(|(name, variable)| {
        let key = tables.keys.get(&name)?.id;
        (!site.fields.contains(&key)).then_some(Slot {
            key,
            variable: variable as u16,
            kind: FieldKind::Mined,
        })
    });
    (slots.collect(), consts)
}

/// The keys that one message names: what the plan of its template must agree with.
pub(super) fn read(msg: &[u8], tables: &Catalog, out: &mut Vec<(Arc<Key>, Vec<String>)>) {
    let spelling = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut variables = Vec::new();
    let open = token::tokenize(msg, &mut variables);
    let literals = token::literals(msg, &variables);
    let names = mine::names(&literals, open);
    for (name, value) in mine::constants(&literals, &names) {
        out.extend(tables.keys.get(&name).map(|key| (key, vec![value])));
    }
    for (name, variable) in names {
        let (start, end) = variables[variable];
        let text = &msg[start as usize..end as usize];
        let Some(key) = tables.keys.get(&name) else {
            continue;
        };
        let values = match mine::kind_of(text) {
            FieldKind::List => {
                let values = list_values(&FieldKind::List, text);
                values.iter().map(|v| spelling(v)).collect()
            }
            _ => vec![spelling(text)],
        };
        out.push((key, values));
    }
}
