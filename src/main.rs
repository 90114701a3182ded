//! The `widetui` binary: the command line decides whether to print or to explore.

use std::process::ExitCode;

use widetui::cli::{self, Outcome};
use widetui::ui;

fn main() -> ExitCode {
    let explore = match cli::main() {
        Outcome::Done(code) => return code,
        Outcome::Explore(explore) => explore,
    };
    let options = ui::Options {
        open: explore.open,
        title: explore.title,
        zone: explore.zone,
        is_alive: explore.is_alive,
        colour: match explore.color {
            cli::args::Color::Auto => ui::ColourChoice::Auto,
            cli::args::Color::Always => ui::ColourChoice::Always,
            cli::args::Color::Never => ui::ColourChoice::Never,
        },
        ascii: explore.look.ascii,
        theme: explore.look.theme.unwrap_or_else(|| "dark".to_owned()),
        themes: explore.themes,
        keymap: explore.look.keymap.unwrap_or_else(|| "default".to_owned()),
        keymaps: explore.keymaps,
    };
    match ui::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("widetui: {error:#}");
            ExitCode::from(2)
        }
    }
}
