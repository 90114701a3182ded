//! Colours and characters of the output.

use clap::{Args, ValueEnum};

/// Use of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Characters of plots in the explorer.
#[derive(Clone, Debug, Default, Args)]
pub struct PlotStyle {
    /// Draw plots with braille, blocks or ASCII letters (default: the best that the terminal can show)
    #[arg(long = "plots", value_name = "WITH", value_parser = ["braille", "blocks", "ascii"])]
    pub with: Option<String>,
}
