//! Tests: real logs, written by several writers in pieces of any size while followed.
//!
//! The steps derive from a seed, which is printed on failure. `WIDETUI_CASES=20` tries more seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::{Live, all, all_of, options};
use crate::load;
use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::EventId;
use widetui_diagnosis::unfinished::find_unfinished;
use widetui_diagnosis::unfinished::words::words;
use widetui_report::event::full_event;
use widetui_session::meaning::{Meaning, with_joined_values};
use widetui_store::texts::TextReader;
use widetui_store::{Snapshot, Source};
use widetui_testing::runs::{data, files};
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

/// Maximum number of bytes written to each file.
const MOST: usize = 12_000;

/// Paths and contents of files.
type Files = Vec<(String, Vec<u8>)>;

/// Runs by name.
static RUNS: LazyLock<Vec<(&str, Files)>> = LazyLock::new(|| {
    vec![
        ("parsl", in_folder("hung", "runinfo")),
        ("old", in_folder("old2024", "runinfo")),
        ("dask", in_folder("other/dask", "dask")),
        ("slurm", in_folder("other/slurm", "slurm")),
        ("journal", in_folder("other/system/journal", "host")),
        ("kernel", in_folder("other/system/kernel", "host")),
        ("syslog", in_folder("other/system/syslog", "host")),
        ("formats", in_folder("other/system/app-formats", "apps")),
        ("academy", in_folder("other/academy", "academy")),
        ("balsam", in_folder("other/balsam", "balsam")),
        ("otel", in_folder("other/otel", "otel")),
        ("redis", in_folder("other/redis", "redis")),
        ("batch", in_archive("batch_and_stores", "slurm2411")),
        ("host", in_archive("batch_and_stores", "host")),
        ("errors", in_archive("told", "dask")),
        ("compute", in_archive("stacks", "globus_compute")),
        ("snakes", in_archive("strangers", "snakemake")),
        ("ray", in_archive("strangers", "ray")),
        ("queues", in_archive("strangers", "celery")),
        ("workqueue", in_archive("workqueue", "runinfo/000")),
        ("made up", made_up()),
        ("envelopes and tables", super::derived_files::files()),
    ]
});

fn in_folder(folder: &str, name: &str) -> Files {
    let root = data().join(folder);
    let found = files(&root).into_iter().map(|path| {
        let below = path.strip_prefix(&root).unwrap().display();
        (format!("{name}/{below}"), fs::read(&path).unwrap())
    });
    chosen(found.collect())
}

fn in_archive(archive: &str, part: &str) -> Files {
    let file = fs::File::open(data().join(format!("{archive}.tar.gz"))).unwrap();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut out = Files::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        if entry.header().entry_type().is_file() && path.contains(part) {
            entry.read_to_end(&mut bytes).unwrap();
            out.push((path, bytes));
        }
    }
    chosen(out)
}

/// The first few files, without those that are not followed.
fn chosen(mut files: Files) -> Files {
    files.sort();
    files.retain(|(path, _)| !path.ends_with(".db") && !path.ends_with("truth.json"));
    files.truncate(14);
    files.iter_mut().for_each(|(_, bytes)| bytes.truncate(MOST));
    files
}

/// Synthetic records: values in continuation lines, headers alone on a line, various line ends, multi-byte characters.
pub(super) fn made_up() -> Files {
    let job = "000 (42.000.000) 2026-11-20 10:00:00 Job submitted from host: <10.0.0.1:9618>\n\
         ...\n\
         007 (42.000.000) 2026-11-20 10:01:00 Shadow exception!\n\
         \tError from slot1@node7: disk full\n\t0  -  Run Bytes Sent By Job\n\
         ...\n\
         012 (42.000.000) 2026-11-20 10:02:00 Job was held.\n\
         \tThe job was held because it asked for too much\n\tCode 34 Subcode 0\n\
         ...\n\
         012 (42.000.000) 2026-11-20 10:02:00 Job was held.\n\
         \tno word yet\n";
    let worker = "2026-11-20 10:00:00,001 - distributed.worker - INFO - begins\n\
         2026-11-20 10:00:01,002 - distributed.worker - ERROR - Compute Failed\n\
         Key:       inc-abc\nState:     executing\nTask:  <Task 'inc-abc' inc(...)>\n\
         Exception: \"ValueError('no')\"\nTraceback: ''\n\n\
         2026-11-20 10:00:02,003 - distributed.worker - WARNING - Compute Failed\n\
         Key:       dec-abc\nFunction:  dec\n";
    let blank = "2026-11-20 10:00:01,000 - app - INFO - \nthe message below\n\
         2026-11-20 10:00:02,000 - app - INFO - told\n\
         2026-11-20 10:00:03,000 - app - ERROR - \n\nnot this one\n\
         2026-11-20 10:00:04,000 - app - ERROR - \n";
    let odd = "2026-11-20 10:00:01,000 größer als 5 µs\n  ↳ weiter ün 日本\n\
         2026-11-20 10:00:02,000 ende\n";
    let windows = worker.replace('\n', "\r\n") + &odd.replace('\n', "\r\n");
    let progress = "10%\r20%\r100%\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T10:00:05 ***\nafter\n";
    [
        ("condor/job.log", job.to_owned()),
        ("dask/worker.log", worker.to_owned()),
        ("app/blank.log", blank.to_owned()),
        ("app/odd.log", odd.to_owned()),
        ("app/windows.log", windows),
        ("app/progress.out", progress.to_owned()),
        ("app/none.log", String::new()),
    ]
    .map(|(path, text)| (path.to_owned(), text.into_bytes()))
    .into()
}

/// Pseudo-random numbers from a seed.
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn source_name(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// Disturbances of files besides growth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turmoil {
    No,
    /// Files are rotated, truncated, replaced, deleted.
    Any,
}

/// Applies a random disturbance to a file.
fn disturb(path: &Path, dice: &mut Dice) {
    let other = PathBuf::from(format!("{}.1", path.display()));
    match dice.source_name(4) {
        0 if !other.exists() => fs::rename(path, other).unwrap(),
        1 => drop(fs::File::create(path).unwrap()),
        2 => {
            let new = path.with_extension("new");
            fs::copy(path, &new).unwrap();
            fs::rename(new, path).unwrap();
        }
        _ => fs::remove_file(path).unwrap(),
    }
}

/// Writes files in steps while following.
fn followed(files: &Files, turmoil: Turmoil, dice: &mut Dice) -> Live {
    let dir = tempfile::tempdir().unwrap();
    let mut done = vec![0; files.len()];
    for (at, (path, bytes)) in files.iter().enumerate() {
        let to = match dice.source_name(3) {
            0 => continue,
            1 => 0,
            _ => dice.source_name(bytes.len() + 1),
        };
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &bytes[..to]).unwrap();
        done[at] = to;
    }
    // Ensures that there is something to open.
    fs::write(dir.path().join("zz.txt"), "begun\n").unwrap();
    let mut live = Live::open(dir);
    loop {
        let left = (0..files.len()).filter(|at| done[*at] < files[*at].1.len());
        let left: Vec<usize> = left.collect();
        let Some(at) = left.get(dice.source_name(left.len())).copied() else {
            break;
        };
        let (path, bytes) = &files[at];
        let most = [3, 80, 700, 6000, MOST][dice.source_name(5)];
        let to = (done[at] + 1 + dice.source_name(most)).min(bytes.len());
        live.append(path, &bytes[done[at]..to]);
        done[at] = to;
        if turmoil == Turmoil::Any && dice.source_name(12) == 0 {
            disturb(&live.dir.path().join(path), dice);
        }
        match dice.source_name(6) {
            0 | 1 => live.poll(Duration::from_millis(450)),
            2 => live.poll(Duration::from_millis(2100)),
            3 if dice.source_name(4) == 0 => live.poll(Duration::from_secs(11)),
            _ => {}
        }
    }
    for (path, _) in files {
        live.append(path, b"");
    }
    live.settle();
    live
}

fn loaded(dir: &Path) -> Arc<Snapshot> {
    let options = options(dir);
    load::load_all(&options, &Cancel::default(), Progress::default())
        .unwrap()
        .0
}

/// Sources with the problem that they are not followed.
fn told_of(snapshot: &Snapshot) -> BTreeSet<String> {
    let says = |s: &&Arc<Source>| {
        let mut problems = s.problems.iter();
        problems.any(|p| p.text.contains("reopen the run"))
    };
    let sources = snapshot.sources.iter().filter(says);
    sources.map(|s| s.path.clone()).collect()
}

/// Whether the text of a source is lost.
fn is_gone(source: &Source) -> bool {
    let mut problems = source.problems.iter();
    problems.any(|p| p.text.contains("its texts are gone") || p.text.contains("it is kept open"))
}

/// Properties of each source.
fn sources(snapshot: &Snapshot) -> BTreeMap<String, String> {
    let sources = snapshot.sources.iter();
    let logs = sources.filter(|s| s.bytes > 0 && !is_gone(s));
    let line = |s: &Arc<Source>| {
        if !s.is_log {
            return s.layout.clone();
        }
        let problems = s.problems.iter().map(|p| (&p.text, p.lines));
        // Notes about renaming are irrelevant.
        let problems = problems.filter(|p| !p.0.starts_with("was renamed"));
        let problems: Vec<_> = problems.collect();
        format!(
            "{} {:?} {} {} {} {:?} {:?} {:?}",
            s.layout, s.system, s.kind, s.tag, s.bytes, s.stats, s.zoning, problems
        )
    };
    logs.map(|s| (s.path.clone(), line(s))).collect()
}

fn messages(snapshot: &Snapshot) -> Vec<(String, u64, String)> {
    let mut texts = TextReader::default();
    let events = (0..snapshot.len() as u32).map(|id| snapshot.event(EventId(id)).unwrap());
    let mut out: Vec<_> = events
        .filter(|event| !is_gone(event.source()))
        .map(|event| {
            let text = full_event(&event, &mut texts).message;
            (event.source().path.clone(), event.span().0, text)
        })
        .collect();
    out.sort();
    out
}

/// Instances of all entities with their properties.
fn things(snapshot: &Arc<Snapshot>, meaning: &Meaning) -> Vec<String> {
    let cancel = Cancel::default();
    let seen = meaning.instance_cache.instances(snapshot, &cancel).unwrap();
    let mut out = Vec::new();
    for instances in &seen.found.occurring {
        for thing in &instances.list {
            let time = |id: Option<EventId>| id.and_then(|id| snapshot.event(id)?.time());
            let changes = instances.changes(thing).iter();
            let mut changes: Vec<_> = changes
                .map(|c| (c.time, &instances.states[usize::from(c.state)]))
                .collect();
            // The order of simultaneous records of several sources depends on the numbers of the sources, which differ
            // when they are found one by one.
            changes.sort();
            out.push(format!(
                "{} {:?} {:?} {:?} {:?} {} {changes:?}",
                instances.entity.name,
                instances.id(snapshot, thing),
                thing.range,
                time(thing.start),
                time(thing.end),
                instances.event_count(thing)
            ));
        }
    }
    out.sort();
    let hangs = find_unfinished(
        snapshot,
        &seen.found,
        (None, &|| meaning.harmless()),
        &cancel,
    )
    .unwrap();
    let clock = Clock::of(&Zone::Utc, snapshot.range().map(|r| r.1));
    out.push(words(snapshot, &hangs, &clock));
    out
}

fn first_difference<T: PartialEq + std::fmt::Debug>(what: &str, ours: &[T], theirs: &[T]) {
    let missing = theirs.iter().filter(|t| !ours.contains(t)).take(3);
    let missing: Vec<&T> = missing.collect();
    let extra: Vec<&T> = ours
        .iter()
        .filter(|t| !theirs.contains(t))
        .take(3)
        .collect();
    assert!(
        ours == theirs,
        "{what}: not followed: {missing:#?}\nnot in the files: {extra:#?}"
    );
}

/// Compares the followed run with a load of the same files at once.
fn compare(live: &Live, meaning: &Meaning) {
    let dir = live.dir.path();
    let skipped = told_of(&live.snapshot);
    for path in &skipped {
        let _ = fs::remove_file(path);
    }
    let whole = loaded(dir);
    let mut ours = sources(&live.snapshot);
    ours.retain(|path, _| !skipped.contains(path));
    let theirs = sources(&whole);
    let list = |m: BTreeMap<String, String>| m.into_iter().collect::<Vec<_>>();
    first_difference("sources", &list(ours), &list(theirs));
    let is_shown = |source: &Source| !is_gone(source) && !skipped.contains(&source.path);
    let ours = all_of(&live.snapshot, is_shown);
    first_difference("records", &ours, &all(&whole));
    let mut ours = messages(&live.snapshot);
    ours.retain(|e| !skipped.contains(&e.0));
    first_difference("messages", &ours, &messages(&whole));
    let is_whole = !live.snapshot.sources.iter().any(|s| is_gone(s));
    if !skipped.is_empty() || !is_whole {
        return;
    }
    let joined = |s: &Arc<Snapshot>| {
        with_joined_values(s, &meaning.joins, &Cancel::default())
            .unwrap()
            .0
    };
    let (ours, theirs) = (joined(&live.snapshot), joined(&whole));
    first_difference("joined", &all(&ours), &all(&theirs));
    first_difference("things", &things(&ours, meaning), &things(&theirs, meaning));
}

fn try_all(turmoil: Turmoil) {
    let cases = std::env::var("WIDETUI_CASES").ok();
    let cases: u64 = cases.and_then(|n| n.parse().ok()).unwrap_or(1);
    let meaning = Meaning::new(&[]);
    let mut failed = Vec::new();
    for (n, (name, files)) in RUNS.iter().enumerate() {
        for case in 0..cases {
            let seed = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (case * 7919);
            let one = std::panic::AssertUnwindSafe(|| {
                let live = followed(files, turmoil, &mut Dice(seed));
                compare(&live, &meaning);
            });
            if std::panic::catch_unwind(one).is_err() {
                failed.push(format!("{name} {case}"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn real_logs_in_any_steps() {
    try_all(Turmoil::No);
}

#[test]
fn real_logs_that_are_rotated_cut_and_replaced() {
    try_all(Turmoil::Any);
}
