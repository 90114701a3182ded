//! Split screens: appearance, navigation, and coupling of the two panes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use widetui_app::command::Command;
use widetui_app::embedded::{KEYMAPS, THEMES};
use widetui_app::frame::Frame;
use widetui_app::hit::{HitView, Target};
use widetui_app::keymap::Keymap;
use widetui_app::keys::Key;
use widetui_app::model::screen_split::{SplitDirection, SplitHalf};
use widetui_app::model::{Pane, View};
use widetui_app::msg::{Effect, Msg, SavedWorkspace};
use widetui_app::rect::Rect;
use widetui_app::update::why_not;
use widetui_app::view_plots::time_at_cursor;
use widetui_ingest::options::LoadMsg;
use widetui_session::jobs::Question;
use widetui_session::saved::Restored;

use widetui_testing_tui::explorer::{Explorer, load};
use widetui_testing_tui::golden::Golden;
use widetui_testing_tui::palette::SvgPalette;

/// A run whose task 24 never ends.
fn hung(columns: u16, rows: u16) -> Explorer {
    Explorer::of(&["tests/data/hung"], "dark", columns, rows)
}

/// Views on the screen: the focused one and the other one.
fn views(s: &Explorer) -> (View, Option<View>) {
    (s.model.view, s.model.beside().map(|o| o.view))
}

/// Name, size and keys of each screen, with and without colours.
const SCREENS: &[(&str, (u16, u16), &str)] = &[
    (
        "pair-events-timeline",
        (250, 70),
        "e<ctrl-w>v4j<right><right>",
    ),
    ("pair-states-timeline", (250, 70), "3<ctrl-w>v4))"),
    ("pair-hung-events", (170, 50), "2<ctrl-w>v<ctrl-w>wjj"),
    ("pair-below", (120, 40), "3<ctrl-w>s1e"),
    (
        "pair-latency-below",
        (120, 40),
        "3<ctrl-w>s5<ctrl-w>w<right>",
    ),
    ("pair-menu", (170, 50), "<ctrl-w>"),
];

#[test]
fn two_views_are_as_accepted() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, (columns, rows), keys) in SCREENS {
        for (theme, suffix) in [("dark", ""), ("mono", "-mono")] {
            let mut s = Explorer::of(&["tests/data/hung"], theme, *columns, *rows);
            s.keys(keys);
            let screen = s.screen();
            let name = format!("{name}{suffix}");
            assert!(screen.bold_and_dim().is_empty(), "{name}");
            wrong.extend(golden.check_both(&name, &screen, &SvgPalette::Dark).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_size_and_no_theme_breaks_two_views() {
    for keys in [
        "<ctrl-w>v4",
        "<ctrl-w>s3",
        "3<ctrl-w>s4",
        "5<ctrl-w>v1<enter>",
        "2<ctrl-w>s9<enter>",
        "d<ctrl-w>vvf",
        "6a<ctrl-w>vp",
        "4<ctrl-w>v<ctrl-w><<ctrl-w><<ctrl-w><<ctrl-w><<ctrl-w><<ctrl-w><<ctrl-w><",
    ] {
        for (theme, _) in THEMES {
            let mut s = Explorer::of(&["tests/data/hung"], theme, 170, 50);
            let keys = keys.replace("<ctrl-w><", "<ctrl-w>-");
            s.keys(&keys);
            for size in [
                (1, 1),
                (2, 2),
                (3, 9),
                (9, 3),
                (20, 5),
                (40, 16),
                (59, 30),
                (8, 31),
                (160, 3),
                (160, 4),
                (161, 8),
                (170, 20),
                (400, 100),
            ] {
                for ascii in [false, true] {
                    s.change(|model| model.screen.ascii = ascii);
                    s.send(Msg::Resize(size.0, size.1));
                    let drawn = catch_unwind(AssertUnwindSafe(|| s.screen()));
                    let screen = drawn.unwrap_or_else(|_| panic!("{theme} {size:?} {keys:?}"));
                    assert!(!ascii || screen.text().is_ascii(), "{}", screen.text());
                    assert!(screen.bold_and_dim().is_empty());
                }
            }
        }
    }
}

#[test]
fn a_second_view_is_opened_chosen_gone_to_exchanged_and_closed() {
    let mut s = hung(200, 50);
    s.keys("<ctrl-w>v");
    // The second view is the timeline, or the view that was open before.
    assert_eq!(views(&s), (View::TIMELINE, Some(View::EVENTS)));
    assert!(
        s.last_line().contains("Tab goes to the other"),
        "{}",
        s.last_line()
    );
    s.keys("3");
    assert_eq!(views(&s), (View::STATES, Some(View::EVENTS)));
    s.keys("<ctrl-w>w");
    assert_eq!(views(&s), (View::EVENTS, Some(View::STATES)));
    // A view that is already on the screen is focused, not shown twice.
    s.keys("3");
    assert_eq!(views(&s), (View::STATES, Some(View::EVENTS)));
    s.keys("1");
    assert_eq!(views(&s), (View::EVENTS, Some(View::STATES)));
    let place = |s: &Explorer, view| s.model.on_screen(view).unwrap().area;
    assert!(place(&s, View::EVENTS).x < place(&s, View::STATES).x);
    s.keys("<ctrl-w>x");
    assert!(place(&s, View::EVENTS).x > place(&s, View::STATES).x);
    let before = place(&s, View::EVENTS).width;
    s.keys("<ctrl-w>>");
    assert!(place(&s, View::EVENTS).width > before);
    s.keys("<ctrl-w>s");
    assert_eq!(s.model.split.unwrap().side, SplitDirection::Below);
    assert!(place(&s, View::EVENTS).y > place(&s, View::STATES).y);
    s.keys("<ctrl-w>q");
    assert_eq!(views(&s), (View::STATES, None));
    s.keys("<ctrl-w>v");
    assert_eq!(views(&s), (View::EVENTS, Some(View::STATES)));
    s.keys("<ctrl-w>o");
    assert_eq!(views(&s), (View::EVENTS, None));
    assert_eq!(
        why_not(&s.model, Command::OtherView),
        Some("there is one view on the screen")
    );
}

#[test]
fn tab_goes_round_all_panes_and_q_closes_them() {
    let mut s = hung(200, 50);
    s.keys("<ctrl-w>v4");
    let here = |s: &Explorer| (s.model.view, s.model.pane);
    let mut seen = vec![here(&s)];
    for _ in 0..3 {
        s.keys("<tab>");
        seen.push(here(&s));
    }
    let round = [
        (View::TIMELINE, Pane::List),
        (View::EVENTS, Pane::List),
        (View::EVENTS, Pane::Record),
        (View::TIMELINE, Pane::List),
    ];
    assert_eq!(seen, round);
    // `q` leaves the record pane, then undoes the split.
    s.keys("<tab><tab>q");
    assert_eq!(here(&s), (View::EVENTS, Pane::List));
    assert!(s.model.record.shown && views(&s).1.is_some());
    s.keys("q");
    assert_eq!(views(&s), (View::EVENTS, None));
    assert!(!s.left);
    s.keys("qq");
    assert!(s.left);
    let mut s = hung(200, 50);
    s.keys("<ctrl-w>v<ctrl-c>");
    assert!(s.left);
}

#[test]
fn steps_in_either_half_are_undone_in_their_order() {
    let mut s = hung(200, 50);
    s.keys("7<enter><ctrl-w>v18<enter>");
    assert_eq!(views(&s), (View::VALUES, Some(View::INSTANCES)));
    s.keys("<esc>");
    assert_eq!(views(&s), (View::KEYS, Some(View::INSTANCES)));
    // The focus alone is no step.
    s.keys("<ctrl-w>w<esc>");
    assert_eq!(views(&s), (View::EVENTS, Some(View::INSTANCES)));
    s.keys("<esc><esc>");
    assert_eq!(views(&s), (View::INSTANCES, None));
    s.keys("q");
    assert_eq!(views(&s), (View::ENTITIES, None));
    s.keys("q");
    assert_eq!((views(&s), s.left), ((View::EVENTS, None), false));
}

#[test]
fn other_keymaps_have_their_own_keys() {
    for (name, open, other, close) in [
        ("vim", "<ctrl-w>v", "<ctrl-w>l", "<ctrl-w>c"),
        ("emacs", "<ctrl-x>3", "<ctrl-x>o", "<ctrl-x>0"),
    ] {
        assert!(KEYMAPS.iter().any(|k| k.0 == name));
        let mut s = hung(200, 50);
        s.change(|model| model.keymap = Keymap::chosen(name, &[]).unwrap().into());
        s.keys(open);
        assert_eq!(views(&s), (View::TIMELINE, Some(View::EVENTS)), "{name}");
        s.keys(other);
        assert_eq!(views(&s), (View::EVENTS, Some(View::TIMELINE)), "{name}");
        s.keys(close);
        assert_eq!(views(&s), (View::TIMELINE, None), "{name}");
    }
}

#[test]
fn what_is_selected_in_one_is_selected_in_both() {
    let mut s = hung(200, 50);
    s.keys("5<ctrl-w>v1");
    let rows = |s: &Explorer| s.model.tables[&View::LATENCY].len();
    let (all, steps) = (s.model.len(), rows(&s));
    s.keys("fparsl.task = 24<enter>");
    assert!(s.model.len() < all && rows(&s) < steps);
    let table = &s.model.tables[&View::LATENCY];
    assert!(table.epoch == s.model.epoch && !table.is_pending);
    s.keys("u");
    assert_eq!((s.model.len(), rows(&s)), (all, steps));
    // Opening a row selects its records in the other view.
    s.keys("7<enter>");
    assert_eq!(views(&s).1, Some(View::LATENCY));
    s.keys("<ctrl-w>w1<ctrl-w>w<enter>");
    assert_eq!(views(&s), (View::EVENTS, Some(View::INSTANCES)));
    assert!(s.model.len() < all, "{}", s.screen().text());
    s.keys("<esc>");
    assert_eq!(s.model.len(), all);
}

#[test]
fn both_views_stay_current_when_more_is_known() {
    let mut s = hung(200, 50);
    s.keys("5<ctrl-w>v8");
    let before = s.model.epoch;
    s.send(Msg::Load(LoadMsg::Snapshot(load(&[
        "tests/data/queue-run",
    ]))));
    assert!(s.model.epoch > before);
    for view in [View::LATENCY, View::KEYS] {
        let table = &s.model.tables[&view];
        assert!(
            table.epoch == s.model.epoch && !table.is_pending,
            "{view:?}"
        );
    }
    assert!(s.screen().text().contains("job"), "{}", s.screen().text());
}

#[test]
fn halves_neither_overlap_nor_leave_the_screen() {
    let mut s = hung(200, 50);
    s.keys("<ctrl-w>v");
    for side in [SplitDirection::Beside, SplitDirection::Below] {
        for share in [0, 15, 50, 85, 100] {
            for size in [(1, 1), (5, 2), (160, 3), (160, 30), (40, 31), (161, 200)] {
                s.change(|model| {
                    let pair = model.split.as_mut().unwrap();
                    pair.side = side;
                    pair.set_share(share);
                });
                s.send(Msg::Resize(size.0, size.1));
                let frame = Frame::new(&s.model);
                let all = Rect::new(0, 0, size.0, size.1);
                for (area, others) in [
                    (frame.keys, [frame.other, frame.breadcrumb, frame.hints]),
                    (frame.other, [frame.keys, frame.breadcrumb, frame.hints]),
                ] {
                    assert_eq!(area.intersection(all), area, "{size:?} {frame:?}");
                    let is_apart = |o: &Rect| area.is_empty() || area.intersection(*o).is_empty();
                    assert!(others.iter().all(is_apart), "{size:?} {frame:?}");
                }
            }
        }
    }
}

/// Debug output of the table that these effects request.
fn table_asked(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|e| match e {
        Effect::Ask {
            question: Question::Table(_, of),
            ..
        } => Some(format!("{of:?}").chars().take(8).collect()),
        _ => None,
    })
}

#[test]
fn one_table_is_computed_after_the_other_and_the_first_is_let_finish() {
    let mut s = hung(200, 50);
    s.keys("8<ctrl-w>v9");
    // Both tables are outdated, and no answer has arrived yet.
    s.change(|model| {
        model.epoch += 1;
    });
    let first = s.model.update(Msg::Key(Key::parse("8").unwrap()));
    assert!(table_asked(&first).is_some_and(|t| t.starts_with("Keys")));
    let again = s.model.update(Msg::Key(Key::parse("8").unwrap()));
    assert_eq!(table_asked(&again), None);
    // The table of the focused view is requested first.
    let other = s.model.update(Msg::Key(Key::parse("9").unwrap()));
    assert!(table_asked(&other).is_some_and(|t| t.starts_with("Sources")));
}

#[test]
fn nothing_is_asked_for_by_keys_that_change_nothing() {
    let mut s = hung(200, 50);
    s.keys("5<ctrl-w>v4<ctrl-w>v");
    for key in ["j", "k", "right", "tab", "j", "tab"] {
        let effects = s.model.update(Msg::Key(Key::parse(key).unwrap()));
        let asked = effects.iter().any(|e| matches!(e, Effect::Ask { .. }));
        assert!(!asked, "{key}: {effects:?}");
    }
}

#[test]
fn the_moment_of_one_is_that_of_the_other() {
    let mut s = hung(200, 50);
    s.keys("4<ctrl-w>v1<ctrl-w>w");
    assert_eq!(views(&s), (View::TIMELINE, Some(View::EVENTS)));
    let before = s.model.events.list.cursor;
    s.keys("jj))");
    let pointed = time_at_cursor(&s.model).unwrap();
    let here = s.model.current().unwrap().time().unwrap();
    assert_ne!(s.model.events.list.cursor, before);
    assert!(here >= pointed, "the first record from then on");
    // Plots also follow the cursor of the records.
    s.keys("<ctrl-w>wT50%<enter>kkk");
    let here = s.model.current().unwrap().time();
    assert_eq!(time_at_cursor(&s.model), here);
    s.keys("<ctrl-w>w");
    assert_eq!(time_at_cursor(&s.model), here);
    // Two plots share one moment.
    s.keys("<ctrl-w>w3<ctrl-w>w<left><left><left>");
    let text = s.screen().text();
    let clock = text
        .split(" at ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    s.keys("<left><left><left>");
    assert!(!s.screen().text().contains(&format!(" at {clock} ")));
    // The record of a row in the focused view is under the cursor of the record list.
    s.keys("<ctrl-w>w2<ctrl-w>w1<ctrl-w>w");
    assert_eq!(views(&s), (View::UNFINISHED, Some(View::EVENTS)));
    let before = s.model.events.list.cursor;
    s.keys("jj");
    assert_ne!(s.model.events.list.cursor, before);
    // The same holds when the view is opened.
    let mut s = hung(200, 50);
    s.keys("2<ctrl-w>v");
    assert_eq!(views(&s), (View::EVENTS, Some(View::UNFINISHED)));
    let text = s.screen().text();
    assert!(text.contains("│▌ 01:44:29.96"), "{text}");
}

#[test]
fn a_click_gives_the_keys_and_the_wheel_does_not() {
    let mut s = hung(200, 50);
    s.keys("<ctrl-w>v4");
    let (hit, whose) = s.targets().find(10, 20).unwrap();
    assert!(matches!(hit, Target::Row(_)) && whose == HitView::Other);
    let before = s.model.events.list.top;
    s.send(Msg::InOther(Box::new(Msg::Wheel(hit, 5))));
    assert_eq!(views(&s), (View::TIMELINE, Some(View::EVENTS)));
    assert!(s.model.events.list.top > before);
    s.send(Msg::InOther(Box::new(Msg::Click(hit))));
    assert_eq!(views(&s), (View::EVENTS, Some(View::TIMELINE)));
    // The mouse can drag the line between the views.
    let rule = s.model.shown().area.right();
    let line = s.target(rule, 20).unwrap();
    assert_eq!(line, Target::SplitLine);
    s.send(Msg::Click(line));
    s.send(Msg::DragSplit(rule + 20, 20));
    s.send(Msg::Release);
    assert!(s.model.shown().area.right().abs_diff(rule + 20) <= 2);
}

#[test]
fn where_there_is_no_room_it_says_so_and_the_view_with_the_keys_is_shown() {
    let mut s = hung(100, 28);
    s.keys("<ctrl-w>v");
    assert!(
        s.last_line().contains("need 110 columns"),
        "{}",
        s.last_line()
    );
    s.send(Msg::Resize(100, 40));
    s.keys("<ctrl-w>v");
    assert!(s.message().contains("puts them below"), "{}", s.message());
    s.send(Msg::Resize(100, 28));
    s.keys("<ctrl-w>s");
    assert!(s.last_line().contains("need 30 rows"), "{}", s.last_line());
    s.send(Msg::Resize(200, 50));
    s.keys("<ctrl-w>v4");
    s.send(Msg::Resize(100, 24));
    assert_eq!(views(&s), (View::TIMELINE, None));
    assert!(!s.screen().text().contains("record"));
    // The second view is kept, and shown again when there is room.
    s.keys("1");
    assert_eq!(views(&s), (View::EVENTS, None));
    s.send(Msg::Resize(200, 50));
    assert_eq!(views(&s), (View::EVENTS, Some(View::TIMELINE)));
}

#[test]
fn a_workspace_keeps_the_second_view() {
    let mut s = hung(200, 50);
    s.keys("3<ctrl-w>v4<ctrl-w>><ctrl-s>");
    let saved = s.saved.clone().unwrap();
    assert_eq!(saved.view, "timeline");
    let second = saved.layout.clone().unwrap().second.unwrap();
    assert_eq!(
        (&second.view[..], &second.side[..], second.share),
        ("states", "beside", 55)
    );
    let mut other = hung(200, 50);
    other.send(Msg::Workspace(SavedWorkspace::Restored(Box::new(
        Restored {
            view: saved.view,
            layout: saved.layout,
            ..Restored::default()
        },
    ))));
    assert_eq!(views(&other), (View::TIMELINE, Some(View::STATES)));
    assert_eq!(other.model.split.unwrap().keys, SplitHalf::Second);
    assert!(other.model.tables[&View::STATES].is_known);
}

#[test]
fn a_view_without_room_is_named_with_the_way_to_it() {
    let mut s = hung(200, 50);
    s.keys("<ctrl-w>v4<ctrl-w>w");
    s.send(Msg::Resize(80, 24));
    s.keys("j");
    assert_eq!(views(&s), (View::EVENTS, None));
    assert!(
        s.last_line().contains("Ctrl-w w timeline, behind"),
        "{}",
        s.last_line()
    );
    s.keys("<ctrl-w>w");
    assert_eq!(s.model.view, View::TIMELINE);
    assert!(
        s.last_line().contains("events, behind"),
        "{}",
        s.last_line()
    );
    s.keys("<ctrl-w>o");
    assert!(!s.last_line().contains("behind") && s.model.split.is_none());
}
