//! Packages that a problem names and that processes have in different versions, as they report them.

use std::collections::BTreeMap;

use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Maximum number of findings that are examined, and of records about a package.
const FINDINGS: usize = 4;
const READ: usize = 300;
/// Minimum length of the name of a package, bytes.
const NAME: usize = 3;
/// Maximum number of characters between a name and its version.
const BETWEEN: usize = 40;

/// Adds to findings the versions of the packages that they name, if these differ. `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) -> Option<()> {
    let is_problem = |f: &&mut Finding| {
        let kinds = [
            FindingKind::Failures,
            FindingKind::Exception,
            FindingKind::Errors,
        ];
        kinds.contains(&f.kind) && f.severity > Severity::Info
    };
    for finding in findings.iter_mut().filter(is_problem).take(FINDINGS) {
        for name in packages(&finding.title) {
            let versions = versions(look, &name)?;
            let [(first, a), (second, b)] = &versions[..] else {
                continue;
            };
            let (at, other) = (look.tag(*a), look.tag(*b));
            finding.text += &format!(
                " Two versions of {name} are in use: {first} as {at} reports, {second} as {other} does."
            );
            finding.next = format!(
                "Install the same version of {name} for the processes of {at} and {other}."
            );
            finding.is_advised = true;
            finding.evidence.extend([*a, *b]);
            finding.events.extend([*a, *b]);
            break;
        }
    }
    Some(())
}

/// Names that may be packages: the first parts of dotted names, and quoted words.
fn packages(title: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    for word in title.split(|c| !is_part(c)) {
        let is_quoted = title[..at].ends_with(['\'', '"', '`', '‘']);
        at += word.len();
        at += title[at..].chars().next().map_or(0, char::len_utf8);
        let (first, rest) = word.split_once('.').unwrap_or((word, ""));
        let is_dotted = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_name = first.len() >= NAME
            && first.starts_with(|c: char| c.is_ascii_lowercase())
            && (is_quoted || is_dotted);
        if is_name && out.iter().all(|known| known != first) {
            out.push(first.to_owned());
        }
    }
    out
}

/// The versions of a package that different logs report, with a record of each. `None` when cancelled.
fn versions(look: &mut Context<'_>, name: &str) -> Option<Vec<(String, EventId)>> {
    let records = look.records_with(|_, template| template.contains(name))?;
    let mut known: BTreeMap<String, EventId> = BTreeMap::new();
    for id in records.into_iter().take(READ) {
        let message = look.message(id);
        let version = message.lines().find_map(|line| version_of(line, name));
        if let Some(version) = version {
            known.entry(version.to_owned()).or_insert(id);
        }
    }
    let source = |id: &EventId| look.snapshot.event(*id).map(|e| e.source().id);
    let mut out: Vec<(String, EventId)> = known.into_iter().collect();
    out.sort_by_key(|(_, id)| (look.time(*id).is_none(), look.time(*id), *id));
    let is_of_two = out.len() == 2 && source(&out[0].1) != source(&out[1].1);
    Some(if is_of_two { out } else { Vec::new() })
}

/// Version behind the name of a package in a line: `numpy 2.4.6`, `numpy==1.24.4`, `numpy: v2.0`.
fn version_of<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/');
    line.match_indices(name).find_map(|(at, _)| {
        let is_start = line[..at].chars().next_back().is_none_or(|c| !is_part(c));
        let rest = &line[at + name.len()..];
        let gap = rest.find(|c: char| c.is_ascii_digit())?;
        let between = rest[..gap].trim_start_matches("-dev");
        let is_gap = !between.is_empty()
            && gap <= BETWEEN
            && between.replace("version", "").chars().all(|c| {
                c.is_whitespace() || matches!(c, '=' | ':' | 'v' | '-' | '@' | '(' | '"' | '\'')
            });
        let version = &rest[gap..];
        let end = version.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
        let version = version[..end.unwrap_or(version.len())].trim_end_matches('.');
        let is_version = version.contains('.') && version.split('.').next()?.parse::<u32>().is_ok();
        (is_start && is_gap && is_version).then_some(version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_titles() {
        assert_eq!(
            packages("ModuleNotFoundError: No module named 'numpy._core'"),
            ["numpy"]
        );
        assert_eq!(
            packages("pandas.errors.ParserError: Expected 3 fields"),
            ["pandas"]
        );
        assert!(packages("ValueError: at 2.5 of run 12").is_empty());
    }

    #[test]
    fn versions_of_packages() {
        for (line, expected) in [
            ("numpy 2.4.6, parsl 2026.10.26", Some("2.4.6")),
            ("numpy              1.24.4", Some("1.24.4")),
            ("using numpy==1.24.4rc1", Some("1.24.4rc1")),
            ("numpy version: v2.0", Some("2.0")),
            ("numpy took 2.5", None),
            ("numpy2 1.0", None),
            ("/lib/numpy 1.0", None),
            ("numpy 12", None),
        ] {
            assert_eq!(version_of(line, "numpy"), expected, "{line}");
        }
    }
}
