//! Sources: finding files and reading their bytes. Never what the bytes mean.

pub mod codec;
mod dbcopy;
pub mod discover;
pub mod file;
pub mod head;
pub mod limits;
pub mod sniff;
pub mod spool;
pub mod sqlite;
pub mod tarball;
pub mod text;
pub mod zipped;
