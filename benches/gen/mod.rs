//! Writes Parsl-like runs of any size: a small simulation of submit process, interchange, managers and workers whose records
//! say what real ones say, in the same order and about the same share, so that ids agree over the files. Memory is bounded by the
//! number of workers, not of events; one seed gives one run, byte for byte.

mod json;
mod random;
mod simulation;
mod sites;
mod template;
mod write;

use std::io;
use std::path::PathBuf;

pub use simulation::PROBE;
use sites::Level;
use write::Counts;
pub use write::Style;

/// Parameters of a generated run.
pub struct Plan {
    /// Approximate number of records; the answer has the exact one.
    pub events: u64,
    /// Text or JSON.
    pub style: Style,
    /// Number of worker logs, over which the workers' records are spread.
    pub worker_logs: usize,
    /// The same seed gives the same run.
    pub seed: u64,
    /// Directory that gets `runinfo/` and, beside it, `answer.json`.
    pub out: PathBuf,
}

/// Facts that a reader of the run should find.
pub struct Answer {
    /// Counts of each file, by its path below `runinfo/`.
    pub files: Vec<(String, Counts)>,
    /// Over all files.
    pub total: Counts,
    /// Parsl tasks submitted.
    pub tasks: u64,
    /// Tries launched; each has its own executor task id.
    pub tries: u64,
    /// Records that carry a traceback.
    pub tracebacks: u64,
    /// Final states of the tasks with their counts.
    pub states: [(&'static str, u64); 3],
    /// Records about task [`PROBE`]: those that name it as their subject, and those that name one of its executor tasks.
    pub probe_records: u64,
    /// The run's own id.
    pub dfk: String,
}

impl Answer {
    /// As the JSON object that is written to `answer.json`; times are integer nanoseconds since the epoch.
    pub fn to_json(&self) -> serde_json::Value {
        let counts = |counts: &Counts| {
            let levels: serde_json::Map<String, serde_json::Value> = Level::ALL
                .iter()
                .zip(counts.levels)
                .filter(|(_, n)| *n > 0)
                .map(|(level, n)| (level.name().to_owned(), n.into()))
                .collect();
            serde_json::json!({
                "records": counts.records, "lines": counts.lines, "bytes": counts.bytes, "levels": levels,
                "first_ns": counts.first.map(|t| t * 1000), "last_ns": counts.last.map(|t| t * 1000),
            })
        };
        let files: serde_json::Map<String, serde_json::Value> = self
            .files
            .iter()
            .map(|(path, c)| (path.clone(), counts(c)))
            .collect();
        let states: serde_json::Map<String, serde_json::Value> = self
            .states
            .iter()
            .map(|(state, n)| ((*state).to_owned(), (*n).into()))
            .collect();
        serde_json::json!({
            "dfk": self.dfk, "total": counts(&self.total), "tasks": self.tasks, "tries": self.tries,
            "tracebacks": self.tracebacks, "states": states,
            "probe": {"task": PROBE, "records": self.probe_records}, "files": files,
        })
    }
}

/// Writes the run and its `answer.json`.
///
/// # Errors
/// When a file or directory cannot be written, or the run directory is there already.
pub fn generate(plan: &Plan) -> io::Result<Answer> {
    std::fs::create_dir_all(&plan.out)?;
    // A second run into the same place would append to the first one's files.
    std::fs::create_dir(plan.out.join("runinfo"))?;
    let answer = simulation::run(plan)?;
    let mut text = serde_json::to_string_pretty(&answer.to_json())?;
    text.push('\n');
    std::fs::write(plan.out.join("answer.json"), text)?;
    Ok(answer)
}
