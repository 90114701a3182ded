//! Tests: runs with the same directory name stay distinct while followed.

use std::fs;

use super::Live;
use widetui_core::ids::EventId;

/// First records of a Parsl run; `rundir` is the run directory that it states.
fn begins(rundir: &str, second: u32) -> String {
    let head = format!("1763689399.{second:06} 2025-11-21 01:43:{second:02}");
    format!(
        "{head} MainProcess-3288 MainThread-1 parsl.dataflow.dflow:101 __init__ INFO: Parsl run initializing in rundir: {rundir}\n"
    )
}

/// Path and run of each record.
fn runs(live: &Live) -> Vec<String> {
    let snapshot = &live.snapshot;
    let key = snapshot.catalog.keys.find("parsl.rundir").unwrap();
    let root = format!("{}/", live.dir.path().display());
    let told = |id: u32| {
        let event = snapshot.event(EventId(id)).unwrap();
        let path = event.source().path.replace(&root, "");
        let codes = event.stored().into_iter().filter(|(k, ..)| *k == key);
        let names: Vec<String> = codes.map(|(_, value, _)| value.to_string()).collect();
        format!("{path}: {}", names.join(", "))
    };
    snapshot.order.iter().copied().map(told).collect()
}

#[test]
fn a_run_that_comes_later_has_a_name_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("one/000")).unwrap();
    fs::write(
        dir.path().join("one/000/parsl.log"),
        begins("/x/one/000", 1),
    )
    .unwrap();
    let mut live = Live::open(dir);
    assert_eq!(runs(&live), ["one/000/parsl.log: 000"]);
    live.append("two/000/parsl.log", begins("/x/two/000", 2).as_bytes());
    live.settle();
    let both = ["one/000/parsl.log: one/000", "two/000/parsl.log: two/000"];
    assert_eq!(runs(&live), both);
}

#[test]
fn what_runs_of_one_name_go_on_to_say_is_theirs() {
    let dir = tempfile::tempdir().unwrap();
    for (at, name) in ["one", "two"].into_iter().enumerate() {
        let folder = dir.path().join(name).join("000");
        fs::create_dir_all(&folder).unwrap();
        let text = begins(&format!("/x/{name}/000"), at as u32);
        fs::write(folder.join("parsl.log"), text).unwrap();
    }
    let mut live = Live::open(dir);
    let both = ["one/000/parsl.log: one/000", "two/000/parsl.log: two/000"];
    assert_eq!(runs(&live), both);
    // More text of a file, and a new file.
    live.append("one/000/parsl.log", begins("/x/one/000", 3).as_bytes());
    live.append(
        "two/000/htex/interchange.log",
        b"2025-11-21 01:44:05.000 interchange:1 MainProcess(7) MainThread start [INFO]  Starting\n",
    );
    live.settle();
    let more = [
        "one/000/parsl.log: one/000",
        "two/000/htex/interchange.log: two/000",
    ];
    assert_eq!(runs(&live)[2..], more);
}
