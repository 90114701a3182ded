//! Writes a Parsl-like run of a given size, with the answers a reader of it should find; see `benches/README.md`.

#[path = "../benches/gen/mod.rs"]
mod generated;

use std::path::PathBuf;
use std::process::ExitCode;

use generated::{Plan, Style};

const USAGE: &str = "usage: gen_run --events N --style text|json --out DIR [--files N] [--seed S]
  writes DIR/runinfo and, beside it, DIR/answer.json; --files is the number of worker logs (default 32)";

fn plan(mut args: impl Iterator<Item = String>) -> Result<Plan, String> {
    let (mut events, mut style, mut out) = (None, None, None);
    let (mut worker_logs, mut seed) = (32, 1);
    while let Some(flag) = args.next() {
        let mut value = || args.next().ok_or(format!("{flag} needs a value"));
        let number = |text: String| {
            text.replace('_', "")
                .parse::<u64>()
                .map_err(|e| format!("{text}: {e}"))
        };
        match flag.as_str() {
            "--events" => events = Some(number(value()?)?),
            "--files" => worker_logs = number(value()?)? as usize,
            "--seed" => seed = number(value()?)?,
            "--out" => out = Some(PathBuf::from(value()?)),
            "--style" => {
                style = Some(match value()?.as_str() {
                    "text" => Style::Text,
                    "json" => Style::Json,
                    other => return Err(format!("--style {other}: text or json")),
                });
            }
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok(Plan {
        events: events.ok_or("--events is missing")?,
        style: style.ok_or("--style is missing")?,
        out: out.ok_or("--out is missing")?,
        worker_logs,
        seed,
    })
}

fn main() -> ExitCode {
    let plan = match plan(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(problem) => {
            eprintln!("{problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match generated::generate(&plan) {
        Ok(answer) => {
            println!(
                "{} records, {} tasks, {} files, {} bytes in {}",
                answer.total.records,
                answer.tasks,
                answer.files.len(),
                answer.total.bytes,
                plan.out.display()
            );
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{}: {problem}", plan.out.display());
            ExitCode::FAILURE
        }
    }
}
