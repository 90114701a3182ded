//! Display time of notices in the last line of the screen.

use std::time::{Duration, Instant};

use widetui_app::message_log::Notice;

/// Display time of a notice of one line.
const LINE: Duration = Duration::from_secs(6);
/// Display time of an error.
const ALERT: Duration = Duration::from_secs(20);

/// Notice on the screen, with the time since when it is shown.
#[derive(Debug, Default)]
pub(super) struct NoticeTimer {
    notice: Option<(Notice, Instant)>,
}

impl NoticeTimer {
    /// Remaining display time of `notice`; `None` without a notice.
    pub(super) fn remaining(&mut self, notice: Option<&Notice>) -> Option<Duration> {
        let Some(notice) = notice else {
            self.notice = None;
            return None;
        };
        let is_known = |known: &&(Notice, Instant)| known.0 == *notice;
        let since = match self.notice.as_ref().filter(is_known) {
            Some((_, since)) => *since,
            None => {
                let now = Instant::now();
                self.notice = Some((notice.clone(), now));
                now
            }
        };
        let long = match notice.is_alert {
            true => ALERT,
            false => LINE,
        };
        // Twice as long for a notice of two lines.
        let lines = 1 + notice.text.len() as u32 / 120;
        Some((long * lines).saturating_sub(since.elapsed()))
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
    fn what_is_said_anew_stands_as_long_as_the_first() {
        let mut told = NoticeTimer::default();
        assert_eq!(told.remaining(None), None);
        let first = told.remaining(Some(&notice("one"))).unwrap();
        assert!(first <= LINE && told.remaining(Some(&notice("one"))).unwrap() <= first);
        told.notice = Some((notice("one"), Instant::now() - 2 * LINE));
        assert_eq!(told.remaining(Some(&notice("one"))), Some(Duration::ZERO));
        assert!(told.remaining(Some(&notice("two"))).unwrap() > Duration::ZERO);
        assert!(told.remaining(Some(&notice(&"long ".repeat(40)))).unwrap() > LINE);
    }
}
