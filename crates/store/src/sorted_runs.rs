//! Parts of segments as the runs of a merge: each nearly sorted, with its time range.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_time::time::NO_TIME;

use super::segment::{Part, Segment};
use super::source::{Source, effective_time};

/// Sentinel after all times.
pub(crate) const LAST: i64 = i64::MAX;

/// Part of a segment as a run of the merge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Index of the segment.
    pub(crate) segment: u32,
    /// Index of the part in the segment.
    pub(crate) part: u32,
    /// Effective time of leading records without a time, UTC ns.
    pub(crate) carry: i64,
    /// Time taken over from earlier parts of the source, UTC ns; `LAST` if they have none.
    pub(crate) inherited: i64,
    /// Smallest effective time of its rows, UTC ns.
    pub(crate) min: i64,
    /// Greatest effective time of its rows, UTC ns.
    pub(crate) max: i64,
}

/// Smallest, greatest and last time of a part, UTC ns.
struct Bounds {
    min: i64,
    max: i64,
    /// Time of the last record that has one.
    last: i64,
}

impl Bounds {
    fn compute(segment: &Segment, part: &Part, source: &Source) -> Bounds {
        let (mut min, mut max, mut last) = (LAST, NO_TIME, NO_TIME);
        segment.for_each_utc(part, source, |_, t| {
            if t != NO_TIME {
                min = min.min(t);
                max = max.max(t);
                last = t;
            }
        });
        Bounds { min, max, last }
    }
}

/// Returns all parts by (source, position in source), with the times that they take over from earlier parts.
pub(crate) fn runs(segments: &[Arc<Segment>], sources: &[Arc<Source>]) -> Vec<Run> {
    // (source, sequence number in the source, segment, part of the segment)
    let mut all: Vec<(u32, u32, u32, u32)> = Vec::new();
    for (s, segment) in segments.iter().enumerate() {
        for (p, part) in segment.parts.iter().enumerate() {
            all.push((part.source.0, part.seq, s as u32, p as u32));
        }
    }
    all.sort_unstable();
    let mut bounds: Vec<Bounds> = Vec::with_capacity(all.len());
    bounds.par_extend(all.par_iter().map(|&(source, _, segment, part)| {
        let segment = &segments[segment as usize];
        let part = &segment.parts[part as usize];
        Bounds::compute(segment, part, &sources[source as usize])
    }));
    let mut runs = Vec::with_capacity(all.len());
    let (mut carry, mut handed) = (LAST, LAST);
    for (i, (&(source, _, segment, part), bounds)) in all.iter().zip(&bounds).enumerate() {
        let Bounds { min, max, last } = *bounds;
        if i == 0 || all[i - 1].0 != source {
            let first = sources[source as usize].first();
            carry = first.unwrap_or(LAST);
            handed = LAST;
        }
        // The range includes the carry even if no row uses it; the only cost is that the run is opened early.
        runs.push(Run {
            segment,
            part,
            carry,
            inherited: handed,
            min: min.min(carry),
            max: if max == NO_TIME {
                carry
            } else {
                max.max(carry)
            },
        });
        if last != NO_TIME {
            let source = &sources[source as usize];
            let kept = source.kept_step_back();
            carry = match kept {
                0 => last,
                i64::MAX => effective_time(carry, max, kept),
                // The last effective time depends on all times of the part and on the one before it.
                _ => {
                    let (segment, part) = (&segments[segment as usize], part as usize);
                    segment.for_each_utc(&segment.parts[part], source, |_, time| {
                        carry = effective_time(carry, time, kept);
                    });
                    carry
                }
            };
            handed = carry;
        }
    }
    runs
}

/// Time taken over by each part of each segment, UTC ns.
pub(crate) fn carries(runs: &[Run], segments: &[Arc<Segment>]) -> Arc<[Arc<[i64]>]> {
    let mut out: Vec<Vec<i64>> = segments.iter().map(|s| vec![LAST; s.parts.len()]).collect();
    for run in runs {
        out[run.segment as usize][run.part as usize] = run.inherited;
    }
    out.into_iter().map(Arc::from).collect()
}
