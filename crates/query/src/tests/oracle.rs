//! Reference semantics of queries: direct evaluation on one parsed record.

use std::cmp::Ordering;

use crate::Comparison;
use crate::Expr;
use crate::Field;
use crate::Op;
use crate::template_hash;
use widetui_core::level::Level;
use widetui_definition::key_type::KeyType;
use widetui_format::fields::Fields;
use widetui_source::text::read_range;
use widetui_store::{EventRef, Source};
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

pub(crate) struct Record<'a> {
    pub(crate) source: &'a Source,
    pub(crate) fields: Fields,
    pub message: String,
    pub(crate) template: (String, u64),
    pub(crate) path: Vec<(String, KeyType, String)>,
}

impl<'a> Record<'a> {
    pub(crate) fn read(event: &EventRef<'a>) -> Record<'a> {
        let source = event.source();
        let (start, len) = event.span();
        let bytes = read_range(&*source.text, start, len).unwrap();
        let reader = source.reader.as_ref().unwrap();
        let template = event.template().unwrap();
        let keys = &event.snapshot.catalog.keys;
        let spelled = source.consts.iter().map(|(key, code)| {
            let key = keys.get(*key).unwrap();
            let text = key.spelling(*code).unwrap();
            (key.key.name.to_string(), key.key.kind, text)
        });
        Record {
            source,
            fields: reader.fields(&bytes, &event.snapshot.tables),
            message: reader.message(&bytes),
            template: (template.text.to_string(), template.hash),
            path: spelled.collect(),
        }
    }

    fn values(&self, name: &str) -> (KeyType, Vec<String>) {
        let name = if name == "task_id" { "sys.task" } else { name };
        let own = || {
            self.fields
                .pairs
                .iter()
                .filter(|(k, _)| *k.key_name() == *name)
        };
        let values: Vec<String> = own().flat_map(|(_, v)| v.clone()).collect();
        if !values.is_empty() {
            return (own().next().unwrap().0.kind, values);
        }
        let path = self.path.iter().filter(|p| p.0 == name);
        let values: Vec<String> = path.clone().map(|p| p.2.clone()).collect();
        (path.clone().next().map_or(KeyType::Auto, |p| p.1), values)
    }

    pub(crate) fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::All => true,
            Expr::And(parts) => parts.iter().all(|p| self.holds(p)),
            Expr::Or(parts) => parts.iter().any(|p| self.holds(p)),
            Expr::Not(inner) => !self.holds(inner),
            Expr::Text(needle) => contains(&self.message, needle),
            Expr::Has(field) => match field {
                Field::Time => self.fields.time.is_some(),
                Field::Level => self.fields.level != Level::Unknown,
                Field::Key(name) => !self.values(name).1.is_empty(),
                _ => true,
            },
            Expr::Compare(c) => self.compares(c),
        }
    }

    fn compares(&self, c: &Comparison) -> bool {
        if let Some(op) = c.op.negates() {
            let positive = Comparison { op, ..c.clone() };
            return self.holds(&Expr::Has(c.field.clone())) && !self.compares(&positive);
        }
        c.values.iter().any(|wanted| match &c.field {
            Field::Time => self.fields.time.is_some_and(|t| {
                let wanted = parse_literal(wanted, 0, &Zone::Utc).unwrap();
                ordered(c.op, t.ns.cmp(&wanted))
            }),
            Field::Level if self.fields.level == Level::Unknown => false,
            Field::Level if c.op == Op::Match => found(self.fields.level.name(), wanted),
            Field::Level => {
                let wanted = Level::parse(wanted.as_bytes()).unwrap();
                ordered(c.op, self.fields.level.cmp(&wanted))
            }
            Field::Source => [&self.source.tag, &self.source.path]
                .into_iter()
                .any(|t| text(c.op, t, wanted)),
            Field::Message => text(c.op, &self.message, wanted),
            Field::Template => {
                text(c.op, &self.template.0, wanted)
                    || (c.op != Op::Match && template_hash(self.template.1) == *wanted)
            }
            Field::Key(name) => {
                let (kind, values) = self.values(name);
                values.iter().any(|v| value(kind, c.op, v, wanted))
            }
        })
    }
}

trait Named {
    fn key_name(&self) -> &str;
}

impl Named for widetui_format::catalog::keys::Key {
    fn key_name(&self) -> &str {
        &self.name
    }
}

fn ordered(op: Op, order: Ordering) -> bool {
    match op {
        Op::Lt => order == Ordering::Less,
        Op::Le => order != Ordering::Greater,
        Op::Gt => order == Ordering::Greater,
        Op::Ge => order != Ordering::Less,
        _ => order == Ordering::Equal,
    }
}

fn contains(text: &str, needle: &str) -> bool {
    if needle.chars().any(char::is_uppercase) {
        text.contains(needle)
    } else {
        text.to_lowercase().contains(needle)
    }
}

fn found(text: &str, pattern: &str) -> bool {
    let ignore = if pattern.chars().any(char::is_uppercase) {
        ""
    } else {
        "(?i)"
    };
    let pattern = pattern.replace("{}", "\\{\\}");
    regex::Regex::new(&format!("{ignore}{pattern}"))
        .unwrap()
        .is_match(text)
}

fn text(op: Op, text: &str, wanted: &str) -> bool {
    if op == Op::Match {
        found(text, wanted)
    } else {
        text == wanted
    }
}

fn value(kind: KeyType, op: Op, value: &str, wanted: &str) -> bool {
    let plain = |t: &str| match kind {
        KeyType::Bytes => t.trim_start_matches('b').trim_matches('\'').to_owned(),
        _ => t.to_owned(),
    };
    let (a, b) = (plain(value), plain(wanted));
    let number = |t: &str| match kind {
        KeyType::Bytes | KeyType::Text => None,
        _ => t.parse::<f64>().ok(),
    };
    match (op, number(&a), number(&b)) {
        (Op::Match, ..) => found(value, wanted),
        (op, Some(a), Some(b)) => ordered(op, a.partial_cmp(&b).unwrap()),
        (Op::Lt | Op::Le | Op::Gt | Op::Ge, None, Some(_)) => false,
        (op, ..) => ordered(op, a.cmp(&b)),
    }
}
