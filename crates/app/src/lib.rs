//! User interface of the explorer without a terminal: state, keys, commands and layout.
//!
//! ```text
//! key, answer, snapshot -> Msg -> Explorer::update -> Vec<Effect>
//! ```
//!
//! * [`command`] is the table of all user commands; [`keymap`] binds keys to them.
//! * [`model`] is the state; [`update::Explorer`] owns it and alone changes it. Neither does I/O.
//! * [`model::screen_split`] is the split of the screen into two views; [`shown_view`] is one view with its area, the
//!   input of drawing.
//! * [`layout`] computes the areas of panes; [`hit`] maps mouse positions to targets.
//! * Lines of input have their own editor, [`popups::TextInput`]: of the crates that need no terminal crate, `tui-input` counts
//!   its cursor in code points and deletes words of other bounds than a shell, while errors and completions are byte ranges.
//! * A view is a component, a file of `update/views/` ([`model::view::ViewComponent`]): a struct of data and functions rather than a
//!   trait, since most views differ in a few fields from one of four defaults. [`model::View`] is its handle, which cannot be
//!   matched. `widetui_tables` computes and lays out the tables that views query.
//! * A command passes layers from the top, in `update/dispatch.rs`: the open popup ([`popups`], `update/popups/`), the
//!   breadcrumb, the split, the view, the search in its rows; else its own function runs.

pub mod clipboard_text;
pub mod command;
pub(crate) mod compared_sides;
pub mod cursor_memory;
pub mod data_files;
pub mod embedded;
pub mod event_list;
pub mod findings;
pub mod focus;
pub mod follow_mode;
pub mod frame;
pub mod fuzzy;
pub mod hit;
pub mod input_history;
pub mod join_details;
pub mod jumps;
pub mod keymap;
pub mod keys;
pub(crate) mod keys_in_run;
pub mod layout;
pub mod lines;
pub mod loading;
pub mod message_log;
pub mod model;
pub mod msg;
pub(crate) mod number_keys;
pub mod page_line;
pub mod pages;
pub mod pivot_letters;
pub(crate) mod pivot_rows;
pub mod popups;
pub mod record;
pub mod record_pane;
pub mod rect;
pub mod repetition;
pub mod run_status;
pub mod screen;
pub mod shown_view;
pub mod source_details;
pub mod source_names;
mod story;
pub mod subject;
pub mod table_columns;
pub mod text_cache;
pub(crate) mod time_selection;
pub mod times;
pub(crate) mod under_cursor;
pub mod update;
pub mod user_data;
pub mod view_plots;
pub mod view_state;
pub mod workspace_files;
