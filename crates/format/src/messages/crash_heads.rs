//! First lines of crash reports that the runtime of a language prints without a time and a level. Such a line starts a
//! record of its own at level error, whatever record precedes it.
//!
//! Sources: CPython 3.11 (`faulthandler.c`, `threading.py`, `multiprocessing/process.py`), libstdc++ 12
//! (`vterminate.cc`), glibc 2.36 (`libc_fatal.c`), the runtimes of Go 1.22, Rust 1.75 and the JVM 17.

/// Beginnings of lines that only a runtime prints.
const HEADS: [&[u8]; 14] = [
    b"Fatal Python error: ",
    b"Exception in thread ",
    b"Exception ignored in thread",
    b"terminate called ",
    b"libc++abi: terminating",
    b"*** stack smashing detected ***",
    b"*** Error in `",
    b"double free or corruption",
    b"free(): invalid ",
    b"malloc(): ",
    b"panic: ",
    b"fatal error: ",
    b"thread '",
    b"# A fatal error has been detected",
];

/// Whether a line is the first one of a crash report.
pub(crate) fn is_head(line: &[u8]) -> bool {
    let Some(first) = line.first() else {
        return false;
    };
    let head = || HEADS.iter().find(|head| line.starts_with(head));
    match first {
        b'P' => is_process(line),
        b't' if line.starts_with(b"thread '") => contains(line, b"' panicked at"),
        b'F' | b'E' | b't' | b'l' | b'*' | b'd' | b'f' | b'm' | b'p' | b'#' => head().is_some(),
        _ => false,
    }
}

/// Whether a line is `Process NAME:`, with which `multiprocessing` starts the traceback of a process that died of an
/// exception.
fn is_process(line: &[u8]) -> bool {
    let name = line
        .strip_prefix(b"Process ")
        .and_then(|rest| rest.strip_suffix(b":"));
    name.is_some_and(|name| {
        !name.is_empty() && name.iter().all(u8::is_ascii_graphic) && name.contains(&b'-')
    })
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_output_of_runtimes_is_a_crash() {
        for line in [
            "Fatal Python error: Segmentation fault",
            "Process Relay-1:",
            "Exception in thread Thread-4:",
            "Exception in thread \"main\" java.lang.NullPointerException",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "thread 'main' panicked at src/main.rs:3:5:",
            "panic: runtime error: index out of range [5] with length 3",
            "double free or corruption (out)",
        ] {
            assert!(is_head(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "Process 17 started",
            "Process: x",
            "Traceback (most recent call last):",
            "thread 'main' started",
            "Fatal: x",
            "exception in thread",
        ] {
            assert!(!is_head(line.as_bytes()), "{line}");
        }
    }
}
