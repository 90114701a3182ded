//! One record as a JSON object.

use super::sites::{Arg, Site};
use super::template::{integer, padded, seconds, template, value};
use super::write::{Below, Thread};

/// One JSON record; the fields and their order are the prototype's.
pub struct Json<'a> {
    /// Logging thread.
    pub thread: &'a Thread,
    /// Time, microseconds since the epoch.
    pub time: u64,
    /// The logging statement.
    pub site: &'a Site,
    /// Its arguments.
    pub args: &'a [Arg<'a>],
    /// Text after the message.
    pub below: Below<'a>,
    /// The time as `asctime` has it.
    pub asctime: &'a str,
    /// The run's own id.
    pub dfk: &'a str,
    /// Microseconds since the process started.
    pub relative: u64,
    /// Nine more digits for `relativeCreated`, which Python writes with all a float has.
    pub digits: u64,
}

impl Json<'_> {
    /// Appends the record, whose message is given, without a newline.
    pub fn write(&self, out: &mut Vec<u8>, message: &[u8], scratch: &mut Vec<u8>) {
        let site = self.site;
        let module = site.logger.rsplit('.').next().unwrap_or(site.logger);
        let f_string = site.json.is_empty();
        out.extend_from_slice(b"{\"created\": \"");
        scratch.clear();
        seconds(scratch, self.time);
        // Python's repr of a float has no zeros at its end.
        let zeros = scratch
            .iter()
            .rev()
            .take_while(|&&b| b == b'0')
            .count()
            .min(5);
        out.extend_from_slice(&scratch[..scratch.len() - zeros]);
        number(out, "process", self.thread.pid);
        field(out, "processName", self.thread.process.as_bytes());
        field(out, "threadName", self.thread.name.as_bytes());
        number(out, "thread", self.thread.id);
        field(out, "name", site.logger.as_bytes());
        number(out, "lineno", u64::from(site.line));
        field(out, "funcname", site.function.as_bytes());
        field(out, "levelname", site.level.name().as_bytes());
        scratch.clear();
        match f_string {
            true => scratch.extend_from_slice(message),
            false => template(scratch, site.json),
        }
        if let Below::Lines(lines) = self.below {
            scratch.push(b'\n');
            scratch.extend_from_slice(lines.as_bytes());
        }
        field(out, "msg", scratch);
        scratch.clear();
        scratch.extend_from_slice(message);
        if let Below::Lines(lines) | Below::Traceback(lines) = self.below {
            scratch.push(b'\n');
            scratch.extend_from_slice(lines.as_bytes());
        }
        field(out, "formatted", scratch);
        scratch.clear();
        scratch.push(b'(');
        if !f_string {
            for (i, arg) in self.args.iter().enumerate() {
                scratch.extend_from_slice(if i == 0 { b"" } else { b", " });
                let quote: &[u8] = match arg {
                    Arg::Text(_) | Arg::Executor(_) => b"'",
                    _ => b"",
                };
                scratch.extend_from_slice(quote);
                value(scratch, arg);
                scratch.extend_from_slice(quote);
            }
            scratch.extend_from_slice(if self.args.len() == 1 { b"," } else { b"" });
        }
        scratch.push(b')');
        field(out, "args", scratch);
        number(out, "levelno", 10 * (site.level as u64 + 1));
        key(out, "pathname");
        out.extend_from_slice(b"/home/hpcuser/venv/lib/python3.12/site-packages/");
        out.extend(
            site.logger
                .bytes()
                .map(|b| if b == b'.' { b'/' } else { b }),
        );
        out.extend_from_slice(b".py");
        key(out, "filename");
        out.extend_from_slice(module.as_bytes());
        out.extend_from_slice(b".py");
        field(out, "module", module.as_bytes());
        match self.below {
            Below::Traceback(lines) => {
                field(out, "exc_info", b"(<class 'RuntimeError'>, RuntimeError('unusable input'), <traceback object at 0x7f7ca72cd280>)");
                field(out, "exc_text", lines.as_bytes());
            }
            _ => {
                field(out, "exc_info", b"None");
                field(out, "exc_text", b"None");
            }
        }
        field(out, "stack_info", b"None");
        field(out, "funcName", site.function.as_bytes());
        number(out, "msecs", self.time / 1000 % 1000);
        out.extend_from_slice(b".0");
        number(out, "relativeCreated", self.relative / 1000);
        out.push(b'.');
        padded(out, self.relative % 1000, 3);
        padded(out, self.digits, 9);
        field(out, "taskName", b"None");
        self.extras(out);
        scratch.clear();
        scratch.extend_from_slice(message);
        if let Below::Lines(lines) = self.below {
            scratch.push(b'\n');
            scratch.extend_from_slice(lines.as_bytes());
        }
        field(out, "message", scratch);
        field(out, "asctime", self.asctime.as_bytes());
        out.extend_from_slice(b"\"}");
    }

    /// The keys that the prototype adds beside the fields of every record.
    fn extras(&self, out: &mut Vec<u8>) {
        for arg in self.args {
            match *arg {
                Arg::Task(n) => {
                    number(out, "parsl_task_id", n);
                    field(out, "parsl_dfk", self.dfk.as_bytes());
                }
                Arg::Try(n) => number(out, "parsl_try_id", n),
                Arg::Executor(label) => field(out, "parsl_executor", label.as_bytes()),
                Arg::ExecutorId(n) => number(out, "parsl_executor_id", n),
                Arg::ExecutorTask(n) => number(out, "htex_task_id", n),
                Arg::Manager(_) => {
                    key(out, "manager_id");
                    value(out, arg);
                }
                _ => {}
            }
        }
    }
}

/// Closes the value before it, and opens the value of `name`.
fn key(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b"\", \"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\": \"");
}

fn number(out: &mut Vec<u8>, name: &str, n: u64) {
    key(out, name);
    integer(out, n);
}

fn field(out: &mut Vec<u8>, name: &str, mut value: &[u8]) {
    key(out, name);
    while let Some(at) = memchr::memchr3(b'"', b'\\', b'\n', value) {
        out.extend_from_slice(&value[..at]);
        out.extend_from_slice(match value[at] {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            _ => b"\\n",
        });
        value = &value[at + 1..];
    }
    out.extend_from_slice(value);
}
