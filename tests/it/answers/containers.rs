//! Sources and standard input in containers, as the program reports them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use widetui_testing::packing::{STREAMS, archives, gz, members, tar};
use widetui_testing::runs;

/// Archives as files and on standard input: their members have the same numbers in every run.
#[test]
fn sources_have_the_same_numbers_in_every_run() {
    let dir = tempfile::tempdir().unwrap();
    let packed = |name: &str| {
        let folder = dir.path().join(name);
        fs::create_dir(&folder).unwrap();
        for n in 0..40 {
            let line =
                format!("{{\"time\": \"2026-01-01T00:00:{n:02}Z\", \"message\": \"step {n}\"}}\n");
            fs::write(folder.join(format!("{name}{n:02}.jsonl")), line).unwrap();
        }
        let to = dir.path().join(format!("{name}.tar.gz"));
        runs::tar_gz(&folder, &to);
        to
    };
    let (piped, file) = (packed("a"), packed("b"));
    let asked = |piped: &Path| {
        let out = Command::new(env!("CARGO_BIN_EXE_widetui"))
            .args(["events", "--format", "jsonl", "-"])
            .arg(&file)
            .stdin(Stdio::from(fs::File::open(piped).unwrap()))
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    };
    let first = asked(&piped);
    assert_eq!(first.lines().count(), 80);
    for _ in 0..6 {
        assert!(asked(&piped) == first);
    }
}

/// Output of the program for a run from a pipe.
fn from_stdin(bytes: &[u8], more: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["events", "-", "--format", "jsonl"])
        .args(more)
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{errors}");
    assert_eq!(errors, "");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn standard_input_may_be_any_of_them() {
    let dir = runs::directory("hung");
    let members = members(&dir.path().join("run"));
    let expected = from_stdin(&tar(&members), &[]);
    assert!(expected.lines().count() > 100);
    for (name, bytes) in archives(&members) {
        assert!(from_stdin(&bytes, &[]) == expected, "{name}");
        // With no memory for it, it goes through a temporary file.
        assert!(from_stdin(&bytes, &["--memory", "0"]) == expected, "{name}");
    }
    let line = |n: u32| format!("2026-01-01 00:00:00.{n:03} INFO step {n} done\n");
    let text: String = (0..100).map(line).collect();
    let plain = from_stdin(text.as_bytes(), &[]);
    for (ending, pack) in STREAMS {
        let packed = pack(text.as_bytes());
        assert_eq!(from_stdin(&packed, &[]), plain, "{ending}");
        assert_eq!(from_stdin(&gz(&packed), &[]), plain, "{ending}.gz");
    }
}
