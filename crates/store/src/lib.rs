//! The store: wide events in columns, append-only, read through immutable snapshots.
//!
//! Loader threads fill `SegmentBuilder`s; sealed segments never change. A `Snapshot` holds segments, sources, the time
//! order and a frozen copy of the tables (keys, values, templates); whoever holds one sees the same run for ever and
//! takes no lock. The snapshots of a live run extend each other (`growth`): ids never change, and what did not change is
//! shared. Text is not kept: an event knows source, offset and length, and is read again when it is shown.
//!
//! In go records (`builder`), out come segments (`segment`, `column`), their order by time (`order`: `sortedruns`,
//! `merge`, `heads`), and
//! events (`snapshot`). A live run adds to a snapshot in `grow` (`placing`). Joins put their values beside it (`derived`), and
//! `lanes` gives both kinds of values as one. What is known of a source beside its records: `source`.

pub mod builder;
pub mod column;
pub mod continued;
pub mod copies;
pub mod derived;
mod disputed;
pub mod event_columns;
pub mod excerpt;
pub mod grow;
pub mod growth;
mod heads;
pub mod idlist;
pub mod lanes;
mod merge;
pub mod names;
mod nature;
mod ofcontexts;
pub mod order;
pub mod orderkeys;
pub mod partstats;
mod placing;
pub mod renamed;
mod room;
pub mod segment;
pub mod snapshot;
mod sortedruns;
pub mod source;
pub mod texts;
pub mod unread;

pub use column::Cell;
pub use growth::Growth;
pub use idlist::IdList;
pub use nature::{Nature, Natures};
pub use snapshot::{EventRef, Snapshot, Value, ValueOrigin};
pub use source::Source;
