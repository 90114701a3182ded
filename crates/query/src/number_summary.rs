//! Statistics of numbers: minimum, median, 95th percentile, maximum.

/// Statistics of a set of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberSummary {
    /// Minimum.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Maximum.
    pub max: f64,
}

impl NumberSummary {
    /// Computes the statistics of (number, count) pairs; percentiles interpolate linearly. `None` if there are none.
    pub(super) fn compute(mut counted: Vec<(f64, u64)>) -> Option<NumberSummary> {
        counted.retain(|(x, n)| x.is_finite() && *n > 0);
        counted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: u64 = counted.iter().map(|(_, n)| n).sum();
        let at = |rank: u64| {
            let mut seen = 0;
            counted.iter().find_map(|(x, n)| {
                seen += n;
                (seen > rank).then_some(*x)
            })
        };
        let percentile = |share: f64| {
            let place = share * total.saturating_sub(1) as f64;
            let (low, high) = (at(place.floor() as u64)?, at(place.ceil() as u64)?);
            Some(low + (high - low) * place.fract())
        };
        Some(NumberSummary {
            min: counted.first()?.0,
            median: percentile(0.5)?,
            p95: percentile(0.95)?,
            max: counted.last()?.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_interpolate_linearly() {
        let of = |list: &[(f64, u64)]| NumberSummary::compute(list.to_vec());
        // 1 1 1 2 10: the median is the third, the 95th percentile lies 4/5 of the way from the fourth to the fifth.
        let n = of(&[(10.0, 1), (1.0, 3), (2.0, 1)]).unwrap();
        assert_eq!((n.min, n.median, n.max), (1.0, 1.0, 10.0));
        assert!((n.p95 - 8.4).abs() < 1e-9, "{}", n.p95);
        assert_eq!(of(&[(4.0, 1), (6.0, 1)]).unwrap().median, 5.0);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(f64::NAN, 3)]), None);
    }
}
