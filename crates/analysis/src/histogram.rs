//! Histograms of durations.

/// Bin of a histogram: a range of values and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Lower border of the bin, inclusive.
    pub lower: i64,
    /// Upper border of the bin, exclusive except in the last bin.
    pub upper: i64,
    /// Number of values in the bin.
    pub count: u64,
}

/// Splits all values into at most `most` bins of equal width with round borders (1, 2 or 5 times a
/// power of ten).
pub fn bins(values: &[i64], most: usize) -> Vec<Bin> {
    let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else {
        return Vec::new();
    };
    let most = most.max(2) as i128;
    let (min, max) = (i128::from(*min), i128::from(*max));
    let mut width = 1i128;
    let mut factors = [2, 5, 10].into_iter().cycle();
    let mut tens = 1i128;
    // Number of bins from the border at or below the minimum to the one above the maximum.
    while max.div_euclid(width) - min.div_euclid(width) + 1 > most {
        let factor = factors.next().unwrap_or(10);
        width = tens * factor;
        if factor == 10 {
            tens = width;
        }
    }
    let first = min.div_euclid(width);
    let number = (max.div_euclid(width) - first + 1) as usize;
    let border = |at: i128| (at * width).clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let mut out: Vec<Bin> = (0..number as i128)
        .map(|at| Bin {
            lower: border(first + at),
            upper: border(first + at + 1),
            count: 0,
        })
        .collect();
    for value in values {
        let at = (i128::from(*value).div_euclid(width) - first) as usize;
        if let Some(bin) = out.get_mut(at) {
            bin.count += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn borders_are_round() {
        let found = bins(&[3, 14, 15, 92, 65], 5);
        let borders: Vec<i64> = found.iter().map(|b| b.lower).collect();
        assert_eq!(borders, [0, 20, 40, 60, 80]);
        assert_eq!(
            found.iter().map(|b| b.count).collect::<Vec<_>>(),
            [3, 0, 0, 1, 1]
        );
    }

    proptest! {
        #[test]
        fn every_value_lies_in_one_bin(values in proptest::collection::vec(any::<i64>(), 1..40), most in 2usize..30) {
            let found = bins(&values, most);
            prop_assert!(found.len() <= most);
            prop_assert_eq!(found.iter().map(|b| b.count).sum::<u64>(), values.len() as u64);
            prop_assert!(found.windows(2).all(|w| w[0].upper == w[1].lower));
        }
    }
}
