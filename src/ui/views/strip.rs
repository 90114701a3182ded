//! Three lines over the list: how the selected records lie over the time of the run, the problems among them, the axis.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::base::time::{
    NS_PER_DAY, NS_PER_HOUR, NS_PER_MINUTE, NS_PER_SECOND, format_clock, format_date,
};
use crate::ui::hit::{HitMap, Target};
use crate::ui::layout::STRIP_MARGIN;
use crate::ui::model::Model;
use crate::ui::text::{glyph, grouped, put, put_right, width};
use crate::ui::theme::Role;
use crate::workspace::ask::Strip;

use super::times;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let Some(strip) = &model.strip else { return };
    let bins = strip.events.len() as u16;
    let room = area.width.saturating_sub(STRIP_MARGIN.0 + STRIP_MARGIN.1);
    if area.height < 3 || bins == 0 || bins > room {
        return;
    }
    let theme = &model.theme;
    let left = area.x + STRIP_MARGIN.0;
    let muted = theme.style(Role::Muted);
    put(buf, area.x + 1, area.y, 8, "events", muted);
    put(buf, area.x + 1, area.y + 1, 8, "problems", muted);
    let most = strip.events.iter().copied().max().unwrap_or(0);
    let problems = || strip.warnings.iter().zip(&strip.errors).map(|(w, e)| w + e);
    let most_problems = problems().max().unwrap_or(0);
    for x in 0..bins {
        let i = usize::from(x);
        let bar = |n: u32, of: u32| BARS[level(n, of)];
        if strip.events[i] > 0 {
            let bar = bar(strip.events[i], most);
            glyph(buf, left + x, area.y, bar, theme.style(Role::Bars));
        }
        let (warnings, errors) = (strip.warnings[i], strip.errors[i]);
        if warnings + errors > 0 {
            let role = if errors > 0 {
                Role::BarsError
            } else {
                Role::BarsWarning
            };
            let bar = bar(warnings + errors, most_problems);
            glyph(buf, left + x, area.y + 1, bar, theme.style(role));
        }
        let stretch = Rect::new(left + x, area.y, 1, 3);
        hits.add(stretch, Target::Stretch(i));
    }
    let end = area.right().saturating_sub(1);
    let from = left + bins + 1;
    put_right(
        buf,
        from,
        end,
        area.y,
        &format!("peak {}", short(most)),
        muted,
    );
    totals(model, strip, from, end, area.y + 1, buf);
    axis(model, strip, left, bins, area.y + 2, buf);
}

fn totals(model: &Model, strip: &Strip, from: u16, end: u16, y: u16, buf: &mut Buffer) {
    let sum = |v: &[u32]| v.iter().fold(0u32, |a, b| a.saturating_add(*b));
    let mut end = end;
    for (count, letter, role) in [
        (sum(&strip.errors), "E", Role::BarsError),
        (sum(&strip.warnings), "W", Role::BarsWarning),
    ] {
        if count > 0 {
            let text = format!("{} {letter}", short(count));
            let style = model.theme.style(role);
            end = put_right(buf, from, end, y, &text, style).saturating_sub(2);
        }
    }
}

/// A count in at most five columns.
fn short(n: u32) -> String {
    match n {
        0..10_000 => grouped(u64::from(n)),
        10_000..1_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", n / 1_000_000),
    }
}

/// Which bar stands for `n` of at most `of`. By the square root, so that few records are still told from none.
fn level(n: u32, of: u32) -> usize {
    let share = (f64::from(n) / f64::from(of.max(1))).sqrt();
    ((share * 8.0).ceil() as usize).clamp(1, 8) - 1
}

/// Steps of an axis that people count in, ns.
const TICKS: &[i64] = &[
    1_000_000,
    10_000_000,
    100_000_000,
    NS_PER_SECOND,
    2 * NS_PER_SECOND,
    5 * NS_PER_SECOND,
    10 * NS_PER_SECOND,
    20 * NS_PER_SECOND,
    30 * NS_PER_SECOND,
    NS_PER_MINUTE,
    2 * NS_PER_MINUTE,
    5 * NS_PER_MINUTE,
    10 * NS_PER_MINUTE,
    30 * NS_PER_MINUTE,
    NS_PER_HOUR,
    2 * NS_PER_HOUR,
    6 * NS_PER_HOUR,
    12 * NS_PER_HOUR,
    NS_PER_DAY,
    7 * NS_PER_DAY,
    30 * NS_PER_DAY,
    365 * NS_PER_DAY,
];

fn axis(model: &Model, strip: &Strip, left: u16, bins: u16, y: u16, buf: &mut Buffer) {
    let (from, to) = strip.range;
    let span = to.saturating_sub(from);
    if span <= 0 {
        return;
    }
    let style = model.theme.style(Role::Axis);
    let label_columns = 14;
    let most = i64::from((bins / label_columns).max(1));
    let Some(tick) = TICKS.iter().find(|t| span / **t <= most) else {
        return;
    };
    let offset = times::offset(model, from);
    let local = |t: i64| t.saturating_add(offset.saturating_mul(NS_PER_SECOND));
    // The first round time of the clock at or after the start.
    let mut at = from.saturating_add((tick - local(from).rem_euclid(*tick)) % tick);
    let digits = match *tick {
        t if t >= NS_PER_SECOND => 0,
        100_000_000 => 1,
        10_000_000 => 2,
        _ => 3,
    };
    let mut free = left;
    while at <= to {
        let offset = times::offset(model, at);
        let text = if *tick >= NS_PER_DAY {
            format_date(at, offset)
        } else {
            format_clock(at, offset, digits)
        };
        let x = left + strip.bin_of(at) as u16;
        if x >= free && x + (width(&text) as u16) < left + bins {
            glyph(buf, x, y, "╵", style);
            free = put(buf, x + 1, y, left + bins - x - 1, &text, style) + 2;
        }
        at = at.saturating_add(*tick);
    }
}

/// Columns of the strip that the rows on screen take, and that of the cursor.
pub(super) fn on_screen(model: &Model, height: u16) -> Option<(u16, u16, u16)> {
    let strip = model.strip.as_ref().filter(|s| !s.events.is_empty())?;
    let at = |row: usize| {
        let time = model.event(row)?.time()?;
        Some(STRIP_MARGIN.0 + strip.bin_of(time) as u16)
    };
    let cursor = at(model.list.cursor)?;
    let last = (model.list.top + usize::from(height))
        .min(model.len())
        .saturating_sub(1);
    let first = at(model.list.top).unwrap_or(cursor);
    let last = at(last).unwrap_or(cursor);
    Some((first.min(cursor), cursor, last.max(cursor)))
}
