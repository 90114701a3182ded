//! Stores of many runs: a folder with a partition `run=ID/` of Parquet files for each run.
//!
//! A partition has three tables: `events`, which is read back as the original logs, `entities` with all instances, and
//! `runs` with one row per run, which also holds the rows of `widetui runs` in its metadata.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use widetui_analysis::Instances;
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_format::catalog::stable_hash;
use widetui_format::exports::EVENTS;
use widetui_report::event::full_event;
use widetui_report::flat::FlatTable;
use widetui_report::flat_results;
use widetui_report::origin::Extent;
use widetui_session::instance_table;
use widetui_source::atomic_folder::AtomicFolder;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;
use widetui_tables::answers::instances::{self, InstanceLine, Names, stored_instances};
use widetui_tables::answers::runs::{self, RunSummary};
use widetui_time::time::rfc3339_nanos;

use super::args::{ExportCommand, Format, RunArgs, SelectArgs};
use super::columnar;
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};

/// Start of the name of a partition.
const PARTITION: &str = "run=";

/// Tables of a partition, in the order of writing: events, which make a run, come last.
const ENTITIES: &str = "entities";
const RUNS: &str = "runs";

/// Entry of the metadata of [`RUNS`] with its rows as JSON.
const SUMMARY: &str = "widetui.runs";

/// Length of the name of a run that tells it from others with the same start, hexadecimal digits.
const HASH_DIGITS: usize = 8;

/// Store, and the name of the run in it.
pub struct StoreTarget {
    store: PathBuf,
    /// Name of the run, unless the run itself gives it.
    name: Option<String>,
}

impl StoreTarget {
    /// Store of an output path: a folder, a path that ends with `/`, or a partition `run=NAME`. `None` for a file.
    ///
    /// # Errors
    /// The name of the run has other characters than letters, digits, `.`, `_` and `-`.
    pub fn of(output: &Path) -> Option<Result<StoreTarget, Failure>> {
        let name = output.file_name().map(|n| n.to_string_lossy());
        if let Some(id) = name.as_deref().and_then(|n| n.strip_prefix(PARTITION)) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
            if id.is_empty() || !id.chars().all(is_plain) {
                return Some(Err(Failure::Message(format!(
                    "{}: the name of a run in a store has letters, digits, `.`, `_` and `-` only",
                    output.display()
                ))));
            }
            let parent = output.parent().filter(|p| *p != Path::new(""));
            return Some(Ok(StoreTarget {
                store: parent.unwrap_or(Path::new(".")).to_owned(),
                name: Some(id.to_owned()),
            }));
        }
        let is_folder = output.as_os_str().as_encoded_bytes().ends_with(b"/") || output.is_dir();
        is_folder.then(|| {
            Ok(StoreTarget {
                store: output.to_owned(),
                name: None,
            })
        })
    }
}

/// Adds a run to a store, and prints the path of its partition.
///
/// # Errors
/// An option that a store does not take; the run cannot be read; the store cannot be written.
pub fn export(target: &StoreTarget, c: &ExportCommand) -> Result<(), Failure> {
    columnar::check_built(Format::Parquet)?;
    if c.flat || c.format.is_some() || c.plot.plot.is_some() || !c.select.is_all() {
        return Err(Failure::Message(format!(
            "{}: a store holds whole runs: leave out --plot, --format, --flat and the selection, or name a file",
            c.output.display()
        )));
    }
    let store = &target.store;
    // The store may be created here.
    let known = store.ancestors().find(|path| path.is_dir());
    let place = known.unwrap_or(Path::new(".")).join(PARTITION);
    open::may_write(&place, &c.paths, &c.open)?;
    let opened = open::load(&c.paths, &c.open)?;
    if opened.snapshot.is_empty() {
        return Err(Failure::Absent("these logs have no records".to_owned()));
    }
    let name = target
        .name
        .clone()
        .unwrap_or_else(|| name(&opened.snapshot));
    let partition = format!("{PARTITION}{name}");
    let cannot =
        |error| Failure::Message(format!("{}: cannot be written: {error}", store.display()));
    let mut folder = AtomicFolder::create(store, &partition).map_err(cannot)?;
    let mut file = |table: &str| {
        let file = folder.file(&format!("{table}.parquet"));
        file.map(BufWriter::new).map_err(cannot)
    };
    let all = opened.run_summaries(&AnalysisScope::default());
    let summary = serde_json::to_string(&all).map_err(|e| Failure::Message(e.to_string()))?;
    let rows = flat_results::of_sheet(&runs::runs().sheet(&all, |_| String::new()));
    // A command is never cancelled.
    let instances = entities(&opened).unwrap_or_default();
    finish(columnar::write_table(
        &instances,
        ENTITIES,
        &[],
        file(ENTITIES)?,
    )?)?;
    finish(columnar::write_table(
        &rows,
        RUNS,
        &[(SUMMARY, summary)],
        file(RUNS)?,
    )?)?;
    let ids = opened.snapshot.order.to_vec();
    finish(columnar::write_events(
        &opened,
        &ids,
        &[],
        Some(Extent::Whole),
        Format::Parquet,
        file(EVENTS)?,
    )?)?;
    folder.commit().map_err(cannot)?;
    let path = store.join(&partition).display().to_string();
    write_out(|out| writeln!(out, "{}", safe(&path)))
}

fn finish(file: BufWriter<fs::File>) -> Result<(), Failure> {
    file.into_inner().map_err(|error| error.into_error())?;
    Ok(())
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
fn entities(opened: &Opened) -> Option<FlatTable> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let cache = &opened.meaning.instance_cache;
    let moment = |_| String::new();
    let mut sheet = stored_instances().sheet([] as [InstanceLine<'_>; 0], moment);
    let everything = |found: &Instances| vec![true; found.list.len()];
    let seen = cache.instances(snapshot, &cancel)?;
    for found in &seen.found.occurring {
        let name = &found.entity.name;
        let mut table =
            instance_table::instances(snapshot, cache, name, None, Some(&everything), &cancel)?;
        table.rows.sort_by_key(|row| row.at.instance);
        let names = Names::new(snapshot, &table, found);
        let lines = instances::lines(snapshot, &table, found, &names);
        sheet.append(stored_instances().sheet(lines, moment));
    }
    Some(flat_results::of_sheet(&sheet))
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
        let partitions = partitions(path);
        if partitions.is_empty() {
            return Ok(None);
        }
        for partition in partitions {
            let file = partition.join(format!("{RUNS}.parquet"));
            let Some(runs) = read_summary(&file)? else {
                return Ok(None);
            };
            let name = partition.file_name().unwrap_or_default().to_string_lossy();
            let name = name.strip_prefix(PARTITION).unwrap_or(&name);
            all.extend(runs.into_iter().map(|mut run| {
                run.partition = Some(name.to_owned());
                run
            }));
        }
    }
    Ok(Some(all))
}

/// Partitions of a store, or the partition itself, by name; none if the path is another folder or a file.
fn partitions(path: &Path) -> Vec<PathBuf> {
    let is_partition = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PARTITION) && path.join(format!("{EVENTS}.parquet")).is_file()
    };
    let own = path.to_path_buf();
    if is_partition(&own) {
        return vec![own];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|e| e.path()).filter(is_partition).collect();
    all.sort();
    all
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
    fn folders_and_partitions_are_stores() {
        let of = |path: &str| match StoreTarget::of(Path::new(path)) {
            None => None,
            Some(Ok(target)) => Some((target.store, target.name)),
            Some(Err(_)) => Some((PathBuf::new(), None)),
        };
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(of("s/"), Some((PathBuf::from("s/"), None)));
        assert_eq!(of("s/run=a.1"), Some((PathBuf::from("s"), name("a.1"))));
        assert_eq!(of("run=7/"), Some((PathBuf::from("."), name("7"))));
        assert_eq!(of("s/run=a b"), Some((PathBuf::new(), None)));
        assert_eq!(of("s/run="), Some((PathBuf::new(), None)));
        assert_eq!(of("s/events.parquet"), None);
        assert!(of(env!("CARGO_MANIFEST_DIR")).is_some());
    }
}
