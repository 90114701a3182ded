//! Mines keys from messages that no definition describes: `word value`, `key=value`, `key: value`.

use widetui_core::level::Level;

use crate::pattern::FieldKind;
use crate::text::header_words::is_file;
use crate::text::reserved::STOP_WORDS;

/// Words for a property of an entity: `worker id 7`, `Worker IP address: ...`. The key name is completed with the
/// entity.
const PROPERTIES: &[&str] = &[
    "address", "addr", "code", "hash", "id", "ids", "index", "ip", "key", "name", "no", "num",
    "number", "pid", "port", "status", "state", "type", "uid", "uuid",
];

/// Keys whose values are words, not numbers: `status: done`, `state changed from queued to running`.
const STATES: &[&str] = &["state", "status", "phase"];

/// Key names that headers use; in a message, the same name has a different meaning.
const HEADER_NAMES: &[&str] = &[
    "time",
    "source",
    "level",
    "message",
    "template",
    "process",
    "pid",
    "thread",
    "thread_id",
    "logger",
    "line",
    "func",
    "file",
    "host",
];

/// Header names that are never keys of a message: they occur in dumps of settings, and in lines whose header was not
/// recognised.
const NEVER_KEYS: &[&str] = &["time", "level", "message", "template"];

/// Header names that name an entity even without a sign: `on host n042`.
const ENTITIES: &[&str] = &["pid", "thread", "host"];

/// Key name for a name in a message. A header name gets the prefix `log.`: `pid=17` in a message may be any process,
/// not the one that wrote it. `None` if it does not become a key.
fn key_name(name: String, is_assigned: bool) -> Option<String> {
    if !HEADER_NAMES.contains(&name.as_str()) {
        return Some(name);
    }
    let is_key = match is_assigned {
        true => !NEVER_KEYS.contains(&name.as_str()),
        false => ENTITIES.contains(&name.as_str()),
    };
    is_key.then(|| format!("log.{name}"))
}

/// Keys that the literal parts of a message assign to its variables, as name and index of the variable; each name
/// occurs once.
pub fn names(literals: &[Box<[u8]>], open: bool) -> Vec<(String, usize)> {
    let variables = literals.len().saturating_sub(1) - usize::from(open && literals.len() > 1);
    let mut out: Vec<(String, usize)> = Vec::new();
    for (variable, literal) in literals.iter().enumerate().take(variables) {
        if let Some(name) = name_before(literal, variable == 0)
            && !out.iter().any(|(n, _)| *n == name)
        {
            out.push((name, variable));
        }
    }
    out
}

/// Word at the end of a literal that names the next variable.
fn name_before(literal: &[u8], first: bool) -> Option<String> {
    let whole = std::str::from_utf8(literal).ok()?;
    let text = whole
        .trim_end_matches(['\'', '"', '[', '(', '<', '#', 'b'])
        .trim_end_matches(['\'', '"']);
    // Trimming may have removed the last letter of a word instead of the `b` of a bytes literal.
    let text = if literal.ends_with(b"b") || text.len() == literal.len() {
        whole
    } else {
        text
    };
    let blank = text.ends_with(' ');
    let (head, sign) = match text.trim_end_matches(' ').chars().last()? {
        '=' | ':' => (
            text.trim_end_matches(' ').trim_end_matches(['=', ':', ' ']),
            true,
        ),
        _ if blank => (text.trim_end_matches(' '), false),
        _ if whole.ends_with('[') => return indexed(whole.trim_end_matches('[')),
        _ if whole.ends_with('#') => return entity_name(whole.trim_end_matches('#')),
        _ => return None,
    };
    // `gcs.cc:17`, `localhost:80`, `user@host:22`, `http://host:80` are places, not names and values.
    let colon = text.trim_end_matches(' ').ends_with(':');
    let (word, before) = last_word(if sign { unquoted(head) } else { head });
    if colon
        && !blank
        && (word.contains('.') || word == "localhost" || before.ends_with(['@', '/']))
    {
        return None;
    }
    let name = snake_case(word)?;
    if (!sign && STOP_WORDS.contains(&name.as_str())) || (colon || !sign) && is_level(&name) {
        return None;
    }
    // A sentence that starts with a capitalised verb ("Submitted 5 jobs") names no entity; "Task 5" does. Past
    // participles are recognised by their ending.
    if !sign && (is_verb(&name) || (first && name.ends_with("ed"))) {
        return None;
    }
    key_name(with_entity(name, before), sign && !colon)
}

/// Text without the quote at its end, if that closes a quoted word: `{'task_id'`.
fn unquoted(text: &str) -> &str {
    let quotes = ['\'', '"'];
    let unquoted = quotes.iter().find_map(|quote| {
        let inner = text.strip_suffix(*quote)?;
        last_word(inner).1.ends_with(*quote).then_some(inner)
    });
    unquoted.unwrap_or(text)
}

/// Name of the value in the brackets of `Task my.function[`: the word before. For `Job[`, that word itself; in lower
/// case it may be an array.
fn indexed(text: &str) -> Option<String> {
    let (word, before) = last_word(text);
    let Some(before) = before.strip_suffix(' ') else {
        let mut letters = word.chars();
        let is_title = letters.next().is_some_and(|c| c.is_ascii_uppercase())
            && letters.any(|c| c.is_ascii_lowercase());
        return entity_name(text).filter(|_| is_title);
    };
    entity_name(before)
}

/// Name of an entity at the end of a text, directly before its value. `owner/project#17` is a place.
fn entity_name(text: &str) -> Option<String> {
    let (word, before) = last_word(text);
    if before.ends_with(['/', '@']) {
        return None;
    }
    let name = snake_case(word)?;
    let is_entity = !STOP_WORDS.contains(&name.as_str()) && !is_verb(&name) && !is_level(&name);
    is_entity
        .then_some(name)
        .and_then(|name| key_name(name, false))
}

/// Completes the name of a property: `id` after `worker` becomes `worker_id`.
fn with_entity(name: String, mut before: &str) -> String {
    let mut out = name;
    while PROPERTIES.contains(&out.split('_').next().unwrap_or_default()) {
        let Some(head) = before.strip_suffix(' ') else {
            break;
        };
        let (word, rest) = last_word(head);
        let Some(entity_name) = snake_case(word) else {
            break;
        };
        let plain = !STOP_WORDS.contains(&entity_name.as_str())
            && !is_verb(&entity_name)
            && !is_level(&entity_name);
        if ACTIONS.contains(&entity_name.as_str()) && IDS.contains(&out.as_str()) {
            return out;
        }
        if !plain || entity_name.contains('.') || entity_name.len() + out.len() >= 32 {
            break;
        }
        out = format!("{entity_name}_{out}");
        before = rest;
    }
    out
}

/// Last word of a text, and the text before it.
fn last_word(text: &str) -> (&str, &str) {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '-';
    let start = text.trim_end_matches(inside).len();
    (&text[start..], &text[..start])
}

/// Key name for a word, in snake case: `jobId` and `job-id` become `job_id`. `None` if the word cannot be a name.
fn snake_case(word: &str) -> Option<String> {
    let word = word.trim_matches(['.', '-']);
    let fits = (2..=32).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-');
    if !fits || is_file(word.as_bytes()) {
        return None;
    }
    let mut out = String::with_capacity(word.len() + 2);
    let mut small = false;
    for c in word.chars() {
        if small && c.is_ascii_uppercase() {
            out.push('_');
        }
        small = c.is_ascii_lowercase();
        out.push(if c == '-' {
            '_'
        } else {
            c.to_ascii_lowercase()
        });
    }
    Some(out)
}

fn is_verb(name: &str) -> bool {
    (name.ends_with("ed") || name.ends_with("ing")) && name.len() > 4
        || matches!(
            name,
            "died" | "sent" | "lost" | "got" | "ran" | "began" | "retry"
        )
}

/// Actions, which do not become part of a key name: `begin id=7` and `end id=7` are about the same entity.
const ACTIONS: &[&str] = &[
    "begin", "end", "start", "stop", "finish", "enter", "exit", "leave", "open", "close", "submit",
];

/// Properties that identify an entity on their own.
const IDS: &[&str] = &["id", "ids", "pid", "uid", "uuid"];

fn is_level(name: &str) -> bool {
    name.len() > 1 && Level::parse(name.as_bytes()).is_some()
}

/// Keys with constant values in the literal parts of a message, each name once: `role=worker`, `status: done`, `state
/// changed from queued to running`.
pub fn constants(literals: &[Box<[u8]>], taken: &[(String, usize)]) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for (at, literal) in literals.iter().enumerate() {
        let Ok(text) = std::str::from_utf8(literal) else {
            continue;
        };
        let followed = at + 1 < literals.len();
        let signs = text
            .match_indices('=')
            .filter_map(|(sign, _)| assigned(text, sign, followed));
        for (name, value) in signs.chain(state(text, followed)) {
            let Some(name) = key_name(name, true) else {
                continue;
            };
            if out.len() < MAX_CONSTANTS
                && taken.iter().all(|t| t.0 != name)
                && out.iter().all(|o| o.0 != name)
            {
                out.push((name, value.to_owned()));
            }
        }
    }
    out
}

/// Maximum number of constants; more are a list of settings.
const MAX_CONSTANTS: usize = 8;

/// Name and value around an equals sign.
fn assigned(text: &str, sign: usize, followed: bool) -> Option<(String, &str)> {
    let (word, before) = last_word(&text[..sign]);
    let opens = before.is_empty() || before.ends_with([' ', '\t', '(', '[', '{', ',', ';', '|']);
    if !opens || word.starts_with('-') {
        return None;
    }
    let value = value_at(&text[sign + 1..], followed)?;
    Some((snake_case(word)?, value))
}

/// Word of letters, with or without quotes, at the start of a text; `None` if it does not end clearly, or at the end of
/// the text if a variable follows.
fn value_at(text: &str, followed: bool) -> Option<&str> {
    let inside = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-' | '.');
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let text = quote.map_or(text, |_| &text[1..]);
    let rest = text.trim_start_matches(inside);
    let value = text[..text.len() - rest.len()].trim_end_matches('.');
    let closed = match (quote, rest.chars().next()) {
        (Some(quote), next) => next == Some(quote),
        (None, None) => !followed,
        (None, Some(next)) => matches!(
            next,
            ' ' | '\t' | ',' | ';' | ')' | ']' | '}' | '|' | '>' | '.' | ':'
        ),
    };
    (closed && value.len() > 1).then_some(value)
}

/// State that a text mentions: `status: done`, `state is now RUNNING`, `state changed from queued to running`.
fn state(text: &str, followed: bool) -> Option<(String, &str)> {
    let lower = text.to_ascii_lowercase();
    STATES.iter().find_map(|name| {
        let at = lower.find(name)?;
        let (word, before) = last_word(&text[..at + name.len()]);
        let rest = &text[at + name.len()..];
        // In a dictionary: `'state': 'running'`.
        let quote = before
            .chars()
            .next_back()
            .filter(|c| matches!(c, '\'' | '"'));
        let rest = quote
            .and_then(|quote| rest.strip_prefix(quote))
            .unwrap_or(rest);
        if !word.eq_ignore_ascii_case(name)
            && !word.to_ascii_lowercase().ends_with(&format!("_{name}"))
        {
            return None;
        }
        let bare = rest.trim_start_matches([' ', ':', '=', '>', '-']);
        let signed = rest[..rest.len() - bare.len()].contains([':', '=', '>']);
        let mut words = rest
            .split([' ', ':', '=', '>', '\'', '"'])
            .filter(|w| !w.is_empty() && *w != "-");
        let last = match lower[at..].find(" to ") {
            Some(to) => text[at + to + 4..].trim_start(),
            None => {
                let next = words.next()?;
                // `status DONE` and `status: done` count; `the state of affairs` does not.
                let shouted =
                    next.len() > 2 && next.chars().all(|c| c.is_ascii_uppercase() || c == '_');
                if !signed && !shouted {
                    return None;
                }
                bare
            }
        };
        let value = value_at(last, followed)?;
        let small = ["a", "an", "be", "its", "the", "this"].contains(&value);
        (!small).then(|| {
            (
                with_entity(snake_case(word).unwrap_or_default(), before),
                value,
            )
        })
    })
}

/// Kind of a mined value: a list for `1, 2, 3`, else a single value.
pub(crate) fn kind_of(text: &[u8]) -> FieldKind {
    let list = text.contains(&b',')
        && text
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b',' | b' '));
    if list {
        FieldKind::List
    } else {
        FieldKind::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::token;

    fn mined(msg: &str) -> Vec<(String, String)> {
        let mut vars = Vec::new();
        let open = token::tokenize(msg.as_bytes(), &mut vars);
        names(&token::literals(msg.as_bytes(), &vars), open)
            .into_iter()
            .map(|(name, v)| (name, msg[vars[v].0 as usize..vars[v].1 as usize].to_owned()))
            .collect()
    }

    #[test]
    fn words_before_values_become_keys() {
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter()
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .collect()
        };
        assert_eq!(
            mined("job 17 sent to worker w-3, queue=5"),
            pairs(&[("job", "17"), ("worker", "w-3"), ("queue", "5")])
        );
        assert_eq!(mined("finished in 5 s after 3 tries"), pairs(&[]));
        assert_eq!(
            mined("request_id: 4f65-a1 took 12 ms"),
            pairs(&[("request_id", "4f65-a1")])
        );
        assert_eq!(mined("Submitted 5 jobs"), pairs(&[]));
        // The name is completed with the entity; spellings of one name are unified.
        assert_eq!(
            mined("Lease ID: 0a1 Worker IP address: 10.1.2.3 Worker PID: 23784"),
            pairs(&[
                ("lease_id", "0a1"),
                ("worker_ip_address", "10.1.2.3"),
                ("worker_pid", "23784")
            ])
        );
        assert_eq!(
            mined("exit code 3 of job-id 5, taskId=6"),
            pairs(&[("exit_code", "3"), ("job_id", "5"), ("task_id", "6")])
        );
        assert_eq!(
            mined("Task app.fetch[8f5a-1] succeeded in 0.15s"),
            pairs(&[("task", "8f5a-1")])
        );
    }

    #[test]
    fn entries_of_dictionaries_become_keys() {
        let constant = |msg: &str| -> Vec<(String, String)> {
            let mut vars = Vec::new();
            let open = token::tokenize(msg.as_bytes(), &mut vars);
            let literals = token::literals(msg.as_bytes(), &vars);
            constants(&literals, &names(&literals, open))
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for msg in [
            r#"{"task_id": 7, "state": "running", "taken": 3}"#,
            "Got {'task_id': 7, 'state': 'running', 'taken': 3}",
        ] {
            assert_eq!(
                mined(msg),
                [pair("task_id", "7"), pair("taken", "3")],
                "{msg}"
            );
            assert_eq!(constant(msg), [pair("state", "running")], "{msg}");
        }
        assert_eq!(mined("\"all is done\": 7"), []);
    }

    #[test]
    fn actions_are_not_part_of_names() {
        for (begin, end, name) in [
            ("begin ticket=17", "end ticket=17", "ticket"),
            ("begin id=17", "end id=17", "id"),
            ("job start pid=17", "job exit pid=17", "log.pid"),
            ("open worker id=17", "close worker id=17", "worker_id"),
        ] {
            for message in [begin, end] {
                assert_eq!(
                    mined(message),
                    [(name.to_owned(), "17".to_owned())],
                    "{message}"
                );
            }
        }
        assert_eq!(
            mined("exit code 3"),
            [("exit_code".to_owned(), "3".to_owned())]
        );
    }

    #[test]
    fn adjacent_numbers_belong_to_the_entity() {
        for (message, name) in [
            ("Job[17] status: NEW", "job"),
            ("Stage[17]: started", "stage"),
            ("retried job#17", "job"),
            ("see Issue#17", "issue"),
        ] {
            assert_eq!(
                mined(message),
                [(name.to_owned(), "17".to_owned())],
                "{message}"
            );
        }
        for message in [
            "value[17]",
            "ERROR[17]",
            "DATA[17]",
            "Failed[17]",
            "the#17",
            "me/project#17",
        ] {
            assert_eq!(mined(message), [], "{message}");
        }
    }

    #[test]
    fn header_names_get_a_prefix() {
        for (message, name, value) in [
            ("worker ready host=node07", "log.host", "node07"),
            ("started on host node07", "log.host", "node07"),
            ("launched pid=4711", "log.pid", "4711"),
            ("launched with pid 4711", "log.pid", "4711"),
            ("reading file=frag0.pdb", "log.file", "frag0.pdb"),
        ] {
            assert_eq!(
                mined(message),
                [(name.to_owned(), value.to_owned())],
                "{message}"
            );
        }
        // Header names are not keys.
        for message in ["time=17", "level=3", "see line 17", "file 17 of 20"] {
            assert_eq!(mined(message), [], "{message}");
        }
    }

    #[test]
    fn places_verbs_and_levels_are_not_names() {
        for message in [
            "core_worker.cc:195: up",
            "Connected to redis://localhost:6399/0 and me@there:22",
            "retry failed 3 times, because 4 died",
            "Error 111 connecting",
            "DEBUG: 33 tasks",
            "Job OK (7)",
            "value[3]",
        ] {
            assert_eq!(mined(message), [], "{message}");
        }
    }

    #[test]
    fn words_behind_a_sign_and_states_are_values() {
        let said = |message: &str| -> Vec<(String, String)> {
            let mut vars = Vec::new();
            token::tokenize(message.as_bytes(), &mut vars);
            constants(&token::literals(message.as_bytes(), &vars), &[])
        };
        let pair = |a: &str, b: &str| vec![(a.to_owned(), b.to_owned())];
        assert_eq!(said("node 7 role=worker, up"), pair("role", "worker"));
        assert_eq!(
            said("Task a1 has status   PENDING"),
            pair("status", "PENDING")
        );
        assert_eq!(said("task 7 status: done"), pair("status", "done"));
        assert_eq!(said("up on host=localhost"), pair("log.host", "localhost"));
        assert_eq!(
            said("job 3 changed state from queued to running."),
            pair("state", "running")
        );
        assert_eq!(said("Job State: RUNNING (7)"), pair("job_state", "RUNNING"));
        for message in [
            "http://host/?a=bee&c=dee",
            "run --mode=fast",
            "x=a17",
            "the state of affairs",
            "status: 7",
            "state=abc[7]",
            "level=debug",
        ] {
            assert_eq!(said(message), [], "{message}");
        }
    }
}
