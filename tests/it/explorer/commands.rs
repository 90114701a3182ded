//! `Y c`: the command line that prints what the explorer shows; it runs, and its output agrees.

use std::path::Path;
use std::process::Command;

use widetui_app::model::View;
use widetui_app::msg::Msg;
use widetui_session::selection::SelectionStack;

use widetui_testing_tui::explorer::Explorer;

const RUN: &str = "tests/data/hung";

fn open() -> Explorer {
    let mut session = Explorer::of(&[RUN], "dark", 120, 40);
    session.change(|model| {
        model.user_data.opened.paths = vec![RUN.to_owned()];
    });
    session
}

/// The command line of what these keys lead to.
fn copied(session: &mut Explorer, keys: &str) -> String {
    session.keys(keys).keys("Yc");
    let said = session.last_line();
    let line = session.copied.pop();
    line.unwrap_or_else(|| panic!("{keys}: {said}"))
}

/// Runs it in a shell, in the repository; files go to the folder `into`.
pub fn run(line: &str, into: &Path) -> String {
    let program = env!("CARGO_BIN_EXE_widetui");
    let line = line
        .replacen("widetui", program, 1)
        .replace("--output ", &format!("--output {}/", into.display()));
    let out = Command::new("sh")
        .args(["-c", &line])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let reported = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{line}\n{text}{reported}");
    text
}

#[test]
fn commands_say_what_is_shown_and_run() {
    for (keys, wanted) in [
        ("1", "events"),
        ("2", "hung"),
        ("3", "states parsl.task"),
        (
            "4",
            "export --output queue-run-timeline.svg --plot timeline:parsl.try:parsl.worker:label",
        ),
        ("4bstate<esc>", "export"),
        ("5", "latency parsl.task"),
        ("5<enter>", "latency parsl.task --slowest"),
        ("6", "joins"),
        ("7", "entities"),
        ("7<enter>", "entities --of"),
        ("8", "keys"),
        ("8<enter>", "keys --key"),
        ("9", "sources"),
        ("d", "diagnose"),
        ("x", "contrast 'level >= error'"),
        ("r", "runs"),
        ("vt", "keys --key template"),
        ("vf", "flow"),
        ("vf<tab>", "flow"),
        ("vu", "spans parsl.try"),
        (
            "vubparsl.app<enter>",
            "spans parsl.try --summary --by parsl.app",
        ),
        ("vnparsl.cpu_user<enter>", "series parsl.cpu_user"),
        (
            "vnparsl.pending_tasks<enter>bsource<enter>",
            "series parsl.pending_tasks --by source",
        ),
        (
            "vnparsl.pending_tasks<enter>bnothing<enter>",
            "series parsl.pending_tasks --by none",
        ),
    ] {
        let line = copied(&mut open(), keys);
        let start = format!("widetui {wanted}");
        assert!(line.starts_with(&start), "{keys}: {line}");
        assert!(line.ends_with(RUN), "{line}");
        let folder = tempfile::tempdir().unwrap();
        let printed = run(&line, folder.path());
        assert!(
            !printed.is_empty() || wanted.starts_with("export"),
            "{line}"
        );
        if keys == "4" {
            let picture = folder.path().join("queue-run-timeline.svg");
            let picture = std::fs::read_to_string(picture).unwrap();
            assert!(picture.contains("wait_for_file"), "no label in the picture");
        }
    }
}

#[test]
fn joins_are_reported_once_those_that_were_typed_too() {
    let mut s = open();
    let all = || s.model.meaning.joins.iter().map(|j| j.name.clone());
    let off = all().filter(|name| name != "parsl: block").collect();
    s.change(|model| model.selection = SelectionStack::with_joins_off(off));
    let line = copied(&mut s, "1");
    assert!(line.contains("--join 'parsl: block' "), "{line}");
    s.keys("6<space>");
    let line = copied(&mut s, "1");
    assert_eq!(line.matches("--join").count(), 2, "{line}");
    run(&line, std::path::Path::new("."));
    // Few that are off are said instead of many that are on.
    let mut few = open();
    few.keys("6<space>");
    let line = copied(&mut few, "1");
    assert_eq!(
        (
            line.matches("--no-join ").count(),
            line.matches("--join ").count()
        ),
        (1, 0)
    );
    run(&line, std::path::Path::new("."));
    // What was typed is no step that can be taken back.
    s.keys("uu");
    let line = copied(&mut s, "1");
    assert_eq!(line.matches("--join").count(), 1, "{line}");
}

#[test]
fn a_selection_and_a_stretch_of_time_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut s = open();
    for filter in ["parsl.app = preprocess", "time >= 01:44:03"] {
        s.keys("f").send(Msg::Paste(filter.to_owned()));
        s.keys("<enter>");
    }
    let line = copied(&mut s, "3");
    let scope = "--where 'parsl.app = preprocess' --since 2026-11-21T01:44:03";
    assert!(line.contains(scope), "{line}");
    let printed = run(&line, folder.path());
    assert!(!printed.contains("01:43:"), "{printed}");
    // The same numbers as those that are written from there.
    s.change(|model| model.user_data.export = (folder.path().to_owned(), Vec::new()));
    s.keys("X<enter>");
    let csv = std::fs::read_to_string(folder.path().join("queue-run-states.csv")).unwrap();
    assert_eq!(run(&format!("{line} --format csv"), folder.path()), csv);
    // What is marked counts, in pictures over time as in the list.
    s.send(Msg::Paste(String::new()));
    let (from, to) = s.model.snapshot.range().unwrap();
    let middle = from + (to - from) / 2;
    s.change(|model| {
        model.events.time_selection = Some(widetui_app::event_list::TimeSelection {
            from: middle,
            to,
            edge: widetui_app::event_list::SelectionEdge::End,
        });
    });
    let line = copied(&mut s, "4");
    assert!(
        line.contains("--since") && line.contains("--until"),
        "{line}"
    );
    run(&line, folder.path());
    let line = copied(&mut s, "1");
    assert!(line.contains("time < "), "{line}");
    run(&line, folder.path());
}

#[test]
fn two_runs_side_by_side_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["tests/data/multi.tar.gz"];
    let mut s = Explorer::of(&paths, "dark", 120, 40);
    s.change(|model| model.user_data.opened.paths = paths.map(str::to_owned).to_vec());
    let line = copied(&mut s, "rmjmC");
    assert_eq!(s.model.view, View::COMPARE);
    assert!(line.starts_with("widetui compare --a"), "{line}");
    assert!(run(&line, folder.path()).lines().count() > 3);
}

#[test]
fn instances_of_a_selection_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut s = open();
    s.keys("f")
        .send(Msg::Paste("parsl.app = wait_for_file".to_owned()));
    s.keys("<enter>");
    for (keys, start) in [("7", "entities "), ("7<enter>", "entities --of ")] {
        let line = copied(&mut s, keys);
        assert!(line.starts_with(&format!("widetui {start}")), "{line}");
        assert!(
            line.contains("--where 'parsl.app = wait_for_file'"),
            "{line}"
        );
        run(&line, folder.path());
    }
}

#[test]
fn the_command_names_the_same_step_as_the_explorer() {
    let mut s = open();
    let line = copied(&mut s, "5");
    let row = s
        .model
        .table()
        .and_then(|t| t.current())
        .map(|r| r.cells[0].text());
    let printed = run(&line, Path::new("."));
    let reported = format!("The step that takes most of the time: \"{}\"", row.unwrap());
    assert!(printed.contains(&reported), "{reported}\n{printed}");
}

#[test]
fn context_lines_are_in_the_command() {
    let mut s = open();
    s.keys("f").send(Msg::Paste("level = error".to_owned()));
    s.keys("<enter>c");
    for options in ["--context 3 --same-source", "--context 3"] {
        let line = copied(&mut s, "1");
        assert!(line.contains(options), "{line}");
        let printed = run(&format!("{line} --format jsonl"), Path::new("."));
        assert_eq!(printed.lines().count(), s.model.len(), "{line}");
        s.keys("c");
    }
    assert!(!copied(&mut s, "1").contains("--context"));
}

#[test]
fn a_command_that_comes_close_to_some_records_says_so() {
    let mut s = Explorer::of(&["tests/data/multi.tar.gz"], "dark", 120, 40);
    s.change(|model| model.user_data.opened.paths = vec!["tests/data/multi.tar.gz".to_owned()]);
    let is_timeless = |at: usize| s.model.event(at).is_some_and(|e| e.time().is_none());
    let timeless = (0..s.model.len())
        .find(|at| is_timeless(*at))
        .expect("a record without a time");
    let ids = |rows: &[usize]| -> Vec<widetui_core::ids::EventId> {
        rows.iter()
            .map(|row| s.model.event(*row).unwrap().id)
            .collect()
    };
    let (exact, close) = (ids(&[0, 1]), ids(&[0, timeless]));
    let step = |events: &[widetui_core::ids::EventId]| {
        widetui_session::selection::SelectionStep::of_records("some", &s.model.snapshot, events)
    };
    assert!(!step(&exact).is_approximate(&s.model.snapshot));
    let close = step(&close);
    assert!(close.is_approximate(&s.model.snapshot));
    // What is said without a time is reported by its words.
    assert!(
        close.expr.to_string().contains("template"),
        "{}",
        close.expr
    );
    s.change(|model| {
        model.selection.push(close);
    });
    s.keys("Yc");
    assert!(s.message().contains("comes close"), "{}", s.message());
}
