//! Times in the message, identified by the words before them: "CANCELLED AT 2026-11-20T17:57:57 DUE TO TIME LIMIT".

use memchr::memmem;

use widetui_time::timeparse::{Stamp, TimePattern};

use crate::pattern::{Element, FieldKind, Pattern, PatternError};

/// Position of the time in a message.
#[derive(Clone, Debug)]
pub(crate) struct MessageTime {
    /// Words before the time.
    lead: Box<[u8]>,
    time: TimePattern,
}

impl MessageTime {
    /// Compiles `words {time:FORMAT}`.
    ///
    /// # Errors
    /// An invalid pattern, or one that is not literal text followed by a time.
    pub(crate) fn compile(source: &str) -> Result<MessageTime, PatternError> {
        let pattern = Pattern::compile(source)?;
        if let [Element::Literal(lead), Element::Field(field)] = &pattern.elements[..]
            && let Some(field) = pattern.fields.get(*field).filter(|f| f.name == "time")
            && let FieldKind::Time(time) = &field.kind
        {
            return Ok(MessageTime {
                lead: lead.clone(),
                time: (**time).clone(),
            });
        }
        Err(PatternError {
            text:
                "expected literal text followed by a time: `CANCELLED AT {time:%Y-%m-%dT%H:%M:%S}`"
                    .into(),
            at: 0,
        })
    }

    /// Time in a message.
    pub(crate) fn find(&self, message: &[u8]) -> Option<Stamp> {
        let at = memmem::find(message, &self.lead)? + self.lead.len();
        let (time, _) = self.time.parse_prefix(message.get(at..)?)?;
        (!time.is_unset()).then_some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_time::timeparse::StampZone;

    #[test]
    fn times_follow_words() {
        let within = MessageTime::compile("CANCELLED AT {time:%Y-%m-%dT%H:%M:%S}").unwrap();
        let found =
            within.find(b"*** JOB 4 ON n1 CANCELLED AT 2026-11-20T17:57:57 DUE TO TIME LIMIT ***");
        assert_eq!(found.unwrap().ns, 1_795_197_477_000_000_000);
        assert_eq!(found.unwrap().zone, StampZone::Local);
        for other in [&b"CANCELLED AT Unknown"[..], b"AT 2026-11-20T17:57:57", b""] {
            assert!(within.find(other).is_none());
        }
        for bad in ["{time:iso} x", "x {y}", "x {time:iso} {message}", "x"] {
            assert!(MessageTime::compile(bad).is_err(), "{bad}");
        }
    }
}
