//! Back is back: each way to another place is undone by one key, to the same view, cursor and scroll position.

use widetui_testing_tui::explorer::Explorer;

/// Keys of views.
const VIEWS: [&str; 13] = [
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "d", "J", "!", "-",
];

/// Keys that lead from a view to another place: rows, instances, pivots, filters, a second view.
const WAYS: [&str; 6] = [
    "<enter>",
    "i",
    "p<enter>",
    "x",
    "flevel >= warning<enter>",
    "|",
];

/// Screen without the line of messages and hints.
fn shown(s: &Explorer) -> String {
    let screen = s.screen().text();
    let lines: Vec<&str> = screen.lines().collect();
    lines[..lines.len() - 1].join("\n")
}

/// First line that differs, as it was and as it is.
fn difference(before: &str, after: &str) -> Option<String> {
    let mut lines = before.lines().zip(after.lines());
    let (was, is) = lines.find(|(was, is)| was != is)?;
    Some(format!("- {was}\n+ {is}"))
}

#[test]
fn each_way_to_another_place_is_undone_by_one_key() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 160, 40);
    let start = shown(&s);
    let (mut tried, mut wrong) = (0, Vec::new());
    for view in VIEWS {
        for way in VIEWS.iter().chain(&WAYS) {
            for out in ["<esc>", "q"] {
                s.keys(view).keys("jjjj");
                let before = shown(&s);
                s.keys(way);
                if shown(&s) != before {
                    // Letters are text in a list.
                    let is_list = s.model.popup.is_some();
                    s.keys(if is_list { "<esc>" } else { out });
                    let difference = difference(&before, &shown(&s));
                    wrong.extend(difference.map(|lines| format!("{view}, {way}, {out}:\n{lines}")));
                    tried += 1;
                }
                // Whatever the way opened is closed, and the first view is shown again.
                while !s.model.navigation.is_empty() {
                    s.keys("<esc>");
                }
                s.keys("<esc>");
                s.keys("g");
                let difference = difference(&start, &shown(&s));
                wrong.extend(
                    difference.map(|lines| format!("{view}, {way}, {out}, start:\n{lines}")),
                );
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried > 300, "{tried}");
}

#[test]
fn groups_orders_searches_and_nodes_are_steps() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 160, 40);
    for (view, way) in [
        ("7jj", "s"),
        ("7sjj", "s"),
        ("3jj", "bj<enter>"),
        ("5jj", "bj<enter>"),
        ("vTjj", "bj<enter>"),
        ("5jj", "/Task<enter>n"),
        ("vgjj", "<enter>"),
        ("vgjj<enter>", "<enter>"),
    ] {
        s.keys(view);
        let before = shown(&s);
        s.keys(way);
        assert_ne!(shown(&s), before, "{view}{way}");
        s.keys("<esc>");
        assert_eq!(difference(&before, &shown(&s)), None, "{view}{way}");
        while !s.model.navigation.is_empty() {
            s.keys("<esc>");
        }
    }
}

#[test]
fn the_views_of_a_split_screen_change_places_and_back() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 240, 50);
    s.keys("7<ctrl-w>v");
    let before = shown(&s);
    s.keys("<ctrl-w>x");
    assert_ne!(shown(&s), before);
    s.keys("<esc>");
    assert_eq!(difference(&before, &shown(&s)), None);
}

#[test]
fn undo_returns_to_the_row_and_the_time_selection() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 160, 40);
    s.keys("4jj[<right><right><right><right>]");
    let before = shown(&s);
    assert!(s.model.events.time_selection.is_some());
    for back in ["u", "<esc>"] {
        s.keys("<enter>");
        assert_eq!(s.model.selection.steps().len(), 1);
        s.keys(back);
        assert_eq!(difference(&before, &shown(&s)), None, "{back}");
    }
}

#[test]
fn at_the_start_the_key_that_leaves_asks_once_after_a_step_back() {
    let mut s = Explorer::example("dark", 120, 40);
    s.keys("29dqqq");
    assert!(s.model.navigation.is_empty() && !s.left);
    s.keys("q");
    assert!(s.message().contains("this is the start"), "{}", s.message());
    assert!(!s.left);
    s.keys("q");
    assert!(s.left);
}
