//! Shapes and text as SVG elements.

use std::fmt::Write;

use widetui_analysis::colour::Tone;

use crate::markup::escaped;

/// Text cut to a number of characters and an ellipsis.
pub(super) use widetui_core::words::cut as shortened;

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white: for paper.
    #[default]
    Light,
    /// Light on black: for slides.
    Dark,
    /// Colours of the surrounding page, as variables of its style sheet.
    Page,
}

/// Colours of a theme. The order of hues is that of the screen themes, so that figures match the screen. The hues are
/// distinguishable with the usual kinds of colour blindness (after Okabe and Ito), and repeat if there are more groups.
pub(crate) struct Palette {
    pub(crate) background: &'static str,
    pub(crate) text: &'static str,
    /// Secondary text.
    pub(crate) faint: &'static str,
    pub(crate) grid: &'static str,
    /// Failures.
    pub(crate) alarm: &'static str,
    /// Successes.
    pub(crate) good: &'static str,
    /// Bar behind another one.
    pub(crate) pale: &'static str,
    /// Groups by their number.
    pub(crate) hues: [&'static str; HUES],
}

impl Palette {
    /// Palette of the colours of roles, in the order of the fields, and hues.
    const fn new(roles: [&'static str; 7], hues: [&'static str; HUES]) -> Palette {
        let [background, text, faint, grid, alarm, good, pale] = roles;
        Palette {
            background,
            text,
            faint,
            grid,
            alarm,
            good,
            pale,
            hues,
        }
    }
}

#[rustfmt::skip]
const LIGHT: Palette = Palette::new(
    ["#ffffff", "#1f2328", "#6a737d", "#e3e6ea", "#b3261e", "#3b8757", "#56b4e9"],
    ["#0072b2", "#009e73", "#7a5ab5", "#7f9f10", "#cc79a7", "#5b4fd6", "#808080", "#a04ed0"],
);

#[rustfmt::skip]
const DARK: Palette = Palette::new(
    ["#15181c", "#e6e6e6", "#9aa4af", "#2d333b", "#ff7b72", "#7fb88c", "#8fd0f7"],
    ["#4aa3df", "#2fc49a", "#a98ee0", "#9fd66a", "#e29ac4", "#6fdbe2", "#a0a0a0", "#c77dff"],
);

/// Names of these colours in the style sheet of a page.
#[rustfmt::skip]
const PAGE: Palette = Palette::new(
    ["var(--ground)", "var(--ink)", "var(--faint)", "var(--grid)", "var(--alarm)", "var(--good)", "var(--pale)"],
    ["var(--h0)", "var(--h1)", "var(--h2)", "var(--h3)", "var(--h4)", "var(--h5)", "var(--h6)", "var(--h7)"],
);

impl Theme {
    /// Colours.
    pub(crate) fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
            Theme::Page => &PAGE,
        }
    }

    /// Colour of a tone, as on the screen.
    pub fn tone(self, among: &[Tone], member: usize) -> String {
        let palette = self.palette();
        let hue = match among.get(member).copied().unwrap_or_default() {
            Tone::Position => palette.hues[member % HUES],
            Tone::Hue(number) => palette.hues[NEUTRAL_HUES[number % NEUTRAL_HUES.len()]],
            Tone::Success => palette.good,
            Tone::Failure => palette.alarm,
        };
        let round = Tone::hue_repetition(among, member, (NEUTRAL_HUES.len(), HUES));
        mixed(hue, palette.background, SHARES[round % SHARES.len()])
    }
}

/// Distinguishable hues.
const HUES: usize = 8;

/// Hues that suggest neither success nor failure, as in the dark theme.
const NEUTRAL_HUES: [usize; 6] = [0, 2, 4, 5, 6, 7];

/// Share of the hue in a repeated colour; the rest is background.
const SHARES: [f64; 4] = [1.0, 0.7, 0.5, 0.35];

/// Colour mixed with the background.
fn mixed(colour: &str, ground: &str, share: f64) -> String {
    if share == 1.0 {
        return colour.to_owned();
    }
    if !colour.starts_with('#') {
        return format!("color-mix(in srgb,{colour} {}%,{ground})", share * 100.0);
    }
    let part = |text: &str, at: usize| {
        let digits = text.get(at..at + 2);
        let value = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
        f64::from(value.unwrap_or_default())
    };
    let mix = |at| (part(colour, at) * share + part(ground, at) * (1.0 - share)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(1), mix(3), mix(5))
}

/// Position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextAnchor {
    /// Text starts at the point.
    Start,
    /// Text is centred on the point.
    Middle,
    /// Text ends at the point.
    End,
}

/// Width of an image, pixels.
pub(super) const WIDTH: f64 = 1000.0;

/// Margin above the plot, pixels.
pub(super) const TOP: f64 = 48.0;

/// Image under construction.
#[derive(Debug)]
pub(super) struct Canvas {
    /// Colours.
    pub(crate) theme: Theme,
    body: String,
    title: String,
    height: f64,
}

impl Canvas {
    /// Empty image.
    pub(super) fn new(theme: Theme, title: &str, run: &str) -> Canvas {
        let mut canvas = Canvas {
            theme,
            body: String::new(),
            title: match run {
                "" => title.to_owned(),
                run => format!("{run}: {title}"),
            },
            height: 0.0,
        };
        let (ink, faint) = (theme.palette().text, theme.palette().faint);
        canvas.text((16.0, 26.0), title, (16.0, ink), TextAnchor::Start);
        let behind = 16.0 + width(title, 16.0) + GAP;
        let run = cut_start(run, 60);
        // A title without room is in the title element only.
        if behind + width(&run, 12.0) < WIDTH - 16.0 {
            let end = (WIDTH - 20.0, 26.0);
            canvas.text(end, &run, (12.0, faint), TextAnchor::End);
        }
        canvas
    }

    /// Raises the height of the image to at least `height`.
    pub(super) fn ensure_height(&mut self, height: f64) {
        self.height = self.height.max(height);
    }

    /// Draws a line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, more: &str) {
        let _ = write!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}"{more}/>"#,
            from.0, from.1, to.0, to.1
        );
        self.body.push('\n');
    }

    /// Draws a filled rectangle with a tooltip.
    pub(super) fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), colour: &str, tip: &str) {
        let shape = format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill="{colour}""#
        );
        match tip {
            "" => self.body.push_str(&format!("{shape}/>\n")),
            tip => {
                let tip = escape(tip);
                let _ = writeln!(self.body, "{shape}><title>{tip}</title></rect>");
            }
        }
    }

    /// Draws the outline of a rectangle with a tooltip.
    pub(super) fn outline(
        &mut self,
        (x, y): (f64, f64),
        (w, h): (f64, f64),
        colour: &str,
        tip: &str,
    ) {
        let (w, h) = ((w - 1.0).max(0.5), (h - 1.0).max(0.5));
        let tip = escape(tip);
        let _ = writeln!(
            self.body,
            r#"<rect x="{:.1}" y="{:.1}" width="{w:.1}" height="{h:.1}" fill="none" stroke="{colour}" stroke-dasharray="3 2"><title>{tip}</title></rect>"#,
            x + 0.5,
            y + 0.5
        );
    }

    /// Draws a path with the attributes `more`.
    pub(super) fn path(&mut self, data: &str, more: &str) {
        let _ = writeln!(self.body, r#"<path d="{data}" {more}/>"#);
    }

    /// Draws a text with a size in pixels and a colour.
    pub(super) fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        (size, colour): (f64, &str),
        anchor: TextAnchor,
    ) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            TextAnchor::Start => "",
            TextAnchor::Middle => r#" text-anchor="middle""#,
            TextAnchor::End => r#" text-anchor="end""#,
        };
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{colour}"{anchor}>{text}</text>"#
        );
    }

    /// Draws a legend in rows from `y` on, and returns its bottom.
    pub(super) fn legend<'n>(
        &mut self,
        names: impl Iterator<Item = (String, &'n str)>,
        left: f64,
        y: f64,
    ) -> f64 {
        let (ink, faint) = (self.theme.palette().text, self.theme.palette().faint);
        let mut at = (left, y);
        let mut more = 0;
        for (number, (colour, name)) in names.enumerate() {
            if number >= super::LEGEND {
                more += 1;
                continue;
            }
            let name = shortened(name, 40);
            let width = 16.0 + width(&name, 11.0) + GAP;
            if at.0 + width > WIDTH - 16.0 && at.0 > left {
                at = (left, at.1 + 18.0);
            }
            self.rect((at.0, at.1 - 9.0), (11.0, 11.0), &colour, "");
            self.text((at.0 + 16.0, at.1), &name, (11.0, ink), TextAnchor::Start);
            at.0 += width;
        }
        if more > 0 {
            let text = format!("and {more} more");
            self.text(at, &text, (11.0, faint), TextAnchor::Start);
        }
        at.1 + 14.0
    }

    /// Draws remarks in a line of text below everything else.
    pub(super) fn notes(&mut self, notes: &[String]) {
        if !notes.is_empty() {
            let at = (16.0, self.height + 8.0);
            let faint = self.theme.palette().faint;
            self.text(at, &notes.join(" · "), (11.0, faint), TextAnchor::Start);
            self.height += 20.0;
        }
    }

    /// Text of the SVG file.
    pub(super) fn finish(self) -> String {
        let (height, ground) = (self.height.ceil(), self.theme.palette().background);
        let title = escape(&self.title);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, Verdana, sans-serif" role="img"><title>{title}</title>
<rect width="100%" height="100%" fill="{ground}"/>
{}</svg>
"#,
            self.body
        )
    }
}

/// Data of the path of a triangle.
pub(super) fn triangle(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> String {
    let [a, b, c] = [a, b, c].map(|(x, y)| format!("{x:.1} {y:.1}"));
    format!("M{a}L{b}L{c}Z")
}

/// Space after a name in a legend, pixels.
const GAP: f64 = 16.0;

/// Upper estimate of a text's width in any font, pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let part = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '!' => 0.41,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.46,
        'm' | 'M' | 'w' | 'W' | '@' | '%' | '#' | '&' | '+' | '<' | '>' | '=' | '…' => 1.02,
        'A'..='Z' => 0.8,
        c if c.is_ascii() => 0.66,
        // Characters of other scripts may be as wide as high.
        _ => 1.1,
    };
    size * text.chars().map(part).sum::<f64>()
}

/// Text cut at its start: paths differ at their ends.
fn cut_start(text: &str, most: usize) -> String {
    let long = text.chars().count();
    match long > most {
        true => format!(
            "…{}",
            text.chars().skip(long + 1 - most).collect::<String>()
        ),
        false => text.to_owned(),
    }
}

/// Text of a log in one line, without markup.
fn escape(text: &str) -> String {
    escaped(&text.replace(['\n', '\t'], " "))
}
