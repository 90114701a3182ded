//! Consecutive runs in the same logs, repeated executions, and dumps of the state of services: separate runs stay apart, and
//! repeated reports count once.

use std::io::Write;

use serde_json::{Value as Json, json};

use widetui_analysis::account::{AccountContext, Phase, time_account};
use widetui_analysis::run_table::list_runs;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::spans::{LostEnds, SpanOutcome, spans};
use widetui_analysis::states::{ReporterChoice, states};
use widetui_analysis::timeline::{Colour, Ending, Grouping, timeline};
use widetui_core::cancel::Cancel;

use crate::program::printed;
use widetui_testing::diagnosed::Run;

/// Dask 2026.3: a scheduler that was killed, and started again by whoever watches it, with the same file for its output.
const SCHEDULER: &str = "\
2026-11-23 05:20:11,613 - distributed.scheduler - INFO -   Scheduler at: tcp://127.0.0.1:18701
2026-11-23 05:20:16,000 - distributed.scheduler - INFO - Register worker addr: tcp://127.0.0.1:34405 name: a
2026-11-23 05:21:00,213 - distributed.scheduler - INFO -   Scheduler at: tcp://127.0.0.1:18701
2026-11-23 05:21:04,000 - distributed.scheduler - INFO - Register worker addr: tcp://127.0.0.1:43909 name: a
";

fn transition(key: &str, start: &str, finish: &str, second: f64) -> String {
    let time = 1_795_411_200.0 + second;
    let row = json!({"key": key, "start": start, "finish": finish, "stimulus_id": format!("s-{second}"), "timestamp": time});
    format!("{row}\n")
}

/// 05:20:00 is 0: a task that ended in the first run, and is being worked on in the second.
fn transitions() -> String {
    [
        transition("inc-1", "waiting", "processing", 20.0),
        transition("inc-1", "processing", "memory", 21.0),
        transition("inc-1", "waiting", "processing", 70.0),
    ]
    .concat()
}

#[test]
fn a_scheduler_that_is_started_again_has_tasks_of_its_own() {
    let run = Run::of(&[
        ("x/scheduler.log", SCHEDULER),
        ("x/transitions.jsonl", &transitions()),
    ]);
    let states = run.states("dask.task");
    assert_eq!(
        (states["memory"], states["processing"]),
        (1, 1),
        "{states:?}"
    );
    assert_eq!(run.hung.stuck.len(), 1, "{:#?}", run.hung.stuck);
    // Who writes the other's starts in the same second was not started again.
    let once: String = SCHEDULER
        .lines()
        .take(2)
        .map(|l| format!("{l}\n"))
        .collect();
    let run = Run::of(&[
        ("x/scheduler.log", &once),
        ("x/transitions.jsonl", &transitions()),
    ]);
    assert_eq!(run.states("dask.task").values().sum::<usize>(), 1);
}

/// Globus Compute 4.19: an endpoint, stopped and started again in its folder; tasks of its executor are numbered from 1 again.
#[test]
fn an_endpoint_that_is_started_again_is_another_run() {
    let endpoint = |minute: u32, pid: u32, manager: &str| {
        let head = format!("2026-11-21 02:{minute:02}");
        let thread = format!("INFO MainProcess-{pid} MainThread-140412117818240");
        let endpoint = format!(
            "{head}:45,119780 {thread} globus_compute_endpoint.endpoint.interchange:88 __init__ Initializing EndpointInterchange process with Endpoint ID: fbe9aa84-27ac-492c-b42b-364ca025d92a\n\
             {head}:58,332381 {thread} globus_compute_endpoint.endpoint.endpoint:626 start_interchange \n\
             ---------- Endpoint shutdown: fbe9aa84-27ac-492c-b42b-364ca025d92a\n\n"
        );
        let epoch = 1_795_226_400 + u64::from(minute) * 60;
        let worker = format!(
            "{}.118435 {head}:50 HTEX-Worker-2-{pid} MainThread-1401 parsl.executors.high_throughput.process_worker_pool:662 worker INFO: Received executor task 1\n\
             {}.783862 {head}:51 HTEX-Worker-2-{pid} MainThread-1401 parsl.executors.high_throughput.process_worker_pool:662 worker INFO: Completed executor task 1\n",
            epoch + 50,
            epoch + 51
        );
        let name =
            format!("GlobusComputeEngine-HighThroughputExecutor/block-0/{manager}/worker_2.log");
        (endpoint, name, worker)
    };
    let (first, second) = (
        endpoint(1, 2744, "9d7f6cec7728"),
        endpoint(3, 4269, "30195576cbab"),
    );
    let home = ".globus_compute/uep.17dae32e-3aa6-4757-8d23-3ec38ea6226e.fd562ada-1b03-5239-9786-e89d140f9836";
    let both = first.0.clone() + &second.0;
    let files = [
        (format!("{home}/endpoint.log"), both),
        (format!("{home}/{}", first.1), first.2),
        (format!("{home}/{}", second.1), second.2),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    let run = Run::of(&files);
    let entities: Vec<_> = run
        .found
        .occurring
        .iter()
        .map(|i| i.entity.clone())
        .collect();
    let all = list_runs(
        &run.snapshot,
        &entities,
        &AnalysisScope::default(),
        &Cancel::default(),
    )
    .unwrap();
    let reported: Vec<(String, u64)> = all
        .iter()
        .map(|r| (r.name.clone(), r.work_items.begun))
        .collect();
    let name = &home[".globus_compute/uep.".len()..];
    assert_eq!(reported, [(name.to_owned(), 1), (format!("{name}#2"), 1)]);
}

/// A worker runs a task that raises, and runs it again.
#[test]
fn each_time_that_a_worker_runs_a_task_is_a_span() {
    let at = |start: f64, stop: f64, status: &str| {
        let start = 1_795_411_200.0 + start;
        let row = json!({"worker": "tcp://127.0.0.1:34405", "key": "flaky-1", "status": status,
            "startstops": [{"action": "compute", "start": start, "stop": 1_795_411_200.0 + stop}]});
        format!("{row}\n")
    };
    let stream = [
        at(1.0, 1.25, "error"),
        at(2.0, 2.5, "error"),
        at(3.0, 3.75, "OK"),
    ]
    .concat();
    let run = Run::of(&[("task_stream.jsonl", &stream)]);
    let found = run
        .found
        .occurring
        .iter()
        .find(|i| i.entity.name == "dask.execution")
        .unwrap();
    assert_eq!(found.list.len(), 1);
    let found = spans(
        &run.snapshot,
        found,
        &AnalysisScope::default(),
        None,
        &Cancel::default(),
    );
    let list = found.unwrap().list;
    let took: Vec<i64> = list.iter().map(|s| s.duration() / 1_000_000).collect();
    assert_eq!(took, [250, 500, 750]);
    assert!(list.iter().all(|s| s.outcome == SpanOutcome::Ended));
}

#[test]
fn what_was_measured_is_more_exact_than_whole_seconds() {
    let row = |state: &str, second: u32, took: Json| {
        let row = json!({"run_id": "run-1", "task_id": "a", "task_name": "gcam", "state": state, "duration_s": took,
            "timestamp": format!("2026-11-21T01:44:{second:02}Z")});
        format!("{row}\n")
    };
    let rows = [
        row("submitted", 16, Json::Null),
        row("running", 16, Json::Null),
        row("succeeded", 18, json!(1.327)),
    ];
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".scalable/runs/run-1");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("tasks.jsonl"), rows.concat()).unwrap();
    let all = printed("spans", &["scalable.task"], dir.path());
    assert_eq!(all[0]["duration_s"], json!(1.327), "{all:?}");
    let all = printed("runs", &[], dir.path());
    assert_eq!(all[0]["mean_s"], json!(1.327), "{all:?}");
}

/// Excerpt of an output of `Client.dump_cluster_state`.
fn dump() -> Json {
    let t = 1_795_411_200.0;
    json!({
        "scheduler": {
            "address": "tcp://127.0.0.1:18701",
            "transition_log": [
                ["inc-1", "released", "waiting", {"inc-1": "processing"}, "update-graph-1", t],
                ["inc-1", "waiting", "processing", {}, "update-graph-1", t + 1.0],
                ["inc-1", "processing", "memory", {}, "task-finished-1", t + 2.0],
                [["tup", 1, 0], "waiting", "processing", {}, "update-graph-1", t + 1.0],
                ["bad-1", "processing", "erred", {}, "task-erred-1", t + 3.0]
            ],
            "events": {"all": [[t + 0.5, {"action": "add-worker", "worker": "tcp://127.0.0.1:34405"}]]},
            "tasks": {"bad-1": {"key": "bad-1", "exception_text": "KeyError('deep')", "state": "erred"},
                "inc-1": {"key": "inc-1", "exception_text": null, "state": "memory"}}
        },
        "workers": {
            "tcp://127.0.0.1:34405": {"log": [
                ["inc-1", "compute-task", "released", "compute-task-1", t + 1.0],
                ["inc-1", "ready", "executing", "executing", {}, "compute-task-1", t + 1.25],
                ["inc-1", "executing", "memory", "memory", {"inc-2": "ready"}, "task-finished-1", t + 1.75]
            ]},
            "tcp://127.0.0.1:9": "OSError('it is gone')"
        },
        "versions": {}
    })
}

/// The dump as a packed file.
fn packed(value: &Json) -> rmpv::Value {
    match value {
        Json::Null => rmpv::Value::Nil,
        Json::Bool(b) => (*b).into(),
        Json::Number(n) => n
            .as_i64()
            .map_or_else(|| n.as_f64().unwrap().into(), rmpv::Value::from),
        Json::String(text) => text.as_str().into(),
        Json::Array(list) => rmpv::Value::Array(list.iter().map(packed).collect()),
        Json::Object(map) => {
            let pairs = map
                .iter()
                .map(|(name, value)| (name.as_str().into(), packed(value)));
            rmpv::Value::Map(pairs.collect())
        }
    }
}

/// Instances and findings of a dump in a folder.
fn of_dump(write: impl FnOnce(&std::path::Path)) {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let states = printed("states", &["dask.task", "--final"], dir.path());
    let mut reported: Vec<(String, u64)> = { states.iter() }
        .filter_map(|row| Some((row["state"].as_str()?.to_owned(), row["count"].as_u64()?)))
        .collect();
    reported.sort();
    let wanted = [("erred", 1), ("memory", 1), ("processing", 1)];
    assert_eq!(reported, wanted.map(|(s, n)| (s.to_owned(), n)));
    let spans = printed("spans", &["dask.execution"], dir.path());
    assert_eq!(
        (spans.len(), &spans[0]["duration_s"]),
        (1, &json!(0.5)),
        "{spans:?}"
    );
    let all = printed("diagnose", &[], dir.path());
    assert!(
        all.iter()
            .any(|f| f.to_string().contains("KeyError('deep')")),
        "{all:?}"
    );
    let events = printed(
        "events",
        &["--where", "dask.action = add-worker"],
        dir.path(),
    );
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn a_dump_of_a_cluster_is_read() {
    of_dump(|dir| {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &packed(&dump())).unwrap();
        let file = std::fs::File::create(dir.join("dask-cluster-dump.msgpack.gz")).unwrap();
        let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        file.write_all(&bytes).unwrap();
        file.finish().unwrap();
    });
    // JSON is YAML; as PyYAML writes it, it begins with the first name.
    of_dump(|dir| {
        let dump = dump();
        let mut text = String::new();
        for (name, value) in dump.as_object().unwrap() {
            text += &format!("{name}: {value}\n");
        }
        std::fs::write(dir.join("state.yaml"), text).unwrap();
    });
}

#[test]
fn a_dump_that_is_none_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = b"\x83\xa9scheduler".to_vec();
    // A text that is longer than the file.
    bytes.extend([0xd9, 200]);
    bytes.extend([b'x'; 80]);
    std::fs::write(dir.path().join("dump.msgpack"), bytes).unwrap();
    std::fs::write(dir.path().join("dump.yaml"), "scheduler:\n  - [\n").unwrap();
    std::fs::write(dir.path().join("other.yaml"), "scheduler:\n  host: a\n").unwrap();
    std::fs::write(dir.path().join("run.log"), "2026-11-23 05:20:11 begun\n").unwrap();
    let all = printed("sources", &[], dir.path());
    let reported = |name: &str| {
        let row = all
            .iter()
            .find(|row| row["path"].to_string().contains(name));
        row.map(Json::to_string).unwrap_or_default()
    };
    assert!(
        reported("dump.msgpack").contains("invalid MessagePack"),
        "{all:?}"
    );
    assert!(reported("dump.yaml").contains("is no YAML"), "{all:?}");
    assert!(!reported("other.yaml").contains("is no"), "{all:?}");
}

/// Academy 1.0: an agent failed, and was asked for something after that.
#[test]
fn who_was_asked_and_had_ended_is_named() {
    let head = "[2026-11-23 05:31:";
    let log = format!(
        "{head}15.000] [tid=1 pid=1 task=Task-1]  DEBUG    (academy.runtime) Starting agent... (AgentId<loopy>; Agent<Loopy>) agent_id: AgentId<loopy> agent: Agent<Loopy>\n\
         {head}15.818] [tid=1 pid=1 task=Task-1]  ERROR    (academy.manager) Received exception from AgentId<loopy> agent_id: AgentId<loopy>\n\
         {head}17.400] [tid=1 pid=1 task=Task-1]  DEBUG    (academy.handle) Invoking action hi with tag id 3371a966-46cf-4480-80eb-eb815dc58189 action: hi action_tag: 3371a966-46cf-4480-80eb-eb815dc58189 action_state: start action_args: () action_kwargs: {{}} agent_id: AgentId<loopy>\n\
         {head}17.401] [tid=1 pid=1 task=Task-1]  DEBUG    (academy.handle) Sending action request from UserId<13f4473f> to AgentId<loopy> (action='hi') message_type: ActionRequest src: UserId<13f4473f> dest: AgentId<loopy> message_tag: 3371a966-46cf-4480-80eb-eb815dc58189 message_label: 5d1c0d4e-46cf-4480-80eb-eb815dc58189 action: hi action_tag: 3371a966-46cf-4480-80eb-eb815dc58189 action_state: sending\n\
         {head}19.426] [tid=1 pid=1 task=Task-1]  INFO     (academy.manager) Closed manager (UserId<13f4473f>) user_id: UserId<13f4473f>\n"
    );
    let run = Run::of(&[("run.log", &log)]);
    let reported = run.words();
    let wanted = "waits for agent AgentId<loopy>, which failed at 05:31:15.818";
    assert!(reported.contains(wanted), "{reported}");
    assert!(
        !reported.contains("No record states that work"),
        "{reported}"
    );
    // Asked before it failed: that is another story.
    let early = log.replace(":17.40", ":15.40");
    let run = Run::of(&[("run.log", &early)]);
    assert!(!run.words().contains("waits for agent"), "{}", run.words());
}

/// Slurm 22.05 and 24.11: the steps of a job stand in it.
#[test]
fn steps_of_jobs_are_reported_by_what_sacct_prints_as_json() {
    let step = |id: Json, name: &str, from: u64, to: u64| {
        json!({"step": {"job_id": 1, "id": id, "name": name}, "state": "COMPLETED", "exit_code": {"status": "SUCCESS", "return_code": 0},
            "nodes": {"list": ["nid001"]}, "time": {"start": from, "end": to}})
    };
    let job = |id: u32, steps: Json| {
        json!({"job_id": id, "name": "hello", "cluster": "perlmini", "state": {"current": "COMPLETED", "reason": "None"},
            "exit_code": {"status": "SUCCESS", "return_code": 0}, "nodes": "nid001",
            "time": {"submission": 1795226980, "start": 1795226981, "end": 1795226990}, "steps": steps})
    };
    let first = json!([
        step(json!("batch"), "batch", 1795226981, 1795226990),
        step(json!(0), "bash", 1795226982, 1795226985)
    ]);
    let second = json!([step(json!("2.0"), "bash", 1795226982, 1795226989)]);
    let document =
        json!({"meta": {"plugin": "x"}, "jobs": [job(1, first), job(2, second)], "errors": []});
    let text = serde_json::to_string_pretty(&document).unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("sacct.json"), text).unwrap();
    let steps = printed("entities", &["--of", "slurm.step"], dir.path());
    let mut reported: Vec<String> = steps.iter().map(|row| row["id"].to_string()).collect();
    reported.sort();
    let wanted = [
        r#"{"slurm.job":1,"slurm.step":"0"}"#,
        r#"{"slurm.job":1,"slurm.step":"batch"}"#,
        r#"{"slurm.job":2,"slurm.step":"0"}"#,
    ];
    assert_eq!(reported, wanted, "{steps:#?}");
    let jobs = printed("states", &["slurm.job", "--final"], dir.path());
    assert_eq!((jobs.len(), &jobs[0]["count"]), (1, &json!(2)), "{jobs:?}");
}

/// Academy 1.0: the caller gave up waiting, and the agent, which was slow, began after that.
#[test]
fn what_was_cancelled_stays_so_though_it_is_carried_out_later() {
    let tag = "bf77f224-43bc-4b64-a424-6757ee15eafc";
    let line = |at: &str, logger: &str, text: &str, state: &str| {
        format!(
            "[2026-11-23 05:31:{at}] [tid=1 pid=1 task=Task-1]  DEBUG    ({logger}) {text} action: add action_tag: {tag} action_state: {state}\n"
        )
    };
    let log = [
        line(
            "17.401",
            "academy.handle",
            &format!("Waiting for result of action add with tag id {tag}"),
            "waiting",
        ),
        line(
            "19.406",
            "academy.handle",
            &format!("Cancelling action add with tag id {tag}"),
            "cancelled",
        ),
        line(
            "20.000",
            "academy.runtime",
            &format!("Invoking action add with invocation id {tag}"),
            "execute_start",
        ),
        line(
            "20.100",
            "academy.runtime",
            &format!("Completed action add with invocation id {tag}"),
            "execute_success",
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("run.log"), log.concat()).unwrap();
    let states = printed("states", &["academy.action", "--final"], dir.path());
    let reported: Vec<(&str, &Json)> = { states.iter() }
        .filter_map(|row| Some((row["state"].as_str()?, &row["count"])))
        .collect();
    assert_eq!(reported, [("cancelled", &json!(1))], "{states:?}");
    let all = printed("entities", &["--of", "academy.action"], dir.path());
    assert_eq!(
        (&all[0]["state"], &all[0]["final"]),
        (&json!("cancelled"), &json!(true))
    );
}

/// Log of a DFK in a process of its own: its id, then records so many seconds after it, each a level and a message.
fn dfk_log(minute: u64, id: &str, records: &[(u64, &str)]) -> String {
    let line = |(at, said): &(u64, &str)| {
        let (level, said) = said.split_once(' ').unwrap();
        let epoch = 1_795_412_000 - 20 + minute * 60 + at;
        format!(
            "{epoch}.000000 2026-11-23 05:{:02}:{at:02} MainProcess-{} MainThread-139 parsl.dataflow.dflow:7 f {level}: {said}\n",
            33 + minute,
            17 + minute
        )
    };
    let begun = (0, format!("INFO Run id is: {id}"));
    let all = std::iter::once((begun.0, begun.1.as_str())).chain(records.iter().copied());
    all.map(|record| line(&record)).collect()
}

/// Records of Parsl about a task until it is launched.
const TASK: [(u64, &str); 3] = [
    (
        1,
        "INFO Task 0 submitted for App ok, not waiting on any dependency",
    ),
    (1, "INFO Task 0 initializing state to pending"),
    (2, "INFO Task 0 changing state from pending to launched"),
];

/// A DFK that was killed with a task on its hands, and another, ten minutes later, that did the work.
#[test]
fn what_did_not_end_reaches_to_the_end_of_its_own_run() {
    let killed = dfk_log(
        0,
        "8aa0f858-4f6d-4cac-b59c-d03a3db0a311",
        &[&TASK[..], &[(10, "DEBUG Sending command")]].concat(),
    );
    let later = dfk_log(
        10,
        "dc662a78-87ed-4a42-9022-4c7205457e89",
        &[
            &TASK[..],
            &[
                (5, "INFO Task 0 changing state from launched to exec_done"),
                (9, "INFO DFK cleanup complete"),
            ],
        ]
        .concat(),
    );
    let run = Run::of(&[("000/parsl.log", &killed), ("001/parsl.log", &later)]);
    let (snapshot, all) = (&run.snapshot, &run.found.occurring);
    let tasks = all.iter().find(|i| i.entity.name == "parsl.task").unwrap();
    let (scope, go) = (AnalysisScope::default(), Cancel::default());
    let found = spans(snapshot, tasks, &scope, None, &go).unwrap();
    let took = |s: &widetui_analysis::spans::Span| (s.outcome, s.duration() / 1_000_000_000);
    let took: Vec<_> = found.list.iter().map(took).collect();
    assert_eq!(
        took,
        [(SpanOutcome::Unfinished, 9), (SpanOutcome::Ended, 4)]
    );
    // They were never there at once.
    let at_once = found.concurrency(&scope, LostEnds::WhenReported);
    assert_eq!(at_once.max().map(|m| m.1), Some(1), "{at_once:?}");
    let found = states(snapshot, tasks, &scope, &ReporterChoice::MostTrusted, &go).unwrap();
    let launched = found.names.iter().position(|n| n == "launched").unwrap();
    let most = found.series[launched].max();
    assert_eq!(most.map(|m| m.1), Some(1), "{:?}", found.series[launched]);
    assert_eq!(found.final_counts[launched], 1, "it never left that state");
    // So long as `hung` says, and as its time is accounted for.
    assert_eq!(run.hung.stuck[0].age, Some(8_000_000_000));
    let entities: Vec<_> = all.iter().map(|i| i.entity.clone()).collect();
    let around = AccountContext::new(snapshot, tasks, &entities, &go).unwrap();
    let phases = time_account(snapshot, tasks, &around, 0);
    let end = phases.last().unwrap().end - phases[0].start;
    assert_eq!(end, 9_000_000_000, "{phases:#?}");
    // Its bar ends with its run.
    let by = Grouping::default();
    let drawn = timeline(snapshot, tasks, &scope, &by, &Colour::State, &go).unwrap();
    let open = drawn.rows.iter().flat_map(|r| &r.bars);
    let open: Vec<_> = open.filter(|b| b.ending == Ending::Unfinished).collect();
    assert!(
        open.iter().all(|b| b.end == found_end(&phases)),
        "{open:#?}"
    );
    assert_eq!(open.len(), 1);
}

fn found_end(phases: &[Phase]) -> i64 {
    phases.last().unwrap().end
}
