//! Entities and derived keys, against the ground truth of real runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;
use widetui_analysis::entity::names::InstanceQuery;
use widetui_analysis::entity::{Entity, Instances, scan};
use widetui_analysis::trace::trace;
use widetui_core::cancel::Cancel;
use widetui_core::dict::NONE;
use widetui_core::ids::{EventId, KeyId};
use widetui_join::Derivation;
use widetui_query::select::select;
use widetui_report::event::full_event;
use widetui_session::meaning::Meaning;
use widetui_store::derived::JoinKind;
use widetui_store::key_column::UNUSABLE;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, ValueOrigin};
use widetui_testing::corpora::corpora;
use widetui_testing::diagnosed::{instances, opened};
use widetui_testing::runs::data;

struct Run {
    snapshot: Arc<Snapshot>,
    meaning: Meaning,
}

impl Run {
    fn open(path: &Path) -> Run {
        let (snapshot, meaning) = opened(path);
        Run { snapshot, meaning }
    }

    fn instances(&self, entity: &str) -> Instances {
        instances(&self.snapshot, &self.meaning, entity)
    }
}

/// The interchange removes every executor task from its list, whatever its result.
#[test]
fn an_executor_task_that_was_completed_has_not_failed() {
    let run = Run::open(&data().join("hung"));
    let found = run.instances("parsl.executor_task");
    let standings = found
        .list
        .iter()
        .map(|i| (i, found.standing(&run.snapshot, i)));
    let standings: Vec<_> = standings.collect();
    let ended = standings.iter().filter(|(_, s)| s.end.time().is_some());
    assert_eq!((ended.count(), standings.len()), (36, 37));
    let failed = standings.iter().filter(|(i, s)| found.has_failed(i, s));
    assert_eq!(failed.count(), 0);
}

#[test]
fn a_worker_begins_with_its_own_log_not_with_the_tasks_that_it_will_run() {
    let run = Run::open(&data().join("hung"));
    let found = run.instances("parsl.worker");
    assert_eq!(found.list.len(), 4);
    let path_of = |id: &str| format!("/worker_{id}.log");
    for worker in &found.list {
        let start = found.standing(&run.snapshot, worker).start;
        let path = path_of(&found.short_name(&run.snapshot, worker));
        let mut sources = run.snapshot.sources.iter();
        let log = sources.find(|s| s.path.ends_with(&path)).unwrap();
        assert_eq!(start, log.first(), "{path}");
        // The manager's tasks were created long before it.
        assert!(worker.range.unwrap().0 < start.unwrap());
    }
}

/// Tasks by DFK and number.
fn tasks(run: &Run, found: &Instances) -> BTreeMap<(String, String), usize> {
    let of = |(at, i): (usize, &widetui_analysis::entity::Instance)| {
        let id = found.id(&run.snapshot, i);
        ((id[0].1.clone(), id[1].1.clone()), at)
    };
    found.list.iter().enumerate().map(of).collect()
}

#[test]
fn of_the_hung_run_thirteen_tasks_are_not_finished() {
    let run = Run::open(&data().join("hung"));
    let found = run.instances("parsl.task");
    assert_eq!(found.list.len(), 49);
    let open: BTreeSet<String> = found
        .list
        .iter()
        .filter(|i| !found.standing(&run.snapshot, i).is_final)
        .map(|i| found.short_name(&run.snapshot, i))
        .collect();
    let want = ["24"].into_iter().map(str::to_owned);
    let want: BTreeSet<String> = want.chain((37..49).map(|n| n.to_string())).collect();
    assert_eq!(open, want);
    // All records about the hanging task, in the files of four processes.
    let wanted = InstanceQuery::parse("parsl.task=24").unwrap();
    let at = found.find_matching(&run.snapshot, &wanted);
    assert_eq!(at.len(), 1);
    let task = &found.list[at[0]];
    let places: BTreeMap<String, String> = found.places(&run.snapshot, task).into_iter().collect();
    assert_eq!(places["parsl.manager"], "3619e747ac56");
    assert_eq!(places["parsl.worker"], "1");
    assert_eq!(places["parsl.executor_task"], "25");
    let steps = trace(&run.snapshot, &found, task);
    let of_worker = |s: &&widetui_analysis::trace::TraceStep| {
        let event = run.snapshot.event(s.event).unwrap();
        event.source().kind == "worker"
    };
    let last = steps.iter().rfind(of_worker).unwrap();
    let text = full_event(
        &run.snapshot.event(last.event).unwrap(),
        &mut TextReader::default(),
    );
    assert_eq!(
        text.message,
        "Normal ending for send_first_message on thread MainThread"
    );
    assert_eq!(last.derivation, Derivation::Bracket);
    let index = found.index();
    let waits = |number: &str| {
        let wanted = InstanceQuery::parse(&format!("parsl.task={number}")).unwrap();
        let at = found.find_matching(&run.snapshot, &wanted)[0];
        let all = found.dependencies(&index, &found.list[at]);
        all.into_iter()
            .map(|w| found.short_name(&run.snapshot, &found.list[w]))
            .collect::<Vec<_>>()
    };
    assert!(waits("37").contains(&"24".to_owned()), "{:?}", waits("37"));
}

/// The start of an id names an instance if it is the only one; a part of a number names none.
#[test]
fn the_start_of_an_id_is_enough_if_one_instance_has_it() {
    let run = Run::open(&data().join("hung"));
    let count = |text: &str| {
        let wanted = InstanceQuery::parse(text).unwrap();
        let found = run.instances(&wanted.pairs[0].0);
        found.find_matching(&run.snapshot, &wanted).len()
    };
    assert_eq!(count("parsl.manager=3619e747"), 1);
    assert_eq!(count("parsl.manager=9e747ac5"), 0, "not the start");
    assert_eq!(count("parsl.manager=361"), 0, "too short");
    assert_eq!(
        count("parsl.task=2"),
        1,
        "task 2, not those that begin with 2"
    );
    assert_eq!(count("parsl.task=1234"), 0);
}

/// The result for several keys does not depend on their order.
#[test]
fn keys_name_the_instance_that_they_identify_in_any_order() {
    let run = Run::open(&data().join("hung"));
    let names = run.meaning.names(&run.snapshot);
    let meant = |text: &str| {
        let wanted = InstanceQuery::parse_name(text).unwrap();
        let meant = names.instances(&wanted).unwrap().item;
        let found = run.instances(&meant.0.name);
        let all = found.find_matching(&run.snapshot, &meant.1).into_iter();
        let all = all.map(|at| found.short_name(&run.snapshot, &found.list[at]));
        (meant.0.name.clone(), all.collect::<Vec<_>>())
    };
    for (pairs, entity, number) in [
        ("parsl.rundir=000,parsl.task=24", "parsl.task", "24"),
        ("rundir=000,task=24", "parsl.task", "24"),
        ("task 24", "parsl.task", "24"),
        ("task 24 try 0", "parsl.try", "0"),
        ("parsl.task=24,parsl.try=0", "parsl.try", "0"),
        (
            "parsl.rundir=000,parsl.executor=htex_campaign",
            "parsl.executor",
            "htex_campaign",
        ),
        (
            "parsl.manager=3619e747ac56,parsl.worker=1",
            "parsl.worker",
            "1",
        ),
        // The task's place and name are no ids of other instances.
        (
            "parsl.manager=3619e747ac56,parsl.task=24",
            "parsl.task",
            "24",
        ),
        ("parsl.app=wait_for_file,parsl.task=24", "parsl.task", "24"),
    ] {
        let turned: Vec<&str> = pairs.split(',').rev().collect();
        let want = (entity.to_owned(), vec![number.to_owned()]);
        assert_eq!(meant(pairs), want, "{pairs}");
        assert_eq!(meant(&turned.join(",")), want, "{turned:?}");
    }
    assert_eq!(meant("parsl.rundir=000").0, "parsl.dfk");
}

/// Runs of Parsl below a folder that have a `truth.json` about each task.
fn truths() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpora().join("parsl")).unwrap();
    let all = entries.map(|e| e.unwrap().path());
    let found: Vec<PathBuf> = all.filter(|p| p.join("truth.json").exists()).collect();
    assert!(!found.is_empty());
    found
}

/// Every task: its final state, whether it is finished, where its last try ran, and which records are about it.
#[test]
#[ignore = "needs runs outside the repository: WIDETUI_CORPORA=FOLDER"]
fn every_task_is_as_the_truth_says() {
    for case in truths() {
        let truth: Json =
            serde_json::from_slice(&std::fs::read(case.join("truth.json")).unwrap()).unwrap();
        check(&case, &truth);
    }
}

fn check(case: &Path, truth: &Json) {
    let run = Run::open(&case.join("runinfo"));
    let found = run.instances("parsl.task");
    let all = tasks(&run, &found);
    let patterns = |name: &str| -> Vec<regex::Regex> {
        let list = truth["patterns"][name].as_array().unwrap();
        list.iter()
            .map(|p| regex::Regex::new(p.as_str().unwrap()).unwrap())
            .collect()
    };
    let counted: Vec<regex::Regex> = ["parsl_task", "executor_task", "executor_task_lists"]
        .into_iter()
        .flat_map(patterns)
        .collect();
    let mut texts = TextReader::default();
    let mut wrong: Vec<String> = Vec::new();
    let mut expected = 0;
    // For DFKs that overlap in time: number of tasks with all their records assigned, and number of all tasks.
    let mut whole = (0, 0);
    for (rundir, kernel) in truth["rundirs"].as_object().unwrap() {
        let id = kernel["run_id"].as_str().unwrap();
        // With two DFKs in one process some records of the main thread stay unassigned, and records of other DFKs'
        // tasks are assigned to no task.
        let shared = truth["overlapping_kernels"]
            .as_array()
            .unwrap()
            .iter()
            .any(|o| {
                let dirs = o["rundirs"].as_array().unwrap();
                dirs.iter().any(|d| d == rundir)
            });
        let mut open: BTreeSet<i64> = BTreeSet::new();
        for (number, task) in kernel["tasks_detail"].as_object().into_iter().flatten() {
            expected += 1;
            let Some(at) = all.get(&(id.to_owned(), number.clone())) else {
                wrong.push(format!("{rundir} task {number} is missing"));
                continue;
            };
            let instance = &found.list[*at];
            let standing = found.standing(&run.snapshot, instance);
            let state = standing
                .state
                .map(|s| found.states[usize::from(s)].as_str());
            if state != task["final_state"].as_str() {
                wrong.push(format!(
                    "{rundir} task {number} is {state:?}, not {}",
                    task["final_state"]
                ));
            }
            if !standing.is_final {
                open.insert(number.parse().unwrap());
            }
            let places: BTreeMap<String, String> =
                found.places(&run.snapshot, instance).into_iter().collect();
            let last = task["tries"].as_array().and_then(|t| t.last());
            for (key, name) in [
                ("parsl.manager", "manager_id"),
                ("parsl.block", "block_id"),
                ("parsl.executor_task", "executor_task_id"),
            ] {
                let want = last.map(|t| &t[name]).filter(|w| !w.is_null());
                let want = want.map(|w| w.as_str().map_or_else(|| w.to_string(), str::to_owned));
                if want.is_some() && places.get(key) != want.as_ref() {
                    wrong.push(format!(
                        "{rundir} task {number}: {key} is {:?}, not {want:?}",
                        places.get(key)
                    ));
                }
            }
            let records = trace(&run.snapshot, &found, instance)
                .into_iter()
                .filter(|s| {
                    let event = run.snapshot.event(s.event).unwrap();
                    let kind = event.source().kind.as_str();
                    let is_counted = matches!(
                        kind,
                        "dfk" | "dfk_unnamed" | "interchange" | "manager" | "worker" | "pool"
                    );
                    let message = full_event(&event, &mut texts).message;
                    let line = message.lines().next().unwrap_or_default();
                    is_counted
                        && s.derivation <= Derivation::Join
                        && counted.iter().any(|p| p.is_match(line))
                });
            let records = records.count() as i64;
            let total = task["events"]["total"].as_i64().unwrap();
            whole.1 += usize::from(shared);
            if shared && records < total {
                continue;
            }
            whole.0 += usize::from(shared);
            if total != records {
                wrong.push(format!(
                    "{rundir} task {number}: {records} records, not {}",
                    task["events"]
                ));
            }
        }
        let want: BTreeSet<i64> = kernel["not_finished"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Json::as_i64)
            .collect();
        if open != want {
            wrong.push(format!("{rundir}: {open:?} are not finished, not {want:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{}", case.display());
    assert_eq!(found.list.len(), expected, "{}: instances", case.display());
    let (known, all) = whole;
    assert!(known * 100 >= all * 85, "{known} of {all} tasks are known");
}

/// The id of a record by each alternative whose keys it has; `None` for keys without a value, or with several.
fn naive_id(run: &Run, keys: &[KeyId], event: &EventRef<'_>) -> Option<Vec<u32>> {
    let mut of: BTreeMap<KeyId, (ValueOrigin, BTreeSet<u32>)> = BTreeMap::new();
    let rank = |origin: ValueOrigin| match origin {
        ValueOrigin::Record => 0,
        ValueOrigin::Join(_) => 1,
        ValueOrigin::Path => 2,
    };
    let copies = &run.snapshot.duplicates;
    let stands_twice = copies.duplicates_of(event.id.0).next().is_some();
    event.for_each_code(|key, codes, origin| {
        // A record with several paths has no path of its own.
        if stands_twice && origin == ValueOrigin::Path {
            return;
        }
        let view = run.snapshot.catalog.keys.get(key).unwrap();
        let known = of.entry(key).or_insert((origin, BTreeSet::new()));
        // A record's own value takes precedence.
        if rank(known.0) == rank(origin) {
            let codes = codes.iter().filter(|c| **c != NONE);
            known.1.extend(codes.map(|c| view.dict.canonical(*c)));
        }
    });
    let one = |key: &KeyId| match of.get(key) {
        Some((_, codes)) if codes.len() == 1 => codes.first().copied(),
        _ => None,
    };
    keys.iter().map(one).collect()
}

/// Place of an instance with these records, from the last record with each key (untimed records first); and its name,
/// from the first record with one (untimed records last).
fn naive_names(
    run: &Run,
    entity: &Entity,
    found: &Instances,
    events: &[u32],
) -> (Vec<u32>, Option<(KeyId, u32)>) {
    let events = events
        .iter()
        .filter_map(|e| run.snapshot.event(EventId(*e)));
    let (timed, others): (Vec<_>, Vec<_>) = events.partition(|e| e.time().is_some());
    let reported = |key: KeyId, event: &EventRef<'_>| {
        let codes = naive_id(run, &[key], event)?;
        codes.first().copied().filter(|code| *code != UNUSABLE)
    };
    let last = |key: &KeyId| {
        let mut events = timed.iter().rev().chain(others.iter().rev());
        events.find_map(|e| reported(*key, e)).unwrap_or(NONE)
    };
    let labels = entity.label_keys.iter();
    let mut labels = labels.filter_map(|name| run.snapshot.catalog.keys.find(name));
    let first = |key: KeyId| {
        let mut events = timed.iter().chain(&others);
        Some((key, events.find_map(|e| reported(key, e))?))
    };
    (
        found.place_keys.iter().map(last).collect(),
        labels.find_map(first),
    )
}

/// Time range of the records that name an instance themselves, without records derived by joins.
fn naive_own(run: &Run, found: &Instances, events: &[u32]) -> Option<(i64, i64)> {
    let last: Vec<KeyId> = found
        .alternatives()
        .iter()
        .filter_map(|k| k.last().copied())
        .collect();
    let is_told = |event: &EventRef<'_>| {
        let mut is_told = false;
        event.for_each_code(|key, _, origin| {
            if let (true, ValueOrigin::Join(join)) = (last.contains(&key), origin) {
                let kind = run.snapshot.derived.joins[usize::from(join)].kind;
                is_told |= matches!(kind, JoinKind::Keys | JoinKind::Bracket);
            }
        });
        is_told
    };
    let events = events
        .iter()
        .filter_map(|e| run.snapshot.event(EventId(*e)));
    let own: Vec<i64> = events
        .filter(|e| !is_told(e))
        .filter_map(|e| e.time())
        .collect();
    own.iter().min().copied().zip(own.iter().max().copied())
}

/// Records of each instance and their order, against a naive implementation of the definition.
#[test]
fn instances_are_what_a_naive_reading_gives() {
    for path in [
        "hung",
        "json.tar.gz",
        "old2024",
        "multi.tar.gz",
        "workqueue.tar.gz",
    ] {
        let run = Run::open(&data().join(path));
        let snapshot = &run.snapshot;
        // Whether a key of an id has several values in the record; such values are paired by their positions.
        let has_list = |event: &EventRef<'_>| {
            let mut several = false;
            event.for_each_code(|_, codes, _| several |= codes.len() > 1);
            several
        };
        for entity in &run.meaning.entities {
            let found = scan(snapshot, entity, &Cancel::default()).unwrap();
            let instances = found.list.iter();
            // Before lists of events are built.
            let last: Vec<Vec<u32>> = instances.map(|one| found.last_events(one, 2)).collect();
            let named = |only| select(snapshot, only, &Cancel::default()).unwrap();
            let named = entity.condition.as_ref().map(named);
            let mut expected: BTreeMap<(u8, Vec<u32>), Vec<u32>> = BTreeMap::new();
            let mut listed: BTreeSet<u32> = BTreeSet::new();
            for event in (0..snapshot.len()).filter_map(|place| snapshot.at(place)) {
                let is_other = named.as_ref().is_some_and(|n| !n.contains(event.id));
                if is_other || snapshot.duplicates.original_of(event.id.0).is_some() {
                    continue;
                }
                if has_list(&event) {
                    listed.insert(event.id.0);
                    continue;
                }
                let mut alternatives = found.alternatives().iter().zip(0u8..);
                let id =
                    alternatives.find_map(|(keys, at)| Some((at, naive_id(&run, keys, &event)?)));
                if let Some(id) = id {
                    expected.entry(id).or_default().push(event.id.0);
                }
            }
            for (instance, last) in found.list.iter().zip(last) {
                let id = (instance.alternative, instance.id.to_vec());
                let latest = found.events(instance).iter().rev().take(2);
                assert!(latest.eq(&last), "{path} {} {id:?}", entity.name);
                let own = found.events(instance).iter().copied();
                let own: Vec<u32> = own.filter(|e| !listed.contains(e)).collect();
                let naive = expected.remove(&id).unwrap_or_default();
                assert_eq!(own, naive, "{path} {} {id:?}", entity.name);
                let range: Vec<i64> = found
                    .events(instance)
                    .iter()
                    .filter_map(|e| snapshot.event(EventId(*e))?.time())
                    .collect();
                let range = range.iter().min().copied().zip(range.iter().max().copied());
                assert_eq!(instance.range, range);
                let index = found.index().get(instance.alternative, &instance.id);
                assert!(std::ptr::eq(&found.list[index.unwrap()], instance));
                let events = found.events(instance);
                if !events.iter().any(|e| listed.contains(e)) {
                    let (places, label) = naive_names(&run, entity, &found, events);
                    let what = format!("{path} {} {:?}", entity.name, instance.id);
                    assert_eq!(found.place_codes(instance), places, "{what}");
                    assert_eq!(instance.label, label, "{what}");
                    if entity.is_resource() {
                        assert_eq!(
                            instance.stated_range,
                            naive_own(&run, &found, events),
                            "{what}"
                        );
                    }
                }
            }
            // Instances that were only announced do not count.
            if let Some(begun) = &entity.begun {
                let begun = select(snapshot, begun, &Cancel::default()).unwrap();
                let has_begun =
                    |events: &Vec<u32>| events.iter().any(|e| begun.contains(EventId(*e)));
                expected.retain(|_, events| begun.is_empty() || has_begun(events));
            }
            // Ids by an alternative that is a part of a longer one are dropped.
            let longest = |at: u8| {
                let keys = &found.alternatives()[usize::from(at)];
                let mut longer = found.alternatives()[..usize::from(at)].iter();
                !longer.any(|of| of.len() > keys.len() && keys.iter().all(|k| of.contains(k)))
            };
            assert!(
                expected.keys().all(|(at, _)| !longest(*at)),
                "{path} {}",
                entity.name
            );
        }
    }
}
