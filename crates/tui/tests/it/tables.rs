//! Keys in views that are tables.

use std::sync::Arc;

use widetui_app::hit::Target;
use widetui_app::keys::Key;
use widetui_app::model::{Pane, View};
use widetui_app::msg::{Effect, Msg};
use widetui_app::popups::Popup;
use widetui_core::cancel::Cancel;
use widetui_ingest::options::LoadMsg;
use widetui_ingest::shifts::{has, shifted};
use widetui_session::jobs::{Answer, JobKind, Question};
use widetui_time::time::NS_PER_SECOND;

use widetui_testing_tui::explorer::Explorer;

fn example() -> Explorer {
    Explorer::example("dark", 120, 40)
}

fn rows(s: &Explorer) -> usize {
    s.model.table().map_or(0, |t| t.len())
}

#[test]
fn a_key_leads_to_its_values_and_a_value_to_its_events() {
    let mut s = example();
    s.keys("8");
    assert_eq!(s.model.view, View::KEYS);
    assert!(s.cursor_line().contains("job"), "{}", s.cursor_line());
    s.keys("<enter>");
    assert_eq!(s.model.view, View::VALUES);
    assert!(s.screen().text().contains("values of job"));
    assert!(s.cursor_line().starts_with("▌ 9 "), "{}", s.cursor_line());
    // Excluding the most frequent value removes one row and keeps the view.
    let before = rows(&s);
    s.keys("-");
    assert_eq!((s.model.view, rows(&s)), (View::VALUES, before - 1));
    assert!(s.screen().line(0).contains("not job 9"));
    s.keys("u");
    assert_eq!(rows(&s), before);
    s.keys("g<enter>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, 9));
    // Going back passes the views in reverse order.
    s.keys("u8<enter><esc>");
    assert_eq!(s.model.view, View::KEYS);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn tables_are_about_the_selection() {
    let mut s = example();
    s.keys("flevel = error<enter>vt");
    assert_eq!(rows(&s), 2);
    // A filter added in this view keeps the view.
    s.keys("fjob = 9<enter>");
    assert_eq!((s.model.view, rows(&s)), (View::TEMPLATES, 1));
    s.keys("uu");
    assert_eq!(rows(&s), 17);
    s.keys("8u");
    assert!(s.last_line().contains("nothing to undo"));
}

#[test]
fn rows_of_a_large_hidden_table_are_dropped_and_come_back() {
    let mut s = example();
    s.keys("vt8jj");
    let (all, name) = (
        rows(&s),
        s.model.table().unwrap().current().unwrap().name.clone(),
    );
    s.change(|model| {
        let state = model.tables.get_mut(&View::KEYS).unwrap();
        let table = Arc::make_mut(&mut state.table);
        table.rows.resize_with(20_001, Default::default);
    });
    s.keys("1");
    let hidden = |view: View| s.model.tables.get(&view).unwrap();
    assert!(hidden(View::KEYS).is_empty(), "too many rows are hidden");
    assert!(!hidden(View::TEMPLATES).is_empty(), "few rows stay");
    s.keys("8");
    assert_eq!(rows(&s), all);
    assert_eq!(s.model.table().unwrap().current().unwrap().name, name);
}

#[test]
fn the_values_of_a_key_of_a_record_are_counted() {
    let mut s = example();
    s.keys("ep");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("no list");
    };
    let at = pivot
        .rows
        .iter()
        .position(|r| r.key == "level" || r.key == "source");
    for _ in 0..at.unwrap() {
        s.keys("<down>");
    }
    s.keys("#");
    assert_eq!(s.model.view, View::VALUES);
    assert!(rows(&s) > 3);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn rows_are_found_ordered_and_clicked() {
    let mut s = example();
    s.keys("vt&JOB fail");
    assert_eq!(rows(&s), 3, "{}", s.screen().text());
    s.keys("<enter>");
    assert!(s.screen().text().contains("3 of 17 with “JOB fail”"));
    s.keys("<esc>");
    assert_eq!(rows(&s), 17);
    s.keys("&job<esc>");
    assert_eq!(rows(&s), 17);
    // Sorted by ascending number of events.
    s.keys("sS");
    assert!(s.screen().text().contains("events↑"));
    assert!(
        s.cursor_line().starts_with("▌       1 "),
        "{}",
        s.cursor_line()
    );
    let (row, column) = s.screen().find("first").unwrap();
    let first = s.target(column, row).unwrap();
    assert!(matches!(first, Target::TableHead(_)));
    s.send(Msg::Click(first));
    assert!(
        s.screen().text().contains("first↑"),
        "{}",
        s.screen().text()
    );
    assert!(s.cursor_line().contains("Starting run"));
    s.send(Msg::Click(Target::TableRow(1)));
    s.send(Msg::Click(Target::TableRow(1)));
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, 1));
}

#[test]
fn a_row_is_copied_and_offers_what_it_is_about() {
    let mut s = example();
    s.keys("vty");
    assert!(
        s.copied[0].contains("Sending job {} to worker {}"),
        "{}",
        s.copied[0]
    );
    s.keys("p");
    let text = s.screen().text();
    assert!(
        text.contains("template") && text.contains("level"),
        "{text}"
    );
    let level = s.letter("level");
    s.keys(&level);
    assert_eq!(s.model.view, View::EVENTS);
    assert!(
        s.screen().line(0).contains("level debug"),
        "{}",
        s.screen().line(0)
    );
}

#[test]
fn the_times_of_a_source_can_be_shifted() {
    let mut s = example();
    let range = s.model.snapshot.range().unwrap();
    s.keys("9&scheduler<enter>a");
    s.keys("x<enter>");
    assert!(matches!(s.model.popup, Some(Popup::Prompt(_))));
    s.keys("<esc>a90.5<enter>");
    let source = s.model.current_source().unwrap();
    assert_eq!(source.shift, 90 * NS_PER_SECOND + NS_PER_SECOND / 2);
    assert!(
        s.cursor_line().contains("+90.5 s") || s.cursor_line().contains("+1"),
        "{}",
        s.cursor_line()
    );
    assert!(s.model.snapshot.range().unwrap().1 > range.1);
    // The shifted records are now after those of the other sources.
    s.keys("1G");
    assert!(s.cursor_line().contains("scheduler"), "{}", s.cursor_line());
    let end = s.model.snapshot.range().unwrap().1;
    s.keys("u");
    assert_eq!(s.model.snapshot.range().unwrap(), range);
    s.keys("<ctrl-r>");
    assert_eq!(s.model.snapshot.range().unwrap().1, end);
    s.keys("9a<ctrl-w><enter>");
    assert_eq!(s.model.snapshot.range().unwrap(), range);
}

#[test]
fn a_source_is_described_with_all_that_is_wrong_with_it() {
    let mut s = example();
    s.keys("9<enter>");
    assert_eq!(s.model.pane, Pane::Record);
    assert!(s.screen().text().contains("no log shows the zone"));
    s.keys("<esc>");
    assert_eq!((s.model.view, s.model.pane), (View::SOURCES, Pane::List));
    let all = s.model.len();
    s.keys("-");
    assert_eq!(s.model.view, View::SOURCES);
    assert!(s.model.len() < all);
}

#[test]
fn computing_can_be_given_up_and_begun_again() {
    let mut s = example();
    let key = |s: &mut Explorer, name: &str| {
        let key = widetui_app::keys::Key::parse(name).unwrap();
        s.model.update(Msg::Key(key))
    };
    let effects = key(&mut s, "8");
    assert!(matches!(effects[..], [Effect::Ask { .. }]));
    assert!(s.screen().text().contains("computing"));
    let effects = key(&mut s, "esc");
    assert!(matches!(effects[..], [Effect::Cancel(_), ..]));
    // The view would be empty: the one before it is shown.
    assert_eq!(s.model.view, View::EVENTS);
    assert!(!s.screen().text().contains("computing"));
    s.keys("8");
    assert!(rows(&s) > 5);
}

/// A JSON log with two invalid lines; the second one contains terminal escape codes.
fn with_bad_lines() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for n in 0..40 {
        let second = n % 60;
        text.push_str(&format!(
            "{{\"time\":\"2026-03-02T14:00:{second:02}Z\",\"msg\":\"step {n}\"}}\n"
        ));
        if n == 20 {
            text.push_str("Killed \u{1b}[31mby signal 9\n");
        }
        if n == 30 {
            text.push_str("once more\n");
        }
    }
    std::fs::write(folder.path().join("app.jsonl"), text).unwrap();
    folder
}

#[test]
fn a_problem_of_a_source_is_reported_with_its_line_and_leads_to_its_record() {
    let folder = with_bad_lines();
    let path = folder.path().display().to_string();
    let mut s = Explorer::of(&[&path], "dark", 120, 40);
    s.keys("9");
    let reported = s.screen().text();
    for part in [
        "2 lines: no JSON object",
        "line 22, byte",
        "Killed ",
        "by signal 9",
        "text ",
    ] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    assert!(!reported.contains("once more"), "only the first is kept");
    s.keys("<enter><enter>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, 42));
    let line = s.cursor_line();
    assert!(line.contains("by signal 9"), "{line}");
}

#[test]
fn one_cell_of_a_row_is_copied_by_its_letter() {
    let mut s = example();
    s.keys("9Yv");
    let reported = s.screen().text();
    for part in ["copy of this row", "a letter copies", "records", "path"] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    let Some(Popup::Cells(cells)) = &s.model.popup else {
        panic!("{reported}");
    };
    let records = cells.rows.iter().find(|r| r.title == "records").unwrap();
    let (letter, value) = (records.letter.unwrap(), records.value.clone());
    assert!(value.parse::<u64>().is_ok(), "as it is typed: {value}");
    s.keys(&letter.to_string());
    assert!(s.model.popup.is_none());
    assert_eq!(s.copied.last(), Some(&value));
    // The list of cells starts at the sorted column; then it is closed without copying.
    s.keys("sYv<enter>");
    assert_eq!(s.copied.len(), 2);
    s.keys("Yvj<esc>");
    assert!(s.model.popup.is_none());
    assert_eq!((s.model.view, s.copied.len()), (View::SOURCES, 2));
    s.keys("Yvjy");
    assert_eq!(s.copied.len(), 3);
    // `y` still copies the whole row.
    s.keys("y");
    assert_eq!(s.copied.len(), 4);
}

#[test]
fn a_shift_is_handed_to_who_follows_and_what_comes_with_it_counts() {
    let mut s = example();
    s.keys("9&scheduler<enter>a");
    let id = s.model.current_source().unwrap().id;
    let run = s.model.snapshot.clone();
    s.keys("9");
    // The question is pending while the run grows.
    let effects = s.model.update(Msg::Key(Key::parse("enter").unwrap()));
    let shifts = vec![(id, 9 * NS_PER_SECOND)];
    let handed = |e: &Effect| matches!(e, Effect::Shift(given) if *given == shifts);
    assert!(effects.iter().any(handed), "{effects:?}");
    let asked = effects.iter().find_map(|e| match e {
        Effect::Ask {
            question: Question::Shift(_),
            generation,
            ..
        } => Some(*generation),
        _ => None,
    });
    let shifted = shifted(&run, &shifts, &Cancel::default()).unwrap();
    s.send(Msg::Load(LoadMsg::Snapshot(shifted.clone())));
    assert!(Arc::ptr_eq(&s.model.snapshot.segments, &shifted.segments));
    assert!(has(&s.model.snapshot, &shifts));
    let late = Answer::Shifted(run);
    s.send(Msg::Answer(JobKind::Shift, asked.unwrap(), late));
    assert!(Arc::ptr_eq(&s.model.snapshot.segments, &shifted.segments));
}

#[test]
fn missing_threads_are_reported() {
    let mut s = example();
    s.send(Msg::Alert("cannot start a thread".to_owned()));
    assert!(s.last_line().contains("cannot start a thread"));
}

#[test]
fn what_a_row_stands_for_is_followed_and_marked_from_its_table() {
    let mut s = example();
    // The cursor of the record list is on a record of another job.
    s.keys("gjjjjjj8<enter>jj");
    let value = s.model.table().and_then(|t| t.current()).unwrap().pivots[0].clone();
    s.keys("=");
    let marked = s.model.events.highlight.clone().unwrap();
    assert_eq!(
        (marked.same.label, marked.same.value),
        (value.label.clone(), value.value.clone())
    );
    assert_eq!(s.model.view, View::VALUES);
    // On another row the command highlights the value of that row; on the same row it removes the highlight.
    s.keys("j=");
    let next = s.model.events.highlight.clone().unwrap().same.value;
    assert_ne!(next, value.value);
    s.keys("=");
    assert!(s.model.events.highlight.is_none());
    s.keys("ko");
    assert_eq!(s.model.view, View::EVENTS);
    let words = format!("job {}", value.value);
    assert!(
        s.cursor_line().contains(&words),
        "{words}: {}",
        s.cursor_line()
    );
    let first = s.model.events.list.cursor;
    s.keys("o");
    assert!(s.model.events.list.cursor > first && s.cursor_line().contains(&words));
}

#[test]
fn a_key_offers_its_most_frequent_values() {
    let mut s = example();
    s.keys("8p");
    let Some(Popup::Pivot(pivot)) = &s.model.popup else {
        panic!("{}", s.screen().text());
    };
    assert!(pivot.rows.len() > 3 && pivot.rows.iter().all(|r| r.key == "job"));
    let (value, count) = (pivot.rows[0].value.clone(), pivot.rows[0].count.unwrap());
    assert!(s.screen().text().contains("most frequent values"));
    s.keys("<enter>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, count));
    assert!(s.screen().line(0).contains(&format!("job {value}")));
    // A row of the keys view has no value.
    s.keys("8");
    for keys in ["o", "="] {
        s.keys(keys);
        assert!(s.message().contains("a key is no value"), "{}", s.message());
        assert_eq!(s.model.view, View::KEYS);
    }
}

#[test]
fn an_instance_is_followed_by_all_that_identifies_it() {
    let mut s = Explorer::of(&["tests/data/multi.tar.gz"], "dark", 120, 40);
    s.keys(":view-entities<enter>");
    let workers = |s: &Explorer| {
        let row = s.model.table().and_then(|t| t.current());
        row.is_some_and(|r| r.name == "parsl.worker")
    };
    for _ in 0..20 {
        if workers(&s) {
            break;
        }
        s.keys("j");
    }
    assert!(workers(&s), "{}", s.screen().text());
    s.keys("<enter>=");
    let marked = s.model.events.highlight.clone().unwrap();
    // The worker number alone would match the workers of all managers.
    assert!(marked.same.fields.len() > 1, "{:?}", marked.same);
    let expr = marked.same.expr.to_string();
    assert!(
        expr.contains("parsl.manager = ") && expr.contains("parsl.worker = "),
        "{expr}"
    );
    assert!(marked.fits.unwrap().1 > 0);
}
