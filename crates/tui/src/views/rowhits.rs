//! Marks on what was drawn of a row where a search hits it: cells are cut, stand to the right or have several looks, and a
//! hit is marked as it is seen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::Model;
use crate::text::{restyle, width};
use crate::theme::Role;
use widetui_query::Matcher;

/// Marks what a search finds in one line of the screen.
pub(super) fn mark(model: &Model, matcher: Option<&Matcher>, line: Rect, buf: &mut Buffer) {
    let line = line.intersection(buf.area);
    let Some(matcher) = matcher.filter(|_| !line.is_empty()) else {
        return;
    };
    let mut text = String::new();
    // Byte of each column, and behind the last.
    let mut starts = Vec::new();
    let mut covered = 0;
    for x in line.left()..line.right() {
        starts.push(text.len());
        if covered > 0 {
            // The second half of a wide sign.
            covered -= 1;
            continue;
        }
        let symbol = buf.cell((x, line.y)).map_or(" ", |c| c.symbol());
        covered = width(symbol).saturating_sub(1);
        text.push_str(symbol);
    }
    let style = model.screen.theme.style(Role::Match);
    for hit in matcher.ranges(&text) {
        let first = starts.partition_point(|at| *at < hit.start);
        let end = starts.partition_point(|at| *at < hit.end);
        for column in first..end {
            restyle(buf, line.x + column as u16, line.y, style);
        }
    }
}
