//! Clocks that do not agree: logs whose stamps name no zone, put by an assumed one to a time at which nothing else
//! happened.
//!
//! Nobody can tell from a stamp without a zone which one it was. But the logs of a run are written together: where those
//! without a zone lie wholly apart from those with one, and some quarters of an hour would bring them together, the zone
//! was another one.

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::folders;
use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_format::reader::Syntax;
use widetui_store::Snapshot;
use widetui_store::source::{Basis, Source, Zoning};
use widetui_time::time::format_span;
use widetui_time::zone::Zone;

mod agreement;
mod lie;
mod places;

use agreement::ZoneSide;

const SECOND: i64 = 1_000_000_000;
/// So many places are looked at for a proof; each costs a pass over the columns of all things.
const PROOFS: usize = 8;

/// That clocks do not agree, in one place of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Logs without a zone.
    pub logs: Vec<SourceId>,
    /// The folder in which they and those that have one stand, however deep; empty for all of them.
    pub folder: String,
    /// One of them, and a log that has one.
    pub example: (String, String),
    /// What their times lack, ns.
    pub lack: i64,
    /// The zone that would bring them together, seconds ahead of UTC.
    pub offset: i32,
    /// Whether they begin and end together then, so that there is hardly a doubt.
    pub is_sure: bool,
}

impl Apart {
    /// The zone that would bring them together.
    pub fn zone(&self) -> Zone {
        Zone::Fixed(self.offset)
    }
}

/// From when to when, UTC ns.
type Range = (i64, i64);

/// Where the clocks of a run do not agree, by place; nothing when they do, or nothing is known of it.
pub fn apart<'s>(sources: impl Iterator<Item = &'s Source>) -> Vec<Apart> {
    places::apart(sources, is_assumed)
}

/// Clocks that are proven to be apart by what both groups of logs of a place say about the same things; of these the logs
/// without a zone, tables among them. Nothing when nothing proves it, or when cancelled.
pub fn proven(snapshot: &Snapshot, cancel: &Cancel) -> Vec<Apart> {
    let sources = || snapshot.sources.iter().map(|s| &**s);
    let mut all = apart(sources());
    // Where only tables and JSON name no zone, what they tell of things may still prove it.
    let others = places::apart(sources(), has_assumed_zone).into_iter();
    let is_new = |other: &Apart| !all.iter().any(|a| a.folder == other.folder);
    let others: Vec<Apart> = others.filter(is_new).collect();
    all.extend(others);
    all.sort_by_key(|a| Reverse(a.logs.len()));
    all.truncate(PROOFS);
    all.into_iter()
        .map(|apart| with_tables(snapshot, apart))
        .filter(|apart| {
            let without: FxHashSet<SourceId> = apart.logs.iter().copied().collect();
            let side = |source| side(source, &without, &apart.folder);
            let sides: Vec<Option<ZoneSide>> = sources().map(side).collect();
            agreement::agree(snapshot, &sides, apart.lack, cancel)
        })
        .collect()
}

/// Together with tables of the same place that are written by the same clock: they lie where the logs lie.
fn with_tables(snapshot: &Snapshot, apart: Apart) -> Apart {
    let log = |id: &SourceId| snapshot.sources.get(id.index()).and_then(|s| range_of(s));
    let logs: Vec<Range> = apart.logs.iter().filter_map(log).collect();
    let Some((from, to)) = hull(logs.into_iter()) else {
        return apart;
    };
    let lies_there = |s: &&Arc<Source>| {
        has_assumed_zone(s)
            && folders::is_in(&s.path, &apart.folder)
            && range_of(s).is_some_and(|own| own.0 <= to && from <= own.1)
    };
    let logs = snapshot.sources.iter().filter(lies_there);
    Apart {
        logs: logs.map(|s| s.id).collect(),
        ..apart
    }
}

/// On which side of a comparison a source is.
fn side(source: &Source, without: &FxHashSet<SourceId>, folder: &str) -> Option<ZoneSide> {
    if without.contains(&source.id) {
        return Some(ZoneSide::Without);
    }
    let is_stated = matches!(source.zoning, Zoning::Stated) && source.shift == 0;
    (is_stated && folders::is_in(&source.path, folder)).then_some(ZoneSide::With)
}

/// Whether a log's zone was assumed. Tables and JSON are left out: programs often write UTC there
/// without saying so.
pub fn is_assumed(source: &Source) -> bool {
    let reader = source.reader.as_ref();
    let is_text = reader.is_some_and(|r| matches!(r.syntax, Syntax::Lines(_)));
    is_text && has_assumed_zone(source)
}

/// Whether a zone was assumed. A time of day is put to the day of the others anyway.
fn has_assumed_zone(source: &Source) -> bool {
    let is_assumed = matches!(
        &source.zoning,
        Zoning::Local {
            basis: Basis::Assumed | Basis::Borrowed,
            days: 0,
            ..
        }
    );
    is_assumed && source.shift == 0
}

/// From when to when a source goes.
fn range_of(source: &Source) -> Option<Range> {
    source.range()
}

/// From the earliest to the latest.
fn hull(mut all: impl Iterator<Item = Range>) -> Option<Range> {
    let first = all.next()?;
    Some(all.fold(first, |(from, to), own| (from.min(own.0), to.max(own.1))))
}

/// What it is, and what would help.
pub fn words(all: &[Apart]) -> Vec<String> {
    let of_place = all.len() > 1;
    all.iter().map(|apart| sentence(apart, of_place)).collect()
}

/// `of_place`: whether it holds in one folder only.
fn sentence(apart: &Apart, of_place: bool) -> String {
    let side = if apart.lack > 0 { "before" } else { "after" };
    let zone = apart.zone();
    let (own, other) = &apart.example;
    let what = match apart.logs.len() {
        1 => format!("1 log names no zone of its times ({own}): it lies"),
        n => format!(
            "{} name no zone of their times ({own}): they lie",
            several(n, "log")
        ),
    };
    let all = match of_place && !apart.folder.is_empty() {
        true => format!("all in {}", apart.folder),
        false => "all".to_owned(),
    };
    format!(
        "{what} {} {side} those that do ({other}), so ages and durations across them are wrong. With `--tz={zone}` {all} \
         lie together.",
        format_span(apart.lack.abs()),
    )
}
