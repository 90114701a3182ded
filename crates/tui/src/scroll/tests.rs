use std::num::NonZero;

use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::super::paint::plain;
use super::*;

/// Columns and rows of the screens.
const SIZE: (u16, u16) = (24, 12);

const MARGINS: OutputFeatures = OutputFeatures {
    scrolling: Scrolling::Margins,
    erasing: Erasing::Ground,
};
const NEVER: OutputFeatures = OutputFeatures {
    scrolling: Scrolling::Never,
    ..MARGINS
};
/// What is erased has the terminal's usual ground.
const USUAL: OutputFeatures = OutputFeatures {
    erasing: Erasing::Usual,
    ..MARGINS
};

/// A terminal, and what is believed to be on it.
struct Terminal {
    parser: vt100::Parser,
    shown: Buffer,
}

impl Terminal {
    fn new() -> Terminal {
        let (columns, rows) = SIZE;
        let size = |n| NonZero::new(n).unwrap();
        Terminal {
            parser: vt100::Parser::new(size(rows), size(columns), 0),
            shown: Buffer::empty(Rect::new(0, 0, columns, rows)),
        }
    }

    /// Shows a frame; gives the number of bytes that it took.
    fn show(&mut self, mut next: Buffer, ways: OutputFeatures) -> usize {
        plain(&mut next);
        let bytes = frame(&self.shown, &next, ways);
        self.parser.process(&bytes);
        self.shown = next;
        bytes.len()
    }

    /// What every cell looks like: the text, and of its look what can be seen.
    fn seen(&self) -> Vec<String> {
        let (columns, rows) = SIZE;
        let screen = self.parser.screen();
        let mut out = Vec::new();
        for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
            let cell = screen.cell(y, x).unwrap();
            let text = match cell.contents() {
                _ if cell.is_wide_continuation() => continue,
                "" => " ",
                text => text,
            };
            let underline = cell.underline();
            out.push(match text {
                " " if !underline && !cell.inverse() => format!("{x},{y} on {:?}", cell.bgcolor()),
                text => format!(
                    "{x},{y} {text} {:?} on {:?} {underline} {} {}",
                    cell.fgcolor(),
                    cell.bgcolor(),
                    cell.inverse(),
                    cell.bold()
                ),
            });
        }
        out
    }
}

/// The same frame, drawn by the library's own backend on a new screen.
fn plainly(next: &Buffer) -> Terminal {
    use ratatui::backend::{Backend, CrosstermBackend};
    let mut terminal = Terminal::new();
    let mut bytes = Vec::new();
    let all = Buffer::empty(next.area);
    let mut backend = CrosstermBackend::new(&mut bytes);
    backend.draw(all.diff(next).into_iter()).unwrap();
    terminal.parser.process(&bytes);
    terminal
}

/// A line: what it says, how it looks, where it starts, whether the cursor is on it.
type Line = (String, u8, u16, bool);

fn style(number: u8) -> Style {
    let style = Style::new();
    match number % 8 {
        0 => style,
        1 => style.fg(Color::Indexed(248)),
        2 => style.fg(Color::Red).add_modifier(Modifier::BOLD),
        3 => style.bg(Color::Indexed(236)).fg(Color::LightBlue),
        4 => style.add_modifier(Modifier::REVERSED),
        5 => style.add_modifier(Modifier::UNDERLINED).fg(Color::Green),
        6 => style.fg(Color::Rgb(1, 20, 200)).bg(Color::DarkGray),
        _ => style.bg(Color::White).fg(Color::Black),
    }
}

fn screen(lines: &[Line]) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    for (y, (text, look, x, has_cursor)) in (0..SIZE.1).zip(lines) {
        let half = text.chars().count() / 2;
        let (a, b): (String, String) = (
            text.chars().take(half).collect(),
            text.chars().skip(half).collect(),
        );
        let (x, _) = buf.set_stringn(*x, y, a, 24, style(*look));
        buf.set_stringn(x, y, b, 24, style(look / 8));
        if *has_cursor {
            buf.set_style(Rect::new(0, y, SIZE.0, 1), style(3));
        }
    }
    buf
}

fn line() -> impl Strategy<Value = Line> {
    let text = prop_oneof![
        3 => "[a-c ]{0,24}",
        3 => "[0-9]{4} [a-c]{2} {3,14}[xy]{0,8}",
        1 => "[a世界é│▌ ]{0,16}",
        1 => " {0,24}",
    ];
    (text, any::<u8>(), 0u16..6, prop::bool::weighted(0.1))
}

#[derive(Clone, Debug)]
enum Change {
    /// A stretch moves: from, to, by; what comes in is new.
    Move(usize, usize, usize, bool, Vec<Line>),
    /// A line is another one.
    Set(usize, Line),
    /// Everything is new.
    All(Vec<Line>),
}

fn lines_of(count: usize) -> impl Strategy<Value = Vec<Line>> {
    prop::collection::vec(line(), count)
}

fn change() -> impl Strategy<Value = Change> {
    let rows = usize::from(SIZE.1);
    prop_oneof![
        5 => (0..rows, 0..rows, 1usize..4, any::<bool>(), lines_of(4))
            .prop_map(|(a, b, by, up, new)| Change::Move(a.min(b), a.max(b) + 1, by, up, new)),
        3 => (0..rows, line()).prop_map(|(at, line)| Change::Set(at, line)),
        1 => lines_of(rows).prop_map(Change::All),
    ]
}

fn apply_to(lines: &mut [Line], change: Change) {
    match change {
        Change::Move(from, to, by, up, new) => {
            let part = &mut lines[from..to];
            let by = by.min(part.len());
            let kept = part.len() - by;
            if up {
                part.rotate_left(by);
                part[kept..].clone_from_slice(&new[..by]);
            } else {
                part.rotate_right(by);
                part[..by].clone_from_slice(&new[..by]);
            }
        }
        Change::Set(at, line) => lines[at] = line,
        Change::All(new) => lines.clone_from_slice(&new),
    }
}

proptest! {
    #[test]
    fn the_terminal_shows_the_frame(first in lines_of(12), changes in prop::collection::vec(prop::collection::vec(change(), 1..3), 1..8)) {
        let mut lines = first;
        let mut quick = Terminal::new();
        let mut slow = Terminal::new();
        let mut usual = Terminal::new();
        quick.show(screen(&lines), MARGINS);
        slow.show(screen(&lines), NEVER);
        usual.show(screen(&lines), USUAL);
        for step in changes {
            step.into_iter().for_each(|c| apply_to(&mut lines, c));
            let next = screen(&lines);
            let bytes = quick.show(next.clone(), MARGINS);
            prop_assert!(bytes <= slow.show(next.clone(), NEVER));
            usual.show(next.clone(), USUAL);
            let wanted = plainly(&next).seen();
            for seen in [quick.seen(), slow.seen(), usual.seen()] {
                let wrong = seen.iter().zip(&wanted).find(|(a, b)| a != b);
                prop_assert_eq!(wrong, None);
                prop_assert_eq!(seen.len(), wanted.len());
            }
        }
    }
}

/// A list with a cursor in the middle, a scrollbar, and a line above and below that stay.
fn list(top: usize) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    buf.set_string(0, 0, "above", Style::new());
    buf.set_string(0, SIZE.1 - 1, "below", Style::new());
    for y in 1..SIZE.1 - 1 {
        let row = top + usize::from(y);
        buf.set_string(2, y, format!("row {row} {}", row * 7919), style(1));
        if y == 5 {
            buf.set_style(Rect::new(0, y, SIZE.0, 1), style(3));
        }
        buf.set_string(SIZE.0 - 1, y, if y == 3 { "┃" } else { " " }, style(2));
    }
    buf
}

#[test]
fn a_list_that_scrolls_is_scrolled_by_the_terminal() {
    let (shown, next) = (list(10), list(11));
    let shift = find_shift(&shown, &next).unwrap();
    assert_eq!((shift.by, shift.first, shift.last), (1, 1, SIZE.1 - 2));
    let back = find_shift(&next, &shown).unwrap();
    assert_eq!((back.by, back.first, back.last), (-1, 1, SIZE.1 - 2));
    assert_eq!(find_shift(&shown, &list(40)), None);
    let bytes = |ways| frame(&shown, &next, ways).len();
    assert!(bytes(MARGINS) < bytes(NEVER));
    let margins = |bytes: Vec<u8>| bytes.windows(2).any(|w| w == b"[r");
    assert!(margins(frame(&shown, &next, MARGINS)));
    assert!(!margins(frame(&shown, &next, NEVER)));
}

#[test]
fn blanks_of_the_row_under_the_cursor_are_erased_where_that_keeps_its_ground() {
    let (shown, next) = (list(10), list(11));
    let text = |ways| String::from_utf8(frame(&shown, &next, ways)).unwrap();
    let blanks = " ".repeat(9);
    assert!(!text(MARGINS).contains(&blanks), "{:?}", text(MARGINS));
    assert!(text(USUAL).contains(&blanks), "{:?}", text(USUAL));
    assert!(text(MARGINS).len() < text(USUAL).len());
}

#[test]
fn nothing_is_sent_where_nothing_changed() {
    let mut same = list(3);
    plain(&mut same);
    assert!(frame(&same, &same, MARGINS).is_empty());
}
