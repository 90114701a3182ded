//! The terminal as the views know it: its size, and with what they draw in it.

use widetui_tables::drawing::Drawing;

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
