//! Comparison of a selection with the rest, another instance, an earlier selection, or an expression.

use widetui_app::model::View;
use widetui_app::popups::Popup;

use widetui_testing_tui::explorer::Explorer;

fn hung() -> Explorer {
    Explorer::of(&["tests/data/hung/000"], "dark", 120, 40)
}

/// Names of the items in the open picker.
fn offered(s: &Explorer) -> Vec<String> {
    match &s.model.popup {
        Some(Popup::Picker(picker)) => picker.shown.iter().map(|i| i.name.clone()).collect(),
        _ => Vec::new(),
    }
}

/// Cells of the row that counts tasks: name, number on side a, number on side b.
fn counts(s: &Explorer) -> Vec<String> {
    assert_eq!(s.model.view, View::COMPARE);
    let row = &s.model.table().unwrap().table.rows[0];
    [1, 2, 4].map(|at| row.cells[at].text()).into()
}

#[test]
fn a_selection_is_compared_with_the_rest() {
    let mut s = hung();
    s.keys("fparsl.task = 29<enter>C");
    assert_eq!(offered(&s)[0], "the rest");
    assert!(
        s.screen().text().contains("compare parsl.task = 29 with …"),
        "{}",
        s.screen().text()
    );
    s.keys("<enter>");
    // Side b has all tasks except the selected one, and no task is on both sides.
    assert_eq!(counts(&s), ["parsl.task", "1", "48"]);
    assert!(
        s.screen()
            .text()
            .contains("a: parsl.task = 29 · b: the rest")
    );
    s.keys("<esc>");
    assert_eq!(
        (s.model.view, s.model.selection.steps().len()),
        (View::EVENTS, 1)
    );
}

#[test]
fn another_of_what_was_pivoted_on_is_one_choice() {
    let mut s = hung();
    s.keys("fparsl.app = analyse<enter>C");
    // Values of a key with low cardinality are offered, too.
    let names = offered(&s);
    assert!(names.contains(&"app report".to_owned()), "{names:?}");
    assert!(!names.contains(&"app analyse".to_owned()), "{names:?}");
    s.keys("app report");
    assert_eq!(offered(&s)[0], "app report");
    s.keys("<enter>");
    assert_eq!(counts(&s), ["parsl.task", "18", "6"]);
    // Opening a step selects its records on both sides, regardless of the selection; Esc returns.
    s.keys("/Received executor<enter><enter>");
    assert_eq!(s.model.view, View::EVENTS);
    let steps = s.model.selection.steps();
    assert_eq!(steps.len(), 1);
    let expr = steps[0].expr.to_string();
    assert!(
        expr.contains("parsl.app = analyse or parsl.app = report"),
        "{expr}"
    );
    s.keys("<esc>");
    assert_eq!(s.model.view, View::COMPARE);
    assert_eq!(s.model.selection.steps()[0].label, "parsl.app = analyse");
}

#[test]
fn instances_are_compared_with_their_kind() {
    let mut s = hung();
    s.keys("fparsl.task = 3<enter>pt");
    let label = s.model.selection.steps()[1].label.clone();
    assert!(label.starts_with("task 3"), "{label}");
    s.keys("C");
    let tasks = offered(&s)
        .iter()
        .filter(|n| n.starts_with("task "))
        .count();
    assert_eq!(tasks, 48, "{:?}", offered(&s));
}

#[test]
fn what_was_selected_before_can_be_compared_with() {
    let mut s = hung();
    s.keys("fparsl.task = 29<enter>u");
    s.keys("fparsl.task = 28<enter>fReceived<enter>");
    s.keys("C");
    let names = offered(&s);
    // Undone selections are offered even after another change.
    assert!(names.contains(&"parsl.task = 29".to_owned()), "{names:?}");
    assert!(names.contains(&"parsl.task = 28".to_owned()), "{names:?}");
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn an_expression_is_written_in_the_list_or_on_the_line() {
    let mut s = hung();
    s.keys("fparsl.app = wait_for_file<enter>Cparsl.app = report");
    assert_eq!(offered(&s)[0], "parsl.app = report");
    s.keys("<enter>");
    assert_eq!(counts(&s), ["parsl.task", "1", "6"]);
    // Misspelled and short key names are resolved; an invalid filter shows an error.
    s.keys("Cparsl.ap = analyse");
    assert_eq!(offered(&s)[0], "parsl.app = analyse");
    s.keys("<esc>Capp = analyse");
    s.keys("<enter>");
    assert_eq!(counts(&s), ["parsl.task", "1", "18"]);
    s.keys("Cparsl.app in (");
    assert_eq!(offered(&s), ["parsl.app in ("]);
    // The prompt continues with the comparison and completes keys.
    s.keys("<enter>");
    let line = s.last_line();
    assert!(line.contains("compare with parsl.app in ("), "{line}");
    s.keys("<esc>");
    s.keys("Cwrite<enter>parsl.app = report<enter>");
    assert_eq!(counts(&s), ["parsl.task", "1", "6"]);
    s.keys(":view-compare parsl.app = analyse<enter>");
    assert_eq!(counts(&s), ["parsl.task", "1", "18"]);
    s.keys("Cparsl.app = nothing<enter>");
    let reported = s.screen().text();
    assert!(reported.contains("b: no work was begun"), "{reported}");
    // Each comparison was a step.
    while !s.model.navigation.is_empty() {
        s.keys("<esc>");
    }
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn the_command_line_says_the_same() {
    let mut s = hung();
    s.change(|model| model.user_data.opened.why_not = None);
    s.change(|model| model.user_data.opened.paths = vec!["run".to_owned()]);
    s.keys("fparsl.task = 29<enter>C<enter>Yc");
    assert_eq!(
        s.copied.last().unwrap(),
        "widetui compare --a 'parsl.task = 29' run"
    );
    s.keys("Cparsl.task = 1<enter>Yc");
    assert_eq!(
        s.copied.last().unwrap(),
        "widetui compare --a 'parsl.task = 29' --b 'parsl.task = 1' run"
    );
}

#[test]
fn parts_of_several_instances_are_named_with_what_they_are_parts_of() {
    let mut s = hung();
    s.keys("d<enter>pTC");
    let names = offered(&s);
    let tries: Vec<&String> = names.iter().filter(|n| n.contains("try ")).collect();
    assert!(tries.len() > 10, "{names:?}");
    assert!(tries.iter().all(|n| n.starts_with("task ")), "{tries:?}");
    // The data has only one run.
    assert!(!names.contains(&"two runs".to_owned()), "{names:?}");
}

#[test]
fn states_have_their_shares_of_each_side() {
    let mut s = Explorer::of(&["tests/data/multi.tar.gz"], "dark", 120, 40);
    s.keys("rmjmC");
    let rows = &s.model.table().unwrap().table.rows;
    let reported = |name: &str| {
        let row = rows.iter().find(|r| r.cells[1].text() == name).unwrap();
        [2, 3, 4, 5].map(|at| row.cells[at].text())
    };
    assert_eq!(
        reported("parsl.task exec_done"),
        ["60", "95 %", "67", "100 %"]
    );
    assert_eq!(reported("parsl.task failed"), ["3", "4.8 %", "0", "0 %"]);
    // The row of all tasks has counts but no shares.
    assert_eq!(reported("parsl.task"), ["63", "", "67", ""]);
    let screen = s.screen().text();
    assert!(screen.contains("95 %"), "{screen}");
}

#[test]
fn with_nothing_selected_something_is_held_against_the_rest() {
    let mut s = hung();
    s.keys("x");
    let screen = s.screen().text();
    assert!(screen.contains("errors against the rest"), "{screen}");
    assert!(
        screen.contains("nothing selected: f or p chooses"),
        "{screen}"
    );
    s.keys("fparsl.task = 24<enter>x");
    assert!(!s.screen().text().contains("nothing selected"));
    // Without errors, warnings are compared, and without warnings the latest records; the copied command does the same.
    let dir = tempfile::tempdir().unwrap();
    for (name, level, reported, command) in [
        (
            "w",
            "WARNING",
            "warnings against the rest",
            "contrast 'level >= warning'",
        ),
        (
            "i",
            "INFO",
            "the last quarter against what was before",
            "contrast 'time >= ",
        ),
    ] {
        let path = dir.path().join(format!("{name}.log"));
        let line = |n: usize| {
            let (level, host) = match n {
                30.. => (level, "b"),
                _ => ("INFO", "a"),
            };
            format!("2026-01-01 00:00:{n:02}.000 {level} step done host={host}\n")
        };
        std::fs::write(&path, (0..40).map(line).collect::<String>()).unwrap();
        let path = path.display().to_string();
        let mut s = Explorer::of(&[&path], "dark", 120, 40);
        s.change(|model| model.user_data.opened.paths = vec![path]);
        s.keys("x");
        let screen = s.screen().text();
        assert!(screen.contains(reported), "{screen}");
        let table = s.model.table().unwrap();
        assert!(!table.is_empty(), "{screen}");
        s.keys("Yc");
        let line = s.copied.pop().unwrap();
        assert!(line.contains(command), "{line}");
    }
}
