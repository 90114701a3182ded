//! Order in which sources found inside others are numbered.
//!
//! Archive members and tables get the next free numbers. For reproducible numbers, files take theirs first, one after
//! the other, then standard input.

use std::sync::Mutex;

use widetui_core::lock;

/// Decides when sources inside standard input may be numbered.
#[derive(Debug)]
pub(super) struct Turn<P> {
    whose: Mutex<Whose<P>>,
}

#[derive(Debug)]
enum Whose<P> {
    /// Files may still take numbers.
    Files,
    /// Files may still take numbers, and standard input waits.
    Waits(P),
    /// Files have taken all their numbers.
    Input,
}

impl<P> Default for Turn<P> {
    fn default() -> Turn<P> {
        Turn {
            whose: Mutex::new(Whose::Files),
        }
    }
}

impl<P> Turn<P> {
    /// Returns the input if it may be numbered now; else stores it until `files_done`.
    pub(crate) fn ask(&self, piped: P) -> Option<P> {
        let mut whose = lock::hold(&self.whose);
        match *whose {
            Whose::Input => Some(piped),
            Whose::Files | Whose::Waits(_) => {
                *whose = Whose::Waits(piped);
                None
            }
        }
    }

    /// Marks all files as numbered; returns the input that waited.
    pub(crate) fn files_done(&self) -> Option<P> {
        match std::mem::replace(&mut *lock::hold(&self.whose), Whose::Input) {
            Whose::Waits(piped) => Some(piped),
            Whose::Files | Whose::Input => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_comes_behind_all_files() {
        let early = Turn::default();
        assert_eq!(early.ask(7), None);
        assert_eq!(early.files_done(), Some(7));
        let late = Turn::default();
        assert_eq!(late.files_done(), None);
        assert_eq!(late.ask(7), Some(7));
    }
}
