//! Shapes and text as SVG elements.

use std::fmt::Write;

use widetui_analysis::colour::Tone;

use crate::markup::escaped;

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

impl Theme {
    /// Colour of the background.
    pub(crate) fn background(self) -> &'static str {
        match self {
            Theme::Light => "#ffffff",
            Theme::Dark => "#15181c",
            Theme::Page => "var(--ground)",
        }
    }

    /// Colour of text.
    pub(crate) fn text_colour(self) -> &'static str {
        match self {
            Theme::Light => "#1f2328",
            Theme::Dark => "#e6e6e6",
            Theme::Page => "var(--ink)",
        }
    }

    /// Colour of secondary text.
    pub(crate) fn faint(self) -> &'static str {
        match self {
            Theme::Light => "#6a737d",
            Theme::Dark => "#9aa4af",
            Theme::Page => "var(--faint)",
        }
    }

    /// Colour of grid lines.
    pub(crate) fn grid(self) -> &'static str {
        match self {
            Theme::Light => "#e3e6ea",
            Theme::Dark => "#2d333b",
            Theme::Page => "var(--grid)",
        }
    }

    /// Colour of failures.
    pub(crate) fn alarm(self) -> &'static str {
        match self {
            Theme::Light => "#b3261e",
            Theme::Dark => "#ff7b72",
            Theme::Page => "var(--alarm)",
        }
    }

    /// Colour of successes.
    pub(crate) fn good(self) -> &'static str {
        match self {
            Theme::Light => "#3b8757",
            Theme::Dark => "#7fb88c",
            Theme::Page => "var(--good)",
        }
    }

    /// Colour of a single curve.
    pub(super) fn plain(self) -> &'static str {
        self.colour(0)
    }

    /// Colour of the area below a single curve.
    pub(crate) fn pale(self) -> &'static str {
        match self {
            Theme::Light => "#56b4e9",
            Theme::Dark => "#8fd0f7",
            Theme::Page => "var(--pale)",
        }
    }

    /// Colour of the group with this number. The order of hues is that of the screen themes, so that figures match the
    /// screen. The hues are distinguishable with the usual kinds of colour blindness (after Okabe and Ito), and repeat
    /// if there are more groups.
    pub(crate) fn colour(self, at: usize) -> &'static str {
        const LIGHT: [&str; HUES] = [
            "#0072b2", "#009e73", "#7a5ab5", "#7f9f10", "#cc79a7", "#5b4fd6", "#808080", "#a04ed0",
        ];
        const DARK: [&str; HUES] = [
            "#4aa3df", "#2fc49a", "#a98ee0", "#9fd66a", "#e29ac4", "#6fdbe2", "#a0a0a0", "#c77dff",
        ];
        const PAGE: [&str; HUES] = [
            "var(--h0)",
            "var(--h1)",
            "var(--h2)",
            "var(--h3)",
            "var(--h4)",
            "var(--h5)",
            "var(--h6)",
            "var(--h7)",
        ];
        match self {
            Theme::Light => LIGHT[at % LIGHT.len()],
            Theme::Dark => DARK[at % DARK.len()],
            Theme::Page => PAGE[at % PAGE.len()],
        }
    }

    /// Colour of a tone, as on the screen.
    pub fn tone(self, among: &[Tone], member: usize) -> String {
        let hue = match among.get(member).copied().unwrap_or_default() {
            Tone::Position => self.colour(member),
            Tone::Hue(number) => self.colour(NEUTRAL_HUES[number % NEUTRAL_HUES.len()]),
            Tone::Success => self.good(),
            Tone::Failure => self.alarm(),
        };
        let round = Tone::hue_repetition(among, member, (NEUTRAL_HUES.len(), HUES));
        mixed(hue, self.background(), SHARES[round % SHARES.len()])
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
        let (ink, faint) = (theme.text_colour(), theme.faint());
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
        let (ink, faint) = (self.theme.text_colour(), self.theme.faint());
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

    /// Text of the SVG file.
    pub(super) fn finish(self) -> String {
        let (height, ground) = (self.height.ceil(), self.theme.background());
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

/// Text cut to a number of characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => text.to_owned(),
    }
}

/// Text of a log in one line, without markup.
fn escape(text: &str) -> String {
    escaped(&text.replace(['\n', '\t'], " "))
}
