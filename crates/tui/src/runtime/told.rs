//! How long what the program says stands where the keys are named.

use std::time::{Duration, Instant};

use widetui_app::said::Notice;

/// Long enough for a line.
const LINE: Duration = Duration::from_secs(6);
/// What went wrong stands longer.
const ALERT: Duration = Duration::from_secs(20);

/// What the program says, and since when.
#[derive(Debug, Default)]
pub(super) struct Told {
    notice: Option<(Notice, Instant)>,
}

impl Told {
    /// How long what is said now still stands; `None` while nothing is said.
    pub(super) fn left(&mut self, notice: Option<&Notice>) -> Option<Duration> {
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
        // Twice as long for what takes two lines.
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
        let mut told = Told::default();
        assert_eq!(told.left(None), None);
        let first = told.left(Some(&notice("one"))).unwrap();
        assert!(first <= LINE && told.left(Some(&notice("one"))).unwrap() <= first);
        told.notice = Some((notice("one"), Instant::now() - 2 * LINE));
        assert_eq!(told.left(Some(&notice("one"))), Some(Duration::ZERO));
        assert!(told.left(Some(&notice("two"))).unwrap() > Duration::ZERO);
        assert!(told.left(Some(&notice(&"long ".repeat(40)))).unwrap() > LINE);
    }
}
