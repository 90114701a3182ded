//! Times of the explorer's tables: `tables PATH [KEY]` loads a run and prints the seconds of one core that
//! each table needs, of all events and of those from level info on.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_query::{Expr, Field, Selection, key_table, select, template_table, value_table};
use widetui_store::Snapshot;

fn cpu() -> Option<f64> {
    // Of all threads: the fields behind the name are separated by blanks, times are in ticks of 10 ms.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

fn measure(what: &str, work: impl FnOnce() -> usize) {
    let (start, before) = (Instant::now(), cpu());
    let rows = work();
    let wall = start.elapsed().as_secs_f64();
    let cpu = cpu().zip(before).map_or(f64::NAN, |(a, b)| a - b);
    println!("{what:28} {rows:>8} rows  {wall:6.2} s  {cpu:6.2} core-seconds");
}

fn tables(snapshot: &Snapshot, chosen: Option<&Selection>, key: &str) {
    let go = Cancel::default();
    measure("keys", || {
        key_table(snapshot, chosen, &go).map_or(0, |t| t.rows.len())
    });
    measure("templates", || {
        template_table(snapshot, chosen, &go).map_or(0, |t| t.rows.len())
    });
    for field in [Field::Level, Field::key(key)] {
        measure(&format!("values of {field}"), || {
            value_table(snapshot, &field, chosen, &go).map_or(0, |t| t.rows.len())
        });
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: tables PATH [KEY]");
        return ExitCode::from(2);
    };
    let key = args.next().unwrap_or_else(|| "parsl.task".to_owned());
    let options = OpenOptions {
        paths: vec![PathBuf::from(path)],
        ..OpenOptions::default()
    };
    let Ok((snapshot, _)) = load_all(&options, &Cancel::default(), Progress::default()) else {
        eprintln!("the run cannot be read");
        return ExitCode::from(2);
    };
    println!("{} events", snapshot.len());
    tables(&snapshot, None, &key);
    let info = Expr::compare(Field::Level, widetui_query::Op::Ge, "info");
    if let Some(chosen) = select(&snapshot, &info, &Cancel::default()) {
        println!("{} events from info on", chosen.len());
        tables(&snapshot, Some(&chosen), &key);
    }
    ExitCode::SUCCESS
}
