//! Names of members of archives, made fit to be shown.

/// A name of a member that is longer is cut.
const NAME: usize = 1024;

/// The name of a member below its archive: no root, no way up, nothing that is no text.
pub(super) fn member_name(path: &str) -> String {
    // Programs on Windows write their own separator, against the rules.
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
