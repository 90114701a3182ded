//! Plausibility of the fields of a layout in a sample: a line may match a layout by chance.

use widetui_core::level::Level;
use widetui_time::timeparse::is_zone;

use crate::layout::Layout;
use crate::pattern::Spans;
use crate::text::header_words::is_level;

/// Maximum number of lines examined.
const MAX_LINES: usize = 20;

/// Whether the values of a layout's level, host and logger fields are plausible: `stdout F message` does not begin with
/// a critical level, `ERROR engine: message` not with a host, and `4711 INFO message`, `CEST INFO message` and `INFO
/// [w] message` not with a logger.
pub(crate) fn fields_are_plausible(layout: &Layout, lines: &[&[u8]]) -> bool {
    let fields = ["level", "host", "logger"].map(|name| layout.pattern.field(name));
    if fields.iter().all(Option::is_none) {
        return true;
    }
    let mut values: [Vec<&[u8]>; 3] = Default::default();
    let mut spans = Spans::new();
    for line in lines {
        if values.iter().any(|texts| texts.len() == MAX_LINES) {
            break;
        }
        if layout.matches(line, &mut spans).is_none() {
            continue;
        }
        for (texts, field) in values.iter_mut().zip(fields) {
            let span = field.and_then(|field| spans.get(field));
            texts.extend(span.and_then(|span| line.get(span.clone())));
        }
    }
    let [levels, hosts, loggers] = values;
    let is_numeric = |t: &&[u8]| t.iter().all(u8::is_ascii_digit);
    let is_no_host = |h: &&[u8]| {
        is_level(h)
            || is_zone(h)
            || h.ends_with(b":")
            || !h.first().is_some_and(u8::is_ascii_alphanumeric)
    };
    // A single letter at the start of the line is a level.
    let leads = layout
        .pattern
        .fields
        .first()
        .is_some_and(|f| f.name == "level");
    let is_letter = |t: &&[u8]| t.eq_ignore_ascii_case(b"F") || t.eq_ignore_ascii_case(b"C");
    (leads || levels.is_empty() || !levels.iter().all(is_letter))
        && (hosts.is_empty() || !hosts.iter().all(is_no_host))
        && (loggers.is_empty() || !loggers.iter().all(is_numeric))
        && (loggers.is_empty() || !loggers.iter().all(|l| is_zone(l) || *l == b"Z"))
        && !(precedes(layout, "logger", "level") && are_the_levels(&loggers, &levels))
}

/// Whether a layout has field `first` before field `second`.
fn precedes(layout: &Layout, first: &str, second: &str) -> bool {
    let places = layout
        .pattern
        .field(first)
        .zip(layout.pattern.field(second));
    places.is_some_and(|(first, second)| first < second)
}

/// Whether the values of the logger field are the actual levels, and those of the level field names that look like
/// levels: `INFO [w] message`, `ERROR e message`. Levels vary while the name of the writer does not; if that does not
/// decide, a word is more likely a level than a letter, and the first field more likely than the second.
fn are_the_levels(loggers: &[&[u8]], levels: &[&[u8]]) -> bool {
    let is_one = |text: &&[u8]| Level::parse(text).is_some();
    let kinds = |texts: &[&[u8]]| {
        let mut all: Vec<&[u8]> = texts.to_vec();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    let words = |texts: &[&[u8]]| texts.iter().any(|text| text.len() > 1);
    !loggers.is_empty()
        && loggers.iter().all(is_one)
        && (kinds(loggers), words(loggers)) >= (kinds(levels), words(levels))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_loggers(loggers: &[&str], levels: &[&str]) -> bool {
        let loggers: Vec<&[u8]> = loggers.iter().map(|text| text.as_bytes()).collect();
        let levels: Vec<&[u8]> = levels.iter().map(|text| text.as_bytes()).collect();
        !are_the_levels(&loggers, &levels)
    }

    #[test]
    fn names_that_look_like_levels_are_none() {
        for name in ["w", "E", "info", "ERROR", "warn"] {
            let names = [name; 3];
            assert!(!has_loggers(&["INFO", "ERROR", "INFO"], &names), "{name}");
            assert!(has_loggers(&names, &["INFO", "ERROR", "INFO"]), "{name}");
        }
        assert!(!has_loggers(&["INFO"], &["w"]));
        assert!(has_loggers(&["w"], &["INFO"]));
        assert!(has_loggers(&["engine", "info"], &["INFO", "INFO"]));
    }
}
