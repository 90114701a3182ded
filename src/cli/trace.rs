//! `widetui trace`: all events of one instance.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use widetui_analysis::entity::Instances;
use widetui_analysis::entity::names::InstanceQuery;
use widetui_analysis::trace::{TraceStep, trace};
use widetui_format::exports::DERIVED;
use widetui_query::Selection;
use widetui_query::key_resolution::Alternatives;
use widetui_report::csv;
use widetui_report::event::{FullEvent, full_event};
use widetui_report::jsonl::{JsonLines, event_object};
use widetui_report::origin::derived;
use widetui_report::records::key_cells;
use widetui_store::EventRef;
use widetui_store::texts::TextReader;
use widetui_time::time::{format_clock, format_delta};

use super::account;
use super::args::TraceCommand;
use super::colour::{TextRole, of_level, paint};
use super::event_writer::Form;
use super::no_result::unassigned;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, safe, warn, write_out};
use super::selection::selection;
use super::sheet::{id_text, seconds};

/// `widetui trace`.
pub fn run(c: &TraceCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    match c.account {
        true => account::print(&opened, c.wanted.name(), &c.select, c.run.format),
        false => print(&opened, c, Form::of(c.run.format, c.provenance)?),
    }
}

/// An instance and its events.
struct Traced {
    /// Index in the list of instances.
    at: usize,
    steps: Vec<TraceStep>,
}

/// Writes the selected events of an instance, or of several with the same name, which is reported.
fn print(opened: &Opened, c: &TraceCommand, form: Form) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let (entity, wanted) = opened.instance(c.wanted.name())?;
    let within = selection(opened, &c.select)?;
    let found = opened.instances(&entity);
    let traced = |at: usize| {
        let mut steps = trace(snapshot, &found, &found.list[at]);
        steps.retain(|step| within.as_ref().is_none_or(|w| w.contains(step.event)));
        Traced { at, steps }
    };
    let fitting = found
        .find_matching(snapshot, &wanted)
        .into_iter()
        .map(traced);
    let fitting: Vec<Traced> = fitting
        .filter(|one| within.is_none() || !one.steps.is_empty())
        .collect();
    if fitting.is_empty() {
        not_found(opened, &found, &wanted, within.as_ref());
        return Err(Failure::Nothing);
    }
    if fitting.len() > 1 {
        let n = fitting.len();
        let mut text = format!("ambiguous, {n} instances are shown:");
        for one in fitting.iter().take(SHOWN) {
            text.push_str("\n  ");
            text.push_str(&id_text(&found, snapshot, &found.list[one.at]));
        }
        warn(text);
    }
    let mut writer = StepWriter::new(opened, &found, form, &fitting);
    write_out(|out| {
        writer.head(out)?;
        let mut all = fitting.into_iter();
        all.try_for_each(|one| writer.instance(one, out))
    })
}

/// Number of instances in a message about an ambiguous name.
const SHOWN: usize = 20;

/// Failure that no instance has the name, or no selected event; names some existing ones.
fn not_found(
    opened: &Opened,
    found: &Instances,
    wanted: &InstanceQuery,
    within: Option<&Selection>,
) {
    let snapshot = &*opened.snapshot;
    let plural = safe(&found.entity.plural());
    let Some(last) = found.list.len().checked_sub(1) else {
        warn(match found.undecided_events {
            0 => format!("no {plural} in these logs"),
            _ => unassigned(found),
        });
        return;
    };
    let all = count(found.list.len() as u64);
    if within.is_some() {
        warn(format!(
            "none of {all} {plural} with this name has an event that matches the selection"
        ));
        return;
    }
    for (value, names) in wanted.ambiguous_values(snapshot) {
        warn(format!(
            "'{value}' is the directory of several; their names are {}",
            Alternatives(&names)
        ));
    }
    let name = |at: usize| safe(&found.short_name(snapshot, &found.list[at]));
    let existing = match last {
        0 => format!("the only one is {}", name(0)),
        _ => format!("the first is {}, the last {}", name(0), name(last)),
    };
    warn(format!("none of {all} {plural} has this name; {existing}"));
}

/// First columns of a table of steps, before keys.
const COLUMNS: [&str; 8] = [
    "time", "offset_s", "delta_s", "source", "level", "via", "message", "template",
];

/// Writes the steps of instances in one form.
struct StepWriter<'a> {
    opened: &'a Opened,
    found: &'a Instances,
    form: Form,
    /// Key columns of CSV: keys of the events of all steps, by name.
    columns: Vec<String>,
    texts: TextReader,
    lines: JsonLines,
}

impl<'a> StepWriter<'a> {
    fn new(opened: &'a Opened, found: &'a Instances, form: Form, all: &[Traced]) -> StepWriter<'a> {
        let mut texts = TextReader::default();
        let mut names = BTreeSet::new();
        let steps = all.iter().flat_map(|one| &one.steps);
        for step in steps.filter(|_| form == Form::Csv) {
            if let Some(event) = opened.snapshot.event(step.event) {
                let keys = full_event(&event, &mut texts).keys.into_iter();
                names.extend(keys.map(|key| key.name.to_owned()));
            }
        }
        StepWriter {
            opened,
            found,
            form,
            columns: names.into_iter().collect(),
            texts,
            lines: JsonLines::default(),
        }
    }

    /// Writes the header, if the form has one.
    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        if self.form != Form::Csv {
            return Ok(());
        }
        let keys = self.columns.iter().map(String::as_str);
        writeln!(out, "{}", csv::row(COLUMNS.into_iter().chain(keys)))
    }

    fn instance(&mut self, one: Traced, out: &mut impl Write) -> io::Result<()> {
        let snapshot = &*self.opened.snapshot;
        if self.form == Form::Text {
            let instance = &self.found.list[one.at];
            let label = self.found.label(snapshot, instance).unwrap_or_default();
            let head = format!(
                "{} {} {}  {} events",
                safe(&self.found.entity.title),
                safe(&id_text(self.found, snapshot, instance)),
                safe(&label),
                count(one.steps.len() as u64)
            );
            writeln!(out, "{}", paint(TextRole::Heading, &head))?;
        }
        for step in one.steps {
            if let Some(event) = snapshot.event(step.event) {
                let full = full_event(&event, &mut self.texts);
                match self.form {
                    Form::Jsonl | Form::JsonlWithJoins => {
                        let object = self.object(&event, &full, &step);
                        self.lines.write(object, out)?;
                    }
                    Form::Csv => writeln!(out, "{}", self.row(&full, &step))?,
                    Form::Text => writeln!(out, "{}", self.line(&event, &full, &step))?,
                }
            }
        }
        Ok(())
    }

    fn object(
        &self,
        event: &EventRef<'_>,
        full: &FullEvent<'_>,
        step: &TraceStep,
    ) -> Map<String, Json> {
        let mut object = event_object(full);
        object.insert("delta_s".into(), seconds(step.delta));
        object.insert("offset_s".into(), seconds(step.offset));
        object.insert("via".into(), json!(step.derivation.name()));
        if self.form == Form::JsonlWithJoins {
            let joins = serde_json::to_value(derived(event.snapshot, full));
            object.insert(DERIVED.into(), joins.unwrap_or_default());
        }
        object
    }

    fn row(&self, full: &FullEvent<'_>, step: &TraceStep) -> String {
        let number = |ns: Option<i64>| ns.map(|t| (t as f64 / 1e9).to_string());
        let keys = key_cells(full, &self.columns);
        let cells = [
            full.time.as_deref().unwrap_or_default(),
            &number(step.offset).unwrap_or_default(),
            &number(step.delta).unwrap_or_default(),
            &full.source,
            full.level,
            step.derivation.name(),
            &full.message,
            &full.template,
        ];
        csv::row(cells.into_iter().chain(keys.iter().map(|cell| &**cell)))
    }

    fn line(&self, event: &EventRef<'_>, full: &FullEvent<'_>, step: &TraceStep) -> String {
        let zone = &self.opened.zone;
        let clock = event
            .time()
            .map(|t| format_clock(t, zone.offset_at_utc(t), 6));
        let first = full.message.lines().next().unwrap_or_default();
        format!(
            "{:>15} {:>9} {:>9}  {:<12} {} {:<16} {}",
            clock.as_deref().unwrap_or("-"),
            step.offset.map(format_delta).unwrap_or_default(),
            step.delta.map(format_delta).unwrap_or_default(),
            safe(&full.source),
            of_level(event.level(), &format!("{:<8}", full.level)),
            step.reason(&self.opened.snapshot),
            safe(first)
        )
    }
}
