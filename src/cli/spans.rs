//! `widetui spans`: durations, and number of spans at once.

use widetui_analysis::spans::{LostEnds, Spans};
use widetui_core::cancel::Cancel;
use widetui_session::plots::{Mark, PairBy, PlotData, PlotKind, SpanMarks, concurrency};

use super::args::{Format, SpanArgs, SpansCommand};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count};
use super::plotted::PlotAsker;
use super::selection::{by, expression};

/// Message without an entity or marks.
const NOTHING_NAMED: &str =
    "name an entity (parsl.task), or mark both ends: --start EXPR --end EXPR --key KEY";

/// `widetui spans`.
pub fn run(c: &SpansCommand) -> Result<(), Failure> {
    if c.spans.start.is_none() && c.spans.entity.given().is_none() {
        return Err(Failure::Message(NOTHING_NAMED.to_owned()));
    }
    print(&open::load_run(&c.run)?, &c.spans, c.run.format)
}

/// Writes spans, their durations, or their number over time.
fn print(opened: &Opened, args: &SpanArgs, format: Format) -> Result<(), Failure> {
    let asker = PlotAsker::new(opened, &args.select)?.grouped(&args.groups)?;
    let (entity, kind) = match marks(opened, args, asker.by.clone())? {
        Some(kind) => (None, kind),
        None => (
            Some(opened.entity(args.entity.name())?),
            PlotKind::Spans(asker.by.clone()),
        ),
    };
    let lost = match args.keep_lost {
        true => LostEnds::WithRun,
        false => LostEnds::WhenReported,
    };
    if args.concurrency
        && let Some(entity) = &entity
    {
        let kind = PlotKind::Concurrency(asker.by.clone(), lost);
        let data = asker.answer(Some(&entity.name), kind)?;
        return asker.print_about(entity, data, format, "has a start");
    }
    let name = entity.as_ref().map(|entity| entity.name.as_str());
    let mut data = asker.answer(name, kind)?;
    let nothing = (Spans::default(), None);
    let (spans, by) = match &mut data {
        PlotData::Spans { spans, by, .. } => (&*spans, Some(by)),
        PlotData::Marked(marked) => (&marked.spans, Some(&mut marked.by)),
        _ => (&nothing.0, nothing.1),
    };
    let unstarted = spans.unstarted;
    let none = || match &entity {
        Some(entity) => asker.no_instance(entity, "has a start"),
        None => no_spans(args, unstarted),
    };
    if args.concurrency {
        let question = asker.question(None, PlotKind::Concurrency(None, lost))?;
        let (snapshot, scope) = (&opened.snapshot, (&asker.scope, lost));
        let what = ("spans".to_owned(), &asker.by);
        let data = concurrency(snapshot, &question, what, spans, scope, &Cancel::default());
        return asker.print(data.unwrap_or(PlotData::Empty), format, none);
    }
    if let Some(by) = by {
        // Spans have the group in a column; statistics of all of them are those of one group.
        *by = args.summary.then(|| asker.by.clone().unwrap_or_default());
    }
    asker.print(data, format, none)
}

/// Spans between two marks, if the arguments have them.
fn marks(
    opened: &Opened,
    args: &SpanArgs,
    group: Option<String>,
) -> Result<Option<PlotKind>, Failure> {
    let Some((start, end)) = args.start.as_ref().zip(args.end.as_ref()) else {
        return Ok(None);
    };
    let mark = |text: &String| -> Result<Mark, Failure> {
        let (label, expr) = (text.clone(), expression(opened, text)?);
        Ok(Mark { label, expr })
    };
    let (start, end) = (mark(start)?, mark(end)?);
    let key = args.key.as_deref().map(|name| by(opened, name));
    Ok(Some(PlotKind::Marked {
        marks: SpanMarks { start, end },
        pair: key.transpose()?.map_or(PairBy::Queue, PairBy::Key),
        by: group,
    }))
}

/// Failure without spans between marks, with the reason.
fn no_spans(args: &SpanArgs, unstarted: u64) -> Failure {
    let text = match unstarted {
        0 => "no event matches --start, so there are no spans".to_owned(),
        n => format!(
            "no spans: {} events match --end, but no earlier event matches --start",
            count(n)
        ),
    };
    no_event(&args.select, &text)
}
