//! Verdicts on excerpts of real runs: meanings of states, and trouble as distinct from mere words.

use widetui_diagnosis::Severity;

use widetui_testing::diagnosed::Run;

/// Academy 1.0.0 over redis: the listener of the caller had died, so nothing received the answer.
const CALLER: &str = "\
[2026-11-21 01:42:49.714] [tid=2990 pid=2990 task=Task-1]  DEBUG    (academy.handle) Invoking action divide with tag id a76cebbf-a96d-4c23-8fdf-b17b7d7befec action: divide action_tag: a76cebbf-a96d-4c23-8fdf-b17b7d7befec action_state: start action_args: (1.0, 4.0) action_kwargs: {} agent_id: AgentId<good>
[2026-11-21 01:42:49.721] [tid=2990 pid=2990 task=Task-1]  DEBUG    (academy.handle) Waiting for result of action divide with tag id a76cebbf-a96d-4c23-8fdf-b17b7d7befec action: divide action_tag: a76cebbf-a96d-4c23-8fdf-b17b7d7befec action_state: waiting
[2026-11-21 01:46:30.100] [tid=2990 pid=2990 task=Task-1]  INFO     (academy.manager) Closed manager (UserId<4211f361>) user_id: UserId<4211f361>
";
const AGENT_BEGINS: &str = "\
[2026-11-21 01:43:59.924] [tid=3443 pid=3443 task=Task-9]  DEBUG    (academy.runtime) Invoking action divide with invocation id a76cebbf-a96d-4c23-8fdf-b17b7d7befec action: divide agent_id: AgentId<good> action_tag: a76cebbf-a96d-4c23-8fdf-b17b7d7befec action_state: execute_start
";
const AGENT_ENDS: &str = "\
[2026-11-21 01:43:59.925] [tid=3443 pid=3443 task=Task-9]  DEBUG    (academy.runtime) Completed action divide with invocation id a76cebbf-a96d-4c23-8fdf-b17b7d7befec, result serializer: pickle
";

#[test]
fn what_was_carried_out_and_not_received_says_what_is_missing() {
    let agent = format!("{AGENT_BEGINS}{AGENT_ENDS}");
    let run = Run::of(&[("submit.log", CALLER), ("agent.log", &agent)]);
    let stuck = &run.hung.stuck;
    assert_eq!(stuck.len(), 1, "{stuck:#?}");
    assert!(stuck[0].finished_there.is_some(), "{stuck:#?}");
    let reports = run.words();
    assert!(
        reports.contains(
            "its last execution was completed at 01:43:59.925, but its result was not received"
        ),
        "{reports}"
    );
    assert!(!reports.contains("No record states that work"), "{reports}");
    let first = run.top(1);
    assert!(
        first.contains("a76cebbf-a96d-4c23-8fdf-b17b7d7befec"),
        "{first}"
    );
    // The action is not even complete: it is still running.
    let run = Run::of(&[("submit.log", CALLER), ("agent.log", AGENT_BEGINS)]);
    let stuck = &run.hung.stuck[0];
    assert!(stuck.begun_there.is_some() && stuck.finished_there.is_none());
    // The caller's own record is decisive, wherever it is.
    let done = CALLER.replace("Waiting for result of", "Successfully completed");
    let run = Run::of(&[("submit.log", &done), ("agent.log", &agent)]);
    assert!(run.hung.stuck.is_empty(), "{:#?}", run.hung.stuck);
}

#[test]
fn a_number_that_is_zero_is_no_trouble() {
    let counts = "\
cmdstat_get:calls=8,usec=40,usec_per_call=5.00,rejected_calls=0,failed_calls=0
compute_failed=0
errors: 0
12 tasks done, 0 failed
";
    let run = Run::of(&[("counts.txt", counts)]);
    assert!(run.diagnosis.findings.is_empty(), "{:#?}", run.diagnosis);
    // One of many records with the same template.
    let run = Run::of(&[(
        "counts.txt",
        &(counts.to_owned() + "7 tasks done, 5 failed\n"),
    )]);
    let reports: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    assert_eq!(reports, ["7 tasks done, 5 failed"]);
    assert_eq!(run.diagnosis.findings[0].count, 1);
}

/// Files beside logs that are no logs.
#[test]
fn documents_are_listed_and_records_in_them_are_read() {
    let config = r#"{
  "on_failure": "abort: failed tasks are errors",
  "executors": [{"label": "htex", "workers": 4}],
  "provider": {"type": "slurm", "error_file": "x.err"}
}
"#;
    let package =
        r#"{"name": "x", "scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    let packages = r#"[{"name": "exceptiongroup", "version": "1.2"}, {"name": "fatal-error", "version": "2"}]"#;
    let jobs = r#"{
  "meta": {"plugin": "x"},
  "jobs": [{"id": 3, "start": "2026-11-20T10:00:00Z", "state": "ok"}, {"id": 4, "start": "2026-11-20T10:00:01Z"}]
}
"#;
    let one = r#"{
  "time": "2026-11-20T10:00:02Z",
  "level": "error",
  "message": "gone"
}
"#;
    let log = "2026-11-20 10:00:00,100 INFO started\n2026-11-20 10:00:03,100 INFO done\n";
    let run = Run::of(&[
        ("config.json", config),
        ("package.json", package),
        ("packages.json", packages),
        ("jobs.json", jobs),
        ("one.json", one),
        ("app.log", log),
    ]);
    let mut sources: Vec<(&str, bool, u64)> = run
        .snapshot
        .sources
        .iter()
        .map(|s| (&*s.tag, s.is_log, s.stats.records()))
        .collect();
    sources.sort_unstable();
    let want = [
        ("app", true, 2),
        ("config", false, 0),
        ("jobs", false, 0),
        ("jobs/jobs", true, 2),
        ("one", true, 1),
        ("package", false, 0),
        ("packages", true, 2),
    ];
    assert_eq!(sources, want);
    let reports: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    assert_eq!(reports, ["Gone"]);
}

/// Dask 2026.8: the nanny kills a worker and starts another one under its name, with a new address.
#[test]
fn incarnations_of_a_worker_are_one_finding() {
    let scheduler: String = [("37:01,000", 45543), ("37:25,000", 40275), ("37:52,000", 44683)]
        .iter()
        .map(|(at, port)| {
            format!(
                "2026-11-21 01:{at} - distributed.scheduler - INFO - Register worker addr: tcp://10.0.2.98:{port} name: nid003\n"
            )
        })
        .collect();
    let killed: String = [("37:24,660", 45543), ("37:51,252", 40275), ("37:58,100", 44683)]
        .iter()
        .map(|(at, port)| {
            format!(
                "2026-11-21 01:{at} - distributed.nanny.memory - WARNING - Worker tcp://10.0.2.98:{port} (pid=38) exceeded \
                 95% memory budget. Restarting...\n"
            )
        })
        .collect();
    let other = "2026-11-21 01:37:59,100 - distributed.nanny.memory - WARNING - Worker tcp://10.0.2.99:5 (pid=8) exceeded 95% \
                 memory budget. Restarting...\n";
    let run = Run::of(&[
        ("scheduler.log", &scheduler),
        ("worker.log", &(killed + other)),
    ]);
    assert_eq!(run.reported().len(), 1, "{:#?}", run.diagnosis);
    let top = run.top(1);
    for address in ["tcp://10.0.2.98:45543", "tcp://10.0.2.99:5"] {
        assert!(top.contains(address), "{top}");
    }
}

/// The text log of a worker reports an exception of a task, and no record reports a successful retry.
#[test]
fn a_task_that_raised_may_have_been_tried_again() {
    let failed = |at: &str| {
        format!(
            "2026-11-21 07:43:{at} - distributed.worker - ERROR - Compute Failed\nKey:       ('flaky', 0)\nState:     executing\n\
             Task:  <Task ('flaky', 0) flaky(...)>\nException: \"ConnectionResetError(104, 'peer reset connection')\"\n\
             Traceback: ''\n\n"
        )
    };
    let log = failed("00,959") + &failed("01,120");
    let run = Run::of(&[("worker-nid003.log", &log)]);
    let reports = &run.diagnosis.findings;
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert!(run.top(1).contains("ConnectionResetError"), "{reports:#?}");
    let summary = &run.diagnosis.summary;
    assert!(
        summary.contains("1 raised an exception") && !summary.contains("failed"),
        "{summary}"
    );
    assert!(!run.words().contains("failed"), "{}", run.words());
}

/// The message of a batch system about a killed job contains its time.
#[test]
fn the_end_of_a_job_has_its_time() {
    let killed = "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-11-20T18:57:57 DUE TO TIME LIMIT ***\n";
    let output = format!("step 1\nstep 2\n{killed}");
    let log = "2026-11-20 18:50:00,100 INFO began\n2026-11-20 18:57:59,100 INFO gone\n";
    // In a log with UTC times the zone of the message cannot be decided.
    let json =
        "{\"ts\": \"2026-11-20T17:50:00Z\", \"level\": \"info\", \"msg\": \"began\"}\n".repeat(3);
    let run = Run::of(&[
        ("slurm-77.out", &output),
        ("app.log", log),
        ("app.jsonl", &format!("{json}{killed}")),
    ]);
    let mut times: Vec<(String, Option<i64>)> = run
        .snapshot
        .order
        .iter()
        .filter_map(|id| run.snapshot.event(widetui_core::ids::EventId(*id)))
        .filter(|e| {
            e.template()
                .is_some_and(|t| t.text.contains("DUE TO TIME LIMIT"))
        })
        .map(|e| (e.source().tag.clone(), e.time()))
        .collect();
    times.sort();
    let want = [
        ("app".to_owned(), None),
        ("out/77".to_owned(), Some(1_795_201_077_000_000_000)),
    ];
    assert_eq!(times, want);
    let found = run.findings(|f| f.title.contains("time limit"));
    assert_eq!(found.len(), 1, "{:#?}", run.diagnosis);
    assert_eq!(found[0].first, want[1].1);
}

/// Flux's lines are interleaved with the output of jobs; a number precedes some of them.
#[test]
fn lines_of_flux_are_known_amid_others() {
    let output = "\
starting
0.377s: flux-shell[0]: ERROR: plugin 'oom': shell.init failed
0.4 s: not of it
230.4s: flux-shell[0]: FATAL: doom: sh: rank 3 on host frontier10490 exited and exit-timeout=30s has expired
230.5s: job.exception type=timeout severity=0 resource allocation expired
flux-job: task(s) exited with exit code 137
";
    let log = "2026-11-20 18:50:00,100 INFO began\n230.4s: flux-shell[2]: FATAL: task 0: start failed: x: No such file\n  more\n";
    let run = Run::of(&[("job.out", output), ("app.log", log)]);
    let titles: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    for part in [
        "rank 3 on host frontier10490 exited and exit-timeout=30s has expired",
        "resource allocation expired",
        "exited with exit code 137",
    ] {
        assert!(
            titles.iter().any(|t| t.contains(part)),
            "{part}: {titles:#?}"
        );
    }
    let own = run
        .snapshot
        .sources
        .iter()
        .find(|s| s.tag == "app")
        .unwrap();
    assert_eq!(own.stats.records(), 2);
}

/// Dask 2026.8: a scheduler that was killed, and one that was closed.
#[test]
fn workers_that_lost_their_scheduler_say_so() {
    let lost = "\
2026-11-21 22:07:48,697 - distributed.core - INFO - Connection to tcp://127.0.0.1:18802 has been closed.
2026-11-21 22:07:48,697 - distributed.worker - INFO - Stopping worker at tcp://127.0.0.1:36965. Reason: worker-handle-scheduler-connection-broken
2026-11-21 22:07:48,764 - distributed.worker - ERROR - Failed to communicate with scheduler during heartbeat.
Traceback (most recent call last):
  File \"/venv/lib/python3.11/site-packages/distributed/core.py\", line 1434, in connect
    raise CommClosedError(\"ConnectionPool closing.\")
distributed.comm.core.CommClosedError: ConnectionPool closing.
";
    let began = "2026-11-21 22:07:40,100 - distributed.scheduler - INFO - Register worker addr: tcp://127.0.0.1:36965 name: w0\n";
    let run = Run::of(&[("scheduler.log", began), ("worker-0.log", lost)]);
    assert_eq!(run.reported(), ["error: Workers lost their scheduler"]);
    assert!(run.top(1).contains("ConnectionPool closing"));
    let closed = "2026-11-21 22:07:48,100 - distributed.scheduler - INFO - Closing scheduler. Reason: signal-15\n";
    let run = Run::of(&[
        ("scheduler.log", &(began.to_owned() + closed)),
        ("worker-0.log", lost),
    ]);
    let reports = run.findings(|f| f.severity == Severity::Error);
    assert!(reports.is_empty(), "{reports:#?}");
}

/// The output of a program without a log: each line that is not indented is a record.
#[test]
fn a_traceback_in_plain_output_is_named_by_the_line_behind_it() {
    let output = "\
Traceback (most recent call last):
  File \"/venv/lib/python3.11/site-packages/parsl/executors/workqueue/executor.py\", line 263, in __init__
    raise OptionalModuleMissing(['work_queue'], \"WorkQueueExecutor requires the work_queue module.\")
parsl.errors.OptionalModuleMissing: The functionality requested requires optional modules ['work_queue'] which could not be imported
";
    let run = Run::of(&[("driver.out", output)]);
    let reports = &run.diagnosis.findings;
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert!(
        reports[0].title.contains("OptionalModuleMissing"),
        "{reports:#?}"
    );
}

#[test]
fn what_waits_to_be_tried_again_is_not_carried_out() {
    let task = "26bd970e-7299-4660-a4c4-c28bbaf8c4a1";
    let lines = |again: &str| {
        format!(
            "[2026-11-21 21:23:49,022: INFO/MainProcess] Task tasks.flaky[{task}] received\n\
             [2026-11-21 21:23:49,254: INFO/ForkPoolWorker-2] tasks.flaky[{task}]: fetching\n\
             {again}\
             [2026-11-21 21:23:50,022: INFO/MainProcess] Task tasks.add[36bd970e-7299-4660-a4c4-c28bbaf8c4a2] received\n\
             [2026-11-21 21:24:30,254: INFO/ForkPoolWorker-2] Task tasks.add[36bd970e-7299-4660-a4c4-c28bbaf8c4a2] succeeded in 0.1s: 3\n"
        )
    };
    let begun = |text: &str| {
        let run = Run::of(&[("alpha.log", text)]);
        let stuck: Vec<_> = run.hung.stuck.iter().collect();
        assert_eq!(stuck.len(), 1, "{stuck:#?}");
        stuck[0].begun_there.is_some()
    };
    assert!(begun(&lines("")));
    let again = format!(
        "[2026-11-21 21:23:49,300: INFO/ForkPoolWorker-2] Task tasks.flaky[{task}] retry: Retry in 600s: ValueError('away')\n"
    );
    assert!(!begun(&lines(&again)));
}

/// Lines of a job service in local time without a zone, and of its event log with a zone.
fn service(shift_min: i64, step_s: i64) -> (String, String) {
    let clock = |s: i64| {
        let s = 8 * 3600 + s;
        format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    };
    let (mut local, mut stated) = (String::new(), String::new());
    for n in 0..30 {
        let at = clock(n * step_s);
        let there = clock(n * step_s + 60 * shift_min + 1);
        local += &format!("2026-11-20 {at},000 - service - INFO - step {n} is taken\n");
        stated +=
            &format!("{{\"time\": \"2026-11-20T{there}Z\", \"message\": \"event {n} is sent\"}}\n");
    }
    (local, stated)
}

#[test]
fn logs_without_a_zone_are_laid_beside_those_that_name_theirs() {
    let (local, stated) = service(330, 10);
    let run = Run::of(&[("service.log", &local), ("events.jsonl", &stated)]);
    let (from, to) = run.snapshot.range().unwrap();
    assert!(
        to - from < 300_000_000_000,
        "{} s",
        (to - from) / 1_000_000_000
    );
    let reports = run.words();
    assert!(!reports.contains("have no zone"), "{reports}");
}

#[test]
fn logs_that_only_may_belong_together_stay_where_they_are_and_that_is_reported() {
    // Half as long as the other: a zone would align them, but so may chance.
    let (local, _) = service(0, 5);
    let (_, stated) = service(330, 10);
    let run = Run::of(&[("service.log", &local), ("events.jsonl", &stated)]);
    let (from, to) = run.snapshot.range().unwrap();
    assert!(to - from > 19_800_000_000_000);
    let reports = run.words();
    assert!(reports.contains("are 5 h 30 m before"), "{reports}");
    assert!(reports.contains("`--tz=-05:30`"), "{reports}");
}

/// Jobs as reported by Slurm's text accounting, in local time without a zone, and some of them as reported by `sacct`
/// in Unix seconds, `later` seconds later.
fn accounts(later: i64) -> (String, String) {
    // 2026-11-20T18:09:00Z
    const START: i64 = 1_795_198_140;
    let mut completed = String::new();
    let mut table = "JobID|State|Submit|Start|End\n".to_owned();
    for job in 1..=20 {
        let (submit, end) = (job * 17 % 60, 60 + job * 470 % 2400);
        let clock = |s: i64| format!("2026-11-20T18:{:02}:{:02}", 9 + s / 60, s % 60);
        completed += &format!(
            "JobId={job} UserId=ada(1001) GroupId=ada(1001) Name=step JobState=COMPLETED Partition=regular TimeLimit=2 \
             StartTime={} EndTime={} NodeList=n1 NodeCnt=1 ProcCnt=1 WorkDir=/home/ada ReservationName= Tres=cpu=1 \
             Account=a QOS=normal WcKey= Cluster=c SubmitTime={} EligibleTime={} DerivedExitCode=0:0 ExitCode=0:0 \n",
            clock(submit),
            clock(end),
            clock(submit),
            clock(submit),
        );
        if (6..10).contains(&job) {
            let at = |s: i64| START + s + later;
            table += &format!(
                "{job}|COMPLETED|{}|{}|{}\n",
                at(submit),
                at(submit),
                at(end)
            );
        }
    }
    (completed, table)
}

#[test]
fn what_two_logs_say_about_the_same_jobs_proves_the_zone_of_one() {
    let (completed, table) = accounts(8 * 3600);
    let run = Run::of(&[("jobcomp.log", &completed), ("sacct.txt", &table)]);
    let (from, to) = run.snapshot.range().unwrap();
    assert!(
        to - from < 3_000_000_000_000,
        "{} s",
        (to - from) / 1_000_000_000
    );
    let reports = run.words();
    assert!(!reports.contains("have no zone"), "{reports}");
    // The same a few seconds later: no job ends in the same second, so it may be another day.
    let (completed, table) = accounts(8 * 3600 + 5);
    let run = Run::of(&[("jobcomp.log", &completed), ("sacct.txt", &table)]);
    let (from, to) = run.snapshot.range().unwrap();
    assert!(
        to - from > 28_000_000_000_000,
        "{} s",
        (to - from) / 1_000_000_000
    );
}

/// Work Queue 7.13: one of two tasks wrote no result.
const TRANSACTIONS: &str = "\
# time manager_pid TASK id WAITING category first_allocation resources_requested
# time manager_pid TASK id DONE result exit_code output_bytes allocation measured_resources
1795225757100000 300 TASK 1 WAITING fine FIRST_RESOURCES {}
1795225757200000 300 TASK 2 WAITING fine FIRST_RESOURCES {}
1795225758100000 300 TASK 1 DONE SUCCESS  0  {} {}
1795225758200000 300 TASK 2 DONE OUTPUT_MISS  3  {} {}
";

#[test]
fn a_task_that_is_done_without_a_result_has_failed() {
    let run = Run::of(&[("WorkQueueExecutor/transaction_log", TRANSACTIONS)]);
    let goals = &run.hung.goals;
    let counts: Vec<_> = goals.iter().map(|g| (g.begun, g.ended, g.failed)).collect();
    assert_eq!(counts, [(2, 2, 1)], "{goals:?}");
}

#[test]
fn what_ended_and_is_made_again_is_reported() {
    let step = |key: &str, from: &str, to: &str, at: &str| {
        format!(
            "{{\"key\": \"{key}\", \"start\": \"{from}\", \"finish\": \"{to}\", \"recommendations\": {{}}, \"stimulus_id\": \"s\", \"timestamp\": 1795225022.{at}}}\n"
        )
    };
    let mut log = String::new();
    for key in ["one", "two"] {
        log += &step(key, "waiting", "processing", "10");
        log += &step(key, "processing", "memory", "20");
    }
    log += &step("one", "memory", "released", "30");
    log += &step("one", "released", "waiting", "40");
    let run = Run::of(&[("transitions.jsonl", &log)]);
    let reports = run.words();
    assert!(reports.contains("1 of 2 Dask tasks ended."), "{reports}");
    assert!(
        reports.contains("1 Dask task had ended before and was open again"),
        "{reports}"
    );
}

/// Records in Parsl's own layout, each at (seconds after 05:33:20, message).
fn parsl(who: &str, logger: &str, records: &[(f64, &str)]) -> String {
    let line = |(at, said): &(f64, &str)| {
        let (micros, clock) = ((at * 1e6) as u64, 33 * 60 + 20 + *at as u64);
        let (minute, second) = (clock / 60, clock % 60);
        format!(
            "{}.{:06} 2026-11-23 05:{minute:02}:{second:02} {who}-17 MainThread-139876898941824 parsl.{logger}:7 f INFO: {said}\n",
            1_795_412_000 + micros / 1_000_000,
            micros % 1_000_000
        )
    };
    records.iter().map(line).collect()
}

fn dfk_log(records: &[(f64, &str)]) -> String {
    parsl("MainProcess", "dataflow.dflow", records)
}

/// Records of Parsl about task 0 until its launch, and further ones.
fn launched(records: &[(f64, &str)]) -> String {
    let begun = [RUN_ID, SUBMITTED, PENDING, CHANGED, LAUNCHED];
    dfk_log(&[&begun[..], records].concat())
}

fn interchange(records: &[(f64, &str)]) -> String {
    parsl(
        "MainProcess",
        "executors.high_throughput.interchange",
        records,
    )
}

fn pool(who: &str, records: &[(f64, &str)]) -> String {
    parsl(
        who,
        "executors.high_throughput.process_worker_pool",
        records,
    )
}

const RUN_ID: (f64, &str) = (0.0, "Run id is: 8aa0f858-4f6d-4cac-b59c-d03a3db0a311");
const SUBMITTED: (f64, &str) = (
    1.0,
    "Task 0 submitted for App ok, not waiting on any dependency",
);
const PENDING: (f64, &str) = (1.1, "Task 0 initializing state to pending");
const CHANGED: (f64, &str) = (2.0, "Task 0 changing state from pending to launched");
const LAUNCHED: (f64, &str) = (
    2.1,
    "Parsl task 0 try 0 launched on executor htex with executor id 1",
);
const POLLED: &str = "Sending command client command";
const REGISTERED: (f64, &str) = (
    3.1,
    "Registered manager b'a22049ef1414' (py3.11, 2026.10.26) and added to ready queue",
);
const REGISTRATION: (f64, &str) = (
    3.0,
    "Registration info for manager b'a22049ef1414': {'type': 'registration', 'worker_count': 2, 'uid': 'a22049ef1414', \
     'block_id': '0', 'os': 'Linux', 'hostname': 'vm', 'dir': '/home/hpcuser'}",
);

/// Parsl 2026.10.26 with monitoring, its DFK killed: the database still receives the reports of workers.
#[test]
fn a_database_knows_no_more_than_who_fills_it() {
    let log = launched(&[(60.0, POLLED)]);
    let worker = pool(
        "HTEX-Worker-1",
        &[
            (115.0, "Worker 1 started"),
            (116.4, "Received executor task 1"),
            (120.3, "Completed executor task 1"),
            (120.4, "All processing finished for executor task 1"),
        ],
    );
    let id = "8aa0f858-4f6d-4cac-b59c-d03a3db0a311";
    let status = format!(
        "task_id,task_status_name,timestamp,run_id,try_id\n\
         0,pending,2026-11-23 05:33:21.100000,{id},0\n0,launched,2026-11-23 05:33:22.000000,{id},0\n\
         0,running,2026-11-23 05:35:16.600000,{id},0\n0,running_ended,2026-11-23 05:35:20.900000,{id},0\n"
    );
    let run = Run::of(&[
        ("000/parsl.log", &log),
        ("000/htex/block-0/a22049ef1414/worker_1.log", &worker),
        ("status.csv", &status),
    ]);
    let stuck = &run.hung.stuck[0];
    assert_eq!(stuck.state.as_deref(), Some("launched"), "{stuck:#?}");
    let reports = run.words();
    assert!(
        reports.contains(
            "it is not known whether its result was received: dfk ends before that, at 05:34:20.000"
        ),
        "{reports}"
    );
}

/// Parsl 2026.10.26: the start script of the only block of an executor did not finish.
#[test]
fn where_nobody_came_nothing_could_begin() {
    let words_until = |end: f64, records: &[(f64, &str)]| {
        let log = launched(&[(32.0, POLLED)]);
        let mut all = vec![(0.5, "Initializing Interchange process")];
        all.extend_from_slice(records);
        all.push((end, "Received command request: CONNECTED_BLOCKS"));
        let interchange = interchange(&all);
        let run = Run::of(&[
            ("000/parsl.log", &log),
            ("000/htex/interchange.log", &interchange),
        ]);
        run.words()
    };
    let nobody = "No manager joined executor htex in the next 29.0 s.";
    let words = words_until(31.0, &[]);
    assert!(words.contains(nobody), "{words}");
    let words = words_until(31.0, &[REGISTRATION, REGISTERED]);
    assert!(!words.contains("No manager"), "{words}");
    // The process that would have reported a manager wrote nothing more, so it is unknown whether one came.
    let words = words_until(2.5, &[]);
    assert!(!words.contains("No manager"), "{words}");
}

/// Parsl 2024.6.10 and 2026.10.26: a pool was killed, as reported by the shell of its block, and its task was retried.
#[test]
fn the_output_of_its_block_says_why_a_manager_was_lost() {
    let log = launched(&[
        (
            20.0,
            "Task 0 try 0 failed with exception of type ManagerLost",
        ),
        (
            20.1,
            "Task 0 changing state from launched to fail_retryable",
        ),
        (20.2, "Task 0 changing state from fail_retryable to pending"),
        (21.0, "Task 0 changing state from pending to launched"),
        (
            21.1,
            "Parsl task 0 try 1 launched on executor htex with executor id 2",
        ),
        (30.0, "Task 0 changing state from launched to exec_done"),
        (31.0, "DFK cleanup initiated"),
        (32.0, "DFK cleanup complete"),
    ]);
    let interchange = interchange(&[
        REGISTRATION,
        REGISTERED,
        (4.0, "Sent tasks: [1] to manager b'a22049ef1414'"),
        (
            19.8,
            "Too many heartbeats missed for manager b'a22049ef1414' - removing manager",
        ),
        (19.9, "Cancelling htex tasks [1] on removed manager"),
    ]);
    let manager = pool("MainProcess", &[(4.0, "Sent heartbeat")]);
    let worker = pool(
        "HTEX-Worker-0",
        &[(3.5, "Worker 0 started"), (4.5, "Received executor task 1")],
    );
    let output = "/home/hpcuser/000/submit_scripts/parsl.htex.block-0.1795412558.8159947.sh: line 11: 31138 Killed                  \
                  process_worker_pool.py --debug --max_workers_per_node=2\n";
    let output_of = "000/submit_scripts/parsl.htex.block-0.1795412558.8159947.sh.err";
    let run = Run::of(&[
        ("000/parsl.log", &log),
        ("000/htex/interchange.log", &interchange),
        ("000/htex/block-0/a22049ef1414/manager.log", &manager),
        ("000/htex/block-0/a22049ef1414/worker_0.log", &worker),
        (output_of, output),
    ]);
    assert_eq!(run.reported().len(), 1, "{:#?}", run.diagnosis);
    let top = run.top(1);
    assert!(top.contains("31138 Killed"), "{top}");
    assert!(top.contains("-> manager a22049ef1414 was lost"), "{top}");
}

/// Dask 2026.3: two tasks on two threads wait for tasks of their own, for ever; at the default level nothing more is
/// written.
#[test]
fn tasks_that_ask_for_tasks_are_reported_where_nothing_else_is() {
    let of = |name: &str| {
        let log = format!(
            "2026-11-23 11:47:04,052 - distributed.scheduler - INFO - Starting worker compute stream, tcp://127.0.0.1:41167\n\
             2026-11-23 11:47:05,436 - distributed.scheduler - INFO - Receive client connection: {name}-9aefe4a7-e733-11f1-9c3f-02fc00000001\n\
             2026-11-23 11:47:05,436 - distributed.core - INFO - Starting established connection to tcp://127.0.0.1:39762\n"
        );
        let run = Run::of(&[("scheduler.log", &log)]);
        let asks = run.findings(|f| f.title == "Tasks ask the scheduler for further tasks");
        // There may be trouble that these logs do not name.
        assert!(
            run.diagnosis
                .summary
                .starts_with("No record reports a problem."),
            "{}",
            run.diagnosis.summary
        );
        asks.len()
    };
    assert_eq!(of("Client-worker"), 1);
    assert_eq!(of("Client"), 0);
}

/// Parsl 2026.10.26: `worker_init` loads a module where there is no module command.
#[test]
fn a_missing_command_is_why_a_task_failed() {
    let output = "/home/hpcuser/000/submit_scripts/parsl.htex.block-0.1795412558.8159947.sh: line 1: module: command not found\n";
    let log = launched(&[
        (30.0, "Task 0 changing state from launched to failed"),
        (31.0, "DFK cleanup initiated"),
        (32.0, "DFK cleanup complete"),
    ]);
    let output_of = "000/submit_scripts/parsl.htex.block-0.1795412558.8159947.sh.err";
    let run = Run::of(&[("000/parsl.log", &log), (output_of, output)]);
    assert_eq!(run.worst(), Some(Severity::Error));
    let top = run.top(1);
    assert!(top.contains("module: command not found"), "{top}");
}
