//! Properties of the terminal that views depend on: size, theme and drawing characters.

use widetui_tables::drawing::Drawing;

/// Size of the terminal, and drawing options.
#[derive(Clone, Debug)]
pub struct Screen {
    /// Number of columns and rows.
    pub size: (u16, u16),
    /// Name of the theme.
    pub theme: String,
    /// Whether to draw with ASCII characters only.
    pub ascii: bool,
    /// Characters that draw plots unless `ascii` is set.
    pub plots_with: Drawing,
}

impl Screen {
    /// Terminal of 80 x 24, until the real size is known.
    pub(crate) fn new(theme: &str) -> Screen {
        Screen {
            size: (80, 24),
            theme: theme.to_owned(),
            ascii: false,
            plots_with: Drawing::default(),
        }
    }

    /// Characters that draw plots.
    pub fn drawing(&self) -> Drawing {
        match self.ascii {
            true => Drawing::Ascii,
            false => self.plots_with,
        }
    }
}
