//! Short names of sources, composed of captures of their paths.

use crate::pattern::glob::Captures;

/// Fills the captures into a tag (`{key:8}`: its first 8 characters). Parts between slashes whose capture is missing
/// are left out.
pub(crate) fn tag(template: &str, captures: &Captures<'_>) -> String {
    let parts: Vec<String> = template
        .split('/')
        .filter_map(|part| {
            let mut out = String::new();
            let mut rest = part;
            while let Some((head, tail)) = rest.split_once('{') {
                let (name, after) = tail.split_once('}')?;
                let (name, most) = match name.split_once(':') {
                    Some((name, most)) => (name, most.parse().unwrap_or(usize::MAX)),
                    None => (name, usize::MAX),
                };
                let value = captures.iter().find(|c| c.0 == name)?.1;
                out.push_str(head);
                out.extend(value.chars().take(most));
                rest = after;
            }
            out.push_str(rest);
            (!out.is_empty()).then_some(out)
        })
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_leave_out_missing_captures() {
        let captures = vec![("a", "1")];
        assert_eq!(tag("w/{a}/{b}", &captures), "w/1");
        assert_eq!(tag("x{a}-y", &captures), "x1-y");
    }

    #[test]
    fn tags_truncate_long_captures() {
        let captures = vec![("a", "21fd6fcd-8e4f"), ("b", "é1")];
        assert_eq!(tag("x/{a:8}/{b:1}", &captures), "x/21fd6fcd/é");
    }
}
