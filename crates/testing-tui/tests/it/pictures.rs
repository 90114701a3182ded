//! Screens, their text and pictures, golden files.

use std::io;
use std::num::NonZeroU16;
use std::path::Path;

use proptest::prelude::*;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use widetui_testing_tui::glyphs::{self, Shape, glyph};
use widetui_testing_tui::golden::{Golden, Mode, text_difference};
use widetui_testing_tui::palette::SvgPalette;
use widetui_testing_tui::screen::{self, Screen};
use widetui_testing_tui::svg::to_svg;

/// The bytes that a terminal gets for this buffer, read back by the emulator.
fn through_terminal(buffer: &Buffer) -> Screen {
    let mut bytes = Vec::new();
    let empty = Buffer::empty(buffer.area);
    CrosstermBackend::new(&mut bytes)
        .draw(empty.diff(buffer).into_iter())
        .and_then(|()| io::Write::flush(&mut io::sink()))
        .unwrap();
    let size = |n| NonZeroU16::new(n).unwrap();
    let mut parser = vt100::Parser::new(size(buffer.area.height), size(buffer.area.width), 0);
    parser.process(&bytes);
    Screen::from_vt100(parser.screen())
}

const FLAGS: [Modifier; 5] = [
    Modifier::BOLD,
    Modifier::DIM,
    Modifier::ITALIC,
    Modifier::UNDERLINED,
    Modifier::REVERSED,
];

/// A picture of everything the writer draws by itself.
pub fn sampler() -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 30));
    let plain = Style::new();
    let mut put = |x: u16, y: u16, text: &str, style: Style| buffer.set_string(x, y, text, style);
    put(0, 0, "╭─ rounded ──────────┬───╮", plain.fg(Color::Cyan));
    put(0, 1, "│ time   level   msg │ a │", plain.fg(Color::Cyan));
    put(0, 2, "├────────────────────┼───┤", plain.fg(Color::Cyan));
    put(0, 3, "╰────────────────────┴───╯", plain.fg(Color::Cyan));
    put(28, 0, "┏━━┳━━┓ ╔══╦══╗ ┌┄┄┬┈┈┐ ╒══╤══╕ ╓──╥──╖", plain);
    put(28, 1, "┣━━╋━━┫ ╠══╬══╣ ├╌╌┼──┤ ╞══╪══╡ ╟──╫──╢", plain);
    put(28, 2, "┃  ┃  ┃ ║  ║  ║ ┆  ┊  ╎ │  │  │ ║  ║  ║", plain);
    put(28, 3, "┗━━┻━━┛ ╚══╩══╝ └──┴──┘ ╘══╧══╛ ╙──╨──╜", plain);
    put(
        0,
        5,
        "┍━┯━┑ ┎─┰─┒ ┢╅┡╃ ╼━╾─ ╱╲╱╲╳╳ ╻╽╿╹ ├─┤┝━┥┠─┨┣━┫",
        plain,
    );
    put(0, 6, "┕━┷━┙ ┖─┸─┚ ┞╀┦┟ ╶╴╺╸ ╲╱╲╱╳╳ ╵╷┇┋", plain);
    put(0, 8, "▁▂▃▄▅▆▇█ █▇▆▅▄▃▂▁", plain.fg(Color::Green));
    put(20, 8, "█▉▊▋▌▍▎▏ ▐▕▔▀", plain.fg(Color::Yellow));
    put(36, 8, "░░▒▒▓▓██", plain.fg(Color::Magenta));
    put(46, 8, "▖▗▘▙▚▛▜▝▞▟", plain.fg(Color::Red));
    put(58, 8, "🬀🬏🬞🬻🬓🬦", plain.fg(Color::Blue));
    put(0, 9, "████████ ████████", plain.fg(Color::Green));
    for col in 0..40u16 {
        let dots = u32::from(col) * 13 % 255 + 1;
        let dots = char::from_u32(0x2800 + dots).unwrap();
        put(col, 10, &dots.to_string(), plain.fg(Color::LightBlue));
        put(
            col,
            11,
            "⣿",
            plain.fg(Color::Indexed(u8::try_from(col).unwrap() + 70)),
        );
    }
    for index in 0..16u8 {
        let at = u16::from(index) * 5;
        let name = format!(" {index:2} ");
        put(at, 13, &name, plain.fg(Color::Indexed(index)));
        put(at, 14, &name, plain.bg(Color::Indexed(index)));
        put(
            at,
            15,
            &name,
            plain
                .fg(Color::Indexed(index))
                .add_modifier(Modifier::REVERSED),
        );
        put(
            at,
            16,
            &name,
            plain.fg(Color::Indexed(index)).add_modifier(Modifier::DIM),
        );
    }
    for col in 0..80u16 {
        let red = u8::try_from(col * 3).unwrap();
        put(col, 18, " ", plain.bg(Color::Rgb(red, 80, 255 - red)));
        put(
            col,
            19,
            " ",
            plain.bg(Color::Indexed(u8::try_from(16 + col).unwrap())),
        );
    }
    let names = ["bold", "dim", "italic", "underlined", "reversed"];
    for (at, (name, flag)) in (0u16..).zip(names.into_iter().zip(FLAGS)) {
        put(
            at * 16,
            21,
            &format!("{name} Text"),
            plain.add_modifier(flag),
        );
    }
    put(0, 22, "wide: 日本語 한국어 🚀 end|", plain);
    put(30, 22, "é ñ ü – — … “q” · ✓ ✗ ⚠ ● ▸ ▾ → end|", plain);
    put(
        0,
        23,
        "wide: ...... ...... .. end|",
        plain.fg(Color::DarkGray),
    );
    put(
        0,
        24,
        "a <tag> & \"quotes\"  two   three    four blanks",
        plain,
    );
    let cursor = plain.bg(Color::Indexed(237));
    put(0, 26, &" ".repeat(80), cursor);
    put(0, 26, "▌", cursor.fg(Color::Yellow));
    put(
        2,
        26,
        "12:00:00.123 ERROR the row under the cursor",
        cursor.fg(Color::LightRed),
    );
    put(0, 27, "  12:00:00.124 INFO  the next row", plain);
    put(0, 28, &"0123456789".repeat(8), plain);
    for col in 50..80u16 {
        let color = Color::Rgb(200, u8::try_from(col * 3).unwrap(), 40);
        put(col, 10, "█", plain.fg(color));
        put(col, 11, "▄", plain.fg(color).bg(Color::Blue));
    }
    put(0, 29, &"█ ▌▐ ▌▐ █ ".repeat(8), plain.fg(Color::DarkGray));
    buffer
}

#[test]
fn a_buffer_and_its_bytes_give_the_same_screen_and_picture() {
    let buffer = sampler();
    let direct = Screen::from_buffer(&buffer);
    let emulated = through_terminal(&buffer);
    assert_eq!(text_difference(&direct.text(), &emulated.text()), "");
    assert_eq!(direct.difference(&emulated), None);
    assert_eq!(direct, emulated);
    for palette in [SvgPalette::Dark, SvgPalette::Light] {
        assert_eq!(to_svg(&direct, &palette), to_svg(&emulated, &palette));
    }
}

fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![
        Just(Color::Reset),
        Just(Color::Gray),
        Just(Color::LightMagenta),
        any::<u8>().prop_map(Color::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
    ]
}

fn any_style() -> impl Strategy<Value = Style> {
    (any_color(), any_color(), 0u8..32).prop_map(|(fg, bg, bits)| {
        // A style put upon another adds to it; these must be the only flags.
        let mut style = Style::reset().fg(fg).bg(bg);
        for (bit, flag) in FLAGS.into_iter().enumerate() {
            // Bold and faint at once is what a terminal cannot keep.
            if bits >> bit & 1 == 1 && !(flag == Modifier::DIM && bits & 1 == 1) {
                style = style.add_modifier(flag);
            }
        }
        style
    })
}

proptest! {
    #[test]
    fn any_buffer_survives_the_terminal(
        parts in prop::collection::vec((0u16..20, 0u16..5, "[a-z 日é─█⣿]{1,8}", any_style()), 0..12)
    ) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 5));
        for (x, y, text, style) in parts {
            buffer.set_string(x, y, text, style);
        }
        let direct = Screen::from_buffer(&buffer);
        prop_assert_eq!(direct.difference(&through_terminal(&buffer)), None);
    }
}

#[test]
fn text_is_trimmed_and_found_by_columns() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 3));
    buffer.set_string(0, 0, "日本 x", Style::new());
    buffer.set_string(2, 2, "end", Style::new().bg(Color::Red));
    let screen = Screen::from_buffer(&buffer);
    assert_eq!(screen.text(), "日本 x\n\n  end\n");
    assert_eq!(screen.find("x"), Some((0, 5)));
    assert_eq!(screen.find("end"), Some((2, 2)));
    assert_eq!(screen.find("nothing"), None);
    assert_eq!(screen.cell(0, 1).unwrap().width, 0);
    assert_eq!(screen.cell(3, 0), None);
}

#[test]
fn bold_and_faint_together_are_reported() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
    let both = Style::new().add_modifier(Modifier::BOLD | Modifier::DIM);
    buffer.set_string(2, 0, "x", both);
    assert_eq!(Screen::from_buffer(&buffer).bold_and_dim(), [(0, 2)]);
}

/// The `<text>` elements of a picture of one line: x, textLength, content.
fn runs(line: &str, style: Style) -> Vec<(String, String, String)> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 1));
    buffer.set_string(0, 0, line, style);
    let svg = to_svg(&Screen::from_buffer(&buffer), &SvgPalette::Dark);
    let value = |part: &str, name: &str| {
        let from = part.split_once(&format!(" {name}=\"")).unwrap().1;
        from.split_once('"').unwrap().0.to_owned()
    };
    svg.lines()
        .filter(|l| l.starts_with("<text"))
        .map(|l| {
            let content = l
                .split_once('>')
                .unwrap()
                .1
                .split_once("</text>")
                .unwrap()
                .0;
            (value(l, "x"), value(l, "textLength"), content.to_owned())
        })
        .collect()
}

#[test]
fn runs_break_at_two_blanks_and_at_wide_characters() {
    let run =
        |x: &str, length: &str, text: &str| (x.to_owned(), length.to_owned(), text.to_owned());
    assert_eq!(
        runs("a b  c<日>d", Style::new()),
        [
            run("12", "27", "a b"),
            run("57", "18", "c&lt;"),
            run("75", "18", "日"),
            run("93", "18", "&gt;d"),
        ]
    );
    // Lines and blocks are not text.
    assert_eq!(runs("─█⣿│", Style::new()), []);
}

#[test]
fn lines_of_a_frame_merge_into_few_rectangles() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 20));
    for row in 0..20 {
        buffer.set_string(0, row, "│", Style::new());
        buffer.set_string(1, row, "─".repeat(39), Style::new());
    }
    let svg = to_svg(&Screen::from_buffer(&buffer), &SvgPalette::Dark);
    assert_eq!(svg.matches("<path").count(), 1);
    assert_eq!(svg.matches("h1v360").count(), 1, "{svg}");
    assert_eq!(svg.matches("h351v1").count(), 20, "{svg}");
    assert_eq!(svg.matches("<text").count(), 0);
}

#[test]
fn every_box_block_and_braille_character_is_drawn_within_its_cell() {
    for code in (0x2500..=0x259f)
        .chain(0x2801..=0x28ff)
        .chain(0x1fb00..=0x1fb3b)
    {
        let c = char::from_u32(code).unwrap();
        let drawn = glyph(c).unwrap_or_else(|| panic!("{c} U+{code:x} is left to the font"));
        assert!(!drawn.shapes.is_empty(), "{c} U+{code:x} is empty");
        for shape in drawn.shapes {
            if let Shape::Rect(r) = shape {
                let inside = r.x >= 0 && r.y >= 0 && r.w > 0 && r.h > 0;
                let inside = inside && r.x + r.w <= glyphs::W && r.y + r.h <= glyphs::H;
                assert!(inside, "{c} U+{code:x}: {r:?}");
            }
        }
    }
    assert_eq!(glyph('a'), None);
}

#[test]
fn palettes_are_fixed_and_xterm_colours_computed() {
    let dark = SvgPalette::Dark;
    assert_eq!(dark.indexed(16), [0, 0, 0]);
    assert_eq!(dark.indexed(196), [255, 0, 0]);
    assert_eq!(dark.indexed(67), [95, 135, 175]);
    assert_eq!(dark.indexed(232), [8, 8, 8]);
    assert_eq!(dark.indexed(255), [238, 238, 238]);
    assert_ne!(dark.indexed(1), SvgPalette::Light.indexed(1));
    let rgb = screen::Color::Rgb(1, 2, 3);
    assert_eq!(dark.resolve(rgb, [9, 9, 9]), [1, 2, 3]);
    assert_eq!(dark.resolve(screen::Color::Default, [9, 9, 9]), [9, 9, 9]);
}

#[test]
fn golden_files_are_compared_and_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 2));
    buffer.set_string(0, 0, "tasks: 12", Style::new());
    let first = Screen::from_buffer(&buffer);
    buffer.set_string(7, 0, "13", Style::new());
    let second = Screen::from_buffer(&buffer);
    let rejected = dir.path().join("rejected");
    let compare = Golden::at(dir.path(), &rejected, Mode::Compare);
    let accept = Golden::at(dir.path(), &rejected, Mode::Accept);

    let missing = compare
        .check_both("a", &first, &SvgPalette::Dark)
        .unwrap_err();
    assert!(missing.contains("no accepted file"), "{missing}");
    accept.check_both("a", &first, &SvgPalette::Dark).unwrap();
    compare.check_both("a", &first, &SvgPalette::Dark).unwrap();

    let differs = compare.check_text("a", &second).unwrap_err();
    assert!(
        differs.contains("  0 - tasks: 12\n  0 + tasks: 13\n              ^\n"),
        "{differs}"
    );
    let differs = compare
        .check_picture("a", &second, &SvgPalette::Dark)
        .unwrap_err();
    assert!(differs.contains("1 lines differ"), "{differs}");
    assert!(dir.path().join("rejected/a.svg").exists());
    accept.check_both("a", &second, &SvgPalette::Dark).unwrap();
    compare.check_both("a", &second, &SvgPalette::Dark).unwrap();
}

/// The reference picture of the writer, for eyes and against accidental changes.
#[test]
fn the_sampler_is_as_accepted() {
    let screen = Screen::from_buffer(&sampler());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let rejected = Path::new(env!("CARGO_TARGET_TMPDIR")).join("harness");
    let golden = Golden::at(&root, &rejected, Mode::from_environment());
    for (name, palette) in [
        ("sampler-dark", SvgPalette::Dark),
        ("sampler-light", SvgPalette::Light),
    ] {
        golden
            .check_picture(name, &screen, &palette)
            .unwrap_or_else(|e| panic!("{e}"));
    }
}
