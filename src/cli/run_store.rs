//! Stores of many runs: a folder with one Parquet file for each run in the folder of each table, and a manifest.
//!
//! The tables are `events`, which is read back as the original logs, `entities` with all instances, and `runs` with one
//! row per run, which also holds the rows of `widetui runs` in its metadata. All files of a table have the same columns:
//! those of `events` stand in the manifest, which the first writer makes and all others follow, also later versions.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use widetui_analysis::Instances;
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_format::catalog::stable_hash;
use widetui_format::exports::{EVENTS, RUN};
use widetui_report::event::full_event;
use widetui_report::flat::FlatTable;
use widetui_report::flat_results::{Objects, of_sheet};
use widetui_report::origin::Extent;
use widetui_report::run_columns::{ColumnOfKey, columns_of_keys};
use widetui_session::export_files::export::{self as written, OlderFile};
use widetui_session::instance_table;
use widetui_source::atomic_files::AtomicFiles;
use widetui_source::discover::STORE_MANIFEST;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;
use widetui_tables::answers::instances::{self, InstanceLine, Names, stored_instances};
use widetui_tables::answers::runs::{self, RunSummary};
use widetui_time::time::rfc3339_nanos;

use super::args::{ExportCommand, Format, RunArgs, SelectArgs};
use super::columnar::{self, RunRecords};
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};

/// Tables of a store, in the order of writing: events, which make a run, come last.
const ENTITIES: &str = "entities";
const RUNS: &str = "runs";

/// Ending of the files of a store.
const ENDING: &str = ".parquet";

/// Entry of the metadata of [`RUNS`] with its rows as JSON.
const SUMMARY: &str = "widetui.runs";

/// Length of the name of a run that tells it from others with the same start, hexadecimal digits.
const HASH_DIGITS: usize = 8;

/// Version of the form of a store. It is increased when a column that all runs have is renamed or removed, or gets another
/// type or meaning.
const VERSION: u32 = 1;

/// Manifest of a store.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    /// Version of its form.
    version: u32,
    /// Program that made it.
    made_by: String,
    /// Columns of keys in [`EVENTS`].
    keys: Vec<ColumnOfKey>,
}

impl Manifest {
    /// Manifest of a store; `None` if the folder is none.
    ///
    /// # Errors
    /// It cannot be read, or is that of a later version.
    fn read(store: &Path) -> Result<Option<Manifest>, Failure> {
        let path = store.join(STORE_MANIFEST);
        let cannot = |reason: &dyn std::fmt::Display| {
            Failure::Message(format!("{}: cannot be read: {reason}", path.display()))
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(cannot(&error)),
        };
        /// Part of a manifest that all versions have.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        match serde_json::from_str(&text).map_err(|error| cannot(&error))? {
            Versioned { version: VERSION } => {}
            Versioned { version } => {
                return Err(Failure::Message(format!(
                    "{}: the store has version {version}, this program writes version {VERSION}: \
                     use the program that made it, or a new store",
                    path.display()
                )));
            }
        }
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| cannot(&error))
    }

    /// Manifest of a store; makes it with the keys of a run if there is none.
    ///
    /// # Errors
    /// It cannot be read or written, or is that of a later version.
    fn of(store: &Path, files: &AtomicFiles, snapshot: &Snapshot) -> Result<Manifest, Failure> {
        if let Some(manifest) = Manifest::read(store)? {
            return Ok(manifest);
        }
        let own = Manifest {
            version: VERSION,
            made_by: format!("widetui {}", env!("CARGO_PKG_VERSION")),
            keys: columns_of_keys(snapshot),
        };
        let text = serde_json::to_vec(&own).map_err(|e| Failure::Message(e.to_string()))?;
        let added = files.add_missing(Path::new(STORE_MANIFEST), &text);
        added.map_err(|error| cannot_write(store, &error))?;
        // That of another writer, if it was earlier.
        Ok(Manifest::read(store)?.unwrap_or(own))
    }
}

fn cannot_write(store: &Path, error: &io::Error) -> Failure {
    Failure::Message(written::cannot(store, error))
}

/// True if an output path is a store and no file: a folder, or a path that ends with `/`.
pub fn is_store(output: &Path) -> bool {
    output.as_os_str().as_encoded_bytes().ends_with(b"/") || output.is_dir()
}

/// Path of the file of a run in a table, below the store.
fn path_of(table: &str, run: &str) -> PathBuf {
    Path::new(table).join(format!("{run}{ENDING}"))
}

/// Adds a run to a store, and prints the path of its events.
///
/// # Errors
/// An option that a store does not take; the run cannot be read; the store cannot be written.
pub fn export(c: &ExportCommand) -> Result<(), Failure> {
    columnar::check_built(Format::Parquet)?;
    if c.flat || c.format.is_some() || c.plot.plot.is_some() || !c.select.is_all() {
        return Err(Failure::Message(format!(
            "{}: a store holds whole runs: leave out --plot, --format, --flat and the selection, or name a file",
            c.output.display()
        )));
    }
    let store = &*c.output;
    // The store may be created here.
    let known = store.ancestors().find(|path| path.is_dir());
    let place = known
        .unwrap_or(Path::new("."))
        .join(format!("{EVENTS}{ENDING}"));
    open::may_write(&place, OlderFile::Replaced, &c.paths, &c.open)?;
    if let Some(name) = &c.run {
        check_name(name)?;
    }
    let opened = open::load(&c.paths, &c.open)?;
    if opened.snapshot.is_empty() {
        return Err(Failure::Absent("these logs have no records".to_owned()));
    }
    let name = run_name(c.run.as_deref(), &opened.snapshot)?;
    let cannot = |error| cannot_write(store, &error);
    let mut files = AtomicFiles::create(store).map_err(cannot)?;
    let manifest = Manifest::of(store, &files, &opened.snapshot)?;
    let mut file = |table: &str| {
        let file = files.file(&path_of(table, &name));
        file.map(BufWriter::new).map_err(cannot)
    };
    let all = opened.run_summaries(&AnalysisScope::default());
    let summary = serde_json::to_string(&all).map_err(|e| Failure::Message(e.to_string()))?;
    let rows = runs::stored_runs().sheet(&all, |_| String::new());
    let rows = of_sheet(&rows, Objects::Maps).of_all(RUN, &name);
    let instances = entities(&opened).of_all(RUN, &name);
    let written = columnar::write_table(&instances, ENTITIES, &[], file(ENTITIES)?);
    written.and_then(finish).map_err(cannot)?;
    let written = columnar::write_table(&rows, RUNS, &[(SUMMARY, summary)], file(RUNS)?);
    written.and_then(finish).map_err(cannot)?;
    let records = RunRecords {
        name: &name,
        columns: &manifest.keys,
        ids: &opened.snapshot.order.to_vec(),
        extent: Extent::Whole,
    };
    let written = columnar::write_run(&opened, &records, file(EVENTS)?);
    written.and_then(finish).map_err(cannot)?;
    files.commit().map_err(cannot)?;
    let path = store.join(path_of(EVENTS, &name)).display().to_string();
    write_out(|out| writeln!(out, "{}", safe(&path)))
}

fn finish(file: BufWriter<fs::File>) -> io::Result<()> {
    file.into_inner().map_err(|error| error.into_error())?;
    Ok(())
}

/// Name of a run: as given, or by its first record.
///
/// # Errors
/// The given name has other characters than letters, digits, `.`, `_` and `-`.
pub fn run_name(given: Option<&str>, snapshot: &Snapshot) -> Result<String, Failure> {
    match given {
        Some(name) => check_name(name).map(|()| name.to_owned()),
        None => Ok(name(snapshot)),
    }
}

fn check_name(name: &str) -> Result<(), Failure> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    match name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(Failure::Message(format!(
            "--run {name}: the name of a run has letters, digits, `.`, `_` and `-` only, and a letter or digit first"
        ))),
    }
}

/// Name of a run by its first record: it is the same wherever the run lies, and when the run has grown.
fn name(snapshot: &Snapshot) -> String {
    let events = snapshot.order.iter();
    let mut events = events.filter_map(|id| snapshot.event(EventId(*id)));
    let Some(first) = events.find(|event| event.time().is_some()).or_else(|| {
        let id = snapshot.order.iter().next()?;
        snapshot.event(EventId(*id))
    }) else {
        return "empty".to_owned();
    };
    let full = full_event(&first, &mut TextReader::default());
    let text = format!(
        "{}\n{}\n{}",
        full.time.as_deref().unwrap_or_default(),
        full.source,
        full.message
    );
    let hash = format!("{:016x}", stable_hash(&text));
    let hash = &hash[..HASH_DIGITS];
    match first.time() {
        Some(time) => {
            let digits = rfc3339_nanos(time);
            let digits: String = digits[..19]
                .chars()
                .filter(|c| !"-:".contains(*c))
                .collect();
            format!("{digits}-{hash}")
        }
        None => hash.to_owned(),
    }
}

/// All instances of all entities.
fn entities(opened: &Opened) -> FlatTable {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let cache = &opened.meaning.instance_cache;
    let mut sheet = stored_instances().sheet([] as [InstanceLine<'_>; 0], |_| String::new());
    let everything = |found: &Instances| vec![true; found.list.len()];
    // A command is never cancelled.
    let seen = cache.instances(snapshot, &cancel);
    for found in seen.iter().flat_map(|seen| &seen.found.occurring) {
        let name = &found.entity.name;
        let all = Some(&everything as &dyn Fn(&Instances) -> Vec<bool>);
        let table = instance_table::instances(snapshot, cache, name, None, all, &cancel);
        let Some(mut table) = table else { continue };
        table.rows.sort_by_key(|row| row.at.instance);
        let names = Names::new(snapshot, &table, found);
        let lines = instances::lines(snapshot, &table, found, &names);
        let rows = stored_instances().sheet(lines, |_| String::new()).rows;
        sheet.rows.extend(rows);
    }
    of_sheet(&sheet, Objects::Maps)
}

/// Runs of stores, from what they hold about each run; `None` if a path is no store, or the arguments say how logs are
/// read or which events count: then the events are needed.
///
/// # Errors
/// A store cannot be read.
pub fn summaries(run: &RunArgs, select: &SelectArgs) -> Result<Option<Vec<RunSummary>>, Failure> {
    let open = &run.open;
    let is_read_anew = open.tz.is_some()
        || open.typed.lines().next().is_some()
        || [&open.system, &open.facts]
            .iter()
            .any(|list| !list.is_empty())
        || [&open.shift, &open.join, &open.no_join]
            .iter()
            .any(|list| !list.is_empty());
    if !cfg!(feature = "parquet") || is_read_anew || !select.is_all() {
        return Ok(None);
    }
    let here = [PathBuf::from(".")];
    let paths = match run.paths.is_empty() {
        true => &here[..],
        false => &run.paths,
    };
    let mut all = Vec::new();
    for path in paths {
        if Manifest::read(path)?.is_none() {
            return Ok(None);
        }
        for name in names(path) {
            let Some(runs) = read_summary(&path.join(path_of(RUNS, &name)))? else {
                return Ok(None);
            };
            all.extend(runs.into_iter().map(|mut run| {
                run.stored_as = Some(name.clone());
                run
            }));
        }
    }
    Ok(Some(all))
}

/// Names of the runs of a store, in order.
fn names(store: &Path) -> Vec<String> {
    let entries = fs::read_dir(store.join(EVENTS)).into_iter();
    let files = entries.flatten().flatten().map(|entry| entry.file_name());
    let names = files.filter_map(|name| Some(name.to_str()?.strip_suffix(ENDING)?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Rows of `widetui runs` that a file holds; `None` if it does not hold any.
///
/// # Errors
/// The file cannot be read.
#[cfg(feature = "parquet")]
fn read_summary(file: &Path) -> Result<Option<Vec<RunSummary>>, Failure> {
    if !file.is_file() {
        return Ok(None);
    }
    let opened = widetui_source::parquet::ParquetFile::open(file)
        .map_err(|e| Failure::Message(format!("{}: cannot be read: {e}", file.display())))?;
    let summary = opened.property(SUMMARY);
    // Another version may write other fields: then the events are read.
    Ok(summary.and_then(|text| serde_json::from_str(text).ok()))
}

#[cfg(not(feature = "parquet"))]
fn read_summary(_: &Path) -> Result<Option<Vec<RunSummary>>, Failure> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_stores_and_names_are_names_of_files() {
        assert!(is_store(Path::new("s/")));
        assert!(is_store(Path::new(env!("CARGO_MANIFEST_DIR"))));
        assert!(!is_store(Path::new("s/events.parquet")));
        for name in ["a.1", "7", "scaling-64_b"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "a b", ".hidden", "_hidden", "a/b", "é"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
