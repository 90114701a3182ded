//! User interface of the explorer without a terminal: state, keys, actions and layout.
//!
//! ```text
//! key, answer, snapshot -> Msg -> update(&mut Model) -> Vec<Effect>
//! ```
//!
//! * [`action`] is the table of all user actions; [`keymap`] binds keys to them.
//! * [`model`] is the state, [`update`] its only writer. Neither does I/O.
//! * [`pair`] is the split of the screen into two views; [`shown`] is one view with its area, the
//! input of drawing.
//! * [`layout`] computes the areas of panes; [`hit`] maps mouse positions to targets.
//! * [`table_questions`] builds the query of each table view; `widetui_tables` computes and lays
//! out the answers.

pub mod action;
pub mod arriving;
pub mod clipboard_text;
pub mod datafiles;
pub mod embedded;
pub mod eventlist;
pub mod findings;
pub mod following;
pub mod frame;
pub mod fuzzy;
pub mod hit;
pub mod joindetail;
pub mod jumps;
pub mod kept;
pub mod keymap;
pub mod keys;
pub mod layout;
pub mod lines;
pub mod model;
pub mod msg;
pub mod naming;
pub mod pages;
pub mod pair;
pub mod pictures;
pub mod pivotletters;
pub mod popups;
pub mod record;
pub mod recordpane;
pub mod rect;
pub mod said;
pub mod screen;
pub mod shown;
pub mod sourcedetail;
pub mod spots;
pub mod subject;
pub mod table_questions;
pub mod tablecolumns;
pub mod texts;
pub mod times;
pub mod update;
pub mod view;
pub mod viewstate;
pub mod workspacefiles;
