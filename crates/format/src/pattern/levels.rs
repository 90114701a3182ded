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
        let (word, level) = self.0.iter().find(|(word, _)| message.starts_with(word))?;
        let blanks = message[word.len()..]
            .iter()
            .take_while(|b| **b == b' ' && !word.is_empty())
            .count();
        Some((*level, word.len() + blanks))
    }
}

/// Level of a syslog priority (RFC 5424, 6.2.1): its last three bits are the severity, with 0 the most severe.
pub(crate) fn of_priority(digits: &[u8]) -> Option<Level> {
    let n: u8 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(match n & 7 {
        0..=2 => Level::Critical,
        3 => Level::Error,
        4 => Level::Warning,
        5 => Level::Notice,
        6 => Level::Info,
        _ => Level::Debug,
    })
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
