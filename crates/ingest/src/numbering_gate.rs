//! Order in which sources found inside others are numbered.
//!
//! Archive members and tables get the next free numbers. For reproducible numbers, files take theirs first, one after
//! the other, then standard input.

use std::sync::Mutex;

use widetui_core::lock;

/// Decides when sources inside standard input may be numbered.
#[derive(Debug)]
pub(super) struct NumberingGate<P> {
    state: Mutex<GateState<P>>,
}

#[derive(Debug)]
enum GateState<P> {
    /// Files may still take numbers.
    Files,
    /// Files may still take numbers, and standard input waits.
    Waits(P),
    /// Files have taken all their numbers.
    Input,
}

impl<P> Default for NumberingGate<P> {
    fn default() -> NumberingGate<P> {
        NumberingGate {
            state: Mutex::new(GateState::Files),
        }
    }
}

impl<P> NumberingGate<P> {
    /// Returns the input if it may be numbered now; else stores it until `files_done`.
    pub(crate) fn ask(&self, piped: P) -> Option<P> {
        let mut state = lock::hold(&self.state);
        match *state {
            GateState::Input => Some(piped),
            GateState::Files | GateState::Waits(_) => {
                *state = GateState::Waits(piped);
                None
            }
        }
    }

    /// Marks all files as numbered; returns the input that waited.
    pub(crate) fn files_done(&self) -> Option<P> {
        match std::mem::replace(&mut *lock::hold(&self.state), GateState::Input) {
            GateState::Waits(piped) => Some(piped),
            GateState::Files | GateState::Input => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_comes_behind_all_files() {
        let early = NumberingGate::default();
        assert_eq!(early.ask(7), None);
        assert_eq!(early.files_done(), Some(7));
        let late = NumberingGate::default();
        assert_eq!(late.files_done(), None);
        assert_eq!(late.ask(7), Some(7));
    }
}
