//! Level in the header part of a message, used if nothing else provides one: `[ERROR] lost`, `FATAL: lost`,
//! `[main] WARN - lost`, `node7|worker|ERROR|lost`, `1234 1240 E Runtime: lost`, `broker.err[0]: lost`.
//!
//! The header part consists of text in brackets, variables, names before a delimiter and dotted names; the first word of
//! prose ends it. Variables are looked at as such, whatever their text, so that all messages of a template have one level.

use widetui_core::level::{Level, without_degree};

use crate::text::token::{self, Part};

/// Stands for a variable in a skeleton.
const VARIABLE: u8 = 0x01;
/// Maximum length of the header part, bytes of the skeleton.
const MAX_HEADER: usize = 120;
/// Maximum length of an object in which a level is looked for, bytes of the skeleton.
const MAX_OBJECT: usize = 480;
/// Maximum number of parts before the level.
const MAX_PARTS: usize = 8;
/// Maximum length of text in brackets, bytes.
const MAX_BRACKETED: usize = 64;

/// Level of a message whose header has none.
pub(crate) fn level(message: &[u8]) -> Option<Level> {
    let mut variables: Vec<Part> = Vec::new();
    token::tokenize(message, &mut variables);
    of(&token::literals(message, &variables))
}

/// Level of all messages with these literals, between which stand their variables.
pub(crate) fn of(literals: &[Box<[u8]>]) -> Option<Level> {
    let mut skeleton = Vec::with_capacity(MAX_HEADER);
    for (at, literal) in literals.iter().enumerate() {
        if at > 0 {
            skeleton.push(VARIABLE);
        }
        skeleton.extend(literal.iter().take(MAX_OBJECT));
        if skeleton.len() >= MAX_OBJECT {
            break;
        }
    }
    Header {
        text: &skeleton,
        at: 0,
        after: Separator::Start,
        variables: 0,
        is_padded: false,
    }
    .level()
}

/// Text before a part of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// Nothing: the message starts there.
    Start,
    /// Blanks only.
    Blank,
    /// A bar, a dash or colon, or a closing bracket: text that prose does not have at this place.
    Strong,
}

/// Header part of a skeleton, read from left to right.
struct Header<'a> {
    text: &'a [u8],
    at: usize,
    after: Separator,
    /// Number of variables directly before `at`.
    variables: usize,
    /// Whether at least two blanks precede `at`: columns of a header are padded, words of prose are not.
    is_padded: bool,
}

impl Header<'_> {
    fn level(mut self) -> Option<Level> {
        if let Some(level) = of_tag(self.text).or_else(|| of_tool(self.text)) {
            return Some(level);
        }
        for _ in 0..MAX_PARTS {
            self.skip_separators();
            let rest = self.text.get(self.at..)?;
            match rest.first()? {
                b'{' if rest.starts_with(b"{\"") => return of_object(rest),
                b'[' | b'(' | b'<' | b'{' => {
                    let inner = bracketed(rest)?;
                    if let Some(level) = of_bracketed(inner) {
                        return Some(level);
                    }
                    self.at += inner.len() + 2;
                    self.after = Separator::Strong;
                    self.variables = 0;
                }
                _ => {
                    let (word, rest) = split_word(rest);
                    if let Some(level) = self.level_of(word, rest) {
                        return Some(level);
                    }
                    if !is_header_part(word, rest) {
                        return None;
                    }
                    self.variables = match word {
                        [VARIABLE] => self.variables + 1,
                        _ => 0,
                    };
                    self.at += word.len();
                    self.after = Separator::Blank;
                }
            }
            if self.at > MAX_HEADER {
                return None;
            }
        }
        None
    }

    /// Moves past blanks and delimiters between parts.
    fn skip_separators(&mut self) {
        let from = self.at;
        while let Some(rest @ [byte, ..]) = self.text.get(self.at..) {
            let before = self.text.get(from..self.at);
            self.is_padded = before.is_some_and(|before| before.ends_with(b"  "));
            match byte {
                b' ' | b'\t' => {}
                b'|' | b'-' | b':' | b',' | b';' | b'#' | b'*' | b']' | b')' | b'>' => {
                    self.after = Separator::Strong;
                }
                0x80.. => match symbol(rest) {
                    0 => return,
                    len => {
                        self.after = Separator::Strong;
                        self.at += len - 1;
                    }
                },
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Level that a word of the header states, given the text after it.
    fn level_of(&self, word: &[u8], rest: &[u8]) -> Option<Level> {
        let mut parts = word.splitn(2, |b| *b == b'=');
        if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            let value = match rest {
                [b'"', quoted @ ..] if value.is_empty() => split_word(quoted).0,
                _ => value,
            };
            let names = [
                &b"level"[..],
                b"lvl",
                b"severity",
                b"loglevel",
                b"log_level",
                b"levelname",
            ];
            return names.contains(&name).then(|| Level::parse(value))?;
        }
        let is_bounded = before_strong(rest);
        if matches!(word, [b'A'..=b'Z']) {
            let level = Level::parse(word)?;
            // A letter in a column is a level unless it is the last one: a value. Fortran writes F for false.
            let is_column =
                (is_bounded || self.is_padded) && word != b"F" && !rest.trim_ascii().is_empty();
            let is_letter = is_column || self.variables >= 2 || is_code_site(rest);
            return is_letter.then_some(level);
        }
        // `broker.err[0]: `
        let dot = word.iter().rposition(|b| *b == b'.');
        if let Some(dot) = dot.filter(|_| !word.windows(3).any(|dots| dots == b"...")) {
            let rest = match rest.first() {
                Some(b'[') => rest.get(bracketed(rest)?.len() + 2..)?,
                _ => rest,
            };
            let last = word.get(dot + 1..)?;
            return (last.len() > 2 && rest.starts_with(b": ")).then(|| Level::parse(last))?;
        }
        // A name that was cut to the width of its column: `Tracker.Trac...WARNING lost`.
        let cut = memchr::memmem::rfind(word, b"...").filter(|at| *at > 0);
        let word = match cut.and_then(|at| word.get(at + 3..)) {
            Some(own) if own.len() > 2 => own,
            _ => word,
        };
        let word = without_degree(word);
        // The console of .NET writes levels in four letters.
        let level = match word == b"fail" && rest.starts_with(b": ") {
            true => Level::Error,
            false => Level::parse(word)?,
        };
        let is_start = self.after != Separator::Blank;
        let ends = matches!(
            rest.first(),
            None | Some(b' ' | b'\t' | b':' | b'|' | b'[' | b']' | b'*')
        );
        if word.iter().all(u8::is_ascii_uppercase) {
            // These start sentences in capitals, or are other words.
            let is_word = matches!(
                word,
                b"NOTE" | b"FINE" | b"ALERT" | b"SUCCESS" | b"FAILURE" | b"LOG"
            );
            return (ends && word.len() > 2 && (!is_word || is_bounded)).then_some(level);
        }
        // `error` and `Error` start many sentences: only before a colon, as C programs write it, or between delimiters.
        let usual: [&[u8]; 13] = [
            b"fatal",
            b"critical",
            b"error",
            b"warning",
            b"warn",
            b"notice",
            b"info",
            b"information",
            b"debug",
            b"crit",
            b"fail",
            b"dbug",
            b"trce",
        ];
        let is_usual = usual.iter().any(|w| w.eq_ignore_ascii_case(word));
        let is_prefix = is_usual && is_start && is_before_text(rest);
        let is_column = self.after == Separator::Strong && is_bounded && word.len() > 2;
        (is_prefix || is_column).then_some(level)
    }
}

/// Level before the tag and the process of an Android log: `E/AndroidRuntime( 1234): lost`.
fn of_tag(text: &[u8]) -> Option<Level> {
    let [letter, b'/', tag @ ..] = text else {
        return None;
    };
    let end = tag.iter().take(MAX_BRACKETED).position(|b| *b == b'(')?;
    let process = tag.get(end + 1..)?;
    let in_process = |b: &&u8| matches!(**b, VARIABLE | b' ') || b.is_ascii_digit();
    let rest = process.get(process.iter().take_while(in_process).count()..)?;
    let is_one = end > 0 && rest.starts_with(b"): ");
    match letter {
        b'V' if is_one => Some(Level::Trace),
        b'D' | b'I' | b'W' | b'E' | b'F' if is_one => Level::parse(&[*letter]),
        _ => None,
    }
}

/// Level behind the name of a tool: `PHP Fatal error:  lost`, `CMake Error at a:7`, `npm ERR! lost`.
fn of_tool(text: &[u8]) -> Option<Level> {
    let tools: [&[u8]; 3] = [b"PHP ", b"CMake ", b"npm "];
    let rest = tools.iter().find_map(|tool| text.strip_prefix(*tool))?;
    let levels: [(&[u8], Level); 9] = [
        (b"Fatal error:", Level::Critical),
        (b"Parse error:", Level::Error),
        (b"Error ", Level::Error),
        (b"ERR! ", Level::Error),
        (b"Warning:", Level::Warning),
        (b"Warning ", Level::Warning),
        (b"WARN ", Level::Warning),
        (b"Deprecated:", Level::Warning),
        (b"Notice:", Level::Notice),
    ];
    let found = levels.iter().find(|(words, _)| rest.starts_with(words));
    found.map(|(_, level)| *level)
}

/// Level in a field of the JSON object at the start of text, as far as it is there.
fn of_object(text: &[u8]) -> Option<Level> {
    let names: [&[u8]; 6] = [
        b"level",
        b"lvl",
        b"severity",
        b"levelname",
        b"log.level",
        b"loglevel",
    ];
    let mut words = text.split(|b| *b == b'"').skip(1);
    while let Some(word) = words.next() {
        let is_name = names.iter().any(|name| name.eq_ignore_ascii_case(word));
        if is_name
            && words
                .next()
                .is_some_and(|between| between.trim_ascii() == b":")
        {
            return Level::parse(words.next()?);
        }
    }
    None
}

/// Length of the symbol at the start of text that is no letter: a bullet, an arrow, an emoji, damaged bytes. 0 without one.
fn symbol(text: &[u8]) -> usize {
    let Some(chunk) = text.utf8_chunks().next() else {
        return 0;
    };
    match chunk.valid().chars().next() {
        Some(c) if c.is_ascii() || c.is_alphanumeric() => 0,
        Some(c) => c.len_utf8(),
        None => chunk.invalid().len(),
    }
}

/// Text between the bracket at the start and its counterpart.
fn bracketed(text: &[u8]) -> Option<&[u8]> {
    let (open, inner) = text.split_first()?;
    let close = match open {
        b'[' => b']',
        b'(' => b')',
        b'{' => b'}',
        _ => b'>',
    };
    let end = inner.iter().take(MAX_BRACKETED).position(|b| *b == close)?;
    inner.get(..end)
}

/// Level that text in brackets states: `ERROR`, `warn `, `EE`, `ERROR/MainProcess`, `E 17 18`.
fn of_bracketed(inner: &[u8]) -> Option<Level> {
    let inner = inner.trim_ascii();
    match inner {
        b"EE" => return Some(Level::Error),
        b"WW" => return Some(Level::Warning),
        b"II" => return Some(Level::Info),
        _ => {}
    }
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | &VARIABLE);
    let mut parts = inner.split(|b| matches!(b, b'/' | b'|' | b':' | b' '));
    let first = parts.next()?;
    let others: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
    // A letter or `log` alone is a value more often than a level.
    if others.is_empty() {
        let is_word = first.len() > 2 && first != b"log" && first != b"note";
        return is_word.then(|| Level::parse(first))?;
    }
    let is_blank = inner.contains(&b' ');
    let others_are_names = others.iter().all(|part| match is_blank {
        true => **part == [VARIABLE],
        false => part.iter().all(is_name),
    });
    // Module and level of a web server: `[core:error]`.
    if let [level] = others[..]
        && is_name_of_module(first)
        && inner.len() == first.len() + 1 + level.len()
        && inner.get(first.len()) == Some(&b':')
    {
        let is_usual = level.len() > 3 && level.iter().all(u8::is_ascii_lowercase);
        return is_usual.then(|| Level::parse(level))?;
    }
    let is_upper = |word: &[u8]| word.iter().all(u8::is_ascii_uppercase);
    let mut levels = others
        .iter()
        .copied()
        .chain([first])
        .filter(|w| is_upper(w));
    if !others_are_names {
        return None;
    }
    match is_blank {
        true => Level::parse(first).filter(|_| is_upper(first)),
        false => levels.find_map(|word| Level::parse(word).filter(|_| word.len() > 2)),
    }
}

fn is_name_of_module(name: &[u8]) -> bool {
    let is_part = |b: &u8| b.is_ascii_lowercase() || *b == b'_' || *b == VARIABLE;
    name.len() > 1 && name.iter().all(is_part)
}

/// True if an indented line of a text without headers reports a problem: marks or nothing, then its level in capitals, as
/// Fortran programs write it: `  **WARNING** lost`, `  >>--->> WARNING in subroutine A`, `  ERROR: lost`.
pub(crate) fn is_report(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    let marks = text.iter().take_while(|b| b"*>-#!=".contains(b)).count();
    let (word, rest) = split_word(text.get(marks..).unwrap_or_default().trim_ascii_start());
    let is_capital = word.len() > 3 && word.iter().all(u8::is_ascii_uppercase);
    let is_level = || Level::parse(word).is_some_and(|level| level >= Level::Warning);
    text.len() < line.len() && is_capital && (marks > 1 || rest.starts_with(b":")) && is_level()
}

/// Word at the start of text, up to a blank, a bracket or a delimiter, and the text after it.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let ends = |b: &u8| b.is_ascii_whitespace() || b"|[](){}<>,;\"'`:*".contains(b);
    let len = text.iter().position(ends).unwrap_or(text.len());
    text.split_at_checked(len).unwrap_or_default()
}

/// Whether a delimiter that prose does not have follows: `|`, ` - `, ` : `.
fn before_strong(rest: &[u8]) -> bool {
    let blanks = rest
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    match rest.get(blanks..).unwrap_or_default() {
        [b'|', ..] => true,
        [b'-' | b':', next, ..] => blanks > 0 && matches!(next, b' ' | b'-' | b'\t'),
        _ => false,
    }
}

/// True if a colon and a blank follow, or a padded colon and words: `: lost`, `      : Could not find`.
fn is_before_text(rest: &[u8]) -> bool {
    let padding = rest.iter().take_while(|b| **b == b' ').count();
    match rest.get(padding..).unwrap_or_default() {
        [b':', b'\t', ..] => padding == 0,
        [b':', b' ', text @ ..] => {
            padding == 0
                || text
                    .trim_ascii_start()
                    .first()
                    .is_some_and(u8::is_ascii_alphabetic)
        }
        _ => false,
    }
}

/// True if a place in the code or numbers and a bracket follow a blank: ` core/engine.cc:17] `, ` 17 18] `.
fn is_code_site(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b" ") else {
        return false;
    };
    let numbers = rest.iter().take_while(|b| matches!(**b, VARIABLE | b' '));
    let numbers = numbers.count();
    if numbers > 0 {
        return rest.get(numbers) == Some(&b']');
    }
    let (site, rest) = split_word(rest);
    !site.is_empty() && rest.starts_with(&[b':', VARIABLE, b']'])
}

/// Whether a word belongs to a header, given the text after it: a variable, a dotted name, a name before a delimiter.
fn is_header_part(word: &[u8], rest: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-./$@!=".contains(b) || *b == VARIABLE;
    if word.is_empty() || !word.iter().all(is_name) {
        return false;
    }
    let is_dotted = word
        .iter()
        .rposition(|b| *b == b'.')
        .is_some_and(|at| at > 0 && at + 1 < word.len());
    let is_delimited =
        [&b":"[..], b"[", b"  "].iter().any(|d| rest.starts_with(d)) || before_strong(rest);
    let is_field = word.contains(&b'=') && !word.ends_with(b"=");
    word.contains(&VARIABLE) || is_dotted || is_delimited || is_field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_in_the_header_part_count() {
        for (text, level) in [
            ("[ERROR] lost", Level::Error),
            ("FATAL: lost", Level::Critical),
            ("WARNING lost", Level::Warning),
            ("ERROR", Level::Error),
            ("fatal: lost", Level::Critical),
            ("notice: ready", Level::Notice),
            ("Error: lost", Level::Error),
            ("<error> lost", Level::Error),
            ("(EE) lost", Level::Error),
            ("(II) up", Level::Info),
            ("\u{274c} error: lost", Level::Error),
            ("Information: up", Level::Info),
            ("[!] ERROR - lost", Level::Error),
            ("[main] WARN lost", Level::Warning),
            ("[info]: #0 up", Level::Info),
            ("node7|worker-3|CRITICAL|lost", Level::Critical),
            ("| error | lost", Level::Error),
            (
                "radical.pilot.0000 : 12345 : 1402 : INFO     : up",
                Level::Info,
            ),
            ("1234  1240 E Runtime: lost", Level::Error),
            ("W | raft: lost", Level::Warning),
            ("E core/engine.cc:17] lost", Level::Error),
            ("E 17 18] (raylet) a.cc:55: lost", Level::Error),
            ("broker.err[0]: lost", Level::Error),
            ("0 [Warning] [MY-010068] [Server] weak", Level::Warning),
            ("[main][ERROR] lost", Level::Error),
            ("[ERROR/MainProcess] lost", Level::Error),
            ("[core:error] [pid 12] lost", Level::Error),
            (
                "ts=2023-02-15T10:00:00.123Z caller=a.go:7 level=error x",
                Level::Error,
            ),
            ("level=\"error\" x", Level::Error),
            ("lvl=eror lost", Level::Error),
            ("engine.run ERROR lost", Level::Error),
            ("E/AndroidRuntime( 1234): lost", Level::Error),
            ("PHP Warning:  weak in a.php", Level::Warning),
            ("CMake Error at CMakeLists.txt:7 (message):", Level::Error),
            ("npm ERR! lost", Level::Error),
            ("W/net.x  (12): weak", Level::Warning),
            ("Tracker::SpacePoints.Trac...WARNING lost", Level::Warning),
            ("Waveform.Wave...  ERROR lost", Level::Error),
            ("Error       : Could not find it", Level::Error),
            ("fail: App.Consumer[0]", Level::Error),
            ("crit: App.Consumer[0]", Level::Critical),
            ("KeyStore    W weak", Level::Warning),
            ("**WARNING** lost", Level::Warning),
            (">>--->> WARNING in subroutine A", Level::Warning),
            (
                r#"@cee: {"task": 7, "level": "error", "msg": "lost"}"#,
                Level::Error,
            ),
            (r#"{app="x", pod="x-0"} ERROR lost"#, Level::Error),
        ] {
            assert_eq!(
                super::level(text.as_bytes()).unwrap_or_default(),
                level,
                "{text}"
            );
        }
    }

    #[test]
    fn words_of_prose_are_no_levels() {
        for text in [
            "ERRORS: 3",
            "error   : 0.25",
            "wait...warning of rain",
            "E/F(x) is",
            "fail to connect",
            "E_1 x",
            "NOTE that",
            "LOG x",
            "",
            "[E] x",
            "WARNING_x",
            "error:x",
            "errors: 3",
            "trace: x",
            "task 3 ended with ERROR",
            "no error: all good",
            "Error in line 3",
            "got (ERROR count: 0) back",
            "(ERROR count: 0)",
            "I am 12 | 13",
            "MEGAN_ON               |          F",
            "MEGAN_ON               |          F | false",
            "GRADE                  |          E",
            "state changed from info to error",
            "a - error in b",
            r#"{"text": "level", "a": "error"}"#,
        ] {
            assert_eq!(super::level(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn indented_reports_have_a_level_in_capitals() {
        for line in [
            " **WARNING** Trying next time",
            "     >>--->> WARNING in subroutine A",
            "     WARNING: extents differ",
        ] {
            assert!(is_report(line.as_bytes()), "{line}");
        }
        for line in [
            "**WARNING** at the margin",
            "  - ERROR",
            "  WARNING in prose",
            "  INFO: x",
            "",
        ] {
            assert!(!is_report(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn variables_do_not_decide() {
        for (one, other) in [("7 ERROR x", "a7b ERROR x"), ("node7: E x", "12: E x")] {
            assert_eq!(super::level(one.as_bytes()), super::level(other.as_bytes()));
        }
    }
}
