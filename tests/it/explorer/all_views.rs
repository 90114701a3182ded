//! Every view: it opens, moves, is drawn, and has a command that prints the same.

use widetui_app::keymap::KeyScope;
use widetui_app::model::{Pane, View};
use widetui_app::msg::Msg;
use widetui_app::view::{Body, Detail, Opens};

use super::commands::run;
use widetui_testing_tui::explorer::Explorer;

/// A run in which there is something to see, and the keys that lead to the view.
fn way_to(view: View) -> (&'static str, &'static str) {
    const HUNG: &str = "tests/data/hung";
    match view {
        View::Events => (HUNG, "1"),
        View::Keys => (HUNG, "8"),
        View::Values => (HUNG, "8<enter>"),
        View::Templates => (HUNG, "vt"),
        View::Sources => (HUNG, "9"),
        View::Unfinished => (HUNG, "2"),
        View::Diagnose => (HUNG, "d"),
        View::Entities => (HUNG, "7"),
        View::Instances => (HUNG, "7<enter>"),
        View::Trace => (HUNG, "2i"),
        View::Joins => (HUNG, "6"),
        View::Conflicts => ("tests/data/batch_and_stores.tar.gz", "6jjjjj<enter>"),
        View::NewJoin => (HUNG, "6a"),
        View::States => (HUNG, "3"),
        View::Timeline => (HUNG, "4"),
        View::Latency => (HUNG, "5"),
        View::Slowest => (HUNG, "5<enter>"),
        View::Account => (HUNG, "55"),
        View::Spans => (HUNG, "vu"),
        View::Throughput => (HUNG, "vT"),
        View::Checks => (HUNG, "vR"),
        View::Series => (HUNG, "vnparsl.cpu_user<enter>"),
        View::Contrast => (HUNG, "x"),
        View::Runs => (HUNG, "r"),
        View::Compare => ("tests/data/multi.tar.gz", "rmjmC"),
        View::Flow => (HUNG, "vf"),
        View::Messages => (HUNG, "vf<tab>"),
    }
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
        let row = view.row();
        let mut s = open(*view);
        if let Body::Table(_) = row.body {
            assert!(s.model.table().is_some_and(|t| t.is_known), "{view:?}");
        }
        let scopes = [row.keys, &[KeyScope::Global]].concat();
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
        let has_pane = matches!(row.detail, Detail::Record | Detail::Source);
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
        let is_named = View::titled(view.title()) == Some(*view);
        assert_eq!(is_named, view.row().opens == Opens::ByItself, "{view:?}");
        if let Some(action) = view.row().shown_by {
            let mut s = Explorer::example("dark", 80, 24);
            s.keys("8:").send(Msg::Paste(action.info().name.to_owned()));
            s.keys("<enter>");
            assert_eq!(s.model.view, *view, "{}", action.info().name);
        }
    }
}
