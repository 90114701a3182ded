//! Yardsticks of load times: the minimum work of any reader on the same bytes, on the same machine, in one thread.
//!
//! `yardstick newlines PATH...` reads every file below the paths in pieces of 256 KiB and counts newlines;
//! `yardstick inflate FILE...` inflates gzip files into nothing. Each prints one JSON object.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use flate2::read::MultiGzDecoder;

const PIECE: usize = 256 << 10;

/// Bytes read and newlines seen.
#[derive(Default)]
struct Count {
    bytes: u64,
    newlines: u64,
}

fn newlines(path: &Path, piece: &mut [u8], count: &mut Count) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            newlines(&entry?.path(), piece, count)?;
        }
        return Ok(());
    }
    let mut file = File::open(path)?;
    loop {
        let read = file.read(piece)?;
        if read == 0 {
            return Ok(());
        }
        count.bytes += read as u64;
        count.newlines += memchr::memchr_iter(b'\n', &piece[..read]).count() as u64;
    }
}

fn inflate(path: &Path, piece: &mut [u8], count: &mut Count) -> io::Result<()> {
    let mut decoder = MultiGzDecoder::new(io::BufReader::with_capacity(PIECE, File::open(path)?));
    loop {
        let read = decoder.read(piece)?;
        if read == 0 {
            return Ok(());
        }
        count.bytes += read as u64;
    }
}

/// CPU time of this thread in seconds, where the kernel keeps it in nanoseconds; ticks of /proc/self/stat are too coarse here.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let what = args.next().unwrap_or_default();
    let work: fn(&Path, &mut [u8], &mut Count) -> io::Result<()> = match what.to_str() {
        Some("newlines") => newlines,
        Some("inflate") => inflate,
        _ => {
            eprintln!("usage: yardstick newlines|inflate PATH...");
            return ExitCode::from(2);
        }
    };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let mut piece = vec![0; PIECE];
    let mut count = Count::default();
    for path in args {
        if let Err(problem) = work(Path::new(&path), &mut piece, &mut count) {
            eprintln!("{}: {problem}", Path::new(&path).display());
            return ExitCode::FAILURE;
        }
    }
    let cpu = cpu.zip(cpu_seconds()).map(|(before, after)| after - before);
    println!(
        "{}",
        serde_json::json!({
            "bytes": count.bytes, "newlines": count.newlines,
            "wall_s": start.elapsed().as_secs_f64(), "cpu_s": cpu,
        })
    );
    ExitCode::SUCCESS
}
