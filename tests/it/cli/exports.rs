//! Exports are read back as their original sources: every answer equals the answer about the run itself.

use std::fs;
use std::path::Path;

use widetui_core::cancel::Cancel;
use widetui_report::event_batch;
use widetui_report::flat::{EventTable, FlatBatch, FlatTable};
use widetui_testing::diagnosed::opened;

use super::*;

/// Questions about a run and about its export.
const ASKED: [&[&str]; 9] = [
    &["hung"],
    &["joins"],
    &["flow"],
    &["entities"],
    &["entities", "--of", "parsl.task"],
    &["states", "parsl.task"],
    &["latency", "parsl.task"],
    &["runs"],
    &["check"],
];

/// Rows of an answer, without the folder of a run, which lies below the export.
fn answer(asked: &[&str], path: &str) -> Vec<Json> {
    rows(&run(&[asked, &[path, "--format", "jsonl"]].concat()).stdout)
}

fn rows(printed: &[u8]) -> Vec<Json> {
    let printed = text(printed);
    let rows = printed.lines().map(|line| {
        let mut row: Json = serde_json::from_str(line).unwrap();
        row.as_object_mut().unwrap().shift_remove("folder");
        row
    });
    rows.collect()
}

/// Tags of sources with what they are, and how many records they have.
fn sources(path: &str) -> BTreeSet<String> {
    let all = objects(&ok(&["sources", path, "--format", "jsonl"]));
    let logs = all.iter().filter(|s| s["records"] != 0);
    logs.map(|s| format!("{} {} {}", s["source"], s["system"], s["records"]))
        .collect()
}

fn exported(dir: &Path, name: &str, args: &[&str]) -> String {
    let path = dir.join(name).display().to_string();
    ok(&[&["export", "-o", &path], args].concat());
    path
}

/// Keys with counts, but those of which no record says anything.
fn keys(path: &str) -> BTreeSet<String> {
    let all = objects(&ok(&["keys", path, "--format", "jsonl"]));
    let some = all.iter().filter(|k| !k["distinct"].is_null());
    some.map(|k| Json::Object(k.clone()).to_string()).collect()
}

#[test]
fn every_answer_is_the_same_when_an_export_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let once = exported(dir.path(), "once.jsonl.gz", &[&hung()]);
    // An export of an export is no other.
    let twice = exported(dir.path(), "twice.jsonl", &[&once]);
    let mut all = vec![once, twice];
    if cfg!(feature = "parquet") {
        let typed = exported(dir.path(), "typed.parquet", &[&hung()]);
        let again = exported(dir.path(), "again.parquet", &[&typed]);
        all.extend([typed, again]);
    }
    for path in &all {
        assert_eq!(sources(path), sources(&hung()));
        assert_eq!(keys(path), keys(&hung()));
        for asked in ASKED {
            assert_eq!(
                answer(asked, path),
                answer(asked, &hung()),
                "{asked:?} {path}"
            );
        }
    }
    let findings = |path: &str| {
        let mut all = answer(&["diagnose"], path);
        all.retain(|f| f["severity"] != "info");
        all
    };
    for path in &all {
        assert_eq!(findings(path), findings(&hung()), "{path}");
    }
    let command = ["events", "--format", "jsonl", &hung()];
    for path in &all {
        assert_eq!(ok(&command), ok(&["events", "--format", "jsonl", path]));
    }
}

#[test]
fn each_run_of_an_export_is_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let other = runs::data().join("old2024").display().to_string();
    let names = match cfg!(feature = "parquet") {
        true => &["both.jsonl", "both.parquet"][..],
        false => &["both.jsonl"],
    };
    for name in names {
        let both = exported(dir.path(), name, &[&hung(), &other]);
        for asked in [&["hung"][..], &["states", "parsl.task"], &["joins"]] {
            let out = run(&[asked, &[&hung(), &other, "--format", "jsonl"]].concat());
            assert_eq!(answer(asked, &both), rows(&out.stdout), "{asked:?} {name}");
        }
    }
    // Two exports in one file have the same numbers for their sources.
    let both = dir.path().join("both.jsonl").display().to_string();
    let one = exported(dir.path(), "one.jsonl", &[&hung()]);
    let two = exported(dir.path(), "two.jsonl", &[&other]);
    let joined = dir.path().join("joined.jsonl").display().to_string();
    let [one, two] = [one, two].map(|path| fs::read_to_string(path).unwrap());
    fs::write(&joined, one + &two).unwrap();
    assert_eq!(sources(&joined), sources(&both));
}

#[test]
fn what_lines_of_text_say_is_trouble_in_an_export_too() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("run");
    fs::create_dir(&log).unwrap();
    fs::write(
        log.join("job.out"),
        "loading\nError: No such option: --history\ndone\n",
    )
    .unwrap();
    let log = log.display().to_string();
    let path = exported(dir.path(), "text.jsonl", &[&log]);
    let reported = answer(&["diagnose"], &log);
    let words = Json::from(reported.clone()).to_string();
    assert!(words.contains("No such option"), "{words}");
    assert_eq!(answer(&["diagnose"], &path), reported);
}

#[test]
fn what_joins_gave_stays_with_a_selection() {
    let dir = tempfile::tempdir().unwrap();
    let filter = ["--where", "parsl.worker = 1 and has parsl.task"];
    let path = exported(
        dir.path(),
        "some.jsonl",
        &[&filter[..], &[&hung()]].concat(),
    );
    let command = |path: &str, args: &[&str]| {
        ok(&[&["events", path, "--format", "jsonl"][..], args].concat())
    };
    let written = command(&hung(), &filter);
    assert!(written.lines().count() > 10);
    assert_eq!(command(&path, &[]), written);
    // As when lines of a whole export were left out by somebody.
    let whole = exported(dir.path(), "whole.jsonl", &[&hung()]);
    let whole = fs::read_to_string(whole).unwrap();
    let least: Vec<&str> = whole.lines().rev().take(200).collect();
    let cut = dir.path().join("cut.jsonl").display().to_string();
    fs::write(&cut, least.join("\n")).unwrap();
    let read = objects(&command(&cut, &[]));
    let lines = objects(&least.join("\n"));
    assert_eq!(read.len(), lines.len());
    let tasks = |all: &[Map<String, Json>]| {
        let tasks = all.iter().filter_map(|e| e.get("parsl.task"));
        let mut tasks: Vec<String> = tasks.map(ToString::to_string).collect();
        tasks.sort();
        tasks
    };
    assert_eq!(tasks(&read), tasks(&lines));
}

#[test]
fn names_and_records_of_all_sorts_come_back() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"od\xffd.log");
    // A time before the one above it, one that is reported twice, a line without a time, and a fraction with all its digits.
    fs::write(
        run.join(odd),
        "2026-11-21 02:00:02,500 INFO load=0.19999999999999998\n2026-11-21 02:00:01,500 INFO load=0.2\n\
         2026-11-21 02:00:02,500 INFO load=0.21000000000000002 _source=7\n",
    )
    .unwrap();
    fs::write(run.join("plain.txt"), "no time here\nnor here\n").unwrap();
    fs::write(run.join("facts.csv"), "job,host\n1,n1\n2,n2\n").unwrap();
    let run = run.display().to_string();
    let path = exported(dir.path(), "odd.jsonl", &[&run]);
    assert_eq!(sources(&path), sources(&run));
    let events = |path: &str| ok(&["events", path, "--format", "jsonl"]);
    assert_eq!(events(&path), events(&run));
    let digits = |path: &str| ok(&["keys", "--key", "load", path, "--format", "jsonl"]);
    assert_eq!(digits(&path), digits(&run));
}

#[test]
fn an_export_of_another_version_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let record = |more: &str, n: usize| {
        format!(
            "{{\"time\":\"2026-11-21T02:00:0{n}.000000000Z\",\"source\":\"w\",\"level\":\"info\",\"message\":\"job {n}\",\"template\":\"job {{}}\",\"job\":{n}{more}}}\n"
        )
    };
    // What an older version wrote, what a later one may write, and nothing but the number.
    let later =
        ",\"_source\":{\"number\":3,\"path\":\"run/w.log\",\"tag\":\"w\",\"mood\":[1]},\"_at\":0";
    for lines in [
        [record("", 1), record("", 2)],
        [record(later, 1), record(",\"_source\":3,\"_at\":9", 2)],
        [
            record(",\"_source\":3,\"_at\":0", 1),
            record(",\"_source\":3", 2),
        ],
    ] {
        fs::write(&path, lines.concat()).unwrap();
        let path = path.display().to_string();
        let read = objects(&ok(&["events", &path, "--format", "jsonl"]));
        assert_eq!(read.len(), 2, "{lines:?}");
        for (event, job) in read.iter().zip([1, 2]) {
            assert_eq!(
                (&event["job"], &event["source"]),
                (&Json::from(job), &"w".into())
            );
            assert_eq!(event.len(), 6, "{event:?}");
        }
    }
}

/// The events of a run as the program writes them.
fn events(path: &str) -> Vec<Json> {
    let all = objects(&ok(&["events", "--format", "jsonl", path]));
    all.into_iter().map(Json::Object).collect()
}

#[test]
fn keys_behind_the_text_of_an_exception_are_no_part_of_it_when_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("console.log");
    let head =
        |second: u32| format!("[2026-11-21 01:55:{second:02}.660] [tid=17 pid=17 task=Task-1] ");
    let mut text = format!(
        "{} INFO     (academy.logging.configs.file) Configured logger (file-level=DEBUG)\n",
        head(0)
    );
    for (second, agent) in [(1, "one"), (2, "two"), (3, "three")] {
        text += &format!(
            "{} ERROR    (academy.manager) Received exception from AgentId<{agent}>\nTraceback (most recent call last):\n  File \"agents.py\", line 146, in agent_on_startup\n    raise RuntimeError('no scratch space left')\nRuntimeError: no scratch space left agent_id: AgentId<{agent}>\n",
            head(second)
        );
    }
    fs::write(&log, text).unwrap();
    let path = log.display().to_string();
    let back = exported(dir.path(), "back.jsonl", &[&path]);
    assert_eq!(answer(&["diagnose"], &back), answer(&["diagnose"], &path));
}

#[test]
fn a_table_of_events_is_read_back_whatever_its_columns_look_like() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("a.jsonl");
    let mut text = String::new();
    for n in 0..30 {
        // Fields that records of several systems have, and values that a plain cell would not distinguish.
        text += &format!(
            "{{\"time\": \"2026-11-20T10:00:{n:02}Z\", \"level\": \"info\", \"msg\": \"did {n}\", \"none\": \"\", \"list\": [1, {n}], \"text\": \"[1, {n}]\", \"one\": \"[\\\"a\\\"]\", \"nodes\": [\"a\", \"b, c\"]}}\n"
        );
    }
    fs::write(&log, text).unwrap();
    let balsam = runs::data().join("other/balsam").display().to_string();
    for path in [log.display().to_string(), balsam] {
        let table = exported(dir.path(), "out.csv", &["--force", &path]);
        let (own, back) = (events(&path), events(&table));
        assert_eq!(back.len(), own.len(), "{path}");
        for (own, back) in own.iter().zip(&back) {
            assert_eq!(back, own, "{path}");
        }
    }
}

#[test]
fn values_against_the_type_of_their_key_are_left_out_of_flat_tables_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("ranks.jsonl");
    let system = dir.path().join("mysim.toml");
    let definition = r#"
name = "mysim"
[keys."mysim.rank"]
type = "int"
[[json]]
name = "lines"
require = ["mysim_rank"]
time = ["time"]
message = ["msg"]
rename = { mysim_rank = "mysim.rank" }
[[source]]
kind = "log"
glob = ["ranks.jsonl"]
json = ["lines"]
[[sample]]
kind = "log"
layout = "lines"
line = '{"time": "2026-11-20T10:00:00Z", "msg": "a", "mysim_rank": 7}'
gives = { "mysim.rank" = 7 }
"#;
    fs::write(&system, definition).unwrap();
    let mut text = String::new();
    for rank in ["7", "\"0008\"", "\"none\""] {
        text +=
            &format!("{{\"time\":\"2026-11-20T10:00:00Z\",\"msg\":\"a\",\"mysim_rank\":{rank}}}\n");
    }
    fs::write(&log, text).unwrap();
    let (out, system) = (
        dir.path().join("flat.jsonl").display().to_string(),
        system.display().to_string(),
    );
    let log = log.display().to_string();
    let done = run(&["export", "--flat", "--system", &system, "-o", &out, &log]);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(
        errors.contains("1 value of `mysim.rank` left out: not a whole number"),
        "{errors}"
    );
    let ranks: Vec<Option<Json>> = objects(&fs::read_to_string(&out).unwrap())
        .into_iter()
        .map(|row| row.get("mysim.rank").cloned())
        .collect();
    assert_eq!(ranks, [Some(7.into()), Some(8.into()), None]);
}

/// Batches by column, made from stored codes, have the cells of the rows, made from texts.
#[test]
fn batches_of_columns_have_the_cells_of_rows() {
    let mut values = 0;
    for folder in ["hung", "old2024", "other", "queue-run"] {
        let path = runs::data().join(folder);
        let (snapshot, _) = opened(&path);
        let ids: Vec<u32> = (0..snapshot.len())
            .filter_map(|place| Some(snapshot.at(place)?.id.0))
            .collect();
        let cancel = Cancel::default();
        let table = EventTable::new(&snapshot, &ids, &[], &cancel).unwrap();
        let columns = table.columns.clone();
        let rows = table.rows(&ids);
        let expected = FlatTable { columns, rows }.batch();
        let mut seen = 0;
        let write = |batch: FlatBatch| {
            for (column, cells) in batch.cells.iter().enumerate() {
                let from = &expected.cells[column];
                let from: Vec<_> = { from.iter() }
                    .filter(|(row, _)| (seen..seen + batch.rows).contains(row))
                    .map(|(row, cell)| (row - seen, cell.clone()))
                    .collect();
                let name = &table.columns[column].name;
                assert_eq!(*cells, from, "{name} of {}", path.display());
                values += cells.len();
            }
            seen += batch.rows;
            Ok(())
        };
        event_batch::for_each(&table, &ids, &cancel, write).unwrap();
        assert_eq!(seen, expected.rows);
    }
    assert!(values > 20_000, "{values}");
}

/// A report has the words of `diagnose` and `hung`, as a page and as Markdown; another file is refused.
#[test]
fn a_report_says_what_the_commands_say() {
    let hung = &*hung();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let written = |name: &str, more: &[&str]| {
        let path = at(name);
        ok(&[&["report", hung, "-o", &path], more].concat());
        fs::read_to_string(path).unwrap()
    };
    let (page, ticket) = (written("r.html", &[]), written("r.md", &[]));
    for id in [
        "summary",
        "findings",
        "unfinished",
        "runs",
        "over-time",
        "timeline",
        "time",
        "steps",
        "dependencies",
        "sources",
    ] {
        assert!(page.contains(&format!("<h2 id=\"{id}\">")), "{id}");
        assert!(page.contains(&format!("<a href=\"#{id}\">")), "{id}");
    }
    let findings = objects(&ok(&["diagnose", hung, "--format", "jsonl"]));
    let title = findings[0]["title"].as_str().unwrap();
    let summary = &objects(&ok(&["hung", hung, "--format", "jsonl"]));
    let words = summary.last().unwrap()["text"].as_str().unwrap();
    for text in [title, words] {
        let start: String = text.chars().take(40).collect();
        assert!(page.contains(&start) && ticket.contains(&start), "{start}");
    }
    assert!(page.matches("<svg ").count() >= 5 && !ticket.contains("<svg"));
    let part = written("part.md", &["--where", "parsl.task = 3"]);
    assert!(part.contains("- **Selection**: parsl.task = 3"), "{part}");
    let refused = run(&["report", hung, "-o", &at("r.pdf")]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("a report is written as .html or .md"));
    assert!(!Path::new(&at("r.pdf")).exists());
}
