//! Habits of users: stable letters and positions, messages for keys without effect, lists in a natural order.

use widetui_app::model::{Pane, View};
use widetui_app::msg::Msg;
use widetui_app::popups::Popup;

use widetui_testing_tui::explorer::Explorer;

fn example() -> Explorer {
    Explorer::example("dark", 120, 40)
}

#[test]
fn a_count_repeats_a_command() {
    let mut s = example();
    s.keys("g<alt-5>j");
    assert_eq!(s.model.events.list.cursor, 5);
    s.keys("<alt-1>2");
    assert!(s.last_line().contains("12 …"), "{}", s.last_line());
    s.keys("j<alt-3>k");
    assert_eq!(s.model.events.list.cursor, 14);
    // Digits alone show views, even after a cancelled count.
    s.keys("<alt-3><esc>9");
    assert_eq!(s.model.view, View::SOURCES);
    // Commands that open a picker or prompt ignore the count.
    s.keys("1<alt-3>/");
    assert!(matches!(s.model.popup, Some(Popup::Prompt(_))));
    s.keys("5<esc>");
    assert!(s.model.popup.is_none());
}

#[test]
fn the_last_command_runs_again() {
    let mut s = example();
    s.keys(".");
    assert!(
        s.message().contains("no command to repeat"),
        "{}",
        s.message()
    );
    // Cursor movement is not repeated: the last jump to a warning is.
    s.keys("gww");
    let third = {
        s.keys("w");
        s.model.events.list.cursor
    };
    s.keys("gwjk.");
    s.keys(".");
    assert_eq!(s.model.events.list.cursor, third);
}

#[test]
fn a_pivot_is_also_made_in_the_whole_run() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    let all = s.model.len();
    s.keys("p");
    // Without a selection there is only one count and no choice of scope.
    assert!(!s.screen().text().contains(" of   "));
    s.keys("A");
    assert!(
        s.message().contains("nothing is selected"),
        "{}",
        s.message()
    );
    s.keys("<esc>2<enter>p");
    let counts = |s: &Explorer| match &s.model.popup {
        Some(Popup::Pivot(p)) => {
            let row = p.rows.iter().find(|r| r.label == "worker").unwrap();
            (row.count.unwrap(), row.in_run.unwrap())
        }
        other => panic!("{other:?}"),
    };
    let (here, in_run) = counts(&s);
    assert!(here < in_run && in_run < all, "{here} {in_run}");
    assert!(s.last_line().contains("A whole run"), "{}", s.last_line());
    let letter = s.letter("worker");
    // The second toggle restores the first state.
    s.keys("A");
    assert!(
        s.screen()
            .text()
            .contains("same as this record, in the whole run")
    );
    assert!(s.last_line().contains("A only selected"));
    s.keys(&format!("A{letter}"));
    assert_eq!((s.model.len(), s.model.selection.steps().len()), (here, 2));
    s.keys("up");
    s.keys(&format!("A{letter}"));
    assert_eq!(
        (s.model.len(), s.model.selection.steps().len()),
        (in_run, 1)
    );
    // Going back restores the previous step.
    s.keys("<esc>");
    assert_eq!(s.model.selection.steps().len(), 1);
    assert!(s.model.selection.steps()[0].label.contains("24"));
}

#[test]
fn a_concept_has_one_letter_in_all_records() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    let mut letters = std::collections::BTreeSet::new();
    for n in 0..20 {
        s.keys(&format!("T{}%<enter>p", n * 5));
        let Some(Popup::Pivot(pivot)) = &s.model.popup else {
            continue;
        };
        for row in pivot.rows.iter().filter(|row| row.instance.is_some()) {
            let letter = row.letter.filter(char::is_ascii_alphabetic);
            letters.extend(letter.map(|letter| (letter, row.label.clone())));
        }
        s.keys("<esc>");
    }
    let letters: Vec<(char, &str)> = letters.iter().map(|(c, l)| (*c, l.as_str())).collect();
    for expected in [
        ('t', "task"),
        ('w', "worker"),
        ('m', "manager"),
        ('r', "DataFlowKernel"),
    ] {
        assert!(letters.contains(&expected), "{letters:?}");
    }
}

#[test]
fn a_letter_of_a_concept_that_is_not_here_says_so() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("gp");
    let screen = s.screen().text();
    assert!(screen.contains("not here: t task"), "{screen}");
    s.keys("t");
    let screen = s.screen().text();
    assert!(screen.contains("no task is named here"), "{screen}");
    assert!(matches!(s.model.popup, Some(Popup::Pivot(_))));
}

#[test]
fn what_takes_a_selection_back_takes_its_cursor_back() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    let spot = |s: &Explorer| (s.model.events.list.cursor, s.model.events.list.top);
    s.keys("gjjjj");
    let before = spot(&s);
    s.keys("flevel = error<enter>");
    assert_ne!(spot(&s), before);
    s.keys("u");
    assert_eq!(spot(&s), before);
    s.keys("U");
    s.keys("<esc>");
    assert_eq!(spot(&s), before);
    // So it is after moving to another record.
    s.keys("flevel = debug<enter>G<esc>");
    assert_eq!(spot(&s), before);
    s.keys("gjjjjflevel = debug<enter>Gu");
    assert_eq!(spot(&s), before);
    // Going to a finding and back restores the position, too.
    s.keys("d<enter>jjj<esc>1");
    assert_eq!(spot(&s), before);
}

#[test]
fn the_last_row_is_the_last() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("G");
    assert_eq!(s.model.events.list.cursor + 1, s.model.len());
    assert!(s.last_line().contains("100 %"), "{}", s.last_line());
    assert!(s.model.current().unwrap().time().is_none());
}

#[test]
fn a_key_that_does_nothing_says_so() {
    let mut s = example();
    s.keys("a");
    assert_eq!(s.message(), "“a” is no key here · ? help");
    s.keys("j");
    assert_eq!(s.message(), "");
    s.keys("vq");
    assert_eq!(s.message(), "“v q” is no key here · ? help");
    s.keys("v<esc>");
    assert_eq!(s.message(), "");
}

#[test]
fn a_pattern_is_searched_for_between_slashes() {
    let mut s = example();
    s.keys("/job (failed|lost)<enter>");
    assert!(
        s.message().contains("not found as it stands")
            && s.message().contains("/ then /job (failed|lost)/"),
        "{}",
        s.message()
    );
    s.keys("//job \\d+ (failed|lost)/<enter>");
    let hits = s.model.search.hits.clone().unwrap();
    assert!(
        !hits.is_empty() && s.message().contains(&format!("of {}", hits.len())),
        "{}",
        s.message()
    );
    assert!(s.cursor_line().contains("failed"), "{}", s.cursor_line());
    // A syntax error is shown in the prompt.
    s.keys("//job (/<enter>");
    assert!(s.screen().text().contains("bad pattern"));
    s.keys("<esc><esc>//nothing like.*this/<enter>");
    assert!(
        s.message().contains("nothing fits the pattern"),
        "{}",
        s.message()
    );
}

#[test]
fn long_rows_are_scrolled_by_parts_and_no_farther_than_they_go() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 80, 24);
    s.keys("<right>");
    let step = s.model.events.left;
    assert!((5..20).contains(&step), "{step}");
    for _ in 0..200 {
        s.keys("<right>");
    }
    let end = s.model.events.left;
    assert!(end < 4000, "{end}");
    // The end of the longest row stays visible.
    let rows = s.screen().text();
    let is_there = |line: &str| {
        line.split('‹')
            .nth(1)
            .is_some_and(|rest| rest.trim().len() > 5)
    };
    assert!(rows.lines().any(is_there), "{rows}");
    s.keys("<left>");
    assert_eq!(s.model.events.left, end - step);
}

#[test]
fn a_long_message_takes_as_many_lines_as_it_needs() {
    let mut s = Explorer::example("dark", 60, 24);
    s.change(|model| {
        model.message = Some(widetui_app::message_log::Notice {
            text: "first words, ".to_owned() + &"more of them ".repeat(8) + "last words",
            is_alert: true,
        });
    });
    let text = s.screen().text();
    assert!(
        text.contains("first words") && text.contains("last words"),
        "{text}"
    );
    s.send(Msg::Faded);
    assert!(s.last_line().contains("help"), "{}", s.last_line());
}

#[test]
fn times_are_shown_in_other_zones() {
    let mut s = example();
    s.change(|model| model.zone = widetui_time::zone::Zone::Fixed(7200));
    let before = s.cursor_line();
    s.keys("vz");
    assert!(s.message().contains("times in UTC"), "{}", s.message());
    assert_ne!(s.cursor_line(), before);
    for _ in 0..4 {
        if s.cursor_line() == before {
            break;
        }
        s.keys("vz");
    }
    assert_eq!(s.cursor_line(), before);
}

#[test]
fn the_palette_knows_other_words() {
    for (word, name) in [
        ("timezone", "time-zone"),
        ("utc", "time-zone"),
        ("tz", "time-zone"),
        ("level", "filter"),
        ("split", "view-beside"),
        ("write", "export"),
        ("teach", "draft-definition"),
        ("format", "draft-definition"),
        ("define", "draft-definition"),
        ("regex", "search"),
        ("export", "export"),
    ] {
        let mut s = example();
        s.keys(&format!(":{word}"));
        let Some(Popup::Picker(picker)) = &s.model.popup else {
            panic!("no palette");
        };
        assert_eq!(picker.shown[0].name, name, "{word}");
    }
}

#[test]
fn a_definition_is_drafted_from_the_table_of_sources() {
    let mut s = example();
    s.keys("9");
    let asked = s.drafts;
    s.keys("D");
    // No draft is written without confirmation.
    assert_eq!(s.drafts, asked);
    assert!(
        s.last_line().contains("draft a definition called mysystem"),
        "{}",
        s.last_line()
    );
    s.keys("<esc>");
    assert_eq!(s.drafts, asked);
    s.keys("D<ctrl-u>no name<enter>");
    assert!(
        s.model.message.as_ref().is_some_and(|m| m.is_alert),
        "{}",
        s.message()
    );
    assert_eq!(s.drafts, asked);
    s.keys("D<enter>");
    let is_unknown = |s: &Explorer| {
        let mut sources = s.model.snapshot.sources.iter();
        sources.any(|source| source.is_log && source.system.is_none())
    };
    assert!(is_unknown(&s));
    assert_eq!(s.drafts, asked + 1);
    assert!(
        s.screen().text().contains("D drafts one"),
        "{}",
        s.screen().text()
    );
    // Without a definition the program does not know work items; the view of unfinished work proposes a draft.
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 120, 40);
    s.keys("2");
    assert!(
        s.screen()
            .text()
            .contains("D among the sources (9) drafts one"),
        "{}",
        s.screen().text()
    );
    // If definitions know all logs, there is nothing to draft.
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    if !is_unknown(&s) {
        s.keys("9D");
        assert_eq!(s.drafts, 0);
        assert!(s.message().contains("nothing to draft"), "{}", s.message());
    }
}

#[test]
fn sources_with_problems_come_first() {
    let mut s = Explorer::of(&["tests/data/hung"], "dark", 160, 40);
    s.keys("9");
    let table = s.model.table().unwrap();
    let column = table
        .table
        .columns
        .iter()
        .position(|c| c.title == "unread")
        .unwrap();
    let bad: Vec<bool> = (0..table.len())
        .map(|at| !table.row(at).unwrap().cells[column].text().is_empty())
        .collect();
    assert!(bad.is_sorted_by_key(|is_bad| !is_bad), "{bad:?}");
    // Instances are in natural order, unfinished ones first.
    s.keys("7<enter>");
    assert!(
        s.screen().text().contains("13 unfinished"),
        "{}",
        s.screen().text()
    );
    let table = s.model.table().unwrap();
    let ids: Vec<u32> = (0..table.len())
        .filter_map(|at| table.row(at)?.cells[0].text().parse().ok())
        .collect();
    let (unfinished, ended) = ids.split_at(13);
    assert_eq!(unfinished.first(), Some(&24));
    assert!(unfinished.is_sorted() && ended.is_sorted(), "{ids:?}");
    assert_eq!(ended.len(), 36);
}

#[test]
fn logs_without_times_have_no_overview_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let line = |n: u32| format!("step {n} of the solver is done\n");
    let text: String = (0..50).map(line).collect();
    std::fs::write(folder.path().join("solver.log"), text).unwrap();
    let mut s = Explorer::of(&[folder.path().to_str().unwrap()], "dark", 120, 40);
    s.change(|model| model.load_state.follow.state = widetui_app::follow_mode::Following::On);
    let screen = s.screen();
    assert!(!screen.line(0).contains("·  ·"), "{}", screen.line(0));
    assert!(screen.line(0).contains("· 1 source"), "{}", screen.line(0));
    assert!(!screen.text().contains("problems "), "{}", screen.text());
}

#[test]
fn what_a_list_says_of_its_item_is_read_whole_in_narrow_windows() {
    let mut s = Explorer::example("dark", 40, 24);
    s.keys("?shift-source");
    let text = s.screen().text();
    let inside = |line: &str| Some(line.split('│').nth(1)?.trim().to_owned());
    let whole: Vec<String> = text.lines().filter_map(inside).collect();
    let whole = whole.join(" ");
    assert!(
        whole.contains("whose clock was wrong, in the table of sources"),
        "{text}"
    );
}

#[test]
fn messages_come_before_what_follows_them_in_narrow_windows() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 40, 12);
    let line = s.cursor_line();
    assert!(
        !line.contains("lines)") && line.contains("Starting"),
        "{line}"
    );
    s.send(Msg::Resize(120, 40));
    assert!(s.cursor_line().contains(" lines)"), "{}", s.cursor_line());
}

#[test]
fn a_time_that_is_not_in_the_run_is_reported() {
    let mut s = example();
    for (time, words) in [
        ("13:00", "begins at"),
        ("18:00", "ends at"),
        ("+3h", "ends at"),
    ] {
        s.keys(&format!("T{time}<enter>"));
        assert!(s.message().contains(words), "{time}: {}", s.message());
    }
    s.keys("T14:00:10<enter>");
    assert_eq!(s.message(), "");
}

#[test]
fn one_goes_round_the_panes_both_ways() {
    use widetui_app::model::{Pane, View};
    let mut s = Explorer::example("dark", 160, 50);
    let here = |s: &Explorer| (s.model.view, s.model.pane);
    s.keys("<backtab>");
    assert_eq!(here(&s), (View::EVENTS, Pane::Record));
    s.keys("<backtab>");
    assert_eq!(here(&s), (View::EVENTS, Pane::List));
    s.keys("<ctrl-w>v8");
    let mut forth = Vec::new();
    for _ in 0..4 {
        s.keys("<tab>");
        forth.push(here(&s));
    }
    let mut back = vec![here(&s)];
    for _ in 0..3 {
        s.keys("<backtab>");
        back.push(here(&s));
    }
    back.reverse();
    assert_eq!(forth, back);
    // Tab and Shift-Tab are opposites in the completions of a filter, too.
    s.keys("<esc>1fjo<tab>");
    let first = s.last_line();
    s.keys("<tab><backtab>");
    assert_eq!(s.last_line(), first);
}

#[test]
fn keys_in_lists_do_not_run_into_names() {
    for keys in [":other-view", "?other-view"] {
        let mut s = example();
        s.keys(keys);
        let text = s.screen().text();
        let row = text.lines().find(|l| l.contains("To the other view"));
        let row = row.unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains("other-view "), "{row}");
        assert!(row.contains("Ctrl-w w · Ctrl-w Ctrl-w · …"), "{row}");
    }
    let mut s = Explorer::example("dark", 160, 50);
    s.keys("<ctrl-w>v<ctrl-w>");
    let text = s.screen().text();
    assert!(text.contains(" To the other view"), "{text}");
}

#[test]
fn a_count_is_not_cut() {
    for columns in [30, 34, 40, 50] {
        let s = Explorer::of(&["tests/data/hung/000"], "dark", columns, 10);
        let line = s.screen().line(0);
        assert!(
            line.contains("3,694") || !line.contains("3,"),
            "{columns}: {line}"
        );
    }
}

#[test]
fn a_paste_without_a_line_says_where_it_would_go() {
    let mut s = example();
    s.send(Msg::Paste("some text".to_owned()));
    assert!(s.message().contains("/ searches"), "{}", s.message());
}

#[test]
fn what_is_copied_from_a_record_is_all_that_is_offered() {
    let mut s = example();
    s.keys("Yv");
    let line = s.last_line();
    assert!(
        line.contains("Enter copy") && !line.contains("leave out"),
        "{line}"
    );
    s.keys("<esc>m\"");
    assert!(
        s.last_line().contains("Enter go there"),
        "{}",
        s.last_line()
    );
}

#[test]
fn the_start_of_the_name_of_a_theme_is_enough() {
    let mut s = example();
    s.keys(":theme li<enter>");
    assert_eq!(s.model.screen.theme, "light", "{}", s.message());
    // An unknown theme is an error.
    s.keys(":theme nothing<enter>");
    assert!(s.message().contains("no such theme"), "{}", s.message());
    s.keys(":theme drak<enter>");
    let message = s.message();
    assert!(message.ends_with("did you mean `dark`?"), "{message}");
}

#[test]
fn a_misspelt_line_of_the_palette_gets_a_suggestion() {
    let mut s = example();
    s.keys(":viwe-events");
    let screen = s.screen().text();
    assert!(screen.contains("did you mean `view-events`?"), "{screen}");
}

/// View, number of steps of the selection, and line under the cursor.
fn place(s: &Explorer) -> (View, usize, String) {
    let steps = s.model.selection.steps().len();
    let line = s.cursor_line();
    // Without the scroll bar.
    let line = line.trim_end_matches([' ', '╸', '┃', '▕']).to_owned();
    (s.model.view, steps, line)
}

#[test]
fn q_and_esc_go_back_to_where_each_step_came_from() {
    // Keys of each step deeper into the run, including the cursor movement before it.
    let ways: [&[&str]; 16] = [
        &["7", "jk<enter>", "j<enter>"],
        &["8", "j<enter>", "j<enter>"],
        &["7", "<enter>", "ji", "j<enter>"],
        &["2", "<enter>", "i"],
        &["d", "<enter>", "i", "jj<enter>"],
        &["d", "<enter>", "3"],
        &["9", "j<enter><enter>"],
        &["vt", "jj<enter>"],
        &["4", "j<enter>"],
        &["5", "j<enter>", "j<enter>"],
        &["5", "5", "j<enter>", "<enter>"],
        &["vf", "jj<enter>"],
        &["vf", "<tab>", "j<enter>"],
        &["vu", "j<enter>"],
        &["jjps"],
        &["jj[jj]<enter>"],
    ];
    for way in ways {
        for key in ["q", "<esc>"] {
            let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
            let mut before = Vec::new();
            for keys in way {
                // The cursor moves before the step.
                let at = keys.rfind(['j', 'k', 'G', ']']).map_or(0, |at| at + 1);
                s.keys(&keys[..at]);
                before.push(place(&s));
                s.keys(&keys[at..]);
                assert_ne!(
                    before.last(),
                    Some(&place(&s)),
                    "{way:?}: {keys} leads nowhere"
                );
            }
            while let Some(before) = before.pop() {
                s.keys(key);
                // A source opens its description first.
                if s.model.pane == Pane::Record {
                    s.keys("<esc>");
                }
                assert_eq!(place(&s), before, "{way:?}: {key}");
                assert!(!s.left, "{way:?}");
            }
            assert!(s.model.navigation.is_empty(), "{way:?}");
            s.keys("<esc>");
            assert!(!s.left && s.model.view == View::EVENTS, "{way:?}");
            // After a step back the first key at the start only says so.
            s.keys("q");
            assert!(!s.left, "{way:?}");
            s.keys("q");
            assert!(s.left, "{way:?}");
        }
    }
}

#[test]
fn going_back_shows_what_a_view_was_about() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("7<enter>jjj");
    let tasks = place(&s);
    s.keys("<enter>7");
    // Instances of another entity and values of another key.
    s.keys("G<enter>");
    assert_ne!(s.model.listed_entity(), Some("parsl.task"));
    s.keys("<enter>8<enter>");
    let (view, about) = (s.model.view, s.model.frequency().cloned());
    assert_eq!(view, View::VALUES);
    s.keys("q8jj<enter>");
    assert_ne!(s.model.frequency().cloned(), about);
    for _ in 0..9 {
        s.keys("q");
        if s.model.listed_entity() == Some("parsl.task") && s.model.view == View::INSTANCES {
            break;
        }
    }
    assert!(!s.left);
    assert_eq!(place(&s), tasks);
    s.keys("qqqq");
    assert!(s.left);
}

#[test]
fn views_shown_by_their_keys_are_steps() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    let mut seen = Vec::new();
    for key in ["2", "3", "4", "5", "6", "7", "8"] {
        seen.push(s.model.view);
        s.keys(key);
    }
    // A filter in such a view is a step, too.
    s.keys("flevel = error<enter>q");
    assert!(s.model.selection.is_all());
    while let Some(view) = seen.pop() {
        s.keys("q");
        assert_eq!((s.model.view, s.left), (view, false));
    }
    assert!(s.model.navigation.is_empty());
    s.keys("qq");
    assert!(s.left);
}

#[test]
fn what_is_open_closes_before_a_step_back() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("7<enter>");
    let instances = place(&s);
    s.keys("pq");
    assert!(s.model.popup.is_none());
    assert_eq!(place(&s), instances);
    // Going back first removes a filter that was added after a step back.
    s.keys("<enter>flevel = debug<enter>q");
    assert_eq!(
        (s.model.view, s.model.selection.steps().len()),
        (View::EVENTS, 1)
    );
    // Undone steps are not steps to go back.
    s.keys("p");
    let worker = s.letter("worker");
    s.keys(&worker);
    assert_eq!(s.model.selection.steps().len(), 2);
    s.keys("uq");
    assert_eq!(place(&s), instances);
}
