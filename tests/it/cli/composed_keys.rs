//! Keys composed of other keys by a definition.

use std::fs;

use super::*;

fn definition(dir: &std::path::Path, text: &str) -> String {
    let path = dir.join("mine.toml");
    fs::write(&path, format!("name = \"mine\"\ntitle = \"Mine\"\n{text}")).unwrap();
    path.display().to_string()
}

#[test]
fn several_keys_make_one() {
    let dir = tempfile::tempdir().unwrap();
    let system = definition(
        dir.path(),
        "[[reading]]\nname = \"try\"\nwhere = \"level = info\"\ncompose = { \"mine.try\" = \"{parsl.task}#{parsl.try}\" }\n\
         keys = { \"mine.told\" = \"yes\" }\n",
    );
    let run = hung();
    let command = ["events", &run, "--format", "jsonl", "--system", &system];
    let (mut made, mut not) = (0, 0);
    // What joins give is not what a record says.
    let own = objects(&ok(&[&command[..3], &["jsonl", "--join", "none"]].concat()));
    let all = objects(&ok(&command));
    assert_eq!(own.len(), all.len());
    for (own, event) in own.iter().zip(&all) {
        let pair = [own.get("parsl.task"), own.get("parsl.try")];
        let expected = match pair {
            [Some(task), Some(number)]
                if own["level"] == "info" && !task.is_array() && !number.is_array() =>
            {
                Some(Json::from(format!("{task}#{number}")))
            }
            _ => None,
        };
        assert_eq!(event.get("mine.try"), expected.as_ref(), "{event:?}");
        assert_eq!(event.contains_key("mine.told"), expected.is_some());
        made += usize::from(expected.is_some());
        not += usize::from(expected.is_none());
    }
    assert!(made > 10 && not > 10, "{made} {not}");
}

#[test]
fn what_cannot_be_made_is_reported_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    for (compose, reported) in [
        ("{ \"mine.at\" = \"nothing\" }", "contains no key"),
        ("{ \"mine.at\" = \"{host}:{}\" }", "name of a key"),
        ("{ \"mine.at\" = \"{host}:{mine.at}\" }", "of itself"),
        (
            "{ \"mine.a\" = \"{host}\", \"mine.b\" = \"{host}\" }",
            "one key",
        ),
        ("{ level = \"{host}\" }", "cannot be keys"),
    ] {
        let wrong = format!("[[reading]]\nname = \"at\"\ncompose = {compose}\n");
        let system = definition(dir.path(), &wrong);
        let out = run(&["systems", "check", &system]);
        assert_eq!(out.status.code(), Some(2));
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(
            said.contains(reported) && said.contains("mine.toml:"),
            "{said}"
        );
    }
}
