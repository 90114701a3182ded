//! Durations as programs write them: `1.5s`, `250ms`, `1m3s`, `2h45m`.

/// Units in seconds. A unit comes before its own prefixes (`ms` before `m`).
const UNITS: [(&str, f64); 8] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ms", 1e-3),
    ("h", 3600.0),
    ("m", 60.0),
    ("s", 1.0),
];

/// Parses a duration into seconds; `None` for other text and for numbers without a unit.
pub fn parse_seconds(text: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let mut sum = 0.0;
    // Units must decrease: `3s1h` is not a duration.
    let mut before = f64::INFINITY;
    while !rest.is_empty() {
        let digits = rest
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b'.');
        let (number, behind) = rest.split_at(digits.count());
        let (unit, seconds) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
        if *seconds >= before || !number.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        sum += number.parse::<f64>().ok()? * seconds;
        before = *seconds;
        rest = &behind[unit.len()..];
    }
    before.is_finite().then_some(sign * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_seconds() {
        for (text, value) in [
            ("1.5s", 1.5),
            ("250ms", 0.25),
            ("1m3s", 63.0),
            ("2h45m0.5s", 9900.5),
            ("-15µs", -15e-6),
            ("90ns", 90e-9),
        ] {
            let found = parse_seconds(text).unwrap();
            assert!((found - value).abs() < 1e-12, "{text}: {found}");
        }
        for text in [
            "", "s", "5", "1.s.", "3s1h", "5 s", "5x", "1.2.3s", ".5s", "1m3",
        ] {
            assert_eq!(parse_seconds(text), None, "{text}");
        }
    }
}
