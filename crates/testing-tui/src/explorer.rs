//! Explorer without a terminal for tests: takes keys, answers queries synchronously, and renders
//! screens.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use widetui_app::hit::{HitMap, Target};
use widetui_app::keymap::Keymap;
use widetui_app::keys::Key;
use widetui_app::model::Model;
use widetui_app::msg::{Effect, Msg};
use widetui_app::popups::Popup;
use widetui_app::update;
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_session::jobs::answer;
use widetui_session::meaning::Meaning;
use widetui_session::record_texts::{Blocks, read};
use widetui_store::Snapshot;
use widetui_tui::colour::Depth;
use widetui_tui::theme::Theme;
use widetui_tui::views;

use crate::screen::Screen;

/// Root directory of the repository.
pub fn repository() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the repository")
}

/// Makes the root of the repository the working directory, whichever package is tested, because
/// screens show relative paths.
fn enter_repository() {
    static ENTERED: Once = Once::new();
    ENTERED.call_once(|| std::env::set_current_dir(repository()).expect("the repository"));
}

/// Loads paths relative to the root of the repository.
pub fn load(paths: &[&str]) -> Arc<Snapshot> {
    enter_repository();
    let options = OpenOptions {
        paths: paths.iter().map(PathBuf::from).collect(),
        threads: Some(1),
        ..OpenOptions::default()
    };
    load_all(&options, &Cancel::default(), Progress::default())
        .expect("the run can be read")
        .0
}

pub struct Explorer {
    pub model: update::Explorer,
    blocks: Blocks,
    /// Texts copied to the clipboard.
    pub copied: Vec<String>,
    /// Names of the joins that were saved.
    pub joins: Vec<String>,
    /// Number of requested drafts of definitions.
    pub drafts: usize,
    pub left: bool,
    /// Workspace that was saved last.
    pub saved: Option<widetui_session::saved::Session>,
    /// Number of searches for a workspace.
    pub looked_for: usize,
}

impl Explorer {
    pub fn new(theme: &str, columns: u16, rows: u16) -> Explorer {
        enter_repository();
        let mut model = Model::new("data/queue-run", Keymap::standard(), theme);
        model.meaning = Arc::new(Meaning::new(&[]));
        let mut session = Explorer {
            model: update::Explorer::new(model),
            blocks: Blocks::default(),
            copied: Vec::new(),
            joins: Vec::new(),
            drafts: 0,
            left: false,
            saved: None,
            looked_for: 0,
        };
        session.send(Msg::Resize(columns, rows));
        session
    }

    /// Explorer with a completely loaded run.
    pub fn of(paths: &[&str], theme: &str, columns: u16, rows: u16) -> Explorer {
        let mut session = Explorer::new(theme, columns, rows);
        session.send(Msg::Load(LoadMsg::Snapshot(load(paths))));
        session
    }

    /// Explorer with a completely loaded run in follow mode: more records may arrive.
    pub fn live(paths: &[&str], theme: &str, columns: u16, rows: u16) -> Explorer {
        let mut session = Explorer::new(theme, columns, rows);
        let mut snapshot = Snapshot::clone(&load(paths));
        snapshot.lineage = 1;
        session.send(Msg::Load(LoadMsg::Snapshot(Arc::new(snapshot))));
        session
    }

    /// Explorer with the completely loaded example run.
    pub fn example(theme: &str, columns: u16, rows: u16) -> Explorer {
        let mut session = Explorer::new(theme, columns, rows);
        session.send(Msg::Load(LoadMsg::Snapshot(load(&[
            "tests/data/queue-run",
        ]))));
        session
    }

    /// Continues with a changed copy of the model, for states that no key leads to.
    pub fn change(&mut self, change: impl FnOnce(&mut Model)) {
        let mut model = Model::clone(&self.model);
        change(&mut model);
        self.model = update::Explorer::new(model);
    }

    /// Handles a message and all messages that result from its effects.
    pub fn send(&mut self, msg: Msg) {
        let mut queue = vec![msg];
        while !queue.is_empty() {
            for effect in self.model.update(queue.remove(0)) {
                match effect {
                    Effect::Ask {
                        snapshot,
                        question,
                        generation,
                    } => answer(&snapshot, &question, &Cancel::default(), &mut |answer| {
                        let slot = question.slot();
                        queue.push(Msg::answered(&snapshot, slot, generation, answer));
                    }),
                    Effect::Arrange(view, wish) => queue.push(Msg::Arranged(view, wish.arrange())),
                    Effect::Copy(text) => self.copied.push(text.as_str().to_owned()),
                    Effect::SaveJoin(join) => self.joins.push(join.name),
                    Effect::SaveDraft(..) => self.drafts += 1,
                    Effect::Quit => self.left = true,
                    Effect::SaveWorkspace(_, session, _) => self.saved = Some(*session),
                    // Pauses end at once.
                    Effect::Rest(_) => queue.push(Msg::Rested),
                    Effect::FindWorkspace(_) => self.looked_for += 1,
                    Effect::Mouse(_)
                    | Effect::RestoreWorkspace(_)
                    | Effect::RememberInput(..)
                    | Effect::Redraw
                    | Effect::Suspend
                    | Effect::Follow(_)
                    | Effect::Shift(_)
                    | Effect::Cancel(_) => {}
                }
            }
        }
        let missing = self.model.missing();
        let texts = read(&self.model.snapshot, &missing, &mut self.blocks);
        self.model.update(Msg::Texts(texts));
    }

    /// Types keys: `"jj<enter>/failed<enter>"`, with names as in keymaps.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let (name, length) = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
                Some((name, _)) => (name.to_owned(), name.len() + 2),
                None if c == ' ' => ("space".to_owned(), 1),
                None => (c.to_string(), c.len_utf8()),
            };
            let key = Key::parse(&name).unwrap_or_else(|| panic!("no key {name}"));
            self.send(Msg::Key(key));
            rest = &rest[length..];
        }
        self
    }

    /// Theme that the model names.
    pub fn theme(&self) -> Theme {
        Theme::named(&self.model.screen.theme, Depth::True).expect("a theme")
    }

    fn drawn(&self) -> (Buffer, HitMap) {
        let (columns, rows) = self.model.screen.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let hits = views::draw(&self.model, &self.theme(), &mut buffer);
        (buffer, hits)
    }

    pub fn screen(&self) -> Screen {
        Screen::from_buffer(&self.drawn().0)
    }

    /// Mouse targets of one drawing.
    pub fn targets(&self) -> HitMap {
        self.drawn().1
    }

    /// Mouse target at a column and row.
    pub fn target(&self, column: u16, row: u16) -> Option<Target> {
        self.drawn().1.at(column, row)
    }

    /// Text of the row under the cursor.
    pub fn cursor_line(&self) -> String {
        let screen = self.screen();
        (0..screen.rows)
            .map(|row| screen.line(row))
            .find(|line| line.starts_with('▌'))
            .unwrap_or_default()
    }

    /// Letter of the first row with this label in the pivot list; panics if there is none.
    pub fn letter(&self, label: &str) -> String {
        let Some(Popup::Pivot(pivot)) = &self.model.popup else {
            panic!("{}", self.screen().text());
        };
        let row = pivot.rows.iter().find(|r| r.label == label);
        let letter = row.and_then(|r| r.letter);
        letter.expect("a row with a letter").to_string()
    }

    /// Complete text of the current notice.
    pub fn message(&self) -> String {
        let message = self.model.message.as_ref();
        message.map_or(String::new(), |m| m.text.clone())
    }

    pub fn last_line(&self) -> String {
        let screen = self.screen();
        screen.line(screen.rows - 1)
    }
}
