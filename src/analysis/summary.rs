//! Many numbers in a few: count, mean, percentiles. Percentiles interpolate linearly between ranks, as pandas does.

/// Some numbers in few. All have the unit of the numbers, ns for times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many there are.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// The greatest.
    pub max: f64,
    /// Their sum.
    pub total: f64,
}

impl Summary {
    /// Of numbers, whose order it changes. `None` of none.
    pub fn of(values: &mut [i64]) -> Option<Summary> {
        let max = *values.iter().max()?;
        let total: i128 = values.iter().map(|v| i128::from(*v)).sum();
        let p95 = percentile(values, 0.95)?;
        let p50 = percentile(values, 0.5)?;
        Some(Summary {
            count: values.len() as u64,
            mean: total as f64 / values.len() as f64,
            p50,
            p95,
            max: max as f64,
            total: total as f64,
        })
    }
}

/// The value below which a fraction `q` (0 to 1) of the numbers lies; their order changes. `None` of none.
pub fn percentile(values: &mut [i64], q: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let rank = q.clamp(0.0, 1.0) * last as f64;
    let below = rank.floor() as usize;
    let (_, low, above) = values.select_nth_unstable(below);
    let low = *low as f64;
    let part = rank - below as f64;
    match above.iter().min() {
        Some(high) if part > 0.0 => Some(low + part * (*high as f64 - low)),
        _ => Some(low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_pandas() {
        // pandas.Series([3, 1, 4, 1, 5, 9, 2, 6]).describe(percentiles=[.5, .95])
        let s = Summary::of(&mut [3, 1, 4, 1, 5, 9, 2, 6]).unwrap();
        assert_eq!((s.count, s.mean, s.p50, s.max), (8, 3.875, 3.5, 9.0));
        assert!((s.p95 - 7.95).abs() < 1e-9);
        assert_eq!(Summary::of(&mut []), None);
        assert_eq!(percentile(&mut [7], 0.95), Some(7.0));
        assert_eq!(percentile(&mut [-4, -2], 0.25), Some(-3.5));
    }
}
