//! Legend of a plot in one line.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::canvas::{glyph, put};
use widetui_tables::text::width;

/// Entry of a legend.
#[derive(Clone, Debug)]
pub(crate) struct LegendEntry {
    /// Symbol of the marks.
    pub(crate) symbol: &'static str,
    /// Style of the marks.
    pub(crate) style: Style,
    /// Name.
    pub(crate) text: String,
}

impl LegendEntry {
    /// Width with its symbol and a gap, columns.
    fn columns(&self) -> u16 {
        width(&self.text) as u16 + 4
    }
}

/// Entries that have room in so many columns, with their width; a shorter one may still fit.
pub(crate) fn fitting(entries: &[LegendEntry], room: u16) -> (Vec<&LegendEntry>, u16) {
    let mut used = 0;
    let fits = |entry: &&LegendEntry| {
        let is_shown = used + entry.columns() <= room;
        used += if is_shown { entry.columns() } else { 0 };
        is_shown
    };
    let shown: Vec<&LegendEntry> = entries.iter().filter(fits).collect();
    let more = if shown.len() < entries.len() { 2 } else { 0 };
    (shown, used + more)
}

/// Draws the entries that have room in the columns `from..to`, and a sign that there are more; returns the column after them.
pub(crate) fn draw(
    entries: &[LegendEntry],
    (from, to): (u16, u16),
    y: u16,
    (text, gap): (Style, Style),
    buf: &mut Buffer,
) -> u16 {
    let (shown, _) = fitting(entries, to.saturating_sub(from));
    let mut x = from;
    for entry in &shown {
        glyph(buf, x, y, entry.symbol, entry.style);
        x = put(buf, x + 1, y, 1, " ", gap);
        x = put(buf, x, y, entry.columns(), &entry.text, text);
        x = put(buf, x, y, 2, "  ", gap);
    }
    match shown.len() < entries.len() {
        true => put(buf, x, y, to.saturating_sub(x), "… ", gap),
        false => x,
    }
}
