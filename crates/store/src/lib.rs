//! Store: wide events in columns, append-only, read through immutable snapshots.
//!
//! Loader threads fill `SegmentBuilder`s; sealed segments never change. A `Snapshot` holds segments, sources, the time
//! order and a frozen copy of the tables (keys, values, templates); reading it takes no lock. The snapshots of a live
//! run extend each other (`growth`): event ids never change, and unchanged parts are shared. Text is not kept: an event
//! has source, offset and length, and its text is read again when it is shown.
//!
//! Records enter through `builder`, which makes segments (`segment`, `column`); `order` sorts them by time
//! (`sortedruns`, `merge`, `heads`), and `snapshot` gives access to events. `grow` extends the snapshot of a live run
//! (`placing`). `derived` holds the values of joins, and `lanes` reads stated and derived values as one column.
//! `source` describes sources.

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
