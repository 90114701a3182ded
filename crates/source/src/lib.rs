//! Sources: finds files and reads their bytes, without interpreting them.
//!
//! `discover` finds files; `head` and `sniff` detect their type from the first bytes; `codec`, `zip_archive` and `utf16`
//! decode compressed streams, zip members and UTF-16; `sqlite` reads tables of databases, `parquet` (feature
//! `parquet`) Parquet files; `text` is random access to
//! text, in a file or in a `spool` that keeps streams, with `recent_blocks` as cache; `atomic_file` and
//! `atomic_files` write files, `temporary` removes unfinished ones, `folder_lock` keeps
//! processes from changing a file at the same time. New compressions belong into
//! `codec`, new containers into `sniff`.

#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

pub mod atomic_file;
pub mod atomic_files;
pub mod codec;
mod database_copy;
pub mod discover;
pub mod file;
pub mod folder_lock;
pub mod head;
pub mod limits;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod recent_blocks;
pub mod sniff;
pub mod spool;
pub mod sqlite;
pub mod tar_archive;
pub mod temporary;
pub mod text;
pub mod utf16;
pub mod zip_archive;
