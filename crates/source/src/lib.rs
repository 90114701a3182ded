//! Sources: finding files and reading their bytes. Never what the bytes mean.
//!
//! In go paths; out come files (`discover`), what they are by their first bytes (`head`, `sniff`), their bytes inflated
//! (`codec`, `zipped`) or out of two bytes a letter (`wide`), rows of databases (`sqlite`), and text that is read again at an offset (`text`), from the file or from
//! what was kept of a stream (`spool`). Files are written
//! atomically by `atomic_file`. A new compression goes into `codec`, a new kind of container into `sniff`.

pub mod atomic_file;
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
pub mod wide;
pub mod zipped;
