//! Where the cursor was in each selection: who comes back to one finds the list as it was left.

use widetui_session::record_texts::Place;
use widetui_session::selection::SelectionStep;

/// Selections whose places are kept.
const MOST: usize = 64;

/// A place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The record under the cursor.
    pub place: Place,
    /// Rows above it on the screen.
    pub above: usize,
}

/// The places of selections, the latest last.
#[derive(Clone, Debug, Default)]
pub struct Spots {
    /// The steps whose rows are on the screen.
    shown: Vec<SelectionStep>,
    /// The record on which the cursor came to stand when they were shown.
    arrived: Option<Place>,
    known: Vec<(Vec<SelectionStep>, Spot)>,
    /// Rows to be above the cursor once the rows of a selection are there that was left before.
    pub above: Option<usize>,
}

impl Spots {
    /// The rows on the screen are about to be others.
    pub fn leave(&mut self, spot: Option<Spot>) {
        let Some(spot) = spot else { return };
        self.known.retain(|(steps, _)| *steps != self.shown);
        self.known.push((self.shown.clone(), spot));
        let over = self.known.len().saturating_sub(MOST);
        self.known.drain(..over);
    }

    /// Where the cursor was when a selection was left.
    pub fn of(&self, steps: &[SelectionStep]) -> Option<Spot> {
        let found = self.known.iter().find(|(known, _)| known == steps);
        found.map(|(_, spot)| *spot)
    }

    /// The rows of these steps are shown, and the cursor went from one record to another without being moved.
    pub fn arrive(&mut self, steps: &[SelectionStep], before: Option<Place>, after: Option<Place>) {
        if self.shown != steps || self.is_at_rest(before) {
            self.arrived = after;
        }
        if self.shown != steps {
            self.shown = steps.to_vec();
        }
    }

    /// Whether nobody moved the cursor, which is on this record, since these rows are shown.
    pub fn is_at_rest(&self, place: Option<Place>) -> bool {
        self.arrived == place
    }
}
