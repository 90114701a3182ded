//! Sequence diagram: messages as arrows between actors, one below the other, including lost ones.

use widetui_analysis::flow::{Arrow, FlowMessage, group_by_kind};
use widetui_session::plots::Messages;

use crate::text::width;

/// Arrows and their actors.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// Messages.
    pub messages: Messages,
    /// Arrows, in the order of the table's rows.
    pub arrows: Vec<Arrow>,
    /// Senders and receivers, those of one kind side by side; `None` is the unknown actor.
    pub actors: Vec<Option<u32>>,
    /// Width of the longest label, terminal columns.
    pub label: u16,
}

/// Minimum width of an actor, terminal columns; actors without this room are not drawn.
const LEAST: u16 = 6;
/// Width of an actor from which labels are on the arrows, terminal columns; otherwise they are beside the arrows.
const LABELLED: u16 = 18;
/// Maximum distance of adjacent actors, terminal columns.
const MOST: u16 = 44;
/// Maximum width of labels beside the arrows, terminal columns.
const LABEL: u16 = 20;

/// Width of the latency or status after the arrows, terminal columns.
pub const LATENCY_WIDTH: u16 = 12;

impl Sequence {
    /// Builds a diagram; `arrows` are in time order.
    pub fn new(of: Messages, arrows: Vec<Arrow>) -> Sequence {
        let mut actors: Vec<Option<u32>> = Vec::new();
        let mut is_known = rustc_hash::FxHashSet::default();
        for actor in arrows.iter().flat_map(|a| [a.tail, a.head]) {
            if is_known.insert(actor) {
                actors.push(actor);
            }
        }
        group_by_kind(&of.flow, &mut actors);
        let label = of.flow.labels.iter().map(|l| width(l)).max().unwrap_or(0);
        Sequence {
            messages: of,
            arrows,
            actors,
            label: label.min(usize::from(LABEL)) as u16,
        }
    }

    /// Places the actors in `room` columns from `left` on. Without room for all, the actors of the first `wanted`
    /// arrows are placed, in their usual order.
    pub fn lanes<'a>(
        &self,
        (left, room): (u16, u16),
        wanted: impl Iterator<Item = &'a Arrow>,
    ) -> ActorLanes {
        let room = room.saturating_sub(LATENCY_WIDTH + 1);
        let all = self.actors.len().max(1) as u16;
        let step = room / all;
        let (label, room) = match step {
            LABELLED.. => (0, room),
            _ => (self.label, room.saturating_sub(self.label + 1)),
        };
        let fit = usize::from(room / LEAST).max(1);
        let mut actors = self.actors.clone();
        if actors.len() > fit {
            let mut chosen: Vec<Option<u32>> = Vec::new();
            for actor in wanted.flat_map(|a| [a.tail, a.head]) {
                if chosen.len() < fit && !chosen.contains(&actor) {
                    chosen.push(actor);
                }
            }
            for actor in &self.actors {
                if chosen.len() < fit && !chosen.contains(actor) {
                    chosen.push(*actor);
                }
            }
            actors.retain(|a| chosen.contains(a));
        }
        let step = (room / actors.len().max(1) as u16).min(MOST);
        ActorLanes {
            left,
            step,
            label,
            hidden: self.actors.len() - actors.len(),
            actors,
        }
    }

    /// Message of an arrow.
    pub fn message(&self, arrow: &Arrow) -> Option<&FlowMessage> {
        self.messages.get(arrow.message)
    }
}

/// Positions of actors.
#[derive(Clone, Debug, PartialEq)]
pub struct ActorLanes {
    /// First terminal column.
    pub left: u16,
    /// Columns per actor.
    pub step: u16,
    /// Columns for labels after the actors; 0 if labels are on the arrows.
    pub label: u16,
    /// Placed actors from left to right.
    pub actors: Vec<Option<u32>>,
    /// Number of actors without room.
    pub hidden: usize,
}

impl ActorLanes {
    /// Column after the last actor.
    pub fn end(&self) -> u16 {
        self.left + self.step * self.actors.len() as u16
    }

    /// Column where the latency or status of an arrow ends.
    pub fn latency_end(&self) -> u16 {
        let label = if self.label > 0 { self.label + 1 } else { 0 };
        self.end() + label + LATENCY_WIDTH
    }

    /// Column of an actor; `None` if it has no room.
    pub fn x(&self, actor: Option<u32>) -> Option<u16> {
        let at = self.actors.iter().position(|a| *a == actor)?;
        Some(self.left + self.step * at as u16 + self.step / 2)
    }
}
