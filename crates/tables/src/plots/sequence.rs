//! Arrows between actors, one below the other: who told whom what, and what never arrived.

use widetui_analysis::flow::{Arrow, FlowMessage};
use widetui_session::plots::Messages;

use crate::text::width;

/// Arrows, and who sends and receives.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The messages.
    pub of: Messages,
    /// In the order of the rows of the table that belongs to it.
    pub arrows: Vec<Arrow>,
    /// Who sends and receives, in the order of their first arrow; `None` stands for whom nobody names.
    pub actors: Vec<Option<u32>>,
    /// Columns that the longest label wants.
    pub label: u16,
}

/// With fewer columns for each actor not all of them are drawn.
const LEAST: u16 = 6;
/// From so many columns on labels stand on the arrows, else beside them.
const LABELLED: u16 = 18;
/// An arrow gets no longer than this between neighbours.
const MOST: u16 = 44;
/// Columns of labels beside the arrows, at most.
const LABEL: u16 = 20;

/// Columns behind the arrows that say after how long, or what became of a message.
pub const AFTER: u16 = 12;

impl Sequence {
    /// Of arrows by time.
    pub fn new(of: Messages, arrows: Vec<Arrow>) -> Sequence {
        let mut actors: Vec<Option<u32>> = Vec::new();
        let mut is_known = rustc_hash::FxHashSet::default();
        for actor in arrows.iter().flat_map(|a| [a.tail, a.head]) {
            if is_known.insert(actor) {
                actors.push(actor);
            }
        }
        let label = of.flow.labels.iter().map(|l| width(l)).max().unwrap_or(0);
        Sequence {
            of,
            arrows,
            actors,
            label: label.min(usize::from(LABEL)) as u16,
        }
    }

    /// Where the actors stand in `room` columns from `left` on. Without room for all, those of the first of `wanted` arrows
    /// are there, in the same order as all.
    pub fn lanes<'a>(
        &self,
        (left, room): (u16, u16),
        wanted: impl Iterator<Item = &'a Arrow>,
    ) -> ActorLanes {
        let room = room.saturating_sub(AFTER + 1);
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
            left_out: self.actors.len() - actors.len(),
            actors,
        }
    }

    /// The message of an arrow.
    pub fn message(&self, arrow: &Arrow) -> Option<&FlowMessage> {
        self.of.get(arrow.message)
    }
}

/// Where actors stand.
#[derive(Clone, Debug, PartialEq)]
pub struct ActorLanes {
    /// The first column.
    pub left: u16,
    /// Columns for each.
    pub step: u16,
    /// Columns for labels behind them; 0: they stand on the arrows.
    pub label: u16,
    /// From left to right.
    pub actors: Vec<Option<u32>>,
    /// How many have no room.
    pub left_out: usize,
}

impl ActorLanes {
    /// The column behind them.
    pub fn end(&self) -> u16 {
        self.left + self.step * self.actors.len() as u16
    }

    /// The column where what is said of an arrow ends: how long it took.
    pub fn after(&self) -> u16 {
        let label = if self.label > 0 { self.label + 1 } else { 0 };
        self.end() + label + AFTER
    }

    /// The column of an actor.
    pub fn x(&self, actor: Option<u32>) -> Option<u16> {
        let at = self.actors.iter().position(|a| *a == actor)?;
        Some(self.left + self.step * at as u16 + self.step / 2)
    }
}
