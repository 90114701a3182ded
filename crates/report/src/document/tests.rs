use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use widetui_time::zone::Zone;

use super::html::{STYLE, STYLE_HASH};
use super::*;
use crate::figure::{BarMark, BarRow, Bars, Figure, Plot};
use crate::svg::{FigureFrame, Theme, render};
use widetui_analysis::scope::TimeWindow;

/// Markup, scripts, addresses, entities and controls that a log may hold to run in a reader's browser or terminal.
const HOSTILE: [&str; 51] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</script>",
    "<script\n>alert(1)</script\n>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror=\"alert(1)\"",
    "<img/src=`x`onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href=\"javascript:alert(1)\"><text y=20>x</text></a></svg>",
    "<svg><use href=\"data:image/svg+xml;base64,PHN2Zy8+#x\"/></svg>",
    "<svg><foreignObject><iframe src=javascript:alert(1)></foreignObject></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src=\"javascript:alert(1)\"></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<object data=\"data:text/html,<script>alert(1)</script>\">",
    "<embed src=//evil.example/x.swf>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href=\"java\tscript:alert(1)\">x</a>",
    "<a href=\"&#106;avascript:alert(1)\">x</a>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=\"0;url=javascript:alert(1)\">",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';</style>",
    "<style>*{background:url(//evil.example/x)}</style>",
    "<div style=\"background:url(javascript:alert(1))\">",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<!--><script>alert(1)</script-->",
    "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "<?xml-stylesheet href=\"javascript:alert(1)\"?>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#x3c;script&#x3e;",
    "&\u{3c}script;&amp;lt;",
    "javascript:alert(1)//",
    "https://evil.example/\" onclick=\"alert(1)",
    "https://evil.example/'onclick='alert(1)'<b>",
    "[x](javascript:alert(1)) ![x](//evil.example/x) <javascript:alert(1)>",
    "```\n````\n<script>alert(1)</script>\n```",
    "\u{202e}>tpircs<\u{2066}\u{200f}\u{feff}\u{ad}",
    "\u{1b}[31m\u{1b}]8;;javascript:alert(1)\u{7}\u{0}\u{8}\u{c}\r\u{85}\u{9b}2J",
    "\u{fffe}\u{ffff}\u{fdd0}\u{e0041}\u{2028}<b>",
];

/// Ends of what a text may stand in, before a hostile one.
const ENDS: [&str; 4] = [
    "",
    "\">'>",
    "</title></pre></style></textarea></script>-->",
    "]]></text></svg>",
];

fn figure(text: &str) -> Block {
    let bar = BarRow {
        name: text.to_owned(),
        mark: BarMark::Length(1.0),
        text: text.to_owned(),
    };
    let bars = Bars {
        title: text.to_owned(),
        rows: vec![bar],
        ..Bars::default()
    };
    let figure = Figure {
        note: text.to_owned(),
        ..Figure::new(text, Plot::Bars(vec![bars]))
    };
    let frame = FigureFrame {
        window: TimeWindow::default(),
        zone: Zone::Utc,
        run: text.to_owned(),
    };
    Block::Figure(render(&figure, &frame, Theme::Page))
}

/// Document with a text wherever one may stand.
fn document(text: &str) -> Document {
    let own = || text.to_owned();
    let grid = Grid {
        columns: vec![(own(), SheetAlign::Left), (own(), SheetAlign::Right)],
        rows: vec![vec![own(), own()]],
    };
    let blocks = vec![
        Block::Text(own()),
        Block::Fact("last", own()),
        Block::Advice("More:", own()),
        Block::Records(vec![own(), own()]),
        Block::List(vec![own()]),
        Block::Table(grid),
        figure("x"),
        Block::Details(own(), vec![Block::Text(own())]),
    ];
    let entry = Entry {
        rank: Some((1, Severity::Error)),
        title: own(),
        blocks,
    };
    Document {
        title: own(),
        head: vec![("Run", own())],
        sections: vec![Section {
            id: "findings",
            title: own(),
            blocks: vec![Block::Entry(entry)],
        }],
    }
}

/// Tags of a page without its texts and the values of attributes.
fn tags(html: &str) -> Vec<String> {
    let html = html.replace(STYLE, "");
    let tag = |part: &str| {
        let mut values = part.split('"');
        let names: Vec<&str> = values.by_ref().step_by(2).collect();
        let names = names.join("\"");
        names.split('>').next().unwrap_or_default().to_owned()
    };
    html.split('<').skip(1).map(tag).collect()
}

fn hostile() -> impl Iterator<Item = String> {
    let all = ENDS
        .iter()
        .flat_map(|end| HOSTILE.iter().map(move |text| format!("{end}{text}")));
    all.filter(|text| !text.is_empty())
}

#[test]
fn no_text_of_a_log_is_markup_in_a_page() {
    let plain = tags(&html::page(&document("x")));
    let linked = tags(&html::page(&document("https://x")));
    assert!(plain.len() > 40);
    let mut count = 0;
    for text in hostile() {
        let page = html::page(&document(&text));
        let expected = if text.starts_with("https://") {
            &linked
        } else {
            &plain
        };
        assert_eq!(&tags(&page), expected, "{text:?}");
        let harmless = |c: char| c == '\n' || c == '\t' || !(c.is_control() || c == '\u{202e}');
        assert!(page.chars().all(harmless), "{text:?}");
        let Block::Figure(svg) = figure(&text) else {
            continue;
        };
        let Block::Figure(calm) = figure("x") else {
            continue;
        };
        let of_text = |tag: &String| tag.starts_with("text ") || tag == "/text";
        let shape = |svg: &str| {
            tags(svg)
                .into_iter()
                .filter(|t| !of_text(t))
                .collect::<Vec<_>>()
        };
        assert_eq!(shape(&svg), shape(&calm), "{text:?}");
        count += 1;
    }
    assert!(count >= 200);
}

#[test]
fn no_text_of_a_log_is_markup_in_markdown() {
    for text in hostile() {
        let written = markdown::text(&document(&text));
        let (mut fence, mut fences) = (None, 0);
        for line in written.lines() {
            match fence {
                Some(end) if line == end => (fence, fences) = (None, fences + 1),
                Some(_) => {}
                None if line.starts_with("```") => fence = Some(line),
                None => {
                    let bare = line
                        .replace("\\[", "")
                        .replace("\\]", "")
                        .replace("\\`", "");
                    assert!(!bare.contains(['<', '[', '`', '\r', '\u{1b}']), "{line}");
                }
            }
        }
        assert_eq!((fence, fences), (None, 1), "{text:?}");
    }
}

/// Colours of a theme of the style sheet.
fn colours(part: &str) -> BTreeMap<&str, &str> {
    let (_, rest) = part.split_once(":root{").unwrap();
    let (rules, _) = rest.split_once('}').unwrap();
    rules
        .split(';')
        .filter_map(|rule| rule.strip_prefix("--")?.split_once(':'))
        .collect()
}

fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn the_style_sheet_has_the_colours_of_figures_and_its_texts_stand_out() {
    let (light, dark) = STYLE.split_once("@media").unwrap();
    for (part, theme) in [(light, Theme::Light), (dark, Theme::Dark)] {
        let own = colours(part);
        let colours = |theme: Theme| {
            let p = theme.palette();
            let roles = [
                p.background,
                p.text,
                p.faint,
                p.grid,
                p.alarm,
                p.good,
                p.pale,
            ];
            roles.into_iter().chain(p.hues)
        };
        for (variable, colour) in colours(Theme::Page).zip(colours(theme)) {
            let name = variable.trim_start_matches("var(--").trim_end_matches(')');
            assert_eq!(own[name], colour, "{name}");
        }
        for ground in ["ground", "raised"] {
            for text in ["ink", "faint", "alarm", "warning", "link"] {
                let (a, b) = (luminance(own[text]), luminance(own[ground]));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast}");
            }
        }
    }
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    assert_eq!(
        STYLE_HASH, hash,
        "the constant of html.rs has to follow the style sheet"
    );
}
