//! Files that the explorer writes: the same numbers as those of the commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use widetui_app::model::View;
use widetui_app::msg::Msg;
use widetui_report::figure::Plot;

use widetui_testing_tui::explorer::Explorer;

const RUN: &str = "tests/data/hung";

/// A run, and a folder for what is written.
fn hung() -> (Explorer, tempfile::TempDir) {
    let mut session = Explorer::of(&[RUN], "dark", 120, 40);
    let folder = tempfile::tempdir().unwrap();
    session.change(|model| {
        model.user_data.export = (folder.path().to_owned(), vec![PathBuf::from(RUN)]);
    });
    (session, folder)
}

/// CSV output of a command.
fn printed(words: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_widetui");
    let out = Command::new(program)
        .args(words)
        .args([RUN, "--format", "csv"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{words:?}");
    String::from_utf8(out.stdout).unwrap()
}

/// The files of an ending in a folder, in the order of their names.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == ending))
        .collect();
    paths.sort();
    paths
}

/// Exports of the view that these keys lead to: picture and numbers.
fn written(keys: &str) -> (Option<String>, String) {
    written_of(&[], keys)
}

/// Exports of a filtered view.
fn written_of(filters: &[&str], keys: &str) -> (Option<String>, String) {
    let (mut session, folder) = hung();
    for filter in filters {
        session.keys("f").send(Msg::Paste((*filter).to_owned()));
        session.keys("<enter>");
    }
    assert_eq!(session.model.selection.steps().len(), filters.len());
    session.keys(keys);
    session.keys("X<enter>");
    let said = session.last_line();
    assert!(said.contains("wrote "), "{keys}: {said}");
    let read = |ending| {
        let paths = files(folder.path(), ending);
        assert!(paths.len() <= 1, "{paths:?}");
        paths.first().map(|p| fs::read_to_string(p).unwrap())
    };
    (read("svg"), read("csv").expect("a file of numbers"))
}

#[test]
fn numbers_are_those_of_the_commands() {
    for (keys, words) in [
        ("3", &["states", "parsl.task"][..]),
        ("vf", &["flow"]),
        ("5iparsl.try<enter>", &["latency", "parsl.try"]),
        ("5", &["latency", "parsl.task"]),
        ("vu", &["spans", "parsl.try"]),
        (
            "vubparsl.app<enter>",
            &["spans", "parsl.try", "--summary", "--by", "parsl.app"],
        ),
        ("vnparsl.cpu_user<enter>", &["series", "parsl.cpu_user"]),
        (
            "vnparsl.pending_tasks<enter>bsource<enter>",
            &["series", "parsl.pending_tasks", "--by", "source"],
        ),
        // A number that counts up.
        (
            "vnparsl.fetched_tasks<enter>",
            &["series", "parsl.fetched_tasks"],
        ),
    ] {
        let (svg, csv) = written(keys);
        assert_eq!(csv, printed(words), "{keys}");
        assert!(csv.lines().count() > 2, "{csv}");
        assert!(svg.unwrap().starts_with("<svg"), "{keys}");
    }
}

#[test]
fn pictures_are_those_of_the_commands() {
    for (keys, plot) in [
        ("3", "states:parsl.task"),
        ("4", "timeline:parsl.try:parsl.worker:label"),
        ("5", "latency:parsl.task"),
        ("vu", "spans:parsl.try"),
        ("vT", "throughput:parsl.task"),
        ("vf", "flow"),
    ] {
        let program = env!("CARGO_BIN_EXE_widetui");
        let out = Command::new(program)
            .args(["export", "--output", "-", "--plot", plot, RUN])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let (svg, _) = written(keys);
        assert_eq!(svg, String::from_utf8(out.stdout).ok(), "{plot}");
    }
}

#[test]
fn a_selection_and_a_stretch_of_time_are_those_of_the_commands() {
    let since = "2026-11-21T01:44:03Z";
    let until = "2026-11-21T01:44:08Z";
    let since_step = format!("time >= {since}");
    let until_step = format!("time < {until}");
    let times = [since_step.as_str(), until_step.as_str()];
    let filters = [&["parsl.app = preprocess"][..], &times].concat();
    let scope = [
        "--where",
        "parsl.app = preprocess",
        "--since",
        since,
        "--until",
        until,
    ];
    for (keys, words) in [
        ("3", &["states", "parsl.task"][..]),
        ("5", &["latency", "parsl.task"]),
        ("vu", &["spans", "parsl.try"]),
        ("vf", &["flow"]),
    ] {
        let (_, csv) = written_of(&filters, keys);
        assert_eq!(csv, printed(&[words, &scope].concat()), "{keys}");
    }
    // Everything: instances that run through a stretch without a record in it are there.
    let words = ["states", "parsl.task", "--since", since, "--until", until];
    assert_eq!(written_of(&times, "3").1, printed(&words));
}

/// The cells of some columns, by row.
fn columns(csv: &str, names: &[&str]) -> Vec<Vec<String>> {
    // Quotes stand around ids alone, which hold the only commas.
    let cells = |line: &str| -> Vec<String> {
        let parts = line.split('"').enumerate();
        let plain = parts.map(|(at, part)| match at % 2 {
            0 => part.replace(',', "\t"),
            _ => part.to_owned(),
        });
        let line: String = plain.collect();
        line.split('\t').map(str::to_owned).collect()
    };
    let mut lines = csv.lines();
    let head = cells(lines.next().unwrap());
    let places: Vec<Option<usize>> = names
        .iter()
        .map(|n| head.iter().position(|h| h == n))
        .collect();
    let mut rows: Vec<Vec<String>> = lines
        .map(|line| {
            let cells = cells(line);
            let cell = |at: &Option<usize>| at.map_or(String::new(), |at| cells[at].clone());
            places.iter().map(cell).collect()
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn bars_are_the_durations_of_the_command() {
    let names = ["id", "start", "end", "duration_s"];
    let (svg, csv) = written("4");
    let bars = columns(&csv, &names);
    assert_eq!(bars, columns(&printed(&["spans", "parsl.try"]), &names));
    assert!(svg.unwrap().contains("tries by worker"));
    // Coloured by state a bar ends where the next begins.
    let (_, csv) = written("4iparsl.task<enter>cstate<enter>");
    assert!(csv.contains(",changes\n"), "{csv}");
}

#[test]
fn curves_are_the_numbers_of_the_commands() {
    let (mut session, folder) = hung();
    session.keys(":add-curve parsl.task:pending<enter>X<ctrl-u>curves.svg<enter>");
    assert!(files(folder.path(), "csv").is_empty());
    let svg = fs::read_to_string(folder.path().join("curves.svg")).unwrap();
    let of = |curve: &str| -> Vec<String> {
        let mut drawn = session.model.plots.drawn.iter();
        let drawn = drawn.find(|c| c.subject.text() == curve).unwrap();
        assert!(svg.contains(&drawn.label()), "{curve}");
        drawn.points.iter().map(|p| p.1.to_string()).collect()
    };
    let value = |csv: &str, value: &str| -> Vec<String> {
        let mut rows = columns(csv, &["time", value, "state"]);
        rows.retain(|r| r[2].is_empty() || r[2] == "pending");
        rows.into_iter().map(|r| r[1].clone()).collect()
    };
    let series = printed(&["series", "parsl.pending_tasks"]);
    assert_eq!(of("parsl.pending_tasks"), value(&series, "value"));
    let states = printed(&["states", "parsl.task"]);
    assert_eq!(of("parsl.task:pending"), value(&states, "count"));
}

#[test]
fn what_is_zoomed_to_is_written() {
    let (mut s, folder) = hung();
    s.keys("3[");
    s.change(|model| model.plots.moment = Some(1_795_225_441_000_000_000));
    s.keys("[");
    s.change(|model| model.plots.moment = Some(1_795_225_446_000_000_000));
    s.keys("]zX<enter>");
    let csv = fs::read_to_string(&files(folder.path(), "csv")[0]).unwrap();
    let printed = printed(&[
        "states",
        "parsl.task",
        "--since",
        "2026-11-21T01:44:01Z",
        "--until",
        "2026-11-21T01:44:06.000000001Z",
    ]);
    assert_eq!(csv, printed);
}

#[test]
fn tables_are_written_as_they_are_shown() {
    let (svg, csv) = written("8&manager<enter>");
    assert!(svg.is_none());
    assert!(csv.lines().count() > 1);
    assert!(csv.lines().skip(1).all(|l| l.contains("manager")), "{csv}");
    for keys in ["9", "7", "7<enter>", "vt", "6", "5<enter>", "8<enter>"] {
        let (svg, csv) = written(keys);
        assert!(svg.is_none() && csv.lines().count() > 1, "{keys}: {csv}");
    }
}

#[test]
fn nothing_is_overwritten_and_what_fails_is_reported() {
    let (mut s, folder) = hung();
    s.keys("3X");
    let offered = s.last_line();
    assert!(offered.contains("queue-run-states"), "{offered}");
    s.keys("<enter>X<enter>");
    let said = s.last_line();
    assert!(said.contains("queue-run-states-2.svg and .csv"), "{said}");
    assert!(
        said.contains(&folder.path().display().to_string()),
        "{said}"
    );
    assert_eq!(files(folder.path(), "svg").len(), 2);
    // By the palette, with a name of one's own; an ending asks for that file alone.
    s.keys(":export mine.svg<enter>");
    assert!(folder.path().join("mine.svg").exists());
    assert!(!folder.path().join("mine.csv").exists());
    for (name, why) in [
        ("/no/such/folder/x", "no such folder"),
        ("/proc/x", "cannot be written"),
        ("tests/data/hung/x", "is inside the opened logs"),
    ] {
        s.keys(&format!(":export {name}<enter>"));
        let said = s.message();
        assert!(said.contains("nothing was written"), "{name}: {said}");
        assert!(said.contains(why), "{said}");
    }
    assert!(!Path::new(RUN).join("x.csv").exists());
    assert_eq!(s.model.view, View::STATES);
    s.keys("3iparsl.try<enter>X<enter>");
    assert!(
        s.last_line().contains("nothing was written"),
        "{}",
        s.last_line()
    );
    // Where there is nothing to draw, that is said before a name is asked for.
    s.keys("6X");
    assert!(s.model.popup.is_some() || !s.message().is_empty());
    s.keys("<esc>1fjunk of no record<enter>X");
    assert!(
        s.message().contains("no record is selected"),
        "{}",
        s.message()
    );
}

#[test]
fn records_are_written_as_the_command_writes_them() {
    let (mut session, folder) = hung();
    session.keys("flevel >= error<enter>");
    session.keys("X<enter>");
    assert!(
        session.message().contains("wrote "),
        "{}",
        session.message()
    );
    let lines = fs::read_to_string(&files(folder.path(), "jsonl")[0]).unwrap();
    assert_eq!(lines.lines().count(), session.model.len());
    let program = env!("CARGO_BIN_EXE_widetui");
    let path = folder.path().join("command.jsonl");
    let out = Command::new(program)
        .args(["export", "--where", "level >= error", RUN, "-o"])
        .arg(&path)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(out.status.success());
    assert_eq!(lines, fs::read_to_string(path).unwrap());
    session.keys(":export mine.csv<enter>");
    let csv = fs::read_to_string(folder.path().join("mine.csv")).unwrap();
    assert_eq!(csv, printed(&["events", "--where", "level >= error"]));
}

/// A record, a failure with its traceback, another record: as the file has them.
const TRACEBACK: &str = "2026-01-02 10:00:00.000 INFO start
2026-01-02 10:00:01.000 ERROR task 7 failed
Traceback (most recent call last):
  File \"work.py\", line 3, in <module>

ValueError: no value
2026-01-02 10:00:02.000 INFO end without a line end";

#[test]
fn records_are_written_as_their_original_text() {
    let folder = tempfile::tempdir().unwrap();
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("work.log");
    fs::write(&log, TRACEBACK).unwrap();
    let mut s = Explorer::of(&[log.to_str().unwrap()], "dark", 120, 40);
    s.change(|model| model.user_data.export = (folder.path().to_owned(), vec![log]));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for (typed, name) in [
        ("a.txt", "a.txt"),
        ("b.log", "b.log"),
        ("c", "c.txt"),
        ("d.e.txt", "d.e.txt"),
    ] {
        s.keys(&format!("X<ctrl-u>{typed}<enter>"));
        assert!(s.message().contains("wrote "), "{typed}: {}", s.message());
        assert_eq!(read(name), format!("{TRACEBACK}\n"), "{typed}");
    }
    s.keys("flevel >= error<enter>X<ctrl-u>errors.log<enter>");
    let failure: Vec<&str> = TRACEBACK.lines().skip(1).take(5).collect();
    assert_eq!(read("errors.log"), format!("{}\n", failure.join("\n")));
    // Without an overview there are no curves to draw.
    let before = fs::read_dir(folder.path()).unwrap().count();
    s.keys("X<ctrl-u>f.svg<enter>");
    let said = s.message();
    assert!(
        said.ends_with("as .svg, only as .jsonl, .csv, .txt, .log, .html or .md"),
        "{said}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn every_view_writes_the_endings_that_it_lists_and_refuses_others() {
    for (keys, list) in [
        ("", ".jsonl, .csv, .txt, .log, .svg, .html or .md"),
        ("2", ".txt, .html or .md"),
        ("d", ".txt, .html or .md"),
        ("3", ".svg, .csv, .html or .md"),
        ("4", ".svg, .csv, .html or .md"),
        ("5", ".svg, .csv, .html or .md"),
        ("55", ".svg, .csv, .html or .md"),
        ("5<enter>", ".csv, .html or .md"),
        ("6", ".csv, .html or .md"),
        ("7", ".csv, .html or .md"),
        ("7<enter>", ".csv, .html or .md"),
        ("8", ".csv, .html or .md"),
        ("8<enter>", ".csv, .html or .md"),
        ("9", ".csv, .html or .md"),
        ("vt", ".csv, .html or .md"),
        ("vu", ".svg, .csv, .html or .md"),
        ("vT", ".svg, .csv, .html or .md"),
        ("vf", ".svg, .csv, .html or .md"),
        ("vnparsl.cpu_user<enter>", ".svg, .csv, .html or .md"),
    ] {
        let (mut s, folder) = hung();
        s.keys(keys).keys("X");
        let offered = s.last_line();
        let short = list.replace(',', "").replace(" or", "");
        assert!(
            offered.contains(&format!("writes {short} ")),
            "{keys}: {offered}"
        );
        s.keys("<esc>");
        for name in ["x.pdf", "x.jsonl.gz", "x.v2"] {
            s.keys(&format!("X<ctrl-u>{name}<enter>"));
            let said = s.message();
            assert!(
                said.ends_with(&format!(", only as {list}")),
                "{keys}: {said}"
            );
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{keys}");
        }
        // Pages are about the run, whichever view writes them.
        let is_page = |e: &&str| ["html", "md"].contains(e) && !["", "3"].contains(&keys);
        let endings = list.split([' ', ',']).filter_map(|e| e.strip_prefix('.'));
        for ending in endings.filter(|e| !is_page(e)) {
            s.keys(&format!("X<ctrl-u>x.{ending}<enter>"));
            assert!(s.message().contains("wrote "), "{keys}: {}", s.message());
            assert_eq!(files(folder.path(), ending).len(), 1, "{keys}: {ending}");
        }
        let all = fs::read_dir(folder.path()).unwrap().count();
        s.keys("X<ctrl-u>bare<enter>");
        assert!(fs::read_dir(folder.path()).unwrap().count() > all, "{keys}");
    }
}

#[test]
fn pages_are_written_as_text() {
    for (key, word) in [("2", "wait_for_file"), ("d", "Task 24")] {
        let (mut session, folder) = hung();
        session.keys(key).keys("X<enter>");
        assert!(
            session.message().contains("wrote "),
            "{}",
            session.message()
        );
        let text = fs::read_to_string(&files(folder.path(), "txt")[0]).unwrap();
        assert!(text.contains(word) && text.lines().count() > 3, "{text}");
    }
}

#[test]
fn the_picture_of_states_has_the_layers_of_the_screen() {
    let (mut session, _folder) = hung();
    session.keys("3");
    let figure = session.model.table().and_then(|t| t.table.figure.as_ref());
    let Some(Plot::Curves(curves)) = figure.map(|figure| &figure.plot) else {
        panic!("no layers on the screen");
    };
    let courses = &curves.panels[0].curves;
    let names: Vec<&str> = courses.iter().map(|c| c.name.as_str()).collect();
    let (svg, _) = written("3");
    let svg = svg.unwrap();
    let at = |name: &&str| {
        let place = svg.find(&format!(">{name}</text>"));
        place.unwrap_or_else(|| panic!("no {name}"))
    };
    let places: Vec<usize> = names.iter().map(at).collect();
    assert!(
        names.len() > 2 && places.is_sorted(),
        "{names:?} {places:?}"
    );
    assert!(svg.contains("hung</text>"), "the run is not named");
}

#[test]
fn any_view_writes_a_report_of_the_selection() {
    let (mut s, folder) = hung();
    s.keys("f").send(Msg::Paste("parsl.task = 3".to_owned()));
    s.keys("<enter>5X<ctrl-u>r.html<enter>");
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("<h2 id=\"summary\">"), "no summary");
    assert!(page.contains("<dt>Selection</dt><dd>parsl.task = 3</dd>"));
    s.keys("X<ctrl-u>r.pdf<enter>");
    let said = s.message();
    assert!(said.contains("only as .svg, .csv, .html or .md"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
