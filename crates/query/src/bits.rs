//! Bit set over the rows of one segment.

/// A bit set of fixed length. Bits beyond the length are always clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Returns `len` clear bits.
    #[must_use]
    pub fn none(len: usize) -> Bits {
        Bits {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Returns `len` set bits.
    #[must_use]
    pub fn all(len: usize) -> Bits {
        let mut bits = Bits {
            words: vec![u64::MAX; len.div_ceil(64)],
            len,
        };
        bits.trim();
        bits
    }

    /// Returns one bit per item, set where `f` holds.
    pub fn from_items<T>(items: &[T], f: impl Fn(&T) -> bool) -> Bits {
        let words = items
            .chunks(64)
            .map(|chunk| {
                chunk
                    .iter()
                    .enumerate()
                    .fold(0, |word, (i, item)| word | (u64::from(f(item)) << i))
            })
            .collect();
        Bits {
            words,
            len: items.len(),
        }
    }

    /// Returns one bit per byte, set where the byte has any bit of `flag`.
    pub(crate) fn from_flags(bytes: &[u8], flag: u8) -> Bits {
        let shift = flag.trailing_zeros() % 8;
        let word = |chunk: &[u8]| {
            let mut word = 0;
            let mut eights = chunk.chunks_exact(8);
            let mut at = 0;
            for eight in eights.by_ref() {
                let mut raw = [0; 8];
                raw.copy_from_slice(eight);
                let lowest = (u64::from_le_bytes(raw) >> shift) & 0x0101_0101_0101_0101;
                // The multiplication gathers the lowest bits of the eight bytes in the top byte, in order.
                word |= (lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56) << at;
                at += 8;
            }
            for byte in eights.remainder() {
                word |= u64::from(byte >> shift & 1) << at;
                at += 1;
            }
            word
        };
        Bits {
            words: bytes.chunks(64).map(word).collect(),
            len: bytes.len(),
        }
    }

    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.len.is_multiple_of(64)
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the length is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a bit is set; `false` beyond the end.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> bool {
        self.words
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Sets a bit; does nothing beyond the end.
    #[inline]
    pub fn set(&mut self, at: usize) {
        if at < self.len {
            self.words[at / 64] |= 1 << (at % 64);
        }
    }

    /// Sets the bits of `from..to`.
    pub fn set_range(&mut self, from: usize, to: usize) {
        let to = to.min(self.len);
        let mut at = from;
        while at < to {
            let end = (at / 64 * 64 + 64).min(to);
            let ones = end - at;
            let mask = if ones == 64 {
                u64::MAX
            } else {
                (1 << ones) - 1
            };
            self.words[at / 64] |= mask << (at % 64);
            at = end;
        }
    }

    /// Unites with another set, whose first bit is at position `at`. Bits beyond the end are dropped.
    pub(crate) fn or_at(&mut self, at: usize, other: &Bits) {
        let (first, shift) = (at / 64, at % 64);
        for (index, word) in other.words.iter().enumerate() {
            if let Some(low) = self.words.get_mut(first + index) {
                *low |= word << shift;
            }
            if shift > 0
                && let Some(high) = self.words.get_mut(first + index + 1)
            {
                *high |= word >> (64 - shift);
            }
        }
        self.trim();
    }

    /// Returns the bits of `from..from + len` as a new set; bits beyond the end are clear.
    #[must_use]
    pub(crate) fn part(&self, from: usize, len: usize) -> Bits {
        let (first, shift) = (from / 64, from % 64);
        let at = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let word = |index: usize| match shift {
            0 => at(first + index),
            _ => at(first + index) >> shift | at(first + index + 1) << (64 - shift),
        };
        let mut part = Bits {
            words: (0..len.div_ceil(64)).map(word).collect(),
            len,
        };
        part.trim();
        part
    }

    /// Number of set bits.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether any bit is set.
    #[must_use]
    pub fn any(&self) -> bool {
        self.words.iter().any(|w| *w != 0)
    }

    /// Last set bit of `from..to`.
    #[must_use]
    pub(crate) fn last_in(&self, from: usize, to: usize) -> Option<usize> {
        let to = to.min(self.len);
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let mut index = to.div_ceil(64);
        while index > from / 64 {
            index -= 1;
            // Bits at `to` and above are shifted out.
            let behind = (index * 64 + 64).saturating_sub(to);
            let bits = word(index) << behind >> behind;
            if bits != 0 {
                let last = index * 64 + 63 - bits.leading_zeros() as usize;
                return (last >= from).then_some(last);
            }
        }
        None
    }

    /// Number of set bits in `from..to`.
    #[must_use]
    pub(crate) fn count_in(&self, from: usize, to: usize) -> usize {
        self.part(from, to.saturating_sub(from)).count()
    }

    /// Whether any bit of `from..to` is set.
    #[must_use]
    pub(crate) fn any_in(&self, from: usize, to: usize) -> bool {
        self.ones_in(from, to).next().is_some()
    }

    /// Intersects with another set.
    pub(crate) fn and(&mut self, other: &Bits) {
        self.zip(other, |a, b| a & b);
    }

    /// Unites with another set.
    pub fn or(&mut self, other: &Bits) {
        self.zip(other, |a, b| a | b);
    }

    /// Removes the bits of another set.
    pub(crate) fn and_not(&mut self, other: &Bits) {
        self.zip(other, |a, b| a & !b);
    }

    /// Inverts every bit.
    pub(crate) fn invert(&mut self) {
        self.words.iter_mut().for_each(|w| *w = !*w);
        self.trim();
    }

    fn zip(&mut self, other: &Bits, f: impl Fn(u64, u64) -> u64) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a = f(*a, *b);
        }
        self.trim();
    }

    /// Iterates over the set bits, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.ones_in(0, self.len)
    }

    /// Iterates over the set bits of `from..to`, ascending.
    pub fn ones_in(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let to = to.min(self.len);
        let first = from / 64;
        let last = to.div_ceil(64).max(first);
        (first..last)
            .flat_map(move |index| {
                let mut word = self.words.get(index).copied().unwrap_or(0);
                if index == first {
                    word &= u64::MAX << (from % 64);
                }
                std::iter::from_fn(move || {
                    let bit = word.trailing_zeros() as usize;
                    word &= word.wrapping_sub(1);
                    (bit < 64).then_some(index * 64 + bit)
                })
            })
            .take_while(move |at| *at < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn from_flags_equals_from_items(bytes in proptest::collection::vec(0u8.., 0..300), bit in 0u32..8) {
            let flag = 1u8 << bit;
            prop_assert_eq!(Bits::from_flags(&bytes, flag), Bits::from_items(&bytes, |b| b & flag != 0));
        }

        #[test]
        fn bits_are_a_set(len in 0usize..300, from in 0usize..300, to in 0usize..300, more in proptest::collection::vec(0usize..300, 0..20)) {
            let mut bits = Bits::none(len);
            let mut set = std::collections::BTreeSet::new();
            bits.set_range(from, to);
            set.extend(from..to.min(len));
            for at in more { bits.set(at); if at < len { set.insert(at); } }
            prop_assert_eq!(bits.count(), set.len());
            prop_assert_eq!(bits.ones().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
            let (a, b) = (from.min(to), from.max(to));
            let inside: Vec<usize> = set.range(a..b).copied().collect();
            prop_assert_eq!(bits.ones_in(a, b).collect::<Vec<_>>(), inside.clone());
            prop_assert_eq!(bits.any_in(a, b), !inside.is_empty());
            prop_assert_eq!(bits.count_in(a, b), inside.len());
            prop_assert_eq!(bits.last_in(a, b), inside.last().copied());
            let mut shifted = Bits::none(700);
            shifted.or_at(from, &bits);
            prop_assert_eq!(shifted.ones().collect::<Vec<_>>(), set.iter().map(|b| b + from).collect::<Vec<_>>());
            prop_assert_eq!(&shifted.part(from, len), &bits);
            let moved: Vec<usize> = set.iter().filter(|b| **b >= to && **b < to + 70).map(|b| b - to).collect();
            prop_assert_eq!(bits.part(to, 70).ones().collect::<Vec<_>>(), moved);
            let mut inverse = bits.clone();
            inverse.invert();
            prop_assert_eq!(inverse.count(), len - set.len());
            inverse.or(&bits);
            prop_assert_eq!(inverse, Bits::all(len));
        }
    }
}
