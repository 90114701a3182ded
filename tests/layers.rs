//! Rules on the source tree that Cargo cannot enforce, read from the source itself.
//!
//! Cargo keeps the arrows between the crates pointing one way. Here stand the rest: a dependency that does one job belongs to one
//! package, so that it can be replaced in an afternoon; knowledge of a system stands in its definition; crates below `session`
//! neither print nor read the environment or the clock; the files of a crate do not use each other in circles.
//!
//! Crates are found by their manifests: a new one is covered without an edit here. Packages with `publish = false` hold helpers
//! of tests and are left out.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Dependencies that one package alone may have (development dependencies aside).
const ONE_PACKAGE: [&str; 24] = [
    "arrow-ipc",
    "bzip2",
    "chrono",
    "clap",
    "clap_complete",
    "clap_mangen",
    "crossterm",
    "csv-core",
    "deflate64",
    "flate2",
    "fuzzy-matcher",
    "lz4_flex",
    "lzma-rust2",
    "ratatui",
    "regex-syntax",
    "rmpv",
    "rusqlite",
    "ruzstd",
    "saphyr-parser",
    "schemars",
    "signal-hook",
    "strsim",
    "tar",
    "tz-rs",
];

/// Dependencies that one package reads with and another writes with.
const TWO_PACKAGES: [(&str, [&str; 2]); 3] = [
    ("arrow-array", ["report", "source"]),
    ("arrow-schema", ["report", "source"]),
    ("parquet", ["report", "source"]),
];

/// Packages of the dependencies that define what a package is for.
const PLACES: [(&str, &str); 6] = [
    ("arrow-ipc", "report"),
    ("chrono", "time"),
    ("clap", "widetui"),
    ("crossterm", "tui"),
    ("ratatui", "tui"),
    ("rusqlite", "source"),
];

/// A package of the workspace.
struct Package {
    /// Folder below `crates/`, or `widetui` for the root.
    name: String,
    /// Names of its dependencies, without those of tests and of the build script.
    dependencies: BTreeSet<String>,
    files: Vec<File>,
}

impl Package {
    /// Dependencies inside the workspace, by the names of their packages here.
    fn own_dependencies(&self) -> impl Iterator<Item = &str> {
        let all = self.dependencies.iter();
        all.filter_map(|name| name.strip_prefix("widetui-"))
    }
}

/// A file of the source, test modules aside.
struct File {
    /// Path below `src/`.
    name: String,
    /// Text without comments, strings of one line, and test modules.
    code: String,
    /// Text without comments and test modules, strings kept.
    text: String,
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

/// Published packages of the workspace, the root first.
fn packages() -> Vec<Package> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = fs::read_dir(root.join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    folders.sort();
    folders.insert(0, root.to_path_buf());
    folders
        .iter()
        .filter_map(|folder| package(folder))
        .collect()
}

/// The package of a folder, or nothing if it is not published.
fn package(folder: &Path) -> Option<Package> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let about = manifest["package"].as_table().unwrap();
    let is_published = about.get("publish").and_then(|p| p.as_bool()) != Some(false);
    let name = about["name"].as_str().unwrap();
    let dependencies = manifest.get("dependencies").and_then(|d| d.as_table());
    is_published.then(|| Package {
        name: name.strip_prefix("widetui-").unwrap_or(name).to_owned(),
        dependencies: dependencies.map_or_else(BTreeSet::new, |d| d.keys().cloned().collect()),
        files: files(&folder.join("src")),
    })
}

fn files(source: &Path) -> Vec<File> {
    let mut paths = Vec::new();
    rust_files(source, &mut paths);
    paths.sort();
    let files = paths.into_iter().map(|path| {
        let name = path.strip_prefix(source).unwrap().display().to_string();
        let text = without_tests(&without_comments(&fs::read_to_string(&path).unwrap()));
        File {
            code: without_strings(&text),
            text,
            name,
        }
    });
    files.filter(|f| !is_test(&f.name)).collect()
}

/// True for a file of unit tests.
fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("tests/")
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

#[test]
fn a_dependency_with_one_job_belongs_to_one_package() {
    let packages = packages();
    let mut wrong = Vec::new();
    for dependency in ONE_PACKAGE {
        let users = packages
            .iter()
            .filter(|p| p.dependencies.contains(dependency));
        let users: Vec<&str> = users.map(|p| &*p.name).collect();
        let place = PLACES.iter().find(|(name, _)| *name == dependency);
        let is_right = match place {
            Some((_, package)) => users == [*package],
            None => users.len() == 1,
        };
        if !is_right {
            wrong.push(format!(
                "{dependency} is a dependency of {}",
                users.join(", ")
            ));
        }
    }
    for (dependency, places) in TWO_PACKAGES {
        let users = packages
            .iter()
            .filter(|p| p.dependencies.contains(dependency));
        let users: Vec<&str> = users.map(|p| &*p.name).collect();
        if users != places {
            wrong.push(format!(
                "{dependency} is a dependency of {}",
                users.join(", ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The command line is parsed in `src/cli/args` alone; commands receive plain values.
#[test]
fn clap_is_named_where_arguments_are() {
    let packages = packages();
    let clap = regex::Regex::new(r"(?:^|[^:\w])clap::|\buse clap\b").unwrap();
    let root = packages.iter().find(|p| p.name == "widetui").unwrap();
    let named = root.files.iter().filter(|f| clap.is_match(&f.code));
    let named: Vec<&str> = named.map(|f| &*f.name).collect();
    let places = ["cli/args.rs", "cli/args/", "cli/mod.rs"];
    let is_wrong = |name: &&&str| !places.iter().any(|p| name.starts_with(p));
    let wrong: Vec<_> = named.iter().filter(is_wrong).collect();
    assert!(!named.is_empty() && wrong.is_empty(), "{wrong:#?}");
}

/// Names of a package and of the packages that it depends on, directly or not.
fn with_dependencies(packages: &[Package], name: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut left = vec![name.to_owned()];
    while let Some(name) = left.pop() {
        let package = packages.iter().find(|p| p.name == name).unwrap();
        left.extend(package.own_dependencies().map(str::to_owned));
        out.insert(name);
    }
    out
}

#[test]
fn crates_below_the_session_neither_print_nor_read_the_environment_or_the_clock() {
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
    let packages = packages();
    let is_below = |p: &&Package| !with_dependencies(&packages, &p.name).contains("session");
    let mut wrong = Vec::new();
    for package in packages.iter().filter(is_below) {
        for file in &package.files {
            // Following paces its polls by the monotonic clock.
            let is_pace = |name: &str| package.name == "ingest" && name == "Instant::now";
            let found = forbidden.iter().filter(|name| file.code.contains(**name));
            for name in found.filter(|name| !is_pace(name)) {
                wrong.push(format!("{}: {}: {name}", package.name, file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Names of definitions that are allowed in the source, because they have another meaning there too.
const ORDINARY: [(&str, &str); 8] = [
    ("batch", "several things at once"),
    ("general", "English"),
    ("journal", "a file of SQLite's"),
    ("json_lines", "a syntax"),
    ("python", "a language: how it writes values and levels"),
    ("redis", "a binary format, recognised by its first bytes"),
    ("scalable", "English"),
    ("widetui", "this program"),
];

/// Pattern of the names of all definitions but the ordinary ones, and of words that one system alone uses.
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
fn knowledge_of_a_system_stands_in_its_definition() {
    let words = words_of_systems();
    assert!(words.is_match("a worker of Dask") && words.is_match("work_queue.status"));
    assert!(!words.is_match("an array of batches"));
    let mut wrong = Vec::new();
    for package in packages() {
        for file in &package.files {
            // Examples in the help of commands are no knowledge.
            if package.name == "widetui" && file.name.starts_with("cli/") {
                continue;
            }
            for line in file.text.lines().filter(|l| words.is_match(l)) {
                wrong.push(format!("{}: {}: {}", package.name, file.name, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Path of a module from the root of its crate: `["select", "columns"]`. The root itself has an empty path.
type Module = Vec<String>;

/// Modules that a file re-exports from, by the names that it gives to their items.
type Exports = BTreeMap<Module, BTreeMap<String, Vec<String>>>;

fn module_of(name: &str) -> Module {
    if name == "lib.rs" || name == "main.rs" {
        return Module::new();
    }
    let name = name.trim_end_matches(".rs").trim_end_matches("/mod");
    name.split('/').map(str::to_owned).collect()
}

/// Paths that code names, in its `use` declarations (braces expanded) and elsewhere.
fn paths_named(code: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let uses = regex::Regex::new(r"(?s)\buse ([^;]+);").unwrap();
    for found in uses.captures_iter(code) {
        expand(&[], &found[1], &mut out);
    }
    let rest = uses.replace_all(code, "");
    let within = regex::Regex::new(r"\b(?:crate|super|self)(?:::\w+)+").unwrap();
    for found in within.find_iter(&rest) {
        expand(&[], found.as_str(), &mut out);
    }
    out
}

/// Adds the paths of `a::{b, c::{d, e}}` to `out`.
fn expand(before: &[String], path: &str, out: &mut Vec<Vec<String>>) {
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
                    expand(&whole, part, out);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// Re-exports of all files: `pub use parse::Parser` makes `Parser` a name of the module.
fn exports(files: &[File]) -> Exports {
    let uses = regex::Regex::new(r"(?s)\bpub(?:\([a-z ]+\))? use ([^;]+);").unwrap();
    let mut out = Exports::new();
    for file in files {
        let mut paths = Vec::new();
        for found in uses.captures_iter(&file.code) {
            expand(&[], &found[1], &mut paths);
        }
        let names = paths
            .into_iter()
            .filter_map(|p| Some((p.last()?.clone(), p)));
        out.insert(module_of(&file.name), names.collect());
    }
    out
}

/// Module of a path in another module, through re-exports.
fn resolved(from: &Module, path: &[String], all: &Exports) -> Option<Module> {
    let ups = path.iter().take_while(|n| *n == "super").count();
    let (mut at, names) = match path.first()?.as_str() {
        "crate" => (Module::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => (from[..from.len().checked_sub(ups)?].to_vec(), &path[ups..]),
        _ => (from.clone(), path),
    };
    for name in names {
        at.push(name.clone());
        if !all.contains_key(&at) {
            at.pop();
            // The name of an item: of the module itself, unless it comes from elsewhere.
            let exported = all.get(&at).filter(|_| at != *from);
            if let Some(path) = exported.and_then(|names| names.get(name)) {
                return resolved(&at, path, all);
            }
            break;
        }
    }
    (all.contains_key(&at) && at != *from).then_some(at)
}

/// Which modules of a folder name which other ones, by folder.
fn siblings(files: &[File]) -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let all = exports(files);
    let mut out: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for file in files {
        let from = module_of(&file.name);
        for path in paths_named(&file.code) {
            let Some(to) = resolved(&from, &path, &all) else {
                continue;
            };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            // A folder and the modules inside it are no siblings.
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let folder = out.entry(from[..shared].join("/")).or_default();
                let named = folder.entry(one.clone()).or_default();
                named.insert(other.clone());
            }
        }
    }
    out
}

/// Shortest way found from a module back to itself.
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
fn files_of_a_crate_use_each_other_in_no_circle() {
    let mut wrong = Vec::new();
    for package in packages() {
        for (folder, named) in siblings(&package.files) {
            let way = circle(&named).map(|way| way.join(" -> "));
            wrong.extend(way.map(|way| format!("{}/{folder}: {way}", package.name)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `Explorer` owns the model and hands it out by shared reference; inside `app`, only the modules of `update` receive it to
/// change it. The type of a component names the functions of `update` that a view runs.
#[test]
fn update_alone_changes_the_model() {
    let packages = packages();
    let of_interface = packages
        .iter()
        .filter(|p| ["app", "tui"].contains(&&*p.name));
    let mut takers = Vec::new();
    for package in of_interface {
        let files = package.files.iter();
        let takes =
            files.filter(|f| f.code.contains("&mut Model") || f.code.contains("&mut model"));
        takers.extend(takes.map(|f| format!("{}/{}", package.name, f.name)));
    }
    let (own, wrong): (Vec<_>, Vec<_>) = takers
        .into_iter()
        .partition(|name| name.starts_with("app/update/") || name == "app/model/view.rs");
    assert!(!own.is_empty() && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn these_rules_would_notice() {
    let code =
        without_tests("a\n#[cfg(test)]\nmod tests {\n    b\n}\nc\n#[cfg(test)]\nmod tests;\nd\n");
    assert_eq!(code, "a\nc\nd\n");
    assert_eq!(without_strings("x(\"a \\\" parsl\") y"), "x(\"\") y");
    let packages = packages();
    assert!(packages.len() > 10 && packages.iter().all(|p| !p.files.is_empty()));
    assert!(with_dependencies(&packages, "tui").contains("core"));
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
    let file = |name: &str, code: &str| File {
        name: name.to_owned(),
        code: code.to_owned(),
        text: code.to_owned(),
    };
    let files = [
        file("lib.rs", "mod a;\nmod b;\npub use a::{One, Two};"),
        file("a.rs", "use crate::b::three;"),
        file("b.rs", "use crate::{One};"),
    ];
    let found = siblings(&files);
    assert_eq!(circle(&found[""]).unwrap(), ["a", "b", "a"]);
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
