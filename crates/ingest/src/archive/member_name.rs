//! Display names of archive members.

/// Maximum length of a member's name in characters; longer names are truncated.
const NAME: usize = 1024;

/// Sanitises the path of a member below its archive: removes root, `.` and `..` components, replaces control
/// characters.
pub(super) fn member_name(path: &str) -> String {
    // Some Windows programs write backslashes, although the zip specification (APPNOTE 4.4.17.1) demands slashes.
    let windows = path.contains('\\') && !path.contains('/');
    let parts: Vec<&str> = path
        .split(|c| c == '/' || (windows && c == '\\'))
        .filter(|p| !matches!(*p, "" | "." | ".."))
        .collect();
    let name: String = parts.join("/").chars().take(NAME).collect();
    if name.is_empty() {
        return "(no name)".to_owned();
    }
    name.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members_stay_below_the_archive() {
        for (name, want) in [
            ("./runinfo/000/parsl.log", "runinfo/000/parsl.log"),
            ("../../etc/passwd", "etc/passwd"),
            ("/etc//passwd", "etc/passwd"),
            ("..\\windows\\x.log", "windows/x.log"),
            ("a\\b/c", "a\\b/c"),
            ("a\x1b[31m\nb", "a\u{fffd}[31m\u{fffd}b"),
            ("../..", "(no name)"),
        ] {
            assert_eq!(member_name(name), want);
        }
        assert_eq!(member_name(&"ä".repeat(9000)).chars().count(), NAME);
    }
}
