//! View of unfinished work: ages grow with time.

use widetui_app::msg::Msg;
use widetui_ingest::options::LoadMsg;

use widetui_testing_tui::explorer::{Explorer, load};

/// The hung run as if its files were last modified at a time, UTC ns; 0 for an archive.
fn written_at(modified: i64) -> Explorer {
    let mut snapshot = (*load(&["tests/data/hung/000"])).clone();
    let sources = snapshot.sources.iter().map(|s| {
        let mut source = (**s).clone();
        source.modified = modified;
        std::sync::Arc::new(source)
    });
    snapshot.sources = sources.collect();
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(std::sync::Arc::new(snapshot))));
    s.keys("2");
    s
}

#[test]
fn ages_go_on_with_the_clock_while_files_are_followed() {
    let second = 1_000_000_000;
    let hour = 3600 * second;
    // The clock of the machine is years away from the logs, so only elapsed time counts.
    let written = 77 * hour;
    let age = |s: &Explorer| {
        let text = s.screen().text();
        let line = text
            .lines()
            .find(|l| l.contains("task 24"))
            .unwrap()
            .to_owned();
        line.split("wait_for_file")
            .nth(1)
            .unwrap()
            .trim()
            .to_owned()
    };
    let mut s = written_at(written);
    let at_the_end = age(&s);
    assert!(at_the_end.starts_with("launched 58.8 s"), "{at_the_end}");
    // Ages do not grow without following.
    assert!(!widetui_app::update::is_ticking(&s.model));
    s.send(Msg::Tick(written + 3 * hour));
    assert_eq!(age(&s), at_the_end);
    s.change(|model| model.load_state.follow.state = widetui_app::follow_mode::Following::On);
    assert!(widetui_app::update::is_ticking(&s.model));
    s.send(Msg::Tick(written + second));
    assert!(age(&s).starts_with("launched 59.8 s"), "{}", age(&s));
    s.send(Msg::Tick(written + 3 * hour));
    assert!(age(&s).starts_with("launched 3 h 01 m"), "{}", age(&s));
    s.keys("1");
    assert!(!widetui_app::update::is_ticking(&s.model));
    // Ages in an archive do not grow.
    let mut s = written_at(0);
    s.change(|model| model.load_state.follow.state = widetui_app::follow_mode::Following::On);
    s.send(Msg::Tick(written + 3 * hour));
    assert_eq!(age(&s), at_the_end);
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
    let mut s = Explorer::of(&[path], "dark", 140, 50);
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
