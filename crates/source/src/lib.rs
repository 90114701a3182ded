//! Sources: finds files and reads their bytes, without interpreting them.
//!
//! `discover` finds files; `head` and `sniff` detect their type from the first bytes; `codec`, `zipped` and `wide`
//! decode compressed streams, zip members and UTF-16; `sqlite` reads tables of databases; `text` is random access to
//! text, in a file or in a `spool` that keeps streams; `atomic_file` writes files. New compressions belong into
//! `codec`, new containers into `sniff`.

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
