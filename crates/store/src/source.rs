//! What the store knows about a source.

use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::dict::Code;
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::reader::Reader;
use widetui_source::text::Text;
use widetui_time::time::NO_TIME;

use super::nature::{Nature, Natures};
use super::partstats::PartStats;

/// How the times of a source became UTC.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Zoning {
    /// Its stamps say it (an epoch, an offset), or it has no times.
    #[default]
    Stated,
    /// Civil times, taken with these offsets.
    Local {
        /// From this civil time (ns) on, the zone's offset from UTC in seconds; ascending, at least one.
        offsets: Vec<(i64, i32)>,
        /// Of the hours that clocks show twice when they are set back: from where on in the source a time is in the second
        /// one. Of an hour that is not here, all times are in the first.
        again: Vec<SecondHour>,
        /// Whole days added to stamps that have no date.
        days: i32,
        /// What they rest on.
        basis: Basis,
        /// Where the offsets come from, in words for the user.
        how: String,
    },
}

/// An hour (or what else clocks are set back by) that clocks show a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondHour {
    /// The first civil time that is shown twice, ns.
    pub from: i64,
    /// The first one after it that is not, ns.
    pub to: i64,
    /// The zone's offset from UTC in the second one, seconds.
    pub offset: i32,
    /// The byte of the source from which on its records are in the second one.
    pub byte: u64,
    /// The smallest of all civil times before that byte, ns; the end of time without one.
    pub least: i64,
    /// The greatest civil time of the hour behind it, ns.
    pub most: i64,
}

impl SecondHour {
    /// Whether clocks show a civil time twice then.
    #[inline]
    pub fn has(&self, raw: i64) -> bool {
        (self.from..self.to).contains(&raw)
    }
}

/// What is known of a zone that stamps do not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The user said it.
    Given,
    /// Records of the run that have both times show it, or where it lies beside logs that name their zone.
    Shown,
    /// Records show it that stand further off than logs which name their zone: these may tell better.
    Borrowed,
    /// Nothing says it: that of the machine.
    Assumed,
}

/// One source: a log that was read, or an attachment that is only listed.
#[derive(Clone, Debug)]
pub struct Source {
    /// Index in the snapshot's table.
    pub id: SourceId,
    /// Path as the user would name it; a member of an archive has the archive's path in front.
    pub path: String,
    /// Short name for the pane: `w/0/1`.
    pub tag: String,
    /// Kind of source within its system, for colours: `worker`; empty when unknown.
    pub kind: String,
    /// The system whose definition claims it.
    pub system: Option<String>,
    /// Name of its layout; for an attachment what it is (`pickle`, `SQLite database`).
    pub layout: String,
    /// Whether it has records (else it is an attachment).
    pub is_log: bool,
    /// What is special about it.
    pub natures: Natures,
    /// Length in bytes.
    pub bytes: u64,
    /// When it was last written as far as known, ns since the epoch, UTC; 0 for what is no file.
    pub modified: i64,
    /// Where its text is read again.
    pub text: Arc<dyn Text>,
    /// How its records are read again; `None` for attachments.
    pub reader: Option<Arc<Reader>>,
    /// Keys with one value for the whole source, from its path.
    pub consts: Arc<[(KeyId, Code)]>,
    /// How its times became UTC.
    pub zoning: Zoning,
    /// Added to its times by the user, ns.
    pub shift: i64,
    /// Its times have whole seconds only, or no date: records keep the order of the file.
    pub coarse: bool,
    /// Counts; times as read (use `utc`).
    pub stats: PartStats,
    /// What could not be read, what was assumed.
    pub problems: Vec<Diagnostic>,
}

impl Source {
    /// Whether this is special about it.
    pub fn is(&self, nature: Nature) -> bool {
        self.natures.has(nature)
    }

    /// A time as read in this source, as UTC ns; `NO_TIME` stays. Of an hour that clocks show twice, the first: times of
    /// records are told by `Segment::utc`.
    #[inline]
    pub fn utc(&self, raw: i64) -> i64 {
        self.utc_at(raw, || 0)
    }

    /// The time of the record at a byte, as read, as UTC ns; `NO_TIME` stays. Where it stands is seldom asked for.
    #[inline]
    pub(crate) fn utc_at(&self, raw: i64, byte: impl FnOnce() -> u64) -> i64 {
        if raw == NO_TIME {
            return NO_TIME;
        }
        let offset = match &self.zoning {
            Zoning::Stated => 0,
            Zoning::Local {
                offsets,
                again,
                days,
                ..
            } => {
                let twice = again.iter().find(|hour| hour.has(raw));
                let zone = match twice.filter(|hour| byte() >= hour.byte) {
                    Some(hour) => hour.offset,
                    None => {
                        let after = offsets.partition_point(|(from, _)| *from <= raw);
                        offsets.get(after.max(1) - 1).map_or(0, |o| o.1)
                    }
                };
                i64::from(zone) - i64::from(*days) * 86_400
            }
        };
        raw.saturating_sub(offset * 1_000_000_000)
            .saturating_add(self.shift)
    }

    /// Whether its times are UTC as they were read.
    pub(crate) fn is_utc(&self) -> bool {
        matches!(self.zoning, Zoning::Stated) && self.shift == 0
    }

    /// Earliest and latest time of its records, UTC ns.
    pub fn range(&self) -> Option<(i64, i64)> {
        let (mut from, to) = self.stats.range?;
        let mut byte = 0;
        if let Zoning::Local { again, .. } = &self.zoning {
            let twice = |raw: i64| again.iter().find(|hour| hour.has(raw));
            if let Some(hour) = twice(from) {
                // The smallest times of the hour may be those of the second one.
                match hour.least {
                    i64::MAX => byte = hour.byte,
                    least => from = least,
                }
            }
            if let Some(hour) = twice(to) {
                let latest = self.utc_at(hour.most, || hour.byte);
                return Some((self.utc_at(from, || byte), latest));
            }
        }
        Some((self.utc_at(from, || byte), self.utc(to)))
    }

    /// What says that it could not be read to its end, with the byte where that was: it is cut, or broken from there on.
    pub fn cut(&self) -> Option<&Diagnostic> {
        let is_cut = |p: &&Diagnostic| p.severity == Severity::Error && p.offset.is_some();
        self.problems.iter().find(is_cut)
    }

    /// Time of the first record that has one, UTC ns.
    pub fn first(&self) -> Option<i64> {
        // Where a source begins with a second hour, that is from its first byte on.
        self.stats.first.map(|t| self.utc(t))
    }

    /// Time of the last record that has one, in file order, UTC ns.
    pub fn last(&self) -> Option<i64> {
        self.stats.last.map(|t| self.utc_at(t, || u64::MAX))
    }
}
