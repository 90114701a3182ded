//! Views over time: appearance and keys.

use widetui_app::hit::Target;
use widetui_app::model::View;
use widetui_app::msg::Msg;
use widetui_app::popups::Popup;
use widetui_session::plots::LinesBy;
use widetui_tables::drawing::Drawing;
use widetui_tables::table::Cell;

use super::appearance::differences;
use widetui_testing_tui::explorer::Explorer;
use widetui_testing_tui::golden::Golden;
use widetui_testing_tui::palette::SvgPalette;

/// A run whose task 24 never ends.
fn hung(theme: &str, columns: u16, rows: u16) -> Explorer {
    Explorer::of(&["tests/data/hung"], theme, columns, rows)
}

/// The run in a terminal of 120 × 40 after some keys.
fn after(keys: &str) -> Explorer {
    let mut s = hung("dark", 120, 40);
    s.keys(keys);
    s
}

/// Text of the screen.
fn text(s: &Explorer) -> String {
    s.screen().text()
}

/// First line of the screen, which shows the selection, after a choice in a plot has opened the records.
fn trail_of_records(s: &Explorer) -> String {
    assert_eq!(s.model.view, View::EVENTS, "{}", text(s));
    s.screen().line(0)
}

/// Moves the cursor of a plot to the right by columns.
fn later(s: &mut Explorer, columns: usize) {
    (0..columns).for_each(|_| {
        s.keys("<right>");
    });
}

/// Number of rows in the table on the screen.
fn rows(s: &Explorer) -> usize {
    s.model.table().map_or(0, |t| t.len())
}

/// Name and keys of each screen, in three sizes, with and without colours.
const SCREENS: &[(&str, &str)] = &[
    ("curves", "<right>e"),
    ("states", "3"),
    ("timeline", "4j<right><right>"),
    ("latency", "5"),
    ("slowest", "5<enter>"),
    ("account", "55"),
    ("durations", "vu"),
    ("throughput", "vTbparsl.app<enter>"),
    ("check", "vR"),
    (
        "between",
        ":span-start message ~ \"launched on\"<enter>:span-end message ~ \"launched to exec_done\"<enter>",
    ),
    ("naming", "ftemplate ~ dependency<enter>gKnmy.job"),
    ("numbers", "vnparsl.cpu_user<enter>"),
];

#[test]
fn pictures_are_as_accepted() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, keys) in SCREENS {
        wrong.extend(differences(name, keys, hung));
    }
    let mut session = hung("dark", 120, 40);
    session.change(|model| {
        model.screen.plots_with = Drawing::Blocks;
    });
    for (name, keys) in [
        ("numbers-blocks", "vnparsl.cpu_user<enter>"),
        ("durations-blocks", "vu"),
    ] {
        session.keys(keys);
        let screen = session.screen();
        let is_braille = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
        assert!(!screen.text().contains(is_braille), "{}", screen.text());
        wrong.extend(golden.check_both(name, &screen, &SvgPalette::Dark).err());
    }
    let mut session = hung("mono", 120, 40);
    session.change(|model| {
        model.screen.ascii = true;
    });
    for (name, keys) in [("timeline-ascii", "4"), ("states-ascii", "3")] {
        session.keys(keys);
        let screen = session.screen();
        assert!(screen.text().is_ascii(), "{}", screen.text());
        wrong.extend(golden.check_both(name, &screen, &SvgPalette::Dark).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bar_leads_to_the_records_of_what_it_stands_for() {
    let mut s = after("4");
    assert_eq!(s.model.view, View::TIMELINE);
    let shown = text(&s);
    assert!(shown.contains("tries by worker"), "{shown}");
    // The bar of the task that never ended.
    let row = (0..40).find(|y| s.screen().line(*y).contains('▶'));
    let line = s.screen().line(row.expect("an open bar"));
    let column = line.chars().position(|c| c == '▶').unwrap();
    let target = s.target(column as u16, row.unwrap()).unwrap();
    assert!(matches!(target, Target::TimelineRow(..)), "{target:?}");
    s.send(Msg::Click(target));
    let shown = text(&s);
    assert!(shown.contains("open 22"), "{shown}");
    s.keys("<enter>");
    let trail = trail_of_records(&s);
    assert!(trail.contains("task 24 try 0"), "{trail}");
    assert!(s.model.len() > 3);
    // After undo the timeline has all bars again.
    s.keys("u4");
    assert_eq!(s.model.view, View::TIMELINE);
}

#[test]
fn steps_say_what_is_stuck_behind_them() {
    let mut s = hung("dark", 160, 50);
    s.keys("5");
    let row = |s: &Explorer| {
        let table = s.model.table().unwrap();
        let rows = table.table.rows.iter();
        let stuck = rows.filter(|r| r.name.ends_with("→ nothing more"));
        stuck
            .map(|r| r.cells.iter().map(|c| c.text()).collect())
            .collect::<Vec<Vec<String>>>()
    };
    let stuck = row(&s);
    // Task 24 has been running for 22 s without a record; the 12 tasks that wait for it are listed in the state where they
    // stopped.
    let of = |n: &str| stuck.iter().filter(|cells| cells[2] == n).count();
    assert_eq!((of("1"), of("6")), (1, 2), "{stuck:?}");
    let alone = stuck.iter().find(|cells| cells[2] == "1").unwrap();
    assert!(alone[0].starts_with("Normal end…"), "{alone:?}");
    assert_eq!(alone[5], "22.1 s", "{alone:?}");
    // The last line of both views refers to the opposite direction.
    assert!(
        s.last_line().contains("5 what it waits for"),
        "{}",
        s.last_line()
    );
    s.keys("5");
    assert!(s.last_line().contains("5 steps"), "{}", s.last_line());
    s.keys("5");
    let at = s.model.table().unwrap();
    let at = (0..at.len()).find(|p| {
        at.row(*p).is_some_and(|r| {
            r.name.starts_with("Normal ending for send_first_message") && r.name.ends_with("more")
        })
    });
    s.keys("g");
    for _ in 0..at.expect("its row") {
        s.keys("j");
    }
    s.keys("<enter>");
    let trail = trail_of_records(&s);
    assert!(trail.contains("task 24"), "{trail}");
    // Finished instances are not listed.
    s.keys("<esc><esc>ftask = 3<enter>5");
    assert!(row(&s).is_empty(), "{:?}", row(&s));
}

#[test]
fn few_rows_leave_room_for_how_many_there_are_at_once() {
    let mut s = hung("dark", 120, 50);
    s.keys("4");
    let shown = text(&s);
    assert!(shown.contains("how many at once"), "{shown}");
    assert!(shown.contains("what took how long"), "{shown}");
    assert!(s.screen().line(1).contains("4 workers"), "{shown}");
    // Rows of workers are in the order of their numbers; rows of attempts are in the order of their starts.
    assert!(
        !s.screen().line(1).contains("order of their starts"),
        "{shown}"
    );
    s.keys("beach<enter>");
    let shown = text(&s);
    assert!(shown.contains("order of their starts"), "{shown}");
}

#[test]
fn a_time_selection_in_a_plot_selects_the_time() {
    let mut s = hung("dark", 120, 40);
    let all = s.model.len();
    s.keys("3");
    later(&mut s, 50);
    s.keys("[<right><right><right><right><right><right><right><right>]");
    assert!(s.model.events.time_selection.is_some());
    s.keys("<enter>");
    assert!(
        s.screen().line(0).contains("time "),
        "{}",
        s.screen().line(0)
    );
    assert!(s.model.len() < all && !s.model.is_empty());
    // The plot is limited to the selected time range.
    assert_eq!(s.model.view, View::STATES);
    s.keys("u");
    assert_eq!(s.model.len(), all);
    // Zooming in and out again.
    s.keys("zz");
    assert!(s.model.events.zoom.is_some());
    s.keys("0");
    assert!(s.model.events.zoom.is_none());
}

#[test]
fn the_moment_is_the_same_in_all_views() {
    let mut s = after("3");
    later(&mut s, 40);
    let moment = s.model.plots.moment.expect("a moment");
    s.keys("4");
    assert_eq!(s.model.plots.moment, Some(moment));
    s.keys("1");
    let time = s.model.current().and_then(|e| e.time()).unwrap();
    let off = (time - moment).abs() as f64 / 1e9;
    assert!(off < 5.0, "{off}");
    assert_eq!(s.model.plots.moment, None);
}

#[test]
fn a_step_leads_to_its_slowest_instances_and_one_of_them_to_its_records() {
    let mut s = after("5&memoized<enter>");
    s.keys("<enter>");
    assert_eq!(s.model.view, View::SLOWEST);
    let rows = rows(&s);
    assert!(rows > 20, "{}", text(&s));
    s.keys("<enter>");
    let trail = trail_of_records(&s);
    assert!(trail.contains("task "), "{trail}");
    s.keys("5<enter><esc>");
    assert_eq!(s.model.view, View::LATENCY);
}

#[test]
fn a_state_leads_to_the_records_of_the_instances_that_it_counts() {
    let mut s = after("3");
    let mut opened = 0;
    for row in 0..rows(&s) {
        s.keys("g").keys(&"j".repeat(row));
        let cells = &s.model.table().and_then(|t| t.current()).unwrap().cells;
        let (state, count) = (cells[0].text(), cells[1].text());
        s.keys("<enter>");
        if count == "0" {
            assert_eq!(s.model.view, View::STATES);
            continue;
        }
        let steps = s.model.selection.steps().to_vec();
        let label = &steps[0].label;
        if count != "1" {
            assert_eq!(*label, format!("{count} tasks {state}"));
        }
        assert_eq!((s.model.view, steps.len()), (View::EVENTS, 1));
        s.keys("<esc>");
        opened += 1;
    }
    assert!(opened > 1, "{opened}");
}

#[test]
fn curves_are_added_and_dropped() {
    let mut s = hung("dark", 120, 40);
    let drawn = |s: &Explorer| -> Vec<String> {
        s.model
            .plots
            .drawn
            .iter()
            .map(|c| c.subject.text())
            .collect()
    };
    let before = drawn(&s);
    assert_eq!(before.len(), 3, "{before:?}");
    s.keys(":add-curve parsl.cpu_user<enter>");
    assert_eq!(drawn(&s).len(), 4);
    assert!(
        s.screen().text().contains("cpu_us"),
        "{}",
        s.screen().text()
    );
    s.keys(":drop-curve parsl.cpu_user<enter>");
    assert_eq!(drawn(&s), before);
    // A key that does not occur is reported.
    s.keys(":add-curve no.such.key<enter>");
    assert!(s.last_line().contains("has no values"), "{}", s.last_line());
    // Small screens have no room for curves.
    s.send(Msg::Resize(80, 23));
    assert!(!text(&s).contains("cpu_user"));
}

#[test]
fn instances_rows_and_colours_are_chosen() {
    let mut s = after("4");
    let lanes = rows(&s);
    s.keys("beach its own<enter>");
    let each = rows(&s);
    assert!(each > lanes, "{each} {lanes} {}", text(&s));
    s.keys("cparsl.worker<enter>");
    assert!(text(&s).contains("■"), "{}", text(&s));
    s.keys("iparsl.task<enter>");
    assert!(text(&s).contains("tasks"), "{}", text(&s));
    s.keys("vubparsl.app<enter>");
    assert!(text(&s).contains("by parsl.app"));
    s.keys("y");
    assert_eq!(s.copied.len(), 1);
}

#[test]
fn the_curve_of_a_picture_is_copied_as_text() {
    let s = after("3y");
    assert!(
        s.copied[0].starts_with("time\tname\tvalue\n2026-"),
        "{}",
        s.copied[0]
    );
}

/// First and last column of the screen that are drawn over time.
fn margins(s: &Explorer) -> (usize, usize) {
    let targets = s.targets();
    let hit = |column: u16| {
        let rows = 0..s.model.screen.size.1;
        rows.into_iter().any(|row| {
            let target = targets.at(column, row);
            matches!(
                target,
                Some(Target::OverviewBar(_) | Target::TimelineRow(..))
            )
        })
    };
    let columns: Vec<u16> = (0..s.model.screen.size.0).filter(|c| hit(*c)).collect();
    (
        usize::from(columns[0]),
        usize::from(columns[columns.len() - 1]),
    )
}

#[test]
fn plots_lie_below_the_overview() {
    for (columns, rows) in [(80, 24), (120, 40), (250, 70)] {
        let mut s = hung("dark", columns, rows);
        // The story pane takes columns from the timeline.
        s.change(|model| model.record.shown = false);
        let overview = margins(&s);
        for keys in ["3", "4", "vnparsl.cpu_user<enter>"] {
            s.keys(keys);
            assert_eq!(margins(&s), overview, "{keys} at {columns}");
        }
    }
}

#[test]
fn the_mouse_brushes_a_picture_and_moves_the_moment() {
    for (keys, row) in [("3", 5), ("4", 4), ("4", 2), ("vnparsl.cpu_user<enter>", 5)] {
        let mut s = hung("dark", 120, 40);
        let all = s.model.len();
        s.keys(keys);
        let at = |s: &Explorer, column: u16| s.target(column, row).expect("a picture");
        s.send(Msg::Click(at(&s, 70)));
        let moment = s.model.plots.moment.expect("a moment");
        s.send(Msg::Drag(at(&s, 60)));
        let brush = s.model.events.time_selection.expect("a brush");
        assert!(brush.from < moment && moment <= brush.to, "{keys} {row}");
        s.send(Msg::Drag(at(&s, 80)));
        s.send(Msg::Release);
        let brush = s.model.events.time_selection.expect("a brush");
        assert!(brush.from <= moment && moment < brush.to, "{keys} {row}");
        // Mouse movement without the button pressed has no effect.
        s.send(Msg::Drag(at(&s, 100)));
        assert_eq!(s.model.events.time_selection.map(|b| b.to), Some(brush.to));
        let columns = (brush.to - brush.from) as f64 / 1e9 / (70.6 / 90.0);
        assert!((columns - 11.0).abs() < 0.1, "{columns}");
        s.keys("<enter>");
        assert!(s.model.len() < all, "{keys}");
        assert!(s.screen().line(0).contains("time "), "{keys}");
    }
}

#[test]
fn hints_name_what_is_of_use_here() {
    let mut s = after("3");
    assert!(s.last_line().contains("later  z zoom"), "{}", s.last_line());
    for keys in ["5", "vu"] {
        s.keys(keys);
        let hints = s.last_line();
        assert!(
            !hints.contains("zoom") && hints.contains("X write"),
            "{hints}"
        );
    }
}

#[test]
fn a_measurement_far_from_zero_is_drawn_in_its_own_range() {
    let mut s = after("vnparsl.memory_resident<enter>");
    let screen = text(&s);
    assert!(
        screen.contains("122.3M┤") && screen.contains("120.0M┤"),
        "{screen}"
    );
    s.keys("vnparsl.pending_tasks<enter>");
    let screen = text(&s);
    assert!(
        screen.lines().any(|l| l.trim_start().starts_with("0┤")),
        "{screen}"
    );
}

#[test]
fn pictures_are_drawn_with_what_was_chosen() {
    let mut s = after("vnparsl.cpu_user<enter>");
    assert!(text(&s).contains('⠤'));
    s.keys(":plots blocks<enter>");
    assert_eq!(s.model.screen.plots_with, Drawing::Blocks);
    assert!(text(&s).contains('▀') && !text(&s).contains('⠤'));
    s.keys(":plots ascii<enter>");
    assert!(text(&s).contains("####"), "{}", text(&s));
    s.keys(":plots crayons<enter>");
    assert!(s.last_line().contains("braille, blocks or ascii"));
}

/// A key may have the name of a keyword.
#[test]
fn a_key_called_nothing_can_be_chosen_beside_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let line = |n: usize| {
        let word = ["x", "y"][n % 2];
        format!(
            "{{\"time\":\"2026-01-01T00:00:{n:02}Z\",\"msg\":\"m\",\"load\":{n}.5,\"nothing\":\"{word}\",\"state\":\"{word}\"}}\n"
        )
    };
    std::fs::write(&path, (0..30).map(line).collect::<String>()).unwrap();
    let mut session = Explorer::of(&[path.to_str().unwrap()], "dark", 120, 40);
    session.keys("vnload<enter>");
    assert_eq!(session.model.view, View::SERIES);
    let mut chosen = Vec::new();
    for keys in ["bnothing<enter>", "bnothing<down><enter>"] {
        session.keys(keys);
        chosen.push(session.model.plots.choices.key_by.clone());
    }
    assert!(chosen.contains(&LinesBy::Nothing), "{chosen:?}");
    let key = LinesBy::Keys(vec!["nothing".to_owned()]);
    assert!(chosen.contains(&key), "{chosen:?}");
}

#[test]
fn the_cursor_begins_on_the_step_that_takes_most_time() {
    let mut s = after("5");
    let table = s.model.table().unwrap();
    let shares = table
        .table
        .columns
        .iter()
        .position(|c| c.title == "share of time")
        .unwrap();
    let share = |row: &widetui_tables::table::Row| match row.cells[shares] {
        Cell::Share(share) => share,
        ref other => panic!("{other:?}"),
    };
    let own = share(table.current().unwrap());
    assert!(own > 0.3 && table.table.rows.iter().all(|row| share(row) <= own));
    // Reopened, the view has its cursor at the previous row.
    s.keys("g15");
    assert_eq!(s.model.tables[&View::LATENCY].list.cursor, 0);
}

#[test]
fn what_the_time_went_to_leads_to_those_of_which_it_took_most() {
    let mut s = after("55");
    assert_eq!(s.model.view, View::ACCOUNT);
    let row = s.model.table().and_then(|t| t.current()).cloned().unwrap();
    s.keys("<enter>");
    assert_eq!(s.model.view, View::SLOWEST);
    let what = row.cells[0].text();
    assert!(s.screen().line(1).contains(&what), "{}", s.screen().line(1));
    let table = s.model.table().unwrap();
    // All instances with the step are listed, longest first.
    assert_eq!(table.len().to_string(), row.cells[3].text());
    let took = |at: usize| match table.row(at).map(|r| r.cells[2].clone()) {
        Some(Cell::Span(ns)) => ns,
        other => panic!("{other:?}"),
    };
    assert!((1..table.len()).all(|at| took(at) <= took(at - 1)));
    s.keys("<enter>");
    assert_eq!(
        (s.model.view, s.model.selection.steps().len()),
        (View::EVENTS, 1)
    );
    s.keys("<esc>");
    assert_eq!(s.model.view, View::SLOWEST);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::ACCOUNT);
}

#[test]
fn without_colours_the_row_under_the_cursor_is_marked_from_end_to_end() {
    let mut s = hung("mono", 120, 40);
    s.keys("4j");
    let screen = s.screen();
    let marked: Vec<u16> = (0..40u16)
        .filter(|y| screen.line(*y).contains("──┆") || screen.line(*y).contains("────"))
        .collect();
    let rows: Vec<u16> = (0..40u16)
        .filter(|y| screen.line(*y).starts_with('▌'))
        .collect();
    assert!(rows.len() > 1, "{}", screen.text());
    assert!(rows.iter().any(|y| marked.contains(y)), "{}", screen.text());
}

/// Names and descriptions of the offered items.
fn offered(s: &Explorer) -> Vec<(String, String)> {
    let Some(Popup::Picker(picker)) = &s.model.popup else {
        return Vec::new();
    };
    let items = picker.shown.iter();
    items.map(|i| (i.name.clone(), i.summary.clone())).collect()
}

#[test]
fn only_numbers_are_offered_with_their_range_and_count() {
    let mut s = after("vn");
    let all = offered(&s);
    let summary = |name: &str| {
        let found = all.iter().find(|(n, _)| n == name);
        found.map(|(_, summary)| summary.clone())
    };
    let reported = summary("parsl.cpu_user").unwrap();
    assert!(
        reported.contains(" to ") && reported.ends_with("records"),
        "{reported}"
    );
    // Names of instances are not numeric, even if they consist of digits.
    for name in ["parsl.task", "parsl.worker", "parsl.app", "logger"] {
        assert_eq!(summary(name), None);
    }
    for (name, summary) in &all {
        let is_known = summary.contains(" to ") || summary.contains("always ");
        assert!(
            is_known || summary.contains("only in the text"),
            "{name} {summary}"
        );
    }
    // Any key can still be plotted by name.
    s.keys("<esc>:view-series parsl.worker<enter>");
    assert_eq!(s.model.view, View::SERIES);
}

#[test]
fn what_ran_on_another_worker_is_in_no_row_of_a_worker() {
    let mut s = after("fparsl.worker = 1<enter>4");
    let table = &s.model.table().unwrap().table;
    let names: Vec<String> = table.rows.iter().map(|r| r.cells[0].text()).collect();
    assert_eq!(names, ["1"]);
    assert!(
        table.note.contains("7 tries · 3 ran elsewhere"),
        "{}",
        table.note
    );
    // A selection by another key has no instances that ran elsewhere.
    s.keys("Afparsl.app = preprocess<enter>");
    let table = &s.model.table().unwrap().table;
    assert_eq!(table.rows.len(), 4);
    assert!(!table.note.contains("elsewhere"), "{}", table.note);
}

#[test]
fn steps_can_be_read_in_narrow_terminals() {
    for (columns, least, titles) in [(40, 28, &["mean"][..]), (60, 36, &["mean", "share"])] {
        let mut s = hung("dark", columns, 24);
        s.keys("5");
        let screen = s.screen();
        let heads = (0..screen.rows).map(|row| screen.line(row));
        let head = { heads }
            .find(|line| line.trim_start().starts_with("step "))
            .unwrap();
        for title in titles {
            assert!(head.contains(title), "{columns}: {head}");
        }
        let name = head.find("mean").unwrap() - 6;
        assert!(name >= least, "{columns}: {head}");
    }
}

#[test]
fn curves_are_called_the_same_on_the_screen_and_in_files() {
    let mut s = hung("dark", 250, 70);
    s.keys("<right>");
    let screen = text(&s);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.svg");
    s.keys("X<ctrl-u>");
    s.send(Msg::Paste(file.display().to_string()));
    s.keys("<enter>");
    let svg = std::fs::read_to_string(file).unwrap();
    let mut met = 0;
    for curve in s.model.plots.drawn.iter() {
        use widetui_analysis::overview::CurveSubject;
        if matches!(
            curve.subject,
            CurveSubject::State { .. } | CurveSubject::Unfinished(_)
        ) {
            assert!(screen.contains(&curve.title), "{}\n{screen}", curve.title);
            assert!(svg.contains(&curve.title), "{}", curve.title);
            met += 1;
        }
    }
    assert!(met > 0);
}

#[test]
fn how_many_finish_is_reported_in_all_and_by_a_key_and_a_group_is_pivoted_on() {
    let mut s = after("vT");
    assert_eq!(s.model.view, View::THROUGHPUT);
    let reported = text(&s);
    for part in [
        "tasks finished per 2 s",
        "finished in all",
        "36 tasks in 8.7 s · 4.2 per second · 13 did not finish",
    ] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    assert_eq!(rows(&s), 1);
    s.keys("bparsl.app<enter>");
    assert_eq!((s.model.view, rows(&s)), (View::THROUGHPUT, 2));
    let reported = text(&s);
    assert!(
        reported.contains("preprocess") && reported.contains("67 %"),
        "{reported}"
    );
    s.keys("<enter>");
    let trail = trail_of_records(&s);
    assert!(trail.contains("preprocess"), "{trail}");
    // The copied command prints the data of the plot.
    let mut s = after("vT");
    s.change(|model| model.user_data.opened.why_not = None);
    s.keys("Yc");
    let copied = s.copied.last().unwrap();
    assert!(
        copied.starts_with("widetui throughput parsl.task"),
        "{copied}"
    );
}

#[test]
fn what_finishes_seldom_is_counted_in_longer_times() {
    use widetui_analysis::utilisation::RateUnit;
    let second = 1_000_000_000;
    let name = |count, seconds: i64| RateUnit::for_rate(count, seconds * second).name;
    assert_eq!(name(20, 10), "second");
    assert_eq!(name(20, 21), "minute");
    assert_eq!(name(20, 3600), "hour");
    assert_eq!(name(1, 90_000), "hour");
    assert_eq!(
        RateUnit::for_rate(30, 60 * second).rate(30, 60 * second),
        Some(30.0)
    );
    assert_eq!(RateUnit::for_rate(1, 0).rate(1, 0), None);
}

#[test]
fn records_that_break_a_rule_are_one_key_away() {
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 120, 40);
    s.change(|model| { model.meaning = std::sync::Arc::new(widetui_session::meaning::Meaning::new(&[(
        "mine.toml".to_owned(),
        "name = \"mine\"\n[[rule]]\nname = \"a job is in a queue\"\nwhere = \"has job\"\nthen = \"has queue\"\n\
         [[rule]]\nname = \"a job has a job\"\nwhere = \"has job\"\nthen = \"has job\"\n"
            .to_owned(),
    )])); });
    s.keys("vR");
    assert_eq!((s.model.view, rows(&s)), (View::CHECKS, 2));
    let reported = text(&s);
    assert!(reported.contains("1 violated"), "{reported}");
    assert!(
        s.cursor_line().contains("a job is in a queue"),
        "{reported}"
    );
    s.keys("<enter>");
    let trail = trail_of_records(&s);
    assert!(trail.contains("not: a job is in a queue"), "{trail}");
    let left = s.model.len();
    assert!(left > 0 && left < s.model.snapshot.len(), "{left}");
    // Going back returns to the rules.
    s.keys("<esc>");
    assert_eq!(s.model.view, View::CHECKS);
}

#[test]
fn going_to_a_time_stays_in_the_picture() {
    for view in ["3", "4", "vnparsl.cpu_user<enter>", "vT"] {
        let mut s = after(view);
        let shown = s.model.view;
        s.keys("T01:44:08<enter>");
        assert_eq!(s.model.view, shown, "{}", text(&s));
        let at = |s: &Explorer| s.model.plots.moment.map(|t| t / 1_000_000_000 % 3600);
        assert_eq!(at(&s), Some(44 * 60 + 8));
        s.keys("T+2s<enter>");
        assert_eq!(at(&s), Some(44 * 60 + 10));
        s.keys("T0%<enter>");
        assert_eq!(at(&s), Some(43 * 60 + 19));
        // The record list goes to the same moment.
        s.keys("T01:44:08<enter>1");
        assert!(s.cursor_line().contains("01:44:0"), "{}", s.cursor_line());
        s.keys("3T02:00:00<enter>");
        assert!(
            s.last_line().contains("after the last"),
            "{}",
            s.last_line()
        );
    }
}

#[test]
fn what_is_zoomed_in_on_goes_on_with_the_cursor() {
    let mut s = after("3zzz");
    let (from, to) = s.model.events.zoom.expect("zoomed");
    later(&mut s, 100);
    let (next_from, next_to) = s.model.events.zoom.expect("still zoomed");
    assert!(next_from > from, "{from} {next_from}");
    assert_eq!(next_to - next_from, to - from);
    let moment = s.model.plots.moment.expect("a moment");
    assert!((next_from..=next_to).contains(&moment));
    // Panning stops at the end of the run, and at its start.
    let (first, last) = s.model.snapshot.range().unwrap();
    later(&mut s, 6_000);
    assert_eq!(s.model.events.zoom, Some((last - (to - from), last)));
    for _ in 0..6_000 {
        s.keys("<left>");
    }
    assert_eq!(s.model.events.zoom, Some((first, first + (to - from))));
    // A single undo reverts all panning.
    s.keys("u");
    assert_ne!(s.model.events.zoom, Some((first, first + (to - from))));
}

#[test]
fn a_time_selection_over_one_column_is_that_column() {
    let mut s = after("3<right><right><right>[");
    s.keys("]");
    let brush = s.model.events.time_selection.expect("a brush");
    let (first, last) = s.model.snapshot.range().unwrap();
    let column = (last - first) / 90;
    let length = brush.to - brush.from;
    assert!(
        (column / 2..column * 2).contains(&length),
        "{length} {column}"
    );
}

#[test]
fn a_time_selection_is_taken_wherever_the_cursor_stands() {
    // The row of all finished instances cannot be opened by itself.
    let mut s = after("vT<right><right>[<right><right>]j");
    let hints = s.last_line();
    assert!(
        hints.contains("Enter only the brush  Esc drop it"),
        "{hints}"
    );
    s.keys("<enter>");
    assert!(breadcrumbs(&s).contains("time "), "{}", breadcrumbs(&s));
}

fn breadcrumbs(s: &Explorer) -> String {
    s.screen().line(0)
}

#[test]
fn what_is_empty_says_what_of_the_run_is_asked() {
    // A time range before the first instance began.
    let mut s = after("3[");
    later(&mut s, 4);
    s.keys("]<enter>");
    for keys in ["3", "4", "vu", "vT"] {
        s.keys(keys);
        let screen = text(&s);
        assert_eq!(rows(&s), 0, "{screen}");
        let reported = screen.lines().find(|l| l.contains("records are selected"));
        let reported = reported.unwrap_or_else(|| panic!("{screen}"));
        assert!(reported.contains("A selects all again"), "{reported}");
    }
    s.keys("A4");
    assert!(rows(&s) > 0 && !text(&s).contains("are selected"));
}

#[test]
fn as_many_as_could_run_at_once_are_a_line_above_those_that_do() {
    for theme in ["dark", "mono"] {
        let mut s = hung(theme, 120, 40);
        s.keys("4");
        let title = |s: &Explorer| {
            let screen = text(s);
            let found = screen.lines().position(|l| l.contains("how many at once"));
            (found.unwrap_or_else(|| panic!("{screen}")), screen)
        };
        // The cursor is where the task that hangs began.
        let (at, screen) = title(&s);
        let line = screen.lines().nth(at).unwrap();
        assert!(
            line.contains("at the cursor, at most 4 · ─ workers 4 "),
            "{line}"
        );
        // Where a worker is idle there is a line; above running tasks there is nothing else.
        let top = screen.lines().nth(at + 1).unwrap();
        assert!(top.contains("█─") || top.contains("░─"), "{screen}");
        assert!(top.contains("██"), "{screen}");
    }
    // The number of managers is no limit for the number of running tasks.
    let mut s = hung("dark", 120, 40);
    s.keys("4bmanager<enter>");
    let screen = text(&s);
    assert!(screen.contains("how many at once"), "{screen}");
    assert!(!screen.contains("at the cursor · ─"), "{screen}");
}

#[test]
fn numbers_that_change_are_offered_first() {
    let mut s = after("vn");
    let all = offered(&s);
    let places = |of: &dyn Fn(&str) -> bool| {
        let found = all
            .iter()
            .enumerate()
            .filter(|(_, (_, reported))| of(reported));
        found.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let last_changing = places(&|reported: &str| reported.contains(" to "))
        .last()
        .copied()
        .unwrap();
    let first_constant = places(&|reported: &str| reported.contains("always "))
        .first()
        .copied()
        .unwrap();
    let writers = ["line", "pid", "thread_id"];
    let is_writer = writers.contains(&all[last_changing].0.as_str());
    assert!(first_constant > last_changing || is_writer, "{all:?}");
    s.keys("<enter>");
    assert!(!text(&s).contains("always"));
}
