//! Merges the templates of a scope that differ only in names without digits: users, hosts, programs, files.
//!
//! Templates are compared with each other, never with records: a scope has only hundreds of them. In rounds, a word
//! becomes a variable
//!
//! * by its form: an absolute path, a mail address;
//! * by cardinality: [`MIN_WORDS`] templates that are otherwise equal have different words there, or [`MIN_NAMES`] if a noun
//!   (`user`, `node`) or `=` precedes them;
//! * by context: some of these templates have a variable there, or all their words are names after a noun elsewhere;
//! * if it is the only difference from a merged template.
//!
//! Words for states, capitals and verb forms (`running`, `FAILED`) are a small closed set and stay. A second stage also
//! reduces values to one variable (`host:{}`, `{} KB`, `Jul {}`), drops parentheses around variables, and repeats the
//! rounds: messages with and without `(12 KB)` are then alike.
//!
//! The result is a function of the set of templates; it does not depend on their order, nor on the number of merges
//! before.

#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "symbols number texts that are never removed, and places are those of the parts of a pattern"
)]

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use widetui_definition::words::WordsDef;
use widetui_time::timeparse::is_date_word;

use crate::text::header_words::is_file;
use crate::text::reserved::STOP_WORDS;
use crate::text::token;

/// Number of different words at one place of otherwise equal templates that make it a variable.
const MIN_WORDS: usize = 10;
/// The same for places after a noun or `=`, and minimum number of templates of a merged one that takes in others.
const MIN_NAMES: usize = 4;
/// Maximum number of rounds; a safeguard, as each round adds variables.
const MAX_ROUNDS: usize = 64;

/// Units that belong to the number before them.
const UNITS: &[&str] = &[
    "B", "GB", "GiB", "KB", "KiB", "MB", "MiB", "TB", "TiB", "bytes", "h", "hours", "kB", "m",
    "min", "minutes", "mins", "ms", "ns", "s", "sec", "second", "seconds", "secs", "us",
];
/// Methods of HTTP: the path after one is a route, one of a few.
const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
/// Nouns before words of a small closed set.
const KINDS: &[&str] = &["level", "mode", "phase", "state", "status", "type"];

/// Template of a scope.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TemplateAt {
    /// Literal parts, around the variables.
    pub(crate) literals: Box<[Box<[u8]>]>,
    /// Line of code that writes it, numbered; templates of different lines are never merged. 0 if unknown.
    pub(crate) line: u32,
}

/// Text of the merged template of each template; `None` for those that stay as they are.
pub(crate) fn merged_texts<'t>(
    templates: impl Iterator<Item = &'t TemplateAt>,
    words: &WordsDef,
) -> Vec<Option<Box<str>>> {
    let mut merger = Merger::new(words);
    let mut own = Vec::new();
    let mut patterns = Vec::new();
    for template in templates {
        own.push(token::template(&template.literals));
        patterns.push(merger.pattern(template));
    }
    for stage in [Stage::Words, Stage::Values] {
        for pattern in &mut patterns {
            pattern.parts = merger.reduced(&pattern.parts, stage);
        }
        merger.merge(&mut patterns, stage);
    }
    let mut members: BTreeMap<&Pattern, Vec<usize>> = BTreeMap::new();
    for (at, pattern) in patterns.iter().enumerate() {
        members.entry(pattern).or_default().push(at);
    }
    let mut out = vec![None; own.len()];
    for (pattern, members) in members {
        // Templates that differ only in blanks at the end have the same text.
        if members.iter().any(|at| own[*at] != own[members[0]]) {
            let text = merger.text(pattern);
            members.iter().for_each(|at| out[*at] = Some(text.clone()));
        }
    }
    out
}

/// Interned word or separator.
type Symbol = u32;
/// Variable part.
const VARIABLE: Symbol = 0;

/// Template as symbols: separators and, at odd places, words and variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Pattern {
    parts: Vec<Symbol>,
    line: u32,
}

/// Stage of the merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Words become variables.
    Words,
    /// Values of several parts are one variable, too, and optional parts are dropped.
    Values,
}

/// Properties of a symbol, as bits.
mod is {
    /// Variable by its form.
    pub(super) const VALUE: u16 = 1;
    /// Name with a dot, of a file or host.
    pub(super) const DOTTED: u16 = 2;
    /// Host name.
    pub(super) const HOST: u16 = 4;
    /// Letters that are hexadecimal digits.
    pub(super) const HEX: u16 = 8;
    /// Name of a month or weekday.
    pub(super) const DATE: u16 = 16;
    /// Unit.
    pub(super) const UNIT: u16 = 32;
    /// Word of a small closed set.
    pub(super) const STATE: u16 = 64;
    /// Noun before names.
    pub(super) const NOUN: u16 = 128;
    /// Noun before words of a small closed set.
    pub(super) const KIND: u16 = 256;
    /// Method of HTTP.
    pub(super) const METHOD: u16 = 512;
    /// Word that distinguishes messages.
    pub(super) const ANCHOR: u16 = 1024;
}

/// Words of the definitions by which symbols are judged.
struct Vocabulary<'w> {
    nouns: FxHashSet<&'w str>,
    states: FxHashSet<&'w str>,
    stems: Vec<&'w str>,
}

impl<'w> Vocabulary<'w> {
    fn new(words: &'w WordsDef) -> Vocabulary<'w> {
        let all = |lists: &[&'w [String]]| -> Vec<&'w str> {
            let words = lists.iter().copied().flatten();
            words.map(String::as_str).collect()
        };
        let nouns = all(&[&words.work_items, &words.resources, &words.named]);
        let states = all(&[&words.change_words, &words.counts]);
        let stems = all(&[
            &words.begin,
            &words.changes,
            &words.executing,
            &words.final_states,
            &words.failed_states,
            words.opposites.as_flattened(),
        ]);
        Vocabulary {
            nouns: nouns.into_iter().collect(),
            states: states.into_iter().collect(),
            stems,
        }
    }

    fn properties(&self, text: &str) -> u16 {
        let lower = text.to_lowercase();
        let last = lower.rsplit(['.', '_', '-']).next().unwrap_or_default();
        let noun = last_word(text).to_lowercase();
        let capital = |part: &str| part.bytes().any(|b| b.is_ascii_uppercase());
        let capitals =
            text.len() > 1 && capital(text) && !text.bytes().any(|b| b.is_ascii_lowercase());
        let is_verb = text.len() > 4 && (lower.ends_with("ed") || lower.ends_with("ing"));
        let is_stop = STOP_WORDS.contains(&lower.as_str());
        let is_path = ["/", "./", "~/"]
            .iter()
            .any(|start| text.starts_with(start));
        let is_mail = text.contains('.') && text.find('@').is_some_and(|at| at > 0);
        let inner_dot = text
            .get(1..text.len().saturating_sub(1))
            .is_some_and(|t| t.contains('.'));
        let is_dotted = inner_dot
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && !text.rsplit('.').next().is_some_and(capital);
        let is_host =
            is_dotted && !capital(text) && !text.contains('/') && !is_file(text.as_bytes());
        let is_state = capitals
            || is_verb
            || is_stop
            || self.states.contains(last)
            || self.stems.iter().any(|stem| last.starts_with(stem));
        let bits = [
            (is::VALUE, is_path && text.len() > 2 || is_mail),
            (is::DOTTED, is_dotted),
            (is::HOST, is_host),
            (
                is::HEX,
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit()),
            ),
            (is::DATE, is_date_word(text.as_bytes())),
            (is::UNIT, UNITS.contains(&text)),
            (is::STATE, is_state),
            (is::NOUN, self.nouns.contains(noun.as_str())),
            (is::KIND, KINDS.contains(&lower.as_str())),
            (is::METHOD, METHODS.contains(&text)),
            (is::ANCHOR, text.len() > 1 && (capitals || !is_stop)),
        ];
        let set = bits.iter().filter(|(_, is_set)| *is_set);
        set.fold(0, |all, (bit, _)| all | bit)
    }
}

/// Last word of a name in snake or camel case.
fn last_word(name: &str) -> &str {
    let name = name.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let small = name.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let start = match small.len() == name.len() {
        true => name
            .trim_end_matches(|c: char| c.is_ascii_uppercase())
            .len(),
        false if small.ends_with(|c: char| c.is_ascii_uppercase()) => small.len() - 1,
        false => small.len(),
    };
    &name[start..]
}

/// Templates equal but for the word at one place.
#[derive(Default)]
struct Frame {
    /// Numbers of the patterns.
    patterns: Vec<usize>,
}

struct Merger<'w> {
    vocabulary: Vocabulary<'w>,
    ids: FxHashMap<Box<str>, Symbol>,
    texts: Vec<Box<str>>,
    properties: Vec<u16>,
}

impl<'w> Merger<'w> {
    fn new(words: &'w WordsDef) -> Merger<'w> {
        Merger {
            vocabulary: Vocabulary::new(words),
            ids: FxHashMap::default(),
            texts: vec!["{}".into()],
            properties: vec![0],
        }
    }

    fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = self.texts.len() as Symbol;
        self.texts.push(text.into());
        self.properties.push(self.vocabulary.properties(text));
        self.ids.insert(text.into(), id);
        id
    }

    fn str(&self, symbol: Symbol) -> &str {
        &self.texts[symbol as usize]
    }

    fn has(&self, symbol: Symbol, property: u16) -> bool {
        self.properties[symbol as usize] & property != 0
    }

    fn text(&self, pattern: &Pattern) -> Box<str> {
        let parts = pattern.parts.iter().map(|part| self.str(*part));
        parts.collect::<String>().into()
    }

    /// Splits a template into words and separators; blanks count once.
    fn pattern(&mut self, template: &TemplateAt) -> Pattern {
        let mut parts = Vec::new();
        let mut gap = String::new();
        for (at, literal) in template.literals.iter().enumerate() {
            if at > 0 {
                self.push(&mut parts, &mut gap, None);
            }
            let text = String::from_utf8_lossy(literal);
            let mut rest = &*text;
            while let Some(start) = rest.bytes().position(token::in_token) {
                let run = rest[start..]
                    .bytes()
                    .take_while(|b| token::in_token(*b))
                    .count();
                let word = rest[start..start + run].trim_end_matches(['.', '-', '/']);
                let mut end = start + run;
                gap.push_str(&rest[..start]);
                if !word.is_empty() {
                    self.push(&mut parts, &mut gap, Some(word));
                    end = start + word.len();
                    gap.push_str(&rest[end..start + run]);
                    end = start + run;
                } else {
                    gap.push_str(&rest[start..end]);
                }
                rest = &rest[end..];
            }
            gap.push_str(rest);
        }
        parts.push(self.separator(gap.trim_end(), parts.is_empty()));
        Pattern {
            parts,
            line: template.line,
        }
    }

    fn push(&mut self, parts: &mut Vec<Symbol>, gap: &mut String, word: Option<&str>) {
        parts.push(self.separator(gap, parts.is_empty()));
        parts.push(word.map_or(VARIABLE, |word| self.symbol(word)));
        gap.clear();
    }

    fn separator(&mut self, gap: &str, is_first: bool) -> Symbol {
        let mut text = String::new();
        for c in gap.chars() {
            let is_blank = c == ' ' || c == '\t';
            if !(is_blank && (text.ends_with(' ') || is_first && text.is_empty())) {
                text.push(if is_blank { ' ' } else { c });
            }
        }
        self.symbol(&text)
    }

    /// Pattern with its values as variables; unchanged if no word would be left.
    fn reduced(&mut self, parts: &[Symbol], stage: Stage) -> Vec<Symbol> {
        let mut out = parts.to_vec();
        for at in (1..out.len()).step_by(2) {
            let is_route = at > 1 && self.has(out[at - 2], is::METHOD);
            if self.has(out[at], is::VALUE) && !is_route {
                out[at] = VARIABLE;
            }
        }
        if stage == Stage::Values {
            self.join_values(&mut out);
        }
        match out.iter().skip(1).step_by(2).any(|part| *part != VARIABLE) {
            true => out,
            false => parts.to_vec(),
        }
    }

    /// Reduces values of several parts to one variable and drops parentheses that contain only a variable or nothing.
    fn join_values(&mut self, parts: &mut Vec<Symbol>) {
        let mut at = 1;
        while at < parts.len() {
            if parts[at] != VARIABLE {
                at += 2;
            } else if at > 1 && self.belongs_before(parts[at - 2], parts[at - 1]) {
                parts.drain(at - 2..at);
                at -= 2;
            } else if self.goes_on(&parts[at + 1..]) {
                parts.drain(at + 1..at + 3);
            } else {
                let (before, after) = (self.str(parts[at - 1]), self.str(parts[at + 1]));
                if let Some(less) = before.strip_suffix('<').filter(|_| !after.starts_with('>')) {
                    let less = less.to_owned();
                    parts[at - 1] = self.symbol(&less);
                } else if let (Some(before), Some(after)) =
                    (before.strip_suffix(" ("), after.strip_prefix(')'))
                {
                    let joined = format!("{before}{after}");
                    parts[at - 1] = self.symbol(&joined);
                    parts.drain(at..at + 2);
                    at = at.saturating_sub(2).max(1);
                } else {
                    at += 2;
                }
            }
        }
        for at in (0..parts.len()).step_by(2) {
            if self.str(parts[at]).contains(" ()") {
                let less = self.str(parts[at]).replace(" ()", "");
                parts[at] = self.symbol(&less);
            }
        }
    }

    /// Whether a word before a variable is part of the same value.
    fn belongs_before(&self, word: Symbol, separator: Symbol) -> bool {
        match self.str(separator) {
            _ if word == VARIABLE => false,
            ":" => self.has(word, is::HEX | is::HOST),
            "-" => self.has(word, is::HEX),
            " " => self.has(word, is::DATE),
            _ => false,
        }
    }

    /// Whether the text after a variable begins with further parts of the same value.
    fn goes_on(&self, rest: &[Symbol]) -> bool {
        let [separator, next, ..] = rest else {
            return false;
        };
        let separator = self.str(*separator);
        if *next != VARIABLE {
            return match separator {
                "" => self.has(*next, is::UNIT),
                " " => self.has(*next, is::UNIT | is::DATE),
                ":" | "-" => self.has(*next, is::HEX),
                _ => false,
            };
        }
        let in_list = || {
            let next = rest.get(2).map(|part| self.str(*part));
            separator == " " && next == Some(" ") && rest.get(3) == Some(&VARIABLE)
        };
        [":", "-", "/", ",", ", ", ".", "..", "+"].contains(&separator) || in_list()
    }

    /// Merges patterns until none changes.
    fn merge(&mut self, patterns: &mut [Pattern], stage: Stage) {
        let mut names = FxHashSet::default();
        for _ in 0..MAX_ROUNDS {
            let mut distinct = patterns.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            let known = names.len();
            let mut merged = self.with_variables(&distinct, &mut names, stage);
            if merged.is_empty() && names.len() == known {
                merged = self.taken_in(patterns, &distinct);
                if merged.is_empty() {
                    return;
                }
            }
            for pattern in patterns.iter_mut() {
                if let Some(other) = merged.get(pattern) {
                    *pattern = other.clone();
                }
            }
        }
    }

    /// Patterns that get variables, by the pattern that they were. Adds words that are names.
    fn with_variables(
        &mut self,
        distinct: &[Pattern],
        names: &mut FxHashSet<Symbol>,
        stage: Stage,
    ) -> FxHashMap<Pattern, Pattern> {
        let mut frames: FxHashMap<(usize, u64), Frame> = FxHashMap::default();
        for (number, pattern) in distinct.iter().enumerate() {
            let whole = hash_of(pattern);
            for at in (1..pattern.parts.len()).step_by(2) {
                let masked = whole.wrapping_sub(part_hash(at, pattern.parts[at]));
                let frame = frames.entry((at, masked)).or_default();
                frame.patterns.push(number);
            }
        }
        let mut found = FxHashSet::default();
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); distinct.len()];
        for ((at, _), frame) in &frames {
            let of_frame = || frame.patterns.iter().map(|number| &distinct[*number]);
            let Some(first) = of_frame().next() else {
                continue;
            };
            let mut words: Vec<Symbol> = of_frame().map(|p| p.parts[*at]).collect();
            words.sort_unstable();
            words.dedup();
            let chosen = self.variable_words(&first.parts, *at, &words, names, &mut found);
            for number in &frame.patterns {
                if chosen.contains(&distinct[*number].parts[*at]) {
                    places[*number].push(*at);
                }
            }
        }
        names.extend(found);
        let mut merged = FxHashMap::default();
        for (pattern, places) in distinct.iter().zip(places) {
            let mut parts = pattern.parts.clone();
            places.iter().for_each(|at| parts[*at] = VARIABLE);
            let parts = self.reduced(&parts, stage);
            if parts != pattern.parts {
                let line = pattern.line;
                merged.insert(pattern.clone(), Pattern { parts, line });
            }
        }
        merged
    }

    /// Words of otherwise equal patterns that vary at a place. `parts` is one of the patterns, `all` are the different
    /// words at the place, with the variable first if there is one.
    fn variable_words(
        &self,
        parts: &[Symbol],
        at: usize,
        all: &[Symbol],
        names: &FxHashSet<Symbol>,
        found: &mut FxHashSet<Symbol>,
    ) -> Vec<Symbol> {
        let has_variable = all.first() == Some(&VARIABLE);
        let words = &all[usize::from(has_variable)..];
        let named = self.is_named(parts, at);
        let is_alone = all.len() == 1 && !(named && names.contains(&all[0]));
        let others = || parts.iter().enumerate().skip(1).step_by(2);
        let anchors = others().filter(|(place, part)| *place != at && self.has(**part, is::ANCHOR));
        let anchors = anchors.count();
        let is_kind = at > 1 && self.has(parts[at - 2], is::KIND);
        // A word before `=` is the name of a value.
        let is_key = self.str(parts[at + 1]).starts_with('=');
        if words.is_empty() || is_alone || anchors == 0 || is_kind || is_key {
            return Vec::new();
        }
        let states = words.iter().filter(|word| self.has(**word, is::STATE));
        let is_closed = states.count() * 3 >= words.len();
        let is_varied = all.len() >= if named { MIN_NAMES } else { MIN_WORDS };
        let beside_variable = has_variable && (named || words.len() >= 2 && anchors >= 2);
        if !is_closed && (is_varied || beside_variable) {
            if named && is_varied {
                found.extend(words.iter().filter(|word| !self.has(**word, is::STATE)));
            }
            return words.to_vec();
        }
        if (named || words.len() >= 3) && words.iter().all(|word| names.contains(word)) {
            return words.to_vec();
        }
        let dotted = words
            .iter()
            .filter(|word| at > 1 && self.has(**word, is::DOTTED));
        let dotted: Vec<Symbol> = dotted.copied().collect();
        let enough = dotted.len() >= if has_variable { 1 } else { MIN_NAMES };
        if enough { dotted } else { Vec::new() }
    }

    /// Whether a noun or `=` before a place indicates a name.
    fn is_named(&self, parts: &[Symbol], at: usize) -> bool {
        let opening = [' ', '\'', '"', '(', '[', '<'];
        let gap = self.str(parts[at - 1]);
        let sign = gap.trim_end_matches(opening);
        let before = at.checked_sub(2).filter(|_| at > 1).map(|at| parts[at]);
        before.is_some_and(|word| {
            let is_after_noun = || self.has(word, is::NOUN);
            let only = gap.trim_matches(|c| opening.contains(&c) || c == '=' || c == ':');
            word != VARIABLE && (sign.ends_with('=') || only.is_empty() && is_after_noun())
        })
    }

    /// Merged patterns that fit patterns with words where they have variables.
    fn taken_in(&self, patterns: &[Pattern], distinct: &[Pattern]) -> FxHashMap<Pattern, Pattern> {
        let mut counts: FxHashMap<&Pattern, usize> = FxHashMap::default();
        for pattern in patterns {
            *counts.entry(pattern).or_default() += 1;
        }
        let gaps = |p: &Pattern| -> Vec<Symbol> { p.parts.iter().step_by(2).copied().collect() };
        let mut merged: FxHashMap<(u32, Vec<Symbol>), Vec<&Pattern>> = FxHashMap::default();
        for pattern in distinct {
            if counts.get(pattern).is_some_and(|n| *n >= MIN_NAMES) {
                let alike = merged.entry((pattern.line, gaps(pattern))).or_default();
                alike.push(pattern);
            }
        }
        let mut out = FxHashMap::default();
        for pattern in distinct {
            let others = merged
                .get(&(pattern.line, gaps(pattern)))
                .into_iter()
                .flatten();
            let fitting = others.filter_map(|other| Some((self.fit(pattern, other)?, *other)));
            if let Some((_, other)) = fitting.max() {
                out.insert(pattern.clone(), other.clone());
            }
        }
        out
    }

    /// Number of equal words of a pattern and a merged one; `None` if the merged one does not fit.
    fn fit(&self, pattern: &Pattern, merged: &Pattern) -> Option<usize> {
        let (mut same, mut varied) = (0, 0);
        let pairs = pattern.parts.iter().zip(&merged.parts);
        for (part, other) in pairs.skip(1).step_by(2) {
            match part == other {
                true => same += usize::from(*part != VARIABLE),
                false if *other == VARIABLE && !self.has(*part, is::STATE) => {
                    varied += usize::from(!self.has(*part, is::DOTTED));
                }
                false => return None,
            }
        }
        (pattern != merged && varied <= same + 1).then_some(same)
    }
}

/// Hash of a pattern: the sum of those of its parts, so that one of them can be taken out.
fn hash_of(pattern: &Pattern) -> u64 {
    let parts = pattern.parts.iter().enumerate();
    let hashes = parts.map(|(at, part)| part_hash(at, *part));
    let ends = part_hash(pattern.parts.len(), pattern.line);
    hashes.fold(!ends, u64::wrapping_add)
}

fn part_hash(at: usize, part: Symbol) -> u64 {
    // The sum of hashes that are nearly linear would be the same for words that change places.
    let mut hash = FxBuildHasher.hash_one((at as u64) << 32 | u64::from(part));
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb_u64] {
        hash = (hash ^ hash >> 29).wrapping_mul(factor);
    }
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::catalog::{Catalog, Naming, Plan, Shape, ShapeKey};
    use widetui_core::ids::ShapeId;
    use widetui_core::level::Level;

    fn words() -> WordsDef {
        let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        WordsDef {
            work_items: list(&["task"]),
            resources: list(&["node"]),
            named: list(&["user", "file"]),
            counts: list(&["idle"]),
            changes: list(&["submit", "start"]),
            ..WordsDef::default()
        }
    }

    /// Adds the shape of a message to a catalog.
    fn add(catalog: &Catalog, message: &str) -> ShapeId {
        let mut variables = Vec::new();
        let open = token::tokenize(message.as_bytes(), &mut variables);
        let literals = token::literals(message.as_bytes(), &variables);
        let key = ShapeKey {
            scope: 1,
            site: 0,
            skeleton: literals.join(&b'\n').into(),
        };
        let template = catalog.template(&token::template(&literals));
        let shape = catalog.own_shape(key, Naming::Text, |id| Shape {
            id,
            template,
            level: Level::Unknown,
            consts: Box::default(),
            literals,
            open,
            plan: Plan::Slots(Box::default()),
            fields: Box::default(),
        });
        shape.unwrap().id
    }

    fn catalog() -> Catalog {
        let catalog = Catalog::default();
        catalog.set_words(words());
        catalog
    }

    /// Text of the template of each message, after a snapshot after every `step` messages.
    fn texts(messages: &[String], step: usize) -> Vec<String> {
        let catalog = catalog();
        let mut shapes = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            shapes.push(add(&catalog, message));
            if at % step == 0 {
                catalog.freeze();
            }
        }
        let view = catalog.freeze();
        let text = |id: &ShapeId| {
            view.templates[view.shapes[id.index()].template.index()]
                .text
                .to_string()
        };
        shapes.iter().map(text).collect()
    }

    /// Different templates of messages, sorted.
    fn merged<'m>(messages: impl IntoIterator<Item = &'m str>) -> Vec<String> {
        let messages: Vec<String> = messages.into_iter().map(str::to_owned).collect();
        let mut out = texts(&messages, usize::MAX);
        out.sort_unstable();
        out.dedup();
        out
    }

    fn with_each(format: &str, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format.replace('*', name)).collect()
    }

    fn merged_with(format: &str, names: &[&str]) -> Vec<String> {
        merged(with_each(format, names).iter().map(String::as_str))
    }

    const NAMES: [&str; 12] = [
        "ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal", "ida", "jim", "kim", "leo",
    ];

    #[test]
    fn names_after_a_noun_are_variables() {
        assert_eq!(
            merged_with("login of user * ok", &NAMES[..4]),
            ["login of user {} ok"]
        );
        assert_eq!(merged_with("login of user * ok", &NAMES[..3]).len(), 3);
        assert_eq!(
            merged_with("denied: userName='*'", &NAMES[..4]),
            ["denied: userName='{}'"]
        );
        // The same names in other messages.
        let mut all = with_each("login of user * ok", &NAMES[..4]);
        all.extend(with_each("good bye, *, see you", &NAMES[..3]));
        assert_eq!(
            merged(all.iter().map(String::as_str)),
            ["good bye, {}, see you", "login of user {} ok"]
        );
    }

    #[test]
    fn many_words_are_variables() {
        assert_eq!(merged_with("* is here", &NAMES[..10]), ["{} is here"]);
        assert_eq!(merged_with("* is here", &NAMES[..9]).len(), 9);
        // Nothing that distinguishes the messages would be left.
        assert_eq!(merged_with("* 7", &NAMES).len(), 12);
        // Two names vary; few pairs occur.
        let pairs = NAMES.iter().zip(NAMES.iter().cycle().skip(5));
        let pairs = pairs.flat_map(|(a, b)| {
            [
                format!("user {a} sends mail to {b}"),
                format!("user ada sends mail to {b}"),
                format!("user {a} sends mail to bob"),
            ]
        });
        let pairs: Vec<String> = pairs.collect();
        assert_eq!(
            merged(pairs.iter().map(String::as_str)),
            ["user {} sends mail to {}"]
        );
    }

    #[test]
    fn small_closed_sets_stay() {
        let states = [
            "submitted",
            "started",
            "running",
            "idle",
            "done",
            "held",
            "lost",
            "gone",
            "left",
            "over",
            "out",
            "in",
        ];
        assert_eq!(merged_with("task 7 is * now", &states).len(), states.len());
        let capitals = [
            "NEW", "RUN", "END", "OK", "BAD", "GONE", "A_B", "C_D", "E_F", "G_H",
        ];
        assert_eq!(
            merged_with("change to * of task 7", &capitals).len(),
            capitals.len()
        );
        assert_eq!(
            merged_with("message of type '*' from 3", &NAMES).len(),
            NAMES.len()
        );
        assert_eq!(merged_with("got *=7 of all", &NAMES).len(), NAMES.len());
    }

    #[test]
    fn values_of_several_parts_are_one_variable() {
        assert_eq!(
            merged([
                "sent 3 KB to a.example.org:80",
                "sent 3 bytes to 10.0.0.1:80"
            ]),
            ["sent {} to {}"]
        );
        assert_eq!(
            merged([
                "seen from 10.0.0.1 () at Sat Jul  9 22:53:22 2005",
                "seen from 10.0.0.1 (a7) at Sun Jun 19 22:53:22 2005"
            ]),
            ["seen from {} at {} {}"]
        );
        assert_eq!(
            merged(["wrote 7 bytes (3 KB) in <1 sec", "wrote 7 bytes in 00:12"]),
            ["wrote {} in {}"]
        );
        assert_eq!(
            merged(["opened /a/b/c now", "opened ./d now", "opened /tmp/x7 now"]),
            ["opened {} now"]
        );
        assert_eq!(
            merged(["GET /a/b now", "GET /a/c now", "GET /a/c7 now"]).len(),
            3
        );
        assert_eq!(
            merged(["read config.toml again", "read x7.toml again"]),
            ["read {} again"]
        );
    }

    #[test]
    fn messages_of_different_lines_stay() {
        let template = |line, message: &str| TemplateAt {
            literals: token::literals(message.as_bytes(), &[]),
            line,
        };
        let count = |lines: &dyn Fn(u32) -> u32| {
            let all = NAMES.iter().zip(0..);
            let all = all.map(|(name, at)| template(lines(at), &format!("user {name} came")));
            let all: Vec<TemplateAt> = all.collect();
            merged_texts(all.iter(), &words()).iter().flatten().count()
        };
        assert_eq!(count(&|_| 3), 12);
        assert_eq!(count(&|at| at), 0);
    }

    #[test]
    fn snapshots_with_other_templates_are_counted() {
        let catalog = catalog();
        let all = with_each("login of user * ok", &NAMES);
        for message in &all[..3] {
            add(&catalog, message);
            assert_eq!(catalog.freeze().renamed, 0);
        }
        add(&catalog, &all[3]);
        assert_eq!(catalog.freeze().renamed, 1);
        // A new message joins the others, whose template stays.
        add(&catalog, &all[4]);
        assert_eq!(catalog.freeze().renamed, 1);
    }

    #[test]
    fn last_words_of_names() {
        for (name, word) in [
            ("user", "user"),
            ("ruserName", "Name"),
            ("task_id", "id"),
            ("RM", "RM"),
            ("a.b-node", "node"),
            ("Node7", "Node"),
            ("", ""),
            ("é", ""),
            ("RMNode", "Node"),
        ] {
            assert_eq!(last_word(name), word, "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_order_and_the_number_of_merges_do_not_matter(
            choices in proptest::collection::vec((0..8usize, 0..12usize, 0..12usize), 1..90),
            seed in any::<u64>(),
            step in 1..9usize,
        ) {
            let hosts = ["a.org", "b.example.org", "10.0.0.1", "n7", "gw", "head", "x.net", "db", "fs", "web", "ib", "up"];
            let message = |(format, name, host): &(usize, usize, usize)| {
                let (name, host) = (NAMES[*name], hosts[*host]);
                match format {
                    0 => format!("login of user {name} from {host}:22"),
                    1 => format!("bye {name} at {host}"),
                    2 => format!("node {host} runs a job of {name} (3 KB)"),
                    3 => format!("node {host} runs a job of {name}"),
                    4 => format!("{name} failed on {host} at Sat Jul 3"),
                    5 => format!("mail to {name}@{host} sent"),
                    6 => format!("{host} {name}: up"),
                    _ => format!("read /{host}/{name} of user {name}"),
                }
            };
            let messages: Vec<String> = choices.iter().map(message).collect();
            let mut order: Vec<usize> = (0..messages.len()).collect();
            let mut state = seed | 1;
            for i in (1..order.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                order.swap(i, (state >> 33) as usize % (i + 1));
            }
            let shuffled: Vec<String> = order.iter().map(|at| messages[*at].clone()).collect();
            let expected = texts(&messages, usize::MAX);
            let found = texts(&shuffled, step);
            for (place, at) in order.iter().enumerate() {
                prop_assert_eq!(&found[place], &expected[*at], "{}", messages[*at]);
            }
        }
    }
}
