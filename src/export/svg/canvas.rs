//! Shapes and text as SVG elements.

use std::fmt::Write;

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white: for paper.
    #[default]
    Light,
    /// Light on black: for slides.
    Dark,
}

impl Theme {
    /// Of the ground.
    pub fn ground(self) -> &'static str {
        match self {
            Theme::Light => "#ffffff",
            Theme::Dark => "#15181c",
        }
    }

    /// Of text.
    pub fn ink(self) -> &'static str {
        match self {
            Theme::Light => "#1f2328",
            Theme::Dark => "#e6e6e6",
        }
    }

    /// Of what matters less.
    pub fn faint(self) -> &'static str {
        match self {
            Theme::Light => "#6a737d",
            Theme::Dark => "#9aa4af",
        }
    }

    /// Of lines behind everything.
    pub fn grid(self) -> &'static str {
        match self {
            Theme::Light => "#e3e6ea",
            Theme::Dark => "#2d333b",
        }
    }

    /// Of what went wrong.
    pub fn alarm(self) -> &'static str {
        match self {
            Theme::Light => "#b3261e",
            Theme::Dark => "#ff7b72",
        }
    }

    /// The colour of the thing with this number. They can be told apart with the usual kinds of colour blindness (Okabe and
    /// Ito), and begin anew when there are more things.
    pub fn colour(self, at: usize) -> &'static str {
        const LIGHT: [&str; 9] = [
            "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#7a5ab5",
            "#808080",
        ];
        const DARK: [&str; 9] = [
            "#4aa3df", "#f0b840", "#2fc49a", "#e29ac4", "#8fd0f7", "#f08a4b", "#c2a25a", "#a98ee0",
            "#a0a0a0",
        ];
        match self {
            Theme::Light => LIGHT[at % LIGHT.len()],
            Theme::Dark => DARK[at % DARK.len()],
        }
    }
}

/// Where text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnchor {
    /// Begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// Ends there.
    End,
}

/// Pixels of the whole width.
pub const WIDTH: f64 = 1000.0;

/// Room above the plot.
pub const TOP: f64 = 48.0;

/// An image while it is drawn.
#[derive(Debug)]
pub struct Canvas {
    /// Colours.
    pub theme: Theme,
    body: String,
    title: String,
    height: f64,
}

impl Canvas {
    /// Empty.
    pub fn new(theme: Theme, title: &str) -> Canvas {
        let mut canvas = Canvas {
            theme,
            body: String::new(),
            title: title.to_owned(),
            height: 0.0,
        };
        let ink = theme.ink();
        canvas.text((16.0, 26.0), title, (16.0, ink), TextAnchor::Start);
        canvas
    }

    /// The image is at least this high.
    pub fn reach(&mut self, height: f64) {
        self.height = self.height.max(height);
    }

    /// A line from one point to another.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, more: &str) {
        let _ = write!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}"{more}/>"#,
            from.0, from.1, to.0, to.1
        );
        self.body.push('\n');
    }

    /// A filled rectangle with what a pointer on it shows.
    pub fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), colour: &str, tip: &str) {
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

    /// A path; `more` are its attributes.
    pub fn path(&mut self, data: &str, more: &str) {
        let _ = writeln!(self.body, r#"<path d="{data}" {more}/>"#);
    }

    /// Text of a size in pixels and a colour.
    pub fn text(
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

    /// Names with their colours, in rows from `y` on; returns where they end.
    pub fn legend<'n>(
        &mut self,
        names: impl Iterator<Item = (usize, &'n str)>,
        left: f64,
        y: f64,
    ) -> f64 {
        let (ink, faint) = (self.theme.ink(), self.theme.faint());
        let mut at = (left, y);
        let mut more = 0;
        for (number, (colour, name)) in names.enumerate() {
            if number >= super::LEGEND {
                more += 1;
                continue;
            }
            let name = shortened(name, 40);
            let width = 26.0 + 6.6 * name.chars().count() as f64;
            if at.0 + width > WIDTH - 16.0 && at.0 > left {
                at = (left, at.1 + 18.0);
            }
            let swatch = self.theme.colour(colour);
            self.rect((at.0, at.1 - 9.0), (11.0, 11.0), swatch, "");
            self.text((at.0 + 16.0, at.1), &name, (11.0, ink), TextAnchor::Start);
            at.0 += width;
        }
        if more > 0 {
            let text = format!("and {more} more");
            self.text(at, &text, (11.0, faint), TextAnchor::Start);
        }
        at.1 + 14.0
    }

    /// The whole image.
    pub fn finish(self) -> String {
        let (height, ground) = (self.height.ceil(), self.theme.ground());
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

/// Text cut to a number of characters.
pub fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => text.to_owned(),
    }
}

/// Text of a log as text of XML: nothing in it is markup, no control characters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
