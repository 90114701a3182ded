//! Options of the explorer from the arguments, the settings and the user's files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use widetui_ingest::fact_tables;
use widetui_ingest::follow_switch::FollowSwitch;
use widetui_ingest::options::OpenOptions;
use widetui_session::export_files::run_name;
use widetui_session::meaning::Meaning;
use widetui_session::saved::{CommandLine, WorkspaceOptions};
use widetui_time::zone::Zone;

use super::args::{AppearanceArgs, OpenArgs};
use super::config::{Settings, folder, settings, state_folder, user_files};
use super::open::{chosen, named, options_noting};
use super::output::Failure;

/// Options of the explorer.
#[derive(Debug)]
pub struct Explore {
    /// Input.
    pub open: OpenOptions,
    /// Title.
    pub title: String,
    /// Zone of times on the screen.
    pub zone: Zone,
    /// Names of disabled joins.
    pub joins_off: BTreeSet<String>,
    /// Enabled joins of tables of facts, or `None` for all.
    pub facts_on: Option<Vec<String>>,
    /// Theme, keymap, colours and characters.
    pub appearance: AppearanceArgs,
    /// The user's themes: names and texts.
    pub themes: Vec<(String, String)>,
    /// The user's keymaps: names and texts.
    pub keymaps: Vec<(String, String)>,
    /// Input as typed on the command line.
    pub opened: CommandLine,
    /// Places of workspaces.
    pub workspace_options: WorkspaceOptions,
    /// The user's settings.
    pub settings: Settings,
    /// Problems of the user's files.
    pub problems: Vec<String>,
}

/// Options of the explorer for paths.
pub fn explore(
    paths: &[PathBuf],
    open: &OpenArgs,
    appearance: AppearanceArgs,
) -> Result<Explore, Failure> {
    let noted = match &appearance.replay {
        Some(file) if paths.is_empty() => workspace_paths(file)?,
        _ => Vec::new(),
    };
    let paths = if paths.is_empty() { &noted } else { paths };
    let mut problems = Vec::new();
    let (options, zone) = options_noting(paths, open, &mut problems)?;
    let mut typed: Vec<String> = options
        .paths
        .iter()
        .map(|p| p.display().to_string())
        .collect();
    let why_not = options.paths.iter().any(|p| p.as_os_str() == "-");
    let opened = CommandLine {
        options: typed_options(open),
        paths: typed.clone(),
        why_not: why_not.then_some("standard input cannot be read twice"),
    };
    if why_not {
        typed.clear();
    }
    let title = run_name(&options.paths);
    let options = OpenOptions {
        follow: Some(FollowSwitch::new(appearance.follow)),
        ..options
    };
    let keeping = keeping(typed, &appearance);
    Ok(Explore {
        opened,
        ..Explore::new(options, open, title, appearance, zone, keeping, problems)?
    })
}

/// Paths of the run that a workspace was made of.
fn workspace_paths(file: &Path) -> Result<Vec<PathBuf>, Failure> {
    let saved = widetui_session::saved::files::read(file).map_err(Failure::Message)?;
    let folder = PathBuf::from(saved.folder);
    let paths: Vec<PathBuf> = saved.paths.iter().map(|p| folder.join(p)).collect();
    if paths.is_empty() {
        return Err(Failure::Message(format!(
            "{}: the workspace does not name its run: add a PATH",
            file.display()
        )));
    }
    Ok(paths)
}

/// Options of reading, as typed. Joins are not among them: they can be switched in the explorer.
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
    { open.typed.lines() }.for_each(|(kind, line)| add(&format!("--{}", kind.name()), line));
    out
}

fn keeping(typed: Vec<String>, appearance: &AppearanceArgs) -> WorkspaceOptions {
    WorkspaceOptions {
        folder: state_folder(),
        definitions: folder().map(|f| f.join("systems")),
        file: appearance.workspace.clone(),
        replay: appearance.replay.clone(),
        roots: typed.clone(),
        paths: typed,
    }
}

/// Options of the explorer for the built-in example run.
pub fn demo(open: &OpenArgs, appearance: AppearanceArgs) -> Result<Explore, Failure> {
    let mut problems = Vec::new();
    let (options, zone) = options_noting(&[], open, &mut problems)?;
    let options = widetui_session::demo::options(options);
    let keeping = keeping(vec!["demo".to_owned()], &appearance);
    let opened = CommandLine {
        why_not: Some("the run is part of the program"),
        ..CommandLine::default()
    };
    Ok(Explore {
        opened,
        ..Explore::new(
            options,
            open,
            "demo".to_owned(),
            appearance,
            zone,
            keeping,
            problems,
        )?
    })
}

impl Explore {
    /// Options with the user's settings, themes and keymaps; their problems are added to `problems`.
    fn new(
        options: OpenOptions,
        args: &OpenArgs,
        title: String,
        appearance: AppearanceArgs,
        zone: Zone,
        keeping: WorkspaceOptions,
        mut problems: Vec<String>,
    ) -> Result<Explore, Failure> {
        let (settings, trouble) = settings();
        problems.extend(trouble);
        let (mut joins_off, facts_on) = joins_off(&options, args)?;
        joins_off.extend(named_off(&options, args)?);
        Ok(Explore {
            joins_off,
            facts_on,
            open: options,
            title,
            zone,
            appearance,
            themes: user_files("themes", &mut problems),
            keymaps: user_files("keymaps", &mut problems),
            opened: CommandLine::default(),
            workspace_options: keeping,
            settings,
            problems,
        })
    }
}

/// Joins that the arguments disable by name. Joins of tables of facts are known only after the tables are read.
fn named_off(options: &OpenOptions, args: &OpenArgs) -> Result<Vec<String>, Failure> {
    let all = Meaning::new(&options.systems).joins;
    let is_facts = |name: &String| !options.facts.is_empty() && fact_tables::is_name(name);
    let (mut off, others): (Vec<String>, Vec<String>) =
        args.no_join.iter().cloned().partition(is_facts);
    let others = named(&all, &others, "--no-join")?;
    off.extend(others.into_iter().map(|j| j.name));
    Ok(off)
}

/// Joins that the arguments disable, and the enabled joins of tables of facts if the arguments name some: these are known only
/// after the tables are read.
fn joins_off(
    options: &OpenOptions,
    args: &OpenArgs,
) -> Result<(BTreeSet<String>, Option<Vec<String>>), Failure> {
    if args.join.is_empty() {
        return Ok((BTreeSet::new(), None));
    }
    let all = Meaning::new(&options.systems).joins;
    let is_whole = |name: &str| fact_tables::is_name(name) || all.iter().any(|j| j.is_named(name));
    let names = args.join.iter().flat_map(|name| match is_whole(name) {
        true => vec![name.clone()],
        false => name.split(',').map(|n| n.trim().to_owned()).collect(),
    });
    let is_facts = |name: &String| !options.facts.is_empty() && fact_tables::is_name(name);
    let (facts, mut others): (Vec<String>, Vec<String>) = names.partition(is_facts);
    if others.iter().any(|name| name == "all") {
        return Ok((BTreeSet::new(), None));
    }
    if others.is_empty() {
        others.push("none".to_owned());
    }
    let on = chosen(&all, &others)?;
    let is_off = |name: &String| on.iter().all(|j| j.name != *name);
    let off = all.into_iter().map(|j| j.name).filter(is_off).collect();
    Ok((off, Some(facts)))
}
