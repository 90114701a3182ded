//! What the program said: the lines that stood in the last row of the screen.

/// Lines that are kept.
const KEPT: usize = 1000;

/// A line of the program to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub is_alert: bool,
}

/// A line that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// When, UTC ns; `None` until somebody with a clock knows of it. The last time, when it was said more than once.
    pub time: Option<i64>,
    /// The line.
    pub notice: Notice,
    /// How often it was said without another one in between.
    pub times: usize,
}

/// All of them, the newest last.
#[derive(Clone, Debug, Default)]
pub struct SaidLog {
    lines: Vec<Said>,
}

impl SaidLog {
    /// Keeps a line.
    pub fn add(&mut self, notice: Notice) {
        if let Some(last) = self.lines.last_mut().filter(|last| last.notice == notice) {
            last.times += 1;
            last.time = None;
            return;
        }
        if self.lines.len() >= KEPT {
            self.lines.remove(0);
        }
        self.lines.push(Said {
            time: None,
            notice,
            times: 1,
        });
    }

    /// Them.
    pub fn lines(&self) -> &[Said] {
        &self.lines
    }

    /// Whether it is not known of one when it was said.
    pub fn waits_for_time(&self) -> bool {
        self.lines.last().is_some_and(|last| last.time.is_none())
    }

    /// It is this late, UTC ns: what was said without a time was said now.
    pub fn stamp(&mut self, now: i64) {
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
        let mut log = SaidLog::default();
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
        let mut log = SaidLog::default();
        (0..KEPT + 3).for_each(|n| log.add(notice(&n.to_string())));
        assert_eq!(log.lines().len(), KEPT);
        assert_eq!(log.lines()[0].notice.text, "3");
    }
}
