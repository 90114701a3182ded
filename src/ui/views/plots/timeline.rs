//! The rows of a timeline.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::analysis::timeline::Ending;
use crate::base::time::{format_clock, format_span};
use crate::ui::hit::{HitMap, Target};
use crate::ui::model::Model;
use crate::ui::plots::Looks;
use crate::ui::plots::gantt::{self, Gantt};
use crate::ui::table::TableState;
use crate::ui::text::{cut, glyph, put, put_right};
use crate::ui::theme::Role;
use crate::ui::views::{mark_row, table, times};

use super::{axis_of, below, gantt_of, lane_of, moment};

/// Draws the rows of a timeline, with the axis above them and the bar under the cursor below.
pub(in crate::ui::views) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let area = area.intersection(buf.area);
    let (Some((state, gantt)), Some(axis)) = (gantt_of(model), axis_of(model)) else {
        return table::draw(model, area, buf, hits);
    };
    if state.is_empty() || area.height < 3 {
        return table::draw(model, area, buf, hits);
    }
    let looks = Looks::new(&model.theme, model.drawing());
    below(model, &axis, area.y, buf);
    for column in 0..axis.columns {
        let stretch = Rect::new(axis.left + column, area.y, 1, 1);
        hits.add(stretch, Target::Stretch(usize::from(column)));
    }
    let muted = model.theme.style(Role::Muted);
    put_right(buf, area.x, area.right() - 1, area.y, "busy", muted);
    let now = moment(model).filter(|t| axis.contains(*t));
    let last = area.bottom() - 1;
    let cursor = model.theme.style(Role::Cursor);
    let is_reversed = cursor.add_modifier.contains(Modifier::REVERSED);
    for (y, place) in (area.y + 1..last).zip(state.list.top..state.len()) {
        let Some(row) = state.row(place) else { break };
        let line = Rect::new(area.x, y, area.width, 1);
        hits.add(line, Target::TableRow(place));
        let is_current = place == state.list.cursor;
        let role = if is_current {
            Role::Strong
        } else {
            Role::Muted
        };
        if let Some(time) = now {
            let x = axis.left + axis.column_of(time);
            glyph(buf, x, y, "┆", model.theme.style(Role::Axis));
        }
        if is_current {
            // Reversed bars could not be seen: only the name is marked there.
            let marked = match is_reversed {
                true => Rect::new(line.x, y, axis.left.saturating_sub(line.x + 1), 1),
                false => line,
            };
            mark_row(buf, marked, model.theme.style(Role::Cursor));
            let bar = model.theme.style(Role::Cursor);
            glyph(buf, line.x, y, "▌", bar.patch(model.theme.style(Role::Bar)));
        }
        let ground = match is_current {
            true => model.theme.style(Role::Cursor),
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
            ground.patch(model.theme.style(role)),
        );
        if let Some(at) = state.shown.get(place)
            && let Some(lane) = gantt.lanes.get(*at as usize)
        {
            gantt::draw(lane, gantt.unknown, &axis, y, looks, buf);
            let stretch = Rect::new(axis.left, y, axis.columns, 1);
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
    about(model, state, gantt, (area, last), looks, buf);
}

/// The last line: the bar under the cursor, and what colours stand for.
fn about(
    model: &Model,
    state: &TableState,
    gantt: &Gantt,
    (area, y): (Rect, u16),
    looks: Looks<'_>,
    buf: &mut Buffer,
) {
    let bar = lane_of(state)
        .zip(moment(model))
        .and_then(|(lane, time)| gantt.at(lane, time));
    let mut x = area.x + 2;
    if let Some(bar) = bar {
        let clock = |t| format_clock(t, times::offset(model, t), model.digits.min(3));
        let what = gantt.legend.get(usize::from(bar.colour));
        let what = what.map_or(String::new(), |(name, _)| format!(" {name}"));
        let took = format_span(bar.end.saturating_sub(bar.start));
        let when = match bar.ending {
            Ending::Open => format!("  since {}, open {took}…", clock(bar.start)),
            Ending::Lost => format!("  {} → lost {} · {took}", clock(bar.start), clock(bar.end)),
            Ending::Ended | Ending::Changes => {
                format!("  {} → {} · {took}", clock(bar.start), clock(bar.end))
            }
        };
        let room = usize::from(area.width) * 3 / 5;
        let strong = model.theme.style(Role::Text);
        let title = gantt.title(bar).unwrap_or_default();
        let text = format!("{title}{what}{when}");
        let text = cut(&text, room).into_owned();
        x = put(buf, x, y, area.width, &text, strong) + 3;
    }
    let legend = (&gantt.legend[..], gantt.unknown);
    gantt::draw_legend(legend, (x, area.right() - 1, y), looks, buf);
}
