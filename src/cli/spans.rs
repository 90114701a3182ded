//! `widetui spans`: how long things take, and how many there are at once.

use std::io::Write;

use serde_json::Value as Json;

use crate::analysis::Instances;
use crate::analysis::bins::bins;
use crate::analysis::columns::Labels;
use crate::analysis::scope::Scope;
use crate::analysis::spans::{LostEnds, Outcome, Span, Spans, between, spans};
use crate::base::cancel::Cancel;
use crate::base::time::format_span;
use crate::query::{Selection, select};
use crate::store::Snapshot;

use super::args::{Format, SpanArgs};
use super::asked::{by, expression, scope};
use super::entities::{find, id_object, id_text, named};
use super::open::Opened;
use super::output::{Failure, count, safe, stdout};
use super::sheet::{Cell, Sheet, cell, duration, duration_f, left, moment, number, right, words};
use super::states::shown;

/// Bins of the histogram, and the columns of its longest bar.
const BINS: usize = 12;
const BAR: u64 = 40;

/// Whose spans they are, for their names.
enum Owner {
    Entity(Instances),
    Key(String, Labels),
    Nobody,
}

impl Owner {
    fn name(&self, snapshot: &Snapshot, span: &Span) -> Cell {
        match self {
            Owner::Entity(found) => match found.list.get(span.of as usize) {
                Some(instance) => cell(
                    Json::Object(id_object(snapshot, &found.id(snapshot, instance))),
                    safe(&id_text(found, snapshot, instance)),
                ),
                None => words(""),
            },
            Owner::Key(key, labels) => {
                let pairs = [(key.clone(), labels.text(snapshot, span.of))];
                let text = format!("{key}={}", pairs[0].1);
                cell(Json::Object(id_object(snapshot, &pairs)), safe(&text))
            }
            Owner::Nobody => cell(Json::Object(serde_json::Map::new()), ""),
        }
    }
}

/// Writes spans, their durations or their number over time.
pub fn print(opened: &Opened, args: &SpanArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let scope = scope(opened, &args.select)?;
    let (found, owner) = find_spans(opened, args, &scope)?;
    let lost = match args.keep_lost {
        true => LostEnds::Never,
        false => LostEnds::WhenSeen,
    };
    if args.concurrency {
        let steps = found.concurrency(&scope, lost);
        let mut sheet = Sheet::new(vec![left("time", "time"), right("count", "count")]);
        for (time, n) in &steps.points {
            let time = moment(Some(*time), |t| shown(opened, t));
            sheet.push(vec![time, cell(*n, n.to_string())]);
        }
        sheet.print(format)?;
        if format == Format::Text
            && let Some((time, most)) = steps.max()
        {
            let mut out = stdout();
            let when = shown(opened, time);
            writeln!(out, "\nat most {most} at once, first at {when}")?;
            out.flush()?;
        }
        return Ok(());
    }
    if args.summary {
        summary(&found).print(format)?;
    } else {
        list(opened, &found, &owner, snapshot).print(format)?;
    }
    if format == Format::Text {
        tail(&found, args)?;
    }
    Ok(())
}

fn find_spans(opened: &Opened, args: &SpanArgs, scope: &Scope) -> Result<(Spans, Owner), Failure> {
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    let group = args
        .by
        .as_deref()
        .map(|name| by(opened, name))
        .transpose()?;
    let Some((start, end)) = args.start.as_ref().zip(args.end.as_ref()) else {
        let name = args.entity.as_deref().unwrap_or_default();
        let found = find(opened, &named(opened, name)?);
        let spans = spans(snapshot, &found, scope, group.as_ref(), &cancel);
        return Ok((spans.unwrap_or_default(), Owner::Entity(found)));
    };
    let chosen = |text: &str| -> Result<Selection, Failure> {
        Ok(select(snapshot, &expression(opened, text)?, &cancel).unwrap_or_default())
    };
    let (start, end) = (chosen(start)?, chosen(end)?);
    let key = args
        .key
        .as_deref()
        .map(|name| by(opened, name))
        .transpose()?;
    let both = (key.as_ref(), group.as_ref());
    let spans = between(snapshot, (&start, &end), both, scope, &cancel).unwrap_or_default();
    let labels = key
        .as_ref()
        .and_then(|key| Labels::of(snapshot, key, &cancel));
    let owner = match (args.key.clone(), labels) {
        (Some(key), Some(labels)) => Owner::Key(key, labels),
        _ => Owner::Nobody,
    };
    Ok((spans, owner))
}

fn list(opened: &Opened, found: &Spans, owner: &Owner, snapshot: &Snapshot) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("id", "id"),
        left("group", "group"),
        left("start", "start"),
        left("end", "end"),
        right("duration_s", "duration"),
        left("open", ""),
        super::sheet::hidden("lost"),
    ]);
    for span in &found.list {
        let is_open = span.outcome == Outcome::Open;
        let is_lost = span.outcome == Outcome::Lost;
        let end = (!is_open).then_some(span.end);
        let note = match span.outcome {
            Outcome::Open => "open",
            Outcome::Lost => "lost",
            Outcome::Ended => "",
        };
        let shown = |t| shown(opened, t);
        sheet.push(vec![
            owner.name(snapshot, span),
            words(&found.groups[span.group as usize]),
            moment(Some(span.start), shown),
            moment(end, shown),
            match is_open {
                true => cell(Json::Null, format!("> {}", format_span(span.duration()))),
                false => duration(Some(span.duration())),
            },
            cell(is_open, note),
            cell(is_lost, ""),
        ]);
    }
    sheet
}

fn summary(found: &Spans) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("group", "group"),
        right("count", "count"),
        right("open", "open"),
        right("lost", "lost"),
        right("mean_s", "mean"),
        right("p50_s", "p50"),
        right("p95_s", "p95"),
        right("max_s", "max"),
        right("total_s", "total"),
    ]);
    for group in found.summary() {
        let d = group.durations;
        sheet.push(vec![
            words(&found.groups[group.group]),
            number(group.count),
            number(group.open),
            number(group.lost),
            duration_f(d.map(|d| d.mean)),
            duration_f(d.map(|d| d.p50)),
            duration_f(d.map(|d| d.p95)),
            duration_f(d.map(|d| d.max)),
            duration_f(d.map(|d| d.total)),
        ]);
    }
    sheet
}

/// The histogram, and what did not start.
fn tail(found: &Spans, args: &SpanArgs) -> Result<(), Failure> {
    let mut out = stdout();
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
            format_span(bin.from),
            format_span(bin.to),
            count(bin.count),
            "█".repeat(length)
        )?;
    }
    if found.unstarted > 0 {
        let what = match args.start {
            Some(_) => "ends without a start",
            None => "never started",
        };
        writeln!(out, "\n{} {what}", count(found.unstarted))?;
    }
    Ok(out.flush()?)
}
