//! Drawing primitives: text and symbols are written into the buffer within its bounds and without
//! control characters.
//!
//! All text is drawn by [`put`], which calls [`sanitise`]; views do not access the buffer otherwise
//! (a test checks their source code).

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use widetui_app::rect::Rect;
use widetui_tables::drawing::{Drawing, WIDTHS};
use widetui_tables::text::{cut, sanitise, skip_columns, width};

/// Area of a buffer.
pub(crate) fn area_of(buf: &Buffer) -> Rect {
    let area = buf.area;
    Rect::new(area.x, area.y, area.width, area.height)
}

/// Converts a rectangle to its ratatui type.
pub(crate) fn to_ratatui(area: Rect) -> ratatui::layout::Rect {
    ratatui::layout::Rect::new(area.x, area.y, area.width, area.height)
}

/// Draws text in at most `room` columns, clipped to the buffer; text that does not fit ends in `…`.
/// Returns the column after the last one drawn.
pub(crate) fn put(buf: &mut Buffer, x: u16, y: u16, room: u16, text: &str, style: Style) -> u16 {
    put_from(buf, x, y, room, text, 0, style)
}

/// Draws a horizontal bar of a share of `area`, in its first row; returns the column after it. A share above 0 is always
/// visible.
pub(crate) fn bar(buf: &mut Buffer, area: Rect, share: f64, drawing: Drawing, style: Style) -> u16 {
    let all = f64::from(area.width) * 8.0;
    let eighths = (share.clamp(0.0, 1.0) * all).round() as u32;
    let eighths = eighths.max(u32::from(share > 0.0));
    // Rounded up to the resolution of the drawing characters.
    let eighths = match drawing {
        Drawing::Braille => eighths,
        Drawing::Blocks => eighths.next_multiple_of(4),
        Drawing::Ascii => eighths.next_multiple_of(8),
    };
    for x in 0..area.width {
        match eighths.saturating_sub(u32::from(x) * 8).min(8) as usize {
            0 => return area.x + x,
            here => glyph(buf, area.x + x, area.y, WIDTHS[here - 1], style),
        }
    }
    area.right()
}

/// Draws text like [`put`], without its first `skip` columns.
pub(crate) fn put_from(
    buf: &mut Buffer,
    x: u16,
    y: u16,
    room: u16,
    text: &str,
    skip: usize,
    style: Style,
) -> u16 {
    let area = buf.area;
    if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
        return x;
    }
    let room = usize::from(room.min(area.right() - x));
    let text = sanitise(text);
    let text = if skip == 0 {
        text
    } else {
        Cow::Owned(skip_columns(&text, skip))
    };
    let shown = cut(&text, room);
    let (end, _) = buf.set_stringn(x, y, &*shown, room, style);
    // Attributes of the previous content would be combined with the new ones, such as bold with
    // faint.
    (x..end).for_each(|x| restyle(buf, x, y, style));
    end
}

/// Replaces the style of a cell including all attributes; no effect outside the buffer.
pub(crate) fn restyle(buf: &mut Buffer, x: u16, y: u16, style: Style) {
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.set_style(style);
        cell.modifier = style.add_modifier;
    }
}

/// Draws a fixed symbol; no effect outside the buffer.
pub(crate) fn glyph(buf: &mut Buffer, x: u16, y: u16, symbol: &'static str, style: Style) {
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.set_symbol(symbol);
    }
    restyle(buf, x, y, style);
}

/// Draws text right-aligned, ending before column `end` and not left of `from`. Returns its first
/// column.
pub(crate) fn put_right(
    buf: &mut Buffer,
    from: u16,
    end: u16,
    y: u16,
    text: &str,
    style: Style,
) -> u16 {
    let wanted = u16::try_from(width(text)).unwrap_or(u16::MAX);
    let start = end.saturating_sub(wanted).max(from);
    put(buf, start, y, end.saturating_sub(start), text, style);
    start
}

/// Replacement of a symbol on terminals that have ASCII only.
pub(crate) fn ascii_symbol(symbol: &str) -> &'static str {
    match symbol {
        "─" | "━" | "═" | "–" | "╌" | "−" => "-",
        "│" | "┃" | "▌" | "▎" | "┆" | "▏" | "▍" | "▕" => "|",
        "╻" | "╸" => "!",
        "Δ" => "d",
        "╵" => "'",
        "▲" => "^",
        "›" | "→" | "▸" | "»" | "⇒" => ">",
        "⟵" | "←" | "‹" => "<",
        "↑" => "^",
        "↓" | "▼" => "v",
        "…" => "~",
        "·" | "▁" | "⋅" => ".",
        "▂" | "▃" => ":",
        "▄" | "▅" => "+",
        "▆" | "▇" | "▀" => "*",
        "█" | "■" | "▉" | "▊" | "▋" | "▓" => "#",
        "▒" => "=",
        "░" => "-",
        "▶" | "▷" => ">",
        "▞" => "/",
        "◀" => "<",
        "✕" | "×" => "x",
        "◆" | "●" => "*",
        "✎" | "“" | "”" | "„" => "\"",
        "‘" | "’" => "'",
        "○" => "o",
        "⚠" => "!",
        "µ" => "u",
        "╭" | "╮" | "╰" | "╯" | "╟" | "╢" | "├" | "┤" | "┼" | "┴" | "┬" | "└" | "┘" | "┌" | "┐" => {
            "+"
        }
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_core::words::is_format_control;

    fn harmless(c: char) -> bool {
        !c.is_control() && !is_format_control(c)
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_is_drawn(bytes in prop::collection::vec(any::<u8>(), 0..200), skip in 0usize..20, room in 0u16..40) {
            let text = String::from_utf8_lossy(&bytes);
            prop_assert!(sanitise(&text).chars().all(harmless));
            let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 30, 1));
            put_from(&mut buf, 3, 0, room, &text, skip, Style::new());
            prop_assert!(buf.content.iter().all(|c| c.symbol().chars().all(harmless)));
        }
    }
}
