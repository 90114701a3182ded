//! The `widetui` program: a command prints, otherwise the explorer opens.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, getrlimit};

mod cli;

use cli::Outcome;
use widetui_core::nearest::did_you_mean;
use widetui_tables::drawing::Drawing;
use widetui_tui as ui;

/// Allocator of static binaries.
#[cfg(all(target_env = "musl", target_pointer_width = "64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    spare_address_space();
    ui::exit_on_abort();
    let explore = match cli::main() {
        Outcome::Done(code) => return code,
        Outcome::Explore(explore) => explore,
    };
    let mut troubles = explore.problems;
    let drawing = explore.appearance.plots.with.or(explore.settings.plots);
    let drawing = drawing.and_then(|name| {
        let found = Drawing::named(&name);
        if found.is_none() {
            let hint = did_you_mean(&name, Drawing::ALL.iter().map(|d| d.name()));
            troubles.push(format!(
                "plots = {name}: not a style of plots; use braille, blocks or ascii{hint}"
            ));
        }
        found
    });
    let options = ui::Options {
        open: explore.open,
        title: explore.title,
        zone: explore.zone,
        joins_off: explore.joins_off,
        facts_on: explore.facts_on,
        follows_live_runs: !explore.appearance.no_follow,
        colour: match explore.appearance.color {
            cli::args::Color::Auto => ui::ColourChoice::Auto,
            cli::args::Color::Always => ui::ColourChoice::Always,
            cli::args::Color::Never => ui::ColourChoice::Never,
        },
        ascii: explore.appearance.ascii || explore.settings.ascii,
        drawing,
        theme: choice(explore.appearance.theme, explore.settings.theme, "dark"),
        themes: explore.themes,
        keymap: choice(
            explore.appearance.keymap,
            explore.settings.keymap,
            "default",
        ),
        keymaps: explore.keymaps,
        mouse: !explore.appearance.no_mouse && explore.settings.mouse != Some(false),
        keeping: explore.workspace_options,
        opened: explore.opened,
        troubles,
    };
    match ui::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::warn(format_args!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Limit of address space below which none may be reserved, bytes.
const LITTLE: u64 = 1 << 30;
/// Setting of glibc's allocator: number of its arenas, each of which reserves 64 MiB for a thread.
const ARENAS: &str = "MALLOC_ARENA_MAX";

/// Starts the program again with one arena where `ulimit -v` leaves little address space: arenas of its threads would use
/// all of it.
fn spare_address_space() {
    let limit = getrlimit(Resource::As).current;
    if limit.is_none_or(|bytes| bytes >= LITTLE) || env::var_os(ARENAS).is_some() {
        return;
    }
    let mut args = env::args_os();
    if let (Some(name), Ok(program)) = (args.next(), env::current_exe()) {
        // Returns if the program cannot be started: then this process goes on.
        let _ = Command::new(program)
            .arg0(name)
            .args(args)
            .env(ARENAS, "1")
            .exec();
    }
}

/// Choice by an option, else by a setting, else the default.
fn choice(option: Option<String>, setting: Option<String>, usual: &str) -> ui::StartupChoice {
    match option {
        Some(name) => ui::StartupChoice {
            name,
            is_required: true,
        },
        None => ui::StartupChoice::optional(setting.as_deref().unwrap_or(usual)),
    }
}
