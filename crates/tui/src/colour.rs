//! Colours: names, reduction to the colour depth of a terminal, and contrast.

use ratatui::style::Color;

/// Colour depth of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// No colours; only bold, underlined and reversed text.
    None,
    /// The 16 ANSI colours, defined by the settings of the terminal.
    Ansi16,
    /// 256 colours, of which 240 are fixed.
    Indexed256,
    /// 24-bit colours.
    #[default]
    True,
}

/// Names of the ANSI colours, by index.
pub(crate) const COLOUR_NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// Default ANSI colours of xterm, to find the nearest one.
const ANSI: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// Parses `#rrggbb`, `0` to `255`, the name of an ANSI colour, or `default`.
pub(crate) fn parse_colour(text: &str) -> Option<Color> {
    if text == "default" {
        return Some(Color::Reset);
    }
    if let Some(hex) = text.strip_prefix('#') {
        let n = u32::from_str_radix(hex, 16)
            .ok()
            .filter(|_| hex.len() == 6)?;
        let [_, r, g, b] = n.to_be_bytes();
        return Some(Color::Rgb(r, g, b));
    }
    if let Some(index) = COLOUR_NAMES.iter().position(|n| *n == text) {
        return Some(Color::Indexed(index as u8));
    }
    text.parse().ok().map(Color::Indexed)
}

/// Nearest colour that `depth` supports; `None` without colours.
pub(crate) fn reduce(colour: Color, depth: Depth) -> Option<Color> {
    match (depth, colour) {
        (Depth::None, _) => None,
        (Depth::True, c) | (_, c @ Color::Reset) => Some(c),
        (Depth::Indexed256, Color::Rgb(r, g, b)) => {
            // The first 16 colours depend on the user's settings, so they are no approximation.
            Some(Color::Indexed(nearest([r, g, b], 16..=255)))
        }
        (Depth::Ansi16, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest([r, g, b], 0..=15))),
        (Depth::Ansi16, Color::Indexed(i)) if i > 15 => {
            Some(Color::Indexed(nearest(rgb_of(i), 0..=15)))
        }
        (_, c) => Some(c),
    }
}

fn nearest(to: [u8; 3], among: std::ops::RangeInclusive<u8>) -> u8 {
    let distance = |i: u8| -> u32 {
        rgb_of(i)
            .iter()
            .zip(to)
            .zip([3, 4, 2])
            .map(|((a, b), weight)| weight * u32::from(a.abs_diff(b)).pow(2))
            .sum()
    };
    among.min_by_key(|i| distance(*i)).unwrap_or(15)
}

/// Whether two colours are so similar that they may be confused side by side.
pub(crate) fn is_similar(a: Option<Color>, b: Option<Color>) -> bool {
    is_within(a, b, 70)
}

/// Whether two colours are nearly equal and cannot be identified on their own.
pub(crate) fn is_nearly_equal(a: Option<Color>, b: Option<Color>) -> bool {
    is_within(a, b, 45)
}

/// Whether the RGB distance of two colours is below a limit.
fn is_within(a: Option<Color>, b: Option<Color>, limit: u32) -> bool {
    let rgb = |c: Option<Color>| match c {
        Some(Color::Rgb(r, g, b)) => Some([r, g, b]),
        Some(Color::Indexed(i)) => Some(rgb_of(i)),
        _ => None,
    };
    match (rgb(a), rgb(b)) {
        (Some(a), Some(b)) => {
            let squares = a
                .iter()
                .zip(b)
                .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2));
            squares.sum::<u32>() < limit * limit
        }
        _ => a == b,
    }
}

/// RGB values of an indexed colour.
fn rgb_of(index: u8) -> [u8; 3] {
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match index {
        0..16 => ANSI[usize::from(index)],
        16..232 => {
            let n = index - 16;
            [level(n / 36), level(n / 6 % 6), level(n % 6)]
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

/// Contrast ratio (1 to 21) as defined by WCAG; `ground` is the default background of the terminal.
#[cfg(test)]
pub(crate) fn contrast(fg: Option<Color>, bg: Option<Color>, ground: [u8; 3]) -> f64 {
    let of = |c: Option<Color>, default: [u8; 3]| match c {
        Some(Color::Rgb(r, g, b)) => [r, g, b],
        Some(Color::Indexed(i)) => rgb_of(i),
        _ => default,
    };
    let inverse = ground.map(|c| 255 - c);
    let (a, b) = (luminance(of(fg, inverse)), luminance(of(bg, ground)));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_reduced() {
        assert_eq!(parse_colour("#102030"), Some(Color::Rgb(16, 32, 48)));
        assert_eq!(parse_colour("bright-blue"), Some(Color::Indexed(12)));
        assert_eq!(parse_colour("#10203"), None);
        assert_eq!(parse_colour("256"), None);
        let red = Color::Rgb(255, 0, 0);
        assert_eq!(reduce(red, Depth::Indexed256), Some(Color::Indexed(196)));
        assert_eq!(reduce(red, Depth::Ansi16), Some(Color::Indexed(9)));
        assert_eq!(reduce(red, Depth::None), None);
        assert_eq!(reduce(Color::Reset, Depth::Ansi16), Some(Color::Reset));
    }

    #[test]
    fn contrast_is_that_of_the_definition() {
        let white = Some(Color::Rgb(255, 255, 255));
        assert!((contrast(white, None, [0, 0, 0]) - 21.0).abs() < 0.01);
        assert!((contrast(white, white, [0, 0, 0]) - 1.0).abs() < 0.01);
    }

    /// The sixteen as terminals for a dark ground have them: name, ground, which of them is the usual text, colours.
    const PALETTES: [(&str, u32, usize, [u32; 16]); 4] = [
        (
            "VGA console",
            0x000000,
            7,
            [
                0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
                0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
            ],
        ),
        (
            "Tango",
            0x300a24,
            7,
            [
                0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf,
                0x555753, 0xef2929, 0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
            ],
        ),
        (
            "Solarized",
            0x002b36,
            12,
            [
                0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5,
                0x002b36, 0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
            ],
        ),
        (
            "Windows",
            0x0c0c0c,
            7,
            [
                0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
                0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
            ],
        ),
    ];

    #[test]
    fn sixteen_colours_can_be_read_in_common_terminals() {
        use crate::theme::{TAGS, Theme};
        use widetui_tables::role::ROLES;
        let rgb = |n: u32| {
            let [_, r, g, b] = n.to_be_bytes();
            [r, g, b]
        };
        let theme = Theme::named("ansi16", Depth::Ansi16).unwrap();
        let styles = ROLES.iter().map(|(role, name)| (*name, theme.style(*role)));
        let tags = (0..TAGS).map(|at| ("tags", theme.tag(at)));
        for (part, style) in styles.chain(tags) {
            for (name, ground, text, palette) in PALETTES {
                let seen = |colour: Option<Color>| match colour {
                    Some(Color::Indexed(at)) => {
                        let [r, g, b] = rgb(palette[usize::from(at)]);
                        Some(Color::Rgb(r, g, b))
                    }
                    _ => None,
                };
                let [r, g, b] = rgb(palette[text]);
                let fg = seen(style.fg).or(Some(Color::Rgb(r, g, b)));
                let ratio = contrast(fg, seen(style.bg), rgb(ground));
                assert!(ratio >= 3.0, "{name} {part}: {ratio:.1}");
            }
        }
    }
}
