//! Sources: finding files and reading their bytes. Never what the bytes mean.

pub mod discover;
pub mod file;
pub mod sniff;
pub mod spool;
pub mod text;
