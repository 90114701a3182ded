//! Waits that timed out: what was lost while somebody waited is why the answer did not come.

use widetui_core::quantity::{self, Dimension};
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::causes::Family;
use crate::findings::finding::FindingKind;

/// Latest loss after the begin of a wait, and earliest before it, ns: the request was on its way.
const MOMENT: i64 = NS_PER_SECOND;
/// Words of a wait that is over, in lower case.
const TIMED_OUT: [&str; 3] = ["timed out", "timeout", "time out"];

/// Duration that a text names behind words of a time-out, ns: `timed out after 60 s`.
fn duration(text: &str) -> Option<i64> {
    let lower = text.to_lowercase();
    let from = TIMED_OUT.iter().filter_map(|word| lower.find(word)).min()?;
    durations(&lower[from..]).next()
}

/// Longest duration with a unit that a text names, ns.
pub(crate) fn longest_duration(text: &str) -> Option<i64> {
    // `92M` are no minutes, as `92m` are.
    durations(text).max()
}

/// Durations with a unit in a text, ns.
fn durations(text: &str) -> impl Iterator<Item = i64> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ':' | '='));
    let mut number = None;
    words.filter_map(move |word| {
        let word = word.trim_end_matches('.');
        // The unit may be a word of its own.
        let text = match number.take() {
            Some(number) => format!("{number} {word}"),
            None => word.to_owned(),
        };
        let found = quantity::parse(&text)?;
        if found.dimension.is_none() {
            number = Some(word);
        }
        // The cast saturates.
        (found.dimension == Some(Dimension::Time)).then_some((found.value * 1e9) as i64)
    })
}

impl Family<'_, '_> {
    /// Whether the other finding reports a loss at the beginning of a wait, or during it, whose time-out is the finding.
    pub(crate) fn timed_out(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let is_wait = matches!(
            own.kind,
            FindingKind::Exception | FindingKind::Errors | FindingKind::Failures
        );
        let is_loss = match that.kind {
            FindingKind::Lost | FindingKind::NeverCame => true,
            FindingKind::Hint => that.severity > Severity::Info,
            _ => false,
        };
        if !is_wait || !is_loss {
            return false;
        }
        let waited = duration(&own.title);
        let span = self.first(at).zip(waited);
        let loss = self.first(other);
        span.zip(loss).is_some_and(|((end, waited), loss)| {
            let begin = end.saturating_sub(waited).saturating_sub(MOMENT);
            (begin..end).contains(&loss)
        }) && (self.is_of_one_run(at, other) || self.run(at).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_waits() {
        let found = |text| duration(text).map(|ns| ns as f64 / 1e9);
        assert_eq!(found("TimeoutError: timed out after 60 s."), Some(60.0));
        assert_eq!(found("Timed out during handshake after 30s"), Some(30.0));
        assert_eq!(found("timeout of 1.5 minutes reached"), Some(90.0));
        assert_eq!(found("timed out trying 3 addresses"), None);
        assert_eq!(found("finished after 60 s"), None);
    }
}
