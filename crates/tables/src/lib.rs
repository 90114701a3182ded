//! Tables and plots of the views, as plain data: from answers of [`widetui_session::jobs`] to columns, rows and curves.
//!
//! * [`answers`] lays out an answer as a table: one module per view;
//! * [`table`] is a table: columns, cells, order, filter, widths, CSV; [`list`] and [`row_search`] are its cursor and search;
//! * [`documents`] are findings, unfinished work and whole runs as text with tables and figures;
//! * [`plots`] are the axis of time and the settings of plots; [`drawing`] names the characters;
//! * [`text`] sanitises, measures and cuts text of logs; [`role`] names the styles that themes define;
//! * [`key_rank`] orders the keys of a record; [`join_draft`] is a join that the user builds.
//!
//! Invariant: nothing here knows the terminal, the keyboard or the model; a table is built on the thread of its job.

pub mod answers;
pub mod documents;
pub mod drawing;
pub mod join_draft;
pub mod key_rank;
pub mod list;
pub mod plots;
pub mod role;
pub mod row_search;
pub mod schema;
pub mod table;
pub mod text;
