//! Sequence diagram of messages: actors side by side, time downwards, one arrow per row.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{area_of, glyph, put, put_right};
use crate::plots::sequence::{self, ActorLanes, LATENCY_WIDTH};
use widetui_analysis::flow::{Arrow, MessageStatus};
use widetui_app::hit::{HitMap, Target};
use widetui_report::figure::Sequence;
use widetui_tables::answers::status_of;
use widetui_tables::role::Role;
use widetui_tables::table::TableState;
use widetui_tables::text::{cut, width};
use widetui_time::time::format_span;

use widetui_app::times;
use widetui_app::view_plots::{name_rows, sequence_of};

/// Columns before the times: cursor bar, and the sign of the reply to the current message or vice
/// versa.
const MARGIN: u16 = 2;

/// Column of the labels of messages.
const MESSAGE: usize = 3;

fn arrow_at<'a>(state: &TableState, sequence: &'a Sequence, place: usize) -> Option<&'a Arrow> {
    sequence.arrows.get(*state.shown.get(place)? as usize)
}

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let area = area.intersection(area_of(buf));
    let Some((state, sequence)) = sequence_of(model) else {
        return super::table::draw(model, area, buf, hits);
    };
    if state.is_empty() || area.height < 4 {
        return super::table::draw(model, area, buf, hits);
    }
    hits.add(area, Target::List);
    let stamp = times::TimeColumn::new(model, area.width);
    let gap = if stamp.width > 0 { 2 } else { 0 };
    let left = area.x + MARGIN + stamp.width + gap;
    let room = area.right().saturating_sub(left + 1);
    let head = name_rows(area.height);
    let last = area.bottom() - 1;
    let shown = state.list.top..state.len();
    let on_screen = shown.clone().take(usize::from(last - area.y - head));
    let arrow = |place| arrow_at(state, sequence, place);
    let current = arrow(state.list.cursor);
    let wanted = current.into_iter().chain(on_screen.filter_map(arrow));
    let label = state.table.natural_width(MESSAGE);
    let lanes = ActorLanes::new(sequence, label, (left, room), wanted);
    let names = Rect::new(area.x, area.y, area.width, head);
    heading(model, state, sequence, &lanes, names, buf);
    for (y, place) in (area.y + head..last).zip(shown) {
        let Some(arrow) = arrow(place) else { break };
        let line = Rect::new(area.x, y, area.width, 1);
        hits.add(line, Target::TableRow(place));
        let is_current = place == state.list.cursor;
        let time = stamp.text(model, Some(arrow.time()));
        let style = model.theme.style(Role::Time);
        put(buf, area.x + MARGIN, y, stamp.width, &time, style);
        sequence::draw(sequence, &lanes, arrow, y, model.theme, buf);
        after(model, sequence, &lanes, arrow, y, buf);
        if is_current {
            super::mark_cursor(model, line, buf);
        }
        if state.search.match_number(place).is_some() {
            super::search_hits::mark(model, state.search.matcher.as_ref(), line, buf);
        }
        if !is_current && current.is_some_and(|c| c.message == arrow.message) {
            // The message under the cursor, or its reply.
            glyph(buf, line.x, y, "●", model.theme.style(Role::Mark));
        }
    }
    if let Some(arrow) = current {
        about(model, sequence, arrow, (area, last), buf);
    }
}

/// Names of the actors; on the left the order of the rows, unless it is by time.
fn heading(
    model: &Scene<'_>,
    state: &TableState,
    sequence: &Sequence,
    lanes: &ActorLanes,
    area: Rect,
    buf: &mut Buffer,
) {
    let muted = model.theme.style(Role::Muted);
    let sorted = state.sort.and_then(|sort| {
        let title = &state.table.columns.get(sort.column)?.title;
        let arrow = if sort.is_descending { "↓" } else { "↑" };
        Some(format!("{title}{arrow}"))
    });
    let y = area.bottom() - 1;
    let (text, role) = match &sorted {
        Some(text) => (text.as_str(), Role::Strong),
        None => ("time", Role::Muted),
    };
    let room = lanes.left.saturating_sub(area.x + MARGIN + 1);
    put(buf, area.x + MARGIN, y, room, text, model.theme.style(role));
    sequence::names(sequence, lanes, (area.y, area.height), model.theme, buf);
    put_right(buf, lanes.end(), lanes.latency_end(), y, "after", muted);
    if lanes.hidden > 0 {
        let text = match lanes.hidden {
            1 => "1 more".to_owned(),
            n => format!("{n} more"),
        };
        put_right(buf, lanes.end(), lanes.latency_end(), area.y, &text, muted);
    }
}

/// Label after an arrow: latency of the message, or why it was not delivered.
fn after(
    model: &Scene<'_>,
    sequence: &Sequence,
    lanes: &ActorLanes,
    arrow: &Arrow,
    y: u16,
    buf: &mut Buffer,
) {
    let Some(message) = sequence.message(arrow) else {
        return;
    };
    let (status, role) = status_of(message);
    let took = match arrow.is_answer {
        true => message.round_trip(),
        false => message.latency(),
    };
    let is_odd = match arrow.is_answer {
        true => message.status == MessageStatus::AnswerLost,
        false => message.status.has_missing_step() && message.status != MessageStatus::AnswerLost,
    };
    let (text, role) = match (is_odd, took) {
        (true, _) => (status, role),
        (false, Some(took)) => (format_span(took), Role::Delta),
        (false, None) => ("–".to_owned(), Role::Faint),
    };
    let style = model.theme.style(role);
    let end = lanes.latency_end();
    put_right(buf, end.saturating_sub(LATENCY_WIDTH), end, y, &text, style);
}

/// Draws the last line: message under the cursor, and the legend of lines.
fn about(
    model: &Scene<'_>,
    sequence: &Sequence,
    arrow: &Arrow,
    (area, y): (Rect, u16),
    buf: &mut Buffer,
) {
    let Some(message) = sequence.message(arrow) else {
        return;
    };
    let clock = |t: i64| times::clock(model).digits(t, model.source_names.digits.min(3));
    let flow = &sequence.flow;
    let (status, role) = status_of(message);
    let found = model.table();
    let found = found.and_then(|state| state.table.messages.as_ref());
    let title = found.map(|found| found.title(message));
    let mut told = format!(
        "  {} → {}  {}",
        flow.actor(message.sender),
        flow.actor(message.receiver),
        title.unwrap_or_default()
    );
    for (word, mark) in [
        ("sent", message.sent),
        ("received", message.received),
        ("answered", message.answered),
    ] {
        if let Some(mark) = mark {
            let since = message.sent.map(|s| mark.time.saturating_sub(s.time));
            match since.filter(|_| word != "sent") {
                Some(since) => told.push_str(&format!(" · {word} after {}", format_span(since))),
                None => told.push_str(&format!(" · {word} {}", clock(mark.time))),
            }
        }
    }
    let style = model.theme.style(role);
    let x = put(buf, area.x + MARGIN, y, area.width, &status, style);
    let room = usize::from(area.right().saturating_sub(x + 1));
    let text = cut(&told, room);
    let x = put(buf, x, y, room as u16, &text, model.theme.style(Role::Text));
    let legend = "─▶ message   ╌▶ answer   ─× lost";
    if usize::from(area.right().saturating_sub(x + 4)) > width(legend) {
        let style = model.theme.style(Role::Muted);
        put_right(buf, x, area.right() - 1, y, legend, style);
    }
}
