//! Jobs of batch systems: members of arrays, jobs of one number, and what runs in them.

use std::path::Path;

use widetui_core::cancel::Cancel;
use widetui_join::apply_joins;
use widetui_store::Snapshot;
use widetui_testing::diagnosed::opened;

use super::identity::{counted, files_with};

/// Runs `check` on a run of these files with joined values; no join may have a conflict.
fn with_files(files: &[(&str, &str)], check: impl FnOnce(&Snapshot)) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (run, meaning) = opened(dir.path());
    let results = apply_joins(&run, &meaning.joins, &Cancel::default()).unwrap();
    for report in results.reports.iter() {
        assert_eq!(
            report.conflicts, 0,
            "{}: {:?}",
            report.join, report.examples
        );
    }
    check(&run);
}

/// A block that was launched as job 700.
const BLOCK: &str = "1772529303.238889 2026-03-03 09:15:03 MainProcess-26935 JobStatusPoller-Timer-Thread-1-2 \
                     parsl.executors.status_handling:271 _launch_block DEBUG: [Scaling executor htex] Launched block 0 with job ID 700\n";

const ARRAY_SERVER: &str = "\
03/03/2026 09:15:00.000001;0008;Server@pbs01;Job;770001[].pbs01;Job Queued at request of mm@pbs01, owner = mm@pbs01, job name = sweep, queue = workq
03/03/2026 09:15:02.000001;0008;Server@pbs01;Job;770001[2].pbs01;Job Run at request of Scheduler@pbs01 on exec_vnode (n1:ncpus=4)
03/03/2026 09:15:02.500001;0008;Server@pbs01;Job;770001[3].pbs01;Job Run at request of Scheduler@pbs01 on exec_vnode (n2:ncpus=4)
03/03/2026 09:17:02.000001;0010;Server@pbs01;Job;770001[2].pbs01;Exit_status=0 resources_used.cpupercent=0
03/03/2026 09:18:02.000001;0010;Server@pbs01;Job;770001[3].pbs01;Exit_status=271 resources_used.cpupercent=0
";

/// The output of a member is named `NAME.oARRAY.INDEX`, as a rotated log would be.
#[test]
fn a_member_of_an_array_is_a_job() {
    let files = [
        ("server_logs/20260303", ARRAY_SERVER),
        (
            "sweep.o770001.2",
            "2026-03-03 09:15:03,000 INFO sweep: done after 40 steps\n",
        ),
        (
            "sweep.o770001.3",
            "2026-03-03 09:15:03,100 INFO sweep: step 1 of 40\n\
             2026-03-03 09:17:59,100 ERROR sweep: residual is nan at step 40\n",
        ),
        (
            "driver.log",
            "2026-03-03 09:15:04,000 INFO driver: PBS_JOBID=770001[3].pbs01 PBS_O_QUEUE=workq\n",
        ),
    ];
    with_files(&files, |run| {
        let server = "20260303";
        let of_third = [(server, 2), ("driver.log", 1), ("sweep.o770001.3", 2)];
        assert_eq!(
            files_with(run, "batch.job", "770001[3]"),
            counted(&of_third)
        );
        let of_second = [(server, 2), ("sweep.o770001.2", 1)];
        assert_eq!(
            files_with(run, "batch.job", "770001[2]"),
            counted(&of_second)
        );
        let of_third = [(server, 2), ("driver.log", 1), ("sweep.o770001.3", 2)];
        assert_eq!(files_with(run, "pbs.index", "3"), counted(&of_third));
    });
}

/// Log of a controller that does not name its cluster: a job on a node, at a minute past nine.
fn controller(node: &str, minute: u32) -> String {
    format!(
        "[2026-03-03T09:{minute}:00.100] _slurm_rpc_submit_batch_job: JobId=700 InitPrio=100 usec=429\n\
         [2026-03-03T09:{minute}:02.100] sched: Allocate JobId=700 NodeList={node} #CPUs=4 Partition=debug\n"
    )
}

/// Each cluster numbers its jobs, and the log of a block does not say whose number it has.
#[test]
fn a_block_is_no_job_of_two_clusters() {
    let (alpha, beta) = (controller("n1", 15), controller("b7", 25));
    let one = [
        ("alpha/slurmctld.log", alpha.as_str()),
        ("runinfo/000/parsl.log", BLOCK),
    ];
    with_files(&one, |run| {
        let found = counted(&[("parsl.log", 1), ("slurmctld.log", 2)]);
        assert_eq!(files_with(run, "parsl.block", "0"), found);
    });
    let both = [one[0], one[1], ("beta/slurmctld.log", beta.as_str())];
    with_files(&both, |run| {
        assert_eq!(
            files_with(run, "parsl.block", "0"),
            counted(&[("parsl.log", 1)])
        );
    });
}

/// No batch system is named in the records of a worker: the name of its output is enough.
#[test]
fn a_worker_has_the_records_of_the_job_that_it_runs_in() {
    let worker = "\
2026-03-03 09:15:11,100 - distributed.worker - INFO -       Start worker at:  tcp://10.0.0.1:4000
2026-03-03 09:15:11,300 - distributed.worker - INFO -         Registered to:      tcp://10.0.0.9:8786
";
    let accounting = "\
JobID|JobName|State|Start|End|NodeList|ExitCode
770001|dask-worker|TIMEOUT|2026-03-03T09:15:10|2026-03-03T09:17:57|cn011|0:0
770003|other|TIMEOUT|2026-03-03T09:15:10|2026-03-03T09:17:57|cn012|0:0
";
    let files = [("slurm-770001.out", worker), ("sacct.txt", accounting)];
    with_files(&files, |run| {
        let found = counted(&[("sacct.txt", 1), ("slurm-770001.out", 2)]);
        let address = "tcp://10.0.0.1:4000";
        assert_eq!(files_with(run, "dask.worker", address), found);
    });
    let two = worker.to_owned() + &worker.replace("10.0.0.1", "10.0.0.2");
    let files = [
        ("slurm-770001.out", two.as_str()),
        ("sacct.txt", accounting),
    ];
    with_files(&files, |run| {
        let found = files_with(run, "dask.worker", "tcp://10.0.0.1:4000");
        assert!(!found.contains_key("sacct.txt"), "the job of two workers");
    });
}

/// A job number is one of each cluster: what one of them says of it is not said of the other.
#[test]
fn a_job_of_two_clusters_is_two() {
    let accounted = |cluster: &str, name: &str, node: &str| {
        format!(
            "Cluster|JobID|JobName|State|Start|End|NodeList|ExitCode\n\
             {cluster}|700|{name}|COMPLETED|2026-03-03T09:15:10|2026-03-03T09:17:57|{node}|0:0\n\
             {cluster}|700.batch|batch|COMPLETED|2026-03-03T09:15:10|2026-03-03T09:17:57|{node}|0:0\n"
        )
    };
    let (alpha, beta) = (
        accounted("alpha", "sim", "n1"),
        accounted("beta", "fit", "b7"),
    );
    let files = [
        ("sacct-alpha.txt", alpha.as_str()),
        ("sacct-beta.txt", beta.as_str()),
        (
            "slurm-700.out",
            "2026-03-03 09:15:13,000 INFO sim: step 1\n",
        ),
        ("runinfo/000/parsl.log", BLOCK),
    ];
    with_files(&files, |run| {
        let of_alpha = counted(&[("sacct-alpha.txt", 2)]);
        assert_eq!(files_with(run, "slurm.job_name", "sim"), of_alpha);
        assert_eq!(files_with(run, "batch.cluster", "alpha"), of_alpha);
        assert_eq!(
            files_with(run, "parsl.block", "0"),
            counted(&[("parsl.log", 1)])
        );
    });
    with_files(&[files[0], files[2], files[3]], |run| {
        let all = counted(&[
            ("parsl.log", 1),
            ("sacct-alpha.txt", 2),
            ("slurm-700.out", 1),
        ]);
        assert_eq!(
            files_with(run, "batch.cluster", "alpha"),
            all,
            "of the only cluster"
        );
    });
}

/// Parsl's provider of the local host gives the number of a process for that of a job.
#[test]
fn a_process_is_no_batch_job() {
    let files = [
        ("runinfo/000/parsl.log", BLOCK),
        (
            "slurm-4711.out",
            "2026-03-03 09:15:13,000 INFO sim: step 1\n",
        ),
    ];
    for files in [&files[..], &files[..1]] {
        with_files(files, |run| {
            assert!(files_with(run, "batch.job", "700").is_empty());
        });
    }
}

/// The processes of a cluster are jobs of their own; the first one has its number.
#[test]
fn a_process_of_a_cluster_is_a_job() {
    let events = "\
000 (5739.000.000) 2026-03-03 09:15:00 Job submitted from host: <10.0.0.9:9618?addrs=10.0.0.9-9618>
...
000 (5739.001.000) 2026-03-03 09:15:00 Job submitted from host: <10.0.0.9:9618?addrs=10.0.0.9-9618>
...
001 (5739.001.000) 2026-03-03 09:15:02 Job executing on host: <10.0.0.2:9618?addrs=10.0.0.2-9618>
...
";
    let files = [
        ("job.log", events),
        (
            "fit.5739.0.out",
            "2026-03-03 09:15:05,000 INFO fit: process 0 of 2\n",
        ),
        (
            "fit.5739.1.out",
            "2026-03-03 09:15:05,000 INFO fit: process 1 of 2\n",
        ),
        (
            "fit.4.1.out",
            "2026-03-03 09:15:05,000 INFO fit: of no cluster\n",
        ),
    ];
    with_files(&files, |run| {
        let second = counted(&[("fit.5739.1.out", 1), ("job.log", 2)]);
        assert_eq!(files_with(run, "batch.job", "5739.1"), second);
        assert!(files_with(run, "batch.job", "4.1").is_empty());
    });
}
