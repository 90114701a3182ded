//! The demo run included in the program.

use widetui_ingest::options::{Embedded, OpenOptions};

/// A real Parsl run with a task that never ends; see `demo/ORIGIN.md`.
const HUNG: &[u8] = include_bytes!("../demo/hung.tar.gz");

/// Returns options that open the demo run.
pub fn options(base: OpenOptions) -> OpenOptions {
    OpenOptions {
        paths: Vec::new(),
        embedded: Some(Embedded {
            name: "demo",
            bytes: HUNG,
        }),
        ..base
    }
}
