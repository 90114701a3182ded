//! Arguments that say how things look.

use clap::{Args, ValueEnum};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// With what the explorer draws pictures.
#[derive(Clone, Debug, Default, Args)]
pub struct PlotStyle {
    /// Draw pictures with braille, blocks or ASCII letters (default: what the terminal can show)
    #[arg(long = "plots", value_name = "WITH", value_parser = ["braille", "blocks", "ascii"])]
    pub with: Option<String>,
}
