//! Differences in words between two selections and two runs.

use std::process::Command;

use widetui_testing::runs::data;

use crate::program::{PROGRAM, printed};

fn words(args: &[&str]) -> Vec<String> {
    let out = Command::new(PROGRAM)
        .arg("compare")
        .args(args)
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    let above = text.lines().take_while(|line| !line.is_empty());
    above.map(str::to_owned).collect()
}

#[test]
fn two_apps_differ_in_what_their_tasks_waited_for() {
    let hung = data().join("hung");
    let path = hung.to_str().unwrap();
    let (a, b) = ("parsl.app = preprocess", "parsl.app = report");
    let said = words(&["--a", a, "--b", b, path]);
    assert!(
        said[0].contains("(6 tasks, none failed, 6 did not end)"),
        "{said:?}"
    );
    assert!(said[0].contains("(24 tasks, none failed)"), "{said:?}");
    // Reports waited for other tasks, all the time from their submission to the end of the run.
    let account = printed("trace", &["parsl.task", "--account", "--where", b], &hung);
    let waits = account
        .iter()
        .find(|row| row["phase"] == "waits for a task")
        .unwrap();
    let mean = waits["total_s"].as_f64().unwrap() / 6.0;
    let expected = format!("waits for a task: {mean:.1} s instead of 0 s per task.");
    assert!(said.contains(&expected), "{expected} {said:?}");
    assert!(said.len() <= 4, "{said:?}");
    // A run beside itself.
    let same = words(&[path, path]);
    assert_eq!(same.len(), 1, "{same:?}");
    assert!(same[0].contains("b took as long: "), "{same:?}");
}
