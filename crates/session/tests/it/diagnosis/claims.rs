//! What findings state and what they must not state: truncated archives and logs, suspicious words without trouble,
//! order of records.

use std::fs;
use std::io::{Read, Write};

use widetui_core::ids::EventId;
use widetui_diagnosis::Severity;
use widetui_diagnosis::unfinished::words::words;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use widetui_testing::diagnosed::{Run, diagnosed};
use widetui_testing::runs::{self, unpacked};

fn data(name: &str) -> Vec<u8> {
    fs::read(runs::data().join(name)).unwrap()
}

/// An archive of `tests/data`, repacked up to the middle of a member and truncated.
fn cut_inside(archive: &str, member: &str) -> Vec<u8> {
    let mut plain = Vec::new();
    let packed = data(archive);
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut plain)
        .unwrap();
    let mut tar = tar::Archive::new(&plain[..]);
    let mut of_member = tar.entries().unwrap().map(Result::unwrap);
    let found = of_member.find(|e| e.path().unwrap().ends_with(member));
    let found = found.unwrap();
    let end = found.raw_file_position() + found.size() / 2;
    let end = usize::try_from(end).unwrap();
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(&plain[..end]).unwrap();
    let mut cut = out.finish().unwrap();
    // Without its end, as after an incomplete transfer.
    cut.truncate(cut.len() - 200);
    cut
}

#[test]
fn an_archive_that_breaks_off_is_reported_and_no_end_is_missed_in_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("run.tar.gz"),
        cut_inside("multi.tar.gz", "000/parsl.log"),
    )
    .unwrap();
    let (snapshot, _, hung, diagnosis) = diagnosed(dir.path());
    let reported = diagnosis.findings.iter();
    let cut: Vec<_> = reported.filter(|f| f.kind == "truncated").collect();
    let [cut] = &cut[..] else {
        panic!("{:#?}", diagnosis.findings);
    };
    assert_eq!(cut.severity, Severity::Error);
    let holds = [
        "run.tar.gz breaks off after byte ",
        "000/parsl.log) ends at ",
    ];
    assert!(holds.iter().all(|h| cut.title.contains(h)), "{}", cut.title);
    // Its evidence is the last record in the log.
    let log = &hung.cuts[0].logs[0];
    assert_eq!(cut.evidence[0], log.last_event.unwrap());
    assert!(hung.stuck.iter().any(|s| s.known.cut.is_some()));
    let wrong = [
        "was not received",
        "was not shut down cleanly",
        "did not end:",
        "never ended",
        "fell silent",
    ];
    let is_abrupt = |kind| kind == "stopped";
    assert!(!diagnosis.findings.iter().any(|f| is_abrupt(f.kind)));
    let last = snapshot.range().map(|r| r.1);
    let said = words(&snapshot, &hung, &Clock::of(&Zone::Utc, last));
    assert!(said.contains("breaks off after byte"), "{said}");
    assert!(!wrong.iter().any(|w| said.contains(w)), "{said}");
    assert!(!said.contains("was killed"), "{said}");
    // No age extends beyond the last record of the truncated log.
    for stuck in hung.stuck.iter().filter(|s| s.known.cut.is_some()) {
        let end = stuck.since.zip(stuck.age).map(|(since, age)| since + age);
        assert!(end <= log.last.max(stuck.since), "{stuck:#?}");
    }
    let named = diagnosis.unknown.iter().any(|u| u.contains("parsl.log"));
    assert!(named, "{:?}", diagnosis.unknown);
}

#[test]
fn a_compressed_log_that_is_cut_is_reported() {
    let run = unpacked("multi.tar.gz");
    let log = fs::read(run.path().join("runinfo/000/parsl.log")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&log[..log.len() / 2]).unwrap();
    let mut packed = packed.finish().unwrap();
    packed.truncate(packed.len() - 200);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("parsl.log.gz"), packed).unwrap();
    let (_, _, hung, diagnosis) = diagnosed(dir.path());
    let mut errors = diagnosis.findings.iter();
    let cut = errors.find(|f| f.severity == Severity::Error).unwrap();
    assert!(
        cut.title.starts_with("parsl.log.gz breaks off after byte "),
        "{}",
        cut.title
    );
    assert!(hung.stuck.iter().all(|s| s.known.cut.is_some()));
    let is_abrupt = |kind| kind == "stopped";
    assert!(!diagnosis.findings.iter().any(|f| is_abrupt(f.kind)));
}

/// Tasks that failed in an order different from that of their numbers.
const FAILED: &str = "\
1795226960.129717 2026-11-21 02:09:20 MainProcess-17799 MainThread-139898384262848 parsl.dataflow.dflow:1090 submit INFO: Task 12 submitted for App crash, not waiting on any dependency
1795226960.349717 2026-11-21 02:09:20 MainProcess-17799 MainThread-139898384262848 parsl.dataflow.dflow:1090 submit INFO: Task 34 submitted for App crash, not waiting on any dependency
1795226960.569717 2026-11-21 02:09:20 MainProcess-17799 MainThread-139898384262848 parsl.dataflow.dflow:1090 submit INFO: Task 56 submitted for App crash, not waiting on any dependency
1795226962.249717 2026-11-21 02:09:22 MainProcess-17799 HTEX-Result-Queue-Thread-139898384262848 parsl.dataflow.dflow:390 handle_exec_update ERROR: Task 34 failed after 1 retry attempts
1795226962.907218 2026-11-21 02:09:22 MainProcess-17799 HTEX-Result-Queue-Thread-139898384262848 parsl.dataflow.dflow:390 handle_exec_update ERROR: Task 56 failed after 1 retry attempts
1795226963.245708 2026-11-21 02:09:23 MainProcess-17799 HTEX-Result-Queue-Thread-139898384262848 parsl.dataflow.dflow:390 handle_exec_update ERROR: Task 12 failed after 1 retry attempts
";

#[test]
fn evidence_stands_in_time_order_and_what_failed_first_comes_first() {
    let run = Run::of(&[("parsl.log", FAILED)]);
    let all = run.findings(|f| f.kind == "failed");
    let [one] = &all[..] else {
        panic!("{all:#?}");
    };
    assert!(one.title.contains("Task 34"), "{}", one.title);
    let time = |id: &EventId| run.snapshot.event(*id).unwrap().time();
    let times: Vec<_> = one.evidence.iter().map(time).collect();
    assert!(times.len() == 3 && times.is_sorted(), "{times:?}");
    assert_eq!((one.first, one.last), (times[0], times[2]));
}

#[test]
fn a_service_of_the_host_failed_where_systemd_says_so() {
    let service = |run: &Run| {
        let all = run.findings(|f| f.title.starts_with("A service of the host"));
        all.len()
    };
    let other = "2024-04-10 18:51:51,377 - distributed.preloading - ERROR - Failed to start preload: Plugin.py\n";
    assert_eq!(service(&Run::of(&[("worker.log", other)])), 0);
    let own = "\
Nov 20 21:00:47 node7 systemd[1]: Starting munge.service - MUNGE authentication service...
Nov 20 21:00:48 node7 systemd[1]: munge.service: Failed with result 'exit-code'.
Nov 20 21:00:48 node7 systemd[1]: Failed to start munge.service - MUNGE authentication service.
";
    assert_eq!(service(&Run::of(&[("syslog", own)])), 1);
}

#[test]
fn a_document_is_no_trouble_by_its_words() {
    let index = "\
# Runs

| file | what |
|---|---|
| a.log | Failed to start worker process. A connection was refused. |
";
    let run = Run::of(&[("INDEX.md", index), ("driver.out", "job_id: 5\n")]);
    assert!(run.diagnosis.findings.is_empty(), "{:#?}", run.reported());
    // In a log, the same words are suspicious.
    let run = Run::of(&[(
        "a.out",
        "Failed to start worker process. A connection was refused.\n",
    )]);
    assert!(!run.diagnosis.findings.is_empty());
}
