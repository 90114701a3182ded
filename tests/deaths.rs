//! One death is one finding, also where its system tells it in many places: Celery, Ray, Academy, Snakemake, Dask.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod looked;

use looked::Run;

/// What the first finding says in its text.
fn first(run: &Run) -> &str {
    &run.diagnosis.findings[0].text
}

fn celery(seconds: f64, level: &str, who: &str, message: &str) -> String {
    let seconds = format!("{seconds:06.3}").replace('.', ",");
    format!("[2026-11-25 16:50:{seconds}: {level}/{who}] {message}\n")
}

/// A traceback as a pool of Celery logs it: it quotes the one that was raised.
fn quoted(line: &str) -> String {
    let frame = "Traceback (most recent call last):\n  File \"/opt/billiard/pool.py\", line 745, in f\n    raise\n";
    format!(
        "{frame}billiard.einfo.ExceptionWithTraceback: \n\"\"\"\n{frame}billiard.exceptions.{line}\n\"\"\"\n"
    )
}

/// Celery 5.7.0: a process of the pool was killed, its task is given up when nobody made it good for 10 s.
#[test]
fn a_killed_process_of_a_pool_is_told_with_the_task_that_it_took_along() {
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
    let told = ["error: A process of a worker died: signal 9 (SIGKILL) (24790)"];
    assert_eq!(run.told(), told, "{:#?}", run.diagnosis);
    let text = first(&run);
    assert!(
        text.contains("It is why 1 task of tasks.die failed"),
        "{text}"
    );
    assert!(!text.contains("\"\"\""), "{text}");
    // Where no backend tells which task it was, the log does not: it is only seen that one never ended.
    let run = Run::of(&[("worker.log", &log)]);
    assert_eq!(run.told()[0], told[0]);
    assert_eq!(run.states("celery.task")["received"], 1);
}

/// Celery 5.7.0: the process that ran over a hard limit is ended by its pool, which is no other loss.
#[test]
fn a_hard_time_limit_is_told_with_the_process_that_was_ended_for_it() {
    let name = "tasks.toolong[d1209f94-7bed-464b-ac20-69c9c6d501c9]";
    let log = celery(0.0, "INFO", "MainProcess", "w1@h ready.")
        + &celery(1.0, "INFO", "MainProcess", &format!("Task {name} received"))
        + &celery(
            2.0,
            "ERROR",
            "MainProcess",
            "Process 'ForkPoolWorker-3' pid:24790 exited with 'signal 9 (SIGKILL)'",
        )
        + &celery(
            14.0,
            "ERROR",
            "MainProcess",
            "Task handler raised error: TimeLimitExceeded(3)",
        )
        + &quoted("TimeLimitExceeded: TimeLimitExceeded(3,)")
        + &celery(
            14.002,
            "ERROR",
            "MainProcess",
            &format!("Hard time limit (3s) exceeded for {name}"),
        )
        + &celery(
            14.2,
            "ERROR",
            "MainProcess",
            "Process 'ForkPoolWorker-2' pid:24787 exited with 'signal 15 (SIGTERM)'",
        );
    let run = Run::of(&[("worker.log", &log)]);
    assert_eq!(
        run.told(),
        [
            "error: A process of a worker died: signal 9 (SIGKILL) (24790)",
            "error: A task ran longer than its hard time limit (tasks.toolong)"
        ],
        "{:#?}",
        run.diagnosis
    );
    let text = &run.diagnosis.findings[1].text;
    assert!(
        text.contains("It is why 1 task of tasks.toolong failed"),
        "{text}"
    );
    assert!(
        text.contains("With it came: a process of a worker died: signal 15 (SIGTERM) (24787)"),
        "{text}"
    );
}
