//! First lines of crash reports that the runtime of a language prints without a time and a level, and errors of shell
//! scripts. Such a line starts a record of its own at level error, whatever record precedes it.
//!
//! Sources: CPython 3.11 (`faulthandler.c`, `threading.py`, `multiprocessing/process.py`), libstdc++ 12
//! (`vterminate.cc`), glibc 2.36 (`libc_fatal.c`, `assert.c`), the runtimes of Go 1.22, Rust 1.75, the JVM 17, .NET 8,
//! Node.js 20, Julia 1.10 and gfortran 13 (`libgfortran/runtime/error.c`), compiler-rt 17 (AddressSanitizer and its kin),
//! Open MPI 5 (`opal/util/stacktrace.c`), UCX 1.15 (`debug.c`), bash 5 (`error.c`, `jobs.c`), dash 0.5 (`error.c`).

/// Beginnings of lines that only a runtime prints.
const HEADS: [&[u8]; 23] = [
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
    b"Found one Java-level deadlock:",
    b"Fortran runtime error: ",
    b"forrtl: severe ",
    b"Program received signal SIG",
    b"ERROR: LoadError: ",
    b"Unhandled exception. ",
    b"Unhandled Exception: ",
    b"MPI_ABORT was invoked on rank ",
    b"PHP Fatal error: ",
];

/// Ends of lines that only a runtime or a shell prints, after the name of the program.
const ENDS: [&[u8]; 3] = [
    b" (core dumped)",
    b"] *** Process received signal ***",
    b"' failed.",
];

/// Whether a line is the first one of a crash report.
pub(crate) fn is_head(line: &[u8]) -> bool {
    let (Some(first), Some(last)) = (line.first(), line.last()) else {
        return false;
    };
    let head = || HEADS.iter().any(|head| line.starts_with(head));
    let is_first = match first {
        b'P' => is_process(line) || head(),
        b't' if line.starts_with(b"thread '") => contains(line, b"' panicked at"),
        b'=' => is_sanitizer(line),
        b'[' => contains(line, b"] Caught signal "),
        b'F' | b'E' | b'U' | b'M' | b't' | b'l' | b'*' | b'd' | b'f' | b'm' | b'p' | b'#' => head(),
        _ => false,
    };
    is_first
        || match last {
            b')' | b'*' => ENDS[..2].iter().any(|end| line.ends_with(end)),
            b'.' => line.ends_with(ENDS[2]) && contains(line, b": Assertion `"),
            b'0'..=b'9' => is_script_place(line),
            _ => false,
        }
        || is_shell_error(line)
}

/// Maximum length of the name of a script before its line number, bytes.
const MAX_NAME: usize = 256;

/// True if a line is `SCRIPT: line N: ...`, with which bash reports an error of a script or the signal that ended one of
/// its commands, or `SHELL: N: ...` of dash.
fn is_shell_error(line: &[u8]) -> bool {
    let colon = memchr::memchr(b':', line.get(..MAX_NAME).unwrap_or(line));
    let Some((name, rest)) = colon.and_then(|colon| line.split_at_checked(colon)) else {
        return false;
    };
    let (number, is_numbered) = match (rest.strip_prefix(b": line "), rest.strip_prefix(b": ")) {
        (Some(number), _) => (number, true),
        (None, Some(number)) => (number, name.ends_with(b"sh")),
        (None, None) => return false,
    };
    let text = after_digits(number).and_then(|text| text.strip_prefix(b": "));
    let is_error = text.is_some_and(|text| !text.starts_with(b"warning: "));
    is_numbered && is_error && !name.is_empty() && !name.contains(&b' ')
}

/// Text after the digits at the start of a text, at least one.
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    text.get(digits..).filter(|_| digits > 0)
}

/// Whether a line is `==PID==ERROR: ...`, with which a sanitizer starts its report.
fn is_sanitizer(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"==").and_then(after_digits);
    rest.is_some_and(|rest| rest.starts_with(b"==ERROR: "))
}

/// Whether a line is the place of a JavaScript file and nothing else, with which Node.js starts the report of an uncaught
/// error.
fn is_script_place(line: &[u8]) -> bool {
    let digits = line.iter().rev().take_while(|b| b.is_ascii_digit());
    let path = line.get(..line.len() - digits.count()).unwrap_or(line);
    let is_script = [&b".js:"[..], b".mjs:", b".cjs:", b".ts:"];
    let is_path = line.starts_with(b"/") || line.starts_with(b"file:///");
    is_path && is_script.iter().any(|end| path.ends_with(end)) && !line.contains(&b' ')
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
            "==4412==ERROR: AddressSanitizer: heap-use-after-free on address 0x60",
            "Fortran runtime error: End of file",
            "forrtl: severe (174): SIGSEGV, segmentation fault occurred",
            "ERROR: LoadError: DomainError with -1.0:",
            "/srv/app/index.js:7",
            "[node1:04412] *** Process received signal ***",
            "[n1:8:0:8] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x1)",
            "./run.sh: line 3:  4412 Segmentation fault      (core dumped)",
            "sim: mesh.c:42: refine: Assertion `n > 0' failed.",
            "Unhandled exception. System.InvalidOperationException: x",
            "../job.sh: line 5: out/a.dat: Permission denied",
            "bash: line 1: align-reads: command not found",
            "/usr/bin/bash: line 2:  4711 Killed                  ./solve",
            "/bin/sh: 1: qsub: not found",
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
            "==4412==ABORTING",
            "=====",
            "    at Module.load (/srv/app/index.js:7:11)",
            "/srv/app/data.csv:7",
            "the assertion of x' failed.",
            "job.sh: line 9: warning: here-document at line 3 delimited by end-of-file",
            "read job.sh: line 5: x",
            "config.ini: line five: x",
            "rank: 3: ready",
        ] {
            assert!(!is_head(line.as_bytes()), "{line}");
        }
    }
}
