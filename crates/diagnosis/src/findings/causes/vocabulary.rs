//! Exceptions that the vocabulary of any program describes: an exhausted resource that a record reports is also the cause
//! of the exceptions that name it.

use widetui_definition::semantics::Severity;

use crate::findings::causes::Family;
use crate::findings::finding::FindingKind;
use crate::findings::hints::condition::describes;

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
