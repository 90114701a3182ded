//! Findings, contrast, runs and the comparison of two runs, on real runs.

use std::sync::Arc;

use widetui_app::findings::FindingCursor;
use widetui_app::hit::Target;
use widetui_app::model::{Pane, View};
use widetui_app::msg::Msg;
use widetui_app::popups::Popup;
use widetui_ingest::options::LoadMsg;
use widetui_store::Snapshot;

use super::appearance::differences;
use widetui_testing_tui::explorer::{Explorer, load};

fn session(title: &str, run: &Arc<Snapshot>, theme: &str, columns: u16, rows: u16) -> Explorer {
    let mut session = Explorer::new(theme, columns, rows);
    session.change(|model| {
        model.title = title.to_owned();
    });
    session.send(Msg::Load(LoadMsg::Snapshot(run.clone())));
    session
}

fn hung(columns: u16, rows: u16) -> Explorer {
    let run = load(&["tests/data/hung/000"]);
    session("data/hung/000", &run, "dark", columns, rows)
}

fn lost(columns: u16, rows: u16) -> Explorer {
    let run = load(&["tests/data/manager_lost.tar.gz"]);
    session("manager_lost", &run, "dark", columns, rows)
}

/// Name, run and keys of each screen, in three sizes and two themes.
const SCREENS: &[(&str, &str, &str)] = &[
    ("diagnose", "tests/data/hung/000", "d"),
    ("diagnose-lost", "tests/data/manager_lost.tar.gz", "d<tab>j"),
    (
        "contrast",
        "tests/data/manager_lost.tar.gz",
        "fparsl.task = 29<enter>xj",
    ),
    ("runs", "tests/data/multi.tar.gz", "rmj"),
    ("compare", "tests/data/multi.tar.gz", "rmjmC"),
];

#[test]
fn screens_of_findings_are_as_accepted() {
    let mut wrong = Vec::new();
    for (name, path, keys) in SCREENS {
        let run = load(&[path]);
        let title = path.trim_start_matches("tests/");
        let open = |theme: &str, columns, rows| session(title, &run, theme, columns, rows);
        wrong.extend(differences(name, keys, open));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn documentation_stands_below_the_advice() {
    let mut s = hung(120, 40);
    s.keys("d");
    assert!(!s.screen().text().contains("More:"));
    s.change(|model| {
        let found = model.findings.found.as_mut().unwrap();
        let found = Arc::make_mut(found);
        found.diagnosis.findings[0].url = "https://mysim.example/stuck".to_owned();
    });
    let text = s.screen().text();
    let next = text.lines().position(|l| l.contains("Next: ")).unwrap();
    let more = text
        .lines()
        .position(|l| l.contains("More: https://mysim.example/stuck"));
    assert!(more.is_some_and(|more| more > next), "{text}");
    s.keys("y");
    assert!(s.copied[0].contains("More: https://mysim.example/stuck"));
}

#[test]
fn one_key_from_the_first_screen_says_what_is_wrong_and_one_more_shows_its_records() {
    let mut s = hung(120, 40);
    assert!(s.last_line().contains("d diagnose"), "{}", s.last_line());
    s.keys("d");
    assert_eq!(s.model.view, View::DIAGNOSE);
    let reported = s.screen().text();
    for part in [
        "1 error, 1 warning",
        "Task 24 (wait_for_file) began and never ended",
        "Next: Look at the process that works on task 24",
        "Received executor task 25",
        "worth knowing",
        "Of 49 tasks 36 succeeded, 13 did not end.",
        "These logs do not show what task 24 does inside its function.",
    ] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    // The finding is about one instance: opening it still selects the records that it counts, with the cursor on its evidence.
    let own = s.model.findings.found.clone().unwrap();
    let own = own.diagnosis.findings[0].events.len();
    assert!(reported.contains(&format!("{own} records")), "{reported}");
    s.keys("<enter>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, own));
    let trail = s.screen().line(0);
    assert!(trail.contains("Task 24 (wait_for_file)"), "{trail}");
    assert!(
        s.cursor_line()
            .contains("Normal ending for send_first_message")
    );
    // Going back first removes the step that was added there, then returns to the finding.
    s.keys("/Received<enter><esc>fReceived<enter>");
    assert!(s.model.len() < own);
    s.keys("<esc>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, own));
    s.keys("<esc>");
    assert_eq!(s.model.view, View::DIAGNOSE);
    assert!(s.model.selection.is_all());
    assert!(s.cursor_line().contains("Task 24"), "{}", s.cursor_line());
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn what_is_still_looked_for_is_no_nothing() {
    let mut s = hung(120, 40);
    s.keys("d");
    let found = s.model.findings.found.clone();
    s.change(|model| model.findings.found = None);
    s.keys("p");
    let said = s.last_line();
    assert!(said.contains("still being looked for"), "{said}");
    // A closing remark has nothing to pivot on.
    s.change(|model| model.findings.found = found);
    s.keys("Gp");
    let said = s.last_line();
    assert!(said.contains("nothing to pivot on"), "{said}");
}

#[test]
fn a_record_that_shows_a_finding_is_shown_among_all_others() {
    let mut s = lost(120, 40);
    s.keys("dj");
    assert_eq!(s.model.findings.spot, FindingCursor::Evidence(0, 0));
    let line = s.cursor_line();
    assert!(line.contains("err/b0"), "{line}");
    s.keys("<enter>");
    assert_eq!(
        (s.model.view, s.model.len()),
        (View::EVENTS, s.model.snapshot.len())
    );
    assert!(s.cursor_line().contains("err/b0"));
    s.keys("<enter>");
    assert_eq!(s.model.pane, Pane::Record);
    s.keys("<esc><esc>");
    assert_eq!(s.model.view, View::DIAGNOSE);
    assert_eq!(s.model.findings.spot, FindingCursor::Evidence(0, 0));
    // Opening the finding selects exactly its records.
    s.keys("<left><enter>");
    let own = s.model.findings.found.clone().unwrap();
    let own = own.diagnosis.findings[0].events.len();
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, own));
    s.keys("u");
    assert!(s.model.selection.is_all());
}

#[test]
fn findings_are_those_of_the_records_selected() {
    let mut s = lost(120, 40);
    s.keys("d");
    let all = s
        .model
        .findings
        .found
        .clone()
        .unwrap()
        .diagnosis
        .findings
        .len();
    s.keys("1fparsl.task = 29<enter>d");
    let found = s.model.findings.found.clone().unwrap();
    let titles: Vec<&str> = found
        .diagnosis
        .findings
        .iter()
        .map(|f| f.title.as_str())
        .collect();
    assert!(
        titles[0].starts_with("Manager 0d1175223706 was lost"),
        "{titles:?}"
    );
    assert_eq!(titles.len() + found.elsewhere, all);
    assert!(found.elsewhere > 0);
    assert!(s.screen().text().contains("are about the records selected"));
    // Opening shows a record outside the selection, too; going back restores the selection.
    s.keys("j");
    assert!(
        s.cursor_line().contains("Too many heartbeats missed"),
        "{}",
        s.cursor_line()
    );
    s.keys("<enter>");
    assert!(
        s.cursor_line().contains("Too many heartbeats missed"),
        "{}",
        s.cursor_line()
    );
    assert!(s.model.selection.is_all() && s.last_line().contains("takes it back"));
    s.keys("<esc>");
    assert_eq!(
        (s.model.view, s.model.selection.steps().len()),
        (View::DIAGNOSE, 1)
    );
    s.keys("1A");
    assert!(s.model.selection.is_all());
}

#[test]
fn findings_are_folded_and_walked_through() {
    let mut s = lost(80, 24);
    s.keys("d");
    let expanded = s.screen().text();
    assert!(expanded.contains("Next:"));
    s.keys(" ");
    assert!(!s.screen().text().contains("Next:"));
    let found = s.model.findings.found.as_ref().expect("findings");
    for at in 0..found.diagnosis.findings.len() {
        assert_eq!(s.model.findings.spot, FindingCursor::Finding(at));
        s.keys("j");
    }
    assert!(matches!(s.model.findings.spot, FindingCursor::Words(0)));
    s.keys("g<right>");
    assert_eq!(s.screen().text(), expanded);
    // Moving to the end of the page and back keeps the cursor visible.
    s.keys("G");
    assert!(s.screen().text().contains("in words"));
    for _ in 0..40 {
        s.keys("k");
        let (list, height) = (s.model.findings.list, 21);
        assert!((list.top..list.top + height).contains(&list.cursor));
    }
    assert_eq!(s.model.findings.spot, FindingCursor::Finding(0));
    // Copies the whole page as text.
    s.keys("y");
    let text = s.copied.pop().unwrap();
    assert!(
        text.contains("warnings") && text.contains("All 99 tasks succeeded."),
        "{text}"
    );
}

#[test]
fn a_run_without_faults_says_so() {
    let run = load(&["tests/data/uniform.tar.gz"]);
    let mut s = session("uniform", &run, "dark", 120, 40);
    s.keys("d");
    let reported = s.screen().text();
    assert!(
        reported.contains("no error, no warning") && reported.contains("All 80 tasks succeeded."),
        "{reported}"
    );
    s.keys("jjjG<enter><esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn what_is_different_about_a_selection_is_one_key_away_and_leads_to_its_records() {
    let mut s = lost(120, 40);
    // Without a selection, errors are contrasted with all other records.
    s.keys("x");
    assert_eq!(s.model.view, View::CONTRAST);
    assert!(
        s.screen()
            .text()
            .contains("nothing selected: f or p chooses"),
        "{}",
        s.screen().text()
    );
    s.keys("1fparsl.worker = 1<enter>x");
    let reported = s.screen().text();
    assert!(
        reported.contains("what is different about the records selected"),
        "{reported}"
    );
    let selected = s.model.len();
    assert!(
        reported.contains(&format!(
            "{} events inside",
            widetui_tables::text::grouped(selected as u64)
        )),
        "{reported}"
    );
    s.keys("&parsl.block<enter>");
    let row = s.model.table().unwrap().current().unwrap().clone();
    assert!(row.name.starts_with("parsl.block"), "{}", row.name);
    s.keys("<enter>");
    assert_eq!(
        (s.model.view, s.model.selection.steps().len()),
        (View::EVENTS, 2)
    );
    assert!(s.model.len() < selected && !s.model.is_empty());
    s.keys("<esc>");
    assert_eq!(
        (s.model.view, s.model.selection.steps().len()),
        (View::CONTRAST, 1)
    );
    assert_eq!(s.model.table().unwrap().current().unwrap().name, row.name);
}

#[test]
fn runs_are_filtered_to_and_two_of_them_compared() {
    let run = load(&["tests/data/multi.tar.gz"]);
    let mut s = session("multi", &run, "dark", 120, 40);
    s.keys("r");
    assert_eq!(
        (s.model.view, s.model.table().unwrap().len()),
        (View::RUNS, 3)
    );
    let reported = s.screen().text();
    for part in ["63 tasks", "67 tasks", "32 tasks", "3 failed"] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    s.keys("j<enter>");
    assert!(
        s.screen().line(0).contains("DataFlowKernel 001"),
        "{}",
        s.screen().line(0)
    );
    s.keys("<esc>");
    assert_eq!(s.model.view, View::RUNS);
    assert!(s.model.selection.is_all() && s.cursor_line().contains("001"));
    // A comparison needs two marked runs, and a third mark replaces the oldest one.
    s.keys("C");
    assert!(
        s.last_line().contains("comparing needs two runs"),
        "{}",
        s.last_line()
    );
    s.keys("gm ");
    assert!(s.model.instances.marked.is_empty());
    s.keys("mjmjm");
    assert_eq!(s.model.instances.marked.len(), 2);
    assert!(
        s.last_line()
            .contains("C shows run 001 and run 002 side by side")
    );
    s.keys("C");
    let reported = s.screen().text();
    assert_eq!(s.model.view, View::COMPARE);
    assert!(reported.contains("a: run 001 · b: run 002"), "{reported}");
    assert!(
        s.cursor_line().contains("67") && s.cursor_line().contains("-35"),
        "{}",
        s.cursor_line()
    );
    // Opening a step selects its records in both runs.
    s.keys("&Received executor<enter><enter>");
    assert_eq!(s.model.view, View::EVENTS);
    assert!(!s.model.is_empty() && s.cursor_line().contains("Received executor task"));
    s.keys("<esc>");
    assert_eq!(s.model.view, View::COMPARE);
    s.keys("<esc><esc>");
    assert_eq!(s.model.view, View::RUNS);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn the_search_for_what_is_wrong_reports_how_far_it_is_and_can_be_given_up() {
    use widetui_app::keys::Key;
    use widetui_app::msg::Effect;
    use widetui_diagnosis::Stage;
    use widetui_session::jobs::{Answer, JobKind};

    let mut s = hung(120, 40);
    let asked = |effects: &[Effect]| {
        let mut all = effects.iter();
        all.find_map(|e| match e {
            Effect::Ask {
                question,
                generation,
                ..
            } if question.slot() == JobKind::Findings => Some(*generation),
            _ => None,
        })
    };
    let key = |name: &str| Msg::Key(Key::parse(name).unwrap());
    let generation = asked(&s.model.update(key("d"))).unwrap();
    assert!(s.screen().text().contains("looking for what is wrong …"));
    let stage = Stage {
        what: "exceptions",
        number: 4,
        of: 7,
    };
    let reported = Msg::Answer(JobKind::Findings, generation, Answer::Finding(stage));
    s.model.update(reported.clone());
    assert!(s.screen().text().contains("exceptions, 4 of 7 …"));
    let effects = s.model.update(key("esc"));
    assert!(
        matches!(effects[..], [Effect::Cancel(JobKind::Findings)]),
        "{effects:?}"
    );
    assert_eq!(s.model.view, View::DIAGNOSE);
    // A late answer of the cancelled question is ignored.
    assert!(s.model.update(reported).is_empty());
    assert!(
        s.screen()
            .text()
            .contains("given up: shown again, it is looked for again")
    );
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
    s.keys("d");
    assert!(s.screen().text().contains("1 error, 1 warning"));
}

#[test]
fn runs_of_several_folders_that_are_called_the_same_are_distinguished() {
    let run = load(&["tests/data/hung/000", "tests/data/manager_lost.tar.gz"]);
    let mut s = session("two", &run, "dark", 120, 40);
    s.keys("r");
    // Records with a folder number that fits both folders do not make up a third run.
    assert_eq!(s.model.table().unwrap().len(), 2, "{}", s.screen().text());
    let reported = s.screen().text();
    assert!(
        reported.contains("49 tasks") && reported.contains("99 tasks"),
        "{reported}"
    );
    s.keys("C");
    let line = s.screen().line(1);
    assert!(
        line.contains("a: run hung/000 · b: run manager_lost.tar.gz"),
        "{line}"
    );
    s.keys("<esc>j<enter>");
    assert!(
        s.screen().line(0).contains("manager_lost.tar.gz"),
        "{}",
        s.screen().line(0)
    );
    s.keys("<esc>");
    assert_eq!(s.model.view, View::RUNS);
}

#[test]
fn what_one_pivots_on_from_a_finding_is_looked_for_beyond_it_and_the_way_leads_back() {
    let mut s = hung(120, 40);
    s.keys("d<enter>");
    let (of_task, record) = (s.model.len(), s.cursor_line());
    assert_eq!(s.model.view, View::EVENTS);
    s.keys("p");
    let text = s.screen().text();
    let line = text.lines().find(|l| l.contains(" worker  ")).unwrap();
    // The count equals that of the pivot.
    assert!(line.contains(" 88 "), "{line}");
    let worker = s.letter("worker");
    s.keys(&worker);
    assert_eq!(s.model.len(), 88, "{}", s.screen().line(0));
    assert_eq!(s.cursor_line().trim_end(), record.trim_end());
    // A second step narrows the selection; each step back removes one.
    s.keys("fReceived<enter>");
    assert!(s.model.len() < 88);
    s.keys("<esc>");
    assert_eq!(s.model.len(), 88);
    s.keys("<esc>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, of_task));
    assert_eq!(s.cursor_line().trim_end(), record.trim_end());
    s.keys("<esc>");
    assert_eq!(s.model.view, View::DIAGNOSE);
    assert!(s.model.selection.is_all());
    // Going back ignores steps that were already undone.
    s.keys(&format!("<enter>p{worker}u<esc>"));
    assert_eq!(s.model.view, View::DIAGNOSE);
}

#[test]
fn a_pivot_in_the_list_of_findings_puts_the_cursor_on_its_record() {
    let mut s = hung(120, 40);
    s.keys("djp");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("{}", s.screen().text());
    };
    let worker = pivot.rows.iter().find(|r| r.label == "worker");
    let letter = worker.and_then(|r| r.letter).unwrap();
    s.keys(&letter.to_string());
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, 88));
    assert!(s.model.events.list.cursor > 0);
    let record = s.model.current().map(|e| e.id);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::DIAGNOSE);
    s.keys("<enter>");
    assert_eq!(s.model.current().map(|e| e.id), record);
}

#[test]
fn a_right_click_is_about_the_finding_under_the_mouse() {
    let mut s = lost(120, 40);
    s.keys("d");
    let before = s.model.findings.spot;
    let page = s.model.view.page().unwrap();
    let lines = (page.lines)(&s.model, 120);
    let last = lines.iter().rposition(|line| line.link.is_some()).unwrap();
    s.send(Msg::RightClick(Target::TableRow(last)));
    assert_ne!(s.model.findings.spot, before);
}
