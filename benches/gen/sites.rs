//! Logging statements of Parsl: their places and messages, in the words of the released text logs and of
//! the observability prototype's JSON records.

/// A log level, in Python's numbering divided by ten, less one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Debug,
    Info,
    Warning,
    Error,
    Critical,
}

impl Level {
    /// All levels, in the order of their numbers.
    pub const ALL: [Level; 5] = [
        Level::Debug,
        Level::Info,
        Level::Warning,
        Level::Error,
        Level::Critical,
    ];

    /// The name as Python writes it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warning => "WARNING",
            Level::Error => "ERROR",
            Level::Critical => "CRITICAL",
        }
    }
}

/// One value put into a message. The variant says what it is, since the prototype's JSON adds each under its own key.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// A number without a role.
    Int(u64),
    /// Words without a role.
    Text(&'a str),
    /// A Parsl task, as the subject of the record.
    Task(u64),
    /// A Parsl task on which the subject depends.
    Dependency(u64),
    /// Number of the try of a task.
    Try(u64),
    /// An executor's label.
    Executor(&'a str),
    /// An executor task as the data flow kernel calls it.
    ExecutorId(u64),
    /// An executor task as interchange, manager and worker call it.
    ExecutorTask(u64),
    /// Several executor tasks.
    ExecutorTasks(&'a [u64]),
    /// A manager, written as Python's repr of bytes.
    Manager(u64),
    /// An address in memory.
    Pointer(u64),
}

/// One logging statement. `{0}`, `{1}` in the templates stand for the arguments.
pub struct Site {
    /// The logger, which is also the module.
    pub logger: &'static str,
    /// Line number in the module.
    pub line: u32,
    /// Function.
    pub function: &'static str,
    /// Level.
    pub level: Level,
    /// Message in a text log.
    pub text: &'static str,
    /// Message in a JSON record; empty for the same one from an f-string, so that the `msg` of the record contains its values.
    pub json: &'static str,
}

const DFLOW: &str = "parsl.dataflow.dflow";
const MEMO: &str = "parsl.dataflow.memoization";
const HTEX: &str = "parsl.executors.high_throughput.executor";
const PIPES: &str = "parsl.executors.high_throughput.zmq_pipes";
const IX: &str = "parsl.executors.high_throughput.interchange";
const POOL: &str = "parsl.executors.high_throughput.process_worker_pool";
const STRATEGY: &str = "parsl.jobs.strategy";
const WRAPPED: &str = "parsl.process_loggers";

const fn site(
    logger: &'static str,
    line: u32,
    function: &'static str,
    level: Level,
    text: &'static str,
    json: &'static str,
) -> Site {
    Site {
        logger,
        line,
        function,
        level,
        text,
        json,
    }
}

macro_rules! sites {
    ($($name:ident = $logger:ident $line:literal $function:literal $level:ident $text:literal $json:literal;)*) => {
        $(pub const $name: Site = site($logger, $line, $function, Level::$level, $text, $json);)*
    };
}

// The submit process.
sites! {
    CONFIG = DFLOW 123 "__init__" Info "Starting DataFlowKernel with config" "";
    VERSION = DFLOW 125 "__init__" Info "Parsl version: {0}" "Parsl version: {0}";
    RUN_ID = DFLOW 147 "__init__" Info "Run id is: {0}" "Run id is: {0}";
    ADD_EXECUTOR = DFLOW 1106 "add_executors" Info "Adding executor {0} of type parsl.executors.high_throughput.executor.HighThroughputExecutor" "";
    BLOCK_ID = HTEX 790 "_launch_block" Debug "Launched block {0} with job ID {1}" "Launched block {0} with job ID {1}";
    WILL_BE_SENT = DFLOW 973 "submit" Debug "Task {0} will be sent to executor {1}" "Task {0}: will be sent to executor {1}";
    ADDING_OUTPUTS = DFLOW 781 "_add_output_deps" Debug "Adding output dependencies" "Adding output dependencies";
    ADDED_OUTPUTS = DFLOW 1022 "submit" Debug "Added output dependencies" "Added output dependencies";
    GATHERING = DFLOW 1031 "submit" Debug "Gathering dependencies" "Gathering dependencies";
    GATHERED = DFLOW 1034 "submit" Debug "Gathered dependencies" "Gathered dependencies";
    DEPENDS = DFLOW 1040 "submit" Info "Task {0} has dependency task {1}" "Task {0}: has dependency task {1}";
    SUBMITTED = DFLOW 1053 "submit" Info "Task {0} submitted for App {1}, not waiting on any dependency" "Task {0}: submitted for App {1}, not waiting on any dependency";
    SUBMITTED_1 = DFLOW 1053 "submit" Info "Task {0} submitted for App {1}, waiting on task {2}" "Task {0}: submitted for App {1}, waiting on task {2}";
    SUBMITTED_2 = DFLOW 1053 "submit" Info "Task {0} submitted for App {1}, waiting on task {2}, task {3}" "Task {0}: submitted for App {1}, waiting on task {2}, task {3}";
    FUTURE = DFLOW 1056 "submit" Debug "Task {0} has AppFuture: <AppFuture at {1} state=pending>" "Task {0}: has AppFuture: <AppFuture at {1} state=pending>";
    TO_PENDING = DFLOW 567 "_update_task_state" Info "Task {0} initializing state to pending" "Task {0}: initializing state to pending";
    SKIPPING = DFLOW 630 "_launch_if_ready_async" Debug "Task {0} has outstanding dependencies, so launch_if_ready skipping" "Task {0}: has outstanding dependencies, so launch_if_ready skipping";
    NOT_MEMOIZED = MEMO 379 "check_memo" Debug "Task {0} will not be memoized" "Task {0}: will not be memoized";
    PUSHING = HTEX 714 "submit" Debug "Pushing function <function {0} at {1}> to queue with args ('{2}', \"{'chain': {3}}\", '0.{4}')" "";
    SENDING_TASK = PIPES 148 "put" Debug "Sending TasksOutgoing message" "Sending TasksOutgoing message";
    SENT_TASK = PIPES 150 "put" Debug "Sent TasksOutgoing message" "Sent TasksOutgoing message";
    TO_LAUNCHED = DFLOW 565 "_update_task_state" Info "Task {0} changing state from pending to launched" "Task {0}: changing state from pending to launched";
    LAUNCHED = DFLOW 734 "launch_task" Info "Parsl task {0} try {1} launched on executor {2} with executor id {3}" "Task {0}: try {1} launched on executor {2} with executor id {3}";
    STDOUT = DFLOW 1243 "log_std_stream" Info "Standard out for task {0} will not be redirected." "Task {0}: Standard out will not be redirected.";
    STDERR = DFLOW 1243 "log_std_stream" Info "Standard error for task {0} will not be redirected." "Task {0}: Standard error will not be redirected.";
    LAUNCH_ENDED = WRAPPED 27 "wrapped" Debug "Normal ending for _launch_if_ready_async on thread Task-Launch_0" "Normal ending for _launch_if_ready_async on thread Task-Launch_0";
    RESULT = PIPES 189 "get" Debug "Receiving ResultsIncoming message" "Receiving ResultsIncoming message";
    RERAISING = APP_ERRORS 110 "reraise" Debug "Reraising exception of type <class '{0}'>" "Reraising exception of type <class '{0}'>";
    NO_CHECKPOINT = MEMO 582 "_checkpoint_these_tasks" Debug "No tasks checkpointed in this pass." "No tasks checkpointed in this pass.";
    NEVER_CHECKPOINT = MEMO 580 "_checkpoint_these_tasks" Warning "No tasks checkpointed so far in this run. Please ensure caching is enabled" "No tasks checkpointed so far in this run. Please ensure caching is enabled";
    TO_DONE = DFLOW 565 "_update_task_state" Info "Task {0} changing state from launched to exec_done" "Task {0}: changing state from launched to exec_done";
    TRY_FAILED = DFLOW 351 "handle_exec_update" Info "Task {0} try {1} failed with exception of type {2}" "Task {0}: try {1} failed with exception of type {2}";
    TO_RETRYABLE = DFLOW 565 "_update_task_state" Info "Task {0} changing state from launched to fail_retryable" "Task {0}: changing state from launched to fail_retryable";
    TO_PENDING_AGAIN = DFLOW 565 "_update_task_state" Info "Task {0} changing state from fail_retryable to pending" "Task {0}: changing state from fail_retryable to pending";
    FAILED = DFLOW 390 "handle_exec_update" Error "Task {0} failed after {1} retry attempts" "Task {0}: failed after {1} retry attempts";
    TO_FAILED = DFLOW 565 "_update_task_state" Info "Task {0} changing state from launched to failed" "Task {0}: changing state from launched to failed";
    DEP_FAILED = DFLOW 651 "_launch_if_ready_async" Info "Task {0} failed due to dependency failure" "Task {0}: failed due to dependency failure";
    DEP_SKIPS = DFLOW 375 "handle_exec_update" Info "Task {0} failed due to dependency failure so skipping retries" "Task {0}: failed due to dependency failure so skipping retries";
    TO_DEP_FAIL = DFLOW 565 "_update_task_state" Info "Task {0} changing state from pending to dep_fail" "Task {0}: changing state from pending to dep_fail";
    STRATEGY_START = STRATEGY 186 "_general_strategy" Debug "general strategy starting with strategy_type simple for 1 executors" "";
    STRATEGIZING = STRATEGY 198 "_general_strategy" Debug "[Scaling executor {0}] Strategizing for executor" "";
    STRATEGY_SLOTS = STRATEGY 224 "_general_strategy" Debug "[Scaling executor {0}] Executor {1} active tasks, {2} active slots, and {3}/{4} running/pending blocks" "";
    STRATEGY_CASE = STRATEGY 273 "_general_strategy" Debug "[Scaling executor {0}] Strategy case 2a: active_blocks {1} >= max_blocks {1} so not scaling out" "";
    STRATEGY_ENDED = WRAPPED 27 "wrapped" Debug "Normal ending for _general_strategy on thread JobStatusPoller-Timer-Thread-{0}" "";
    TASKS_IN_STATE = DFLOW 1160 "log_task_states" Info "Tasks in state States.{0}: {1}" "";
    CLEANUP = DFLOW 1229 "cleanup" Info "Unregistering log handler" "Unregistering log handler";
}

const APP_ERRORS: &str = "parsl.app.errors";

// The interchange.
sites! {
    IX_START = IX 289 "start" Info "Starting main interchange method" "Starting main interchange method";
    TASK_SECTION = IX 336 "process_task_incoming" Debug "start task_incoming section" "start task_incoming section";
    PUTTING = IX 345 "process_task_incoming" Debug "Putting task {0} onto pending_task_queue" "HTEX task {0}: putting onto pending_task_queue";
    PUT = IX 348 "process_task_incoming" Debug "Put task {0} onto pending_task_queue" "HTEX task {0}: put onto pending_task_queue";
    MANAGERS = IX 533 "log_manager_counts" Debug "Managers count (interesting/total): {0}/{1}" "Managers count (interesting/total): {0}/{1}";
    SENT_TASKS = IX 561 "process_tasks_to_send" Debug "Sent tasks: {0} to manager {1}" "Sent tasks: {0} to manager {1}";
    SATURATED = IX 568 "process_tasks_to_send" Debug "Manager {0} is now saturated" "Manager {0} is now saturated";
    CAPACITY = IX 571 "process_tasks_to_send" Debug "Manager {0} has free capacity {1}" "Manager {0} has free capacity {1}";
    LEAVING_READY = IX 573 "process_tasks_to_send" Debug "leaving _ready_managers section, with {0} managers still interesting" "leaving _ready_managers section, with {0} managers still interesting";
    WORKER_SECTION = IX 360 "process_manager_socket_message" Debug "starting worker message section" "starting worker message section";
    MESSAGE = IX 374 "process_manager_socket_message" Debug "Processing message type '{1}' from manager {0}" "Manager {0}: Processing message type '{1}'";
    REMOVING = IX 463 "process_manager_socket_message" Debug "Removing task {0} from manager" "HTEX task {0}: Manager {1}: Removing task from manager";
    SENDING_RESULT = IX 475 "process_manager_socket_message" Debug "Sending result on results_outgoing" "Sending result on results_outgoing";
    SENT_RESULT = IX 477 "process_manager_socket_message" Debug "Sent result on results_outgoing" "Sent result on results_outgoing";
    LEAVING_WORKER = IX 507 "process_manager_socket_message" Debug "leaving worker message section" "leaving worker message section";
    COMMAND_SECTION = IX 231 "process_command" Debug "entering command_server section" "entering command_server section";
    COMMAND = IX 234 "process_command" Debug "Received command request: CONNECTED_BLOCKS" "Received command request: {0}";
    REPLY = IX 281 "process_command" Debug "Reply: {0}" "Reply: {0}";
    REGISTRATION = IX 412 "process_manager_socket_message" Info "Registration info for manager {0}: {'type': 'registration', 'parsl_v': '2026.10.26', 'python_v': '3.11.7', 'packages': {'tblib': '3.2.2', 'pyzmq': '27.3.0', 'dill': '0.4.1', 'psutil': '7.2.2', 'parsl': '2026.10.26'}, 'worker_count': {2}, 'uid': '{3}', 'block_id': '{1}', 'start_time': {4}, 'drain_time': inf, 'prefetch_capacity': 0, 'max_capacity': {2}, 'os': 'Linux', 'hostname': 'node{5}', 'dir': '/home/hpcuser/work', 'cpu_count': 64, 'total_memory': 252765184000}" "";
    REGISTERED = IX 448 "process_manager_socket_message" Info "Registered manager {0} (py3.11, 2026.10.26) and added to ready queue" "Registered manager {0} (py3.11, 2026.10.26) and added to ready queue";
    MONITOR = IX 215 "_send_monitoring_info" Info "Sending message {'block_id': '{0}', 'start_time': {1}, 'tasks': {2}, 'worker_count': {3}, 'max_capacity': {3}, 'active': True, 'draining': False, 'drain_time': inf, 'last_heartbeat': {4}, 'idle_since': None, 'parsl_version': '2026.10.26', 'python_version': '3.11.7', 'type': 'registration', 'parsl_v': '2026.10.26', 'python_v': '3.11.7', 'packages': {'tblib': '3.2.2', 'pyzmq': '27.3.0', 'dill': '0.4.1', 'psutil': '7.2.2', 'parsl': '2026.10.26'}, 'uid': '{5}', 'prefetch_capacity': 0, 'os': 'Linux', 'hostname': 'node{6}', 'dir': '/home/hpcuser/work', 'cpu_count': 64, 'total_memory': 252765184000} to MonitoringHub" "";
}

// A manager and its workers.
sites! {
    MANAGER_START = POOL 968 "<module>" Info "" "";
    MANAGER_INIT = POOL 166 "__init__" Info "Manager initializing" "Manager initializing";
    SPAWN = POOL 258 "__init__" Info "Manager will spawn {0} workers" "Manager will spawn {0} workers";
    COMMUNICATING = POOL 313 "interchange_communicator" Info "Manager task pipe connected to interchange" "Manager task pipe connected to interchange";
    NO_CONNECTION = POOL 322 "interchange_communicator" Error "Failed to connect to interchange (tcp://127.0.0.1:{0}" "Failed to connect to interchange ({0}";
    CONNECTED = POOL 325 "interchange_communicator" Info "Successfully connected to interchange via URL: tcp://127.0.0.1:{0}" "Successfully connected to interchange via URL: tcp://127.0.0.1:{0}";
    GOT_TASKS = POOL 393 "interchange_communicator" Debug "Got executor tasks: {0}, cumulative count of tasks: {1}" "";
    READY = POOL 353 "interchange_communicator" Debug "ready workers: {0}, pending tasks: {1}" "ready workers: {0}, pending tasks: {1}";
    NO_TASKS = POOL 405 "interchange_communicator" Debug "No incoming tasks" "No incoming tasks";
    HEARTBEAT = POOL 293 "heartbeat_to_incoming" Debug "Sent heartbeat" "Sent heartbeat";
    HEARTBEAT_REPLY = POOL 387 "interchange_communicator" Debug "Got heartbeat response from interchange" "Got heartbeat response from interchange";
    RESULT_RECEIVED = POOL 436 "ferry_result" Debug "Result received from worker" "Result received from worker";
    RESULT_SENT = POOL 402 "interchange_communicator" Debug "Result sent to interchange" "Result sent to interchange";
    GOT_MONITORING = POOL 492 "handle_monitoring_messages" Debug "Got a monitoring message" "Got a monitoring message";
    PUT_MONITORING = POOL 494 "handle_monitoring_messages" Debug "Put monitoring message on pending_result_queue" "Put monitoring message on pending_result_queue";
    GET_MONITORING = POOL 488 "handle_monitoring_messages" Debug "Starting monitor_queue.get()" "Starting monitor_queue.get()";
    WORKER_START = POOL 662 "worker" Info "Worker {0} started" "Worker {0} started";
    WORKER_DEBUG = POOL 664 "worker" Debug "Debug logging enabled" "Debug logging enabled";
    RECEIVED = POOL 775 "worker" Info "Received executor task {0}" "HTEX task {0}: received executor task";
    FIRST_MESSAGE = WRAPPED 27 "wrapped" Debug "Normal ending for send_first_message on thread MainThread" "Normal ending for send_first_message on thread MainThread";
    MONITOR_ENDED = WRAPPED 27 "wrapped" Debug "Normal ending for monitor on thread MainThread" "Normal ending for monitor on thread MainThread";
    LAST_MESSAGE = WRAPPED 27 "wrapped" Debug "Normal ending for send_last_message on thread MainThread" "Normal ending for send_last_message on thread MainThread";
    COMPLETED = POOL 809 "worker" Info "Completed executor task {0}" "HTEX task {0}: Completed task";
    FINISHED = POOL 821 "worker" Info "All processing finished for executor task {0}" "HTEX task {0}: All processing finished for task";
}

/// Lines below "Starting DataFlowKernel with config".
pub const CONFIG_BODY: &str = "Config(
    dependency_resolver=None, 
    executors=(HighThroughputExecutor(
        address='127.0.0.1', 
        cores_per_worker=0.5, 
        heartbeat_period=30, 
        heartbeat_threshold=120, 
        label='htex_sim', 
        poll_period=10, 
        prefetch_capacity=0, 
        provider=SlurmProvider(
            init_blocks=1, 
            launcher=SrunLauncher(debug=True, overrides=''), 
            worker_init=''
        ), 
        worker_debug=True
    ),), 
    exit_mode='wait', 
    monitoring=None, 
    retries=2, 
    run_dir='runinfo', 
    strategy='simple', 
    strategy_period=5
)";

/// Lines below the first record of a manager, whose own message is empty; `{0}` manager, `{1}` block, `{2}` workers.
pub const MANAGER_BODY: &str = "  Python version: 3.11.7 (main, May  9 2026, 07:35:25) [GCC 12.2.0]
  Debug logging: True
  Certificates dir: None
  Log dir: /home/hpcuser/work/runinfo/000/htex_sim
  Log config path: None
  Manager ID: {0}
  Block ID: {1}
  cores_per_worker: 0.5
  mem_per_worker: None
  Interchange port: 54098
  addresses: 127.0.0.1
  max_workers_per_node: {2}
  poll_period: 10
  address_probe_timeout: 30
  Prefetch capacity: 0
  Heartbeat threshold: 120
  Heartbeat period: 30
  Drain period: None
  CPU affinity: none
  Accelerators: 
  enable_mpi_mode: False
  mpi_launcher: mpiexec";

/// The traceback of a task that failed for good; `{0}` an argument, `{1}` the exception, `{2}` the task's app.
pub const TRACEBACK: &str = "Traceback (most recent call last):
  File \"/home/hpcuser/venv/lib/python3.11/site-packages/parsl/dataflow/dflow.py\", line 348, in handle_exec_update
    res = self._unwrap_remote_exception_wrapper(future)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File \"/home/hpcuser/venv/lib/python3.11/site-packages/parsl/dataflow/dflow.py\", line 578, in _unwrap_remote_exception_wrapper
    result.reraise()
  File \"/home/hpcuser/venv/lib/python3.11/site-packages/parsl/app/errors.py\", line 114, in reraise
    raise v
  File \"/home/hpcuser/venv/lib/python3.11/site-packages/parsl/app/errors.py\", line 138, in wrapper
    return func(*args, **kwargs)
    ^^^^^^^^^^^^^^^^^
  File \"/home/hpcuser/work/campaign.py\", line 71, in {2}
    return read_input(chain, scale={0})
           ^^^^^^^^^^^^^^^^^
  File \"/home/hpcuser/work/campaign.py\", line 44, in read_input
    return 1.0 / weight_of(chain)
           ~~~~^~~~~~~~~~~~~~~~~~
ZeroDivisionError: float division by zero

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"/home/hpcuser/work/campaign.py\", line 73, in {2}
    raise {1}(f\"chain {chain}: unusable input\")
    ^^^^^^^^^^^^^^^^^
{1}: chain {0}: unusable input";
