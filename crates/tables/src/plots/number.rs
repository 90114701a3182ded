//! Short formats of numbers for plots.

/// Large units, the greatest first.
const UNITS: [(f64, &str); 2] = [(1e9, "G"), (1e6, "M")];

/// Short format of a count or a number.
pub fn short(x: f64) -> String {
    let size = x.abs();
    match size {
        _ if size >= 1e10 => format!("{:.0}G", x / 1e9),
        _ if size >= 1e7 => format!("{:.0}M", x / 1e6),
        _ if size >= 1e5 => format!("{:.0}k", x / 1e3),
        _ if x.fract() == 0.0 => format!("{x:.0}"),
        _ if size >= 100.0 => format!("{x:.0}"),
        _ if size >= 1.0 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// Short formats of two numbers, with as many digits as distinguish them.
pub fn distinct_pair(low: f64, high: f64) -> (String, String) {
    let (a, b) = (short(low), short(high));
    if low >= high || a != b && (low == 0.0 || high == 0.0) {
        return (a, b);
    }
    let most = low.abs().max(high.abs());
    let (unit, name) = UNITS.into_iter().find(|u| most >= u.0).unwrap_or((1.0, ""));
    // Two digits of the difference must be visible.
    let digits = (1.0 - ((high - low) / unit).log10().floor()).clamp(0.0, 4.0) as usize;
    let text = |x: f64| format!("{:.digits$}{name}", x / unit);
    (text(low), text(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_labels_of_an_axis_are_distinct() {
        let of = |low, high| {
            let (a, b) = distinct_pair(low, high);
            format!("{a} {b}")
        };
        assert_eq!(of(0.0, 37.0), "0 37");
        assert_eq!(of(0.0, 2.5e10), "0 25G");
        assert_eq!(of(16.0, 16.2), "16.00 16.20");
        assert_eq!(of(3000.0, 3500.0), "3000 3500");
        assert_eq!(of(1.592e10, 1.594e10), "15.920G 15.940G");
        assert_eq!(of(-3.0, 0.0), "-3 0");
    }

    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (0.0, "0"),
            (37.0, "37"),
            (12_041.0, "12041"),
            (2.5e6, "2500k"),
            (1.25, "1.2"),
            (0.125, "0.12"),
        ] {
            assert_eq!(short(x), text);
        }
    }
}
