//! Identity over systems: instances that several systems name, processes that several logs are about, numbers by order.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use widetui_report::event::full_event;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Value};
use widetui_testing::diagnosed::opened;
use widetui_testing::runs::unpacked;

/// Runs `check` on a run of the archive with joined values.
fn with_run(archive: &str, name: &str, check: impl FnOnce(&Snapshot)) {
    let dir = unpacked(archive);
    check(&opened(&dir.path().join(name)).0);
}

fn records(snapshot: &Snapshot) -> impl Iterator<Item = EventRef<'_>> {
    (0..snapshot.len()).map(|place| snapshot.at(place).unwrap())
}

/// Value of a key of a record.
fn value(event: &EventRef<'_>, key: &str) -> Option<String> {
    let keys = &event.snapshot.catalog.keys;
    let mut stored = event.stored().into_iter();
    let (_, value, _) = stored.find(|(id, ..)| keys.name(*id) == key)?;
    match value {
        Value::One(one) => Some(one),
        Value::Many(_) => None,
    }
}

/// Number of records with a value of a key, by the name of the file.
pub(super) fn files_with(snapshot: &Snapshot, key: &str, wanted: &str) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for event in records(snapshot) {
        if value(&event, key).as_deref() == Some(wanted) {
            let name = Path::new(&event.source().path).file_name().unwrap();
            *out.entry(name.to_string_lossy().into_owned()).or_default() += 1;
        }
    }
    out
}

pub(super) fn counted(all: &[(&str, usize)]) -> BTreeMap<String, usize> {
    all.iter().map(|(s, n)| ((*s).to_owned(), *n)).collect()
}

/// Without accounting the controller's log knows a job by its number alone.
#[test]
fn a_block_is_the_job_that_the_controller_started() {
    with_run("identity.tar.gz", "identity/blocks-ctld-only", |run| {
        let files = files_with(run, "slurm.job", "440100");
        assert_eq!(files["slurmctld.log"], 3);
        assert_eq!(files["parsl.log"], 2, "allocated and launched");
        assert!(
            files.contains_key("interchange.log"),
            "the manager in the block"
        );
    });
}

/// Two runs have a block 0 of an executor of the same name, and so do the names of their jobs.
#[test]
fn blocks_of_one_name_in_two_runs_are_two_jobs() {
    with_run("identity.tar.gz", "identity/blocks-two-runs", |run| {
        for (job, folder) in [("51000", "/000/"), ("51001", "/001/"), ("51002", "/001/")] {
            let mut own = records(run).filter(|e| value(e, "slurm.job").as_deref() == Some(job));
            assert!(
                own.all(
                    |e| !e.source().path.contains("runinfo") || e.source().path.contains(folder)
                )
            );
            assert_eq!(
                files_with(run, "slurm.job", job)["parsl.log"],
                2,
                "job {job}"
            );
        }
    });
}

#[test]
fn a_job_has_the_records_of_the_rule_or_process_that_it_carries() {
    with_run("identity.tar.gz", "identity/snakemake", |run| {
        let files = files_with(run, "slurm.job", "5512002");
        assert_eq!(files["sacct.txt"], 2);
        assert_eq!(files.values().sum::<usize>(), 5, "begun, submitted, failed");
        let accounted = files_with(run, "snakemake.job", "4");
        assert_eq!(accounted["sacct.txt"], 2);
    });
    with_run("identity.tar.gz", "identity/nextflow", |run| {
        for job in ["770001", "770002"] {
            let files = files_with(run, "slurm.job", job);
            assert_eq!(files, counted(&[(".nextflow.log", 3), ("sacct.txt", 2)]));
        }
    });
}

/// The process that a node's kernel killed is the worker that ran the task that runs the agent.
#[test]
fn an_agent_is_tied_to_its_worker_task_job_and_the_line_of_the_kernel() {
    with_run("identity.tar.gz", "identity/agent-kernel", |run| {
        let agent = "AgentId<12a43a16>";
        let own: Vec<EventRef<'_>> = records(run)
            .filter(|e| value(e, "academy.agent_id").as_deref() == Some(agent))
            .collect();
        let of_agent = |e: &&EventRef<'_>| {
            e.source()
                .path
                .ends_with("af746cd4-701d-4842-b54d-7cdcd2e08aa2.jsonlog")
        };
        let first = own.iter().find(of_agent).unwrap();
        assert_eq!(value(first, "parsl.worker").as_deref(), Some("3"));
        assert_eq!(value(first, "parsl.block").as_deref(), Some("0"));
        assert_eq!(value(first, "slurm.job").as_deref(), Some("7300412"));
        assert_eq!(value(first, "parsl.task").as_deref(), Some("3"));
        let files = files_with(run, "academy.agent_id", agent);
        assert_eq!(files["nid00317.messages"], 2, "its memory and its end");
        assert!(
            !files.contains_key("nid00402.messages"),
            "the same pid on another node"
        );
        assert!(files_with(run, "parsl.task", "3")["nid00317.messages"] == 2);
    });
}

#[test]
fn the_ring_buffer_as_json_has_the_keys_of_its_lines() {
    with_run("identity.tar.gz", "identity/ring-json", |run| {
        for pid in ["7406", "7481", "7614"] {
            assert!(!files_with(run, "kernel.pid", pid).is_empty(), "{pid}");
        }
    });
}

/// No record of an endpoint states the number that a task has in its executor: the n-th that was handed over has it.
#[test]
fn a_function_is_the_executor_task_of_its_order() {
    with_run("outcomes.tar.gz", "compute/assured/home", |run| {
        let mut handed: Vec<String> = Vec::new();
        for event in records(run) {
            let state = value(&event, "globus_compute.task_state");
            if state.as_deref() == Some("EXEC_START") {
                handed.extend(value(&event, "globus_compute.task"));
            }
        }
        assert!(handed.len() >= 9);
        let mut numbered = 0;
        for event in records(run).filter(|e| e.source().path.contains("/worker_")) {
            let Some(number) = value(&event, "parsl.executor_task") else {
                continue;
            };
            let number: usize = number.parse().unwrap();
            assert_eq!(
                value(&event, "globus_compute.task"),
                handed.get(number - 1).cloned()
            );
            numbered += 1;
        }
        assert!(numbered > 9);
        let task = handed.first().unwrap();
        let audited = records(run).find(|e| {
            e.source().path.ends_with("audit.log")
                && value(e, "globus_compute.task").as_ref() == Some(task)
        });
        assert!(value(&audited.unwrap(), "parsl.worker").is_some());
    });
}

/// The log of another program states the number of a task and no run: with one run there is one such task.
#[test]
fn a_number_is_the_task_of_the_only_run() {
    let mesh = "2026-11-21 02:55:46,430 INFO mesh: start parsl task 0 mesh cell 3\n";
    let definition = r#"
name = "mesh"
[[source]]
kind = "log"
glob = ["mesh.log"]
layouts = ["python.level_name"]
messages = ["mesh"]
[[messages]]
scope = "mesh"
patterns = ["start parsl task {parsl.task:int} mesh cell {mesh.cell:int}"]
"#;
    let systems = [("mesh.toml".to_owned(), definition.to_owned())];
    let runs_of = |folders: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        for folder in folders {
            let to = dir.path().join("runinfo").join(folder);
            std::fs::create_dir_all(&to).unwrap();
            let log = widetui_testing::runs::data().join("hung/000/parsl.log");
            std::fs::copy(log, to.join("parsl.log")).unwrap();
        }
        std::fs::write(dir.path().join("mesh.log"), mesh).unwrap();
        let (run, _) = widetui_testing::diagnosed::opened_with(dir.path(), &systems);
        let record = records(&run).find(|e| e.source().path.ends_with("mesh.log"));
        value(&record.unwrap(), "parsl.rundir")
    };
    assert_eq!(runs_of(&["000"]).as_deref(), Some("000"));
    assert_eq!(runs_of(&["000", "001"]), None, "a task of either");
}

/// A number in the name of a file is a job only if a batch system has it.
#[test]
fn names_of_files_state_jobs_that_are_known() {
    let worker = |n: usize| {
        format!(
            "2026-03-03 09:15:1{n},000 - distributed.worker - INFO -       Start worker at:  tcp://10.0.0.{n}:4000\n"
        )
    };
    let sacct = "JobID|JobName|State|Start|End|NodeList|ExitCode\n\
                 770001|dask-worker|COMPLETED|2026-03-03T09:15:10|2026-03-03T09:17:57|cn011|0:0\n";
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("dask-worker-770001.out", worker(1)),
        ("dask-worker-123.out", worker(2)),
        ("sacct.txt", sacct.to_owned()),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let (run, _) = opened(dir.path());
    assert_eq!(
        files_with(&run, "slurm.job", "770001")["dask-worker-770001.out"],
        1
    );
    assert!(files_with(&run, "batch.job", "123").is_empty());
}

/// A watchdog names a process by its number: its worker and the task that it executes. Of a number that is none, no process
/// is meant.
#[test]
fn a_record_that_names_a_process_is_about_its_worker() {
    let worker = |number: usize| {
        let pid = 4241 + number;
        format!(
            "1772529303.000000 2026-03-03 09:15:03 HTEX-Worker-{number}-{pid} MainThread-139676556924608 \
             parsl.executors.high_throughput.process_worker_pool:775 worker INFO: Received executor task {number}\n"
        )
    };
    let lines = [
        ("killed process 4242 (python)", true),
        ("sent SIGKILL to 4242", true),
        ("restarting worker pid=4242", true),
        ("Process 4242 exceeded 3.2 GiB, terminating it", true),
        ("worker process (pid 4242) did not answer, killing it", true),
        ("kill -9 4242", true),
        ("signal 9 sent to child 4242", true),
        ("computed 4242 rows of 100000", false),
        ("killed process 977 (python)", false),
    ];
    let dir = tempfile::tempdir().unwrap();
    let block = dir.path().join("runinfo/000/htex/block-0/0d1175223706");
    std::fs::create_dir_all(&block).unwrap();
    for number in [0, 1] {
        std::fs::write(block.join(format!("worker_{number}.log")), worker(number)).unwrap();
    }
    let lines_of = |(second, (text, _)): (usize, &(&str, bool))| {
        format!(
            "2026-03-03 09:15:{:02},000 WARNING memguard: {text}\n",
            second + 5
        )
    };
    let log: String = lines.iter().enumerate().map(lines_of).collect();
    std::fs::write(dir.path().join("memguard.log"), log).unwrap();
    let (run, _) = opened(dir.path());
    for (text, is_named) in lines {
        let mut texts = TextReader::default();
        let mut all = records(&run);
        let event = all.find(|event| full_event(event, &mut texts).message == text);
        let event = event.unwrap();
        let expected = is_named.then_some("1");
        for key in ["parsl.worker", "parsl.executor_task"] {
            assert_eq!(value(&event, key).as_deref(), expected, "{key}: {text}");
        }
    }
}

/// A time in whole seconds may be before or after what happened within that second. Programs write their process in many forms.
#[test]
fn whole_seconds_are_on_no_side_of_a_change_within_them() {
    let worker = |time: &str, text: &str| {
        format!(
            "17725293{time}000 2026-03-03 09:15:{} HTEX-Worker-1-4242 MainThread-139676556924608 \
             parsl.executors.high_throughput.process_worker_pool:775 worker INFO: {text}\n",
            &time[..2]
        )
    };
    let log = [
        worker("03.100", "Received executor task 2"),
        worker("05.400", "All processing finished for executor task 2"),
        worker("05.500", "Received executor task 3"),
    ];
    let forms = [
        "anv02(4242) tile",
        "[memguard] process 4242 tile",
        "4242@anv02 tile",
        "node=anv02 proc=4242 tile",
    ];
    for form in forms {
        let dir = tempfile::tempdir().unwrap();
        let block = dir.path().join("runinfo/000/htex/block-0/0d1175223706");
        std::fs::create_dir_all(&block).unwrap();
        std::fs::write(block.join("worker_1.log"), log.concat()).unwrap();
        let lines = |fraction: &str| {
            let line =
                |second: u32| format!("2026-03-03 09:15:{second:02}{fraction} {form} {second}\n");
            (4..8).map(line).collect::<String>()
        };
        for (fraction, tasks) in [
            ("", [Some("2"), None, Some("3"), Some("3")]),
            (".450000", [Some("2"), None, Some("3"), Some("3")]),
            (".550000", [Some("2"), Some("3"), Some("3"), Some("3")]),
        ] {
            std::fs::write(dir.path().join("cells.log"), lines(fraction)).unwrap();
            let (run, _) = opened(dir.path());
            let own = records(&run).filter(|e| e.source().path.ends_with("cells.log"));
            let found: Vec<Option<String>> =
                own.map(|e| value(&e, "parsl.executor_task")).collect();
            let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
            assert_eq!(found, tasks, "{form}, {fraction:?}");
        }
    }
}

/// The process of a session writes to the log before it states that the session begins.
#[test]
fn a_session_begins_with_the_first_record_of_its_process() {
    let line = |time: &str, pid: u32, text: &str| {
        format!(
            "2026-11-21 {time},114451 INFO MainProcess-{pid} MainThread-140412117818240 \
             globus_compute_endpoint.endpoint.endpoint:551 start_endpoint {text}\n"
        )
    };
    let begins = "Initializing EndpointInterchange process with Endpoint ID: fbe9aa84-27ac-492c-b42b-364ca025d92a";
    let log = [
        line("02:01:40", 2744, "Loading configuration"),
        line("02:01:45", 2744, begins),
        line("02:03:06", 2744, "EndpointInterchange shutdown complete."),
        line("02:03:10", 4269, "Loading configuration"),
        line("02:03:15", 4269, "Starting the engine"),
        line("02:03:19", 4269, begins),
        line("02:03:20", 4269, "Starting EndpointInterchange"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".globus_compute/uep.17dae32e");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("endpoint.log"), log.concat()).unwrap();
    let (run, _) = opened(dir.path());
    let key = "globus_compute.endpoint_dir";
    let sessions: Vec<Option<String>> = records(&run).map(|e| value(&e, key)).collect();
    let is_second = |name: &Option<String>| name.as_ref().is_some_and(|n| n.ends_with("#2"));
    let second: Vec<bool> = sessions.iter().map(is_second).collect();
    assert_eq!(second, [false, false, false, true, true, true, true]);
}

/// Agents may have one name; their uuids stand in the arguments of a few records alone.
#[test]
fn agents_of_one_name_are_two() {
    let record = |time: u32, pid: u32, logger: &str, message: &str, uuid: &str| {
        let args = format!("(AgentId(uid=UUID('{uuid}'), name='fib'), Fibonacci())");
        let args = if uuid.is_empty() { "()" } else { &args };
        format!(
            "{{\"formatted\": \"{message}\", \"name\": \"{logger}\", \"msg\": \"%s\", \"args\": \"{args}\", \"levelname\": \"DEBUG\", \
             \"levelno\": \"10\", \"pathname\": \"/x/runtime.py\", \"filename\": \"runtime.py\", \"module\": \"runtime\", \"exc_info\": \"None\", \
             \"exc_text\": \"None\", \"stack_info\": \"None\", \"lineno\": \"556\", \"funcName\": \"_start\", \"created\": \"17952259{time}.5\", \
             \"msecs\": \"500.0\", \"relativeCreated\": \"1.0\", \"thread\": \"14013\", \"threadName\": \"MainThread\", \"processName\": \"MainProcess\", \
             \"process\": \"{pid}\", \"taskName\": \"Task-1\", \"message\": \"{message}\"}}\n"
        )
    };
    let uuids = [
        "63e14c47-6889-4c9a-923d-e65e62b060b6",
        "79ed6455-99a9-4863-8f51-808672b7e42c",
    ];
    let dir = tempfile::tempdir().unwrap();
    let folder = dir
        .path()
        .join("academy/logs/19698ed0-fd39-49ef-86ff-3d7ac4dc7814");
    std::fs::create_dir_all(&folder).unwrap();
    for (pid, uuid) in (7000..).zip(uuids) {
        let log = [
            record(
                10,
                pid,
                "academy.runtime",
                "Starting agent... (AgentId<fib>; Agent<Fibonacci>)",
                uuid,
            ),
            record(
                11,
                pid,
                "academy.runtime",
                "Running agent (AgentId<fib>; Agent<Fibonacci>)",
                uuid,
            ),
            record(
                12,
                pid,
                "academy.agent",
                "Started 'background' loop for Agent<Fibonacci>",
                "",
            ),
        ];
        let name = format!("{}.jsonlog", uuid.replace('e', "a"));
        std::fs::write(folder.join(name), log.concat()).unwrap();
    }
    std::fs::write(
        dir.path().join("watch.log"),
        "2026-11-21 01:51:53,000 WARNING memguard: killed process 7001 (python)\n",
    )
    .unwrap();
    let (run, meaning) = opened(dir.path());
    for (uuid, expected) in uuids.into_iter().zip([3, 4]) {
        let own = records(&run).filter(|e| value(e, "academy.agent_uid").as_deref() == Some(uuid));
        assert_eq!(own.count(), expected, "{uuid}");
    }
    let agents = widetui_testing::diagnosed::instances(&run, &meaning, "academy.agent");
    assert_eq!(agents.list.len(), 2);
    assert!(
        agents
            .list
            .iter()
            .all(|agent| agents.short_name(&run, agent) == "AgentId<fib>")
    );
}

/// Controllers of two clusters gave the same numbers; the nodes of a block say where it is.
#[test]
fn equal_numbers_of_two_clusters_are_two_jobs() {
    with_run("between.tar.gz", "between/two-clusters", |run| {
        let mut clusters = BTreeMap::new();
        for event in records(run).filter(|e| value(e, "batch.job").as_deref() == Some("4711")) {
            let place = event.source().path.contains("frontier/");
            let cluster = value(&event, "batch.cluster");
            let block = value(&event, "parsl.block");
            *clusters.entry((place, cluster, block)).or_insert(0) += 1;
        }
        let cluster = |name: &str| Some(name.to_owned());
        let places: Vec<_> = clusters.keys().cloned().collect();
        let block = Some("0".to_owned());
        assert_eq!(
            places,
            [
                (false, cluster("perlmutter"), block.clone()),
                (true, cluster("frontier"), block)
            ]
        );
    });
}

/// Output of a block without times: its name has the time at which the block was submitted.
#[test]
fn a_file_without_times_is_of_the_session_that_its_name_dates() {
    with_run("between.tar.gz", "between/three-sessions", |run| {
        let mut jobs: Vec<_> = records(run)
            .filter(|e| e.source().path.ends_with(".stderr"))
            .map(|e| (value(&e, "parsl.rundir"), value(&e, "batch.job")))
            .collect();
        jobs.dedup();
        jobs.sort();
        let name = "uep.37c6a6f4-98c1-4a5e-8a67-1f2b3c4d5e6f";
        let session =
            |number: &str, job: &str| (Some(format!("{name}{number}")), Some(job.to_owned()));
        assert_eq!(
            jobs,
            [
                session("", "880"),
                session("#2", "881"),
                session("#3", "882")
            ]
        );
    });
}

/// Jobs that are submitted together, one line each; their own Snakemake numbers them anew.
#[test]
fn jobs_that_are_submitted_together_are_several() {
    with_run("between.tar.gz", "between/snakemake-slurm", |run| {
        for (job, sample) in [("30012", "A"), ("30011", "B"), ("30013", "C")] {
            let files = files_with(run, "batch.job", job);
            let log = format!("{job}.log");
            assert!(files.contains_key(&log), "{files:?}");
            assert!(files.contains_key(&format!("{sample}.log")), "{files:?}");
            assert!(files.contains_key("slurmctld.log"), "{files:?}");
            assert!(
                !files
                    .keys()
                    .any(|f| f.ends_with(".log") && f.starts_with('3') && *f != log)
            );
        }
    });
}

/// Lines below the heading of a job have no number; they follow it.
#[test]
fn what_bhist_prints_is_about_the_blocks_of_a_run() {
    with_run("between.tar.gz", "between/lsf-history", |run| {
        for (job, block) in [("2045", "0"), ("2046", "1")] {
            let jobs = files_with(run, "lsf.job", job);
            assert_eq!(jobs["bhist.txt"], 6, "heading and five events");
            assert!(jobs["parsl.log"] > 0 && jobs["manager.log"] > 0, "{jobs:?}");
            assert!(files_with(run, "parsl.block", block)["bhist.txt"] == 6);
        }
    });
}

/// Kernels that do not write their host, in folders named after it; process ids of both nodes are equal.
#[test]
fn a_kernel_buffer_is_of_the_node_in_its_path() {
    with_run("between.tar.gz", "between/node-folders", |run| {
        let killed: Vec<_> = records(run)
            .filter(|e| value(e, "kernel.event").as_deref() == Some("oom_kill"))
            .map(|e| {
                (
                    value(&e, "host"),
                    value(&e, "parsl.manager"),
                    value(&e, "academy.agent_id"),
                )
            })
            .collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            killed,
            [
                (some("c12-01"), some("e6589819933d"), some("AgentId<north>")),
                (some("c12-02"), some("0e52c4e8c454"), some("AgentId<west>")),
            ]
        );
    });
}

/// Logs of a user's own programs, and of a daemon that watches processes: host, process and task in any form.
#[test]
fn a_users_log_names_host_process_and_task_in_its_own_form() {
    with_run("beside.tar.gz", "beside/user-logs", |run| {
        let of = |file: &str| -> Vec<[Option<String>; 4]> {
            let own = records(run).filter(|e| e.source().path.ends_with(file));
            let keys = ["parsl.manager", "parsl.worker", "parsl.task", "batch.job"];
            own.map(|e| keys.map(|key| value(&e, key))).collect()
        };
        let known = |values: [&str; 4]| values.map(|value| Some(value.to_owned()));
        let one = known(["9e3fb644563c", "1", "8", "11200457"]);
        assert_eq!(of("relax-s59.log"), [one.clone(), one.clone(), one]);
        // Other processes of the node, and the daemon itself, are none of the run.
        let watched = of("iowatch.sdumont1377.log");
        let workers: Vec<_> = watched.iter().map(|values| values[1].as_deref()).collect();
        assert_eq!(workers, [None, Some("0"), Some("0"), None]);
        let tasks = of("driver.log").into_iter().map(|[_, _, task, _]| task);
        let each = (0..11).map(|task| Some(task.to_string()));
        assert!(tasks.eq(each.clone().chain(each)));
    });
}

/// Two nodes gave the same process ids; records of a user's program state the host.
#[test]
fn a_process_is_one_of_its_host() {
    with_run("beside.tar.gz", "beside/equal-pids", |run| {
        let mut processes = BTreeMap::new();
        let own = records(run).filter(|e| e.source().path.ends_with("relax.jsonl"));
        for event in own {
            let of = |key: &str| value(&event, key).unwrap_or_default();
            let place = [of("parsl.manager"), of("parsl.worker"), of("batch.job")];
            let known = processes.insert((of("host"), of("pid")), place.clone());
            assert!(known.is_none_or(|known| known == place));
        }
        let found = processes
            .iter()
            .map(|((host, pid), [manager, worker, job])| {
                format!("{host} {pid} {manager} {worker} {job}")
            });
        let found: Vec<_> = found.collect();
        assert_eq!(
            found,
            [
                "cn-0113 5215 ef023ef09418 0 7120",
                "cn-0113 5216 ef023ef09418 1 7120",
                "cn-0114 5215 1d3854f15617 0 7121",
                "cn-0114 5216 1d3854f15617 1 7121",
            ]
        );
    });
}

/// The same records as other loggers write them: host and process in one word.
#[test]
fn a_writer_names_its_host_and_process_in_one_word() {
    let dir = unpacked("beside.tar.gz");
    let folder = dir.path().join("beside/equal-pids");
    let text = fs::read_to_string(folder.join("relax.jsonl")).unwrap();
    fs::remove_file(folder.join("relax.jsonl")).unwrap();
    let written: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for form in ["HOST:PID", "[HOST-PID]", "[HOST:PID]", "[HOST/PID]"] {
        let line = |of: &serde_json::Value| {
            let text = |key: &str| of[key].to_string().trim_matches('"').to_owned();
            let writer = form.replace("HOST", &text("hostname"));
            let writer = writer.replace("PID", &text("pid"));
            format!("{} {writer} {}\n", text("ts"), text("msg"))
        };
        let lines: String = written.iter().map(line).collect();
        fs::write(folder.join("relax.log"), lines).unwrap();
        let run = opened(&folder).0;
        let own = records(&run).filter(|e| e.source().path.ends_with("relax.log"));
        let mut processes = BTreeMap::new();
        for event in own {
            let of = |key: &str| value(&event, key).unwrap_or_default();
            let place = [of("host"), of("parsl.manager"), of("parsl.worker")];
            *processes.entry(place.join(" ")).or_insert(0) += 1;
        }
        let found: Vec<&str> = processes.keys().map(String::as_str).collect();
        let workers = [
            "cn-0113 ef023ef09418 0",
            "cn-0113 ef023ef09418 1",
            "cn-0114 1d3854f15617 0",
            "cn-0114 1d3854f15617 1",
        ];
        assert_eq!(found, workers, "{form}");
        assert_eq!(processes.values().sum::<usize>(), written.len(), "{form}");
    }
}

/// LSF prints names that are wrapped at 80 columns; a heading begins the next job all the same.
#[test]
fn jobs_of_snakemake_under_lsf_are_those_that_bhist_prints() {
    with_run("beside.tar.gz", "beside/snakemake-lsf", |run| {
        for job in ["70144", "70145", "70146"] {
            let files = files_with(run, "batch.job", job);
            assert_eq!(files["bhist.txt"], 5, "{job}: {files:?}");
            assert!(files["snakemake.out"] > 0, "{job}: {files:?}");
        }
    });
}
