//! Jump list: positions of the cursor before jumps, to go back and forward.

use widetui_core::direction::Direction;
use widetui_session::record_texts::Place;

/// Maximum number of positions.
const MAX_POSITIONS: usize = 100;

/// Positions from which the cursor jumped, the latest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jumps {
    places: Vec<Place>,
    /// Index of the position that the cursor went back to; the number of positions if it did not go
    /// back.
    at: usize,
}

impl Jumps {
    /// Adds the position before a jump, and drops the positions after the current one.
    pub(crate) fn leave(&mut self, here: Place) {
        self.places.truncate(self.at);
        self.places.retain(|place| *place != here);
        self.places.push(here);
        let over = self.places.len().saturating_sub(MAX_POSITIONS);
        self.places.drain(..over);
        self.at = self.places.len();
    }

    /// Next position in `direction` that differs from `here` and for which `there` finds a target;
    /// `None` if there is none.
    pub(crate) fn go<T>(
        &mut self,
        direction: Direction,
        here: Option<Place>,
        there: impl Fn(Place) -> Option<T>,
    ) -> Option<T> {
        // Remember the current position, so that going forward returns to it.
        let is_newest = self.at == self.places.len();
        if let Some(here) = here.filter(|_| is_newest && direction == Direction::Backward) {
            self.leave(here);
            self.at -= 1;
        }
        let is_other = |place: &Place| Some(*place) != here;
        let mut at = self.at;
        loop {
            at = match direction {
                Direction::Backward => at.checked_sub(1)?,
                Direction::Forward => at + 1,
            };
            let place = *self.places.get(at)?;
            if let Some(found) = Some(place).filter(is_other).and_then(&there) {
                self.at = at;
                return Some(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_core::ids::SourceId;

    fn place(offset: u64) -> Place {
        Place {
            source: SourceId(0),
            offset,
        }
    }

    #[test]
    fn one_comes_back_and_forth_over_places_that_are_there() {
        let mut jumps = Jumps::default();
        for from in [1, 2, 3] {
            jumps.leave(place(from));
        }
        let all = |p: Place| Some(p.offset);
        let (back, forth) = (Direction::Backward, Direction::Forward);
        assert_eq!(jumps.go(back, Some(place(4)), all), Some(3));
        assert_eq!(jumps.go(back, Some(place(3)), all), Some(2));
        assert_eq!(jumps.go(forth, Some(place(2)), all), Some(3));
        assert_eq!(jumps.go(forth, Some(place(3)), all), Some(4));
        assert_eq!(jumps.go(forth, Some(place(4)), all), None);
        // What is not selected is passed over, and found again later.
        let some = |p: Place| (p.offset != 3).then_some(p.offset);
        assert_eq!(jumps.go(back, Some(place(4)), some), Some(2));
        assert_eq!(jumps.go(back, Some(place(2)), all), Some(1));
        assert_eq!(jumps.go(back, Some(place(1)), all), None);
        // Another way begins where one is.
        jumps.leave(place(1));
        assert_eq!(jumps.go(forth, Some(place(9)), all), None);
        assert_eq!(jumps.go(back, Some(place(9)), all), Some(1));
    }

    #[test]
    fn no_more_than_some_places_are_kept() {
        let mut jumps = Jumps::default();
        (0..10_000).for_each(|from| jumps.leave(place(from)));
        assert_eq!(jumps.places.len(), MAX_POSITIONS);
    }
}
