//! Every run opens in the explorer, in small, usual and large terminals: something is on the screen, keys work, the
//! terminal is given back. Runs are those of `tests/data`; if `WIDETUI_CORPORA` names a folder, all folders below
//! its `parsl` and `public` as well.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod more;

use std::path::{Path, PathBuf};

use common::pty::{Exit, PtyCommand, default_limit};

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
    session.send("q")?;
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
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    found.sort();
    found
}

#[test]
fn every_run_opens_at_every_size() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut runs = vec![
        data.join("hung"),
        data.join("old2024"),
        data.join("json.tar.gz"),
        data.join("multi.tar.gz"),
        data.join("stacks.tar.gz"),
        data.join("other"),
    ];
    if let Some(more) = more::corpora() {
        for folder in ["parsl", "public"] {
            runs.extend(folders(&more.join(folder)));
        }
    }
    let mut wrong = Vec::new();
    for run in &runs {
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
        3 * runs.len(),
        wrong.join("\n\n")
    );
}
