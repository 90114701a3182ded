//! Header parts after the time, inferred from many lines.
//!
//! Programs write the same parts in front of every message, between the same delimiters: a level, the writer (process,
//! thread), the place in the code (logger, file and line). So text at the same place of nearly all lines, between the same
//! delimiters, that looks like such a part is taken for one. The first place where lines differ is the start of the message.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::header_words::{
    Blanks, LineAt, are_levels, collapsed, common_delimiter, count_of, delimiter_of, ends_in_level,
    is_file, is_level, is_mnemonic, is_name, is_number, literal, nearly_all, path_at, repeated,
    token_at, word_at, words_before_numbers, writer_kind,
};

/// Maximum number of header parts after the time.
const MAX_PARTS: usize = 8;
/// Longest header part in brackets, bytes.
const MAX_BRACKETED: usize = 96;
/// Delimiters that do not follow a word in prose; brackets end them.
const STRONG_DELIMITERS: [&[u8]; 10] = [
    b" - ", b" | ", b" -- ", b"] ", b" : ", b": ", b" [", b"]", b"|", b"\t",
];
/// Number of words after which a level is looked for.
const MAX_WORDS_BEFORE_LEVEL: usize = 6;
/// Minimum number of lines to accept parts that are not certain.
const MIN_LINES: usize = 4;

/// Header part that was found.
struct Part {
    /// Pattern up to and including this part.
    pattern: String,
    /// Delimiter before it.
    delimiter: String,
    /// Number of lines that have it.
    lines: usize,
    /// Whether it cannot be the start of a message: a level, a place in the code, or text between strong delimiters.
    sure: bool,
}

/// Pattern of the text between the time and the message, such as `: {level}/{process}] `; empty if the message follows
/// directly. `rests` are the lines after their time. `is_writer` recognises some logger names.
pub(crate) fn after_time(rests: &[&[u8]], is_writer: &dyn Fn(&[u8]) -> bool) -> String {
    let mut finder = Finder {
        lines: rests.iter().map(|rest| (*rest, 0)).collect(),
        pattern: String::new(),
        used: Vec::new(),
        is_writer,
    };
    let mut parts: Vec<Part> = Vec::new();
    while parts.len() < MAX_PARTS {
        let Some((delimiter, sure)) = finder.part() else {
            break;
        };
        parts.push(Part {
            pattern: finder.pattern.clone(),
            delimiter,
            lines: finder.lines.len(),
            sure,
        });
    }
    while let Some(last) = parts.iter().rposition(|part| part.sure)
        && let Some(part) = parts.get(last)
        && part.lines * 2 > rests.len()
    {
        // The next part is the start of the message.
        let delimiter = match parts.get(last + 1) {
            Some(next) => next.delimiter.trim_end_matches(['[', '(', '<']).to_owned(),
            None => finder.delimiter_before_message(),
        };
        if !delimiter.is_empty() || ends_by_itself(&part.pattern) {
            return parts.swap_remove(last).pattern + &delimiter;
        }
        // Without a delimiter the field would end in the middle of a word.
        if let Some(part) = parts.get_mut(last) {
            part.sure = false;
        }
    }
    String::new()
}

/// Whether the last field of a pattern determines its own end, whatever follows.
fn ends_by_itself(pattern: &str) -> bool {
    ["{level}", ":int}", ":name}", "{:pad}"]
        .iter()
        .any(|field| pattern.ends_with(field))
}

/// Length of a program name with its process id in brackets, if a level follows: `jobd[869] DEBUG`.
fn process_before_level((line, at): LineAt<'_>) -> Option<usize> {
    let name = word_at((line, at));
    let rest = line.get(at + name.len()..)?.strip_prefix(b"[")?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_one = digits > 0 && rest.get(digits) == Some(&b']') && is_name(name);
    let end = name.len() + digits + 2;
    let next = at + end + delimiter_of((line, at + end)).len();
    (is_one && is_level(word_at((line, next)))).then_some(end)
}

/// Offset of the bracket that closes the one before a text; the first closing bracket if brackets inside stay open.
fn closing_bracket(text: &[u8], close: u8) -> Option<usize> {
    let open = match close {
        b']' => b'[',
        b')' => b'(',
        _ => b'<',
    };
    let mut depth = 0;
    for (at, b) in text.iter().enumerate() {
        match *b {
            b if b == close && depth == 0 => return Some(at),
            b if b == close => depth -= 1,
            b if b == open => depth += 1,
            _ => {}
        }
    }
    text.iter().position(|b| *b == close)
}

/// Place in the code in brackets: `my.Server@774`, `main:my.Server@774`.
struct Place {
    /// Sign before the line.
    sign: char,
    /// Whether a writer and a colon precede the name.
    has_writer: bool,
}

fn place(text: &[u8]) -> Option<Place> {
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (sign, before) = text.get(..text.len() - digits)?.split_last()?;
    let start = before
        .iter()
        .rposition(|b| *b == b':')
        .map_or(0, |at| at + 1);
    let name = before.get(start..)?;
    // `localhost:5432` is an address.
    let is_sign = *sign == b'@' || *sign == b':' && is_file(name);
    let is_place = digits > 0 && is_sign && is_name(name) && !name.contains(&b' ');
    is_place.then_some(Place {
        sign: char::from(*sign),
        has_writer: start > 1,
    })
}

/// True if the numbers after names are of processes: one message comes from several of them, whereas a line of code writes
/// one message. Messages are alike if they differ in digits only; `ends` are the lengths of the names with their numbers.
fn are_processes(lines: &[LineAt<'_>], ends: &[usize]) -> bool {
    let mut writers: BTreeMap<Vec<u8>, (usize, BTreeSet<&[u8]>)> = BTreeMap::new();
    for ((line, at), end) in lines.iter().zip(ends).filter(|(_, end)| **end > 0) {
        let (writer, message) = line.split_at_checked(at + end).unwrap_or_default();
        let message = message.iter().filter(|b| !b.is_ascii_digit()).copied();
        let (records, own) = writers.entry(message.collect()).or_default();
        *records += 1;
        own.insert(writer.get(*at..).unwrap_or_default());
    }
    let repeated = writers.values().filter(|(records, _)| *records > 1);
    let (all, shared) = repeated.fold((0, 0), |(all, shared), (records, own)| {
        let is_shared = own.len() > 1;
        (all + records, shared + if is_shared { *records } else { 0 })
    });
    shared >= MIN_LINES && shared * 2 >= all
}

/// Pattern of hosts with the numbers of their processes, if all texts are some: `n03:4711`, `n03#4711`, `4711@n03`.
fn hosts_with_processes(texts: &[&[u8]]) -> Option<&'static str> {
    const FORMS: [(u8, &str); 3] = [
        (b':', "{log.host}:{log.pid:int}"),
        (b'#', "{log.host}#{log.pid:int}"),
        (b'@', "{log.pid:int}@{log.host}"),
    ];
    let is_meant = |sign: u8, text: &[u8]| {
        let mut parts = text.rsplitn(2, |b| *b == sign);
        let (after, before) = (parts.next(), parts.next());
        let (host, process) = match sign {
            b'@' => (after, before),
            _ => (before, after),
        };
        host.is_some_and(is_name) && process.is_some_and(is_number)
    };
    let of = |(sign, _): &&(u8, &str)| texts.iter().all(|text| is_meant(*sign, text));
    FORMS.iter().find(of).map(|form| form.1)
}

/// Lengths of texts; 0 of those that lack.
fn known_ends(texts: &[Option<&[u8]>]) -> Vec<usize> {
    texts.iter().map(|t| t.map_or(0, <[u8]>::len)).collect()
}

/// Sign before the levels with which all texts end: `core:error`, `core/error`.
fn sign_before_level(texts: &[&[u8]]) -> Option<char> {
    let mut signs = [b':', b'/'].into_iter();
    let sign = signs.find(|sign| texts.iter().all(|text| ends_in_level(text, *sign)))?;
    (texts.len() >= MIN_LINES).then_some(char::from(sign))
}

/// Sign before the lines of nearly all places in the code; `None` if the texts are something else.
fn common_place(texts: &[&[u8]]) -> Option<char> {
    let first = place(texts.first()?)?;
    let is_alike = |text: &&[u8]| place(text).is_some_and(|place| place.sign == first.sign);
    let enough = texts.len() >= MIN_LINES && nearly_all(count_of(texts, is_alike), texts.len());
    enough.then_some(first.sign)
}

struct Finder<'a> {
    lines: Vec<LineAt<'a>>,
    pattern: String,
    used: Vec<&'static str>,
    is_writer: &'a dyn Fn(&[u8]) -> bool,
}

impl<'a> Finder<'a> {
    /// Reads the next delimiter and the part after it. Returns the delimiter as pattern text, and whether the part is
    /// certain; `None` at the start of the message.
    fn part(&mut self) -> Option<(String, bool)> {
        let (delimiter, blanks) = common_delimiter(self.lines.iter().map(|l| delimiter_of(*l)))?;
        let before = self.lines.clone();
        self.lines
            .retain(|line| collapsed(delimiter_of(*line)) == delimiter);
        for line in &mut self.lines {
            line.1 += delimiter_of(*line).len();
        }
        let opening = delimiter.last().copied();
        let close = match opening {
            Some(b'[') => Some(b']'),
            Some(b'(') => Some(b')'),
            Some(b'<') => Some(b'>'),
            _ => None,
        };
        let found = match close {
            Some(close) => self.bracketed(close).or_else(|| self.bare(&delimiter)),
            None => self.bare(&delimiter),
        };
        let Some((pattern, sure)) = found else {
            self.lines = before;
            return None;
        };
        let delimiter = literal(&delimiter, blanks);
        self.pattern.push_str(&delimiter);
        self.pattern.push_str(&pattern);
        Some((delimiter, sure))
    }

    /// Part that ends with a closing bracket.
    fn bracketed(&mut self, close: u8) -> Option<(String, bool)> {
        let inside = |(line, at): LineAt<'a>| {
            let rest = line.get(at..)?;
            let end = closing_bracket(rest.get(..MAX_BRACKETED).unwrap_or(rest), close)?;
            rest.get(..end).filter(|inside| !inside.is_empty())
        };
        let texts: Vec<Option<&[u8]>> = self.lines.iter().map(|line| inside(*line)).collect();
        let padded: Vec<&[u8]> = texts.iter().flatten().copied().collect();
        if !nearly_all(padded.len(), self.lines.len()) {
            return None;
        }
        // `[  main]`, `[info   ]`: padded with blanks.
        let pad = |blank: bool| if blank { "{:pad}" } else { "" };
        let before = pad(padded.iter().any(|t| t.starts_with(b" ")));
        let after = pad(padded.iter().any(|t| t.ends_with(b" ")));
        let known: Vec<&[u8]> = padded.iter().map(|t| t.trim_ascii()).collect();
        // `[PID 31072]`: a constant word and a number.
        let words = words_before_numbers(&known);
        // After the level, a name may look like a level: `INFO [w]`.
        let found = if are_levels(&known) && !self.used.contains(&"level") {
            (self.field("level", "")?, true)
        } else if let Some(sign) = sign_before_level(&known) {
            let name = self.free(&["component", "subsystem"])?;
            let component = self.field(name, "")?;
            let level = self.field("level", "")?;
            (format!("{component}{sign}{level}"), true)
        } else if known.iter().all(|t| is_number(t)) {
            (self.number()?, true)
        } else if let Some(sign) = common_place(&known) {
            // `[main:my.Server@774]`, `[server.py:774]`
            let writer = match known.iter().all(|t| place(t).is_some_and(|p| p.has_writer)) {
                true => format!("{}:", self.field("thread", ":text")?),
                false => String::new(),
            };
            let logger = self.field("logger", "")?;
            let line = self.field("line", ":int")?;
            (format!("{writer}{logger}{sign}{line}"), true)
        } else if let Some(pattern) = hosts_with_processes(&known)
            && are_processes(&self.lines, &known_ends(&texts))
            && !["log.host", "log.pid"]
                .iter()
                .any(|name| self.used.contains(name))
        {
            self.used.extend(["log.host", "log.pid"]);
            (pattern.to_owned(), true)
        } else if let Some(words) = words {
            (self.numbered(words)?, true)
        } else {
            let blank = known.iter().any(|t| t.contains(&b' '));
            let number = |t: &&[u8]| t.contains(&b' ') && t.iter().any(u8::is_ascii_digit);
            // `[job 17]` describes the subject of the message; `[Actor Thread 12]` its writer.
            let name = writer_kind(&known);
            let ends = texts.iter().map(|t| t.map_or(0, <[u8]>::len) + 1);
            let level_next = self.lines.iter().zip(ends).filter(|((line, at), end)| {
                let next = at + end;
                is_level(word_at((line, next + delimiter_of((line, next)).len())))
            });
            let anchored = nearly_all(level_next.count(), self.lines.len());
            if (name.is_none() && known.iter().any(number))
                || !(repeated(&known) || anchored || name == Some("logger"))
                || known.len() < MIN_LINES
                || known.iter().any(|t| t.contains(&b'='))
            {
                return None;
            }
            let name = self.free(&[name.unwrap_or("component"), "component", "subsystem"])?;
            (self.field(name, if blank { ":text" } else { "" })?, true)
        };
        let found = (format!("{before}{}{after}", found.0), found.1);
        self.advance(&known_ends(&texts));
        Some(found)
    }

    /// Part without brackets.
    fn bare(&mut self, delimiter: &[u8]) -> Option<(String, bool)> {
        let words: Vec<&[u8]> = self.lines.iter().map(|line| word_at(*line)).collect();
        let count = |test: &dyn Fn(&[u8]) -> bool| words.iter().filter(|w| test(w)).count();
        let all = self.lines.len();
        let ends = |test: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
            let ends = words.iter().map(|w| if test(w) { w.len() } else { 0 });
            ends.collect()
        };
        if nearly_all(count(&is_level), all) && are_levels(&words) {
            let field = self.field("level", "")?;
            self.advance(&ends(&is_level));
            return Some((field, true));
        }
        // `%LINK-3-UPDOWN: `: facility, severity and mnemonic of network devices.
        if delimiter.ends_with(b"%")
            && nearly_all(count(&is_mnemonic), all)
            && !self.used.contains(&"level")
        {
            let facility = self.field(self.free(&["component", "subsystem"])?, "")?;
            let field = format!(
                "{facility}-{}-{{mnemonic}}",
                self.field("severity", ":priority")?
            );
            self.advance(&ends(&is_mnemonic));
            return Some((field, true));
        }
        // `engine.run.INFO`
        let dotted_level = |w: &[u8]| ends_in_level(w, b'.');
        if nearly_all(count(&dotted_level), all)
            && all >= MIN_LINES
            && !self.used.contains(&"logger")
        {
            let logger = self.field("logger", "")?;
            let field = format!("{logger}.{}", self.field("level", "")?);
            self.advance(&ends(&dotted_level));
            return Some((field, true));
        }
        if nearly_all(count(&is_number), all) && all >= MIN_LINES {
            let field = self.number()?;
            self.advance(&ends(&is_number));
            // `|17|`
            let bars = count_of(&self.lines, |l| delimiter_of(*l).starts_with(b"|"));
            return Some((
                field,
                delimiter == b"|" && nearly_all(bars, self.lines.len()),
            ));
        }
        // `rank3`
        if all >= MIN_LINES
            && let Some(numbered) = words_before_numbers(&words)
        {
            let pattern = self.numbered(numbered)?;
            self.advance(&ends(&|_| true));
            return Some((pattern, true));
        }
        // `name.py:17`, `my.module:17`
        let lines = self.lines.clone();
        let site = |(line, at): LineAt<'a>| -> Option<usize> {
            let name = path_at((line, at));
            let rest = line.get(at + name.len()..)?.strip_prefix(b":")?;
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let ends = rest.get(digits).is_none_or(|b| !b.is_ascii_alphanumeric());
            (digits > 0 && ends && is_name(name)).then_some(name.len() + 1 + digits)
        };
        let places: Vec<usize> = lines.iter().map(|l| site(*l).unwrap_or(0)).collect();
        if nearly_all(places.iter().filter(|p| **p > 0).count(), all) {
            let paths: Vec<&[u8]> = self.lines.iter().map(|line| path_at(*line)).collect();
            let file = nearly_all(count_of(&paths, |p| is_file(p)), all);
            let (name, kind, number) = if file {
                ("file", "", "line")
            } else if are_processes(&lines, &places) {
                ("log.host", "", "log.pid")
            } else {
                ("logger", ":name", "line")
            };
            let field = format!(
                "{}:{}",
                self.field(name, kind)?,
                self.field(number, ":int")?
            );
            self.advance(&places);
            return Some((field, true));
        }
        // A name before a delimiter that prose does not have, or a name before a level.
        let strong = |(line, at): &LineAt<'a>| {
            let after = collapsed(delimiter_of((line, at + word_at((line, *at)).len())));
            STRONG_DELIMITERS.iter().position(|d| after.starts_with(d))
        };
        // `:INFO:engine.run:message`
        let tight = |(line, at): &LineAt<'a>| {
            delimiter == b":"
                && delimiter_of((line, at + word_at((line, *at)).len())).starts_with(b":")
        };
        let strong = |line: &LineAt<'a>| {
            strong(line).or_else(|| tight(line).then_some(STRONG_DELIMITERS.len()))
        };
        let first = strong(self.lines.first()?);
        let strongly =
            first.is_some() && nearly_all(count_of(&self.lines, |l| strong(l) == first), all);
        let level_next = count_of(&self.lines, |(line, at)| {
            let after = at + word_at((line, *at)).len();
            let next = after + delimiter_of((line, after)).len();
            next > after && is_level(word_at((line, next)))
        });
        // `jobd[869] DEBUG: `: program name and process id before a level.
        let processes: Vec<usize> = self
            .lines
            .iter()
            .map(|l| process_before_level(*l).unwrap_or(0))
            .collect();
        if nearly_all(processes.iter().filter(|end| **end > 0).count(), all)
            && !self.used.contains(&"program")
        {
            let program = self.field("program", ":name")?;
            let field = format!("{program}[{}]", self.field("pid", ":int")?);
            self.advance(&processes);
            return Some((field, true));
        }
        // Names that a definition knows need no delimiters.
        if nearly_all(count(&is_name), all) && count(&self.is_writer) * 2 >= all {
            let field = self.field("logger", ":name")?;
            self.advance(&ends(&is_name));
            return Some((field, true));
        }
        let known = repeated(&words) || writer_kind(&words) == Some("logger");
        let names = nearly_all(count(&is_name), all) && known;
        // Neither do dotted names such as `engine.run`.
        let is_dotted = |w: &[u8]| is_name(w) && w.contains(&b'.') && !is_file(w);
        let dotted = names && repeated(&words) && nearly_all(count(&is_dotted), all);
        let strongly = strongly || dotted;
        if all < MIN_LINES || !names || !(strongly || nearly_all(level_next, all)) {
            return self.before_level(delimiter);
        }
        let kind = writer_kind(&words).unwrap_or("logger");
        let name = self.free(&[kind, "logger", "component", "subsystem"])?;
        let field = self.field(name, "")?;
        self.advance(&ends(&is_name));
        Some((field, strongly))
    }

    /// Any text between blanks, if in nearly all lines a level in capitals follows a few words later.
    fn before_level(&mut self, delimiter: &[u8]) -> Option<(String, bool)> {
        let blank = |d: &[u8]| !d.is_empty() && d.iter().all(u8::is_ascii_whitespace);
        let all = self.lines.len();
        if all < MIN_LINES || !blank(delimiter) {
            return None;
        }
        let levels = |ahead: usize| -> Vec<&[u8]> {
            let word = |line: &LineAt<'a>| {
                let rest = line.0.get(line.1..)?;
                let mut words = rest
                    .split(u8::is_ascii_whitespace)
                    .filter(|w| !w.is_empty());
                words.nth(ahead)
            };
            self.lines.iter().filter_map(word).collect()
        };
        let capital = |w: &[u8]| w.len() > 1 && w.iter().all(u8::is_ascii_uppercase);
        let is_there = |ahead: usize| {
            let words = levels(ahead);
            nearly_all(words.len(), all)
                && nearly_all(count_of(&words, |w| capital(w)), all)
                && are_levels(&words)
        };
        if !(1..=MAX_WORDS_BEFORE_LEVEL).any(is_there) {
            return None;
        }
        let tokens: Vec<&[u8]> = self.lines.iter().map(|line| token_at(*line)).collect();
        let numbers = tokens.iter().all(|t| is_number(t));
        let named = tokens.iter().all(|t| is_name(t)) && repeated(&tokens);
        let field = match (numbers, named) {
            (true, _) => self.number(),
            (_, true) => {
                let name = self.free(&["component", "subsystem"]);
                name.and_then(|name| self.field(name, ""))
            }
            _ => None,
        };
        let ends: Vec<usize> = tokens.iter().map(|t| t.len()).collect();
        self.advance(&ends);
        Some((field.unwrap_or_else(|| "{}".to_owned()), false))
    }

    /// Moves past the part; drops lines that do not have it.
    fn advance(&mut self, ends: &[usize]) {
        let mut ends = ends.iter();
        self.lines.retain_mut(|line| {
            let end = ends.next().copied().unwrap_or(0);
            line.1 += end;
            end > 0
        });
    }

    fn free(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().find(|n| !self.used.contains(n)).copied()
    }

    /// Pattern of words with numbers behind them.
    fn numbered(&mut self, words: Vec<(String, &'static str)>) -> Option<String> {
        let mut pattern = String::new();
        for (word, name) in words {
            pattern.push_str(&word);
            pattern.push_str(&self.field(name, ":int")?);
        }
        Some(pattern)
    }

    fn number(&mut self) -> Option<String> {
        let name = self.free(&["pid", "thread_id"])?;
        self.field(name, ":int")
    }

    fn field(&mut self, name: &'static str, kind: &str) -> Option<String> {
        if self.used.contains(&name) {
            return None;
        }
        self.used.push(name);
        Some(format!("{{{name}{kind}}}"))
    }

    /// Common delimiter between the last part and the message, up to an opening bracket or quote of the message.
    fn delimiter_before_message(&self) -> String {
        let mut delimiters = self.lines.iter().map(|l| collapsed(delimiter_of(*l)));
        let Some(first) = delimiters.next() else {
            return String::new();
        };
        let common = delimiters.fold(first.as_slice(), |common, d| {
            let same = common.iter().zip(&d).take_while(|(a, b)| a == b);
            common.get(..same.count()).unwrap_or(common)
        });
        let mut parts = common.split(|b| b"[(<{\"'*+=#/".contains(b));
        let common = parts.next().unwrap_or_default();
        // A dash or a bar may belong to the message unless a blank follows it.
        let end = common.iter().rposition(|b| *b == b' ' || *b == b'\t');
        let common = match end {
            Some(end) => common.get(..=end).unwrap_or(common),
            None if common.last().is_some_and(|b| b"]:|;".contains(b)) => common,
            None => b"",
        };
        let as_it_is = |line: &LineAt<'_>| delimiter_of(*line).starts_with(common);
        let blanks = match self.lines.iter().all(as_it_is) {
            true => Blanks::Alike,
            false => Blanks::Varying,
        };
        let mut text = literal(common, blanks);
        if text.is_empty()
            && self
                .lines
                .iter()
                .all(|line| line.0.get(line.1) == Some(&b' '))
        {
            text.push(' ');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &str) -> String {
        let lines: Vec<&[u8]> = lines.lines().map(str::as_bytes).collect();
        after_time(&lines, &|_| false)
    }

    #[test]
    fn levels_processes_and_places_in_the_code_are_parts_of_a_header() {
        let celery = ": INFO/MainProcess] Connected to redis://localhost:6399/0\n\
            : INFO/MainProcess] mingle: searching for neighbors\n\
            : DEBUG/MainProcess] | Worker: Starting Hub\n\
            : ERROR/ForkPoolWorker-1] Task tasks.bad[b5971c99] raised unexpected: ValueError()\n\
            : INFO/MainProcess] [queues]\n";
        assert_eq!(found(celery), ": {level}/{process}] ");
        let ray = " I 23441 23441] (gcs_server) gcs_server.cc:195: GCS storage type\n\
            W 23441 23441] nothing\n";
        assert_eq!(found(ray), "");
        let ray = " I 23441 23441] (gcs_server) gcs_server.cc:195: GCS storage type\n \
            W 23441 23455] (gcs_server) event.cc:499: Ray Event initialized\n \
            I 23441 23441] (gcs_server) event.cc:499: (x) Ray Event\n \
            I 23441 23441] (gcs_server) event.cc:500: [y] Ray Event\n";
        assert_eq!(
            found(ray),
            " {level} {pid:int} {thread_id:int}] ({component}) {file}:{line:int}: "
        );
        let python =
            "\tINFO worker.py:2038 -- Started a local instance.\n\tWARNING a.py:85 -- Token\n";
        assert_eq!(found(python), "\t{level} {file}:{line:int} -- ");
        let dramatiq = "] [PID 310] [MainThread] [d.MainProcess] [INFO] booting up.\n\
            ] [PID 311] [MainThread] [d.WorkerProcess(0)] [INFO] ready\n\
            ] [PID 311] [Thread-4] [work] [INFO] working on part 0\n\
            ] [PID 311] [Thread-5] [work] [ERROR] Failed [x]\n";
        assert_eq!(
            found(dramatiq),
            "] [PID {pid:int}] [{thread}] [{logger}] [{level}] "
        );
        let padded = " [main] INFO  n.cli.Launcher - started\n [Thread 2] DEBUG n.Session - x\n [main] WARN  n.Session - x - y\n [main] DEBUG n.Session - z\n";
        assert_eq!(found(padded), " [{thread:text}] {level} {:pad}{logger} - ");
        let columns = " : pmgr.0000            : 12345 : 1401 : DEBUG    : pilot.0000 is up\n : pmgr.0000            : 12345 : 1402 : INFO     : update\n : umgr.0000            : 12345 : 1401 : DEBUG    : x : y\n : umgr.0000            : 12345 : 1402 : ERROR    : task.000003 failed\n";
        assert_eq!(
            found(columns),
            " : {logger} {:pad}: {:pad}{pid:int} : {thread_id:int} : {level} {:pad}: {:pad}"
        );
        let places = " - INFO  [Peer[id=1]/0:0:2181:Election@774] - Notice: 3\n - WARN  [/10.0.0.1:3888:Manager$Listener@493] - Received x\n - WARN  [SendWorker:17:Manager$Send@688] - leaving\n - INFO  [main:Config@101] - up\n";
        assert_eq!(
            found(places),
            " - {level} {:pad}[{thread:text}:{logger}@{line:int}] - "
        );
        let braces = "] {task.py:1138} INFO - met\n] {task.py:1308} INFO - Starting 1 of 2\n] {mixin.py:109} ERROR - x\n] {task.py:9} INFO - y\n";
        assert_eq!(found(braces), "] {{{file}:{line:int}}} {level} - ");
    }

    #[test]
    fn parts_have_any_delimiters() {
        let bars = "|INFO|engine.main|up\n|DEBUG|engine.conf|x\n|INFO|engine.main|y z\n|WARN|engine.main|up\n";
        assert_eq!(found(bars), "|{level}|{logger}|");
        let numbers = "|Step|300|a:1\n|Step|300|b 7\n|Walk|300|c 8\n|Walk|300|a:2\n";
        assert_eq!(found(numbers), "|{logger}|{pid:int}|");
        let padded = " [info     ] up\n [warning  ] down\n [info     ] up\n";
        assert_eq!(found(padded), " [{level}{:pad}] ");
        let dotted = "] engine.main.INFO: up\n] engine.conf.DEBUG: x\n] engine.main.INFO: y\n] engine.main.INFO: z\n";
        assert_eq!(found(dotted), "] {logger}.{level}: ");
        let words = " R02 RAS KERNEL INFO up\n R03 RAS KERNEL INFO x\n R04 RAS APP FATAL y\n R05 RAS KERNEL INFO z\n";
        assert_eq!(found(words), " {component} {subsystem} {logger} {level} ");
        let streams = " stdout F INFO up\n stderr F WARN x\n stdout F INFO y\n stdout F INFO z\n";
        assert_eq!(found(streams), " {logger} {} {level} ");
        let processes = " n03:19590 step 1\n n03:19591 step 1\n n03:19590 step 2\n n03:19591 saved\n n03:19590 saved\n";
        assert_eq!(found(processes), " {log.host}:{log.pid:int} ");
        let lines =
            " core.io:17 read 1\n core.io:17 read 2\n core.io:21 saved\n core.io:21 saved\n";
        assert_eq!(found(lines), " {logger:name}:{line:int} ");
        for (form, pattern) in [
            (" (n03:4711) ", " ({log.host}:{log.pid:int}) "),
            (" [4711@n03] ", " [{log.pid:int}@{log.host}] "),
        ] {
            let of = |process: &str| form.replace("4711", process);
            let lines = ["19590", "19591", "19590", "19591"].map(|process| of(process) + "saved\n");
            assert_eq!(found(&lines.concat()), pattern);
        }
        let ranks = " 17 rank0 a.cc:1] up\n 17 rank1 a.cc:1] up\n 17 rank0 a.cc:2] x\n 17 rank1 b.cc:3] y\n";
        assert_eq!(
            found(ranks),
            " {pid:int} rank{rank:int} {file}:{line:int}] "
        );
        let devices = ": %SYS-5-CONFIG_I: Configured\n: %LINK-3-UPDOWN: Interface x\n: %SYS-2-MALLOCFAIL: lost\n";
        assert_eq!(
            found(devices),
            ": %{component}-{severity:priority}-{mnemonic}: "
        );
        let paths = " INFO engine::main: up\n WARN engine::conf: x\n INFO engine::main: y\n INFO engine::main: z\n";
        assert_eq!(found(paths), " {level} {logger}: ");
    }

    #[test]
    fn messages_are_no_headers() {
        for lines in [
            " 17 jobs are ready\n 18 jobs are ready\n 19 jobs are ready\n 20 jobs are ready\n",
            " Worker 20ef: registering birth\n Worker 20ef: started\n Worker 20ef: x\n Worker 3: y\n",
            " [job 17] started\n [job 18] started\n [job 19] ended\n [job 19] lost\n",
            " started\n ended\n",
            "",
        ] {
            assert_eq!(found(lines), "", "{lines}");
        }
    }
}
