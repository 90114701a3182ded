//! Joins by hand: options of one line, and columns of facts.

use std::fs;

use super::*;

/// Log of a user's own program that numbers its work as Parsl's tasks.
fn own_log() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.log");
    let lines = (0..6).map(|n| {
        let item = 17 + n / 2;
        let rest = if n % 2 == 0 { "begin host=n3" } else { "end" };
        format!("2026-11-21 01:43:3{n},500 INFO item={item} {rest}\n")
    });
    fs::write(&path, lines.collect::<String>()).unwrap();
    let path = path.display().to_string();
    (dir, path)
}

fn values(args: &[&str], key: &str) -> Vec<Option<Json>> {
    let all = objects(&ok(&[args, &["--format", "jsonl"]].concat()));
    all.iter().map(|event| event.get(key).cloned()).collect()
}

#[test]
fn an_unknown_log_is_widened_to_tasks_by_a_rename() {
    let (_dir, log) = own_log();
    let run = hung();
    let rename = ["--rename", "item=parsl.task"];
    let apps = |more: &[&str]| {
        let command = ["events", &run, &log, "--where", "source ~ mine"];
        values(&[&command[..], more].concat(), "parsl.app")
    };
    assert!(apps(&[]).iter().all(Option::is_none));
    let widened = apps(&rename);
    assert_eq!(widened.len(), 6);
    assert!(widened.iter().all(Option::is_some), "{widened:?}");
    let trace = ok(&[
        &["trace", "parsl.task=17", &run, &log, "--format", "jsonl"][..],
        &rename,
    ]
    .concat());
    assert_eq!(
        objects(&trace)
            .iter()
            .filter(|e| e["source"] == "mine")
            .count(),
        2
    );
    let off = ["--no-join", "options: rename item = parsl.task"];
    assert!(
        apps(&[&rename[..], &off].concat())
            .iter()
            .all(Option::is_none)
    );
}

#[test]
fn constants_implications_and_brackets_are_joins() {
    let (_dir, log) = own_log();
    let events = |more: &[&str], key: &str| values(&[&["events", &log][..], more].concat(), key);
    let all = |value: &str| vec![Some(Json::from(value)); 6];
    assert_eq!(events(&["--constant", "site=north"], "site"), all("north"));
    assert_eq!(
        events(&["--constant", "site=north@mine.log"], "site"),
        all("north")
    );
    assert_eq!(
        events(&["--imply", "item => log.host"], "log.host"),
        all("n3")
    );
    let bracket = r#""begin" .. "end" => log.host"#;
    assert_eq!(events(&["--bracket", bracket], "log.host"), all("n3"));
    let joins = ok(&["joins", &log, "--imply", "item => log.host"]);
    assert!(joins.contains("options: imply item => log.host"), "{joins}");
}

#[test]
fn constants_that_contradict_each_other_are_a_conflict() {
    let (_dir, log) = own_log();
    let facts = ["item,site", "17,north", "17,south", "18,north"].join("\n");
    let table = std::path::Path::new(&log).with_file_name("facts.csv");
    fs::write(&table, facts).unwrap();
    let joins = ok(&["joins", &log, "--facts", &table.display().to_string()]);
    assert!(joins.contains("site is north or south"), "{joins}");
}

#[test]
fn joins_that_contradict_each_other_are_a_conflict_of_both() {
    let (_dir, log) = own_log();
    let pairs = [
        ["--constant", "site=north", "--constant", "site=south"],
        ["--constant", "log.host=n4", "--imply", "item => log.host"],
    ];
    for (at, options) in pairs.iter().enumerate() {
        let out = run(&[&["joins", &log][..], options].concat());
        let (text, messages) = (text(&out.stdout), text(&out.stderr));
        let stated = ["site is north or south", "log.host is n4 or n3"];
        assert!(text.contains(stated[at]), "{text}");
        assert!(text.contains("widened by options: "), "{text}");
        assert!(!messages.contains("widens nothing"), "{messages}");
        // The records that only one of the joins widens keep its value.
        let known = values(&[&["events", &log][..], options].concat(), "log.host");
        assert_eq!(known.iter().flatten().count(), [3, 3][at], "{known:?}");
    }
    let first = ok(&[&["joins", &log, "--where", "item = 17"][..], &pairs[0]].concat());
    assert!(first.contains("site is north or south"), "{first}");
}

#[test]
fn facts_name_sources() {
    let (dir, log) = own_log();
    let table = dir.path().join("facts.csv");
    let sites = |text: &str| {
        fs::write(&table, text).unwrap();
        let table = table.display().to_string();
        values(
            &[
                "events",
                &log,
                "--facts",
                &table,
                "--where",
                "source = mine",
            ],
            "site",
        )
    };
    assert_eq!(
        sites("source,site\nmine,north\nother,south\n"),
        vec![Some(Json::from("north")); 6]
    );
    let by_item = sites("source,item,site\nmine.log,17,a\nother,18,b\n");
    assert_eq!(
        by_item,
        [vec![Some(Json::from("a")); 2], vec![None; 4]].concat()
    );
}

#[test]
fn a_wrong_or_idle_line_says_what_to_do() {
    let (_dir, log) = own_log();
    let out = run(&["events", &log, "--imply", "item, host"]);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(text.contains("--imply") && text.contains("=>"), "{text}");
    let out = run(&["events", &log, "--rename", "itm=parsl.task"]);
    assert_eq!(out.status.code(), Some(0));
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        text.contains("no record has the key `itm`") && text.contains("`item`"),
        "{text}"
    );
}
