//! Checks that the samples of a definition produce the values that they state.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::catalog::keys::Key;
use crate::definitions::kinds::Compiled;
use crate::definitions::systems::full_name;
use crate::definitions::systems::{System, Systems};
use widetui_definition::error::DefError;
use widetui_definition::syntax::{SampleDef, spelling};
use widetui_time::timeparse::TimePattern;

use super::read::{LineToCheck, SampleRead};

/// Samples that do not produce the values that they state, and layouts and dialects without a sample.
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

/// Names of the layouts or of the dialect that read a sample, and its deviations from the stated values.
fn read_sample(
    compiled: &Compiled,
    system: &System,
    sample: &SampleDef,
    tables: &Arc<Catalog>,
) -> (Vec<String>, Vec<String>) {
    let mut errors = Vec::new();
    let line = sample.line.get_ref();
    let kind = sample.kind.as_ref().map(|k| k.get_ref().as_str());
    let reference = match sample.gives.get("time") {
        Some(toml::Value::String(text)) => iso(text).unwrap_or_default(),
        _ => 0,
    };
    let check = LineToCheck {
        system: system.name(),
        path: sample.path.as_ref().map_or("", |p| p.get_ref().as_str()),
        kind,
        line,
        reference,
    };
    let read = match check.read(compiled, tables) {
        Ok(read) => read,
        Err(text) => return (Vec::new(), vec![text]),
    };
    if let Some(kind) = kind {
        let chosen = read.kind.as_deref().unwrap_or("none");
        if chosen != kind {
            errors.push(format!("is read as source '{chosen}', not '{kind}'"));
        }
    }
    let names: Vec<String> = read.layout.iter().cloned().collect();
    if let Some(layout) = &sample.layout {
        let wanted = full_name(system.name(), layout.get_ref());
        if names.first() != Some(&wanted) && names.first() != Some(layout.get_ref()) {
            let got = names.first().map_or("no layout", String::as_str);
            errors.push(format!("is read with {got}, not with '{wanted}'"));
        }
    }
    errors.extend(unmet(sample, &read, tables));
    (names, errors)
}

/// Values that a sample states and its record does not have.
fn unmet(sample: &SampleDef, read: &SampleRead, tables: &Catalog) -> Vec<String> {
    let mut errors = Vec::new();
    for (name, wanted) in &sample.gives {
        let wanted: Vec<String> = match wanted {
            toml::Value::Array(list) => list.iter().map(spelling).collect(),
            one => vec![spelling(one)],
        };
        let got = read.values(name, tables);
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
        errors.push("a sample must list the expected values of its line in `gives`".to_owned());
    }
    errors
}

fn iso(text: &str) -> Option<i64> {
    let (stamp, used) = TimePattern::compile("iso")
        .ok()?
        .parse_prefix(text.as_bytes())?;
    (used == text.len()).then_some(stamp.ns)
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
