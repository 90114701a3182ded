//! Message log, and letters of the pivot list.

use widetui_app::msg::Msg;
use widetui_app::popups::Popup;

use super::appearance::differences;
use widetui_testing_tui::explorer::Explorer;

/// 2026-11-21 02:00:00 UTC.
const NOON: i64 = 1_795_226_400_000_000_000;

fn talked(theme: &str, columns: u16, rows: u16) -> Explorer {
    let mut s = Explorer::example(theme, columns, rows);
    s.send(Msg::Said(NOON - 1));
    s.keys("N");
    s.send(Msg::Said(NOON));
    s.keys("N").keys("N");
    s.send(Msg::Said(NOON + 61_000_000_000));
    s.keys("/no such words<enter>");
    s.send(Msg::Said(NOON + 90_000_000_000));
    s
}

/// Items of the list: name, text, number of repetitions.
fn lines(s: &Explorer) -> Vec<(String, String, String)> {
    let Some(Popup::Picker(picker)) = &s.model.popup else {
        return Vec::new();
    };
    let items = picker.shown.iter();
    let line = items.map(|i| (i.name.clone(), i.summary.clone(), i.keys.clone()));
    line.collect()
}

#[test]
fn what_was_reported_is_listed_the_newest_last() {
    let mut s = talked("dark", 120, 40);
    s.keys("vM");
    let reported = lines(&s);
    let nothing = reported
        .iter()
        .find(|l| l.1.contains("nothing was searched"));
    let nothing = nothing.unwrap_or_else(|| panic!("{reported:?}"));
    assert_eq!(
        (nothing.0.as_str(), nothing.2.as_str()),
        ("02:01:01  ", "×3")
    );
    let last = reported.last().unwrap();
    assert!(last.0.starts_with("02:01:30 !"), "{last:?}");
    assert!(last.1.contains("“no such words” was not found"), "{last:?}");
    // The cursor starts at the latest message; Enter copies it as a whole.
    s.keys("<enter>");
    assert_eq!(s.copied.last(), Some(&last.1));
    // Opened by command name and filtered by words.
    s.keys(":messages<enter>searched");
    let some = lines(&s);
    assert!(!some.is_empty() && some.len() < reported.len(), "{some:?}");
}

#[test]
fn an_empty_message_log_is_stated() {
    let mut s = Explorer::new("dark", 80, 24);
    s.keys("vM");
    assert!(
        s.message().contains("no notifications so far"),
        "{}",
        s.message()
    );
}

#[test]
fn messages_look_as_accepted() {
    let wrong = differences("said", "vM", talked);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_of_the_pivot_list_has_a_shortcut_of_its_own() {
    let mut s = Explorer::of(&["tests/data/hung"], "dark", 120, 60);
    // A record that names several tasks.
    s.keys("f\"Sent tasks: [\"<enter>");
    let mut several = 0;
    for _ in 0..s.model.len().min(40) {
        s.keys("p");
        let Some(Popup::Pivot(pivot)) = &s.model.popup else {
            panic!("{}", s.screen().text());
        };
        let mut letters: Vec<char> = pivot.rows.iter().filter_map(|r| r.letter).collect();
        // Rows without a letter have digits.
        let digits = letters.iter().filter(|c| c.is_ascii_digit()).count();
        assert!(
            letters.len() == pivot.rows.len() || digits == 9,
            "{:?}",
            pivot.rows
        );
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(
            letters.len(),
            pivot.rows.iter().filter(|r| r.letter.is_some()).count()
        );
        let keys: Vec<&String> = pivot.rows.iter().map(|r| &r.key).collect();
        let again = keys
            .iter()
            .filter(|k| keys.iter().filter(|o| o == k).count() > 1);
        several += again.count();
        s.keys("<esc>j");
    }
    assert!(several > 0, "none of them has two values of a key");
}
