//! Captures of globs from the names of folders.

use super::{Component, PathGlob};
use crate::pattern::Element;

impl PathGlob {
    /// Names of captures from folders, each with the number of levels above the file: 1 for the folder of the file.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (&str, usize)> {
        let known = self.components.iter().rev().map_while(|c| match c {
            Component::One(pattern, whole) => Some((pattern, whole)),
            Component::Any => None,
        });
        let folders = known.enumerate().skip(1);
        folders
            .flat_map(|(up, (pattern, whole))| {
                let names = pattern.fields.iter().map(|f| f.name.as_str());
                names.chain(whole.as_deref()).map(move |name| (name, up))
            })
            .filter(|(name, _)| !name.is_empty())
    }

    /// Whether a folder component has literal text, so that not every folder matches.
    pub(crate) fn has_folder_text(&self) -> bool {
        let folders = self.components.iter().rev().skip(1);
        folders.into_iter().any(|c| match c {
            Component::One(pattern, _) => pattern
                .elements
                .iter()
                .any(|e| matches!(e, Element::Literal(text) if !text.is_empty())),
            Component::Any => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_from_folders_have_their_level() {
        let folders = |glob: &str| {
            let glob = PathGlob::compile(glob).unwrap();
            let folders = glob.folders().map(|(name, up)| (name.to_owned(), up));
            (folders.collect::<Vec<_>>(), glob.has_folder_text())
        };
        let found = |list: &[(&str, usize)]| -> Vec<(String, usize)> {
            list.iter().map(|(n, up)| ((*n).to_owned(), *up)).collect()
        };
        let tree = "{run}/{ex}/block-{b}/{m}/worker_{w}.log";
        let levels = [("m", 1), ("b", 2), ("ex", 3), ("run", 4)];
        assert_eq!(folders(tree), (found(&levels), true));
        let whole = [("id", 1), ("dir", 1)];
        assert_eq!(folders("{dir=}uep.{id}/run.log"), (found(&whole), true));
        assert_eq!(folders("{run}/{:int}/x.log"), (found(&[("run", 2)]), false));
        assert_eq!(folders("{run}/**/x.log"), (Vec::new(), false));
        assert_eq!(folders("worker_{w}.log"), (Vec::new(), false));
    }
}
