//! Spans between two kinds of records that the user marks.

use widetui_app::model::View;
use widetui_app::msg::Msg;

use widetui_testing_tui::explorer::Explorer;

fn type_in(s: &mut Explorer, text: &str) {
    s.send(Msg::Paste(text.to_owned()));
}

fn filter(s: &mut Explorer, text: &str) {
    s.keys("1Af");
    type_in(s, text);
    s.keys("<enter>g");
}

/// Runs a command of the palette with an argument.
fn command(s: &mut Explorer, text: &str) {
    s.keys(":");
    type_in(s, text);
    s.keys("<enter>");
}

fn rows(s: &Explorer) -> usize {
    s.model.table().map_or(0, |t| t.table.rows.len())
}

/// Number of jobs that were sent and that returned, counted in the log itself.
fn sent_and_done() -> (usize, usize) {
    let log = std::fs::read_to_string("tests/data/queue-run/dispatcher.log").unwrap();
    let count = |word: &str| log.lines().filter(|l| l.contains(word)).count();
    (count("Sending job"), count("Result of job"))
}

#[test]
fn durations_between_two_marked_messages() {
    let mut s = Explorer::example("dark", 120, 40);
    let (sent, _) = sent_and_done();
    filter(&mut s, "message ~ \"Sending job\"");
    assert_eq!(s.model.len(), sent);
    s.keys("(");
    let said = s.last_line();
    assert!(
        said.contains("spans start at “Sending job") && said.contains(") on a record"),
        "{said}"
    );
    // The user finds the other kind of record by a filter, which excludes the first kind.
    filter(&mut s, "message ~ \"Result of job\"");
    s.keys(")");
    assert_eq!(s.model.view, View::SPANS);
    assert_eq!(rows(&s), sent);
    let screen = s.screen().text();
    assert!(
        screen.contains("paired by job") && screen.contains(" at once"),
        "{screen}"
    );
    // Opening the longest span selects its records.
    let first = s.model.table().unwrap().table.rows[0].name.clone();
    s.keys("1A");
    s.keys("vu<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    let line = s.screen().text().lines().next().unwrap().to_owned();
    assert!(line.contains(&first), "{line} {first}");
    // Spans can be grouped by a key, and paired by order instead of a key.
    s.keys("Avu");
    command(&mut s, "group-by worker");
    assert!(
        s.screen().text().contains("by worker"),
        "{}",
        s.screen().text()
    );
    command(&mut s, "group-by nothing");
    command(&mut s, "pair-by nothing");
    assert!(s.screen().text().contains("paired as a queue"));
}

#[test]
fn instances_come_back_when_they_are_chosen() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    command(&mut s, "span-start template ~ \"submitted\"");
    command(&mut s, "span-end template ~ \"changing state\"");
    let screen = s.screen().text();
    assert!(screen.contains("paired by parsl.task"), "{screen}");
    command(&mut s, "entity parsl.task");
    s.keys("vu");
    let screen = s.screen().text();
    assert!(screen.contains("how long tasks take"), "{screen}");
}

#[test]
fn spans_between_filters_are_those_of_the_command() {
    let mut s = Explorer::example("dark", 120, 40);
    s.change(|model| model.user_data.opened.why_not = None);
    command(&mut s, "span-start message ~ \"Sending job\"");
    command(&mut s, "span-end message ~ \"Result of jo\" and");
    assert_eq!(s.model.view, View::EVENTS);
    assert!(
        s.last_line().contains("expected") || s.last_line().contains("missing"),
        "{}",
        s.last_line()
    );
    command(&mut s, "span-end message ~ \"Result of job\"");
    assert_eq!(s.model.view, View::SPANS);
    s.keys("Yc");
    let copied = s.copied.last().unwrap();
    assert!(
        copied.contains("spans --start ") && copied.contains(" --key job"),
        "{copied}"
    );
    for (columns, rows) in [(80, 24), (40, 9), (1, 1)] {
        s.send(Msg::Resize(columns, rows));
        s.screen();
    }
}

#[test]
fn a_mark_that_is_a_text_is_called_by_it() {
    let mut s = Explorer::example("dark", 120, 40);
    command(&mut s, "span-start \"Sending job\"");
    command(&mut s, "span-end \"Result of job\"");
    let screen = s.screen().text();
    assert!(
        screen.contains("from “Sending job” to “Result of job”"),
        "{screen}"
    );
}

#[test]
fn nothing_is_marked_where_there_is_no_message() {
    let mut s = Explorer::example("mono", 80, 24);
    for view in ["2", "6", "8", "9"] {
        s.keys(view).keys("(");
        assert!(s.model.plots.marks.start.is_none(), "{view}");
    }
    s.keys("vt(j)");
    assert_eq!(s.model.view, View::SPANS);
    s.screen();
}

/// Steps of instances, grouped by the value of a key.
#[test]
fn steps_are_distinguished_by_a_key() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("5");
    let all = rows(&s);
    command(&mut s, "group-by parsl.app");
    let screen = s.screen().text();
    assert!(
        screen.contains("steps of each task and parsl.app"),
        "{screen}"
    );
    assert!(rows(&s) > all && screen.contains("preprocess"), "{screen}");
    s.keys("<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    assert!(!s.model.is_empty());
    s.keys("A5");
    command(&mut s, "group-by nothing");
    assert_eq!(rows(&s), all);
}

/// Pressing `5` again shows the shares of the total time, as the command does.
#[test]
fn what_the_time_went_to_is_one_key_further() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    s.keys("55");
    assert_eq!(s.model.view, View::ACCOUNT);
    let screen = s.screen().text();
    assert!(screen.contains("what the time went to: task"), "{screen}");
    assert!(rows(&s) > 2, "{screen}");
    s.keys("<esc>");
    assert_eq!(s.model.view, View::LATENCY);
    for (columns, rows) in [(80, 24), (40, 9), (1, 1)] {
        s.send(Msg::Resize(columns, rows));
        s.keys("55");
        s.screen();
    }
}

/// The number of open spans between the marks is a curve below the overview.
#[test]
fn what_is_open_between_marks_is_a_curve() {
    let mut s = Explorer::example("dark", 120, 40);
    command(&mut s, "span-start message ~ \"Sending job\"");
    command(&mut s, "span-end message ~ \"Result of job\"");
    s.keys("1va");
    let screen = s.screen().text();
    assert!(screen.contains("how many are open between"), "{screen}");
    s.keys("<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    let curve = s
        .model
        .plots
        .drawn
        .iter()
        .find(|c| c.title.starts_with("between"));
    let curve = curve.unwrap_or_else(|| panic!("{:?}", s.model.plots.drawn));
    assert_eq!(curve.max, 3.0);
}
