//! `widetui trace`: everything about one thing.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value as Json, json};

use crate::analysis::entity::Instances;
use crate::analysis::trace::{TraceStep, trace};
use crate::base::time::{format_clock, format_delta};
use crate::export::csv;
use crate::export::event::full_event;
use crate::export::jsonl::{self, event_object};
use crate::export::records::key_cells;
use crate::query::naming::EitherOf;
use crate::store::texts::TextReader;

use super::account;
use super::args::{SelectArgs, TraceCommand};
use super::colour::{TextRole, of_level, paint};
use super::entities::{find, id_text, seconds};
use super::eventwriter::{Form, provenance};
use super::naming;
use super::open::{self, Opened, selection};
use super::output::{Failure, count, safe, stdout, warn};

/// `widetui trace`.
pub fn run(c: &TraceCommand) -> Result<(), Failure> {
    let opened = open::run(&c.run)?;
    match c.account {
        true => account::print(&opened, &c.wanted, &c.select, c.run.format),
        false => {
            let form = Form::of(c.run.format, c.provenance)?;
            print(&opened, &c.wanted, &c.select, form)
        }
    }
}

/// Writes the events of the instance that is meant, those that are asked for; says so when several instances are meant.
fn print(opened: &Opened, wanted: &str, select: &SelectArgs, form: Form) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let (entity, wanted) = naming::thing(opened, wanted)?;
    let within = selection(opened, select)?;
    let found = find(opened, &entity);
    let is_in = |step: &TraceStep| within.as_ref().is_none_or(|w| w.contains(step.event));
    let fitting = found.find(snapshot, &wanted).into_iter().map(|at| {
        let steps = trace(snapshot, &found, &found.list[at]);
        (
            at,
            steps.into_iter().filter(is_in).collect::<Vec<TraceStep>>(),
        )
    });
    let fitting: Vec<(usize, Vec<TraceStep>)> = fitting
        .filter(|(_, steps)| within.is_none() || !steps.is_empty())
        .collect();
    let mut out = stdout();
    if fitting.is_empty() {
        let plural = safe(&entity.plural());
        match (found.list.len(), within.is_some()) {
            (0, _) => warn(format!("there are no {plural} in these logs")),
            (n, true) => warn(format!(
                "of none of {} {plural} that is called so an event fits the selection",
                count(n as u64)
            )),
            (n, false) => {
                for (value, names) in wanted.renamed(snapshot) {
                    warn(format!(
                        "several are called '{value}' by their directories; here they are called {}",
                        EitherOf(&names)
                    ));
                }
                let name = |at: usize| safe(&found.number(snapshot, &found.list[at]));
                warn(format!(
                    "none of {} {plural} is called so; the first is {}, the last {}",
                    count(n as u64),
                    name(0),
                    name(n - 1)
                ));
            }
        }
        return Err(Failure::Nothing);
    }
    if fitting.len() > 1 {
        let n = fitting.len();
        let mut text = format!("this means {n} different things, all are shown:");
        for (at, _) in fitting.iter().take(20) {
            text.push_str("\n  ");
            text.push_str(&id_text(&found, snapshot, &found.list[*at]));
        }
        warn(text);
    }
    let mut texts = TextReader::default();
    let columns = match form {
        Form::Csv => {
            let steps = fitting.iter().flat_map(|(_, steps)| steps);
            let columns = columns(opened, steps, &mut texts);
            let head = COLUMNS
                .into_iter()
                .chain(columns.iter().map(String::as_str));
            writeln!(out, "{}", csv::row(head))?;
            columns
        }
        _ => Vec::new(),
    };
    for (at, steps) in fitting {
        let how = (form, &columns[..]);
        one(opened, (&found, at), steps, how, &mut texts, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// What a table of steps begins with; keys follow.
const COLUMNS: [&str; 8] = [
    "time", "offset_s", "delta_s", "source", "level", "via", "message", "template",
];

/// The keys that the events of these steps have, by name.
fn columns<'s>(
    opened: &Opened,
    steps: impl Iterator<Item = &'s TraceStep>,
    texts: &mut TextReader,
) -> Vec<String> {
    let mut names = BTreeSet::new();
    for event in steps.filter_map(|step| opened.snapshot.event(step.event)) {
        names.extend(full_event(&event, texts).keys.into_iter().map(|k| k.0));
    }
    names.into_iter().collect()
}

fn one(
    opened: &Opened,
    (found, at): (&Instances, usize),
    steps: Vec<TraceStep>,
    (form, columns): (Form, &[String]),
    texts: &mut TextReader,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let instance = &found.list[at];
    if form == Form::Text {
        let label = found.label(snapshot, instance).unwrap_or_default();
        let id = id_text(found, snapshot, instance);
        let head = format!(
            "{} {} {}  {} events",
            safe(&found.entity.title),
            safe(&id),
            safe(&label),
            count(steps.len() as u64)
        );
        writeln!(out, "{}", paint(TextRole::Heading, &head))?;
    }
    for TraceStep {
        event,
        delta,
        offset,
        via,
    } in steps
    {
        let Some(event) = snapshot.event(event) else {
            continue;
        };
        let full = full_event(&event, texts);
        match form {
            Form::Jsonl | Form::JsonlWithJoins => {
                let mut object = event_object(&full);
                object.insert("delta_s".into(), seconds(delta));
                object.insert("offset_s".into(), seconds(offset));
                object.insert("via".into(), json!(via.name()));
                if form == Form::JsonlWithJoins {
                    provenance(&event, &full, &mut object);
                }
                writeln!(out, "{}", jsonl::line(&Json::Object(object)))?;
            }
            Form::Csv => {
                let number = |ns: Option<i64>| ns.map(|t| (t as f64 / 1e9).to_string());
                let keys = key_cells(&full, columns);
                let cells = [
                    full.time.unwrap_or_default(),
                    number(offset).unwrap_or_default(),
                    number(delta).unwrap_or_default(),
                    full.source,
                    full.level.to_owned(),
                    via.name().to_owned(),
                    full.message,
                    full.template,
                ];
                writeln!(
                    out,
                    "{}",
                    csv::row(cells.iter().chain(&keys).map(String::as_str))
                )?;
            }
            Form::Text => {
                let zone = &opened.zone;
                let clock = event.time().map_or_else(
                    || "-".to_owned(),
                    |t| format_clock(t, zone.offset_at_utc(t), 6),
                );
                let line = full.message.lines().next().unwrap_or_default();
                writeln!(
                    out,
                    "{clock:>15} {:>9} {:>9}  {:<12} {} {:<7} {}",
                    offset.map(format_delta).unwrap_or_default(),
                    delta.map(format_delta).unwrap_or_default(),
                    safe(&full.source),
                    of_level(event.level(), &format!("{:<8}", full.level)),
                    via.name(),
                    safe(line)
                )?;
            }
        }
    }
    Ok(())
}
