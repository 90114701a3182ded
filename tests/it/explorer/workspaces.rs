//! Workspaces: saved by the program, found by the contents of a run, restored in changed files.

use std::fs;
use std::path::Path;

use widetui_app::msg::{Msg, SavedWorkspace};
use widetui_core::ids::SourceId;
use widetui_ingest::options::LoadMsg;
use widetui_session::record_texts::Place;
use widetui_session::saved::{self, SavedStep, Session as Kept, files, run_identity};

use widetui_testing_tui::copy_folder;
use widetui_testing_tui::explorer::{Explorer, load};
use widetui_testing_tui::pty::{Exit, PtyCommand, PtySession, Signal, default_limit};

fn run_in(folder: &Path) -> String {
    copy_folder(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run")),
        folder,
    );
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_run_is_known_where_ever_it_lies_and_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    let first = run_in(&folder.path().join("a"));
    let before = load(&[&first]);
    let prints = run_identity::prints(&before, std::slice::from_ref(&first));
    let second = run_in(&folder.path().join("deep/b"));
    // It grew, another source came, one was deleted.
    let grown = |name: &str, text: &str| {
        let path = Path::new(&second).join(name);
        let old = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, old + text).unwrap();
    };
    grown(
        "nodes/node_1.log",
        "2026-03-02 14:05:00,000 INFO worker: late\n",
    );
    grown(
        "nodes/node_7.log",
        "2026-03-02 14:05:00,000 INFO worker: new\n",
    );
    fs::remove_file(Path::new(&second).join("nodes/node_0.log")).unwrap();
    let after = load(&[&second]);
    assert!(run_identity::fits(
        &after,
        std::slice::from_ref(&second),
        &prints
    ));
    // Another run of the same shape is another run.
    let third = run_in(&folder.path().join("c"));
    for name in ["scheduler.log", "dispatcher.log", "nodes/node_1.log"] {
        let path = Path::new(&third).join(name);
        let text = fs::read_to_string(&path)
            .unwrap()
            .replace("2026-03-02", "2026-03-03");
        fs::write(path, text).unwrap();
    }
    assert!(!run_identity::fits(&load(&[&third]), &[third], &prints));
}

#[test]
fn records_are_found_in_files_that_changed() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(folder.path());
    let roots = [run.clone()];
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(load(&[&run]))));
    s.keys("emMwhy?<enter>gfjob = 9 and level >= debug<enter><ctrl-s>");
    let session = s.saved.clone().unwrap();
    assert_eq!((session.records.len(), session.steps.len()), (1, 1));
    let saved = saved::saved(&s.model.snapshot, &roots, &session);
    let file = folder.path().join("kept/w.toml");
    files::write(&file, &saved).unwrap();
    let read = files::read(&file).unwrap();
    assert_eq!(read, saved);
    assert_eq!(read.record[0].line, Some(10));
    let log = Path::new(&run).join("nodes/node_2.log");
    let text = fs::read_to_string(&log).unwrap();
    let first = "2026-03-02 14:00:00,000 INFO worker: rotated in\n";
    for (changed, is_found) in [
        (
            text.clone() + "2026-03-02 14:09:00,000 INFO worker: more\n",
            true,
        ),
        // Bytes moved, lines did not.
        (text.replacen("started", "has started", 1), true),
        // Both moved: its time is left.
        (format!("{first}{first}{text}"), true),
        (text.replace("job 9 failed", "job 9 is fine"), false),
    ] {
        fs::write(&log, &changed).unwrap();
        let mut s = Explorer::new("dark", 120, 40);
        s.send(Msg::Load(LoadMsg::Snapshot(load(&[&run]))));
        let restored = saved::restored(&s.model.snapshot, &roots, &read);
        assert_eq!(restored.records.len(), usize::from(is_found), "{changed}");
        s.send(Msg::Workspace(SavedWorkspace::Restored(Box::new(restored))));
        assert!(
            s.screen().line(0).contains("job = 9"),
            "{}",
            s.screen().line(0)
        );
        assert_eq!(s.model.marks.len(), usize::from(is_found));
        if is_found {
            s.keys("'");
            assert!(s.cursor_line().contains("✎ why?"), "{}", s.screen().text());
        } else {
            assert!(s.last_line().contains("1 of 1"), "{}", s.last_line());
        }
        // What was not found is not forgotten.
        s.keys("<ctrl-s>");
        let again = saved::saved(&s.model.snapshot, &roots, &s.saved.clone().unwrap());
        assert_eq!(again.record[0].note.as_deref(), Some("why?"));
    }
}

#[test]
fn what_is_no_workspace_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("w.toml");
    fs::write(&file, "version = 1\ntitle = 3\n").unwrap();
    let error = files::read(&file).unwrap_err();
    assert!(error.contains("w.toml:2:9: "), "{error}");
    fs::write(&file, "version = 9\ntitle = ''\nsaved = ''\n").unwrap();
    assert!(files::read(&file).unwrap_err().contains("later version"));
    let empty = Kept {
        steps: vec![SavedStep::default()],
        cursor: Some(Place {
            source: SourceId(9),
            offset: 7,
        }),
        ..Kept::default()
    };
    let snapshot = load(&["tests/data/queue-run"]);
    assert_eq!(saved::saved(&snapshot, &[], &empty).cursor, None);
}

fn start(state: &Path, arguments: &[&str]) -> PtySession {
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args(arguments)
        .env("XDG_STATE_HOME", state)
        .cwd(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
        .size(110, 30)
        .spawn()
        .unwrap();
    session.wait_for_text("5 sources").unwrap();
    session
}

fn leave(session: PtySession) {
    session.send("q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
}

fn kept_files(state: &Path) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(state.join("widetui"));
    let files = files.into_iter().flatten().map(|e| e.unwrap().path());
    // The lines of prompts and a lock are kept beside the sessions.
    files
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect()
}

#[test]
fn a_session_is_kept_offered_and_restored() {
    for signal in [None, Some(Signal::TERM), Some(Signal::HUP)] {
        let state = tempfile::tempdir().unwrap();
        // Looking around leaves nothing behind.
        let session = start(state.path(), &["queue-run"]);
        session.wait_for_text("Starting run 17").unwrap();
        leave(session);
        assert_eq!(kept_files(state.path()).len(), 0);
        let session = start(state.path(), &["queue-run"]);
        session.send("Mremember this<enter>").unwrap();
        session.wait_for_text("✎ remember this").unwrap();
        match signal {
            None => leave(session),
            Some(signal) => {
                session.kill(signal).unwrap();
                let exit = session.wait_exit(default_limit()).unwrap();
                assert!(matches!(exit, Exit::Signal(_)), "{exit:?}");
            }
        }
        assert_eq!(kept_files(state.path()).len(), 1);
        // Nobody asked for it: it stays, with what is new.
        let session = start(state.path(), &["queue-run"]);
        session
            .wait_for_text("a workspace of today (1 note): press R")
            .unwrap();
        assert!(!session.screen().text().contains("remember this"));
        session.send("Gm").unwrap();
        session.wait_for_text("◆").unwrap();
        leave(session);
        let session = start(state.path(), &["queue-run"]);
        session.wait_for_text("(1 mark, 1 note)").unwrap();
        // Once it is not on the screen any more one key alone restores nothing: it says again what there is.
        session.send("j").unwrap();
        session
            .wait_for(|text| !text.contains("(1 mark, 1 note)"), default_limit())
            .unwrap();
        session.send("R").unwrap();
        session.wait_for_text("(1 mark, 1 note)").unwrap();
        session.send("R").unwrap();
        session.wait_for_text("is restored").unwrap();
        session.send("g").unwrap();
        session.wait_for_text("✎ remember this").unwrap();
        leave(session);
        let files = kept_files(state.path());
        assert_eq!(files.len(), 1, "{files:?}");
        // What was kept is shown again, from anywhere.
        let session = start(
            &state.path().join("other"),
            &["--replay", files[0].to_str().unwrap()],
        );
        session.wait_for_text("is restored").unwrap();
        leave(session);
    }
}

#[test]
fn explorers_of_one_run_that_end_together_keep_what_both_wrote() {
    let state = tempfile::tempdir().unwrap();
    let sessions = [("g", "first"), ("gjj", "second")].map(|(keys, note)| {
        let session = start(state.path(), &["queue-run"]);
        session.send(&format!("{keys}M{note}<enter>")).unwrap();
        session.wait_for_text(&format!("✎ {note}")).unwrap();
        session.send("jm").unwrap();
        session.wait_for_text("◆").unwrap();
        session
    });
    for session in &sessions {
        session.kill(Signal::HUP).unwrap();
    }
    for session in sessions {
        let exit = session.wait_exit(default_limit()).unwrap();
        assert!(matches!(exit, Exit::Signal(_)), "{exit:?}");
    }
    let files = kept_files(state.path());
    let [file] = &files[..] else {
        panic!("{files:?}");
    };
    let saved = files::read(file).unwrap();
    let mut notes: Vec<&str> = saved
        .record
        .iter()
        .filter_map(|r| r.note.as_deref())
        .collect();
    notes.sort_unstable();
    assert_eq!(notes, ["first", "second"]);
    assert_eq!(saved.record.iter().filter(|r| r.mark).count(), 2);
}

#[test]
fn a_note_that_cannot_be_kept_is_reported_when_it_is_written_and_on_exit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let file = format!("export XDG_STATE_HOME={}", file.display());
    for (environment, error) in [
        ("unset HOME XDG_STATE_HOME", "neither HOME nor"),
        (file.as_str(), "cannot be written"),
    ] {
        let session = PtyCommand::new("/bin/sh")
            .args(["-c", &format!("{environment}; exec \"$0\" queue-run")])
            .args([env!("CARGO_BIN_EXE_widetui")])
            .cwd(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
            .size(160, 30)
            .spawn()
            .unwrap();
        session.wait_for_text("5 sources").unwrap();
        session.send("Mremember this<enter>").unwrap();
        session.wait_for_text(error).unwrap();
        session.send("q").unwrap();
        assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(2));
        session
            .wait_for_text("marks, notes and joins are not kept")
            .unwrap();
    }
}

#[test]
fn a_workspace_of_ones_own_is_restored_at_once() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("mine.toml");
    let arguments = ["--workspace", file.to_str().unwrap(), "queue-run"];
    let session = start(state.path(), &arguments);
    session.send("Mmine<enter>").unwrap();
    session.wait_for_text("✎ mine").unwrap();
    leave(session);
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("note = \"mine\"")
    );
    let session = start(state.path(), &arguments);
    session.wait_for_text("✎ mine").unwrap();
    leave(session);
    assert_eq!(kept_files(state.path()).len(), 0);
}

#[test]
fn broken_files_of_the_user_are_reported_and_passed_over() {
    let config = tempfile::tempdir().unwrap();
    let folder = config.path().join("widetui");
    fs::create_dir_all(folder.join("keymaps")).unwrap();
    fs::write(folder.join("config.toml"), "keymap = \"mine\"\n").unwrap();
    fs::write(
        folder.join("keymaps/mine.toml"),
        "[[global]]\non = \"x\"\nrun = \"quti\"\n",
    )
    .unwrap();
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run")])
        .env("XDG_CONFIG_HOME", config.path())
        .size(200, 30)
        .spawn()
        .unwrap();
    session
        .wait_for_text("mine.toml:3:7: no command is called `quti`")
        .unwrap();
    session.wait_for_text("Starting run 17").unwrap();
    session.wait_for_text("5 sources").unwrap();
    session.send("e").unwrap();
    session.wait_for_text("Traceback").unwrap();
    leave(session);
}

#[test]
fn vim_is_chosen_by_the_environment_and_the_mouse_is_left_alone() {
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([
            "--no-mouse",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run"),
        ])
        .env("WIDETUI_KEYMAP", "vim")
        .size(110, 30)
        .spawn()
        .unwrap();
    session.wait_for_text("Starting run 17").unwrap();
    assert!(!String::from_utf8_lossy(&session.raw_output()).contains("\x1b[?1000h"));
    session.send("z").unwrap();
    session.wait_for_text("scroll and wrap").unwrap();
    session.send("<esc>").unwrap();
    session
        .wait_for(|text| !text.contains("scroll and wrap"), default_limit())
        .unwrap();
    session.send("ZZ").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
}

#[test]
fn nothing_that_a_terminal_obeys_is_printed_to_one() {
    for format in ["csv", "jsonl", "text"] {
        // Its standard error, which says on a busy machine how far it is, goes elsewhere.
        let session = PtyCommand::new("sh")
            .args(["-c", "exec \"$@\" 2>/dev/null", "sh"])
            .args([env!("CARGO_BIN_EXE_widetui"), "events", "--format", format])
            .args(["--where", "\"no space\""])
            .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run")])
            .size(200, 30)
            .spawn()
            .unwrap();
        assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
        let raw = String::from_utf8_lossy(&session.raw_output()).into_owned();
        // Its own colours stand around whole words; those of the log are shown as characters.
        let own = ["\x1b[31mE\x1b[0m", "\x1b[33mW\x1b[0m"];
        let others = own
            .iter()
            .fold(raw.clone(), |raw, own| raw.replace(own, ""));
        let obeyed = |c: char| c.is_control() && c != '\n' && c != '\r';
        assert!(!others.contains(obeyed), "{format}: {raw:?}");
        assert!(raw.contains("red"), "{raw:?}");
    }
}

#[test]
fn nothing_binary_is_exported_to_a_terminal() {
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["export", "--format", "parquet", "-o", "/dev/tty"])
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run")])
        .spawn()
        .unwrap();
    session.wait_for_text("are binary: redirect").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(2));
}

#[test]
fn where_the_panes_are_is_kept() {
    let mut s = Explorer::example("dark", 200, 40);
    s.keys("ms").keys("vl");
    let (fitting, shown) = (s.model.record.split, s.model.record.shown);
    s.keys("v+v+");
    s.change(|model| model.record.split.below = Some(70));
    let wider = s.model.record.split;
    assert!(wider != fitting && shown);
    let kept = |s: &mut Explorer| {
        s.keys("<ctrl-s>");
        let saved = saved::saved(&s.model.snapshot, &[], &s.saved.clone().unwrap());
        // As its file has it.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("w.toml");
        files::write(&file, &saved).unwrap();
        files::read(&file).unwrap()
    };
    let again = |saved: &saved::Saved| {
        let mut s = Explorer::example("dark", 200, 40);
        let restored = saved::restored(&s.model.snapshot, &[], saved);
        s.send(Msg::Workspace(SavedWorkspace::Restored(Box::new(restored))));
        (s.model.record.split, s.model.record.shown)
    };
    assert_eq!(again(&kept(&mut s)), (wider, true));
    s.keys("vh");
    let mut hidden = kept(&mut s);
    assert_eq!(again(&hidden), (wider, false));
    // Files of earlier versions say nothing of it; nonsense is what fits.
    hidden.layout = None;
    assert_eq!(again(&hidden), (Default::default(), true));
    hidden.layout = Some(saved::SavedLayout {
        record: true,
        side: "above".to_owned(),
        right: Some(900),
        below: None,
        second: None,
    });
    assert_eq!(again(&hidden), (Default::default(), true));
}

#[test]
fn a_file_that_is_no_workspace_stays_as_it_is() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("mine.toml");
    fs::write(&file, "my notes").unwrap();
    let session = start(
        state.path(),
        &["--workspace", file.to_str().unwrap(), "queue-run"],
    );
    session.wait_for_text("mine.toml").unwrap();
    session.send("m").unwrap();
    session.wait_for_text("◆").unwrap();
    session.send("<c-s>").unwrap();
    session.wait_for_text("move it away").unwrap();
    leave(session);
    assert_eq!(fs::read_to_string(&file).unwrap(), "my notes");
    // What was marked is not lost either.
    let beside = fs::read_to_string(state.path().join("mine-2.toml")).unwrap();
    assert!(beside.contains("mark = true"), "{beside}");
    assert_eq!(kept_files(state.path()).len(), 0);
}

#[test]
fn taking_the_last_mark_away_is_kept() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("mine.toml");
    let arguments = ["--workspace", file.to_str().unwrap(), "queue-run"];
    let session = start(state.path(), &arguments);
    session.send("m").unwrap();
    session.wait_for_text("◆").unwrap();
    leave(session);
    let session = start(state.path(), &arguments);
    session.wait_for_text("is restored").unwrap();
    session.wait_for_text("◆").unwrap();
    session.send("m").unwrap();
    session
        .wait_for(|text| !text.contains('◆'), default_limit())
        .unwrap();
    session.send("<c-s>").unwrap();
    session.wait_for_text("saved to").unwrap();
    leave(session);
    assert!(!fs::read_to_string(&file).unwrap().contains("mark = true"));
}

#[test]
fn a_workspace_is_looked_for_though_a_source_was_shifted_meanwhile() {
    let run = load(&["tests/data/queue-run"]);
    let mut s = Explorer::new("dark", 120, 40);
    let part = widetui_store::Snapshot {
        complete: false,
        ..(*run).clone()
    };
    s.send(Msg::Load(LoadMsg::Snapshot(part.into())));
    s.keys("9a2<enter>");
    assert!(s.looked_for == 0 && s.model.shifts.len() == 1);
    s.send(Msg::Load(LoadMsg::Snapshot(run)));
    assert_eq!(s.looked_for, 1);
}

#[test]
fn a_panic_and_an_abort_save_the_workspace() {
    for (key, words) in [
        ("<f12>", "asked to fall over"),
        ("<f11>", "asked to fall over"),
        ("<f10>", "memory allocation of"),
    ] {
        let state = tempfile::tempdir().unwrap();
        let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
            .args(["queue-run"])
            .env("XDG_STATE_HOME", state.path())
            .env("WIDETUI_TEST_FAILURES", "1")
            .cwd(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
            .size(110, 30)
            .spawn()
            .unwrap();
        session.wait_for_text("5 sources").unwrap();
        session.send("Mremember this<enter>").unwrap();
        session.wait_for_text("✎ remember this").unwrap();
        session.send(&format!("Gm{key}")).unwrap();
        let exit = session.wait_exit(default_limit()).unwrap();
        assert_eq!(exit, Exit::Code(2), "{key}");
        // The report stands on the user's screen, so the terminal was given back before.
        session.wait_for_text(words).unwrap();
        session.wait_for_text("the workspace was saved in").unwrap();
        let files = kept_files(state.path());
        let saved = files::read(&files[0]).unwrap();
        let notes: Vec<&str> = saved
            .record
            .iter()
            .filter_map(|r| r.note.as_deref())
            .collect();
        let marks = saved.record.iter().filter(|r| r.mark).count();
        assert_eq!(
            (files.len(), &notes[..], marks),
            (1, &["remember this"][..], 1),
            "{key}"
        );
    }
}
