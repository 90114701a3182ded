//! `widetui spans`: durations, and number of spans at once.

use std::io::{self, Write};

use widetui_analysis::Instances;
use widetui_analysis::columns::{EventProperty, PropertyColumn};
use widetui_analysis::histogram::bins;
use widetui_analysis::instance_groups::group_order;
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::spans::{LostEnds, Span, Spans, paired_spans, spans};
use widetui_analysis::step_function::StepFunction;
use widetui_core::cancel::Cancel;
use widetui_query::{Selection, select};
use widetui_store::Snapshot;
use widetui_tables::answers::counts::{CountSeries, RowGroups, concurrency_columns, points};
use widetui_tables::answers::plotted::InstanceName;
use widetui_tables::answers::spans::{group_columns, group_lines, lines, spans as spans_columns};
use widetui_time::time::format_span;

use super::args::{Format, SpanArgs, SpansCommand};
use super::grouped::{Groups, print_counts};
use super::no_result::{no_event, no_instance};
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, write_out};
use super::selection::{by, expression, scope};
use super::sheet::id_object;

/// Message without an entity or marks.
const NOTHING_NAMED: &str =
    "name an entity (parsl.task), or mark both ends: --start EXPR --end EXPR --key KEY";
/// Bins of the histogram, and width of its longest bar, columns.
const BINS: usize = 12;
const BAR: u64 = 40;

/// Owner of spans, for their names.
enum SpanSubject {
    Entity(Box<Instances>),
    Key(String, PropertyColumn),
    Nobody,
}

impl SpanSubject {
    fn name(&self, snapshot: &Snapshot, span: &Span) -> InstanceName {
        match self {
            SpanSubject::Entity(found) => {
                InstanceName::new(snapshot, found, span.subject as usize).unwrap_or_default()
            }
            SpanSubject::Key(key, labels) => {
                let pairs = [(key.clone(), labels.text(snapshot, span.subject))];
                InstanceName::value(id_object(snapshot, &pairs), String::new())
            }
            SpanSubject::Nobody => InstanceName::default(),
        }
    }
}

/// `widetui spans`.
pub fn run(c: &SpansCommand) -> Result<(), Failure> {
    if c.spans.start.is_none() && c.spans.entity.given().is_none() {
        return Err(Failure::Message(NOTHING_NAMED.to_owned()));
    }
    print(&open::load_run(&c.run)?, &c.spans, c.run.format)
}

/// Writes spans, their durations, or their number over time.
fn print(opened: &Opened, args: &SpanArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let scope = scope(opened, &args.select)?;
    let groups = Groups::new(opened, &args.groups)?;
    let (found, owner) = find_spans(opened, args, (&scope, groups.by.as_ref()))?;
    let lost = match args.keep_lost {
        true => LostEnds::WithRun,
        false => LostEnds::WhenReported,
    };
    let none = || none(opened, &owner, args, &found);
    if args.concurrency && groups.rows() == RowGroups::None {
        return concurrency(opened, &found.concurrency(&scope, lost), format, none);
    }
    if args.concurrency {
        let steps = found.concurrency_by_group(&scope, lost);
        let mut series = CountSeries::of_spans(&found, &steps);
        let order =
            |of: &CountSeries<'_>| of.steps.max().map_or(0, |m| m.1.unsigned_abs() as usize);
        let order = group_order(series.iter().map(|of| (of.group, order(of))));
        series = order.into_iter().map(|at| series[at]).collect();
        let series = groups.with_starts(series);
        if format == Format::Text && !series.is_empty() {
            let end = opened.snapshot.range().map(|r| r.1);
            return print_counts(opened, "at once", &series, end);
        }
        let sheet = opened.sheet(&concurrency_columns(groups.rows()), points(&series));
        return sheet.print(format, none);
    }
    let sheet = match args.summary {
        true => opened.sheet(&group_columns(), group_lines(&found)),
        false => opened.sheet(&spans_columns(), lines(&found, |s| owner.name(snapshot, s))),
    };
    sheet.print(format, none)?;
    match format {
        Format::Text => write_out(|out| write_histogram(&found, args, out)),
        _ => Ok(()),
    }
}

/// Writes the number of spans at once, over time.
fn concurrency(
    opened: &Opened,
    steps: &StepFunction,
    format: Format,
    none: impl FnOnce() -> Failure,
) -> Result<(), Failure> {
    let all = [CountSeries {
        group: "",
        state: "",
        start: None,
        steps,
    }];
    let sheet = opened.sheet(&concurrency_columns(RowGroups::None), points(&all));
    sheet.print(format, none)?;
    match steps.max() {
        Some((time, most)) if format == Format::Text => {
            let when = opened.moment(time);
            write_out(|out| writeln!(out, "\nat most {most} at once, first at {when}"))
        }
        _ => Ok(()),
    }
}

/// Spans of an entity or between two marks, and their owner.
fn find_spans(
    opened: &Opened,
    args: &SpanArgs,
    (scope, group): (&AnalysisScope, Option<&EventProperty>),
) -> Result<(Spans, SpanSubject), Failure> {
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    let named = |name: &Option<String>| name.as_deref().map(|name| by(opened, name)).transpose();
    let Some((start, end)) = args.start.as_ref().zip(args.end.as_ref()) else {
        let found = opened.instances(&opened.entity(args.entity.name())?);
        let mut spans = spans(snapshot, &found, scope, group, &cancel);
        if args.concurrency {
            spans = spans.map(|spans| spans.executions(&found));
        }
        return Ok((
            spans.unwrap_or_default(),
            SpanSubject::Entity(Box::new(found)),
        ));
    };
    let chosen = |text: &str| -> Result<Selection, Failure> {
        Ok(select(snapshot, &expression(opened, text)?, &cancel).unwrap_or_default())
    };
    let (start, end) = (chosen(start)?, chosen(end)?);
    let key = named(&args.key)?;
    let both = (key.as_ref(), group);
    let ends = RunEnds::for_all_runs(snapshot, opened.entities(), &cancel);
    let spans =
        ends.and_then(|ends| paired_spans(snapshot, (&start, &end), both, &ends, scope, &cancel));
    let spans = spans.unwrap_or_default();
    let labels = key
        .as_ref()
        .and_then(|key| PropertyColumn::read(snapshot, key, &cancel));
    let owner = match (&key, labels) {
        (Some(key), Some(labels)) => SpanSubject::Key(key.name(snapshot).to_owned(), labels),
        _ => SpanSubject::Nobody,
    };
    Ok((spans, owner))
}

/// Failure without spans, with the reason.
fn none(opened: &Opened, owner: &SpanSubject, args: &SpanArgs, found: &Spans) -> Failure {
    if let SpanSubject::Entity(found) = owner {
        return no_instance(opened, found, &args.select, "has a start");
    }
    let text = match found.unstarted {
        0 => "no event matches --start, so there are no spans".to_owned(),
        n => format!(
            "no spans: {} events match --end, but no earlier event matches --start",
            count(n)
        ),
    };
    no_event(&args.select, &text)
}

/// Writes the histogram, and the number of ends without a start.
fn write_histogram(found: &Spans, args: &SpanArgs, out: &mut impl Write) -> io::Result<()> {
    let bins = bins(&found.durations(), BINS);
    let most = bins.iter().map(|b| b.count).max().unwrap_or(0);
    if most > 0 {
        writeln!(out)?;
    }
    for bin in &bins {
        let length = (bin.count * BAR).div_ceil(most.max(1)) as usize;
        writeln!(
            out,
            "{:>8} - {:<8} {:>8}  {}",
            format_span(bin.lower),
            format_span(bin.upper),
            count(bin.count),
            "█".repeat(length)
        )?;
    }
    if found.unstarted > 0 {
        let what = match args.start {
            Some(_) => "ends without a start",
            // They may have started: executors of threads do not log it.
            None => "without a reported start",
        };
        writeln!(out, "\n{} {what}", count(found.unstarted))?;
    }
    Ok(())
}
