//! Messages of the Model Context Protocol.

use serde_json::json;

use super::*;

/// Replies of a server to messages, one a line.
fn replies(paths: &[&str], messages: &[String]) -> Vec<Json> {
    let mut server = command(&[&["mcp"], paths].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    input.write_all(messages.join("\n").as_bytes()).unwrap();
    drop(input);
    let out = server.wait_with_output().unwrap();
    assert!(out.status.success());
    let lines = text(&out.stdout);
    let replies = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    replies.collect()
}

/// Texts of the answers to calls of tools, and whether each is an error.
fn answers(calls: &[(&str, Json)]) -> Vec<(String, bool)> {
    let request = |(id, (name, arguments)): (usize, &(&str, Json))| {
        let params = json!({"name": name, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let messages: Vec<String> = calls.iter().enumerate().map(request).collect();
    let replies = replies(&[&hung()], &messages);
    assert_eq!(replies.len(), calls.len());
    let answer = |(id, reply): (usize, &Json)| {
        assert_eq!(reply["id"], json!(id));
        let result = &reply["result"];
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"].as_bool().unwrap())
    };
    replies.iter().enumerate().map(answer).collect()
}

#[test]
fn a_client_learns_the_tools() {
    let message = |text: &str| text.to_owned();
    let replies = replies(
        &[&hung()],
        &[
            message(
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
            ),
            message(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            message(r#"{"jsonrpc":"2.0","id":"b","method":"tools/list"}"#),
            message(r#"{"jsonrpc":"2.0","id":3,"method":"resources/list"}"#),
            message("no json"),
        ],
    );
    assert_eq!(replies.len(), 4, "none to a notification");
    assert_eq!(replies[0]["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(replies[1]["id"], "b");
    let tools = replies[1]["result"]["tools"].as_array().unwrap();
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert!(!tool["description"].as_str().unwrap().is_empty());
        tool["inputSchema"].clone()
    };
    assert_eq!(schema("trace")["required"], json!(["of"]));
    let events = schema("events");
    assert_eq!(events["properties"]["limit"]["type"], "integer");
    assert_eq!(events["properties"]["unique"]["type"], "boolean");
    for absent in ["output", "follow", "system", "color"] {
        assert_eq!(events["properties"].get(absent), None, "{absent}");
    }
    assert_eq!(replies[2]["error"]["code"], -32601);
    assert_eq!(replies[3]["error"]["code"], -32700);
}

#[test]
fn a_tool_answers_as_its_command() {
    let called = answers(&[
        ("hung", json!({"lines": 2000})),
        ("trace", json!({"of": "parsl.task=24", "lines": 3})),
        (
            "trace",
            json!({"of": "parsl.task=24", "lines": 3, "skip": 3}),
        ),
        (
            "events",
            json!({"where": "level >= error", "format": "jsonl"}),
        ),
        ("events", json!({"where": "parsl.task = 999"})),
        ("trace", json!({"of": "parsl.task=24", "skip": 5000})),
    ]);
    assert_eq!(called[0], (ok(&["hung", &hung()]), false));
    let whole = ok(&["trace", "parsl.task=24", &hung()]);
    let whole: Vec<&str> = whole.lines().collect();
    for (cut, first) in called[1..3].iter().zip([0, 3]) {
        let lines: Vec<&str> = cut.0.lines().collect();
        assert_eq!(lines[..3], whole[first..first + 3]);
        assert!(
            lines[3].contains(&format!("skip = {}", first + 3)),
            "{}",
            lines[3]
        );
    }
    assert!(
        objects(&called[3].0)
            .iter()
            .all(|row| row["level"] == "error")
    );
    assert_eq!(called[4], ("nothing matches\n".to_owned(), false));
    let end = format!("the answer has {} lines: skip = 5000 ", whole.len());
    assert!(called[5].0.starts_with(&end), "{}", called[5].0);
}

#[test]
fn a_wrong_call_is_answered_with_the_way_to_a_right_one() {
    let called = answers(&[
        ("trace", json!({})),
        ("events", json!({"output": "/tmp/file"})),
        ("events", json!({"where": "level >"})),
        ("events", json!({"unique": "yes"})),
    ]);
    let wanted = [
        "trace needs `of`",
        "events has no output; it has where",
        "a value is missing",
        "unique: not true or false",
    ];
    for ((text, is_error), wanted) in called.iter().zip(wanted) {
        assert!(*is_error && text.contains(wanted), "{text}");
    }
}
