//! Header parts before the time, inferred from many lines: `INFO [main] 2026-...`, `node7 2026-...`, `[rank 3]
//! 2026-...`.

use std::collections::HashMap;

use crate::text::header_words::{
    is_file, is_level, is_number, nearly_all, repeated, words_before_numbers, writer_kind,
};

/// Maximum number of words before the time; more are a sentence.
const MAX_WORDS: usize = 6;

/// Text of a line before its time, split into words and the gaps around them.
struct Split<'a> {
    /// Gaps, one more than there are words; a run of blanks is reduced to one.
    gaps: Vec<Vec<u8>>,
    words: Vec<&'a [u8]>,
    /// Whether a run of blanks was reduced.
    padded: bool,
    /// Number of blanks at the start of the line.
    indent: usize,
}

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b >= 0x80 || b"_-./@$+%~*".contains(&b)
}

/// Length of an IPv6 address at the start of a text: `::1`, `fe80::1%eth0`.
fn address_at(text: &[u8]) -> usize {
    let word = text.split(|b| *b == b' ').next().unwrap_or_default();
    let mut parts = word.splitn(2, |b| *b == b'%');
    let address = parts.next().unwrap_or_default();
    let scope = parts.next().unwrap_or_default();
    let colons = address.iter().filter(|b| **b == b':').count();
    let is_part = |b: &u8| b.is_ascii_hexdigit() || matches!(b, b':' | b'.');
    let is_address = (2..=7).contains(&colons)
        && (colons == 7 || address.windows(2).any(|two| two == b"::"))
        && address.iter().all(is_part)
        && scope.iter().all(u8::is_ascii_alphanumeric);
    if is_address { word.len() } else { 0 }
}

fn split(text: &[u8]) -> Split<'_> {
    let indent = text.iter().take_while(|b| **b == b' ').count();
    let mut out = Split {
        gaps: vec![Vec::new()],
        words: Vec::new(),
        padded: false,
        indent,
    };
    let mut at = indent;
    while let Some(rest @ [b, ..]) = text.get(at..) {
        let b = *b;
        let address = address_at(rest);
        if in_word(b) || address > 0 {
            let word = || rest.iter().take_while(|b| in_word(**b)).count();
            let len = if address > 0 { address } else { word() };
            out.words.extend(rest.get(..len));
            out.gaps.push(Vec::new());
            at += len;
            continue;
        }
        let last = out.gaps.last_mut();
        if let Some(gap) = last {
            if b == b' ' && gap.last() == Some(&b' ') {
                out.padded = true;
            } else {
                gap.push(b);
            }
        }
        at += 1;
    }
    out
}

/// Indices of the lines with the most frequent structure before their time, and its pattern. `None` if lines begin like
/// sentences, or each in a different way.
pub(crate) fn before_time(texts: &[&[u8]]) -> Option<(Vec<usize>, String)> {
    let all: Vec<Split<'_>> = texts.iter().map(|t| split(t)).collect();
    let mut kinds: HashMap<&[Vec<u8>], Vec<usize>> = HashMap::new();
    for (at, one) in all.iter().enumerate() {
        kinds.entry(&one.gaps).or_default().push(at);
    }
    // Of equally frequent structures, the one that comes first.
    let order = |lines: &Vec<usize>| (lines.len(), usize::MAX - lines.first().unwrap_or(&0));
    let (gaps, lines) = kinds.into_iter().max_by_key(|kind| order(&kind.1))?;
    // Text in quotes is a value, for instance in a document of several lines.
    let is_quoted = gaps.iter().any(|gap| gap.contains(&b'"'));
    if is_quoted || gaps.len() > MAX_WORDS + 1 || lines.len() < 2 {
        return None;
    }
    let alike: Vec<&Split<'_>> = lines.iter().filter_map(|at| all.get(*at)).collect();
    let padded = alike.iter().any(|line| line.padded);
    let mut builder = PatternBuilder::default();
    let indents = || alike.iter().map(|line| line.indent);
    match (indents().min(), indents().max()) {
        (Some(least), Some(most)) if least == most => builder.pattern.push_str(&" ".repeat(most)),
        _ => builder.pattern.push_str("{:pad}"),
    }
    let column_of = |column: usize| -> Vec<&[u8]> {
        let words = alike.iter().filter_map(|line| line.words.get(column));
        words.copied().collect()
    };
    let (last, _) = gaps.split_last()?;
    for (column, (before, after)) in gaps.iter().zip(gaps.iter().skip(1)).enumerate() {
        let words = column_of(column);
        let next = column_of(column + 1);
        let numbered = !next.is_empty()
            && next.iter().all(|w| is_number(w))
            && matches!(after.as_slice(), b" " | b"=" | b":" | b"-");
        let opened = [before.as_slice(), after].concat();
        builder.gap(before, padded);
        builder.word(&words, &opened, numbered)?;
    }
    builder.gap(last, padded);
    Some((lines, builder.pattern))
}

/// Pattern under construction.
#[derive(Default)]
struct PatternBuilder {
    pattern: String,
    used: Vec<String>,
    /// Previous word, if all lines have it: possibly the name of the next value.
    label: Option<String>,
    /// Number of constant lower-case words without delimiters.
    plain: usize,
}

impl PatternBuilder {
    fn gap(&mut self, gap: &[u8], padded: bool) {
        for b in gap {
            match b {
                b' ' if padded => self.pattern.push_str(" {:pad}"),
                b'{' => self.pattern.push_str("{{"),
                b'}' => self.pattern.push_str("}}"),
                b => self.pattern.push(char::from(*b)),
            }
        }
    }

    /// Adds one word of the header, given its spelling in all lines, the text around it, and whether a number follows
    /// that it may name; `None` if it does not look like part of a header.
    fn word(&mut self, words: &[&[u8]], around: &[u8], numbered: bool) -> Option<()> {
        let first = *words.first()?;
        let label = self.label.take();
        let same = words.iter().all(|w| *w == first);
        let levels = words.iter().filter(|w| is_level(w)).count();
        if nearly_all(levels, words.len()) && !self.is_used("level") {
            self.field("level", "");
            return Some(());
        }
        if words.iter().all(|w| is_number(w)) {
            // Launchers write the number of the process before each line.
            let rank = self.used.is_empty() && (around == b":" || around == b": ");
            let name = label.unwrap_or(if rank {
                "rank".to_owned()
            } else {
                String::new()
            });
            self.field(&name, ":int");
            return Some(());
        }
        if let Some(numbered) = words_before_numbers(words) {
            for (word, name) in numbered {
                self.pattern.push_str(&word);
                self.field(name, ":int");
            }
            return Some(());
        }
        let letters = same && first.iter().all(|b| !b.is_ascii_digit());
        let opened = around.iter().any(|b| b"[](){}<>:=|".contains(b));
        self.plain += usize::from(letters && !opened && first.iter().all(u8::is_ascii_lowercase));
        if self.plain > 1 || !(repeated(words) || self.used.is_empty()) {
            return None;
        }
        if letters && (numbered || !first.iter().any(u8::is_ascii_alphabetic)) {
            self.pattern.push_str(&String::from_utf8_lossy(first));
            let name = String::from_utf8_lossy(first).to_ascii_lowercase();
            let good = name.len() > 1 && name.bytes().all(|b| b.is_ascii_lowercase());
            self.label = good.then_some(name);
        } else {
            self.name(words);
        }
        Some(())
    }

    /// Adds a field for a word that names the writer or a place.
    fn name(&mut self, words: &[&[u8]]) {
        let host = |w: &&[u8]| {
            let numbered = w.first().is_some_and(u8::is_ascii_alphabetic)
                && w.last().is_some_and(u8::is_ascii_digit);
            numbered
                || address_at(w) == w.len()
                || w.split(|b| *b == b'.')
                    .filter(|part| is_number(part))
                    .count()
                    == 4
        };
        let name = match writer_kind(words) {
            _ if words.iter().all(|w| is_file(w)) => "file",
            _ if words.iter().all(host) => "host",
            Some(name) => name,
            None => "component",
        };
        let free = [name, "component", "subsystem"];
        let free = free.into_iter().find(|n| !self.is_used(n));
        self.field(free.unwrap_or_default(), "");
    }

    fn is_used(&self, name: &str) -> bool {
        self.used.iter().any(|used| used == name)
    }

    fn field(&mut self, name: &str, kind: &str) {
        let name = if self.is_used(name) { "" } else { name };
        self.used.push(name.to_owned());
        self.pattern.push_str(&format!("{{{name}{kind}}}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str]) -> Option<String> {
        let texts: Vec<&[u8]> = texts.iter().map(|t| t.as_bytes()).collect();
        before_time(&texts).map(|(_, pattern)| pattern)
    }

    fn is(texts: &[&str], pattern: &str) {
        assert_eq!(found(texts).as_deref(), Some(pattern), "{texts:?}");
    }

    #[test]
    fn writer_and_level_may_come_first() {
        is(
            &[
                "INFO  [main] ",
                "ERROR [pool-1] ",
                "INFO  [pool-2] ",
                "INFO  [main] ",
            ],
            "{level} {:pad}[{component}] {:pad}",
        );
        is(&["[rank 0] ", "[rank 13] "], "[rank {rank:int}] ");
        is(&["[rank0] ", "[rank13] "], "[rank{rank:int}] ");
        is(&["I", "W", "I"], "{level}");
        is(&["0: ", "13: "], "{rank:int}: ");
        is(&[" 0: ", "13: "], "{:pad}{rank:int}: ");
        is(&["node001 ", "node002 "], "{host} ");
        is(&["10.0.0.9 - - [", "10.0.0.8 - - ["], "{host} - - [");
        is(
            &["0:0:0:0:0:0:0:1 - - [", "10.0.0.8 - - [", "::1 - - ["],
            "{host} - - [",
        );
        is(&["engine: ", "engine: "], "{component}: ");
        is(
            &["[1,0]<stdout>:", "[1,3]<stdout>:"],
            "[{:int},{:int}]<{component}>:",
        );
        is(
            &["(Worker pid=17) INFO ", "(Engine pid=8) INFO "],
            "({process} pid={pid:int}) {level} ",
        );
        is(&["*** ", "*** "], "*** ");
    }

    #[test]
    fn sentences_before_a_time_are_no_headers() {
        assert_eq!(found(&["job 5 ended at ", "job 6 ended at "]), None);
        assert_eq!(found(&["a b c d e f g h ", "a b c d e f g h "]), None);
        assert_eq!(found(&["it said so ", "what (else) "]), None);
        assert_eq!(found(&["   \"", "   \"", "   \""]), None);
    }
}
