//! Several systems in one run: user endpoints of Globus Compute below an endpoint of their site, Academy over its
//! exchanges, Work Queue and TaskVine without Parsl. Each run has the observations of the program that started it.

use std::collections::BTreeMap;

use widetui_diagnosis::Severity;
use widetui_testing::diagnosed::Run;

/// Opens a run of the archive.
fn open(name: &str) -> Run {
    Run::of_archive("endpoints.tar.gz", name)
}

/// Functions of a client with their outcomes for the client.
fn sent(run: &Run) -> Vec<(&str, Option<&str>)> {
    let mut out = Vec::new();
    for task in run.truth["tasks"].as_object().unwrap().values() {
        out.push((task["f"].as_str().unwrap(), task["state"].as_str()));
    }
    out
}

fn counted(all: &[(&str, usize)]) -> BTreeMap<String, usize> {
    all.iter().map(|(s, n)| ((*s).to_owned(), *n)).collect()
}

/// An endpoint without high assurance does not record its tasks: the function calls of its workers are reported
/// instead.
#[test]
fn function_calls_are_known_by_their_workers() {
    let run = open("compute-ok");
    let states = run.states("globus_compute.call");
    assert_eq!(states, counted(&[("ended", sent(&run).len())]));
    // The exception of the function is the only error; at its end the endpoint of the site closes its connection.
    let errors = run.titles(Severity::Error);
    assert_eq!(errors, ["ValueError: no value for 7"]);
}

#[test]
fn a_killed_worker_takes_its_function_call_along() {
    let run = open("compute-worker_killed");
    let failed = sent(&run).iter().filter(|s| s.1 == Some("failed")).count();
    assert_eq!(failed, 1);
    let states = run.states("globus_compute.call");
    assert_eq!(states, counted(&[("ended", 3), ("lost", failed)]));
    // The call failed with its worker, and is not reported separately.
    let reports = run.reported();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(
        reports[0].starts_with("error: Worker 1 was lost"),
        "{reports:?}"
    );
    assert!(run.top(1).contains("function call 2"), "{}", run.top(1));
    assert!(run.hung.is_clear());
}

/// The log of the endpoint reports the end of its engine, the shell of the block the reason.
#[test]
fn a_killed_manager_is_reported_before_what_follows() {
    let run = open("compute-manager_killed");
    let reports = run.reported();
    assert_eq!(reports[0], "error: The manager of a block was killed");
    let broken = "The endpoint ended because its engine broke";
    assert!(run.top(3).contains(broken), "{}", run.top(3));
    assert!(
        !reports.iter().any(|t| t.contains("Error 1:")),
        "{reports:?}"
    );
    let states = run.states("globus_compute.call");
    assert_eq!(states["running"], 2);
}

/// Globus Compute 4.4: the endpoint was killed by that of its site while two functions slept.
#[test]
fn functions_that_hang_are_reported_with_their_workers() {
    let run = open("compute44-hung");
    let open = sent(&run).into_iter().filter(|s| s.1.is_none());
    // The third function never reached a worker, as there were two.
    assert_eq!(
        open.map(|s| s.0).collect::<Vec<_>>(),
        ["slow", "slow", "double"]
    );
    let workers: Vec<_> = run.hung.stuck.iter().map(|s| s.place.last()).collect();
    let workers: Vec<&str> = workers.iter().map(|w| w.unwrap().1.as_str()).collect();
    assert_eq!(workers, ["1", "0"]);
    assert!(run.words().contains("Both workers have unfinished work"));
    let reports = run.reported();
    let forced = "warning: The site's endpoint killed endpoints of users when it ended";
    assert!(reports.iter().any(|t| t == forced), "{reports:?}");
    assert!(!reports.iter().any(|t| t.contains("endpoint was killed")));
}

#[test]
fn endpoints_that_did_not_start_say_why() {
    let reports = open("compute-bad_config").reported();
    let why = "HighThroughputExecutor.__init__() got an unexpected keyword argument 'max_wrkers_per_node'";
    assert_eq!(
        reports[0],
        format!("error: An endpoint did not start: {why}")
    );
    assert_eq!(reports.len(), 1, "{reports:?}");
    let top = open("compute-refused").top(1);
    assert!(
        top.contains("Ignoring start request for untrusted identity."),
        "{top}"
    );
}

/// The audit log reports the ends of tasks, so there is no finding about missing ends.
#[test]
fn an_audit_log_ends_the_tasks_of_its_endpoints() {
    let run = open("compute-audit");
    let states = run.states("globus_compute.task");
    // The worker that a function ended took its task along.
    let died = sent(&run).iter().filter(|(f, _)| *f == "die").count();
    let ended = sent(&run).len() - died;
    assert_eq!(states, counted(&[("EXEC_END", ended), ("FAILED", died)]));
    let all = run.diagnosis.findings.iter();
    let unknown = all.filter(|f| f.title.contains("does not record"));
    assert_eq!(unknown.count(), 0);
}

/// A report of the agent after the caller cancelled an action is no success.
#[test]
fn a_cancelled_action_did_not_end_well() {
    let run = open("academy-cancelled");
    let states = run.states("academy.action");
    let expected = [("success", 6), ("exception", 1), ("cancelled", 1)];
    assert_eq!(states, counted(&expected));
    let reports = run.reported();
    assert!(reports[0].contains("of boom failed"), "{reports:?}");
}

/// Agents in the processes of one pool: one was killed, and the pool gave up the others.
#[test]
fn agents_that_ended_for_one_cause_are_reported_once() {
    for name in ["academy-agent_killed", "academy-exchange_killed"] {
        let run = open(name);
        let ended = "An agent ended with an exception";
        let reports = run.reported();
        let ended = reports.iter().filter(|t| t.contains(ended));
        assert!(ended.count() <= 1, "{reports:?}");
    }
}

/// cctools 8.0: the manager ran into an error of its own when a worker was killed.
#[test]
fn a_manager_that_ended_itself_is_reported_first() {
    let run = open("work_queue-fatal");
    let reports = run.reported();
    let first = "error: A manager or worker ended with a fatal error";
    assert_eq!(reports[0], first);
    let open = run.truth["tasks"].as_object().unwrap().values();
    let open = open.filter(|t| t["end"].is_null()).count();
    assert_eq!(run.hung.stuck.len(), open);
    // The tasks are not done, and none was retried successfully.
    let mut all = run.diagnosis.findings.iter();
    assert!(!all.any(|f| f.title.contains("succeeded on retry")));
}

#[test]
fn taskvine_that_went_well_is_reported_so() {
    let run = open("taskvine-ok");
    assert_eq!(run.titles(Severity::Error), [""; 0]);
    let tasks = run.truth["tasks"].as_object().unwrap().len();
    assert_eq!(run.states("taskvine.task"), counted(&[("DONE", tasks)]));
}
