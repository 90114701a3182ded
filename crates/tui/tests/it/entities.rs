//! Unfinished work, entities, the view of one instance, and joins, on a real run that hangs.

use widetui_app::model::{Pane, View};
use widetui_app::msg::Msg;
use widetui_app::popups::Popup;
use widetui_ingest::options::LoadMsg;

use super::appearance::differences;
use widetui_testing_tui::explorer::{Explorer, load};

fn run(path: &str, theme: &str, columns: u16, rows: u16) -> Explorer {
    let mut session = Explorer::new(theme, columns, rows);
    session.change(|model| {
        model.title = path.trim_start_matches("tests/").to_owned();
    });
    session.send(Msg::Load(LoadMsg::Snapshot(load(&[path]))));
    session
}

fn hung(theme: &str, columns: u16, rows: u16) -> Explorer {
    run("tests/data/hung/000", theme, columns, rows)
}

fn row_count(s: &Explorer) -> usize {
    s.model.table().map_or(0, |t| t.len())
}

/// Name and keys of each screen, in three sizes and two themes.
const SCREENS: &[(&str, &str)] = &[
    ("hung", "2"),
    ("hung-events", "2<enter>"),
    ("entities", "7"),
    ("instances", "7<enter>"),
    ("trace", "2i"),
    ("joins", "6j"),
    ("pivot-things", "2<enter>p"),
];

#[test]
fn screens_of_instances_are_as_accepted() {
    let screens = SCREENS.iter();
    let wrong = screens.flat_map(|(name, keys)| differences(name, keys, hung));
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn three_keys_lead_from_the_first_screen_to_what_hangs_and_the_worker_that_has_it() {
    let mut s = hung("dark", 120, 40);
    // The first screen shows that work is stuck, and which key opens the view.
    assert!(s.screen().line(0).contains("1 stuck"));
    assert!(s.last_line().contains("2 hung"), "{}", s.last_line());
    s.keys("2");
    let reported = s.screen().text();
    for part in [
        "task 24",
        "wait_for_file",
        "worker 1",
        "12 wait for it",
        "in words",
    ] {
        assert!(reported.contains(part), "{part}");
    }
    s.keys("<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    assert!(s.screen().line(0).contains("task 24 wait_for_file 23"));
    assert_eq!(s.model.len(), 23);
    // The cursor is on the last record of the task, on the worker that runs it.
    assert!(
        s.cursor_line()
            .contains("Normal ending for send_first_message")
    );
    s.keys("<enter>");
    assert_eq!(s.model.pane, Pane::Record);
    let record = s.screen().text();
    assert!(record.contains("worker, ") && record.contains("parsl.worker"));
    assert!(record.contains("worker_1.log"));
    s.keys("<esc>u");
    assert!(s.model.selection.is_all());
}

#[test]
fn one_instance_is_one_line_of_the_pivot_list() {
    let mut s = hung("dark", 120, 50);
    s.keys("2<enter>p");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("no list");
    };
    let keys: Vec<&str> = pivot.rows.iter().map(|r| r.key.as_str()).collect();
    for (thing, key) in [
        ("task", "parsl.task"),
        ("worker", "parsl.worker"),
        ("manager", "parsl.manager"),
        ("DataFlowKernel", "parsl.rundir"),
    ] {
        assert!(keys.contains(&thing), "{keys:?}");
        assert!(!keys.contains(&key), "{keys:?}");
    }
    // The copy list still has all values, so that each key of the record can be used.
    s.keys("<esc>Yv");
    let text = s.screen().text();
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("no list: {text}");
    };
    assert!(pivot.rows.iter().any(|r| r.key == "parsl.worker"));
}

#[test]
fn from_a_record_that_does_not_know_the_worker_one_gets_to_it() {
    let mut s = hung("dark", 120, 40);
    s.keys("2<enter>gp");
    let record = s.cursor_line();
    assert!(record.contains("Task 24 will be sent"), "{record}");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("no list");
    };
    let of_it = |label: &str| {
        let mut rows = pivot.rows.iter().filter(|r| r.label == label);
        rows.next().map(|r| (r.value.clone(), r.letter))
    };
    let (value, letter) = of_it("worker").expect("where the task ran");
    assert!(
        value.starts_with("1 of ") && value.ends_with(" · of task 24"),
        "{value}"
    );
    // The resource that runs the task is offered once; entities that are not resources are not offered.
    assert!(of_it("manager").is_some() && of_it("executor task").is_none());
    let letter = letter.expect("a letter").to_string();
    s.keys(&letter);
    let line = s.screen().line(0);
    assert!(line.contains("worker 1"), "{line}");
    assert!(!s.model.is_empty());
}

#[test]
fn counts_in_the_first_line_lead_there() {
    let mut s = hung("dark", 120, 40);
    s.send(Msg::Click(hint(&s, "1 stuck")));
    assert_eq!(s.model.view, View::UNFINISHED);
    s.send(Msg::Click(hint(&s, "v views")));
    assert!(s.screen().text().contains("Timeline: who did what when"));
    s.send(Msg::Click(hint(&s, "Timeline: who")));
    assert_eq!(s.model.view, View::TIMELINE);
    assert!(s.model.pending.is_empty());
}

/// Target of a click on a text of the screen.
fn hint(s: &Explorer, text: &str) -> widetui_app::hit::Target {
    let screen = s.screen();
    let mut rows = (0..screen.rows).filter_map(|row| {
        let line = screen.line(row);
        let at = line.find(text)?;
        s.target(line[..at].chars().count() as u16, row)
    });
    rows.next().expect("a target")
}

#[test]
fn a_healthy_run_says_so() {
    let mut s = run("tests/data/multi.tar.gz", "dark", 120, 40);
    s.keys("2");
    let reported = s.screen().text();
    assert!(reported.contains("nothing is stuck"), "{reported}");
    s.keys("<enter>jjG<enter><esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn entities_lead_to_their_instances_and_these_to_exactly_their_events() {
    let mut s = hung("dark", 120, 40);
    s.keys("7");
    assert!(s.cursor_line().contains("task"), "{}", s.cursor_line());
    s.keys("<enter>");
    assert_eq!((s.model.view, row_count(&s)), (View::INSTANCES, 49));
    // Instances are in natural order; the cursor is on the first unfinished one.
    assert!(s.cursor_line().contains("wait_for_file") && s.cursor_line().contains("open"));
    s.keys("&report<enter>");
    assert_eq!(row_count(&s), 6);
    let to_stuck = |s: &mut Explorer| {
        s.keys("g");
        for _ in 0..49 {
            if s.cursor_line().contains("wait_for_file") {
                return;
            }
            s.keys("j");
        }
    };
    s.keys("<esc>");
    to_stuck(&mut s);
    s.keys("-");
    assert!(s.screen().line(0).contains("not task 24 wait_for_file"));
    assert_eq!((s.model.view, row_count(&s)), (View::INSTANCES, 48));
    s.keys("u");
    to_stuck(&mut s);
    s.keys("<enter>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, 23));
    // Lists of instances contain only those of the selection: one task, one worker.
    s.keys("7<enter>");
    assert_eq!(row_count(&s), 1);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::ENTITIES);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn a_list_of_tasks_is_about_each_of_them() {
    // "Sent tasks: [25] to manager ..." belongs to every task that it lists, and to no other.
    let mut s = hung("dark", 120, 40);
    s.keys("/Sent tasks<enter>np");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("no list");
    };
    let things: Vec<_> = pivot
        .rows
        .iter()
        .filter_map(|r| r.instance.clone())
        .collect();
    let tasks = things.iter().filter(|t| t.entity == "parsl.task").count();
    let own = s.model.current().unwrap();
    let text = s.model.text(&own).unwrap().text.clone();
    let list = text.split_once('[').unwrap().1.split_once(']').unwrap().0;
    assert_eq!(tasks, list.split(',').count(), "{text}");
    assert!(pivot.rows[0].instance.is_some() && pivot.rows[0].count.is_some_and(|n| n > 0));
}

#[test]
fn the_view_of_one_instance_is_reached_from_anywhere_and_leads_to_its_records() {
    for (keys, back) in [
        ("2i", View::UNFINISHED),
        ("7<enter>i", View::INSTANCES),
        ("2<enter>i", View::EVENTS),
        ("2<enter>pi", View::EVENTS),
    ] {
        let mut s = hung("dark", 120, 40);
        s.keys(keys);
        assert_eq!((s.model.view, row_count(&s)), (View::TRACE, 23), "{keys}");
        let text = s.screen().text();
        for part in [
            "about task 24 wait_for_file",
            "launched",
            "worker 1",
            "by executor task",
        ] {
            assert!(text.contains(part), "{keys}: {part}");
        }
        s.keys("<esc>");
        assert_eq!(s.model.view, back, "{keys}");
        s.keys("iG<enter>");
        assert_eq!(s.model.view, View::EVENTS);
        assert!(
            s.cursor_line()
                .contains("Normal ending for send_first_message")
        );
    }
    let mut s = run("tests/data/queue-run", "dark", 120, 40);
    s.keys("i");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn a_join_is_switched_off_and_on_again() {
    let mut s = hung("dark", 120, 40);
    s.keys("2<enter>");
    assert_eq!(s.model.len(), 23);
    s.keys("6&executor ta<enter>");
    let line = s.cursor_line();
    assert!(
        line.contains("executor task ⇒ task, try") && line.contains('●'),
        "{line}"
    );
    // With all joins disabled, no record of the interchange belongs to the task.
    for _ in 0..row_count(&s) {
        s.keys("<space>j");
    }
    assert!(s.cursor_line().contains('○'), "{}", s.cursor_line());
    s.keys("1");
    assert!(s.model.len() < 23, "{}", s.model.len());
    s.keys("6");
    while !s.model.selection.joins().off.is_empty() {
        s.keys("u");
    }
    assert!(s.cursor_line().contains('●'), "{}", s.cursor_line());
    s.keys("1");
    assert_eq!(s.model.len(), 23);
}

#[test]
fn a_join_is_built_tried_applied_taken_back_and_saved() {
    let mut s = run("tests/data/queue-run", "dark", 120, 40);
    s.keys("6a");
    assert_eq!(s.model.view, View::NEW_JOIN);
    // Keys are filtered by a part of their names.
    s.keys("&job<enter><enter><esc>&worker<enter>");
    let rule = s.screen().text();
    assert!(rule.contains("same job ⇒ get …"), "{rule}");
    s.keys("<enter><enter>");
    let draft = s.model.joins.draft.clone();
    assert_eq!(draft.by, ["job"]);
    assert_eq!(draft.gives, ["worker"]);
    let preview = draft.preview.unwrap().unwrap();
    assert!(preview.groups > 0, "{preview:?}");
    assert!(s.screen().text().contains("same job ⇒ get worker · "));
    s.keys("a");
    assert_eq!(
        (s.model.view, s.model.selection.joins().own.len()),
        (View::JOINS, 1)
    );
    let report = s
        .model
        .joins
        .reports
        .iter()
        .find(|r| r.join == "job ⇒ worker");
    // Applying the join has the same result as its preview.
    assert_eq!(report, Some(&preview));
    assert!(s.screen().text().contains("own"));
    s.keys("u");
    assert!(s.model.selection.joins().own.is_empty());
    let mut reports = s.model.joins.reports.iter();
    assert!(!reports.any(|r| r.join == "job ⇒ worker"));
    // A join without a side is invalid.
    s.keys("as");
    assert!(s.joins.is_empty() && s.last_line().contains("choose"));
    s.keys("&job<enter><enter><esc>&worker<enter><enter><enter>s");
    assert_eq!(s.joins, ["job ⇒ worker"]);
    assert_eq!(s.model.view, View::JOINS);
}

#[test]
fn no_size_and_no_theme_breaks_these_screens() {
    for keys in [
        "2",
        "2G",
        "7",
        "7<enter>",
        "2i",
        "6",
        "6a<enter>",
        "2<enter>p",
    ] {
        let mut s = hung("mono", 120, 40);
        s.keys(keys);
        for size in [
            (1, 1),
            (3, 9),
            (9, 3),
            (20, 5),
            (40, 16),
            (59, 17),
            (400, 100),
        ] {
            for ascii in [false, true] {
                s.change(|model| model.screen.ascii = ascii);
                s.send(Msg::Resize(size.0, size.1));
                let text = s.screen().text();
                assert!(!ascii || text.is_ascii(), "{keys} {size:?}");
            }
        }
    }
}

/// "Task 25 has dependency task 0" belongs to task 25, and also leads to task 0 and to all records that name it.
#[test]
fn instances_in_other_roles_are_offered() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("f");
    s.send(Msg::Paste(
        "message ~ \"Task 25 has dependency task 0\"".to_owned(),
    ));
    s.keys("<enter>gp");
    let rows = |s: &Explorer| match &s.model.popup {
        Some(widetui_app::popups::Popup::Pivot(pivot)) => pivot.rows.clone(),
        other => panic!("{other:?}"),
    };
    let all = rows(&s);
    let place = |key: &str, value: &str| {
        let at = all.iter().position(|r| r.key == key && r.value == value);
        at.unwrap_or_else(|| panic!("{key} {value}: {all:#?}"))
    };
    let (subject, any) = (place("task", "0"), place("mentions task", "0"));
    place("mentions task", "25");
    let events = |s: &mut Explorer, at: usize| {
        s.keys("<esc>Af");
        s.send(Msg::Paste(all[at].expr.to_string()));
        s.keys("<enter>");
        s.model.len()
    };
    let (own, any) = (events(&mut s, subject), events(&mut s, any));
    s.keys("Af");
    s.send(Msg::Paste(
        "parsl.task = 0 or parsl.dependency_task = 0".to_owned(),
    ));
    s.keys("<enter>");
    assert_eq!(s.model.len(), any);
    assert!(0 < own && own < any, "{own} {any}");
}

/// Entities without an instance in the run are not offered.
#[test]
fn only_what_is_there_can_be_chosen() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("4i");
    let screen = s.screen().text();
    assert!(
        screen.contains("parsl.task") && !screen.contains("dask.") && !screen.contains("globus"),
        "{screen}"
    );
    s.keys("<esc>b");
    let screen = s.screen().text();
    assert!(
        screen.contains("parsl.manager") && !screen.contains("celery"),
        "{screen}"
    );
}

#[test]
fn the_next_one_is_the_next_of_what_is_shown() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("dn");
    assert_eq!(s.model.view, View::DIAGNOSE);
    let spot = s.model.findings.spot;
    s.keys("nN");
    assert_eq!(
        (s.model.view, s.model.findings.spot),
        (View::DIAGNOSE, spot)
    );
    s.keys("2n");
    assert_eq!(s.model.view, View::UNFINISHED);
}

/// Names and summaries of the items in the palette.
fn offered(s: &Explorer) -> Vec<(String, String)> {
    match &s.model.popup {
        Some(Popup::Picker(picker)) => {
            let items = picker.shown.iter().take(6);
            items.map(|i| (i.name.clone(), i.summary.clone())).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn the_palette_finds_actions_by_name() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys(":task 24");
    let [(only, records), (about, _), ..] = &offered(&s)[..] else {
        panic!("{:?}", offered(&s));
    };
    assert_eq!(
        (only.as_str(), about.as_str()),
        ("task 24", "about task 24")
    );
    assert!(
        records.contains("wait_for_file") && records.contains("records"),
        "{records}"
    );
    s.keys("<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    assert!(s.model.selection.steps()[0].label.starts_with("task 24"));
    s.keys("u:24<down><down><enter>");
    assert_eq!(s.model.view, View::TRACE);
    // The beginning of a long name is sufficient.
    s.keys("<esc>:manager 3619");
    assert_eq!(offered(&s)[0].0, "manager 3619e747ac56");
    s.keys("<esc>:trace parsl.task=24<enter>");
    assert_eq!(s.model.view, View::TRACE);
    s.keys("<esc>:about task 3<enter>");
    let thing = s.model.traced().cloned().unwrap();
    assert_eq!(thing.name, "task 3");
    s.keys("<esc>:trace task 4711<enter>");
    assert!(
        s.last_line().contains("no instance is called task 4711"),
        "{}",
        s.last_line()
    );
    assert_ne!(s.model.view, View::TRACE);
    s.keys("<esc>:trace tsak 24<enter>");
    let message = s.message();
    assert!(
        message.contains("; did you mean `parsl.task`?"),
        "{message}"
    );
}

#[test]
fn of_several_instances_with_one_name_one_is_chosen() {
    let mut s = Explorer::of(&["tests/data/multi.tar.gz"], "dark", 120, 40);
    s.keys(":task 5");
    let said = offered(&s);
    assert!(
        said.len() >= 6 && said[..6].iter().all(|i| i.0.ends_with("task 5")),
        "{said:?}"
    );
    assert!(said[0].1.contains("rundir 00"), "{said:?}");
    s.keys("<esc>:trace parsl.task=5<enter>");
    let reported = s.screen().text();
    assert!(reported.contains("about which?"), "{reported}");
    s.keys("j<enter>");
}

#[test]
fn instances_of_one_name_are_distinguished_by_their_runs() {
    let mut s = Explorer::of(&["tests/data/multi.tar.gz"], "dark", 120, 40);
    s.keys(":task 1");
    let offered = offered(&s);
    let same: Vec<&String> = offered
        .iter()
        .filter(|o| o.0 == "task 1")
        .map(|o| &o.1)
        .collect();
    assert!(same.len() > 1, "{offered:?}");
    for (at, reported) in same.iter().enumerate() {
        assert!(reported.contains("rundir 0"), "{reported}");
        assert!(!same[..at].contains(reported), "{same:?}");
    }
}
