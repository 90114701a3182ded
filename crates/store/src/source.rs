//! Sources: a log or an attachment, with its zone, counts and problems.

use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::dict::Code;
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::reader::Reader;
use widetui_source::text::Text;
use widetui_time::time::NO_TIME;

use super::part_stats::PartStats;
use super::source_traits::{SourceTrait, SourceTraits};

/// Greatest step back that keeps the order of a file with lines without a time, ns: longer than writers wait for each
/// other, shorter than what a user would call a disorder.
const UNTIMED_LINES_STEP_BACK: i64 = 500_000;

/// Effective time of a record with time `own`, if the record before it in its source has the effective time `before`
/// (the end of time for none), UTC ns. Steps back of at most `kept_step_back` keep the order of the file.
#[inline]
pub(super) fn effective_time(before: i64, own: i64, kept_step_back: i64) -> i64 {
    let is_kept =
        own < before && before != i64::MAX && before.saturating_sub(own) <= kept_step_back;
    if own == NO_TIME || is_kept {
        before
    } else {
        own
    }
}

/// Conversion of the times of a source to UTC.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Zoning {
    /// Stated by the timestamps (an epoch, an offset), or no times at all.
    #[default]
    Stated,
    /// Local times, converted with these offsets.
    Local {
        /// Offsets of the zone from UTC, s, each from a local time (ns) on; ascending, at least one.
        offsets: Vec<(i64, i32)>,
        /// Second passes of hours that clocks repeat when they are set back. Times in an hour without an entry belong
        /// to the first pass.
        second_passes: Vec<SecondHour>,
        /// Whole days added to timestamps without a date or a year, each from a local time (ns) on; ascending. None if empty.
        days: Vec<(i64, i32)>,
        /// Basis of the offsets.
        basis: ZoneBasis,
        /// Origin of the offsets, in words for the user.
        how: String,
    },
}

/// Days to add to a local time.
#[inline]
fn days_at(days: &[(i64, i32)], raw: i64) -> i64 {
    match days {
        [] => 0,
        days => {
            let after = days.partition_point(|(from, _)| *from <= raw);
            days.get(after.max(1) - 1).map_or(0, |d| i64::from(d.1))
        }
    }
}

/// Hour (or other period) that clocks repeat when they are set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondHour {
    /// First repeated local time, ns.
    pub from: i64,
    /// First local time after the repeated ones, ns.
    pub to: i64,
    /// Offset of the zone from UTC in the second pass, s.
    pub offset: i32,
    /// Byte offset in the source from which on records belong to the second pass.
    pub byte: u64,
    /// Smallest local time before that byte offset, ns; the end of time if there is none.
    pub least: i64,
    /// Greatest local time of the hour after that byte offset, ns.
    pub most: i64,
}

impl SecondHour {
    /// Whether clocks show a local time twice.
    #[inline]
    pub fn has(&self, raw: i64) -> bool {
        (self.from..self.to).contains(&raw)
    }
}

/// Basis of a zone that timestamps do not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneBasis {
    /// Option of the user.
    UserOption,
    /// Records of the run with both local time and UTC, or alignment with logs that state their zone.
    Evidence,
    /// Inferred from more distant logs; nearer logs that state their zone may overrule it.
    Inferred,
    /// None: the zone of this machine.
    LocalMachine,
}

/// Source: a log that was read, or an attachment that is listed only.
#[derive(Clone, Debug)]
pub struct Source {
    /// Index in the snapshot's table.
    pub id: SourceId,
    /// Path as the user would write it; the path of an archive member starts with the path of the archive.
    pub path: String,
    /// Short name on the screen: `w/0/1`.
    pub tag: String,
    /// Kind of source within its system, for colours: `worker`; empty if unknown.
    pub kind: String,
    /// System whose definition claims the source.
    pub system: Option<String>,
    /// Name of the layout; for an attachment its description (`pickle`, `SQLite database`).
    pub layout: String,
    /// Whether the source has records; otherwise it is an attachment.
    pub is_log: bool,
    /// Traits.
    pub traits: SourceTraits,
    /// Length, bytes.
    pub bytes: u64,
    /// Time of the last change, ns since the epoch, UTC; 0 if it is no file.
    pub modified: i64,
    /// Text, for reading records again.
    pub text: Arc<dyn Text>,
    /// Reader of its records; `None` for attachments.
    pub reader: Option<Arc<Reader>>,
    /// Keys with one value for the whole source, from its path.
    pub consts: Arc<[(KeyId, Code)]>,
    /// Conversion of its times to UTC.
    pub zoning: Zoning,
    /// Correction of its clock by the user, ns.
    pub shift: i64,
    /// Offset from UTC that its timestamps state, s; `None` if they state none, several, or UTC by its name.
    pub stated_offset: Option<i32>,
    /// Whether its times are whole seconds or have no date: records keep the order of the file.
    pub coarse: bool,
    /// Counts; times are as read (use `utc`).
    pub stats: PartStats,
    /// Problems: unreadable parts, assumptions.
    pub problems: Vec<Diagnostic>,
}

impl Source {
    /// Whether the source has a special property.
    pub fn has_trait(&self, source_trait: SourceTrait) -> bool {
        self.traits.has(source_trait)
    }

    /// Converts a time as read in this source to UTC, ns; `NO_TIME` is kept. In a repeated hour, the result is the
    /// first pass; `Segment::utc` gives the exact times of records.
    #[inline]
    pub fn utc(&self, raw: i64) -> i64 {
        self.utc_at(raw, || 0)
    }

    /// Converts the time of the record at a byte offset to UTC, ns; `NO_TIME` is kept. The offset is computed only in a
    /// repeated hour.
    #[inline]
    pub(crate) fn utc_at(&self, raw: i64, byte: impl FnOnce() -> u64) -> i64 {
        if raw == NO_TIME {
            return NO_TIME;
        }
        let offset = match &self.zoning {
            Zoning::Stated => 0,
            Zoning::Local {
                offsets,
                second_passes: again,
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
                i64::from(zone) - days_at(days, raw) * 86_400
            }
        };
        raw.saturating_sub(offset * 1_000_000_000)
            .saturating_add(self.shift)
    }

    /// Whether times were read as UTC.
    pub(crate) fn is_utc(&self) -> bool {
        matches!(self.zoning, Zoning::Stated) && self.shift == 0
    }

    /// Earliest and latest time of the records, UTC ns.
    pub fn range(&self) -> Option<(i64, i64)> {
        let (mut from, to) = self.stats.range?;
        let mut byte = 0;
        if let Zoning::Local {
            second_passes: again,
            ..
        } = &self.zoning
        {
            let twice = |raw: i64| again.iter().find(|hour| hour.has(raw));
            if let Some(hour) = twice(from) {
                // The smallest times of the hour may belong to its second pass.
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

    /// Problem that ended reading before the end of the source (truncated or damaged), with its byte offset.
    pub fn cut(&self) -> Option<&Diagnostic> {
        let is_cut = |p: &&Diagnostic| p.severity == Severity::Error && p.offset.is_some();
        self.problems.iter().find(is_cut)
    }

    /// Greatest step back of its times that keeps the order of the file, ns. Records without a time belong to their
    /// neighbours in the file, which a few microseconds between two writers must not separate.
    pub(crate) fn kept_step_back(&self) -> i64 {
        if self.coarse {
            i64::MAX
        } else if self.has_trait(SourceTrait::UntimedLines) {
            UNTIMED_LINES_STEP_BACK
        } else {
            0
        }
    }

    /// Time of the first record that has one, UTC ns.
    pub fn first(&self) -> Option<i64> {
        // If a source begins in a second pass, the pass starts at its first byte.
        self.stats.first.map(|t| self.utc(t))
    }

    /// Time of the last record that has one, in file order, UTC ns.
    pub fn last(&self) -> Option<i64> {
        self.stats.last.map(|t| self.utc_at(t, || u64::MAX))
    }
}
