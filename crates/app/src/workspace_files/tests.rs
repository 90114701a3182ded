#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
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
    let paths = entries.map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths.iter().map(|p| files::read(p).unwrap()).collect()
}

/// Message of a session that was kept.
fn notice(left: LeaveOutcome) -> String {
    match left {
        LeaveOutcome::Kept(Some(text)) => text,
        other => panic!("{other:?}"),
    }
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
    let text = notice(in_file(&file).leave(&run, &noted(0, "new")));
    assert!(text.contains("mine-2.toml"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "my notes");
    let beside = files::read(&folder.path().join("mine-2.toml")).unwrap();
    assert_eq!(notes(&beside), ["new"]);
    let left = in_file(&file).leave(&run, &Session::default());
    assert_eq!(left, LeaveOutcome::Kept(None));
}

#[test]
fn notes_that_differ_are_both_kept() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    in_file(&file).save(&run, &noted(0, "old")).unwrap();
    let text = notice(in_file(&file).leave(&run, &noted(0, "new")));
    assert!(text.contains("mine-2.toml"), "{text}");
    assert_eq!(notes(&files::read(&file).unwrap()), ["old"]);
    let beside = files::read(&folder.path().join("mine-2.toml")).unwrap();
    assert_eq!(notes(&beside), ["new"]);
}

/// A session with these notes, each to the first record of a source.
fn with_notes(notes: &[(u32, &str)]) -> Session {
    let all = notes
        .iter()
        .flat_map(|(source, note)| noted(*source, note).records);
    Session {
        records: all.collect(),
        ..noted(0, "")
    }
}

#[test]
fn sessions_that_are_open_at_the_same_time_lose_nothing_of_each_other() {
    let run = run();
    // As they end: each reads what the other wrote. Also where the file cannot be locked.
    for is_locked in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        if !is_locked {
            fs::create_dir(folder.path().join(".lock")).unwrap();
        }
        let sessions = [(0, "a"), (1, "b"), (2, "c")];
        std::thread::scope(|scope| {
            for (source, note) in sessions {
                let (folder, run) = (folder.path(), &run);
                scope.spawn(move || in_folder(folder).save(run, &noted(source, note)).unwrap());
            }
        });
        let saved = files_of(folder.path());
        let all: BTreeSet<&str> = saved.iter().flat_map(notes).collect();
        assert_eq!(all, BTreeSet::from(["a", "b", "c"]), "locked: {is_locked}");
        assert!(saved.iter().any(|one| notes(one).len() == 3), "{saved:?}");
    }
}

#[test]
fn what_another_session_saved_since_is_kept() {
    let run = run();
    let folder = tempfile::tempdir().unwrap();
    in_folder(folder.path())
        .save(&run, &with_notes(&[(0, "old"), (1, "of both")]))
        .unwrap();
    let restored = || {
        let keeper = in_folder(folder.path());
        keeper.find(&run);
        assert!(keeper.restore(&run).is_some());
        keeper
    };
    let (one, other) = (restored(), restored());
    one.save(
        &run,
        &with_notes(&[(0, "better"), (1, "of both"), (2, "new")]),
    )
    .unwrap();
    // It took one note away, and left the other as it was.
    other.save(&run, &with_notes(&[(0, "old")])).unwrap();
    let saved = files_of(folder.path());
    assert_eq!(saved.len(), 1);
    assert_eq!(notes(&saved[0]), ["better", "new"]);
    // What it wrote itself it may take away, and nothing else.
    other
        .save(&run, &with_notes(&[(0, "old"), (1, "back")]))
        .unwrap();
    assert_eq!(
        notes(&files_of(folder.path())[0]),
        ["back", "better", "new"]
    );
    other.save(&run, &with_notes(&[])).unwrap();
    assert_eq!(notes(&files_of(folder.path())[0]), ["better", "new"]);
    one.save(&run, &joined(with_notes(&[(0, "better")]), "mine"))
        .unwrap();
    other.save(&run, &with_notes(&[])).unwrap();
    let saved = files_of(folder.path());
    assert_eq!(notes(&saved[0]), ["better"]);
    assert!(saved[0].joins.contains("mine"), "{}", saved[0].joins);
    // Notes of both to one record: both are kept.
    one.save(&run, &with_notes(&[(0, "mine")])).unwrap();
    other.save(&run, &with_notes(&[(0, "yours")])).unwrap();
    let saved = files_of(folder.path());
    let all: Vec<&str> = saved.iter().flat_map(notes).collect();
    assert!(all.contains(&"mine") && all.contains(&"yours"), "{all:?}");
}

#[test]
fn a_note_without_a_place_is_reported() {
    let run = run();
    let nowhere = WorkspaceKeeper::new(keeping());
    let error = nowhere.save(&run, &noted(0, "a")).unwrap_err();
    assert!(error.contains("neither HOME nor"), "{error}");
    let left = nowhere.leave(&run, &noted(0, "a"));
    assert!(matches!(left, LeaveOutcome::Lost(_)), "{left:?}");
    // A selection is no work that is lost.
    let filtered = stepped(Session::default(), "job = 9");
    assert_eq!(nowhere.leave(&run, &filtered), LeaveOutcome::Kept(None));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let left = in_folder(&file).leave(&run, &noted(0, "a"));
    assert!(
        matches!(&left, LeaveOutcome::Lost(text) if text.contains("file")),
        "{left:?}"
    );
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
