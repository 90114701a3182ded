//! README.md and the pages of docs/ are correct: their commands run and print what they show, their pictures are screens of the
//! program, their tables of keys and fields are those of the program.
//!
//! Conventions, all of them invisible in the rendered page:
//!
//! * `<!-- run -->` before a ```` ```console ```` block: each line `$ COMMAND` is given to `sh` in a folder that holds
//!   `runinfo/` and `runinfo.tar.gz` (the run of `widetui demo`), and `queue-run/`, `academy/`, `compute/`, `dask/` and `slurm/`
//!   (from `tests/data`). It must end with
//!   status 0, or with N if the line ends in `# exit N`. The lines below it must be its output (standard output and
//!   error), however wide its columns are; `...` stands for lines left out, `…` at the end of a line for its rest.
//! * `<!-- file NAME -->` before a block: its text is written to the file NAME in that folder.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use widetui_app::command::COMMANDS;
use widetui_app::keymap::{KeyScope, Keymap, Resolution};
use widetui_app::keys::parse_sequence;
use widetui_app::msg::Msg;
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_session::demo;
use widetui_store::Snapshot;
use widetui_tables::answers;
use widetui_tables::schema::{SchemaField, SchemaType};

use widetui_testing_tui::copy_folder;
use widetui_testing_tui::explorer::Explorer;
use widetui_testing_tui::golden::Golden;
use widetui_testing_tui::palette::SvgPalette;
use widetui_testing_tui::story::Scene;

const README: &str = include_str!("../../README.md");
const KEYS: &str = include_str!("../../docs/src/keys.md");
const JSON_LINES: &str = include_str!("../../docs/src/json-lines.md");

/// README.md and the pages of docs/, by their path in the repository.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = vec![(PathBuf::from("README.md"), README.to_owned())];
    for folder in ["docs/src", "docs/src/recipes"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        for entry in entries {
            let name = Path::new(folder).join(entry.unwrap().file_name());
            if name.extension().is_some_and(|e| e == "md") {
                let text = fs::read_to_string(root().join(&name)).unwrap();
                pages.push((name, text));
            }
        }
    }
    pages
}

/// Folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A command of the page, and what it says about it.
#[derive(Debug, PartialEq, Eq)]
struct Quoted<'t> {
    command: &'t str,
    status: i32,
    shown: Vec<&'t str>,
}

/// The lines of the blocks that follow a comment `<!-- WORD ... -->`, with the rest of the comment.
fn blocks<'t>(text: &'t str, word: &str) -> Vec<(&'t str, Vec<&'t str>)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let comment = line
            .strip_prefix("<!-- ")
            .and_then(|l| l.strip_suffix(" -->"));
        let Some(rest) = comment.and_then(|c| c.strip_prefix(word)) else {
            continue;
        };
        assert!(
            lines.next().is_some_and(|l| l.starts_with("```")),
            "no block behind {line}"
        );
        found.push((
            rest.trim(),
            lines.by_ref().take_while(|l| *l != "```").collect(),
        ));
    }
    found
}

fn commands(text: &str) -> Vec<Quoted<'_>> {
    let mut found: Vec<Quoted<'_>> = Vec::new();
    for line in blocks(text, "run").into_iter().flat_map(|(_, lines)| lines) {
        if let Some(command) = line.strip_prefix("$ ") {
            let status = command
                .rsplit_once("# exit ")
                .map_or(0, |(_, n)| n.trim().parse().unwrap());
            found.push(Quoted {
                command,
                status,
                shown: Vec::new(),
            });
        } else {
            found.last_mut().expect("a command first").shown.push(line);
        }
    }
    found
}

/// In what the lines that are shown differ from those that were written. How wide columns are does not matter.
fn difference(shown: &[&str], written: &str) -> Option<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut written = written.lines().map(words).peekable();
    let mut may_skip = false;
    for line in shown {
        if *line == "..." {
            may_skip = true;
            continue;
        }
        let line = words(line);
        let fits = |w: &String| match line.strip_suffix('…') {
            Some(start) => w.starts_with(start.trim_end()),
            None => *w == line,
        };
        let found = match std::mem::take(&mut may_skip) {
            true => written.any(|w| fits(&w)),
            false => written.next().is_some_and(|w| fits(&w)),
        };
        if !found {
            return Some(format!("{line} is shown and not printed there"));
        }
    }
    let more = written.peek().filter(|_| !may_skip && !shown.is_empty());
    more.map(|w| format!("it also prints {w}"))
}

/// A folder with everything that the commands of a page are about.
fn folder(page: &str) -> tempfile::TempDir {
    let root = root();
    let folder = tempfile::tempdir().unwrap();
    let archive = root.join("demo/hung.tar.gz");
    fs::copy(&archive, folder.path().join("runinfo.tar.gz")).unwrap();
    let unpacked = flate2::read::GzDecoder::new(fs::File::open(&archive).unwrap());
    tar::Archive::new(unpacked).unpack(folder.path()).unwrap();
    for (data, name) in [
        ("queue-run", "queue-run"),
        ("other/academy", "academy"),
        ("other/dask", "dask"),
        ("other/slurm", "slurm"),
    ] {
        copy_folder(
            &root.join("tests/data").join(data),
            &folder.path().join(name),
        );
    }
    unpack_part(
        &root.join("tests/data/endpoints.tar.gz"),
        "compute-manager_killed/home",
        &folder.path().join("compute"),
    );
    for (name, lines) in blocks(page, "file") {
        fs::write(folder.path().join(name), lines.join("\n") + "\n").unwrap();
    }
    folder
}

/// Unpacks the files below a folder of a `.tar.gz` archive.
fn unpack_part(archive: &Path, part: &str, to: &Path) {
    let unpacked = flate2::read::GzDecoder::new(fs::File::open(archive).unwrap());
    for entry in tar::Archive::new(unpacked).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        if let Ok(rest) = path.strip_prefix(part)
            && entry.header().entry_type().is_file()
        {
            let to = to.join(rest);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            entry.unpack(to).unwrap();
        }
    }
}

#[test]
fn quoted_commands_run_and_print_what_is_shown() {
    let program = Path::new(env!("CARGO_BIN_EXE_widetui"));
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(&path).unwrap();
    let mut count = 0;
    let mut wrong = Vec::new();
    // Each page stands alone: its commands find what the same page made, and nothing else.
    for (page, text) in pages() {
        let folder = folder(&text);
        let page = page.display();
        for quoted in commands(&text) {
            count += 1;
            let command = quoted.command;
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(folder.path())
                .env("PATH", &path)
                .env("TZ", "UTC")
                .env("XDG_CONFIG_HOME", folder.path().join("config"))
                .output()
                .unwrap();
            let mut written = String::from_utf8(output.stdout).unwrap();
            written.push_str(&String::from_utf8(output.stderr).unwrap());
            if output.status.code() != Some(quoted.status) {
                let status = output.status;
                wrong.push(format!("{page}: $ {command}\n{status:?}\n{written}"));
            } else if let Some(difference) = difference(&quoted.shown, &written) {
                wrong.push(format!("{page}: $ {command}\n{difference}:\n{written}"));
            }
        }
    }
    assert!(count >= 50, "only {count} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn commands_are_found_and_compared() {
    let text =
        "<!-- run -->\n```console\n$ a\nx\n...\nz…\n$ b # exit 2\n```\n```console\n$ c\n```\n";
    let found = commands(text);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].status, found[1].status), (0, 2));
    let differs = |written: &str| difference(&found[0].shown, written).is_some();
    assert!(!differs("x\nzzz\n") && !differs("x\ny\nzzz\n"));
    for written in ["zzz\nx\n", "x\ny\n", "a\nx\nzzz\n", "x\nzzz\nz\n"] {
        assert!(differs(written), "{written}");
    }
}

/// Name, keys: screens of the demo run.
const PICTURES: &[(&str, &str)] = &[
    ("demo", "e"),
    (
        "demo-task",
        "fparsl.task = 24 or parsl.dependency_task = 24<enter>",
    ),
    (
        "demo-pivot",
        "fparsl.executor_task = 25 and source != ix<enter>Gp",
    ),
    ("demo-sources", "9jjj"),
    ("demo-timeline", "4j"),
    ("demo-diagnose", "d"),
];

/// Explorer with the demo run, in a dark terminal.
fn demo_explorer(columns: u16, rows: u16) -> Explorer {
    static RUN: OnceLock<Arc<Snapshot>> = OnceLock::new();
    let run = RUN.get_or_init(|| {
        let options = OpenOptions {
            threads: Some(1),
            ..demo::options(OpenOptions::default())
        };
        let loaded = load_all(&options, &Cancel::default(), Progress::default());
        loaded.expect("the demo run").0
    });
    let mut session = Explorer::new("dark", columns, rows);
    session.change(|model| {
        model.title = "demo".to_owned();
    });
    session.send(Msg::Load(LoadMsg::Snapshot(run.clone())));
    session
}

fn is_shown(picture: &str) -> bool {
    let link = format!("screenshots/{picture}.svg)");
    pages().iter().any(|(_, text)| text.contains(&link))
}

#[test]
fn pictures_are_screens_of_the_demo() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, keys) in PICTURES {
        let mut session = demo_explorer(120, 36);
        session.keys(keys);
        wrong.extend(
            golden
                .check_both(name, &session.screen(), &SvgPalette::Dark)
                .err(),
        );
        assert!(is_shown(name), "{name} is not shown");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Step of a story.
struct Step {
    keys: &'static str,
    /// Keys as they are written.
    written: &'static str,
    /// Words about the answer on the screen.
    words: &'static str,
    /// Time that it stays, s.
    seconds: u32,
}

/// Story of some steps in the demo run.
struct Story {
    name: &'static str,
    title: &'static str,
    steps: &'static [Step],
}

const fn step(
    keys: &'static str,
    written: &'static str,
    words: &'static str,
    seconds: u32,
) -> Step {
    Step {
        keys,
        written,
        words,
        seconds,
    }
}

const STORIES: &[Story] = &[
    Story {
        name: "story-hung",
        title: "A run that hangs",
        steps: &[
            step(
                "",
                "",
                "widetui demo: eleven logs of one run, merged by time",
                4,
            ),
            step("d", "d", "diagnose: task 24 began and never ended", 5),
            step(
                "<enter>",
                "Enter",
                "its records, from the submission to the last words of its worker",
                5,
            ),
            step(
                "p",
                "p",
                "pivot: what else is about its worker, manager, block ...",
                4,
            ),
            step("w", "w", "everything that worker 1 wrote, in all logs", 5),
            step(
                "4",
                "4",
                "timeline: its bar never ends, the other workers are idle",
                6,
            ),
        ],
    },
    Story {
        name: "story-slow",
        title: "Where the time went",
        steps: &[
            step(
                "",
                "",
                "widetui demo: eleven logs of one run, merged by time",
                3,
            ),
            step(
                "5",
                "5",
                "latency: most of the time, tasks waited for other tasks",
                6,
            ),
            step(
                "vg",
                "v g",
                "dependencies: what waits for what, and the critical path",
                6,
            ),
            step("3", "3", "states: how many tasks were in which, when", 4),
            step("b", "b", "grouped by another key ...", 3),
            step("app<enter>", "app Enter", "... a curve for each app", 6),
        ],
    },
    Story {
        name: "story-pivot",
        title: "From one record to what belongs to it",
        steps: &[
            step(
                "",
                "",
                "widetui demo: eleven logs of one run, merged by time",
                3,
            ),
            step("e", "e", "the next error", 4),
            step("p", "p", "pivot: a letter picks a key of this record", 4),
            step("m", "m", "every record of the same manager, in all logs", 5),
            step(
                "6",
                "6",
                "joins: how records that do not name the manager are known to be its",
                6,
            ),
            step("<esc><esc>", "Esc Esc", "back, step by step", 4),
        ],
    },
];

#[test]
fn stories_are_screens_of_the_demo() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for Story { name, title, steps } in STORIES {
        let mut session = demo_explorer(100, 30);
        let scene = |step: &Step| {
            session.keys(step.keys);
            Scene {
                keys: step.written.to_owned(),
                words: step.words.to_owned(),
                seconds: step.seconds,
                screen: session.screen(),
            }
        };
        let scenes: Vec<Scene> = steps.iter().map(scene).collect();
        wrong.extend(golden.check_story(name, title, &scenes).err());
        assert!(is_shown(name), "{name} is not shown");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every link and picture of a page that points into the repository finds something, and every page is in the book.
#[test]
fn links_point_at_files() {
    let summary = include_str!("../../docs/src/SUMMARY.md");
    for (page, text) in pages() {
        let folder = root().join(page.parent().unwrap());
        for target in text.split("](").skip(1).filter_map(|l| l.split(')').next()) {
            if !target.starts_with("http") && !target.starts_with('#') {
                let file = target.split('#').next().unwrap();
                assert!(
                    folder.join(file).exists(),
                    "{}: {target} is not there",
                    page.display()
                );
            }
        }
        if let Ok(name) = page.strip_prefix("docs/src")
            && !name.ends_with("SUMMARY.md")
        {
            let link = format!("({})", name.display());
            assert!(summary.contains(&link), "{link} is not in the summary");
        }
    }
}

#[test]
fn the_page_about_the_module_is_that_of_its_docstrings() {
    let mut command = Command::new("python3");
    let output = command
        .args(["scripts/api.py", "--check"])
        .current_dir(root())
        .output();
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The table of keys: every action that does something is in it, with the keys that run it and the line that help shows.
#[test]
fn the_table_of_keys_is_that_of_the_program() {
    let keymap = Keymap::standard();
    let mut wrong = Vec::new();
    for row in COMMANDS {
        let name = format!("| `{}` |", row.name);
        let Some(line) = KEYS.lines().find(|l| l.contains(&name)) else {
            let keys = keymap.all_keys_of(&[KeyScope::Global], row.command);
            let Some(key) = keys.first() else { continue };
            let mut session = Explorer::example("dark", 120, 40);
            session.send(Msg::Do(row.command));
            let answer = session.last_line();
            if !answer.contains("not built yet") {
                wrong.push(format!("{} ({key}) is not in the table", row.name));
            }
            continue;
        };
        if !line.ends_with(&format!("| {} |", row.summary)) {
            wrong.push(format!("{}: {}", row.name, row.summary));
        }
        let cell = line.split(" | ").next().unwrap().trim_start_matches("| ");
        let written = cell.replace("`` ` ``", "`grave`");
        for key in written.split('`').filter(|k| !k.trim().is_empty()) {
            let key = if key == "grave" { "`" } else { key };
            let keys = parse_sequence(key).unwrap();
            let scopes = [
                KeyScope::Global,
                KeyScope::Pivot,
                KeyScope::Picker,
                KeyScope::Table,
                KeyScope::Sources,
                KeyScope::Breadcrumb,
                KeyScope::Plot,
                KeyScope::Timeline,
                KeyScope::Joins,
                KeyScope::NewJoin,
            ];
            let runs = Resolution::Run(row.command);
            if !scopes.iter().any(|s| keymap.resolve(&[*s], &keys) == runs) {
                wrong.push(format!("{}: {cell}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands, and the start of the rows with their fields.
const FIELDS: [(&str, &str); 24] = [
    ("sources", "`sources`"),
    ("keys", "`keys`"),
    ("keys --key parsl.app", "`keys --key KEY`"),
    ("entities", "`entities`"),
    ("entities --of parsl.task", "`entities --of ENTITY`"),
    ("joins", "`joins`"),
    ("hung", "`hung`"),
    ("diagnose", "`diagnose`"),
    ("series parsl.pending_tasks", "`series`"),
    ("flow", "`flow`"),
    ("latency parsl.task", "`latency`"),
    ("states parsl.task", "`states`"),
    ("states parsl.task --final", "`states --final`"),
    ("spans parsl.try", "`spans`"),
    ("spans parsl.try --summary", "`spans --summary`"),
    ("spans parsl.try --concurrency", "`spans --concurrency`"),
    ("throughput parsl.task", "`throughput`"),
    ("utilisation parsl.try", "`utilisation`"),
    (
        "trace parsl.task=24 --account",
        "`trace KEY=VALUE --account`",
    ),
    ("trace parsl.task --account", "`trace ENTITY --account`"),
    ("runs", "`runs`"),
    ("compare runinfo", "`compare`"),
    ("contrast parsl.app=wait_for_file", "`contrast`"),
    ("check", "`check`"),
];

/// The table of the fields of JSON lines has all that commands print of the run of the demo.
#[test]
fn the_fields_of_json_lines_are_those_that_are_printed() {
    let folder = folder("");
    let mut wrong = Vec::new();
    for (arguments, start) in FIELDS {
        let documented = |field: &str| {
            let mut rows = JSON_LINES
                .lines()
                .filter(|r| r.starts_with(&format!("| {start}")));
            rows.any(|row| row.contains(&format!("`{field}`")))
        };
        let output = Command::new(env!("CARGO_BIN_EXE_widetui"))
            .args(arguments.split(' '))
            .args(["runinfo", "--format", "jsonl"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let mut fields = BTreeSet::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            fields.extend(json.as_object().unwrap().keys().cloned());
        }
        // The version of the fields stands above the table.
        fields.remove("_schema");
        if fields.is_empty() {
            let error = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("{arguments} prints nothing: {error}"));
        }
        for field in fields.iter().filter(|f| !documented(f)) {
            wrong.push(format!("{arguments}: `{field}` is not told"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names in backticks outside of brackets.
fn names(text: &str) -> Vec<String> {
    let (mut depth, mut outer) = (0, String::new());
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            c if depth == 0 => outer.push(c),
            _ => {}
        }
    }
    let names = outer.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// The table of the fields of JSON lines has the columns of all tables, in their order, with their units.
#[test]
fn the_fields_of_json_lines_are_those_of_the_schemas() {
    let mut wrong = Vec::new();
    for (command, fields) in answers::fields() {
        let start = format!("| {command} | ");
        let row = JSON_LINES.lines().find_map(|row| row.strip_prefix(&start));
        let expected: Vec<String> = fields.iter().map(|f| f.name.clone()).collect();
        let documented = row.map(names);
        if documented.as_ref() != Some(&expected) {
            wrong.push(format!("{command}: {documented:?} is {expected:?}"));
        }
        // The unit of a duration is a part of its name.
        let unit = |f: &&SchemaField| f.name.ends_with("_s") != (f.kind == SchemaType::Duration);
        wrong.extend(
            fields
                .iter()
                .filter(unit)
                .map(|f| format!("{command}: unit of {}", f.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// CONTRIBUTING.md names paths that exist, and every part of the integration tests.
#[test]
fn the_map_for_contributors_is_that_of_the_source() {
    let page = include_str!("../../CONTRIBUTING.md");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = regex::Regex::new(r"`((?:crates|src|tests|systems|keymaps|themes|benches)/[^` ]*)`");
    let mut wrong = Vec::new();
    for named in path.unwrap().captures_iter(page).map(|c| c[1].to_owned()) {
        // A pattern, or a file to be added: `systems/NAME.toml`.
        let is_file = !named.contains(['*', '{']) && !named.contains("NAME");
        if is_file && !root.join(&named).exists() {
            wrong.push(format!("{named} does not exist"));
        }
    }
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        names.map(|name| format!("{folder}/{name}")).collect()
    };
    let crates = names("crates").into_iter().map(|c| format!("{c}/tests/it"));
    let crates = crates.filter(|folder| root.join(folder).exists());
    let parts = names("tests/it").into_iter();
    let parts = parts.filter(|p| !p.ends_with("main.rs") && !p.ends_with("program.rs"));
    for part in crates.chain(parts) {
        if !page.contains(&format!("`{part}")) {
            wrong.push(format!("{part} is not in the table of tests"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
