//! View of unfinished work: ages grow with time.

use std::sync::Arc;

use widetui_app::msg::Msg;
use widetui_ingest::options::LoadMsg;
use widetui_store::Snapshot;

use widetui_testing_tui::explorer::{Explorer, load};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Run of a log of Parsl with the first `records` records about one task, changed at `modified` (UTC ns), as a snapshot that may
/// grow.
fn growing(records: usize, modified: i64) -> Arc<Snapshot> {
    let folder = tempfile::tempdir().unwrap();
    let states = [
        "pending to launched",
        "launched to running",
        "running to running",
    ];
    let lines = (0..records).map(|at| {
        format!(
            "{}.000000 2026-11-21 01:43:2{at} MainProcess-3769 MainThread-139868372351872 parsl.dataflow.dflow:567 \
             _update_task_state INFO: Task 7 changing state from {}\n",
            1_795_225_400 + at,
            states[at.min(2)]
        )
    });
    std::fs::write(folder.path().join("parsl.log"), lines.collect::<String>()).unwrap();
    let mut snapshot = (*load(&[folder.path().to_str().unwrap()])).clone();
    let sources = snapshot.sources.iter().map(|s| {
        let mut source = (**s).clone();
        source.modified = modified;
        Arc::new(source)
    });
    snapshot.sources = sources.collect();
    snapshot.lineage = 1;
    Arc::new(snapshot)
}

#[test]
fn a_copy_of_an_old_run_is_not_live_until_it_grows_nor_after_it_fell_silent() {
    let arrive = |s: &mut Explorer, clock: i64, records: usize, modified: i64| {
        s.send(Msg::Tick(clock));
        let snapshot = growing(records, modified);
        s.send(Msg::Load(LoadMsg::Snapshot(snapshot)));
    };
    let mut s = Explorer::new("dark", 160, 40);
    s.change(|model| model.load_state.follow.is_started_by_liveness = true);
    // The last record is eight days old; the file was copied a moment ago.
    let copied = 1_795_225_401 * SECOND + 8 * DAY;
    arrive(&mut s, copied, 2, copied);
    let first = |s: &Explorer| s.screen().line(0);
    let age = |s: &Explorer| {
        let text = s.screen().text();
        let line = text
            .lines()
            .find(|l| l.starts_with("▸") && l.contains("task 7"));
        line.unwrap_or(&text).to_owned()
    };
    s.keys("2");
    assert!(
        first(&s).contains("ended 2026-11-21 01:43"),
        "{}",
        first(&s)
    );
    assert!(first(&s).contains("1 stuck"), "{}", first(&s));
    assert!(age(&s).contains("running 0 s"), "{}", age(&s));
    assert!(!widetui_app::update::is_ticking(&s.model));
    s.send(Msg::Tick(copied + 600 * SECOND));
    assert!(age(&s).contains("running 0 s"), "{}", age(&s));
    s.keys("d");
    let findings = s.screen().text();
    assert!(
        findings.contains("task 7") || findings.contains("Task 7"),
        "{findings}"
    );
    // The file grows, though its times are of another year.
    let grown = copied + 601 * SECOND;
    arrive(&mut s, grown, 3, grown);
    s.send(Msg::Tick(grown + 4 * SECOND));
    assert!(
        first(&s).contains("live, last record 4 s ago"),
        "{}",
        first(&s)
    );
    assert!(first(&s).contains("1 unfinished"), "{}", first(&s));
    assert!(widetui_app::update::is_ticking(&s.model));
    let at_work = s.screen().text();
    assert!(at_work.contains("no error, no warning"), "{at_work}");
    s.keys("2");
    assert!(age(&s).contains("running 5.0 s"), "{}", age(&s));
    s.send(Msg::Tick(grown + 90 * SECOND));
    assert!(
        first(&s).contains("ended 2026-11-21 01:43"),
        "{}",
        first(&s)
    );
    assert!(first(&s).contains("1 stuck"), "{}", first(&s));
    assert!(age(&s).contains("running 1.0 s"), "{}", age(&s));
    assert!(!widetui_app::update::is_ticking(&s.model));
    // A run that is not followed is judged when it was read.
    let mut s = Explorer::new("dark", 160, 40);
    let read = 1_795_225_403 * SECOND;
    arrive(&mut s, read, 2, read);
    s.keys("2");
    assert!(first(&s).contains("live when read"), "{}", first(&s));
    s.send(Msg::Tick(read + 600 * SECOND));
    assert!(age(&s).contains("running 2.0 s"), "{}", age(&s));
}

#[test]
fn without_known_work_items_unfinished_work_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    for (rank, other) in [(0, 3), (1, 2), (2, 1), (3, 2)] {
        let done = (1..5)
            .map(|n| format!("2026-11-29 10:00:0{n},100 INFO rank{rank} iteration {n} done\n"));
        let wait = format!(
            "2026-11-29 10:00:05,{rank}00 DEBUG rank{rank} iteration 5: waiting for rows from rank {other}\n"
        );
        let log = done.collect::<String>() + &wait;
        std::fs::write(folder.path().join(format!("rank{rank}.log")), log).unwrap();
    }
    let mut s = Explorer::of(&[folder.path().to_str().unwrap()], "dark", 120, 40);
    s.keys("2");
    let shown = s.screen().text();
    assert!(
        shown.contains("unfinished work unknown: no tasks recognised"),
        "{shown}"
    );
    assert!(!shown.contains("nothing is"), "{shown}");
    let reason = "No tasks recognised, so unfinished work cannot be detected.";
    assert!(shown.contains(reason), "{shown}");
    assert!(
        shown.contains("d tells of steps that began and did not end"),
        "{shown}"
    );
    s.keys("d");
    let findings = s.screen().text();
    assert!(findings.contains(reason), "{findings}");
}

#[test]
fn with_a_selection_only_what_is_selected_is_reported_of_the_whole_run() {
    let path = "tests/data/hung/000";
    let mut s = Explorer::of(&[path], "dark", 139, 50);
    s.change(|model| model.user_data.opened.paths = vec![path.to_owned()]);
    s.keys("2");
    let all = s.screen().text();
    assert!(all.contains("1 stuck, 12 wait for it"), "{all}");
    s.keys("1fparsl.task = 37<enter>2");
    let shown = s.screen().text();
    for part in [
        "1 waiting",
        "1 of 13 unfinished, those with records selected",
        "task 37  analyse",
        "waits for task 24 (wait_for_file)",
        "1 of the 13 unfinished work items has records in the selection",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(!shown.contains("task 24  wait_for_file"), "{shown}");
    assert!(s.cursor_line().contains("task 37"), "{}", s.cursor_line());
    // The first line still refers to the whole run.
    let first = |text: &str| text.lines().next().unwrap().to_owned();
    assert!(first(&shown).contains("1 stuck"), "{}", first(&shown));
    // The copied command shows the same.
    for (keys, command) in [("2", "hung"), ("d", "diagnose")] {
        s.keys(keys).keys("Yc");
        let line = s.copied.pop().unwrap();
        let wanted = format!("widetui {command} --where 'parsl.task = 37' {path}");
        assert_eq!(line, wanted);
    }
    // A work item is listed together with the one that it waits for.
    s.keys("1A").keys("fparsl.task in (24, 37)<enter>2");
    let shown = s.screen().text();
    assert!(shown.contains("1 stuck, 1 waiting"), "{shown}");
    assert!(
        shown.contains("6 wait for it, 6 more through them"),
        "{shown}"
    );
    assert_eq!(shown.matches("task 37").count(), 1, "{shown}");
    s.keys("1A2");
    assert_eq!(s.screen().text(), all);
    // Work items without a selected record are not listed.
    s.keys("1fparsl.task = 1<enter>2");
    let shown = s.screen().text();
    assert!(shown.contains("nothing selected is stuck"), "{shown}");
    assert!(shown.contains("0 of 13 unfinished"), "{shown}");
}

#[test]
fn many_that_hang_alike_are_one_group_and_each_can_be_reached() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("000");
    std::fs::create_dir_all(&run).unwrap();
    let mut log = String::new();
    for (at, reported) in [
        "initializing state to pending",
        "changing state from pending to launched",
    ]
    .iter()
    .enumerate()
    {
        for task in 5..35 {
            log += &format!(
                "{}.{task:06} 2026-11-21 01:43:00 MainProcess-3769 MainThread-139868372351872 \
                 parsl.dataflow.dflow:567 _update_task_state INFO: Task {task} {reported}\n",
                1_795_225_399 + at
            );
        }
    }
    std::fs::write(run.join("parsl.log"), log).unwrap();
    let mut s = Explorer::of(&[run.to_str().unwrap()], "dark", 120, 40);
    s.keys("2");
    let text = s.screen().text();
    assert!(text.contains("and 29 alike"), "{text}");
    // States are aligned whatever the number of digits in the ids.
    let listed = text.lines().filter(|l| l.starts_with("        "));
    let states: Vec<usize> = listed.filter_map(|l| l.find("launched")).collect();
    assert!(
        states.len() > 5 && states.iter().all(|at| *at == states[0]),
        "{text}"
    );
    let named = text.lines().filter(|l| l.contains("   launched ")).count();
    assert_eq!(named, 9, "{text}");
    let mut left = 60;
    while !s.cursor_line().contains("and 21 more") {
        s.keys("j");
        left -= 1;
        assert!(left > 0, "{}", s.screen().text());
    }
    s.keys("<enter>");
    let text = s.screen().text();
    assert!(
        text.contains("launched") && text.contains("30 tasks"),
        "{text}"
    );
}

#[test]
fn a_wide_screen_shows_the_records_of_the_stuck_task_beside_it() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 160, 40);
    s.keys("2");
    let screen = s.screen().text();
    assert!(
        screen.contains("task 24 wait_for_file · 23 records"),
        "{screen}"
    );
    assert!(
        screen.contains("w/0/1   I Received executor task 25"),
        "{screen}"
    );
    // The text of its last record stands below.
    assert!(
        screen.contains("DEBUG: Normal ending for send_first_message"),
        "{screen}"
    );
    s.keys("jj");
    let screen = s.screen().text();
    assert!(screen.contains("task 37 analyse · 12 records"), "{screen}");
    // Without the record pane the view has the whole width, and so it has on a narrow screen.
    s.change(|model| model.record.shown = false);
    assert!(!s.screen().text().contains("· 12 records"));
    s.change(|model| {
        model.record.shown = true;
        model.screen.size = (139, 40);
    });
    assert!(!s.screen().text().contains("· 12 records"));
}

#[test]
fn a_page_without_rows_has_the_whole_width() {
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 160, 40);
    s.keys("2");
    assert!(
        s.model
            .instances
            .stuck
            .as_ref()
            .is_none_or(|s| s.hung.is_clear())
    );
    let screen = s.screen().text();
    assert!(!screen.contains("no record of this row"), "{screen}");
}
