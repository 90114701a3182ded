//! Tests: archives, compressed files and documents that change while they are followed.

use std::fs;
use std::io::Write;

use super::{Live, SOON, check_end, line};

fn live() -> Live {
    super::live(&line(1, 1))
}

fn tar(members: &[(&str, String)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, text) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

/// Lines of a log, from one record to another.
fn lines(from: u32, to: u32) -> String {
    (from..to).map(|n| line(10 + n, n)).collect()
}

#[test]
fn members_of_an_archive_come_and_grow() {
    for pack in [|bytes: Vec<u8>| bytes, |bytes: Vec<u8>| gzip(&bytes)] {
        let mut live = live();
        let path = live.dir.path().join("all.tar");
        for n in 1..5 {
            let members = [
                ("x/one.log", lines(0, 3 * n)),
                ("x/two.log", lines(100, 102)),
                (
                    "table.csv",
                    format!(
                        "time,task\n{}",
                        "2026-11-20T10:00:01Z,7\n".repeat(n as usize)
                    ),
                ),
            ];
            let shown = &members[..(n as usize).min(3)];
            fs::write(&path, pack(tar(shown))).unwrap();
            live.settle();
            check_end(&live);
        }
        let first = live.snapshot.clone();
        live.append("a.log", line(50, 50).as_bytes());
        live.poll(SOON);
        assert!(
            live.snapshot.extends(&first),
            "the archive is not read again"
        );
        // A member that is taken away, and another text in the place of one.
        fs::write(&path, pack(tar(&[("x/one.log", lines(40, 45))]))).unwrap();
        live.settle();
        check_end(&live);
    }
}

#[test]
fn a_compressed_log_grows() {
    let mut live = live();
    live.append("b.log.gz", &gzip(lines(0, 5).as_bytes()));
    live.settle();
    check_end(&live);
    let first = live.snapshot.clone();
    live.append("b.log.gz", &gzip(lines(5, 9).as_bytes()));
    live.settle();
    check_end(&live);
    assert!(live.snapshot.extends(&first), "what was read stays");
    assert_eq!(live.snapshot.len(), 10);
}

#[test]
fn documents_are_read_again() {
    let task = |n: u32, state: &str| {
        format!("{{\"time\": \"2026-11-20T10:00:{n:02}Z\", \"task\": {n}, \"state\": \"{state}\"}}")
    };
    let mut live = live();
    let path = live.dir.path().join("state.json");
    for (n, state) in (1..5).zip(["waits", "waits", "runs", "ends"]) {
        let tasks: Vec<String> = (0..n).map(|at| task(at, state)).collect();
        fs::write(
            &path,
            format!("{{\n\"tasks\": [\n{}\n]\n}}\n", tasks.join(",\n")),
        )
        .unwrap();
        live.settle();
        check_end(&live);
    }
}

#[test]
fn what_turns_out_to_be_something_else_is_read_as_that() {
    let mut live = live();
    // One object is a document, several are records.
    let object =
        |n: u32| format!("{{\"time\": \"2026-11-20T10:00:{n:02}Z\", \"msg\": \"at {n}\"}}\n");
    for n in 0..4 {
        live.append("b.json", object(n).as_bytes());
        live.settle();
        check_end(&live);
    }
    let path = live.dir.path().join("c.dat");
    fs::write(&path, [0u8; 100]).unwrap();
    live.settle();
    check_end(&live);
}
