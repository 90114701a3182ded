//! Stack traces of Java, JavaScript and .NET below a message: the first place of the user's own code, and the last cause.

/// Place and cause in a stack trace, which the message above it lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StackTrace {
    /// First place outside of libraries: file, line and function.
    pub(crate) place: Option<String>,
    /// Last cause, with its class: the exception of the trace, if it has no other one and the message does not name it.
    pub(crate) cause: Option<String>,
}

/// Beginnings and parts of frames of runtimes and well-known libraries.
const LIBRARIES: [&str; 15] = [
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "scala.",
    "kotlin.",
    "org.apache.",
    "org.springframework.",
    "org.eclipse.",
    "node:",
    "node_modules",
    "internal/",
    "System.",
    "Microsoft.",
];
/// Words before a cause: Java, and .NET (`---> System.IO.IOException: x`).
const CAUSES: [&str; 2] = ["Caused by: ", "---> "];

impl StackTrace {
    /// Stack trace in the lines of a message behind the first one; `None` if there is none.
    pub(crate) fn read(message: &str) -> Option<StackTrace> {
        let mut out = StackTrace::default();
        let mut frames = 0;
        // Line before the first frame, unless it is the message itself.
        let mut before: Option<&str> = None;
        for line in message.lines().skip(1) {
            let text = line.trim();
            if let Some(frame) = text.strip_prefix("at ").filter(|_| line != text) {
                if frames == 0 {
                    let named = before.take().filter(|text| is_exception(text));
                    out.cause = named.map(str::to_owned);
                }
                frames += 1;
                // `java.base/java.io.DataInputStream.readInt(...)`: the module stands before the class.
                let bare = frame
                    .split_once('/')
                    .filter(|(module, _)| module.contains('.'));
                let bare = bare.map_or(frame, |(_, rest)| rest);
                let is_library = LIBRARIES.iter().any(|part| {
                    bare.starts_with(part)
                        || frame.contains("node_modules")
                        || frame.contains("(node:")
                });
                if out.place.is_none() && !is_library {
                    out.place = place(frame);
                }
            } else if let Some(cause) = CAUSES.iter().find_map(|word| text.strip_prefix(word)) {
                out.cause = Some(cause.to_owned());
            } else {
                before = Some(text);
            }
        }
        (frames > 0).then_some(out)
    }
}

/// True if a line begins with the class of an exception: `java.lang.ClassNotFoundException: x`.
fn is_exception(line: &str) -> bool {
    let class = line
        .split(": ")
        .next()
        .unwrap_or(line)
        .trim_end_matches(':');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    class.chars().all(is_part) && (class.ends_with("Exception") || class.ends_with("Error"))
}

/// Place of a frame: `org.lab.Grid.load(Grid.java:41)`, `load (/srv/app/grid.js:41:7)`, `Lab.Grid.Load() in /src/Grid.cs:line 41`.
fn place(frame: &str) -> Option<String> {
    let (function, file) = match frame.split_once(") in ") {
        Some((function, file)) => (function.split('(').next()?, file.replace(":line ", ":")),
        None => {
            let (function, rest) = frame.split_once('(').unwrap_or(("", frame));
            (function, rest.trim_end_matches(')').to_owned())
        }
    };
    let name = file.rsplit(['/', '\\']).next()?;
    let mut parts = name.split(':');
    let (name, line) = (parts.next()?, parts.next()?);
    line.parse::<u32>().ok()?;
    let function = function.trim().rsplit('.').next().unwrap_or_default();
    Some(match function {
        "" | "<anonymous>" => format!("{name}:{line}"),
        _ => format!("{name}:{line} in {function}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_causes_of_stack_traces() {
        let java = "Exception in thread \"main\" java.lang.IllegalStateException: tile 7\n\
                    \tat java.base/java.util.List.get(List.java:9)\n\tat org.lab.Grid.load(Grid.java:41)\n\tat org.lab.Grid.main(Grid.java:12)\n\
                    Caused by: java.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:398)\n\t... 2 more";
        let read = StackTrace::read(java).unwrap();
        assert_eq!(read.place.as_deref(), Some("Grid.java:41 in load"));
        assert_eq!(read.cause.as_deref(), Some("java.io.EOFException"));
        let node = "Error: connect ECONNREFUSED\n    at TCPConnectWrap.afterConnect (node:net:1300:16)\n    \
                    at Redis.emit (/srv/app/node_modules/ioredis/Redis.js:430:26)\n    at main (/srv/app/grid.js:41:7)";
        assert_eq!(
            StackTrace::read(node).unwrap().place.as_deref(),
            Some("grid.js:41 in main")
        );
        let net = "Unhandled exception. System.IO.IOException: full\n   at System.IO.File.Open(String path)\n   \
                   at Lab.Grid.Load(String path) in /src/Grid.cs:line 41";
        assert_eq!(
            StackTrace::read(net).unwrap().place.as_deref(),
            Some("Grid.cs:41 in Load")
        );
        let below = "Servlet [samples] threw load() exception\n  java.lang.ClassNotFoundException: javax.servlet.Servlet\n    \
                     at org.apache.catalina.Loader.load(Loader.java:9)";
        assert_eq!(
            StackTrace::read(below).unwrap().cause.as_deref(),
            Some("java.lang.ClassNotFoundException: javax.servlet.Servlet")
        );
        assert_eq!(
            StackTrace::read("stopped\n at noon\nat ten"),
            Some(StackTrace::default())
        );
        assert_eq!(StackTrace::read("stopped\nat ten"), None);
    }
}
