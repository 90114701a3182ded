//! Analyses: pure functions from a snapshot (and a selection) to plain data, used by views,
//! headless commands and tests alike.
//!
//! Invariants: duplicate records count once; percentiles interpolate linearly; at equal times an end precedes a start; an
//! instance without an end lasts until the end of its run; a selection clips results that are computed on all data.
//!
//! | module | contents |
//! |---|---|
//! | [`entity`] | instances of entities: their events, states, starts and ends |
//! | [`entity::names`] | the meaning of typed names of keys, entities and instances, and displayed names |
//! | [`runs`], [`work_items`] | sources of each run, ends of runs; standings of work items |
//! | [`mod@trace`] | all events of one instance |
//! | [`mod@latency`], [`mod@slowest`] | time between the steps of instances, and the slowest ones |
//! | [`series`] | a number over time |
//! | [`overview`](mod@overview) | a small selection of the most informative curves |
//! | [`timeline`](mod@timeline) | lives of instances as bars, in rows by place |
//! | [`flow`](mod@flow) | messages between actors |
//! | [`mod@states`], [`state_members`], [`mod@spans`] | instances in each state over time and at the end; their durations and concurrency |
//! | [`mod@utilisation`], [`resources`] | throughput, and how busy resources are |
//! | [`dag`] | dependencies between instances, and the critical path |
//! | [`mod@account`] | phases of an instance, by the resource or dependency that they spend time on |
//! | [`mod@run_table`], [`mod@compare`] | one row for each run; two runs side by side |
//! | [`mod@differences`] | the differences between two sides that explain most of the time or failures |
//! | [`mod@contrast`] | values that distinguish some events from the others |
//! | [`mod@check`] | records that break the rules of definitions |
//!
//! Shared: [`scope`] (parameters), [`columns`] (properties of all events), [`instance_groups`],
//! [`summary`] (percentiles), [`step_function`]
//! (counts over time), [`histogram`], [`plot_curve`] and [`colour`].

pub mod account;
pub mod check;
pub mod colour;
pub mod columns;
pub mod compare;
pub mod contrast;
pub mod dag;
pub mod differences;
pub mod entity;
pub mod flow;
pub mod histogram;
pub mod instance_groups;
pub mod latency;
pub mod overview;
pub mod plot_curve;
pub mod resources;
pub mod run_table;
pub mod runs;
pub mod scope;
pub mod series;
pub mod slowest;
pub mod spans;
pub mod state_members;
pub mod states;
pub mod step_function;
pub mod summary;
pub mod timeline;
pub mod trace;
pub mod utilisation;
pub mod work_items;

pub use entity::{Entity, Instances};
