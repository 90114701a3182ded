//! Golden files: accepted screens that tests compare with.
//!
//! Texts are in `tests/screens/NAME.txt` (for review), pictures in `screenshots/NAME.svg`.
//! `UPDATE_SCREENS=1 cargo test` accepts the current screens. A picture that differs is written to
//! the build directory for inspection.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::explorer::repository;

use super::palette::SvgPalette;
use super::screen::Screen;
use super::story::{Scene, to_animated_svg, to_cast};
use super::svg::to_svg;

/// Treatment of a screen that differs from its golden file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Reports the difference.
    Compare,
    /// Overwrites the golden file.
    Accept,
}

/// Directories of the golden files.
#[derive(Clone, Debug)]
pub struct Golden {
    texts: PathBuf,
    pictures: PathBuf,
    rejected: PathBuf,
    mode: Mode,
}

impl Mode {
    /// [`Mode::Accept`] if the variable `UPDATE_SCREENS` is `1`.
    pub fn from_environment() -> Self {
        match std::env::var_os("UPDATE_SCREENS") {
            Some(value) if value == "1" => Self::Accept,
            _ => Self::Compare,
        }
    }
}

impl Golden {
    /// Golden files of this repository; accepts changes if `UPDATE_SCREENS` is `1`.
    pub fn of_repository() -> Self {
        // `target/debug/deps/it-...`: write to the build directory.
        let program = std::env::current_exe().expect("a path of the test");
        let target = program.ancestors().nth(3).expect("a folder of the build");
        let rejected = target.join("tmp/screens");
        Self::at(&repository(), &rejected, Mode::from_environment())
    }

    /// Golden files below `root`; pictures that differ are written to `rejected`.
    pub fn at(root: &Path, rejected: &Path, mode: Mode) -> Self {
        Self {
            texts: root.join("tests/screens"),
            pictures: root.join("screenshots"),
            rejected: rejected.to_owned(),
            mode,
        }
    }

    /// Compares the text of a screen with `tests/screens/NAME.txt`.
    ///
    /// # Errors
    ///
    /// Readable difference, or the reason why a file cannot be read or written.
    pub fn check_text(&self, name: &str, screen: &Screen) -> Result<(), String> {
        let text = screen.text();
        self.check(&self.texts, &format!("{name}.txt"), &text, text_difference)
    }

    /// Compares the picture of a screen with `screenshots/NAME.svg`.
    ///
    /// # Errors
    ///
    /// As [`Self::check_text`]; the message names the file with the current picture.
    pub fn check_picture(
        &self,
        name: &str,
        screen: &Screen,
        palette: &SvgPalette,
    ) -> Result<(), String> {
        let svg = to_svg(screen, palette);
        self.check(
            &self.pictures,
            &format!("{name}.svg"),
            &svg,
            line_difference,
        )
    }

    /// Compares text and picture; reports both differences.
    ///
    /// # Errors
    ///
    /// As [`Self::check_text`] and [`Self::check_picture`].
    pub fn check_both(
        &self,
        name: &str,
        screen: &Screen,
        palette: &SvgPalette,
    ) -> Result<(), String> {
        let text = self.check_text(name, screen);
        let picture = self.check_picture(name, screen, palette);
        match (text, picture) {
            (Err(text), Err(picture)) => Err(format!("{text}\n{picture}")),
            (text, picture) => text.and(picture),
        }
    }

    /// Compares a story with `screenshots/NAME.svg` and `screenshots/NAME.cast`.
    ///
    /// # Errors
    ///
    /// As [`Self::check_picture`].
    pub fn check_story(&self, name: &str, title: &str, scenes: &[Scene]) -> Result<(), String> {
        let svg = to_animated_svg(scenes, &SvgPalette::Dark);
        let (svg_name, cast_name) = (format!("{name}.svg"), format!("{name}.cast"));
        self.check(&self.pictures, &svg_name, &svg, line_difference)?;
        let cast = to_cast(title, scenes);
        self.check(&self.pictures, &cast_name, &cast, line_difference)
    }

    fn check(
        &self,
        folder: &Path,
        file: &str,
        found: &str,
        difference: fn(&str, &str) -> String,
    ) -> Result<(), String> {
        let path = folder.join(file);
        let accepted = match fs::read_to_string(&path) {
            Ok(accepted) if accepted == found => return Ok(()),
            other => other.ok(),
        };
        match self.mode {
            Mode::Accept => write(&path, found),
            Mode::Compare => {
                let rejected = self.rejected.join(file);
                write(&rejected, found)?;
                let what = match accepted {
                    Some(accepted) => difference(&accepted, found),
                    None => "there is no accepted file yet\n".to_owned(),
                };
                Err(format!(
                    "{} differs (- accepted, + found):\n{what}found: {}\naccept with UPDATE_SCREENS=1",
                    path.display(),
                    rejected.display(),
                ))
            }
        }
    }
}

fn write(path: &Path, content: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, content))
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// Rows that differ, with their numbers and marks below the columns that differ. Rows of a screen
/// keep their positions, so this is clearer than a diff that detects moved lines.
pub fn text_difference(accepted: &str, found: &str) -> String {
    let mut out = String::new();
    let (old, new): (Vec<_>, Vec<_>) = (accepted.lines().collect(), found.lines().collect());
    for row in 0..old.len().max(new.len()) {
        let (before, after) = (old.get(row).copied(), new.get(row).copied());
        if before == after {
            continue;
        }
        if let Some(before) = before {
            let _ = writeln!(out, "{row:3} - {before}");
        }
        if let Some(after) = after {
            let _ = writeln!(out, "{row:3} + {after}");
        }
        if let (Some(before), Some(after)) = (before, after) {
            let _ = writeln!(out, "      {}", marks(before, after));
        }
    }
    if old.len() != new.len() {
        let _ = writeln!(out, "{} rows accepted, {} found", old.len(), new.len());
    }
    out
}

/// Line with `^` below each character that differs.
fn marks(before: &str, after: &str) -> String {
    let mut before = before.chars();
    let mut after = after.chars();
    let mut out = String::new();
    loop {
        // A missing end counts as blanks, since trailing blanks are trimmed.
        let (old, new) = match (before.next(), after.next()) {
            (None, None) => break,
            (old, new) => (old.unwrap_or(' '), new.unwrap_or(' ')),
        };
        out.push(if old == new { ' ' } else { '^' });
    }
    out.truncate(out.trim_end().len());
    out
}

/// First lines that differ, shortened, and their number; sufficient for a picture.
fn line_difference(accepted: &str, found: &str) -> String {
    const SHOWN: usize = 6;
    let cut = |line: &str| line.chars().take(160).collect::<String>();
    let mut out = String::new();
    let (old, new): (Vec<_>, Vec<_>) = (accepted.lines().collect(), found.lines().collect());
    let rows = (0..old.len().max(new.len())).filter(|&row| old.get(row) != new.get(row));
    let rows: Vec<usize> = rows.collect();
    for &row in rows.iter().take(SHOWN) {
        for (sign, line) in [('-', old.get(row)), ('+', new.get(row))] {
            if let Some(line) = line {
                let _ = writeln!(out, "{:5} {sign} {}", row + 1, cut(line));
            }
        }
    }
    let _ = writeln!(out, "{} lines differ", rows.len());
    out
}
