//! Keys in, state out: palette, keymaps, notes, copying, the record pane.

use widetui_app::command::{COMMANDS, Command};
use widetui_app::embedded::{KEYMAPS, THEMES};
use widetui_app::hit::Target;
use widetui_app::keymap::{KeyScope, Keymap, Resolution};
use widetui_app::layout::Areas;
use widetui_app::model::View;
use widetui_app::msg::Msg;
use widetui_app::popups::{ItemAction, Popup};
use widetui_app::update::why_not;
use widetui_ingest::options::LoadMsg;
use widetui_tables::role::Role;

use widetui_testing_tui::explorer::{Explorer, load};

fn example() -> Explorer {
    Explorer::example("dark", 120, 40)
}

#[test]
fn every_action_is_reached_in_every_keymap() {
    for (name, _) in KEYMAPS {
        let mut s = example();
        s.change(|model| model.keymap = Keymap::chosen(name, &[]).unwrap().into());
        s.keys(":");
        let Some(Popup::Picker(picker)) = &s.model.popup else {
            panic!("{name}: no palette");
        };
        for row in COMMANDS {
            let mut items = picker.items.iter();
            assert!(
                items.any(|i| i.action == ItemAction::Run(row.command)),
                "{name}: {} is not in the palette",
                row.name
            );
        }
    }
}

#[test]
fn a_prefix_shows_at_once_what_can_follow() {
    for (name, prefix, shown) in [
        ("default", "v", "views and panes"),
        ("default", "Y", "copy"),
        ("vim", "z", "scroll and wrap"),
        ("vim", "<ctrl-w>", "panes"),
        ("emacs", "<ctrl-x>", "commands"),
        ("emacs", "<alt-g>", "go to"),
    ] {
        let mut s = example();
        s.change(|model| model.keymap = Keymap::chosen(name, &[]).unwrap().into());
        s.keys(prefix);
        assert!(!s.model.pending.is_empty(), "{name}: {prefix}");
        let Resolution::Pending(next) = s
            .model
            .keymap
            .resolve(&[KeyScope::Events, KeyScope::Global], &s.model.pending)
        else {
            panic!("{name}: {prefix}");
        };
        let text = s.screen().text();
        assert!(text.contains(shown), "{name}: {text}");
        for next in next {
            let start: String = next.what.chars().take(40).collect();
            assert!(text.contains(&start), "{name} {prefix}: {start}\n{text}");
        }
        s.keys("<esc>");
        assert!(s.model.pending.is_empty());
    }
}

#[test]
fn what_cannot_be_done_says_why_before_and_after() {
    let mut s = example();
    s.change(|model| model.user_data.opened.why_not = Some("it was piped"));
    let mut count = 0;
    for row in COMMANDS {
        let Some(reason) = why_not(&s.model, row.command) else {
            continue;
        };
        count += 1;
        s.send(Msg::Do(row.command));
        let is_silent = reason.starts_with("only where") || row.name == "clear-selection";
        assert!(
            s.model.message.is_some() || is_silent || row.name == "pivot-out",
            "{} does nothing and says nothing, because {reason}",
            row.name
        );
        assert!(s.model.selection.is_all() && s.model.popup.is_none());
    }
    assert!(count >= 8, "{count}");
    s.keys("?undo");
    assert!(s.screen().text().contains("there is nothing to undo"));
}

#[test]
fn the_palette_finds_values_and_pivots_on_them() {
    let mut s = example();
    s.keys(":job 9");
    let text = s.screen().text();
    assert!(text.contains("job: 9 records have it"), "{text}");
    s.keys("<enter>");
    assert_eq!(s.model.len(), 9);
    assert!(
        s.screen().line(0).contains("› job 9 9"),
        "{}",
        s.screen().line(0)
    );
    // Recently picked items come first.
    s.keys("A:wrap<enter>:");
    let Some(Popup::Picker(picker)) = &s.model.popup else {
        panic!("no palette");
    };
    assert_eq!(picker.shown[0].name, "wrap");
    assert!(s.model.events.wrap);
}

#[test]
fn palette_rows_state_what_actions_need() {
    let mut s = example();
    s.keys(":filter job = 9<enter>");
    assert_eq!(s.model.len(), 9);
    s.keys("A:goto-time 14:00:30<enter>");
    let at = s.model.events.list.cursor;
    assert!(
        at > 0 && s.cursor_line().contains("14:00:3"),
        "{}",
        s.cursor_line()
    );
    s.keys("T14:00:10<enter>");
    assert!(s.model.events.list.cursor < at);
    s.keys("Tnonsense<enter>");
    assert!(s.model.popup.is_some(), "{}", s.last_line());
    s.keys("<esc>");
    // Themes and keymaps change at run time, and the hints follow.
    let dark = s.theme().style(Role::Text);
    s.keys(":theme light<enter>");
    assert_ne!(s.theme().style(Role::Text), dark);
    s.keys("vcmono<enter>");
    assert!(s.last_line().contains("theme mono"), "{}", s.last_line());
    s.keys(":keymap emacs<enter>");
    let before = s.model.events.list.cursor;
    s.keys("<ctrl-n>");
    assert_eq!(s.model.events.list.cursor, before + 1);
    s.keys("<alt-x>keymap nothing<enter>");
    assert!(
        s.last_line().contains("default, emacs, vim"),
        "{}",
        s.last_line()
    );
    assert!(THEMES.len() >= 5);
}

#[test]
fn vim_scrolls_around_the_cursor() {
    let mut s = example();
    s.change(|model| model.keymap = Keymap::chosen("vim", &[]).unwrap().into());
    s.keys("jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj");
    let cursor = s.model.events.list.cursor;
    let height = usize::from(Areas::new(&s.model).list.height);
    s.keys("zt");
    let top = s.model.events.list.top;
    s.keys("zb");
    let bottom = s.model.events.list.top;
    s.keys("zz");
    assert_eq!(s.model.events.list.top, cursor - height / 2);
    assert!(bottom < s.model.events.list.top && s.model.events.list.top < top);
    s.keys("<ctrl-e>");
    assert_eq!(
        (s.model.events.list.top, s.model.events.list.cursor),
        (cursor - height / 2 + 1, cursor)
    );
    s.keys("ggG<ctrl-b>gg");
    assert_eq!(s.model.events.list.cursor, 0);
    // Searches for the instance of a record.
    s.keys("<*>");
    assert!(!s.model.search.line.is_empty() || s.last_line().contains("names nothing"));
}

#[test]
fn notes_are_written_shown_found_and_taken_away() {
    let mut s = example();
    s.keys("eMtoo little memory<enter>");
    assert!(
        s.cursor_line().contains("✎ too little memory"),
        "{}",
        s.cursor_line()
    );
    assert!(s.screen().text().contains("note"), "{}", s.screen().text());
    s.keys("ggm");
    let session = {
        s.keys("<ctrl-s>");
        s.saved.clone().unwrap()
    };
    assert_eq!(session.records.len(), 2);
    assert!(
        session
            .records
            .iter()
            .any(|r| r.2.as_deref() == Some("too little memory") && !r.1)
    );
    s.keys("<\">memory<enter>");
    assert!(
        s.cursor_line().contains("job 9 failed"),
        "{}",
        s.cursor_line()
    );
    s.keys("M<ctrl-w><ctrl-w><ctrl-w><enter>");
    assert!(s.model.user_data.notes.is_empty());
    s.keys("<\"><delete>");
    assert!(s.model.marks.is_empty() && s.model.popup.is_none());
    s.keys("<\">");
    assert!(s.last_line().contains("nothing is marked"));
}

#[test]
fn records_and_values_are_copied() {
    let mut s = example();
    s.keys("eYj");
    let json: serde_json::Value = serde_json::from_str(s.copied.last().unwrap()).unwrap();
    assert_eq!(json["job"], 9);
    assert_eq!(json["level"], "error");
    s.keys("Yr");
    assert!(s.copied.last().unwrap().contains("Traceback"));
    s.keys("Yv");
    assert!(matches!(s.model.popup, Some(Popup::Pivot(_))));
    s.keys("y");
    assert_eq!(s.copied.last().unwrap(), "9");
    assert!(s.model.popup.is_none());
    s.keys("9y");
    assert!(s.copied.last().unwrap().contains("queue-run/"));
}

#[test]
fn paths_are_copied_from_records_and_sources() {
    let mut s = example();
    s.keys("eYp");
    let path = s.model.current().unwrap().source().path.clone();
    assert_eq!(s.copied, [path]);
    s.keys("9jYp");
    let path = s.model.current_source().unwrap().path.clone();
    assert_eq!(s.copied[1..], [path]);
    s.keys("8Yp");
    assert_eq!(s.copied.len(), 2);
    assert!(s.last_line().contains("list of records"));
}

#[test]
fn the_id_of_the_instance_under_the_cursor_is_copied() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    let id = "parsl.dfk = 9b31e7d6-7de6-4b6d-a458-7c99b6fa7f6a and parsl.task = 24";
    s.keys("2Yi");
    assert_eq!(s.copied, [id]);
    assert!(s.last_line().contains("copied the id"), "{}", s.last_line());
    // The records of the instance, then all records that fit what was copied.
    s.keys("<enter>Yi");
    assert_eq!(s.copied.len(), 2);
    s.keys(&format!("A:filter {id}<enter>"));
    assert!(!s.model.is_empty() && s.model.selection.steps().len() == 1);
    // A row of keys is no instance.
    s.keys("A8");
    let reason = why_not(&s.model, Command::CopyId).unwrap();
    assert!(reason.contains("no instance"), "{reason}");
    s.keys("Yi");
    assert_eq!(s.copied.len(), 2);
    assert_eq!(s.message(), reason);
    s.keys("7<enter>:copy-id<enter>");
    assert!(s.copied[2].contains("parsl.task = "), "{}", s.copied[2]);
}

#[test]
fn the_title_of_the_run_is_copied_in_full_from_any_view() {
    let title = "/scratch/project/campaign/2026/november/data/hung/000";
    let mut s = example();
    s.change(|model| model.title = title.to_owned());
    let header = s.screen().line(0);
    assert!(
        !header.contains(title) && header.contains("hung/000"),
        "{header}"
    );
    s.keys("Yt");
    assert_eq!(s.copied, [title]);
    assert!(s.last_line().contains("copied the title"));
    s.keys("7Yt");
    assert_eq!(s.copied, [title, title]);
    s.keys("<esc>:copy-title<enter>");
    assert_eq!(s.copied.len(), 3);
}

#[test]
fn terminals_are_not_given_more_than_they_take() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("long.log");
    let text = format!(
        "2026-03-02 14:00:00,000 INFO a: {}\n2026-03-02 14:00:01,000 INFO a: end\n",
        "é".repeat(50_000)
    );
    std::fs::write(&log, text).unwrap();
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(load(&[log.to_str().unwrap()]))));
    s.keys("y");
    let copied = s.copied.last().unwrap().len();
    assert!((74_000..=74_994).contains(&copied), "{copied}");
    assert!(
        s.last_line().contains("copied the first"),
        "{}",
        s.last_line()
    );
    s.keys("Yj");
    assert_eq!(s.copied.len(), 1, "half a line of JSON is of no use");
    assert!(s.last_line().contains("at most"), "{}", s.last_line());
}

#[test]
fn the_record_stands_where_it_is_wanted() {
    let mut s = example();
    assert!(!Areas::new(&s.model).is_beside());
    s.keys("vl");
    let beside = Areas::new(&s.model);
    assert!(beside.is_beside());
    s.keys(">>");
    assert!(Areas::new(&s.model).record.width > beside.record.width);
    s.keys("<<><<><<><<>");
    assert!(Areas::new(&s.model).record.width < beside.record.width);
    // A screen too narrow for both has the record below the list.
    s.send(Msg::Resize(90, 30));
    assert!(!Areas::new(&s.model).is_beside() && Areas::new(&s.model).record.height > 0);
    s.send(Msg::Resize(120, 40));
    s.keys("vb");
    let below = Areas::new(&s.model);
    assert!(!below.is_beside());
    s.keys("v+");
    assert!(Areas::new(&s.model).record.height > below.record.height);
    s.keys("vh");
    assert!(Areas::new(&s.model).record.is_empty());
}

#[test]
fn the_line_between_the_panes_is_dragged() {
    let mut s = example();
    let rule = Areas::new(&s.model).record_rule;
    let target = s.target(rule.x + 3, rule.y).unwrap();
    assert_eq!(target, Target::RecordLine);
    s.send(Msg::Click(target));
    s.send(Msg::DragSplit(20, 15));
    let now = Areas::new(&s.model).record_rule.y;
    assert!(now.abs_diff(15) <= 1, "{now}");
    s.send(Msg::Release);
    s.send(Msg::DragSplit(20, 30));
    assert_eq!(Areas::new(&s.model).record_rule.y, now);
    s.keys("vl");
    let rule = Areas::new(&s.model).record_rule;
    s.send(Msg::Click(s.target(rule.x, rule.y + 3).unwrap()));
    s.send(Msg::DragSplit(50, 20));
    let now = Areas::new(&s.model).record_rule.x;
    assert!(now.abs_diff(50) <= 2, "{now}");
    assert_eq!(s.model.view, View::EVENTS);
}

#[test]
fn nothing_that_is_copied_is_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.log");
    let text = "2026-11-25 10:00:00 ERROR w: job=3\u{1b}x failed: \u{1b}[201~\u{15}touch /tmp/x #\rrest \u{9b}\u{7f}\u{202e}\n";
    std::fs::write(&log, text).unwrap();
    let mut s = Explorer::of(&[log.to_str().unwrap()], "dark", 120, 40);
    // The record as text, as a line of JSON, and its values.
    s.keys("y").keys("Yj");
    for row in 0..4 {
        s.keys("Yv").keys(&"j".repeat(row)).keys("y").keys("<esc>");
    }
    assert!(s.copied.len() > 4, "{:?}", s.copied);
    let is_safe = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || c == '\u{202e}');
    for copied in &s.copied {
        assert!(copied.chars().all(is_safe), "{copied:?}");
    }
    assert!(
        s.copied[0].contains("␛[201~␕touch /tmp/x #␍rest"),
        "{:?}",
        s.copied[0]
    );
}
