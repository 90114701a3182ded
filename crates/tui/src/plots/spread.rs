//! Bar for a distribution of durations: median, 95th percentile, maximum and mean.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::glyph;
use widetui_report::figure::Spread;

/// Draws the bar: `████▒▒▒▒╌╌╌╌`, with the mean as `◆`.
pub(crate) fn draw(spread: Spread, style: Style, faint: Style, at: Rect, buf: &mut Buffer) {
    let columns = |share: f64| {
        let share = if share.is_finite() { share } else { 0.0 };
        (share.clamp(0.0, 1.0) * f64::from(at.width)).round() as u16
    };
    let (p50, p95) = (columns(spread.p50), columns(spread.p95));
    // A value above 0 is always visible.
    let max = columns(spread.max).max(u16::from(spread.max > 0.0));
    for x in 0..max.min(at.width) {
        let (symbol, look) = match x {
            _ if x < p50 => ("█", style),
            _ if x < p95 => ("▒", style),
            _ => ("╌", faint),
        };
        glyph(buf, at.x + x, at.y, symbol, look);
    }
    let mean = columns(spread.mean).min(max.saturating_sub(1));
    if spread.mean > 0.0 && max > 2 && at.width > mean {
        glyph(buf, at.x + mean, at.y, "◆", style);
    }
}
