//! What a run is about: hung, entities, all about one thing, joins; on a real run that hangs.

use widetui::ui::model::{Pane, View};
use widetui::ui::msg::Msg;
use widetui::ui::popups::Popup;
use widetui::workspace::load::LoadMsg;

use super::common::golden::Golden;
use super::common::palette::SvgPalette;
use super::session::{Session, load};

fn run(path: &str, theme: &str, columns: u16, rows: u16) -> Session {
    let mut session = Session::new(theme, columns, rows);
    session.model.title = path.trim_start_matches("tests/").to_owned();
    session.send(Msg::Load(LoadMsg::Snapshot(load(&[path]))));
    session
}

fn hung(theme: &str, columns: u16, rows: u16) -> Session {
    run("tests/data/hung/000", theme, columns, rows)
}

fn row_count(s: &Session) -> usize {
    s.model.table().map_or(0, |t| t.len())
}

/// Name and keys; each in three sizes and two themes.
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
fn screens_of_things_are_as_accepted() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, keys) in SCREENS {
        for (theme, ending) in [("dark", ""), ("mono", "-mono")] {
            for (size, at) in [
                ((120, 40), ""),
                ((80, 24), "-80x24"),
                ((250, 70), "-250x70"),
            ] {
                let mut session = hung(theme, size.0, size.1);
                session.keys(keys);
                let screen = session.screen();
                let name = format!("{name}{ending}{at}");
                assert!(screen.bold_and_dim().is_empty(), "{name}");
                let checked = golden.check_both(&name, &screen, &SvgPalette::Dark);
                wrong.extend(checked.err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn three_keys_lead_from_the_first_screen_to_what_hangs_and_the_worker_that_has_it() {
    let mut s = hung("dark", 120, 40);
    // The first screen says that there is something, and which key shows it.
    assert!(s.screen().line(0).contains("1 stuck"));
    assert!(s.last_line().contains("2 hung"), "{}", s.last_line());
    s.keys("2");
    let told = s.screen().text();
    for part in [
        "task 24",
        "wait_for_file",
        "worker 1",
        "12 wait for it",
        "in words",
    ] {
        assert!(told.contains(part), "{part}");
    }
    s.keys("<enter>");
    assert_eq!(s.model.view, View::Events);
    assert!(s.screen().line(0).contains("task 24 wait_for_file 23"));
    assert_eq!(s.model.len(), 23);
    // At its last words, on the worker that has it.
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
fn a_healthy_run_says_so() {
    let mut s = run("tests/data/queue-run", "dark", 120, 40);
    s.keys("2");
    let told = s.screen().text();
    assert!(told.contains("nothing is stuck"), "{told}");
    s.keys("<enter>jjG<enter><esc>");
    assert_eq!(s.model.view, View::Events);
}

#[test]
fn entities_lead_to_their_instances_and_these_to_exactly_their_events() {
    let mut s = hung("dark", 120, 40);
    s.keys("7");
    assert!(s.cursor_line().contains("task"), "{}", s.cursor_line());
    s.keys("<enter>");
    assert_eq!((s.model.view, row_count(&s)), (View::Instances, 49));
    // The unfinished ones come first.
    assert!(s.cursor_line().contains("wait_for_file") && s.cursor_line().contains("open"));
    s.keys("/report<enter>");
    assert_eq!(row_count(&s), 6);
    s.keys("<esc>-");
    assert!(s.screen().line(0).contains("not task 24 wait_for_file"));
    assert_eq!((s.model.view, row_count(&s)), (View::Instances, 48));
    s.keys("ug<enter>");
    assert_eq!((s.model.view, s.model.len()), (View::Events, 23));
    // What the selection is about: one task, one worker.
    s.keys("7<enter>");
    assert_eq!(row_count(&s), 1);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::Entities);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::Events);
}

#[test]
fn a_list_of_tasks_is_about_each_of_them() {
    // "Sent tasks: [25] to manager ..." belongs to every task that it lists, and to no other.
    let mut s = hung("dark", 120, 40);
    s.keys("/Sent tasks<enter>np");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("no list");
    };
    let things: Vec<_> = pivot.rows.iter().filter_map(|r| r.thing.clone()).collect();
    let tasks = things.iter().filter(|t| t.entity == "parsl.task").count();
    let own = s.model.current().unwrap();
    let text = s.model.text(&own).unwrap().text.clone();
    let list = text.split_once('[').unwrap().1.split_once(']').unwrap().0;
    assert_eq!(tasks, list.split(',').count(), "{text}");
    assert!(pivot.rows[0].thing.is_some() && pivot.rows[0].count.is_some_and(|n| n > 0));
}

#[test]
fn all_about_one_thing_is_reached_from_anywhere_and_leads_to_its_records() {
    for (keys, back) in [
        ("2i", View::Hung),
        ("7<enter>i", View::Instances),
        ("2<enter>i", View::Events),
        ("2<enter>pi", View::Events),
    ] {
        let mut s = hung("dark", 120, 40);
        s.keys(keys);
        assert_eq!((s.model.view, row_count(&s)), (View::Trace, 23), "{keys}");
        let text = s.screen().text();
        for part in [
            "about task 24 wait_for_file",
            "launched",
            "worker 1",
            "join",
        ] {
            assert!(text.contains(part), "{keys}: {part}");
        }
        s.keys("<esc>");
        assert_eq!(s.model.view, back, "{keys}");
        s.keys("iG<enter>");
        assert_eq!(s.model.view, View::Events);
        assert!(
            s.cursor_line()
                .contains("Normal ending for send_first_message")
        );
    }
    let mut s = run("tests/data/other", "dark", 120, 40);
    s.keys("i");
    assert_eq!(s.model.view, View::Events);
}

#[test]
fn a_join_is_switched_off_and_on_again() {
    let mut s = hung("dark", 120, 40);
    s.keys("2<enter>");
    assert_eq!(s.model.len(), 23);
    s.keys("6/executor ta<enter>");
    let line = s.cursor_line();
    assert!(
        line.contains("executor task ⇒ task, try") && line.contains('●'),
        "{line}"
    );
    // Without these nothing of the interchange is known to be about the task.
    for _ in 0..row_count(&s) {
        s.keys("<space>j");
    }
    assert!(s.cursor_line().contains('○'), "{}", s.cursor_line());
    s.keys("1");
    assert!(s.model.len() < 23, "{}", s.model.len());
    s.keys("6");
    for _ in 0..row_count(&s) {
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
    assert_eq!(s.model.view, View::NewJoin);
    // Keys are found by writing a part of their names.
    s.keys("/job<enter><enter><esc>/worker<enter>");
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
        (View::Joins, 1)
    );
    let report = s
        .model
        .joins
        .reports
        .iter()
        .find(|r| r.join == "job ⇒ worker");
    // It does what was said before.
    assert_eq!(report, Some(&preview));
    assert!(s.screen().text().contains("own"));
    s.keys("u");
    assert!(s.model.selection.joins().own.is_empty() && s.model.joins.reports.is_empty());
    // A join without a side is none.
    s.keys("as");
    assert!(s.joins.is_empty() && s.last_line().contains("choose"));
    s.keys("/job<enter><enter><esc>/worker<enter><enter><enter>s");
    assert_eq!(s.joins, ["job ⇒ worker"]);
    assert_eq!(s.model.view, View::Joins);
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
                s.model.ascii = ascii;
                s.send(Msg::Resize(size.0, size.1));
                let text = s.screen().text();
                assert!(!ascii || text.is_ascii(), "{keys} {size:?}");
            }
        }
    }
}

#[test]
fn joins_are_taken_back_from_everywhere_in_one_order_of_time() {
    let mut s = hung("dark", 120, 40);
    let state = |s: &Session| {
        let joins = s.model.selection.joins();
        (
            s.model.selection.steps().len(),
            joins.off.len() + joins.own.len(),
        )
    };
    let filter = |s: &mut Session, text: &str| {
        s.keys("1f").send(Msg::Paste(text.to_owned()));
        s.keys("<enter>");
    };
    filter(&mut s, "has parsl.task");
    let with_joins = s.model.len();
    s.keys("6/executor ta<enter>");
    for _ in 0..row_count(&s) {
        s.keys("<space>j");
    }
    let off = state(&s).1;
    assert!(off > 0);
    filter(&mut s, "level >= debug");
    assert_eq!(state(&s), (2, off));
    assert!(s.model.len() < with_joins);
    // From the events, where no join is to be seen.
    s.keys("u");
    assert_eq!(state(&s), (1, off));
    s.keys("u");
    assert_eq!(state(&s), (1, off - 1));
    let said = s.last_line();
    assert!(said.contains("the join "), "{said}");
    for _ in 1..off {
        s.keys("u");
    }
    assert_eq!((state(&s), s.model.len()), ((1, 0), with_joins));
    s.keys("u");
    assert_eq!(state(&s), (0, 0));
    for _ in 0..off + 2 {
        s.keys("<ctrl-r>");
    }
    assert_eq!(state(&s), (2, off));
    assert!(
        s.model
            .joins
            .reports
            .iter()
            .all(|r| !s.model.selection.joins().off.contains(&r.join))
    );
}

#[test]
fn a_join_that_is_built_says_before_where_it_would_find_several_values() {
    let mut s = run("tests/data/queue-run", "dark", 120, 40);
    s.keys("6a/worker<enter><enter><esc>/job<enter><enter><enter>");
    let draft = s.model.joins.draft.clone();
    assert_eq!(
        (&draft.by[..], &draft.gives[..]),
        (&["worker".to_owned()][..], &["job".to_owned()][..])
    );
    let report = draft.preview.unwrap().unwrap();
    assert!(report.conflicts > 0 && !report.examples.is_empty());
    let screen = s.screen().text();
    let title = format!(
        "{} conflicts: these groups would get nothing",
        report.conflicts
    );
    assert!(screen.contains(&title), "{screen}");
    let first = &report.examples[0];
    let [(value, _), (other, _), ..] = &first.values[..] else {
        panic!("{first:?}");
    };
    let (key, group) = &first.group[0];
    let told = screen
        .lines()
        .find(|l| l.contains(&format!("{key} {group}")));
    let told = told.unwrap_or_else(|| panic!("{screen}"));
    assert!(told.contains(&format!("{value}, {other}")), "{told}");
    // One that holds needs no such lines.
    let mut s = run("tests/data/queue-run", "dark", 120, 40);
    s.keys("6a/job<enter><enter><esc>/worker<enter><enter><enter>");
    let report = s.model.joins.draft.preview.clone().unwrap().unwrap();
    assert_eq!(
        report.conflicts > 0,
        s.screen().text().contains("would get nothing")
    );
    // Also where there is little room.
    for (columns, rows) in [(80, 24), (40, 9), (20, 4), (1, 1)] {
        let mut s = run("tests/data/queue-run", "mono", columns, rows);
        s.keys("6a/worker<enter><enter><esc>/job<enter><enter><enter>");
        s.screen();
    }
}

/// The hung run as if its files had been written last at a time, UTC ns; 0 for an archive.
fn written_at(modified: i64) -> Session {
    let mut snapshot = (*load(&["tests/data/hung/000"])).clone();
    let sources = snapshot.sources.iter().map(|s| {
        let mut source = (**s).clone();
        source.modified = modified;
        std::sync::Arc::new(source)
    });
    snapshot.sources = sources.collect();
    let mut s = Session::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(std::sync::Arc::new(snapshot))));
    s.keys("2");
    s
}

#[test]
fn ages_go_on_with_the_clock_while_files_are_followed() {
    let second = 1_000_000_000;
    let hour = 3600 * second;
    // The clock of this machine is years away from that of the logs: only what passes counts.
    let written = 77 * hour;
    let age = |s: &Session| {
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
    // Nothing is followed.
    assert!(!widetui::ui::update::is_ticking(&s.model));
    s.send(Msg::Tick(written + 3 * hour));
    assert_eq!(age(&s), at_the_end);
    s.model.follow.state = widetui::ui::following::Following::On;
    assert!(widetui::ui::update::is_ticking(&s.model));
    s.send(Msg::Tick(written + second));
    assert!(age(&s).starts_with("launched 59.8 s"), "{}", age(&s));
    s.send(Msg::Tick(written + 3 * hour));
    assert!(age(&s).starts_with("launched 3 h 01 m"), "{}", age(&s));
    s.keys("1");
    assert!(!widetui::ui::update::is_ticking(&s.model));
    // Of an archive nothing goes on.
    let mut s = written_at(0);
    s.model.follow.state = widetui::ui::following::Following::On;
    s.send(Msg::Tick(written + 3 * hour));
    assert_eq!(age(&s), at_the_end);
}

#[test]
fn what_is_harmless_is_so_in_the_view_and_in_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hung/000");
    let to = folder.path().join("000");
    let inner = "htex_campaign/block-0/3619e747ac56";
    std::fs::create_dir_all(to.join(inner)).unwrap();
    for file in [
        "parsl.log",
        "htex_campaign/interchange.log",
        &format!("{inner}/worker_1.log"),
    ] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    let log = std::fs::read_to_string(from.join(inner).join("manager.log")).unwrap();
    // Usual, says the definition.
    let usual = "1795225447.900000 2026-11-21 01:44:07 MainProcess-4196 MainThread-140120374135680 \
        parsl.executors.high_throughput.process_worker_pool:100 <module> ERROR: Failed to connect to interchange\n";
    std::fs::write(to.join(inner).join("manager.log"), format!("{log}{usual}")).unwrap();
    let path = to.to_str().unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["hung", path])
        .output()
        .unwrap();
    let printed = String::from_utf8(out.stdout).unwrap();
    let mut s = run(path, "dark", 120, 60);
    s.keys("2");
    let shown = s.screen().text();
    for (whose, text) in [("command", &printed), ("view", &shown)] {
        assert!(text.contains("task 24"), "{whose}: {text}");
        assert!(!text.contains("last error before it"), "{whose}: {text}");
    }
}
