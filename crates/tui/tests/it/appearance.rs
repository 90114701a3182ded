//! Appearance of screens in all sizes and themes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use widetui_app::embedded::THEMES;
use widetui_app::msg::Msg;
use widetui_tui::views;

use widetui_testing_tui::explorer::Explorer;
use widetui_testing_tui::golden::Golden;
use widetui_testing_tui::palette::SvgPalette;

/// Name, theme, size and keys of each screen.
const SCREENS: &[(&str, &str, (u16, u16), &str)] = &[
    ("events", "dark", (120, 40), "e"),
    ("events-80x24", "dark", (80, 24), "e"),
    ("events-250x70", "dark", (250, 70), "e"),
    ("events-mono", "mono", (120, 40), "e"),
    ("events-mono-80x24", "mono", (80, 24), "e"),
    ("events-mono-250x70", "mono", (250, 70), "e"),
    ("events-light", "light", (120, 40), "e"),
    ("pivot", "dark", (120, 40), "ep"),
    ("pivoted", "dark", (120, 40), "epj"),
    ("search", "dark", (120, 40), "/job 9<enter>n"),
    (
        "filter-error",
        "dark",
        (80, 24),
        "fjob = 9 and jub = 7<enter>",
    ),
    (
        "complete",
        "dark",
        (120, 40),
        "flevel = error and jo<tab> = <down>",
    ),
    ("record", "dark", (80, 24), "e<enter>"),
    ("brush", "dark", (120, 40), "e[jjjjjjjjjj]"),
    ("brush-mono-80x24", "mono", (80, 24), "e[jjjjjjjjjj]"),
    ("context", "dark", (120, 40), "flevel = error<enter>gc"),
    (
        "context-light",
        "light",
        (120, 40),
        "flevel = error<enter>gc",
    ),
    (
        "context-mono-80x24",
        "mono",
        (80, 24),
        "flevel = error<enter>gc",
    ),
    ("highlight", "dark", (120, 40), "ep="),
    ("highlight-250x70", "light", (250, 70), "ep="),
    ("highlight-mono-80x24", "mono", (80, 24), "ep="),
    ("same-key", "dark", (120, 40), "ep=tttz"),
    ("trail", "dark", (80, 24), "flevel >= info<enter>epj`<left>"),
    ("unfolded", "dark", (120, 40), "e<space>"),
    ("sources", "dark", (120, 40), "9jj"),
    ("sources-80x24", "dark", (80, 24), "9jj"),
    ("sources-250x70", "dark", (250, 70), "9jj"),
    ("sources-mono", "mono", (120, 40), "9jj"),
    ("sources-mono-80x24", "mono", (80, 24), "9jj"),
    ("sources-mono-250x70", "mono", (250, 70), "9jj"),
    ("templates", "dark", (120, 40), "vt"),
    ("templates-80x24", "dark", (80, 24), "vt"),
    ("templates-250x70", "dark", (250, 70), "vt"),
    ("templates-mono", "mono", (120, 40), "vt"),
    ("templates-mono-80x24", "mono", (80, 24), "vt"),
    ("templates-mono-250x70", "mono", (250, 70), "vt"),
    ("keys", "dark", (120, 40), "8"),
    ("keys-80x24", "dark", (80, 24), "8"),
    ("keys-250x70", "dark", (250, 70), "8"),
    ("keys-mono", "mono", (120, 40), "8"),
    ("keys-mono-80x24", "mono", (80, 24), "8"),
    ("keys-mono-250x70", "mono", (250, 70), "8"),
    ("values", "dark", (120, 40), "8&worker<enter><enter>"),
    ("help", "dark", (120, 40), "?"),
    ("palette", "dark", (80, 24), ":err"),
    ("palette-values", "dark", (120, 40), ":job 9"),
    ("palette-light", "light", (120, 40), ":job 9"),
    ("help-light", "light", (120, 40), "?mark"),
    ("which-key", "dark", (120, 40), "v"),
    ("which-key-light", "light", (80, 24), "v"),
    (
        "marks",
        "dark",
        (120, 40),
        "emMtoo much memory?<enter>emggwm<\">",
    ),
    (
        "marks-light",
        "light",
        (120, 40),
        "emMtoo much memory?<enter>emggwm<\">",
    ),
    ("note", "dark", (120, 40), "eMtoo much memory?<enter>vl"),
];

/// Returns the differences from the accepted screens of this name, in three sizes, with and without colours.
pub fn differences(
    name: &str,
    keys: &str,
    open: impl Fn(&str, u16, u16) -> Explorer,
) -> Vec<String> {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (theme, suffix) in [("dark", ""), ("mono", "-mono")] {
        for (columns, rows, size) in [(80, 24, "-80x24"), (120, 40, ""), (250, 70, "-250x70")] {
            let mut session = open(theme, columns, rows);
            session.keys(keys);
            let screen = session.screen();
            let name = format!("{name}{suffix}{size}");
            assert!(screen.bold_and_dim().is_empty(), "{name}");
            wrong.extend(golden.check_both(&name, &screen, &SvgPalette::Dark).err());
        }
    }
    wrong
}

#[test]
fn screens_are_as_accepted() {
    let golden = Golden::of_repository();
    let mut wrong = Vec::new();
    for (name, theme, (columns, rows), keys) in SCREENS {
        let mut session = Explorer::example(theme, *columns, *rows);
        session.keys(keys);
        let screen = session.screen();
        let palette = if *theme == "light" {
            SvgPalette::Light
        } else {
            SvgPalette::Dark
        };
        assert!(screen.bold_and_dim().is_empty(), "{name}");
        wrong.extend(golden.check_both(name, &screen, &palette).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_size_and_no_theme_breaks_a_screen() {
    for keys in [
        "",
        "ep",
        "9",
        "9<enter>",
        "8",
        "8<enter>G",
        "8&jo",
        "8/jo<enter>",
        "2/task<enter>n",
        "d/e<enter>nn",
        "vtssS",
        "?",
        ":x",
        "fa ==<enter>",
        "fjob = <down>",
        "/x",
        "e<enter>G",
        "tz",
        "v",
        "eMx<enter><\">",
        "vl",
        "vb>>>>>>>>>>>>>>>",
        "Tx<enter>",
        "e[jj]zzz",
        "fjob = 9<enter>c",
        "ep=ttt",
        "fjob = 9<enter>`",
        "e<space>\\j",
        "T50%",
    ] {
        for (theme, _) in THEMES {
            let mut session = Explorer::example(theme, 120, 40);
            session.keys(keys);
            for size in [
                (1, 1),
                (2, 2),
                (3, 9),
                (9, 3),
                (20, 5),
                (39, 8),
                (40, 16),
                (59, 17),
                (100, 12),
                (170, 20),
                (400, 100),
            ] {
                for ascii in [false, true] {
                    session.change(|model| {
                        model.screen.ascii = ascii;
                    });
                    session.send(Msg::Resize(size.0, size.1));
                    let drawn = catch_unwind(AssertUnwindSafe(|| session.screen()));
                    let screen = drawn.unwrap_or_else(|_| panic!("{theme} {size:?} {keys:?}"));
                    assert!(!ascii || screen.text().is_ascii(), "{}", screen.text());
                    assert!(screen.bold_and_dim().is_empty());
                    // The terminal has shrunk, but the program has not received the resize event yet.
                    let mut small = Buffer::empty(Rect::new(0, 0, size.0 / 2, size.1 / 2));
                    views::draw(&session.model, &session.theme(), &mut small);
                }
            }
        }
    }
}

#[test]
fn nothing_that_a_terminal_obeys_is_on_a_screen() {
    let mut session = Explorer::example("dark", 120, 40);
    session.keys("/no space<enter>");
    let text = session.screen().text();
    assert!(text.contains("tmpred␛[2J"), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
}

/// Only `canvas` may write texts to the buffer, as it removes terminal control characters.
#[test]
fn views_draw_texts_through_one_function() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/views");
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_folder = path.is_dir();
            (if is_folder { &mut folders } else { &mut files }).push(path);
        }
    }
    assert!(files.len() > 20);
    for path in files {
        let code = std::fs::read_to_string(&path).unwrap();
        for other in [
            "set_string",
            "set_line",
            "set_span",
            "Paragraph",
            "Span::",
            "Line::from",
            "println",
        ] {
            assert!(!code.contains(other), "{} uses {other}", path.display());
        }
        // `canvas::glyph` only takes symbols that the program defines.
        let own = path.ends_with("views/mod.rs");
        assert!(own || !code.contains("set_symbol"), "{}", path.display());
        assert!(!code.contains("buf[("), "{} may panic", path.display());
    }
}
