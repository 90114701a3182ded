//! Scripts of keys and the resulting state.

use std::sync::Arc;

use widetui_app::event_list::CursorAnchor;
use widetui_app::follow_mode::Following;
use widetui_app::hit::Target;
use widetui_app::model::{Pane, View};
use widetui_app::msg::Msg;
use widetui_app::popups::Popup;
use widetui_core::ids::EventId;
use widetui_ingest::options::LoadMsg;
use widetui_session::jobs::{Answer, JobKind};
use widetui_store::Snapshot;
use widetui_tables::text::grouped;

use widetui_testing_tui::explorer::{Explorer, load};

fn example() -> Explorer {
    Explorer::example("dark", 120, 40)
}

#[test]
fn a_pivot_leaves_the_records_with_the_same_value_and_can_be_undone() {
    let mut s = example();
    let all = s.model.len();
    s.keys("e");
    assert!(
        s.cursor_line().contains("job 9 failed"),
        "{}",
        s.cursor_line()
    );
    s.keys("pj");
    assert!(
        s.screen().line(0).contains("› job 9 9"),
        "{}",
        s.screen().line(0)
    );
    assert_eq!(s.model.len(), 9);
    // The cursor is still on the record where the pivot was made.
    assert!(s.cursor_line().contains("job 9 failed"));
    s.keys("gu");
    assert_eq!(s.model.len(), all);
    s.keys("<ctrl-r>");
    assert_eq!(s.model.len(), 9);
    s.keys("<esc>");
    assert_eq!(s.model.len(), all);
    s.keys("uuu");
    assert!(s.last_line().contains("nothing to undo"));
}

#[test]
fn what_has_a_value_can_be_left_out() {
    let mut s = example();
    s.keys("e");
    let all = s.model.len();
    s.keys("p-");
    assert_eq!(s.model.len(), all - 9);
    assert!(s.screen().line(0).contains("not job 9"));
}

#[test]
fn counts_of_the_pivot_list_are_those_of_the_pivots() {
    let mut s = example();
    s.keys("ep");
    let text = s.screen().text();
    let line = text
        .lines()
        .find(|l| l.contains(" job ") && l.contains(" j "))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains(" 9 │"), "{line}");
}

#[test]
fn errors_and_warnings_are_found_in_both_directions() {
    let mut s = example();
    s.keys("e");
    let first = s.model.events.list.cursor;
    s.keys("ee");
    let last = s.model.events.list.cursor;
    assert!(last > first);
    s.keys("e");
    assert_eq!(s.model.events.list.cursor, first, "round again");
    s.keys("E");
    assert_eq!(s.model.events.list.cursor, last);
    s.keys("gw");
    assert!(s.cursor_line().contains(" W "), "{}", s.cursor_line());
    s.keys("W");
    assert_eq!(s.model.events.list.cursor, last);
}

#[test]
fn a_search_goes_from_hit_to_hit() {
    let mut s = example();
    s.keys("/Retrying<enter>");
    assert!(s.cursor_line().contains("Retrying job 9"));
    assert!(s.last_line().contains("1 of 1"), "{}", s.last_line());
    s.keys("/no such thing<enter>");
    assert!(s.last_line().contains("was not found"));
    s.keys("/heartbeat<enter>");
    assert_eq!(s.model.search.hits.as_ref().unwrap().len(), 8);
    let here = s.model.events.list.cursor;
    s.keys("nnN");
    assert!(s.model.events.list.cursor > here);
    s.keys("<esc>");
    assert!(s.model.search.line.is_empty());
}

#[test]
fn a_filter_that_cannot_be_read_stays_open_and_says_where() {
    let mut s = example();
    let all = s.model.len();
    s.keys("fjob = 9 and jub = 7<enter>");
    let screen = s.screen();
    let (_, column) = screen.find("jub = 7").unwrap();
    assert_eq!(screen.find("▼").unwrap(), (38, column));
    assert!(screen.line(38).contains("did you mean `job`"));
    assert_eq!(s.model.len(), all);
    s.keys("<esc>fjob in (8, 9)<enter>");
    assert!(s.model.len() < all && s.model.len() > 9);
    // The arrow key recalls the previous line.
    s.keys("f<up>");
    assert!(s.last_line().contains("job in (8, 9)"));
    // Searches and filters have separate histories.
    s.keys("<esc>/failed<enter>f<up>");
    assert!(s.last_line().contains("job in (8, 9)"), "{}", s.last_line());
    s.keys("<esc>/<up>");
    assert!(s.last_line().contains("/failed"), "{}", s.last_line());
    s.keys("<up><esc>");
}

#[test]
fn a_number_alone_goes_to_that_row() {
    let mut s = example();
    s.keys(":42<enter>");
    assert_eq!(s.model.events.list.cursor, 41);
    s.keys("T#7<enter>");
    assert_eq!(s.model.events.list.cursor, 6);
    // Row numbers before the first and after the last row are invalid.
    s.keys("T#0<enter>");
    assert!(
        s.screen().text().contains("is no row"),
        "{}",
        s.screen().text()
    );
    s.keys("<esc>T#999,999<enter>");
    assert_eq!(s.model.events.list.cursor, s.model.len() - 1);
}

#[test]
fn an_empty_selection_says_which_step_did_it() {
    let mut s = example();
    s.keys("fjob = 9<enter>fjob = 8<enter>");
    assert!(s.model.is_empty());
    assert!(
        s.last_line()
            .contains("none of the 9 records before it fits “job = 8”")
    );
    assert!(s.screen().text().contains("u undoes the last step"));
    s.keys("u");
    assert_eq!(s.model.len(), 9);
}

#[test]
fn moves_stay_in_the_list() {
    let mut s = example();
    s.keys("kk<pageup>");
    assert_eq!(s.model.events.list.cursor, 0);
    s.keys("G");
    assert_eq!(s.model.events.list.cursor, s.model.len() - 1);
    s.keys("jj<ctrl-d>g<ctrl-d>");
    let half = s.model.events.list.cursor;
    assert!(half > 5);
    s.keys("<ctrl-u>");
    assert_eq!(s.model.events.list.cursor, 0);
}

#[test]
fn marks_are_visited_in_turn() {
    let mut s = example();
    s.keys("'");
    assert!(s.last_line().contains("nothing is marked"));
    s.keys("jmjjjjmg''");
    assert_eq!(s.model.events.list.cursor, 5);
    s.keys("'");
    assert_eq!(s.model.events.list.cursor, 1);
    s.keys("m");
    assert_eq!(s.model.marks.len(), 1);
}

#[test]
fn a_record_is_copied_as_it_stands() {
    let mut s = example();
    s.keys("ey");
    assert!(s.copied[0].ends_with("shape (1000, 1000, 1000)"));
    assert_eq!(s.copied[0].lines().count(), 7);
}

#[test]
fn the_mouse_does_what_keys_do() {
    let mut s = example();
    let row = (0..40)
        .find(|y| matches!(s.target(30, *y), Some(Target::Row(3))))
        .unwrap();
    s.send(Msg::Click(s.target(30, row).unwrap()));
    assert_eq!((s.model.events.list.cursor, s.model.pane), (3, Pane::List));
    s.send(Msg::Click(Target::Row(3)));
    assert_eq!(s.model.pane, Pane::Record);
    s.keys("<esc>");
    s.send(Msg::Wheel(Target::List, 30));
    assert!(s.model.events.list.top == 30 && s.model.events.list.cursor >= 30);
    s.send(Msg::Click(Target::OverviewBar(50)));
    assert!(s.cursor_line().contains("14:00:"), "{}", s.cursor_line());
    let hint = (0..120).find_map(|x| match s.target(x, 39) {
        Some(t @ Target::Hint(_)) => Some(t),
        _ => None,
    });
    s.send(Msg::Click(hint.unwrap()));
    assert!(s.model.popup.is_some());
}

#[test]
fn a_source_can_be_shown_alone() {
    let mut s = example();
    s.keys("9");
    assert_eq!(s.model.view, View::SOURCES);
    let expected = s.model.current_source().unwrap().stats.records() as usize;
    // The first Enter shows the description of the source, the second one its records.
    s.keys("<enter>");
    assert_eq!((s.model.view, s.model.pane), (View::SOURCES, Pane::Record));
    s.keys("<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    assert_eq!(s.model.len(), expected);
}

#[test]
fn the_palette_runs_what_it_finds_and_begins_filters() {
    let mut s = example();
    s.keys(":view-sour<enter>");
    assert_eq!(s.model.view, View::SOURCES);
    s.keys("<ctrl-p>job<enter>9<enter>");
    assert_eq!(s.model.len(), 9);
    s.keys("?quit<esc>");
    s.keys("q");
    assert_eq!((s.model.view, s.left), (View::SOURCES, false));
    s.keys("q");
    assert_eq!((s.model.view, s.left), (View::EVENTS, false));
    s.keys("qq");
    assert!(s.left);
}

#[test]
fn times_can_be_shown_in_three_ways() {
    let mut s = example();
    s.keys("j");
    assert!(
        s.cursor_line().contains("14:00:02.009"),
        "{}",
        s.cursor_line()
    );
    s.keys("t");
    assert!(
        s.cursor_line().contains("+00:00:00.009"),
        "{}",
        s.cursor_line()
    );
    s.keys("t");
    assert!(!s.cursor_line().contains("00:00") && s.cursor_line().contains("+9 ms"));
}

/// Part of the example run, as a preview would load it.
fn preview() -> Arc<Snapshot> {
    let mut part = (*load(&["tests/data/queue-run/scheduler.log"])).clone();
    part.complete = false;
    Arc::new(part)
}

#[test]
fn a_live_run_is_followed_from_its_last_record() {
    let mut whole = (*load(&["tests/data/queue-run"])).clone();
    whole.lineage = 1;
    let (whole, part) = (Arc::new(whole), preview());
    let last = whole.range().unwrap().1;
    let (end, second) = (whole.len() - 1, 1_000_000_000);
    for (clock, may_start, cursor, state) in [
        (Some(last + second), true, end, Following::On),
        (Some(last + second), false, end, Following::Off),
        (Some(last + 8 * 86_400 * second), true, 0, Following::Off),
        (None, true, 0, Following::Off),
    ] {
        let mut s = Explorer::new("dark", 120, 40);
        s.change(|model| model.load_state.follow.is_started_by_liveness = may_start);
        if let Some(clock) = clock {
            s.send(Msg::Tick(clock));
        }
        s.send(Msg::Load(LoadMsg::Snapshot(part.clone())));
        s.send(Msg::Load(LoadMsg::Snapshot(whole.clone())));
        let found = (s.model.events.list.cursor, s.model.load_state.follow.state);
        assert_eq!(found, (cursor, state), "{clock:?} {may_start}");
    }
}

#[test]
fn better_snapshots_keep_the_cursor_where_the_user_put_it() {
    let whole = load(&["tests/data/queue-run"]);
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Progress {
        done_bytes: 30,
        total_bytes: 100,
        files: 5,
        phase: "reading",
    }));
    assert!(s.screen().line(0).contains("reading 30 %"));
    s.send(Msg::Load(LoadMsg::Snapshot(whole.clone())));
    s.keys("e");
    let (row, line) = (s.model.events.list.cursor, s.cursor_line());
    s.send(Msg::Load(LoadMsg::Snapshot(whole.clone())));
    assert_eq!((s.model.events.list.cursor, s.cursor_line()), (row, line));
    // Without cursor movement the cursor stays at the start, or at the end of a live run.
    for (anchor, expected) in [
        (CursorAnchor::First, 0),
        (CursorAnchor::Last, whole.len() - 1),
    ] {
        let mut s = Explorer::new("dark", 120, 40);
        s.change(|model| model.events.anchor = anchor);
        s.send(Msg::Load(LoadMsg::Snapshot(preview())));
        s.send(Msg::Load(LoadMsg::Snapshot(whole.clone())));
        assert_eq!(s.model.events.list.cursor, expected);
    }
}

#[test]
fn answers_to_old_questions_are_dropped() {
    let mut s = example();
    let before = s.model.events.list.cursor;
    s.send(Msg::Answer(JobKind::Find, 999, Answer::Found(Some(50))));
    assert_eq!(s.model.events.list.cursor, before);
}

#[test]
fn a_load_that_fails_is_reported() {
    let mut s = Explorer::new("dark", 80, 24);
    s.send(Msg::Load(LoadMsg::Failed("no such folder".into())));
    assert!(s.screen().text().contains("no such folder"));
}

/// Two runs in one process: each writes the lines of both into its own file.
fn two_runs() -> Explorer {
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(load(&[
        "tests/data/multi.tar.gz",
    ]))));
    s
}

#[test]
fn a_record_of_two_sources_is_shown_once_with_both() {
    let mut s = two_runs();
    let all = s.model.snapshot.len();
    let copies = s.model.snapshot.duplicates.len();
    assert!(copies > 100, "{copies}");
    assert_eq!(s.model.len(), all - copies);
    s.send(Msg::Resize(160, 40));
    let trail = s.screen().line(0);
    assert!(
        trail.contains(&format!("({} duplicates left out)", grouped(copies as u64))),
        "{trail}"
    );
    // The record count takes precedence if there is no room for both texts.
    s.send(Msg::Resize(80, 40));
    let trail = s.screen().line(0);
    let shown = grouped((all - copies) as u64);
    assert!(
        trail.contains(&format!("{shown} ({} dup.)", grouped(copies as u64))),
        "{trail}"
    );
    // The first duplicate record: it names both sources, and the run that their paths state is ambiguous.
    let (_, original) = s.model.snapshot.duplicates.iter().next().unwrap();
    let row = s.model.rows.row_of(&s.model.snapshot, EventId(original));
    s.send(Msg::Click(Target::Row(row.unwrap())));
    assert!(s.cursor_line().contains("dfk+"), "{}", s.cursor_line());
    let text = s.screen().text();
    assert!(text.contains("⟵ copy"), "{text}");
    assert!(text.contains("000 or 001"), "{text}");
}

#[test]
fn a_selection_counts_what_stands_in_several_sources_once() {
    let mut s = two_runs();
    // A filter by source matches all records of either file and counts duplicates once, whichever file it names.
    let all = s.model.len();
    s.keys("fsource ~ 00[01].parsl.log<enter>");
    let (shown, folded) = (
        s.model.len(),
        s.model.rows.hidden_duplicates(&s.model.snapshot),
    );
    assert!(folded > 100 && shown < all, "{shown} {folded} {all}");
    assert_eq!(s.model.counts, [shown]);
    let mut of_file = |name: &str| {
        s.keys(&format!("<esc>fsource ~ {name}<enter>"));
        s.model.len()
    };
    let (first, second) = (of_file("000/parsl.log"), of_file("001/parsl.log"));
    assert_eq!(first + second, shown + folded);
    // The count of a pivot row equals the number of records that the pivot selects.
    s.keys("<esc>fsource ~ 000/parsl.log<enter>");
    s.keys("p");
    let rows = match &s.model.popup {
        Some(Popup::Pivot(pivot)) => pivot.rows.clone(),
        other => panic!("{other:?}"),
    };
    s.keys("<esc>");
    let known = rows
        .iter()
        .filter(|r| r.count.is_some() && r.letter.is_some());
    for row in known {
        s.keys(&format!("p{}", row.letter.unwrap()));
        assert_eq!(Some(s.model.len()), row.count, "{} {}", row.key, row.value);
        s.keys("u");
    }
}

#[test]
fn a_filter_line_offers_what_can_come_next() {
    let mut s = example();
    let offers = |s: &Explorer| match &s.model.popup {
        Some(Popup::Prompt(prompt)) => {
            let texts = prompt.offers.items.iter().map(|c| c.text.clone());
            texts.collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    s.keys("fjo");
    assert_eq!(offers(&s), ["job"]);
    s.keys("<tab>");
    assert!(s.last_line().contains("filter job "), "{}", s.last_line());
    s.keys(" = ");
    let values = offers(&s);
    assert!(values.len() > 20, "{values:?}");
    // The list of completions is above the prompt, with counts; arrows and Tab move through it.
    assert!(s.screen().text().contains("9 events"));
    s.keys("<down><down><tab><up>");
    let second = format!("filter job = {} ", values[1]);
    assert!(s.last_line().contains(&second), "{}", s.last_line());
    s.keys("<esc>");
    assert!(
        s.last_line().contains("filter job =  "),
        "{}",
        s.last_line()
    );
    s.keys("9");
    assert!(offers(&s).contains(&"9".to_owned()), "{:?}", offers(&s));
    s.keys("<enter>");
    assert_eq!(s.model.len(), 9);
    s.keys("fjub<esc>");
    assert!(s.model.popup.is_none());
}

/// Letters of the rows in the pivot list.
fn letters(s: &Explorer) -> Vec<char> {
    match &s.model.popup {
        Some(Popup::Pivot(pivot)) => pivot.rows.iter().filter_map(|r| r.letter).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_letter_that_picks_no_row_leaves_the_pivot_list_as_it_is() {
    let mut s = example();
    let all = s.model.len();
    s.keys("ep");
    let known = letters(&s);
    assert!(known.len() > 2);
    for letter in ['Z', 'X', 'V'] {
        assert!(!known.contains(&letter));
        s.keys(&letter.to_string());
        assert!(
            s.last_line()
                .contains(&format!("no row here has the key {letter}")),
            "{}",
            s.last_line()
        );
        assert_eq!(
            (letters(&s), s.model.view, s.model.len()),
            (known.clone(), View::EVENTS, all)
        );
    }
    // Global keys have their usual meaning in the pivot list.
    s.keys("q");
    assert!(s.model.popup.is_none() && !s.left);
    s.keys("p?");
    assert!(
        s.screen().text().contains(" help "),
        "{}",
        s.screen().text()
    );
    s.keys("<esc>p<esc>");
    assert!(s.model.popup.is_none());
}

#[test]
fn no_letter_of_the_pivot_list_hides_a_key_that_copies() {
    // A record with more keys than letters.
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.change(|model| model.user_data.opened.paths = vec!["tests/data/hung/000".to_owned()]);
    s.keys("d<enter>p");
    assert!(
        letters(&s).len() > 10 && !letters(&s).contains(&'Y'),
        "{:?}",
        letters(&s)
    );
    s.keys("Yc");
    assert!(s.copied.last().unwrap().starts_with("widetui events"));
}

#[test]
fn where_a_value_is_copied_letters_copy() {
    let mut s = example();
    let all = s.model.len();
    s.keys("eYv");
    assert!(
        s.screen().text().contains("a letter copies"),
        "{}",
        s.screen().text()
    );
    s.keys("j");
    assert_eq!(s.copied.last().unwrap(), "9");
    assert!(s.model.popup.is_none());
    assert_eq!(s.model.len(), all);
    s.keys("Yv<enter>");
    assert_eq!((s.copied.len(), s.model.len()), (2, all));
}

#[test]
fn orders_and_stretches_are_undone_in_one_row_with_filters() {
    let mut s = example();
    s.keys("fjob = 9<enter>8s");
    let order = |s: &Explorer| s.model.table().unwrap().order();
    let sorted = order(&s);
    assert!(sorted.is_some());
    s.keys("1z");
    let zoomed = s.model.events.zoom;
    assert!(zoomed.is_some());
    s.keys("u");
    assert_eq!((s.model.events.zoom, s.model.len()), (None, 9));
    s.keys("8");
    assert_eq!(order(&s), sorted);
    s.keys("u");
    assert_eq!((order(&s), s.model.len()), (None, 9));
    s.keys("u");
    assert!(s.model.len() > 9);
    s.keys("<ctrl-r><ctrl-r><ctrl-r>");
    assert_eq!(
        (order(&s), s.model.events.zoom, s.model.len()),
        (sorted, zoomed, 9)
    );
    // A click on a heading changes the order and can be undone, too.
    s.keys("uS");
    let turned = order(&s);
    s.keys("u");
    assert_ne!(order(&s), turned);
}
