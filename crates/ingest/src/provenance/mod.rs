//! Provenance: the run and the replica that each source belongs to, and duplicate records.
//!
//! * [`run_folders`]: runs of systems that do not name them, by the folders of their logs;
//! * [`run_names`]: run directories with the same name in several places;
//! * [`flat_folders`]: logs of one run copied into one folder;
//! * [`attachments`]: copies of logs outside their run;
//! * [`named_files`]: files whose path a record names;
//! * [`duplicates`] and [`replicas`]: records and files that occur twice.

pub(crate) mod attachments;
pub(crate) mod duplicates;
pub(crate) mod flat_folders;
pub(crate) mod named_files;
pub(crate) mod replicas;
pub(crate) mod run_folders;
pub(crate) mod run_names;
