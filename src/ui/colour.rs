//! Colours: names, what a terminal can show of them, and whether text can be read on a ground.

use ratatui::style::Color;

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// None: only bold, underlined, reversed.
    None,
    /// The sixteen that the terminal's own settings define.
    Ansi16,
    /// 256, of which 240 are fixed.
    Indexed256,
    /// All.
    #[default]
    True,
}

const NAMES: [&str; 16] = [
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

/// xterm's default for the sixteen, for finding the nearest.
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

/// Reads `#rrggbb`, `0` to `255`, one of the sixteen names, or `default`.
pub fn parse_colour(text: &str) -> Option<Color> {
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
    if let Some(index) = NAMES.iter().position(|n| *n == text) {
        return Some(Color::Indexed(index as u8));
    }
    text.parse().ok().map(Color::Indexed)
}

/// The nearest colour that a terminal of this depth can show; `None` when it shows none.
pub fn reduce(colour: Color, depth: Depth) -> Option<Color> {
    match (depth, colour) {
        (Depth::None, _) => None,
        (Depth::True, c) | (_, c @ Color::Reset) => Some(c),
        (Depth::Indexed256, Color::Rgb(r, g, b)) => {
            // The first sixteen are whatever the user set, so they are no approximation of anything.
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

/// Whether two colours can be taken for each other side by side.
pub fn is_like(a: Option<Color>, b: Option<Color>) -> bool {
    is_within(a, b, 70)
}

/// Whether two colours are nearly the same: one could only guess which is which.
pub fn is_close(a: Option<Color>, b: Option<Color>) -> bool {
    is_within(a, b, 45)
}

/// Whether the distance of two colours in red, green and blue is below a limit.
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

/// Red, green, blue of an index.
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

/// Contrast ratio (1 to 21) of a text on its ground, by the definition of WCAG; `ground` is the terminal's own.
pub fn contrast(fg: Option<Color>, bg: Option<Color>, ground: [u8; 3]) -> f64 {
    let of = |c: Option<Color>, default: [u8; 3]| match c {
        Some(Color::Rgb(r, g, b)) => [r, g, b],
        Some(Color::Indexed(i)) => rgb_of(i),
        _ => default,
    };
    let inverse = ground.map(|c| 255 - c);
    let (a, b) = (luminance(of(fg, inverse)), luminance(of(bg, ground)));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

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
}
