//! Sizes and durations on the command line.

use std::time::Duration;

use widetui_core::durations::parse_seconds;

/// Unit letters with their powers of 1024.
const UNITS: [(char, u32); 4] = [('k', 1), ('m', 2), ('g', 3), ('t', 4)];

/// Parses `512`, `512M`, `2G` or `1.5GiB` into bytes; a plain number is megabytes. A size too large for 64 bits is the
/// largest one that fits.
///
/// # Errors
/// `text` is not a size; the message gives examples.
pub fn bytes(text: &str) -> Result<u64, String> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let power = power_of(unit).ok_or_else(|| no_size(text))?;
    let factor = 1u64 << (10 * power);
    if let Ok(whole) = number.parse::<u64>() {
        return Ok(whole.saturating_mul(factor));
    }
    // A fraction, or more digits than 64 bits hold: the cast saturates.
    let number: f64 = number.parse().map_err(|_| no_size(text))?;
    Ok((number * factor as f64) as u64)
}

/// Power of 1024 of a unit: `M`, `MB`, `MiB` and no unit are the same.
fn power_of(unit: &str) -> Option<u32> {
    let unit = unit.trim_start().to_ascii_lowercase();
    match unit.as_str() {
        "" => return Some(2),
        "b" => return Some(0),
        _ => {}
    }
    let (letter, power) = UNITS
        .into_iter()
        .find(|&(letter, _)| unit.starts_with(letter))?;
    let rest = &unit[letter.len_utf8()..];
    matches!(rest, "" | "b" | "ib").then_some(power)
}

fn no_size(text: &str) -> String {
    format!("`{text}` is not a size: use a number of megabytes, or a unit as in 512M or 2G")
}

/// Parses a duration such as `90s`, `30m` or `1h30m`; a plain number is seconds.
///
/// # Errors
/// `text` is not a duration; the message gives examples.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().or_else(|| parse_seconds(text));
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("`{text}` is not a duration: write it as in 90s, 30m or 12h"))
}

#[cfg(test)]
mod tests {
    use super::{bytes, duration};
    use std::time::Duration;

    #[test]
    fn a_duration_has_units_and_a_number_alone_is_seconds() {
        assert_eq!(duration("90"), duration("1m30s"));
        assert_eq!(duration("12h"), Ok(Duration::from_secs(43_200)));
        for wrong in ["", "h", "-5s", "5 parsecs", "nan"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_alone_is_megabytes_and_units_are_powers_of_1024() {
        assert_eq!(bytes("1024"), Ok(1 << 30));
        assert_eq!(bytes("0"), Ok(0));
        for same in ["2G", "2g", "2GB", "2GiB", "2 G", "2048", "2048M"] {
            assert_eq!(bytes(same), Ok(2 << 30), "{same}");
        }
        assert_eq!(bytes("1.5k"), Ok(1536));
        assert_eq!(bytes("700b"), Ok(700));
        assert_eq!(bytes("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(bytes("99999999999999999999999T"), Ok(u64::MAX));
    }

    #[test]
    fn an_invalid_size_is_refused_with_an_example() {
        for wrong in ["", "G", "-1", "1x", "1Gx", "1..5G", "ä", "1ä", "nan", "inf"] {
            let error = bytes(wrong).expect_err(wrong);
            assert!(error.contains("512M"), "{error}");
        }
    }
}
