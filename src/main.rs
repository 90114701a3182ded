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
        ..ui::Options::default()
    };
    match ui::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("widetui: {error:#}");
            ExitCode::from(2)
        }
    }
}
