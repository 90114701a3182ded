//! Every view: it opens, moves, is drawn, and has a command that prints the same.

use widetui_app::keymap::KeyScope;
use widetui_app::model::view::{Body, Detail, Opens};
use widetui_app::model::{Pane, View};
use widetui_app::msg::Msg;

use super::commands::run;
use widetui_testing_tui::explorer::Explorer;

/// A run in which there is something to see, and the keys that lead to the view.
fn way_to(view: View) -> (&'static str, &'static str) {
    const HUNG: &str = "tests/data/hung";
    let all = [
        (View::EVENTS, HUNG, "1"),
        (View::KEYS, HUNG, "8"),
        (View::VALUES, HUNG, "8<enter>"),
        (View::TEMPLATES, HUNG, "vt"),
        (View::SOURCES, HUNG, "9"),
        (View::UNFINISHED, HUNG, "2"),
        (View::DIAGNOSE, HUNG, "d"),
        (View::ENTITIES, HUNG, "7"),
        (View::INSTANCES, HUNG, "7<enter>"),
        (View::TRACE, HUNG, "2i"),
        (View::JOINS, HUNG, "6"),
        (
            View::CONFLICTS,
            "tests/data/batch_and_stores.tar.gz",
            "6/what a job<enter><enter>",
        ),
        (View::NEW_JOIN, HUNG, "6a"),
        (View::DAG, HUNG, "vg"),
        (View::STATES, HUNG, "3"),
        (View::TIMELINE, HUNG, "4"),
        (View::LATENCY, HUNG, "5"),
        (View::SLOWEST, HUNG, "5<enter>"),
        (View::ACCOUNT, HUNG, "55"),
        (View::SPANS, HUNG, "vu"),
        (View::THROUGHPUT, HUNG, "vT"),
        (View::CHECKS, HUNG, "vR"),
        (View::SERIES, HUNG, "vnparsl.cpu_user<enter>"),
        (View::CONTRAST, HUNG, "x"),
        (View::RUNS, HUNG, "r"),
        (View::COMPARE, "tests/data/multi.tar.gz", "rmjmC"),
        (View::FLOW, HUNG, "vf"),
        (View::MESSAGES, HUNG, "vf<tab>"),
    ];
    let way = all.into_iter().find(|(of, ..)| *of == view);
    let (_, path, keys) = way.unwrap_or_else(|| panic!("no way to {view:?}"));
    (path, keys)
}

fn open(view: View) -> Explorer {
    let (path, keys) = way_to(view);
    let mut s = Explorer::of(&[path], "dark", 80, 24);
    s.change(|model| model.user_data.opened.paths = vec![path.to_owned()]);
    s.keys(keys);
    assert_eq!(s.model.view, view, "{keys}: {}", s.last_line());
    s
}

#[test]
fn every_view_opens_is_drawn_and_moved_in() {
    for view in View::ALL {
        let mut s = open(*view);
        if let Body::Table(_) = view.body {
            assert!(s.model.table().is_some_and(|t| t.is_known), "{view:?}");
        }
        let scopes = [view.focus.keys, &[KeyScope::Global]].concat();
        assert_eq!(s.model.scopes(), scopes, "{view:?}");
        assert!(s.screen().text().trim().lines().count() > 2, "{view:?}");
        for keys in [
            "j",
            "k",
            "G",
            "<pageup>",
            "<pagedown>",
            "g",
            "<right>",
            "<left>",
        ] {
            s.keys(keys).screen();
            assert_eq!(s.model.view, *view, "{keys}");
        }
        for (columns, rows) in [(20, 5), (1, 1), (200, 60)] {
            s.send(Msg::Resize(columns, rows));
            s.keys("jG").screen();
        }
        assert_eq!(s.model.view, *view);
        // Its pane takes the keys, if it is one that does.
        let has_pane = matches!(view.detail, Detail::Record | Detail::Source);
        assert_eq!(view.has_detail(), has_pane);
        if has_pane {
            s.keys("<tab>").screen();
            assert_eq!((s.model.view, s.model.pane), (*view, Pane::Record));
        }
    }
}

#[test]
fn every_view_has_a_command_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    for view in View::ALL {
        let mut s = open(*view);
        s.keys("Yc");
        let said = s.last_line();
        let Some(line) = s.copied.pop() else {
            assert!(
                said.contains("no command line shows this: "),
                "{view:?}: {said}"
            );
            continue;
        };
        assert!(line.starts_with("widetui "), "{view:?}: {line}");
        run(&line, folder.path());
    }
}

#[test]
fn every_view_that_opens_by_itself_is_what_a_workspace_names() {
    for view in View::ALL {
        let is_named = View::titled(view.title) == Some(*view);
        assert_eq!(is_named, view.opens == Opens::ByItself, "{view:?}");
        if let Some(action) = view.shown_by {
            let mut s = Explorer::example("dark", 80, 24);
            s.keys("8:").send(Msg::Paste(action.info().name.to_owned()));
            s.keys("<enter>");
            assert_eq!(s.model.view, *view, "{}", action.info().name);
        }
    }
}
