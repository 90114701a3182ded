//! Names and numbers in the first line of a message.

use rustc_hash::FxHashMap;
use widetui_core::quantity::{self, Dimension};

use crate::data::Data;

/// Form of a name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Number behind a word: `tile 6`. It may be a measured number.
    Numbered,
    /// Word with a number: `rank3`, `worker-12`.
    Named,
    /// Word behind a noun or a key: `topic frames`, `queue=orders`.
    Word,
    /// Number in brackets or behind the word process: `[16496]`.
    Process,
    /// Path or name of a file.
    File,
    /// Network address or URL.
    Address,
    /// UUID or hexadecimal number.
    Hex,
    /// Name of a source.
    Source,
    /// Value of a key of the record.
    Key,
}

/// Name of an instance in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Class in lower case: `tile`.
    pub class: String,
    /// Canonical value, numbers without leading zeros.
    pub value: String,
    /// Value as written.
    pub spelling: String,
    /// True if it opens the line, as the name of the writer or of what the line is about.
    pub leads: bool,
    /// Form.
    pub form: Form,
}

/// Number in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Value in the base unit.
    pub value: f64,
    /// Dimension, if the text states a unit.
    pub dimension: Option<Dimension>,
    /// Word before it, else the word behind it, in lower case.
    pub class: String,
    /// True if the words before it make it a limit.
    pub is_limit: bool,
    /// Index among the mentions, if it may be the number of an instance.
    pub mention: Option<usize>,
}

/// Line without its variable parts, and these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Text with `{}` for names and numbers.
    pub template: String,
    /// Text with `#` for names: numbers that may count something stay.
    pub plain: String,
    /// Names, in the order of the text.
    pub mentions: Vec<Mention>,
    /// Numbers, in the order of the text.
    pub numbers: Vec<Number>,
    /// Last `k of n`.
    pub counter: Option<(u64, u64)>,
}

/// Part of a line between separators.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    before: &'a str,
    text: &'a str,
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c.is_control() || ",;()[]{}\"'`<>|=?&→…—–«»*".contains(c)
}

/// Splits a line at separators; the text between two pieces belongs to the second.
fn pieces(line: &str) -> (Vec<Piece<'_>>, &str) {
    let mut out = Vec::new();
    let (mut end, mut at) = (0, 0);
    let mut push = |start: usize, stop: usize| {
        let text = &line[start..stop];
        let lead = text.len() - text.trim_start_matches([':', '!', '?', '~', '@']).len();
        let start = start + lead;
        let text = line[start..stop].trim_end_matches(['.', ':', '!', '?', '/', '-']);
        if text.is_empty() || text == "-" {
            return;
        }
        let colon = text
            .find(':')
            .filter(|_| splits_at_colon(text))
            .filter(|c| *c > 0);
        let parts = match colon {
            Some(c) => vec![(start, c), (start + c + 1, text.len() - c - 1)],
            None => vec![(start, text.len())],
        };
        for (start, len) in parts {
            if len > 0 {
                out.push(Piece {
                    before: &line[end..start],
                    text: &line[start..start + len],
                });
                end = start + len;
            }
        }
    };
    let mut previous = ' ';
    let mut iter = line.char_indices().peekable();
    while let Some((i, c)) = iter.next() {
        // An apostrophe inside of a word: can't.
        let next = iter.peek().map_or(' ', |n| n.1);
        let is_inside = c == '\'' && previous.is_alphabetic() && next.is_alphabetic();
        if is_separator(c) && !is_inside {
            if at < i {
                push(at, i);
            }
            at = i + c.len_utf8();
        }
        previous = c;
    }
    if at < line.len() {
        push(at, line.len());
    }
    (out, &line[end..])
}

/// True for `rank0:recv` and `loader:step`, false for addresses, times, URLs and paths of modules.
fn splits_at_colon(text: &str) -> bool {
    if text.contains("://") || text.contains("::") || is_clock(text) || text.contains("/") {
        return false;
    }
    match text.split_once(':') {
        Some((name, port)) => {
            let is_port = (2..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
            let is_host = name.bytes().any(|b| b.is_ascii_alphabetic() || b == b'.');
            !(is_port && is_host)
        }
        None => false,
    }
}

/// True for times of the day and dates.
fn is_clock(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let marks = text.bytes().filter(|b| b":-.T+Z,".contains(b)).count();
    // `29/Nov/2026:12:50:24` of web servers.
    if text.matches('/').count() == 2
        && text.split('/').nth(1).is_some_and(|m| m.len() == 3)
        && digits >= 5
    {
        return true;
    }
    let is_made = digits + marks == text.len() && text.starts_with(|c: char| c.is_ascii_digit());
    let colons = text.matches(':').count();
    is_made && (colons >= 1 && digits >= 4 || text.matches('-').count() == 2 && digits == 8)
}

/// Class and number of a name: `rank` and 0 of `rank0`, `part` and 5 of `part-005.tsv`.
pub fn split_name(name: &str) -> Option<(String, String)> {
    let base = name.rsplit('/').next()?;
    // Extensions go; `worker.3` is no file.
    let mut stem = base;
    while let Some((front, ext)) = stem.rsplit_once('.') {
        if ext.is_empty() || ext.bytes().any(|b| !b.is_ascii_alphanumeric()) {
            return None;
        }
        if ext.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        stem = front;
    }
    let digits = stem.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (word, number) = stem.split_at(stem.len() - digits);
    let word = word.trim_end_matches(['-', '_', '.', ':', '#']);
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || b"-_.".contains(&b));
    let is_number = (1..=12).contains(&digits);
    (is_word && is_number).then(|| (word.to_lowercase(), without_zeros(number).to_owned()))
}

/// Number without leading zeros.
fn without_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

/// Kind of a piece.
enum Kind {
    Word,
    Integer,
    Quantity(f64, Option<Dimension>),
    Ratio(u64, u64),
    Name(Form),
    Clock,
}

fn kind(text: &str, data: &Data) -> Kind {
    let bytes = text.as_bytes();
    let all = |f: fn(&u8) -> bool| bytes.iter().all(f);
    let has = |f: fn(&u8) -> bool| bytes.iter().any(f);
    if all(u8::is_ascii_digit) {
        return Kind::Integer;
    }
    if text.contains("://") {
        return Kind::Name(Form::Address);
    }
    let dots = text.split(':').next().unwrap_or_default();
    if dots.split('.').count() == 4 && dots.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Kind::Name(Form::Address);
    }
    if is_clock(text) {
        return Kind::Clock;
    }
    if !has(u8::is_ascii_digit) {
        return match is_file(text, data) {
            true => Kind::Name(Form::File),
            false => Kind::Word,
        };
    }
    let is_hex = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_hexdigit());
    if text.strip_prefix("0x").is_some_and(is_hex) {
        return Kind::Name(Form::Hex);
    }
    if text.len() == 36 && text.split('-').count() == 5 && text.split('-').all(is_hex) {
        return Kind::Name(Form::Hex);
    }
    let is_lower_hex = all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b));
    if (8..=40).contains(&text.len()) && is_lower_hex && has(|b| (b'a'..=b'f').contains(b)) {
        return Kind::Name(Form::Hex);
    }
    if let Some((k, n)) = text.split_once('/')
        && let (Ok(k), Ok(n)) = (k.parse(), n.parse())
    {
        return Kind::Ratio(k, n);
    }
    let commas = text.replace(',', "");
    if let Some(q) = quantity::parse(&commas) {
        return Kind::Quantity(q.value, q.dimension);
    }
    if let Some((name, port)) = text.rsplit_once(':')
        && port.bytes().all(|b| b.is_ascii_digit())
        && !name.contains('/')
    {
        return match (is_file(name, data), port.len()) {
            (true, _) => Kind::Name(Form::File),
            (_, 3..) => Kind::Name(Form::Address),
            _ => Kind::Name(Form::Named),
        };
    }
    if is_file(text, data) {
        return Kind::Name(Form::File);
    }
    if text
        .split_once('/')
        .is_some_and(|(_, version)| is_version(version))
    {
        return Kind::Clock;
    }
    match text.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        true => Kind::Name(Form::Named),
        false => Kind::Word,
    }
}

/// True for paths, and for names with the extension of a file.
fn is_file(text: &str, data: &Data) -> bool {
    let has_extension = |name: &str| {
        let parts = name.rsplit_once('.');
        parts.is_some_and(|(stem, ext)| {
            stem.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c))
                && data.lists("extensions", &ext.to_lowercase())
        })
    };
    let slashes = text.matches('/').count();
    let last = text.rsplit('/').next().unwrap_or_default();
    match slashes {
        0 => has_extension(text),
        1 if is_version(last) => false,
        1 => {
            text.starts_with(['/', '~', '.']) || has_extension(last) || {
                let has_digit = |t: &str| t.bytes().any(|b| b.is_ascii_digit());
                has_digit(last) && text.starts_with(|c: char| c.is_ascii_alphabetic())
            }
        }
        _ => text.bytes().any(|b| b.is_ascii_alphabetic()),
    }
}

/// True for `1.1` of `HTTP/1.1`.
fn is_version(text: &str) -> bool {
    text.contains('.') && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// True if a separator ties a word to the value behind it.
fn ties(between: &str) -> bool {
    between.len() <= 4 && between.chars().all(|c| " =:#[(\"'<".contains(c))
}

/// Names and numbers of a line; `sources` has the names of sources without their extension, `own` the words of the name of
/// its writer, which vary as the name does: `settlement of north` by `branch-north`.
pub fn lex(line: &str, sources: &FxHashMap<String, u32>, own: &[&str]) -> Line {
    let data = Data::get();
    let mut out = Line::default();
    let (all, tail) = pieces(line);
    let is_word = |at: usize| {
        let piece = all.get(at)?;
        let is_plain = piece
            .text
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
        is_plain.then(|| piece.text.to_lowercase())
    };
    // Words before a number by which it is a limit: up to three, in the same clause.
    let is_limit = |at: usize| {
        let words = (at.saturating_sub(3)..at).rev().map_while(|i| {
            let next = all.get(i + 1)?;
            (!next.before.contains([',', ';', ')'])).then(|| is_word(i))?
        });
        words.into_iter().any(|w| {
            data.lists("limits", &w) || w.split(['_', '-']).any(|part| data.lists("limits", part))
        })
    };
    for (at, piece) in all.iter().enumerate() {
        let before = piece.before;
        push_between(&mut out.template, before);
        push_between(&mut out.plain, before);
        let previous = at.checked_sub(1).and_then(is_word);
        let previous = previous.filter(|_| ties(before));
        let next = || {
            let next = all.get(at + 1)?;
            (next.before.trim().is_empty()).then(|| is_word(at + 1))?
        };
        let text = piece.text;
        // One word may stand before the class: `processing tile 6`.
        let words = at - usize::from(previous.is_some());
        let is_plain = |i: usize| {
            let is_process = all.get(i).is_some_and(|p| p.before.ends_with('['));
            is_process || is_word(i).is_some_and(|w| !data.lists("stop", &w))
        };
        let leads = words <= 1 && (0..words).all(is_plain);
        if text.len() >= 3 && sources.contains_key(text) {
            out.mentions.push(Mention {
                class: "log".to_owned(),
                value: text.to_owned(),
                spelling: text.to_owned(),
                leads: false,
                form: Form::Source,
            });
            out.template.push_str("{}");
            out.plain.push('#');
            continue;
        }
        match kind(text, data) {
            Kind::Clock => {
                out.template.push_str("{}");
                out.plain.push('#');
            }
            Kind::Ratio(k, n) => {
                out.counter = Some((k, n));
                out.template.push_str("{}/{}");
                out.plain.push_str(text);
            }
            Kind::Integer => {
                // k of n.
                if let Some(of) = all.get(at + 1).filter(|p| p.text == "of")
                    && let Some(n) = all.get(at + 2).and_then(|p| p.text.parse().ok())
                    && of.before == " "
                    && let Ok(k) = text.parse()
                {
                    out.counter = Some((k, n));
                }
                let is_attempt = previous
                    .as_deref()
                    .is_some_and(|p| data.lists("attempts", p));
                let shown = if is_attempt { "#" } else { text };
                let unit = all.get(at + 1).filter(|p| p.before == " ");
                let quantity = unit.and_then(|u| {
                    let is_unit = quantity::unit_len(u.text.as_bytes()) == u.text.len();
                    is_unit.then(|| quantity::parse(&format!("{text} {}", u.text)))?
                });
                if let Some(q) = quantity {
                    out.numbers.push(Number {
                        value: q.value,
                        dimension: q.dimension,
                        class: previous.unwrap_or_default(),
                        is_limit: is_limit(at),
                        mention: None,
                    });
                    out.template.push_str("{}");
                    out.plain.push_str(shown);
                    continue;
                }
                let mention =
                    numbered(piece, before, previous.as_deref(), next().as_deref(), leads);
                out.numbers.push(Number {
                    value: text.parse().unwrap_or(0.0),
                    dimension: None,
                    class: previous.or_else(next).unwrap_or_default(),
                    is_limit: is_limit(at),
                    mention: mention.as_ref().map(|_| out.mentions.len()),
                });
                out.mentions.extend(mention);
                out.template.push_str("{}");
                out.plain.push_str(shown);
            }
            Kind::Quantity(value, dimension) => {
                let unit = all
                    .get(at + 1)
                    .filter(|p| p.before == " " && dimension.is_none());
                let with_unit = unit.and_then(|u| {
                    let is_unit = quantity::unit_len(u.text.as_bytes()) == u.text.len();
                    is_unit.then(|| {
                        quantity::parse(&format!("{} {}", text.replace(',', ""), u.text))
                    })?
                });
                let (value, dimension) =
                    with_unit.map_or((value, dimension), |q| (q.value, q.dimension));
                out.numbers.push(Number {
                    value,
                    dimension,
                    class: previous.or_else(next).unwrap_or_default(),
                    is_limit: is_limit(at),
                    mention: None,
                });
                out.template.push_str("{}");
                out.plain.push_str(text);
            }
            Kind::Name(form) => {
                let (class, value, shown) = named(text, form, previous.as_deref(), data);
                out.template.push_str(&shown);
                out.plain.push('#');
                out.mentions.push(Mention {
                    class,
                    value,
                    spelling: text.to_owned(),
                    leads,
                    form,
                });
            }
            Kind::Word if own.contains(&text) => {
                out.template.push_str("{}");
                out.plain.push('#');
            }
            Kind::Word => {
                let after = all.get(at + 1).map_or(tail, |p| p.before);
                match previous.filter(|p| is_name(text, p, before, after, data)) {
                    Some(class) => {
                        out.mentions.push(Mention {
                            class,
                            value: text.to_owned(),
                            spelling: text.to_owned(),
                            leads,
                            form: Form::Word,
                        });
                        out.template.push_str("{}");
                        out.plain.push('#');
                    }
                    None => {
                        out.template.push_str(text);
                        out.plain.push_str(text);
                    }
                }
            }
        }
    }
    push_between(&mut out.template, tail);
    push_between(&mut out.plain, tail);
    out.template.truncate(
        out.template
            .char_indices()
            .nth(240)
            .map_or(out.template.len(), |c| c.0),
    );
    out
}

fn push_between(template: &mut String, between: &str) {
    let mut was_space = template.ends_with(' ') || template.is_empty();
    for c in between.chars() {
        match (c.is_whitespace(), was_space) {
            (true, true) => {}
            (true, false) => template.push(' '),
            _ => template.push(c),
        }
        was_space = c.is_whitespace();
    }
}

/// Instance that a number may be the number of.
fn numbered(
    piece: &Piece<'_>,
    before: &str,
    previous: Option<&str>,
    next: Option<&str>,
    leads: bool,
) -> Option<Mention> {
    let data = Data::get();
    let mention = |class: &str, form| Mention {
        class: class.to_owned(),
        value: without_zeros(piece.text).to_owned(),
        spelling: piece.text.to_owned(),
        leads,
        form,
    };
    if piece.text.len() > 15 {
        return None;
    }
    match previous {
        Some("pid" | "process" | "PID") => Some(mention("pid", Form::Process)),
        // `rows: 12` and `12: rows` are measured; `tile: 6` with nothing behind is not.
        Some(word) if before.trim_start().starts_with(':') && next.is_some() => data
            .lists("nouns", word)
            .then(|| mention(word, Form::Numbered)),
        Some(word) if data.lists("stop", word) || data.lists("measures", word) => {
            (piece.text.len() >= 4).then(|| mention("#", Form::Process))
        }
        Some(word) => Some(mention(word, Form::Numbered)),
        None if before.ends_with('[') && piece.text.len() >= 3 => {
            Some(mention("pid", Form::Process))
        }
        None if before.ends_with('#') => Some(mention("#", Form::Numbered)),
        None if piece.text.len() >= 4 => Some(mention("#", Form::Process)),
        None => None,
    }
}

/// Class, canonical value and template of a name.
fn named(text: &str, form: Form, previous: Option<&str>, data: &Data) -> (String, String, String) {
    let whole = || text.trim_end_matches(['.', '/']).to_owned();
    match form {
        Form::File => {
            let base = text.rsplit('/').find(|p| !p.is_empty()).unwrap_or(text);
            let base = base.split_once(':').map_or(base, |(name, _)| name);
            let is_path = !base.contains('.');
            let class = if is_path { "path" } else { "file" };
            (class.to_owned(), base.to_owned(), "{}".to_owned())
        }
        Form::Address => ("address".to_owned(), whole(), "{}".to_owned()),
        Form::Hex => {
            let class = previous.filter(|w| !data.lists("stop", w) && data.lists("nouns", w));
            (class.unwrap_or("id").to_owned(), whole(), "{}".to_owned())
        }
        _ => match split_name(&text.replace(':', "-")) {
            // A letter alone is a class only where no noun stands before it: `granule G0231`, `T310014 booked`.
            Some((word, number))
                if word.len() >= 2 || number.len() >= 3 && !previous.is_some_and(is_noun) =>
            {
                let shown = format!("{word}{{}}");
                (word, number, shown)
            }
            _ => {
                let class = previous.filter(|w| !data.lists("stop", w));
                (class.unwrap_or("name").to_owned(), whole(), "{}".to_owned())
            }
        },
    }
}

/// True if a word may be a noun before a name.
fn is_noun(word: &str) -> bool {
    let is_verb = word.ends_with("ed") || word.ends_with("ing");
    !is_verb && !Data::get().lists("stop", word)
}

/// True if a word behind another one is the name of an instance.
fn is_name(text: &str, class: &str, before: &str, after: &str, data: &Data) -> bool {
    let lower = text.to_lowercase();
    let is_literal = matches!(
        &*lower,
        "true" | "false" | "none" | "null" | "yes" | "no" | "nan" | "inf"
    );
    if is_literal || !text.starts_with(|c: char| c.is_alphanumeric()) {
        return false;
    }
    let is_quoted = before.ends_with(['\'', '"']) && after.starts_with(['\'', '"']);
    if before.contains('=') || is_quoted && data.lists("nouns", class) {
        return !data.lists("states", class);
    }
    // `worker addr: tcp://...`: a label of what follows.
    if after.contains(':') && !after.ends_with(": ")
        || after.starts_with([':', '=']) && after.len() > 1
    {
        return false;
    }
    let m = data.meanings(text);
    let is_verb = lower.ends_with("ed") || lower.ends_with("ing");
    let has_mark = text.contains(['-', '_', '.']);
    data.lists("nouns", class)
        && before == " "
        && !data.lists("stop", &lower)
        && !data.lists("nouns", &lower)
        && (has_mark || !m.is_predicate() && !is_verb)
        && text.len() >= 2 + usize::from(!has_mark)
        && !lower.ends_with("ly")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Vec<String> {
        let line = lex(line, &FxHashMap::default(), &[]);
        let names = line.mentions.iter();
        names.map(|m| format!("{} {}", m.class, m.value)).collect()
    }

    #[test]
    fn names_are_found() {
        for (text, wanted) in [
            ("tile 6: loaded", &["tile 6"][..]),
            ("[16496] result sent", &["pid 16496"]),
            ("worker-3 started", &["worker 3"]),
            ("rank0:recv posted", &["rank 0"]),
            (
                "rank 2: step 5 recv ghost from rank 4 posted",
                &["rank 2", "step 5", "rank 4"],
            ),
            ("topic frames has no reader", &["topic frames"]),
            ("queue=orders depth=12", &["queue orders"]),
            ("status=failed", &[]),
            ("wrote shard-005.tsv", &["file shard-005.tsv"]),
            ("read /data/in/part-7.csv", &["file part-7.csv"]),
            ("connect to 10.0.0.9:4317", &["address 10.0.0.9:4317"]),
            ("granule G0231 clustered", &["granule G0231"]),
            ("took 12.5 s", &[]),
            ("took 12 s", &[]),
            ("read 500 rows in 3 s", &[]),
            ("exit status 1", &[]),
            ("rows: 12 of band", &[]),
            ("task: 12", &["task 12"]),
            ("started with pid 20128", &["pid 20128"]),
            ("id 3f2a91bc done", &["id 3f2a91bc"]),
            ("lock 'alpha' taken", &["lock alpha"]),
            ("waiting for lock held by worker", &[]),
        ] {
            assert_eq!(names(text), wanted, "{text}");
        }
    }

    #[test]
    fn numbers_have_units_and_limits() {
        let all = |text: &str| lex(text, &FxHashMap::default(), &[]).numbers;
        let one = |text: &str| all(text).into_iter().next().unwrap();
        assert_eq!(one("timeout 30 s").value, 30.0);
        assert!(one("timeout 30 s").is_limit);
        assert!(one("request_timeout=2.5s").is_limit);
        assert_eq!(one("used 2 GiB").dimension, Some(Dimension::Size));
        assert!(!one("took 3.2 s").is_limit);
        assert_eq!(one("rows: 12").class, "rows");
        assert_eq!(all("rows=0 tile 6").len(), 2);
    }

    #[test]
    fn templates_are_without_variable_parts() {
        let template = |text: &str| lex(text, &FxHashMap::default(), &[]).template;
        assert_eq!(
            template("tile 6:  loaded in 3.5 s"),
            "tile {}: loaded in {} s"
        );
        assert_eq!(template("rank3: sent"), "rank{}: sent");
        assert_eq!(template("can't open /a/b.txt"), "can't open {}");
        assert_eq!(
            lex("arrived 7 of 8", &FxHashMap::default(), &[]).counter,
            Some((7, 8))
        );
        assert_eq!(
            lex("3/8 done", &FxHashMap::default(), &[]).counter,
            Some((3, 8))
        );
    }

    #[test]
    fn names_have_classes_and_numbers() {
        let split = |name: &str| split_name(name).map(|(a, b)| format!("{a} {b}"));
        assert_eq!(split("part-005.tsv").as_deref(), Some("part 5"));
        assert_eq!(
            split("ForkPoolWorker-3").as_deref(),
            Some("forkpoolworker 3")
        );
        assert_eq!(split("rank0").as_deref(), Some("rank 0"));
        assert_eq!(split("12"), None);
        assert_eq!(split("notes.txt"), None);
    }
}
