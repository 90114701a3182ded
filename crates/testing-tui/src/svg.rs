//! Screens as SVG pictures, byte by byte reproducible.
//!
//! Layers from below: backgrounds, blocks, lines (box characters, braille, underlines), text. The
//! grid must hold in any monospace font, so every run of text has its own `x` and `textLength`.
//! Rectangles of one colour are merged into one path: this makes smaller files, and avoids
//! hairlines between rows when a viewer scales the picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::glyphs::{self, H, Rect, Shape, W, glyph};
use super::palette::{Rgb, SvgPalette, hex, mix};
use super::screen::{Cell, Screen};

/// Margin around the grid, in eighths of a pixel.
const MARGIN: i32 = 96;
/// Position of the text's baseline in a cell, in eighths of a pixel.
const BASELINE: i32 = 110;
/// Top and thickness of an underline, in eighths of a pixel.
const UNDERLINE: (i32, i32) = (128, 8);
/// Attributes of text; the size makes DejaVu Sans Mono 9 pixels wide, for renderers that ignore
/// `textLength`.
pub(crate) const FONT: &str = "font-family=\"'DejaVu Sans Mono','JetBrains Mono',Menlo,Consolas,'Liberation Mono',monospace\" font-size=\"14.95\"";

/// Paths by colour: rectangles to merge, and other outlines.
#[derive(Default)]
struct Layer {
    rects: BTreeMap<Rgb, Vec<Rect>>,
    outlines: BTreeMap<Rgb, Vec<String>>,
}

/// Run of cells of one style, drawn by one `<text>` element.
struct Run {
    col: i32,
    width: i32,
    text: String,
    look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    color: Rgb,
    bold: bool,
    italic: bool,
}

/// Width and height of a picture, in pixels.
pub(crate) fn size(screen: &Screen) -> (u32, u32) {
    let pixels = |cells: u16, cell: i32| (i32::from(cells) * cell + 2 * MARGIN).unsigned_abs() / 8;
    (pixels(screen.cols, W), pixels(screen.rows, H))
}

/// Renders the screen with the colours of a palette.
pub fn to_svg(screen: &Screen, palette: &SvgPalette) -> String {
    let (w, h) = size(screen);
    let contents = contents(screen, palette);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n{contents}</svg>\n"
    )
}

/// Elements of a picture of the screen.
pub(crate) fn contents(screen: &Screen, palette: &SvgPalette) -> String {
    let mut grounds = Layer::default();
    let mut blocks = Layer::default();
    let mut lines = Layer::default();
    let mut texts = String::new();
    for row in 0..screen.rows {
        let top = MARGIN + i32::from(row) * H;
        let mut runs = Vec::new();
        let mut current: Option<Run> = None;
        for (col, cell) in screen.row(row).iter().enumerate() {
            let left = MARGIN + col as i32 * W;
            let (color, ground) = colors(cell, *palette);
            if ground != palette.background() {
                grounds.rect(ground, left, top, W, H);
            }
            if cell.style.underline {
                lines.rect(color, left, top + UNDERLINE.0, W, UNDERLINE.1);
            }
            if let Some(glyph) = drawn(cell) {
                let layer = if glyph.crisp { &mut blocks } else { &mut lines };
                layer.glyph(mix(color, ground, glyph.percent), left, top, &glyph);
                runs.extend(current.take());
            } else {
                put(&mut runs, &mut current, col, cell, color);
            }
        }
        runs.extend(current);
        for run in &runs {
            write_run(&mut texts, run, top + BASELINE);
        }
    }
    let mut out = String::new();
    let (width, height) = size(screen);
    let _ = writeln!(
        out,
        "<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" stroke=\"{}\"/>",
        width - 1,
        height - 1,
        hex(palette.background()),
        hex(mix(palette.foreground(), palette.background(), 25)),
    );
    // Blurred edges between neighbours of different colours would show the layer below.
    out.push_str("<g shape-rendering=\"crispEdges\">\n");
    grounds.write(&mut out);
    blocks.write(&mut out);
    out.push_str("</g>\n");
    lines.write(&mut out);
    let _ = writeln!(out, "<g {FONT}>");
    out.push_str(&texts);
    out.push_str("</g>\n");
    out
}

/// Colours of text and background after applying reverse and faint.
fn colors(cell: &Cell, palette: SvgPalette) -> (Rgb, Rgb) {
    let mut color = palette.resolve(cell.style.fg, palette.foreground());
    let mut ground = palette.resolve(cell.style.bg, palette.background());
    if cell.style.reverse {
        std::mem::swap(&mut color, &mut ground);
    }
    if cell.style.dim {
        color = mix(color, ground, 60);
    }
    (color, ground)
}

/// Shapes of a cell, if its character is drawn as shapes.
fn drawn(cell: &Cell) -> Option<glyphs::Glyph> {
    let mut chars = cell.text.chars();
    let first = chars.next()?;
    chars.next().is_none().then(|| glyph(first)).flatten()
}

/// Appends a cell to the current run, or closes the run and starts another.
fn put(runs: &mut Vec<Run>, current: &mut Option<Run>, col: usize, cell: &Cell, color: Rgb) {
    if cell.width == 0 {
        return;
    }
    if cell.is_blank() {
        match current {
            // One blank may be within a run, whatever its style. A second one ends the run, because
            // renderers collapse blanks and `textLength` would stretch the letters.
            Some(run) if !run.text.ends_with(' ') => {
                run.text.push(' ');
                run.width += 1;
            }
            _ => runs.extend(current.take()),
        }
        return;
    }
    let look = Look {
        color,
        bold: cell.style.bold,
        italic: cell.style.italic,
    };
    // A symbol that the font lacks comes from another font with another width and would displace
    // its neighbours, so it is a run of its own.
    let alone = cell.width > 1 || !in_any_font(&cell.text);
    match current {
        Some(run) if run.look == look && !alone => {
            run.text.push_str(&cell.text);
            run.width += 1;
        }
        _ => {
            runs.extend(current.take());
            let run = Run {
                col: col as i32,
                width: i32::from(cell.width),
                text: cell.text.clone(),
                look,
            };
            if alone {
                runs.push(run);
            } else {
                *current = Some(run);
            }
        }
    }
}

/// Whether every monospace font has the character.
fn in_any_font(text: &str) -> bool {
    text.chars()
        .all(|c| matches!(u32::from(c), ..0x300 | 0x370..0x530 | 0x2010..0x2028))
}

fn write_run(out: &mut String, run: &Run, baseline: i32) {
    let trimmed = run.text.trim_end();
    let width = run.width - i32::from(trimmed.len() != run.text.len());
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{}\"",
        number(MARGIN + run.col * W),
        number(baseline),
        number(width * W),
        hex(run.look.color),
    );
    if run.look.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    if run.look.italic {
        out.push_str(" font-style=\"italic\"");
    }
    let _ = writeln!(out, ">{}</text>", escaped(trimmed));
}

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Not allowed in XML, even escaped.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Eighths of a pixel formatted as pixels, without trailing zeros.
fn number(eighths: i32) -> String {
    let sign = if eighths < 0 { "-" } else { "" };
    let (whole, rest) = (eighths.abs() / 8, eighths.abs() % 8);
    let fraction = format!("{:03}", rest * 125);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        digits => format!("{sign}{whole}.{digits}"),
    }
}

impl Layer {
    fn rect(&mut self, color: Rgb, x: i32, y: i32, w: i32, h: i32) {
        let rect = Rect { y, x, w, h };
        self.rects.entry(color).or_default().push(rect);
    }

    fn glyph(&mut self, color: Rgb, left: i32, top: i32, drawn: &glyphs::Glyph) {
        for shape in &drawn.shapes {
            match shape {
                Shape::Rect(r) => self.rect(color, left + r.x, top + r.y, r.w, r.h),
                other => {
                    let path = other.path(left, top, number);
                    self.outlines.entry(color).or_default().push(path);
                }
            }
        }
    }

    /// Writes one path per colour, rectangles first; line breaks keep diffs of the file local.
    fn write(mut self, out: &mut String) {
        let mut colors: Vec<Rgb> = self
            .rects
            .keys()
            .chain(self.outlines.keys())
            .copied()
            .collect();
        colors.sort_unstable();
        colors.dedup();
        for color in colors {
            let _ = write!(out, "<path fill=\"{}\" d=\"", hex(color));
            let mut last = None;
            for rect in merged(self.rects.remove(&color).unwrap_or_default()) {
                if last.is_some_and(|y| y != rect.y) {
                    out.push('\n');
                }
                last = Some(rect.y);
                out.push_str(&Shape::Rect(rect).path(0, 0, number));
            }
            for outline in self.outlines.remove(&color).unwrap_or_default() {
                out.push('\n');
                out.push_str(&outline);
            }
            out.push_str("\"/>\n");
        }
    }
}

/// Merges rectangles that touch: first along rows, then along columns.
fn merged(mut rects: Vec<Rect>) -> Vec<Rect> {
    rects.sort_unstable_by_key(|r| (r.y, r.h, r.x));
    rects.dedup_by(|next, last| {
        let touch = (last.y, last.h) == (next.y, next.h) && next.x <= last.x + last.w;
        if touch {
            last.w = last.w.max(next.x + next.w - last.x);
        }
        touch
    });
    rects.sort_unstable_by_key(|r| (r.x, r.w, r.y));
    rects.dedup_by(|next, last| {
        let touch = (last.x, last.w) == (next.x, next.w) && next.y <= last.y + last.h;
        if touch {
            last.h = last.h.max(next.y + next.h - last.y);
        }
        touch
    });
    rects.sort_unstable();
    rects
}
