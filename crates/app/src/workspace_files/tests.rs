#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::sync::Arc;

use super::*;
use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::SourceId;
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_join::Join;
use widetui_session::record_texts::Place;
use widetui_session::saved::SavedStep;
use widetui_session::user_joins;

const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/queue-run");

fn run() -> Arc<Snapshot> {
    let options = OpenOptions {
        paths: vec![RUN.into()],
        threads: Some(1),
        ..OpenOptions::default()
    };
    let loaded = load_all(&options, &Cancel::default(), Progress::default());
    loaded.unwrap().0
}

/// The run before all of it was read.
fn part(run: &Snapshot) -> Snapshot {
    Snapshot {
        complete: false,
        ..run.clone()
    }
}

fn keeping() -> WorkspaceOptions {
    WorkspaceOptions {
        roots: vec![RUN.to_owned()],
        ..WorkspaceOptions::default()
    }
}

fn in_folder(folder: &Path) -> WorkspaceKeeper {
    WorkspaceKeeper::new(WorkspaceOptions {
        folder: Some(folder.to_owned()),
        ..keeping()
    })
}

fn in_file(file: &Path) -> WorkspaceKeeper {
    WorkspaceKeeper::new(WorkspaceOptions {
        file: Some(file.to_owned()),
        ..keeping()
    })
}

/// A session with a note to the first record of a source.
fn noted(source: u32, note: &str) -> Session {
    let place = Place {
        source: SourceId(source),
        offset: 0,
    };
    Session {
        title: "run".to_owned(),
        records: vec![(place, true, Some(note.to_owned()))],
        ..Session::default()
    }
}

fn stepped(mut session: Session, expr: &str) -> Session {
    session.steps.push(SavedStep {
        label: expr.to_owned(),
        expr: expr.to_owned(),
    });
    session
}

fn joined(mut session: Session, name: &str) -> Session {
    session.joins.own.push(Join::keys(name, &["job"], &["who"]));
    session
}

fn notes(saved: &Saved) -> Vec<&str> {
    let mut notes: Vec<&str> = saved
        .record
        .iter()
        .filter_map(|r| r.note.as_deref())
        .collect();
    notes.sort_unstable();
    notes
}

fn files_of(folder: &Path) -> Vec<Saved> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|p| files::read(p).unwrap()).collect()
}

#[test]
fn days_are_told_in_words() {
    let now = parse_literal("2026-03-10T12:00:00Z", 0, &Zone::Utc).unwrap();
    assert_eq!(describe_age("2026-03-10T11:59:00Z", now), "of today");
    assert_eq!(describe_age("2026-03-01T12:00:00Z", now), "of 9 days ago");
    assert_eq!(describe_age("nonsense", now), "of before");
}

#[test]
fn what_is_no_workspace_stays_as_it_is() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let later = "version = 900\ntitle = \"\"\nsaved = \"\"\n";
    for text in ["my notes", "", later] {
        for is_looked_for in [true, false] {
            fs::write(&file, text).unwrap();
            let keeper = in_file(&file);
            if is_looked_for {
                let found = keeper.find(&run);
                assert!(
                    matches!(found, Some(SavedWorkspace::Trouble(_))),
                    "{found:?}"
                );
            }
            let error = keeper.save(&run, &noted(0, "new")).unwrap_err();
            assert!(error.contains("mine.toml"), "{error}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert_eq!(keeper.save(&run, &Session::default()), Ok(None));
            // It was moved away, as was asked for.
            fs::remove_file(&file).unwrap();
            assert!(keeper.save(&run, &noted(0, "new")).unwrap().is_some());
            assert_eq!(notes(&files::read(&file).unwrap()), ["new"]);
        }
    }
}

#[test]
fn leaving_before_all_is_read_loses_nothing() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let old = stepped(joined(noted(0, "old"), "mine"), "job = 9");
    in_file(&file).save(&run, &old).unwrap();
    let keeper = in_file(&file);
    keeper.save(&part(&run), &noted(1, "new")).unwrap();
    let saved = files::read(&file).unwrap();
    assert_eq!(notes(&saved), ["new", "old"]);
    assert_eq!(saved.step.len(), 1);
    assert!(saved.joins.contains("mine"), "{}", saved.joins);
    // Reading went on after all: what it holds is shown.
    let Some(SavedWorkspace::Restored(restored)) = keeper.find(&run) else {
        panic!("nothing is restored");
    };
    assert!(
        restored
            .records
            .iter()
            .any(|r| r.3.as_deref() == Some("old"))
    );
    // The same where the file goes by the run.
    let folder = tempfile::tempdir().unwrap();
    in_folder(folder.path()).save(&run, &old).unwrap();
    let keeper = in_folder(folder.path());
    keeper.save(&part(&run), &noted(1, "new")).unwrap();
    let saved = files_of(folder.path());
    assert_eq!(saved.len(), 1);
    assert_eq!(notes(&saved[0]), ["new", "old"]);
    let found = keeper.find(&run);
    assert!(
        matches!(found, Some(SavedWorkspace::Offer { .. })),
        "{found:?}"
    );
}

#[test]
fn no_file_of_the_folder_is_overwritten_unread() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let keeper = in_folder(folder.path());
    let path = keeper.save(&run, &noted(0, "first")).unwrap().unwrap();
    fs::write(&path, "my notes").unwrap();
    let keeper = in_folder(folder.path());
    assert!(keeper.find(&run).is_none());
    let other = keeper.save(&run, &noted(0, "second")).unwrap().unwrap();
    assert_ne!(path, other);
    assert_eq!(fs::read_to_string(&path).unwrap(), "my notes");
    // There it stays.
    assert_eq!(keeper.save(&run, &noted(0, "third")), Ok(Some(other)));
}

#[test]
fn the_last_mark_can_be_taken_away() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let keeper = in_file(&file);
    assert!(keeper.find(&run).is_none());
    assert_eq!(keeper.save(&run, &Session::default()), Ok(None));
    keeper.save(&run, &noted(0, "old")).unwrap();
    let keeper = in_file(&file);
    keeper.find(&run);
    assert!(keeper.save(&run, &Session::default()).unwrap().is_some());
    assert!(files::read(&file).unwrap().record.is_empty());
}

#[test]
fn what_nobody_restored_is_kept_with_what_is_new() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let old = stepped(joined(noted(0, "old"), "mine"), "job = 9");
    in_folder(folder.path()).save(&run, &old).unwrap();
    // Marks and joins of both fit into one file, and so does one selection.
    let keeper = in_folder(folder.path());
    keeper.find(&run);
    let new = joined(joined(noted(1, "new"), "mine"), "other");
    keeper.save(&run, &new).unwrap();
    let saved = files_of(folder.path());
    assert_eq!(saved.len(), 1);
    assert_eq!(notes(&saved[0]), ["new", "old"]);
    assert_eq!(saved[0].step.len(), 1);
    let names = |saved: &Saved| -> Vec<String> {
        let joins = user_joins::read(&saved.joins).unwrap();
        joins.into_iter().map(|j| j.name).collect()
    };
    assert_eq!(names(&saved[0]), ["mine", "other"]);
    // Two selections do not: the one of before stays where it is.
    let keeper = in_folder(folder.path());
    keeper.find(&run);
    let new = stepped(noted(2, "newest"), "job = 8");
    let path = keeper.save(&run, &new).unwrap();
    assert_eq!(keeper.save(&run, &new).unwrap(), path);
    let saved = files_of(folder.path());
    assert_eq!(saved.len(), 2);
    let of = |expr: &str| saved.iter().find(|s| s.step[0].expr == expr).unwrap();
    assert_eq!(notes(of("job = 9")), ["new", "old"]);
    assert_eq!(notes(of("job = 8")), ["new", "newest", "old"]);
    assert_eq!(names(of("job = 8")), ["mine", "other"]);
    // Restored, the session is what there is to keep.
    let keeper = in_folder(folder.path());
    keeper.find(&run);
    assert!(keeper.restore(&run).is_some());
    keeper.save(&run, &noted(2, "newest")).unwrap();
    let saved = files_of(folder.path());
    assert_eq!(saved.len(), 2);
    assert!(saved.iter().any(|s| notes(s) == ["newest"]));
}

#[test]
fn a_session_that_ends_goes_beside_what_is_no_workspace() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    fs::write(&file, "my notes").unwrap();
    let told = in_file(&file).leave(&run, &noted(0, "new")).unwrap();
    assert!(told.contains("mine-2.toml"), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "my notes");
    let beside = files::read(&folder.path().join("mine-2.toml")).unwrap();
    assert_eq!(notes(&beside), ["new"]);
    assert_eq!(in_file(&file).leave(&run, &Session::default()), None);
}

#[test]
fn notes_that_differ_are_both_kept() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    in_file(&file).save(&run, &noted(0, "old")).unwrap();
    let told = in_file(&file).leave(&run, &noted(0, "new")).unwrap();
    assert!(told.contains("mine-2.toml"), "{told}");
    assert_eq!(notes(&files::read(&file).unwrap()), ["old"]);
    let beside = files::read(&folder.path().join("mine-2.toml")).unwrap();
    assert_eq!(notes(&beside), ["new"]);
}

#[test]
fn lines_of_input_are_kept_across_sessions_but_not_by_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let options = WorkspaceOptions {
        folder: Some(folder.path().join("state")),
        ..WorkspaceOptions::default()
    };
    let replay = WorkspaceKeeper::new(WorkspaceOptions {
        replay: Some("x.toml".into()),
        ..options.clone()
    });
    assert!(replay.remember_input(InputKind::Filter, "never").is_none());
    let keeper = WorkspaceKeeper::new(options.clone());
    assert!(
        keeper
            .remember_input(InputKind::Filter, "level = error")
            .is_none()
    );
    assert!(keeper.remember_input(InputKind::Search, "lost").is_none());
    let (history, error) = WorkspaceKeeper::new(options.clone()).input_history();
    assert_eq!(error, None);
    let filters: Vec<&str> = history.of(InputKind::Filter).collect();
    let searches: Vec<&str> = history.of(InputKind::Search).collect();
    assert_eq!((filters, searches), (vec!["level = error"], vec!["lost"]));
    // A folder that cannot be written to is reported once.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let keeper = WorkspaceKeeper::new(WorkspaceOptions {
        folder: Some(file),
        ..options
    });
    assert!(keeper.remember_input(InputKind::Filter, "a").is_some());
    assert!(keeper.remember_input(InputKind::Filter, "b").is_none());
}
