//! Movement of the cursor: jumps and the way back, the end of a followed run, zoom of plots.

use widetui_app::follow_mode::Following;
use widetui_app::model::View;

use widetui_testing_tui::explorer::Explorer;

#[test]
fn one_comes_back_from_jumps_and_goes_forth_again() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("jjj");
    let start = s.model.events.list.cursor;
    s.keys("e");
    let error = s.model.events.list.cursor;
    s.keys("G");
    let end = s.model.events.list.cursor;
    s.keys("/Task 24<enter>");
    let hit = s.model.events.list.cursor;
    s.keys("T50%<enter>");
    let middle = s.model.events.list.cursor;
    let all = [start, error, end, hit, middle];
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    for place in [hit, end, error, start] {
        s.keys("<ctrl-o>");
        assert_eq!(s.model.events.list.cursor, place);
    }
    s.keys("<ctrl-o>");
    assert!(
        s.message().contains("no jump to go back over"),
        "{}",
        s.message()
    );
    for place in [error, end, hit, middle] {
        s.keys("<alt-o>");
        assert_eq!(s.model.events.list.cursor, place);
    }
    s.keys("<alt-o>");
    assert!(
        s.message().contains("no jump to go forth"),
        "{}",
        s.message()
    );
    // Jumps skip records that are not selected.
    s.keys("flevel >= error<enter>");
    s.keys("g<ctrl-o><ctrl-o>");
    assert!(s.model.events.list.cursor < s.model.len());
    s.keys("u<ctrl-o>");
    assert_eq!(s.model.view, View::EVENTS);
    // Other keymaps have these keys, too.
    for name in ["vim", "emacs"] {
        let keymap = widetui_app::keymap::Keymap::chosen(name, &[]).expect("a keymap");
        s.change(|model| model.keymap = std::sync::Arc::new(keymap));
        s.keys("<ctrl-o>");
        assert!(!s.message().contains("is no key here"), "{name}");
    }
}

/// A log that grows, and a log without times.
fn with_untimed() -> (tempfile::TempDir, Explorer) {
    let folder = tempfile::tempdir().unwrap();
    let line = |n: u32| format!("2026-03-01 10:00:{n:02},000 INFO step {n} is done\n");
    let text: String = (0..50).map(line).collect();
    let text = text + "2026-03-01 10:00:50,000 ERROR the last step failed\n";
    std::fs::write(folder.path().join("solver.log"), text).unwrap();
    let output: String = (0..30).map(|n| format!("particle {n} lost\n")).collect();
    std::fs::write(folder.path().join("solver.out"), output).unwrap();
    let s = Explorer::live(&[folder.path().to_str().unwrap()], "dark", 80, 24);
    (folder, s)
}

#[test]
fn the_end_that_is_followed_is_the_newest_record() {
    let (_folder, mut s) = with_untimed();
    assert_eq!(s.model.len(), 81);
    s.keys("gF");
    assert_eq!(s.model.load_state.follow.state, Following::On);
    let shown = s.screen();
    assert!(
        s.cursor_line().contains("the last step failed"),
        "{}",
        shown.text()
    );
    assert!(!shown.text().contains("particle"), "{}", shown.text());
    // Moving up pauses following; the end resumes it.
    s.keys("kk");
    assert!(matches!(
        s.model.load_state.follow.state,
        Following::Paused { .. }
    ));
    s.keys("G");
    assert_eq!(s.model.load_state.follow.state, Following::On);
    assert!(s.cursor_line().contains("the last step failed"));
    assert!(!s.screen().text().contains("particle"));
    // A jump to an error that is the last record does not resume following.
    s.keys("ge");
    assert!(s.cursor_line().contains("the last step failed"));
    assert!(matches!(
        s.model.load_state.follow.state,
        Following::Paused { .. }
    ));
    // Without following, the key goes to the end of the list.
    s.change(|model| model.load_state.follow.state = Following::Off);
    s.keys("G");
    assert!(
        s.cursor_line().contains("particle 29"),
        "{}",
        s.cursor_line()
    );
}

#[test]
fn a_picture_is_zoomed_around_the_bar_under_the_cursor() {
    let mut s = Explorer::of(&["tests/data/manager_lost.tar.gz"], "dark", 80, 24);
    s.keys("4");
    assert_eq!(s.model.view, View::TIMELINE);
    s.keys("z");
    let (from, to) = s.model.events.zoom.expect("a stretch");
    let shown = s.screen();
    let bars = shown.text().matches(['▇', '▅', '█']).count();
    assert!(bars > 20, "{}", shown.text());
    let at = s.model.plots.moment.expect("the bar");
    assert!((from..=to).contains(&at));
    // Further zooming keeps the bar visible.
    s.keys("zz");
    assert!(
        s.cursor_line().contains(['▇', '▅', '█', '✕']),
        "{}",
        s.screen().text()
    );
}

#[test]
fn after_a_problem_the_line_is_begun_anew() {
    let mut s = Explorer::example("dark", 120, 40);
    let line = |s: &Explorer| match &s.model.popup {
        Some(widetui_app::popups::Popup::Prompt(prompt)) => prompt.line.text.clone(),
        _ => String::new(),
    };
    // The cursor is in the middle of the line, at the error.
    s.keys("flevel = nothing and x = 1<enter>");
    assert!(!line(&s).is_empty());
    s.keys("<ctrl-u>");
    assert_eq!(line(&s), "");
    // After the user has moved the cursor, the text after it is kept.
    s.keys("level = info<left><left><ctrl-u>");
    assert_eq!(line(&s), "fo");
}

#[test]
fn help_is_named_in_a_narrow_terminal() {
    let mut s = Explorer::example("dark", 40, 20);
    for view in ["1", "8", "9"] {
        s.keys(view);
        let last = s.last_line();
        assert!(last.contains("? help"), "{view}: {last}");
    }
}

#[test]
fn a_long_problem_of_a_line_is_reported_to_its_end() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 80, 24);
    s.keys("fduration > 5<enter>");
    let text = s.screen().text();
    let words: Vec<&str> = text.split_whitespace().collect();
    let all = words.join(" ");
    assert!(all.contains("no record has the key `duration`"), "{text}");
    let problem = match &s.model.popup {
        Some(widetui_app::popups::Popup::Prompt(prompt)) => prompt.problem.clone(),
        _ => None,
    };
    let problem = problem.expect("a problem").text;
    let last: Vec<&str> = problem.split_whitespace().rev().take(3).collect();
    for word in last {
        assert!(all.contains(word), "{word}\n{text}");
    }
}

#[test]
fn what_is_hidden_says_how_it_comes_back() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("H");
    let said = s.message();
    assert!(
        said.contains("u shows it again") && said.contains("9 and H"),
        "{said}"
    );
    s.keys("u");
    assert!(s.model.selection.is_all());
}
