//! A small deterministic generator of random numbers: the same seed must give the same run on every machine and for ever,
//! which no crate promises over its versions.

/// xorshift64* over a seed spread by splitmix64; good enough to vary ids and durations, nothing more.
pub struct Random(u64);

impl Random {
    /// A generator for `seed`; any seed will do, zero too.
    pub fn new(seed: u64) -> Self {
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((z ^ (z >> 31)) | 1)
    }

    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number in `0..n` (zero when `n` is zero); the slight bias of the multiplication does not matter here.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A duration of mean `mean`, never below a fifth of it: the sum of a floor and an exponential tail.
    pub fn spread(&mut self, mean: u64) -> u64 {
        let unit = ((self.next() >> 11) as f64 + 1.0) / (1u64 << 53) as f64;
        mean / 5 + (-unit.ln() * 0.8 * mean as f64) as u64
    }
}
