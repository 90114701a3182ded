//! What the program carries with it: system definitions, keymaps, themes. The build script lists the folders.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
