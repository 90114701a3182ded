//! `widetui mcp`: commands as tools of the Model Context Protocol, for assistants in editors.
//!
//! A message is one line of JSON-RPC 2.0 on standard input and output (modelcontextprotocol.io, "stdio" transport). Each call
//! runs a command of its own process on the paths of the server, so a growing run is read anew. No tool writes a file.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use widetui_core::words::several;

use super::args::{Question, QuestionValue, questions};
use super::output::Failure;

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
        "tools/list" => json!({"tools": questions().iter().map(tool).collect::<Vec<_>>()}),
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default();
            let questions = questions();
            let Some(question) = questions.iter().find(|question| question.name == name) else {
                let names: Vec<&str> = questions.iter().map(|question| question.name).collect();
                let message = format!("no tool {name}; the tools are {}", names.join(", "));
                return Some(failure(id, INVALID_PARAMS, &message));
            };
            match Call::new(question, &params["arguments"]) {
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

/// Description of a command as a tool.
fn tool(question: &Question) -> Value {
    let mut properties = Map::new();
    for option in &question.options {
        let mut schema = match option.value {
            QuestionValue::Flag => json!({"type": "boolean"}),
            QuestionValue::Text => json!({"type": "string"}),
            QuestionValue::Number => json!({"type": "integer", "minimum": 0}),
            QuestionValue::Texts => json!({"type": "array", "items": {"type": "string"}}),
        };
        schema["description"] = json!(option.help);
        properties.insert(option.name.clone(), schema);
    }
    let lines = format!(
        "Maximum number of lines of the answer (default: {})",
        LINES.0
    );
    for (name, schema) in [
        (
            "format",
            json!({"type": "string", "enum": ["text", "jsonl"], "description": "Form of the answer (default: text)"}),
        ),
        (
            "lines",
            json!({"type": "integer", "minimum": 1, "maximum": LINES.1, "description": lines}),
        ),
        (
            "skip",
            json!({"type": "integer", "minimum": 0, "description": "Number of lines to skip, to go on with an answer that was cut"}),
        ),
    ] {
        properties.insert(name.to_owned(), schema);
    }
    let required: Vec<&String> = question.required.iter().collect();
    json!({
        "name": question.name,
        "description": question.about,
        "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

/// Call of a tool.
struct Call {
    /// Arguments of the command before those of the server: its options and paths.
    arguments: Vec<String>,
    lines: u64,
    skip: u64,
}

impl Call {
    /// Call of a command with these arguments; the error is a text for the caller.
    fn new(question: &Question, arguments: &Value) -> Result<Call, String> {
        let mut call = Call {
            arguments: vec![question.name.to_owned(), "--color=never".to_owned()],
            lines: LINES.0,
            skip: 0,
        };
        let required = question.required.iter();
        if let Some(name) = { required }.find(|name| arguments.get(name).is_none()) {
            let command = question.name;
            return Err(format!(
                "{command} needs `{name}`, e.g. parsl.task or parsl.task=24"
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
                    let Some(option) = question.options.iter().find(|o| o.name == *name) else {
                        return Err(unknown(question, name));
                    };
                    let values = match value {
                        Value::Array(values) => values.as_slice(),
                        value => std::slice::from_ref(value),
                    };
                    for value in values {
                        let argument = match (value, option.value) {
                            (Value::Null | Value::Bool(false), _) => continue,
                            (Value::Bool(true), QuestionValue::Flag) => format!("--{name}"),
                            (_, QuestionValue::Flag) => return Err(wrong("true or false")),
                            (Value::String(text), _) => format!("--{name}={text}"),
                            (Value::Number(number), _) => format!("--{name}={number}"),
                            _ => return Err(wrong("a text")),
                        };
                        call.arguments.push(argument);
                    }
                }
            }
        }
        Ok(call)
    }

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
        let mut count = 0;
        if let Some(stdout) = child.stdout.take() {
            for (at, line) in (0..).zip(BufReader::new(stdout).split(b'\n')) {
                count = at + 1;
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
        if text.is_empty() && count > 0 {
            let (all, skip) = (several(count as usize, "line"), self.skip);
            text = format!("the answer has {all}: skip = {skip} is behind its end\n");
        } else if text.is_empty() && messages.is_empty() {
            text.push_str("nothing matches\n");
        }
        if !(messages.is_empty() || is_cut || text.is_empty()) {
            text.push('\n');
        }
        text.push_str(&messages);
        Ok(answer(text, is_error))
    }
}

/// Message about an argument that a command does not have.
fn unknown(question: &Question, name: &str) -> String {
    let names: Vec<&str> = question.options.iter().map(|o| o.name.as_str()).collect();
    let (command, names) = (question.name, names.join(", "));
    format!("{command} has no {name}; it has {names}, format, lines, skip")
}
