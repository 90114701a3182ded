//! Logs of known systems in custom forms: layouts, file names, log framing of a host.

use serde_json::Value as Json;

use crate::program::printed;
use widetui_testing::diagnosed::Run;

/// Time, source, level and message of a scheduler that registers two workers and loses one.
const SCHEDULER: [(&str, &str, &str, &str); 8] = [
    ("02:16:10", "distributed.scheduler", "INFO", "State start"),
    (
        "02:16:11",
        "distributed.http.proxy",
        "INFO",
        "To route to workers install a proxy",
    ),
    (
        "02:16:12",
        "distributed.scheduler",
        "INFO",
        "  Scheduler at:  tcp://10.0.0.1:8786",
    ),
    (
        "02:16:13",
        "distributed.scheduler",
        "INFO",
        "Register worker addr: tcp://10.0.0.2:4000 name: a",
    ),
    (
        "02:16:14",
        "distributed.core",
        "INFO",
        "Starting established connection to tcp://10.0.0.2:5000",
    ),
    (
        "02:16:15",
        "distributed.scheduler",
        "INFO",
        "Register worker addr: tcp://10.0.0.3:4000 name: b",
    ),
    (
        "02:16:40",
        "distributed.core",
        "WARNING",
        "Connection to tcp://10.0.0.3:5001 has been closed.",
    ),
    (
        "02:16:41",
        "distributed.scheduler",
        "WARNING",
        "Remove worker addr: tcp://10.0.0.3:4000 name: b (stimulus_id='handle-worker-cleanup-1')",
    ),
];

fn written(line: impl Fn(&str, &str, &str, &str) -> String) -> String {
    let lines = SCHEDULER
        .iter()
        .map(|(time, who, level, what)| line(time, who, level, what) + "\n");
    lines.collect()
}

fn usual(time: &str, who: &str, level: &str, what: &str) -> String {
    format!("2026-11-21 {time},123 - {who} - {level} - {what}")
}

fn assert_is_understood(name: &str, run: &Run) {
    let states = run.states("dask.worker");
    let reports: Vec<(&str, usize)> = states.iter().map(|(s, n)| (s.as_str(), *n)).collect();
    assert_eq!(reports, [("registered", 1), ("removed", 1)], "{name}");
}

fn sources(files: &[(&str, &str)]) -> Vec<Json> {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    printed("sources", &[], dir.path())
}

#[test]
fn loggers_identify_the_system_in_any_layout() {
    type Form = fn(&str, &str, &str, &str) -> String;
    let forms: [(&str, Form); 10] = [
        ("usual", usual),
        ("brackets", |t, w, l, m| {
            format!("[2026-11-21 {t},123] [{l}] [{w}] {m}")
        }),
        ("bars", |t, w, l, m| {
            format!("2026-11-21 {t},123 | {l} | {w} | {m}")
        }),
        ("padded", |t, w, l, m| {
            format!("2026-11-21 {t},123 {l:8} [4711] {w}: {m}")
        }),
        ("level first", |t, w, l, m| {
            format!("2026-11-21 {t},123 - {l} - {w} - {m}")
        }),
        ("iso", |t, w, l, m| {
            format!("2026-11-21T{t}.123+00:00 {l} {w} {m}")
        }),
        ("colons", |t, w, l, m| {
            format!("2026-11-21 {t},123:{l}:{w}:{m}")
        }),
        ("file", |t, w, l, m| {
            format!("2026-11-21 {t},123 {w} core.py:5 {l} {m}")
        }),
        ("no level", |t, w, _, m| {
            format!("2026-11-21 {t},123 {w} {m}")
        }),
        ("process", |t, w, l, m| {
            format!("2026-11-21 {t},123 - {w} - 4711 - {l} - {m}")
        }),
    ];
    for (name, form) in forms {
        let run = Run::of(&[("run/any.txt", &written(form))]);
        assert_is_understood(name, &run);
    }
    let parsl = |line: &str| {
        format!("2026-11-21 02:16:10,123 WARNING  [99] parsl.dataflow.dflow: {line}\n")
    };
    let text = [
        "Parsl version: 2026.10.26",
        "Task 0 submitted for App solve, not waiting on any dependency",
        "Task 0 completed (launched -> exec_done)",
    ];
    let run = Run::of(&[("own.log", &text.map(parsl).concat())]);
    assert_eq!(run.states("parsl.task").len(), 1);
    // Words that only stand where a name would.
    let stranger = written(|t, _, l, m| format!("2026-11-21 {t},123 {l} solver.main {m}"));
    let sources = sources(&[("any.txt", &stranger)]);
    assert_eq!(sources[0]["system"], Json::Null);
}

#[test]
fn a_host_keeps_logs_that_are_read_as_what_they_are() {
    let cron = "Nov 21 02:16:30 head1 CRON[99]: (root) CMD (true)\n";
    let text = written(|t, w, l, m| {
        format!(
            "Nov 21 {t} head1 dask-scheduler[321]: {}",
            usual(t, w, l, m)
        )
    });
    assert_is_understood("text", &Run::of(&[("journal.txt", &text)]));
    assert_is_understood("text", &Run::of(&[("messages", &(text.clone() + cron))]));
    let object = |who: &str, pid: u32, what: &str| {
        let what = serde_json::to_string(what).unwrap();
        format!(
            r#"{{"__REALTIME_TIMESTAMP":"1795226458258309","__CURSOR":"s=3","_HOSTNAME":"head1","SYSLOG_IDENTIFIER":"{who}","_PID":"{pid}","PRIORITY":"6","MESSAGE":{what}}}"#
        )
    };
    let json = written(|t, w, l, m| object("dask-scheduler", 321, &usual(t, w, l, m)));
    let json = json + &object("CRON", 99, "(root) CMD (true)") + "\n";
    assert_is_understood("json", &Run::of(&[("journal.json", &json)]));
    let rows = sources(&[("messages", &(text + cron))]);
    let mut reports: Vec<(&str, u64)> = rows
        .iter()
        .filter(|r| r["system"] != Json::Null)
        .map(|r| {
            (
                r["system"].as_str().unwrap(),
                r["records"].as_u64().unwrap(),
            )
        })
        .collect();
    reports.sort_unstable();
    assert_eq!(reports, [("dask", 8), ("syslog", 1)]);
    // Without such a program it stays what it is.
    let rows = sources(&[("messages", &cron.repeat(5))]);
    assert_eq!((rows.len(), &rows[0]["system"]), (1, &Json::from("syslog")));
}

#[test]
fn messages_identify_daemons_under_any_file_name() {
    let controller = "[2026-11-21T02:16:10.000] slurmctld version 24.11.5 started on cluster c\n\
        [2026-11-21T02:16:11.000] _slurm_rpc_submit_batch_job: JobId=7 InitPrio=1 usec=300\n\
        [2026-11-21T02:16:12.000] sched: Allocate JobId=7 NodeList=n1 #CPUs=1 Partition=p\n\
        [2026-11-21T02:16:13.000] _job_complete: JobId=7 WEXITSTATUS 1\n";
    let node = "[2026-11-21T02:16:12.500] Launching batch job 7 for UID 1000\n\
        [2026-11-21T02:16:12.900] [7.batch] done with job\n";
    let done = "JobId=7 UserId=u(1000) GroupId=u(1000) Name=j JobState=FAILED Partition=p TimeLimit=5 StartTime=2026-11-21T02:16:12 EndTime=2026-11-21T02:16:13 NodeList=n1 NodeCnt=1 ProcCnt=1 WorkDir=/ ReservationName= Tres=cpu=1\n";
    let audit = "2026-11-21T02:16:10.1+00:00 uid=0 pid=2 uep=fbe9aa84-27ac-492c-b42b-364ca025d92a fid=e4d34405-b3af-4a03-a1c3-924b987abc24 tid=eb15984c-b794-4f41-941c-52dd181df79e bid= RECEIVED\n";
    let other = "[2026-11-21T02:16:10.000] slurm is nice\n[2026-11-21T02:16:11.000] so is this\n";
    let rows = sources(&[
        ("a/ctl.txt", controller),
        ("b/slurmctld.log-20261122", controller),
        ("c/x", node),
        ("d/finished", done),
        ("e/audit-nov.log", audit),
        ("f/other.log", other),
    ]);
    let layouts: Vec<&str> = rows.iter().map(|r| r["layout"].as_str().unwrap()).collect();
    let expected = [
        "slurm.daemon",
        "slurm.daemon",
        "slurm.step",
        "slurm.jobcomp",
        "globus_compute.audit",
        "time",
    ];
    assert_eq!(layouts, expected, "{rows:?}");
    assert_eq!(
        Run::of(&[("ctl.txt", controller)]).states("slurm.job")["FAILED"],
        1
    );
}

#[test]
fn each_line_of_accounting_is_a_job() {
    let text = "JobID|JobName|State|ExitCode|End\n\
        7|one|COMPLETED|0:0|2026-11-21T02:16:10\n\
        8_2|arr|TIMEOUT|0:0|2026-11-21T02:16:10\n\
        8_[3-9%2]|arr|PENDING|0:0|Unknown\n\
        9+0|het|COMPLETED|0:0|2026-11-21T02:16:10\n\
        9+1|het|FAILED|1:0|2026-11-21T02:16:10\n";
    let run = Run::of(&[("usage.txt", text)]);
    assert_eq!(run.states("slurm.job").values().sum::<usize>(), 5);
    let reports = run.top(usize::MAX);
    assert!(reports.contains("Slurm job 9+1"), "{reports}");
    assert!(reports.contains("Slurm job 8_2"), "{reports}");
    let columns = "       JobID    JobName      State   ExitCode\n\
        ------------ ---------- ---------- ----------\n\
        8_[300-999%+        arr    PENDING        0:0\n         9+1        het     FAILED        1:0\n";
    let run = Run::of(&[("sacct.out", columns)]);
    assert_eq!(run.states("slurm.job").values().sum::<usize>(), 2);
}

#[test]
fn a_traceback_whose_marks_lost_their_margin_is_whole() {
    let text = "Traceback (most recent call last):\n  File \"/a/scheduler.py\", line 5, in update\n    g(x)\n^^^^\n\
        \x20 File \"/a/pickle.py\", line 7, in loads\n    return h(x)\n^^^^^^^^^^^\nRuntimeError: the graph of tasks could not be read. This as a rule\n\
        means that versions differ.\n";
    let reports = Run::of(&[("client.log", text)]).reported();
    let expected = "error: RuntimeError: the graph of tasks could not be read. This as a rule";
    assert_eq!(reports, [expected]);
}

#[test]
fn keys_behind_an_exception_are_not_its_text_and_say_where() {
    let tag = "557c1ed8-f2fd-47da-951d-511f7fb58909";
    let head = |time: &str, level: &str, who: &str| {
        format!("[2026-11-21 02:16:{time}] [tid=7 pid=7]  {level:8} ({who}) ")
    };
    let text = [
        head("10.100", "DEBUG", "academy.handle"),
        format!(
            "Invoking action boom with tag id {tag} action: boom action_tag: {tag} action_state: start action_args: (1,) action_kwargs: {{}} agent_id: AgentId<dub>\n"
        ),
        head("10.200", "DEBUG", "academy.runtime"),
        format!(
            "Invoking action boom with invocation id {tag} action: boom action_tag: {tag} action_state: execute_start\n"
        ),
        head("10.300", "ERROR", "academy.runtime"),
        format!(
            "Action boom ended with exception, with invocation id {tag}, serializer: pickle\nTraceback (most recent call last):\n  File \"/a/run.py\", line 3, in boom\nValueError: cannot double 7 action: boom action_tag: {tag} action_state: execute_exception\n"
        ),
        head("10.400", "DEBUG", "academy.handle"),
        format!(
            "Completed action boom with tag id {tag} with exception action: boom action_tag: {tag} action_state: exception\n"
        ),
    ];
    let run = Run::of(&[("acad.log", &text.concat())]);
    let reports = run.reported();
    assert_eq!(
        reports,
        [format!(
            "error: Action {tag} of boom failed: ValueError: cannot double 7"
        )]
    );
    let mut actions = run
        .found
        .occurring
        .iter()
        .filter(|i| i.entity.name == "academy.action");
    let actions = actions.next().unwrap();
    let place = actions.places(&run.snapshot, &actions.list[0]);
    assert_eq!(
        place,
        [("academy.agent_id".to_owned(), "AgentId<dub>".to_owned())]
    );
}

#[test]
fn a_debug_log_reports_exits_and_workers() {
    let line = |s: &str, what: &str| format!("2026/11/21 02:16:{s} makeflow[9] wq: {what}\n");
    let text = [
        line("10.00", "Task 1 state change: UNKNOWN (0) to WAITING (1)"),
        line("10.00", "Task 2 state change: UNKNOWN (0) to WAITING (1)"),
        line("10.10", "worker 10.0.0.2:4000 connected"),
        line(
            "10.20",
            "rx from vm (10.0.0.2:4000): info worker-id worker-a273",
        ),
        line("10.30", "tx to vm (10.0.0.2:4000): task 1"),
        line("10.30", "Task 1 state change: WAITING (1) to RUNNING (2)"),
        line("11.00", "rx from vm (10.0.0.2:4000): result 0 3 0 358383 1"),
        line(
            "11.00",
            "Task 1 state change: RUNNING (2) to WAITING_RETRIEVAL (3)",
        ),
        line("11.10", "Task 1 state change: RETRIEVED (4) to DONE (5)"),
        line("11.20", "tx to vm (10.0.0.2:4000): task 2"),
        line("11.20", "Task 2 state change: WAITING (1) to RUNNING (2)"),
        line("12.00", "rx from vm (10.0.0.2:4000): result 0 0 0 358383 2"),
        line("12.10", "Task 2 state change: RETRIEVED (4) to DONE (5)"),
        line("12.50", "worker vm (10.0.0.2:4000) removed"),
        line(
            "19.00",
            "workers connections -- known: 0, connecting: 0, available: 0.",
        ),
    ];
    let run = Run::of(&[("mf.debug", &text.concat())]);
    let states = run.states("work_queue.task");
    assert_eq!((states["DONE"], states["FAILED"]), (1, 1));
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mf.debug"), text.concat()).unwrap();
    let rows = printed("entities", &["--of", "work_queue.worker"], dir.path());
    assert_eq!(rows[0]["duration_s"], 2.4);
    let rows = printed("utilisation", &["work_queue.task"], dir.path());
    assert!(!rows.is_empty());
}

#[test]
fn what_the_scheduler_logs_as_events_ends_workers() {
    let event = |time: f64, action: &str, worker: &str| {
        format!(
            r#"{{"topic":"all","timestamp":{time},"event":{{"action":"{action}","worker":"tcp://10.0.0.{worker}:4000"}}}}"#
        ) + "\n"
    };
    let text = [
        event(1795399331.8, "add-worker", "2"),
        event(1795399332.3, "add-worker", "3"),
        event(1795399334.6, "remove-worker", "3"),
        event(1795399338.0, "worker-status-change", "2"),
    ];
    assert_is_understood("events", &Run::of(&[("events.jsonl", &text.concat())]));
}

#[test]
fn a_dump_of_a_cluster_without_records_is_listed() {
    let task = |n: usize| format!("      - <TaskState 'simulate-{n}' memory>\n");
    let tasks: String = (0..30).map(task).collect();
    let text = format!(
        "scheduler:\n  address: tcp://10.0.0.1:8786\n  clients:\n    Client-a:\n      client_key: Client-a\n      wants_what:\n{tasks}"
    );
    let rows = sources(&[
        ("state.yaml", &text),
        ("run.log", "2026-11-21 10:00:00 started\n"),
    ]);
    let dumps: Vec<&Json> = rows
        .iter()
        .filter(|r| r.to_string().contains("state.yaml"))
        .collect();
    assert!(dumps[0].to_string().contains("YAML document"), "{rows:?}");
}

#[test]
fn jobs_that_were_asked_for_have_states() {
    let job = |id: u32, state: &str| {
        format!(
            r#"{{"id":{id},"workdir":"sim/{id}","tags":{{}},"app_id":1,"state":"{state}","last_update":"2026-11-21T01:43:43.0+00:00","parent_ids":[]}}"#
        )
    };
    let json = format!(
        r#"{{"count":2,"results":[{},{}]}}"#,
        job(1, "JOB_FINISHED"),
        job(2, "FAILED")
    );
    let list = "ID   Site    App    Workdir   State           Tags\n1    demo    Sim    sim/1     JOB_FINISHED    {'a': 'b'}\n2    demo    Sim    sim/2     FAILED          {'a': 'b'}\n";
    for (name, text) in [("jobs_api.json", json.as_str()), ("cli_job_ls.txt", list)] {
        let states = Run::of(&[(name, text)]).states("balsam.job");
        assert_eq!((states["JOB_FINISHED"], states["FAILED"]), (1, 1), "{name}");
    }
}

#[test]
fn a_parent_without_a_record_is_reported() {
    let span = |id: &str, parent: &str| {
        format!(
            r#"{{"name": "step", "context": {{"trace_id": "0x74770ec80bbec386431bb449966156f0", "span_id": "0x{id}", "trace_state": "[]"}}, "kind": "SpanKind.INTERNAL", "parent_id": {parent}, "start_time": "2026-11-21T01:55:40.613279Z", "end_time": "2026-11-21T01:55:40.650443Z", "status": {{"status_code": "UNSET"}}, "attributes": {{}}, "events": [], "links": [], "resource": {{"attributes": {{"service.name": "pipeline"}}, "schema_url": ""}}}}"#
        ) + "\n"
    };
    let reports = |parent: &str| {
        let text =
            span("ac6fe7ed612b60be", parent) + &span("ac6fe7ed612b60bf", "\"0xac6fe7ed612b60be\"");
        let run = Run::of(&[("spans.jsonl", &text)]);
        let all = run
            .diagnosis
            .unknown
            .join(" ")
            .contains("1 span is named as parent");
        (run.words().contains("1 span is named as parent"), all)
    };
    assert_eq!(reports("\"0x44802bcd09663ec4\""), (true, true));
    assert_eq!(reports("null"), (false, false));
}

/// Dask 2023.6: keys that a client takes back, and workers that stop before their scheduler sees it.
#[test]
fn what_is_taken_back_and_who_is_seen_to_end_have_ended() {
    let line = |at: &str, who: &str, said: &str| {
        format!("2026-11-23 08:28:{at} - distributed.{who} - INFO - {said}\n")
    };
    let log = [
        line(
            "04,000",
            "scheduler",
            "  Scheduler at:     tcp://127.0.0.1:18779",
        ),
        line(
            "05,000",
            "scheduler",
            "Register worker <WorkerState 'tcp://127.0.0.1:39473', name: a, status: init, memory: 0, processing: 0>",
        ),
        line(
            "06,000",
            "scheduler",
            "Client Client-x-1 requests to cancel 1 keys",
        ),
        line(
            "06,000",
            "scheduler",
            "Scheduler cancels key solve-7.  Force=False",
        ),
        line(
            "07,000",
            "worker",
            "Stopping worker at tcp://127.0.0.1:39473. Reason: nanny-close",
        ),
        line(
            "07,100",
            "scheduler",
            "Remove worker <WorkerState 'tcp://127.0.0.1:39473', name: a, status: closing, memory: 0, processing: 0>",
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("cluster.log"), log.concat()).unwrap();
    let states = |of: &str| -> Vec<(String, u64)> {
        let rows = printed("states", &["--final", of], dir.path());
        let row = |r: &Json| Some((r["state"].as_str()?.to_owned(), r["count"].as_u64()?));
        rows.iter().filter_map(row).collect()
    };
    let cancelled = "cancelled-by-client".to_owned();
    assert_eq!(states("dask.task"), [(cancelled, 1)]);
    assert_eq!(states("dask.worker"), [("removed".to_owned(), 1)]);
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["states", "--final", "dask.worker"])
        .arg(dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        text.contains("removed") && !text.contains("cannot be"),
        "{text}"
    );
    let hung = printed("hung", &[], dir.path());
    assert!(hung.iter().all(|row| row["kind"] != "entity"), "{hung:?}");
}
