//! Hints of a system explain no records of other systems.

use std::path::Path;

use widetui_format::definitions::systems::Systems;
use widetui_testing::diagnosed::{Run, diagnosed};
use widetui_testing::runs::unpacked;

/// System and beginning of the title of each hint that belongs to a single system.
fn titles() -> Vec<(String, String)> {
    let systems = Systems::builtin();
    let own = systems.iter().filter(|system| !system.def.anywhere);
    let titles = own.flat_map(|system| {
        let hints = system.def.hint.iter();
        hints.map(|hint| {
            let head = hint.title.split('{').next().unwrap_or_default();
            (system.name().to_owned(), head.to_owned())
        })
    });
    titles.collect()
}

/// Findings of hints about a record of another system.
fn foreign(path: &Path) -> Vec<String> {
    let titles = titles();
    let (snapshot, _, _, diagnosis) = diagnosed(path);
    let mut out = Vec::new();
    for finding in diagnosis.findings {
        let known = titles
            .iter()
            .filter(|(_, head)| finding.title.starts_with(head));
        let owners: Vec<&str> = known.map(|(system, _)| system.as_str()).collect();
        if finding.kind != "explained" || owners.is_empty() {
            continue;
        }
        let Some(first) = finding.evidence.first() else {
            continue;
        };
        let event = snapshot.event(*first).unwrap();
        let names_owner = |(key, ..): &(_, _, _)| {
            let name = snapshot.catalog.keys.name(*key);
            owners
                .iter()
                .any(|owner| name.starts_with(&format!("{owner}.")))
        };
        let system = event.source().system.clone().unwrap_or_default();
        if !owners.contains(&system.as_str()) && !event.stored().iter().any(names_owner) {
            out.push(format!("{owners:?} in {system}: {}", finding.title));
        }
    }
    out
}

/// The samples of all definitions, side by side.
#[test]
fn no_hint_explains_a_sample_of_another_system() {
    let dir = tempfile::tempdir().unwrap();
    for system in Systems::builtin().iter() {
        for (number, sample) in system.def.sample.iter().enumerate() {
            let path = sample.path.as_ref();
            let path = path.map_or("a.log", |path| path.get_ref().as_str());
            let path = dir
                .path()
                .join(format!("{}-{number}", system.name()))
                .join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{}\n", sample.line.get_ref())).unwrap();
        }
    }
    assert_eq!(foreign(dir.path()), [""; 0]);
}

#[test]
fn no_hint_explains_a_record_of_another_system_in_real_runs() {
    for archive in ["strangers.tar.gz", "stacks.tar.gz", "endpoints.tar.gz"] {
        let dir = unpacked(archive);
        assert_eq!(foreign(dir.path()), [""; 0], "{archive}");
    }
}

/// Programs without a definition may use the words of others.
#[test]
fn the_words_of_a_system_mean_nothing_in_a_log_of_another_program() {
    let run = Run::of(&[(
        "relay.log",
        "2026-11-20 08:00:00.000 INFO relay: 4 peers\n\
         2026-11-20 08:00:01.000 ERROR relay: Something broke while forwarding frame 7\n\
         2026-11-20 08:00:02.000 ERROR relay: loss of manager seat 3\n\
         2026-11-20 08:00:03.000 ERROR relay: Command timed-out - command client is now bad forever\n\
         2026-11-20 08:00:04.000 WARNING relay: Cluster state changed: fail\n",
    )]);
    let hints = run.findings(|finding| finding.kind == "explained");
    assert!(hints.is_empty(), "{hints:#?}");
}
