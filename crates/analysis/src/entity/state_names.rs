//! Interned names, numbered in order of occurrence.

use rustc_hash::FxHashMap;

/// Common name of all names beyond the limit.
pub const OTHER: &str = "other";

/// Interner of names with a limit, beyond which all new names share one number.
#[derive(Debug)]
pub(super) struct Numbering {
    numbers: FxHashMap<String, u16>,
    most: u16,
    /// Number shared by all names beyond the limit.
    other: Option<u16>,
    /// Number of names beyond the limit.
    pub others: usize,
}

impl Numbering {
    /// Creates an interner with known names and a limit of `most` names.
    pub fn new(names: &[String], most: u16) -> Numbering {
        let mut numbers = FxHashMap::default();
        for (name, number) in names.iter().zip(0..most) {
            numbers.entry(name.clone()).or_insert(number);
        }
        Numbering {
            numbers,
            most,
            other: None,
            others: 0,
        }
    }

    /// Number of a name; a new name is added to `names`. Call once per new name, since each call
    /// beyond the limit is counted.
    pub fn number(&mut self, names: &mut Vec<String>, name: String) -> u16 {
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        if names.len() < usize::from(self.most) {
            let number = names.len() as u16;
            self.numbers.insert(name.clone(), number);
            names.push(name);
            return number;
        }
        self.others += 1;
        let most = self.most;
        *self.other.get_or_insert_with(|| {
            names.truncate(usize::from(most));
            names.push(OTHER.to_owned());
            most
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_number_each_up_to_a_limit() {
        let mut names = vec!["a".to_owned(), "b".to_owned()];
        let mut numbering = Numbering::new(&names, 3);
        let mut number = |name: &str| numbering.number(&mut names, name.to_owned());
        assert_eq!(["b", "c", "a", "c"].map(&mut number), [1, 2, 0, 2]);
        assert_eq!(["d", "e", "a", "c"].map(&mut number), [3, 3, 0, 2]);
        assert_eq!(numbering.others, 2);
        assert_eq!(names, ["a", "b", "c", OTHER]);
    }

    #[test]
    fn very_many_names_do_not_take_each_other_s_numbers() {
        let mut names = Vec::new();
        let mut numbering = Numbering::new(&names, u16::MAX - 1);
        for n in 0..70_000u32 {
            let number = numbering.number(&mut names, n.to_string());
            let is_own = usize::from(number) == n as usize && names[n as usize] == n.to_string();
            assert!(is_own || names[usize::from(number)] == OTHER, "{n}");
        }
        assert_eq!(numbering.others, 70_000 - 65_534);
    }
}
