//! Hints: messages that definitions explain, compiled.

use widetui_definition::semantics::{HintDef, Severity};
use widetui_definition::syntax::Definition;
use widetui_join::spec::{InvalidText, condition};
use widetui_query::Expr;

/// Logs in which a hint is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Logs of all systems.
    Anywhere,
    /// Logs of its own system, logs without one beside these, and records that name its system, because other systems may
    /// use the same words for other events.
    Own,
}

/// A hint with parsed conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Name of its definition.
    pub(crate) system: String,
    /// Logs in which it is searched.
    pub(crate) reach: Reach,
    /// True if its definition describes words that any program may write, and no messages of a system: its records say more
    /// than its title.
    pub(crate) is_vocabulary: bool,
    /// Condition on the events that show it.
    pub only: Expr,
    /// Severity.
    pub severity: Severity,
    /// Title, one line; `{key}` stands for the value in the first event.
    pub(crate) title: String,
    /// Explanation; placeholders as in `title`.
    pub(crate) text: String,
    /// Suggested next step; placeholders as in `title`.
    pub(crate) next: String,
    /// Address of documentation; may be empty.
    pub(crate) url: String,
    /// Condition on events of the same run after which the message is no cause.
    pub(crate) noise_after: Option<Expr>,
    /// Condition on events of the same run whose presence makes the message harmless.
    pub(crate) unless: Option<Expr>,
    /// Condition on events about the same instance, by a key of `names`, that make the message harmless.
    pub(crate) unless_named: Option<Expr>,
    /// Key whose values are separate findings.
    pub(crate) by: Option<String>,
    /// Keys that name the affected instance.
    pub(crate) names: Vec<String>,
    /// Kinds of sources of the peer that its records report missing.
    pub(crate) missed: Vec<String>,
    /// Text before the number of seconds that the writer waits before it reports a peer missing; may be empty.
    pub(crate) patience: String,
}

/// Hints of a definition, and its invalid conditions.
pub fn of_definition(def: &Definition) -> (Vec<Hint>, Vec<InvalidText>) {
    let mut hints = Vec::new();
    let mut bad = Vec::new();
    for hint in &def.hint {
        match compiled(def, hint) {
            Ok(hint) => hints.push(hint),
            Err(error) => bad.push(error),
        }
    }
    (hints, bad)
}

fn compiled(of: &Definition, def: &HintDef) -> Result<Hint, InvalidText> {
    Ok(Hint {
        system: of.name.get_ref().clone(),
        reach: match of.anywhere {
            true => Reach::Anywhere,
            false => Reach::Own,
        },
        is_vocabulary: of.anywhere && of.messages.is_empty(),
        only: condition(&def.only)?,
        severity: def.severity,
        title: def.title.clone(),
        text: def.text.clone(),
        next: def.next.clone(),
        url: def.url.clone(),
        noise_after: def.noise_after.as_ref().map(condition).transpose()?,
        unless: def.unless.as_ref().map(condition).transpose()?,
        unless_named: def.unless_named.as_ref().map(condition).transpose()?,
        by: def.by.as_ref().map(|k| k.get_ref().clone()),
        names: def.names.iter().map(|k| k.get_ref().clone()).collect(),
        missed: def.missed.clone(),
        patience: def.patience.clone(),
    })
}
