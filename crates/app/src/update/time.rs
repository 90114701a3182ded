//! Time display, time selection, zoom of the overview, and going to a time.

use crate::command::Command;
use crate::event_list::{SelectionEdge, TimeSelection};
use crate::model::{Model, TimeDisplay, View};
use crate::msg::Effect;
use crate::view_plots::time_at_cursor;
use crate::{time_selection, view_plots};
use widetui_tables::text::grouped;
use widetui_time::time::{
    NS_PER_DAY, NS_PER_HOUR, NS_PER_MINUTE, NS_PER_SECOND, format_datetime, format_span,
};
use widetui_time::timeparse::parse_literal;

use super::primitives::navigation::show;
use super::primitives::notices::{alert, say};
use super::primitives::{followed_value, moment, overview, record_cursor, selection};

/// Factor by which a zoom step changes the visible time range.
const ZOOM: i64 = 4;

/// Shortest time range of the overview, ns.
const SHORTEST: i64 = 1_000;

/// Runs a command that changes the time display, the time selection or the zoom, in the view that supports it.
pub(super) fn over_time(model: &mut Model, command: Command) -> Vec<Effect> {
    let has_times = model.view.is_plotted() || model.view.is_flow();
    let is_display = matches!(
        command,
        Command::TimeDisplay | Command::TimeClock | Command::TimeFromStart
    );
    let stays = model.view.is_over_time() || is_display && has_times;
    if !stays {
        let plot = model.beside().map(|o| o.view);
        let plot = plot.filter(|v| v.is_over_time() && !model.view.is_records());
        show(model, plot.unwrap_or(View::EVENTS));
    }
    match command {
        Command::TimeDisplay => {
            let next = match model.time {
                TimeDisplay::Clock => TimeDisplay::FromStart,
                TimeDisplay::FromStart => TimeDisplay::StepOnly,
                TimeDisplay::StepOnly => TimeDisplay::SameKey,
                TimeDisplay::SameKey => TimeDisplay::Clock,
            };
            show_as(model, next)
        }
        Command::TimeClock => show_as(model, TimeDisplay::Clock),
        Command::TimeFromStart => show_as(model, TimeDisplay::FromStart),
        Command::TimeStep => show_as(model, TimeDisplay::StepOnly),
        Command::TimeSameKey => show_as(model, TimeDisplay::SameKey),
        Command::BrushStart => set(model, SelectionEdge::Start),
        Command::BrushEnd => set(model, SelectionEdge::End),
        Command::BrushEarlier => nudge(model, -1),
        Command::BrushLater => nudge(model, 1),
        Command::BrushTake => take(model),
        _ => zoom(model, command),
    }
}

fn show_as(model: &mut Model, display: TimeDisplay) -> Vec<Effect> {
    model.time = display;
    if display == TimeDisplay::SameKey {
        followed_value::say_followed(model);
    }
    Vec::new()
}

/// Moves an edge of the time selection to the record or moment under the cursor.
fn set(model: &mut Model, edge: SelectionEdge) -> Vec<Effect> {
    let (Some(range), Some(time)) = (model.snapshot.range(), time_at_cursor(model)) else {
        return say(model, "this record has no time");
    };
    let (from, to) = model
        .events
        .time_selection
        .map_or(range, |b| (b.from, b.to));
    let (from, to) = match edge {
        SelectionEdge::Start => (time, if to < time { range.1 } else { to }),
        _ => (if from > time { range.0 } else { from }, time),
    };
    // In plots the cursor covers a column, which becomes the selection if both edges are equal.
    let column = view_plots::interval_at(model, time).filter(|_| from == to && model.has_moment());
    let (from, to) = column.unwrap_or((from, to));
    brush(model, TimeSelection { from, to, edge });
    Vec::new()
}

/// Sets the time selection and notifies the user of its bounds and number of records.
pub(super) fn brush(model: &mut Model, brush: TimeSelection) {
    model.events.time_selection = Some(brush);
    say(
        model,
        format!(
            "time selection {} · {} · {} records",
            time_selection::words(model, brush.from, brush.to),
            format_span(brush.to.saturating_sub(brush.from)),
            grouped(time_selection::record_count(model, brush) as u64),
        ),
    );
}

/// Moves the last changed edge of the time selection by columns of the overview.
fn nudge(model: &mut Model, columns: i64) -> Vec<Effect> {
    let (Some(now), Some(overview)) = (model.events.time_selection, &model.overview) else {
        return say(model, no_brush(model));
    };
    let (first, last) = overview.range;
    let span = last.saturating_sub(first);
    let by = columns * (span / overview.events.len().max(1) as i64).max(1);
    let moved = |t: i64| t.saturating_add(by);
    let next = match now.edge {
        SelectionEdge::Start => TimeSelection {
            from: moved(now.from).min(now.to),
            ..now
        },
        SelectionEdge::End => TimeSelection {
            to: moved(now.to).max(now.from),
            ..now
        },
        SelectionEdge::Both => TimeSelection {
            from: moved(now.from),
            to: moved(now.to),
            ..now
        },
    };
    brush(model, next);
    Vec::new()
}

fn no_brush(model: &Model) -> String {
    let [start, end] = [Command::BrushStart, Command::BrushEnd].map(|c| model.key_of(c));
    format!("there is no time selection: {start} starts one at the cursor, {end} ends it")
}

/// Selects the records within the time selection.
pub(super) fn take(model: &mut Model) -> Vec<Effect> {
    let Some(step) = time_selection::step(model) else {
        return say(model, no_brush(model));
    };
    model.events.time_selection = None;
    selection::push(model, step)
}

fn zoom(model: &mut Model, command: Command) -> Vec<Effect> {
    let Some(whole) = model.snapshot.range() else {
        return Vec::new();
    };
    let now = model.events.zoom.unwrap_or(whole);
    let span = now.1.saturating_sub(now.0);
    let centre = moment::to_bar_under_cursor(model).or_else(|| time_at_cursor(model));
    let centre = centre.unwrap_or(now.0 + span / 2);
    let next = match (command, model.events.time_selection) {
        (Command::ZoomIn, Some(brush)) => (brush.from, brush.to.max(brush.from + SHORTEST)),
        (Command::ZoomIn, None) => stretch(centre, span / ZOOM, whole),
        (Command::ZoomOut, _) => stretch(centre, span.saturating_mul(ZOOM), whole),
        _ => whole,
    };
    let next = Some(next).filter(|next| *next != whole);
    model.selection.show_time_range(model.events.zoom, next);
    overview::show_time_range(model, next)
}

/// Time range of length `span` around a moment, clamped to the run.
fn stretch(centre: i64, span: i64, (first, last): (i64, i64)) -> (i64, i64) {
    let span = span.clamp(SHORTEST, last.saturating_sub(first).max(SHORTEST));
    let from = centre
        .saturating_sub(span / 2)
        .clamp(first, last.saturating_sub(span).max(first));
    (
        from,
        from.saturating_add(span).min(last.max(first + SHORTEST)),
    )
}

/// Target of the prompt for going to a time or row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Goal {
    /// Time, UTC ns.
    Time(i64),
    /// Share of the rows, 0 to 1.
    Share(f64),
    /// Row number, from 1.
    Row(usize),
}

/// Goes to the target of a prompt; returns an error if its text is invalid.
pub(super) fn go_to(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    let len = model.len();
    if len == 0 {
        return Err("there are no records to go to".to_owned());
    }
    let now = match model.view.is_over_time() {
        true => time_at_cursor(model),
        false => model.current().and_then(|e| e.time()),
    };
    let start = now.or(model.snapshot.range().map(|r| r.0)).unwrap_or(0);
    let goal = goal(text, start, &model.zone)?;
    if model.view.is_over_time() {
        return Ok(to_moment(model, goal));
    }
    let row = match goal {
        Goal::Share(share) => (share * (len - 1) as f64).round() as usize,
        Goal::Row(number) => number - 1,
        Goal::Time(time) => model.rows.row_at_time(&model.snapshot, time),
    };
    record_cursor::jump_to(model, row.min(len - 1));
    if row >= len {
        alert(model, "that is after the last record here");
    }
    if let Goal::Time(time) = goal
        && let Some(text) = beyond(model, time)
    {
        alert(model, text);
    }
    Ok(Vec::new())
}

/// Moves the cursor of a view over time: a share refers to the time range of the run, a row number to the time of that
/// record.
fn to_moment(model: &mut Model, goal: Goal) -> Vec<Effect> {
    let Some((first, last)) = model.snapshot.range() else {
        return Vec::new();
    };
    let time = match goal {
        Goal::Time(time) => time,
        Goal::Share(share) => {
            first.saturating_add((last.saturating_sub(first) as f64 * share).round() as i64)
        }
        Goal::Row(number) => {
            let row = model.rows.get(&model.snapshot, number - 1);
            let event = row.and_then(|id| model.snapshot.event(id));
            event.and_then(|e| e.time()).unwrap_or(last)
        }
    };
    let at = time.clamp(first, last);
    model.plots.moment = Some(at);
    // A zoomed range that does not contain the target is reset.
    let is_hidden = |(from, to): (i64, i64)| at < from || at > to;
    let effects = match model.events.zoom.is_some_and(is_hidden) {
        true => {
            model.selection.show_time_range(model.events.zoom, None);
            overview::show_time_range(model, None)
        }
        false => Vec::new(),
    };
    if let Some(text) = beyond(model, time) {
        alert(model, text);
    }
    effects
}

/// Returns a warning if a time lies before or after the run.
fn beyond(model: &Model, time: i64) -> Option<String> {
    let (first, last) = model.snapshot.range()?;
    let told = |t: i64| format_datetime(t, model.zone.offset_at_utc(t), 0);
    // A time without a fraction covers the whole second.
    match time {
        t if t.saturating_add(NS_PER_SECOND) <= first => Some(format!(
            "that is before the first record: the run begins at {}",
            told(first)
        )),
        t if t > last => Some(format!(
            "that is after the last record: the run ends at {}",
            told(last)
        )),
        _ => None,
    }
}

fn goal(text: &str, now: i64, zone: &widetui_time::zone::Zone) -> Result<Goal, String> {
    let text = text.trim();
    if let Some(number) = text.strip_prefix('#') {
        let number = number.trim().replace(',', "").parse::<usize>();
        let number = number.ok().filter(|number| *number > 0);
        return number
            .map(Goal::Row)
            .ok_or_else(|| format!("`{text}` is no row: write #100 for the 100th"));
    }
    if let Some(share) = text.strip_suffix('%') {
        let share: f64 = share
            .trim()
            .parse()
            .map_err(|_| format!("`{text}` is no share of the run: write 50% for its middle"))?;
        return Ok(Goal::Share((share / 100.0).clamp(0.0, 1.0)));
    }
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-" | "−", rest)) => (-1, rest),
        _ => {
            let time = parse_literal(text, now, zone);
            return time.map(Goal::Time).map_err(|e| e.to_string());
        }
    };
    match duration(rest) {
        Some(span) => Ok(Goal::Time(now.saturating_add(sign * span))),
        None => Err(format!(
            "`{rest}` is no stretch of time: write 5s, 1m30s, 250ms, 2h"
        )),
    }
}

/// Parses a duration such as `1m30s`, `250 ms` or `2h`, in ns; a number without unit is in seconds.
fn duration(text: &str) -> Option<i64> {
    let mut rest = text.trim();
    let mut sum = 0f64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "" | "s" | "sec" => NS_PER_SECOND,
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "m" | "min" => NS_PER_MINUTE,
            "h" => NS_PER_HOUR,
            "d" => NS_PER_DAY,
            _ => return None,
        };
        sum += number * unit as f64;
        rest = rest[letters..].trim_start();
    }
    // Saturates: a longer duration has the same effect.
    Some(sum.clamp(0.0, i64::MAX as f64) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_time::zone::Zone;

    const NOW: i64 = 1_795_225_387 * NS_PER_SECOND;

    #[test]
    fn places_are_written_in_many_ways() {
        let go = |text| goal(text, NOW, &Zone::Utc);
        for (text, seconds) in [
            ("+5s", 5),
            ("-2m", -120),
            ("+1m30s", 90),
            ("- 1 h", -3600),
            ("+7", 7),
        ] {
            assert_eq!(
                go(text),
                Ok(Goal::Time(NOW + seconds * NS_PER_SECOND)),
                "{text}"
            );
        }
        assert_eq!(go("50%"), Ok(Goal::Share(0.5)));
        assert_eq!(go("250%"), Ok(Goal::Share(1.0)));
        assert_eq!(go("1795225387"), Ok(Goal::Time(NOW)));
        assert_eq!(go("2026-11-21 01:43:07"), Ok(Goal::Time(NOW)));
        // A time without a date refers to the day of the record under the cursor.
        assert_eq!(go("01:43:08"), Ok(Goal::Time(NOW + NS_PER_SECOND)));
        for bad in ["+", "+5 parsecs", "x%", "yesterday", ""] {
            assert!(go(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_stretch_lies_within_the_run(first in -1_000_000i64..1_000_000, run in 1i64..1 << 40, at in 0i64..1 << 40, span in 0i64..1 << 42) {
            let last = first + run;
            let (from, to) = stretch((first + at).min(last), span, (first, last));
            prop_assert!(first <= from && from < to && to <= last.max(first + SHORTEST));
        }
    }
}
