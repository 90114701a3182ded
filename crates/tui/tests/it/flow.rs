//! The sequence diagram of messages between actors, their kinds, and the way to their records.

use widetui_app::model::View;

use super::appearance::differences;
use widetui_testing_tui::explorer::Explorer;
use widetui_testing_tui::golden::Golden;
use widetui_testing_tui::palette::SvgPalette;

const HUNG: &str = "tests/data/hung/000";

/// Name, run and keys of each screen, in three sizes and two themes.
const SCREENS: &[(&str, &str, &str)] = &[
    ("flow", HUNG, "vfjj"),
    ("flow-end", HUNG, "vf&wait_for_file<enter>G"),
    ("flow-actors", "tests/data/manager_lost.tar.gz", "vfG"),
    ("messages", HUNG, "vf<tab>"),
    ("flow-none", "tests/data/queue-run", "vf"),
];

#[test]
fn messages_are_as_accepted() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, path, keys) in SCREENS {
        wrong.extend(differences(name, keys, |theme, columns, rows| {
            let mut session = Explorer::of(&[path], theme, columns, rows);
            session.change(|model| {
                model.title = path.trim_start_matches("tests/").to_owned();
            });
            session
        }));
    }
    let mut session = Explorer::of(&[HUNG], "mono", 120, 40);
    session.change(|model| {
        model.screen.ascii = true;
    });
    session.keys("vf");
    let screen = session.screen();
    assert!(screen.text().is_ascii(), "{}", screen.text());
    let checked = golden.check_both("flow-ascii", &screen, &SvgPalette::Dark);
    wrong.extend(checked.err());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_message_leads_to_its_records_and_back() {
    let mut s = Explorer::of(&[HUNG], "dark", 120, 40);
    s.keys("vf");
    assert_eq!(s.model.view, View::FLOW);
    // The message without an answer.
    s.keys("&wait_for_file<enter>j");
    let reported = s.cursor_line();
    assert!(reported.contains("unanswered"), "{reported}");
    s.keys("<enter>");
    assert_eq!((s.model.view, s.model.len()), (View::EVENTS, 2));
    let reported = s.screen().text();
    for part in ["Sent tasks: [25]", "Got executor tasks: [25]"] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    s.keys("<esc>");
    assert_eq!(s.model.view, View::FLOW);
    assert!(s.model.selection.is_all());
    let reported = s.cursor_line();
    assert!(reported.contains("unanswered"), "{reported}");
    // The keys of the message's first record can be pivoted on; `i` shows the trace of its instance.
    s.keys("p");
    assert!(s.screen().text().contains("executor task"));
    s.keys("<esc>i");
    assert_eq!(s.model.view, View::TRACE);
}

#[test]
fn a_kind_of_messages_leads_to_those_messages() {
    let mut s = Explorer::of(&[HUNG], "dark", 120, 40);
    let arrows = |s: &Explorer| s.model.table().map_or(0, |t| t.len());
    s.keys("vf");
    // 111 messages, of which 36 were answered.
    assert_eq!(arrows(&s), 111 + 36);
    s.keys("<tab>");
    assert_eq!(s.model.view, View::MESSAGES);
    s.keys("&interchange manager analyse<enter>");
    let reported = s.cursor_line();
    for part in ["analyse", " 12 ", "841 µs", "606 µs", "3 ms", "3.7 ms"] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
    s.keys("<enter>");
    assert_eq!(s.model.view, View::FLOW);
    let reported = s.screen().text();
    assert!(
        reported.contains("analyse interchange → manager"),
        "{reported}"
    );
    assert!(arrows(&s) >= 24, "{reported}");
    s.keys("u<tab>");
    assert_eq!(s.model.view, View::MESSAGES);
}
