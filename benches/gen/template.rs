//! Templates with their arguments put in, and numbers as text.

use super::sites::Arg;

/// The template with `%s` for each placeholder, as in a record's `msg`.
pub fn template(out: &mut Vec<u8>, template: &str) {
    pieces(out, template, |out, _| out.extend_from_slice(b"%s"));
}

/// The template with the arguments put in; a placeholder without an argument gives nothing.
pub fn expand(out: &mut Vec<u8>, template: &str, args: &[Arg<'_>]) {
    pieces(out, template, |out, index| {
        if let Some(arg) = args.get(index) {
            value(out, arg);
        }
    });
}

/// Copies a template and calls `put` for every `{digit}`; other braces (Python's dictionaries) are text.
fn pieces(out: &mut Vec<u8>, template: &str, mut put: impl FnMut(&mut Vec<u8>, usize)) {
    let mut rest = template.as_bytes();
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'{', &rest[from..]).map(|at| at + from) {
        match rest.get(at + 1..at + 3) {
            Some([digit @ b'0'..=b'9', b'}']) => {
                out.extend_from_slice(&rest[..at]);
                put(out, usize::from(digit - b'0'));
                rest = &rest[at + 3..];
                from = 0;
            }
            _ => from = at + 1,
        }
    }
    out.extend_from_slice(rest);
}

/// An argument as Python's `%s` or `%r` writes it.
pub fn value(out: &mut Vec<u8>, arg: &Arg<'_>) {
    match *arg {
        Arg::Int(n)
        | Arg::Task(n)
        | Arg::Dependency(n)
        | Arg::Try(n)
        | Arg::ExecutorId(n)
        | Arg::ExecutorTask(n) => integer(out, n),
        Arg::Text(text) | Arg::Executor(text) => out.extend_from_slice(text.as_bytes()),
        Arg::ExecutorTasks(tasks) => {
            out.push(b'[');
            for (i, task) in tasks.iter().enumerate() {
                out.extend_from_slice(if i == 0 { b"" } else { b", " });
                integer(out, *task);
            }
            out.push(b']');
        }
        Arg::Manager(id) => {
            out.extend_from_slice(b"b'");
            hexadecimal(out, id, 12);
            out.push(b'\'');
        }
        Arg::Pointer(at) => {
            out.extend_from_slice(b"0x");
            hexadecimal(out, at, 12);
        }
    }
}

/// Epoch seconds with six decimals.
pub fn seconds(out: &mut Vec<u8>, time: u64) {
    integer(out, time / 1_000_000);
    out.push(b'.');
    padded(out, time % 1_000_000, 6);
}

/// A number in decimal.
pub fn integer(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// A number in decimal with zeros before it, `width` digits.
pub fn padded(out: &mut Vec<u8>, mut n: u64, width: usize) {
    let from = out.len();
    out.resize(from + width, b'0');
    for digit in out[from..].iter_mut().rev() {
        *digit = b'0' + (n % 10) as u8;
        n /= 10;
    }
}

fn hexadecimal(out: &mut Vec<u8>, n: u64, width: u32) {
    out.extend(
        (0..width)
            .rev()
            .map(|i| b"0123456789abcdef"[(n >> (4 * i) & 15) as usize]),
    );
}
