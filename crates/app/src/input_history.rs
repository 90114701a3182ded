//! History of lines of input: one list per kind of line, kept across sessions.

/// Maximum number of lines of one kind.
const MOST: usize = 200;

/// Kind of line; each kind has its own history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Filter expressions.
    Filter,
    /// Search texts and patterns.
    Search,
    /// Times and row numbers.
    Time,
    /// Words that filter the rows of a table.
    Rows,
    /// Time shifts of sources.
    Shift,
    /// Notes.
    Note,
    /// File names of exports.
    Export,
    /// Extractions.
    Extraction,
    /// Names of drafts of definitions.
    Draft,
}

/// Names of the kinds in the file of the history.
const NAMES: [(InputKind, &str); 9] = [
    (InputKind::Filter, "filter"),
    (InputKind::Search, "search"),
    (InputKind::Time, "time"),
    (InputKind::Rows, "rows"),
    (InputKind::Shift, "shift"),
    (InputKind::Note, "note"),
    (InputKind::Export, "export"),
    (InputKind::Extraction, "extraction"),
    (InputKind::Draft, "draft"),
];

impl InputKind {
    /// Name in the file of the history.
    pub(crate) fn name(self) -> &'static str {
        let name = NAMES.iter().find(|(kind, _)| *kind == self);
        name.map_or("", |(_, name)| name)
    }

    /// Kind with this name; `None` for a name of a later version.
    pub(crate) fn named(name: &str) -> Option<InputKind> {
        let kind = NAMES.iter().find(|(_, known)| *known == name);
        kind.map(|(kind, _)| *kind)
    }
}

/// Lines that the user accepted, without duplicates, the latest last.
#[derive(Clone, Debug, Default)]
pub struct InputHistory {
    lines: Vec<(InputKind, String)>,
}

impl InputHistory {
    /// Adds a line as the latest of its kind.
    pub(crate) fn add(&mut self, kind: InputKind, text: &str) {
        self.lines.retain(|line| line.0 != kind || line.1 != text);
        self.lines.push((kind, text.to_owned()));
        if self.of(kind).count() > MOST
            && let Some(oldest) = self.lines.iter().position(|line| line.0 == kind)
        {
            self.lines.remove(oldest);
        }
    }

    /// Lines of a kind, the latest last.
    pub(crate) fn of(&self, kind: InputKind) -> impl DoubleEndedIterator<Item = &str> {
        let lines = self.lines.iter().filter(move |line| line.0 == kind);
        lines.map(|line| line.1.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_kept_once_and_only_among_its_kind() {
        let mut history = InputHistory::default();
        for text in ["a", "b", "a"] {
            history.add(InputKind::Filter, text);
        }
        history.add(InputKind::Search, "b");
        let of = |history: &InputHistory, kind| history.of(kind).collect::<Vec<&str>>().join(" ");
        assert_eq!(of(&history, InputKind::Filter), "b a");
        for n in 0..MOST + 9 {
            history.add(InputKind::Search, &n.to_string());
        }
        assert_eq!(history.of(InputKind::Search).count(), MOST);
        assert_eq!(history.of(InputKind::Search).next(), Some("9"));
        assert_eq!(of(&history, InputKind::Filter), "b a");
    }

    #[test]
    fn every_kind_has_a_name() {
        for (kind, name) in NAMES {
            assert_eq!((kind.name(), InputKind::named(name)), (name, Some(kind)));
        }
    }
}
