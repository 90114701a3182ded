//! Overview above the list: histogram of the selected records over time, errors, and the time axis.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, put_right};
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::margins;
use widetui_session::overview::OverviewHistogram;
use widetui_tables::drawing::HEIGHTS;
use widetui_tables::plots::TimeAxis;
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, width};

/// Bars of errors: another shape, to be distinguishable without colours.
const ERROR_BARS: [&str; 3] = ["╻", "┃", "█"];

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let Some(overview) = &model.overview else {
        return;
    };
    let bins = overview.events.len() as u16;
    let (before, behind) = margins(area.width);
    let room = area.width.saturating_sub(before + behind);
    if area.height < 3 || bins == 0 || bins > room {
        return;
    }
    let theme = model.theme;
    let left = area.x + before;
    let muted = theme.style(Role::Muted);
    put(buf, area.x + 1, area.y, 8, "events", muted);
    put(buf, area.x + 1, area.y + 1, 13, "warn, error", muted);
    if model.events.zoom.is_some() {
        put(buf, area.x + 1, area.bottom() - 1, 8, "zoomed", muted);
    }
    let top = |counts: &[u32]| counts.iter().copied().max().unwrap_or(0);
    let (most, most_of_all) = (top(&overview.events), top(&overview.all));
    let (most_warnings, most_errors) = (top(&overview.warnings), top(&overview.errors));
    for x in 0..bins {
        let i = usize::from(x);
        let all = overview.all.get(i).copied().unwrap_or(0);
        // Without selected records a bar shows all records in a dim style.
        if overview.events[i] > 0 {
            let marked = overview.marked[i] > 0;
            let role = if marked { Role::Marker } else { Role::Bars };
            let bar = HEIGHTS[bar_index(overview.events[i], most, HEIGHTS.len())];
            glyph(buf, left + x, area.y, bar, theme.style(role));
        } else if all > 0 {
            let bar = HEIGHTS[bar_index(all, most_of_all, HEIGHTS.len())];
            glyph(buf, left + x, area.y, bar, theme.style(Role::BarsAll));
        }
        let (warnings, errors) = (overview.warnings[i], overview.errors[i]);
        let problem = if errors > 0 {
            let bar = ERROR_BARS[bar_index(errors, most_errors, ERROR_BARS.len())];
            Some((bar, Role::BarsError))
        } else if warnings > 0 {
            let bar = HEIGHTS[bar_index(warnings, most_warnings, HEIGHTS.len() - 1)];
            Some((bar, Role::BarsWarning))
        } else {
            None
        };
        if let Some((bar, role)) = problem {
            glyph(buf, left + x, area.y + 1, bar, theme.style(role));
        }
        let stretch = Rect::new(left + x, area.y, 1, area.height);
        hits.add(stretch, Target::OverviewBar(i));
    }
    let end = area.right().saturating_sub(1);
    let from = left + bins + 1;
    let fits = model.events.highlight.as_ref().map(|h| h.fits.as_ref());
    let role = if fits.is_some() {
        Role::Marker
    } else {
        Role::Muted
    };
    let text = match fits {
        Some(Some((_, count))) => format!("● {}", format_count_in_5(*count as u64)),
        Some(None) => "● …".to_owned(),
        None => {
            let room = usize::from(end.saturating_sub(from));
            peak_label(u64::from(most), column_duration(overview), room)
        }
    };
    put_right(buf, from, end, area.y, &text, theme.style(role));
    draw_totals(model, overview, from, end, area.y + 1, buf);
    let bottom = area.bottom() - 1;
    let rows = Rect::new(area.x, area.y + 2, area.width, area.height - 3);
    super::plots::curves(model, rows, buf);
    let axis = TimeAxis {
        range: overview.range,
        left,
        columns: bins,
    };
    super::plots::draw_axis(model, &axis, bottom, buf);
    draw_marks(model, overview, left, bottom, buf);
}

/// Marks the positions of marked records by dots between the axis labels, for terminals without
/// colours.
fn draw_marks(
    model: &Scene<'_>,
    overview: &OverviewHistogram,
    left: u16,
    y: u16,
    buf: &mut Buffer,
) {
    let style = model.theme.style(Role::Marker);
    for (i, _) in overview.marked.iter().enumerate().filter(|(_, n)| **n > 0) {
        let x = left + i as u16;
        if buf.cell((x, y)).is_some_and(|c| c.symbol() == " ") {
            glyph(buf, x, y, "·", style);
        }
    }
}

fn draw_totals(
    model: &Scene<'_>,
    overview: &OverviewHistogram,
    from: u16,
    end: u16,
    y: u16,
    buf: &mut Buffer,
) {
    let sum = |v: &[u32], untimed: u32| {
        v.iter()
            .chain([&untimed])
            .map(|n| u64::from(*n))
            .sum::<u64>()
    };
    let [warnings, errors] = overview.untimed;
    let counts = [
        (sum(&overview.errors, errors), "E", Role::BarsError),
        (sum(&overview.warnings, warnings), "W", Role::BarsWarning),
    ];
    let counts = counts.iter().filter(|c| c.0 > 0);
    let texts = |format_count: fn(u64) -> String| -> Vec<(String, Role)> {
        let text = |(count, letter, role): &(u64, &str, Role)| {
            (format!("{} {letter}", format_count(*count)), *role)
        };
        counts.clone().map(text).collect()
    };
    let fits = |texts: &[(String, Role)]| {
        let columns: usize = texts.iter().map(|t| t.0.len() + 2).sum();
        columns <= usize::from(end.saturating_sub(from)) + 2
    };
    let usual = texts(format_count_in_5);
    let is_close = !fits(&usual);
    let texts = if is_close {
        texts(format_count_in_4)
    } else {
        usual
    };
    let mut end = end;
    for (text, role) in texts {
        let style = model.theme.style(role);
        let gap = if is_close { 1 } else { 2 };
        // A cut number would be misread.
        if text.len() > usize::from(end.saturating_sub(from)) {
            break;
        }
        end = put_right(buf, from, end, y, &text, style).saturating_sub(gap);
    }
}

/// Duration of one column of the overview, ns.
fn column_duration(overview: &OverviewHistogram) -> i64 {
    let (from, to) = overview.range;
    to.saturating_sub(from) / overview.events.len().max(1) as i64
}

/// Maximum number of records per column, with the duration of a column if there is room: `peak
/// 865/1.3 s`, `865/1.3 s`.
fn peak_label(most: u64, column: i64, room: usize) -> String {
    let count = format_count_in_5(most);
    if column <= 0 {
        return format!("peak {count}");
    }
    let per = format!("{count}/{}", format_duration(column));
    let told = [format!("peak {per}"), per, format!("peak {count}")];
    let fitting = told.into_iter().find(|text| width(text) <= room);
    fitting.unwrap_or(count)
}

/// Duration in one unit with about two digits.
fn format_duration(ns: i64) -> String {
    let units = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "µs"),
    ];
    let unit = units.into_iter().find(|(unit, _)| ns >= *unit);
    let (unit, name) = unit.unwrap_or((1, "ns"));
    let n = ns as f64 / unit as f64;
    match n {
        n if n < 9.95 && unit > 1 => format!("{n:.1} {name}").replace(".0 ", " "),
        n => format!("{n:.0} {name}"),
    }
}

/// Count in at most four columns.
fn format_count_in_4(n: u64) -> String {
    match n {
        0..1000 => n.to_string(),
        1000..10_000 => format!("{:.1}k", n as f64 / 1000.0),
        n => format_count_in_5(n),
    }
}

/// Count in at most five columns.
fn format_count_in_5(n: u64) -> String {
    match n {
        0..10_000 => grouped(n),
        10_000..1_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", n / 1_000_000),
    }
}

/// Index of the bar for `n` of at most `of`, on a square root scale, so that small numbers remain
/// visible.
fn bar_index(n: u32, of: u32, bars: usize) -> usize {
    let share = (f64::from(n) / f64::from(of.max(1))).sqrt();
    ((share * bars as f64).ceil() as usize).clamp(1, bars) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_says_of_how_long_it_is_where_that_has_room() {
        let second = 1_000_000_000;
        assert_eq!(peak_label(865, 1_340_000_000, 16), "peak 865/1.3 s");
        assert_eq!(peak_label(865, 1_340_000_000, 11), "865/1.3 s");
        assert_eq!(peak_label(2_156, 90 * second, 11), "2,156/1.5 m");
        assert_eq!(peak_label(2_156, 12_000_000, 10), "peak 2,156");
        assert_eq!(peak_label(7, 3 * second, 11), "peak 7/3 s");
        assert_eq!(peak_label(7, 0, 11), "peak 7");
    }
}
