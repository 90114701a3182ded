//! The explorer without a terminal.
//!
//! ```text
//! key, answer, snapshot -> Msg -> update(&mut Model) -> Vec<Effect>
//! ```
//!
//! * [`action`] is the table of everything that can be done; [`keymap`] binds keys to its rows.
//! * [`model`] is the state, [`update`] its only writer. Neither does I/O.
//! * [`pair`] is the second view on the screen, [`shown`] a view where it stands: what drawing starts from.
//! * [`layout`] says where panes are, [`hit`] what the mouse can hit.
//! * [`table_questions`] is what the views that are tables ask; their answers are laid out by `widetui_tables`.

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
