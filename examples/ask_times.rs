//! Prints the times of the explorer's questions on a run that is loaded once; see `benches/README.md`.
//!
//! `ask_times PATH [--text WORD] [--repeats N]`: milliseconds, the median and the best, and for questions the time of all
//! cores together. Questions run on threads of their own in the explorer; only the rows "key to frame" are what a key press
//! waits for.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use widetui_app::keymap::Keymap;
use widetui_app::keys::Key;
use widetui_app::model::Model;
use widetui_app::msg::{Effect, Msg};
use widetui_app::update::Explorer;
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_query::{Expr, Field};
use widetui_session::context_lines::{ContextScope, ContextWindow};
use widetui_session::jobs::{Question, answer};
use widetui_session::overview::OverviewRequest;
use widetui_session::record_texts::{Blocks, read};
use widetui_session::rows::Rows;
use widetui_session::selection::SelectionStep;
use widetui_store::{EventRef, Snapshot, ValueOrigin};
use widetui_tables::key_rank::{self, Rank};
use widetui_tui::colour::Depth;
use widetui_tui::theme::Theme;
use widetui_tui::views;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print(name: &str, times: Vec<f64>, note: &str) {
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{name:44} {:9.2} ms  best {best:8.2}  {note}",
        median(times)
    );
}

/// CPU time of all threads so far, ms in steps of 10, or `None` if the system does not report it.
fn core_ms() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks: user and system time are the 12th and 13th.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) * 10.0)
}

/// Measures a question several times: until the first answer, and until the last.
fn ask(name: &str, snapshot: &Arc<Snapshot>, question: &Question, repeats: usize) {
    let (mut first, mut all, mut answers) = (Vec::new(), Vec::new(), 0);
    let used = core_ms();
    for _ in 0..repeats {
        let start = Instant::now();
        let ms = || start.elapsed().as_secs_f64() * 1e3;
        let (mut early, mut count) = (None, 0);
        answer(snapshot, question, &Cancel::default(), &mut |a| {
            early.get_or_insert_with(ms);
            count += 1;
            drop(a);
        });
        first.push(early.unwrap_or(0.0));
        all.push(ms());
        answers = count;
    }
    let mut note = String::new();
    if let Some(((before, after), n)) = used.zip(core_ms()).zip(Some(repeats as f64)) {
        note = format!("cores {:.0}  ", (after - before) / n);
    }
    if answers > 1 {
        let best = first.iter().copied().fold(f64::INFINITY, f64::min);
        let early = median(first);
        note += &format!("first of {answers} answers after {early:.2} ms, best {best:.2}");
    }
    print(name, all, &note);
}

fn step(expr: Expr) -> Question {
    steps(expr, None)
}

fn steps(expr: Expr, context: Option<ContextWindow>) -> Question {
    Question::Select {
        steps: vec![SelectionStep::new("", expr)],
        near: None,
        context,
    }
}

struct Session {
    explorer: Explorer,
    theme: Theme,
    blocks: Blocks,
}

impl Session {
    /// Handles a message and its immediate consequences; returns the questions instead of asking them.
    fn send(&mut self, msg: Msg) -> Vec<Effect> {
        self.explorer.update(msg)
    }

    fn frame(&mut self) {
        let missing = self.explorer.missing();
        let texts = read(&self.explorer.snapshot, &missing, &mut self.blocks);
        self.explorer.update(Msg::Texts(texts));
        let (columns, rows) = self.explorer.screen.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        views::draw(&self.explorer, &self.theme, &mut buffer);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args
        .next()
        .ok_or("usage: ask_times PATH [--text WORD] [--repeats N]")?;
    let (mut text, mut repeats) = ("heartbeat".to_owned(), 5);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or(format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--text" => text = value,
            "--repeats" => repeats = value.parse::<usize>()?.max(1),
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let options = OpenOptions {
        paths: vec![PathBuf::from(path)],
        ..OpenOptions::default()
    };
    let start = Instant::now();
    let (snapshot, _) = load_all(&options, &Cancel::default(), Progress::default())?;
    let snapshot: Arc<Snapshot> = snapshot;
    println!(
        "{} records, loaded in {:.1} s",
        snapshot.len(),
        start.elapsed().as_secs_f64()
    );

    // A value of the record in the middle, of its key that says most.
    let names_a_thing = |e: &EventRef<'_>| {
        let keys = key_rank::ranked_keys(e);
        keys.first()
            .is_some_and(|k| k.rank == Rank::Identity && k.origin == ValueOrigin::Record)
    };
    let from = snapshot.len() / 2;
    let middle = (from..snapshot.len())
        .filter_map(|place| snapshot.at(place))
        .find(names_a_thing)
        .or(snapshot.at(from))
        .ok_or("no records")?;
    let keys = key_rank::ranked_keys(&middle);
    let exprs: Vec<(String, Expr)> = keys
        .iter()
        .map(|k| {
            let value = k.value.to_string();
            (k.name.clone(), Expr::equals(Field::key(&k.name), value))
        })
        .collect();
    for (name, expr) in exprs.iter().take(3) {
        ask(
            &format!("pivot {name}"),
            &snapshot,
            &step(expr.clone()),
            repeats,
        );
    }
    let all: Vec<SelectionStep> = exprs
        .iter()
        .map(|e| SelectionStep::new("", e.1.clone()))
        .collect();
    let counts = Question::Counts(vec![Rows::All], all);
    ask(
        &format!("counts of {} pivots", exprs.len()),
        &snapshot,
        &counts,
        repeats,
    );
    let one = exprs.first().ok_or("no keys")?.1.clone();
    let around = ContextWindow {
        of: ContextScope::Source,
        lines: 3,
    };
    ask(
        "pivot with neighbours of the source",
        &snapshot,
        &steps(one, Some(around)),
        repeats,
    );
    let filter = step(Expr::Text(text.clone()));
    ask(&format!("text filter {text}"), &snapshot, &filter, repeats);
    let rare = step(Expr::Text("358 no such text".to_owned()));
    ask("text filter without a hit", &snapshot, &rare, repeats);
    let strip = OverviewRequest {
        bins: 99,
        ..OverviewRequest::default()
    };
    ask(
        "overview of all",
        &snapshot,
        &Question::Overview(strip),
        repeats,
    );
    ask(
        "warnings and errors",
        &snapshot,
        &Question::Severe(Rows::All),
        repeats,
    );

    let mut session = Session {
        explorer: Explorer::new(Model::new("run", Keymap::standard(), "dark")),
        theme: Theme::named("dark", Depth::True).ok_or("no theme")?,
        blocks: Blocks::default(),
    };
    session.send(Msg::Resize(120, 40));
    session.send(Msg::Load(LoadMsg::Snapshot(snapshot.clone())));
    session.frame();
    for key in ["j", "pagedown", "G", "g", "t", "space"] {
        let pressed = Key::parse(key).ok_or("no key")?;
        let mut times = Vec::new();
        for _ in 0..repeats * 4 {
            let start = Instant::now();
            session.send(Msg::Key(pressed));
            session.frame();
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        print(&format!("key to frame: {key}"), times, "");
    }
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
