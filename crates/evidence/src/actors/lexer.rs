//! Names and numbers in the first line of a message.

use rustc_hash::FxHashMap;
use widetui_core::quantity::{self, Dimension};

use super::interner::Interner;
use crate::data::{Data, List, Lists};

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

/// Name of an instance in a text, by numbers of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// Class in lower case: `tile`.
    pub(super) class: u32,
    /// Canonical value, numbers without leading zeros.
    pub(super) value: u32,
    /// Value as written.
    pub(super) spelling: u32,
    /// True if it opens the line, as the name of the writer or of what the line is about.
    pub(super) leads: bool,
    /// Form.
    pub(super) form: Form,
}

/// Number in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    /// Value in the base unit.
    pub(super) value: f64,
    /// Dimension, if the text states a unit.
    pub(super) dimension: Option<Dimension>,
    /// Number of the word before it, else of the word behind it, in lower case.
    pub(super) class: u32,
    /// Position among the numbers of the line.
    pub(super) slot: u16,
    /// True if the words before it make it a limit.
    pub(super) is_limit: bool,
    /// Index among the mentions, if it may be the number of an instance.
    pub(super) mention: Option<u16>,
}

/// Line without its variable parts, and these.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// Text with `{}` for names and numbers.
    pub(super) template: String,
    /// Text with `#` for names: numbers that may count something stay, those of several digits as `77`.
    pub(super) plain: String,
    /// Names, in the order of the text.
    pub(super) mentions: Vec<Mention>,
    /// Numbers, in the order of the text.
    pub(super) numbers: Vec<Number>,
    /// Last `k of n`.
    pub(super) counter: Option<(u64, u64)>,
}

/// Most words that are kept.
const WORDS: usize = 1 << 16;

/// Number of the empty text.
const EMPTY: u32 = 0;

/// Text without digits between separators.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Number of its text in lower case.
    lower: u32,
    kind: Kind,
    lists: Lists,
    /// True for letters, `_` and `-` alone.
    is_plain: bool,
    /// True if it, or a part of it, makes a number behind it a limit.
    is_limit: bool,
    is_unit: bool,
    /// True if it may be a name behind a noun in quotes or behind a key.
    may_be_value: bool,
    /// True if it may be a name behind a noun; `None` if not examined yet.
    may_be_name: Option<bool>,
}

/// Part of a line between separators: where the text before it begins, and its own.
#[derive(Clone, Copy, Debug)]
struct Piece {
    before: usize,
    start: usize,
    end: usize,
    /// Index of its word, if it has no digit.
    word: Option<u32>,
}

/// Reader of lines, with the texts of all lines and what it found out about their words.
#[derive(Debug)]
pub(super) struct Lexer {
    pub(super) texts: Interner,
    known: FxHashMap<Box<str>, u32>,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    line: Line,
}

impl Default for Lexer {
    fn default() -> Lexer {
        let mut texts = Interner::default();
        texts.number("");
        Lexer {
            texts,
            known: FxHashMap::default(),
            words: Vec::new(),
            pieces: Vec::new(),
            line: Line::default(),
        }
    }
}

fn is_separator(c: char) -> bool {
    if c.is_ascii() {
        return matches!(
            c,
            '\0'..=' '
                | '\x7f'
                | ','
                | ';'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '"'
                | '\''
                | '`'
                | '<'
                | '>'
                | '|'
                | '='
                | '?'
                | '&'
                | '*'
        );
    }
    c.is_whitespace() || c.is_control() || matches!(c, '→' | '…' | '—' | '–' | '«' | '»')
}

/// Calls `f` with the start and the end of each piece of a line.
fn for_each_piece(line: &str, mut f: impl FnMut(usize, usize)) {
    let mut push = |start: usize, stop: usize| {
        let text = &line[start..stop];
        let lead = text.len() - text.trim_start_matches([':', '!', '?', '~', '@']).len();
        let start = start + lead;
        let text = line[start..stop].trim_end_matches(['.', ':', '!', '?', '/', '-']);
        if text.is_empty() || text == "-" {
            return;
        }
        match text.find(':').filter(|c| *c > 0 && splits_at_colon(text)) {
            Some(c) => {
                f(start, start + c);
                if c + 1 < text.len() {
                    f(start + c + 1, start + text.len());
                }
            }
            None => f(start, start + text.len()),
        }
    };
    let mut at = 0;
    for (i, c) in line.char_indices() {
        if !is_separator(c) {
            continue;
        }
        // An apostrophe inside of a word: can't.
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        let is_inside = c == '\''
            && is_letter(line[..i].chars().next_back())
            && is_letter(line[i + 1..].chars().next());
        if !is_inside {
            if at < i {
                push(at, i);
            }
            at = i + c.len_utf8();
        }
    }
    if at < line.len() {
        push(at, line.len());
    }
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
    let (word, number) = split(name)?;
    Some((word.to_lowercase(), number.to_owned()))
}

/// Word and number of a name; the word as written.
fn split(name: &str) -> Option<(&str, &str)> {
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
    (is_word && is_number).then(|| (word, without_zeros(number)))
}

/// Number without leading zeros.
pub(super) fn without_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

/// Kind of a piece.
#[derive(Clone, Copy, Debug)]
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

impl Lexer {
    /// Number of the template of a line, its names and numbers; `sources` has the names of sources without their extension, `own` the words of the name
    /// of its writer, which vary as the name does: `settlement of north` by `branch-north`.
    pub(super) fn lex(
        &mut self,
        line: &str,
        sources: &FxHashMap<String, u32>,
        own: &[String],
    ) -> (u32, &Line) {
        let data = Data::get();
        self.read_pieces(line, data);
        let mut out = std::mem::take(&mut self.line);
        out.template.clear();
        out.plain.clear();
        out.mentions.clear();
        out.numbers.clear();
        out.counter = None;
        let pieces = std::mem::take(&mut self.pieces);
        let before = |at: usize| pieces.get(at).map_or("", |p| &line[p.before..p.start]);
        let text_at = |at: usize| pieces.get(at).map(|p| &line[p.start..p.end]);
        for (at, piece) in pieces.iter().enumerate() {
            let text = &line[piece.start..piece.end];
            push_between(&mut out.template, before(at));
            push_between(&mut out.plain, before(at));
            let previous = at
                .checked_sub(1)
                .and_then(|i| self.plain_word(pieces.get(i)));
            let previous = previous.filter(|_| ties(before(at)));
            let next = self
                .plain_word(pieces.get(at + 1))
                .filter(|_| before(at + 1).trim().is_empty());
            // One word may stand before the class: `processing tile 6`.
            let words = at - usize::from(previous.is_some());
            let is_named = |i: usize| {
                let word = || self.plain_word(pieces.get(i));
                before(i).ends_with('[') || word().is_some_and(|w| !w.lists.has(List::Stop))
            };
            let leads = words <= 1 && (0..words).all(is_named);
            if text.len() >= 3 && sources.contains_key(text) {
                let value = self.texts.number(text);
                out.mentions.push(Mention {
                    class: self.texts.number("log"),
                    value,
                    spelling: value,
                    leads: false,
                    form: Form::Source,
                });
                out.template.push_str("{}");
                out.plain.push('#');
                continue;
            }
            // Words before a number by which it is a limit: up to three, in the same clause.
            let is_limit = || {
                let words = (at.saturating_sub(3)..at).rev().map_while(|i| {
                    let is_near = !before(i + 1).contains([',', ';', ')']);
                    self.plain_word(pieces.get(i)).filter(|_| is_near)
                });
                { words }.any(|w| w.is_limit)
            };
            let unit = || {
                let unit = self.word(pieces.get(at + 1)?)?;
                (unit.is_unit && before(at + 1) == " ").then(|| text_at(at + 1))?
            };
            let slot = out.numbers.len() as u16;
            let number = |value, dimension, class: Option<Word>| Number {
                value,
                dimension,
                class: class.map_or(EMPTY, |w| w.lower),
                slot,
                is_limit: is_limit(),
                mention: None,
            };
            match self
                .word(piece)
                .map_or_else(|| kind(text, data), |w| w.kind)
            {
                Kind::Clock => {
                    out.template.push_str("{}");
                    out.plain.push('#');
                }
                Kind::Ratio(k, n) => {
                    out.counter = Some((k, n));
                    out.template.push_str("{}/{}");
                    push_number(&mut out.plain, text);
                }
                Kind::Integer => {
                    // k of n.
                    if text_at(at + 1) == Some("of")
                        && before(at + 1) == " "
                        && let Some(n) = text_at(at + 2).and_then(|t| t.parse().ok())
                        && let Ok(k) = text.parse()
                    {
                        out.counter = Some((k, n));
                    }
                    let quantity = unit().and_then(|u| quantity::parse(&format!("{text} {u}")));
                    let mut found = match quantity {
                        Some(q) => number(q.value, q.dimension, previous),
                        None => number(text.parse().unwrap_or(0.0), None, previous.or(next)),
                    };
                    if quantity.is_none()
                        && let Some(name) = self.numbered(text, before(at), previous, next, leads)
                    {
                        found.mention = Some(out.mentions.len() as u16);
                        out.mentions.push(name);
                    }
                    out.numbers.push(found);
                    out.template.push_str("{}");
                    match previous.is_some_and(|p| p.lists.has(List::Attempts)) {
                        true => out.plain.push('#'),
                        false => push_number(&mut out.plain, text),
                    }
                }
                Kind::Quantity(value, dimension) => {
                    let with_unit = unit()
                        .filter(|_| dimension.is_none())
                        .and_then(|u| quantity::parse(&format!("{} {u}", text.replace(',', ""))));
                    let (value, dimension) =
                        with_unit.map_or((value, dimension), |q| (q.value, q.dimension));
                    out.numbers
                        .push(number(value, dimension, previous.or(next)));
                    out.template.push_str("{}");
                    push_number(&mut out.plain, text);
                }
                Kind::Name(form) => {
                    let name = self.named(text, form, previous, leads, &mut out.template);
                    out.plain.push('#');
                    out.mentions.push(name);
                }
                Kind::Word if own.iter().any(|w| w == text) => {
                    out.template.push_str("{}");
                    out.plain.push('#');
                }
                Kind::Word => {
                    let end = pieces.get(at + 1).map_or(line.len(), |p| p.start);
                    let between = (before(at), &line[piece.end..end]);
                    match previous.filter(|p| self.is_name(piece, text, *p, between)) {
                        Some(class) => {
                            let value = self.texts.number(text);
                            out.mentions.push(Mention {
                                class: class.lower,
                                value,
                                spelling: value,
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
        let tail = &line[pieces.last().map_or(0, |p| p.end)..];
        push_between(&mut out.template, tail);
        push_between(&mut out.plain, tail);
        if out.template.len() > 240
            && let Some((end, _)) = out.template.char_indices().nth(240)
        {
            out.template.truncate(end);
        }
        self.pieces = pieces;
        self.line = out;
        (self.texts.number(&self.line.template), &self.line)
    }

    fn read_pieces(&mut self, line: &str, data: &Data) {
        if self.words.len() > WORDS {
            self.known.clear();
            self.words.clear();
        }
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let mut before = 0;
        for_each_piece(line, |start, end| {
            let text = &line[start..end];
            let has_digit = text.bytes().any(|b| b.is_ascii_digit());
            pieces.push(Piece {
                before,
                start,
                end,
                word: (!has_digit).then(|| self.add_word(text, data)),
            });
            before = end;
        });
        self.pieces = pieces;
    }

    /// Index of a word; examines it if it is new.
    fn add_word(&mut self, text: &str, data: &Data) -> u32 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let lower = text.to_lowercase();
        let lists = data.lists_of(&lower);
        let is_literal = matches!(
            &*lower,
            "true" | "false" | "none" | "null" | "yes" | "no" | "nan" | "inf"
        );
        let is_limit = |part: &str| data.lists_of(part).has(List::Limits);
        let word = Word {
            lower: self.texts.number(&lower),
            kind: kind(text, data),
            lists,
            is_plain: text
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-'),
            is_limit: is_limit(&lower) || lower.split(['_', '-']).any(is_limit),
            is_unit: quantity::unit_len(text.as_bytes()) == text.len(),
            may_be_value: !is_literal && text.starts_with(|c: char| c.is_alphanumeric()),
            may_be_name: None,
        };
        let index = self.words.len() as u32;
        self.words.push(word);
        self.known.insert(text.into(), index);
        index
    }

    fn word(&self, piece: &Piece) -> Option<Word> {
        self.words.get(piece.word? as usize).copied()
    }

    fn plain_word(&self, piece: Option<&Piece>) -> Option<Word> {
        self.word(piece?).filter(|w| w.is_plain)
    }

    /// Instance that a number may be the number of.
    fn numbered(
        &mut self,
        text: &str,
        before: &str,
        previous: Option<Word>,
        next: Option<Word>,
        leads: bool,
    ) -> Option<Mention> {
        if text.len() > 15 {
            return None;
        }
        let is_long = text.len() >= 4;
        let (class, form) = match previous {
            Some(word) => match self.texts.text(word.lower) {
                "pid" | "process" => (self.texts.number("pid"), Form::Process),
                // `rows: 12` and `12: rows` are measured; `tile: 6` with nothing behind is not.
                _ if before.trim_start().starts_with(':') && next.is_some() => {
                    word.lists.has(List::Nouns).then_some(())?;
                    (word.lower, Form::Numbered)
                }
                _ if word.lists.has(List::Stop) || word.lists.has(List::Measures) => {
                    is_long.then_some(())?;
                    (self.texts.number("#"), Form::Process)
                }
                _ => (word.lower, Form::Numbered),
            },
            None if before.ends_with('[') && text.len() >= 3 => {
                (self.texts.number("pid"), Form::Process)
            }
            None if before.ends_with('#') => (self.texts.number("#"), Form::Numbered),
            None if is_long => (self.texts.number("#"), Form::Process),
            None => return None,
        };
        Some(Mention {
            class,
            value: self.texts.number(without_zeros(text)),
            spelling: self.texts.number(text),
            leads,
            form,
        })
    }

    /// Name; writes what stands for it to the template.
    fn named(
        &mut self,
        text: &str,
        form: Form,
        previous: Option<Word>,
        leads: bool,
        template: &mut String,
    ) -> Mention {
        let whole = text.trim_end_matches(['.', '/']);
        let previous = previous.filter(|w| !w.lists.has(List::Stop));
        let spelling = self.texts.number(text);
        let mention = |class: u32, value: u32| Mention {
            class,
            value,
            spelling,
            leads,
            form,
        };
        template.push_str("{}");
        let class = match form {
            Form::File => {
                let base = text.rsplit('/').find(|p| !p.is_empty()).unwrap_or(text);
                let base = base.split_once(':').map_or(base, |(name, _)| name);
                let class = if base.contains('.') { "file" } else { "path" };
                return mention(self.texts.number(class), self.texts.number(base));
            }
            Form::Address => self.texts.number("address"),
            Form::Hex => match previous.filter(|w| w.lists.has(List::Nouns)) {
                Some(word) => word.lower,
                None => self.texts.number("id"),
            },
            _ => {
                let joined = text.contains(':').then(|| text.replace(':', "-"));
                let is_verb = |w: Word| {
                    let text = self.texts.text(w.lower);
                    text.ends_with("ed") || text.ends_with("ing")
                };
                let is_noun = previous.is_some_and(|w| !is_verb(w));
                // A letter alone is a class only where no noun stands before it: `granule G0231`, `T310014 booked`.
                let pair = split(joined.as_deref().unwrap_or(text))
                    .filter(|(word, number)| word.len() >= 2 || number.len() >= 3 && !is_noun);
                if let Some((word, number)) = pair {
                    let word = word.to_lowercase();
                    template.truncate(template.len() - 2);
                    template.push_str(&word);
                    template.push_str("{}");
                    return mention(self.texts.number(&word), self.texts.number(number));
                }
                match previous {
                    Some(word) => word.lower,
                    None => self.texts.number("name"),
                }
            }
        };
        mention(class, self.texts.number(whole))
    }

    /// True if a word behind another one, its class, is the name of an instance; `between` is what stands before and after it.
    fn is_name(
        &mut self,
        piece: &Piece,
        text: &str,
        class: Word,
        (before, after): (&str, &str),
    ) -> bool {
        let Some(word) = piece.word.and_then(|w| self.words.get_mut(w as usize)) else {
            return false;
        };
        if !word.may_be_value {
            return false;
        }
        let is_noun = class.lists.has(List::Nouns);
        let is_quoted = before.ends_with(['\'', '"']) && after.starts_with(['\'', '"']);
        if before.contains('=') || is_quoted && is_noun {
            return !class.lists.has(List::States);
        }
        // `worker addr: tcp://...`: a label of what follows.
        if !is_noun
            || before != " "
            || after.contains(':') && !after.ends_with(": ")
            || after.starts_with([':', '=']) && after.len() > 1
        {
            return false;
        }
        let lists = word.lists;
        *word.may_be_name.get_or_insert_with(|| {
            let lower = text.to_lowercase();
            let is_verb = lower.ends_with("ed") || lower.ends_with("ing");
            let has_mark = text.contains(['-', '_', '.']);
            !lists.has(List::Stop)
                && !lists.has(List::Nouns)
                && !lower.ends_with("ly")
                && text.len() >= 2 + usize::from(!has_mark)
                && (has_mark || !is_verb && !Data::get().meanings(text).is_predicate())
        })
    }
}

/// Adds a number of a text; of several digits their number alone counts for its meaning.
fn push_number(plain: &mut String, text: &str) {
    let mut digits = text.split_inclusive(|c: char| !c.is_ascii_digit());
    digits.by_ref().for_each(|part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let n = part.len() - rest.len();
        plain.push_str(if n > 1 { "77" } else { &part[..n] });
        plain.push_str(rest);
    });
}

fn push_between(template: &mut String, between: &str) {
    if between == " " && !template.is_empty() && !template.ends_with(' ') {
        template.push(' ');
        return;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Line {
        Lexer::default()
            .lex(text, &FxHashMap::default(), &[])
            .1
            .clone()
    }

    fn names(line: &str) -> Vec<String> {
        let mut lexer = Lexer::default();
        let names = lexer
            .lex(line, &FxHashMap::default(), &[])
            .1
            .mentions
            .clone();
        let text = |number: u32| lexer.texts.text(number);
        let names = names
            .iter()
            .map(|m| format!("{} {}", text(m.class), text(m.value)));
        names.collect()
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
        let all = |text: &str| lex(text).numbers;
        let one = |text: &str| all(text).into_iter().next().unwrap();
        assert_eq!(one("timeout 30 s").value, 30.0);
        assert!(one("timeout 30 s").is_limit);
        assert!(one("request_timeout=2.5s").is_limit);
        assert_eq!(one("used 2 GiB").dimension, Some(Dimension::Size));
        assert!(!one("took 3.2 s").is_limit);
        let mut lexer = Lexer::default();
        let class = lexer.lex("rows: 12", &FxHashMap::default(), &[]).1.numbers[0].class;
        assert_eq!(lexer.texts.text(class), "rows");
        assert_eq!(all("rows=0 tile 6").len(), 2);
    }

    #[test]
    fn templates_are_without_variable_parts() {
        let template = |text: &str| lex(text).template;
        assert_eq!(
            template("tile 6:  loaded in 3.5 s"),
            "tile {}: loaded in {} s"
        );
        assert_eq!(template("rank3: sent"), "rank{}: sent");
        assert_eq!(template("can't open /a/b.txt"), "can't open {}");
        assert_eq!(lex("arrived 7 of 8").counter, Some((7, 8)));
        assert_eq!(lex("3/8 done").counter, Some((3, 8)));
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
