//! The explorer in a terminal.
//!
//! ```text
//! terminal event -> Msg -> widetui_app::update(&mut Model) -> Vec<Effect> -> runtime
//!                                   |
//!                   views::draw(&Model, &Theme) -> frame + HitMap
//! ```
//!
//! * [`runtime`] is the loop, the only place that holds the model to have it changed.
//! * [`views`] draw the model through [`canvas`], in the looks of a [`theme`]; [`plots`] draws its pictures.
//! * [`terminal`] enters and leaves the screen, [`capability`] finds out what it can show, [`input`] reads its keys.

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
pub use runtime::{Options, run};
pub use startup::StartupChoice;
