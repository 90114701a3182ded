//! Text of a document as Markdown, for tickets and mails: all but its figures.

use std::fmt::Write;

use widetui_core::words::push_sanitized;

use super::{Block, Document, Entry, Grid};
use crate::sheet::SheetAlign;

/// Writes a document as Markdown.
pub fn text(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escaped(&document.title));
    for (label, value) in &document.head {
        let _ = writeln!(out, "- **{label}**: {}", escaped(value));
    }
    for section in document.sections.iter().filter(|s| !is_drawn(&s.blocks)) {
        let _ = writeln!(out, "\n## {}", escaped(&section.title));
        blocks(&mut out, &section.blocks);
    }
    out
}

/// True if blocks have nothing but figures.
fn is_drawn(blocks: &[Block]) -> bool {
    blocks.iter().all(|block| match block {
        Block::Figure(..) => true,
        Block::Details(_, inner) => is_drawn(inner),
        _ => false,
    })
}

fn blocks(out: &mut String, blocks: &[Block]) {
    for block in blocks {
        let _ = match block {
            Block::Text(text) => writeln!(out, "\n{}", escaped(text)),
            Block::Entry(Entry {
                rank,
                title,
                blocks,
            }) => {
                let rank = rank.map_or_else(String::new, |(number, severity)| {
                    format!("{number}. {}: ", severity.name())
                });
                let _ = writeln!(out, "\n### {rank}{}", escaped(title));
                self::blocks(out, blocks);
                Ok(())
            }
            Block::Fact(label, text) | Block::Advice(label, text) => {
                writeln!(out, "\n**{label}** {}", escaped(text))
            }
            Block::Records(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| visible(line)).collect();
                let longest = lines.iter().flat_map(|line| line.split(|c| c != '`'));
                let longest = longest.map(str::len).max().unwrap_or(0);
                let fence = "`".repeat((longest + 1).max(3));
                writeln!(out, "\n{fence}\n{}\n{fence}", lines.join("\n"))
            }
            Block::List(texts) => {
                out.push('\n');
                texts
                    .iter()
                    .try_for_each(|text| writeln!(out, "- {}", escaped(text)))
            }
            Block::Table(grid) => {
                out.push('\n');
                table(out, grid);
                Ok(())
            }
            Block::Figure(..) => Ok(()),
            Block::Details(_, inner) if is_drawn(inner) => Ok(()),
            Block::Details(title, inner) => {
                let _ = writeln!(out, "\n**{}**", escaped(title));
                self::blocks(out, inner);
                Ok(())
            }
        };
    }
}

fn table(out: &mut String, grid: &Grid) {
    let mut row = |cells: Vec<String>| {
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    row(grid.columns.iter().map(|c| escaped(&c.0)).collect());
    let rule = |align| match align {
        SheetAlign::Left => "---".to_owned(),
        SheetAlign::Right => "---:".to_owned(),
    };
    row(grid.columns.iter().map(|c| rule(c.1)).collect());
    for cells in &grid.rows {
        row(cells.iter().map(|text| escaped(text)).collect());
    }
}

/// Text in one line, whose control characters are visible.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(' '),
            c => push_sanitized(&mut out, c),
        }
    }
    out
}

/// Text in one line that Markdown and the HTML in it leave as it is.
fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // An underscore inside a word marks nothing.
            '_' if last.is_alphanumeric() && is_word(rest.peek()) => out.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '>' | '|' | '~' | '$' => out.extend(['\\', c]),
            '#' | '-' | '+' | '=' if out.is_empty() => out.extend(['\\', c]),
            c => out.push(c),
        }
        last = c;
    }
    out
}
