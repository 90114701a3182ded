//! The explorer on every run, in small, usual and large terminals: it draws, takes keys, and restores the terminal.

use std::path::{Path, PathBuf};

use widetui_testing::corpora::corpora;
use widetui_testing::runs::data;
use widetui_testing_tui::pty::{Exit, PtyCommand, default_limit};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (250, 70)];

/// Opens a run; says what is wrong, if anything is.
fn open(path: &Path, (cols, rows): (u16, u16)) -> Result<(), String> {
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([path])
        .size(cols, rows)
        .spawn()?;
    let screen = session.wait_for(
        |text| {
            let rows = text.lines().filter(|l| !l.trim().is_empty()).count();
            rows >= 6 && text.contains('▌') && !text.contains("reading")
        },
        default_limit(),
    )?;
    let text = screen.text();
    let filled = text.lines().filter(|l| !l.trim().is_empty()).count();
    if filled < 6 {
        return Err(format!("nearly blank:\n{text}"));
    }
    // The last record, its text (and out of it: `q` would close that first), the sources, help, and out.
    for keys in ["G", "<enter>", "<tab>", "9", "1", "?"] {
        session.send(keys)?;
    }
    session.wait_for(|text| text.contains("write to search"), default_limit())?;
    session.send("<esc>")?;
    session.wait_for(|text| !text.contains("write to search"), default_limit())?;
    session.send("Q")?;
    match session.wait_exit(default_limit())? {
        Exit::Code(0) => {}
        other => return Err(format!("ended with {other:?}")),
    }
    let left = session.modes().left_behind();
    if left.is_empty() {
        Ok(())
    } else {
        Err(format!("left behind: {left:?}"))
    }
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).unwrap();
    let mut found: Vec<PathBuf> = entries
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
        .collect();
    found.sort();
    found
}

/// Opens runs at every size, and fails with all that is wrong.
fn open_all(runs: &[PathBuf]) {
    assert!(!runs.is_empty());
    let mut wrong = Vec::new();
    for run in runs {
        for size in SIZES {
            if let Err(what) = open(run, size) {
                wrong.push(format!("{} at {size:?}: {what}", run.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} failed:\n{}",
        wrong.len(),
        SIZES.len() * runs.len(),
        wrong.join("\n\n")
    );
}

#[test]
fn every_run_opens_at_every_size() {
    let runs = [
        "hung",
        "old2024",
        "json.tar.gz",
        "multi.tar.gz",
        "stacks.tar.gz",
        "other",
    ];
    open_all(&runs.map(|run| data().join(run)));
}

#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn runs_outside_the_repository_open_at_every_size() {
    let root = corpora();
    let runs = ["parsl", "public"].map(|folder| folders(&root.join(folder)));
    open_all(&runs.concat());
}
