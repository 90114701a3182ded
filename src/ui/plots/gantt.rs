//! Bars in rows over time: who did what when.

use ratatui::buffer::Buffer;

use crate::ui::text::{glyph, put};
use crate::ui::theme::Role;
use crate::workspace::selection::Step;

use super::axis::TimeAxis;
use super::look::Looks;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Start, UTC ns.
    pub start: i64,
    /// End, UTC ns.
    pub end: i64,
    /// Whether it has no end in the data.
    pub is_open: bool,
    /// Whether its owner saw that it was lost.
    pub is_lost: bool,
    /// Index into the legend; `None` when nothing is known.
    pub colour: Option<u32>,
    /// What selects the records of what it stands for; the label is its name.
    pub step: Step,
}

/// Rows of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gantt {
    /// In the order of the rows of the table that belongs to it; bars of a row are by start and do not overlap.
    pub lanes: Vec<Vec<Bar>>,
    /// What colours stand for, and how many bars have it.
    pub legend: Vec<(String, u64)>,
    /// Columns that the widest name of a row wants.
    pub names: u16,
}

impl Gantt {
    /// The bar of a row at a moment; when none is there, the last before it.
    pub fn at(&self, lane: usize, time: i64) -> Option<&Bar> {
        let bars = self.lanes.get(lane)?;
        let after = bars.partition_point(|b| b.start <= time);
        bars.get(after.saturating_sub(1))
    }

    /// The start of the next bar of a row, or of the one before.
    pub fn beside(&self, lane: usize, time: i64, forward: bool) -> Option<i64> {
        let bars = self.lanes.get(lane)?;
        let at = match forward {
            true => bars.partition_point(|b| b.start <= time),
            false => bars.partition_point(|b| b.start < time).checked_sub(1)?,
        };
        bars.get(at).map(|b| b.start)
    }
}

/// Bars of a row are higher and lower by turns, so that neighbours of one colour are told apart.
const BODIES: [&str; 2] = ["▇", "▅"];

/// Draws a row of bars; names stand in the bars where there is room.
pub fn draw(bars: &[Bar], axis: &TimeAxis, y: u16, looks: Looks<'_>, buf: &mut Buffer) {
    let (from, to) = axis.range;
    let first = bars.partition_point(|b| b.end < from);
    // How much of the last column is covered: of bars in one column the longest is seen.
    let mut column_taken: Option<(u16, i64)> = None;
    for (at, bar) in bars.iter().enumerate().skip(first) {
        if bar.start > to {
            break;
        }
        let start = axis.column_of(bar.start.max(from));
        let mut end = axis.column_of(bar.end.min(to));
        // An end at the start of a column does not take it, unless the bar would vanish.
        if end > start && axis.stretch(end).0 >= bar.end {
            end -= 1;
        }
        let covers = |column: u16| {
            let (a, b) = axis.stretch(column);
            bar.end.min(b).saturating_sub(bar.start.max(a))
        };
        let member = bar.colour.map_or(usize::MAX, |c| c as usize);
        let style = match bar.colour {
            None => looks.theme.style(Role::Muted),
            Some(_) => looks.style(member, bar.is_lost),
        };
        for column in start..=end {
            if column_taken.is_some_and(|(c, taken)| c == column && taken >= covers(column)) {
                continue;
            }
            let symbol = match (looks.has_patterns(), bar.colour) {
                (true, Some(_)) => looks.fill(member),
                _ => BODIES[at % 2],
            };
            glyph(buf, axis.left + column, y, symbol, style);
        }
        if bar.is_lost {
            glyph(
                buf,
                axis.left + end,
                y,
                "✕",
                looks.theme.style(Role::BarsError),
            );
        } else if bar.is_open && bar.end <= to {
            glyph(buf, axis.left + end, y, "▶", style);
        }
        column_taken = Some((end, covers(end)));
    }
}

/// Writes what colours stand for from column `x` on, as far as there is room; gives the column behind.
pub fn draw_legend(
    legend: &[(String, u64)],
    (x, end, y): (u16, u16, u16),
    looks: Looks<'_>,
    buf: &mut Buffer,
) -> u16 {
    let mut x = x;
    for (member, (name, count)) in legend.iter().enumerate() {
        let text = format!("{name} {count}");
        let wanted = crate::ui::text::width(&text) as u16 + 2;
        if x + wanted + 2 > end {
            if x + 1 < end {
                x = put(buf, x, y, 1, "…", looks.theme.style(Role::Muted));
            }
            break;
        }
        glyph(buf, x, y, looks.sign(member), looks.style(member, false));
        x = put(buf, x + 2, y, wanted, &text, looks.theme.style(Role::Muted)) + 2;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Expr;
    use crate::ui::colour::Depth;
    use crate::ui::theme::Theme;
    use ratatui::layout::Rect;

    fn bar(start: i64, end: i64, colour: u32) -> Bar {
        Bar {
            start,
            end,
            is_open: end == 80,
            is_lost: false,
            colour: Some(colour),
            step: Step {
                label: start.to_string(),
                expr: Expr::All,
                thing: None,
            },
        }
    }

    fn drawn(theme: &str, range: (i64, i64)) -> String {
        let theme = Theme::named(theme, Depth::True).unwrap();
        let axis = TimeAxis {
            range,
            left: 0,
            columns: 8,
        };
        let area = Rect::new(0, 0, 8, 1);
        let mut buf = Buffer::empty(area);
        let bars = [bar(0, 20, 0), bar(20, 30, 0), bar(52, 80, 1)];
        draw(&bars, &axis, 0, Looks::new(&theme, false), &mut buf);
        (0..8).map(|x| buf[(x, 0)].symbol()).collect()
    }

    #[test]
    fn bars_stand_where_they_were() {
        assert_eq!(drawn("dark", (0, 80)), "▇▇▅  ▇▇▶");
        assert_eq!(drawn("mono", (0, 80)), "███  ▒▒▶");
        // Zoomed in, an end that lies beyond is not drawn.
        assert_eq!(drawn("dark", (0, 40)), "▇▇▇▇▅▅  ");
        assert_eq!(drawn("dark", (60, 70)), "▇▇▇▇▇▇▇▇");
    }

    #[test]
    fn the_bar_at_a_moment_is_the_one_that_began_last() {
        let gantt = Gantt {
            lanes: vec![vec![bar(0, 20, 0), bar(30, 40, 0)]],
            ..Gantt::default()
        };
        let at = |time| gantt.at(0, time).map(|b| b.start);
        assert_eq!([at(-5), at(25), at(35)], [Some(0), Some(0), Some(30)]);
        assert_eq!(gantt.beside(0, 0, true), Some(30));
        assert_eq!(gantt.beside(0, 30, false), Some(0));
        assert_eq!(gantt.beside(0, 0, false), None);
    }
}
