//! A timeline: bars in rows.

use std::collections::BTreeSet;

use widetui_analysis::timeline::{Ending, Progress, TimelineRow, lane_pieces};
use widetui_time::time::format_span;

use super::axes::{self, Frame};
use super::canvas::{self, Canvas, TOP, TextAnchor, shortened};
use super::{Notes, Times};
use crate::figure::Gantt;

/// Width of the names of rows, pixels.
const LEFT: f64 = 190.0;

/// Height of a lane, pixels; less if there are many.
const LANE: f64 = 14.0;

/// Maximum height of the plot, pixels; a note counts the rows beyond it.
const HIGHEST: f64 = 1600.0;

/// Minimum height of a lane, pixels.
const LEAST: f64 = 1.5;

/// Maximum number of bars drawn at the full resolution; more are merged, as adjacent ones cannot be distinguished.
const BARS: usize = 6000;

/// Notes below a plot with outlined bars, and with bars that ended badly.
const WAITS: &str = "outlined: waits to start";
const BAD: &str = "red: failed or lost";

/// Draws a timeline.
pub(super) fn draw(canvas: &mut Canvas, times: &Times<'_>, gantt: &Gantt) -> Notes {
    let (from, to) = times.range;
    let touches = |r: &&TimelineRow| r.bars.iter().any(|b| b.end >= from && b.start <= to);
    let lanes: Vec<&TimelineRow> = gantt.lanes.iter().filter(touches).collect();
    let heights = Heights::of(&lanes);
    let (height, shown) = heights.shown(&lanes);
    let frame = Frame::new(LEFT, height.max(20.0), times.range);
    axes::time_grid(canvas, times, &frame);
    axes::times(canvas, times, &frame);
    let (ink, faint) = (canvas.theme.palette().text, canvas.theme.palette().faint);
    // The unknown group has no colour of its own.
    let colour = |at: usize| match gantt.unknown.map(usize::from) == Some(at) {
        true => faint.to_owned(),
        false => canvas.theme.tone(&gantt.tones, at),
    };
    let full = (frame.x.1 - frame.x.0) as usize * 2;
    let bars = lanes.iter().take(shown);
    let bars = bars.map(|row| lane_pieces(row, times.range, full as u32).len());
    let columns = full * BARS / bars.sum::<usize>().max(BARS);
    let style = RowStyle {
        columns: columns as u32,
        gantt,
        colours: (0..gantt.legend.len()).map(colour).collect(),
        frame,
        lane: heights.lane,
    };
    let mut y = TOP + heights.gap / 2.0;
    let mut named = f64::MIN;
    let mut marks = BTreeSet::new();
    for (at, row) in lanes.iter().take(shown).enumerate() {
        y += match at > 0 && !row.name.is_empty() {
            true => heights.gap,
            false => 0.0,
        };
        let middle = y + heights.lane / 2.0 + 4.0;
        if middle - named >= 11.0 && !row.name.is_empty() {
            let name = shortened(&row.name, 27);
            canvas.text((LEFT - 8.0, middle), &name, (11.0, ink), TextAnchor::End);
            named = middle;
        }
        style.row(canvas, row, y, &mut marks);
        y += heights.lane;
    }
    let legend = gantt.legend.iter().zip(style.colours);
    let texts: Vec<(String, String)> = legend
        .map(|((name, count), colour)| (colour, format!("{name} {count}")))
        .collect();
    let names = texts
        .iter()
        .map(|(colour, text)| (colour.clone(), text.as_str()));
    let end = canvas.legend(names, LEFT, style.frame.y.1 + 54.0);
    canvas.ensure_height(end);
    let mut notes = Notes::new();
    if shown < lanes.len() {
        notes.push(format!("{} more rows are not shown", lanes.len() - shown));
    }
    notes.push(format!("{} shown", format_span(to.saturating_sub(from))));
    notes.extend(marks.into_iter().map(str::to_owned));
    notes
}

/// Heights of lanes, pixels.
struct Heights {
    lane: f64,
    /// Space above the first lane of a row.
    gap: f64,
}

impl Heights {
    /// Heights at which all lanes have room.
    fn of(lanes: &[&TimelineRow]) -> Heights {
        let rows = lanes.iter().filter(|lane| !lane.name.is_empty()).count();
        let gap = if rows > 80 { 1.0 } else { 5.0 };
        let room = HIGHEST - gap * rows as f64;
        Heights {
            lane: (room / lanes.len().max(1) as f64).clamp(LEAST, LANE),
            gap,
        }
    }

    /// Height and number of the lanes that have room.
    fn shown(&self, lanes: &[&TimelineRow]) -> (f64, usize) {
        let (mut height, mut shown) = (0.0, 0);
        for lane in lanes {
            let gap = if lane.name.is_empty() { 0.0 } else { self.gap };
            let next = height + self.lane + gap;
            if next > HIGHEST + self.lane && shown > 0 {
                break;
            }
            (height, shown) = (next, shown + 1);
        }
        (height, shown)
    }
}

/// Style of all rows.
struct RowStyle<'a> {
    /// Number of positions that bars begin and end at.
    columns: u32,
    gantt: &'a Gantt,
    colours: Vec<String>,
    frame: Frame,
    lane: f64,
}

impl RowStyle<'_> {
    /// Draws the bars of a row from `y` down; `notes` get the meanings of their marks.
    fn row(
        &self,
        canvas: &mut Canvas,
        row: &TimelineRow,
        y: f64,
        notes: &mut BTreeSet<&'static str>,
    ) {
        let (left, right) = self.frame.x;
        let pixel = (right - left) / f64::from(self.columns);
        for piece in lane_pieces(row, self.frame.range, self.columns) {
            let (x, end) = (
                f64::from(piece.first_column) * pixel,
                f64::from(piece.end_column) * pixel,
            );
            let at = usize::from(piece.bar.colour);
            let is_bad = piece.bar.ending.is_bad();
            let (colour, ended) = match is_bad {
                true => (canvas.theme.palette().alarm, ": failed or lost"),
                false => (&*self.colours[at % self.colours.len().max(1)], ""),
            };
            notes.extend(is_bad.then_some(BAD));
            let name = self.gantt.colour_name(piece.bar.colour).unwrap_or_default();
            let tip = match piece.count {
                1 => format!("{name}{ended}"),
                n => format!("{n} bars, most of the time {name}{ended}"),
            };
            let gap = if self.lane > 4.0 { 1.5 } else { 0.0 };
            let size = (end - x, (self.lane - gap).max(1.0));
            match piece.bar.progress {
                Progress::Begun => canvas.rect((left + x, y), size, colour, &tip),
                Progress::Waiting => {
                    notes.insert(WAITS);
                    canvas.outline((left + x, y), size, colour, &format!("{tip}: waits"));
                }
            }
            ending(canvas, piece.bar.ending, (left + end, y), size.1, colour);
        }
    }
}

/// Right end of a bar at the point `at`.
fn ending(canvas: &mut Canvas, ending: Ending, at: (f64, f64), high: f64, colour: &str) {
    let (x, top) = at;
    match ending {
        Ending::Unfinished => {
            // Open ends fade out to the right: an arrow head.
            let half = high / 2.0;
            let path = canvas::triangle((x, top), (x + half, top + half), (x, top + high));
            canvas.path(&path, &format!(r#"fill="{colour}""#));
        }
        Ending::Lost | Ending::Failed => {
            let alarm = canvas.theme.palette().alarm;
            let thick = r#" stroke-width="3""#;
            canvas.line((x, top - 1.0), (x, top + high + 1.0), alarm, thick);
        }
        Ending::Ended | Ending::Continues => {}
    }
}
