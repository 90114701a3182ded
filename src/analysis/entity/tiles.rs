//! A map from pairs of small numbers to numbers that are counted up, for pairs that lie near each other: values of ids are
//! mostly counted up, and so are the numbers that come before them.
//!
//! The plane of all pairs is cut into tiles. Of those that hold something each is found by one look-up, and who asks for a pair
//! mostly asked for one of the same tile before.

use rustc_hash::FxHashMap;

/// So many bits of either number say where in its tile a pair lies.
const BITS: u32 = 2;

/// Pairs in a tile: as many as fit in what a processor reads at once.
const PAIRS: usize = 1 << (2 * BITS);

/// Nothing.
const EMPTY: u32 = u32::MAX;

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Tiles {
    /// By tile, its place among those that hold something.
    places: FxHashMap<u64, u32>,
    tiles: Vec<[u32; PAIRS]>,
    /// The tile that was asked for last.
    last: Option<(u64, u32)>,
}

/// The tile of a pair, and where in it the pair lies.
#[inline]
fn tile(from: u32, code: u32) -> (u64, usize) {
    let low = (1 << BITS) - 1;
    let tile = u64::from(from >> BITS) << 32 | u64::from(code >> BITS);
    (tile, ((from & low) << BITS | code & low) as usize)
}

impl Tiles {
    /// The number of a pair; a new one gets `next`.
    #[inline]
    pub fn number(&mut self, from: u32, code: u32, next: u32) -> u32 {
        let (tile, at) = tile(from, code);
        let place = match self.last {
            Some((last, place)) if last == tile => place,
            _ => self.place(tile),
        };
        let number = &mut self.tiles[place as usize][at];
        if *number == EMPTY {
            *number = next;
        }
        *number
    }

    /// The place of a tile, made where there is none.
    fn place(&mut self, tile: u64) -> u32 {
        let new = self.tiles.len() as u32;
        let place = *self.places.entry(tile).or_insert(new);
        if place == new {
            self.tiles.push([EMPTY; PAIRS]);
        }
        self.last = Some((tile, place));
        place
    }

    /// The number of a pair that has one.
    pub fn find(&self, from: u32, code: u32) -> Option<u32> {
        let (tile, at) = tile(from, code);
        let place = self.places.get(&tile)?;
        let number = self.tiles[*place as usize][at];
        (number != EMPTY).then_some(number)
    }

    /// Forgets all numbers, and keeps the memory.
    pub fn clear(&mut self) {
        self.places.clear();
        self.tiles.clear();
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Pairs near each other and far from each other have the numbers that they were given first.
        #[test]
        fn tiles_are_a_map(
            pairs in prop::collection::vec(prop_oneof![(0u32..9, 0u32..9), (any::<u32>(), 0u32..3), (0u32..2, any::<u32>())], 0..80),
            again in any::<bool>(),
        ) {
            let mut tiles = Tiles::default();
            if again {
                tiles.number(1, 1, 7);
                tiles.clear();
            }
            let mut oracle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (from, code) in &pairs {
                prop_assert_eq!(tiles.find(*from, *code), oracle.get(&(*from, *code)).copied());
                let next = oracle.len() as u32;
                let known = *oracle.entry((*from, *code)).or_insert(next);
                prop_assert_eq!(tiles.number(*from, *code, next), known);
            }
            for ((from, code), number) in &oracle {
                prop_assert_eq!(tiles.find(*from, *code), Some(*number));
            }
        }
    }
}
