//! User interface of the explorer in a terminal.
//!
//! ```text
//! terminal event -> Msg -> widetui_app::update::Explorer::update -> Vec<Effect> -> runtime
//! |
//! views::draw(&Model, &Theme) -> frame + HitMap
//! ```
//!
//! * [`runtime`] is the event loop, the only code that holds the model mutably.
//! * [`views`] draw the model through [`canvas`] with the styles of a [`theme`]; [`plots`] draws
//!   plots.
//! * [`terminal`] enters and leaves the alternate screen, [`capability`] detects features of the
//!   terminal, [`input`] converts its keys.

pub mod canvas;
pub mod capability;
pub mod colour;
pub mod input;
mod osc52;
mod paint;
pub mod plots;
mod rescue;
pub mod runtime;
pub mod scroll;
mod startup;
pub mod terminal;
pub mod theme;
pub mod views;

pub use capability::ColourChoice;
pub use rescue::{exit_on_abort, remove_temporary_files_on_signals};
pub use runtime::{Options, run};
pub use startup::StartupChoice;
