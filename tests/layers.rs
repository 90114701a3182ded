//! The rules between the layers of the source tree, read from the source itself.
//!
//! Arrows go down only, so that any layer can be understood, tested and replaced with those below it alone; a crate that does
//! one job is named in one place, so that it can be replaced in an afternoon.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from below; those of one group do not know each other.
const LAYERS: [&[&str]; 10] = [
    &["base"],
    &["source"],
    &["format"],
    &["store"],
    &["query"],
    &["join"],
    &["analysis"],
    &["export"],
    &["workspace"],
    &["ui", "cli"],
];

/// Crates and the places that may name them. Those not listed may be named anywhere.
const CRATES: [(&str, &[&str]); 27] = [
    ("ratatui", &["ui/"]),
    ("crossterm", &["ui/"]),
    ("unicode_segmentation", &["ui/"]),
    ("fuzzy_matcher", &["ui/"]),
    ("signal_hook", &["ui/"]),
    (
        "clap",
        &["cli/args.rs", "cli/args/", "cli/mod.rs", "main.rs"],
    ),
    ("clap_complete", &["cli/"]),
    ("clap_mangen", &["cli/"]),
    ("anyhow", &["cli/", "ui/", "main.rs"]),
    ("chrono", &["base/time"]),
    ("tz", &["base/zone.rs"]),
    ("tar", &["source/tarball.rs"]),
    ("zip", &["source/zipped.rs"]),
    ("flate2", &["source/codec.rs", "source/zipped.rs"]),
    ("ruzstd", &["source/codec.rs"]),
    ("lzma_rust2", &["source/codec.rs"]),
    ("bzip2", &["source/codec.rs"]),
    ("deflate64", &["source/codec.rs"]),
    ("lz4_flex", &["source/"]),
    (
        "tempfile",
        &["source/", "workspace/demo.rs", "workspace/whole.rs"],
    ),
    ("rusqlite", &["source/sqlite.rs"]),
    ("csv_core", &["format/table/csv.rs"]),
    ("rmpv", &["format/table/tree/"]),
    ("saphyr_parser", &["format/table/tree/"]),
    (
        "toml",
        &["format/", "ui/", "workspace/saved/", "cli/config.rs"],
    ),
    ("rustix", &["base/processors.rs", "source/", "ui/"]),
    ("crossbeam_channel", &["workspace/", "ui/", "cli/"]),
];

/// Folders in which modules use each other in circles. In no other one do they, and this list only gets shorter.
const CIRCLES: [&str; 5] = ["format", "ui", "ui/update", "workspace", "workspace/follow"];

/// No file of the source is longer than this.
const LINES: usize = 500;

struct File {
    /// Below `src/`.
    name: String,
    /// Without comments, strings of one line, and test modules.
    code: String,
    /// Without comments and test modules, strings kept.
    text: String,
    lines: usize,
}

impl File {
    fn layer(&self) -> Option<&str> {
        self.name.split_once('/').map(|p| p.0)
    }
}

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn source() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    rust_files(&root, &mut paths);
    paths.sort();
    let files = paths.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let whole = fs::read_to_string(&path).unwrap();
        let text = without_tests(&without_comments(&whole));
        File {
            code: without_strings(&text),
            text,
            lines: whole.lines().count(),
            name,
        }
    });
    files.filter(|f| !is_test(&f.name)).collect()
}

/// Test modules in files of their own.
fn is_test(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/") || name.ends_with("_tests.rs")
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let code = line.trim_start();
        if code.starts_with("//") { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Cuts `#[cfg(test)]` modules, which stand at the end of a file; a test module in a file of its own is one line.
fn without_tests(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            while lines
                .peek()
                .is_some_and(|l| l.trim_start().starts_with("#["))
            {
                lines.next();
            }
            let item = lines.next().unwrap_or_default();
            if item.trim_end().ends_with('{') {
                let indent = item.len() - item.trim_start().len();
                let end = format!("{}}}", " ".repeat(indent));
                for inner in lines.by_ref() {
                    if inner == end {
                        break;
                    }
                }
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn without_strings(text: &str) -> String {
    let string = regex::Regex::new(r#""(?:[^"\\\n]|\\.)*""#).unwrap();
    string.replace_all(text, "\"\"").into_owned()
}

/// Names that follow `crate::` in paths and in braces after it: `use crate::{base::x, format::y}`.
fn modules_named(code: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            out.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && (c.is_alphabetic() || c == '_') => {
                    out.insert(word(&group[i..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    out
}

fn word(text: &str) -> String {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text[..end.unwrap_or(text.len())].to_owned()
}

fn height(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|l| l.contains(&layer))
}

#[test]
fn every_folder_is_a_layer() {
    for file in source() {
        if let Some(layer) = file.layer() {
            assert!(height(layer).is_some(), "{}: not a layer", file.name);
        }
    }
}

#[test]
fn arrows_go_down_only() {
    let mut wrong = Vec::new();
    for file in source() {
        let Some(layer) = file.layer() else { continue };
        for named in modules_named(&file.code) {
            let allowed = match (height(&named), height(layer)) {
                (Some(below), Some(here)) => below < here || named == layer,
                // Not a layer: something at the root of the crate, which belongs to nobody.
                _ => false,
            };
            if !allowed {
                wrong.push(format!("{} names crate::{named}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn crates_are_named_where_their_job_is() {
    let files = source();
    let mut wrong = Vec::new();
    for (name, places) in CRATES {
        let named = regex::Regex::new(&format!(r"(?:^|[^:\w]){name}::|\buse {name}\b")).unwrap();
        for file in files.iter().filter(|f| named.is_match(&f.code)) {
            if !places.iter().any(|p| file.name.starts_with(p)) {
                wrong.push(format!("{} names {name}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_below_the_workspace_prints_or_reads_the_environment_or_the_clock() {
    let forbidden = [
        "println!",
        "print!",
        "eprintln!",
        "eprint!",
        "dbg!",
        "stdout()",
        "stderr()",
        "env::var",
        "env::args",
        "SystemTime::now",
        "Instant::now",
        "Local::now",
        "Utc::now",
        "process::exit",
    ];
    let top = height("workspace").unwrap();
    let mut wrong = Vec::new();
    for file in source() {
        if file.layer().and_then(height).is_some_and(|h| h < top) {
            for what in forbidden {
                if file.code.contains(what) {
                    wrong.push(format!("{}: {what}", file.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Names of definitions that may stand in the source, because they mean something else there too.
const ORDINARY: [(&str, &str); 8] = [
    ("batch", "several things at once"),
    ("general", "English"),
    ("journal", "a file of SQLite's"),
    ("json_lines", "a syntax"),
    ("python", "a language: how it writes values and levels"),
    ("redis", "a binary format, told by its first bytes"),
    ("scalable", "English"),
    ("widetui", "this program"),
];

/// The names of all definitions but the ordinary ones, and words that only one system uses.
fn words_of_systems() -> regex::Regex {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("systems");
    let files = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let mut names: Vec<String> = files
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let name = text.lines().find_map(|l| l.strip_prefix("name = "));
            name.unwrap().trim_matches('"').to_owned()
        })
        .collect();
    for (word, why) in ORDINARY {
        assert!(
            names.iter().any(|n| n == word),
            "{word} ({why}) is no system"
        );
    }
    names.retain(|name| ORDINARY.iter().all(|(word, _)| word != name));
    names.push("htex".to_owned());
    let names = names.iter().map(|name| {
        let spelled = name.replace('_', "[ _-]?");
        // Short names are parts of ordinary words: "ray" of "array".
        match name.len() {
            0..=4 => format!("(?:^|[^a-z]){spelled}(?:[^a-z]|$)"),
            _ => spelled,
        }
    });
    let all: Vec<String> = names.collect();
    regex::Regex::new(&format!("(?i){}", all.join("|"))).unwrap()
}

#[test]
fn what_is_known_about_a_system_stands_in_its_definition() {
    let words = words_of_systems();
    assert!(words.is_match("a worker of Dask") && words.is_match("work_queue.status"));
    assert!(!words.is_match("an array of batches"));
    let mut wrong = Vec::new();
    for file in source() {
        // What the command line shows as examples is no knowledge.
        if file.name.starts_with("cli/") {
            continue;
        }
        for line in file.text.lines().filter(|l| words.is_match(l)) {
            wrong.push(format!("{}: {}", file.name, line.trim()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A module by its path from the root of the crate: `["query", "select"]`.
type Module = Vec<String>;

fn module_of(name: &str) -> Module {
    let name = name.trim_end_matches(".rs").trim_end_matches("/mod");
    name.split('/').map(str::to_owned).collect()
}

/// The paths that code names: those of its `use`, with their braces taken apart, and those within it.
fn paths_named(code: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let uses = regex::Regex::new(r"(?s)\buse ([^;]+);").unwrap();
    for found in uses.captures_iter(code) {
        take_apart(&[], &found[1], &mut out);
    }
    let rest = uses.replace_all(code, "");
    let within = regex::Regex::new(r"\b(?:crate|super|self)(?:::\w+)+").unwrap();
    for found in within.find_iter(&rest) {
        take_apart(&[], found.as_str(), &mut out);
    }
    out
}

/// Adds the paths of `a::{b, c::{d, e}}`.
fn take_apart(before: &[String], path: &str, out: &mut Vec<Vec<String>>) {
    let (plain, group) = match path.split_once('{') {
        Some((plain, group)) => (plain, group.trim_end().strip_suffix('}')),
        None => (path, None),
    };
    let plain = plain.split(" as ").next().unwrap_or_default();
    let names = plain.split("::").map(str::trim).filter(|n| !n.is_empty());
    let mut whole = before.to_vec();
    whole.extend(names.map(str::to_owned));
    let Some(group) = group else {
        out.push(whole);
        return;
    };
    let (mut depth, mut from) = (0, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = group[from..at].trim();
                if !part.is_empty() {
                    take_apart(&whole, part, out);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// The module that a path in another one leads to.
fn led_to(from: &Module, path: &[String], all: &BTreeSet<Module>) -> Option<Module> {
    let ups = path.iter().take_while(|n| *n == "super").count();
    let (mut at, names) = match path.first()?.as_str() {
        "crate" => (Module::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => (from[..from.len().checked_sub(ups)?].to_vec(), &path[ups..]),
        _ => (from.clone(), path),
    };
    for name in names {
        at.push(name.clone());
        if !all.contains(&at) {
            at.pop();
            break;
        }
    }
    (all.contains(&at) && at != *from).then_some(at)
}

/// By folder: which of its modules names which other.
fn siblings() -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let files = source();
    let all: BTreeSet<Module> = files.iter().map(|f| module_of(&f.name)).collect();
    let mut out: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for file in &files {
        let from = module_of(&file.name);
        for path in paths_named(&file.code) {
            let Some(to) = led_to(&from, &path, &all) else {
                continue;
            };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            // A folder and what is inside it are no siblings.
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let folder = out.entry(from[..shared].join("/")).or_default();
                let named = folder.entry(one.clone()).or_default();
                named.insert(other.clone());
            }
        }
    }
    out
}

/// A way from a module back to itself.
fn circle(named: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let next = |at: &String| named.get(at).into_iter().flatten();
    named.keys().find_map(|start| {
        let mut ways: Vec<Vec<String>> = vec![vec![start.clone()]];
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop() {
            for to in next(way.last()?) {
                let longer = [&way[..], std::slice::from_ref(to)].concat();
                if to == start {
                    return Some(longer);
                }
                if seen.insert(to.clone()) {
                    ways.push(longer);
                }
            }
        }
        None
    })
}

#[test]
fn modules_of_a_folder_use_each_other_in_no_circle() {
    let circles = siblings();
    let circles = circles
        .iter()
        .filter_map(|(folder, named)| Some((&**folder, circle(named)?)));
    let (known, new): (Vec<_>, Vec<_>) = circles.partition(|(f, _)| CIRCLES.contains(f));
    let new: Vec<String> = new
        .iter()
        .map(|(folder, way)| format!("{folder}: {}", way.join(" -> ")))
        .collect();
    assert!(new.is_empty(), "{new:#?}");
    let known: Vec<&str> = known.into_iter().map(|(folder, _)| folder).collect();
    assert_eq!(
        known, CIRCLES,
        "what has no circle any more leaves the list"
    );
}

#[test]
fn no_file_is_long() {
    let long: Vec<String> = source()
        .iter()
        .filter(|f| f.lines > LINES)
        .map(|f| format!("{}: {} lines", f.name, f.lines))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn these_rules_would_notice() {
    let named = modules_named(
        "use crate::{base::{a, b}, store::Cell};\nlet x = crate::ui::y(); $crate::z; mycrate::q",
    );
    let expected = ["base", "store", "ui"].map(str::to_owned);
    assert_eq!(named, expected.into());
    let code =
        without_tests("a\n#[cfg(test)]\nmod tests {\n    b\n}\nc\n#[cfg(test)]\nmod tests;\nd\n");
    assert_eq!(code, "a\nc\nd\n");
    assert_eq!(without_strings("x(\"a \\\" parsl\") y"), "x(\"\") y");
    assert!(source().len() > 50);
    let paths = paths_named("use super::{a::B, c::{self, d as e}};\nuse crate::x;\nself::y::Z");
    let paths: Vec<String> = paths.iter().map(|p| p.join("::")).collect();
    let expected = [
        "super::a::B",
        "super::c::self",
        "super::c::d",
        "crate::x",
        "self::y::Z",
    ];
    assert_eq!(paths, expected);
    let named = |pairs: &[(&str, &str)]| {
        let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (one, other) in pairs {
            out.entry((*one).into())
                .or_default()
                .insert((*other).into());
        }
        out
    };
    assert_eq!(circle(&named(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = circle(&named(&[("a", "b"), ("b", "c"), ("c", "b")])).unwrap();
    assert_eq!(found, ["b", "c", "b"]);
}
