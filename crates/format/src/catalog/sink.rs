//! Interface through which readers deliver records.

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, ShapeId};
use widetui_core::level::Level;
use widetui_time::timeparse::{Stamp, StampZone};

/// Record without its cells.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Start of the record in its source, bytes.
    pub offset: u64,
    /// Time in ns as read: UTC if the stamps of the source have a zone, else the civil time as if it were UTC;
    /// `NO_TIME` without a time.
    pub time: i64,
    /// Shape, which defines the columns of the cells.
    pub shape: ShapeId,
    /// Values of the header that many records share; `None` if there are none.
    pub context: Option<ContextId>,
    /// Severity, used for counting.
    pub level: Level,
}

/// Receiver of records in source order.
pub trait RecordSink {
    /// One record with one code per column of its shape. `lists` contains the columns whose cell has several values.
    fn record(&mut self, head: Head, cells: &[Code], lists: &[(usize, Vec<Code>)]);

    /// Reports a continuation line of the previous record, wherever that record was read.
    fn continuation(&mut self) {}

    /// Reports a record with both an epoch time and a local one: offset of the local zone from UTC at that moment,
    /// seconds.
    fn zone_seen(&mut self, epoch: i64, offset: i32);

    /// Reports that the line at this byte does not follow the syntax of the source; it became a record without a time.
    fn unreadable(&mut self, offset: u64);

    /// Reports a run of `len` NUL bytes at this byte, where a line would start.
    fn nul_run(&mut self, _offset: u64, _len: usize) {}

    /// Reports that the record at this byte has fields without a column: their values exist in the text only.
    fn fields_left_out(&mut self, offset: u64);
}

/// Reports the offset of the local zone if a record has both times.
pub(crate) fn zone_evidence(time: Stamp, local: Stamp, sink: &mut impl RecordSink) {
    if let Some((offset, _)) = zone_offset(time, local) {
        sink.zone_seen(time.ns, offset);
    }
}

/// Offset of the local zone from UTC, seconds, by a time with a zone and a local time of about the same moment: rounded
/// to quarter hours, as zone offsets are. Also the rest of the difference, ns. `None` if the times are of other kinds.
pub fn zone_offset(time: Stamp, local: Stamp) -> Option<(i32, i64)> {
    if time.zone != StampZone::Known || local.zone != StampZone::Local {
        return None;
    }
    let quarter = 900_000_000_000i64;
    let difference = local.ns.saturating_sub(time.ns);
    let quarters = difference.saturating_add(quarter / 2).div_euclid(quarter);
    let offset = quarters.saturating_mul(900);
    let rest = difference.saturating_sub(quarters.saturating_mul(quarter));
    let offset = i32::try_from(offset).ok()?;
    (offset.unsigned_abs() <= 15 * 3600).then_some((offset, rest))
}
