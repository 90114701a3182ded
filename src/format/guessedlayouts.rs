//! Layouts guessed from the lines of a source: a time or a level, and what stands before and behind it.

use crate::base::level::Level;
use crate::base::timeparse::guess_known;

use super::colours::{coloured, with_colours, without_colours};
use super::detect::Sample;
use super::header;
use super::keys::Keys;
use super::layout::Layout;

/// Fewer lines that start with a level do not make a layout.
const FEW_LEVELS: usize = 5;

/// How lines begin up to the end of their time.
struct TimeHead<'a> {
    /// As a pattern.
    pattern: String,
    /// What stands behind it in each line.
    rests: Vec<&'a [u8]>,
}

impl<'a> Sample<'a> {
    /// Layouts of a time, whatever stands before and behind it, when most lines that are not indented start with one: one
    /// with all parts of the header that can be told, if there are any, then one that takes what that leaves over.
    /// `is_writer` knows some names of those who write.
    pub fn guessed_layouts(&self, keys: &Keys, is_writer: &dyn Fn(&[u8]) -> bool) -> Vec<Layout> {
        if self.lines.iter().any(|line| coloured(line) > 0) {
            return self.guessed_coloured(keys, is_writer);
        }
        let heads = self.time_heads();
        let found: usize = heads.iter().map(|head| head.rests.len()).sum();
        if found == 0 {
            return self.levels_alone(keys).into_iter().collect();
        }
        if found < 2 && self.lines.len() > 2 {
            return Vec::new();
        }
        // The first of those that most lines have.
        let most = heads.iter().map(|head| head.rests.len()).max();
        let Some(head) = heads.iter().find(|head| Some(head.rests.len()) == most) else {
            return Vec::new();
        };
        let Some((all, loose)) = self.behind_head(&head.pattern, keys) else {
            return Vec::new();
        };
        let parts = header::behind_time(&head.rests, is_writer);
        let fine = format!("{}{parts}{{message}}", head.pattern);
        let fine = match parts.is_empty() {
            true => None,
            false => Layout::compile("time", &fine, keys).ok(),
        };
        match fine.map(|fine| (self.count(&fine), fine)) {
            Some((count, fine)) if count == all => vec![fine],
            Some((count, fine)) if count * 2 > all => vec![fine, loose],
            _ => vec![loose],
        }
    }

    /// As [`guessed_layouts`](Self::guessed_layouts), of lines with the colours of a terminal.
    fn guessed_coloured(&self, keys: &Keys, is_writer: &dyn Fn(&[u8]) -> bool) -> Vec<Layout> {
        let plain: Vec<Vec<u8>> = self.lines.iter().map(|l| without_colours(l)).collect();
        let plain = Sample {
            lines: plain.iter().map(Vec::as_slice).collect(),
        };
        let guessed = plain.guessed_layouts(keys, is_writer).into_iter();
        let with = guessed.filter_map(|l| with_colours(&l.pattern.source));
        let compiled = with.map(|pattern| Layout::compile("time", &pattern, keys));
        compiled.filter_map(Result::ok).collect()
    }

    /// How lines that are not indented begin up to their time, each way once.
    fn time_heads(&self) -> Vec<TimeHead<'a>> {
        let mut heads: Vec<TimeHead<'a>> = Vec::new();
        let own = |l: &&&[u8]| !l.starts_with(b" ") && !l.starts_with(b"\t");
        for line in self.lines.iter().filter(own).take(100) {
            let Some((pattern, _, start, end)) = guess_known(line) else {
                continue;
            };
            // A number alone in its line may be anything.
            if pattern.spec().starts_with("epoch") && line[end..].trim_ascii().is_empty() {
                continue;
            }
            let close = match (start.checked_sub(1).map(|at| line[at]), line.get(end)) {
                (Some(b'['), Some(b']')) => "]",
                (Some(b'('), Some(b')')) => ")",
                (Some(b'<'), Some(b'>')) => ">",
                _ => "",
            };
            let lead = String::from_utf8_lossy(&line[..start])
                .replace('{', "{{")
                .replace('}', "}}");
            let pattern = format!("{lead}{{time:{}}}{close}", pattern.spec());
            let rest = &line[end + close.len()..];
            match heads.iter_mut().find(|head| head.pattern == pattern) {
                Some(known) => known.rests.push(rest),
                None => heads.push(TimeHead {
                    pattern,
                    rests: vec![rest],
                }),
            }
        }
        heads
    }

    /// The layout of a time and what may follow it that most lines have, and how many have it.
    fn behind_head(&self, head: &str, keys: &Keys) -> Option<(usize, Layout)> {
        // The level may follow at once, in brackets or not.
        let tries = [
            format!("{head} [{{level}}] {{message}}"),
            format!("{head} {{level}}: {{message}}"),
            format!("{head} {{level}} {{message}}"),
            format!("{head} - {{level}} - {{message}}"),
            format!("{head} {{message}}"),
            format!("{head}{{message}}"),
        ];
        let compiled = |pattern: &String| Layout::compile("time", pattern, keys).ok();
        let mut best: Option<(usize, Layout)> = None;
        for layout in tries.iter().filter_map(compiled) {
            let count = self.count(&layout);
            if count > best.as_ref().map_or(0, |b| b.0) {
                best = Some((count, layout));
            }
        }
        best
    }

    /// A layout of a level, when most lines that are not indented start with one and none with a time: `INFO: message`, or
    /// with a time behind it.
    fn levels_alone(&self, keys: &Keys) -> Option<Layout> {
        let own = self.lines.iter().filter(|l| !l.starts_with(b" ")).count();
        let alone = [
            "{level}: {message}",
            "[{level}] {message}",
            "[{level}]: {message}",
        ];
        let timed = self.time_behind_level().map(|time| {
            [
                format!("[{{level}}] {{time:{time}}} {{message}}"),
                format!("{{level}} {{time:{time}}} {{message}}"),
            ]
        });
        let tries = timed.into_iter().flatten().chain(alone.map(str::to_owned));
        let mut compiled = tries.filter_map(|p| Layout::compile("level", &p, keys).ok());
        compiled.find(|layout| {
            let count = self.count(layout);
            count >= FEW_LEVELS && count * 10 >= own * 6
        })
    }

    /// How the time is written that stands behind the first word of a line, where that is a level.
    fn time_behind_level(&self) -> Option<&'static str> {
        self.lines.iter().take(20).find_map(|line| {
            let at = memchr::memchr(b' ', line)?;
            let word = &line[..at];
            let word = word
                .strip_prefix(b"[")
                .and_then(|w| w.strip_suffix(b"]"))
                .unwrap_or(word);
            Level::parse(word)?;
            let (pattern, _, start, _) = guess_known(&line[at + 1..])?;
            (start == 0).then(|| pattern.spec())
        })
    }
}
