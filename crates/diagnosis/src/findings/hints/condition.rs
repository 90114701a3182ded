//! Conditions of hints, applied to texts.

use widetui_query::{Expr, Field, Matcher, Op};

/// True if a condition on templates holds for a text.
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
