//! Sources: finding files and reading their bytes. Never what the bytes mean.

pub mod text;
