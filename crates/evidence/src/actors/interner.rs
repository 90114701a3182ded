//! Texts by number.

use rustc_hash::FxHashMap;

/// Table of texts, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Interner {
    /// Number of a text; adds it if new.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// Text with a number; empty for others.
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |t| t)
    }

    /// Number of a text that the table has.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// Adds all texts of another table, and returns their numbers here.
    pub fn join(&mut self, other: &Interner) -> Vec<u32> {
        other.texts.iter().map(|t| self.number(t)).collect()
    }
}
