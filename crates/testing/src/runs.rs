//! Recorded runs below `tests/data`, their expected counts, and comparisons of loaded runs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;
use tempfile::TempDir;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::diag::Diagnostic;
use widetui_core::ids::EventId;
use widetui_ingest::load::load_all;
use widetui_ingest::options::{OpenError, OpenOptions};
use widetui_report::event::full_event;
use widetui_source::text::read_range;
use widetui_store::texts::TextReader;
use widetui_store::{Snapshot, Source, Value};

/// Names of the runs below `tests/data`.
pub const CASES: [&str; 8] = [
    "hung",
    "old2024",
    "manager_lost",
    "multi",
    "json",
    "workqueue",
    "other",
    "stacks",
];

/// Modification time (seconds since 1970) of all files, so that stamps without a year resolve alike in every form of a
/// run.
pub const MODIFIED: u64 = 1_795_230_000;

/// Root folder of the repository.
pub fn repository() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().unwrap()
}

/// Folder of the recorded runs.
pub fn data() -> PathBuf {
    repository().join("tests/data")
}

/// Unpacks an archive from the folder of the runs.
pub fn unpacked(archive: &str) -> TempDir {
    let packed = File::open(data().join(archive)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(packed))
        .unpack(dir.path())
        .unwrap();
    dir
}

/// Copies a run to a temporary directory, below `<dir>/run`.
pub fn directory(case: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let packed = data().join(format!("{case}.tar.gz"));
    if packed.exists() {
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(File::open(packed).unwrap()));
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().into_owned();
            if path.to_string_lossy().ends_with('/') {
                continue;
            }
            let path = run.join(path.strip_prefix("runinfo").unwrap_or(&path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::io::copy(&mut entry, &mut File::create(path).unwrap()).unwrap();
        }
    } else {
        for path in files(&data().join(case)) {
            let to = run.join(path.strip_prefix(data().join(case)).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&path, &to).unwrap();
        }
    }
    for file in files(&run) {
        set_age(&file);
    }
    dir
}

/// Sets the modification time of a file to [`MODIFIED`].
pub fn set_age(path: &Path) {
    let age = SystemTime::UNIX_EPOCH + Duration::from_secs(MODIFIED);
    File::open(path).unwrap().set_modified(age).unwrap();
}

/// Lists all files below a folder, sorted.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// Packs a folder as a compressed tar archive with names below `run/`.
pub fn tar_gz(folder: &Path, to: &Path) {
    let gz = flate2::write::GzEncoder::new(File::create(to).unwrap(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gz);
    for path in files(folder) {
        let name = Path::new("run").join(path.strip_prefix(folder).unwrap());
        tar.append_path_with_name(&path, name).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
    set_age(to);
}

/// Packs a folder as an uncompressed tar archive with names below `run/`.
pub fn plain_tar(folder: &Path, to: &Path) {
    let mut tar = tar::Builder::new(File::create(to).unwrap());
    for path in files(folder) {
        let name = Path::new("run").join(path.strip_prefix(folder).unwrap());
        tar.append_path_with_name(&path, name).unwrap();
    }
    tar.into_inner().unwrap();
    set_age(to);
}

/// Replaces each file below a folder by its gzip-compressed form.
pub fn gzip_all(folder: &Path) {
    for path in files(folder) {
        let name = format!("{}.gz", path.display());
        let mut gz = flate2::write::GzEncoder::new(
            File::create(&name).unwrap(),
            flate2::Compression::fast(),
        );
        gz.write_all(&fs::read(&path).unwrap()).unwrap();
        gz.finish().unwrap();
        fs::remove_file(&path).unwrap();
        set_age(Path::new(&name));
    }
}

/// Load options for tests.
pub fn options(path: &Path, threads: usize) -> OpenOptions {
    OpenOptions {
        paths: vec![path.to_path_buf()],
        threads: Some(threads),
        ..OpenOptions::default()
    }
}

/// Loads a path.
pub fn try_load(
    path: &Path,
    threads: usize,
) -> Result<(Arc<Snapshot>, Vec<Diagnostic>), OpenError> {
    load_all(
        &options(path, threads),
        &Cancel::default(),
        Progress::default(),
    )
}

/// Loads a path; panics if it cannot be read.
pub fn load(path: &Path, threads: usize) -> Arc<Snapshot> {
    try_load(path, threads).unwrap().0
}

/// Finds the source with this path ending; panics if there is none.
pub fn source<'a>(snapshot: &'a Snapshot, ending: &str) -> &'a Source {
    let found = snapshot.sources.iter().find(|s| s.path.ends_with(ending));
    found.unwrap_or_else(|| panic!("{ending} is not listed"))
}

/// Problems of a source, one per line.
pub fn problems(source: &Source) -> String {
    let texts: Vec<String> = source.problems.iter().map(Diagnostic::message).collect();
    texts.join("\n")
}

/// Configuration of a property test with `n` cases; `WIDETUI_CASES=100` multiplies them by 100.
pub fn cases(n: u32) -> proptest::test_runner::Config {
    let times = std::env::var("WIDETUI_CASES").ok();
    let n = n * times.and_then(|t| t.parse().ok()).unwrap_or(1);
    proptest::test_runner::Config::with_cases(n)
}

/// Name of a source relative to the folder `run`, without a compression ending, in an archive or not.
pub fn inner_name(source: &Source) -> String {
    let path = &source.path;
    let name = path.split_once("/run/").map_or(&**path, |p| p.1);
    let ending = [".gz", ".zst", ".xz", ".bz2"]
        .into_iter()
        .find_map(|e| name.strip_suffix(e));
    let name = ending.unwrap_or(name);
    let name = name.split_once("run/").map_or(name, |p| p.1);
    name.to_owned()
}

/// Content of a record, independent of how the run was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub source: String,
    pub offset: u64,
    pub time: Option<String>,
    pub tag: String,
    pub level: &'static str,
    pub message: String,
    pub template: String,
    pub keys: Vec<(String, Value)>,
}

/// Returns all records in time order.
pub fn records(snapshot: &Snapshot) -> Vec<Record> {
    let mut texts = TextReader::default();
    snapshot
        .order
        .iter()
        .map(|id| {
            let event = snapshot.event(EventId(*id)).unwrap();
            let full = full_event(&event, &mut texts);
            let keys = full.keys.into_iter();
            Record {
                source: inner_name(event.source()),
                offset: event.span().0,
                time: full.time,
                tag: full.source,
                level: full.level,
                message: full.message,
                template: full.template.into_owned(),
                keys: keys.map(|key| (key.name.to_owned(), key.value)).collect(),
            }
        })
        .collect()
}

/// Panics at the first difference between two lists of records.
pub fn assert_same_records(what: &str, expected: &[Record], found: &[Record]) {
    for (e, f) in expected.iter().zip(found) {
        assert_eq!(e, f, "{what}: the first record that differs");
    }
    assert_eq!(expected.len(), found.len(), "{what}: number of records");
}

/// Counts of one file by an independent program.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// File kind; `plain`, `binary` and `sqlite` files have no records to compare.
    pub kind: String,
    pub records: Option<u64>,
    pub continuation: Option<u64>,
    pub levels: Option<BTreeMap<String, u64>>,
    /// Microseconds UTC.
    pub first: Option<i64>,
    pub last: Option<i64>,
    /// Microseconds of the civil time as written.
    pub first_civil: Option<i64>,
    pub last_civil: Option<i64>,
}

/// Reads the expected counts of a case, by file, from `expected.json`.
pub fn expected(case: &str) -> BTreeMap<String, Expected> {
    let all: Json =
        serde_json::from_str(&fs::read_to_string(data().join("expected.json")).unwrap()).unwrap();
    let files = all[case].as_object().unwrap();
    let parse = |v: &Json| Expected {
        kind: v["kind"].as_str().unwrap().to_owned(),
        records: v["records"].as_u64(),
        continuation: v["continuation"].as_u64(),
        levels: v["levels"].as_object().map(|levels| {
            let number = |(k, n): (&String, &Json)| (k.clone(), n.as_u64().unwrap());
            levels.iter().map(number).collect()
        }),
        first: v["first_us"].as_i64(),
        last: v["last_us"].as_i64(),
        first_civil: v["first_civil_us"].as_i64(),
        last_civil: v["last_civil_us"].as_i64(),
    };
    files.iter().map(|(k, v)| (k.clone(), parse(v))).collect()
}

/// Lists all differences between a loaded run and the expected counts. `name` maps a source to its name in `expected`.
pub fn differences(
    snapshot: &Snapshot,
    expected: &BTreeMap<String, Expected>,
    name: impl Fn(&Source) -> String,
) -> Vec<String> {
    let sources: BTreeMap<String, &Source> =
        snapshot.sources.iter().map(|s| (name(s), &**s)).collect();
    let mut out = Vec::new();
    for (path, expected) in expected {
        let Some(source) = sources.get(path) else {
            out.push(format!("{path}: not listed"));
            continue;
        };
        let mut differs = |what: &str, expected: String, found: String| {
            if expected != found {
                out.push(format!(
                    "{path} ({}): {what}: expected {expected}, found {found}",
                    source.layout
                ));
            }
        };
        if matches!(expected.kind.as_str(), "binary" | "sqlite") && source.stats.records() > 0 {
            differs(
                "kind",
                expected.kind.clone(),
                format!("{} records", source.stats.records()),
            );
        }
        if let Some(n) = expected.records {
            // Comments before the first record become a record without a time, which the reference program does not
            // count.
            let found = match expected.kind.as_str() {
                "wq_transaction_log" => timed(snapshot, source),
                _ => source.stats.records(),
            };
            differs("records", n.to_string(), found.to_string());
        }
        if let Some(n) = expected.continuation {
            differs(
                "continuation lines",
                n.to_string(),
                continuation_lines(snapshot, source).to_string(),
            );
        }
        if let Some(levels) = &expected.levels {
            let found: BTreeMap<String, u64> = widetui_core::level::Level::ALL
                .iter()
                .map(|l| (l.name().to_owned(), source.stats.levels[*l as usize]))
                .filter(|(name, n)| !name.is_empty() && *n > 0)
                .collect();
            differs("levels", format!("{levels:?}"), format!("{found:?}"));
        }
        let times = [
            ("first", expected.first, source.first()),
            ("last", expected.last, source.last()),
            ("first as written", expected.first_civil, source.stats.first),
            ("last as written", expected.last_civil, source.stats.last),
        ];
        let expected_kind = expected.kind.as_str();
        for (what, expected, found) in times {
            let Some(expected) = expected else { continue };
            // JSON times are floats with more digits than a microsecond, and programs round them differently.
            let slack = if expected_kind == "jsonl" || path.contains(".json") {
                1000
            } else {
                0
            };
            if found.is_none_or(|ns| (ns - expected * 1000).abs() > slack) {
                differs(what, format!("{expected} us"), format!("{found:?} ns"));
            }
        }
    }
    out
}

/// Number of records of a source that have a time.
fn timed(snapshot: &Snapshot, source: &Source) -> u64 {
    (0..snapshot.len() as u32)
        .filter_map(|id| snapshot.event(EventId(id)))
        .filter(|e| e.source().id == source.id && e.time().is_some())
        .count() as u64
}

/// Number of lines in the records of a source other than the first line of each record.
fn continuation_lines(snapshot: &Snapshot, source: &Source) -> u64 {
    let text = read_range(&*source.text, 0, source.bytes as usize).unwrap();
    let lines = |bytes: &[u8]| {
        let ends = bytes.iter().filter(|b| **b == b'\n').count();
        ends + usize::from(bytes.last().is_some_and(|b| *b != b'\n'))
    };
    let mut sum = 0;
    for event in (0..snapshot.len() as u32).filter_map(|id| snapshot.event(EventId(id))) {
        if event.source().id == source.id {
            let (start, len) = event.span();
            let record = &text[start as usize..start as usize + len];
            sum += lines(record).saturating_sub(1) as u64;
        }
    }
    sum
}
