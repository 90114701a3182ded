//! Rows of a timeline.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};
use widetui_app::rect::Rect;

use crate::canvas::{area_of, glyph, put, put_right};
use crate::plots::MemberStyles;
use crate::plots::{gantt, legend};
use crate::theme::Theme;
use crate::views::{cursor_role, mark_row, table};
use widetui_analysis::entity::Id;
use widetui_analysis::timeline::{Bar, Ending, Progress, TimelineRow};
use widetui_app::hit::{HitMap, Target};
use widetui_app::times;
use widetui_report::figure::Gantt;
use widetui_session::plots::EntityInstances;
use widetui_tables::drawing::Drawing;
use widetui_tables::plots::TimeAxis;
use widetui_tables::role::Role;
use widetui_tables::table::TableState;
use widetui_tables::text::{cut, cut_middle, width};
use widetui_time::time::format_span;

use widetui_app::view_plots::{axis_of, gantt_of, time_at_cursor, timeline_row_at_cursor};

use super::{draw_axis, summary};

/// Maximum height of a row, in lines.
const HIGHEST: usize = 3;
/// Number of rows from which on each has one line.
const MANY: usize = 8;

/// Draws the rows of a timeline, the axis above them, and the description of the bar under the
/// cursor below them.
pub(in crate::views) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let area = area.intersection(area_of(buf));
    let (Some((state, gantt)), Some(axis)) = (gantt_of(model), axis_of(model)) else {
        return table::draw(model, area, buf, hits);
    };
    if state.is_empty() || area.height < 3 {
        return table::draw(model, area, buf, hits);
    }
    let styles = MemberStyles::new(model.theme, model.screen.drawing());
    draw_axis(model, &axis, area.y, buf);
    for column in 0..axis.columns {
        let stretch = Rect::new(axis.left + column, area.y, 1, 1);
        hits.add(stretch, Target::OverviewBar(usize::from(column)));
    }
    let muted = model.theme.style(Role::Muted);
    if let Some(busy) = state
        .table
        .columns
        .get(1)
        .filter(|_| state.table.natural_width(1) > 0)
    {
        put_right(buf, area.x, area.right() - 1, area.y, &busy.title, muted);
    }
    let last = area.bottom() - 1;
    let title = |at: u32| state.table.title_of(at);
    let has_title = |lane| !gantt::titles(gantt, title, lane, &axis).is_empty();
    let has_titles = || (0..state.len()).any(has_title);
    let high = match height_of_rows(last - area.y - 1, state.len(), gantt.legend.len()) {
        2 if !has_titles() => 1,
        high => high,
    };
    let parents = gantt.lanes.iter().map(parent);
    let first = parents.clone().next();
    let lines = Lines {
        has_parents: parents.clone().any(|of| Some(of) != first),
        model,
        state,
        gantt,
        axis: &axis,
        styles,
        high,
        stuck: model.instances.stuck_ids(),
    };
    let starts = (area.y + 1..last).step_by(usize::from(high));
    for (y, place) in starts.zip(state.list.top..state.len()) {
        let line = Rect::new(area.x, y, area.width, high).intersection(area);
        lines.draw(place, line, buf, hits);
    }
    let rows = (state.len() - state.list.top.min(state.len())) as u16;
    let end = (area.y + 1)
        .saturating_add(rows.saturating_mul(high))
        .saturating_add(1);
    let rest = Rect::new(area.x, end, area.width, last.saturating_sub(end));
    let rest = summary::at_once(model, gantt, &axis, rest, styles, buf);
    let is_told = summary::draw(model, gantt, rest, styles, buf);
    let x = about(model, state, gantt, (area, last), buf);
    // The table of colours above serves as the legend.
    if !is_told {
        let lanes = (state.list.top..state.len()).take(usize::from(area.height / high));
        let lanes: Vec<usize> = lanes
            .filter_map(|place| state.shown.get(place).map(|at| *at as usize))
            .collect();
        let order = gantt.legend_order(&lanes, axis.range, u32::from(axis.columns));
        let entries = gantt::legend(gantt, &order, styles);
        legend::draw(&entries, (x, area.right() - 1), last, (muted, muted), buf);
    }
}

/// Context for drawing the rows.
struct Lines<'a> {
    model: &'a Scene<'a>,
    state: &'a TableState,
    gantt: &'a Gantt,
    axis: &'a TimeAxis,
    styles: MemberStyles<'a>,
    /// Height of a row, in lines.
    high: u16,
    /// True if the rows belong to several parents, such as the workers of several managers.
    has_parents: bool,
    /// Identifiers of stuck work items.
    stuck: Vec<&'a Id>,
}

/// Values that a row has in common with the others of its parent.
fn parent(lane: &TimelineRow) -> &[String] {
    let values = &lane.values;
    &values[..values.len().saturating_sub(1)]
}

impl Lines<'_> {
    /// Height of the bars; the remaining line of the row has their names.
    fn body(&self) -> u16 {
        if self.high > 1 { self.high - 1 } else { 1 }
    }

    /// Draws a row, given its index in the table.
    fn draw(&self, place: usize, line: Rect, buf: &mut Buffer, hits: &mut HitMap) {
        let Lines { state, axis, .. } = self;
        let Some(row) = state.row(place) else { return };
        let theme = &self.model.theme;
        hits.add(line, Target::TableRow(place));
        let is_current = place == state.list.cursor;
        if let Some(time) = time_at_cursor(self.model).filter(|t| axis.contains(*t)) {
            let x = axis.left + axis.column_of(time);
            for y in line.y..line.y + self.high {
                glyph(buf, x, y, "┆", theme.style(Role::Axis));
            }
        }
        if is_current {
            self.mark(line, buf);
        }
        let (ground, role) = match is_current {
            true => (theme.style(cursor_role(self.model)), Role::Strong),
            false => (Style::default(), Role::Muted),
        };
        let name = row.cells.first().map_or(String::new(), |c| c.text());
        let room = axis.left.saturating_sub(line.x + 3);
        let room_of = usize::from(room);
        let name = match name.split_once(' ') {
            // Number and title: the number is what identifies a row, so it may stand alone.
            Some((number, _)) if width(number) < room_of => cut(&name, room_of).into_owned(),
            _ => cut_middle(&name, room_of),
        };
        self.bracket(place, line, buf);
        let role = match self.is_stuck(place) {
            true => {
                let warning = ground.patch(theme.style(Role::Warning));
                put(buf, line.x + 1, line.y, 1, "!", warning);
                Role::WarningText
            }
            false => role,
        };
        let style = ground.patch(theme.style(role));
        put(buf, line.x + 2, line.y, room, &name, style);
        self.bars(place, line.y, buf, hits);
        let busy = row.cells.get(1).map_or(String::new(), |c| c.text());
        let muted = theme.style(Role::Muted);
        let style = ground.patch(muted);
        put_right(buf, axis.left, line.right() - 1, line.y, &busy, style);
        if state.search.match_number(place).is_some() {
            super::super::search_hits::mark(self.model, state.search.matcher.as_ref(), line, buf);
        }
    }

    /// Draws the part of the bracket around the rows of one parent, or else of one resource with several rows.
    fn bracket(&self, place: usize, line: Rect, buf: &mut Buffer) {
        let values = |place: usize| {
            let lane = self
                .gantt
                .lanes
                .get(*self.state.shown.get(place)? as usize)?;
            Some(if self.has_parents {
                parent(lane)
            } else {
                &lane.values[..]
            })
        };
        let own = values(place).filter(|own| !own.is_empty());
        let is_own = |place: Option<usize>| own.is_some() && place.and_then(values) == own;
        let (first, rest) = match (is_own(place.checked_sub(1)), is_own(Some(place + 1))) {
            (false, false) => return,
            (false, true) => ("╭", "│"),
            (true, true) => ("│", "│"),
            (true, false) => ("╰", " "),
        };
        let style = self.model.theme.style(Role::Axis);
        glyph(buf, line.x + 1, line.y, first, style);
        for y in line.y + 1..line.bottom() {
            glyph(buf, line.x + 1, y, rest, style);
        }
    }

    /// True if an unfinished bar of a row is a stuck work item, or a part of one.
    fn is_stuck(&self, place: usize) -> bool {
        let lane = self.state.shown.get(place);
        let lane = lane.and_then(|at| self.gantt.lanes.get(*at as usize));
        let is_open = |bar: &&Bar| bar.ending == Ending::Unfinished;
        let mut open = lane
            .into_iter()
            .flat_map(|lane| lane.bars.iter().filter(is_open));
        let found = self.state.table.instances.as_ref();
        let is_stuck = |found: &EntityInstances, bar: &Bar| {
            found.is_part_of(bar.instance as usize, &self.stuck)
        };
        !self.stuck.is_empty() && open.any(|bar| found.is_some_and(|f| is_stuck(f, bar)))
    }

    /// Marks the row under the cursor.
    fn mark(&self, line: Rect, buf: &mut Buffer) {
        let theme = &self.model.theme;
        let cursor = theme.style(cursor_role(self.model));
        let whole = Rect {
            height: self.body(),
            ..line
        };
        if !is_reversed(theme) {
            mark_row(buf, whole, cursor);
        } else {
            // Reversed bars would be invisible: only both ends of the row are reversed, with a line
            // between them.
            let width = self.axis.left.saturating_sub(line.x + 1);
            mark_row(buf, Rect { width, ..whole }, cursor);
            let right = self.axis.left + self.axis.columns;
            let width = line.right().saturating_sub(right);
            let end = Rect {
                x: right,
                width,
                ..whole
            };
            mark_row(buf, end, cursor);
            let middle = line.y + self.body().saturating_sub(1) / 2;
            // In ASCII, a line in the middle could be mistaken for a bar.
            let symbol = match self.styles.drawing {
                Drawing::Ascii => "_",
                _ => "─",
            };
            for x in self.axis.left..right {
                glyph(buf, x, middle, symbol, theme.style(Role::Bar));
            }
        }
        for y in line.y..line.y + self.body() {
            glyph(buf, line.x, y, "▌", cursor.patch(theme.style(Role::Bar)));
        }
    }

    fn bars(&self, place: usize, y: u16, buf: &mut Buffer, hits: &mut HitMap) {
        let Lines { gantt, axis, .. } = self;
        if let Some(at) = self.state.shown.get(place)
            && let Some(lane) = gantt.lanes.get(*at as usize)
        {
            let (body, styles) = (self.body(), self.styles);
            let tones = (&gantt.tones[..], gantt.unknown);
            gantt::draw(lane, tones, axis, (y, body), styles, buf);
            let titles = match self.high {
                1 => Vec::new(),
                _ => {
                    let title = |at: u32| self.state.table.title_of(at);
                    gantt::titles(gantt, title, *at as usize, axis)
                }
            };
            let muted = self.model.theme.style(Role::Muted);
            for (column, title) in titles {
                let room = axis.columns - column;
                put(buf, axis.left + column, y + body, room, &title, muted);
            }
            let stretch = Rect::new(axis.left, y, axis.columns, self.high);
            hits.add(stretch, Target::TimelineRow(place, 0));
        }
    }
}

/// Whether the theme shows the current row with reversed colours.
fn is_reversed(theme: &Theme) -> bool {
    let cursor = theme.style(Role::Cursor);
    cursor.add_modifier.contains(Modifier::REVERSED)
}

/// Height of a row in lines: few rows are higher, with the names of bars below, and leave room for
/// the legend and the plot of concurrency.
fn height_of_rows(room: u16, rows: usize, colours: usize) -> u16 {
    let left = usize::from(room).saturating_sub(colours + 4 + usize::from(summary::PICTURE.0) + 1);
    match rows {
        MANY.. => 1,
        _ => (left / rows.max(1)).clamp(1, HIGHEST) as u16,
    }
}

/// Draws the last line: the bar under the cursor. Returns the column after it.
fn about(
    model: &Scene<'_>,
    state: &TableState,
    gantt: &Gantt,
    (area, y): (Rect, u16),
    buf: &mut Buffer,
) -> u16 {
    let bar = timeline_row_at_cursor(state)
        .zip(time_at_cursor(model))
        .and_then(|(lane, time)| gantt.at(lane, time));
    let mut x = area.x + 2;
    if let Some(bar) = bar {
        let digits = model.source_names.digits.min(3);
        let clock = |t| times::clock(model).digits(t, digits);
        let what = gantt.colour_name(bar.colour);
        let what = what.map_or(String::new(), |name| format!(" {name}"));
        let took = format_span(bar.end.saturating_sub(bar.start));
        let (from, to) = (clock(bar.start), clock(bar.end));
        let when = match bar.ending {
            Ending::Unfinished if bar.progress == Progress::Waiting => {
                format!("  since {from}, waits {took}…")
            }
            Ending::Unfinished => format!("  since {from}, open {took}…"),
            Ending::Failed => format!("  {from} → failed {to} · {took}"),
            Ending::Lost => format!("  {from} → lost {to} · {took}"),
            Ending::Ended | Ending::Continues => format!("  {from} → {to} · {took}"),
        };
        // A long name is cut at its end; the times are never cut.
        let room = usize::from(area.width.saturating_sub(4)).saturating_sub(width(&when));
        let title = state.table.title_of(bar.instance).unwrap_or_default();
        let name = format!("{title}{what}");
        let text = format!("{}{when}", cut(&name, room));
        let strong = model.theme.style(Role::Text);
        x = put(buf, x, y, area.width, &text, strong) + 3;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_high_and_many_are_not() {
        // Room, rows, colours.
        assert_eq!(height_of_rows(36, 4, 3), 3);
        assert_eq!(height_of_rows(22, 4, 3), 2);
        assert_eq!(height_of_rows(20, 6, 3), 1);
        assert_eq!(height_of_rows(36, 8, 3), 1);
        assert_eq!(height_of_rows(20, 500, 3), 1);
        for rows in 1..60 {
            assert!(
                usize::from(height_of_rows(30, rows, 5)) * rows.min(30) <= 30,
                "{rows}"
            );
        }
    }
}
