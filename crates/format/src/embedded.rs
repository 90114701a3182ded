//! System definitions that the program carries, as listed and packed by the build script.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
