//! Fixed colour palettes of SVG pictures, independent of terminal settings.

use super::screen::Color;

/// Red, green and blue components.
pub type Rgb = [u8; 3];

/// Palette of an SVG picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgPalette {
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
}

const DARK: [u32; 16] = [
    0x1e_22_29, 0xe0_6c_75, 0x8c_c2_65, 0xe5_b5_5f, 0x5f_a8_e8, 0xc6_7f_dc, 0x4f_b8_c2, 0xb4_bb_c8,
    0x6b_74_85, 0xff_8b_92, 0xa8_dc_82, 0xff_d0_7b, 0x82_c0_ff, 0xdd_9c_f2, 0x74_d4_de, 0xf4_f6_fa,
];
const LIGHT: [u32; 16] = [
    0x24_29_2f, 0xc0_1c_28, 0x1b_7f_37, 0x8f_62_00, 0x0b_5c_c4, 0x8b_35_b0, 0x0f_76_80, 0x6e_77_81,
    0x57_60_6a, 0xd9_36_40, 0x2a_98_48, 0xa8_76_00, 0x2b_78_e0, 0xa5_50_c9, 0x1e_8f_9b, 0x8c_95_9f,
];

impl SvgPalette {
    /// Default foreground.
    pub fn foreground(self) -> Rgb {
        match self {
            Self::Dark => [0xd4, 0xd9, 0xe2],
            Self::Light => [0x24, 0x29, 0x2f],
        }
    }

    /// Default background.
    pub fn background(self) -> Rgb {
        match self {
            Self::Dark => [0x14, 0x17, 0x1c],
            Self::Light => [0xfc, 0xfc, 0xfa],
        }
    }

    /// Colour of an index: 0 to 15 from the palette, then the 6x6x6 cube and the 24 greys that
    /// xterm defines.
    pub fn indexed(self, index: u8) -> Rgb {
        match index {
            0..16 => {
                let table = match self {
                    Self::Dark => &DARK,
                    Self::Light => &LIGHT,
                };
                let [_, r, g, b] = table[usize::from(index)].to_be_bytes();
                [r, g, b]
            }
            16..232 => {
                let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
                let n = index - 16;
                [level(n / 36), level(n / 6 % 6), level(n % 6)]
            }
            232.. => [8 + 10 * (index - 232); 3],
        }
    }

    /// Colour to draw; `default` replaces the terminal's own colour.
    pub fn resolve(self, color: Color, default: Rgb) -> Rgb {
        match color {
            Color::Default => default,
            Color::Indexed(index) => self.indexed(index),
            Color::Rgb(r, g, b) => [r, g, b],
        }
    }
}

/// Mix of `percent` of `over` and the rest of `under`.
pub fn mix(over: Rgb, under: Rgb, percent: u16) -> Rgb {
    let channel = |i: usize| {
        let sum = u16::from(over[i]) * percent + u16::from(under[i]) * (100 - percent);
        u8::try_from(sum / 100).unwrap_or(u8::MAX)
    };
    [channel(0), channel(1), channel(2)]
}

/// Colour in SVG notation.
pub fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
