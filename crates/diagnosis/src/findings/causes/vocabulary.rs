//! Exceptions that the vocabulary of any program describes: an exhausted resource that a record reports is also the cause
//! of the exceptions that name it.

use widetui_definition::semantics::Severity;
use widetui_query::{Expr, Field, Matcher, Op};

use crate::findings::causes::Family;
use crate::findings::finding::FindingKind;

/// Whether a condition on templates holds for a text.
pub(crate) fn describes(condition: &Expr, text: &str) -> bool {
    match condition {
        Expr::And(parts) => parts.iter().all(|part| describes(part, text)),
        Expr::Or(parts) => parts.iter().any(|part| describes(part, text)),
        Expr::Not(part) => !describes(part, text),
        Expr::Compare(comparison) => {
            let mut patterns = comparison.values.iter();
            (&comparison.field, comparison.op) == (&Field::Template, Op::Match)
                && patterns.any(|p| Matcher::pattern(p).is_ok_and(|m| m.is_in(text)))
        }
        Expr::All | Expr::Has(_) | Expr::Text(_) => false,
    }
}

impl Family<'_, '_> {
    /// Whether the vocabulary by which the other finding was made describes the exceptions of the finding.
    pub(crate) fn described(&self, at: usize, other: usize) -> bool {
        let own = &self.findings[at];
        let may_be = matches!(own.kind, FindingKind::Exception | FindingKind::Failures);
        let hint = self.hint(other).filter(|_| may_be);
        let hint = hint.filter(|h| h.is_vocabulary && h.severity == Severity::Error);
        hint.is_some_and(|hint| {
            self.is_of_one_run(at, other)
                && self.reasons[at].are_all(|line| describes(&hint.only, line))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_query::{TimeContext, parse};

    #[test]
    fn conditions_on_templates_hold_for_texts() {
        let full =
            "template ~ \"(?i)no space left|quota exceeded\" and not template ~ \"possible\"";
        let full = parse(full, None, &TimeContext::default()).unwrap();
        assert!(describes(
            &full,
            "OSError: [Errno 28] No space left on device"
        ));
        assert!(!describes(
            &full,
            "OSError: a possible reason: no space left"
        ));
        assert!(!describes(&full, "OSError: [Errno 2] No such file"));
    }
}
