//! Keymaps and themes that the program carries, as listed by the build script.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
