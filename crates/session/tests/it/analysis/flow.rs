//! Messages, series and timelines of real runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use widetui_analysis::columns::EventProperty;
use widetui_analysis::entity::{Entity, Instances, scan};
use widetui_analysis::flow::{Flow, FlowMessage, MessageStatus, collect_flow};
use widetui_analysis::overview::{CurveSpace, CurveSubject, OverviewInput, overview};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::series::series;
use widetui_analysis::timeline::{Bar, Colour, Ending, Grouping, timeline};
use widetui_core::cancel::Cancel;
use widetui_session::meaning::Meaning;
use widetui_store::Snapshot;
use widetui_testing::diagnosed::opened;
use widetui_testing::runs::data;

/// A run of the test data with joined values.
fn run(name: &str) -> (Arc<Snapshot>, Meaning) {
    let data = data();
    opened(&data.join(name))
}

fn entity(snapshot: &Snapshot, meaning: &Meaning, name: &str) -> (Arc<Entity>, Instances) {
    let entity = meaning.entities.iter().find(|e| e.name == name).unwrap();
    let found = scan(snapshot, entity, &Cancel::default()).unwrap();
    (entity.clone(), found)
}

fn messages<'f>(flow: &'f Flow, name: &str) -> Vec<&'f FlowMessage> {
    let kind = flow.kinds.iter().position(|k| k == name).unwrap();
    let all = flow.messages.iter();
    all.filter(|m| usize::from(m.kind) == kind).collect()
}

/// Number of lines of a log that contain a text.
fn count(name: &str, file: &str, text: &str) -> usize {
    let root = data().join(name);
    let walk = walkdir(&root);
    let files = walk.iter().filter(|p| p.to_string_lossy().contains(file));
    let texts = files.map(|p| std::fs::read_to_string(p).unwrap());
    texts
        .map(|t| t.lines().filter(|l| l.contains(text)).count())
        .sum()
}

fn walkdir(path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => out.extend(walkdir(&path)),
            false => out.push(path),
        }
    }
    out
}

#[test]
fn tasks_go_from_process_to_process() {
    let (snapshot, meaning) = run("hung");
    let found = collect_flow(&snapshot, meaning.flows(), None, &Cancel::default()).unwrap();
    let executed = messages(&found, "parsl.execute");
    let received = executed.iter().filter(|m| m.received.is_some()).count();
    assert_eq!(received, count("hung", "worker_", "Received executor task"));
    for message in &executed {
        if message.status == MessageStatus::Received {
            assert!(message.latency().unwrap() > -1_000_000_000);
            assert!(
                found.actor(message.receiver).starts_with("w/"),
                "{}",
                found.actor(message.receiver)
            );
        }
    }
    let submitted = messages(&found, "parsl.submit");
    let arrived = submitted.iter().filter(|m| m.received.is_some()).count();
    assert_eq!(arrived, count("hung", "interchange.log", "Put task "));
    // One arrow per message and per answer.
    let answers = found
        .messages
        .iter()
        .filter(|m| m.replied.is_some() || m.answered.is_some())
        .count();
    assert_eq!(found.arrows().len(), found.messages.len() + answers);
}

#[test]
fn all_values_of_a_measurement_are_points() {
    let (snapshot, _) = run("hung");
    let keys = &snapshot.catalog.keys;
    let key = keys.find("parsl.pending_tasks").unwrap();
    let by = EventProperty::Key(keys.find("parsl.manager").unwrap());
    let found = series(&snapshot, key, &[by], None, &Cancel::default()).unwrap();
    let points: usize = found.lines.iter().map(|l| l.points.len()).sum();
    let lines = count("hung", "manager.log", "pending tasks: ");
    assert!(points == lines && lines > 0, "{points} {lines}");
    assert!(
        found
            .lines
            .iter()
            .all(|l| l.points.windows(2).all(|p| p[0].time <= p[1].time))
    );
    let none = series(&snapshot, key, &[], None, &Cancel::default()).unwrap();
    assert_eq!(none.lines.len(), 1);
    assert_eq!(none.lines[0].points.len(), points);
}

#[test]
fn a_timeline_has_every_try_once() {
    let (snapshot, meaning) = run("hung");
    let (_, tries) = entity(&snapshot, &meaning, "parsl.try");
    let (worker, _) = entity(&snapshot, &meaning, "parsl.worker");
    let rows = Grouping::by_entity(&snapshot, &worker).unwrap();
    let scope = AnalysisScope::default();
    let found = timeline(
        &snapshot,
        &tries,
        &scope,
        &rows,
        &Colour::State,
        &Cancel::default(),
    )
    .unwrap();
    let bars = || found.rows.iter().flat_map(|r| &r.bars);
    let whole = bars().filter(|b| b.ending != Ending::Continues).count() as u64;
    assert_eq!(whole + found.unstarted, tries.list.len() as u64);
    let open = bars().filter(|b| b.ending == Ending::Unfinished).count();
    let received = count("hung", "worker_", "Received executor task");
    let completed = count("hung", "worker_", "Completed executor task");
    assert_eq!(open, received - completed);
    assert!(found.rows.len() > 1);
}

#[test]
fn what_only_waits_is_in_no_row_of_what_carries_it_out() {
    let (snapshot, meaning) = run("queues.tar.gz");
    let (_, jobs) = entity(&snapshot, &meaning, "htcondor.job");
    let states = |keys: &[&str]| {
        let keys = keys.iter().map(|k| snapshot.catalog.keys.find(k).unwrap());
        let rows = Grouping {
            keys: keys.collect(),
        };
        let (scope, cancel) = (AnalysisScope::default(), Cancel::default());
        let colour = &Colour::State;
        let found = timeline(&snapshot, &jobs, &scope, &rows, colour, &cancel).unwrap();
        let bars = found.rows.iter().filter(|row| !row.name.is_empty());
        let bars = bars.flat_map(|row| &row.bars);
        let of = |bar: &Bar| (bar.instance, found.colours[usize::from(bar.colour)].clone());
        bars.map(of).collect::<Vec<_>>()
    };
    let is = |state: &'static str| move |bar: &&(u32, String)| bar.1 == state;
    let (alone, by_slot) = (states(&[]), states(&["htcondor.slot"]));
    assert!(alone.iter().any(|bar| is("idle")(&bar)));
    let mut running = by_slot.iter().filter(is("running"));
    let first = |of: u32| by_slot.iter().find(|bar| bar.0 == of).unwrap();
    assert!(running.clone().count() > 1);
    assert!(
        running.all(|bar| first(bar.0).1 == "running"),
        "{by_slot:?}"
    );
}

#[test]
fn the_first_screen_has_curves_that_change() {
    let (snapshot, meaning) = run("hung");
    let (_, tasks) = entity(&snapshot, &meaning, "parsl.task");
    let material = OverviewInput {
        series: meaning.series(),
        instances: &[&tasks],
        flows: &[],
        scope: &AnalysisScope::default(),
        ends: &RunEnds::of(&snapshot, &meaning.entities, &Cancel::default()).unwrap(),
    };
    let range = snapshot.range().unwrap();
    let room = CurveSpace {
        range,
        columns: 80,
        max_curves: 6,
    };
    let curves = overview(&snapshot, &material, &room, &Cancel::default()).unwrap();
    assert!(curves.len() > 2 && curves.len() <= 6);
    assert!(matches!(curves[0].subject, CurveSubject::Key(_)));
    let is_unfinished = |s: &CurveSubject| matches!(s, CurveSubject::Unfinished(_));
    let unfinished = curves.iter().find(|c| is_unfinished(&c.subject)).unwrap();
    // At the end, as many tasks are open as have no final state.
    let open = tasks
        .list
        .iter()
        .filter(|i| !tasks.standing(&snapshot, i).is_final)
        .count();
    assert_eq!(unfinished.value_at(range.1), Some(open as f64));
    for curve in &curves {
        assert_eq!(curve.columns.len(), 80);
        let most = curve
            .columns
            .iter()
            .flatten()
            .copied()
            .fold(f64::MIN, f64::max);
        assert_eq!(curve.max, most);
    }
}
