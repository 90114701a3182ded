//! The rows of a timeline.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::analysis::timeline::Ending;
use crate::base::time::format_span;
use crate::ui::hit::{HitMap, Target};
use crate::ui::model::Model;
use crate::ui::plots::Looks;
use crate::ui::plots::gantt::{self, Gantt};
use crate::ui::table::TableState;
use crate::ui::text::{cut, glyph, put, put_right, width};
use crate::ui::theme::Role;
use crate::ui::views::{mark_row, table, times};

use super::{axis_of, below, gantt_of, lane_of, moment, summary};

/// Lines of a row at most.
const HIGHEST: usize = 5;

/// Draws the rows of a timeline, with the axis above them and the bar under the cursor below.
pub(in crate::ui::views) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let area = area.intersection(buf.area);
    let (Some((state, gantt)), Some(axis)) = (gantt_of(model), axis_of(model)) else {
        return table::draw(model, area, buf, hits);
    };
    if state.is_empty() || area.height < 3 {
        return table::draw(model, area, buf, hits);
    }
    let looks = Looks::new(&model.screen.theme, model.screen.drawing());
    below(model, &axis, area.y, buf);
    for column in 0..axis.columns {
        let stretch = Rect::new(axis.left + column, area.y, 1, 1);
        hits.add(stretch, Target::Stretch(usize::from(column)));
    }
    let muted = model.screen.theme.style(Role::Muted);
    if gantt.has_busy {
        put_right(buf, area.x, area.right() - 1, area.y, "busy", muted);
    }
    let now = moment(model).filter(|t| axis.contains(*t));
    let last = area.bottom() - 1;
    let cursor = model.screen.theme.style(Role::Cursor);
    let is_reversed = cursor.add_modifier.contains(Modifier::REVERSED);
    let high = height_of_rows(last - area.y - 1, state.len(), gantt.legend.len());
    // Lines of the bars themselves; the one below them has their names.
    let body = if high > 1 { high - 1 } else { 1 };
    let starts = (area.y + 1..last).step_by(usize::from(high));
    for (y, place) in starts.zip(state.list.top..state.len()) {
        let Some(row) = state.row(place) else { break };
        let line = Rect::new(area.x, y, area.width, high).intersection(area);
        hits.add(line, Target::TableRow(place));
        let is_current = place == state.list.cursor;
        let role = if is_current {
            Role::Strong
        } else {
            Role::Muted
        };
        if let Some(time) = now {
            let x = axis.left + axis.column_of(time);
            for y in y..y + high {
                glyph(buf, x, y, "┆", model.screen.theme.style(Role::Axis));
            }
        }
        if is_current {
            // Reversed bars could not be seen: only the name is marked there.
            let marked = match is_reversed {
                true => Rect::new(line.x, y, axis.left.saturating_sub(line.x + 1), 1),
                false => Rect {
                    height: body,
                    ..line
                },
            };
            mark_row(buf, marked, model.screen.theme.style(Role::Cursor));
            let bar = model.screen.theme.style(Role::Cursor);
            for y in y..y + body {
                glyph(
                    buf,
                    line.x,
                    y,
                    "▌",
                    bar.patch(model.screen.theme.style(Role::Bar)),
                );
            }
        }
        let ground = match is_current {
            true => model.screen.theme.style(Role::Cursor),
            false => Style::default(),
        };
        let name = row.cells.first().map_or(String::new(), |c| c.text());
        let room = usize::from(axis.left.saturating_sub(3));
        let name = crate::ui::text::cut_middle(&name, room);
        put(
            buf,
            area.x + 2,
            y,
            axis.left - 3,
            &name,
            ground.patch(model.screen.theme.style(role)),
        );
        if let Some(at) = state.shown.get(place)
            && let Some(lane) = gantt.lanes.get(*at as usize)
        {
            let tones = (&gantt.tones[..], gantt.unknown);
            gantt::draw(lane, tones, &axis, (y, body), looks, buf);
            if high > 1 {
                gantt::draw_titles(gantt, *at as usize, &axis, y + body, looks, buf);
            }
            let stretch = Rect::new(axis.left, y, axis.columns, high);
            hits.add(stretch, Target::Lane(place, 0));
        }
        let busy = row.cells.get(1).map_or(String::new(), |c| c.text());
        put_right(
            buf,
            axis.left,
            area.right() - 1,
            y,
            &busy,
            if is_reversed {
                muted
            } else {
                ground.patch(muted)
            },
        );
    }
    let rows = (state.len() - state.list.top.min(state.len())) as u16;
    let end = (area.y + 1)
        .saturating_add(rows.saturating_mul(high))
        .saturating_add(1);
    let rest = Rect::new(area.x, end, area.width, last.saturating_sub(end));
    let is_told = summary::draw(model, gantt, rest, looks, buf);
    let x = about(model, state, gantt, (area, last), buf);
    // What the table above says of the colours needs not be said twice.
    if !is_told {
        let lanes = (state.list.top..state.len()).take(usize::from(area.height / high));
        let lanes: Vec<usize> = lanes
            .filter_map(|place| state.shown.get(place).map(|at| *at as usize))
            .collect();
        let order = gantt::legend_order(gantt, &lanes, &axis);
        gantt::draw_legend((gantt, &order), (x, area.right() - 1, last), looks, buf);
    }
}

/// Lines of a row: few rows are higher, with the names of their bars below them, and leave room for what the colours say.
fn height_of_rows(room: u16, rows: usize, colours: usize) -> u16 {
    let room = usize::from(room);
    let fits = |room: usize| room / rows.max(1);
    let high = match fits(room.saturating_sub(colours + 4)) {
        0..2 => fits(room).min(2),
        high => high,
    };
    high.clamp(1, HIGHEST) as u16
}

/// The last line: the bar under the cursor. Gives the column behind it.
fn about(
    model: &Model,
    state: &TableState,
    gantt: &Gantt,
    (area, y): (Rect, u16),
    buf: &mut Buffer,
) -> u16 {
    let bar = lane_of(state)
        .zip(moment(model))
        .and_then(|(lane, time)| gantt.at(lane, time));
    let mut x = area.x + 2;
    if let Some(bar) = bar {
        let digits = model.naming.digits.min(3);
        let clock = |t| times::clock(model).digits(t, digits);
        let what = gantt.legend.get(usize::from(bar.colour));
        let what = what.filter(|_| gantt.unknown != Some(bar.colour));
        let what = what.map_or(String::new(), |(name, _)| format!(" {name}"));
        let took = format_span(bar.end.saturating_sub(bar.start));
        let when = match bar.ending {
            Ending::Open => format!("  since {}, open {took}…", clock(bar.start)),
            Ending::Lost => format!("  {} → lost {} · {took}", clock(bar.start), clock(bar.end)),
            Ending::Ended | Ending::Changes => {
                format!("  {} → {} · {took}", clock(bar.start), clock(bar.end))
            }
        };
        // Of a long name the end gives way, never the times.
        let room = usize::from(area.width.saturating_sub(4)).saturating_sub(width(&when));
        let title = gantt.title(bar).unwrap_or_default();
        let name = format!("{title}{what}");
        let text = format!("{}{when}", cut(&name, room));
        let strong = model.screen.theme.style(Role::Text);
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
        assert_eq!(height_of_rows(36, 4, 3), 5);
        assert_eq!(height_of_rows(20, 4, 3), 3);
        assert_eq!(height_of_rows(20, 9, 3), 2);
        assert_eq!(height_of_rows(20, 11, 3), 1);
        assert_eq!(height_of_rows(20, 500, 3), 1);
        for rows in 1..60 {
            assert!(
                usize::from(height_of_rows(30, rows, 5)) * rows.min(30) <= 30,
                "{rows}"
            );
        }
    }
}
