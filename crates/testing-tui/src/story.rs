//! Stories: what a few keys lead to, as an animated SVG picture and as a cast of asciinema.

use std::fmt::Write as _;

use serde_json::json;

use super::palette::{SvgPalette, hex};
use super::screen::{Color, Screen, Style};
use super::svg;

/// Height of the line below the screens that says what was pressed, in pixels.
const CAPTION: u32 = 40;

/// Screen of a story, and the keys that led to it.
pub struct Scene {
    /// Keys as a user reads them; empty at the start.
    pub keys: String,
    /// Answer that the screen gives.
    pub words: String,
    /// Time that the screen stays, s.
    pub seconds: u32,
    /// Screen after the keys.
    pub screen: Screen,
}

impl Scene {
    fn caption(&self) -> String {
        match self.keys.as_str() {
            "" => self.words.clone(),
            keys => format!("{keys}   {}", self.words),
        }
    }
}

/// Picture that shows the scenes one after another, again and again. Viewers that do not animate,
/// and readers who prefer less motion, see the last one.
pub fn to_animated_svg(scenes: &[Scene], palette: &SvgPalette) -> String {
    let last = scenes.last().expect("a scene");
    let (width, height) = svg::size(&last.screen);
    let total: u32 = scenes.iter().map(|scene| scene.seconds).sum();
    let percent = |seconds: u32| f64::from(seconds * 100) / f64::from(total);
    let all = height + CAPTION;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{all}\" viewBox=\"0 0 {width} {all}\">\n<style>\n@media (prefers-reduced-motion: no-preference) {{\n"
    );
    let mut begin = 0;
    for (at, scene) in scenes.iter().enumerate() {
        let end = begin + scene.seconds;
        let _ = writeln!(
            out,
            "#s{at} {{animation: s{at} {total}s step-end infinite}}\n@keyframes s{at} {{0% {{visibility: hidden}} {:.2}% {{visibility: visible}} {:.2}% {{visibility: {}}}}}",
            percent(begin),
            percent(end),
            if end == total { "visible" } else { "hidden" },
        );
        begin = end;
    }
    out.push_str("}\n</style>\n");
    for (at, scene) in scenes.iter().enumerate() {
        let _ = writeln!(out, "<g id=\"s{at}\">");
        let _ = writeln!(
            out,
            "<rect width=\"{width}\" height=\"{all}\" rx=\"6\" fill=\"{}\"/>",
            hex(palette.background()),
        );
        out.push_str(&svg::contents(&scene.screen, palette));
        let _ = writeln!(
            out,
            "<text x=\"14\" y=\"{}\" {} font-weight=\"bold\" fill=\"{}\" xml:space=\"preserve\">{}</text>\n</g>",
            height + CAPTION / 2,
            svg::FONT,
            hex(palette.indexed(11)),
            svg::escaped(&scene.caption()),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Cast in the format asciicast v2: a header, then an event per line with its time in seconds;
/// markers name the keys.
/// <https://docs.asciinema.org/manual/asciicast/v2/>
pub fn to_cast(title: &str, scenes: &[Scene]) -> String {
    let screen = &scenes.last().expect("a scene").screen;
    let header = json!({
        "version": 2,
        "width": screen.cols,
        "height": screen.rows,
        "title": title,
    });
    let mut out = format!("{header}\n");
    let mut time = 0;
    for scene in scenes {
        let marker = json!([f64::from(time), "m", scene.caption()]);
        let drawn = json!([f64::from(time), "o", ansi(&scene.screen)]);
        let _ = writeln!(out, "{marker}\n{drawn}");
        time += scene.seconds;
    }
    let _ = writeln!(out, "{}", json!([f64::from(time), "o", ""]));
    out
}

/// Escape sequences that draw a screen from its upper left corner.
fn ansi(screen: &Screen) -> String {
    let mut out = String::from("\x1b[?25l\x1b[H");
    let mut known = Style::default();
    for row in 0..screen.rows {
        if row > 0 {
            out.push_str("\r\n");
        }
        for cell in screen.row(row) {
            if cell.style != known {
                known = cell.style;
                out.push_str(&sgr(&known));
            }
            out.push_str(&cell.text);
        }
    }
    out.push_str("\x1b[0m");
    out
}

/// Escape sequence that sets a style (`ESC [ ... m`).
fn sgr(style: &Style) -> String {
    let mut out = String::from("\x1b[0");
    let flags = [
        (style.bold, ";1"),
        (style.dim, ";2"),
        (style.italic, ";3"),
        (style.underline, ";4"),
        (style.reverse, ";7"),
    ];
    out.extend(
        flags
            .iter()
            .filter(|(is_on, _)| *is_on)
            .map(|(_, code)| *code),
    );
    for (base, color) in [(38, style.fg), (48, style.bg)] {
        let _ = match color {
            Color::Default => Ok(()),
            Color::Indexed(index) => write!(out, ";{base};5;{index}"),
            Color::Rgb(r, g, b) => write!(out, ";{base};2;{r};{g};{b}"),
        };
    }
    out.push('m');
    out
}
