//! Damaged or hostile input, and files that change while they are read: nothing panics, and every problem is reported.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};

use widetui_core::diag::Diagnostic;
use widetui_ingest::load::load_all;
use widetui_report::event::full_event;
use widetui_store::texts::{MAX_RECORD, TextReader};
use widetui_store::{Snapshot, Source};

use widetui_testing::packing::gz;
use widetui_testing::runs;
use widetui_testing::runs::{problems, source};

const LINE: &str = "1795225387.115450 2026-11-20 19:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: Task 1 done\n";

fn message(snapshot: &Snapshot, place: usize) -> String {
    full_event(&snapshot.at(place).unwrap(), &mut TextReader::default()).message
}

#[test]
fn an_empty_file_is_listed_with_no_records() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("empty.log"), "").unwrap();
    fs::write(dir.path().join("blank.log"), "\n\n\n").unwrap();
    fs::write(dir.path().join("a.log"), LINE).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!(snapshot.sources.len(), 3);
    assert_eq!(source(&snapshot, "empty.log").stats.records(), 0);
    assert_eq!(source(&snapshot, "blank.log").stats.records(), 0);
    assert_eq!(snapshot.len(), 1);
}

#[test]
fn loops_of_links_end_and_no_folder_is_read_twice() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("a/x.log"), LINE).unwrap();
    symlink("..", dir.path().join("a/up")).unwrap();
    symlink("self", dir.path().join("self")).unwrap();
    let (snapshot, found) = runs::try_load(dir.path(), 2).unwrap();
    assert_eq!(snapshot.len(), 1);
    assert!(
        found
            .iter()
            .any(|p| p.path.ends_with("a/up") && p.text.contains("already read"))
    );
    assert!(found.iter().any(|p| p.path.ends_with("self")), "{found:?}");
}

/// Symbolic links as created by programs beside numbered or dated runs.
#[test]
fn a_folder_goes_by_its_own_name_and_not_by_that_of_a_link_to_it() {
    for link in ["a-most-recent", "most-recent"] {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("m/2026/logs")).unwrap();
        fs::write(dir.path().join("m/2026/logs/x.log"), LINE).unwrap();
        symlink("2026", dir.path().join("m").join(link)).unwrap();
        symlink("m/2026/logs", dir.path().join("latest")).unwrap();
        let (snapshot, _) = runs::try_load(dir.path(), 2).unwrap();
        assert_eq!(snapshot.len(), 1);
        let path = &snapshot.sources[0].path;
        assert!(path.ends_with("m/2026/logs/x.log"), "{path}");
    }
}

#[test]
fn a_file_of_many_names_is_read_once_under_that_of_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("run-001")).unwrap();
    fs::write(at("run-001/a.log"), LINE).unwrap();
    symlink("run-001", at("latest")).unwrap();
    symlink("latest", at("another")).unwrap();
    symlink("run-001/a.log", at("alink.log")).unwrap();
    symlink("a.log", at("run-001/0.log")).unwrap();
    fs::hard_link(at("run-001/a.log"), at("run-001/b.log")).unwrap();
    let names = |roots: &[&str]| -> (Vec<String>, Vec<Diagnostic>) {
        let mut options = runs::options(dir.path(), 2);
        options.paths = roots.iter().map(|r| at(r)).collect();
        let loaded = load_all(&options, &Default::default(), Default::default());
        let (snapshot, problems) = loaded.unwrap();
        let logs = || snapshot.sources.iter().filter(|s| s.is_log);
        assert_eq!(snapshot.len(), logs().count());
        let name = |s: &std::sync::Arc<Source>| {
            let path = s.path.strip_prefix(&*dir.path().to_string_lossy());
            path.unwrap().trim_start_matches('/').to_owned()
        };
        (logs().map(name).collect(), problems)
    };
    let (found, problems) = names(&[""]);
    assert_eq!(found, ["run-001/a.log"]);
    let said = |name: &str, what: &str| {
        let mut own = problems.iter().filter(|p| p.path.ends_with(name));
        assert!(own.any(|p| p.text.contains(what)), "{name}: {problems:?}");
    };
    said("alink.log", "a link to a file that is read as");
    said("0.log", "a link to");
    said("b.log", "a hard link to");
    said("latest", "already read");
    // Whichever paths are opened, in any order.
    for roots in [
        &["latest", "run-001"][..],
        &["run-001", "latest"],
        &["", "run-001"],
        &["latest", ""],
        &["alink.log", "run-001"],
        &["run-001", "./run-001/a.log"],
        &["run-001/a.log", "run-001/a.log"],
    ] {
        let (found, _) = names(roots);
        assert_eq!(found.len(), 1, "{roots:?} {found:?}");
        assert!(found[0].ends_with("run-001/a.log"), "{roots:?} {found:?}");
    }
    // No other path leads there.
    assert_eq!(names(&["latest"]).0, ["latest/a.log"]);
}

#[test]
fn deep_folders_end_somewhere_and_say_where() {
    let dir = tempfile::tempdir().unwrap();
    let mut deep = dir.path().to_path_buf();
    for i in 0..100 {
        deep.push("d");
        fs::create_dir(&deep).unwrap();
        if i == 50 {
            fs::write(deep.join("x.log"), LINE).unwrap();
        }
    }
    fs::write(deep.join("lost.log"), LINE).unwrap();
    let (snapshot, found) = runs::try_load(dir.path(), 2).unwrap();
    assert_eq!(snapshot.len(), 1);
    assert!(
        found.iter().any(|p| p.text.contains("folders deep")),
        "{found:?}"
    );
}

#[test]
fn an_unreadable_file_is_listed_with_its_error() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret.log");
    fs::write(&secret, LINE).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o0)).unwrap();
    fs::write(dir.path().join("a.log"), LINE).unwrap();
    if File::open(&secret).is_ok() {
        return; // Root reads everything.
    }
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!(snapshot.len(), 1);
    assert!(problems(source(&snapshot, "secret.log")).contains("ermission denied"));
}

#[test]
fn a_file_that_vanished_or_shrank_after_the_load_says_so_where_its_text_was() {
    let dir = tempfile::tempdir().unwrap();
    let (gone, short) = (dir.path().join("gone.log"), dir.path().join("short.log"));
    fs::write(&gone, LINE).unwrap();
    fs::write(&short, LINE.repeat(3)).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!(snapshot.len(), 4);
    fs::remove_file(&gone).unwrap();
    File::options()
        .write(true)
        .open(&short)
        .unwrap()
        .set_len(150)
        .unwrap();
    let messages: Vec<String> = (0..4).map(|p| message(&snapshot, p)).collect();
    let count = |what: &str| messages.iter().filter(|m| m.contains(what)).count();
    // A vanished file that is still open can be read.
    assert!(matches!(count("Task 1 done"), 1 | 2), "{messages:#?}");
    assert!(
        matches!(count("cannot be read any more"), 2 | 3),
        "{messages:#?}"
    );
    assert_eq!(count(""), 4);
    // Values in columns are still available.
    let stored = |p| snapshot.at(p).unwrap().stored().len();
    assert!((0..4).all(|p| stored(p) == stored(0)));
}

#[test]
fn a_line_of_100_megabytes_is_one_record_of_which_the_start_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.log");
    let mut file = File::create(&path).unwrap();
    file.write_all(LINE.trim_end().as_bytes()).unwrap();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        file.write_all(&block).unwrap();
    }
    file.write_all(format!("\n{LINE}").as_bytes()).unwrap();
    let snapshot = runs::load(&path, 2);
    assert_eq!(snapshot.len(), 2);
    assert!(snapshot.at(0).unwrap().span().1 > 100 << 20);
    assert!(message(&snapshot, 0).starts_with("Task 1 donexxx"));
    assert!(message(&snapshot, 0).len() <= MAX_RECORD);
    assert_eq!(message(&snapshot, 1), "Task 1 done");
    // The same as a stream.
    let packed = dir.path().join("long.log.gz");
    fs::write(&packed, gz(&fs::read(&path).unwrap())).unwrap();
    fs::remove_file(&path).unwrap();
    let snapshot = runs::load(&packed, 2);
    assert_eq!(snapshot.len(), 2);
    assert_eq!(message(&snapshot, 1), "Task 1 done");
}

#[test]
fn a_file_of_holes_is_no_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("holes.log");
    let mut file = File::create(&path).unwrap();
    file.seek(SeekFrom::Start(8 << 30)).unwrap();
    file.write_all(b"end\n").unwrap();
    fs::write(dir.path().join("a.log"), LINE).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    let holes = source(&snapshot, "holes.log");
    assert_eq!((holes.is_log, &*holes.layout), (false, "binary data"));
}

#[test]
fn a_hundred_thousand_short_lines_are_as_many_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("short.txt");
    let text: String = (0..100_000).map(|i| format!("{i}\n")).collect();
    fs::write(&path, text).unwrap();
    let snapshot = runs::load(&path, 2);
    assert_eq!(snapshot.len(), 100_000);
    assert_eq!(message(&snapshot, 70_000), "70000");
}

#[test]
fn binary_files_are_listed_as_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    // Pseudo-random bytes: each of the 256 values about equally often.
    let packed: Vec<u8> = (0..9000u32).map(|n| (n * n % 257 + n / 31) as u8).collect();
    let files: [(&str, &[u8], &str); 5] = [
        ("packed.log", &packed, "binary data"),
        ("a.db", b"SQLite format 3\0xxxxxxxxxx", "SQLite"),
        ("b.pkl", b"\x80\x05\x95\x10\0\0\0", "pickle"),
        ("c.log", &[0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0], "binary"),
        ("d.log", b"\x7fELF\x02\x01\x01\0\0", "ELF"),
    ];
    for (name, bytes, _) in &files {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    let snapshot = runs::load(dir.path(), 2);
    for (name, _, what) in &files {
        let source = source(&snapshot, name);
        assert!(source.layout.contains(what), "{name}: {}", source.layout);
        assert_eq!(source.stats.records(), 0, "{name}");
    }
}

#[test]
fn broken_gzip_gives_what_can_be_inflated_and_says_that_it_is_broken() {
    let dir = tempfile::tempdir().unwrap();
    let lines: String = (0..20_000)
        .map(|i| LINE.replace("Task 1", &format!("Task {}", i * 7919 % 20_011)))
        .collect();
    let whole = gz(lines.as_bytes());
    fs::write(dir.path().join("cut.log.gz"), &whole[..whole.len() / 2]).unwrap();
    fs::write(dir.path().join("head.log.gz"), &whole[..300]).unwrap();
    fs::write(
        dir.path().join("garbage.log.gz"),
        [&[0x1f, 0x8b, 8, 0][..], &[0xaa; 500]].concat(),
    )
    .unwrap();
    fs::write(dir.path().join("crc.log.gz"), {
        let mut bytes = gz(LINE.as_bytes());
        let at = bytes.len() - 6;
        bytes[at] ^= 0xff;
        bytes
    })
    .unwrap();
    let snapshot = runs::load(dir.path(), 2);
    let cut = source(&snapshot, "cut.log.gz");
    assert!(
        (5_000..15_000).contains(&cut.stats.records()),
        "{}",
        cut.stats.records()
    );
    for name in ["cut.log.gz", "head.log.gz", "garbage.log.gz", "crc.log.gz"] {
        let source = source(&snapshot, name);
        assert!(
            problems(source).contains("broken"),
            "{name}: {:?}",
            source.problems
        );
    }
    assert_eq!(source(&snapshot, "crc.log.gz").stats.records(), 1);
}

/// Member of an archive with any name.
fn member(name: &[u8], size: u64, bytes: &[u8], kind: u8) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_cksum();
    let mut out = header.as_bytes().to_vec();
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

#[test]
fn members_of_an_archive_stay_inside_and_links_in_it_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let line = LINE.as_bytes();
    let len = line.len() as u64;
    let bytes = [
        member(b"../../escape.log", len, line, b'0'),
        member(b"/etc/absolute.log", len, line, b'0'),
        member(b"ok/./x/../y.log", len, line, b'0'),
        member(b"link.log", 0, b"", b'2'),
        member(b"fifo.log", 0, b"", b'6'),
        member(b"\xff\xfe.log", len, line, b'0'),
        vec![0; 1024],
    ]
    .concat();
    for (name, bytes) in [("a.tar", bytes.clone()), ("a.tar.gz", gz(&bytes))] {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let snapshot = runs::load(&path, 2);
        let root = path.to_str().unwrap();
        let mut names: Vec<&str> = snapshot
            .sources
            .iter()
            .filter_map(|s| s.path.strip_prefix(root))
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "",
                "/escape.log",
                "/etc/absolute.log",
                "/ok/x/y.log",
                "/\u{fffd}\u{fffd}.log"
            ]
        );
        assert_eq!(snapshot.len(), 4);
        assert!((0..4).all(|p| message(&snapshot, p) == "Task 1 done"));
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        0,
        "nothing is written"
    );
}

#[test]
fn a_truncated_archive_gives_what_is_there_and_says_where_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let text = LINE.repeat(500);
    let whole = [
        member(b"first.log", text.len() as u64, text.as_bytes(), b'0'),
        member(b"second.log", text.len() as u64, text.as_bytes(), b'0'),
    ]
    .concat();
    let cut = &whole[..whole.len() - 20_000];
    for (name, bytes) in [("a.tar", cut.to_vec()), ("a.tar.gz", gz(cut))] {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let snapshot = runs::load(&path, 2);
        assert_eq!(source(&snapshot, "first.log").stats.records(), 500);
        let second = source(&snapshot, "second.log");
        assert!(
            (300..400).contains(&second.stats.records()),
            "{name}: {}",
            second.stats.records()
        );
        assert!(
            problems(second).contains("ends inside"),
            "{name}: {:?}",
            second.problems
        );
    }
}

#[test]
fn an_archive_that_claims_to_be_huge_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bomb.tar.gz");
    let bytes = [
        member(b"a.log", LINE.len() as u64, LINE.as_bytes(), b'0'),
        member(b"bomb.log", 4 << 30, b"", b'0'),
    ]
    .concat();
    fs::write(&path, gz(&bytes)).unwrap();
    let snapshot = runs::load(&path, 2);
    assert_eq!(snapshot.len(), 1);
    assert!(problems(source(&snapshot, "bomb.tar.gz")).contains("times its size"));
}

/// A NUL byte replaces a number in one of two messages, as after a crash of the file system.
#[test]
fn nul_bytes_end_lines_and_lose_no_text() {
    let dir = tempfile::tempdir().unwrap();
    let line = |message: &str| format!("2026-01-01 00:00:00,000 INFO {message}\n");
    let messages = [
        "job 17 done",
        "job \0 done",
        "n=1",
        "n=\0",
        "n=\0 \u{1}",
        "n=2 \u{2}1",
    ];
    let all: String = [0, 1].iter().flat_map(|_| messages).map(line).collect();
    fs::write(
        dir.path().join("a.log"),
        line("so that it is text").repeat(2_000) + &all,
    )
    .unwrap();
    let snapshot = runs::load(dir.path(), 2);
    let found: Vec<String> = (2_000..snapshot.len())
        .map(|at| message(&snapshot, at))
        .collect();
    let lines = messages.map(|text| text.replace('\0', "\n").trim_end_matches('\n').to_owned());
    assert_eq!(found, [lines.clone(), lines].concat());
}

#[test]
fn holes_of_sparse_files_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = File::create(dir.path().join("a.log")).unwrap();
    file.write_all(LINE.as_bytes()).unwrap();
    // Reading this much would take minutes.
    file.seek(SeekFrom::Start(1 << 38)).unwrap();
    file.write_all(format!("\n{LINE}").as_bytes()).unwrap();
    let snapshot = runs::load(dir.path(), 2);
    assert_eq!(snapshot.len(), 2);
}

#[test]
#[cfg(target_os = "linux")]
fn links_out_of_a_run_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::write(run.join("a.log"), LINE).unwrap();
    fs::write(dir.path().join("another.log"), LINE).unwrap();
    for (link, target) in [
        ("proc", "/proc"),
        ("sys", "/sys"),
        ("root", "/"),
        ("up", ".."),
    ] {
        symlink(target, run.join(link)).unwrap();
    }
    let (snapshot, found) = runs::try_load(&run, 2).unwrap();
    assert_eq!(snapshot.len(), 1);
    let said = |link: &str, words: &str| {
        let mut own = found.iter().filter(|p| p.path.ends_with(link));
        assert!(own.any(|p| p.text.contains(words)), "{link}: {found:?}");
    };
    said("/proc", "a file system that the operating system generates");
    said("/sys", "a file system that the operating system generates");
    said("/root", "contains the one that is read");
    said("/up", "contains the one that is read");
    // Other links out of a run are followed.
    fs::create_dir(dir.path().join("beside")).unwrap();
    fs::write(dir.path().join("beside/b.log"), LINE).unwrap();
    symlink("../beside", run.join("more")).unwrap();
    assert_eq!(runs::load(&run, 2).len(), 2);
}
