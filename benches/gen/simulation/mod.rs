//! The simulated run: a queue of due steps in time order. Each step belongs to one thread and logs what that thread logs then;
//! since a step takes a little time while other threads go on, times in a file step back a little between threads, as in real logs.

mod interchange;
mod pool;
mod submit;

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::io;

use super::random::Random;
use super::sites::{self, Arg, Site};
use super::write::{Below, Files, Thread};
use super::{Answer, Counts, Plan};

/// The task whose records are counted in the answer.
pub const PROBE: u64 = 358;

/// When every run starts, microseconds since the epoch.
const START: u64 = 1_795_225_376_080_715;
const LABEL: &str = "htex_sim";
const DIRECTORY: &str = "000/htex_sim";
const RETRIES: u64 = 2;
/// Records of a task from its submission to its end, over all files; only to know when to stop submitting.
const RECORDS_PER_TASK: u64 = 72;
const MS: u64 = 1000;
const SECOND: u64 = 1_000_000;

/// App names, and how long each runs against the mean, in percent.
const APPS: [(&str, u64); 5] = [
    ("prepare", 40),
    ("simulate", 180),
    ("merge", 60),
    ("calibrate", 100),
    ("analyse", 120),
];
const EXCEPTIONS: [&str; 4] = [
    "ZeroDivisionError",
    "BashExitFailure",
    "RuntimeError",
    "MemoryError",
];

/// How a task will go; drawn when it is submitted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Succeeds,
    SucceedsOnRetry,
    Fails,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Launched,
    Ended,
}

struct Task {
    fate: Fate,
    progress: Progress,
    app: usize,
    tries: u64,
    executor_task: u64,
    open_dependencies: u64,
    dependency_failed: bool,
    dependents: Vec<u64>,
}

struct Manager {
    id: u64,
    block: u64,
    main: usize,
    communicator: usize,
    shovel: usize,
    monitor: usize,
    idle: Vec<usize>,
    free: u64,
    received: u64,
    /// Its place in the list of managers with free workers.
    place: Option<usize>,
}

struct Worker {
    manager: usize,
    number: u64,
    thread: usize,
}

enum Step {
    Submit,
    Attempt(u64),
    Launched(u64),
    Enqueue(u64),
    Dispatch,
    Receive(usize, Vec<u64>),
    Work(usize, u64),
    Monitoring(usize),
    ForwardMonitoring(usize),
    Complete(usize, u64),
    Return(usize, u64),
    Collect(usize, u64),
    Result(u64),
    ManagerUp(usize),
    Register(usize),
    Heartbeat(usize),
    HeartbeatSeen(usize),
    Strategy,
    Command,
}

struct Due {
    time: u64,
    number: u64,
    step: Step,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, self.number).cmp(&(other.time, other.number))
    }
}

struct Simulation {
    files: Files,
    threads: Vec<Thread>,
    random: Random,
    due: BinaryHeap<Reverse<Due>>,
    steps: u64,
    records: u64,
    target: u64,
    /// Records still to come from managers and workers that have not started yet.
    startup: u64,
    // The submit process.
    main: usize,
    launcher: usize,
    results: usize,
    poller: usize,
    tasks: VecDeque<Task>,
    first_task: u64,
    submitted: u64,
    unfinished: u64,
    blocked: bool,
    finished_submitting: bool,
    executor_tasks: u64,
    // The interchange.
    interchange: usize,
    pending: VecDeque<u64>,
    ready: Vec<usize>,
    connected: u64,
    managers: Vec<Manager>,
    workers: Vec<Worker>,
    blocks: String,
    block_count: u64,
    mean_duration: u64,
    heartbeat: u64,
    // What the answer says.
    states: [(&'static str, u64); 3],
    tracebacks: u64,
    probe_records: u64,
    probe_executor_tasks: Vec<u64>,
}

/// Runs the simulation and writes its files below `plan.out/runinfo`.
pub fn run(plan: &Plan) -> io::Result<Answer> {
    let mut random = Random::new(plan.seed);
    let dfk = uuid(&mut random);
    let workers = plan.worker_logs.max(1);
    let per_manager = if workers <= 64 { 4 } else { 16 };
    let managers = workers.div_ceil(per_manager);
    let per_block = if managers <= 16 { 2 } else { 8 };
    let root = plan.out.join("runinfo");
    let files = Files::new(&root, plan.style, workers + managers + 2, START, &dfk);
    let mut simulation = Simulation {
        files,
        threads: Vec::new(),
        random,
        due: BinaryHeap::new(),
        steps: 0,
        records: 0,
        target: plan.events,
        startup: (2 * workers + 12 * managers) as u64,
        main: 0,
        launcher: 0,
        results: 0,
        poller: 0,
        tasks: VecDeque::new(),
        first_task: 0,
        submitted: 0,
        unfinished: 0,
        blocked: false,
        finished_submitting: false,
        executor_tasks: 0,
        interchange: 0,
        pending: VecDeque::new(),
        ready: Vec::new(),
        connected: 0,
        managers: Vec::new(),
        workers: Vec::new(),
        blocks: String::new(),
        block_count: managers.div_ceil(per_block) as u64,
        // About 100 tasks a second, whatever the number of workers; with very many of them most are idle.
        mean_duration: (workers as u64 * 10 * MS).min(4 * SECOND),
        heartbeat: if managers <= 16 {
            5 * SECOND
        } else {
            30 * SECOND
        },
        states: [("exec_done", 0), ("failed", 0), ("dep_fail", 0)],
        tracebacks: 0,
        probe_records: 0,
        probe_executor_tasks: Vec::new(),
    };
    simulation.prepare(workers, per_manager, per_block, &dfk)?;
    while let Some(Reverse(due)) = simulation.due.pop() {
        if simulation.finished_submitting && simulation.unfinished == 0 {
            break;
        }
        let clock = simulation.threads[simulation.thread_of(&due.step)].clock;
        // A busy thread takes the step up when it is free; a little overlap stays, as between real threads.
        if clock > due.time + MS / 5 {
            simulation.after(clock - due.time, due.time, due.step);
        } else {
            simulation.take(due.time, due.step)?;
        }
    }
    simulation.clean_up()?;
    simulation.files.finish()?;
    let mut total = Counts::default();
    let files: Vec<(String, Counts)> = simulation
        .files
        .files
        .into_iter()
        .map(|file| (file.path, file.counts))
        .inspect(|(_, counts)| total.add(counts))
        .collect();
    Ok(Answer {
        files,
        total,
        tasks: simulation.submitted,
        tries: simulation.executor_tasks,
        tracebacks: simulation.tracebacks,
        states: simulation.states,
        probe_records: simulation.probe_records,
        dfk,
    })
}

fn uuid(random: &mut Random) -> String {
    let (a, b) = (random.next(), random.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

impl Simulation {
    /// Makes files and threads, and logs what comes before the first task.
    fn prepare(
        &mut self,
        workers: usize,
        per_manager: usize,
        per_block: usize,
        dfk: &str,
    ) -> io::Result<()> {
        let parsl = self.files.create("000/parsl")?;
        let pid = 2000 + self.random.below(20_000);
        self.main = self.thread(parsl, "MainProcess", pid, "MainThread");
        self.launcher = self.thread(parsl, "MainProcess", pid, "Task-Launch_0");
        self.results = self.thread(parsl, "MainProcess", pid, "HTEX-Result-Queue-Thread");
        let poller = format!(
            "JobStatusPoller-Timer-Thread-{}",
            0x7f00_0000_0000 + self.random.below(1 << 36)
        );
        self.poller = self.thread(parsl, "MainProcess", pid, &poller);
        let interchange = self.files.create(&format!("{DIRECTORY}/interchange"))?;
        let (main, ix) = (
            self.main,
            self.thread(interchange, "MainProcess", pid + 179, "MainThread"),
        );
        self.interchange = ix;

        self.say(
            main,
            START,
            &sites::CONFIG,
            &[],
            Below::Lines(sites::CONFIG_BODY),
        )?;
        self.log(
            main,
            START + 20 * MS,
            &sites::VERSION,
            &[Arg::Text("2026.10.26")],
        )?;
        self.log(main, START + 54 * MS, &sites::RUN_ID, &[Arg::Text(dfk)])?;
        self.log(
            main,
            START + 71 * MS,
            &sites::ADD_EXECUTOR,
            &[Arg::Executor(LABEL)],
        )?;
        self.log(ix, START + 900 * MS, &sites::IX_START, &[])?;
        for block in 0..self.block_count {
            let job = 300_000 + 7 * block;
            self.log(
                main,
                START + SECOND,
                &sites::BLOCK_ID,
                &[Arg::Int(block), Arg::Int(job)],
            )?;
        }
        self.blocks = (0..self.block_count)
            .map(|b| format!("'{b}'"))
            .collect::<Vec<_>>()
            .join(", ");

        for number in 0..workers.div_ceil(per_manager) {
            let (id, block) = (self.random.next() & 0xffff_ffff_ffff, number / per_block);
            let directory = format!("{DIRECTORY}/block-{block}/{id:012x}");
            let log = self.files.create(&format!("{directory}/manager"))?;
            let pid = 1000 + self.random.below(60_000);
            let main = self.thread(log, "MainProcess", pid, "MainThread");
            let communicator = self.thread(log, "MainProcess", pid, "Interchange-Communicator");
            let shovel = self.thread(log, "MainProcess", pid, "Result-Shovel");
            let monitor = self.thread(log, "MainProcess", pid, "Monitoring-Handler");
            let mut idle = Vec::new();
            for k in 0..per_manager.min(workers - self.workers.len()) {
                let log = self.files.create(&format!("{directory}/worker_{k}"))?;
                let thread = self.thread(
                    log,
                    &format!("HTEX-Worker-{k}"),
                    pid + 40 + k as u64,
                    "MainThread",
                );
                idle.push(self.workers.len());
                self.workers.push(Worker {
                    manager: number,
                    number: k as u64,
                    thread,
                });
            }
            self.managers.push(Manager {
                id,
                block: block as u64,
                main,
                communicator,
                shovel,
                monitor,
                free: idle.len() as u64,
                idle,
                received: 0,
                place: None,
            });
            // Batch jobs start over some seconds, each block's managers close together.
            let start = 2 * SECOND + block as u64 * 150 * MS + self.random.below(SECOND);
            self.after(start, START, Step::ManagerUp(number));
        }
        self.after(2 * SECOND, START, Step::Submit);
        self.after(3 * SECOND, START, Step::Strategy);
        self.after(4 * SECOND, START, Step::Command);
        Ok(())
    }

    fn thread(&mut self, file: usize, process: &str, pid: u64, name: &str) -> usize {
        self.threads.push(Thread {
            file,
            process: process.to_owned(),
            pid,
            name: name.to_owned(),
            id: 0x7f00_0000_0000 + (self.random.below(1 << 28) << 8),
            clock: 0,
        });
        self.threads.len() - 1
    }

    /// One record of a thread, at `time` or as soon after as the thread can; gives its time.
    fn say(
        &mut self,
        thread: usize,
        time: u64,
        site: &Site,
        args: &[Arg<'_>],
        below: Below<'_>,
    ) -> io::Result<u64> {
        let pause = 12 + self.random.below(30);
        let by = &mut self.threads[thread];
        by.clock = time.max(by.clock + pause);
        self.records += 1;
        self.probe_records += u64::from(args.iter().any(|arg| match arg {
            Arg::Task(task) => *task == PROBE,
            Arg::ExecutorTask(task) => self.probe_executor_tasks.contains(task),
            Arg::ExecutorTasks(tasks) => {
                tasks.iter().any(|t| self.probe_executor_tasks.contains(t))
            }
            _ => false,
        }));
        self.tracebacks += u64::from(matches!(below, Below::Traceback(_)));
        self.files.record(by, by.clock, site, args, below)?;
        Ok(by.clock)
    }

    fn log(&mut self, thread: usize, time: u64, site: &Site, args: &[Arg<'_>]) -> io::Result<u64> {
        self.say(thread, time, site, args, Below::Nothing)
    }

    fn after(&mut self, delay: u64, now: u64, step: Step) {
        self.steps += 1;
        self.due.push(Reverse(Due {
            time: now + delay,
            number: self.steps,
            step,
        }));
    }

    fn task(&mut self, task: u64) -> Option<&mut Task> {
        self.tasks
            .get_mut(task.checked_sub(self.first_task)? as usize)
    }

    fn thread_of(&self, step: &Step) -> usize {
        match step {
            Step::Submit => self.main,
            Step::Attempt(_) | Step::Launched(_) => self.launcher,
            Step::Result(_) => self.results,
            Step::Strategy => self.poller,
            Step::Enqueue(_)
            | Step::Dispatch
            | Step::ForwardMonitoring(_)
            | Step::Collect(..)
            | Step::Register(_)
            | Step::HeartbeatSeen(_)
            | Step::Command => self.interchange,
            Step::Receive(manager, _) | Step::Heartbeat(manager) => {
                self.managers[*manager].communicator
            }
            Step::Monitoring(manager) => self.managers[*manager].monitor,
            Step::ManagerUp(manager) => self.managers[*manager].main,
            Step::Return(worker, _) => self.managers[self.workers[*worker].manager].shovel,
            Step::Work(worker, _) | Step::Complete(worker, _) => self.workers[*worker].thread,
        }
    }

    fn take(&mut self, now: u64, step: Step) -> io::Result<()> {
        match step {
            Step::Submit => self.submit(now),
            Step::Attempt(task) => self.attempt(now, task),
            Step::Launched(task) => self.launched(now, task),
            Step::Enqueue(task) => self.enqueue(now, task),
            Step::Dispatch => self.dispatch(now),
            Step::Receive(manager, tasks) => self.receive(now, manager, &tasks),
            Step::Work(worker, task) => self.work(now, worker, task),
            Step::Monitoring(manager) => self.monitoring(now, manager),
            Step::ForwardMonitoring(manager) => self.message(now, manager, "monitoring"),
            Step::Complete(worker, task) => self.complete(now, worker, task),
            Step::Return(worker, task) => self.hand_back(now, worker, task),
            Step::Collect(manager, task) => self.collect(now, manager, task),
            Step::Result(task) => self.result(now, task),
            Step::ManagerUp(manager) => self.manager_up(now, manager),
            Step::Register(manager) => self.register(now, manager),
            Step::Heartbeat(manager) => self.beat(now, manager),
            Step::HeartbeatSeen(manager) => self.message(now, manager, "heartbeat"),
            Step::Strategy => self.strategy(now),
            Step::Command => self.command(now),
        }
    }

    /// A step due after `delay` and up to `more` on top of it.
    fn within(&mut self, delay: u64, more: u64, now: u64, step: Step) {
        let delay = delay + self.random.below(more);
        self.after(delay, now, step);
    }
}
