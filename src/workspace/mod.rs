//! The facade over everything below: an opened run, its selection, jobs in the background, text read again.
//!
//! The explorer and the headless commands both work through this module. Nothing in it draws or prints.
//!
//! * [`load`] opens paths and hands over better and better snapshots;
//! * [`follow`] reads on where files grow;
//! * [`selection`] is the stack of pivots and filters in force, with undo;
//! * [`ask`] turns the stack into rows, [`context`] adds their neighbours;
//! * [`near`], [`same`] and [`strip`] find records, and say how they lie over time;
//! * [`plots`] asks the analyses for what is drawn over time: states, bars, steps, numbers;
//! * [`incremental`] carries answers over to a run that has grown;
//! * [`jobs`] runs questions on threads: the latest of a kind wins, older ones are cancelled;
//! * [`things`] are the instances of entities, found once per snapshot;
//! * [`saved`] keeps marks, notes and the selection in a file;
//! * [`written`] are files that are written for the user: pictures, numbers, tables, records; [`whole`] or not at all;
//! * [`mod@draft`] makes a first definition of logs that nobody described;
//! * [`fetch`] reads the text of records again when a screen shows them.

mod archive;
pub mod ask;
pub mod assemble;
mod batch;
pub mod called;
pub mod chunk;
mod clockzones;
pub mod context;
mod dating;
pub mod definitions;
pub mod demo;
pub mod detector;
pub mod draft;
mod drafts;
pub mod factjoins;
mod facts;
pub mod fetch;
pub mod findings;
pub mod follow;
pub mod histogram;
pub mod incremental;
pub mod jobs;
pub mod load;
pub mod meaning;
mod membername;
mod namesakes;
pub mod near;
pub mod ownjoins;
pub mod plots;
pub mod present;
mod preview;
pub mod problems;
pub mod repeated;
pub mod roles;
mod rows;
pub mod same;
pub mod saved;
pub mod selection;
pub mod shift;
pub mod sidebyside;
pub mod stream;
mod streamed;
pub mod strip;
pub mod things;
pub mod thingtable;
pub mod threads;
mod twins;
mod units;
pub mod whole;
pub mod worker;
pub mod written;
