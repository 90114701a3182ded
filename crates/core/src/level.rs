//! Severity levels of events.

use std::fmt;

/// Severity of an event, from least to most severe. Records without a level are `Unknown`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Level {
    /// The record states no level.
    #[default]
    Unknown = 0,
    /// More detailed than debug.
    Trace = 1,
    /// Details for developers.
    Debug = 2,
    /// Normal operation.
    Info = 3,
    /// Normal but significant condition.
    Notice = 4,
    /// Unexpected condition that did not stop the work.
    Warning = 5,
    /// Failure of an operation.
    Error = 6,
    /// Failure that ends the program.
    Critical = 7,
}

impl Level {
    /// All levels, least severe first.
    pub const ALL: [Level; 8] = [
        Level::Unknown,
        Level::Trace,
        Level::Debug,
        Level::Info,
        Level::Notice,
        Level::Warning,
        Level::Error,
        Level::Critical,
    ];

    /// Parses the spellings of Python, syslog, C libraries, OpenTelemetry, slog (`ERROR+2`), MongoDB (`D2`) and winston, long
    /// or short, in any case. Returns `None` for other words.
    pub fn parse(word: &[u8]) -> Option<Level> {
        let word = without_degree(word);
        let mut buffer = [0u8; 13];
        let lower = buffer.get_mut(..word.len())?;
        for (to, from) in lower.iter_mut().zip(word) {
            *to = from.to_ascii_lowercase();
        }
        Some(match &*lower {
            b"trace" | b"trc" | b"trac" | b"trce" | b"finest" | b"finer" | b"verbose" | b"vrb"
            | b"silly" => Level::Trace,
            b"debug" | b"dbg" | b"fine" | b"dbug" | b"debu" | b"d" => Level::Debug,
            b"info" | b"inf" | b"information" | b"informational" | b"i" | b"log" => Level::Info,
            b"notice" | b"note" | b"success" => Level::Notice,
            b"warning" | b"warn" | b"wrn" | b"w" => Level::Warning,
            b"error" | b"err" | b"severe" | b"failure" | b"erro" | b"eror" | b"e" => Level::Error,
            b"critical" | b"crit" | b"fatal" | b"panic" | b"dpanic" | b"alert" | b"emerg"
            | b"emergency" | b"fatal error" | b"ftl" | b"fata" | b"c" | b"f" => Level::Critical,
            _ => return None,
        })
    }

    /// Level of a number on Python's logging scale (10 debug … 50 critical).
    #[inline]
    pub fn from_python_number(n: i64) -> Level {
        match n {
            i64::MIN..=0 => Level::Unknown,
            1..=9 => Level::Trace,
            10..=19 => Level::Debug,
            20..=29 => Level::Info,
            30..=39 => Level::Warning,
            40..=49 => Level::Error,
            _ => Level::Critical,
        }
    }

    /// Lower-case name as used in output; empty for `Unknown`.
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            Level::Unknown => "",
            Level::Trace => "trace",
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Critical => "critical",
        }
    }

    /// Letter for narrow columns; blank for `Unknown`.
    #[inline]
    pub fn letter(self) -> char {
        match self {
            Level::Unknown => ' ',
            Level::Trace => 'T',
            Level::Debug => 'D',
            Level::Info => 'I',
            Level::Notice => 'N',
            Level::Warning => 'W',
            Level::Error => 'E',
            Level::Critical => 'C',
        }
    }

    /// Converts back from `level as u8`; other numbers become `Unknown`.
    #[inline]
    pub fn from_u8(n: u8) -> Level {
        Level::ALL.get(n as usize).copied().unwrap_or_default()
    }
}

/// Word without the number by which some programs grade a level: `DEBUG-4`, `debug2`, `D1`, `ERROR+2`, `INFO_2`.
pub fn without_degree(word: &[u8]) -> &[u8] {
    let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > 2 {
        return word;
    }
    let base = word.get(..word.len() - digits);
    match base.unwrap_or_default() {
        [base @ .., b'+' | b'-'] => base,
        [base @ .., b'_'] if base.len() > 3 => base,
        base if [&b"d"[..], b"debug", b"trace"]
            .iter()
            .any(|b| b.eq_ignore_ascii_case(base)) =>
        {
            base
        }
        _ => word,
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_usual_spellings_and_orders_them() {
        assert_eq!(Level::parse(b"WARNING"), Some(Level::Warning));
        assert_eq!(Level::parse(b"crit"), Some(Level::Critical));
        assert_eq!(Level::parse(b"Task"), None);
        for (word, level) in [
            ("ERROR+2", Level::Error),
            ("DEBUG-4", Level::Debug),
            ("INFO_2", Level::Info),
            ("D2", Level::Debug),
            ("trace2", Level::Trace),
        ] {
            assert_eq!(Level::parse(word.as_bytes()), Some(level), "{word}");
        }
        for word in ["E2", "error404", "+2", "F16"] {
            assert_eq!(Level::parse(word.as_bytes()), None, "{word}");
        }
        assert!(Level::Error > Level::Warning && Level::Warning > Level::Unknown);
        for level in Level::ALL.into_iter().skip(1) {
            assert_eq!(Level::parse(level.name().as_bytes()), Some(level));
            assert_eq!(Level::from_u8(level as u8), level);
        }
    }
}
