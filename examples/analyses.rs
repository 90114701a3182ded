//! Cost of joins and analyses: `analyses PATH [--entity NAME] [--only WORD]... [--repeats N]` loads a run once and prints,
//! for each, core-seconds, nanoseconds an event, and the ratio to a newline count over the bytes of the same run; see
//! `benches/README.md`.
//!
//! Work shared by several analyses (the instances of an entity) has its own row and is not counted again in theirs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use widetui_analysis::account::{AccountContext, phase_totals};
use widetui_analysis::columns::EventProperty;
use widetui_analysis::compare::{ComparisonSide, compare};
use widetui_analysis::contrast::contrast;
use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::{Entity, Instances, scan};
use widetui_analysis::flow::collect_flow;
use widetui_analysis::latency::latency;
use widetui_analysis::overview::{CurveSpace, OverviewInput, overview};
use widetui_analysis::resources::{Resources, resources_of};
use widetui_analysis::run_table::list_runs;
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::series::series;
use widetui_analysis::spans::{LostEnds, spans};
use widetui_analysis::states::{ReporterChoice, states};
use widetui_analysis::timeline::{Colour, Grouping, timeline};
use widetui_analysis::trace::trace;
use widetui_analysis::utilisation::{Weight, throughput, utilisation};
use widetui_core::cancel::{Cancel, Progress};
use widetui_diagnosis::diagnose;
use widetui_diagnosis::unfinished::find_unfinished;
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_query::{Expr, Field, Op, select};
use widetui_session::meaning::{Meaning, with_joined_values};
use widetui_store::Snapshot;
use widetui_time::time::format_rfc3339_nanos;
use widetui_time::zone::Zone;

/// Core-seconds of all current threads: the time of ended threads is missing, but the threads of the pool stay.
fn cpu() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return f64::NAN;
    };
    let of = |path: PathBuf| {
        let text = std::fs::read_to_string(path.join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    let all = tasks.flatten().filter_map(|t| of(t.path()));
    all.sum::<f64>() / 1e9
}

/// Counts the newlines of all files below a path: the minimum work of any reader.
fn newlines(path: &Path) -> usize {
    if let Ok(entries) = std::fs::read_dir(path) {
        return entries.flatten().map(|e| newlines(&e.path())).sum();
    }
    let Ok(mut file) = std::fs::File::open(path) else {
        return 0;
    };
    let (mut piece, mut sum) = (vec![0; 256 << 10], 0);
    while let Ok(read) = std::io::Read::read(&mut file, &mut piece) {
        if read == 0 {
            break;
        }
        sum += memchr::memchr_iter(b'\n', &piece[..read]).count();
    }
    sum
}

struct Bench {
    events: f64,
    yardstick: f64,
    only: Vec<String>,
    repeats: usize,
}

impl Bench {
    /// Prints the cost of some work (the median of the repeats), and returns its result.
    fn measure<T>(&self, what: &str, work: impl Fn() -> T, note: impl Fn(&T) -> String) -> T {
        let is_asked = self.only.is_empty() || self.only.iter().any(|w| what.contains(w.as_str()));
        let (mut costs, mut last) = (Vec::new(), None);
        for _ in 0..if is_asked { self.repeats } else { 1 } {
            drop(last.take());
            let (start, before) = (Instant::now(), cpu());
            last = Some(work());
            costs.push((cpu() - before, start.elapsed().as_secs_f64()));
        }
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (cpu, wall) = costs[costs.len() / 2];
        let result = last.unwrap_or_else(&work);
        if is_asked {
            let (each, ratio) = (cpu * 1e9 / self.events, cpu / self.yardstick);
            let note = note(&result);
            println!("{what:28} {cpu:8.3} {wall:8.3} {each:9.1} {ratio:8.2}  {note}");
        }
        result
    }

    fn skips(&self, what: &str) -> bool {
        !self.only.is_empty() && !self.only.iter().any(|w| what.contains(w.as_str()))
    }
}

struct Run<'a> {
    bench: &'a Bench,
    snapshot: &'a Snapshot,
    meaning: &'a Meaning,
    entity: Arc<Entity>,
}

impl Run<'_> {
    fn ask<T>(&self, what: &str, work: impl Fn(&Cancel) -> Option<T>, note: impl Fn(&T) -> String) {
        if !self.bench.skips(what) {
            let work = || work(&Cancel::default());
            let note = |t: &Option<T>| t.as_ref().map_or_else(String::new, &note);
            self.bench.measure(what, work, note);
        }
    }

    /// Analyses of one entity.
    fn of_entity(&self) {
        let (snapshot, entity) = (self.snapshot, &self.entity);
        let go = Cancel::default();
        let look = || scan(snapshot, entity, &go).unwrap_or_else(|| Instances::empty(entity));
        let title = format!("instances of {}", entity.name);
        let found = &self
            .bench
            .measure(&title, look, |i| format!("{} instances", i.list.len()));
        let scope = &AnalysisScope::default();
        self.ask(
            "latency",
            |c| latency(snapshot, found, scope, &[], c),
            |l| format!("{} rows", l.rows.len()),
        );
        self.ask(
            "states",
            |c| states(snapshot, found, scope, &ReporterChoice::MostTrusted, c),
            |s| {
                let changes: usize = s.series.iter().map(|s| s.points.len()).sum();
                format!("{changes} changes")
            },
        );
        self.ask(
            "spans",
            |c| {
                let spans = spans(snapshot, found, scope, None, c)?;
                let steps = spans.concurrency(scope, LostEnds::WhenReported);
                Some((spans.summary(), spans.list.len(), steps.points.len()))
            },
            |s| format!("{} spans", s.1),
        );
        self.ask(
            "throughput",
            |c| throughput(snapshot, found, scope, None, c),
            |t| format!("{} finished", t.times.len()),
        );
        self.ask(
            "utilisation (with carriers)",
            |c| {
                let carriers = Resources::innermost(snapshot, entity, &self.meaning.entities, c)?;
                let carriers = carriers.as_ref();
                utilisation(snapshot, found, carriers, scope, &Weight::One, c)
            },
            |u| format!("{} carriers", u.resources.len()),
        );
        let all = resources_of(entity, &self.meaning.entities).into_iter();
        let rows = all
            .filter_map(|e| Grouping::by_entity(snapshot, e))
            .next_back()
            .unwrap_or_default();
        self.ask(
            "timeline",
            |c| timeline(snapshot, found, scope, &rows, &Colour::State, c),
            |t| format!("{} rows", t.rows.len()),
        );
        self.ask(
            "account (of all, carriers)",
            |c| {
                let around = AccountContext::new(snapshot, found, &self.meaning.entities, c)?;
                phase_totals(snapshot, found, &around, scope, c)
            },
            |a| format!("{} phases", a.len()),
        );
        self.ask(
            "compare (two halves)",
            |c| {
                let cut = snapshot.range().map_or(0, |r| r.0 + (r.1 - r.0) / 2);
                let mut sides = [ComparisonSide::default(), ComparisonSide::default()];
                for (at, side) in sides.iter_mut().enumerate() {
                    let mut scope = AnalysisScope::default();
                    match at {
                        0 => scope.window.until = Some(cut),
                        _ => scope.window.since = Some(cut),
                    }
                    side.add_instances(snapshot, found, &scope, c);
                }
                Some(compare(&sides[0], &sides[1]))
            },
            |l| format!("{} numbers", l.len()),
        );
        self.ask(
            "trace (of the middle one)",
            |_| {
                let middle = found.list.get(found.list.len() / 2)?;
                Some(trace(snapshot, found, middle))
            },
            |t| format!("{} events", t.len()),
        );
    }

    /// Analyses of the whole run.
    fn of_run(&self) {
        let (snapshot, meaning) = (self.snapshot, self.meaning);
        let go = Cancel::default();
        self.ask(
            "runs (finds all instances)",
            |c| list_runs(snapshot, &meaning.entities, &AnalysisScope::default(), c),
            |r| format!("{} runs", r.len()),
        );
        let look = || {
            AllInstances::scan(snapshot, &meaning.entities, &go).unwrap_or(AllInstances {
                occurring: Vec::new(),
                absent_entities: Vec::new(),
            })
        };
        let found = &self.bench.measure("instances of everything", look, |f| {
            let all: usize = f.occurring.iter().map(|i| i.list.len()).sum();
            format!("{} entities, {all} instances", f.occurring.len())
        });
        let hang = || find_unfinished(snapshot, found, (None, &Vec::new), &go).unwrap_or_default();
        let result = &self.bench.measure("hung", hang, |h| {
            format!("{} stuck, {} silent", h.stuck.len(), h.silent.len())
        });
        self.ask(
            "diagnose",
            |c| {
                diagnose(
                    snapshot,
                    found,
                    result,
                    meaning.hints(),
                    (&Zone::Utc, None),
                    c,
                    &mut |_| {},
                )
            },
            |d| format!("{} findings", d.findings.len()),
        );
        self.ask(
            "flow",
            |c| collect_flow(snapshot, meaning.flows(), None, c),
            |f| format!("{} messages", f.messages.len()),
        );
        let keys = meaning.series().iter();
        let mut keys = keys.filter_map(|s| Some((s, snapshot.catalog.keys.find(&s.key)?)));
        if let Some((spec, key)) = keys.next() {
            let by = spec.split_keys.iter();
            let by: Vec<EventProperty> = by
                .filter_map(|k| EventProperty::parse(snapshot, k))
                .collect();
            self.ask(
                &format!("series of {}", spec.key),
                |c| series(snapshot, key, &by, None, c),
                |s| format!("{} lines", s.lines.len()),
            );
        }
        // A number that most events have.
        let last = self.entity.id.iter().find_map(|id| id.last());
        if let Some(key) = last.and_then(|k| snapshot.catalog.keys.find(k)) {
            self.ask(
                &format!("series of {}", snapshot.catalog.keys.name(key)),
                |c| series(snapshot, key, &[], None, c),
                |s| format!("{} lines", s.lines.len()),
            );
        }
        let ends = RunEnds::of(snapshot, &meaning.entities, &go);
        if let Some((range, ends)) = snapshot.range().zip(ends) {
            let room = CurveSpace {
                range,
                columns: 120,
                max_curves: 8,
            };
            let instances: Vec<&Instances> = found.work_items().collect();
            let material = OverviewInput {
                series: meaning.series(),
                instances: &instances,
                flows: &[],
                scope: &AnalysisScope::default(),
                ends: &ends,
            };
            self.ask(
                "overview",
                |c| overview(snapshot, &material, &room, c),
                |o| format!("{} curves", o.len()),
            );
        }
        let severe = Expr::compare(Field::Level, Op::Ge, "warning");
        self.ask(
            "contrast level>=warning",
            |c| contrast(snapshot, &select(snapshot, &severe, c)?, None, &[], c),
            |v| format!("{} values", v.values.len()),
        );
        let middle = snapshot.len() / 2;
        let time = snapshot.at(middle).and_then(|e| e.time()).unwrap_or(0);
        let mut half = String::new();
        format_rfc3339_nanos(time, &mut half);
        let half = Expr::compare(Field::Time, Op::Lt, half);
        self.ask(
            "contrast of the first half",
            |c| contrast(snapshot, &select(snapshot, &half, c)?, None, &[], c),
            |v| format!("{} values", v.values.len()),
        );
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: analyses PATH [--entity NAME] [--only WORD]... [--repeats N]";
    let mut args = std::env::args().skip(1);
    let path = PathBuf::from(args.next().ok_or(usage)?);
    let (mut name, mut only, mut repeats) = ("parsl.task".to_owned(), Vec::new(), 3);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or(format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--entity" => name = value,
            "--only" => only.push(value),
            "--repeats" => repeats = value.parse::<usize>()?.max(1),
            other => return Err(format!("unknown argument {other}; {usage}").into()),
        }
    }
    newlines(&path);
    let before = cpu();
    let lines = newlines(&path);
    let yardstick = cpu() - before;
    let options = OpenOptions {
        paths: vec![path],
        ..OpenOptions::default()
    };
    let go = Cancel::default();
    let before = cpu();
    let (snapshot, _) = load_all(&options, &go, Progress::default())?;
    let load = cpu() - before;
    let bench = Bench {
        events: snapshot.len() as f64,
        yardstick,
        only,
        repeats,
    };
    println!("{} events of {lines} lines", snapshot.len());
    println!(
        "{:28} {:>8} {:>8} {:>9} {:>8}",
        "", "core-s", "wall s", "ns/event", "/newline"
    );
    for (what, cost) in [
        ("newline count", yardstick),
        ("load (threads that live)", load),
    ] {
        let (each, ratio) = (cost * 1e9 / bench.events, cost / yardstick);
        println!("{what:28} {cost:8.3} {:8} {each:9.1} {ratio:8.2}", "");
    }
    let meaning = Meaning::new(&[]);
    let snapshot = &bench
        .measure(
            "joins",
            || with_joined_values(&snapshot, &meaning.joins, &go),
            |w| {
                let Some((snapshot, reports)) = w else {
                    return String::new();
                };
                let (cells, bytes) = snapshot.derived.size();
                let each = bytes as f64 / cells.max(1) as f64;
                let n = reports.len();
                format!("{n} joins, {cells} cells derived, {each:.2} bytes a cell")
            },
        )
        .ok_or("cancelled")?
        .0;
    let entities = meaning.entities.iter();
    let entity = entities.clone().find(|e| e.name == name);
    let run = Run {
        bench: &bench,
        snapshot,
        meaning: &meaning,
        entity: entity.ok_or(format!("no entity is called {name}"))?.clone(),
    };
    run.of_entity();
    run.of_run();
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
