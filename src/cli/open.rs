//! Opening a run for a command or for the explorer.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::cancel::{Cancel, Progress};
use crate::base::diag::{Diagnostic, Severity};
use crate::base::time::NS_PER_SECOND;
use crate::base::zone::Zone;
use crate::join::{Join, Report};
use crate::query::{Expr, Field, Op, Selection, TimeContext, parse, select};
use crate::store::Snapshot;
use crate::workspace::follow::Switch;
use crate::workspace::load::{OpenError, OpenOptions, load_all};
use crate::workspace::meaning::{Meaning, Wanted, needed, widened};

use super::args::{LookArgs, OpenArgs, RunArgs, SelectArgs, command_names};
use super::config::{Settings, folder, settings, state_folder, user_files};
use super::output::Failure;
use super::{Explore, Keeping, Typed};

/// A run that was read, and how its times are shown.
pub struct Opened {
    /// The run.
    pub snapshot: Arc<Snapshot>,
    /// What its definitions say about the meaning of records.
    pub meaning: Arc<Meaning>,
    /// What each join did.
    pub joins: Arc<[Report]>,
    /// Zone of shown and typed times.
    pub zone: Zone,
}

/// What the arguments say about opening.
pub fn options(paths: &[PathBuf], open: &OpenArgs) -> Result<(OpenOptions, Zone), Failure> {
    let zone = |text: &str| Zone::parse(text).map_err(|e| Failure::Message(e.to_string()));
    let mut systems = user_files("systems").map_err(Failure::Message)?;
    for path in &open.system {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::Message(format!("{}: cannot be read: {e}", path.display())))?;
        systems.push((path.display().to_string(), text));
    }
    let mut shifts = Vec::new();
    for shift in &open.shift {
        let parsed = shift.rsplit_once('=').and_then(|(source, seconds)| {
            let seconds: f64 = seconds.parse().ok().filter(|s: &f64| s.is_finite())?;
            Some((source.to_owned(), (seconds * NS_PER_SECOND as f64) as i64))
        });
        shifts.push(parsed.ok_or_else(|| {
            Failure::Message(format!(
                "--shift {shift}: expected SOURCE=SECONDS, e.g. --shift worker_3=-1.5"
            ))
        })?);
    }
    for path in &open.facts {
        std::fs::metadata(path)
            .map_err(|e| Failure::Message(format!("--facts {}: {e}", path.display())))?;
    }
    for path in paths.iter().filter(|p| p.as_os_str() != "-") {
        if let Err(error) = std::fs::metadata(path) {
            return Err(Failure::Message(missing(path, &error)));
        }
    }
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
        threads: open.threads.filter(|n| *n > 0),
        memory: open.memory << 20,
        shifts,
        ..OpenOptions::default()
    };
    let display = open
        .display_tz
        .as_deref()
        .map(zone)
        .transpose()?
        .unwrap_or(Zone::Utc);
    Ok((options, display))
}

/// A path that is not there; a misspelt command perhaps.
fn missing(path: &Path, error: &std::io::Error) -> String {
    let name = path.to_string_lossy();
    let commands = command_names();
    let near = crate::query::error::nearest(&name, commands.iter().map(String::as_str));
    match near {
        Some(command) if *command == *name => {
            format!("{name}: {error}; the command comes first: widetui {command} ...")
        }
        Some(command) => format!("{name}: {error}; did you mean the command '{command}'?"),
        None => format!("{name}: {error}"),
    }
}

/// Reads what a command's arguments name.
pub fn run(run: &RunArgs) -> Result<Opened, Failure> {
    load(&run.paths, &run.open)
}

/// Reads a run for a command. Problems with the data go to standard error; it fails only when nothing could be read.
pub fn load(paths: &[PathBuf], open: &OpenArgs) -> Result<Opened, Failure> {
    load_for(paths, open, |_| Ok(Wanted::All))
}

/// As [`load`], for a command that looks at some of what joins give: `wanted` tells of what was read, without joins.
pub fn load_for(
    paths: &[PathBuf],
    open: &OpenArgs,
    wanted: impl FnOnce(&Opened) -> Result<Wanted, Failure>,
) -> Result<Opened, Failure> {
    let (options, zone) = options(paths, open)?;
    let progress = Progress::default();
    let shown = std::io::stderr().is_terminal().then(|| progress.clone());
    let meter = shown.map(Meter::start);
    let loaded = load_all(&options, &Cancel::default(), progress);
    drop(meter);
    let (snapshot, problems) = loaded.map_err(|e: OpenError| Failure::Message(e.to_string()))?;
    tell_problems(&snapshot, &problems);
    let meaning = Arc::new(Meaning::new(&options.systems));
    let joins = chosen(&meaning.joins, &open.join)?;
    let mut opened = Opened {
        snapshot,
        meaning,
        joins: Arc::default(),
        zone,
    };
    let wanted = wanted(&opened)?;
    let joins = needed(&opened.snapshot, &joins, &wanted);
    if let Some((snapshot, reports)) = widened(&opened.snapshot, joins, &Cancel::default()) {
        (opened.snapshot, opened.joins) = (snapshot, reports);
    }
    Ok(opened)
}

/// The joins that the arguments name; all when they name none.
fn chosen(joins: &[Join], names: &[String]) -> Result<Vec<Join>, Failure> {
    let mut out: Vec<Join> = Vec::new();
    for name in names.iter().flat_map(|n| n.split(',')).map(str::trim) {
        let before = out.len();
        match name {
            "all" => return Ok(joins.to_vec()),
            "none" => continue,
            name => out.extend(joins.iter().filter(|j| j.name == name).cloned()),
        }
        if out.len() == before {
            let near = crate::query::error::nearest(name, joins.iter().map(|j| j.name.as_str()));
            let hint = near.map(|n| format!("; did you mean '{n}'?"));
            return Err(Failure::Message(format!(
                "--join {name}: there is no join of this name{}",
                hint.unwrap_or_default()
            )));
        }
    }
    Ok(if names.is_empty() {
        joins.to_vec()
    } else {
        out
    })
}

/// Writes what could not be read to standard error.
pub fn tell_problems(snapshot: &Snapshot, problems: &[Diagnostic]) {
    let mut err = std::io::stderr().lock();
    let of_sources = snapshot.sources.iter().flat_map(|s| &s.problems);
    for problem in problems
        .iter()
        .chain(of_sources)
        .filter(|p| p.severity > Severity::Note)
    {
        let _ = writeln!(
            err,
            "widetui: {}",
            super::output::safe(&problem.to_string())
        );
    }
}

/// The progress line on a terminal's standard error.
struct Meter {
    stop: Option<crossbeam_channel::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Meter {
    fn start(progress: Progress) -> Meter {
        let (stop, stopped) = crossbeam_channel::bounded::<()>(0);
        let thread = std::thread::spawn(move || {
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
        });
        Meter {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the arguments ask of an event.
pub fn asked(opened: &Opened, args: &SelectArgs) -> Result<Vec<Expr>, Failure> {
    let snapshot = &*opened.snapshot;
    let time = TimeContext {
        base_date_ns: snapshot.range().map_or(0, |r| r.0),
        zone: opened.zone.clone(),
    };
    let mut parts = Vec::new();
    let mut add = |text: &str| -> Result<(), Failure> {
        let expr = parse(text, Some(&snapshot.catalog.keys), &time)
            .map_err(|e| Failure::Message(format!("this cannot be understood:\n{}", e.render())))?;
        parts.push(expr);
        Ok(())
    };
    if let Some(filter) = &args.filter {
        add(filter)?;
    }
    if let Some(since) = &args.since {
        add(&format!("time >= \"{since}\""))?;
    }
    if let Some(until) = &args.until {
        add(&format!("time < \"{until}\""))?;
    }
    for same in &args.same {
        let (key, value) = same.split_once('=').ok_or_else(|| {
            Failure::Message(format!(
                "--same {same}: expected KEY=VALUE, e.g. --same parsl.task=7"
            ))
        })?;
        parts.push(Expr::compare(
            Field::named(key.trim()),
            Op::Eq,
            value.trim(),
        ));
    }
    Ok(parts)
}

/// The events that the arguments ask for. `None`: all of them.
pub fn selection(opened: &Opened, args: &SelectArgs) -> Result<Option<Selection>, Failure> {
    let snapshot = &*opened.snapshot;
    let parts = asked(opened, args)?;
    let mut chosen = if parts.is_empty() {
        None
    } else {
        select(snapshot, &Expr::all_of(parts), &Cancel::default())
    };
    if args.unique && !snapshot.copies.is_empty() {
        let all = chosen.take().unwrap_or_else(|| Selection::all(snapshot));
        let ids = all
            .ordered(snapshot)
            .into_iter()
            .filter(|id| snapshot.copies.of(*id).is_none());
        chosen = Some(Selection::of(snapshot, ids.map(crate::base::ids::EventId)));
    }
    Ok(chosen)
}

/// What the explorer is to open.
pub fn explore(paths: &[PathBuf], open: &OpenArgs, look: LookArgs) -> Result<Explore, Failure> {
    let noted = match &look.replay {
        Some(file) if paths.is_empty() => noted_paths(file)?,
        _ => Vec::new(),
    };
    let paths = if paths.is_empty() { &noted } else { paths };
    let (options, zone) = options(paths, open)?;
    let mut typed: Vec<String> = options
        .paths
        .iter()
        .map(|p| p.display().to_string())
        .collect();
    let why_not = options.paths.iter().any(|p| p.as_os_str() == "-");
    let opened = Typed {
        options: typed_options(open),
        paths: typed.clone(),
        why_not: why_not.then_some("standard input cannot be read twice"),
    };
    if why_not {
        typed.clear();
    }
    let keeping = keeping(typed, &look);
    let title = match options.paths.as_slice() {
        [one] if one.as_os_str() == "." => std::env::current_dir()
            .ok()
            .and_then(|d| Some(d.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| ".".to_owned()),
        [one] if one.as_os_str() == "-" => "standard input".to_owned(),
        [one] => one.to_string_lossy().trim_end_matches('/').to_owned(),
        [one, more @ ..] => format!("{} and {} more", one.to_string_lossy(), more.len()),
        [] => String::new(),
    };
    let is_alive = options.paths.iter().any(|p| is_fresh(p, 4));
    let is_followed = look.follow || (is_alive && !look.no_follow);
    let options = OpenOptions {
        follow: Some(Switch::new(is_followed)),
        ..options
    };
    shown(Explore {
        open: options,
        title,
        zone,
        is_alive,
        color: open.color,
        look,
        themes: Vec::new(),
        keymaps: Vec::new(),
        opened,
        keeping,
        settings: Settings::default(),
        troubles: Vec::new(),
    })
}

/// What a workspace was made of.
fn noted_paths(file: &Path) -> Result<Vec<PathBuf>, Failure> {
    let saved = crate::workspace::saved::files::read(file).map_err(Failure::Message)?;
    let folder = PathBuf::from(saved.folder);
    let paths: Vec<PathBuf> = saved.paths.iter().map(|p| folder.join(p)).collect();
    if paths.is_empty() {
        return Err(Failure::Message(format!(
            "{}: it does not say what it was made of: add a PATH",
            file.display()
        )));
    }
    Ok(paths)
}

/// The options that say how a run is read, as they would be typed again.
fn typed_options(open: &OpenArgs) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |name: &str, value: &str| out.extend([name.to_owned(), value.to_owned()]);
    open.tz.iter().for_each(|z| add("--tz", z));
    open.display_tz.iter().for_each(|z| add("--display-tz", z));
    open.system
        .iter()
        .for_each(|f| add("--system", &f.display().to_string()));
    open.facts
        .iter()
        .for_each(|f| add("--facts", &f.display().to_string()));
    open.shift.iter().for_each(|s| add("--shift", s));
    open.join.iter().for_each(|j| add("--join", j));
    out
}

fn keeping(typed: Vec<String>, look: &LookArgs) -> Keeping {
    Keeping {
        folder: state_folder(),
        definitions: folder().map(|f| f.join("systems")),
        file: look.workspace.clone(),
        replay: look.replay.clone(),
        roots: typed.clone(),
        paths: typed,
    }
}

/// What the explorer is to open for the run that comes with the program.
pub fn demo(open: &OpenArgs, look: LookArgs) -> Result<Explore, Failure> {
    let (options, zone) = options(&[], open)?;
    let keeping = keeping(vec!["demo".to_owned()], &look);
    shown(Explore {
        open: crate::workspace::demo::options(options),
        title: "demo".to_owned(),
        zone,
        is_alive: false,
        color: open.color,
        look,
        themes: Vec::new(),
        keymaps: Vec::new(),
        opened: Typed {
            why_not: Some("the run is part of the program"),
            ..Typed::default()
        },
        keeping,
        settings: Settings::default(),
        troubles: Vec::new(),
    })
}

/// With the user's own settings, themes and keymaps.
fn shown(explore: Explore) -> Result<Explore, Failure> {
    let (settings, trouble) = settings();
    Ok(Explore {
        settings,
        troubles: trouble.into_iter().collect(),
        themes: user_files("themes").map_err(Failure::Message)?,
        keymaps: user_files("keymaps").map_err(Failure::Message)?,
        ..explore
    })
}

/// Whether a file here, or a few folders down, was written within the last minute. Looks at few files: it only chooses
/// where the cursor starts.
fn is_fresh(path: &Path, depth: usize) -> bool {
    let Ok(meta) = std::fs::metadata(path) else {
        return false;
    };
    if meta.is_file() {
        let age = meta.modified().ok().and_then(|t| t.elapsed().ok());
        return age.is_some_and(|a| a.as_secs() < 60);
    }
    let Ok(entries) = std::fs::read_dir(path) else {
        return false;
    };
    depth > 0
        && entries
            .flatten()
            .take(50)
            .any(|e| is_fresh(&e.path(), depth - 1))
}
