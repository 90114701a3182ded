//! Checks that the samples of a definition give what they promise.

use std::sync::Arc;

use crate::base::dict::Code;
use crate::base::ids::KeyId;
use crate::base::time::format_datetime;
use crate::base::timeparse::TimePattern;
use crate::format::catalog::Catalog;
use crate::format::choose::Look;
use crate::format::def::{SampleDef, spelling};
use crate::format::deferror::DefError;
use crate::format::detect::Sample;
use crate::format::json::JsonReader;
use crate::format::keys::Key;
use crate::format::kinds::{Compiled, full_name};
use crate::format::pattern::Spans;
use crate::format::reader::{Fields, Reader, Syntax, first_line};
use crate::format::scope::Scope;
use crate::format::systems::{System, Systems};
use crate::format::token;

/// Samples that do not give what they promise; layouts and dialects without a sample.
pub(super) fn samples(systems: &Systems, name: &str) -> Vec<DefError> {
    let Some(system) = systems.get(name) else {
        return Vec::new();
    };
    let tables = Arc::new(Catalog::default());
    let compiled = systems.compile(&tables);
    let origin = system.origin();
    let mut errors = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for sample in &system.def.sample {
        let (looks, found) = read_sample(&compiled, system, sample, &tables);
        seen.extend(looks);
        for text in found {
            errors.push(origin.error(sample.line.span().start, text));
        }
    }
    let layouts = system.def.layout.iter().map(|l| ("layout", &l.name));
    let dialects = system.def.json.iter().map(|j| ("JSON dialect", &j.name));
    for (what, wanted) in layouts.chain(dialects) {
        if !seen.contains(&full_name(name, wanted.get_ref())) {
            let text = format!(
                "no sample is read with the {what} '{}': add a [[sample]] with a line of it",
                wanted.get_ref()
            );
            errors.push(origin.error(wanted.span().start, text));
        }
    }
    errors.sort_by_key(|e| (e.line, e.column));
    errors
}

/// Names of the layouts or of the dialect that read a sample, and what is not as promised.
fn read_sample(
    compiled: &Compiled,
    system: &System,
    sample: &SampleDef,
    tables: &Arc<Catalog>,
) -> (Vec<String>, Vec<String>) {
    let mut errors = Vec::new();
    let line = sample.line.get_ref();
    let guests = compiled.guests();
    let lines = Sample::new(line.as_bytes(), true).without(&guests);
    let path = sample.path.as_ref().map_or("", |p| p.get_ref().as_str());
    let kind = sample.kind.as_ref().map(|k| k.get_ref().as_str());
    let choice = match kind {
        Some(kind) if path.is_empty() => match compiled.choose_kind(system.name(), kind, &lines) {
            Some(choice) => choice,
            None => {
                let text = format!(
                    "the line does not look like a record of the source '{kind}', or there is none"
                );
                return (Vec::new(), vec![text]);
            }
        },
        _ => compiled.choose(path, &lines),
    };
    if let Some(kind) = kind {
        let chosen = choice.kind.as_ref().map_or("none", |k| &k.kind);
        if chosen != kind {
            errors.push(format!("is read as source '{chosen}', not '{kind}'"));
        }
    }
    let (first, _) = first_line(line.as_bytes());
    let mut spans = Spans::new();
    let guest = guests.of(first, &mut spans).map(|(guest, _)| guest);
    let (mut names, syntax) = match &choice.look {
        Look::Lines(layouts) => (
            layouts
                .iter()
                .find(|l| l.is_header(first_line(line.as_bytes()).0, &mut Spans::new()))
                .map(|l| l.name.clone())
                .into_iter()
                .collect::<Vec<_>>(),
            Syntax::Lines(layouts.clone()),
        ),
        Look::Json(spec) => (
            vec![spec.name.clone()],
            Syntax::Json(Arc::new(JsonReader {
                spec: (**spec).clone(),
                id: 0,
            })),
        ),
    };
    let scope = match guest {
        Some(guest) => {
            names = vec![guest.layout.name.clone()];
            &guest.scope
        }
        None => &choice.scope,
    };
    if let Some(layout) = &sample.layout {
        let wanted = full_name(system.name(), layout.get_ref());
        if names.first() != Some(&wanted) && names.first() != Some(layout.get_ref()) {
            let got = names.first().map_or("no layout", String::as_str);
            errors.push(format!("is read with {got}, not with '{wanted}'"));
        }
    }
    let reference = match sample.gives.get("time") {
        Some(toml::Value::String(text)) => iso(text).unwrap_or_default(),
        _ => 0,
    };
    let reader = Reader {
        id: 0,
        syntax,
        scope: choice.scope.clone(),
        guests: guests.clone(),
        local: true,
        reference,
    };
    let fields = reader.fields(line.as_bytes(), tables);
    errors.extend(unkept(sample, &fields, &choice.consts, scope, tables));
    (names, errors)
}

/// What a sample promises and its record does not give.
fn unkept(
    sample: &SampleDef,
    fields: &Fields,
    consts: &[(KeyId, Code)],
    scope: &Scope,
    tables: &Catalog,
) -> Vec<String> {
    let mut errors = Vec::new();
    for (name, wanted) in &sample.gives {
        let wanted: Vec<String> = match wanted {
            toml::Value::Array(list) => list.iter().map(spelling).collect(),
            one => vec![spelling(one)],
        };
        let got = given(name, fields, consts, scope, tables);
        let key = tables.keys.find(name);
        if !same(key.as_deref(), name, &wanted, &got) {
            let got = if got.is_empty() {
                "nothing".to_owned()
            } else {
                format!("'{}'", got.join("', '"))
            };
            errors.push(format!(
                "gives {got} for {name}, not '{}'",
                wanted.join("', '")
            ));
        }
    }
    if sample.gives.is_empty() {
        errors.push("a sample must say in `gives` which fields the line gives".to_owned());
    }
    errors
}

fn iso(text: &str) -> Option<i64> {
    let (stamp, used) = TimePattern::compile("iso")
        .ok()?
        .parse_prefix(text.as_bytes())?;
    (used == text.len()).then_some(stamp.ns)
}

/// What a record gives for a name.
fn given(
    name: &str,
    fields: &Fields,
    consts: &[(KeyId, Code)],
    scope: &Scope,
    tables: &Catalog,
) -> Vec<String> {
    match name {
        "time" => fields
            .time
            .map(|t| format_datetime(t.ns, 0, 9))
            .into_iter()
            .collect(),
        "level" => vec![fields.level.name().to_owned()],
        "message" => vec![fields.message.clone()],
        "template" => vec![template(fields.message.as_bytes(), scope)],
        _ => {
            let Some(key) = tables.keys.find(name) else {
                return Vec::new();
            };
            let read: Vec<String> = fields
                .pairs
                .iter()
                .filter(|(k, _)| k.id == key.id)
                .flat_map(|(_, values)| values.clone())
                .collect();
            if !read.is_empty() {
                return read;
            }
            let view = tables.keys.freeze();
            consts
                .iter()
                .filter(|c| c.0 == key.id)
                .filter_map(|c| view.get(key.id)?.spelling(c.1))
                .collect()
        }
    }
}

/// The template of a message.
fn template(message: &[u8], scope: &Scope) -> String {
    let (line, _) = first_line(message);
    let mut spans = Spans::new();
    if let Some(index) = scope.find(line, &mut spans) {
        return scope.messages[index].pattern.template(line, &spans);
    }
    let mut variables = Vec::new();
    token::tokenize(line, &mut variables);
    token::template(&token::literals(line, &variables))
}

fn same(key: Option<&Key>, name: &str, wanted: &[String], got: &[String]) -> bool {
    if name == "time" {
        let instant = |list: &[String]| list.first().and_then(|t| iso(t));
        return instant(wanted) == instant(got);
    }
    let canonical = |text: &String| {
        key.and_then(|k| k.kind.canonical(text))
            .unwrap_or_else(|| text.clone())
    };
    wanted.len() == got.len()
        && wanted
            .iter()
            .zip(got)
            .all(|(a, b)| canonical(a) == canonical(b))
}
