//! The `widetui` binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    widetui::cli::main()
}
