//! Names of instances in lists, their failures, and screens about a selection.

use widetui_app::model::View;

use widetui_testing_tui::explorer::Explorer;

fn lost(columns: u16, rows: u16) -> Explorer {
    Explorer::of(&["tests/data/manager_lost.tar.gz"], "dark", columns, rows)
}

fn several(columns: u16, rows: u16) -> Explorer {
    Explorer::of(&["tests/data/multi.tar.gz"], "dark", columns, rows)
}

/// Lines of the screen that contain a text.
fn lines_with(s: &Explorer, text: &str) -> Vec<String> {
    let screen = s.screen();
    let lines = (0..screen.rows).map(|row| screen.line(row));
    lines.filter(|line| line.contains(text)).collect()
}

#[test]
fn a_try_says_of_which_task_it_is_and_whether_it_failed() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut s = lost(columns, rows);
        s.keys("7j");
        assert!(s.cursor_line().contains("try"), "{}", s.cursor_line());
        let failed = s.cursor_line();
        assert!(
            failed.split_whitespace().any(|word| word == "3"),
            "{failed}"
        );
        s.keys("<enter>");
        // Those that failed come first.
        assert!(s.cursor_line().contains("failed"), "{}", s.cursor_line());
        // With a single run, rows do not repeat its name.
        let text = s.screen().text();
        assert!(!text.contains("  of  "), "{text}");
        s.keys("&failed<enter>");
        let rows = lines_with(&s, "failed");
        assert!(
            rows.iter().filter(|row| row.contains(" try ")).count() == 3,
            "{rows:#?}"
        );
        s.keys("<enter>");
        assert!(
            s.screen().line(0).contains("task 14 try 0"),
            "{}",
            s.screen().line(0)
        );
    }
}

#[test]
fn instances_of_several_runs_say_of_which_one_they_are() {
    let mut s = several(80, 24);
    s.keys("7<enter>g");
    assert_eq!(s.model.view, View::INSTANCES);
    let text = s.screen().text();
    assert!(text.contains("  of "), "{text}");
    // Runs have the same names as in the list of runs.
    for run in [" 000 ", " 001 ", " 002 "] {
        assert!(text.contains(run), "{run}\n{text}");
    }
}

#[test]
fn failed_tries_end_red_in_the_timeline() {
    let mut s = lost(120, 40);
    s.keys("4");
    let text = s.screen().text();
    assert_eq!(text.matches('✕').count(), 3, "{text}");
}

#[test]
fn a_run_that_is_selected_is_all_that_screens_are_about() {
    let mut s = several(120, 40);
    s.keys("r<enter>");
    assert!(
        s.screen().line(0).contains("DataFlowKernel 000"),
        "{}",
        s.screen().line(0)
    );
    s.keys("2");
    let text = s.screen().text();
    assert!(text.contains("63 selected tasks"), "{text}");
    s.keys("d");
    let text = s.screen().text();
    assert!(text.contains("Of 63 selected tasks"), "{text}");
    s.keys("55");
    let text = s.screen().text();
    assert!(text.contains("· 63 tasks"), "{text}");
    // For an app that occurs in all runs, only the selected instances count.
    s.keys("7");
    let count = |s: &Explorer| -> u64 {
        let rows = &s.model.table().expect("a table").table.rows;
        let app = rows
            .iter()
            .find(|row| row.name == "parsl.app")
            .expect("apps");
        let table = &s.model.table().expect("a table").table;
        let events = table.columns.iter().position(|c| c.title == "events");
        app.cells[events.expect("events")]
            .text()
            .replace(',', "")
            .parse()
            .expect("a number")
    };
    let selected = s.model.len() as u64;
    let own = count(&s);
    assert!(own > 0 && own <= selected, "{own} of {selected}");
}

#[test]
fn of_alike_failures_those_are_named_that_are_selected() {
    let mut s = several(120, 40);
    s.keys("d1fparsl.task in (34, 56) and parsl.rundir = 000<enter>d");
    let text = s.screen().text();
    assert!(text.contains("of trouble failed"), "{text}");
    assert!(text.contains("Of 2 selected tasks"), "{text}");
}

#[test]
fn steps_of_one_name_are_distinguished_in_narrow_windows() {
    let mut s = several(80, 24);
    s.keys("rmjmC");
    assert_eq!(s.model.view, View::COMPARE);
    let text = s.screen().text();
    assert!(text.contains("difference"), "{text}");
    let table = &s.model.table().expect("a table").table;
    let numbered = |row: &widetui_tables::table::Row| row.cells[1].text().contains("(2) ");
    let place = table
        .rows
        .iter()
        .position(numbered)
        .expect("a step that comes again");
    s.keys("g");
    for _ in 0..place {
        s.keys("j");
    }
    assert!(s.cursor_line().contains("(2) "), "{}", s.cursor_line());
}

#[test]
fn curves_beside_another_view_keep_their_nouns() {
    let mut s = lost(120, 40);
    s.keys("v|");
    let text = s.screen().text();
    assert!(text.contains("open tasks"), "{text}");
    assert!(!text.contains("active…"), "{text}");
}

#[test]
fn the_palette_opens_tables_by_their_plural_and_rows_by_their_number() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys(":workers<enter>");
    assert_eq!(s.model.view, View::INSTANCES);
    assert_eq!(s.model.listed_entity(), Some("parsl.worker"));
    // A number alone is a row, as in editors; with the title it is the instance.
    s.keys("<esc>:24<enter>");
    assert_eq!(
        (s.model.view, s.model.events.list.cursor),
        (View::EVENTS, 23)
    );
    s.keys(":task 24<enter>");
    assert!(
        s.screen().line(0).contains("task 24"),
        "{}",
        s.screen().line(0)
    );
}

#[test]
fn near_is_the_host_during_the_life_of_an_instance_in_the_whole_run() {
    let mut s = Explorer::of(&["tests/data/identity.tar.gz"], "dark", 160, 40);
    s.keys(":agents<enter><enter>");
    let of_agent = s.model.len();
    s.keys("p");
    let near = s.letter("near");
    s.keys(&near);
    assert!(s.model.len() > of_agent, "{} of {of_agent}", s.model.len());
    s.keys("/oom-kill<enter>");
    assert!(s.cursor_line().contains("oom-kill"), "{}", s.cursor_line());
    // Back over the search to the records of the agent.
    s.keys("<esc><esc>");
    assert_eq!(s.model.len(), of_agent);
}

#[test]
fn near_is_known_by_the_hosts_of_one_system_alone() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 60);
    s.keys(":task 24<enter>");
    let of_task = s.model.len();
    s.keys("p");
    let near = s.letter("near");
    s.keys(&near);
    assert!(s.model.len() > of_task, "{} of {of_task}", s.model.len());
}
