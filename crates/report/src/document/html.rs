//! Page of a document: one HTML file without scripts that loads nothing. Its content security policy allows its own style
//! sheet and nothing else.

use std::fmt::Write;

use super::{Block, Document, Entry, Grid};
use crate::markup::escaped;
use crate::sheet::SheetAlign;

/// Style sheet; its colours are those of the [themes](crate::svg::Theme) of figures.
pub(super) const STYLE: &str = include_str!("page.css");

/// SHA-256 of the style sheet, Base64: a page with another one is shown without style.
pub(super) const STYLE_HASH: &str = "KI3DdPPnjJ0lm31ikc+12fx3vEXAYLT/pz4R3E4g0FE=";

/// Writes a document as a page.
pub fn page(document: &Document) -> String {
    let title = escaped(&document.title);
    let mut out = format!(
        r##"<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{STYLE}</style></head>
<body><a class="skip" href="#main">Skip to the contents</a>
<header><h1>{title}</h1>
<dl>
"##
    );
    for (label, value) in &document.head {
        let _ = writeln!(out, "<dt>{label}</dt><dd>{}</dd>", escaped(value));
    }
    out.push_str("</dl></header>\n<nav aria-label=\"Contents\"><ol>\n");
    for section in &document.sections {
        let (id, title) = (section.id, escaped(&section.title));
        let _ = writeln!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    out.push_str("</ol></nav>\n<main id=\"main\">\n");
    for section in &document.sections {
        let (id, title) = (section.id, escaped(&section.title));
        let _ = writeln!(
            out,
            "<section aria-labelledby=\"{id}\"><h2 id=\"{id}\"><a href=\"#{id}\">{title}</a></h2>"
        );
        blocks(&mut out, &section.blocks, &section.title);
        out.push_str("</section>\n");
    }
    out.push_str("</main></body></html>\n");
    out
}

/// Writes blocks; `of` is the title of what they belong to.
fn blocks(out: &mut String, blocks: &[Block], of: &str) {
    for block in blocks {
        let _ = match block {
            Block::Text(text) => writeln!(out, "<p>{}</p>", escaped(text)),
            Block::Entry(part) => {
                entry(out, part);
                Ok(())
            }
            Block::Fact(label, value) => {
                writeln!(out, "<p><b>{label}</b> {}</p>", escaped(value))
            }
            Block::Advice(label, text) => {
                let text = match text.starts_with("https://") {
                    true => format!("<a href=\"{0}\">{0}</a>", escaped(text)),
                    false => escaped(text),
                };
                writeln!(out, "<p class=\"advice\"><b>{label}</b> {text}</p>")
            }
            Block::Records(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
                let label = escaped(of);
                writeln!(
                    out,
                    "<pre tabindex=\"0\" role=\"region\" aria-label=\"Records: {label}\">{}</pre>",
                    lines.join("\n")
                )
            }
            Block::List(texts) => {
                out.push_str("<ul>");
                for text in texts {
                    let _ = write!(out, "<li>{}</li>", escaped(text));
                }
                writeln!(out, "</ul>")
            }
            Block::Table(grid) => {
                table(out, grid, of);
                Ok(())
            }
            Block::Figure(svg) => {
                writeln!(
                    out,
                    "<figure tabindex=\"0\" aria-label=\"Figure: {}\">{svg}</figure>",
                    escaped(of)
                )
            }
            Block::Details(title, inner) => {
                let _ = writeln!(out, "<details><summary>{}</summary>", escaped(title));
                self::blocks(out, inner, title);
                writeln!(out, "</details>")
            }
        };
    }
}

fn entry(out: &mut String, entry: &Entry) {
    let title = escaped(&entry.title);
    let _ = match entry.rank {
        Some((number, severity)) => {
            let word = severity.name();
            writeln!(
                out,
                "<article class=\"{word}\"><h3 id=\"finding-{number}\"><a href=\"#finding-{number}\">{number}. <b>{word}</b>: {title}</a></h3>"
            )
        }
        None => writeln!(out, "<article><h3>{title}</h3>"),
    };
    blocks(out, &entry.blocks, &entry.title);
    out.push_str("</article>\n");
}

/// Length from which on a text in a table has a wide column, characters.
const LONG: usize = 24;

fn table(out: &mut String, grid: &Grid, of: &str) {
    let of = escaped(of);
    let _ = write!(
        out,
        "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {of}\"><table><caption>{of}</caption><thead><tr>"
    );
    let class = |align, text: &str| match align {
        SheetAlign::Left if text.chars().count() > LONG => "w",
        SheetAlign::Left => "t",
        SheetAlign::Right => "n",
    };
    for (heading, align) in &grid.columns {
        let (heading, class) = (escaped(heading), class(*align, ""));
        let _ = write!(out, "<th scope=\"col\" class=\"{class}\">{heading}</th>");
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &grid.rows {
        out.push_str("<tr>");
        for ((_, align), text) in grid.columns.iter().zip(row) {
            let (class, text) = (class(*align, text), escaped(text));
            let _ = write!(out, "<td class=\"{class}\">{text}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}
