//! Cursor positions by selection: returning to a selection restores its cursor and scroll position.

use widetui_session::record_texts::Place;
use widetui_session::selection::SelectionStep;

/// Maximum number of selections remembered.
const MAX_POSITIONS: usize = 64;

/// Cursor position in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CursorPosition {
    /// Record under the cursor.
    pub(crate) place: Place,
    /// Number of rows above the cursor on the screen.
    pub(crate) above: usize,
}

/// Cursor positions by selection, the latest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct CursorMemory {
    /// Steps of the current selection.
    shown: Vec<SelectionStep>,
    /// Record under the cursor when the current selection was shown.
    arrived: Option<Place>,
    known: Vec<(Vec<SelectionStep>, CursorPosition)>,
    /// Number of rows to show above the cursor when a revisited selection is evaluated.
    pub(crate) above: Option<usize>,
}

impl CursorMemory {
    /// Stores the position before the rows on the screen are replaced.
    pub(crate) fn leave(&mut self, spot: Option<CursorPosition>) {
        let Some(spot) = spot else { return };
        self.known.retain(|(steps, _)| *steps != self.shown);
        self.known.push((self.shown.clone(), spot));
        let over = self.known.len().saturating_sub(MAX_POSITIONS);
        self.known.drain(..over);
    }

    /// Stored position of a selection.
    pub(crate) fn of(&self, steps: &[SelectionStep]) -> Option<CursorPosition> {
        let found = self.known.iter().find(|(known, _)| known == steps);
        found.map(|(_, spot)| *spot)
    }

    /// Records that the rows of `steps` are shown and that the program moved the cursor from
    /// `before` to `after`.
    pub(crate) fn arrive(
        &mut self,
        steps: &[SelectionStep],
        before: Option<Place>,
        after: Option<Place>,
    ) {
        if self.shown != steps || self.is_unmoved(before) {
            self.arrived = after;
        }
        if self.shown != steps {
            self.shown = steps.to_vec();
        }
    }

    /// Whether the cursor has not been moved since the current rows were shown; `place` is the
    /// record under the cursor.
    pub(crate) fn is_unmoved(&self, place: Option<Place>) -> bool {
        self.arrived == place
    }
}
