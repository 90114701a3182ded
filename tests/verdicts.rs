//! What is said to hang and to be wrong, on lines of real runs: what a state means, what is trouble and what only has its words.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use widetui::analysis::diagnose::Severity;

mod looked;

use looked::Run;

/// Academy 1.0.0 over redis: the listener of the caller had died, so nobody received the answer.
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
    let told = run.words();
    assert!(
        told.contains(
            "its last execution was completed at 01:43:59.925, but its result did not come back"
        ),
        "{told}"
    );
    assert!(!told.contains("No record says that work"), "{told}");
    let title = &run.diagnosis.findings[0].title;
    assert!(title.contains("its result did not come back"), "{title}");
    // Not even that: it is still at work.
    let run = Run::of(&[("submit.log", CALLER), ("agent.log", AGENT_BEGINS)]);
    let stuck = &run.hung.stuck[0];
    assert!(stuck.begun_there.is_some() && stuck.finished_there.is_none());
    // The caller's own word is the last one, wherever its record stands.
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
    // One of many, of the same template.
    let run = Run::of(&[(
        "counts.txt",
        &(counts.to_owned() + "7 tasks done, 5 failed\n"),
    )]);
    let told: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    assert_eq!(told, ["7 tasks done, 5 failed"]);
    assert_eq!(run.diagnosis.findings[0].count, 1);
}

/// Files that lie beside logs and are no logs.
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
    let told: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    assert_eq!(told, ["gone"]);
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
    let told = run.findings(|f| f.severity == Severity::Error);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(
        told[0]
            .title
            .ends_with("(4 times: nid003, tcp://10.0.2.99:5)"),
        "{told:#?}"
    );
    assert!(told[0].text.contains("nid003 (3 times)"), "{told:#?}");
}

/// The same: a worker's text log says that a task raised, nothing says that it was tried again and ended well.
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
    let told = &run.diagnosis.findings;
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(
        told[0]
            .title
            .starts_with("1 Dask task of flaky raised an exception: ConnectionResetError"),
        "{told:#?}"
    );
    assert!(
        told[0].text.contains("Whether it was tried again"),
        "{told:#?}"
    );
    let summary = &run.diagnosis.summary;
    assert!(
        summary.contains("1 raised an exception") && !summary.contains("failed"),
        "{summary}"
    );
    assert!(!run.words().contains("without success"), "{}", run.words());
}

/// What a batch system says when it ended a job has its time in its words.
#[test]
fn the_end_of_a_job_has_its_time() {
    let killed = "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-11-20T18:57:57 DUE TO TIME LIMIT ***\n";
    let output = format!("step 1\nstep 2\n{killed}");
    let log = "2026-11-20 18:50:00,100 INFO began\n2026-11-20 18:57:59,100 INFO gone\n";
    // In a log whose times are UTC the moment cannot be told.
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
        .filter_map(|id| run.snapshot.event(widetui::base::ids::EventId(*id)))
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

/// Flux's lines stand amid whatever a job writes; a number stands before some of them.
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
        "One task of a parallel job ended",
        "reached its time limit",
        "Tasks of a job were killed",
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
    let told: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    assert_eq!(told, ["Workers lost their scheduler (w0)"]);
    let closed = "2026-11-21 22:07:48,100 - distributed.scheduler - INFO - Closing scheduler. Reason: signal-15\n";
    let run = Run::of(&[
        ("scheduler.log", &(began.to_owned() + closed)),
        ("worker-0.log", lost),
    ]);
    let told = run.findings(|f| f.severity == Severity::Error);
    assert!(told.is_empty(), "{told:#?}");
}

/// A task whose exception the client logs as well: as Python shows objects, and as a traceback.
#[test]
fn one_exception_in_two_spellings_is_one_finding() {
    let worker = "\
2026-11-21 22:08:40,100 - distributed.worker - ERROR - Compute Failed
Key:       imp-5f88
State:     executing
Task:  <Task 'imp-5f88' imp(...)>
Exception: 'ModuleNotFoundError(\"No module named \\'no_such\\'\")'
Traceback: ''

";
    let client = "\
2026-11-21 22:08:40,200 - app - ERROR - run failed
Traceback (most recent call last):
  File \"d.py\", line 41, in imp
    import no_such
ModuleNotFoundError: No module named 'no_such'
";
    let run = Run::of(&[("worker-0.log", worker), ("client.log", client)]);
    let told: Vec<&str> = run.diagnosis.findings.iter().map(|f| &*f.title).collect();
    assert_eq!(
        told,
        ["1 Dask task of imp raised an exception: ModuleNotFoundError: No module named 'no_such'"]
    );
}

/// The output of a program without a log: each line that is not indented is a record of its own.
#[test]
fn a_traceback_in_plain_output_is_named_by_the_line_behind_it() {
    let output = "\
Traceback (most recent call last):
  File \"/venv/lib/python3.11/site-packages/parsl/executors/workqueue/executor.py\", line 263, in __init__
    raise OptionalModuleMissing(['work_queue'], \"WorkQueueExecutor requires the work_queue module.\")
parsl.errors.OptionalModuleMissing: The functionality requested requires optional modules ['work_queue'] which could not be imported
";
    let run = Run::of(&[("driver.out", output)]);
    let told = &run.diagnosis.findings;
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].title.contains("needs a module"), "{told:#?}");
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

/// Lines of a job service that wrote local time without a zone, and of its event log, which has one.
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
    let told = run.words();
    assert!(!told.contains("name no zone"), "{told}");
}

#[test]
fn logs_that_only_may_belong_together_stay_where_they_are_and_that_is_told() {
    // Half as long as the other: a zone would bring them together, but chance may as well.
    let (local, _) = service(0, 5);
    let (_, stated) = service(330, 10);
    let run = Run::of(&[("service.log", &local), ("events.jsonl", &stated)]);
    let (from, to) = run.snapshot.range().unwrap();
    assert!(to - from > 19_800_000_000_000);
    let told = run.words();
    assert!(told.contains("lies 5 h 30 m before"), "{told}");
    assert!(told.contains("`--tz=-05:30`"), "{told}");
}

/// Jobs as Slurm's text accounting tells them, in local time without a zone, and some of them as `sacct` does with times in
/// epoch seconds, these later by so many seconds.
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
    let told = run.words();
    assert!(!told.contains("name no zone"), "{told}");
    // The same a few seconds later: no job ends in the same second, so it may be another day's.
    let (completed, table) = accounts(8 * 3600 + 5);
    let run = Run::of(&[("jobcomp.log", &completed), ("sacct.txt", &table)]);
    let (from, to) = run.snapshot.range().unwrap();
    assert!(
        to - from > 28_000_000_000_000,
        "{} s",
        (to - from) / 1_000_000_000
    );
}

/// Work Queue 7.13: of two tasks one wrote no result.
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
    let told = run.findings(|f| f.title == "A task was done without success");
    assert_eq!(told.len(), 1, "{:#?}", run.diagnosis.findings);
    assert!(
        told[0].text.contains("It is why 1 Work Queue task"),
        "{told:#?}"
    );
}

#[test]
fn what_ended_and_is_made_again_is_told() {
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
    let told = run.words();
    assert!(told.contains("All 2 Dask tasks ended."), "{told}");
    assert!(
        told.contains("1 Dask task had ended before and was being made again"),
        "{told}"
    );
}
