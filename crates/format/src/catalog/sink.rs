//! Where parsers put what they read.

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, ShapeId};
use widetui_core::level::Level;
use widetui_time::timeparse::{Stamp, StampZone};

/// One record, without its cells.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Where it starts in its source, bytes.
    pub offset: u64,
    /// Its time in ns as read: UTC when the source's stamps know their zone, else the civil time as if it were UTC;
    /// `NO_TIME` when it has none.
    pub time: i64,
    /// How its cells are laid out.
    pub shape: ShapeId,
    /// Values of the header that many records share; `None` when there are none.
    pub context: Option<ContextId>,
    /// Severity, for counting.
    pub level: Level,
}

/// Takes records in the order of their source.
pub trait RecordSink {
    /// One record with one code per column of its shape. `lists` names columns whose cell holds several values instead.
    fn record(&mut self, head: Head, cells: &[Code], lists: &[(usize, Vec<Code>)]);

    /// A line goes on with the record before it, wherever that was read.
    fn further(&mut self) {}

    /// A record carried both an epoch time and a local one: the local zone's offset from UTC at that moment, in seconds.
    fn zone_seen(&mut self, epoch: i64, offset: i32);

    /// The line at this byte is not what the source's syntax promises; it became a record without a time.
    fn unreadable(&mut self, offset: u64);

    /// A run of `len` NUL bytes starts at this byte, where a line would.
    fn hole(&mut self, _offset: u64, _len: usize) {}

    /// The record at this byte has fields that got no column: they stand in its text only.
    fn left_out(&mut self, offset: u64);
}

/// Tells the sink the local zone's offset if a record has both times, rounded to the quarter hours that zones have.
pub(crate) fn zone_evidence(time: Stamp, local: Stamp, sink: &mut impl RecordSink) {
    if time.zone != StampZone::Known || local.zone != StampZone::Local {
        return;
    }
    let quarter = 900_000_000_000i64;
    let difference = local.ns.saturating_sub(time.ns);
    let offset = difference
        .saturating_add(quarter / 2)
        .div_euclid(quarter)
        .saturating_mul(900);
    if offset.abs() <= 15 * 3600 {
        sink.zone_seen(time.ns, offset as i32);
    }
}
