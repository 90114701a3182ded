//! `widetui mcp`: commands as tools of the Model Context Protocol, for assistants in editors.
//!
//! A message is one line of JSON-RPC 2.0 on standard input and output (modelcontextprotocol.io, "stdio" transport). Each call
//! runs a command of its own process on the paths of the server, so a growing run is read anew. No tool writes a file.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use clap::ArgAction;
use serde_json::{Map, Value, json};

use super::args;
use super::output::Failure;

/// Commands that are tools, the first question first.
const TOOLS: [&str; 10] = [
    "diagnose", "hung", "sources", "events", "trace", "entities", "keys", "latency", "states",
    "joins",
];

/// Arguments of these commands that no tool has: the answer to a call ends, and its status is its text.
const OMITTED: [&str; 4] = ["subject", "help", "follow", "exit_code"];

/// Revisions of the protocol with the messages below, ascending.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Lines of an answer unless the call asks for another number, and the most that it may ask for.
const LINES: (u64, u64) = (200, 2000);

/// Maximum size of an answer, bytes.
const MAX_BYTES: usize = 64 << 10;

/// Error codes of JSON-RPC 2.0.
const PARSE_ERROR: i64 = -32700;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// Use of the tools, for the model.
const INSTRUCTIONS: &str = "Answers questions about the logs of one distributed run. Begin with `diagnose` (failures and their \
causes) or `hung` (unfinished work); `sources` lists the logs, `keys` and `entities` the names to ask for; `trace` shows all \
records about one instance (of: parsl.task=24), `events` those that match an expression (where: level >= error and \
parsl.executor = htex). Answers are cut after `lines` lines: narrow the selection, or go on with `skip`.";

/// Answers messages on standard input until it ends.
///
/// # Errors
/// If standard input cannot be read or standard output cannot be written.
pub fn serve() -> Result<(), Failure> {
    let message = |e: io::Error| Failure::Message(format!("mcp: {e}"));
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(message)?;
        if line.trim().is_empty() {
            continue;
        }
        let reply = match serde_json::from_str::<Value>(&line) {
            Ok(request) => reply(&request),
            Err(e) => Some(failure(&Value::Null, PARSE_ERROR, &e.to_string())),
        };
        if let Some(reply) = reply {
            writeln!(out, "{reply}")
                .and_then(|()| out.flush())
                .map_err(message)?;
        }
    }
    Ok(())
}

/// Reply to a request; `None` to a notification.
fn reply(request: &Value) -> Option<Value> {
    let id = request.get("id")?;
    let params = &request["params"];
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let wanted = params["protocolVersion"].as_str();
            let revision = wanted.filter(|wanted| REVISIONS.contains(wanted));
            json!({
                "protocolVersion": revision.unwrap_or(REVISIONS[REVISIONS.len() - 1]),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "widetui", "version": env!("CARGO_PKG_VERSION")},
                "instructions": INSTRUCTIONS,
            })
        }
        "ping" => json!({}),
        "tools/list" => json!({"tools": tools().iter().map(Tool::description).collect::<Vec<_>>()}),
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default();
            let Some(tool) = tools().into_iter().find(|tool| tool.name == name) else {
                let names = TOOLS.join(", ");
                return Some(failure(
                    id,
                    INVALID_PARAMS,
                    &format!("no tool {name}; the tools are {names}"),
                ));
            };
            match tool.command_line(&params["arguments"]) {
                Ok(call) => call.run(),
                Err(problem) => answer(problem, true),
            }
        }
        method => return Some(failure(id, UNKNOWN_METHOD, &format!("no method {method}"))),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Result of a call, with its text.
fn answer(text: String, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

/// Command as a tool.
struct Tool {
    name: &'static str,
    /// Its definition in the command line.
    command: clap::Command,
}

fn tools() -> Vec<Tool> {
    let all = args::definition();
    let command = |name: &'static str| {
        let command = all.find_subcommand(name)?.clone();
        Some(Tool { name, command })
    };
    TOOLS.into_iter().filter_map(command).collect()
}

impl Tool {
    /// Options of the command that a call may have.
    fn options(&self) -> impl Iterator<Item = &clap::Arg> {
        let input = args::input_arguments();
        let shared: BTreeSet<String> = input.map(|arg| arg.get_id().to_string()).collect();
        let is_offered = move |arg: &&clap::Arg| {
            let id = arg.get_id().as_str();
            arg.get_long().is_some()
                && !shared.contains(id)
                && !OMITTED.contains(&id)
                && !arg.is_hide_set()
        };
        self.command.get_arguments().filter(is_offered)
    }

    /// Name of the option for what the command is about.
    fn subject(&self) -> Option<&str> {
        let option = { self.options() }.find(|arg| arg.get_id() == "of")?;
        option.get_long()
    }

    fn description(&self) -> Value {
        let mut properties = Map::new();
        let mut required: Vec<&str> = Vec::new();
        for arg in self.options() {
            let name = arg.get_long().unwrap_or_default();
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let value = match arg.get_action() {
                ArgAction::SetTrue => json!({"type": "boolean", "description": help}),
                ArgAction::Append => {
                    json!({"type": "array", "items": {"type": "string"}, "description": help})
                }
                _ if arg.get_value_parser().type_id() == TypeId::of::<usize>() => {
                    json!({"type": "integer", "minimum": 0, "description": help})
                }
                _ => json!({"type": "string", "description": help}),
            };
            properties.insert(name.to_owned(), value);
        }
        if let Some(subject) = self.subject() {
            let arguments = self.command.get_arguments();
            let help = { arguments }.find(|arg| arg.get_id() == "subject");
            let help = help.and_then(clap::Arg::get_help).map(ToString::to_string);
            let value = json!({"type": "string", "description": help});
            properties.insert(subject.to_owned(), value);
            if self.needs_subject() {
                required.push(subject);
            }
        }
        let format = json!({"type": "string", "enum": ["text", "jsonl"], "description": "Form of the answer (default: text)"});
        properties.insert("format".to_owned(), format);
        let lines = format!(
            "Maximum number of lines of the answer (default: {})",
            LINES.0
        );
        properties.insert(
            "lines".to_owned(),
            json!({"type": "integer", "minimum": 1, "maximum": LINES.1, "description": lines}),
        );
        let skip = json!({"type": "integer", "minimum": 0, "description": "Number of lines to skip, to go on with an answer that was cut"});
        properties.insert("skip".to_owned(), skip);
        json!({
            "name": self.name,
            "description": self.command.get_about().map(ToString::to_string),
            "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    }

    /// True if the command answers nothing without a subject.
    fn needs_subject(&self) -> bool {
        self.command
            .clone()
            .try_get_matches_from([self.name])
            .is_err()
    }

    /// Command line of a call with these arguments; the error is a text for the caller.
    fn command_line(&self, arguments: &Value) -> Result<Call, String> {
        let mut call = Call {
            arguments: vec![self.name.to_owned(), "--color=never".to_owned()],
            lines: LINES.0,
            skip: 0,
        };
        let subject = self.subject().filter(|_| self.needs_subject());
        if let Some(name) = subject.filter(|name| arguments.get(name).is_none()) {
            return Err(format!(
                "{} needs `{name}`, e.g. parsl.task or parsl.task=24",
                self.name
            ));
        }
        for (name, value) in arguments.as_object().into_iter().flatten() {
            let wrong = |form: &str| format!("{name}: not {form}: {value}");
            let number = || value.as_u64().ok_or_else(|| wrong("a number"));
            match name.as_str() {
                "lines" => call.lines = number()?.clamp(1, LINES.1),
                "skip" => call.skip = number()?,
                "format" => match value.as_str() {
                    Some("text") => {}
                    Some("jsonl") => call.arguments.push("--format=jsonl".to_owned()),
                    _ => return Err(wrong("text or jsonl")),
                },
                _ => {
                    let Some(arg) = self.options().find(|arg| arg.get_long() == Some(name)) else {
                        let names: Vec<&str> =
                            self.options().filter_map(clap::Arg::get_long).collect();
                        return Err(format!(
                            "{} has no {name}; it has {}, format, lines, skip",
                            self.name,
                            names.join(", ")
                        ));
                    };
                    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
                    let values = match value {
                        Value::Array(values) => values.as_slice(),
                        value => std::slice::from_ref(value),
                    };
                    for value in values {
                        match value {
                            Value::Bool(true) if is_flag => {
                                call.arguments.push(format!("--{name}"))
                            }
                            Value::Bool(false) | Value::Null if is_flag => {}
                            Value::String(text) if !is_flag => {
                                call.arguments.push(format!("--{name}={text}"))
                            }
                            Value::Number(number) if !is_flag => {
                                call.arguments.push(format!("--{name}={number}"))
                            }
                            Value::Null => {}
                            _ => {
                                return Err(wrong(if is_flag {
                                    "true or false"
                                } else {
                                    "a text"
                                }));
                            }
                        }
                    }
                }
            }
        }
        Ok(call)
    }
}

/// Call of a tool.
struct Call {
    /// Arguments of the command before those of the server: its options and paths.
    arguments: Vec<String>,
    lines: u64,
    skip: u64,
}

impl Call {
    /// Runs the command on the paths of the server.
    fn run(&self) -> Value {
        self.output()
            .unwrap_or_else(|e| answer(format!("{}: {e}", self.arguments[0]), true))
    }

    fn output(&self) -> io::Result<Value> {
        // Behind `mcp` are the options of reading and the paths, which each command has, too.
        let server: Vec<OsString> = std::env::args_os().skip(2).collect();
        let mut child = Command::new(std::env::current_exe()?)
            .args(&self.arguments)
            .args(server)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stderr = child.stderr.take();
        let messages = std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = stderr
                .as_mut()
                .map(|from| from.take(MAX_BYTES as u64).read_to_end(&mut text));
            read.transpose()
                .map(|_| String::from_utf8_lossy(&text).into_owned())
        });
        let mut text = String::new();
        let mut is_cut = false;
        if let Some(stdout) = child.stdout.take() {
            for (at, line) in (0..).zip(BufReader::new(stdout).split(b'\n')) {
                if at < self.skip {
                    continue;
                }
                let line = line?;
                is_cut = at >= self.skip + self.lines
                    || text.len() + line.len() > MAX_BYTES && !text.is_empty();
                if is_cut {
                    let next = format!(
                        "[cut: more lines follow; go on with skip = {at}, or narrow the selection]\n"
                    );
                    text.push_str(&next);
                    break;
                }
                let line = String::from_utf8_lossy(&line);
                text.extend(line.chars().take(MAX_BYTES));
                text.push('\n');
            }
        }
        if is_cut {
            child.kill()?;
        }
        let status = child.wait()?;
        let messages = messages.join().unwrap_or_else(|_| Ok(String::new()))?;
        let is_error = !is_cut && status.code().is_none_or(|code| code > 1);
        if text.is_empty() && messages.is_empty() {
            text.push_str("nothing matches\n");
        }
        if !messages.is_empty() && !(is_cut || text.is_empty()) {
            text.push('\n');
        }
        text.push_str(&messages);
        Ok(answer(text, is_error))
    }
}
