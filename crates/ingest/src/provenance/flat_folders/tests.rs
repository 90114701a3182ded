//! Tests: keys and joins of logs in flat folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::load::load_all;
use crate::options::OpenOptions;
use widetui_core::cancel::Cancel;
use widetui_format::definitions::systems::Systems;
use widetui_session::meaning::{Meaning, with_joined_values};

const POOL: &str = "parsl.executors.high_throughput.process_worker_pool:1";

fn line(second: u32, process: &str, from: &str, text: &str) -> String {
    let time = format!(
        "{}.000000 2026-02-04 18:02:{second:02}",
        1_770_228_120 + second
    );
    format!("{time} {process} MainThread-1 {from} INFO: {text}\n")
}

/// Logs of a run of two tasks; task `first + n` is executor task `n`.
fn logs(first: u32) -> BTreeMap<&'static str, String> {
    let mut logs: BTreeMap<&str, String> = BTreeMap::new();
    for n in 0..2 {
        let task = first + n;
        let mut add = |log, process: &str, from: &str, text: String| {
            let text = line(first + n, process, from, &text);
            logs.entry(log).or_default().push_str(&text);
        };
        let launched =
            format!("Parsl task {task} try 0 launched on executor htex with executor id {n}");
        add(
            "submit",
            // Runs of one process may have written each other's records.
            &format!("MainProcess-{first}"),
            "parsl.dataflow.dflow:1 launch_task",
            launched,
        );
        let put = format!("Putting task {n} onto pending_task_queue");
        add(
            "interchange",
            "MainProcess-2",
            "interchange:1 process_task_incoming",
            put,
        );
        let put = format!("Putting HTEX task {n} into scheduler");
        add(
            "manager",
            "MainProcess-3",
            &format!("{POOL} pull_tasks"),
            put,
        );
        let received = format!("Received executor task {n}");
        add(
            "worker",
            "HTEX-Worker-0-4",
            &format!("{POOL} worker"),
            received,
        );
    }
    logs
}

/// Writes logs of a run below a folder, each to its path.
fn write(root: &Path, first: u32, paths: &[(&str, &str)]) {
    let logs = logs(first);
    for (log, path) in paths {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &logs[log]).unwrap();
    }
}

fn load(root: &Path) -> Arc<Snapshot> {
    let options = OpenOptions {
        paths: vec![root.to_path_buf()],
        threads: Some(1),
        ..OpenOptions::default()
    };
    load_all(&options, &Cancel::default(), Default::default())
        .unwrap()
        .0
}

/// Relative path, run and executor of each log.
fn said(root: &Path, snapshot: &Snapshot) -> Vec<String> {
    let keys = &snapshot.catalog.keys;
    let said = |source: &Arc<Source>| {
        let value = |name: &str| {
            let key = keys.find(name)?;
            let own = source.consts.iter().find(|c| c.0 == key)?;
            keys.get(key)?.spelling(own.1)
        };
        let value = |name: &str| value(name).unwrap_or_else(|| "-".to_owned());
        let path = source.path.replace(&format!("{}/", root.display()), "");
        format!(
            "{path} {} {}",
            value("parsl.rundir"),
            value("parsl.executor")
        )
    };
    let mut all: Vec<String> = snapshot.sources.iter().map(said).collect();
    all.sort();
    all
}

/// Number of records by run and task, after joins.
fn of_tasks(snapshot: &Arc<Snapshot>) -> BTreeMap<(String, String), usize> {
    let joins = Meaning::new(&[]).joins;
    let (snapshot, _) = with_joined_values(snapshot, &joins, &Cancel::default()).unwrap();
    let mut out = BTreeMap::new();
    for place in 0..snapshot.len() {
        let event = snapshot.at(place).unwrap();
        let stored = event.stored();
        let value = |name: &str| {
            let key = snapshot.catalog.keys.find(name);
            let own = stored.iter().find(|(k, ..)| Some(*k) == key);
            own.map_or("-".to_owned(), |(_, value, _)| value.to_string())
        };
        *out.entry((value("parsl.rundir"), value("parsl.task")))
            .or_default() += 1;
    }
    out
}

fn counts(list: &[(&str, &str, usize)]) -> BTreeMap<(String, String), usize> {
    let count =
        |(run, task, n): &(&str, &str, usize)| (((*run).to_owned(), (*task).to_owned()), *n);
    list.iter().map(count).collect()
}

/// Paths of the logs side by side in a folder.
fn side_by_side(folder: &str) -> [(&'static str, String); 4] {
    let names = [
        ("submit", "parsl.log"),
        ("interchange", "interchange.log"),
        ("manager", "manager-a.log"),
        ("worker", "worker_0.log"),
    ];
    names.map(|(log, name)| (log, format!("{folder}/{name}")))
}

fn write_flat(root: &Path, first: u32, folder: &str) {
    let paths = side_by_side(folder);
    let paths: Vec<(&str, &str)> = paths
        .iter()
        .map(|(log, path)| (*log, path.as_str()))
        .collect();
    write(root, first, &paths);
}

#[test]
fn a_flat_folder_is_no_executor() {
    // Names that a manager or a run could have.
    for name in ["logs", "cafe01", "000", "htex"] {
        let dir = tempfile::tempdir().unwrap();
        write_flat(dir.path(), 20, name);
        let snapshot = load(dir.path());
        let logs = ["interchange", "manager-a", "parsl", "worker_0"];
        let wanted = logs.map(|log| format!("{name}/{log}.log {name} -"));
        assert_eq!(said(dir.path(), &snapshot), wanted);
        let wanted = counts(&[(name, "20", 4), (name, "21", 4)]);
        assert_eq!(of_tasks(&snapshot), wanted, "{name}");
    }
}

#[test]
fn the_opened_folder_may_be_flat() {
    let dir = tempfile::tempdir().unwrap();
    write_flat(dir.path(), 20, "logs");
    let snapshot = load(&dir.path().join("logs"));
    let wanted = counts(&[("logs", "20", 4), ("logs", "21", 4)]);
    assert_eq!(of_tasks(&snapshot), wanted);
}

/// Sources with bare file names as paths, as if opened from within their folder.
fn nameless(sources: &[Arc<Source>], here: &str) -> Vec<Arc<Source>> {
    let nameless = |source: &Arc<Source>| {
        let name = source.path.rsplit('/').next().unwrap_or_default();
        Arc::new(Source {
            path: format!("{here}{name}"),
            consts: Arc::default(),
            ..(**source).clone()
        })
    };
    sources.iter().map(nameless).collect()
}

#[test]
fn the_folder_in_which_the_program_was_started_may_be_flat() {
    let dir = tempfile::tempdir().unwrap();
    write_flat(dir.path(), 20, "logs");
    let snapshot = load(dir.path());
    for here in ["./", ""] {
        let sources = nameless(&snapshot.sources, here);
        for kinds in [
            ["dfk", "interchange"],
            ["interchange", "worker"],
            ["dfk", "manager"],
        ] {
            // No record was read yet, so no key is in use.
            let definitions = Systems::builtin().compile(&Arc::default());
            let of_kinds = |s: &&Arc<Source>| kinds.contains(&s.kind.as_str());
            let sources: Vec<Arc<Source>> = sources.iter().filter(of_kinds).cloned().collect();
            let changed = correct(&sources, &definitions).unwrap();
            let run = definitions.known_key("parsl.rundir");
            let keys: Vec<Option<KeyId>> = changed.iter().map(|s| Some(s.consts[0].0)).collect();
            assert_eq!(keys, [run, run], "{here:?} {kinds:?}");
        }
        // Logs of a single level are no flat folder.
        let definitions = Systems::builtin().compile(&Arc::default());
        let of_level = |s: &&Arc<Source>| s.kind == "manager" || s.kind == "worker";
        let level: Vec<Arc<Source>> = sources.iter().filter(of_level).cloned().collect();
        assert_eq!(level.len(), 2);
        assert!(correct(&level, &definitions).is_none());
    }
}

#[test]
fn flat_folders_are_runs_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    write_flat(dir.path(), 20, "monday/logs");
    write_flat(dir.path(), 30, "tuesday/logs");
    let (monday, tuesday) = ("monday/logs", "tuesday/logs");
    let wanted = counts(&[
        (monday, "20", 4),
        (monday, "21", 4),
        (tuesday, "30", 4),
        (tuesday, "31", 4),
    ]);
    assert_eq!(of_tasks(&load(dir.path())), wanted);
}

#[test]
fn an_archive_of_logs_side_by_side_is_flat() {
    for folder in ["logs/", ""] {
        let dir = tempfile::tempdir().unwrap();
        let file = fs::File::create(dir.path().join("sent.tar")).unwrap();
        let mut tar = tar::Builder::new(file);
        for (log, text) in logs(20) {
            let name = match log {
                "submit" => "parsl.log",
                "interchange" => "interchange.log",
                "manager" => "manager-a.log",
                _ => "worker_0.log",
            };
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            let path = format!("{folder}{name}");
            tar.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        tar.finish().unwrap();
        drop(tar);
        let by_task = of_tasks(&load(dir.path()));
        let tasks: Vec<(&str, usize)> =
            by_task.iter().map(|((_, t), n)| (t.as_str(), *n)).collect();
        assert_eq!(tasks, [("20", 4), ("21", 4)], "{by_task:?}");
    }
}

#[test]
fn without_a_log_of_the_submit_process_the_folder_is_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let paths = [
        ("interchange", "logs/interchange.log"),
        ("worker", "logs/worker_0.log"),
    ];
    write(dir.path(), 20, &paths);
    let wanted = ["logs/interchange.log logs -", "logs/worker_0.log logs -"];
    assert_eq!(said(dir.path(), &load(dir.path())), wanted);
}

#[test]
fn a_log_of_the_submit_process_may_have_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let paths = [
        ("submit", "logs/simulation.log"),
        ("interchange", "logs/interchange.log"),
        ("worker", "logs/worker_0.log"),
    ];
    write(dir.path(), 20, &paths);
    let snapshot = load(dir.path());
    let wanted = [
        "logs/interchange.log - -",
        "logs/simulation.log - -",
        "logs/worker_0.log - -",
    ];
    assert_eq!(said(dir.path(), &snapshot), wanted);
    assert_eq!(
        of_tasks(&snapshot),
        counts(&[("-", "20", 3), ("-", "21", 3)])
    );
}

#[test]
fn a_folder_of_blocks_may_lie_in_a_flat_folder() {
    let dir = tempfile::tempdir().unwrap();
    let paths = [
        ("submit", "logs/parsl.log"),
        ("interchange", "logs/interchange.log"),
        ("worker", "logs/block-0/4f65802901c6/worker_0.log"),
    ];
    write(dir.path(), 20, &paths);
    let snapshot = load(dir.path());
    let wanted = [
        "logs/block-0/4f65802901c6/worker_0.log logs -",
        "logs/interchange.log logs -",
        "logs/parsl.log logs -",
    ];
    assert_eq!(said(dir.path(), &snapshot), wanted);
    assert_eq!(
        of_tasks(&snapshot),
        counts(&[("logs", "20", 3), ("logs", "21", 3)])
    );
}

#[test]
fn a_tree_stays_what_it_is() {
    let tree = [
        ("submit", "runinfo/000/parsl.log"),
        ("interchange", "runinfo/000/htex/interchange.log"),
        (
            "manager",
            "runinfo/000/htex/block-0/4f65802901c6/manager.log",
        ),
        (
            "worker",
            "runinfo/000/htex/block-0/4f65802901c6/worker_0.log",
        ),
    ];
    let wanted = [
        "runinfo/000/htex/block-0/4f65802901c6/manager.log 000 htex",
        "runinfo/000/htex/block-0/4f65802901c6/worker_0.log 000 htex",
        "runinfo/000/htex/interchange.log 000 htex",
        "runinfo/000/parsl.log 000 -",
    ];
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 20, &tree);
    assert_eq!(said(dir.path(), &load(dir.path())), wanted);
    // A stray log does not affect the logs around it.
    write(dir.path(), 20, &[("submit", "runinfo/000/htex/parsl.log")]);
    let said = said(dir.path(), &load(dir.path()));
    assert!(
        wanted.iter().all(|own| said.contains(&(*own).to_owned())),
        "{said:?}"
    );
}
