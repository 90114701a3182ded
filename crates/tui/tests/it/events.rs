//! The view of events: time selection, zoom, context lines, followed values, breadcrumbs, multi-line records.

use widetui_app::hit::Target;
use widetui_app::model::{Pane, TimeDisplay, View};
use widetui_app::msg::Msg;
use widetui_session::rows::Rows;

use widetui_testing_tui::explorer::Explorer;

fn example() -> Explorer {
    Explorer::example("dark", 120, 40)
}

/// Times of all rows.
fn times(s: &Explorer) -> Vec<i64> {
    let rows = 0..s.model.len();
    rows.filter_map(|row| s.model.event(row)?.time()).collect()
}

#[test]
fn a_time_selection_becomes_a_step_that_can_be_undone() {
    let mut s = example();
    let all = s.model.len();
    s.keys("e[");
    let from = s.model.current().unwrap().time().unwrap();
    s.keys("jjjjj]");
    let to = s.model.current().unwrap().time().unwrap();
    assert!(
        s.last_line().contains("time selection 14:00:16"),
        "{}",
        s.last_line()
    );
    let (_, column) = s.screen().find("━").unwrap();
    assert!(column > 9);
    // The keys move the last changed edge by one column, and back.
    s.keys("}");
    assert!(s.model.events.time_selection.unwrap().to > to);
    s.keys("{<enter>");
    assert_eq!(s.model.events.time_selection, None);
    assert!(
        s.screen().line(0).contains("› time 14:00:16"),
        "{}",
        s.screen().line(0)
    );
    let inside = times(&s);
    assert_eq!(inside.len(), 6);
    assert!(inside.iter().all(|t| (from..=to).contains(t)));
    s.keys("u");
    assert_eq!(s.model.len(), all);
    // Escape first clears the time selection.
    s.keys("[<esc>");
    assert_eq!((s.model.events.time_selection, s.model.len()), (None, all));
    s.keys("{");
    assert!(s.last_line().contains("there is no time selection"));
}

#[test]
fn the_mouse_brushes_the_overview() {
    let mut s = example();
    s.send(Msg::Click(Target::OverviewBar(20)));
    s.send(Msg::Drag(Target::OverviewBar(35)));
    s.send(Msg::Drag(Target::OverviewBar(30)));
    s.send(Msg::Release);
    let brush = s.model.events.time_selection.unwrap();
    let overview = s.model.overview.clone().unwrap();
    assert_eq!(
        (overview.bin_of(brush.from), overview.bin_of(brush.to)),
        (20, 30)
    );
    let inside: u32 = overview.events[20..=30].iter().sum();
    s.keys("<enter>");
    assert_eq!(s.model.len(), inside as usize);
    // The overview still contains the records that are not selected.
    let overview = s.model.overview.clone().unwrap();
    assert_eq!(
        overview.all.iter().sum::<u32>() as usize,
        s.model.snapshot.len()
    );
    assert_eq!(overview.events.iter().sum::<u32>(), inside);
}

#[test]
fn the_overview_can_be_zoomed() {
    let mut s = example();
    let whole = s.model.overview.clone().unwrap();
    s.keys("ez");
    let near = s.model.overview.clone().unwrap();
    assert!(whole.range.0 <= near.range.0 && near.range.1 <= whole.range.1);
    assert_eq!(
        (near.range.1 - near.range.0) / 1000,
        (whole.range.1 - whole.range.0) / 4000
    );
    assert!(near.shows(s.model.current().unwrap().time().unwrap()));
    assert!(s.screen().text().contains("zoomed"));
    // Zooming does not change the selection.
    assert_eq!(s.model.len(), s.model.snapshot.len());
    s.keys("zzZ0");
    assert_eq!(s.model.overview, Some(whole));
    // Zooms to the time selection.
    s.keys("[jjj]z");
    let brush = s.model.events.time_selection.unwrap();
    assert_eq!(s.model.events.zoom, Some((brush.from, brush.to)));
}

#[test]
fn context_lines_are_shown_without_losing_the_filter() {
    let mut s = example();
    s.keys("c");
    assert!(
        s.last_line().contains("nothing is filtered"),
        "{}",
        s.last_line()
    );
    s.keys("flevel >= error<enter>");
    let errors = s.model.len();
    assert_eq!(errors, 3);
    s.keys("gc");
    assert!(s.model.len() > errors);
    assert!(matches!(s.model.rows, Rows::WithContext { .. }));
    let own = |s: &Explorer| {
        (0..s.model.len())
            .filter(|r| !s.model.rows.is_context_line(*r))
            .count()
    };
    assert_eq!(own(&s), errors);
    // Context lines of the same source: each has a source with a selected error.
    let sources: Vec<u32> = (0..s.model.len())
        .filter(|r| !s.model.rows.is_context_line(*r))
        .map(|r| s.model.event(r).unwrap().source().id.0)
        .collect();
    for row in 0..s.model.len() {
        assert!(sources.contains(&s.model.event(row).unwrap().source().id.0));
    }
    assert!(s.screen().text().contains("┆"));
    assert!(s.cursor_line().contains("job 9 failed"));
    s.keys("c");
    assert_eq!(own(&s), errors);
    assert!(s.cursor_line().contains("job 9 failed"));
    let of_all = s.model.len();
    s.keys("-");
    assert!(s.model.len() < of_all);
    s.keys("++");
    assert!(s.model.len() > of_all);
    // Counts, further steps and the overview ignore context lines.
    assert!(s.screen().line(0).contains("level >= error 3"));
    assert_eq!(
        s.model
            .overview
            .as_ref()
            .unwrap()
            .events
            .iter()
            .sum::<u32>(),
        3
    );
    s.keys("fjob = 9<enter>");
    assert_eq!(own(&s), 1);
    s.keys("<esc>");
    assert_eq!(s.model.len(), 1);
}

#[test]
fn records_with_one_value_are_visited_and_marked_without_a_filter() {
    let mut s = example();
    let all = s.model.len();
    s.keys("ep");
    // Moves to the row of the job and highlights it.
    s.keys("=");
    let highlight = s.model.events.highlight.clone().unwrap();
    assert_eq!(highlight.same.label, "job");
    assert_eq!(highlight.fits.unwrap().1, 9);
    assert_eq!(s.model.len(), all);
    assert!(s.screen().text().contains("● 9"), "{}", s.screen().text());
    let marked: u32 = s.model.overview.as_ref().unwrap().marked.iter().sum();
    assert_eq!(marked, 9);
    let here = s.model.events.list.cursor;
    s.keys("o");
    let next = s.model.events.list.cursor;
    assert!(
        next > here && s.cursor_line().contains("job 9"),
        "{}",
        s.cursor_line()
    );
    s.keys("O");
    assert_eq!(s.model.events.list.cursor, here);
    s.keys("pjjkkO");
    assert!(s.model.popup.is_none() && s.model.events.list.cursor < here);
    assert!(s.cursor_line().contains("job 9"));
    s.keys("=");
    assert!(s.model.events.highlight.is_none());
}

#[test]
fn steps_can_be_counted_from_the_record_before_with_the_same_value() {
    let mut s = example();
    s.keys("epj");
    // If the list has only records with the value, the steps are those between consecutive rows.
    let expected = times(&s);
    s.keys("u:time-same<enter>");
    assert_eq!(s.model.time, TimeDisplay::SameKey);
    assert!(s.screen().text().contains("Δ job"), "{}", s.screen().text());
    let mut seen = Vec::new();
    for row in 0..s.model.len() {
        s.send(Msg::Click(Target::Row(row)));
        s.change(|model| model.pane = Pane::List);
        let event = s.model.event(row).unwrap();
        if expected.contains(&event.time().unwrap()) && s.cursor_line().contains("job 9") {
            let place = widetui_session::record_texts::Place::from_event(&event);
            seen.push(s.model.events.steps.known[&place]);
        }
    }
    let steps: Vec<Option<i64>> = std::iter::once(None)
        .chain(expected.windows(2).map(|w| Some(w[1] - w[0])))
        .collect();
    assert_eq!(seen, steps);
}

#[test]
fn the_last_step_of_the_breadcrumbs_is_not_cut() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 80, 24);
    for filter in [
        "message ~ /changing state from pending to l/ and level >= info",
        "level >= info and message ~ /changing state from pending to lau/",
    ] {
        s.keys(&format!("f{filter}<enter>"));
        let (first, count) = (s.screen().line(0), s.model.len());
        assert!(first.contains(&format!("{filter} {count}")), "{first}");
    }
}

#[test]
fn any_step_of_the_breadcrumbs_can_be_dropped_or_written_anew() {
    let mut s = example();
    s.keys("`");
    assert!(s.last_line().contains("no steps"));
    s.keys("flevel >= info<enter>fjob in (8, 9)<enter>");
    let both = s.model.len();
    s.keys("`");
    assert_eq!(s.model.pane, Pane::Breadcrumb);
    assert!(s.screen().line(0).contains("▸job in (8, 9)"));
    s.keys("<left>x");
    assert_eq!(s.model.selection.steps().len(), 1);
    assert!(s.model.len() > both);
    let of_jobs = s.model.len();
    s.keys("<right><enter>");
    assert!(
        s.last_line().contains("filter job in (8, 9)"),
        "{}",
        s.last_line()
    );
    s.keys("<ctrl-w><ctrl-w><ctrl-w><ctrl-w>job = 9<enter>");
    assert_eq!(s.model.selection.steps().len(), 1);
    assert_eq!(s.model.len(), 9);
    s.keys("u");
    assert_eq!(s.model.len(), of_jobs);
    s.keys("u");
    assert_eq!(s.model.len(), both);
    s.keys("`gg<enter>");
    assert!(s.model.selection.is_all() && s.model.pane == Pane::List);
}

#[test]
fn sources_are_hidden_in_one_step() {
    let mut s = example();
    let all = s.model.len();
    let source = s.model.current().unwrap().source().clone();
    s.keys("H");
    assert!(
        s.screen().line(0).contains("› 1 source hidden"),
        "{}",
        s.screen().line(0)
    );
    assert_eq!(s.model.len(), all - source.stats.records() as usize);
    s.keys("H");
    assert!(s.screen().line(0).contains("› 2 sources hidden"));
    assert_eq!(s.model.selection.steps().len(), 1);
    // The command hides and shows the source under the cursor of the sources view.
    s.keys("9");
    assert_eq!(s.model.view, View::SOURCES);
    s.keys("HH1uuuu");
    assert_eq!(s.model.len(), all);
}

#[test]
fn times_are_gone_to() {
    let mut s = example();
    for (text, row) in [
        ("50%", (s.model.len() - 1) / 2),
        ("0%", 0),
        ("100%", s.model.len() - 1),
    ] {
        s.keys(&format!("T{text}<enter>"));
        assert_eq!(s.model.events.list.cursor, row, "{text}");
    }
    s.keys("T14:00:20<enter>");
    let at = s.model.current().unwrap().time().unwrap();
    assert!(s.cursor_line().contains("14:00:2"), "{}", s.cursor_line());
    s.keys("T+5s<enter>");
    let later = s.model.current().unwrap().time().unwrap();
    assert!(
        later - at >= 5_000_000_000 && later - at < 7_000_000_000,
        "{}",
        later - at
    );
    // The prompt stays open and shows the error.
    let text = s.keys("Tyesterday<enter>").screen().text();
    assert!(text.contains("not a time"), "{text}");
    s.keys("<esc>T23:59<enter>");
    assert_eq!(s.model.events.list.cursor, s.model.len() - 1);
    assert!(s.last_line().contains("after the last record"));
}

#[test]
fn rows_are_unfolded_and_wrapped_in_place() {
    let mut s = example();
    s.keys("e");
    assert!(s.cursor_line().contains("(+6 lines)"));
    s.keys("<space>");
    assert!(!s.cursor_line().contains("(+6 lines)"));
    let text = s.screen().text();
    assert_eq!(
        text.matches("Traceback (most recent call last)").count(),
        2,
        "{text}"
    );
    s.keys("j");
    assert!(
        s.cursor_line().contains("Retrying job 9"),
        "{}",
        s.cursor_line()
    );
    s.keys("k<space>");
    assert!(s.cursor_line().contains("(+6 lines)"));
    // In a narrow list the end of a long message is only visible when wrapped.
    s.send(Msg::Resize(60, 30));
    s.keys("/shape<enter>");
    s.keys("v\\");
    for _ in 0..s.model.len() {
        s.keys("k");
        assert!(
            s.cursor_line().starts_with('▌'),
            "the cursor is on the screen"
        );
    }
    for _ in 0..s.model.len() {
        s.keys("j");
        assert!(
            s.cursor_line().starts_with('▌'),
            "the cursor is on the screen"
        );
    }
}

#[test]
fn keys_of_the_record_are_pivoted_on_where_they_stand() {
    let mut s = example();
    let all = s.model.len();
    s.keys("e<enter>");
    assert_eq!(s.model.pane, Pane::Record);
    assert!(s.screen().text().contains("▸job"), "{}", s.screen().text());
    s.keys("-");
    assert_eq!(s.model.len(), all - 9);
    s.keys("u<esc>ge<enter>p<enter>");
    assert_eq!(s.model.len(), 9);
    s.keys("u");
    s.keys("<enter>jjj=");
    assert!(s.model.events.highlight.is_some());
}

#[test]
fn a_search_without_result_names_its_text() {
    let mut s = example();
    s.keys("flevel = info<enter>e");
    assert!(
        s.last_line().contains("no error among these"),
        "{}",
        s.last_line()
    );
    s.keys("W");
    assert!(
        s.last_line().contains("no warning or error among"),
        "{}",
        s.last_line()
    );
}

#[test]
fn the_cursor_comes_back_from_an_empty_selection() {
    let mut s = example();
    s.keys("ejjj");
    let (row, line) = (s.model.events.list.cursor, s.cursor_line());
    s.keys("fjob = 9<enter>fjob = 8<enter>");
    assert!(s.model.is_empty());
    s.keys("uu");
    assert_eq!(s.model.len(), s.model.snapshot.len());
    let away = s.model.events.list.cursor.abs_diff(row);
    assert!(away < 12, "{away} rows away from {line}");
}

#[test]
fn the_scrollbar_shows_errors_and_hits_and_is_clicked() {
    let mut s = example();
    s.keys("m/Retrying<enter>");
    let screen = s.screen().text();
    let column: String = screen
        .lines()
        .skip(5)
        .take(20)
        .filter_map(|l| l.chars().nth(119))
        .collect();
    for sign in ["╸", "●", "◆"] {
        assert!(column.contains(sign), "{sign} in {column}\n{screen}");
    }
    let target = s.target(119, 15).unwrap();
    assert!(matches!(target, Target::Scrollbar(_)), "{target:?}");
    s.send(Msg::Click(target));
    assert!(matches!(target, Target::Scrollbar(row) if row == s.model.events.list.cursor));
}

#[test]
fn a_filter_over_what_cannot_be_read_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("app.log");
    let line = |n: u32| format!("2026-11-21 10:00:{n:02}.000 INFO job {n} started\n");
    std::fs::write(&log, (10..30).map(line).collect::<String>()).unwrap();
    let mut s = Explorer::of(&[folder.path().to_str().unwrap()], "dark", 120, 40);
    let filter = |s: &mut Explorer| {
        s.keys("f")
            .send(Msg::Paste("message ~ 'job 2.'".to_owned()));
        s.keys("<enter>");
    };
    filter(&mut s);
    assert_eq!(s.model.len(), 10);
    s.keys("u");
    std::fs::File::options()
        .write(true)
        .open(&log)
        .unwrap()
        .set_len(400)
        .unwrap();
    filter(&mut s);
    assert_eq!(s.model.len(), 0);
    let said = s.message();
    assert!(
        said.contains("app.log cannot be read again: the file is shorter"),
        "{said}"
    );
    assert!(s.model.message.as_ref().is_some_and(|m| m.is_alert));
}
