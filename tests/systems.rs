//! The definitions that the program carries: they can be read, their samples give what they promise, and no system
//! takes what is another's.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use std::sync::Arc;

use widetui::base::embedded::SYSTEMS;
use widetui::format::catalog::Catalog;
use widetui::format::check;
use widetui::format::choose::Look;
use widetui::format::detect::Sample;
use widetui::format::systems::Systems;

#[test]
fn every_definition_is_sound_and_every_sample_gives_its_fields() {
    let mut errors = Vec::new();
    for (name, text) in SYSTEMS {
        errors.extend(check::check(&format!("systems/{name}.toml"), text));
    }
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
    assert_eq!(Systems::builtin().iter().count(), SYSTEMS.len());
}

#[test]
fn no_system_claims_a_sample_of_another() {
    let systems = Systems::builtin();
    let compiled = systems.compile(&Arc::new(Catalog::default()));
    for system in systems.iter() {
        for sample in &system.def.sample {
            let lines = Sample::new(sample.line.get_ref().as_bytes(), true);
            let path = sample.path.as_ref().map_or("", |p| p.get_ref().as_str());
            let choice = compiled.choose(path, &lines);
            let claimed = choice.kind.as_ref().map_or("", |k| &k.system);
            assert!(
                claimed.is_empty() || claimed == system.name(),
                "{claimed} claims a sample of {}: {}",
                system.name(),
                sample.line.get_ref()
            );
        }
    }
}

/// The layout that a sample names is the one that is found without any path, among those of all systems.
#[test]
fn samples_are_told_apart_by_content() {
    let systems = Systems::builtin();
    let compiled = systems.compile(&Arc::new(Catalog::default()));
    let generic: Vec<&str> = compiled
        .generic_layouts()
        .iter()
        .map(|l| l.name.as_str())
        .collect();
    for system in systems.iter() {
        for sample in &system.def.sample {
            let Some(layout) = &sample.layout else {
                continue;
            };
            let wanted = widetui::format::kinds::full_name(system.name(), layout.get_ref());
            let lines = Sample::new(sample.line.get_ref().as_bytes(), true);
            if !generic.contains(&wanted.as_str()) {
                continue;
            }
            if let Look::Lines(layouts) = compiled.choose("", &lines).look {
                let got = layouts.first().map_or("none", |l| &l.name);
                assert_eq!(got, wanted, "{}", sample.line.get_ref());
            }
        }
    }
}

#[test]
fn the_order_does_not_depend_on_the_run() {
    let names = || -> Vec<String> {
        let compiled = Systems::builtin().compile(&Arc::new(Catalog::default()));
        compiled
            .generic_layouts()
            .iter()
            .map(|l| l.name.clone())
            .collect()
    };
    let first = names();
    assert!(first.len() > 10);
    for _ in 0..3 {
        assert_eq!(names(), first);
    }
}

/// Keys with the prefix of their system are declared: a misspelt one would be a key of its own.
#[test]
fn dotted_keys_are_declared() {
    let systems = Systems::builtin();
    for system in systems.iter() {
        let def = &system.def;
        let prefix = format!("{}.", system.name());
        let known = |name: &str| {
            !name.starts_with(&prefix)
                || def.keys.contains_key(name)
                || def
                    .keys
                    .values()
                    .any(|k| k.aliases.iter().any(|a| a == name))
        };
        let texts = def
            .messages
            .iter()
            .flat_map(|m| &m.patterns)
            .map(|p| p.get_ref().pattern().to_owned())
            .chain(
                def.source
                    .iter()
                    .flat_map(|s| &s.glob)
                    .map(|g| g.get_ref().replace('*', "{}")),
            )
            .chain(def.layout.iter().map(|l| l.pattern.get_ref().clone()));
        for text in texts {
            for field in widetui::format::pattern::Pattern::compile(&text)
                .unwrap()
                .fields
            {
                assert!(known(&field.name), "{} in {text}", field.name);
            }
        }
        for target in def.json.iter().flat_map(|j| j.rename.values()) {
            assert!(known(target), "{target}");
        }
    }
}

/// Each file in `bad_systems` starts with `# error: ` lines: exactly what `check` says, in order.
#[test]
fn mistakes_are_reported_at_their_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bad_systems");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let wanted: Vec<&str> = text
            .lines()
            .filter_map(|l| l.strip_prefix("# error: "))
            .collect();
        assert!(!wanted.is_empty(), "{name} promises no error");
        let got: Vec<String> = check::check(&name, &text)
            .iter()
            .map(|e| e.to_string().replacen(&format!("{name}:"), "", 1))
            .collect();
        assert_eq!(got, wanted, "{name}");
        seen += 1;
    }
    assert!(seen >= 8);
}
