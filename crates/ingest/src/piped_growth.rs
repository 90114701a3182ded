//! Reading of standard input as it arrives, whether or not following is on: unlike a file it cannot be read later.

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::load_context::Activity;
use crate::options::STDIN;
use crate::piped_input::Piped;
use crate::source_entries::{not_kept, problem};
use crate::standard_input::broke_off;
use widetui_core::diag::Severity;
use widetui_source::text::Text;
use widetui_store::Snapshot;

use crate::follower::Follower;
use crate::input_growth::Input;

/// Silence after which the reader is detected again with a short sample.
const QUIET: Duration = Duration::from_secs(2);

/// Number of bytes in one poll from which more is assumed to be waiting: pipes buffer little.
const MUCH: u64 = 1 << 20;

impl Follower {
    /// True if no more data can arrive.
    pub(crate) fn is_done(&self) -> bool {
        self.roots.is_empty() && self.piped.as_ref().is_none_or(Piped::is_done)
    }

    /// Reads new data from standard input; returns a snapshot if there was any.
    pub(crate) fn poll_piped(&mut self, now: Instant) -> Option<Arc<Snapshot>> {
        self.read_piped(now);
        self.publish(now)
    }

    /// Reads new data from standard input; returns the number of bytes.
    pub(crate) fn read_piped(&mut self, now: Instant) -> u64 {
        self.is_behind = false;
        let Some(mut piped) = self.piped.take() else {
            return 0;
        };
        let id = piped.id;
        let done = self.spool(&mut piped);
        if done > 0 {
            (piped.grew, piped.is_settled) = (Some(now), false);
            piped.lines.pause();
            not_kept(&self.shared, id, piped.lines.lost);
            self.is_changed = true;
        }
        let activity = match piped.grew {
            _ if piped.is_ended => Activity::Ended,
            Some(grew) if now.duration_since(grew) < QUIET => Activity::Writing,
            _ => Activity::Quiet,
        };
        let is_quiet = activity >= Activity::Quiet;
        if done > 0 || is_quiet && !piped.is_settled {
            let text: Arc<dyn Text> = piped.lines.text.clone();
            let input = Input {
                id,
                name: STDIN.to_owned(),
                text: &*text,
                kept: text.clone(),
                modified: 0,
                file: None,
                activity,
                is_first: false,
            };
            match self.read_input(&input, &mut piped.container, now) {
                Ok(read) => piped.is_settled = is_quiet && read.end == text.len(),
                Err(error) => problem(&self.shared, id, Severity::Error, broke_off(&error)),
            }
            self.is_changed = true;
            if piped.container.is_none() {
                self.shared.change(id, |s| s.bytes = text.len());
            }
            // Text may have been put off.
            self.is_behind = !piped.is_settled && piped.is_ended;
        }
        self.is_behind |= done >= MUCH;
        self.piped = Some(piped);
        done
    }

    /// Spools the data that is there; returns the number of bytes.
    fn spool(&mut self, piped: &mut Piped) -> u64 {
        let mut done = 0;
        let mut buffer = std::mem::take(&mut self.worker.buffer);
        buffer.resize(64 << 10, 0);
        while done < self.bytes && !piped.is_ended && !self.cancel.is_cancelled() {
            match piped.rest.read(&mut buffer) {
                Ok(0) => (piped.is_ended, piped.is_settled) = (true, false),
                Ok(n) => {
                    piped.lines.push(&buffer[..n]);
                    done += n as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => break,
                Err(error) => {
                    problem(&self.shared, piped.id, Severity::Error, broke_off(&error));
                    (piped.is_ended, piped.is_settled) = (true, false);
                    self.is_changed = true;
                }
            }
        }
        buffer.clear();
        self.worker.buffer = buffer;
        done
    }
}
