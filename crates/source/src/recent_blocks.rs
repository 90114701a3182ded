//! Cache of the blocks around the places where a text is read.
//!
//! Records in time order come from several places of a text whose times go back: each place advances by itself.

use std::ops::Range;

/// Maximum number of places.
const PLACES: usize = 8;

/// Last block of each place, most recently used first.
#[derive(Debug)]
pub struct RecentBlocks<B> {
    /// Byte range in the text, and its content.
    blocks: Vec<(Range<u64>, B)>,
}

impl<B> Default for RecentBlocks<B> {
    fn default() -> RecentBlocks<B> {
        RecentBlocks { blocks: Vec::new() }
    }
}

impl<B> RecentBlocks<B> {
    /// Finds the block that contains a byte range; returns the offset of its first byte, and its content.
    pub fn find(&mut self, wanted: Range<u64>) -> Option<(u64, &B)> {
        let contains =
            |(range, _): &(Range<u64>, B)| range.start <= wanted.start && wanted.end <= range.end;
        let at = self.blocks.iter().position(contains)?;
        let found = self.blocks.remove(at);
        self.blocks.insert(0, found);
        self.latest()
    }

    /// Block that was found or added last.
    pub fn latest(&self) -> Option<(u64, &B)> {
        self.blocks
            .first()
            .map(|(range, block)| (range.start, block))
    }

    /// Adds a block. It replaces the block of the place that has advanced to it, otherwise the least recently used one
    /// if there are many.
    pub fn add(&mut self, range: Range<u64>, block: B) {
        let follows = |(before, _): &(Range<u64>, B)| {
            let length = before.end - before.start;
            (before.start..=before.end.saturating_add(length)).contains(&range.start)
        };
        let place = self.blocks.iter().position(follows);
        match place {
            Some(at) => drop(self.blocks.remove(at)),
            None => self.blocks.truncate(PLACES - 1),
        }
        self.blocks.insert(0, (range, block));
    }

    /// Removes blocks that contain a byte.
    pub fn remove(&mut self, offset: u64) {
        self.blocks.retain(|(range, _)| !range.contains(&offset));
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether no block is cached.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads bytes one by one at places in turns; returns the number of blocks that were read.
    fn blocks_read(places: &[u64], recent: &mut RecentBlocks<u64>) -> usize {
        let mut read = 0;
        for step in 0..100 {
            for place in places {
                let byte = place + step;
                if recent.find(byte..byte + 1).is_none() {
                    read += 1;
                    let start = byte / 10 * 10;
                    recent.add(start..start + 10, start);
                }
                assert_eq!(
                    recent.find(byte..byte + 1),
                    Some((byte / 10 * 10, &(byte / 10 * 10)))
                );
            }
        }
        read
    }

    #[test]
    fn places_that_are_read_in_turns_keep_their_blocks() {
        for count in 1..=PLACES as u64 {
            let places: Vec<u64> = (0..count).map(|place| place * 1000).collect();
            let mut recent = RecentBlocks::default();
            assert_eq!(blocks_read(&places, &mut recent), places.len() * 10);
            assert_eq!(recent.len(), places.len(), "one block for each place");
        }
        let places: Vec<u64> = (0..20).map(|place| place * 1000).collect();
        let mut recent = RecentBlocks::default();
        blocks_read(&places, &mut recent);
        assert_eq!(recent.len(), PLACES);
    }

    #[test]
    fn removed_blocks_are_not_found() {
        let mut recent = RecentBlocks::default();
        recent.add(0..10, 'a');
        recent.add(100..110, 'b');
        assert_eq!(recent.find(8..12), None);
        recent.remove(9);
        assert_eq!(recent.find(8..9), None);
        assert_eq!(recent.find(100..110), Some((100, &'b')));
    }
}
