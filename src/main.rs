//! The `widetui` binary.
fn main() {}
