//! Search in the rows of tables and pages.

use widetui_app::model::View;
use widetui_app::popups::Popup;

use widetui_testing_tui::explorer::Explorer;
use widetui_testing_tui::golden::Golden;
use widetui_testing_tui::palette::SvgPalette;

const HUNG: &str = "tests/data/hung";

/// Keys that open a view, and a text that occurs in some of its rows.
const VIEWS: &[(&str, View, &str)] = &[
    ("7", View::ENTITIES, "parsl"),
    ("8", View::KEYS, "task"),
    ("vt", View::TEMPLATES, "task"),
    ("9", View::SOURCES, "worker"),
    ("2", View::UNFINISHED, "task"),
    ("3", View::STATES, "e"),
    ("4", View::TIMELINE, "9"),
    ("5", View::LATENCY, "task"),
    ("6", View::JOINS, "task"),
    ("r", View::RUNS, "0"),
    ("d", View::DIAGNOSE, "task"),
    ("vf", View::FLOW, "preprocess"),
];

fn open(keys: &str, columns: u16, rows: u16) -> Explorer {
    let mut s = Explorer::of(&[HUNG], "dark", columns, rows);
    s.keys(keys);
    s
}

#[test]
fn rows_of_every_view_are_searched() {
    for (keys, view, text) in VIEWS {
        let mut s = open(keys, 120, 40);
        assert_eq!(s.model.view, *view);
        let before = s.model.table().map(|t| t.len());
        s.keys(&format!("/{text}<enter>"));
        assert_eq!(s.model.view, *view, "it stays where it is");
        let search = s.model.row_search().unwrap().clone();
        assert!(!search.hits.is_empty(), "{view:?} {text}");
        assert_eq!(s.model.table().map(|t| t.len()), before, "no row is hidden");
        let all = search.hits.len();
        assert!(
            s.message().contains(&format!("of {all}")),
            "{}",
            s.message()
        );
        let reported = |s: &Explorer, n: usize| s.message().contains(&format!(": {n} of {all}"));
        // Cycles through all hits, and back.
        let hit_now = |s: &Explorer| {
            let n = (1..=all).find(|n| reported(s, *n));
            n.unwrap_or_else(|| panic!("{view:?} {}", s.message()))
        };
        let first = hit_now(&s);
        for step in 1..=all.min(30) {
            s.keys("n");
            assert_eq!(hit_now(&s), (first - 1 + step) % all + 1, "{view:?}");
        }
        let at = hit_now(&s);
        s.keys("N");
        assert_eq!(hit_now(&s), (at + all - 2) % all + 1, "{view:?}");
        // The next action clears the notification; the count of hits stays.
        s.keys("<left>");
        let line = s.last_line();
        assert!(line.contains("hit"), "{view:?} {line}");
        s.keys("<esc>");
        assert_eq!(s.model.view, *view);
        assert!(s.model.row_search().unwrap().line.is_empty());
        assert!(!s.last_line().contains("hit"));
    }
}

#[test]
fn each_view_has_its_own_search_and_its_own_rows() {
    let mut s = open("9/worker<enter>", 120, 40);
    let at = s.model.table().unwrap().list.cursor;
    s.keys("8n");
    assert!(
        s.message().contains("nothing was searched here"),
        "{}",
        s.message()
    );
    // A search in the records does not search the rows.
    s.keys("1/exit<enter>9");
    assert_eq!(s.model.table().unwrap().list.cursor, at);
    s.keys("n");
    assert!(s.message().contains("“worker”"), "{}", s.message());
    // Filtered and sorted rows have hits at other places.
    let all = s.model.row_search().unwrap().hits.len();
    s.keys("&worker_1<enter>");
    let some = s.model.row_search().unwrap().hits.clone();
    assert!(some.len() < all, "{some:?} of {all}");
    assert_eq!(some, (0..some.len()).collect::<Vec<_>>());
    s.keys("<esc><esc>/no such row<enter>");
    assert!(
        s.message().contains("is in none of these rows"),
        "{}",
        s.message()
    );
    // An empty line clears the search.
    s.keys("/<enter>");
    assert!(s.model.row_search().unwrap().line.is_empty());
}

#[test]
fn patterns_are_searched_and_wrong_ones_reported() {
    let mut s = open("9", 120, 40);
    s.keys("/");
    s.send(widetui_app::msg::Msg::Paste("/worker_[01]/".to_owned()));
    s.keys("<enter>");
    assert!(!s.model.row_search().unwrap().hits.is_empty());
    s.keys("/");
    s.send(widetui_app::msg::Msg::Paste("/worker_[/".to_owned()));
    s.keys("<enter>");
    assert!(
        matches!(s.model.popup, Some(Popup::Prompt(_))),
        "it stays open"
    );
}

#[test]
fn what_is_folded_is_found_and_unfolded() {
    let mut s = open("d", 120, 40);
    let found = s.model.findings.found.clone().unwrap();
    let findings = &found.diagnosis.findings;
    let word = findings[1].text.split_whitespace().rev().find(|w| {
        let lower = w.to_lowercase();
        w.chars().all(char::is_alphanumeric) && !findings[0].text.to_lowercase().contains(&lower)
    });
    s.keys(&format!("/{}<enter>", word.unwrap()));
    assert!(s.model.findings.spot.finding().unwrap() > 0);
    assert!(s.screen().text().contains(word.unwrap()));
}

#[test]
fn help_takes_the_slash_of_whoever_searches_with_one() {
    let mut s = open("?/", 120, 40);
    let shown = |s: &Explorer| match &s.model.popup {
        Some(Popup::Picker(picker)) => picker.shown.iter().map(|i| i.name.clone()).collect(),
        _ => Vec::<String>::new(),
    };
    assert!(shown(&s).iter().any(|n| n == "search"), "{:?}", shown(&s));
    s.keys("timeline");
    assert!(
        shown(&s).iter().any(|n| n == "view-timeline"),
        "{:?}",
        shown(&s)
    );
}

#[test]
fn searched_rows_look_as_accepted() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, theme, size, keys) in [
        ("rows-searched", "dark", (120, 40), "9/worker<enter>n"),
        (
            "rows-searched-80x24",
            "dark",
            (80, 24),
            "9/worker<enter>n<left>",
        ),
        (
            "rows-searched-250x70",
            "dark",
            (250, 70),
            "vt/task<enter>n<left>",
        ),
        (
            "rows-searched-mono",
            "mono",
            (120, 40),
            "d/task<enter>n<left>",
        ),
        (
            "rows-searched-mono-80x24",
            "mono",
            (80, 24),
            "2/task<enter>n<left>",
        ),
        (
            "rows-searched-mono-250x70",
            "mono",
            (250, 70),
            "5/task<enter>n<left>",
        ),
    ] {
        let mut s = Explorer::of(&[HUNG], theme, size.0, size.1);
        s.keys(keys);
        let screen = s.screen();
        assert!(screen.bold_and_dim().is_empty(), "{name}");
        wrong.extend(golden.check_both(name, &screen, &SvgPalette::Dark).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
