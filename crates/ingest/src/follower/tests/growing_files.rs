//! Tests: truncation, rotation, deletion and growth of followed files.

use std::fs;
use std::io::Write;
use std::time::Duration;

use super::{SOON, check_end, line, live};

#[test]
fn a_file_that_is_cut_begins_anew_as_another_source() {
    let mut live = live(&(line(1, 1) + &line(2, 2)));
    let path = live.dir.path().join("a.log");
    fs::write(&path, line(3, 3)).unwrap();
    live.poll(SOON);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3, "what was read stays");
    assert!(
        live.problems().contains("was truncated or rewritten"),
        "{}",
        live.problems()
    );
    assert!(live.messages().contains(&"took task=3 of 7".to_owned()));
    // Truncated and grown beyond its old length between two polls: detected by its bytes.
    fs::write(&path, (0..50).map(|n| line(4, n)).collect::<String>()).unwrap();
    live.poll(SOON);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 53);
}

#[test]
fn a_file_that_rotates_is_followed_under_its_new_name() {
    let mut live = live(&line(1, 1));
    let path = live.dir.path().join("a.log");
    fs::rename(&path, live.dir.path().join("a.log.1")).unwrap();
    live.append("a.log.1", line(2, 2).as_bytes());
    live.append("a.log", line(3, 3).as_bytes());
    live.poll(SOON);
    live.poll(SOON);
    live.append("a.log.1", line(4, 4).as_bytes());
    live.poll(SOON);
    let tasks: Vec<String> = live.messages();
    assert_eq!(tasks, [1, 2, 3, 4].map(|n| format!("took task={n} of 7")));
    assert!(
        live.problems().contains("was renamed"),
        "{}",
        live.problems()
    );
    live.settle();
    check_end(&live);
}

#[test]
fn files_and_folders_that_vanish_are_missed_and_come_back() {
    let mut live = live(&line(1, 1));
    live.append("sub/b.log", line(2, 2).as_bytes());
    live.poll(Duration::from_secs(3));
    assert_eq!(live.snapshot.len(), 2);
    fs::remove_file(live.dir.path().join("a.log")).unwrap();
    fs::remove_dir_all(live.dir.path().join("sub")).unwrap();
    live.poll(SOON);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 2, "what was read stays");
    assert_eq!(
        live.problems().matches("was deleted").count(),
        2,
        "{}",
        live.problems()
    );
    live.append("a.log", line(3, 3).as_bytes());
    live.poll(Duration::from_secs(3));
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3);
}

#[test]
fn a_pipe_in_the_place_of_a_file_stops_nothing() {
    let mut live = live(&line(1, 1));
    live.append("b.log", line(1, 2).as_bytes());
    let path = live.dir.path().join("a.log");
    fs::remove_file(&path).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    live.append("b.log", line(2, 2).as_bytes());
    live.poll(Duration::from_secs(3));
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3);
    assert!(
        live.problems().contains("was replaced by a named pipe"),
        "{}",
        live.problems()
    );
}

#[test]
fn a_thousand_new_files_at_once() {
    let mut live = live(&line(1, 1));
    for n in 0..1000 {
        live.append(&format!("w/{n}/worker.log"), line(n % 60, n).as_bytes());
    }
    // As many polls as a busy machine needs.
    for _ in 0..200 {
        live.poll(Duration::from_secs(3));
        if live.snapshot.len() == 1001 {
            break;
        }
    }
    assert_eq!(live.snapshot.len(), 1001);
    assert!(
        live.snapshot.segments.len() < 30,
        "{}",
        live.snapshot.segments.len()
    );
    live.settle();
    check_end(&live);
}

#[test]
fn clocks_that_go_back_and_small_steps_leave_few_segments() {
    let mut live = live(&line(1800, 1));
    for n in 0..300u32 {
        // Every tenth record has a much earlier time.
        let second = if n.is_multiple_of(10) { n } else { 1800 + n };
        live.append("a.log", line(second, n).as_bytes());
        live.append("b.log", line(second, n).as_bytes());
        live.poll(SOON);
    }
    live.poll(Duration::from_secs(3));
    assert!(
        live.snapshot.segments.len() < 12,
        "{}",
        live.snapshot.segments.len()
    );
    live.settle();
    check_end(&live);
}

#[test]
fn a_line_that_is_too_long_to_wait_for() {
    let mut live = live(&line(1, 1));
    live.append("a.log", b"2026-11-20 19:00:03,000 worker INFO ");
    for _ in 0..5 {
        live.append("a.log", &vec![b'x'; 600_000]);
        live.poll(SOON);
    }
    live.append("a.log", b" its end\n");
    live.append("a.log", line(5, 5).as_bytes());
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3);
    live.settle();
    assert_eq!(live.messages()[2], "took task=5 of 7");
}

#[test]
fn other_files_are_no_logs_and_compressed_ones_are_read() {
    let mut live = live(&line(1, 1));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(line(2, 2).as_bytes()).unwrap();
    live.append("b.log.gz", &packed.finish().unwrap());
    live.append("c.bin", &[0u8; 5000]);
    live.poll(Duration::from_secs(3));
    live.append("c.bin", &[0u8; 5000]);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 2);
    live.settle();
    check_end(&live);
}

#[test]
fn where_more_comes_than_is_read_each_file_has_its_turn() {
    let mut live = live(&line(1, 1));
    let names = ["a.log", "b.log", "c.log"];
    for name in names {
        live.append(name, line(2, 2).as_bytes());
    }
    live.settle();
    // Each poll reads one piece of one growing file, and one of a quiet file.
    live.follower.bytes = 1;
    for n in 0..20 {
        for name in names {
            live.append(name, line(100 + n, n).as_bytes());
        }
        live.poll(SOON);
    }
    for name in names {
        let mut sources = live.snapshot.sources.iter();
        let source = sources.find(|s| s.path.ends_with(name)).unwrap();
        let len = fs::metadata(live.dir.path().join(name)).unwrap().len();
        let behind = (len - source.bytes) / line(100, 1).len() as u64;
        assert!(behind <= 3, "{name} is {behind} records behind");
    }
}
