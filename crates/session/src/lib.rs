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
//! * [`written`] are files that are written for the user: pictures, numbers, tables, records;
//! * [`fetch`] reads the text of records again when a screen shows them.

pub mod ask;
pub mod called;
pub mod checktable;
pub mod context;
pub mod definitions;
pub mod demo;
pub mod fact_joins;
pub mod fetch;
pub mod findings;
pub mod histogram;
pub mod incremental;
pub mod jobs;
pub mod meaning;
pub mod near;
pub mod ownjoins;
pub mod plots;
pub mod present;
pub mod problems;
pub mod roles;
pub mod same;
pub mod saved;
pub mod selection;
pub mod sidebyside;
pub mod strip;
pub mod things;
pub mod thingtable;
pub mod written;
