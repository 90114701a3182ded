//! Sources: finds files and reads their bytes, without interpreting them.
//!
//! `discover` finds files; `head` and `sniff` detect their type from the first bytes; `codec`, `zip_archive` and `utf16`
//! decode compressed streams, zip members and UTF-16; `sqlite` reads tables of databases; `text` is random access to
//! text, in a file or in a `spool` that keeps streams; `atomic_file` writes files. New compressions belong into
//! `codec`, new containers into `sniff`.

pub mod atomic_file;
pub mod codec;
mod database_copy;
pub mod discover;
pub mod file;
pub mod head;
pub mod limits;
pub mod sniff;
pub mod spool;
pub mod sqlite;
pub mod tar_archive;
pub mod text;
pub mod utf16;
pub mod zip_archive;
