//! Refused connections beside the addresses at which processes listen: another port, or a process that listened before or
//! later.

use widetui_core::ids::{EventId, SourceId};
use widetui_core::words::{begins_a_word, listed};

use crate::findings::context::Context;
use crate::findings::finding::Finding;

/// Maximum number of records about listening that are read.
const READ: usize = 1_000;
/// Maximum number of other addresses in a text.
const NAMED: usize = 3;
/// Word of a refused connection, in lower case.
const REFUSED: &str = "refused";
/// Endings of names of source files, whose line numbers look like ports: `api.py:29`.
const SOURCE_FILES: [&str; 10] = [
    "py", "go", "c", "cc", "cpp", "rs", "java", "js", "rb", "erl",
];

/// Address in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Address {
    /// Host, if the text names one.
    host: Option<String>,
    /// Port.
    port: u16,
}

impl Address {
    /// `127.0.0.1:8910`, or `port 8910`.
    fn text(&self) -> String {
        match &self.host {
            Some(host) => format!("{host}:{}", self.port),
            None => format!("port {}", self.port),
        }
    }
}

/// Record of a process that listens.
struct Listener {
    address: Address,
    event: EventId,
    source: SourceId,
}

/// Adds to findings of refused connections who listens where. `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) -> Option<()> {
    let mut listeners: Option<Vec<Listener>> = None;
    for finding in findings {
        let refused = { finding.evidence.iter() }.find_map(|id| {
            let message = look.message(*id);
            Some((*id, refused(&message)?))
        });
        let Some((event, address)) = refused else {
            continue;
        };
        if listeners.is_none() {
            listeners = Some(all_listeners(look)?);
        }
        let known = listeners.as_deref().unwrap_or_default();
        if let Some(text) = comparison(look, known, (event, &address)) {
            finding.text += &text;
            "Correct the address or port on one of the two sides, or start the process that should listen there."
                .clone_into(&mut finding.next);
        }
    }
    Some(())
}

/// Addresses at which processes report that they listen; `None` when cancelled.
fn all_listeners(look: &mut Context<'_>) -> Option<Vec<Listener>> {
    let words = &look.snapshot.catalog.words;
    let listens = |text: &str| {
        let text = text.to_lowercase();
        words.listens.iter().any(|word| begins_a_word(&text, word))
    };
    let records = look.records_with(|_, template| listens(template))?;
    let mut out = Vec::new();
    for event in records.into_iter().take(READ) {
        let source = look.snapshot.event(event).map(|e| e.source().id);
        let message = look.message(event);
        let address = message.lines().next().and_then(|line| {
            let mut all = addresses(line).into_iter();
            all.next().map(|(_, address)| address)
        });
        if let (Some(source), Some(address)) = (source, address) {
            out.push(Listener {
                address,
                event,
                source,
            });
        }
    }
    Some(out)
}

/// Sentence that compares a refused address with those at which processes listen; `None` if it says nothing new.
fn comparison(
    look: &Context<'_>,
    listeners: &[Listener],
    (event, refused): (EventId, &Address),
) -> Option<String> {
    let own = look.snapshot.event(event)?.source().id;
    let others = listeners.iter().filter(|l| l.source != own);
    let (same, others): (Vec<&Listener>, Vec<&Listener>) =
        others.partition(|l| l.address.port == refused.port);
    let refused_at = look.time(event);
    let address = refused.text();
    if let Some(first) = same.first() {
        let tag = look.tag(first.event);
        let begin = look.time(first.event);
        let is_all_later = same.iter().all(|l| look.time(l.event) > refused_at);
        if is_all_later && refused_at.is_some() {
            let at = look.clock.text(begin?);
            return Some(format!(" {tag} listens at {address} only from {at} on."));
        }
        let source = look.snapshot.source(first.source)?;
        let end = source.last().filter(|end| Some(*end) < refused_at)?;
        let at = look.clock.text(end);
        return Some(format!(
            " {tag} listened at {address}, but wrote its last record at {at}, before the connection was refused."
        ));
    }
    let mut known: Vec<String> = Vec::new();
    for listener in others {
        let text = format!(
            "{} listens at {}",
            look.tag(listener.event),
            listener.address.text()
        );
        if !known.contains(&text) {
            known.push(text);
        }
    }
    if known.is_empty() {
        return None;
    }
    Some(format!(
        " No log reports a process that listens at {address}; {}.",
        listed(&known, NAMED)
    ))
}

/// Address of a refused connection: the first one behind the word, else the last one before it.
fn refused(message: &str) -> Option<Address> {
    let lower = message.to_lowercase();
    let at = lower.find(REFUSED)?;
    let line_start = lower[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = lower[at..].find('\n').map_or(lower.len(), |end| at + end);
    // Lower case may have another length than the text.
    let line = lower.get(line_start..line_end)?;
    let word = at - line_start;
    let all = addresses(line);
    let behind = all.iter().find(|(at, _)| *at > word);
    let found = behind.or(all.iter().rfind(|(at, _)| *at < word));
    found.map(|(_, address)| address.clone())
}

/// Addresses in a line with their places: `127.0.0.1:8910`, `('127.0.0.1', 8910)`, `"localhost", port 8910`, `on port 22`.
fn addresses(line: &str) -> Vec<(usize, Address)> {
    let is_between = |c: char| c.is_whitespace() || "\"'()[]<>,;/=".contains(c);
    let mut out = Vec::new();
    let mut host: Option<&str> = None;
    let mut before = "";
    for part in line.split(is_between).filter(|part| !part.is_empty()) {
        let at = part.as_ptr() as usize - line.as_ptr() as usize;
        let word = part.trim_end_matches(['.', ':']);
        match word.rsplit_once(':') {
            Some((name, number)) if is_host(name) => {
                if let Some(port) = port(number) {
                    let host = Some(name.to_owned());
                    out.push((at, Address { host, port }));
                }
            }
            _ if is_host(word) => host = Some(word),
            _ => {
                // The port follows its host, or the word `port`.
                let is_pair = before == "port" || host.is_some_and(|host| host == before);
                if let Some(port) = port(word).filter(|_| is_pair) {
                    let host = host.map(str::to_owned);
                    out.push((at, Address { host, port }));
                }
            }
        }
        before = word;
    }
    out
}

fn port(text: &str) -> Option<u16> {
    let is_number = text.len() > 1 && text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port > 0)
}

/// True if a word is the name or number of a host: `localhost`, `10.0.0.1`, `db.example.org`, `*`.
fn is_host(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let last = word.rsplit('.').next().unwrap_or_default();
    let is_name = word.contains('.') && word.chars().all(is_part) && !word.starts_with('.');
    let is_number = word.parse::<f64>().is_ok();
    word == "localhost"
        || word == "*"
        || (is_name && !is_number && !last.is_empty() && !SOURCE_FILES.contains(&last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_refused_connections() {
        for (line, expected) in [
            (
                "connect() failed (111: Connection refused) while connecting to upstream, client: 10.1.0.7, server: , \
                 request: \"GET / HTTP/1.1\", upstream: \"http://127.0.0.1:8910/\", host: \"127.0.0.1:80\"",
                Some("127.0.0.1:8910"),
            ),
            (
                "dial tcp 10.0.0.1:5432: connect: connection refused",
                Some("10.0.0.1:5432"),
            ),
            (
                "ConnectionRefusedError: [Errno 111] Connect call failed ('127.0.0.1', 39915)",
                Some("127.0.0.1:39915"),
            ),
            (
                "connection to server at \"db.lab\", port 5544 failed: Connection refused",
                Some("db.lab:5544"),
            ),
            ("a.py:29: connection refused", None),
            ("12:30 access refused by 1.5", None),
        ] {
            let found = refused(line).map(|address| address.text());
            assert_eq!(found.as_deref(), expected, "{line}");
        }
        assert_eq!(refused("connected to 10.0.0.1:80"), None);
    }

    #[test]
    fn addresses_of_listeners() {
        for (line, expected) in [
            ("Listening at: http://127.0.0.1:8901 (22)", "127.0.0.1:8901"),
            ("Server listening on 0.0.0.0 port 22.", "0.0.0.0:22"),
            (
                "listening on IPv4 address \"127.0.0.1\", port 5544",
                "127.0.0.1:5544",
            ),
            ("ready to accept connections on port 6379", "port 6379"),
        ] {
            let found = addresses(line);
            assert_eq!(
                found.first().map(|a| a.1.text()).as_deref(),
                Some(expected),
                "{line}"
            );
        }
    }
}
