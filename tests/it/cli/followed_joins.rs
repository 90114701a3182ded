//! `widetui events --follow` with a condition on keys that joins give, or that no record has yet.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SYSTEM: &str = r#"
name = "my"
title = "Mine"

[keys."my.job"]
type = "int"
identifier = true

[keys."my.node"]
type = "text"
identifier = true

[[source]]
kind = "run"
glob = ["run.log"]
messages = ["m"]
mine = true

[[messages]]
scope = "m"
patterns = ["job {my.job:int} is on {my.node}", "job {my.job:int} begins"]

[[join]]
name = "node of job"
by = ["my.job"]
gives = ["my.node"]
"#;

/// Followed folder with the output so far; the process ends with it.
struct Followed {
    child: Child,
    folder: tempfile::TempDir,
}

impl Followed {
    fn start(condition: &str, log: &str) -> Followed {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        fs::write(folder.path().join("logs/run.log"), log).unwrap();
        fs::write(folder.path().join("my.toml"), SYSTEM).unwrap();
        let output = |name: &str| File::create(folder.path().join(name)).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_widetui"))
            .current_dir(folder.path())
            .args([
                "events", "--follow", "--system", "my.toml", "--where", condition, "logs",
            ])
            .stdin(Stdio::null())
            .stdout(output("out"))
            .stderr(output("err"))
            .spawn()
            .unwrap();
        Followed { child, folder }
    }

    fn append(&self, text: &str) {
        let path = self.folder.path().join("logs/run.log");
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until a file has a text; returns the file.
    fn wait(&self, name: &str, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let found = read(self.folder.path(), name);
            if found.contains(text) {
                return found;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{name} lacks {text}: {found}"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

fn line(second: u32, text: &str) -> String {
    format!("2026-11-20 19:00:{second:02},000 INFO {text}\n")
}

#[test]
fn a_record_is_printed_when_a_join_gives_its_key() {
    let log = line(1, "job 1 begins") + &line(2, "job 2 begins");
    let followed = Followed::start("my.node = n1", &log);
    followed.wait("err", "without my.node so far");
    assert_eq!(read(followed.folder.path(), "out"), "");
    followed.append(&(line(3, "job 2 is on n2") + &line(4, "job 1 is on n1")));
    followed.append(&line(5, "job 1 begins"));
    followed.append(&line(6, "another line"));
    let out = followed.wait("out", "19:00:05");
    let seconds: Vec<&str> = out.lines().filter_map(|l| l.get(17..19)).collect();
    assert_eq!(seconds, ["01", "04", "05"], "{out}");
}

#[test]
fn a_key_that_no_record_has_is_waited_for() {
    let followed = Followed::start("weight > 3", &line(1, "job 1 begins"));
    followed.wait("err", "waiting for a key");
    followed.append(&(line(2, "weight=2 done") + &line(3, "weight=4 done")));
    followed.append(&line(4, "another line"));
    let out = followed.wait("out", "weight=4");
    assert!(!out.contains("weight=2"), "{out}");
}
