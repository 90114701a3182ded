//! Character sets for plots in a terminal.

/// Character set of plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Drawing {
    /// Braille dots, eight per cell: the highest resolution, if the font has them.
    #[default]
    Braille,
    /// Half blocks.
    Blocks,
    /// ASCII letters.
    Ascii,
}

impl Drawing {
    /// All character sets, the highest resolution first.
    pub const ALL: [Drawing; 3] = [Drawing::Braille, Drawing::Blocks, Drawing::Ascii];

    /// Name in options and settings.
    pub fn name(self) -> &'static str {
        match self {
            Drawing::Braille => "braille",
            Drawing::Blocks => "blocks",
            Drawing::Ascii => "ascii",
        }
    }

    /// Character set with a name.
    pub fn named(name: &str) -> Option<Drawing> {
        Drawing::ALL.into_iter().find(|d| d.name() == name)
    }
}
