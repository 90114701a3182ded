//! Opening a run for a command.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::diag::Severity;
use widetui_core::memory::MemoryLimit;
use widetui_core::nearest::{did_you_mean, nearest};
use widetui_core::processors;
use widetui_core::thread;
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_ingest::threads;
use widetui_join::{Join, omission_messages};
use widetui_session::definitions;
use widetui_session::export_files::export::{OlderFile, check};
use widetui_session::meaning::{Meaning, WantedKeys, needed_joins, with_joined_values};
use widetui_session::user_joins;
use widetui_store::Snapshot;
use widetui_time::time::parse_seconds;
use widetui_time::zone::Zone;
use widetui_time::zone_parse::zone_names;

use super::args::{OpenArgs, RunArgs, command_names};
use super::colour::obeys_sequences;
use super::config::user_definitions;
use super::opened::{Notes, Opened};
use super::output::{self, Failure, safe, warn};
use super::run_checks::{check_logs, check_shifts, idle_typed_joins};

/// Options of reading from the arguments of a command. Problems with the user's definitions go to standard error.
pub fn options(paths: &[PathBuf], open: &OpenArgs) -> Result<(OpenOptions, Zone), Failure> {
    let mut problems = Vec::new();
    let options = options_noting(paths, open, &mut problems)?;
    problems.iter().for_each(warn);
    Ok(options)
}

/// Options of reading from the arguments. The user's definitions with mistakes are left out, with messages in `problems`.
///
/// # Errors
/// An argument is wrong, or a definition that the arguments name.
pub fn options_noting(
    paths: &[PathBuf],
    open: &OpenArgs,
    problems: &mut Vec<String>,
) -> Result<(OpenOptions, Zone), Failure> {
    let mut systems = user_definitions(problems);
    let typed = typed_joins(open)?;
    if !open.system.is_empty() || !typed.is_empty() {
        for path in &open.system {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|e| unreadable("--system ", path, &e))?;
            systems.push((path.display().to_string(), text));
        }
        if !typed.is_empty() {
            systems.push(user_joins::definition_of_options(&typed));
        }
        let mut wrong = Vec::new();
        systems = definitions::valid(systems, &mut wrong);
        if !wrong.is_empty() {
            return Err(Failure::Message(wrong.join("\n")));
        }
    }
    let mut shifts = Vec::new();
    for shift in &open.shift {
        let parsed = shift
            .rsplit_once('=')
            .and_then(|(source, seconds)| Some((source.to_owned(), parse_seconds(seconds)?)));
        shifts.push(parsed.ok_or_else(|| {
            Failure::Message(format!(
                "--shift {shift}: not of the form SOURCE=SECONDS (at most a hundred years), e.g. --shift worker_3=-1.5"
            ))
        })?);
    }
    for path in &open.facts {
        std::fs::metadata(path).map_err(|e| unreadable("--facts ", path, &e))?;
    }
    check_paths(paths)?;
    let options = OpenOptions {
        follow: None,
        embedded: None,
        paths: if paths.is_empty() {
            vec![PathBuf::from(".")]
        } else {
            paths.to_vec()
        },
        facts: open.facts.clone(),
        zone: open.tz.as_deref().map(zone).transpose()?,
        fallback_zone: Zone::Local,
        systems,
        threads: open.threads.map(usize::from),
        memory: MemoryLimit(open.memory),
        shifts,
        ..OpenOptions::default()
    };
    Ok((options, display_zone(open)?))
}

/// Joins that the arguments state by hand.
///
/// # Errors
/// An argument has another form.
fn typed_joins(open: &OpenArgs) -> Result<Vec<Join>, Failure> {
    let mut joins: Vec<Join> = Vec::new();
    for (kind, line) in open.typed.lines() {
        let join = kind.parse(line).map_err(|error| {
            let option = kind.name();
            Failure::Message(format!("--{option}:\n{}", error.render()))
        })?;
        if joins.iter().all(|other| other.name != join.name) {
            joins.push(join);
        }
    }
    Ok(joins)
}

/// Zone of shown and typed times.
///
/// # Errors
/// There is no such zone.
pub fn display_zone(open: &OpenArgs) -> Result<Zone, Failure> {
    let named = open.display_tz.as_deref().map(zone).transpose()?;
    Ok(named.unwrap_or(Zone::Utc))
}

fn zone(text: &str) -> Result<Zone, Failure> {
    Zone::parse(text).map_err(|error| {
        let hint = did_you_mean(text, zone_names().iter().map(String::as_str));
        Failure::Message(format!("{error}{hint}"))
    })
}

/// Checks that a file may be written.
///
/// # Errors
/// The file is part of the input, or within an input folder, or an older one that stays.
pub fn may_write(
    output: &Path,
    older: OlderFile,
    paths: &[PathBuf],
    open: &OpenArgs,
) -> Result<(), Failure> {
    let here = paths.is_empty().then(|| PathBuf::from("."));
    let read: Vec<PathBuf> = here
        .iter()
        .chain(paths)
        .chain(&open.facts)
        .cloned()
        .collect();
    check(output, older, &read).map_err(Failure::Message)
}

/// Checks that a path exists. Missing ones among several are reported when the others are read.
///
/// # Errors
/// No path exists, or a missing one is a misspelt command.
fn check_paths(paths: &[PathBuf]) -> Result<(), Failure> {
    let error = |path: &PathBuf| match path.as_os_str() == "-" {
        true => None,
        false => Some(missing(path, &std::fs::metadata(path).err()?)),
    };
    let messages: Vec<(String, bool)> = paths.iter().filter_map(error).collect();
    let is_fatal =
        messages.len() == paths.len() || messages.iter().any(|(_, is_command)| *is_command);
    if messages.is_empty() || !is_fatal {
        return Ok(());
    }
    let messages: Vec<String> = messages.into_iter().map(|t| t.0).collect();
    Err(Failure::Message(messages.join("\n")))
}

/// Message about a missing path, and whether it seems to be a misspelt command.
fn missing(path: &Path, error: &std::io::Error) -> (String, bool) {
    let name = path.to_string_lossy();
    let commands = command_names();
    let is_word = !name.contains(['/', '.']);
    let near = nearest(&name, commands.iter().map(String::as_str)).filter(|_| is_word);
    let text = match near {
        Some(command) if *command == *name => {
            format!("{name}: {error}; the command comes first: widetui {command} ...")
        }
        Some(command) => format!("{name}: {error}; did you mean the command `{command}`?"),
        None => format!("{name}: {error}{}", similar_path(path)),
    };
    (text, near.is_some())
}

/// Failure of a file that an option names, with a similar path.
pub fn unreadable(option: &str, path: &Path, error: &std::io::Error) -> Failure {
    let hint = similar_path(path);
    Failure::Message(format!(
        "{option}{}: cannot be read: {error}{hint}",
        path.display()
    ))
}

/// End of a message about a missing path: the path with a similar name in place of the first one that does not exist.
pub fn similar_path(path: &Path) -> String {
    let of = |missing: &Path| -> Option<String> {
        let folder = missing.parent()?;
        let here = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        let entries = std::fs::read_dir(here).ok()?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        let typed = missing.file_name()?.to_str()?;
        let near = nearest(typed, names.iter().map(String::as_str))?;
        // Component by component: an empty rest would add a slash.
        let rest = path.strip_prefix(missing).ok()?.components();
        let whole = folder
            .join(near)
            .components()
            .chain(rest)
            .collect::<PathBuf>();
        whole.exists().then(|| whole.display().to_string())
    };
    // The other ancestors exist, or their folders do not.
    let found = path.ancestors().find_map(of);
    found.map_or_else(String::new, |p| format!("; did you mean `{p}`?"))
}

/// Reads the run of the arguments.
pub fn load_run(run: &RunArgs) -> Result<Opened, Failure> {
    load(&run.paths, &run.open)
}

/// Reads a run for a command. Problems with the data go to standard error.
///
/// # Errors
/// Nothing could be read.
pub fn load(paths: &[PathBuf], open: &OpenArgs) -> Result<Opened, Failure> {
    load_for(paths, open, |_| WantedKeys::All)
}

/// As [`load`], for a command that needs some derived keys only: `wanted` chooses them from the run without joins.
pub fn load_for(
    paths: &[PathBuf],
    open: &OpenArgs,
    wanted: impl FnOnce(&Opened) -> WantedKeys,
) -> Result<Opened, Failure> {
    let (opened, joins) = read(paths, open)?;
    check_shifts(&opened.snapshot, &open.shift)?;
    joined(opened, joins, wanted)
}

/// As [`load`], for one of several runs: a source of `--shift` may be in another one.
pub fn load_one(paths: &[PathBuf], open: &OpenArgs) -> Result<Opened, Failure> {
    // The other run may be large.
    threads::start_shared().map_err(failed)?;
    let (opened, joins) = read_run(paths, open)?;
    joined(opened, joins, |_| WantedKeys::All)
}

/// Run with derived keys of these joins, or of all.
fn joined(
    mut opened: Opened,
    joins: Option<Vec<Join>>,
    wanted: impl FnOnce(&Opened) -> WantedKeys,
) -> Result<Opened, Failure> {
    check_logs(&opened.snapshot)?;
    let wanted = wanted(&opened);
    let joins = joins.as_deref().unwrap_or(&opened.meaning.joins);
    let joins = needed_joins(&opened.snapshot, joins, &wanted);
    if let Some((snapshot, reports)) =
        with_joined_values(&opened.snapshot, joins, &Cancel::default())
    {
        for message in omission_messages(&reports) {
            warn(safe(&message));
        }
        (opened.snapshot, opened.joins) = (snapshot, reports);
    }
    for message in idle_typed_joins(&opened.snapshot, &opened.meaning.joins, &opened.joins) {
        warn(safe(&message));
    }
    // The program ends with its answer: freeing the run would only delay it.
    std::mem::forget((opened.snapshot.clone(), opened.meaning.clone()));
    Ok(opened)
}

fn failed(error: impl Display) -> Failure {
    Failure::Message(error.to_string())
}

/// Reads a run without applying joins, and returns the joins to apply (`None`: all). Problems with the data go to standard error.
pub fn read(paths: &[PathBuf], open: &OpenArgs) -> Result<(Opened, Option<Vec<Join>>), Failure> {
    let (opened, joins) = read_run(paths, open)?;
    threads::prepare_queries(opened.snapshot.len()).map_err(failed)?;
    Ok((opened, joins))
}

/// As [`read`], without the number of threads of analyses.
fn read_run(paths: &[PathBuf], open: &OpenArgs) -> Result<(Opened, Option<Vec<Join>>), Failure> {
    let (options, zone) = options(paths, open)?;
    let progress = Progress::default();
    let is_shown = std::io::stderr().is_terminal() && obeys_sequences();
    let shown = is_shown.then(|| progress.clone());
    let meter = shown.map(ProgressLine::start);
    let (loaded, meaning) = std::thread::scope(|scope| {
        // Definitions are compiled while files are found.
        let mean = || Meaning::new(&options.systems);
        let here = processors::current();
        let beside = std::thread::Builder::new().spawn_scoped(scope, move || {
            processors::move_off(here);
            thread::preallocate_heap(1);
            mean()
        });
        std::thread::yield_now();
        let loaded = load_all(&options, &Cancel::default(), progress);
        let meaning = beside.ok().and_then(|thread| thread.join().ok());
        (loaded, meaning.unwrap_or_else(mean))
    });
    drop(meter);
    let (snapshot, _) = loaded.map_err(failed)?;
    output::check_sources(&snapshot)?;
    report_problems(&snapshot);
    let meaning = Arc::new(meaning.with_data_joins(&snapshot).unwrap_or(meaning));
    let joins = joins_of_options(&meaning.joins, open)?;
    let opened = Opened {
        snapshot,
        meaning,
        joins: Arc::default(),
        zone,
        notes: Notes::default(),
    };
    Ok((opened, joins))
}

/// Joins that the options choose; `None`: all.
///
/// # Errors
/// No join has a name.
pub fn joins_of_options(joins: &[Join], open: &OpenArgs) -> Result<Option<Vec<Join>>, Failure> {
    let off = named(joins, &open.no_join, "--no-join")?;
    if open.join.is_empty() && off.is_empty() {
        return Ok(None);
    }
    let mut joins = chosen(joins, &open.join)?;
    joins.retain(|j| off.iter().all(|o| o.name != j.name));
    Ok(Some(joins))
}

/// Joins that the arguments name, or all if they name none.
///
/// # Errors
/// No join has a name.
pub fn chosen(joins: &[Join], names: &[String]) -> Result<Vec<Join>, Failure> {
    match names.is_empty() {
        true => Ok(joins.to_vec()),
        false => named(joins, names, "--join"),
    }
}

/// Joins that an option names.
///
/// # Errors
/// No join has a name.
pub fn named(joins: &[Join], names: &[String], option: &str) -> Result<Vec<Join>, Failure> {
    let is_join = |name: &str| joins.iter().any(|j| j.is_named(name));
    let mut wanted: Vec<&str> = Vec::new();
    for name in names {
        // A join may have a comma in its name.
        match is_join(name) {
            true => wanted.push(name),
            false => wanted.extend(name.split(',').map(str::trim)),
        }
    }
    let mut out: Vec<Join> = Vec::new();
    for name in wanted {
        match name {
            "all" => return Ok(joins.to_vec()),
            "none" => {}
            name if is_join(name) => out.extend(joins.iter().filter(|j| j.is_named(name)).cloned()),
            name => {
                let names = joins.iter().flat_map(|j| [j.own_name(), &j.name]);
                let hint = did_you_mean(name, names);
                return Err(Failure::Message(format!(
                    "{option} {name}: no join has this name{hint}"
                )));
            }
        }
    }
    Ok(out)
}

/// Writes the problems of sources to standard error.
pub fn report_problems(snapshot: &Snapshot) {
    let problems = snapshot.sources.iter().flat_map(|s| &s.problems);
    for problem in problems.filter(|p| p.severity > Severity::Note) {
        warn(safe(&problem.to_string()));
    }
}

/// Progress line on standard error, if that is a terminal which obeys escape sequences.
struct ProgressLine {
    stop: Option<crossbeam_channel::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl ProgressLine {
    fn start(progress: Progress) -> ProgressLine {
        let (stop, stopped) = crossbeam_channel::bounded::<()>(0);
        let draw = move || {
            let tick = std::time::Duration::from_millis(250);
            let mut drawn = false;
            while let Err(crossbeam_channel::RecvTimeoutError::Timeout) = stopped.recv_timeout(tick)
            {
                let (done, total) = progress.state();
                let mut err = std::io::stderr().lock();
                let _ = write!(err, "\r\x1b[Kreading {} of {} MB", done >> 20, total >> 20);
                let _ = err.flush();
                drawn = true;
            }
            if drawn {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        };
        ProgressLine {
            stop: Some(stop),
            // Without a thread for the progress line the run itself reports the problem.
            thread: thread::start("progress", draw).ok(),
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
