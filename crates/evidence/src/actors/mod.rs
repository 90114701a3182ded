//! Actors and instances: who wrote each record, and what it names, also where no definition says so.

mod batch;
mod classes;
mod exceptions;
mod interner;
pub mod lexer;
mod records;
mod selection;
mod snapshot;
mod sources;
mod word_names;

pub use batch::{Batch, RawRecord};
pub use exceptions::Exception;
pub use lexer::Form;
pub use records::{Instance, InstanceIndex, KnownInstance, Measure, Record, RecordIndex, Records};
pub use snapshot::{read, read_with};
pub use sources::{SourceName, names_of, stem};

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
