//! Store: wide events in columns, append-only, read through immutable snapshots.
//!
//! Loader threads fill `SegmentBuilder`s; sealed segments never change. A `Snapshot` holds segments, sources, the time
//! order and a frozen copy of the tables (keys, values, templates); reading it takes no lock. The snapshots of a live
//! run extend each other (`snapshot_diff`): event ids never change, and unchanged parts are shared. Text is not kept: an event
//! has source, offset and length, and its text is read again when it is shown.
//!
//! Records enter through `builder`, which makes segments (`segment`, `column`); `order` sorts them by time
//! (`sortedruns`, `merge`, `heads`), and `snapshot` gives access to events. `extension` extends the snapshot of a live run
//! (`placement`). `derived` holds the values of joins, and `key_column` reads stated and derived values as one column.
//! `source` describes sources.

pub mod builder;
pub mod column;
mod context_values;
pub mod continued;
pub mod derived;
mod disputed;
pub mod duplicates;
pub mod event_columns;
pub mod excerpt;
pub mod extension;
mod heads;
pub mod idlist;
pub mod key_column;
mod merge;
pub mod names;
mod nature;
pub mod order;
pub mod orderkeys;
pub mod partstats;
mod placement;
pub mod read_failures;
pub mod renamed;
mod room;
pub mod segment;
pub mod snapshot;
pub mod snapshot_diff;
mod sortedruns;
pub mod source;
pub mod texts;

pub use column::Cell;
pub use idlist::IdList;
pub use nature::{Nature, Natures};
pub use snapshot::{EventRef, Snapshot, Value, ValueOrigin};
pub use snapshot_diff::SnapshotDiff;
pub use source::Source;
