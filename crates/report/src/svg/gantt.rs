//! A timeline: bars in rows.

use widetui_analysis::colour::Tone;
use widetui_analysis::timeline::{Ending, Progress, Timeline, TimelineRow, lane_pieces};
use widetui_time::time::format_span;

use super::Figure;
use super::axes::{self, Frame};
use super::canvas::{Canvas, TOP, TextAnchor, shortened};

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

/// Note below a plot with outlined bars.
const WAITS: &str = "outlined: waits to start";

/// Draws a timeline.
pub(super) fn gantt(
    canvas: &mut Canvas,
    figure: &Figure<'_>,
    (timeline, tones): (&Timeline, &[Tone]),
) {
    let (from, to) = figure.range;
    let touches = |r: &&TimelineRow| r.bars.iter().any(|b| b.end >= from && b.start <= to);
    let rows: Vec<&TimelineRow> = timeline.rows.iter().filter(touches).collect();
    let heights = Heights::of(&rows);
    let (height, shown) = heights.shown(&rows);
    let frame = Frame::new(LEFT, height.max(20.0), figure.range);
    axes::times(canvas, figure, &frame);
    let (ink, faint) = (canvas.theme.text_colour(), canvas.theme.faint());
    // The unknown group has no colour of its own.
    let colour = |(at, name): (usize, &String)| match name.as_str() {
        "" => faint.to_owned(),
        _ => canvas.theme.tone(tones, at),
    };
    let full = (frame.x.1 - frame.x.0) as usize * 2;
    let bars = rows.iter().take(shown);
    let bars = bars.map(|row| lane_pieces(row, figure.range, full as u32).len());
    let columns = full * BARS / bars.sum::<usize>().max(BARS);
    let drawn = RowStyle {
        columns: columns as u32,
        timeline,
        colours: timeline.colours.iter().enumerate().map(colour).collect(),
        range: figure.range,
        frame,
        lane: heights.lane,
    };
    let mut y = TOP + heights.gap / 2.0;
    let mut named = f64::MIN;
    let mut waiting = false;
    for row in rows.iter().take(shown) {
        let high = heights.lane * f64::from(row.lanes);
        let middle = y + high / 2.0 + 4.0;
        if middle - named >= 11.0 {
            let name = if row.name.is_empty() {
                "(unknown)"
            } else {
                &row.name
            };
            let name = shortened(name, 27);
            canvas.text((LEFT - 8.0, middle), &name, (11.0, ink), TextAnchor::End);
            named = middle;
        }
        waiting |= drawn.row(canvas, row, y);
        y += high + heights.gap;
    }
    let name = |name: &'_ String| match name.as_str() {
        "" => "(none)".to_owned(),
        name => name.to_owned(),
    };
    let names: Vec<String> = timeline.colours.iter().map(name).collect();
    let bottom = drawn.frame.y.1;
    let names = drawn
        .colours
        .into_iter()
        .zip(names.iter().map(String::as_str));
    let mut end = canvas.legend(names, LEFT, bottom + 54.0);
    let mut notes = notes(timeline, rows.len() - shown, figure.range);
    if waiting {
        notes.push(WAITS.to_owned());
    }
    canvas.text(
        (LEFT, end + 8.0),
        &notes.join("; "),
        (11.0, faint),
        TextAnchor::Start,
    );
    end += 20.0;
    canvas.ensure_height(end);
}

/// Heights of rows, pixels.
struct Heights {
    lane: f64,
    /// Space between two rows.
    gap: f64,
}

impl Heights {
    /// Heights at which all rows have room.
    fn of(rows: &[&TimelineRow]) -> Heights {
        let lanes: u32 = rows.iter().map(|r| r.lanes).sum();
        let gap = if rows.len() > 80 { 1.0 } else { 5.0 };
        let room = HIGHEST - gap * rows.len() as f64;
        Heights {
            lane: (room / f64::from(lanes.max(1))).clamp(LEAST, LANE),
            gap,
        }
    }

    /// Height and number of the rows that have room.
    fn shown(&self, rows: &[&TimelineRow]) -> (f64, usize) {
        let (mut height, mut shown) = (0.0, 0);
        for row in rows {
            let next = height + self.lane * f64::from(row.lanes) + self.gap;
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
    timeline: &'a Timeline,
    colours: Vec<String>,
    range: (i64, i64),
    frame: Frame,
    lane: f64,
}

impl RowStyle<'_> {
    /// Draws the bars of a row from `y` down. Returns true if one of them waits to start.
    fn row(&self, canvas: &mut Canvas, row: &TimelineRow, y: f64) -> bool {
        let (left, right) = self.frame.x;
        let pixel = (right - left) / f64::from(self.columns);
        let mut waiting = false;
        for piece in lane_pieces(row, self.range, self.columns) {
            let top = y + self.lane * f64::from(piece.lane);
            let (x, end) = (
                f64::from(piece.first_column) * pixel,
                f64::from(piece.end_column) * pixel,
            );
            let at = usize::from(piece.colour);
            let colour = &self.colours[at % self.colours.len().max(1)];
            let name = self.timeline.colours.get(at);
            let tip = match piece.count {
                1 => name.cloned().unwrap_or_default(),
                n => format!(
                    "{n} bars, most of the time {}",
                    name.map_or("", String::as_str)
                ),
            };
            let gap = if self.lane > 4.0 { 1.5 } else { 0.0 };
            let size = (end - x, (self.lane - gap).max(1.0));
            match piece.progress {
                Progress::Begun => canvas.rect((left + x, top), size, colour, &tip),
                Progress::Waiting => {
                    waiting = true;
                    canvas.outline((left + x, top), size, colour, &format!("{tip}: waits"));
                }
            }
            ending(canvas, piece.ending, (left + end, top), size.1, colour);
        }
        waiting
    }
}

/// Right end of a bar at the point `at`.
fn ending(canvas: &mut Canvas, ending: Ending, at: (f64, f64), high: f64, colour: &str) {
    let (x, top) = at;
    match ending {
        Ending::Unfinished => {
            // Open ends fade out to the right: an arrow head.
            let half = high / 2.0;
            let path = format!(
                "M{x:.1} {top:.1}L{:.1} {:.1}L{x:.1} {:.1}Z",
                x + half,
                top + half,
                top + high
            );
            canvas.path(&path, &format!(r#"fill="{colour}""#));
        }
        Ending::Lost | Ending::Failed => {
            let alarm = canvas.theme.alarm();
            let thick = r#" stroke-width="3""#;
            canvas.line((x, top - 1.0), (x, top + high + 1.0), alarm, thick);
        }
        Ending::Ended | Ending::Continues => {}
    }
}

/// Notes on hidden rows and bars, and the total duration.
fn notes(timeline: &Timeline, hidden: usize, (from, to): (i64, i64)) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if hidden > 0 {
        notes.push(format!("{hidden} more rows are not shown"));
    }
    if timeline.unstarted > 0 {
        notes.push(format!(
            "{} without a known start are not shown",
            timeline.unstarted
        ));
    }
    notes.push(format!("{} in all", format_span(to.saturating_sub(from))));
    notes
}
