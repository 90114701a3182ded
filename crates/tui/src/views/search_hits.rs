//! Highlighting of search hits in a drawn row, as it is visible: cells may be cut, right-aligned or
//! styled.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{area_of, restyle};
use widetui_query::Matcher;
use widetui_tables::role::Role;
use widetui_tables::text::width;

/// Highlights the search hits in one line of the screen.
pub(super) fn mark(model: &Scene<'_>, matcher: Option<&Matcher>, line: Rect, buf: &mut Buffer) {
    let line = line.intersection(area_of(buf));
    let Some(matcher) = matcher.filter(|_| !line.is_empty()) else {
        return;
    };
    let mut text = String::new();
    // Byte offset of each column, and of the end.
    let mut starts = Vec::new();
    let mut covered = 0;
    for x in line.left()..line.right() {
        starts.push(text.len());
        if covered > 0 {
            // Second half of a wide character.
            covered -= 1;
            continue;
        }
        let symbol = buf.cell((x, line.y)).map_or(" ", |c| c.symbol());
        covered = width(symbol).saturating_sub(1);
        text.push_str(symbol);
    }
    let style = model.theme.style(Role::Match);
    for hit in matcher.ranges(&text) {
        let first = starts.partition_point(|at| *at < hit.start);
        let end = starts.partition_point(|at| *at < hit.end);
        for column in first..end {
            restyle(buf, line.x + column as u16, line.y, style);
        }
    }
}
