//! Character sets for plots in a terminal.

/// Blocks of 1/8 to 8/8 of a cell, from below.
pub const HEIGHTS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Blocks of 1/8 to 8/8 of a cell, from the left.
pub const WIDTHS: [&str; 8] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// Block of the height of a value that is `share` of the largest one; at least 1/8.
pub fn height(share: f64) -> &'static str {
    HEIGHTS[(share * 8.0).ceil().clamp(1.0, 8.0) as usize - 1]
}

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
