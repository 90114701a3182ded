//! Sequence diagram: messages as arrows between actors, one below the other, including lost ones.

use std::sync::Arc;

use widetui_analysis::flow::{Arrow, Flow, FlowMessage, group_by_kind};

/// Arrows and their actors.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Messages.
    pub flow: Arc<Flow>,
    /// Arrows, in the order of the table's rows.
    pub arrows: Vec<Arrow>,
    /// Senders and receivers, those of one kind side by side; `None` is the unknown actor.
    pub actors: Vec<Option<u32>>,
}

impl PartialEq for Sequence {
    fn eq(&self, other: &Sequence) -> bool {
        Arc::ptr_eq(&self.flow, &other.flow) && self.arrows == other.arrows
    }
}

/// Meaning of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowClass {
    /// Message.
    Message,
    /// Answer.
    Answer,
    /// Message or answer that never arrived.
    Lost,
}

impl Sequence {
    /// Builds a diagram; `arrows` are in time order.
    pub fn new(flow: Arc<Flow>, arrows: Vec<Arrow>) -> Sequence {
        let mut actors: Vec<Option<u32>> = Vec::new();
        let mut is_known = rustc_hash::FxHashSet::default();
        for actor in arrows.iter().flat_map(|a| [a.tail, a.head]) {
            if is_known.insert(actor) {
                actors.push(actor);
            }
        }
        group_by_kind(&flow, &mut actors);
        Sequence {
            flow,
            arrows,
            actors,
        }
    }

    /// Time from the first to the last end of an arrow, UTC ns; `None` without arrows.
    pub fn range(&self) -> Option<(i64, i64)> {
        let ends = { self.arrows.iter() }.flat_map(|a| [a.leaves, a.arrives]);
        let times = ends.flatten();
        Some((times.clone().min()?, times.max()?))
    }

    /// Actors of these arrows, at most `most`, in their usual order: those of the first arrows, then others.
    pub fn chosen<'a>(
        &self,
        arrows: impl Iterator<Item = &'a Arrow>,
        most: usize,
    ) -> Vec<Option<u32>> {
        let mut chosen: Vec<Option<u32>> = Vec::new();
        let own = arrows.flat_map(|a| [a.tail, a.head]);
        for actor in own.chain(self.actors.iter().copied()) {
            if chosen.len() >= most {
                break;
            }
            if !chosen.contains(&actor) {
                chosen.push(actor);
            }
        }
        let placed = self.actors.iter().filter(|a| chosen.contains(a));
        placed.copied().collect()
    }

    /// Message of an arrow.
    pub fn message(&self, arrow: &Arrow) -> Option<&FlowMessage> {
        self.flow.messages.get(arrow.message as usize)
    }

    /// Meaning of an arrow of a message.
    pub fn class(arrow: &Arrow, message: &FlowMessage) -> ArrowClass {
        match (arrow.is_lost(message), arrow.is_answer) {
            (true, _) => ArrowClass::Lost,
            (false, true) => ArrowClass::Answer,
            (false, false) => ArrowClass::Message,
        }
    }

    /// Label of an arrow; an answer has none.
    pub fn label(&self, arrow: &Arrow, message: &FlowMessage) -> &str {
        match arrow.is_answer {
            true => "",
            false => self.flow.label(message),
        }
    }
}
