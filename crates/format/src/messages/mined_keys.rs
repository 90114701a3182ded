//! Keys mined from the messages of a scope: variables and words of a template.

use std::sync::Arc;

use crate::catalog::keys::Key;
use crate::catalog::{Catalog, Consts, Site, Slot};
use crate::messages::mine;
use crate::pattern::{FieldKind, list_values};
use crate::text::token::{self, Part};
use widetui_core::quantity::unit_len;

/// Slots of the variables of a template that are keys, and its constant keys. Fields of the record take precedence over
/// its message.
pub(crate) fn plan(
    tables: &Catalog,
    site: &Site,
    literals: &[Box<[u8]>],
    open: bool,
) -> (Vec<Slot>, Consts) {
    let names = mine::names(literals, open);
    let mined_values = mine::constants(literals, &names).into_iter();
    let consts = mined_values.filter_map(|(name, value)| {
        let key = tables.keys.get(&name)?;
        (!site.fields.contains(&key.id)).then(|| (key.id, key.code(&value)))
    });
    let consts = consts.collect();
    let slots = names.into_iter().filter_map(|(name, variable)| {
        let key = tables.keys.get(&name)?.id;
        (!site.fields.contains(&key)).then_some(Slot {
            key,
            variable: u16::try_from(variable).ok()?,
            kind: FieldKind::Mined,
            unit_len: unit_after(literals, variable),
        })
    });
    (slots.collect(), consts)
}

/// Length of the unit after a variable; 0 without one.
fn unit_after(literals: &[Box<[u8]>], variable: usize) -> u8 {
    let len = literals.get(variable + 1).map(|literal| unit_len(literal));
    len.and_then(|len| u8::try_from(len).ok()).unwrap_or(0)
}

/// End of the value of a variable: a number includes the unit of `unit_len` bytes after it.
#[inline]
pub(crate) fn value_end(msg: &[u8], (start, end): Part, unit_len: u8) -> usize {
    let (start, end) = (start as usize, end as usize);
    let is_number = || {
        let mut bytes = msg.get(start..end).unwrap_or_default().iter();
        bytes.all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+'))
    };
    match unit_len > 0 && is_number() {
        true => end + usize::from(unit_len),
        false => end,
    }
}

/// Value of a mined key.
pub(crate) enum MinedValue {
    /// Variable at this range of the message, with its unit.
    Variable(Part),
    /// Word of the literal text.
    Word(String),
}

/// Keys of a single message, mined independently of its template; the plan of the template must agree with them.
pub(crate) fn mined_values(msg: &[u8], tables: &Catalog) -> Vec<(Arc<Key>, MinedValue)> {
    let mut variables = Vec::new();
    let open = token::tokenize(msg, &mut variables);
    let literals = token::literals(msg, &variables);
    let names = mine::names(&literals, open);
    let words = mine::constants(&literals, &names).into_iter();
    let words = words.map(|(name, value)| (name, MinedValue::Word(value)));
    let places = names.iter().filter_map(|(name, at)| {
        let variable = *variables.get(*at)?;
        let end = value_end(msg, variable, unit_after(&literals, *at));
        let range = token::part(variable.0 as usize, end);
        Some((name.clone(), MinedValue::Variable(range)))
    });
    let all = words.chain(places);
    all.filter_map(|(name, mined_values)| Some((tables.keys.get(&name)?, mined_values)))
        .collect()
}

/// Appends the keys and spellings of a single message.
pub(crate) fn read(msg: &[u8], tables: &Catalog, out: &mut Vec<(Arc<Key>, Vec<String>)>) {
    let spelling = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for (key, mined_values) in mined_values(msg, tables) {
        let values = match mined_values {
            MinedValue::Word(word) => vec![word],
            MinedValue::Variable((start, end)) => {
                let text = msg.get(start as usize..end as usize);
                let text = text.unwrap_or_default();
                match mine::kind_of(text) {
                    FieldKind::List => {
                        let values = list_values(&FieldKind::List, text);
                        values.iter().map(|v| spelling(v)).collect()
                    }
                    _ => vec![spelling(text)],
                }
            }
        };
        out.push((key, values));
    }
}
