//! The terminal as the views know it: its size, and with what they draw in it.

/// The terminal, and how things are drawn in it.
#[derive(Clone, Debug)]
pub struct Screen {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Name of the theme.
    pub theme: String,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// With what pictures are drawn, where there is more than ASCII.
    pub plots_with: Drawing,
}

impl Screen {
    /// A terminal of the usual size, until it says its own.
    pub fn new(theme: &str) -> Screen {
        Screen {
            size: (80, 24),
            theme: theme.to_owned(),
            ascii: false,
            plots_with: Drawing::default(),
        }
    }

    /// With what pictures are drawn.
    pub fn drawing(&self) -> Drawing {
        match self.ascii {
            true => Drawing::Ascii,
            false => self.plots_with,
        }
    }
}

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
