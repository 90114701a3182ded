//! Characters with which plots are drawn in a terminal.

/// With what pictures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Drawing {
    /// Dots, eight to a cell: the finest, where the font has them.
    #[default]
    Braille,
    /// Halves of cells.
    Blocks,
    /// Letters.
    Ascii,
}

impl Drawing {
    /// All, the finest first.
    pub const ALL: [Drawing; 3] = [Drawing::Braille, Drawing::Blocks, Drawing::Ascii];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Drawing::Braille => "braille",
            Drawing::Blocks => "blocks",
            Drawing::Ascii => "ascii",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Drawing> {
        Drawing::ALL.into_iter().find(|d| d.name() == name)
    }
}
