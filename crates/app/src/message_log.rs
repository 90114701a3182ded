//! Message log: past notices of the program.

/// Maximum number of entries.
const MAX_ENTRIES: usize = 1000;

/// Notice of the program to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Text of the notice.
    pub text: String,
    /// Whether the notice reports an error.
    pub is_alert: bool,
}

/// Entry of the message log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageEntry {
    /// Time of the last occurrence, UTC ns; `None` until the log is stamped.
    pub(crate) time: Option<i64>,
    /// Notice.
    pub(crate) notice: Notice,
    /// Number of consecutive occurrences.
    pub(crate) times: usize,
}

/// Message log, the newest entry last.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    lines: Vec<MessageEntry>,
}

impl MessageLog {
    /// Adds a notice; a repetition of the last one increases its count.
    pub fn add(&mut self, notice: Notice) {
        if let Some(last) = self.lines.last_mut().filter(|last| last.notice == notice) {
            last.times += 1;
            last.time = None;
            return;
        }
        if self.lines.len() >= MAX_ENTRIES {
            self.lines.remove(0);
        }
        self.lines.push(MessageEntry {
            time: None,
            notice,
            times: 1,
        });
    }

    /// Entries, the newest last.
    pub(crate) fn lines(&self) -> &[MessageEntry] {
        &self.lines
    }

    /// Whether the last entry needs a time.
    pub fn waits_for_time(&self) -> bool {
        self.lines.last().is_some_and(|last| last.time.is_none())
    }

    /// Sets the time of entries without one to `now`, UTC ns.
    pub(crate) fn stamp(&mut self, now: i64) {
        let new = self.lines.iter_mut().rev();
        for line in new.take_while(|line| line.time.is_none()) {
            line.time = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(text: &str) -> Notice {
        Notice {
            text: text.to_owned(),
            is_alert: false,
        }
    }

    #[test]
    fn what_is_repeated_is_counted_and_has_its_last_time() {
        let mut log = MessageLog::default();
        log.add(notice("a"));
        log.add(notice("b"));
        assert!(log.waits_for_time());
        log.stamp(5);
        log.add(notice("b"));
        log.stamp(9);
        log.add(notice("a"));
        let told: Vec<(&str, usize, Option<i64>)> = log
            .lines()
            .iter()
            .map(|l| (l.notice.text.as_str(), l.times, l.time))
            .collect();
        assert_eq!(told, [("a", 1, Some(5)), ("b", 2, Some(9)), ("a", 1, None)]);
    }

    #[test]
    fn the_oldest_go() {
        let mut log = MessageLog::default();
        (0..MAX_ENTRIES + 3).for_each(|n| log.add(notice(&n.to_string())));
        assert_eq!(log.lines().len(), MAX_ENTRIES);
        assert_eq!(log.lines()[0].notice.text, "3");
    }
}
