//! Exit statuses and signals in the texts of failures.

/// How a process ended, as a failure reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Status of a process that exited.
    Code(u32),
    /// Number of the signal that ended a process.
    Signal(u32),
}

/// Words before a status: shells, Python's `subprocess` and batch systems.
const STATUS: [&str; 8] = [
    "exit status",
    "exit code",
    "exitcode",
    "exit_code",
    "return code",
    "returncode",
    "exited with",
    "ended with status",
];
/// Words before a signal.
const SIGNAL: [&str; 3] = ["by signal", "with signal", "<signals."];
/// Names of signals that end processes, with their numbers on Linux.
const NAMES: [(&str, u32); 15] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGABRT", 6),
    ("SIGBUS", 7),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGSEGV", 11),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
    ("SIGXCPU", 24),
    ("SIGXFSZ", 25),
    ("SIGSYS", 31),
];

impl ExitStatus {
    /// First exit status or signal in a text.
    pub(crate) fn find(text: &str) -> Option<ExitStatus> {
        let lower = text.to_lowercase();
        let behind = |words: &[&str]| {
            let found = words
                .iter()
                .filter_map(|word| Some((lower.find(word)?, *word)));
            let (at, word) = found.min()?;
            Some(lower[at + word.len()..].to_owned())
        };
        if let Some(signal) = behind(&SIGNAL).and_then(|rest| signal(&rest)) {
            return Some(ExitStatus::Signal(signal));
        }
        let status = number(&behind(&STATUS)?)?;
        Some(match status {
            ..0 => ExitStatus::Signal(status.unsigned_abs()),
            129..=159 => ExitStatus::Signal(status.unsigned_abs() - 128),
            _ => ExitStatus::Code(status.unsigned_abs()),
        })
    }

    /// Text behind the words of an exit status in a lower-case text.
    pub(crate) fn behind_words(lower: &str) -> Option<&str> {
        let found = { STATUS.iter() }.filter_map(|word| Some((lower.find(word)?, *word)));
        let (at, word) = found.min()?;
        Some(lower[at + word.len()..].trim_start_matches([' ', ':', '=']))
    }

    /// Name for the `raises` of hints: `exit 127`, `SIGKILL`.
    pub(crate) fn name(self) -> String {
        match self {
            ExitStatus::Code(code) => format!("exit {code}"),
            ExitStatus::Signal(signal) => {
                let name = NAMES.iter().find(|(_, number)| *number == signal);
                name.map_or_else(
                    || format!("signal {signal}"),
                    |(name, _)| (*name).to_owned(),
                )
            }
        }
    }
}

/// Signal at the start of a lower-case text, as a name or number.
fn signal(text: &str) -> Option<u32> {
    let text = text.trim_start_matches([' ', ':', '(']);
    let named = NAMES
        .iter()
        .find(|(name, _)| text.starts_with(&name.to_lowercase()));
    match named {
        Some((_, number)) => Some(*number),
        None => u32::try_from(number(text)?).ok(),
    }
}

/// Number at the start of a text, behind the words and marks that may stand before it.
fn number(text: &str) -> Option<i32> {
    let text = text.trim_start_matches([' ', ':', '=', '(', '<', '\'', '"']);
    let text = ["code", "status"]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim_start_matches([' ', ':', '=']);
    let end = text
        .char_indices()
        .find(|(at, c)| !(c.is_ascii_digit() || (*at == 0 && *c == '-')))
        .map_or(text.len(), |(at, _)| at);
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_of_shells_python_and_batch_systems() {
        let found = |text| ExitStatus::find(text).map(ExitStatus::name);
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(
            found("returned non-zero exit status 127."),
            named("exit 127")
        );
        assert_eq!(
            found("bash_app prepare failed with unix exit code 1"),
            named("exit 1")
        );
        assert_eq!(found("died with <Signals.SIGINT: 2>."), named("SIGINT"));
        assert_eq!(found("exited with code 137"), named("SIGKILL"));
        assert_eq!(found("Process exit status: -11"), named("SIGSEGV"));
        assert_eq!(found("Worker was killed by signal 9"), named("SIGKILL"));
        assert_eq!(found("killed by signal 34"), named("signal 34"));
        assert_eq!(found("exit code: 0"), named("exit 0"));
        assert_eq!(found("no status"), None);
        assert_eq!(found("exit status"), None);
        assert_eq!(found("exited with an error 12"), None);
    }
}
