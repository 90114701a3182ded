//! A page of lines, some of which lead somewhere: what views that tell rather than list are made of.

use widetui_tables::role::Role;

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
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
pub struct PageLine<G> {
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
