//! Exceptions in the texts of records: the one that began a chain, and whether it is control flow.

use crate::data::{Data, Meanings};

/// Exception of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// Class and message of the exception at the root of the chain.
    pub root: String,
    /// Class and message of the last exception.
    pub last: String,
    /// Meanings of the root.
    pub meanings: Meanings,
    /// True if the user interrupted the program.
    pub is_interrupt: bool,
}

/// Lines between the tracebacks of a chain: the first links a cause, the second an exception in a handler.
const CAUSE: &str = "The above exception was the direct cause";
const DURING: &str = "During handling of the above exception";

/// Exception of a text, if it has one.
pub fn exception(text: &str) -> Option<Exception> {
    // Most records have one line.
    if !text.contains('\n') && !text.contains("panic") && !text.trim_start().starts_with("at ") {
        return None;
    }
    if text.contains("Traceback (most recent call last)") {
        return python(text);
    }
    // Dask writes the representation below the name of the task.
    let shown = |l: &str| {
        let rest = l.trim().strip_prefix("Exception:")?.trim();
        let bare = rest.trim_matches(['"', '\'']);
        is_class(bare).then(|| made(bare, bare))
    };
    if let Some(exception) = text.lines().skip(1).find_map(shown) {
        return Some(exception);
    }
    let mut lines = text.lines();
    let is_frame = |l: &str| {
        let l = l.trim_start();
        l.starts_with("at ") && l.ends_with(')') && l.contains('(')
    };
    if lines.clone().any(is_frame) {
        let caused = text
            .lines()
            .rev()
            .find_map(|l| l.trim().strip_prefix("Caused by: "));
        let first = lines.find(|l| !l.trim().is_empty())?;
        let (root, first) = (caused.unwrap_or(first).trim(), first.trim());
        // Lines in brackets alone are no stack.
        let says = ["Error", "Exception", "Throwable"]
            .iter()
            .any(|w| root.contains(w));
        return says.then(|| made(root, first));
    }
    let panics = text
        .lines()
        .find(|l| l.contains("panicked at") || l.starts_with("panic: "));
    panics.map(|line| made(line.trim(), line.trim()))
}

fn made(root: &str, last: &str) -> Exception {
    let cut = |t: &str| t.chars().take(300).collect::<String>();
    let data = Data::get();
    Exception {
        root: cut(root),
        last: cut(last),
        meanings: data.meanings(root),
        is_interrupt: data.meanings(root).has(crate::data::Word::Interrupt),
    }
}

/// One traceback of a chain.
struct Part<'a> {
    line: &'a str,
    is_library: bool,
    /// True if it came up while the one before was handled.
    is_during: bool,
}

fn python(text: &str) -> Option<Exception> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut in_trace, mut is_library, mut is_during) = (false, false, false);
    for line in text.lines() {
        let bare = line.trim_start_matches([' ', '|', '+', '-']);
        if bare.starts_with("Traceback (most recent") {
            (in_trace, is_library) = (true, false);
        } else if bare.starts_with(CAUSE) {
            is_during = false;
        } else if bare.starts_with(DURING) {
            is_during = true;
        } else if in_trace && bare.starts_with("File \"") {
            is_library = ["site-packages", "/lib/python", "/usr/lib", "<frozen"]
                .iter()
                .any(|l| bare.contains(l));
        } else if in_trace && is_class(line.trim()) && !line.starts_with("    ") {
            parts.push(Part {
                line: line.trim(),
                is_library,
                is_during,
            });
            in_trace = false;
        }
    }
    let last = parts.last()?.line;
    // What a library handles itself is no cause of what came up meanwhile, unless the system refused.
    let mut root = 0;
    for (at, part) in parts.iter().enumerate().skip(1) {
        let before = &parts[at - 1];
        let is_hard = Data::get()
            .meanings(before.line)
            .has(crate::data::Word::Hard);
        let is_interrupt = Data::get()
            .meanings(part.line)
            .has(crate::data::Word::Interrupt);
        if part.is_during && (before.is_library && !is_hard || is_interrupt) {
            root = at;
        }
    }
    Some(made(parts.get(root)?.line, last))
}

/// True for the line of an exception: `pkg.mod.SomeError: text`.
pub(super) fn is_class(line: &str) -> bool {
    let name = line.split([':', ' ', '(']).next().unwrap_or_default();
    let is_path = name
        .chars()
        .all(|c| c.is_alphanumeric() || c == '.' || c == '_');
    let class = name.rsplit('.').next().unwrap_or_default();
    is_path
        && class.starts_with(|c: char| c.is_uppercase())
        && (line.len() == name.len() || line[name.len()..].starts_with([':', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_chain_is_its_cause() {
        let trace = |file: &str, line: &str| {
            format!(
                "Traceback (most recent call last):\n  File \"{file}\", line 3, in run\n    run()\n{line}\n"
            )
        };
        let own = trace("/home/u/a.py", "ValueError: could not convert 'NN;NN'");
        let lib = trace("/usr/lib/python3/queue.py", "_queue.Empty");
        let wrapped = trace("/home/u/b.py", "calib.CalibrationError: station 23");
        let raised = |links: &[&str]| exception(&links.concat()).unwrap().root;
        let cause = format!("\n{CAUSE} of the following exception:\n\n");
        let during = format!("\n{DURING}, another exception occurred:\n\n");
        assert_eq!(
            raised(&[&own, &cause, &wrapped]),
            "ValueError: could not convert 'NN;NN'"
        );
        assert_eq!(
            raised(&[&own, &during, &wrapped]),
            "ValueError: could not convert 'NN;NN'"
        );
        assert_eq!(
            raised(&[&lib, &during, &wrapped]),
            "calib.CalibrationError: station 23"
        );
        let stop = trace("/home/u/a.py", "KeyboardInterrupt");
        assert!(
            exception(&[&*own, &during, &stop].concat())
                .unwrap()
                .is_interrupt
        );
        let java = "x failed\n\tat a.B.run(B.java:3)\nCaused by: java.io.IOException: disk\n\tat c.D.e(D.java:1)";
        assert_eq!(exception(java).unwrap().root, "java.io.IOException: disk");
        assert_eq!(exception("all fine"), None);
    }
}
