//! The day of logs that tell only the time of day.
//!
//! Such stamps are first taken to be near the time at which their file was last written. That is wrong for files that
//! were copied or checked out since; what stands beside them in the same folders tells better.

use crate::base::folders;
use crate::store::source::{Source, Zoning};

const DAY: i64 = 86_400_000_000_000;

/// Moves sources whose stamps have no date by whole days to where the dated sources nearest in the tree are, unless they
/// are there.
pub(super) fn date(sources: &mut [Source], undated: &[bool]) {
    if !undated.contains(&true) {
        return;
    }
    let dated = dated(sources.iter().zip(undated.iter().copied()));
    for (source, _) in sources.iter_mut().zip(undated).filter(|(_, u)| **u) {
        to_day_of(source, &dated);
    }
}

/// Paths of dated sources, and from when to when they go, UTC ns.
pub(super) type Dated = Vec<(String, (i64, i64))>;

/// Of some sources those whose stamps have dates.
pub(super) fn dated<'s>(sources: impl Iterator<Item = (&'s Source, bool)>) -> Dated {
    let dated = sources.filter(|(_, undated)| !undated);
    dated
        .filter_map(|(s, _)| Some((s.path.clone(), utc(s)?)))
        .collect()
}

/// Moves a source whose stamps have no date to where the dated ones nearest in the tree are.
pub(super) fn to_day_of(source: &mut Source, dated: &Dated) {
    let Some(own) = utc(source) else { return };
    let Some((path, range)) = nearest(dated, &source.path) else {
        return;
    };
    let moved = days_to(own, range);
    if let Zoning::Local { days, how, .. } = &mut source.zoning
        && moved != 0
    {
        *days = moved;
        *how = format!("{how}; the day as in {path}");
    }
}

/// Earliest and latest time of a source, UTC ns.
fn utc(source: &Source) -> Option<(i64, i64)> {
    let (from, to) = source.stats.range?;
    Some((source.utc(from), source.utc(to)))
}

/// The time in which the dated sources that share most folders with a path lie, and one of these sources.
fn nearest<'d>(dated: &'d [(String, (i64, i64))], path: &str) -> Option<(&'d str, (i64, i64))> {
    let mut best: Option<(usize, &str, (i64, i64))> = None;
    for (other, range) in dated {
        let shared = folders::shared(other, path);
        best = Some(match best {
            Some((most, name, (from, to))) if most == shared => {
                (most, name, (from.min(range.0), to.max(range.1)))
            }
            Some(known) if known.0 > shared => known,
            _ => (shared, other, *range),
        });
    }
    best.map(|(_, name, range)| (name, range))
}

/// How many days to move a time so that it comes to lie in another, or as near as whole days allow; none when the two
/// are less than half a day apart.
fn days_to(own: (i64, i64), range: (i64, i64)) -> i32 {
    let apart = range
        .0
        .saturating_sub(own.1)
        .max(own.0.saturating_sub(range.1));
    if apart < DAY / 2 {
        return 0;
    }
    let middle = own.0.midpoint(own.1);
    let wanted = middle.clamp(range.0, range.1);
    let difference = wanted.saturating_sub(middle);
    let days = difference.saturating_add(DAY / 2).div_euclid(DAY);
    i32::try_from(days).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = DAY / 24;

    #[test]
    fn a_time_of_day_comes_to_the_day_of_its_neighbours() {
        let run = (100 * DAY + 20 * HOUR, 100 * DAY + 22 * HOUR);
        assert_eq!(
            days_to((123 * DAY + 21 * HOUR, 123 * DAY + 22 * HOUR), run),
            -23
        );
        assert_eq!(
            days_to((90 * DAY + 21 * HOUR, 90 * DAY + 22 * HOUR), run),
            10
        );
        // In it, or near it: an output may go on for a while.
        assert_eq!(
            days_to((100 * DAY + 21 * HOUR, 100 * DAY + 23 * HOUR), run),
            0
        );
        assert_eq!(
            days_to((101 * DAY + 3 * HOUR, 101 * DAY + 4 * HOUR), run),
            0
        );
        // A run of several days: the end that is nearer to what the file's age said.
        let long = (100 * DAY, 105 * DAY);
        assert_eq!(days_to((110 * DAY + HOUR, 110 * DAY + HOUR), long), -5);
    }

    #[test]
    fn the_nearest_in_the_tree_count() {
        let dated = [
            ("x/000/parsl.log".to_owned(), (1, 2)),
            ("x/001/parsl.log".to_owned(), (10, 20)),
            ("x/001/htex/interchange.log".to_owned(), (5, 15)),
        ];
        assert_eq!(
            nearest(&dated, "x/001/submit/a.err"),
            Some(("x/001/parsl.log", (5, 20)))
        );
        assert_eq!(nearest(&[], "a"), None);
    }
}
