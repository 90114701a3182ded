//! Arrows of a sequence diagram, including messages that were not delivered.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::canvas::{glyph, put};
use crate::theme::Theme;
use widetui_analysis::flow::{Arrow, FlowMessage, MessageStatus, kind_of_actor};
use widetui_report::figure::{ArrowClass, Sequence};
use widetui_tables::role::Role;
use widetui_tables::text::{cut, cut_middle, width};

/// Minimum width of an actor, terminal columns; actors without this room are not drawn.
const LEAST: u16 = 6;
/// Width of an actor from which labels are on the arrows, terminal columns; otherwise they are beside the arrows.
const LABELLED: u16 = 18;
/// Maximum distance of adjacent actors, terminal columns.
const MOST: u16 = 44;
/// Maximum width of labels beside the arrows, terminal columns.
const LABEL: u16 = 20;

/// Width of the latency or status after the arrows, terminal columns.
pub(crate) const LATENCY_WIDTH: u16 = 12;

/// Positions of actors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ActorLanes {
    /// First terminal column.
    pub(crate) left: u16,
    /// Columns per actor.
    pub(crate) step: u16,
    /// Columns for labels after the actors; 0 if labels are on the arrows.
    pub(crate) label: u16,
    /// Placed actors from left to right.
    pub(crate) actors: Vec<Option<u32>>,
    /// Number of actors without room.
    pub(crate) hidden: usize,
}

impl ActorLanes {
    /// Places the actors in `room` columns from `left` on; labels are at most `label` columns wide. Without room for all,
    /// the actors of the first `wanted` arrows are placed, in their usual order.
    pub(crate) fn new<'a>(
        sequence: &Sequence,
        label: u16,
        (left, room): (u16, u16),
        wanted: impl Iterator<Item = &'a Arrow>,
    ) -> ActorLanes {
        let room = room.saturating_sub(LATENCY_WIDTH + 1);
        let all = sequence.actors.len().max(1) as u16;
        let (label, room) = match room / all {
            LABELLED.. => (0, room),
            _ => (label.min(LABEL), room.saturating_sub(label.min(LABEL) + 1)),
        };
        let fit = usize::from(room / LEAST).max(1);
        let actors = sequence.chosen(wanted, fit);
        ActorLanes {
            left,
            step: (room / actors.len().max(1) as u16).min(MOST),
            label,
            hidden: sequence.actors.len() - actors.len(),
            actors,
        }
    }

    /// Column after the last actor.
    pub(crate) fn end(&self) -> u16 {
        self.left + self.step * self.actors.len() as u16
    }

    /// Column where the latency or status of an arrow ends.
    pub(crate) fn latency_end(&self) -> u16 {
        let label = if self.label > 0 { self.label + 1 } else { 0 };
        self.end() + label + LATENCY_WIDTH
    }

    /// Column of an actor; `None` if it has no room.
    pub(crate) fn x(&self, actor: Option<u32>) -> Option<u16> {
        let at = self.actors.iter().position(|a| *a == actor)?;
        Some(self.left + self.step * at as u16 + self.step / 2)
    }
}

/// Draws the names of the actors below their kinds; if one row has no room for all names, they
/// alternate between two rows.
pub(crate) fn names(
    sequence: &Sequence,
    lanes: &ActorLanes,
    (y, rows): (u16, u16),
    theme: &Theme,
    buf: &mut Buffer,
) {
    let flow = &sequence.flow;
    let step = usize::from(lanes.step);
    let own = step.saturating_sub(1).max(1);
    let fits = |actor: &Option<u32>| width(flow.actor(*actor)) <= own;
    let by_turns = rows >= 2 && !lanes.actors.iter().all(fits);
    for (at, actor) in lanes.actors.iter().enumerate() {
        let Some(x) = lanes.x(*actor) else { continue };
        let name = flow.actor(*actor);
        let is_high = by_turns && at % 2 == 0;
        // The first name may extend over the column of times.
        let least = match is_high && at == 0 {
            true => lanes.left.saturating_sub(12).max(2),
            false => lanes.left,
        };
        let most = lanes.latency_end().saturating_sub(9);
        let beside = x.saturating_sub(least).min(most.saturating_sub(x));
        let room = match by_turns {
            true => (step * 2)
                .saturating_sub(2)
                .min(2 * usize::from(beside) + 1),
            false => own,
        };
        let mut write = |y: u16, text: &str, role: Role| {
            let text = cut_middle(text, room.max(1));
            let columns = width(&text) as u16;
            let from = x.saturating_sub(columns / 2);
            put(buf, from, y, columns, &text, theme.style(role));
        };
        let bottom = y + rows.saturating_sub(1);
        if is_high {
            write(y, name, Role::Strong);
            glyph(buf, x, bottom, "│", theme.style(Role::Axis));
            continue;
        }
        write(bottom, name, Role::Strong);
        let kind = kind_of_actor(flow, *actor);
        if rows >= 2 && !by_turns && !name.starts_with(kind) && width(kind) <= own {
            write(y, kind, Role::Muted);
        }
    }
}

/// Draws an arrow in row `y`, and the lifelines of all actors.
pub(crate) fn draw(
    sequence: &Sequence,
    lanes: &ActorLanes,
    arrow: &Arrow,
    y: u16,
    theme: &Theme,
    buf: &mut Buffer,
) {
    for actor in &lanes.actors {
        if let Some(x) = lanes.x(*actor) {
            glyph(buf, x, y, "│", theme.style(Role::Axis));
        }
    }
    let Some(message) = sequence.message(arrow) else {
        return;
    };
    let class = Sequence::class(arrow, message);
    let is_lost = class == ArrowClass::Lost;
    let style = match class {
        ArrowClass::Lost => theme.style(Role::BarsError),
        ArrowClass::Answer => theme.style(Role::Muted),
        ArrowClass::Message => theme.tag(1),
    };
    let label = sequence.label(arrow, message);
    if lanes.label > 0 {
        let text = match arrow.is_answer {
            true => "answer",
            false => label,
        };
        let role = if arrow.is_answer {
            Role::Muted
        } else {
            Role::Value
        };
        put(buf, lanes.end(), y, lanes.label, text, theme.style(role));
    }
    let (Some(from), Some(to)) = (lanes.x(arrow.tail), lanes.x(arrow.head)) else {
        let flow = &sequence.flow;
        let text = format!(" {} → {} ", flow.actor(arrow.tail), flow.actor(arrow.head));
        let room = usize::from(lanes.end().saturating_sub(lanes.left));
        let text = cut_middle(&text, room);
        let role = if is_lost {
            Role::ErrorText
        } else {
            Role::Muted
        };
        put(buf, lanes.left, y, room as u16, &text, theme.style(role));
        return;
    };
    let shaft = if arrow.is_answer { "╌" } else { "─" };
    if from == to {
        return draw_to_self(
            lanes,
            (from, y),
            (shaft, is_lost),
            label,
            (style, theme),
            buf,
        );
    }
    let (first, last) = draw_between_actors(arrow, message, (from, to), y, (style, theme), buf);
    if lanes.label == 0 && !label.is_empty() {
        draw_shaft_label(label, (first, last), y, theme, buf);
    }
}

/// Draws an arrow between two actors; returns the first and the last column of its shaft.
fn draw_between_actors(
    arrow: &Arrow,
    message: &FlowMessage,
    (from, to): (u16, u16),
    y: u16,
    (style, theme): (Style, &Theme),
    buf: &mut Buffer,
) -> (u16, u16) {
    let shaft = if arrow.is_answer { "╌" } else { "─" };
    let is_lost = arrow.is_lost(message);
    let is_right = to > from;
    let (low, high) = (from.min(to), from.max(to));
    let (first, last) = (low + 1, high - 1);
    for x in first..=last {
        // The arrow of a lost message is dotted in its second half.
        let is_far = if is_right {
            x - low > high - x
        } else {
            high - x > x - low
        };
        let symbol = if is_lost && is_far { "·" } else { shaft };
        glyph(buf, x, y, symbol, style);
    }
    let start = match (message.status, is_right) {
        // No record of sending exists.
        (MessageStatus::Unsent, _) => "○",
        (_, true) => "├",
        (_, false) => "┤",
    };
    glyph(buf, from, y, start, style);
    let head = match (is_lost, is_right) {
        (true, _) => "×",
        (_, true) => "▶",
        (_, false) => "◀",
    };
    let end = if is_right { last } else { first };
    if !is_lost && message.status == MessageStatus::Unanswered && !arrow.is_answer {
        // The message arrived but was not answered.
        glyph(buf, to, y, "●", theme.style(Role::BarsWarning));
    }
    glyph(buf, end, y, head, style);
    (first, last)
}

/// Draws a label on the shaft of an arrow, if there is room.
fn draw_shaft_label(
    label: &str,
    (first, last): (u16, u16),
    y: u16,
    theme: &Theme,
    buf: &mut Buffer,
) {
    let room = last.saturating_sub(first).saturating_sub(3);
    if room <= 4 {
        return;
    }
    let text = format!(" {} ", cut(label, usize::from(room - 2)));
    let columns = width(&text) as u16;
    let x = first + (last - first + 1).saturating_sub(columns) / 2;
    put(buf, x, y, columns, &text, theme.style(Role::Value));
}

/// Draws an arrow from an actor to itself.
fn draw_to_self(
    lanes: &ActorLanes,
    (x, y): (u16, u16),
    (shaft, is_lost): (&'static str, bool),
    label: &str,
    (style, theme): (Style, &Theme),
    buf: &mut Buffer,
) {
    let head = if is_lost { "×" } else { "◀" };
    for (at, symbol) in (x..).zip(["├", head, shaft, "╯"]) {
        glyph(buf, at, y, symbol, style);
    }
    if lanes.label == 0 {
        let room = (lanes.step / 2).saturating_sub(6);
        let text = cut(label, usize::from(room));
        put(buf, x + 5, y, room, &text, theme.style(Role::Value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use crate::colour::Depth;
    use widetui_analysis::flow::{Actor, Flow, FlowMark};
    use widetui_app::rect::Rect;
    use widetui_core::ids::EventId;

    fn message(from: u32, to: u32, times: [Option<i64>; 4], status: MessageStatus) -> FlowMessage {
        let mark = |at: usize| {
            let event = EventId(at as u32);
            times[at].map(|time| FlowMark { time, event })
        };
        FlowMessage {
            kind: 0,
            id: [0][..].into(),
            sender: Some(from),
            receiver: Some(to),
            label: Some(0),
            sent: mark(0),
            received: mark(1),
            replied: mark(2),
            answered: mark(3),
            status,
        }
    }

    fn sequence(actors: usize, messages: Vec<FlowMessage>) -> Sequence {
        let actor = |at| Actor {
            name: format!("actor {at}"),
            kind: "actor".to_owned(),
        };
        let mut flow = Flow::default();
        flow.messages = messages;
        flow.actors = (0..actors).map(actor).collect();
        flow.labels = vec!["ping".to_owned()];
        flow.kinds = vec!["x".to_owned()];
        let arrows = flow.arrows();
        Sequence::new(flow.into(), arrows)
    }

    fn drawn(sequence: &Sequence, room: u16) -> Vec<String> {
        let theme = Theme::named("dark", Depth::True).unwrap();
        let lanes = ActorLanes::new(sequence, 4, (0, room), sequence.arrows.iter());
        let rows = sequence.arrows.len() as u16;
        let mut buf = Buffer::empty(to_ratatui(Rect::new(0, 0, room, rows)));
        for (y, arrow) in (0..).zip(&sequence.arrows) {
            draw(sequence, &lanes, arrow, y, &theme, &mut buf);
        }
        let line = |y| (0..room).map(|x| buf[(x, y)].symbol()).collect::<String>();
        (0..rows).map(|y| line(y).trim_end().to_owned()).collect()
    }

    #[test]
    fn arrows_point_to_who_receives_and_what_is_lost_has_a_mark() {
        let all = vec![
            message(
                0,
                1,
                [Some(1), Some(2), Some(3), Some(4)],
                MessageStatus::Answered,
            ),
            message(1, 0, [Some(5), None, None, None], MessageStatus::Lost),
            message(
                0,
                1,
                [Some(6), Some(7), None, None],
                MessageStatus::Unanswered,
            ),
            message(1, 0, [None, Some(8), None, None], MessageStatus::Unsent),
            message(
                0,
                1,
                [Some(9), Some(10), Some(11), None],
                MessageStatus::AnswerLost,
            ),
            message(
                0,
                0,
                [Some(12), Some(13), None, None],
                MessageStatus::Received,
            ),
        ];
        let expected = [
            "         ├────── ping ─────▶│",
            "         │◀╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤",
            "         │×····· ping ──────┤",
            "         ├────── ping ─────▶●",
            "         │◀───── ping ──────○",
            "         ├────── ping ─────▶│",
            "         │×········╌╌╌╌╌╌╌╌╌┤",
            "         ├◀─╯ pi…           │",
        ];
        assert_eq!(drawn(&sequence(2, all), 51), expected);
    }

    #[test]
    fn without_room_for_all_actors_those_of_the_first_arrows_are_there() {
        let step = |at: u32| {
            let time = i64::from(at);
            let times = [Some(time), Some(time), None, None];
            message(at, at + 1, times, MessageStatus::Received)
        };
        let sequence = sequence(9, (0..8).map(step).collect());
        let lanes = ActorLanes::new(&sequence, 4, (0, 60), sequence.arrows[6..].iter());
        assert_eq!(lanes.hidden, 2);
        assert_eq!(lanes.actors, [0, 1, 2, 3, 6, 7, 8].map(Some));
        assert!(lanes.latency_end() <= 60);
        // There is room for labels beside the arrows only; of who is not there the names are told.
        let lines = drawn(&sequence, 60);
        assert_eq!(lines[0], "   ├────▶│     │     │     │     │     │  ping");
        assert!(lines[7].contains("actor 7 → actor 8"), "{}", lines[7]);
    }
}
