//! Interned names, numbered in order of occurrence.

use rustc_hash::FxHashMap;

/// Common name of all names beyond the limit.
pub const OTHER_STATES: &str = "other";

/// Interner of names with a limit, beyond which all new names share one number.
#[derive(Debug)]
pub(super) struct NameInterner {
    numbers: FxHashMap<String, u16>,
    limit: u16,
    /// Number shared by all names beyond the limit.
    other_number: Option<u16>,
    /// Number of names beyond the limit.
    pub(crate) other_count: usize,
}

impl NameInterner {
    /// Creates an interner with known names and a limit of `most` names.
    pub(crate) fn new(names: &[String], most: u16) -> NameInterner {
        let mut numbers = FxHashMap::default();
        for (name, number) in names.iter().zip(0..most) {
            numbers.entry(name.clone()).or_insert(number);
        }
        NameInterner {
            numbers,
            limit: most,
            other_number: None,
            other_count: 0,
        }
    }

    /// Number of a name; a new name is added to `names`. Call once per new name, since each call
    /// beyond the limit is counted.
    pub(crate) fn intern(&mut self, names: &mut Vec<String>, name: String) -> u16 {
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        if names.len() < usize::from(self.limit) {
            let number = names.len() as u16;
            self.numbers.insert(name.clone(), number);
            names.push(name);
            return number;
        }
        self.other_count += 1;
        let most = self.limit;
        *self.other_number.get_or_insert_with(|| {
            names.truncate(usize::from(most));
            names.push(OTHER_STATES.to_owned());
            most
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_up_to_a_limit() {
        let mut names = vec!["a".to_owned(), "b".to_owned()];
        let mut numbering = NameInterner::new(&names, 3);
        let mut number = |name: &str| numbering.intern(&mut names, name.to_owned());
        assert_eq!(["b", "c", "a", "c"].map(&mut number), [1, 2, 0, 2]);
        assert_eq!(["d", "e", "a", "c"].map(&mut number), [3, 3, 0, 2]);
        assert_eq!(numbering.other_count, 2);
        assert_eq!(names, ["a", "b", "c", OTHER_STATES]);
    }

    #[test]
    fn names_beyond_the_limit_do_not_reuse_numbers() {
        let mut names = Vec::new();
        let mut numbering = NameInterner::new(&names, u16::MAX - 1);
        for n in 0..70_000u32 {
            let number = numbering.intern(&mut names, n.to_string());
            let is_own = usize::from(number) == n as usize && names[n as usize] == n.to_string();
            assert!(is_own || names[usize::from(number)] == OTHER_STATES, "{n}");
        }
        assert_eq!(numbering.other_count, 70_000 - 65_534);
    }
}
