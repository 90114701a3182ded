//! Level of detail: bars as screen columns; bars narrower than a column are merged and counted.

use widetui_time::timescale::part_of;

use crate::timeline::{Bar, TimelineRow};

/// Piece of a lane on the screen: one or several bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePiece {
    /// Bar that is shown: the longest one, or one that failed.
    pub bar: Bar,
    /// First screen column of the piece.
    pub first_column: u32,
    /// Column after the last one, at least `from + 1`.
    pub end_column: u32,
    /// Number of bars in the piece.
    pub count: u32,
    longest: i64,
}

/// Computes the pieces of a row for `columns` columns over a time range (UTC ns), by lane, then
/// column. Pieces of a lane share no column; every bar in the range is counted once.
pub fn lane_pieces(row: &TimelineRow, range: (i64, i64), columns: u32) -> Vec<LanePiece> {
    let mut lanes: Vec<Vec<LanePiece>> = vec![Vec::new(); row.lanes as usize];
    let columns = columns.max(1);
    // Bars of a single lane end in the order in which they start.
    let first = match row.lanes {
        1 => row.bars.partition_point(|b| b.end < range.0),
        _ => 0,
    };
    let from_there = row.bars.get(first..).unwrap_or_default();
    for bar in from_there.iter().take_while(|b| b.start <= range.1) {
        let (Some((from, to)), Some(lane)) = (
            bar_columns(bar, range, columns),
            lanes.get_mut(bar.lane as usize),
        ) else {
            continue;
        };
        let length = bar.end.min(range.1).saturating_sub(bar.start.max(range.0));
        let mut piece = LanePiece {
            bar: *bar,
            first_column: from,
            end_column: to,
            count: 1,
            longest: length,
        };
        match lane.last_mut() {
            Some(last) if last.end_column > piece.first_column => {
                // The column is taken: a longer bar gets the remaining columns.
                if piece.end_column > last.end_column {
                    piece.first_column = last.end_column;
                    lane.push(piece);
                    continue;
                }
                last.count += 1;
                // A failure in a column stays visible among other bars. A wide piece keeps its colour: the other bar is hidden
                // in its last column.
                let is_narrow = last.end_column - last.first_column == 1;
                let (was_bad, is_bad) = (last.bar.ending.is_bad(), bar.ending.is_bad());
                let is_shown = match is_narrow && was_bad != is_bad {
                    true => is_bad,
                    false => length > last.longest,
                };
                if is_shown {
                    last.bar = *bar;
                }
                last.longest = last.longest.max(length);
            }
            _ => lane.push(piece),
        }
    }
    lanes.concat()
}

/// Columns of a bar; `None` outside of the range.
fn bar_columns(bar: &Bar, (from, to): (i64, i64), columns: u32) -> Option<(u32, u32)> {
    if bar.end < from || bar.start > to {
        return None;
    }
    let column = |time: i64| part_of((from, to), time, columns);
    let start = column(bar.start);
    // The end of a bar is exclusive.
    let end = column(bar.end.min(to).saturating_sub(1).max(bar.start));
    Some((start, end.max(start) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Ending, Progress};
    use proptest::prelude::*;

    fn row(intervals: &[(i64, i64)]) -> TimelineRow {
        let (lanes, number) = crate::timeline::pack_lanes(intervals.iter().copied());
        let bars = intervals.iter().zip(lanes).enumerate();
        TimelineRow {
            name: String::new(),
            values: Vec::new(),
            lifetime: None,
            lanes: number,
            bars: bars
                .map(|(of, ((start, end), lane))| Bar {
                    start: *start,
                    end: *end,
                    ending: Ending::Ended,
                    lane,
                    instance: of as u32,
                    colour: of as u16,
                    progress: Progress::Begun,
                })
                .collect(),
        }
    }

    proptest! {
        #[test]
        fn every_bar_is_counted_once_and_no_column_twice(
            mut intervals in proptest::collection::vec((0i64..100, 0i64..30), 0..40),
            columns in 1u32..20,
            from in 0i64..50,
            width in 1i64..60,
        ) {
            intervals.sort_unstable();
            let intervals: Vec<(i64, i64)> = intervals.into_iter().map(|(s, l)| (s, s + l)).collect();
            let to = from + width;
            let pieces = lane_pieces(&row(&intervals), (from, to), columns);
            let inside = intervals.iter().filter(|(s, e)| *e >= from && *s <= to).count() as u32;
            prop_assert_eq!(pieces.iter().map(|p| p.count).sum::<u32>(), inside);
            for pair in pieces.windows(2) {
                prop_assert!(pair[0].bar.lane < pair[1].bar.lane || pair[0].end_column <= pair[1].first_column);
            }
            prop_assert!(pieces.iter().all(|p| p.first_column < p.end_column && p.end_column <= columns));
        }
    }

    #[test]
    fn narrow_bars_are_merged_in_the_colour_of_the_longest() {
        let pieces = lane_pieces(&row(&[(0, 1), (2, 5), (6, 7), (10, 40)]), (0, 100), 10);
        let shown: Vec<_> = pieces
            .iter()
            .map(|p| (p.first_column, p.end_column, p.count, p.bar.colour))
            .collect();
        assert_eq!(shown, [(0, 1, 3, 1), (1, 4, 1, 3)]);
    }

    #[test]
    fn a_failure_stays_visible_in_a_merged_column() {
        let mut row = row(&[(0, 10), (10, 11), (11, 30)]);
        row.bars[1].ending = Ending::Failed;
        let endings = |row: &TimelineRow| -> Vec<Ending> {
            lane_pieces(row, (0, 1000), 10)
                .iter()
                .map(|p| p.bar.ending)
                .collect()
        };
        assert_eq!(endings(&row), [Ending::Failed]);
        // A bar that is wide enough shows its own ending.
        let pieces = lane_pieces(&row, (0, 30), 3);
        assert_eq!(pieces.first().map(|p| p.bar.ending), Some(Ending::Ended));
    }
}
