//! Deaths of processes, which their systems report in many places: Celery, Ray, Academy, Dask.

use widetui_analysis::check::check;
use widetui_core::cancel::Cancel;
use widetui_session::meaning::Meaning;
use widetui_testing::diagnosed::Run;

fn celery(seconds: f64, level: &str, who: &str, message: &str) -> String {
    let seconds = format!("{seconds:06.3}").replace('.', ",");
    format!("[2026-11-25 16:50:{seconds}: {level}/{who}] {message}\n")
}

/// A traceback as logged by a pool of Celery, which quotes the original exception.
fn quoted(line: &str) -> String {
    let frame = "Traceback (most recent call last):\n  File \"/opt/billiard/pool.py\", line 745, in f\n    raise\n";
    format!(
        "{frame}billiard.einfo.ExceptionWithTraceback: \n\"\"\"\n{frame}billiard.exceptions.{line}\n\"\"\"\n"
    )
}

/// Celery 5.7.0: a process of the pool was killed, and its task was given up after 10 s without recovery.
#[test]
fn a_killed_process_of_a_pool_is_reported_before_the_task_that_it_took_along() {
    let die = "f244ecfe-4cb7-484e-88a8-cd638f0b84c4";
    let ready = celery(0.0, "INFO", "MainProcess", "w1@h ready.");
    let got = format!("Task tasks.die[{die}] received");
    let log = ready
        + &celery(1.0, "INFO", "MainProcess", &got)
        + &celery(
            2.0,
            "ERROR",
            "MainProcess",
            "Process 'ForkPoolWorker-3' pid:24790 exited with 'signal 9 (SIGKILL)'",
        )
        + &celery(
            15.0,
            "ERROR",
            "MainProcess",
            "Task handler raised error: WorkerLostError('Worker exited prematurely: exitcode 0 Job: 13.')",
        )
        + &quoted("WorkerLostError: Worker exited prematurely: exitcode 0 Job: 13.");
    let result = r#"{"status": "FAILURE", "result": {"exc_type": "WorkerLostError", "exc_message": ["Worker exited prematurely: exitcode 0 Job: 13."], "exc_module": "billiard.exceptions"}, "traceback": null, "children": [], "date_done": "2026-11-25T16:50:15.001+00:00", "task_id": "ID"}"#
        .replace("ID", die);
    let meta = format!("res/celery-task-meta-{die}");
    let run = Run::of(&[("worker.log", &log), (&meta, &result)]);
    let died = "error: A process of a worker died: signal 9 (SIGKILL)";
    assert_eq!(run.reported()[0], died, "{:#?}", run.diagnosis);
    assert!(run.top(1).contains("pid:24790"), "{}", run.top(1));
    // Without a result backend the log does not name the task; it only shows that one task never ended.
    let run = Run::of(&[("worker.log", &log)]);
    assert_eq!(run.reported()[0], died);
    assert_eq!(run.states("celery.task")["received"], 1);
}

const NODE: &str = "6526980e03c7ddf383ee92315829e8c9d30a3fe2e7517ce23f9b84be";

/// Records of Ray 2.60.0 about the death of a worker: an event of the raylet, with a resolution of one second, and two
/// records of the server.
fn worker_died(second: u32, worker: &str, pid: u32) -> (String, String) {
    let event = format!(
        "{{\"custom_fields\":{{\"job_id\":\"01000000\",\"node_id\":\"{NODE}\",\"worker_id\":\"{worker}\"}},\"event_id\":\"4e{pid}\",\
         \"host_name\":\"n1\",\"label\":\"RAY_WORKER_FAILURE\",\"message\":\"A worker died or was killed while executing a task by an \
         unexpected system error. To troubleshoot the problem, check the logs for the dead worker. Lease ID: 09 Worker ID: {worker} \
         Node ID: {NODE} Worker IP address: 192.0.2.2 Worker port: 46349 Worker PID: {pid} Worker exit type: SYSTEM_ERROR Worker exit \
         detail: Worker unexpectedly exits.\",\"pid\":\"278\",\"severity\":\"ERROR\",\"source_type\":\"RAYLET\",\
         \"timestamp\":{}}}\n",
        1_795_625_580 + second
    );
    let exit = format!(
        "[2026-11-25 16:53:{second:02},181 W 278 278] (gcs_server) gcs_actor_manager.cc:1233: Worker {worker} on node {NODE} exits, \
         type=SYSTEM_ERROR, has creation_task_exception = 0 worker_id={worker}\n"
    );
    (event, exit)
}

fn driver(time: &str, message: &str) -> String {
    format!("[2026-11-25 16:53:{time} I 27831 27850] task_manager.cc:1649: {message}\n")
}

fn failed(spec: &str, task: &str, name: &str, behind: &str) -> String {
    format!(
        "Task failed: RpcError: RPC error: Socket closed rpc_code: 14: Type={spec}, Language=PYTHON, task_id={task}, task_name={name}, \
         job_id=01000000, num_args=0{behind}, dependencies={{}}"
    )
}

fn attempt(task: &str, why: &str) -> String {
    format!(
        "Task attempt {task} failed with error {why} Fail immediately? 0, status RpcError, error info null"
    )
}

/// A task that kills its workers, and later an actor that was killed: two causes, though three workers died.
#[test]
fn a_task_that_kills_its_workers_is_reported_before_their_deaths() {
    let (die, slow) = (
        "80e22aed7718a125ffffffffffffffffffffffff01000000",
        "85748392bcd969cc76912cb519ed678194014ba101000000",
    );
    let actor = "76912cb519ed678194014ba101000000";
    let workers = ["29d3323d226f", "0eac84742d61", "0a21268ec359"];
    let (event_a, exit_a) = worker_died(43, workers[0], 27976);
    let (event_b, exit_b) = worker_died(43, workers[1], 27977);
    let (event_c, exit_c) = worker_died(45, workers[2], 28208);
    let own = driver(
        "42,300",
        "Initializing worker at address: 192.0.2.2:34175 worker_id=0100 node_id=65",
    ) + &driver("43,179", &attempt(die, "WORKER_DIED"))
        + &driver("43,384", &attempt(die, "WORKER_DIED"))
        + &driver("43,385", &failed("NORMAL_TASK", die, "die", ""))
        + &driver("45,019", &attempt(slow, "ACTOR_UNAVAILABLE"))
        + &driver(
            "45,021",
            &failed(
                "ACTOR_TASK",
                slow,
                "A.slow",
                &format!(", actor_task_spec={{actor_id={actor}, seq_no=1}}"),
            ),
        );
    let restarts = |left: u32, at: &str, worker: &str, actor: &str| {
        format!(
            "[2026-11-25 16:53:{at} W 278 278] (gcs_server) gcs_actor_manager.cc:1300: Actor is failed on worker {worker} at node {NODE}, \
             need_reschedule = 1, death context type = ActorDiedErrorContext, remaining_restarts = {left}, num_restarts = 0, preempted = \
             0 job_id=01000000 actor_id={actor}\n"
        )
    };
    let server = exit_a + &exit_b + &exit_c + &restarts(0, "45,183", workers[2], actor);
    let events = event_a + &event_b + &event_c;
    let run = Run::of(&[
        ("logs/gcs_server.out", &server),
        ("logs/events/event_RAYLET.log", &events),
        ("logs/python-core-driver-0100_27831.log", &own),
    ]);
    assert!(
        run.top(3).contains("A task failed for good: die"),
        "{}",
        run.top(3)
    );
}

/// A record of Academy 1.0.0 in its console layout.
fn academy(seconds: f64, pid: u32, level: &str, logger: &str, message: &str) -> String {
    let time = format!("2026-11-23 14:32:{seconds:06.3}");
    format!("[{time}] [tid={pid} pid={pid}]  {level:<8} (academy.{logger}) {message}\n")
}

fn debug(seconds: f64, pid: u32, message: &str) -> String {
    academy(seconds, pid, "DEBUG", "handle", message)
}

const TAG: &str = "640efd34-3fed-443f-93f1-aec9ccf9f1e4";

fn asked(seconds: f64, tag: &str, action: &str, agent: &str) -> String {
    debug(
        seconds,
        7,
        &format!("Invoking action {action} with tag id {tag} message_tag: {tag} agent_id: {agent}"),
    )
}

/// A busy agent that writes many records and then stops.
fn falls_silent(agent: &str, action: &str) -> String {
    let begun = academy(
        1.0,
        9,
        "INFO",
        "runtime",
        &format!("Running agent ({agent}; Agent<Adder>)"),
    );
    let work = (0..30).map(|n| {
        debug(
            1.1 + f64::from(n) / 100.0,
            9,
            &format!("Ping request received by {agent}"),
        )
    });
    let work: String = work.collect();
    begun
        + &work
        + &debug(
            2.0,
            9,
            &format!("Invoking action {action} with invocation id {TAG} agent_id: {agent}"),
        )
}

/// Records of another process, one per second.
fn waits(from: u32, to: u32) -> String {
    let ping = |n| debug(f64::from(n), 7, "Ping request received by UserId<1>");
    (from..to).map(ping).collect()
}

/// A hanging action and the silence of its agent are one finding.
#[test]
fn what_hangs_and_the_silence_of_whoever_is_at_it_are_one_finding() {
    let caller = asked(1.9, TAG, "hang", "AgentId<f31f3605>") + &waits(20, 50);
    let agent = falls_silent("AgentId<f31f3605>", "hang");
    let run = Run::of(&[("caller.log", &caller), ("agent.log", &agent)]);
    let reports = run.reported();
    assert_eq!(reports.len(), 1, "{:#?}", run.diagnosis);
    assert!(reports[0].contains("(hang)"), "{reports:?}");
}

fn raised(line: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/home/hpcuser/agents.py\", line 20, in agent_on_startup\n    raise\n{line}\n"
    )
}

/// An agent that fails is the first finding, before the actions that it abandons.
#[test]
fn an_agent_that_breaks_is_reported_before_what_it_gave_up() {
    let bad = "AgentId<badstart>";
    let log = asked(1.0, TAG, "get", bad)
        + &debug(
            1.2,
            7,
            &format!("Cancelled action get with invocation id {TAG}"),
        )
        + &debug(
            1.2,
            7,
            &format!("Completed action get with tag id {TAG} with exception"),
        )
        + &academy(
            1.203,
            7,
            "ERROR",
            "manager",
            &format!("Failure running agent on worker ({bad})"),
        )
        + &raised("OSError: no scratch disk")
        + &academy(
            1.3,
            7,
            "ERROR",
            "manager",
            "Failure running agent on worker (AgentId<slow>)",
        )
        + &raised("asyncio.exceptions.CancelledError")
        + &academy(
            1.301,
            7,
            "WARNING",
            "manager",
            "Cancelled AgentId<slow> task",
        );
    let run = Run::of(&[("run.log", &log)]);
    let ended = "error: An agent ended with an exception";
    assert_eq!(run.reported()[0], ended, "{:#?}", run.diagnosis);
    assert!(run.top(1).contains("OSError: no scratch disk"));
    // An action that an agent abandons at a requested shutdown is not blamed on a failure.
    let given_up = &log[..log.find("[2026-11-23 14:32:01.203]").unwrap()];
    let run = Run::of(&[("run.log", given_up)]);
    let reports = run.reported();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains(" of get failed"), "{reports:?}");
}

/// An agent that receives a second shutdown request cannot answer it.
#[test]
fn the_answer_to_a_second_request_to_end_is_no_finding() {
    let answer = |of: &str| {
        let line = format!(
            "Response received without corresponding request: tag={of} src=AgentId<slow> dest=UserId<52a53cf9>"
        );
        academy(2.0, 7, "WARNING", "exchange.local", &line)
    };
    let sent = debug(
        1.0,
        7,
        &format!(
            "Sent ShutdownRequest to AgentId<slow> message_type: ShutdownRequest src: UserId<52a53cf9> dest: AgentId<slow> message_tag: \
             {TAG} message_label: fb433495-247f-42dd-84fa-09d0db64c138"
        ),
    );
    let run = Run::of(&[("run.log", &(sent + &answer(TAG)))]);
    assert!(run.reported().is_empty(), "{:#?}", run.diagnosis);
}

/// An agent that waits for another one is silent meanwhile, but alive.
#[test]
fn who_waits_for_what_hangs_counts_among_those_at_work() {
    let (outer, inner) = ("4ea6f03c-095a-477d-a146-96ed48ef726d", TAG);
    let runs = |at: f64, pid: u32, name: &str| {
        academy(
            at,
            pid,
            "INFO",
            "runtime",
            &format!("Running agent (AgentId<{name}>; Agent<Adder>)"),
        )
    };
    let begins = |at: f64, pid: u32, action: &str, tag: &str, name: &str| {
        debug(
            at,
            pid,
            &format!("Invoking action {action} with invocation id {tag} agent_id: AgentId<{name}>"),
        )
    };
    let pings: String = (20..50)
        .map(|n| debug(f64::from(n), 10, "Ping request received by AgentId<other>"))
        .collect();
    let log = runs(1.0, 8, "front")
        + &runs(1.0, 9, "adder")
        + &runs(1.0, 10, "other")
        + &asked(2.0, outer, "hang2", "AgentId<front>")
        + &begins(2.1, 8, "hang2", outer, "front")
        + &debug(
            2.3,
            7,
            &format!("Waiting for result of action hang2 with tag id {outer}"),
        )
        + &asked(2.2, inner, "hang", "AgentId<adder>")
        + &begins(2.4, 9, "hang", inner, "adder")
        + &pings;
    let run = Run::of(&[("run.log", &log)]);
    let idle: Vec<(usize, usize)> = run
        .hung
        .idle
        .iter()
        .map(|i| (i.idle.len(), i.alive))
        .collect();
    assert_eq!(idle, [(1, 3)], "{:#?}", run.hung.idle);
}

fn dask(time: &str, logger: &str, level: &str, message: &str) -> String {
    format!("2026-11-25 16:58:{time} - {logger} - {level} - {message}\n")
}

/// Dask 2026.8: what a client waited for and its attempt to connect again fail for one reason.
#[test]
fn a_client_that_lost_its_scheduler_is_one_finding() {
    let frame = |line: &str, place: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/opt/lib/distributed/client.py\", line 2399, in {place}\n    raise\n{line}\n"
        )
    };
    let client = dask("18,087", "root", "ERROR", "gather failed")
        + &frame(
            "distributed.client.FutureCancelledError: slow-2 cancelled for reason: scheduler-connection-lost.",
            "_gather",
        )
        + &dask("18,198", "distributed.utils", "ERROR", "_reconnect failed")
        + &frame("asyncio.exceptions.CancelledError", "_reconnect");
    let run = Run::of(&[("client.log", &client)]);
    assert_eq!(
        run.reported(),
        ["error: A client lost its scheduler"],
        "{:#?}",
        run.diagnosis
    );
}

/// A worker was killed and restarted under its name at another address: the clean end of the second incarnation says
/// nothing about the first.
#[test]
fn a_worker_that_came_again_under_its_name_was_lost_all_the_same() {
    let (old, new) = ("tcp://192.0.2.1:35539", "tcp://192.0.2.1:35249");
    let scheduler =
        |time: &str, message: &str| dask(time, "distributed.scheduler", "INFO", message);
    let comes = |time: &str, address: &str| {
        scheduler(time, &format!("Register worker addr: {address} name: w1"))
    };
    let goes = |time: &str, address: &str| {
        scheduler(
            time,
            &format!(
                "Remove worker addr: {address} name: w1 (stimulus_id='handle-worker-cleanup-1')"
            ),
        )
    };
    let closes = |time: &str| {
        dask(
            time,
            "distributed.core",
            "INFO",
            "Connection to tcp://192.0.2.1:50370 has been closed.",
        )
    };
    let log = comes("10,000", old)
        + &closes("20,290")
        + &goes("20,290", old)
        + &comes("25,000", new)
        + &dask(
            "30,199",
            "distributed.core",
            "INFO",
            "Received 'close-stream' from tcp://192.0.2.1:39582; closing.",
        )
        + &goes("30,200", new);
    let stops = dask(
        "30,100",
        "distributed.worker",
        "INFO",
        &format!("Stopping worker at {new}. Reason: worker-close"),
    );
    let run = Run::of(&[("scheduler.log", &log), ("worker.log", &stops)]);
    assert_eq!(
        run.reported(),
        ["warning: A worker was gone without a word"],
        "{:#?}",
        run.diagnosis
    );
    // A worker that announces its stop was not lost.
    let stops = dask(
        "20,100",
        "distributed.worker",
        "INFO",
        &format!("Stopping worker at {old}. Reason: worker-close"),
    );
    let run = Run::of(&[("scheduler.log", &log), ("worker.log", &stops)]);
    assert!(run.reported().is_empty(), "{:#?}", run.diagnosis);
}

/// A console does not name the agent of an action, which violates no rule.
#[test]
fn healthy_consoles_break_no_rule() {
    let log = debug(1.0, 7, &format!("Invoking action get with tag id {TAG}"))
        + &debug(
            1.1,
            7,
            &format!("Invoking action get with invocation id {TAG}"),
        )
        + &debug(
            1.2,
            7,
            &format!("Completed action get with invocation id {TAG}"),
        )
        + &debug(
            1.3,
            7,
            &format!("Successfully completed action get with tag id {TAG}"),
        );
    let run = Run::of(&[("run.log", &log)]);
    let (meaning, cancel) = (Meaning::new(&[]), Cancel::default());
    let rules = meaning.rules().iter();
    let checked = rules.filter_map(|rule| check(&run.snapshot, rule, None, &cancel));
    let checked: Vec<_> = checked.filter(|c| c.events > 0).collect();
    assert!(!checked.is_empty());
    assert!(checked.iter().all(|c| c.violations == 0), "{checked:?}");
}
