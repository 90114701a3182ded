//! Folders of paths with `/` as the separator.

/// Iterates over the folders that contain a path, innermost first, ending with the empty path, which contains all
/// paths.
pub fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(path)), |inner| {
        (!inner.is_empty()).then(|| folder(inner))
    })
}

/// Parent folder of a path; empty at the top.
pub fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..end])
}

/// Depth of a folder; 0 for the empty path.
pub fn depth(folder: &str) -> usize {
    match folder.is_empty() {
        true => 0,
        false => 1 + folder.bytes().filter(|b| *b == b'/').count(),
    }
}

/// Whether a path is below a folder, at any depth.
pub fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path equals a folder or is below it.
pub fn is_at_or_in(path: &str, folder: &str) -> bool {
    path == folder || is_in(path, folder)
}

/// Innermost folder that equals or contains both paths.
pub fn common<'a>(a: &'a str, b: &str) -> &'a str {
    let mut outer = a;
    while !is_at_or_in(b, outer) {
        outer = folder(outer);
    }
    outer
}

/// Number of leading folders that two paths share.
pub fn shared(a: &str, b: &str) -> usize {
    let (a, b) = (folder(a), folder(b));
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let same = a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y);
    same.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_from_the_innermost_outwards() {
        let all: Vec<&str> = above("x/001/htex/a.log").collect();
        assert_eq!(all, ["x/001/htex", "x/001", "x", ""]);
        assert_eq!(above("a.log").collect::<Vec<_>>(), [""]);
        assert_eq!(above("/a.log").collect::<Vec<_>>(), [""]);
        assert_eq!([depth(""), depth("x"), depth("x/001")], [0, 1, 2]);
    }

    #[test]
    fn a_path_lies_in_every_folder_above_it() {
        for folder in above("x/001/htex/a.log") {
            assert!(is_in("x/001/htex/a.log", folder), "{folder}");
        }
        assert!(!is_in("x/0010/a.log", "x/001"));
        assert!(!is_in("x/001", "x/001"));
        assert!(is_at_or_in("x/001", "x/001") && is_at_or_in("x/001/a", "x/001"));
        assert!(!is_at_or_in("x", "x/001"));
    }

    #[test]
    fn two_folders_lie_in_a_common_one() {
        assert_eq!(common("x/001/a", "x/001/b"), "x/001");
        assert_eq!(common("x/001", "x/0010"), "x");
        assert_eq!(common("x", "x/001"), "x");
        assert_eq!(common("x", "y"), "");
    }

    #[test]
    fn what_is_shared_are_whole_folders() {
        assert_eq!(shared("x/001/a.log", "x/001/b/c.log"), 2);
        assert_eq!(shared("x/001/a.log", "x/0010/a.log"), 1);
        assert_eq!(shared("a.log", "b.log"), 0);
    }
}
