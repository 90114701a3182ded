//! Gantt chart: rows of bars over time.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::canvas::glyph;
use widetui_analysis::timeline::{Ending, Progress, TimelineRow, lane_pieces};
use widetui_report::figure::Gantt;
use widetui_tables::plots::Tone;
use widetui_tables::role::Role;
use widetui_tables::text::width;

use super::legend::LegendEntry;
use super::member_styles::MemberStyles;
use widetui_tables::plots::TimeAxis;

/// Symbols of bars of alternating height, to separate neighbours of one colour.
const BODIES: [&str; 2] = ["▇", "▅"];

/// Symbols of what waits, failed and goes on, in themes with hues; in others, they show the members.
const WAITING: &str = "░";
const FAILED: &str = "▒";
const OPEN: &str = "▞";

/// Draws a row of bars, `lines` lines high from `y` on. Where several bars share a column, the
/// longest is drawn.
pub(crate) fn draw(
    row: &TimelineRow,
    (tones, unknown): (&[Tone], Option<u16>),
    axis: &TimeAxis,
    (y, lines): (u16, u16),
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    // The time in which the resource of the row was there.
    if let Some((from, to)) = row
        .lifetime
        .filter(|(from, to)| *from < axis.range.1 && *to > axis.range.0)
    {
        let style = styles.theme.style(Role::Rule);
        for column in axis.column_of(from.max(axis.range.0))..=axis.column_of(to.min(axis.range.1))
        {
            glyph(buf, axis.left + column, y + (lines - 1) / 2, "╌", style);
        }
    }
    let mut turn = 0;
    let mut last = None;
    for piece in lane_pieces(row, axis.range, u32::from(axis.columns)) {
        if last
            .replace(piece.bar.instance)
            .is_some_and(|of| of != piece.bar.instance)
        {
            turn += 1;
        }
        let waits = piece.bar.progress == Progress::Waiting;
        let is_lost = piece.bar.ending.is_bad();
        let member = usize::from(piece.bar.colour);
        let is_unknown = unknown == Some(piece.bar.colour);
        let style = match is_unknown && !is_lost {
            true => styles.theme.style(Role::Muted),
            false if is_lost => styles.style(member, Tone::Failure),
            false => styles.style(member, tone_of(tones, member)),
        };
        let symbol = match styles.fill_for_tones(tones, member) {
            _ if waits && !styles.has_patterns() => WAITING,
            _ if is_lost && !styles.has_patterns() => FAILED,
            _ if piece.bar.ending == Ending::Unfinished && !styles.has_patterns() => OPEN,
            fill if styles.has_patterns() && !is_unknown => fill,
            "█" => BODIES[turn % 2],
            _ if is_unknown => BODIES[turn % 2],
            dense => dense,
        };
        // With patterns, a waiting state fills only every other column.
        let step = if waits && styles.has_patterns() { 2 } else { 1 };
        for column in (piece.first_column..piece.end_column).step_by(step) {
            let x = axis.left + column as u16;
            glyph(buf, x, y, symbol, style);
            for y in y + 1..y + lines {
                let whole = if symbol == BODIES[0] || symbol == BODIES[1] {
                    "█"
                } else {
                    symbol
                };
                glyph(buf, x, y, whole, style);
            }
        }
        // Whether the end is on the screen: no end mark is drawn for a bar that is cut off.
        let ends_here = piece.bar.end <= axis.range.1;
        let end = axis.left + (piece.end_column - 1) as u16;
        match piece.bar.ending {
            Ending::Lost | Ending::Failed if ends_here => {
                glyph(buf, end, y, "✕", styles.theme.style(Role::BarsError));
            }
            Ending::Unfinished if ends_here => {
                for y in y..y + lines {
                    glyph(buf, end, y, if waits { "▷" } else { "▶" }, style);
                }
            }
            _ => {}
        }
    }
}

/// Titles of the bars of a row with the columns of the axis where they begin, as far as each has room.
pub(crate) fn titles(
    gantt: &Gantt,
    title: impl Fn(u32) -> Option<String>,
    lane: usize,
    axis: &TimeAxis,
) -> Vec<(u16, String)> {
    let mut out = Vec::new();
    let Some(row) = gantt.lanes.get(lane) else {
        return out;
    };
    let mut free = 0;
    for piece in lane_pieces(row, axis.range, u32::from(axis.columns)) {
        let (from, to) = (piece.first_column.max(free), piece.end_column);
        let room = to.saturating_sub(from) as usize;
        if room < 3 || piece.bar.ending == Ending::Continues {
            continue;
        }
        let Some(title) = title(piece.bar.instance) else {
            continue;
        };
        // Name of the state: an earlier bar of the instance may show another one.
        let what = gantt.colour_name(piece.bar.colour).unwrap_or_default();
        let long = format!("{title} {what}");
        // One word after the first one is the identifier.
        let short = title.split_once(' ').filter(|(_, id)| !id.contains(' '));
        let short = short.map_or(&title[..], |(_, id)| id);
        let fits = |text: &&str| width(text) < room;
        if let Some(text) = [&long[..], &title[..], short].into_iter().find(fits) {
            out.push((from as u16, text.to_owned()));
            free = from + width(text) as u32 + 1;
        }
    }
    out
}

fn tone_of(tones: &[Tone], member: usize) -> Tone {
    tones.get(member).copied().unwrap_or_default()
}

/// Legend symbol of a colour, and its style.
pub(crate) fn sign(
    gantt: &Gantt,
    member: usize,
    styles: MemberStyles<'_>,
) -> (&'static str, Style) {
    match gantt.unknown == Some(member as u16) {
        true => (BODIES[0], styles.theme.style(Role::Muted)),
        false => {
            let style = styles.style(member, tone_of(&gantt.tones, member));
            (styles.sign_for_tones(&gantt.tones, member), style)
        }
    }
}

/// Entries of the legend: the colours `order`.
pub(crate) fn legend(gantt: &Gantt, order: &[usize], styles: MemberStyles<'_>) -> Vec<LegendEntry> {
    let entry = |member: &usize| {
        let (name, count) = gantt.legend.get(*member)?;
        let (symbol, style) = sign(gantt, *member, styles);
        Some(LegendEntry {
            symbol,
            style,
            text: format!("{name} {count}"),
        })
    };
    order.iter().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use crate::colour::Depth;
    use crate::theme::Theme;
    use widetui_analysis::timeline::Bar;
    use widetui_app::rect::Rect;
    use widetui_core::direction::Direction;
    use widetui_tables::drawing::Drawing;

    fn row(bars: &[(i64, i64, u16)]) -> TimelineRow {
        let bar = |(of, (start, end, colour)): (u32, &(i64, i64, u16))| Bar {
            start: *start,
            end: *end,
            ending: match end {
                80 => Ending::Unfinished,
                _ => Ending::Ended,
            },
            lane: 0,
            instance: of,
            colour: *colour,
            progress: Progress::Begun,
        };
        TimelineRow {
            bars: (0..).zip(bars).map(bar).collect(),
            lanes: 1,
            ..TimelineRow::default()
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
        let mut buf = Buffer::empty(to_ratatui(area));
        let bars = row(&[(0, 20, 0), (20, 30, 0), (52, 80, 1)]);
        draw(
            &bars,
            (&[], None),
            &axis,
            (0, 1),
            MemberStyles::new(&theme, Drawing::Braille),
            &mut buf,
        );
        (0..8).map(|x| buf[(x, 0)].symbol()).collect()
    }

    #[test]
    fn bars_stand_where_they_were() {
        assert_eq!(drawn("dark", (0, 80)), "▇▇▅  ▞▞▶");
        assert_eq!(drawn("mono", (0, 80)), "███  ▒▒▶");
        // Zoomed in, an end that lies beyond is not drawn.
        assert_eq!(drawn("dark", (0, 40)), "▇▇▇▇▅▅  ");
        assert_eq!(drawn("dark", (60, 70)), "▞▞▞▞▞▞▞▞");
    }

    #[test]
    fn what_only_waits_does_not_look_as_if_it_ran() {
        let drawn = |theme: &str, drawing| -> String {
            let theme = Theme::named(theme, Depth::True).unwrap();
            let axis = TimeAxis {
                range: (0, 80),
                left: 0,
                columns: 8,
            };
            let mut buf = Buffer::empty(to_ratatui(Rect::new(0, 0, 8, 1)));
            let mut bars = row(&[(0, 20, 0), (20, 80, 0)]);
            bars.bars[1].progress = Progress::Waiting;
            let styles = MemberStyles::new(&theme, drawing);
            draw(&bars, (&[], None), &axis, (0, 1), styles, &mut buf);
            (0..8).map(|x| buf[(x, 0)].symbol()).collect()
        };
        assert_eq!(drawn("dark", Drawing::Braille), "▇▇░░░░░▷");
        assert_eq!(drawn("mono", Drawing::Braille), "███ █ █▷");
        assert_eq!(drawn("mono", Drawing::Ascii), "### # #▷");
    }

    #[test]
    fn a_bar_is_called_by_the_state_that_it_is_in() {
        let mut lane = row(&[(0, 10, 0), (10, 80, 1)]);
        lane.bars[0].ending = Ending::Continues;
        lane.bars[1].instance = 0;
        let gantt = Gantt {
            lanes: vec![lane],
            legend: vec![("PENDING".to_owned(), 1), ("RUNNING".to_owned(), 1)],
            ..Gantt::default()
        };
        let axis = TimeAxis {
            range: (0, 80),
            left: 0,
            columns: 16,
        };
        let expected = (2, " RUNNING".to_owned());
        assert_eq!(
            titles(&gantt, |_| Some(String::new()), 0, &axis),
            [expected]
        );
    }

    #[test]
    fn the_bar_at_a_moment_is_the_one_that_began_last() {
        let gantt = Gantt {
            lanes: vec![row(&[(0, 20, 0), (30, 40, 0)])],
            ..Gantt::default()
        };
        let at = |time| gantt.at(0, time).map(|b| b.start);
        assert_eq!([at(-5), at(25), at(35)], [Some(0), Some(0), Some(30)]);
        assert_eq!(gantt.adjacent_start(0, 0, Direction::Forward), Some(30));
        assert_eq!(gantt.adjacent_start(0, 30, Direction::Backward), Some(0));
        assert_eq!(gantt.adjacent_start(0, 0, Direction::Backward), None);
    }
}
