//! Arguments of `widetui systems draft`.

use std::path::PathBuf;

use clap::Args;

/// A draft of a definition, from logs.
#[derive(Debug, Args)]
pub struct DraftCommand {
    /// Logs to describe: files, folders, archives, `-`
    pub paths: Vec<PathBuf>,
    /// Name of the system, the prefix of its keys (default: name of the file or folder)
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// At most N patterns of messages, the most frequent ones
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub max: usize,
    /// Write the definition to FILE instead of standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Threads for loading (default: all cores, at most 8)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Limit of memory, such as 512M or 2G (a plain number is megabytes): near it, decompressed text goes to a temporary file
    #[arg(long, value_name = "SIZE", value_parser = super::size::bytes, default_value = "1G")]
    pub memory: u64,
}
