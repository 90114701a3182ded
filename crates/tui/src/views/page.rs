//! A page of lines, some of which lead somewhere: what views that tell rather than list are made of.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::hit::{HitMap, Target};
use crate::list::List;
use crate::model::Pane;
use crate::shown::Shown;
use crate::text::{glyph, put, sanitise};
use crate::theme::Role;

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// As this role.
    Role(Role),
    /// As the names of this kind of sources.
    Kind(usize),
}

impl From<Role> for Paint {
    fn from(role: Role) -> Paint {
        Paint::Role(role)
    }
}

/// A line of a page, which leads to a `G`.
#[derive(Clone, Debug)]
pub(crate) struct PageLine<G> {
    /// What it says, from the left.
    pub pieces: Vec<(String, Paint)>,
    /// Whether it is the title of a part.
    pub is_title: bool,
    /// Where it leads.
    pub goal: Option<G>,
}

impl<G> PageLine<G> {
    /// The title of a part.
    pub fn title(text: impl Into<String>) -> PageLine<G> {
        PageLine {
            is_title: true,
            ..PageLine::said(text, Role::Title)
        }
    }

    /// Words that lead nowhere.
    pub fn said(text: impl Into<String>, role: Role) -> PageLine<G> {
        PageLine::of([(text.into(), role)], None)
    }

    /// Pieces, and where they lead.
    pub fn of<P: Into<Paint>>(
        pieces: impl IntoIterator<Item = (String, P)>,
        goal: Option<G>,
    ) -> PageLine<G> {
        let pieces = pieces.into_iter().map(|(text, paint)| (text, paint.into()));
        PageLine {
            pieces: pieces.collect(),
            is_title: false,
            goal,
        }
    }

    /// What it says.
    pub fn text(&self) -> String {
        let text: String = self.pieces.iter().map(|p| p.0.as_str()).collect();
        text.trim_end().to_owned()
    }
}

/// Draws what of a page the window shows; the cursor only on a line that leads somewhere, or that is searched for.
pub(super) fn draw<G>(
    model: &Shown<'_>,
    lines: &[PageLine<G>],
    list: List,
    area: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    hits.add(area, Target::List);
    let matcher = model.row_search().and_then(|s| s.matcher.as_ref());
    let theme = &model.screen.theme;
    let style = |paint: Paint| -> Style {
        match paint {
            Paint::Role(role) => theme.style(role),
            Paint::Kind(kind) => theme.tag(kind),
        }
    };
    for (y, at) in (area.y..area.bottom()).zip(list.top..lines.len()) {
        let line = &lines[at];
        let row = Rect::new(area.x, y, area.width, 1);
        hits.add(row, Target::TableRow(at));
        let mut x = area.x + 2;
        if line.is_title {
            for x in row.left()..row.right() {
                glyph(buf, x, y, "─", theme.style(Role::Rule));
            }
            x = area.x + 1;
        }
        for (text, paint) in &line.pieces {
            let text = match line.is_title {
                true => format!(" {text} "),
                false => sanitise(text).into_owned(),
            };
            let room = area.right().saturating_sub(x + 1);
            x = put(buf, x, y, room, &text, style(*paint));
        }
        let is_hit = matcher.is_some_and(|m| m.is_in(&line.text()));
        if at == list.cursor && (line.goal.is_some() || is_hit) {
            let role = match model.has_keys(Pane::List) {
                true => Role::Cursor,
                false => Role::CursorIdle,
            };
            let look = theme.style(role);
            super::mark_row(buf, row, look);
            glyph(buf, row.x, y, "▌", look.patch(theme.style(Role::Bar)));
        }
        if is_hit {
            super::rowhits::mark(model, matcher, row, buf);
        }
    }
}
