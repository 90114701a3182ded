//! Clock disagreements: logs whose timestamps have no zone, placed by an assumed zone at a time
//! without any other activity.
//!
//! A timestamp without a zone does not reveal its zone, but the logs of a run are written together:
//! if the logs without a zone do not overlap with those with a zone, and a shift by some quarters
//! of an hour makes them overlap, the assumed zone is wrong.

use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_format::reader::Syntax;
use widetui_store::SourceTrait;
use widetui_store::source::{Source, ZoneBasis, Zoning};
use widetui_time::time::format_span;
use widetui_time::zone::Zone;

mod folder_groups;
mod relative_position;
pub(crate) mod shared_instances;

const SECOND: i64 = 1_000_000_000;

/// Disagreement of clocks among the logs of one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockOffset {
    /// Logs whose timestamps have no zone.
    pub(crate) logs: Vec<SourceId>,
    /// Folder that contains these logs and logs with a zone, at any depth; empty for the root.
    pub(crate) folder: String,
    /// Tag of a log without a zone, and of a log with one.
    pub(crate) example: (String, String),
    /// Correction to add to the times of these logs, ns.
    pub correction: i64,
    /// Zone that explains the disagreement, seconds ahead of UTC.
    pub(crate) offset: i32,
    /// True if there is hardly a doubt: both groups of logs begin and end together after the correction, or the logs with
    /// a zone state this one.
    pub(crate) is_sure: bool,
    /// True if the logs with a zone state this one.
    pub(crate) is_stated: bool,
}

impl ClockOffset {
    /// Zone that explains the disagreement.
    pub fn zone(&self) -> Zone {
        Zone::Fixed(self.offset)
    }
}

/// Time range: first and last time, UTC ns.
type Range = (i64, i64);

/// Finds clock disagreements by folder; empty if clocks agree or cannot be compared.
pub fn find_offsets<'s>(sources: impl Iterator<Item = &'s Source>) -> Vec<ClockOffset> {
    folder_groups::find_offsets(sources, is_assumed)
}

/// Clock disagreements with hardly a doubt: those of text logs, and those of logs of JSON records beside them. JSON logs are
/// compared apart, since their programs may write UTC where text has the zone of the machine.
pub(crate) fn find_sure_offsets<'s>(sources: impl Iterator<Item = &'s Source>) -> Vec<ClockOffset> {
    let sources: Vec<&Source> = sources.collect();
    let of = |chosen| folder_groups::find_offsets(sources.iter().copied(), chosen);
    let mut found = of(is_assumed);
    found.extend(of(is_assumed_json));
    found.retain(|offset| offset.is_sure);
    found
}

/// Whether the zone of a text log was assumed. Excludes tables and JSON: programs often write UTC
/// there without stating it.
pub(crate) fn is_assumed(source: &Source) -> bool {
    let reader = source.reader.as_ref();
    let is_text = reader.is_some_and(|r| matches!(r.syntax, Syntax::Lines(_)));
    is_text && has_assumed_zone(source)
}

/// True if the zone of a log of JSON records was assumed. Excludes tables.
fn is_assumed_json(source: &Source) -> bool {
    let reader = source.reader.as_ref();
    let is_json = reader.is_some_and(|r| matches!(r.syntax, Syntax::Json(_)));
    is_json && !source.has_trait(SourceTrait::Table) && has_assumed_zone(source)
}

/// True if the zone of a source was assumed. Excludes times whose day or year is that of other logs: they are placed among
/// them anyway.
fn has_assumed_zone(source: &Source) -> bool {
    let is_assumed = matches!(
        &source.zoning,
        Zoning::Local {
            basis: ZoneBasis::LocalMachine | ZoneBasis::Inferred,
            days,
            ..
        } if days.is_empty()
    );
    is_assumed && source.shift == 0
}

/// Time range of a source, UTC ns.
fn range_of(source: &Source) -> Option<Range> {
    source.range()
}

/// Smallest range that contains all ranges; `None` without any.
fn hull(mut all: impl Iterator<Item = Range>) -> Option<Range> {
    let first = all.next()?;
    Some(all.fold(first, |(from, to), own| (from.min(own.0), to.max(own.1))))
}

/// Messages about clock disagreements with the option that corrects them, one per folder.
pub fn words(all: &[ClockOffset]) -> Vec<String> {
    let of_place = all.len() > 1;
    all.iter()
        .map(|clock_offset| sentence(clock_offset, of_place))
        .collect()
}

/// Message about one disagreement; `of_place`: several folders have one, so name the folder.
fn sentence(clock_offset: &ClockOffset, of_place: bool) -> String {
    let side = if clock_offset.correction > 0 {
        "before"
    } else {
        "after"
    };
    let zone = clock_offset.zone();
    let (own, other) = &clock_offset.example;
    let what = match clock_offset.logs.len() {
        1 => format!("The times of 1 log have no zone ({own}): they are"),
        n => format!(
            "The times of {} have no zone ({own}): they are",
            several(n, "log")
        ),
    };
    let all = match of_place && !clock_offset.folder.is_empty() {
        true => format!("the logs in {}", clock_offset.folder),
        false => "they".to_owned(),
    };
    format!(
        "{what} {} {side} the logs with a zone ({other}), so ages and durations across logs are wrong. With `--tz={zone}` {all} \
         overlap.",
        format_span(clock_offset.correction.abs()),
    )
}
