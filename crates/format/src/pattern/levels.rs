//! Spellings of levels in a definition: words, numbers, and prefixes of messages.

use std::collections::BTreeMap;

use widetui_core::level::Level;

/// Spellings of levels, longest first.
#[derive(Clone, Debug, Default)]
pub struct LevelNames(Vec<(Box<[u8]>, Level)>);

impl LevelNames {
    /// Spellings from the tables of a definition, without values that name no level (which `systems check` reports).
    pub(crate) fn new(words: &BTreeMap<String, String>) -> LevelNames {
        let mut names: Vec<(Box<[u8]>, Level)> = words
            .iter()
            .filter_map(|(word, level)| {
                Some((word.as_bytes().into(), Level::parse(level.as_bytes())?))
            })
            .collect();
        names.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        LevelNames(names)
    }

    /// Whether the definition has no spellings of its own.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Level of a spelling of the definition, else of a common spelling.
    pub(crate) fn parse(&self, word: &[u8]) -> Option<Level> {
        self.own(word).or_else(|| Level::parse(word))
    }

    /// Level of one of the definition's own spellings.
    pub(crate) fn own(&self, word: &[u8]) -> Option<Level> {
        let found = self.0.iter().find(|(name, _)| **name == *word);
        found.map(|(_, level)| *level)
    }

    /// Level at the start of a message and the length of its prefix, including the blanks after it. The empty spelling
    /// matches every message.
    #[inline]
    pub(crate) fn prefix(&self, message: &[u8]) -> Option<(Level, usize)> {
        let mut all = self.0.iter();
        let (word, level, rest) =
            all.find_map(|(word, level)| Some((word, level, message.strip_prefix(&**word)?)))?;
        let blanks = rest
            .iter()
            .take_while(|b| **b == b' ' && !word.is_empty())
            .count();
        Some((*level, word.len() + blanks))
    }
}

/// Scale of numeric levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelScale {
    /// Python's `levelno`: 20 is info.
    Python,
    /// bunyan and pino: 30 is info; logback: 20000 is info.
    Bunyan,
    /// Severity of RFC 5424, alone or in a priority: 6 is info.
    Severity,
    /// `SeverityNumber` of OpenTelemetry's log data model: 9 to 12 are info.
    OpenTelemetry,
}

impl LevelScale {
    /// Level of a number; `None` if it is not on the scale.
    pub(crate) fn level(self, n: i64) -> Option<Level> {
        Some(match (self, n) {
            (LevelScale::Python, _) => Level::from_python_number(n),
            (LevelScale::Bunyan, 5_000..=50_000) => Level::from_python_number(n / 1_000),
            (LevelScale::Severity, 0..192) => match n & 7 {
                0..=2 => Level::Critical,
                3 => Level::Error,
                4 => Level::Warning,
                5 => Level::Notice,
                6 => Level::Info,
                _ => Level::Debug,
            },
            (LevelScale::OpenTelemetry, 1..=4) | (LevelScale::Bunyan, 10..=19) => Level::Trace,
            (LevelScale::OpenTelemetry, 5..=8) | (LevelScale::Bunyan, 20..=29) => Level::Debug,
            (LevelScale::OpenTelemetry, 9..=10) | (LevelScale::Bunyan, 30..=39) => Level::Info,
            (LevelScale::OpenTelemetry, 11..=12) => Level::Notice,
            (LevelScale::OpenTelemetry, 13..=16) | (LevelScale::Bunyan, 40..=49) => Level::Warning,
            (LevelScale::OpenTelemetry, 17..=20) | (LevelScale::Bunyan, 50..=59) => Level::Error,
            (LevelScale::OpenTelemetry, 21..=24) | (LevelScale::Bunyan, 60..=69) => Level::Critical,
            _ => return None,
        })
    }
}

/// Level of a syslog priority (RFC 5424, 6.2.1): its last three bits are the severity, with 0 the most severe.
pub(crate) fn of_priority(digits: &[u8]) -> Option<Level> {
    let n: u8 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    LevelScale::Severity.level(n.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_spellings_count_first() {
        let words = [
            ("error: ", "error"),
            ("error: fatal: ", "critical"),
            ("", "info"),
            ("#", "warning"),
        ];
        let words = words.map(|(a, b)| (a.to_owned(), b.to_owned()));
        let names = LevelNames::new(&words.into_iter().collect());
        assert_eq!(names.prefix(b"error:  lost"), Some((Level::Error, 8)));
        assert_eq!(
            names.prefix(b"error: fatal: x"),
            Some((Level::Critical, 14))
        );
        assert_eq!(names.prefix(b" all well"), Some((Level::Info, 0)));
        assert_eq!(names.parse(b"#"), Some(Level::Warning));
        assert_eq!(names.parse(b"ERR"), Some(Level::Error));
        assert_eq!(LevelNames::default().prefix(b"x"), None);
    }

    #[test]
    fn priorities_hold_severities() {
        assert_eq!(of_priority(b"14"), Some(Level::Info));
        assert_eq!(of_priority(b"0"), Some(Level::Critical));
        assert_eq!(of_priority(b"191"), Some(Level::Debug));
        assert_eq!(of_priority(b"1000"), None);
    }
}
