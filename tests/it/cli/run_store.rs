//! Stores of many runs: adding runs, and answers from a store.

use super::*;

#[cfg(not(feature = "parquet"))]
#[test]
fn a_store_is_written_by_builds_with_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let store = format!("{}/", dir.path().display());
    let out = run(&["export", "-o", &store, &hung()]);
    assert_eq!(out.status.code(), Some(2));
    let error = text(&out.stderr);
    assert!(error.contains("`--features parquet`"), "{error}");
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::collections::BTreeMap;
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    use widetui_source::parquet::ParquetFile;

    /// Adds a run to a store, and returns the path of its events.
    fn add(store: &Path, more: &[&str], path: &str) -> String {
        let output = format!("{}/", store.display());
        let out = ok(&[&["export", "-o", &output], more, &[path]].concat());
        out.trim_end().to_owned()
    }

    /// Name of a run by the path of its events.
    fn name(events: &str) -> &str {
        Path::new(events).file_stem().unwrap().to_str().unwrap()
    }

    fn rows(command: &[&str], path: &str) -> Vec<Map<String, Json>> {
        let out = run(&[command, &[path, "--format", "jsonl"]].concat());
        objects(&text(&out.stdout))
    }

    /// Names, lengths and times of all files.
    fn listing(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
        let mut out = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::metadata(&path).unwrap();
            match meta.is_dir() {
                true => out.extend(listing(&path)),
                false => {
                    let file = (meta.len(), meta.modified().unwrap());
                    out.insert(path.display().to_string(), file);
                }
            }
        }
        out
    }

    #[test]
    fn a_run_in_a_store_gives_the_answers_of_its_logs() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store");
        let run = add(&store, &[], &hung());
        let files = listing(&store);
        let names: Vec<&str> = files
            .keys()
            .filter_map(|path| path.rsplit('/').nth(1))
            .collect();
        assert_eq!(names, ["entities", "events", "runs", "store"]);
        // The same run again has the same name, and no file of it changes.
        assert_eq!(add(&store, &[], &hung()), run);
        assert_eq!(listing(&store), files);
        for path in [&store.display().to_string(), &run] {
            for asked in [
                &["events"][..],
                &["hung"],
                &["entities", "--of", "parsl.task"],
                &["runs", "--where", "has parsl.task"],
            ] {
                let answer = |path: &str| {
                    let mut rows = rows(asked, path);
                    // Where the logs lie, or the events of the store.
                    rows.iter_mut()
                        .for_each(|row| drop(row.shift_remove("folder")));
                    rows
                };
                assert_eq!(answer(path), answer(&hung()), "{asked:?} {path}");
            }
        }
        // From the summary of the run, without its events.
        let path = store.display().to_string();
        fs::write(&run, b"").unwrap();
        let mut listed = rows(&["runs"], &path);
        for listed in &mut listed {
            assert_eq!(listed.shift_remove("stored_as"), Some(name(&run).into()));
        }
        assert_eq!(listed, rows(&["runs"], &hung()));
        let text = ok(&["runs", &path]);
        assert!(text.starts_with("stored_as"), "{text}");
    }

    /// Names and values of the columns of a file, as an engine sees them.
    fn columns(file: &Path) -> Vec<String> {
        let file = ParquetFile::open(file).unwrap();
        file.columns().map(str::to_owned).collect()
    }

    #[test]
    fn files_of_all_runs_have_the_columns_of_the_manifest() {
        let dir = tempfile::tempdir().unwrap();
        let (log, store) = (dir.path().join("a.jsonl"), dir.path().join("store"));
        // Names of other columns, of which none may be hidden or doubled.
        let record = r#"{"time":"2026-11-20T10:00:00.000000001Z","msg":"a","run":7,"keys":"k","lists":[1,2],"parsl_task":"x","time_":1}"#;
        fs::write(&log, format!("{record}\n")).unwrap();
        let logs = [
            hung(),
            runs::data().join("old2024").display().to_string(),
            runs::data().join("queue-run").display().to_string(),
            log.display().to_string(),
        ];
        for (at, path) in logs.iter().enumerate() {
            let run = format!("run-{at}");
            let events = add(&store, &["--run", &run], path);
            assert_eq!(name(&events), run);
            let mut read = rows(&["events"], &events);
            let written = rows(&["events"], path);
            read.iter_mut()
                .for_each(|row| drop(row.shift_remove("_schema")));
            assert_eq!(read.len(), written.len());
            for (read, mut written) in read.iter().zip(written) {
                written.shift_remove("_schema");
                assert_eq!(*read, written, "{path}");
            }
        }
        for table in ["entities", "events", "runs"] {
            let files: Vec<Vec<String>> = { fs::read_dir(store.join(table)).unwrap() }
                .map(|file| columns(&file.unwrap().path()))
                .collect();
            assert_eq!(files.len(), logs.len());
            assert!(
                files.iter().all(|own| *own == files[0]),
                "{table}: {files:?}"
            );
            let names: BTreeSet<&String> = files[0].iter().collect();
            assert_eq!(names.len(), files[0].len(), "{table}");
            assert!(names.iter().all(|name| !name.contains('.')), "{names:?}");
            // A word of SQL would need quotes.
            assert!(
                names
                    .iter()
                    .all(|name| !["end", "where", "from", "to"].contains(&&***name))
            );
        }
        let events = columns(&store.join("events/run-0.parquet"));
        for name in [
            "run",
            "time",
            "keys",
            "parsl_task",
            "slurm_job",
            "dask_worker",
        ] {
            assert!(events.iter().any(|column| column == name), "{name}");
        }
    }

    #[test]
    fn every_writer_follows_the_manifest_of_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store");
        add(&store, &["--run", "a"], &hung());
        let manifest = store.join("widetui-store.json");
        let mut stated: Json =
            serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
        // A store of a version with fewer keys, and one with another name of its column.
        let keys = stated["keys"].as_array_mut().unwrap();
        keys.retain(|key| key["key"] == "parsl.task" || key["key"] == "slurm.job");
        fs::write(&manifest, stated.to_string()).unwrap();
        let events = add(&store, &["--run", "b"], &hung());
        let own: Vec<String> = { columns(Path::new(&events)).into_iter() }
            .filter(|name| name.contains('_') && !name.starts_with('_'))
            .collect();
        assert_eq!(own, ["parsl_task", "slurm_job"]);
        assert_eq!(rows(&["hung"], &events), rows(&["hung"], &hung()));
        stated["version"] = 99.into();
        fs::write(&manifest, stated.to_string()).unwrap();
        for refused in [
            vec!["export", "-o", store.to_str().unwrap(), &hung()],
            vec!["runs", store.to_str().unwrap()],
        ] {
            let out = run(&refused);
            assert_eq!(out.status.code(), Some(2), "{refused:?}");
            let error = text(&out.stderr);
            assert!(error.contains("has version 99"), "{error}");
        }
    }

    #[test]
    fn what_a_killed_writer_left_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path();
        let other = runs::data().join("old2024").display().to_string();
        assert!(add(store, &["--run", "a"], &hung()).ends_with("/events/a.parquet"));
        add(store, &["--run", "b.2"], &other);
        let left = store.join(".widetui-killed/files");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("2.part"), b"PAR1 half").unwrap();
        let path = store.display().to_string();
        let count = |path: &str| rows(&["events"], path).len();
        assert_eq!(count(&path), count(&hung()) + count(&other));
        let names: BTreeSet<String> = rows(&["runs"], &path)
            .iter()
            .map(|run| run["stored_as"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, BTreeSet::from(["a".to_owned(), "b.2".to_owned()]));
    }

    #[test]
    fn a_run_that_has_grown_replaces_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let (log, store) = (dir.path().join("a.log"), dir.path().join("store"));
        let mut lines = String::new();
        let mut added = BTreeSet::new();
        for n in 0..3 {
            lines += &format!("2026-11-20 10:00:0{n},000 INFO step {n}\n");
            fs::write(&log, &lines).unwrap();
            added.insert(add(&store, &[], &log.display().to_string()));
            let path = store.display().to_string();
            assert_eq!(rows(&["events"], &path).len(), n + 1);
        }
        let added: Vec<String> = added.into_iter().collect();
        let [events] = &added[..] else {
            panic!("{added:?}");
        };
        assert!(name(events).starts_with("20261120T100000-"), "{events}");
    }

    #[test]
    fn a_part_of_a_run_and_other_names_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().display().to_string();
        let named = |name: &str| format!("{store}/{name}");
        for (args, error) in [
            (
                vec!["-o", &store, "--where", "has parsl.task"],
                "holds whole runs",
            ),
            (vec!["-o", &store, "--flat"], "holds whole runs"),
            (vec!["-o", &store, "--run", "a b"], "letters, digits"),
            (vec!["-o", &named("a.jsonl"), "--run", "a"], "leave it out"),
            (
                vec![
                    "-o",
                    &named("a.svg"),
                    "--plot",
                    "states:parsl.task",
                    "--run",
                    "a",
                ],
                "takes none",
            ),
        ] {
            let out = run(&[&["export"], &args[..], &[&hung()]].concat());
            assert_eq!(out.status.code(), Some(2), "{args:?}");
            let found = text(&out.stderr);
            assert!(found.contains(error), "{args:?}: {found}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        // Not into the logs themselves.
        let log = dir.path().join("a.log");
        fs::write(&log, "2026-11-20 10:00:00,000 INFO a\n").unwrap();
        let out = run(&["export", "-o", &named("store/"), &store]);
        assert_eq!(out.status.code(), Some(2));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
