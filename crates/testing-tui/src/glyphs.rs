//! Box, block, sextant and braille characters as shapes.
//!
//! A font would leave gaps or overlaps, since its glyph box differs from the cell; shapes join
//! exactly. Lengths are in eighths of a pixel, so that the eighth blocks are whole numbers and the
//! output has no rounding.

/// Width of a cell, in eighths of a pixel.
pub const W: i32 = 72;
/// Height of a cell, in eighths of a pixel.
pub const H: i32 = 144;
/// Position of the vertical centre line of a cell, and below it that of the horizontal one. A light
/// line of one pixel lies on whole pixels, which keeps it sharp.
const CX: i32 = 36;
const CY: i32 = 68;
/// Half the thickness of a light and of a heavy line, in eighths of a pixel.
const LIGHT: i32 = 4;
const HEAVY: i32 = 12;
/// Distance of each line of a double line from the centre, in eighths of a pixel.
const APART: i32 = 12;
/// Radius of a rounded corner, in eighths of a pixel.
const RADIUS: i32 = 32;

/// Filled rectangle; (`x`, `y`) is its top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rect {
    /// Top edge; the first field, so that sorting is by rows.
    pub y: i32,
    /// Left edge.
    pub x: i32,
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

/// Part of a character's shape, relative to the top left corner of the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Rectangle.
    Rect(Rect),
    /// Quarter ring: the bend of a rounded corner. `right` and `down` are the directions of its
    /// arms, +1 or -1.
    Bend {
        /// +1 if the horizontal arm goes right, -1 if left.
        right: i32,
        /// +1 if the vertical arm goes down, -1 if up.
        down: i32,
    },
    /// Closed polygon.
    Polygon(Vec<(i32, i32)>),
}

/// Character as shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// Shapes, all of one colour.
    pub shapes: Vec<Shape>,
    /// Whether the character fills its cell or parts of it up to the edges. Such edges must be
    /// sharp: blurred edges of different colours show the background.
    pub crisp: bool,
    /// Share of the foreground colour, percent (below 100 only for the shades `░▒▓`).
    pub percent: u16,
}

/// Lines from the centre of U+2500.. to each side, in the order up, right, down, left: `.` none,
/// `1` light, `2` heavy, `3` double. Entries `....` are dashes, bends and diagonals, which are
/// handled separately.
const ARMS: &str = "\
.1.1 .2.2 1.1. 2.2. .... .... .... .... .... .... .... .... .11. .21. .12. .22. \
..11 ..12 ..21 ..22 11.. 12.. 21.. 22.. 1..1 1..2 2..1 2..2 111. 121. 211. 112. \
212. 221. 122. 222. 1.11 1.12 2.11 1.21 2.21 2.12 1.22 2.22 .111 .112 .211 .212 \
.121 .122 .221 .222 11.1 11.2 12.1 12.2 21.1 21.2 22.1 22.2 1111 1112 1211 1212 \
2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 .... .... .... .... \
.3.3 3.3. .31. .13. .33. ..13 ..31 ..33 13.. 31.. 33.. 1..3 3..1 3..3 131. 313. \
333. 1.13 3.31 3.33 .313 .131 .333 13.3 31.1 33.3 1313 3131 3333 .... .... .... \
.... .... .... .... ...1 1... .1.. ..1. ...2 2... .2.. ..2. .2.1 1.2. .1.2 2.1.";

/// Shapes of a character; `None` if a font should draw it.
pub fn glyph(c: char) -> Option<Glyph> {
    let code = u32::from(c);
    let mut percent = 100;
    let shapes = match code {
        0x2504..=0x250b | 0x254c..=0x254f => dashes(code),
        0x256d => bend(1, 1),
        0x256e => bend(-1, 1),
        0x256f => bend(-1, -1),
        0x2570 => bend(1, -1),
        0x2571 => vec![diagonal(true)],
        0x2572 => vec![diagonal(false)],
        0x2573 => vec![diagonal(true), diagonal(false)],
        0x2500..=0x257f => lines(code - 0x2500),
        0x2591..=0x2593 => {
            percent = 25 * (code - 0x2590) as u16;
            vec![rect(0, 0, W, H)]
        }
        0x2580..=0x259f => blocks(code - 0x2580),
        0x2801..=0x28ff => braille(code - 0x2800),
        0x1fb00..=0x1fb3b => sextants(code - 0x1fb00),
        _ => return None,
    };
    let crisp = matches!(code, 0x2580..=0x259f | 0x1fb00..);
    Some(Glyph {
        shapes,
        crisp,
        percent,
    })
}

fn rect(x: i32, y: i32, w: i32, h: i32) -> Shape {
    Shape::Rect(Rect { x, y, w, h })
}

/// Horizontal stroke from `x0` to `x1` around the height `y`, `half` to each side.
fn across(x0: i32, x1: i32, y: i32, half: i32) -> Shape {
    rect(x0, y - half, x1 - x0, 2 * half)
}

/// Vertical stroke from `y0` to `y1` around `x`, `half` to each side.
fn along(y0: i32, y1: i32, x: i32, half: i32) -> Shape {
    rect(x - half, y0, 2 * half, y1 - y0)
}

/// Stroke from `back` before the centre (after it if negative) to the edge of the cell. Sides: 0
/// up, 1 right, 2 down, 3 left. `shift` moves the stroke to the right or down.
fn arm(side: usize, back: i32, shift: i32, half: i32) -> Shape {
    match side {
        0 => along(0, CY + back, CX + shift, half),
        1 => across(CX - back, W, CY + shift, half),
        2 => along(CY - back, H, CX + shift, half),
        _ => across(0, CX + back, CY + shift, half),
    }
}

fn lines(index: u32) -> Vec<Shape> {
    let entry = ARMS.split_ascii_whitespace().nth(index as usize);
    let weights: Vec<u8> = entry
        .unwrap_or("....")
        .bytes()
        .map(|b| b.saturating_sub(b'0'))
        .map(|w| if w > 3 { 0 } else { w })
        .collect();
    let mut shapes = Vec::new();
    for side in 0..4 {
        // The sides towards negative and positive `shift`: left and right, or up and down.
        let (before, after) = if side % 2 == 0 { (3, 1) } else { (0, 2) };
        let crossing = [weights[before], weights[after]];
        let widest = crossing.into_iter().max().unwrap_or(0);
        match weights[side] {
            0 => {}
            3 => {
                for (neighbour, shift) in [(crossing[0], -APART), (crossing[1], APART)] {
                    // An inner line of a corner stops at the crossing double line; an outer one
                    // continues around it.
                    let back = match (neighbour, widest) {
                        (3, _) => LIGHT - APART,
                        (_, 3) => APART + LIGHT,
                        _ => LIGHT,
                    };
                    shapes.push(arm(side, back, shift, LIGHT));
                }
            }
            weight => {
                let half = if weight == 2 { HEAVY } else { LIGHT };
                let ends = weights[(side + 2) % 4] == 0;
                let back = match widest {
                    3 if crossing == [3, 3] && ends => LIGHT - APART,
                    3 => APART + LIGHT,
                    2 => HEAVY,
                    _ => LIGHT,
                };
                shapes.push(arm(side, back, 0, half));
            }
        }
    }
    shapes
}

fn dashes(code: u32) -> Vec<Shape> {
    let (count, vertical, heavy) = match code {
        0x254c..=0x254f => (2, code >= 0x254e, code % 2 == 1),
        _ => (
            if code < 0x2508 { 3 } else { 4 },
            code & 2 != 0,
            code % 2 == 1,
        ),
    };
    let half = if heavy { HEAVY } else { LIGHT };
    let step = if vertical { H } else { W } / count;
    let gap = step * 2 / 5;
    (0..count)
        .map(|i| (i * step + gap / 2, (i + 1) * step - gap / 2))
        .map(|(from, to)| match vertical {
            true => along(from, to, CX, half),
            false => across(from, to, CY, half),
        })
        .collect()
}

fn bend(right: i32, down: i32) -> Vec<Shape> {
    let vertical = match down {
        1 => along(CY + RADIUS, H, CX, LIGHT),
        _ => along(0, CY - RADIUS, CX, LIGHT),
    };
    let horizontal = match right {
        1 => across(CX + RADIUS, W, CY, LIGHT),
        _ => across(0, CX - RADIUS, CY, LIGHT),
    };
    vec![vertical, Shape::Bend { right, down }, horizontal]
}

impl Shape {
    /// SVG path commands of a shape that is not a rectangle, moved by (`x`, `y`). `number` formats
    /// a length in pixels.
    pub fn path(&self, x: i32, y: i32, number: impl Fn(i32) -> String) -> String {
        let point = |px: i32, py: i32| format!("{} {}", number(x + px), number(y + py));
        match self {
            Self::Rect(r) => format!(
                "M{}h{}v{}h{}z",
                point(r.x, r.y),
                number(r.w),
                number(r.h),
                number(-r.w)
            ),
            Self::Bend { right, down } => {
                // From the vertical arm along the outside to the horizontal one, and back along the
                // inside.
                let sweep = i32::from(right * down > 0);
                let (outer, inner) = (number(RADIUS + LIGHT), number(RADIUS - LIGHT));
                let (far_x, far_y) = (CX + right * RADIUS, CY + down * RADIUS);
                format!(
                    "M{}A{outer} {outer} 0 0 {sweep} {}L{}A{inner} {inner} 0 0 {} {}z",
                    point(CX - right * LIGHT, far_y),
                    point(far_x, CY - down * LIGHT),
                    point(far_x, CY + down * LIGHT),
                    1 - sweep,
                    point(CX + right * LIGHT, far_y),
                )
            }
            Self::Polygon(points) => {
                let points: Vec<String> = points.iter().map(|&(px, py)| point(px, py)).collect();
                format!("M{}z", points.join("L"))
            }
        }
    }
}

fn diagonal(rising: bool) -> Shape {
    // Cut at the corners of the cell, so that diagonal neighbours join.
    let points = [(0, 0), (5, 0), (W, H - 10), (W, H), (W - 5, H), (0, 10)];
    let mirrored = |(x, y): (i32, i32)| if rising { (W - x, y) } else { (x, y) };
    Shape::Polygon(points.into_iter().map(mirrored).collect())
}

fn blocks(index: u32) -> Vec<Shape> {
    // Quadrants of U+2596.., as bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right.
    const QUADRANTS: [u8; 10] = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];
    let n = index as i32;
    match n {
        0 => vec![rect(0, 0, W, H / 2)],
        1..=8 => vec![rect(0, H - n * H / 8, W, n * H / 8)],
        9..=15 => vec![rect(0, 0, (16 - n) * W / 8, H)],
        16 => vec![rect(W / 2, 0, W / 2, H)],
        20 => vec![rect(0, 0, W, H / 8)],
        21 => vec![rect(W - W / 8, 0, W / 8, H)],
        22..=31 => tiles(u32::from(QUADRANTS[(n - 22) as usize]), 2, H / 2),
        _ => Vec::new(),
    }
}

/// Tiles in two columns; the bits number them row by row.
fn tiles(bits: u32, rows: i32, height: i32) -> Vec<Shape> {
    (0..rows * 2)
        .filter(|i| bits >> i & 1 == 1)
        .map(|i| rect(i % 2 * (W / 2), i / 2 * height, W / 2, height))
        .collect()
}

fn sextants(index: u32) -> Vec<Shape> {
    // The Unicode block omits patterns that exist elsewhere: empty, left half, right half, full.
    let bits = index + 1 + u32::from(index >= 20) + u32::from(index >= 40);
    tiles(bits, 3, H / 3)
}

fn braille(bits: u32) -> Vec<Shape> {
    // Column and row of each bit: braille added the fourth row after the first three.
    const DOTS: [(i32, i32); 8] = [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
        (0, 3),
        (1, 3),
    ];
    const SIZE: i32 = 18;
    DOTS.iter()
        .enumerate()
        .filter(|(bit, _)| bits >> bit & 1 == 1)
        .map(|(_, (col, row))| {
            let x = col * (W / 2) + (W / 2 - SIZE) / 2;
            let y = row * (H / 4) + (H / 4 - SIZE) / 2;
            rect(x, y, SIZE, SIZE)
        })
        .collect()
}
