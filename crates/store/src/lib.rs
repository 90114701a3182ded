//! Store: wide events in columns, append-only, read through immutable snapshots.
//!
//! Loader threads fill `SegmentBuilder`s; sealed segments never change. A `Snapshot` holds segments, sources, the time
//! order and a frozen copy of the tables (keys, values, templates); reading it takes no lock. The snapshots of a live
//! run extend each other (`snapshot_diff`): event ids never change, and unchanged parts are shared. Text is not kept: an event
//! has source, offset and length, and its text is read again when it is shown.
//!
//! Records enter through `builder`, which makes segments (`segment`, `column`); `order` sorts them by time
//! (`sorted_runs`, `merge`, `heads`), and `snapshot` gives access to events. `extension` extends the snapshot of a live run
//! (`placement`). `derived` holds the values of joins, and `key_column` reads stated and derived values as one column.
//! `source` describes sources.

pub mod builder;
pub mod column;
mod context_values;
pub mod derived;
pub mod display_names;
mod disputed;
pub mod duplicates;
pub mod event_columns;
pub mod excerpt;
pub mod extension;
mod heads;
mod id_limit;
pub mod id_list;
pub mod key_column;
mod merge;
pub mod order;
pub mod order_keys;
pub mod part_stats;
mod placement;
pub mod read_failures;
pub mod rotation;
pub mod segment;
pub mod snapshot;
pub mod snapshot_diff;
mod sorted_runs;
pub mod source;
mod source_traits;
pub mod texts;
pub mod value_renaming;

pub use column::Cell;
pub use id_list::IdList;
pub use snapshot::{EventRef, Snapshot, Value, ValueOrigin};
pub use snapshot_diff::SnapshotDiff;
pub use source::Source;
pub use source_traits::{SourceTrait, SourceTraits};
