//! Unfinished work, causes and findings, on runs with recorded outcomes.

mod causes;
mod claims;
mod concurrent_runs;
mod deaths;
mod endpoints;
mod executors;
mod failed_work;
mod findings;
mod foreign_hints;
mod large_runs;
mod other_logs;
mod outcomes;
mod recorded_tasks;
mod single_cause;
mod sites;
mod unfinished_work;
mod verdicts;
mod versions;
mod waits;
