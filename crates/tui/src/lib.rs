//! The explorer: a full-screen terminal interface.
//!
//! ```text
//! terminal event, answer, snapshot -> Msg -> update(&mut Model) -> Vec<Effect> -> runtime
//!                                                  |
//!                                       views::draw(&Model) -> frame + HitMap
//! ```
//!
//! * [`action`] is the table of everything that can be done; [`keymap`] binds keys to its rows.
//! * [`pair`] is the second view on the screen, [`shown`] a view where it stands: what drawing starts from.
//! * [`model`] is the state, [`update`] its only writer, [`views`] draw it. None of them does I/O.
//! * [`runtime`] is the loop, [`terminal`] enters and leaves the screen, [`capability`] finds out what it can show.
//! * [`plots`] draws numbers, states and bars over time from plain data.
//! * [`table`] is what all views that are tables share, [`tables`] says what stands in each of them.
//! * [`text`] keeps everything that a log says from being obeyed by the terminal.
//!
//! A new view is a variant of `model::View`, a file in `views`, an arm in `views::view`, and its action's arm in
//! `update`. A view that is a table is a variant of `model::View` and a file in `tables` instead.

pub mod action;
pub mod arriving;
pub mod capability;
pub mod clipboard_text;
pub mod colour;
mod datafiles;
pub mod embedded;
pub mod eventlist;
pub mod findings;
pub mod following;
pub mod fuzzy;
pub mod hit;
pub mod jumps;
pub mod kept;
pub mod keymap;
pub mod keyrank;
pub mod keys;
pub mod layout;
pub mod list;
pub mod model;
pub mod msg;
pub mod naming;
mod osc52;
mod paint;
pub mod pair;
pub mod pivotletters;
pub mod plots;
pub mod popups;
pub mod recordpane;
mod rescue;
pub mod rowsearch;
pub mod runtime;
pub mod said;
pub mod screen;
pub mod scroll;
pub mod shown;
pub mod spots;
mod startup;
pub mod table;
pub mod tables;
pub mod terminal;
pub mod text;
pub mod texts;
pub mod theme;
pub mod update;
pub mod view;
pub mod views;
pub mod viewstate;
mod workspacefiles;

pub use capability::{ColourChoice, Drawing};
pub use runtime::{Options, run};
pub use startup::StartupChoice;
