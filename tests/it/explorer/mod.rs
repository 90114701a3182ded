//! The explorer in a terminal, and its agreement with the commands.

mod agreement;
mod all_views;
mod commands;
mod every_run;
mod exports;
mod terminal;
mod workspaces;
