//! User-defined keys in the explorer: variable parts of messages, parts of values, constants.

use widetui_app::model::View;
use widetui_app::msg::{Msg, SavedWorkspace};
use widetui_session::saved::{self, files};

use widetui_testing_tui::explorer::Explorer;

fn type_in(s: &mut Explorer, text: &str) {
    s.send(Msg::Paste(text.to_owned()));
}

fn own(s: &Explorer) -> usize {
    s.model.selection.joins().own.len()
}

/// Number of records that match a filter.
fn with(s: &mut Explorer, filter: &str) -> usize {
    s.keys("1f");
    type_in(s, filter);
    s.keys("<enter>");
    let events = s.model.len();
    s.keys("u");
    events
}

#[test]
fn what_varies_in_a_message_is_named_on_the_line_below_it() {
    let mut s = Explorer::example("dark", 120, 40);
    s.keys("f");
    type_in(&mut s, "message ~ started");
    s.keys("<enter>g");
    let all = s.model.len();
    assert!(all > 2);
    s.keys("Kn");
    let screen = s.screen().text();
    assert!(
        screen.contains("write a name between the braces"),
        "{screen}"
    );
    // Enter without a name shows an error.
    s.keys("<enter>");
    let screen = s.screen().text();
    assert!(screen.contains("no key is extracted"), "{screen}");
    assert_eq!(own(&s), 0);
    type_in(&mut s, "our.job");
    let screen = s.screen().text();
    assert!(screen.contains("our.job: "), "{screen}");
    s.keys("<enter>");
    assert_eq!(own(&s), 1);
    let said = s.last_line();
    assert!(said.contains("our.job is read now"), "{said}");
    s.keys("A");
    assert_eq!(with(&mut s, "has our.job"), all);
    // The joins view can save the rule.
    s.keys("6&our.job<enter>s");
    assert_eq!(s.joins.len(), 1, "{:?}", s.joins);
    s.keys("1");
    while own(&s) > 0 {
        s.keys("u");
    }
    let event = s.model.current().unwrap();
    assert!(
        event
            .stored()
            .iter()
            .all(|(k, ..)| event.snapshot.catalog.keys.name(*k) != "our.job")
    );
}

/// Derived keys, built joins and disabled joins are restored with the workspace.
#[test]
fn a_workspace_has_the_keys_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut s = Explorer::example("dark", 120, 40);
    s.keys("8&worker<enter>Kn");
    type_in(&mut s, "our.host:text");
    s.keys("<enter>1f");
    type_in(&mut s, "our.host = 1");
    s.keys("<enter>");
    let all = s.model.len();
    assert!(all > 0);
    s.keys("<ctrl-s>");
    let roots = ["tests/data/queue-run".to_owned()];
    let kept = saved::saved(&s.model.snapshot, &roots, &s.saved.clone().unwrap());
    let file = folder.path().join("w.toml");
    files::write(&file, &kept).unwrap();
    let read = files::read(&file).unwrap();
    assert_eq!(read, kept);
    let mut again = Explorer::example("dark", 120, 40);
    let restored = saved::restored(&again.model.snapshot, &roots, &read);
    again.send(Msg::Workspace(SavedWorkspace::Restored(Box::new(restored))));
    assert_eq!((own(&again), again.model.len()), (1, all));
    again.keys("Yc");
    assert!(
        again.last_line().contains("once they are saved"),
        "{}",
        again.last_line()
    );
}

#[test]
fn a_template_and_a_key_are_named_in_their_tables() {
    let mut s = Explorer::example("dark", 120, 40);
    s.keys("vtKn");
    type_in(&mut s, "our.first");
    s.keys("<enter>");
    assert_eq!((s.model.view, own(&s)), (View::TEMPLATES, 1));
    s.keys("8&worker<enter>Kn");
    type_in(&mut s, "our.host:text");
    let screen = s.screen().text();
    assert!(screen.contains("names {our.host:text}"), "{screen}");
    s.keys("<enter>");
    assert_eq!(own(&s), 2);
    assert_eq!(with(&mut s, "has our.host"), with(&mut s, "has worker"));
}

#[test]
fn selected_records_get_a_constant() {
    let mut s = Explorer::example("dark", 120, 40);
    s.keys("Kc");
    type_in(&mut s, "our.state = bad");
    s.keys("<enter>");
    let screen = s.screen().text();
    assert!(screen.contains("select records first"), "{screen}");
    s.keys("<esc>f");
    type_in(&mut s, "level >= warning");
    s.keys("<enter>Kc");
    let all = s.model.len();
    assert!(all > 0);
    type_in(&mut s, "our.state =");
    s.keys("<enter>");
    assert!(s.screen().text().contains("write a key and its value"));
    type_in(&mut s, " \"in trouble\"");
    let screen = s.screen().text();
    assert!(
        screen.contains(" · our.state: 1 value: in trouble"),
        "{screen}"
    );
    s.keys("<enter>A");
    assert_eq!(with(&mut s, "our.state = \"in trouble\""), all);
}

#[test]
fn a_key_is_made_of_others() {
    let mut s = Explorer::example("dark", 120, 40);
    s.keys("Kc");
    type_in(&mut s, "our.place = {job}@{");
    assert_eq!(own(&s), 0);
    type_in(&mut s, "nowhere}");
    s.keys("<enter>");
    assert!(s.screen().text().contains("no record fits"));
    s.keys("<esc>Kc");
    type_in(&mut s, "our.place = {job}@{worker}");
    let screen = s.screen().text();
    assert!(screen.contains(" · our.place: "), "{screen}");
    s.keys("<enter>");
    assert_eq!(own(&s), 1, "{}", s.screen().text());
    assert!(with(&mut s, "our.place = \"0@0\"") > 0);
}

#[test]
fn nothing_is_named_where_nothing_varies() {
    let mut s = Explorer::example("mono", 80, 24);
    for view in ["2", "6", "9", "d"] {
        s.keys(view).keys("Kn");
        assert!(s.model.popup.is_none(), "{view}");
    }
    for (columns, rows) in [(40, 9), (20, 4), (1, 1)] {
        let mut s = Explorer::example("mono", columns, rows);
        s.keys("gKn");
        type_in(&mut s, "a.b");
        s.screen();
    }
}
