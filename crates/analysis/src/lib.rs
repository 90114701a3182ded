//! Analyses: pure functions from a snapshot (and a selection) to plain data. Views, headless commands and tests use the same.
//!
//! Everywhere: copies count once; percentiles interpolate linearly; at equal times an end comes before a start; what has
//! not ended reaches the end of the data; a selection clips what was computed on all data.
//!
//! | module | answers |
//! |---|---|
//! | [`entity`] | which things there are, their events, states, starts and ends |
//! | [`mod@trace`] | all events of one thing |
//! | [`mod@latency`], [`mod@slowest`] | which steps eat the time of a thing, and of which one most |
//! | [`series`] | a number over time |
//! | [`overview`](mod@overview) | the few curves that say most |
//! | [`timeline`](mod@timeline) | lives of things as bars, in rows by where they ran |
//! | [`flow`](mod@flow) | messages between actors |
//! | [`mod@states`] | how many are in each state at each moment |
//! | [`mod@spans`] | how long they take, how many there are at once |
//! | [`mod@utilisation`], [`resources`] | how many finish, how busy workers are |
//! | [`mod@account`] | what the time of a thing went to |
//! | [`mod@run_table`], [`mod@compare`] | runs in one row each; two of them side by side |
//! | [`runs`], [`work_items`] | which source belongs to which run, where runs end; which work items have ended |
//! | [`mod@contrast`] | what is different about some events |
//! | [`clocks`] | whether the logs agree on what time it was |
//! | [`mod@check`] | which records break the rules of definitions |
//!
//! They share [`scope`] (what is asked about), [`columns`] (properties of all events), [`summary`] (percentiles),
//! [`step_function`] (numbers over time) and [`histogram`] (histograms).

pub mod account;
pub mod check;
pub mod clocks;
pub mod colour;
pub mod columns;
pub mod compare;
pub mod contrast;
pub mod entity;
pub mod flow;
pub mod histogram;
pub mod latency;
pub mod overview;
pub mod resources;
pub mod run_table;
pub mod runs;
pub mod scope;
pub mod series;
pub mod slowest;
pub mod spans;
pub mod states;
pub mod step_function;
pub mod summary;
pub mod timeline;
pub mod trace;
pub mod utilisation;
pub mod work_items;

pub use entity::{Entity, Instances};
