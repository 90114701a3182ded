//! Where the cursor of the records was before it jumped: back to there, and forth again.

use widetui_core::direction::Direction;
use widetui_session::record_texts::Place;

/// Places that are kept.
const MOST: usize = 100;

/// The places from which one jumped, the latest last.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    places: Vec<Place>,
    /// Which of them one has gone back to; their number when to none.
    at: usize,
}

impl Jumps {
    /// One is about to jump from here. What one had gone back from is no way forth any more.
    pub fn leave(&mut self, here: Place) {
        self.places.truncate(self.at);
        self.places.retain(|place| *place != here);
        self.places.push(here);
        let over = self.places.len().saturating_sub(MOST);
        self.places.drain(..over);
        self.at = self.places.len();
    }

    /// The next place in a direction, from here, that is `there` now; `None` when there is none.
    pub fn go<T>(
        &mut self,
        direction: Direction,
        here: Option<Place>,
        there: impl Fn(Place) -> Option<T>,
    ) -> Option<T> {
        // From the newest place one comes back to it.
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
        assert_eq!(jumps.places.len(), MOST);
    }
}
