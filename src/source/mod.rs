//! Sources: finding files and reading their bytes. Never what the bytes mean.

mod dbcopy;
pub mod discover;
pub mod file;
pub mod sniff;
pub mod spool;
pub mod sqlite;
pub mod text;
