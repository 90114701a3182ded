//! Whose turn it is to number sources that are found inside others.
//!
//! Members of archives and tables get the numbers that are free next. So that these are the same whenever the same is read,
//! nobody takes one while somebody else may: first all files do, one after the other, then standard input.

use std::sync::Mutex;

use widetui_core::lock;

/// Whether standard input may number what is in it.
#[derive(Debug)]
pub(super) struct Turn<P> {
    whose: Mutex<Whose<P>>,
}

#[derive(Debug)]
enum Whose<P> {
    /// Files may still take numbers.
    Files,
    /// They may, and standard input waits.
    Waits(P),
    /// They do not any more.
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
    /// What came through standard input, when it may be numbered at once; else it waits for `files_done`.
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

    /// No file takes a number any more; gives what waited for that.
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
