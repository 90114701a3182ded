//! Lines of a page, each with styled text and an optional link.

use widetui_tables::role::Role;

/// Style of a piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceStyle {
    /// Style of a role of the theme.
    Role(Role),
    /// Colour of the kind of a source, by number.
    Kind(usize),
}

impl From<Role> for PieceStyle {
    fn from(role: Role) -> PieceStyle {
        PieceStyle::Role(role)
    }
}

/// Line of a page with an optional link of type `G`.
#[derive(Clone, Debug)]
pub struct PageLine<G> {
    /// Text pieces with their styles, from left to right.
    pub pieces: Vec<(String, PieceStyle)>,
    /// Whether the line is the title of a section.
    pub is_title: bool,
    /// Link; `None` if Enter does nothing on the line.
    pub link: Option<G>,
}

impl<G> PageLine<G> {
    /// Title line of a section.
    pub fn title(text: impl Into<String>) -> PageLine<G> {
        PageLine {
            is_title: true,
            ..PageLine::plain(text, Role::Title)
        }
    }

    /// Line of text without a link.
    pub(crate) fn plain(text: impl Into<String>, role: Role) -> PageLine<G> {
        PageLine::new([(text.into(), role)], None)
    }

    /// Line from styled pieces and an optional link.
    pub(crate) fn new<P: Into<PieceStyle>>(
        pieces: impl IntoIterator<Item = (String, P)>,
        link: Option<G>,
    ) -> PageLine<G> {
        let pieces = pieces.into_iter().map(|(text, paint)| (text, paint.into()));
        PageLine {
            pieces: pieces.collect(),
            is_title: false,
            link,
        }
    }

    /// Line of which only is known whether it has a link.
    pub(crate) fn without_target(self) -> PageLine<()> {
        let link = self.link.map(|_| ());
        let PageLine {
            pieces, is_title, ..
        } = self;
        PageLine {
            pieces,
            is_title,
            link,
        }
    }

    /// Text of the line without styles.
    pub fn text(&self) -> String {
        let text: String = self.pieces.iter().map(|p| p.0.as_str()).collect();
        text.trim_end().to_owned()
    }
}
